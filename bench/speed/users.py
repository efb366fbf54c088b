"""The best ten items for each of many users, in one statement.

The floor is a join of as many users with the same items under a built-in
aggregate. The comparison with numpy has all numbers and the users' vectors in
memory.
"""

import numpy as np

from bench import samples
from bench.measure import statements
from bench.speed import shapes
from bench.speed.bars import Bar

USERS = 10000
ITEMS = 1000
BEST = 10
ROUNDS = 10
MOST = 2
SHAPE = shapes.MATCHED

TASKS = {
    'floor': f'SELECT max(i.id) FROM {SHAPE.visitors} u, {SHAPE.items} i',
    'decide': f"""
        SELECT count(d.item)
        FROM   model m, {SHAPE.visitors} u,
               (SELECT array_agg(id) AS ids, array_agg(features) AS features
                FROM   {SHAPE.items}) c,
               LATERAL dlints_decide(m.state, c.ids, c.features, k => {BEST},
                                     profile => u.features, draws => 1) d
        WHERE  m.name = '{SHAPE.title}'""",
    'recommend': f"""
        SELECT count(best)
        FROM  (SELECT dlints_recommend({SHAPE.state}, i.id, i.features, {BEST},
                                       u.features) AS best
               FROM   {SHAPE.visitors} u, {SHAPE.items} i
               GROUP  BY u.id) each"""
}


def run(theme):
    """Compare decisions for all users."""
    users = int(USERS * min(theme.share, 1))
    shapes.create_models(theme.cursor, [SHAPE])
    shapes.create_items(theme.cursor, [SHAPE], ITEMS, users)
    what = f'{users:,} users, {ITEMS:,} items, the best {BEST}, {SHAPE.title}'
    theme.compare(
        statements(theme.cursor, TASKS),
        [Bar(f'{what}: times max(id)', 'decide',
             'floor', MOST),
         Bar('    by dlints_recommend ... GROUP BY user', 'recommend',
             'floor')],
        ROUNDS)
    theme.compare_programs(
        {'numpy': _in_numpy(users),
         **statements(theme.cursor, {'floor': TASKS['floor']})},
        [Bar('    by numpy', 'numpy', 'floor')], ROUNDS)


def _in_numpy(users):
    """Return a function that scores all items for all users and ranks the
    best.
    """
    items = samples.random_features(ITEMS, SHAPE.dim)
    vectors = samples.random_features(users, SHAPE.dim, seed=4)
    return lambda: np.argpartition(-(vectors @ items.T), BEST)[:, :BEST]
