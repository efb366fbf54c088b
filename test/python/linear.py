"""The linear policies in plain numpy, to check against."""

import numpy as np

from bench.reference import Rule


class Model(Rule):
    """With a discount of 1 that is LinTS or, scored with widths, LinUCB.

    With an intercept, the last number of features, rewards are learned as
    their differences from their mean.
    """

    def __init__(self, dim, discount, exploration, *, intercept=False,
                 **parameters):
        super().__init__(dim, discount, exploration, **parameters)
        self._intercept = intercept

    def mean(self):
        """Return the posterior mean."""
        return self.estimate(self.response)

    def estimate(self, response):
        """Return the coefficients that a response stands for."""
        if not self._intercept:
            return np.linalg.solve(self.precision, response)
        constant = self.precision[-1].copy()
        constant[-1] -= self.ridge
        mean = self.response[-1] / constant[-1] if constant[-1] else 0
        estimate = np.linalg.solve(self.precision, response - mean * constant)
        estimate[-1] += mean
        return estimate

    def draw(self, normals):
        """Return a perturbed estimate made of the given standard normals."""
        if self.discount == 1:
            root = np.linalg.cholesky(self.precision)
            return self.mean() + self.exploration * np.linalg.solve(
                root.T, normals)
        root = np.linalg.cholesky(self.perturbation)
        return self.estimate(
            self.response + self.exploration * root @ normals)

    def widths(self, reduced):
        """Return sqrt(z' Z^-1 Z~ Z^-1 z) of each row z."""
        solved = np.linalg.solve(self.precision, reduced.T)
        return np.sqrt(np.einsum('ij,ij->j', solved,
                                 self.perturbation @ solved))

    def upper_bounds(self, reduced):
        """Return the ucb score of each row."""
        return reduced @ self.mean() + self.exploration * self.widths(reduced)
