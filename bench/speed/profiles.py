"""What a profile costs: recommending to one user and to many.

For many users in one statement the floor is the least that scoring every item
for every user can cost: the same join of as many users with the same items,
grouped by user, with max(dlints_dot(weights, features)). There each user has a
weight vector ready in a table, which dlints_recommend makes of a draw, the
projection and the user's features; the floor neither draws nor ranks.
"""

import numpy as np

from bench import samples
from bench.measure import BLOCKS, against, alternate, ratio
from bench.report import Result, at_most
from bench.speed.latency import Client

DIM = 100
ITEMS = 1000
USERS = 1000
TRANSACTIONS = 3000
BAR = 1.15
GROUPED_ROUNDS = 40
GROUPED_BAR = 1.3
ROWS = 100000
LEARNING_ROUNDS = 40

# Both learned from the same rows, of the items alone and with users.
MODELS = f"""
    WITH fresh AS (SELECT dlints_new({DIM}, {samples.REDUCED_DIM},
                                     {samples.PAPER}) AS state)
    INSERT INTO model
    SELECT 'plain', state || (SELECT dlints_evidence(state, features, reward)
                              FROM   feedback)
    FROM   fresh;

    WITH fresh AS (SELECT dlints_new({DIM}, {samples.REDUCED_DIM},
                                     {samples.PAPER},
                                     interactions => 'matched') AS state)
    INSERT INTO model
    SELECT 'matched', state || (SELECT dlints_evidence(state, features, reward,
                                                       profile)
                                FROM   feedback)
    FROM   fresh;

    CREATE TABLE ready AS
    SELECT v.id, dlints_draw_weights(m.state, v.features) AS weights
    FROM   visitor v, model m WHERE m.name = 'matched';

    ALTER TABLE ready ADD PRIMARY KEY (id)"""

ONE_USER = {
    'plain': """\
SELECT dlints_recommend((SELECT state FROM model WHERE name = 'plain'),
                        id, features, 1)
FROM   item;""",
    'matched': """\
SELECT dlints_recommend((SELECT state FROM model WHERE name = 'matched'),
                        id, features, 1,
                        (SELECT features FROM visitor WHERE id = :user))
FROM   item;""",
    'plain join': """\
SELECT dlints_recommend(m.state, i.id, i.features, 1)
FROM   model m, item i WHERE m.name = 'plain';""",
    'matched join': """\
SELECT dlints_recommend(m.state, i.id, i.features, 1, v.features)
FROM   model m, visitor v, item i WHERE m.name = 'matched' AND v.id = :user;"""}

EACH_USER = {
    'floor': """
        SELECT count(best) FROM (
            SELECT max(dlints_dot(r.weights, i.features)) AS best
            FROM   ready r, item i GROUP BY r.id) each""",
    'subquery': """
        SELECT count(best) FROM (
            SELECT dlints_recommend((SELECT state FROM model
                                     WHERE  name = 'matched'),
                                    i.id, i.features, 1, v.features) AS best
            FROM   visitor v, item i GROUP BY v.id) each""",
    'join': """
        SELECT count(best) FROM (
            SELECT dlints_recommend(m.state, i.id, i.features, 1,
                                    v.features) AS best
            FROM   visitor v, model m, item i
            WHERE  m.name = 'matched' GROUP BY v.id) each"""}

LEARN = {
    'plain': """
        SELECT dlints_evidence((SELECT state FROM model WHERE name = 'plain'),
                               features, reward) IS NOT NULL
        FROM   feedback""",
    'matched': """
        SELECT dlints_evidence((SELECT state FROM model WHERE name = 'matched'),
                               features, reward, profile) IS NOT NULL
        FROM   feedback"""}


def run(cursor, share, advance):
    """Return the results."""
    rows = max(10000, int(ROWS * share))
    _create_tables(cursor, rows)
    results = _one_user(cursor, share)
    advance(0.4)
    results += _each_user(cursor, share)
    advance(0.8)
    results += _learning(cursor, share, rows)
    advance(1)
    return results


def _create_tables(cursor, rows):
    """Create items, visitors, feedback and what was learned from it."""
    samples.create_items(cursor, samples.random_features(ITEMS, DIM))
    samples.create_visitors(cursor,
                            samples.random_features(USERS, DIM, seed=4))
    samples.create_feedback(
        cursor, samples.random_features(rows, DIM, seed=3),
        samples.random_features(rows, DIM, seed=5))
    samples.keep_in_memory(cursor, 'feedback')
    cursor.execute(samples.MODELS)
    cursor.execute(MODELS)
    cursor.execute('VACUUM ANALYZE model, ready')


def _one_user(cursor, share):
    """Compare recommendations with and without a profile."""
    seconds = Client(cursor).run(
        ONE_USER, max(100, int(TRANSACTIONS * share)), user=USERS // 2)
    subquery = ratio(seconds['matched'], seconds['plain'])
    join = ratio(seconds['matched join'], seconds['plain join'])
    return [
        at_most(f'dlints_recommend, {ITEMS} items, n = {DIM}, '
                f'd = {samples.REDUCED_DIM}, matched with a profile, '
                'subqueries: times without it',
                subquery.value, BAR, f'{subquery}'),
        Result('    model and visitor in subqueries',
               against(seconds, 'matched', 'plain')),
        Result('    FROM model, visitor, item',
               f'{join}, {against(seconds, "matched join", "plain join")}')]


def _each_user(cursor, share):
    """Compare recommending to all users with the floor."""
    seconds = alternate({name: lambda text=text: cursor.execute(text)
                         for name, text in EACH_USER.items()},
                        max(BLOCKS, int(GROUPED_ROUNDS * share)))
    ratios = {name: ratio(seconds[name], seconds['floor'], np.min)
              for name in ('subquery', 'join')}
    rates = {name: f'{USERS * ITEMS / times.min() / 1e6:.1f} million rows/s'
             for name, times in seconds.items()}
    return [
        at_most(f'{USERS:,} users by {ITEMS:,} items, GROUP BY user: times '
                'max(dlints_dot(ready weights, features)) over such a join',
                ratios['subquery'].value, GROUPED_BAR,
                f'{ratios["subquery"]}'),
        Result('    model in a subquery', rates['subquery']),
        Result('    FROM visitor, model, item',
               f'{ratios["join"]}, {rates["join"]}'),
        Result('    max(dlints_dot(ready weights, features))',
               rates['floor'])]


def _learning(cursor, share, rows):
    """Compare learning with and without a profile."""
    seconds = alternate({name: lambda text=text: cursor.execute(text)
                         for name, text in LEARN.items()},
                        max(BLOCKS, int(LEARNING_ROUNDS * share)))
    slower = ratio(seconds['matched'], seconds['plain'], np.min)
    rates = ' against '.join(f'{rows / seconds[name].min() / 1e6:.2f}'
                             for name in ('matched', 'plain'))
    return [Result(f'    dlints_evidence, {rows:,} rows, with a '
                   'profile: times the same without',
                   f'{slower}; {rates} million rows/s')]
