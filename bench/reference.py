"""Algorithm 1 of the paper in numpy, to compare with."""

import numpy as np
from scipy.linalg import sqrtm
from scipy.linalg.lapack import dposv, dpotrf

DISCOUNT = 0.99
RIDGE = 1
EXPLORATION = 0.1


class PaperRule:
    """Algorithm 1 as printed."""

    def __init__(self, context_dim, reduced_dim, seed=1):
        self.random = np.random.default_rng(seed)
        self.projection = self.random.normal(
            0, 1 / np.sqrt(reduced_dim), (reduced_dim, context_dim))
        self.identity = np.eye(reduced_dim)
        self.precision = RIDGE * self.identity          # Z
        self.perturbation = RIDGE * self.identity       # Z~
        self.response = np.zeros(reduced_dim)           # b

    def absorb(self, reduced, reward):
        """Train on the reward of a projected context."""
        outer = np.outer(reduced, reduced)
        self.precision = (DISCOUNT * self.precision + outer
                          + (1 - DISCOUNT) * RIDGE * self.identity)
        self.perturbation = (DISCOUNT ** 2 * self.perturbation + outer
                             + (1 - DISCOUNT ** 2) * RIDGE * self.identity)
        self.response = DISCOUNT * self.response + reward * reduced

    def draw(self):
        """Return a perturbed estimate, by inverse and square root."""
        inverse = np.linalg.inv(self.precision)
        normals = self.random.normal(0, EXPLORATION, len(inverse))
        return inverse @ (self.response
                          + sqrtm(self.perturbation).real @ normals)

    def recommend(self, contexts):
        """Return the number of the chosen context, and its projection."""
        reduced = contexts @ self.projection.T
        choice = int(np.argmax(reduced @ self.draw()))
        return choice, reduced[choice]


class CarefulRule(PaperRule):
    """The same algorithm with the means of numpy and scipy to save time.

    Contexts are projected once, matrices are changed in place, and Cholesky
    factors replace the inverse and the symmetric square root.
    """

    def __init__(self, contexts, reduced_dim):
        super().__init__(contexts.shape[1], reduced_dim)
        self.reduced = contexts @ self.projection.T
        self.perturbation = self.perturbation.copy()

    def absorb(self, reduced, reward):
        outer = np.outer(reduced, reduced)
        for matrix, discount in ((self.precision, DISCOUNT),
                                 (self.perturbation, DISCOUNT ** 2)):
            matrix *= discount
            matrix += outer
            matrix.flat[::len(matrix) + 1] += (1 - discount) * RIDGE
        self.response *= DISCOUNT
        self.response += reward * reduced

    def draw(self):
        normals = self.random.normal(0, EXPLORATION, len(self.response))
        root, _ = dpotrf(self.perturbation, lower=1, clean=1)
        return dposv(self.precision, self.response + root @ normals,
                     lower=1)[1]

    def step(self, reward_of):
        """Choose one of the contexts, and train on its reward."""
        choice = int(np.argmax(self.reduced @ self.draw()))
        self.absorb(self.reduced[choice], reward_of[choice])
