"""Eight days of lists, in a world to which items are added after the first day.

Each method makes lists for the same visits and gets the clicks on its own lists only:
the recommender by rewards, the others by a new computation every night. A fiftieth of
the lists of all methods is random.
"""

import numpy as np

from bench import figure
from bench.firstday.frozen import EPSILON, at, recommend
from bench.firstday.lists import create
from bench.firstday.worlds import Dense
from bench.opponents import opponents
from bench.progress import Themes
from bench.report import at_least, at_most, print_results
from bench.shop.play import CLOCK

DAYS = 8
VISITS = 960            # per day
RUNS = 24               # calls of run() per day
LENGTH = 5
OTHERS = 'popular', 'EASE'      # every night
BEST = 'best possible'
LINES = {BEST: ('#636363', '--'), 'dlints': ('#d55e00', '-'),
         'popular': ('#9ecae1', '-'), 'EASE': ('#2171b5', '-')}
# Number and quality of the items that are added after the first day
ADDED = {'hits': (10, 3.0), 'duds': (40, -3.0)}
SETTINGS = {'clicks': 6000, 'items': 400, 'users': 300, 'base': -2.5}


def show(cursor, seeds, picture):
    """Play the days for each kind of items; return whether all bars are met."""
    cursor.execute(CLOCK)
    found = {}
    with Themes(len(ADDED) * len(seeds)) as done:
        for kind, (count, quality) in ADDED.items():
            for seed in seeds:
                done.start(f'{kind}, {seed}')
                world = Dense(seed, **SETTINGS, added=count, quality=quality)
                found[kind, seed] = Days(cursor, world, seed).play()
    print(f'\nClicks per list of {LENGTH} by day, on average; items are added on day 2\n')
    for kind in ADDED:
        for name in LINES:
            clicks = mean(found, kind, seeds, name)[0]
            print(f'{kind:<6}{name:<14}', ' '.join(f'{day:.2f}' for day in clicks))
    print()
    if picture:
        draw(picture, {name: mean(found, 'hits', seeds, name)[0] for name in LINES})
    return print_results([row for kind in ADDED for seed in seeds
                          for row in bars(kind, seed, found[kind, seed])])


def mean(found, kind, seeds, name):
    """Return clicks per list and the share of added items, by day."""
    return np.mean([found[kind, seed][name] for seed in seeds], axis=0)


def bars(kind, seed, found):
    """Return the results of one run; day 1 is the first with added items."""
    clicks, share = found['dlints']
    best, fair = found[BEST]
    first, later = f'{kind}, {seed}: share of positions, first day', share[2:].mean()
    if kind == 'duds':
        return [at_most(first, share[1], 0.06, f'{share[1]:.3f}'),
                at_most(f'{kind}, {seed}: later', later, 0.025, f'{later:.3f}')]
    earned = clicks[2:].mean() / best[2:].mean()
    return [at_least(first, share[1], round(fair[1] / 2, 2), f'{share[1]:.2f}'),
            at_least(f'{kind}, {seed}: clicks of the best lists, later', earned, 0.85,
                     f'{earned:.3f}')]


def draw(path, clicks):
    """Write a chart of clicks per list by day."""
    chart = figure.create(7, 4.2)
    axes = chart.subplots()
    figure.lines(axes, {name: (values, *LINES[name]) for name, values in clicks.items()})
    axes.set_xlabel('day')
    axes.set_ylabel(f'clicks per list of {LENGTH}')
    chart.savefig(path, dpi=110)


class Days:
    """The days of one world."""

    def __init__(self, cursor, world, seed):
        self._cursor, self._world = cursor, world
        self._random = np.random.default_rng([seed, DAYS])
        self._logs = {name: world.clicks.tolist() for name in OTHERS}
        clicked = np.zeros((world.clicks[:, 0].max() + 1, world.items))
        clicked[tuple(world.clicks.T)] = 1
        self._clicked = {name: clicked.copy() for name in OTHERS}
        self._scores = {}
        self._sums = {name: np.zeros((2, DAYS)) for name in LINES}

    def play(self):
        """Return {method: clicks per list and share of added items, by day}."""
        active = np.bincount(self._world.clicks[:, 0])
        at(self._cursor, 0)
        self._cursor.execute('SELECT setseed(0.5)')
        create(self._cursor, self._world, 'true', EPSILON)
        for day in range(DAYS):
            if day == 1:
                self._cursor.execute(
                    "INSERT INTO item SELECT i, 'k' FROM generate_series(%s, %s) i",
                    (self._world.old, self._world.items - 1))
            items = self._world.items if day else self._world.old
            for name, log in self._logs.items():
                self._scores[name] = opponents(np.array(log), items)[name]
            for visit in range(VISITS):
                at(self._cursor, day + visit / VISITS)
                if visit % (VISITS // RUNS) == 0:
                    self._cursor.execute('CALL firstday.run()')
                self._visit(day, items, int(self._random.choice(
                    len(active), p=active / active.sum())))
        self._cursor.execute('DROP SCHEMA firstday CASCADE; DROP TABLE item, click')
        return {name: sums / VISITS for name, sums in self._sums.items()}

    def _visit(self, day, items, user):
        """Show a list of each method to a user, and record its clicks."""
        chance = self._world.chance(np.full(items, user), np.arange(items))
        clicked = self._random.random(items) < chance
        decisions, shown = recommend(self._cursor, 'firstday', user, LENGTH)
        lists = {BEST: np.argsort(-chance)[:LENGTH], 'dlints': shown}
        for decision, item in zip(decisions[clicked[shown]].tolist(),
                                  shown[clicked[shown]].tolist()):
            self._cursor.execute(
                'INSERT INTO click VALUES (%s, %s, now()); SELECT firstday.reward(%s, %s)',
                (user, item, decision, item))
        explores = self._random.random() < EPSILON
        random = self._random.permutation(items)[:LENGTH]
        for name, log in self._logs.items():
            own = self._clicked[name][user]
            lists[name] = random if explores else np.argsort(
                -self._scores[name](own[:items]))[:LENGTH]
            new = lists[name][clicked[lists[name]]]
            log += [(user, item) for item in new.tolist()]
            own[new] = 1
        for name, chosen in lists.items():
            self._sums[name][:, day] += (chance[chosen].sum(),
                                         (chosen >= self._world.old).mean())
