"""What one policy would have earned, from what the other one logged."""

from dataclasses import dataclass

import numpy as np

from bench.judge import estimators
from bench.judge.openbandit import CAMPAIGNS, POLICIES
from bench.server import value

# Probabilities of each item at each place. Those of bts changed all the time;
# its log says how often it showed what on the whole.
TARGETS = {
    'random': """
    SELECT id, place, 1 / count(*) OVER (PARTITION BY place)::float8 AS target
    FROM   item, generate_series(1, 3) AS place
    WHERE  campaign = %(campaign)s""",
    'bts': """
    SELECT item AS id, place,
           (count(*) / sum(count(*)) OVER (PARTITION BY place))::float8 AS target
    FROM   round
    WHERE  campaign = %(campaign)s AND policy = 'bts'
    GROUP  BY item, place"""}

# Rewards are predicted for one half of the rounds by a model that has learned
# from the other half.
JUDGED = """
CREATE TEMP TABLE judged AS
WITH log AS (
    SELECT number, number %% 2 AS half, item AS id, place, clicked, logged
    FROM   round
    WHERE  campaign = %(campaign)s AND policy = %(log)s),
slot AS (
    SELECT id, place, itself ||
           ARRAY[place = 1, place = 2, place = 3]::integer[]::real[] AS features
    FROM   item, generate_series(1, 3) AS place
    WHERE  campaign = %(campaign)s),
model AS MATERIALIZED (
    SELECT 1 - half AS half,
           dlints_new(%(features)s) || dlints_evidence(
               dlints_new(%(features)s), features, clicked ORDER BY number)
           AS state
    FROM   log JOIN slot USING (id, place)
    GROUP  BY half),
target AS ({target}),
slot_value AS (
    SELECT half, id, place, coalesce(target, 0) AS target,
           dlints_predict(state, features) AS predicted
    FROM   model, slot LEFT JOIN target USING (id, place)),
expectation AS (
    SELECT half, place, sum(target * predicted) AS expected
    FROM   slot_value
    GROUP  BY half, place)
SELECT clicked, logged, target, predicted, expected
FROM   log
       JOIN slot_value USING (half, id, place)
       JOIN expectation USING (half, place)"""

VALUE = """
SELECT (dlints_policy_value(clicked, logged, target, predicted, expected)).*
FROM   judged"""

EARNED = """
SELECT avg(clicked), stddev(clicked) / sqrt(count(*)), count(*), sum(clicked)
FROM   round
WHERE  campaign = %(campaign)s AND policy = %(policy)s"""


@dataclass
class Earned:
    """What a policy earned in its own log."""

    mean: float
    stderr: float
    rounds: int
    clicks: float


@dataclass
class Estimate:
    """The value of a policy from another one's log."""

    campaign: str
    log: str
    target: str
    found: dict             # column: value
    difference: float       # from numpy, relative
    items: int              # of the campaign
    earned: Earned          # by the target, in its own log
    logging: Earned         # by the log's policy


def run(cursor):
    """Return an Estimate for each campaign and log."""
    return [_estimate(cursor, campaign, *pair) for campaign in CAMPAIGNS
            for pair in (POLICIES, POLICIES[::-1])]


def earned(cursor, campaign, policy):
    """Return what a policy earned."""
    cursor.execute(EARNED, {'campaign': campaign, 'policy': policy})
    return Earned(*map(float, cursor.fetchone()))


def _estimate(cursor, campaign, log, target):
    """Return the Estimate of a target from a log, and compare with numpy."""
    items = value(cursor, 'SELECT count(*) FROM item '
                  'WHERE campaign = %(campaign)s', campaign=campaign)
    cursor.execute(JUDGED.format(target=TARGETS[target]),
                   {'campaign': campaign, 'log': log, 'features': items + 3})
    cursor.execute('SELECT * FROM judged')
    columns = np.array(cursor.fetchall()).T
    cursor.execute(VALUE)
    found = dict(zip(estimators.COLUMNS, cursor.fetchone()))
    cursor.execute('DROP TABLE judged')
    return Estimate(
        campaign, log, target, found,
        estimators.difference(found, estimators.policy_value(*columns)),
        items, earned(cursor, campaign, target), earned(cursor, campaign, log))
