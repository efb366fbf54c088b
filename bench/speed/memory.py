"""Memory of a backend that recommends and trains for a long time."""

from bench import machine
from bench.server import value
from bench.speed import shapes

ITEMS = 100
STEPS = 50000
SHARES = {shapes.SHAPE: 1, shapes.MATCHED: 0.1}     # fraction of the steps
CALLS = 20
WARM_UP = 1000
MOST = 1

PROCEDURE = """
    CREATE OR REPLACE PROCEDURE work(steps integer) LANGUAGE plpgsql AS $$
    DECLARE
        best integer;
    BEGIN
        FOR step IN 1..steps LOOP
            {recommend} INTO best;
            UPDATE model m
            SET    state = dlints_update(m.state, i.features, random(),
                                         {profile})
            FROM   {items} i WHERE m.name = '{title}' AND i.id = best;
            IF step % 10 = 0 THEN
                COMMIT;
            END IF;
        END LOOP;
    END $$"""

CONTEXTS = 'SELECT sum(total_bytes)::float8 FROM pg_backend_memory_contexts'


def run(theme):
    """Compare the memory before and after, without caches that settings limit.
    """
    theme.cursor.execute("SET dlints.model_cache_size = '1MB'")
    shapes.create_models(theme.cursor, SHARES)
    shapes.create_items(theme.cursor, SHARES, ITEMS)
    for shape, share in SHARES.items():
        _grow(theme, shape, int(STEPS * share * theme.share) // CALLS)


def _grow(theme, shape, steps):
    """Recommend and train for a long time."""
    cursor = theme.cursor
    cursor.execute(PROCEDURE.format(
        recommend=shape.recommend.strip(), profile=shape.profile,
        items=shape.items, title=shape.title))
    cursor.execute('CALL work(%s)', (WARM_UP,))
    before = _memory(cursor)
    for _ in range(CALLS):
        cursor.execute('CALL work(%s)', (steps,))
        cursor.execute('VACUUM model')
    after = _memory(cursor)
    # Private memory of the process; resident pages of shared buffers only show
    # how much of the database it has read.
    judged = next(name for name in ('RssAnon', 'contexts') if name in after)
    theme.at_most(
        f'growth of a backend ({judged}), {steps * CALLS:,} steps, '
        f'{shape.title}', after[judged] - before[judged],
        MOST, ' MB')


def _memory(cursor):
    """Return the backend's memory in megabytes, by source of the number."""
    memory = {name: size / 2 ** 20
              for name, size in machine.memory(cursor).items()}
    memory['contexts'] = value(cursor, CONTEXTS) / 2 ** 20
    return memory
