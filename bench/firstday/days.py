"""Ten days of live lists: average rewards of a recommender and others as the log grows.

Each day another tenth of the users come in random order, for one list each. Over
ten runs each user comes once on each day. On day one the recommender is trained
on the log alone; after that it is trained by run(). The other lists are computed
every night from the same log, which includes clicks on the recommender's lists.
"""

from datetime import datetime, timedelta, timezone

import numpy as np

from bench import figure
from bench.firstday.lists import LENGTH, NOT_CLICKED, create
from bench.opponents import List, opponents
from bench.progress import Themes
from bench.report import error, with_error
from bench.shop.play import CLOCK

DAYS = 10
RUNS = 3                # calls of run() per day
EPSILON = 0.02          # default fraction of random lists
START = datetime(2020, 3, 1, tzinfo=timezone.utc)     # end of the log
SHOWN = {'popular': 'the most popular',
         'your categories': 'popular in your genres', 'cosine': 'cosine',
         'SVD 16': 'SVD 16, every night', 'EASE': 'EASE, every night',
         'recommender': 'dlints'}


def show(cursor, world, firsts, path):
    """Play the days with each tenth of the users first, and draw a chart."""
    likes, known = np.zeros((2, len(world.known), len(world.kinds)), bool)
    known[tuple(world.clicks.T)] = True
    for user, liked in enumerate(world.then):
        likes[user, list(liked)] = True
    cursor.execute(CLOCK)
    lists = {name: np.full((len(likes), DAYS), np.nan) for name in SHOWN}
    with Themes(len(firsts)) as done:
        for first in firsts:
            done.start(f'seed {first}')
            cursor.execute("SELECT set_config('shop.now', %s, false)",
                           (str(START),))
            create(cursor, world, NOT_CLICKED, EPSILON)
            Days(cursor, world, known, likes).play(first, lists)
            cursor.execute(
                'DROP SCHEMA firstday CASCADE; DROP TABLE item, click')
    tell(lists)
    draw(path, lists)


def tell(lists):
    """Print average rewards by day."""
    print('\nFilms in a list of ten that the user rated later, by day; standard '
          'errors of the\ndifference to dlints on days one and ten; day ten minus '
          'day one\n')
    for name, rewards in lists.items():
        means, errors = summed(rewards, lists['recommender'])
        growth = rewards[:, -1] - rewards[:, 0]
        print(f'{SHOWN[name]:<24}', ' '.join(f'{mean:.2f}' for mean in means),
              f'± {errors[0]:.3f}, {errors[-1]:.3f}; ',
              with_error(growth[np.isfinite(growth)]))


def summed(rewards, ours):
    """Return the mean of each day, and the standard error of the difference to ours."""
    return np.nanmean(rewards, axis=0), [
        error(column[np.isfinite(column)]) for column in (rewards - ours).T]


def draw(path, lists):
    """Write a chart of the first and the last day."""
    found = [summed(rewards, lists['recommender']) for rewards in lists.values()]
    chart, axes = figure.marks([SHOWN[name] for name in lists], {
        title: [[pair[side][day] for pair in found] for side in (0, 1)]
        for title, day in (('day ten', -1), ('day one', 0))},
        'films in a list of ten that the visitor went on to rate', apart=0.3)
    axes.set_xlim(left=0)
    chart.savefig(path, dpi=110)


class Days:
    """The days of a world with known users and likes."""

    def __init__(self, cursor, world, known, likes):
        self._cursor, self._world = cursor, world
        self._known, self._likes = known, likes

    def play(self, first, lists):
        """Play the days, beginning with one of the tenths of users.

        Record rewards in `lists`: {policy: users x days}.
        """
        tenths = np.array_split(np.random.default_rng(1).permutation(
            len(self._likes)), DAYS)
        for day in range(DAYS):
            users = np.random.default_rng([first, day]).permutation(
                tenths[(day + first) % DAYS])
            self._day(day, users.tolist(), lists)

    def _at(self, day, statement, *parameters):
        """Execute a statement at a simulated time."""
        now = START + timedelta(days=day)
        self._cursor.execute("SELECT set_config('shop.now', %s, false);"
                             + statement, (now.isoformat(), *parameters))
        return self._cursor

    def _day(self, day, users, lists):
        """Play a day."""
        items = len(self._world.kinds)
        log = np.array(self._at(
            day, 'SELECT visitor, item FROM click').fetchall())
        others = {name: List(score, self._known) for name, score
                  in opponents(log, items, self._world.kinds).items()
                  if name in lists}
        for number, user in enumerate(users):
            now = day + number / len(users)
            if day and number % (len(users) // RUNS + 1) == 0:
                self._at(now, '').execute('CALL firstday.run()')
            lists['recommender'][user, day] = self._visit(now, user)
            for name, shown in others.items():
                liked = self._likes[user]
                lists[name][user, day] = liked[
                    shown.visit(user, liked, LENGTH)].sum()

    def _visit(self, now, user):
        """Show a list to a user and report clicks; return their number."""
        rows = self._at(
            now, 'SELECT decision, item FROM firstday.recommend(%s, %s)',
            user, LENGTH).fetchall()
        for decision, item in rows:
            if self._likes[user, item]:
                self._at(now, 'INSERT INTO click VALUES (%s, %s, now());'
                         'SELECT firstday.reward(%s, %s)',
                         user, item, decision, item)
        return sum(self._likes[user, item] for _, item in rows)
