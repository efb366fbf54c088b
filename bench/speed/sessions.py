"""What a new session and parallel workers pay for loading the library.

Each loads it, and BLAS with it, at its first call, unless the server's
shared_preload_libraries names dlints. To measure both is to run this twice.
"""

from contextlib import closing

import psycopg2

from bench import samples
from bench.measure import BLOCKS, against, alternate, ratio
from bench.report import Result
from bench.server import value

SESSIONS = 100
ROWS = 100000
ROUNDS = 40
WORKERS = 2

FIRST = {'empty': 'SELECT 1',
         'call': f'SELECT dlints_draw(dlints_new(120, 24, {samples.PAPER}))'}
TOP = """
    SET max_parallel_workers_per_gather = {};
    SELECT dlints_top(id, dlints_dot((SELECT dlints_draw_weights(state)
                                      FROM   model), features), 10)
    FROM   feedback"""
PARALLEL = {'serial': TOP.format(0), 'parallel': TOP.format(WORKERS)}


def run(cursor, share, advance):
    """Return the results."""
    rows = max(10000, int(ROWS * share))
    preloaded = value(cursor, 'SHOW shared_preload_libraries') or 'nothing'
    samples.create_model(cursor)
    samples.create_feedback(cursor,
                            samples.random_features(rows, samples.DIM))
    seconds = {
        **alternate({name: lambda statement=statement: _session(statement)
                     for name, statement in FIRST.items()},
                    max(BLOCKS, int(SESSIONS * share))),
        **alternate({name: lambda statement=statement:
                     cursor.execute(statement)
                     for name, statement in PARALLEL.items()},
                    max(BLOCKS, int(ROUNDS * share)), advance=advance)}
    return [
        Result(f'preloaded: {preloaded}; a session of one dlints call: times '
               'one of SELECT 1', f'{ratio(seconds["call"], seconds["empty"])}'
               f', {against(seconds, "call", "empty")}'),
        Result(f'    dlints_top over {rows:,} rows, {WORKERS} workers: times '
               'one process',
               f'{ratio(seconds["parallel"], seconds["serial"])}, '
               f'{against(seconds, "parallel", "serial")}')]


def _session(statement):
    """Connect, execute a statement, and leave."""
    with closing(psycopg2.connect('')) as connection:
        connection.cursor().execute(statement)
