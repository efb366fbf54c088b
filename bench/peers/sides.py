"""What is compared: each side chooses items and learns from rewards.

Items are known by their number, from 0.
"""

import inspect
from pathlib import Path

from bench import reference, samples
from bench.server import value

PREPARE = """
    PREPARE recommend AS
    SELECT dlints_recommend((SELECT state FROM model), id, features) - 1
    FROM   item WHERE in_stock;

    PREPARE learn (integer, float8) AS
    UPDATE model m SET state = dlints_update(m.state, i.features, $2)
    FROM   item i WHERE i.id = $1 + 1"""
PLPYTHON = Path(__file__).with_name('plpython.sql')
# name: the functions that choose and learn, of plpython.sql
FUNCTIONS = {'PL/Python, session memory': ('memory_choose', 'memory_learn'),
             'PL/Python, row': ('row_choose', 'row_learn'),
             'PL/Python, row and WHERE': ('filtered_choose', 'row_learn')}


def create(cursor, features, sizes):
    """Return {name: (choose, learn)} over items in a table, dlints first."""
    samples.create_models(cursor, (samples.MODEL, *sizes))
    cursor.execute(PREPARE)
    loop = reference.CarefulRule(features.astype(float), sizes[1])
    found = {'dlints': _prepared(cursor, 'recommend', 'learn'),
             'numpy loop': (loop.choose, loop.learn)}
    if value(cursor, "SELECT count(*) FROM pg_available_extensions "
             "WHERE name = 'plpython3u'"):
        cursor.execute(PLPYTHON.read_text(encoding='utf-8'))
        cursor.execute('SELECT open_peer(%s, %s)',
                       (sizes[1], inspect.getsource(reference)))
        found |= {name: _prepared(cursor, *functions)
                  for name, functions in FUNCTIONS.items()}
    return found


def _prepared(cursor, choose, learn):
    """Return (choose, learn) by prepared statements, each a transaction."""
    return (lambda: value(cursor, f'EXECUTE {choose}'),
            lambda choice, reward: cursor.execute(
                f'EXECUTE {learn} ({choice}, {reward})'))
