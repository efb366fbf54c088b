"""Algorithm 1 of the paper in numpy, to measure and to check against."""

import numpy as np
from scipy.linalg import sqrtm
from scipy.linalg.lapack import dposv, dpotrf

DISCOUNT = 0.99
RIDGE = 1
EXPLORATION = 0.1


class Rule:
    """What Algorithm 1 learns from contexts that are projected already."""

    def __init__(self, dim, discount=DISCOUNT, exploration=EXPLORATION,
                 ridge=RIDGE):
        self.identity = np.eye(dim)
        self.discount = discount
        self.exploration = exploration
        self.ridge = ridge
        self.precision = ridge * self.identity          # Z
        self.perturbation = ridge * self.identity       # Z~
        self.response = np.zeros(dim)                   # b

    def absorb(self, reduced, reward):
        """Learn from one observation."""
        gamma = self.discount
        outer = np.outer(reduced, reduced)
        self.precision = (gamma * self.precision + outer
                          + (1 - gamma) * self.ridge * self.identity)
        self.perturbation = (gamma ** 2 * self.perturbation + outer
                             + (1 - gamma ** 2) * self.ridge * self.identity)
        self.response = gamma * self.response + reward * reduced


class PaperRule(Rule):
    """Algorithm 1 as printed, one step after the other."""

    def __init__(self, context_dim, reduced_dim, seed=1):
        super().__init__(reduced_dim)
        self.random = np.random.default_rng(seed)
        self.projection = self.random.normal(
            0, 1 / np.sqrt(reduced_dim), (reduced_dim, context_dim))

    def update(self, context, reward):
        """Learn from one observation whose context is to be projected."""
        self.absorb(self.projection @ context, reward)

    def estimate(self):
        """Return the posterior mean, by inverse."""
        return np.linalg.inv(self.precision) @ self.response

    def draw(self):
        """Return a perturbed estimate, by inverse and square root."""
        inverse = np.linalg.inv(self.precision)
        normals = self.random.normal(0, self.exploration, len(inverse))
        return inverse @ (self.response
                          + sqrtm(self.perturbation).real @ normals)

    def recommend(self, contexts):
        """Return the number of the context to choose, and it projected."""
        reduced = contexts @ self.projection.T
        choice = int(np.argmax(reduced @ self.draw()))
        return choice, reduced[choice]


class CarefulRule(PaperRule):
    """The same algorithm with what numpy and scipy offer to save time.

    Contexts are projected once and for all, matrices are changed in place, and
    Cholesky factors take the place of inverse and symmetric square root.
    """

    def __init__(self, contexts, reduced_dim):
        super().__init__(contexts.shape[1], reduced_dim)
        self.reduced = contexts @ self.projection.T
        self.perturbation = self.perturbation.copy()

    def absorb(self, reduced, reward):
        """Learn from one observation."""
        outer = np.outer(reduced, reduced)
        for matrix, discount in ((self.precision, self.discount),
                                 (self.perturbation, self.discount ** 2)):
            matrix *= discount
            matrix += outer
            matrix.flat[::len(matrix) + 1] += (1 - discount) * self.ridge
        self.response *= self.discount
        if reward:
            self.response += reward * reduced

    def draw(self):
        """Return a perturbed estimate, by two factorisations."""
        normals = self.random.normal(0, self.exploration, len(self.response))
        root, _ = dpotrf(self.perturbation, lower=1, clean=1)
        return dposv(self.precision, self.response + root @ normals,
                     lower=1)[1]

    def choose(self):
        """Return the number of the context to choose."""
        return int(np.argmax(self.reduced @ self.draw()))

    def learn(self, choice, reward):
        """Learn from the reward of one of the contexts."""
        self.absorb(self.reduced[choice], reward)

    def step(self, reward_of):
        """Recommend one of the contexts and learn from its reward."""
        choice = self.choose()
        self.learn(choice, reward_of[choice])
