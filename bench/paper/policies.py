"""The policies of the paper, and what dlints adds to them.

A policy is asked what to show and told what came of it.
"""

from dataclasses import dataclass, field, replace
from math import sqrt

import numpy as np

from bench.paper import statements

SHARES = (5, 10, 20, 50, 100)
CLEAN_EVERY = 500


@dataclass(frozen=True)
class Spec:
    """What makes a run of a policy."""

    policy: str
    dim: int = None             # None: not a matter of contexts
    parameters: dict = field(default_factory=dict)
    reduced: bool = False

    @property
    def deterministic(self):
        """Say whether every repetition gives the same result."""
        return self.policy in ('LinUCB', 'CBRAP')

    @property
    def interactions(self):
        """Say whether the user's features are a shared context."""
        return self.policy in INTERACTIONS

    @property
    def intercept(self):
        """Say whether the model has an intercept."""
        return self.policy in INTERCEPT

    def with_parameters(self, **parameters):
        """Return the same with other parameters."""
        return replace(self, parameters={**self.parameters, **parameters})


# The paper's table of tuned hyperparameters.
TUNED = {
    'movielens': {
        'D-LinTS': {'discount': 0.99, 'exploration': 0.1},
        'LinTS': {'exploration': 0.3},
        'D-LinTS-RP': {'discount': 0.99, 'exploration': 0.1},
        'LinUCB': {'exploration': 0.6},
        'CBRAP': {'exploration': 0.6},
        'e-greedy': {'epsilon': 0.001},
        'DeepFM': {'dropout': 0.2, 'rate': 0.01, 'hidden': (1024, 256, 128)},
    },
    'jester': {
        'D-LinTS': {'discount': 0.99, 'exploration': 0.1},
        'LinTS': {'exploration': 0.3},
        'D-LinTS-RP': {'discount': 0.99, 'exploration': 0.1},
        'LinUCB': {'exploration': 0.3},
        'CBRAP': {'exploration': 0.3},
        'e-greedy': {'epsilon': 0.05},
        'DeepFM': {'dropout': 0.2, 'rate': 0.01, 'hidden': (1024, 256, 128)},
    },
    'amazon': {
        'D-LinTS': {'discount': 0.99, 'exploration': 0.1},
        'LinTS': {'exploration': 0.1},
        'D-LinTS-RP': {'discount': 0.99, 'exploration': 0.1},
        'LinUCB': {'exploration': 0.2},
        'CBRAP': {'exploration': 0.3},
        'e-greedy': {'epsilon': 1e-6},
        'DeepFM': {'dropout': 0.5, 'rate': 0.001,
                   'hidden': (1024, 1024, 1024)},
    },
}

# D-LinTS-RP with what the paper does not have, and its parameters
EXTENDED = ('D-LinTS-RP+interactions', 'D-LinTS-RP+intercept',
            'D-LinTS-RP+both')
INTERACTIONS = ('D-LinTS-RP+interactions', 'D-LinTS-RP+both')
INTERCEPT = ('D-LinTS-RP+intercept', 'D-LinTS-RP+both')
REDUCED = ('D-LinTS-RP', *EXTENDED, 'CBRAP')
POLICIES = ('D-LinTS', 'LinTS', 'D-LinTS-RP', *EXTENDED, 'LinUCB', 'CBRAP',
            'DeepFM', 'e-greedy', 'random')


def specs(data, names, shares=SHARES):
    """Return the runs that the named policies make on a data set.

    Those that reduce contexts make one at each share of n, in per cent.
    """
    result = []
    for name in names:
        parameters = TUNED[data.key].get(name.partition('+')[0], {})
        if name in REDUCED:
            result += [Spec(name, max(1, data.context_dim * share // 100),
                            parameters, reduced=True) for share in shares]
        elif name in ('e-greedy', 'random'):
            result.append(Spec(name, None, parameters))
        else:
            result.append(Spec(name, data.context_dim, parameters))
    return result


def create(spec, cursor, data, seed, repetition, k):
    """Return a fresh policy that ranks the best k arms, without k one."""
    if spec.policy == 'DeepFM':
        # torch is needed for nothing else.
        from bench.paper.deepfm import DeepFM
        return DeepFM(data, np.random.default_rng([seed, repetition]), k or 1,
                      **spec.parameters)
    if spec.policy == 'random':
        return SqlPolicy(cursor, 'random', None, k)
    if spec.policy == 'e-greedy':
        cursor.execute(statements.NEW_TALLY)
        random = np.random.default_rng([seed, repetition])
        return EpsilonGreedy(cursor, k, data.arms, random, **spec.parameters)
    _create_model(spec, cursor, data, seed)
    if spec.interactions:
        return SqlPolicy(cursor, 'interactions', 'interactions', k)
    return SqlPolicy(cursor, 'ucb' if spec.deterministic else 'linear',
                     'model', k)


def _create_model(spec, cursor, data, seed):
    """Make the model of a run; the scale of P is the paper's for all."""
    user_dim = data.user_features.shape[1] if spec.interactions else 0
    cursor.execute(statements.NEW_MODEL, {
        'context_dim': data.context_dim - user_dim,
        'reduced_dim': spec.dim if spec.reduced else None,
        'discount': spec.parameters.get('discount', 1),
        'exploration': spec.parameters['exploration'],
        'seed': seed, 'scale': 1 / sqrt(data.context_dim),
        'policy': 'ucb' if spec.deterministic else 'thompson',
        'shared_dim': user_dim, 'intercept': spec.intercept})


class SqlPolicy:
    """A policy that chooses with one statement and learns with another."""

    def __init__(self, cursor, choose, learn, k):
        self._cursor = cursor
        self._single = not k
        self._learned = 0
        self._clean = statements.CLEAN.get(learn)
        cursor.execute(statements.prepare_choose(choose, k))
        if learn:
            cursor.execute(statements.prepare_learn(learn))

    def choose(self, user):
        """Return the arm to show a user, and the best arms in order."""
        self._cursor.execute(f'EXECUTE choose ({user})')
        best = self._cursor.fetchone()[0]
        return (best, [best]) if self._single else (best[0], best)

    def learn(self, arm, user, reward):
        """Learn from the reward of the arm that was shown."""
        if not self._clean:
            return
        self._cursor.execute(f'EXECUTE learn ({arm}, {user}, {reward})')
        self._learned += 1
        if self._learned % CLEAN_EVERY == 0:
            self._cursor.execute(self._clean)


class EpsilonGreedy(SqlPolicy):
    """The arm with the best mean so far, now and then any; no contexts."""

    def __init__(self, cursor, k, arms, random, epsilon):
        super().__init__(cursor, 'tally', 'tally', k)
        self._arms = arms
        self._random = random
        self._epsilon = epsilon

    def choose(self, user):
        """Return the arm to show a user, and the best arms in order."""
        arm, best = super().choose(user)
        if self._random.random() < self._epsilon:
            arm = int(self._random.integers(self._arms))
        return arm, best
