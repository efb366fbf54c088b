"""The server: a session with an empty schema, and rows for its tables."""

import io
from contextlib import closing, contextmanager

import numpy as np
import psycopg2
from psycopg2.extensions import Float, register_adapter

SCHEMA = 'dlints_bench'
SETTINGS = {'client_min_messages': 'warning',
            'search_path': f'{SCHEMA}, public',
            'max_parallel_workers_per_gather': '0'}
ESCAPES = str.maketrans({'\\': r'\\', '\t': r'\t', '\n': r'\n', '\r': r'\r'})

# Since numpy 2, repr() of a number is not valid SQL.
register_adapter(np.float64, lambda number: Float(float(number)))


@contextmanager
def session(**settings):
    """Connect as libpq's environment says."""
    with closing(psycopg2.connect('')) as connection:
        connection.autocommit = True
        cursor = connection.cursor()
        for setting in {**SETTINGS, **settings}.items():
            cursor.execute('SELECT set_config(%s, %s, false)', setting)
        yield cursor


@contextmanager
def connect(**settings):
    """Open a session and work in an empty schema."""
    with session(**settings) as cursor:
        cursor.execute(f"""
            DROP SCHEMA IF EXISTS {SCHEMA} CASCADE;
            CREATE EXTENSION IF NOT EXISTS dlints;
            CREATE SCHEMA {SCHEMA}""")
        try:
            yield cursor
        finally:
            cursor.execute(f'DROP SCHEMA IF EXISTS {SCHEMA} CASCADE')


def value(cursor, statement, **parameters):
    """Return the only value of a statement's result."""
    cursor.execute(statement, parameters)
    return cursor.fetchone()[0]


def written(cursor):
    """Return the bytes of write-ahead log until now."""
    return float(value(cursor, "SELECT pg_current_wal_insert_lsn() - '0/0'"))


def checkpoint(cursor):
    """Return where the last checkpoint began."""
    return value(cursor, 'SELECT redo_lsn::text FROM pg_control_checkpoint()')


def copy(cursor, target, rows):
    """Load rows of values into a table; lists become arrays."""
    text = ''.join('\t'.join(map(_field, row)) + '\n' for row in rows)
    cursor.copy_expert(f'COPY {target} FROM STDIN', io.StringIO(text))


def _field(field):
    """Return a value as a field of COPY's text format."""
    if isinstance(field, bytes):
        field = rf'\x{field.hex()}'
    elif isinstance(field, (list, np.ndarray)):
        elements = field if isinstance(field, list) else field.tolist()
        field = '{' + ','.join(map(_element, elements)) + '}'
    return str(field).translate(ESCAPES)


def _element(element):
    """Return one element of an array, quoted if it is a text."""
    if not isinstance(element, str):
        return str(element)
    quoted = element.replace('\\', r'\\').replace('"', r'\"')
    return f'"{quoted}"'
