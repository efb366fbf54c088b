"""Write-ahead log and dead rows that learning leaves, for each reward.

A model is written anew by every statement that changes it. How much that is
for one reward depends on its size and on how many rewards a statement learns.
A queue has its own rows besides, in the log and, until they are vacuumed, in
its table. Nothing is vacuumed meanwhile; full pages, which each checkpoint
brings once, are left out as far as a statement before the first can.
"""

from bench import samples
from bench.report import Result, at_most
from bench.server import value

DIM = 120
REDUCED_DIMS = 24, 60, 120
MEMORIES = {'one memory': 'discount => 0.999', 'three': 'memories => 3'}
STATEMENTS = 40
ONE_BY_ONE = 1.2

TABLES = f"""
    CREATE TABLE queue (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                        features real[], reward float8) WITH {samples.QUIET}"""
SINGLE = """
    UPDATE model m SET state = dlints_update(m.state, f.features, f.reward)
    FROM   feedback f WHERE m.name = %(name)s AND f.id = %(number)s"""
BATCH = """
    UPDATE model m
    SET    state = dlints_update_batch(m.state, f.features, f.rewards)
    FROM  (SELECT array_agg(features) AS features, array_agg(reward) AS rewards
           FROM   feedback WHERE id <= 100) f
    WHERE  m.name = %(name)s"""
FOLD = """
    INSERT INTO queue (features, reward) SELECT features, reward FROM feedback;
    WITH batch AS (DELETE FROM queue RETURNING *)
    UPDATE model m
    SET    state = m.state || (
               SELECT dlints_evidence(p.state, b.features, b.reward
                                      ORDER BY b.id)
               FROM   batch b JOIN model p ON p.name = %(name)s)
    WHERE  m.name = %(name)s"""
FORMS = {'one by one': (SINGLE, 1), '100 at once': (BATCH, 100),
         'a queue of 1000': (FOLD, 1000)}

WRITTEN = "SELECT (pg_current_wal_insert_lsn() - '0/0')::float8"
SIZE = """SELECT (pg_total_relation_size('model') +
                  pg_total_relation_size('queue'))::float8"""


def run(cursor, share, advance):
    """Return the results."""
    statements = max(5, int(STATEMENTS * share))
    names = {f'd = {dim}, {words}': (DIM, dim, parameters)
             for dim in REDUCED_DIMS for words, parameters in MEMORIES.items()}
    samples.create_models(cursor, *((name, *model)
                                    for name, model in names.items()))
    samples.create_feedback(cursor, samples.random_features(1000, DIM))
    cursor.execute(TABLES)

    results = []
    worst = 0
    for number, name in enumerate(names, 1):
        size = value(cursor, 'SELECT i.bytes FROM model, dlints_info(state) i '
                     'WHERE name = %(name)s', name=name)
        traces = {form: _traces(cursor, name, *FORMS[form], statements)
                  for form in FORMS}
        worst = max(worst, traces['one by one'][0] / size)
        results.append(Result(
            f'    {name}, {_kilobytes(size)}', '; '.join(
                f'{form} {_kilobytes(wal)} and {_kilobytes(dead)}'
                for form, (wal, dead) in traces.items())))
        advance(number / len(names))
    return [at_most('write-ahead log of a reward, learned alone: times the '
                    'size of the model', worst, ONE_BY_ONE),
            Result('    for each reward, in the log and left in the tables',
                   ''), *results]


def _traces(cursor, name, statement, rewards, statements):
    """Return bytes of log and of growth of the tables for each reward."""
    cursor.execute('VACUUM FULL model, queue')
    cursor.execute('CHECKPOINT')
    cursor.execute(statement, {'name': name, 'number': 1})
    log, tables = value(cursor, WRITTEN), value(cursor, SIZE)
    for number in range(1, statements + 1):
        cursor.execute(statement, {'name': name, 'number': number})
    count = statements * rewards
    return ((value(cursor, WRITTEN) - log) / count,
            (value(cursor, SIZE) - tables) / count)


def _kilobytes(size):
    """Return a size in words."""
    return (f'{size / 1000:.0f} kB' if size >= 10000
            else f'{size / 1000:.1f} kB' if size >= 1000
            else f'{size:.0f} bytes')
