"""Simulate logs: bias and coverage of off-policy estimates and of bounds."""

import numpy as np

from bench.report import Result, at_least, at_most
from bench.server import copy

LOGS, LOG_REQUESTS = 200, 500
SIZES = (1, 3)
EPSILON = 0.05
SEED = 1
# Click rates of a policy that agrees with the log in one of four decisions, and the
# number of times that the log is evaluated while it grows
RARE = (0.001, 0.003, 0.01, 0.05)
RARE_LOGS, RARE_WEIGHT, LOOKS, ROUNDS = 1000, 4, 10, 1000
MAX_DEVIATION = 4.5     # standard errors; exceeded by chance in one run of 1,000

TABLES = """
CREATE TABLE arm (
    id        integer PRIMARY KEY,
    features  real[] NOT NULL,
    chance    float8 NOT NULL,  -- of a click
    predicted float8 NOT NULL,  -- a biased prediction of the chance
    target    float8 NOT NULL   -- probability under the target policy
);
CREATE TABLE trained (state dlints NOT NULL)"""
TRAIN = """
INSERT INTO trained
SELECT dlints_evidence(dlints_new(4, discount => 1, noise => 0.5,
                                  exploration => 1),
                       features, chance + sin(n) / 2)
FROM   generate_series(1, 60) AS n JOIN arm ON id = n % 3"""

# OFFSET 0: random() is compared once per impression.
VALUES = """
SELECT (dlints_policy_value(reward, probability, target, predicted,
                            expected)).*
FROM  (SELECT log, (random() < a.chance)::integer AS reward,
              c.probability, %(k)s * a.target AS target, a.predicted, e.expected
       FROM  (SELECT sum(target * predicted) AS expected, array_agg(id) AS ids,
                     array_agg(features) AS features FROM arm) e,
              generate_series(1, %(logs)s) AS log,
              generate_series(1, %(requests)s) AS request,
              LATERAL dlints_decide((SELECT state FROM trained), e.ids,
                                    e.features, %(k)s, epsilon => %(epsilon)s,
                                    seed => log * %(requests)s + request) c
              JOIN arm a ON a.id = c.item
       OFFSET 0) shown
GROUP  BY log"""

BOUNDS = """
SELECT b.low, b.high
FROM   unnest(%(mean)s, %(stderr)s, %(rounds)s::bigint[])
       WITH ORDINALITY AS u (mean, stderr, rounds, n),
       dlints_bounds(mean, stderr, rounds, 0, %(highest)s) b
ORDER  BY n"""


def set_up(cursor):
    """Create arms, and a model that is trained on three of them."""
    random = np.random.default_rng(SEED)
    count = 10
    features = random.standard_normal((count, 4)) / 2
    chances = 0.1 + 0.5 / (1 + np.exp(-2 * features @ (1, -1, 0.5, 0)))
    targets = np.exp(features[:, 1])
    cursor.execute(TABLES)
    copy(cursor, 'arm', zip(
        range(count), features, chances.tolist(),
        (0.5 * chances + 0.1).tolist(), (targets / targets.sum()).tolist()))
    cursor.execute(TRAIN)


def estimates(cursor, logs, advance):
    """Return bias and coverage of the estimators over many logs."""
    cursor.execute('SELECT sum(target * chance) FROM arm')
    value = cursor.fetchone()[0]
    found = []
    for k in SIZES:
        cursor.execute(VALUES, {'k': k, 'logs': logs, 'epsilon': EPSILON,
                                'requests': LOG_REQUESTS})
        columns = dict(zip((column.name for column in cursor.description),
                           np.array(cursor.fetchall(), float).T))
        for name, truth in (('ips', value), ('snips', value), ('dr', value),
                            ('mean_weight', 1)):
            values, errors = columns[name], columns[f'{name}_stderr']
            away = values.mean() - truth
            stderr = values.std(ddof=1) / np.sqrt(logs)
            covered = np.mean(np.abs(values - truth) <= 1.96 * errors)
            what = (f'{name}, k = {k}: {values.mean():.4f} ± {stderr:.4f} '
                    f'for {truth:.4f}')
            # snips has a small bias
            found += [Result(what, f'{away / stderr:+.1f} errors')
                      if name == 'snips' else
                      at_most(f'{what}, in errors', abs(away) / stderr,
                              MAX_DEVIATION),
                      Result('    logs within 1.96 of their own errors',
                             f'{covered:.0%}')]
        advance(len(found) / 16)
    return found


def bounds(cursor):
    """Return how often bounds contain the rate of rare clicks at all looks."""
    random = np.random.default_rng(SEED)
    rounds = ROUNDS * np.arange(1, LOOKS + 1)
    found = []
    for chance in RARE:
        clicks = random.binomial(ROUNDS, chance / RARE_WEIGHT,
                                 (RARE_LOGS, LOOKS)).cumsum(axis=1)
        mean = RARE_WEIGHT * clicks / rounds
        stderr = np.sqrt(mean * (RARE_WEIGHT - mean) / (rounds - 1))
        cursor.execute(BOUNDS, {
            'mean': mean.ravel().tolist(), 'stderr': stderr.ravel().tolist(),
            'rounds': np.tile(rounds, RARE_LOGS).tolist(),
            'highest': RARE_WEIGHT})
        low, high = np.array(cursor.fetchall()).T.reshape(2, *mean.shape)
        within = (low <= chance) & (chance <= high)
        normal = np.abs(mean - chance) <= 1.96 * stderr
        width = np.mean((high - low)[:, -1]) / np.mean(3.92 * stderr[:, -1])
        found += [
            at_least(f'clicks of {chance:.1%}: logs within dlints_bounds at '
                     f'all of {LOOKS} looks', within.all(axis=1).mean(), 0.95,
                     f'{within.all(axis=1).mean():.1%}'),
            Result('    within 1.96 errors, at all; after '
                   f'{rounds[0]:,}; after {rounds[-1]:,}',
                   '; '.join(f'{share:.1%}' for share in (
                       normal.all(axis=1).mean(), normal[:, 0].mean(),
                       normal[:, -1].mean()))),
            Result(f'    width after {rounds[-1]:,}, times that of 1.96 '
                   'errors', f'{width:.1f}')]
    return found
