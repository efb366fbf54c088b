"""Compare dlints_policy_value with numpy.

Prints the Test Anything Protocol; exits with 1 if a test fails.
"""

import numpy as np

import estimators
from bench import server
from tap import run_checks

LOGS = 100
LONGEST = 3000
MOST_ACTIONS = 50
ALLOWED = 1e-9
# Workers get random rows, so rounding is random: differences of 1.04e-9 occur.
ALLOWED_IN_PARTS = 1e-8

TABLE = """
CREATE TABLE log (
    number integer, reward float8, logged float8, target float8,
    predicted float8, expected float8)"""
VALUES = """
SELECT (v).*
FROM   (SELECT number, dlints_policy_value({}) AS v
        FROM   log GROUP BY number ORDER BY number) AS judged"""
FORMS = {'with a model': 'reward, logged, target, predicted, expected',
         'without a model': 'reward, logged, target'}

# Workers read interleaved pages, so each log is in several partial states.
PARALLEL = """
SET max_parallel_workers_per_gather = 3;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0"""


def check(tap, cursor):
    """Run all tests."""
    random = np.random.default_rng(5)
    logs = [make_log(random) for _ in range(LOGS)]
    cursor.execute(TABLE)
    server.copy(cursor, 'log', (
        (number, *row) for number, log in enumerate(logs)
        for row in zip(*(column.tolist() for column in log))))
    cursor.execute('ANALYZE log')
    check_values(tap, cursor, logs, 'by one process', ALLOWED)
    cursor.execute(PARALLEL)
    cursor.execute('EXPLAIN ' + VALUES.format(FORMS['with a model']))
    tap.ok('Partial' in str(cursor.fetchall()), 'dlints_policy_value supports partial aggregation')
    check_values(tap, cursor, logs, 'by workers', ALLOWED_IN_PARTS)


def check_values(tap, cursor, logs, words, allowed):
    """Compare the values of each log."""
    for form, arguments in FORMS.items():
        cursor.execute(VALUES.format(arguments))
        names = [column.name for column in cursor.description]
        found = [dict(zip(names, row)) for row in cursor.fetchall()]
        worst = max(map(compare, found, logs))
        tap.ok(names == list(estimators.COLUMNS) and len(found) == LOGS
               and worst <= allowed,
               f'values of {LOGS} logs {form}, computed {words}, equal those of numpy', f'{worst}')


def compare(found, log):
    """Return how far the values of a log are from numpy's.

    Its sums have more digits, so that what differs is ours.
    """
    expected = estimators.policy_value(
        *(column.astype(np.longdouble) for column in log))
    if found['dr'] is None and found['dr_stderr'] is None:
        found.update(dr=expected['dr'], dr_stderr=expected['dr_stderr'])
    return estimators.difference(found, expected)


def make_log(random):
    """Return rewards, probabilities and predictions of some decisions."""
    size = int(random.integers(2, LONGEST))
    actions = int(random.integers(2, MOST_ACTIONS))
    logging, target = (_policies(random, size, actions) for _ in range(2))
    rows = np.arange(size)
    chosen = (logging.cumsum(axis=1) > random.random((size, 1))).argmax(axis=1)
    worth = random.standard_normal((size, actions))
    rewards = worth[rows, chosen] + random.standard_normal(size)
    if random.random() < 0.5:
        rewards = (rewards > random.choice([0, 3])).astype(float)
        rewards[0] = 1
    rewards += random.choice([0, -5, 1000])
    predictions = worth + rewards.mean()
    return (rewards, logging[rows, chosen], target[rows, chosen],
            predictions[rows, chosen], (target * predictions).sum(axis=1))


def _policies(random, size, actions):
    """Return the probabilities of actions in each row."""
    scores = random.choice([0.1, 1, 4]) * random.standard_normal(
        (size, actions))
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


run_checks(check)
