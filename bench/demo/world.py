"""Who comes, what is known of them, what they click on, and what that earns.

The world of bench.world in random order, with strangers: of every fourth of
those who come nothing is known. What a click earns depends on the movie's genres.
"""

from dataclasses import dataclass, replace

import numpy as np

from bench.world import ELSEWHERE, RANDOM, make_world

MOVIES = 1000
EVERY = 4
PAYING = {'Animation', 'Children', 'Documentary', 'Horror', 'Musical',
          'Western'}


@dataclass
class World:
    """People and movies are numbers, from 0."""

    movies: list            # of Movie, the most rated first
    log: np.ndarray         # pairs: what others rated
    known: np.ndarray       # people x movies: what is known of who comes
    likes: np.ndarray       # people x movies: what each of them clicks on
    worths: np.ndarray      # of a click on each movie
    visits: list            # who comes, in order
    is_new: np.ndarray      # for each visit: is it somebody unknown?


def from_ratings(ratings, movies, seed, visits):
    """Return a World; those who come have no part in its log."""
    world = make_world(ratings, movies, seed, RANDOM, MOVIES)
    movies = [replace(movie, id=number)
              for number, movie in enumerate(world.movies)]
    known, likes = np.zeros((2, world.history.max(axis=0)[0] + 1,
                             len(movies)), bool)
    known[tuple(world.history.T)] = likes[tuple(world.clicks.T)] = True
    likes[::EVERY] |= known[::EVERY]
    known[::EVERY] = False
    coming = world.visits[:visits]
    worths = np.array([1 if PAYING.intersection(movie.genres) else ELSEWHERE
                       for movie in movies])
    return World(movies, world.log, known, likes, worths, coming.tolist(),
                 coming % EVERY == 0)
