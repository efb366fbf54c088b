"""Evaluation of a policy from a log, and of a model by its predictions.

An aggregate over a log is compared with PostgreSQL's variance aggregate, and a
window function with the loop that it replaces.
"""

import numpy as np

from bench import samples
from bench.measure import statements
from bench.speed import shapes
from bench.speed.bars import Bar

DECISIONS = 300000
ROWS = 2000
ROUNDS = 20
VALUE_MOST = 3
LOOP_MOST = 1

LOG = f"""
    CREATE TABLE log WITH {samples.QUIET} AS
    SELECT i AS id, (random() < 0.1)::integer::float8 AS reward,
           0.05 + 0.9 * random() AS logged, random() AS target,
           random() AS predicted, random() AS expected
    FROM   generate_series(1, {DECISIONS}) AS i"""
VALUES = {
    'base': 'SELECT stddev(reward) FROM log',
    'value': 'SELECT dlints_policy_value(reward, logged, target) FROM log',
    'modelled': """
        SELECT dlints_policy_value(reward, logged, target, predicted, expected)
        FROM   log"""}

PROGRESSIVE = """
    SELECT regr_r2(reward, expected)
    FROM  (SELECT reward, dlints_progressive(dlints_new({arguments}),
                                             {observation}) OVER (ORDER BY id)
           FROM   {feedback}) AS s (reward, expected)"""
LOOP = """
    CREATE OR REPLACE FUNCTION by_loop() RETURNS float8
    LANGUAGE plpgsql AS $$
    DECLARE
        f {feedback};
        state dlints := dlints_new({arguments});
        errors float8 := 0;
    BEGIN
        FOR f IN SELECT * FROM {feedback} ORDER BY id LOOP
            errors := errors
                      + (f.reward
                         - dlints_predict(state, f.features{profile})) ^ 2;
            state := dlints_update(state, f.features, f.reward{profile});
        END LOOP;
        RETURN errors;
    END $$"""


def run(theme):
    """Compare the two functions."""
    theme.cursor.execute(LOG)
    theme.cursor.execute('VACUUM ANALYZE log')
    what = f'dlints_policy_value, {DECISIONS:,} decisions: times stddev'
    theme.compare(statements(theme.cursor, VALUES),
                  [Bar(what, 'value', 'base', VALUE_MOST),
                   Bar('    with a model', 'modelled', 'base')],
                  ROUNDS, np.min)
    shapes.create_models(theme.cursor, shapes.USUAL, ROWS)
    for shape in shapes.USUAL:
        parts = {'arguments': shape.arguments, 'feedback': shape.feedback}
        theme.cursor.execute(LOOP.format(
            **parts, profile=', profile => f.profile' * shape.matched))
        theme.compare(
            statements(theme.cursor, {
                'loop': 'SELECT by_loop()', 'window': PROGRESSIVE.format(
                    **parts, observation=shape.observation)}),
            [Bar(f'dlints_progressive, {ROWS:,} rows, {shape.title}: times a '
                 'loop in PL/pgSQL', 'window', 'loop', LOOP_MOST)],
            ROUNDS, np.min)
