"""Costs of loading the library for a new session and for parallel workers.

Each process loads the library and BLAS at its first call, unless
shared_preload_libraries contains dlints. Run this program with and without it
to compare.
"""

from contextlib import closing

import psycopg2

from bench.measure import statements
from bench.server import value
from bench.speed import shapes
from bench.speed.bars import Bar

ITEMS = 100000
ROUNDS = 40
WORKERS = 2
SHAPE = shapes.SHAPE

FIRST = {'empty': 'SELECT 1',
         'call': f'SELECT dlints_draw(dlints_new({SHAPE.arguments}))'}
TOP = f"""
    SET max_parallel_workers_per_gather = {{}};
    SELECT id
    FROM   {SHAPE.items}
    ORDER  BY dlints_dot((SELECT dlints_draw_weights(state)
                          FROM   model), features) DESC
    LIMIT  10"""
PARALLEL = {'serial': TOP.format(0), 'parallel': TOP.format(WORKERS)}


def run(theme):
    """Compare sessions, and scans with and without workers."""
    preloaded = value(theme.cursor, 'SHOW shared_preload_libraries')
    theme.compare_programs(
        {name: lambda statement=statement: _session(statement)
         for name, statement in FIRST.items()},
        [Bar(f'preloaded: {preloaded or "nothing"}; a session of one call: '
             'times SELECT 1', 'call', 'empty')], ROUNDS)
    shapes.create_models(theme.cursor, [SHAPE])
    shapes.create_items(theme.cursor, [SHAPE], ITEMS)
    theme.compare_programs(
        statements(theme.cursor, PARALLEL),
        [Bar(f'    the best ten of {ITEMS:,} rows, {WORKERS} workers: times '
             'one process', 'parallel', 'serial')], ROUNDS)


def _session(statement):
    """Connect, execute a statement, and disconnect."""
    with closing(psycopg2.connect('')) as connection:
        connection.cursor().execute(statement)
