"""Judging a policy from a log, and a model by what it would have predicted.

An aggregate over a log is measured against PostgreSQL's own that keeps a mean
and a sum of squares, a window function against the loop that it replaces.
"""

import numpy as np

from bench import samples
from bench.measure import BLOCKS, alternate, ratio, statements
from bench.report import Result, at_most

DECISIONS = 300000
ROWS = 10000
LOOP_ROWS = 2000
DIM = 120
REDUCED_DIMS = (24, 60, 119)
ROUNDS = 20
VALUE_BAR = 3
SECONDS_BAR = 1
LOOP_BAR = 1

LOG = f"""
    CREATE TABLE log WITH {samples.QUIET} AS
    SELECT i AS id, (random() < 0.1)::integer::float8 AS reward,
           0.05 + 0.9 * random() AS logged, random() AS target,
           random() AS predicted, random() AS expected
    FROM   generate_series(1, %(decisions)s) AS i"""
VALUES = {
    'base': 'SELECT stddev(reward) FROM log',
    'value': 'SELECT dlints_policy_value(reward, logged, target) FROM log',
    'modelled': """
        SELECT dlints_policy_value(reward, logged, target, predicted, expected)
        FROM   log"""}

PROGRESSIVE = """
    SELECT regr_r2(reward, expected)
    FROM   (SELECT reward, dlints_progressive(dlints_new({}, {}), features,
                                              reward) OVER (ORDER BY id)
            FROM   feedback WHERE id <= {}) AS s (reward, expected)"""
LOOP = """
    CREATE FUNCTION by_loop(state dlints, rows integer) RETURNS float8
    LANGUAGE plpgsql AS $$
    DECLARE
        f feedback;
        errors float8 := 0;
    BEGIN
        FOR f IN SELECT * FROM feedback WHERE id <= rows ORDER BY id LOOP
            errors := errors
                      + (f.reward - dlints_predict(state, f.features)) ^ 2;
            state := dlints_update(state, f.features, f.reward);
        END LOOP;
        RETURN errors;
    END $$"""


def run(cursor, share, advance):
    """Return the results."""
    cursor.execute(LOG, {'decisions': int(DECISIONS * share)})
    cursor.execute('VACUUM ANALYZE log')
    samples.create_feedback(cursor, samples.random_features(ROWS, DIM))
    cursor.execute(LOOP)
    rounds = max(BLOCKS, int(ROUNDS * share))
    values = alternate(statements(cursor, VALUES), rounds)
    advance(0.2)
    main, modelled = (ratio(values[name], values['base'], np.min)
                      for name in ('value', 'modelled'))
    rows = max(1000, int(ROWS * share))
    progressive = alternate(statements(cursor, {
        dim: PROGRESSIVE.format(DIM, dim, rows)
        for dim in REDUCED_DIMS}), max(3, rounds // 4))
    seconds = {dim: series.min() * ROWS / rows
               for dim, series in progressive.items()}
    advance(0.6)
    dim = REDUCED_DIMS[1]
    loop = alternate(statements(cursor, {
        'window': PROGRESSIVE.format(DIM, dim, LOOP_ROWS),
        'loop': f'SELECT by_loop(dlints_new({DIM}, {dim}), '
                f'{LOOP_ROWS})'}), rounds)
    advance(1)
    against_loop = ratio(loop['window'], loop['loop'], np.min)
    return [
        at_most(f'dlints_policy_value, {int(DECISIONS * share):,} decisions: '
                'times stddev(reward)', main.value, VALUE_BAR, f'{main}'),
        Result('    with a model', f'{modelled}'),
        at_most(f'dlints_progressive, {ROWS:,} rows, n = {DIM}, '
                f'd = {dim}', seconds[dim], SECONDS_BAR, unit=' s'),
        Result('    d = ' + ', '.join(map(str, REDUCED_DIMS)),
               ', '.join(f'{seconds[dim]:.2f}' for dim in REDUCED_DIMS)
               + ' s'),
        at_most('the same: times dlints_predict and dlints_update in a loop '
                'in PL/pgSQL', against_loop.value, LOOP_BAR,
                f'{against_loop}')]
