"""Recommend and train step by step, against the algorithm of the authors'
program.

As in the authors' program, each step appends the user's features to those of
each item in a dictionary.
"""

import numpy as np

from bench import samples
from bench.measure import prepared
from bench.reference import CarefulRule, PaperRule
from bench.server import value
from bench.speed import shapes
from bench.speed.bars import Bar

ARMS = 1000
ROUNDS = 40
STEPS = 30
USER_DIM = 20
MOST = 0.2      # at least five times as fast
SHAPE = shapes.SHAPE

LEARN = f"""
    PREPARE learn (integer, float8) AS
    UPDATE model m SET state = dlints_update(m.state, i.features, $2)
    FROM   {SHAPE.items} i WHERE m.name = '{SHAPE.title}' AND i.id = $1"""


def run(theme):
    """Compare steps."""
    shapes.create_models(theme.cursor, [SHAPE])
    shapes.create_items(theme.cursor, [SHAPE], ARMS)
    theme.cursor.execute(f'ALTER TABLE {SHAPE.items} ADD PRIMARY KEY (id)')
    theme.compare_programs(
        {name: _repeated(step)
         for name, step in _steps(theme.cursor).items()},
        [Bar(f'a step of a stream, {ARMS:,} arms, {SHAPE.title}: times the '
             'authors\' way in numpy', 'sql', 'authors', MOST),
         Bar('    well-written numpy', 'careful', 'authors')],
        ROUNDS, before=lambda: theme.cursor.execute('VACUUM model'))


def _repeated(step):
    """Return a function that does a number of steps."""
    def steps():
        for _ in range(STEPS):
            step()
    return steps


def _steps(cursor):
    """Return the steps to compare."""
    features = samples.random_features(ARMS, SHAPE.dim)
    rewards = samples.rewards(features).tolist()
    features = features.astype(float)
    prepared(cursor, {'recommend': SHAPE.recommend})
    cursor.execute(LEARN)
    rule = PaperRule(SHAPE.dim, samples.REDUCED_DIM)
    careful = CarefulRule(features, samples.REDUCED_DIM)
    items, user = features[:, :-USER_DIM], features[0, -USER_DIM:]

    def in_sql():
        item = value(cursor, 'EXECUTE recommend')
        cursor.execute('EXECUTE learn (%s, %s)', (item, rewards[item - 1]))

    def by_authors():
        contexts = {arm: np.append(item, user)
                    for arm, item in enumerate(items)}
        choice, reduced = rule.recommend(np.array(list(contexts.values())))
        rule.absorb(reduced, rewards[choice])

    return {'sql': in_sql, 'authors': by_authors,
            'careful': lambda: careful.step(rewards)}
