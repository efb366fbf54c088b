"""Arms with a model each.

A step chooses among a few arms and trains the chosen model. It is compared
with an update of a random row that writes as many bytes; both are prepared,
because parsing and planning would take half as long again as the step.
"""

from bench import samples
from bench.measure import prepared
from bench.speed.bars import Bar

DIM, ARMS, ROUNDS = 49, 20, 300
MOST = 2

TABLES = f"""
    CREATE FUNCTION context(n integer) RETURNS real[] LANGUAGE sql AS
    $$ SELECT array_agg((random() - 0.5)::real) FROM generate_series(1, n) $$;
    CREATE TABLE arm WITH {samples.QUIET} AS
    SELECT i AS id, dlints_update(dlints_new({DIM}), context({DIM} + 0 * i), 0)
           AS state
    FROM   generate_series(1, {ARMS}) i;
    CREATE TABLE bytes (id integer, state bytea) WITH {samples.QUIET};
    ALTER TABLE bytes ALTER state SET STORAGE external;
    INSERT INTO bytes
    SELECT id, decode(repeat('a5', pg_column_size(state)), 'hex') FROM arm"""
STEPS = {
    'arms': """
        UPDATE arm SET state = dlints_update(state, c.x, c.reward)
        FROM  (SELECT c.x, c.reward,
                      (SELECT dlints_recommend_arms(a.state, a.id, c.x)
                       FROM   arm a) AS id
               FROM  (SELECT context(%s) AS x, random() AS reward OFFSET 0) c
               OFFSET 0) c
        WHERE  arm.id = c.id""",
    'bytes': """
        UPDATE bytes SET state = set_byte(state, cardinality(c.x), 1)
        FROM  (SELECT c.x, (SELECT b.id FROM bytes b
                            ORDER BY random() LIMIT 1) AS id
               FROM  (SELECT context(%s) AS x OFFSET 0) c
               OFFSET 0) c
        WHERE  bytes.id = c.id"""}


def run(theme):
    """Compare steps."""
    theme.cursor.execute(TABLES)
    theme.compare(
        prepared(theme.cursor, {name: step % DIM for name, step in STEPS.items()}),
        [Bar(f'a step over {ARMS} arms of {DIM} numbers, a model each: times one '
             'that writes as many bytes', 'arms', 'bytes', MOST)],
        ROUNDS, before=lambda: theme.cursor.execute('VACUUM arm, bytes'))
