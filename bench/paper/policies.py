"""The policies of the paper.

A policy is asked what to show and told what came of it.
"""

from dataclasses import dataclass
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
    reduced: bool = False

    @property
    def deterministic(self):
        """Say whether every repetition gives the same result."""
        return self.policy in ('LinUCB', 'CBRAP')

    def __str__(self):
        """Return policy and dimension."""
        return f'{self.policy} {self.dim}' if self.dim else self.policy


# The paper's table of tuned hyperparameters.
TUNED = {
    key: {
        'D-LinTS': {'discount': 0.99, 'exploration': 0.1},
        'LinTS': {'exploration': lints},
        'D-LinTS-RP': {'discount': 0.99, 'exploration': 0.1},
        'LinUCB': {'exploration': linucb},
        'CBRAP': {'exploration': cbrap},
        'e-greedy': {'epsilon': epsilon},
        'DeepFM': {'dropout': dropout, 'rate': rate, 'hidden': hidden},
    } for key, lints, linucb, cbrap, epsilon, dropout, rate, hidden in (
        ('movielens', 0.3, 0.6, 0.6, 0.001, 0.2, 0.01, (1024, 256, 128)),
        ('jester', 0.3, 0.3, 0.3, 0.05, 0.2, 0.01, (1024, 256, 128)),
        ('amazon', 0.1, 0.2, 0.3, 1e-6, 0.5, 0.001, (1024, 1024, 1024)))}
REDUCED = ('D-LinTS-RP', 'CBRAP')


def specs(data, names):
    """Return the runs that the named policies make on a data set.

    Those that reduce contexts make one at each share of n, in per cent.
    """
    for name in names:
        if name in REDUCED:
            for share in SHARES:
                yield Spec(name, max(1, data.context_dim * share // 100), True)
        else:
            yield Spec(name, None if name in ('e-greedy', 'random')
                       else data.context_dim)


def create(spec, cursor, data, seed, repetition, k):
    """Return a fresh policy that ranks the best k arms, without k one."""
    parameters = TUNED[data.key].get(spec.policy, {})
    random = np.random.default_rng([seed, repetition])
    if spec.policy == 'DeepFM':
        # torch is needed for nothing else.
        from bench.paper.deepfm import DeepFM
        return DeepFM(data, random, k or 1, **parameters)
    if spec.policy == 'random':
        return SqlPolicy(cursor, 'random', None, k)
    if spec.policy == 'e-greedy':
        cursor.execute(statements.NEW_TALLY)
        return EpsilonGreedy(cursor, k, data.arms, random, **parameters)
    # The scale of P is the paper's for all.
    cursor.execute(statements.NEW_MODEL, {
        'context_dim': data.context_dim,
        'reduced_dim': spec.dim if spec.reduced else None,
        'discount': parameters.get('discount', 1),
        'exploration': parameters['exploration'],
        'seed': seed, 'scale': 1 / sqrt(data.context_dim),
        'policy': 'ucb' if spec.deterministic else 'thompson'})
    return SqlPolicy(cursor, 'ucb' if spec.deterministic else 'linear',
                     'model', k)


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
