"""Who comes, what is known of them, what they click on, and what that earns.

The experiment of bench.personal, with strangers: of every fourth of those who
come nothing is known. What a click earns depends on the movie's genres.
"""

from dataclasses import dataclass

import numpy as np

from bench.personal.world import RANDOM, make_world

MOVIES = 1000
EVERY = 4
PAYING = {'Animation', 'Children', 'Documentary', 'Horror', 'Musical',
          'Western'}
ELSEWHERE = 0.25


@dataclass
class World:
    """People and movies are numbers; pairs are of a person and a movie."""

    movies: list            # of Movie, the most rated first
    log: list               # pairs: what others rated
    known: list             # pairs: what is known of who comes
    likes: set              # pairs: what each of them clicks on
    worths: np.ndarray      # of a click on each movie
    visits: list            # who comes, in order
    is_new: np.ndarray      # for each visit: is it somebody unknown?


def from_ratings(ratings, movies, seed, visits):
    """Return a World; those who come have no part in its log."""
    world = make_world(ratings, movies, seed, RANDOM, MOVIES)
    history = _pairs(world.history)
    known = [pair for pair in history if not is_stranger(pair[0])]
    coming = world.visits[:visits]
    return World(world.movies, _pairs(world.log), known,
                 set(_pairs(world.clicks)) | set(history) - set(known),
                 np.array([1 if PAYING.intersection(movie.genres)
                           else ELSEWHERE for movie in world.movies]),
                 coming.tolist(), is_stranger(coming))


def is_stranger(person):
    """Is nothing known of a person?"""
    return person % EVERY == 0


def _pairs(rows):
    """Return rows of two as tuples."""
    return list(map(tuple, rows.tolist()))
