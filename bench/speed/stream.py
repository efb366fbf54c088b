"""Recommending and learning step by step."""

import numpy as np

from bench import samples
from bench.measure import alternate, median, ratio
from bench.reference import CarefulRule, PaperRule
from bench.report import Result, at_least
from bench.server import value

ARMS = 1000
ROUNDS = 40
STEPS = 100
USER_DIM = 20
BAR = 8

PREPARE = """
    PREPARE recommend (text) AS
    SELECT dlints_recommend((SELECT state FROM model WHERE name = $1),
                            id, features)
    FROM   item;

    PREPARE learn (text, integer, float8) AS
    UPDATE model m SET state = dlints_update(m.state, i.features, $3)
    FROM   item i WHERE m.name = $1 AND i.id = $2"""


def run(cursor, share, advance):
    """Return the results."""
    features = samples.random_features(ARMS, samples.DIM)
    rewards = samples.rewards(features)
    samples.create_items(cursor, features, key='PRIMARY KEY')
    samples.create_model(cursor)
    cursor.execute(PREPARE)

    paper = PaperStep(features.astype(float), rewards)
    careful = CarefulRule(features.astype(float), samples.REDUCED_DIM)
    seconds = alternate({
        'sql': SqlStep(cursor, rewards),
        'contexts': paper.build_contexts,
        'paper': paper,
        'careful': lambda: careful.step(rewards),
    }, max(5, int(ROUNDS * share)), STEPS, advance)

    whole = seconds['contexts'] + seconds['paper']
    gain = ratio(whole, seconds['sql'])
    return [
        at_least(f'stream step in SQL, {ARMS} arms: times as fast as the '
                 'authors\' way in numpy', gain.value, BAR, f'{gain}'),
        Result('    in SQL: recommend, then update', median(seconds['sql'])),
        Result('    the authors\' way: contexts; select and update',
               f'{median(seconds["contexts"])}; {median(seconds["paper"])}'),
        Result('    well-written numpy, contexts projected beforehand',
               median(seconds['careful']))]


class SqlStep:
    """Two prepared statements over one connection."""

    def __init__(self, cursor, rewards):
        self._cursor = cursor
        self._rewards = rewards

    def __call__(self):
        """Recommend an item and learn from its reward."""
        item = value(self._cursor, 'EXECUTE recommend (%(model)s)',
                     model=samples.MODEL)
        self._cursor.execute('EXECUTE learn (%s, %s, %s)',
                             (samples.MODEL, item, self._rewards[item - 1]))


class PaperStep:
    """Algorithm 1 with contexts of an item's and the user's features.

    As in the authors' program, contexts are appended arm by arm into a
    dictionary at each step.
    """

    def __init__(self, features, rewards):
        self._items = features[:, :-USER_DIM]
        self._user = features[0, -USER_DIM:]
        self._rewards = rewards
        self._contexts = None
        self._rule = PaperRule(features.shape[1], samples.REDUCED_DIM)

    def build_contexts(self):
        """Put the contexts of all arms together."""
        self._contexts = {arm: np.append(item, self._user)
                          for arm, item in enumerate(self._items)}

    def __call__(self):
        """Select an arm and learn from its reward."""
        choice, reduced = self._rule.recommend(
            np.array(list(self._contexts.values())))
        self._rule.absorb(reduced, self._rewards[choice])
