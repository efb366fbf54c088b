"""Compare the choices of policies with numpy.

Prints the Test Anything Protocol; exits with 1 if a test fails.
"""

import numpy as np

from bench import server
import forms
from linear import Model
from tap import run_checks

ARMS = 50
ITEM_DIM = 15
USER_DIM = 5
REDUCED_DIM = 8
STEPS = 2000
TIE = 1e-9

SIZES = ITEM_DIM, USER_DIM
# Of each form the reduced dimensions and discounts to check
FORMS = (
    (forms.Appended(*SIZES), [(REDUCED_DIM, 1), (REDUCED_DIM, 0.99),
                              (None, 1), (None, 0.99)]),
    (forms.Appended(*SIZES, True), [(REDUCED_DIM, 0.99), (None, 1)]))

TABLES = """
CREATE TABLE item  (id integer PRIMARY KEY, features real[] NOT NULL);
CREATE TABLE model (state dlints NOT NULL)"""

RECOMMEND = 'EXECUTE recommend (%s)'
DRAW = 'EXECUTE draw (%s, %s)'
LEARN = 'EXECUTE learn (%s, %s, %s)'

# A fresh model's draw is xi w / sqrt(ridge): here, the normals themselves.
NORMALS = """
SELECT dlints_draw(dlints_new(%s, discount => 0.5, ridge => 1,
                              exploration => 1, noise => 1,
                              intercept => false), seed)
FROM   generate_series(0, %s - 1) AS seed
ORDER  BY seed"""


# Probabilities of an uncertain model whose items have uncertain bonuses
DRAWS = 10000
SLATE = 5
TRAIN = """
SELECT dlints_new(%(dim)s, discount => 1, ridge => 1, exploration => 0.3,
                  noise => 1, intercept => false)
       || dlints_evidence(dlints_new(%(dim)s, discount => 1, ridge => 1,
                                     exploration => 0.3, noise => 1,
                                     intercept => false),
                          i.features, sin(i.id))
FROM   item i"""
DECIDE = """
SELECT d.probability
FROM  (SELECT array_agg(i.id ORDER BY i.id) AS ids,
              array_agg(i.features ORDER BY i.id) AS features
       FROM   item i) c,
       LATERAL dlints_decide(%(model)s::dlints, c.ids, c.features, %(k)s,
                             draws => %(draws)s, bonus => %(bonus)s,
                             bonus_stddev => %(stddev)s, seed => 11,
                             all_items => true) d
ORDER  BY d.item"""


class World:
    """Items, and users with linear click rules that change once."""

    def __init__(self, seed=5):
        random = np.random.default_rng(seed)
        self.items = _single(random.normal(size=(ARMS, ITEM_DIM)) / 4)
        self.users = _single(random.uniform(size=(STEPS, USER_DIM)) / 2)
        self._theta = random.normal(size=ITEM_DIM)
        self._chance = random.uniform(size=STEPS)

    def reward(self, step, arm):
        """Return 1 for a click, otherwise 0."""
        sign = 1 if step < STEPS // 2 else -1
        liking = 1 / (1 + np.exp(-2 * sign * self.items[arm] @ self._theta))
        return int(self._chance[step] < liking)


def check(tap, cursor):
    """Run all tests."""
    cursor.execute(TABLES)
    world = World()
    server.copy(cursor, 'item', enumerate(world.items))
    for form, shapes in FORMS:
        cursor.execute('DEALLOCATE ALL;' + form.PREPARE)
        for shape in shapes:
            for policy in ('ucb', 'greedy'):
                check_choices(tap, cursor, world, form, policy, shape)
            check_draws(tap, cursor, world, form, shape)
    check_bonuses(tap, cursor, world)


def check_bonuses(tap, cursor, world):
    """Compare probabilities under uncertain bonuses with numpy's draws."""
    random = np.random.default_rng(17)
    model = Model(ITEM_DIM, 1, 0.3)
    for number, features in enumerate(world.items):
        model.absorb(features, np.sin(number))
    bonus = random.normal(size=ARMS) / 4
    stddev = np.where(np.arange(ARMS) % 4 == 0, 0.5, 0)
    chosen = np.zeros(ARMS)
    for _ in range(DRAWS):
        scores = (world.items @ model.draw(random.normal(size=ITEM_DIM))
                  + bonus + stddev * random.normal(size=ARMS))
        chosen[np.argsort(scores)[-SLATE:]] += 1
    cursor.execute(TRAIN, {'dim': ITEM_DIM})
    cursor.execute(DECIDE, {
        'model': cursor.fetchone()[0], 'k': SLATE, 'draws': DRAWS,
        'bonus': bonus.tolist(), 'stddev': stddev.tolist()})
    found = np.array([probability for probability, in cursor.fetchall()])
    expected = chosen / DRAWS
    share = np.clip((found + expected) / 2, 1 / DRAWS, 1)
    errors = np.abs(found - expected) / np.sqrt(
        2 * share * (1 - share + 1 / DRAWS) / DRAWS)
    tap.ok(errors.max() < 4,
           f'probabilities with bonus_stddev are within four standard errors '
           f'of {DRAWS} draws of numpy',
           f'arm {errors.argmax()} differs by {errors.max():.1f}')


class Pair:
    """A model in SQL and an equal one in numpy."""

    def __init__(self, cursor, world, form, policy, shape, exploration):
        reduced_dim, discount = shape
        cursor.execute(forms.CLEAN)
        cursor.execute(forms.NEW_MODEL, {
            **form.sizes, 'reduced_dim': reduced_dim, 'discount': discount,
            'exploration': exploration, 'policy': policy,
            'intercept': form.intercept})
        self._cursor = cursor
        self._world = world
        self._form = form
        self._projection = form.projection(cursor)
        self.dim = len(self._projection) + form.intercept
        self.numpy = Model(self.dim, discount, exploration,
                           intercept=form.intercept)

    def reduced(self, step):
        """Return the reduced contexts of all arms at a step, by numpy."""
        world = self._world
        return self._form.reduce(
            self._form.contexts(world.items, world.users[step]),
            self._projection)

    def learn(self, step, arm, reduced):
        """Train both on the reward of an arm."""
        user = self._world.users[step].tolist()
        reward = self._world.reward(step, arm)
        self._cursor.execute(LEARN, (arm, user, reward))
        self.numpy.absorb(reduced, reward)


def check_choices(tap, cursor, world, form, policy, shape):
    """Compare the choices of a policy without draws."""
    pair = Pair(cursor, world, form, policy, shape, 0.3)
    differences = []
    for step in range(STEPS):
        cursor.execute(RECOMMEND, (world.users[step].tolist(),))
        arm = cursor.fetchone()[0]
        reduced = pair.reduced(step)
        scores = (pair.numpy.upper_bounds(reduced) if policy == 'ucb'
                  else reduced @ pair.numpy.mean())
        if scores[arm] < scores.max() - TIE:
            differences.append(step)
        pair.learn(step, arm, reduced[arm])
    tap.ok(not differences,
           f'{policy}, {_words(form, shape)}: {STEPS} choices have the '
           'highest score by numpy',
           f'differs at steps {differences[:10]}, {len(differences)} in all')


def check_draws(tap, cursor, world, form, shape):
    """Compare Thompson sampling with the same standard normals."""
    pair = Pair(cursor, world, form, 'thompson', shape, 0.3)
    cursor.execute(NORMALS, (pair.dim, STEPS))
    normals = [np.array(row) for row, in cursor.fetchall()]
    differences = {scored: [] for scored in form.SCORED}
    furthest = 0
    for step in range(STEPS):
        cursor.execute(DRAW, (step, world.users[step].tolist()))
        draw, *arms = cursor.fetchone()
        expected = pair.numpy.draw(normals[step])
        furthest = max(furthest, np.abs(np.array(draw) - expected).max())
        reduced = pair.reduced(step)
        scores = reduced @ expected
        for found, arm in zip(differences.values(), arms):
            if scores[arm] < scores.max() - TIE:
                found.append(step)
        pair.learn(step, arms[0], reduced[arms[0]])
    words = f'thompson, {_words(form, shape)}'
    for scored, found in differences.items():
        tap.ok(not found, f'{words}: {STEPS} choices{scored} have the highest score by '
               'numpy',
               f'differs at steps {found[:10]}, {len(found)} in all')
    tap.ok(furthest < TIE, f'{words}: {STEPS} draws equal those of numpy',
           f'they differ by up to {furthest:g}')


def _words(form, shape):
    """Return the description of a model."""
    reduced_dim, discount = shape
    dim = f'd = {reduced_dim}' if reduced_dim else 'no projection'
    return f'{form}{dim}, discount {discount}'


def _single(values):
    """Return values that are exact in single precision."""
    return values.astype(np.float32).astype(float)


run_checks(check, synchronous_commit='off',
           plan_cache_mode='force_generic_plan')
