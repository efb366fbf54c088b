"""What lists are made of that promised shares, and what they earn.

Visitors like some kinds of items, and items of the shop's own, which are to be
few; new ones, of which so many are to be shown, are liked less; and what is
often clicked is often returned, a hundred lists later, some kinds more so. In the midst of it own
items become dearer to all. Nothing is known at the beginning.
"""

import json

import numpy as np

from bench.judge.simulated import SEED
from bench.report import Result, at_least, at_most

LISTS, LEAST_LISTS, K, RUN, REFRESH, LATER = 2000, 1000, 10, 50, 250, 100
ITEMS, KINDS, PEOPLE = 400, 12, 200
OWN, NEW, RETURNS = 0.3, 0.1, 0.02
HALF_A_POINT, A_TENTH = 0.005, 0.1
DRIFT = 0.06
PROMISES = {'own': {'of': 'i.own', 'most': OWN},
            'new': {'of': 'i.is_new', 'least': NEW},
            'returns': {'outcome': 'return', 'most': RETURNS}}
OUTCOMES = {'click': 1, 'return': 0}
ASK = 'SELECT min(decision), array_agg(item) FROM shares.recommend(%s, %s)'
TELL = 'SELECT shares.reward(%s, unnest(%s::integer[]), %s)'


def results(cursor, share, advance):
    """Return how much of each share there was, and what lists earned."""
    random = np.random.default_rng(SEED)
    lists = max(round(share * LISTS), LEAST_LISTS)
    shop = World(random)
    shop.set_up(cursor)
    shown = shop.play(cursor, random, lists, advance)
    cursor.execute('DROP SCHEMA shares CASCADE; DROP TABLE share_item')
    own, new, returns, earned = shown.T
    late = returns[lists // 2:].mean()
    name = f'shares of {lists:,} lists'
    return [
        at_most(f'{name}: at most {OWN:g}', own.mean(), OWN + HALF_A_POINT,
                f'{own.mean():.4f}'),
        at_least(f'    at least {NEW:g}', new.mean(), NEW - HALF_A_POINT,
                 f'{new.mean():.4f}'),
        at_most(f'    returns of at most {RETURNS:g}, in the second half', late,
                RETURNS * (1 + A_TENTH), f'{late:.4f}'),
        Result('    a list earned', f'{earned.mean():.4f}')]


class World:
    """Items and people, and what is clicked."""

    def __init__(self, random):
        self.kind = np.arange(ITEMS) % KINDS
        self.own = random.random(ITEMS) < 0.35
        self.new = np.arange(ITEMS) * 7 % 60 < 7
        quality = random.random(ITEMS) * 0.06
        self.returns = (np.where(self.kind % 3, 0.01, 0.06) + quality * 0.2) * np.exp(
            0.4 * random.standard_normal(ITEMS))
        self.quality = quality + 0.03 * self.own - 0.02 * self.new
        self.taste = np.where(random.random((PEOPLE, KINDS)) < 0.2, 0.25,
                              0.02 + 0.05 * random.random((PEOPLE, KINDS)))

    def set_up(self, cursor):
        """Make the items and a recommender of them."""
        cursor.execute("""
            CREATE TABLE share_item (id integer PRIMARY KEY, kind text, own boolean,
                                     is_new boolean, quality float8)""")
        cursor.executemany(
            'INSERT INTO share_item VALUES (%s, %s, %s, %s, %s)',
            [(i, f'k{self.kind[i]}', bool(self.own[i]), bool(self.new[i]),
              float(self.quality[i])) for i in range(ITEMS)])
        cursor.execute("""
            SELECT dlints_create_recommender(
                'shares', 'share_item', '{kind,own,is_new,quality}', wait => '0',
                control => 0, factors => 0, outcomes => %s, promises => %s)""",
                       (json.dumps(OUTCOMES), json.dumps(PROMISES)))

    def play(self, cursor, random, lists, advance):
        """Return what places cost of each promise, and what was clicked."""
        shown, returned = [], []
        for n in range(lists):
            person = int(random.integers(PEOPLE))
            cursor.execute(ASK, (person, K))
            decision, items = cursor.fetchone()
            items = np.array(items)
            clicked = (self.taste[person, self.kind[items]] + self.quality[items]
                       + DRIFT * self.own[items] * (2 * n > lists))
            shown.append((self.own[items].mean(), self.new[items].mean(),
                          self.returns[items].mean(), clicked.sum()))
            returned.append((decision, items[random.random(K) < self.returns[items]],
                             'return'))
            tell(cursor, decision, items[random.random(K) < clicked], 'click')
            if n >= LATER:
                tell(cursor, *returned[n - LATER])
            if n % REFRESH == REFRESH - 1:
                cursor.execute('SELECT shares.refresh()')
            if n % RUN == RUN - 1:
                cursor.execute('SELECT shares.run()')
                advance((n + 1) / lists)
        return np.array(shown)


def tell(cursor, decision, items, outcome):
    """Say what came of some items."""
    cursor.execute(TELL, (decision, [int(item) for item in items], outcome))
