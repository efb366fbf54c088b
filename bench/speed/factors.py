"""Item vectors from a click log.

The comparison is a grouping of the same rows by user and item, the minimum
work.
"""

import numpy as np

from bench import machine, samples
from bench.measure import statements
from bench.speed.bars import Bar

CLICKS = 1000000
CLICKS_OF_A_USER = 150
ITEMS = 6000                # for CLICKS clicks; twice as many items for four times as many
K = 32
ROUNDS = 10
MOST = 4

LOG = f"""
    CREATE TABLE click WITH {samples.QUIET} AS
    SELECT (%(users)s * random() ^ 2)::integer AS user_id,
           (%(items)s * random() ^ 3)::integer AS item_id
    FROM   generate_series(1, %(clicks)s)"""
FIT = f"""
    SELECT count(*)
    FROM   dlints_factors('SELECT user_id, item_id FROM click', {K}{{}})
           AS f (item_id integer, features real[])"""
FIRST_FIT = FIT.format('').replace('SELECT count(*)', """
    CREATE TABLE item AS SELECT *""")
TASKS = {'fit': FIT.format(''), 'refit': FIT.format(", 'TABLE item'"),
         'grouped': """
             SELECT count(*) FROM (SELECT count(*) FROM click
                                   GROUP  BY user_id, item_id) AS pairs"""}


def run(theme):
    """Compare a fit with the grouping."""
    clicks = int(CLICKS * theme.share)
    users = clicks // CLICKS_OF_A_USER
    items = int(ITEMS * theme.share ** 0.5)
    theme.cursor.execute(LOG, {'clicks': clicks, 'users': users,
                               'items': items})
    taken = _taken(theme.cursor, FIRST_FIT)
    stated = 16 * clicks + 100 * users + (24 * (K + 10) + 100) * items
    theme.cursor.execute("SET work_mem = '2GB'; ANALYZE click")
    theme.compare(
        statements(theme.cursor, TASKS),
        [Bar(f'dlints_factors, {clicks:,} clicks, {items:,} items, k = {K}: '
             'times GROUP BY', 'fit', 'grouped', MOST),
         Bar('    a refit', 'refit', 'grouped')],
        ROUNDS / theme.share, np.min)
    theme.tell('    memory at its peak; by the reference',
               f'{taken / 1e6:.0f} and {stated / 1e6:.0f} MB'
               if taken else 'unknown')


def _taken(cursor, statement):
    """Return the peak memory of a statement in bytes, if it is measurable."""
    # the table is already in the backend's memory
    cursor.execute('SELECT count(*) FROM click')
    before = machine.memory(cursor)
    cursor.execute(statement)
    after = machine.memory(cursor)
    if not after:
        return None
    return after['VmHWM'] - before['VmRSS']
