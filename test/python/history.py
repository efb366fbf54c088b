"""Several memories in numpy: which one is in use, and the noise.

From the observations themselves, not from sums over them: residuals are those
of each reward, and matrices are inverted.
"""

from dataclasses import dataclass

import numpy as np

RATIO = 5
CONTRADICTION = 1.5
PRIOR = 4
LEAST_SHARE = 1e-12
NEAR = 1e-9
EXACT = 1e-6


@dataclass
class History:
    """Observations, oldest first, and the parameters of a model.

    The last column of the reduced contexts is 1 if there is an intercept.
    Forgetting is by time (seconds) if there is a half-life.
    """

    reduced: np.ndarray
    rewards: np.ndarray
    times: np.ndarray
    weights: np.ndarray
    intercept: bool
    ridge: float
    memories: int
    discount: float = None
    half_life: float = None

    def decayed(self, memory):
        """Return what each observation weighs in a memory, 0 the fastest."""
        if self.memories > 1 and memory == self.memories - 1:
            return self.weights
        if self.half_life:
            age = self.times.max() - self.times
            return self.weights * 0.5 ** (
                age / (self.half_life * RATIO ** memory))
        window = 1 / (1 - self.discount) if self.discount < 1 else np.inf
        ages = np.arange(len(self.rewards))[::-1]
        return self.weights * (1 - 1 / (window * RATIO ** memory)) ** ages

    def forgets(self, memory):
        """Return whether a memory forgets."""
        if self.memories > 1:
            return memory < self.memories - 1
        return bool(self.half_life) or self.discount < 1


class Memory:
    """What one memory makes of a history."""

    def __init__(self, history, number):
        weights = history.decayed(number)
        reduced = history.reduced
        identity = np.eye(reduced.shape[1])
        self.weights = weights
        self.level = (weights @ history.rewards / weights.sum()
                      if history.intercept else 0)
        self.inverse = np.linalg.inv(
            (reduced.T * weights) @ reduced + history.ridge * identity)
        above = history.rewards - self.level
        self.estimate = self.inverse @ (reduced.T @ (weights * above))
        self.residuals = above - reduced @ self.estimate
        self.squares = weights @ above ** 2
        self.residue = (weights @ self.residuals ** 2
                        + history.ridge * self.estimate @ self.estimate)
        squared = weights ** 2 if history.forgets(number) else weights
        self.parameters = np.trace(
            self.inverse @ (reduced.T * squared) @ reduced)
        self.weight = weights.sum()

    def mean(self, intercept):
        """Return the posterior mean of the rewards as they are."""
        mean = self.estimate.copy()
        if intercept:
            mean[-1] += self.level
        return mean

    def surprise(self, slower, reduced):
        """Return |L^-1 e|^2 of what a slower one's estimate leaves."""
        left = reduced.T @ (self.weights * slower.residuals)
        return left @ self.inverse @ left


@dataclass
class Choice:
    """The memory in use, 1 the fastest; `close` if roundings may decide."""

    memory: int
    sigma: float
    mean: np.ndarray
    close: bool


def choose(history):
    """Return the Choice that a history leads to."""
    memories = [Memory(history, number) for number in range(history.memories)]
    variances = [variance(each, memories[-1]) for each in memories]
    close = near_rounding(memories)
    for number in range(len(memories) - 1, -1, -1):
        slow = memories[number]
        contradicted = False
        for fast, noise in zip(memories[:number], variances):
            bound = noise * (fast.parameters + CONTRADICTION
                             * np.sqrt(2 * fast.parameters))
            surprise = fast.surprise(slow, history.reduced)
            contradicted |= surprise > bound
            close |= 0 < abs(surprise - bound) < NEAR * bound
        if not contradicted:
            break
    return Choice(number + 1, np.sqrt(variances[number]),
                  slow.mean(history.intercept), close)


def variance(memory, longest):
    """Return the variance of the noise as a memory sees it."""
    found = own_variance(longest, longest.residue / longest.weight)
    if memory is not longest:
        heard = PRIOR * memory.parameters
        both = ((memory.residue + heard * found)
                / (memory.weight - memory.parameters + heard))
        found = max(both, own_variance(memory, 0))
    mean_square = longest.squares / longest.weight
    return (found if found >= LEAST_SHARE * mean_square
            else mean_square) or 1


def own_variance(memory, otherwise):
    """Return what follows from a memory alone, if it has the observations."""
    if memory.weight > 2 * memory.parameters:
        return memory.residue / (memory.weight - memory.parameters)
    return otherwise


def near_rounding(memories):
    """Return whether roundings may decide which variance is taken.

    The extension's RSS is a difference of sums, with their roundings.
    """
    return any(abs(each.weight - 2 * each.parameters) < NEAR * each.weight
               or 0 < each.residue < EXACT * each.squares
               for each in memories)
