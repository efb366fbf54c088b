"""Visitors, their logs and their clicks.

The world of bench.world in random order. Every fourth visitor has no log.
"""

from dataclasses import dataclass, replace

import numpy as np

from bench.world import RANDOM, make_world

FILMS = 1000
EVERY = 4               # every fourth visitor has no log


@dataclass
class World:
    """Users and films are numbers from 0."""

    films: list             # Movie objects, most rated first
    log: np.ndarray         # pairs (user, film): films that others watched
    known: np.ndarray       # users x films: is the film in the visitor's log?
    likes: np.ndarray       # users x films: would the visitor click the film?
    visits: np.ndarray      # users in the order of visits

    def watched(self):
        """Return the log: (user name, film)."""
        return [(f'user {user}', film)
                for user, film in self.log.tolist()] + [
            (visitor(user), film)
            for user, film in np.argwhere(self.known).tolist()]

    def is_new(self):
        """Return for each visit whether its visitor has no log."""
        return self.visits % EVERY == 0


def visitor(user):
    """Return a visitor's user_id in the recommender."""
    return f'visitor {user}'


def from_ratings(ratings, catalogue, seed, visits):
    """Return a World; its clicks are in no log."""
    world = make_world(ratings, catalogue, seed, RANDOM, FILMS)
    films = [replace(film, id=number)
             for number, film in enumerate(world.movies)]
    known, likes = np.zeros((2, world.history.max(axis=0)[0] + 1,
                             len(films)), bool)
    known[tuple(world.history.T)] = likes[tuple(world.clicks.T)] = True
    likes[::EVERY] |= known[::EVERY]
    known[::EVERY] = False
    return World(films, world.log, known, likes, world.visits[:visits])
