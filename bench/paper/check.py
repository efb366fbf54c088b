"""Do the policies in SQL choose what plain numpy chooses?

Connects as libpq's environment says and works in a schema of its own. Prints
the Test Anything Protocol; exits with 1 if a check fails.
"""

import sys
from pathlib import Path

import numpy as np
import psycopg2

# What the programs under bench share.
sys.path.append(str(Path(__file__).resolve().parents[1] / 'common'))

import statements  # noqa: E402
from linear import Model  # noqa: E402

ARMS = 50
CONTEXT_DIM = 20
USER_DIM = 5
REDUCED_DIM = 8
STEPS = 2000
RUNS = 10
TIE = 1e-9
SIGNIFICANCE = 1e-4
PERMUTATIONS = 100000
CASES = 100

TABLES = """
CREATE TABLE item  (id integer PRIMARY KEY, features real[] NOT NULL);
CREATE TABLE model (state dlints NOT NULL)"""

NEW_MODEL = """
TRUNCATE model;
INSERT INTO model SELECT dlints_new(
    %(context_dim)s, %(reduced_dim)s, discount => %(discount)s,
    exploration => %(exploration)s, seed => 11, policy => %(policy)s)"""

PREPARE = """
PREPARE recommend (real[]) AS
SELECT dlints_recommend((SELECT state FROM model), id, features || $1)
FROM   item;

-- $1: seed, $2: the user's features, $3: as many zeros
PREPARE draw (bigint, real[], real[]) AS
SELECT dlints_draw((SELECT state FROM model), $1),
       dlints_argmax(id, dlints_dot(w.weights, features || $2)),
       dlints_argmax(id, dlints_dot(w.weights, features || $3))
FROM   item, (SELECT dlints_draw_weights(state, $1) AS weights
              FROM   model OFFSET 0) w;

PREPARE learn (integer, real[], float8) AS
UPDATE model SET state = dlints_update(
    state, (SELECT features FROM item WHERE id = $1) || $2, $3)"""

RECOMMEND = 'EXECUTE recommend (%s)'
DRAW = 'EXECUTE draw (%s, %s, %s)'
LEARN = 'EXECUTE learn (%s, %s, %s)'
CLEAN = 'VACUUM model'

# A fresh model's draw is xi w / sqrt(ridge): here, the normals themselves.
NORMALS = """
SELECT dlints_draw(dlints_new(%s, discount => 0.5, ridge => 1,
                              exploration => 1), seed)
FROM   generate_series(0, %s - 1) AS seed
ORDER  BY seed"""

PROJECTION = """
SELECT dlints_project((SELECT state FROM model), array_agg(
           CASE WHEN place = column_number THEN 1 ELSE 0 END::float8
           ORDER BY place))
FROM   generate_series(1, %s) AS column_number,
       generate_series(1, %s) AS place
GROUP  BY column_number
ORDER  BY column_number"""

NDCG = """
SELECT dlints_ndcg(relevance, score, %s ORDER BY number)
FROM   unnest(%s::float8[], %s::float8[]) WITH ORDINALITY
       AS row (relevance, score, number)"""


class Tap:
    """Test results, printed as they come."""

    def __init__(self):
        self._count = 0
        self.failed = False

    def ok(self, passed, name, detail=''):
        """Print the result of one check."""
        self._count += 1
        print(f'{"ok" if passed else "not ok"} {self._count} - {name}')
        if not passed:
            self.failed = True
            print(f'# {detail}')
        sys.stdout.flush()

    def plan(self):
        """Print how many checks there were."""
        print(f'1..{self._count}')


class World:
    """Items, and users who click by a linear rule that turns around once."""

    def __init__(self, seed=5):
        random = np.random.default_rng(seed)
        item_dim = CONTEXT_DIM - USER_DIM
        self.items = _single(random.normal(size=(ARMS, item_dim)) / 4)
        self.users = _single(random.uniform(size=(STEPS, USER_DIM)) / 2)
        self._theta = random.normal(size=item_dim)
        self._chance = random.uniform(size=STEPS)

    def contexts(self, step):
        """Return the contexts [item; user] of all arms."""
        return np.hstack([self.items, np.tile(self.users[step], (ARMS, 1))])

    def reward(self, step, arm):
        """Return 1 for a click, else 0."""
        sign = 1 if step < STEPS // 2 else -1
        liking = 1 / (1 + np.exp(-2 * sign * self.items[arm] @ self._theta))
        return int(self._chance[step] < liking)


def main():
    """Make all checks and return the exit status."""
    tap = Tap()
    connection = psycopg2.connect('')
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute(statements.SET_UP + ';' + TABLES)
    world = World()
    for number, features in enumerate(world.items):
        cursor.execute('INSERT INTO item VALUES (%s, %s::real[])',
                       (number, features.tolist()))
    cursor.execute(PREPARE)
    for reduced_dim in (REDUCED_DIM, None):
        for discount in (1, 0.99):
            shape = _words(reduced_dim, discount)
            for policy in ('ucb', 'greedy'):
                check_choices(tap, cursor, world, policy, reduced_dim,
                              discount, shape)
            check_draws(tap, cursor, world, reduced_dim, discount, shape)
    check_rewards(tap, cursor, world)
    check_ndcg(tap, cursor)
    cursor.execute(f'DROP SCHEMA {statements.SCHEMA} CASCADE')
    connection.close()
    tap.plan()
    return int(tap.failed)


def check_choices(tap, cursor, world, policy, reduced_dim, discount, shape):
    """Compare the choices of a policy that draws nothing."""
    numpy, projection = start(cursor, policy, reduced_dim, discount, 0.3)
    differences = []
    for step in range(STEPS):
        user = world.users[step].tolist()
        cursor.execute(RECOMMEND, (user,))
        arm = cursor.fetchone()[0]
        reduced = world.contexts(step) @ projection.T
        scores = (numpy.upper_bounds(reduced) if policy == 'ucb'
                  else reduced @ numpy.mean())
        if scores[arm] < scores.max() - TIE:
            differences.append(step)
        learn(cursor, world, numpy, step, arm, reduced[arm])
    tap.ok(not differences, f'{policy}, {shape}: {STEPS} choices',
           f'differs at steps {differences[:10]}, {len(differences)} in all')


def check_draws(tap, cursor, world, reduced_dim, discount, shape):
    """Compare Thompson sampling under the same normals."""
    numpy, projection = start(cursor, 'thompson', reduced_dim, discount, 0.3)
    cursor.execute(NORMALS, (len(projection), STEPS))
    normals = [np.array(row) for row, in cursor.fetchall()]
    zeros = [0] * USER_DIM
    differences, differences_without = [], []
    furthest = 0
    for step in range(STEPS):
        user = world.users[step].tolist()
        cursor.execute(DRAW, (step, user, zeros))
        draw, arm, without = cursor.fetchone()
        expected = numpy.draw(normals[step])
        furthest = max(furthest, np.abs(np.array(draw) - expected).max())
        reduced = world.contexts(step) @ projection.T
        scores = reduced @ expected
        if scores[arm] < scores.max() - TIE:
            differences.append(step)
        if scores[without] < scores.max() - TIE:
            differences_without.append(step)
        learn(cursor, world, numpy, step, arm, reduced[arm])
    tap.ok(not differences, f'thompson, {shape}: {STEPS} choices',
           f'differs at steps {differences[:10]}, {len(differences)} in all')
    tap.ok(not differences_without,
           f'thompson, {shape}: the same with 0 for the user\'s features',
           f'differs at steps {differences_without[:10]}')
    tap.ok(furthest < TIE, f'thompson, {shape}: {STEPS} draws',
           f'they differ by up to {furthest:g}')


def check_rewards(tap, cursor, world):
    """Compare the rewards of unseeded Thompson sampling.

    The test: the difference of the mean rewards of ten runs of each, against
    its distribution when it is left to chance which run is whose.
    """
    for reduced_dim, discount in ((REDUCED_DIM, 0.99), (None, 1)):
        totals = {'sql': [], 'numpy': []}
        for run in range(RUNS):
            numpy, projection = start(cursor, 'thompson', reduced_dim,
                                      discount, 0.1)
            totals['sql'].append(_earn_in_sql(cursor, world))
            totals['numpy'].append(
                _earn_in_numpy(world, numpy, projection, run))
        chance = _permutation_test(totals['sql'], totals['numpy'])
        tap.ok(chance > SIGNIFICANCE,
               f'thompson, {_words(reduced_dim, discount)}: rewards of '
               f'{RUNS} runs of {STEPS} steps, permutation test',
               f'p = {chance:g}, {totals}')


def _earn_in_sql(cursor, world):
    """Return the reward of a run with draws of the server's own."""
    total = 0
    for step in range(STEPS):
        user = world.users[step].tolist()
        cursor.execute(RECOMMEND, (user,))
        arm = cursor.fetchone()[0]
        reward = world.reward(step, arm)
        cursor.execute(LEARN, (arm, user, reward))
        total += reward
    return total


def _earn_in_numpy(world, numpy, projection, seed):
    """Return the reward of a run with numpy's draws."""
    random = np.random.default_rng(seed)
    total = 0
    for step in range(STEPS):
        reduced = world.contexts(step) @ projection.T
        normals = random.standard_normal(len(projection))
        arm = int(np.argmax(reduced @ numpy.draw(normals)))
        reward = world.reward(step, arm)
        numpy.absorb(reduced[arm], reward)
        total += reward
    return total


def _permutation_test(first, second):
    """Return how often chance makes so large a difference of means."""
    random = np.random.default_rng(1)
    pool = np.array(first + second, dtype=float)
    shuffled = random.permuted(np.tile(pool, (PERMUTATIONS, 1)), axis=1)
    count = len(first)
    differences = np.abs(shuffled[:, :count].mean(axis=1)
                         - shuffled[:, count:].mean(axis=1))
    found = abs(np.mean(first) - np.mean(second))
    return (1 + np.sum(differences >= found - 1e-12)) / (1 + PERMUTATIONS)


def check_ndcg(tap, cursor):
    """Compare NDCG with a computation of its own, ties among the scores."""
    random = np.random.default_rng(3)
    wrong = []
    for case in range(CASES):
        rows = int(random.integers(1, 40))
        k = int(random.integers(1, 12))
        relevance = random.integers(0, 4, rows) * random.choice([0.5, 1.0])
        if case % 10 == 0:
            relevance[:] = 0
        scores = random.integers(0, 6, rows) / 2
        cursor.execute(NDCG, (k, relevance.tolist(), scores.tolist()))
        found = cursor.fetchone()[0]
        expected = _ndcg(relevance.tolist(), scores.tolist(), k)
        if (found is None) != (expected is None) or (
                found is not None and abs(found - expected) > 1e-12):
            wrong.append((case, found, expected))
    tap.ok(not wrong, f'NDCG of {CASES} rankings with ties', wrong[:3])


def _ndcg(relevance, scores, k):
    """Return NDCG@k; None if nothing is relevant."""
    order = sorted(range(len(scores)), key=lambda row: (-scores[row], row))
    gain = _gain([relevance[row] for row in order[:k]])
    best = _gain(sorted(relevance, reverse=True)[:k])
    return gain / best if best else None


def _gain(relevances):
    """Return the discounted gain of relevances in order."""
    return sum(value / np.log2(rank + 1)
               for rank, value in enumerate(relevances, start=1))


def start(cursor, policy, reduced_dim, discount, exploration):
    """Make a model in SQL and the same in numpy; return it and its P."""
    cursor.execute(CLEAN)
    cursor.execute(NEW_MODEL, {
        'context_dim': CONTEXT_DIM, 'reduced_dim': reduced_dim,
        'discount': discount, 'exploration': exploration, 'policy': policy})
    cursor.execute(PROJECTION, (CONTEXT_DIM, CONTEXT_DIM))
    columns = [column for column, in cursor.fetchall()]
    projection = np.array(columns).T
    return Model(len(projection), discount, exploration), projection


def learn(cursor, world, numpy, step, arm, reduced):
    """Have both learn from what came of an arm."""
    reward = world.reward(step, arm)
    cursor.execute(LEARN, (arm, world.users[step].tolist(), reward))
    numpy.absorb(reduced, reward)


def _words(reduced_dim, discount):
    """Return what a model is like in words."""
    shape = f'd = {reduced_dim}' if reduced_dim else 'no projection'
    return f'{shape}, discount {discount}'


def _single(values):
    """Return values that single precision holds exactly."""
    return values.astype(np.float32).astype(float)


if __name__ == '__main__':
    try:
        sys.exit(main())
    except psycopg2.Error as error:
        print('Bail out! ' + (str(error).strip() or 'PostgreSQL')
              .splitlines()[0])
        sys.exit(1)
