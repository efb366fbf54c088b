"""Simulations: whether chosen is what was said to be, as often as was said."""

import numpy as np

from bench.judge.estimators import COLUMNS
from bench.judge.report import DEVIATIONS, NUMPY_BAR, close, in_errors
from bench.report import Result, at_least, at_most
from bench.server import copy

REQUESTS, LOGS, LOG_REQUESTS = 15000, 200, 500
SIZES = (1, 3)
EPSILON = 0.05
SEED = 1
EQUAL_ARMS, EQUAL_DRAWS = 20, 10
# Clicks of a policy, and looks at a log that shows what it would in one of four
RARE = (0.001, 0.003, 0.01, 0.05)
RARE_LOGS, RARE_WEIGHT, LOOKS, ROUNDS = 1000, 4, 10, 1000

TABLES = """
CREATE TABLE arm (
    id        integer PRIMARY KEY,
    features  real[] NOT NULL,
    brand     text,             -- at most one of a brand, where there is a cap
    bonus     float8 NOT NULL,
    chance    float8 NOT NULL,  -- of a click
    predicted float8 NOT NULL,  -- a bad guess at it
    target    float8 NOT NULL   -- probability under the policy to judge
);
CREATE TABLE trained (state dlints NOT NULL)"""
TRAIN = """
INSERT INTO trained
SELECT dlints_evidence(dlints_new(4, discount => 1, noise => 0.5,
                                  exploration => 1),
                       features, chance + sin(n) / 2)
FROM   generate_series(1, 60) AS n JOIN arm ON id = n % 3"""

# name: further arguments of dlints_decide
RULES = {'nothing else': '',
         'epsilon': ', epsilon => 0.1',
         'bonus': ', bonus => a.bonuses',
         'cap': ', cap_group => a.brands, cap => 1',
         'epsilon and bonus': ', epsilon => 0.1, bonus => a.bonuses',
         'bonus and cap': ', bonus => a.bonuses, cap_group => a.brands, '
                          'cap => 1'}
# Arms as arrays. The argument that mentions a request keeps PostgreSQL from
# deciding once for all requests.
ARMS = """
      (SELECT array_agg(id) AS ids, array_agg(features) AS features,
              array_agg(bonus) AS bonuses, array_agg(brand) AS brands
       FROM   arm) a"""
FREQUENCIES = """
SELECT count(c.rank), sum(c.probability),
       sum(c.probability * (1 - c.probability))
FROM   {arms}, generate_series(1, %(requests)s) AS request,
       LATERAL dlints_decide((SELECT state FROM trained), a.ids, a.features,
                             k => %(k)s + 0 * request, draws => 50{rules},
                             all_items => true) c
GROUP  BY c.item
ORDER  BY c.item"""

# Nothing tells these arms apart, so each is chosen with probability 1/arms.
INVERSE = """
WITH equal AS MATERIALIZED (
    SELECT array_agg(a) AS ids, array_agg(features) AS features
    FROM  (SELECT a, array_agg((a = b)::integer ORDER BY b)::real[] AS features
           FROM   generate_series(1, %(arms)s) AS a,
                  generate_series(1, %(arms)s) AS b
           GROUP  BY a) s)
SELECT avg(1 / c.probability), stddev(1 / c.probability) / sqrt(count(*))
FROM   equal, generate_series(1, %(requests)s) AS request,
       LATERAL dlints_decide(dlints_new(%(arms)s), ids, features,
                             k => 1 + 0 * request, draws => %(draws)s,
                             epsilon => %(epsilon)s) c"""

# Chance is asked once for each row, not once for each column of the value.
VALUES = """
SELECT (dlints_policy_value(reward, probability, target, predicted,
                            expected)).*
FROM  (SELECT log, (random() < i.chance)::integer AS reward,
              c.probability, %(k)s * i.target AS target, i.predicted, expected
       FROM  (SELECT sum(target * predicted) AS expected FROM arm) e,
              {arms}, generate_series(1, %(logs)s) AS log,
              generate_series(1, %(requests)s) AS request,
              LATERAL dlints_decide(
                  (SELECT state FROM trained), a.ids, a.features,
                  k => %(k)s + 0 * (log + request),
                  epsilon => %(epsilon)s) c
              JOIN arm i ON i.id = c.item
       OFFSET 0) shown
GROUP  BY log"""

BOUNDS = """
SELECT b.low, b.high
FROM   unnest(%(mean)s, %(stderr)s, %(rounds)s::bigint[])
       WITH ORDINALITY AS u (mean, stderr, rounds, place),
       dlints_bounds(mean, stderr, rounds, 0, %(highest)s) b
ORDER  BY place"""


def set_up(cursor):
    """Make arms, and a model that knows something of three of them."""
    random = np.random.default_rng(SEED)
    count = 10
    features = random.standard_normal((count, 4)) / 2
    chances = 0.1 + 0.5 / (1 + np.exp(-2 * features @ (1, -1, 0.5, 0)))
    targets = np.exp(features[:, 1])
    cursor.execute(TABLES)
    copy(cursor, 'arm', zip(
        range(count), features, [f'brand {i // 4}' for i in range(count)],
        random.uniform(0, 0.2, count).tolist(), chances.tolist(),
        (0.5 * chances + 0.1).tolist(), (targets / targets.sum()).tolist()))
    cursor.execute(TRAIN)


def frequencies(cursor, requests, advance):
    """Return whether arms are chosen as often as their probabilities say."""
    found, totals = [], []
    for k in SIZES:
        for name, rules in RULES.items():
            cursor.execute(FREQUENCIES.format(arms=ARMS, rules=rules),
                           {'k': k, 'requests': requests})
            chosen, total, variance = np.array(cursor.fetchall(), float).T
            errors = (chosen - total) / np.sqrt(np.maximum(variance, 1e-9))
            found.append(at_most(
                f'k = {k}, {name}: frequency from probability, worst arm, in '
                'errors', np.abs(errors).max(), DEVIATIONS))
            totals.append(abs(total.sum() / requests - k))
            advance(len(found) / len(SIZES) / len(RULES))
    return found + [at_most('sum of the probabilities of a request, from k',
                            max(totals), NUMPY_BAR, f'{max(totals):.1g}')]


def inverses(cursor, requests):
    """Return the mean of 1/probability, without epsilon and with it."""
    arms, draws = EQUAL_ARMS, EQUAL_DRAWS
    expected = {0: arms * (1 - (1 - 1 / arms) ** draws), EPSILON: arms}
    found = []
    for epsilon, truth in expected.items():
        cursor.execute(INVERSE, {'arms': arms, 'draws': draws,
                                 'epsilon': epsilon, 'requests': requests})
        mean, stderr = cursor.fetchone()
        found.append(close(
            f'mean of 1/probability, epsilon {epsilon:g}: {mean:.2f} ± '
            f'{stderr:.2f} for {truth:.2f}, in errors', mean - truth, stderr))
    return found


def estimates(cursor, logs, advance):
    """Return how estimators do over many logs, of one item and of slates."""
    cursor.execute('SELECT sum(target * chance) FROM arm')
    value = cursor.fetchone()[0]
    found = []
    for k in SIZES:
        cursor.execute(VALUES.format(arms=ARMS), {'k': k, 'logs': logs, 'epsilon': EPSILON,
                                'requests': LOG_REQUESTS})
        columns = dict(zip(COLUMNS, np.array(cursor.fetchall(), float).T))
        for name, truth in (('ips', value), ('snips', value), ('dr', value),
                            ('mean_weight', 1)):
            values, errors = columns[name], columns[f'{name}_stderr']
            away = values.mean() - truth
            stderr = values.std(ddof=1) / np.sqrt(logs)
            covered = np.mean(np.abs(values - truth) <= 1.96 * errors)
            what = (f'{name}, k = {k}: {values.mean():.4f} ± {stderr:.4f} '
                    f'for {truth:.4f}')
            # snips is biased, by little
            found += [Result(what, in_errors(away, stderr)) if name == 'snips'
                      else close(f'{what}, in errors', away, stderr),
                      Result('    logs within 1.96 of their own errors',
                             f'{covered:.0%}')]
        advance(len(found) / 16)
    return found


def bounds(cursor):
    """Return how often rare clicks are within bounds, whenever one looks."""
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
