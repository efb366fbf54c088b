"""Write-ahead log of training, per reward.

Every statement that changes a model writes it completely. The log per reward
therefore depends on the size of the model and on the number of rewards per
statement. A queue also writes its rows. Tables grow by slightly less until
they are vacuumed. Full-page images after a checkpoint are excluded, as far as
a preceding statement can write them.
"""

from bench import samples
from bench.server import value, written
from bench.speed import shapes

STATEMENTS = 40
MOST = 1.2
QUEUED = 1000

QUEUE = f"""
    CREATE TABLE queue (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                        features real[], profile real[], reward float8)
    WITH {samples.QUIET}"""
SINGLE = """
    UPDATE model m SET state = dlints_update(m.state, {observation})
    FROM   {feedback} f WHERE m.name = '{title}' AND f.id = %(number)s"""
BATCH = """
    UPDATE model m
    SET    state = dlints_update_batch(m.state, f.features, f.rewards,
                                       f.profiles)
    FROM  (SELECT array_agg(features) AS features,
                  array_agg(reward) AS rewards, {profiles} AS profiles
           FROM   {feedback} WHERE id <= 100) f
    WHERE  m.name = '{title}'"""
FOLD = """
    INSERT INTO queue (features, profile, reward)
    SELECT features, {queued}, reward FROM {feedback};
    WITH batch AS (DELETE FROM queue RETURNING *)
    UPDATE model m
    SET    state = m.state || (
               SELECT dlints_evidence(p.state, {observation} ORDER BY b.id)
               FROM   batch b JOIN model p ON p.name = '{title}')
    WHERE  m.name = '{title}'"""
FORMS = {'one by one': (SINGLE, 1), '100 at once': (BATCH, 100),
         f'a queue of {QUEUED:,}': (FOLD, QUEUED)}


def run(theme):
    """Measure the log of a reward."""
    shapes.create_models(theme.cursor, shapes.USUAL, QUEUED)
    theme.cursor.execute(QUEUE)
    statements = max(5, int(STATEMENTS * theme.share))
    for shape in shapes.USUAL:
        size = value(theme.cursor, 'SELECT i.bytes FROM model, '
                     'dlints_info(state) i WHERE name = %(name)s',
                     name=shape.title)
        of_each = [_written(theme.cursor, shape, *form, statements)
                   for form in FORMS.values()]
        theme.at_most(f'write-ahead log of a reward, {shape.title}: times the '
                      'model', of_each[0] / size, MOST, '')
        theme.tell(f'    {_kilobytes(size)}; in the log {", ".join(FORMS)}',
                   ', '.join(map(_kilobytes, of_each)))


def _written(cursor, shape, statement, rewards, statements):
    """Return bytes of log per reward."""
    statement = statement.format(
        title=shape.title, feedback=shape.feedback,
        observation=shape.observation,
        profiles='array_agg(profile)' if shape.matched else "'{}'::real[]",
        queued='profile' if shape.matched else 'NULL')
    cursor.execute('VACUUM FULL model, queue')
    cursor.execute('CHECKPOINT')
    cursor.execute(statement, {'number': 1})
    log = written(cursor)
    for number in range(1, statements + 1):
        cursor.execute(statement, {'number': number})
    return (written(cursor) - log) / (statements * rewards)

def _kilobytes(size):
    """Return a size as text."""
    return (f'{size / 1000:.0f} kB' if size >= 10000
            else f'{size / 1000:.1f} kB' if size >= 1000
            else f'{size:.0f} B')
