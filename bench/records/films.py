"""The last film that each person rated, from all that was rated before."""

from time import perf_counter

import numpy as np

from bench.firstday.create import SEEN, create
from bench.firstday.lists import compare
from bench.firstday.worlds import Films
from bench.movielens import read_folder
from bench.opponents import opponents
from bench.report import with_error

TITLE = 'The last film that each person rated, from those before it'
SOURCE = 'MovieLens (Harper, Konstan: The MovieLens Datasets, ACM TiiS 2015)'
FOLDER = 'movielens'
FILES = ('ratings.dat', 'movies.dat'), ('ratings.csv', 'movies.csv')
OURS = 'recommender'
FEWEST = 5              # ratings of a film, and of a person


class Last(Films):
    """People whose last film is hidden."""

    def is_then(self, turn, count):
        """Say which of their films people rated last."""
        return turn == count - 1

    def earned(self, person, items):
        """Return the normalised discounted cumulative gain: one film is to be found."""
        return sum(1 / np.log2(place + 2) for place, item in enumerate(items)
                   if item in self.then[person])


def rows(cursor, folder, options, advance):
    """Return the rows of the table, the best first."""
    ratings, movies = read_folder(folder)
    world = Last(often(ratings), movies)
    items = len(world.columns['genres'][1])
    start = perf_counter()
    create(cursor, world, SEEN)
    made = perf_counter()
    others = opponents(world.clicks, items)
    took = {OURS: made - start, 'others': perf_counter() - made}
    advance(0.5)
    found = compare(cursor, world, items, others, [(person, None) for person in world.known])
    cursor.execute('DROP SCHEMA firstday CASCADE; DROP TABLE item, click')
    print(f'\n{len(found[OURS]):,} people, {items:,} films, {len(world.clicks):,} ratings; the '
          f'recommender took {took[OURS]:.0f} s, all others together {took["others"]:.0f} s')
    return table(found)


def often(ratings):
    """Return the ratings of films that are rated often, by people who rate often."""
    for field in ('movie', 'user'):
        _, place, counts = np.unique(ratings[field], return_inverse=True, return_counts=True)
        ratings = ratings[counts[place] >= FEWEST]
    return ratings


def table(found):
    """Return a row for each way, with the difference from ours of the same people."""
    every = sorted(found.items(), key=lambda way: -way[1].mean())
    return [('way', 'hit rate', 'NDCG', 'more than ours'), *(
        (name, with_error(ndcg > 0, 4), with_error(ndcg, 4),
         '' if name == OURS else with_error(ndcg - found[OURS], 4)) for name, ndcg in every)]
