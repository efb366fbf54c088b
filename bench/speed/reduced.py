"""Features that are reduced once and kept in a column.

Items that store dlints_project(model, features) are scored with d numbers a
candidate instead of n.
"""

from bench import samples
from bench.measure import against, ratio
from bench.report import Result, at_most
from bench.server import value
from bench.speed.latency import Client

ITEMS = 10000
DIM = 300
REDUCED_DIM = 60
TRANSACTIONS = 300
BAR = 0.6

REDUCE = f"""
    CREATE TABLE reduced_item AS
    SELECT i.id, dlints_project(m.state, i.features)::real[] AS reduced
    FROM   item i, model m WHERE m.name = '{samples.MODEL}'"""

RECOMMEND = {
    'features': """\
SELECT dlints_recommend((SELECT state FROM model WHERE name = :model),
                        id, features)
FROM   item;""",
    'reduced': """\
SELECT dlints_argmax(id, dlints_dot((SELECT dlints_draw(state) FROM model
                                     WHERE name = :model), reduced))
FROM   reduced_item;"""}
LEARN = {
    'learn': """\
UPDATE model SET state = dlints_update(
    state, (SELECT features FROM item WHERE id = :item), 1)
WHERE  name = :model;""",
    'learn reduced': """\
UPDATE model SET state = dlints_update_reduced(
    state, (SELECT reduced FROM reduced_item WHERE id = :item), 1)
WHERE  name = :model;"""}


def run(cursor, share, advance):
    """Return the results."""
    samples.create_items(cursor, samples.random_features(ITEMS, DIM),
                         key='PRIMARY KEY')
    samples.create_models(cursor, (samples.MODEL, DIM, REDUCED_DIM))
    cursor.execute(REDUCE)
    cursor.execute('ALTER TABLE reduced_item ADD PRIMARY KEY (id)')
    cursor.execute('VACUUM ANALYZE reduced_item')
    transactions = max(30, int(TRANSACTIONS * share))
    client = Client(cursor)
    seconds = {
        **client.run(RECOMMEND, transactions, advance, model=samples.MODEL),
        **client.run(LEARN, 10 * transactions, before='VACUUM model',
                     model=samples.MODEL, item=ITEMS // 2)}
    gain = ratio(seconds['reduced'], seconds['features'])
    learning = ratio(seconds['learn reduced'], seconds['learn'])
    sizes = [value(cursor, f"SELECT pg_table_size('{table}')")
             for table in ('reduced_item', 'item')]
    return [
        at_most(f'{ITEMS:,} items by features reduced to {REDUCED_DIM} numbers '
                f'in a column: times dlints_recommend over {DIM}',
                gain.value, BAR, f'{gain}'),
        Result('    dlints_argmax(id, dlints_dot(draw, reduced)), and by '
               'features', against(seconds, 'reduced', 'features')),
        Result('    the tables', ' against '.join(
            f'{size / 2 ** 20:.1f}' for size in sizes) + ' MB'),
        Result('    dlints_update_reduced: times dlints_update',
               f'{learning}, {against(seconds, "learn reduced", "learn")}')]
