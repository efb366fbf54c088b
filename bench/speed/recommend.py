"""Recommendations against a bare aggregate over the same table."""

import numpy as np

import server
from latency import Client
from measure import BLOCKS, ratio
from report import Result, at_most

TITLE = 'Recommend'
ITEMS = 1000
TRANSACTIONS = 3000
BAR = 1.6

SCRIPTS = {
    'empty': 'SELECT 1;',
    'aggregate': 'SELECT max(id) FROM item;',
    'join': """\
SELECT dlints_recommend(m.state, i.id, i.features)
FROM   model m, item i WHERE m.name = :model;""",
    'subquery': """\
SELECT dlints_recommend((SELECT state FROM model WHERE name = :model),
                        id, features)
FROM   item;""",
    'five': """\
SELECT dlints_recommend(m.state, i.id, i.features, 5)
FROM   model m, item i WHERE m.name = :model;"""}


def run(cursor, share, progress):
    """Return the results."""
    features = server.contexts(ITEMS, server.CONTEXT_DIM)
    server.create_items(cursor, features)
    server.create_models(
        cursor, (server.MODEL, server.CONTEXT_DIM, server.REDUCED_DIM))
    client = Client(cursor)
    runs = []
    for number in range(BLOCKS):
        runs.append(client.run(SCRIPTS, max(100, int(TRANSACTIONS * share)),
                               model=server.MODEL))
        progress.advance((number + 1) / BLOCKS)
    seconds = {name: np.concatenate([run[name] for run in runs])
               for name in SCRIPTS}

    base = seconds['aggregate']
    ratios = {name: ratio(seconds[name], base)
              for name in ('join', 'subquery', 'five')}
    return [
        at_most(f'dlints_recommend, {ITEMS} items, n = {server.CONTEXT_DIM}, '
                f'd = {server.REDUCED_DIM}, model in a subquery: times max(id)',
                ratios['subquery'].value, BAR, f'{ratios["subquery"]}'),
        Result('    FROM model, item', _with_time(ratios, seconds, 'join')),
        Result('    model in a subquery',
               _with_time(ratios, seconds, 'subquery')),
        Result('    FROM model, item; the best five',
               _with_time(ratios, seconds, 'five')),
        Result('    max(id), by sequential scan',
               f'{np.median(base) * 1e6:.0f} us'),
        Result('    SELECT 1',
               f'{np.median(seconds["empty"]) * 1e6:.0f} us')]


def _with_time(ratios, seconds, name):
    """Return a ratio and the time that it comes from."""
    return f'{ratios[name]}, {np.median(seconds[name]) * 1e6:.0f} us'
