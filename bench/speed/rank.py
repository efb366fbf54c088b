"""A request to a ranker: what promises add.

Prices are found anew every twenty requests, by the request that comes then, so
that what counts is the mean.
"""

import json

import numpy as np

from bench.measure import prepared
from bench.speed.bars import Bar

RANKERS = {'plain': {}, 'promise': {'usd': {'most': 0.5}},
           'hard': {'usd': {'most': 0.5, 'hard': True}}}
BEFORE = 600        # requests
ACTIONS = json.dumps([{'id': f'a{n}', 'usd': n / 4} for n in range(5)])
ASK = """
    SELECT count(*)
    FROM   {name}.rank(NULL, jsonb_build_object('hour', floor(24 * random())),
                       '{actions}')"""
TIMES_PROMISE, TIMES_HARD = 2.5, 4
ROUNDS = 300


def run(theme):
    """Compare rankers with promises and one without."""
    tasks = {}
    for name, promises in RANKERS.items():
        theme.cursor.execute(
            "SELECT dlints_create_ranker(%s, wait => '0', promises => %s)",
            (name, json.dumps(promises)))
        tasks[name] = ASK.format(name=name, actions=ACTIONS)
    tasks = prepared(theme.cursor, tasks)
    for task in tasks.values():
        for _ in range(BEFORE):
            task()
    theme.compare(
        tasks,
        [Bar('a request with a promise: times without', 'promise', 'plain',
             TIMES_PROMISE),
         Bar('with a hard one', 'hard', 'plain', TIMES_HARD)],
        ROUNDS, typical=np.mean)
