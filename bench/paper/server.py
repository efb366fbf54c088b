"""The connection, and the tables of a data set."""

import io
from contextlib import contextmanager

import numpy as np
import psycopg2

import statements
from errors import UserError
from factors import unit_rows


@contextmanager
def connect():
    """Connect as libpq's environment says; errors become a UserError."""
    connection = None
    try:
        connection = psycopg2.connect('')
        connection.autocommit = True
        cursor = connection.cursor()
        cursor.execute(statements.SET_UP)
        yield cursor
        cursor.execute(f'DROP SCHEMA {statements.SCHEMA} CASCADE')
    except psycopg2.Error as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise UserError(f'PostgreSQL: {reason}') from None
    finally:
        if connection:
            connection.close()


def load(cursor, data):
    """Make the tables anew and load a data set."""
    cursor.execute('DROP TABLE IF EXISTS arm, arm_latent, visitor, place, '
                   'model, tally; ' + statements.TABLES)
    user_dim = data.user_features.shape[1]
    padded = np.pad(data.item_features, ((0, 0), (0, user_dim)))
    _copy(cursor, 'arm', map(_array, padded))
    _copy(cursor, 'arm_latent', map(_array, data.item_features))
    _copy(cursor, 'visitor', (
        f'{_array(features)}\t{_array(shared)}\t\\\\x{clicks.tobytes().hex()}'
        for features, shared, clicks
        in zip(data.user_features, unit_rows(data.user_features),
               data.clicks)))
    cursor.execute('INSERT INTO place SELECT id FROM arm')
    cursor.execute(statements.ANALYZE)


def _copy(cursor, table, rows):
    """Load rows, numbered from 0, through COPY's text format."""
    text = ''.join(f'{number}\t{row}\n' for number, row in enumerate(rows))
    cursor.copy_expert(f'COPY {table} FROM STDIN', io.StringIO(text))


def _array(values):
    """Return numbers as PostgreSQL writes an array of them."""
    return '{' + ','.join(map(str, values.tolist())) + '}'
