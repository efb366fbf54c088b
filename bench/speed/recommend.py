"""Recommendations against a bare aggregate over the same table.

With the model in FROM, PostgreSQL joins it with each item: that form is also
measured against a bare aggregate over the same join.
"""

from bench import samples
from bench.measure import median, ratio
from bench.report import Result, at_most
from bench.speed.latency import Client

ITEMS = 1000
TRANSACTIONS = 3000
BAR = 1.6

SCRIPTS = {
    'empty': 'SELECT 1;',
    'aggregate': 'SELECT max(id) FROM item;',
    'aggregate of a join': """\
SELECT max(i.id) FROM model m, item i WHERE m.name = :model;""",
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


def run(cursor, share, advance):
    """Return the results."""
    samples.create_items(cursor, samples.random_features(ITEMS, samples.DIM))
    samples.create_model(cursor)
    seconds = Client(cursor).run(
        SCRIPTS, max(100, int(TRANSACTIONS * share)), advance,
        model=samples.MODEL)
    base = seconds['aggregate']
    ratios = {name: ratio(seconds[name], base)
              for name in ('join', 'subquery', 'five', 'aggregate of a join')}
    joined = ratio(seconds['join'], seconds['aggregate of a join'])
    return [
        at_most(f'dlints_recommend, {ITEMS} items, n = {samples.DIM}, '
                f'd = {samples.REDUCED_DIM}, model in a subquery: times max(id)',
                ratios['subquery'].value, BAR, f'{ratios["subquery"]}'),
        at_most('    FROM model, item: times max(id) over the same join',
                joined.value, BAR, f'{joined}'),
        Result('    the two, times max(id)',
               f'{_with_time(ratios, seconds, "join")}; '
               f'{_with_time(ratios, seconds, "aggregate of a join")}'),
        Result('    model in a subquery',
               _with_time(ratios, seconds, 'subquery')),
        Result('    FROM model, item; the best five',
               _with_time(ratios, seconds, 'five')),
        Result('    max(id), by sequential scan', median(base)),
        Result('    SELECT 1', median(seconds['empty']))]


def _with_time(ratios, seconds, name):
    """Return a ratio and the time that it comes from."""
    return f'{ratios[name]}, {median(seconds[name])}'
