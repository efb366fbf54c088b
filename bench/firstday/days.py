"""Ten days of live lists: what a recommender and others earn as the log grows.

Each day another tenth of the people come, in any order, for one list each; in
ten runs each of them comes on each day once. On day one the recommender is as
the log made it; from then on it learns as it does under cron. The others are
made anew every night of the same log, which has what was clicked on the
recommender's lists, too.
"""

from datetime import datetime, timedelta, timezone

import numpy as np

from bench import figure
from bench.demo.lists import List
from bench.firstday.create import SEEN, create
from bench.firstday.lists import PLACES
from bench.opponents import opponents
from bench.progress import Themes
from bench.report import error, with_error
from bench.shop.play import CLOCK

DAYS = 10
RUNS = 3                # of run(), a day
EPSILON = 0.02          # as it is unless one says otherwise
START = datetime(2020, 3, 1, tzinfo=timezone.utc)     # when the log ends
SHOWN = {'popular': 'the most popular',
         'your categories': 'popular in your genres', 'cosine': 'cosine',
         'SVD 16': 'SVD 16, every night', 'EASE': 'EASE, every night',
         'recommender': 'dlints'}


def show(cursor, world, firsts, path):
    """Play the days with each tenth of the people first, and draw them."""
    likes, known = np.zeros((2, len(world.known), len(world.kinds)), bool)
    known[tuple(world.clicks.T)] = True
    for person, liked in enumerate(world.then):
        likes[person, list(liked)] = True
    cursor.execute(CLOCK)
    lists = {name: np.full((len(likes), DAYS), np.nan) for name in SHOWN}
    with Themes(len(firsts)) as done:
        for first in firsts:
            done.start(f'seed {first}')
            cursor.execute("SELECT set_config('shop.now', %s, false)",
                           (str(START),))
            create(cursor, world, SEEN, EPSILON)
            Days(cursor, world, known, likes).play(first, lists)
            cursor.execute(
                'DROP SCHEMA firstday CASCADE; DROP TABLE item, click')
    tell(lists)
    draw(path, lists)


def tell(lists):
    """Print what lists earned, by day."""
    print('\nFilms of ten that the person rated then, on each day; the standard '
          'errors of the\ndifference to dlints on days one and ten; day ten less '
          'day one\n')
    for name, earned in lists.items():
        means, less = summed(earned, lists['recommender'])
        grown = earned[:, -1] - earned[:, 0]
        print(f'{SHOWN[name]:<24}', ' '.join(f'{mean:.2f}' for mean in means),
              f'± {less[0]:.3f}, {less[-1]:.3f}; ',
              with_error(grown[np.isfinite(grown)]))


def summed(earned, ours):
    """Return the mean of each day, and the error of what ours is more."""
    return np.nanmean(earned, axis=0), [
        error(column[np.isfinite(column)]) for column in (earned - ours).T]


def draw(path, lists):
    """Write a chart of the first day and the last."""
    found = [summed(earned, lists['recommender']) for earned in lists.values()]
    chart, axes = figure.marks([SHOWN[name] for name in lists], {
        title: [[pair[side][day] for pair in found] for side in (0, 1)]
        for title, day in (('day ten', -1), ('day one', 0))},
        'films in a list of ten that the visitor went on to rate', apart=0.3)
    axes.set_xlim(left=0)
    chart.savefig(path, dpi=110)


class Days:
    """The days of a world, of which people and what they like are known."""

    def __init__(self, cursor, world, known, likes):
        self._cursor, self._world = cursor, world
        self._known, self._likes = known, likes

    def play(self, first, lists):
        """Play the days, on which the tenths come from one of them on; note
        what lists earned: {policy: people x days}.
        """
        tenths = np.array_split(np.random.default_rng(1).permutation(
            len(self._likes)), DAYS)
        for day in range(DAYS):
            who = np.random.default_rng([first, day]).permutation(
                tenths[(day + first) % DAYS])
            self._day(day, who.tolist(), lists)

    def _at(self, day, statement, *parameters):
        """Execute a statement at a moment of the simulation."""
        now = START + timedelta(days=day)
        self._cursor.execute("SELECT set_config('shop.now', %s, false);"
                             + statement, (now.isoformat(), *parameters))
        return self._cursor

    def _day(self, day, who, lists):
        """Play a day."""
        items = len(self._world.kinds)
        log = np.array(self._at(
            day, 'SELECT person, item FROM click').fetchall())
        others = {name: List(score, self._known) for name, score
                  in opponents(log, items, self._world.kinds).items()
                  if name in lists}
        for number, person in enumerate(who):
            now = day + number / len(who)
            if day and number % (len(who) // RUNS + 1) == 0:
                self._at(now, 'SELECT firstday.run()')
            lists['recommender'][person, day] = self._visit(now, person)
            for name, shown in others.items():
                liked = self._likes[person]
                lists[name][person, day] = liked[
                    shown.visit(person, liked, PLACES)].sum()

    def _visit(self, now, person):
        """Show a list to somebody, who clicks; return how often."""
        rows = self._at(
            now, 'SELECT decision, item FROM firstday.recommend(%s, %s)',
            person, PLACES).fetchall()
        for decision, item in rows:
            if self._likes[person, item]:
                self._at(now, 'INSERT INTO click VALUES (%s, %s, now());'
                         'SELECT firstday.reward(%s, %s)',
                         person, item, decision, item)
        return sum(self._likes[person, item] for _, item in rows)
