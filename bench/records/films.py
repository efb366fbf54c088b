"""Predict the last film that each user rated from all earlier ratings."""

import numpy as np

from bench.firstday.worlds import Films
from bench.movielens import read_folder
from bench.records import last

TITLE = 'The last film that each user rated, from those before it'
SOURCE = 'MovieLens (Harper, Konstan: The MovieLens Datasets, ACM TiiS 2015)'
FOLDER = 'movielens'
FILES = ('ratings.dat', 'movies.dat'), ('ratings.csv', 'movies.csv')
FEWEST = 5              # minimum ratings per film and per user


class Last(Films):
    """MovieLens, with the last rating of each user hidden."""

    def is_then(self, turn, count):
        """Return which ratings are the last of their users."""
        return turn == count - 1

    def reward(self, user, items):
        """Return the normalised discounted cumulative gain of the hidden film."""
        return sum(1 / np.log2(index + 2) for index, item in enumerate(items)
                   if item in self.then[user])


def rows(cursor, folder, options, advance):
    """Return the rows of the table, the best first."""
    ratings, movies = read_folder(folder)
    world = Last(often(ratings), movies)
    return last.rows(cursor, world, len(world.kinds), world.known, advance)


def often(ratings):
    """Return the ratings of films and users with at least FEWEST ratings."""
    for field in ('movie', 'user'):
        _, place, counts = np.unique(ratings[field], return_inverse=True, return_counts=True)
        ratings = ratings[counts[place] >= FEWEST]
    return ratings
