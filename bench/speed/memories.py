"""What three memories cost, the default, against the paper's one.

Also shown: against one memory that is otherwise the default, with an
intercept and an estimated noise.
"""

import numpy as np

from bench import samples
from bench.measure import BLOCKS, alternate, against, ratio, statements
from bench.report import Result, at_most
from bench.speed.latency import Client

ITEMS = 1000
ROWS = 100000
TRANSACTIONS = 3000
ROUNDS = 40
RECOMMEND_BAR = 1.1
LEARN_BAR = 1.5
EVIDENCE_BAR = 2

MODELS = {'one': samples.PAPER, 'estimated': 'discount => 0.99',
          'three': 'discount => NULL'}

RECOMMEND = """\
SELECT dlints_recommend((SELECT state FROM model WHERE name = '{}'),
                        id, features)
FROM   item;"""
LEARN = """\
UPDATE model SET state = dlints_update(
    state, (SELECT features FROM item WHERE id = :item), 1)
WHERE  name = '{}';"""
EVIDENCE = """
    SELECT dlints_evidence((SELECT state FROM model WHERE name = '{}'),
                           features, reward) IS NOT NULL
    FROM   feedback"""


def run(cursor, share, advance):
    """Return the results."""
    rows = max(10000, int(ROWS * share))
    samples.create_items(cursor, samples.random_features(ITEMS, samples.DIM),
                         key='PRIMARY KEY')
    samples.create_models(cursor, *(
        (name, samples.DIM, samples.REDUCED_DIM, parameters)
        for name, parameters in MODELS.items()))
    samples.create_feedback(cursor,
                            samples.random_features(rows, samples.DIM))
    samples.keep_in_memory(cursor, 'feedback')
    transactions = max(100, int(TRANSACTIONS * share))
    client = Client(cursor)
    recommend = client.run(_forms(RECOMMEND), transactions)
    advance(0.3)
    learn = client.run(_forms(LEARN), transactions, before='VACUUM model',
                       item=ITEMS // 2)
    advance(0.6)
    evidence = alternate(statements(cursor, _forms(EVIDENCE)),
                         max(BLOCKS, int(ROUNDS * share)))
    advance(1)
    shape = f'n = {samples.DIM}, d = {samples.REDUCED_DIM}'
    return [
        *_compare(f'dlints_recommend, {ITEMS} items, {shape}, three memories',
                  recommend, RECOMMEND_BAR),
        *_compare('dlints_update, three memories', learn, LEARN_BAR),
        *_compare(f'dlints_evidence, {rows:,} rows, three memories', evidence,
                  EVIDENCE_BAR, np.min)]


def _forms(statement):
    """Return a statement for each of the models."""
    return {name: statement.format(name) for name in MODELS}


def _compare(what, seconds, bar, typical=np.median):
    """Return the results of one kind of work."""
    main, other = (ratio(seconds['three'], seconds[name], typical)
                   for name in ('one', 'estimated'))
    return [
        at_most(f'{what}: times one memory', main.value, bar, f'{main}'),
        Result('    the two', against(seconds, 'three', 'one')),
        Result('    times one memory with intercept and estimated noise',
               f'{other}, {against(seconds, "three", "estimated")}')]
