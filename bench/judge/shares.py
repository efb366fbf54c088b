"""Constraints of lists: simulated shares of items, and rewards.

Users like some kinds of items, and the shop's own items, which have a maximal
share. They like new items less, which have a minimal share. Often clicked items
are often returned, a hundred lists later, and returns have a maximal rate. Halfway,
the preference for own items grows. There is no click log.
"""

import json

import numpy as np

from bench.judge.simulated import SEED
from bench.report import Result, at_least, at_most

LISTS, LEAST_LISTS, K, RUN, REFRESH, LATER = 2000, 1000, 10, 50, 250, 100
ITEMS, KINDS, USERS = 400, 12, 200
OWN, NEW, RETURNS = 0.3, 0.1, 0.02
TOLERANCE, RETURN_TOLERANCE = 0.005, 0.1    # tolerances, absolute and relative
DRIFT = 0.06
CONSTRAINTS = {'own': {'of': 'i.own', 'max': OWN},
               'new': {'of': 'i.is_new', 'min': NEW},
               'returns': {'outcome': 'return', 'max': RETURNS}}
OUTCOMES = {'click': 1, 'return': 0}
RECOMMEND = 'SELECT min(decision), array_agg(item) FROM shares.recommend(%s, %s)'
REWARD = 'SELECT shares.reward(%s, unnest(%s::integer[]), %s)'


def results(cursor, share, advance):
    """Return the mean of each constraint, and the average reward."""
    random = np.random.default_rng(SEED)
    lists = max(round(share * LISTS), LEAST_LISTS)
    shop = World(random)
    shop.set_up(cursor)
    shown = shop.play(cursor, random, lists, advance)
    cursor.execute('DROP SCHEMA shares CASCADE; DROP TABLE share_item')
    own, new, returns, clicks = shown.T
    late = returns[lists // 2:].mean()
    name = f'shares of {lists:,} lists'
    return [
        at_most(f'{name}: at most {OWN:g}', own.mean(), OWN + TOLERANCE,
                f'{own.mean():.4f}'),
        at_least(f'    at least {NEW:g}', new.mean(), NEW - TOLERANCE,
                 f'{new.mean():.4f}'),
        at_most(f'    returns of at most {RETURNS:g}, in the second half', late,
                RETURNS * (1 + RETURN_TOLERANCE), f'{late:.4f}'),
        Result('    clicks per list', f'{clicks.mean():.4f}')]


class World:
    """Items, users and click probabilities."""

    def __init__(self, random):
        self.kind = np.arange(ITEMS) % KINDS
        self.own = random.random(ITEMS) < 0.35
        self.new = np.arange(ITEMS) * 7 % 60 < 7
        quality = random.random(ITEMS) * 0.06
        self.returns = (np.where(self.kind % 3, 0.01, 0.06) + quality * 0.2) * np.exp(
            0.4 * random.standard_normal(ITEMS))
        self.quality = quality + 0.03 * self.own - 0.02 * self.new
        self.taste = np.where(random.random((USERS, KINDS)) < 0.2, 0.25,
                              0.02 + 0.05 * random.random((USERS, KINDS)))

    def set_up(self, cursor):
        """Create the items and the recommender."""
        cursor.execute("""
            CREATE TABLE share_item (id integer PRIMARY KEY, kind text, own boolean,
                                     is_new boolean, quality float8)""")
        cursor.executemany(
            'INSERT INTO share_item VALUES (%s, %s, %s, %s, %s)',
            [(i, f'k{self.kind[i]}', bool(self.own[i]), bool(self.new[i]),
              float(self.quality[i])) for i in range(ITEMS)])
        cursor.execute("""
            SELECT dlints_create_recommender(
                'shares', 'share_item', '{kind,own,is_new,quality}',
                attribution_window => '0', control => 0, factors => 0,
                outcomes => %s, constraints => %s)""",
                       (json.dumps(OUTCOMES), json.dumps(CONSTRAINTS)))

    def play(self, cursor, random, lists, advance):
        """Return the costs per position of each constraint, and the clicks, of each list."""
        shown, returned = [], []
        for n in range(lists):
            user = int(random.integers(USERS))
            cursor.execute(RECOMMEND, (user, K))
            decision, items = cursor.fetchone()
            items = np.array(items)
            clicked = (self.taste[user, self.kind[items]] + self.quality[items]
                       + DRIFT * self.own[items] * (2 * n > lists))
            shown.append((self.own[items].mean(), self.new[items].mean(),
                          self.returns[items].mean(), clicked.sum()))
            returned.append((decision, items[random.random(K) < self.returns[items]],
                             'return'))
            report(cursor, decision, items[random.random(K) < clicked], 'click')
            if n >= LATER:
                report(cursor, *returned[n - LATER])
            if n % REFRESH == REFRESH - 1:
                cursor.execute('SELECT shares.refresh()')
            if n % RUN == RUN - 1:
                cursor.execute('CALL shares.run()')
                advance((n + 1) / lists)
        return np.array(shown)


def report(cursor, decision, items, outcome):
    """Report an outcome of some items."""
    cursor.execute(REWARD, (decision, [int(item) for item in items], outcome))
