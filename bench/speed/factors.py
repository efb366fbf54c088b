"""Item vectors from a click log.

Measured against the least that anything can do which begins with the same
rows: grouping them by user and item.
"""

from bench import machine, samples
from bench.measure import alternate, statements
from bench.report import Result, at_most

CLICKS = 1000000
CLICKS_OF_A_USER = 150
ITEMS = 6000                # for so many clicks; four times as many have twice
K = 32
ROUNDS = 5
BAR = 4

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
GROUPED = """
    SELECT count(*) FROM (SELECT count(*) FROM click
                          GROUP  BY user_id, item_id) AS pairs"""


def run(cursor, share, advance):
    """Return the results."""
    clicks = int(CLICKS * share)
    users = clicks // CLICKS_OF_A_USER
    items = int(ITEMS * share ** 0.5)
    cursor.execute(LOG, {'clicks': clicks, 'users': users, 'items': items})
    taken = _taken(cursor, FIRST_FIT)
    stated = 16 * clicks + 100 * users + (24 * (K + 10) + 100) * items
    cursor.execute("SET work_mem = '2GB'; ANALYZE click")
    tasks = {'fit': FIT.format(''), 'grouped': GROUPED,
             'refit': FIT.format(", 'TABLE item'")}
    seconds = alternate(statements(cursor, tasks),
                        ROUNDS if share <= 1 else 1, advance=advance)
    slower = seconds['fit'].min() / seconds['grouped'].min()
    return [
        at_most(f'dlints_factors, {clicks:,} clicks of {users:,} users on '
                f'{items:,} items, k = {K}: times GROUP BY user, item',
                slower, BAR),
        Result('    the two; a refit', f'{seconds["fit"].min():.2f} s against '
               f'{seconds["grouped"].min():.2f} s; '
               f'{seconds["refit"].min():.2f} s'),
        Result('    memory at its peak, and what the reference says',
               f'{taken / 1e6:.0f} and {stated / 1e6:.0f} MB'
               if taken else 'unknown')]


def _taken(cursor, statement):
    """Return the bytes that a statement takes at its peak, if they show."""
    # the table's pages are in the backend's memory already
    cursor.execute('SELECT count(*) FROM click')
    before = machine.memory(cursor)
    cursor.execute(statement)
    after = machine.memory(cursor)
    if not after:
        return None
    return after['VmHWM'] - before['VmRSS']
