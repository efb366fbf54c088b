"""The server under test: connection, tables and models."""

import io
import json
from contextlib import contextmanager

import numpy as np
import psycopg2

SCHEMA = 'dlints_bench'
PATH = f'{SCHEMA}, public'
MODEL = 'home'
CONTEXT_DIM = 120
REDUCED_DIM = 24

# Nothing but the statements of the benchmark may touch the tables.
QUIET = ('autovacuum_enabled = false', 'toast.autovacuum_enabled = false')

MODELS = f"""
    CREATE TABLE model (name text PRIMARY KEY, state dlints NOT NULL)
    WITH ({', '.join(QUIET)})"""

NEW_MODEL = """
    WITH fresh AS (SELECT dlints_new(context_dim => %(context_dim)s,
                                     reduced_dim => %(reduced_dim)s) AS state)
    INSERT INTO model
    SELECT %(name)s, state || (SELECT dlints_evidence(state, features, reward)
                               FROM   feedback)
    FROM   fresh"""

COPY_SIGNATURE = b'PGCOPY\n\xff\r\n\0' + bytes(8)
COPY_END = b'\xff\xff'
FLOAT4_OID = 700


@contextmanager
def connect():
    """Connect as libpq's environment says and work in an empty schema."""
    connection = psycopg2.connect('')
    connection.autocommit = True
    try:
        cursor = connection.cursor()
        cursor.execute(f"""
            SET client_min_messages = warning;
            CREATE EXTENSION IF NOT EXISTS dlints;
            DROP SCHEMA IF EXISTS {SCHEMA} CASCADE;
            CREATE SCHEMA {SCHEMA};
            SET search_path = {PATH};
            SET max_parallel_workers_per_gather = 0""")
        try:
            yield cursor
        finally:
            cursor.execute(f'DROP SCHEMA IF EXISTS {SCHEMA} CASCADE')
    finally:
        connection.close()


def value(cursor, statement, **parameters):
    """Return the only value of a statement's result."""
    cursor.execute(statement, parameters)
    return cursor.fetchone()[0]


def contexts(rows, context_dim, seed=1):
    """Return random contexts of about unit length."""
    generator = np.random.default_rng(seed)
    scale = 1 / np.sqrt(context_dim)
    return generator.normal(0, scale, (rows, context_dim)).astype(np.float32)


def rewards(features, seed=2):
    """Return rewards that are linear in the contexts, plus noise."""
    generator = np.random.default_rng(seed)
    parameter = generator.normal(size=features.shape[1])
    return features @ parameter + generator.normal(0, 0.3, len(features))


def create_items(cursor, features, table='item', key=''):
    """Create a table of items."""
    cursor.execute(f"""
        CREATE TABLE {table} (id integer NOT NULL {key},
                              features real[] NOT NULL,
                              in_stock boolean NOT NULL)""")
    rows = len(features)
    _copy(cursor, table, np.arange(1, rows + 1, dtype='>i4'), features,
          np.ones(rows, dtype='?'))
    cursor.execute(f'VACUUM ANALYZE {table}')


def create_visitors(cursor, features):
    """Create a table of visitors."""
    cursor.execute("""
        CREATE TABLE visitor (id integer PRIMARY KEY,
                              features real[] NOT NULL)""")
    _copy(cursor, 'visitor', np.arange(1, len(features) + 1, dtype='>i4'),
          features)
    cursor.execute('VACUUM ANALYZE visitor')


def create_feedback(cursor, features):
    """Create a table of contexts with their rewards."""
    cursor.execute("""
        CREATE TABLE feedback (id integer NOT NULL, reward float8 NOT NULL,
                               features real[] NOT NULL)""")
    _copy(cursor, 'feedback', np.arange(1, len(features) + 1, dtype='>i4'),
          rewards(features).astype('>f8'), features)
    cursor.execute('VACUUM ANALYZE feedback')


def create_personal_feedback(cursor, features, shareds):
    """Create a table of contexts, shared contexts and rewards."""
    cursor.execute("""
        CREATE TABLE feedback (id integer NOT NULL, reward float8 NOT NULL,
                               features real[] NOT NULL,
                               shared real[] NOT NULL)""")
    _copy(cursor, 'feedback', np.arange(1, len(features) + 1, dtype='>i4'),
          rewards(features).astype('>f8'), features, shareds)
    cursor.execute('VACUUM ANALYZE feedback')


def create_models(cursor, *sizes):
    """Create a table of models, each trained on 1000 rows of feedback.

    Sizes are tuples of name, context_dim and reduced_dim.
    """
    cursor.execute(MODELS)
    for name, context_dim, reduced_dim in sizes:
        create_feedback(cursor, contexts(1000, context_dim, seed=3))
        cursor.execute(NEW_MODEL, {'name': name, 'context_dim': context_dim,
                                   'reduced_dim': reduced_dim})
        cursor.execute('DROP TABLE feedback')
    cursor.execute('VACUUM ANALYZE model')


def _copy(cursor, table, *columns):
    """Load columns into a table through COPY's binary format."""
    parts = [('fields', '>i2')]
    for number, column in enumerate(columns):
        parts.append((f'size{number}', '>i4'))
        parts.append((f'value{number}', _copied_type(column)))
    rows = np.zeros(len(columns[0]), parts)
    rows['fields'] = len(columns)
    for number, column in enumerate(columns):
        field = rows[f'value{number}']
        rows[f'size{number}'] = field.dtype.itemsize
        if column.ndim == 2:
            field['head'] = 1, 0, FLOAT4_OID, column.shape[1], 1
            field['elements']['size'] = 4
            field['elements']['value'] = column
        else:
            rows[f'value{number}'] = column
    cursor.copy_expert(
        f'COPY {table} FROM STDIN (FORMAT binary)',
        io.BytesIO(COPY_SIGNATURE + rows.tobytes() + COPY_END))


def _copied_type(column):
    """Return the numpy type of a field in COPY's binary format."""
    if column.ndim == 1:
        return column.dtype
    element = np.dtype([('size', '>i4'), ('value', '>f4')])
    return np.dtype([('head', '>i4', 5),
                     ('elements', element, column.shape[1])])


def keep_in_memory(cursor, table):
    """Bring a whole table into shared buffers.

    A sequential scan of a large table would not leave it there; one through
    an index does.
    """
    cursor.execute(f"""
        CREATE INDEX ON {table} (id);
        SET enable_seqscan = off;
        SET enable_bitmapscan = off;
        SELECT count(features) FROM {table} WHERE id > 0;
        RESET enable_seqscan;
        RESET enable_bitmapscan""")


def pages_read(cursor, statement):
    """Return how many pages a statement finds outside of shared buffers."""
    plan = value(cursor,
                 f'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}')
    plan = json.loads(plan) if isinstance(plan, str) else plan
    return plan[0]['Plan']['Shared Read Blocks']
