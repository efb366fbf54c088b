"""Who comes, what is known of them, and what they click on.

The world of bench.world in random order, with strangers: of every fourth of
those who come nothing is known.
"""

from dataclasses import dataclass, replace

import numpy as np

from bench.world import RANDOM, make_world

FILMS = 1000
EVERY = 4


@dataclass
class World:
    """People and films are numbers, from 0."""

    films: list             # of Movie, the most rated first
    log: np.ndarray         # pairs: what others watched
    known: np.ndarray       # people x films: what who comes watched before
    likes: np.ndarray       # people x films: what each of them clicks on
    visits: np.ndarray      # who comes, in order

    def watched(self):
        """Return all that was watched: (person, film)."""
        return [(f'person {person}', film)
                for person, film in self.log.tolist()] + [
            (visitor(person), film)
            for person, film in np.argwhere(self.known).tolist()]

    def is_new(self):
        """Say of each visit whether nothing was known of who comes."""
        return self.visits % EVERY == 0


def visitor(person):
    """Return what the recommender knows somebody as who comes."""
    return f'visitor {person}'


def from_ratings(ratings, catalogue, seed, visits):
    """Return a World; what is clicked on is in no log."""
    world = make_world(ratings, catalogue, seed, RANDOM, FILMS)
    films = [replace(film, id=number)
             for number, film in enumerate(world.movies)]
    known, likes = np.zeros((2, world.history.max(axis=0)[0] + 1,
                             len(films)), bool)
    known[tuple(world.history.T)] = likes[tuple(world.clicks.T)] = True
    likes[::EVERY] |= known[::EVERY]
    known[::EVERY] = False
    return World(films, world.log, known, likes, world.visits[:visits])
