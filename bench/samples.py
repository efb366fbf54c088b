"""Made-up items, visitors, rewards and models, as tables."""

import io
import json

import numpy as np

from bench.server import value

MODEL = 'home'
DIM = 120
REDUCED_DIM = 24

# Only the statements of the benchmark may access the tables.
QUIET = '(autovacuum_enabled = false, toast.autovacuum_enabled = false)'

MODELS = f"""
    CREATE TABLE model (name text PRIMARY KEY, state dlints NOT NULL)
    WITH {QUIET}"""

# The algorithm of the paper: one memory, rewards without centering
PAPER = ('discount => 0.99, ridge => 1, exploration => 0.1, noise => 1, '
         'intercept => false')

NEW_MODEL = f"""
    WITH fresh AS (SELECT dlints_new(%(dim)s, %(reduced_dim)s,
                                     {PAPER}) AS state)
    INSERT INTO model
    SELECT %(name)s, state || (SELECT dlints_evidence(state, features, reward)
                               FROM   feedback)
    FROM   fresh"""

COPY_SIGNATURE = b'PGCOPY\n\xff\r\n\0' + bytes(8)
COPY_END = b'\xff\xff'
FLOAT4_OID = 700
SENT = {'integer': '>i4', 'float8': '>f8', 'boolean': '?', 'real[]': '>f4'}


def random_features(rows, dim, seed=1):
    """Return random features of about unit length."""
    generator = np.random.default_rng(seed)
    scale = 1 / np.sqrt(dim)
    return generator.normal(0, scale, (rows, dim)).astype(np.float32)


def rewards(features, seed=2):
    """Return rewards that are linear in the features, plus noise."""
    generator = np.random.default_rng(seed)
    parameter = generator.normal(size=features.shape[1])
    return features @ parameter + generator.normal(0, 0.3, len(features))


def create_items(cursor, features, table='item', key=''):
    """Create a table of items."""
    _create(cursor, table, key, {
        'features': ('real[]', features),
        'in_stock': ('boolean', np.ones(len(features)))})


def create_visitors(cursor, features, table):
    """Create a table of visitors."""
    _create(cursor, table, 'PRIMARY KEY',
            {'features': ('real[]', features)})


def create_feedback(cursor, features, profiles=None, table='feedback'):
    """Create a table of features with their rewards."""
    columns = {'reward': ('float8', rewards(features)),
               'features': ('real[]', features)}
    if profiles is not None:
        columns['profile'] = 'real[]', profiles
    _create(cursor, table, '', columns)


def create_models(cursor, *models):
    """Create a table of models, each trained on 1000 rows of feedback.

    Models are tuples of name, dim and reduced_dim.
    """
    cursor.execute(MODELS)
    for name, dim, reduced_dim in models:
        create_feedback(cursor, random_features(1000, dim, seed=3))
        cursor.execute(NEW_MODEL, {'name': name, 'dim': dim,
                                   'reduced_dim': reduced_dim})
        cursor.execute('DROP TABLE feedback')
    cursor.execute('VACUUM ANALYZE model')


def _create(cursor, table, key, columns):
    """Create a table of numbered rows; columns are (type, values) by name."""
    (_, first), *_ = columns.values()
    columns = {'id': ('integer', np.arange(1, len(first) + 1)), **columns}
    types = [f'{name} {kind} NOT NULL' for name, (kind, _) in columns.items()]
    types[0] += f' {key}'
    cursor.execute(f'CREATE TABLE {table} ({", ".join(types)})')
    copy(cursor, table, [np.asarray(values, SENT[kind])
                          for kind, values in columns.values()])
    cursor.execute(f'VACUUM ANALYZE {table}')


def copy(cursor, table, columns):
    """Load columns into a table through COPY's binary format."""
    parts = [('fields', '>i2')]
    for number, column in enumerate(columns):
        parts += [(f'size{number}', '>i4'),
                  (f'value{number}', _copied_type(column))]
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


def blocks(cursor, statement, kind):
    """Return how many blocks of a kind a statement needs, as EXPLAIN says."""
    plan = value(cursor,
                 f'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}')
    plan = json.loads(plan) if isinstance(plan, str) else plan
    return plan[0]['Plan'][f'{kind} Blocks']
