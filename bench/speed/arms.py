"""Arms with a model each.

A step over a few of them, next to one that takes a row at random, writes as many
bytes and knows nothing, and next to one crossed model of all; prepared, as an
application has them: parsing and planning take half as long again as the step.
And a choice among many, whose models have no room in the session, next to a
prediction of each.

The crossed model has a comparison of its own: it takes the room of what is kept of
the arms, and leaves the processor's caches cold.
"""

import numpy as np

from bench import samples
from bench.measure import prepared, statements
from bench.speed.bars import Bar

DIM, ARMS, ROUNDS = 49, 20, 300
MOST = 2
CROSSED_ROUNDS = 20
CROSSED_MOST = 0.033        # thirty times as fast
MANY_DIM, MANY, MANY_ROUNDS = 50, 10000, 10

TABLES = f"""
    CREATE FUNCTION context(n integer) RETURNS real[] LANGUAGE sql AS
    $$ SELECT array_agg((random() - 0.5)::real) FROM generate_series(1, n) $$;
    CREATE TABLE arm WITH {samples.QUIET} AS
    SELECT i AS id, array_agg((i = j)::integer::real ORDER BY j) AS features,
           dlints_update(dlints_new({DIM}), context({DIM} + 0 * i), 0)
           AS state
    FROM   generate_series(1, {ARMS}) i, generate_series(1, {ARMS}) j
    GROUP  BY i;
    CREATE TABLE bytes (id integer, state bytea) WITH {samples.QUIET};
    ALTER TABLE bytes ALTER state SET STORAGE external;
    INSERT INTO bytes
    SELECT id, decode(repeat('a5', pg_column_size(state)), 'hex') FROM arm;
    CREATE TABLE crossed WITH {samples.QUIET} AS
    SELECT dlints_new({ARMS}, interactions => 'crossed', profile_dim => {DIM})
           AS state"""
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
        WHERE  bytes.id = c.id""",
    'crossed': """
        UPDATE crossed m
        SET    state = dlints_update(m.state, a.features, c.reward, c.x)
        FROM  (SELECT c.x, c.reward,
                      (SELECT (dlints_recommend(m.state, a.id, a.features, 1,
                                                c.x))[1]
                       FROM   arm a, crossed m) AS id
               FROM  (SELECT context(%s) AS x, random() AS reward OFFSET 0) c
               OFFSET 0) c, arm a
        WHERE  a.id = c.id"""}

LEARNED = f"""
    CREATE TABLE many WITH {samples.QUIET} AS
    SELECT i AS id, (1 - i / {2.0 * MANY}) * learned AS state
    FROM  (SELECT dlints_evidence(dlints_new({MANY_DIM}), x, r) AS learned
           FROM  (SELECT context({MANY_DIM} + i * 0) AS x, random() AS r
                  FROM   generate_series(1, 300) i OFFSET 0) s) s,
           generate_series(1, %s) i"""
CHOICES = {
    'predict': f"""
        SELECT max(dlints_predict(state, c.x))
        FROM   many, (SELECT context({MANY_DIM}) AS x OFFSET 0) c""",
    'recommend': f"""
        SELECT dlints_recommend_arms(state, id, c.x)
        FROM   many, (SELECT context({MANY_DIM}) AS x OFFSET 0) c""",
    'choose': f"""
        SELECT id, choice
        FROM  (SELECT id, dlints_choose_arms(state, c.x) OVER () AS choice
               FROM   many, (SELECT context({MANY_DIM}) AS x OFFSET 0) c) s
        WHERE (choice).rank IS NOT NULL"""}


def run(theme):
    """Compare steps, and choices among many."""
    theme.cursor.execute(TABLES)
    what = f'a step over {ARMS} arms of {DIM} numbers, a model each: times'
    _compare_steps(theme, 'bytes', Bar(
        f'{what} one that writes as many bytes', 'arms', 'bytes', MOST), ROUNDS)
    _compare_steps(theme, 'crossed', Bar(
        f'{what} one crossed model', 'arms', 'crossed', CROSSED_MOST),
        CROSSED_ROUNDS)
    count = int(MANY * min(theme.share, 1))
    theme.cursor.execute(LEARNED % count)
    theme.cursor.execute('VACUUM ANALYZE many')
    theme.compare(
        statements(theme.cursor, CHOICES),
        [Bar(f'dlints_recommend_arms, {count:,} arms of {MANY_DIM} numbers: '
             'times dlints_predict of each', 'recommend', 'predict'),
         Bar('    dlints_choose_arms, 100 draws', 'choose', 'predict')],
        MANY_ROUNDS, np.min)


def _compare_steps(theme, other, bar, rounds):
    """Compare the step over arms with another one."""
    tables = f'arm, {other}'
    theme.compare(
        prepared(theme.cursor, {name: STEPS[name] % DIM
                                for name in ('arms', other)}),
        [bar], rounds,
        before=lambda: theme.cursor.execute(f'VACUUM {tables}'))
