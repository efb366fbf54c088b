"""The policies of the paper.

A policy is asked what to show and told what came of it.
"""

from dataclasses import dataclass, field, replace

import numpy as np

import statements

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

POLICIES = ('D-LinTS', 'LinTS', 'D-LinTS-RP', 'LinUCB', 'CBRAP', 'DeepFM',
            'e-greedy', 'random')


def specs(data, names):
    """Return the runs that the named policies make on a data set."""
    result = []
    for name in names:
        parameters = TUNED[data.key].get(name, {})
        if name in ('D-LinTS-RP', 'CBRAP'):
            result += [Spec(name, max(1, data.context_dim * share // 100),
                            parameters, reduced=True) for share in SHARES]
        elif name in ('e-greedy', 'random'):
            result.append(Spec(name, None, parameters))
        else:
            result.append(Spec(name, data.context_dim, parameters))
    return result


def create(spec, cursor, data, seed, repetition, k):
    """Return a fresh policy that ranks the best k arms, without k one."""
    if spec.policy == 'DeepFM':
        # torch is needed for nothing else.
        from deepfm import DeepFM
        return DeepFM(data, np.random.default_rng([seed, repetition]), k or 1,
                      **spec.parameters)
    if spec.policy == 'random':
        return SqlPolicy(cursor, 'random', None, k)
    if spec.policy == 'e-greedy':
        cursor.execute(statements.NEW_TALLY)
        random = np.random.default_rng([seed, repetition])
        return EpsilonGreedy(cursor, k, data.arms, random, **spec.parameters)
    ucb = spec.deterministic
    cursor.execute(statements.NEW_MODEL, {
        'context_dim': data.context_dim,
        'reduced_dim': spec.dim if spec.reduced else None,
        'discount': spec.parameters.get('discount', 1),
        'exploration': spec.parameters['exploration'],
        'seed': seed, 'policy': 'ucb' if ucb else 'thompson'})
    return SqlPolicy(cursor, 'ucb' if ucb else 'linear', 'model', k)


class SqlPolicy:
    """A policy that chooses with one statement and learns with another."""

    def __init__(self, cursor, choose, learn, k):
        self._cursor = cursor
        self._single = not k
        self._learned = 0
        self._table = learn
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
        if not self._table:
            return
        self._cursor.execute(f'EXECUTE learn ({arm}, {user}, {reward})')
        self._learned += 1
        if self._learned % CLEAN_EVERY == 0:
            self._cursor.execute(statements.CLEAN[self._table])


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
