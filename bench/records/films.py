"""Predict the last film that each user rated from all earlier ratings."""

from time import perf_counter

import numpy as np

from bench.firstday.create import NOT_CLICKED, create
from bench.firstday.lists import compare
from bench.firstday.worlds import Films
from bench.movielens import read_folder
from bench.opponents import opponents
from bench.report import with_error

TITLE = 'The last film that each user rated, from those before it'
SOURCE = 'MovieLens (Harper, Konstan: The MovieLens Datasets, ACM TiiS 2015)'
FOLDER = 'movielens'
FILES = ('ratings.dat', 'movies.dat'), ('ratings.csv', 'movies.csv')
OURS = 'recommender'
FEWEST = 5              # ratings of a film, and of a user


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
    items = len(world.columns['genres'][1])
    start = perf_counter()
    create(cursor, world, NOT_CLICKED)
    made = perf_counter()
    others = opponents(world.clicks, items)
    took = {OURS: made - start, 'others': perf_counter() - made}
    advance(0.5)
    found = compare(cursor, world, items, others, [(user, None) for user in world.known])
    cursor.execute('DROP SCHEMA firstday CASCADE; DROP TABLE item, click')
    print(f'\n{len(found[OURS]):,} users, {items:,} films, {len(world.clicks):,} ratings; the '
          f'recommender took {took[OURS]:.0f} s, all others together {took["others"]:.0f} s')
    return table(found)


def often(ratings):
    """Return the ratings of films and users with at least FEWEST ratings."""
    for field in ('movie', 'user'):
        _, place, counts = np.unique(ratings[field], return_inverse=True, return_counts=True)
        ratings = ratings[counts[place] >= FEWEST]
    return ratings


def table(found):
    """Return a row for each method, with the paired difference to ours."""
    every = sorted(found.items(), key=lambda method: -method[1].mean())
    return [('method', 'hit rate', 'NDCG', 'more than ours'), *(
        (name, with_error(ndcg > 0, 4), with_error(ndcg, 4),
         '' if name == OURS else with_error(ndcg - found[OURS], 4)) for name, ndcg in every)]
