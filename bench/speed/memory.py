"""Memory of a backend that recommends and learns for a long time."""

from bench import machine, samples
from bench.report import Result, at_most
from bench.server import value

ITEMS = 100
STEPS = 100000
CALLS = 20
WARM_UP = 1000
BAR = 1

PROCEDURE = f"""
    CREATE PROCEDURE work(steps integer) LANGUAGE plpgsql AS $$
    DECLARE
        best integer;
    BEGIN
        FOR step IN 1..steps LOOP
            SELECT dlints_recommend(m.state, i.id, i.features) INTO best
            FROM   model m, item i WHERE m.name = '{samples.MODEL}';
            UPDATE model m
            SET    state = dlints_update(m.state, i.features, random())
            FROM   item i WHERE m.name = '{samples.MODEL}' AND i.id = best;
            IF step % 10 = 0 THEN
                COMMIT;
            END IF;
        END LOOP;
    END $$"""

CONTEXTS = 'SELECT sum(total_bytes)::float8 FROM pg_backend_memory_contexts'


def run(cursor, share, advance):
    """Return the results."""
    samples.create_items(cursor, samples.random_features(ITEMS, samples.DIM),
                         key='PRIMARY KEY')
    samples.create_model(cursor)
    cursor.execute(PROCEDURE)
    steps = int(STEPS * share) // CALLS

    cursor.execute('CALL work(%s)', (WARM_UP,))
    before = _memory(cursor)
    for number in range(CALLS):
        cursor.execute('CALL work(%s)', (steps,))
        cursor.execute('VACUUM model')
        advance((number + 1) / CALLS)
    after = _memory(cursor)

    # What the process has for itself; resident pages of the shared buffers
    # only say how much of the database it has seen.
    judged = next(name for name in ('RssAnon', 'contexts') if name in after)
    return [
        at_most(f'memory of a backend after {steps * CALLS:,} recommendations '
                f'and updates ({judged}): growth',
                after[judged] - before[judged], BAR, unit=' MB'),
        *(Result(f'    {name}', f'{before[name]:.2f} to {after[name]:.2f} MB')
          for name in after)]


def _memory(cursor):
    """Return the backend's memory in megabytes, by whom is asked."""
    memory = {name: size / 2 ** 20
              for name, size in machine.memory(cursor).items()}
    if cursor.connection.server_version >= 140000:
        memory['contexts'] = value(cursor, CONTEXTS) / 2 ** 20
    return memory
