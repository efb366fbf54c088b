"""A request to a ranker, with and without constraints.

Every twentieth request computes prices again, so the mean is compared.
"""

import json

import numpy as np

from bench.measure import prepared
from bench.speed.bars import Bar

RANKERS = {'plain': {}, 'bounded': {'usd': {'max': 0.5}},
           'hard': {'usd': {'max': 0.5, 'hard': True}}}
WARM_UP = 600       # requests
ACTIONS = json.dumps([{'id': f'a{n}', 'usd': n / 4} for n in range(5)])
RANK = """
    SELECT count(*)
    FROM   {name}.rank(NULL, jsonb_build_object('hour', floor(24 * random())),
                       '{actions}')"""
TIMES_CONSTRAINT, TIMES_HARD = 2.5, 4
ROUNDS = 300


def run(theme):
    """Compare rankers with a constraint and one without."""
    tasks = {}
    for name, constraints in RANKERS.items():
        theme.cursor.execute(
            "SELECT dlints_create_ranker(%s, attribution_window => '0', "
            'constraints => %s)', (name, json.dumps(constraints)))
        tasks[name] = RANK.format(name=name, actions=ACTIONS)
    tasks = prepared(theme.cursor, tasks)
    for task in tasks.values():
        for _ in range(WARM_UP):
            task()
    theme.compare(
        tasks,
        [Bar('a request with a constraint: times without', 'bounded',
             'plain', TIMES_CONSTRAINT),
         Bar('    with a hard constraint', 'hard', 'plain', TIMES_HARD)],
        ROUNDS, typical=np.mean)
