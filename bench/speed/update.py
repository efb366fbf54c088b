"""One reward at a time, against an UPDATE that writes as many bytes.

Both statements read, change and write one row through TOAST, and both get
features as an argument: reading 120 numbers as text takes about as long as
training on them.
"""

from bench import samples
from bench.measure import statements
from bench.server import value
from bench.speed import shapes
from bench.speed.bars import Bar

ROUNDS = 600
MOST = 1.15
SHAPES = shapes.Shape('plain 32', 32, '32'), *shapes.USUAL

TABLES = f"""
    CREATE TABLE bytes (name text PRIMARY KEY, state bytea NOT NULL)
    WITH {samples.QUIET};
    ALTER TABLE bytes ALTER state SET STORAGE external;
    INSERT INTO bytes
    SELECT name, decode(repeat('a5', pg_column_size(state)), 'hex')
    FROM   model"""


def run(theme):
    """Compare updates."""
    shapes.create_models(theme.cursor, SHAPES)
    theme.cursor.execute(TABLES)
    for shape in SHAPES:
        size = value(theme.cursor, 'SELECT pg_column_size(state) FROM bytes '
                     'WHERE name = %(title)s', title=shape.title)
        theme.compare(
            statements(theme.cursor, _statements(theme.cursor, shape)),
            [Bar(f'dlints_update, {shape.title}: times an UPDATE of '
                 f'{size:,} bytes', 'learn', 'rewrite', MOST)],
            ROUNDS, before=lambda: theme.cursor.execute('VACUUM model, bytes'))


def _statements(cursor, shape):
    """Return the prepared statements to compare for a model."""
    cursor.execute(f"""
        DEALLOCATE ALL;
        PREPARE learn(real[], real[]) AS
        UPDATE model SET state = dlints_update(state, $1, 1, $2)
        WHERE  name = '{shape.title}';
        PREPARE rewrite(real[], real[]) AS
        UPDATE bytes SET state = set_byte(state, cardinality($1),
                                          cardinality($2))
        WHERE  name = '{shape.title}'""")
    features = _literal(samples.random_features(1, shape.dim)[0])
    profile = features if shape.matched else '{}'
    return {name: f"BEGIN; EXECUTE {name} ('{features}', '{profile}'); COMMIT"
            for name in ('learn', 'rewrite')}


def _literal(numbers):
    """Return an array as text."""
    return '{' + ','.join(f'{number:.7g}' for number in numbers) + '}'
