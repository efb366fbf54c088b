"""Several memories in numpy: which one is in use, the noise, and the ridge.

From the observations themselves, not from sums over them: residuals are those
of each reward, and matrices are inverted.
"""

from dataclasses import dataclass, replace

import numpy as np

RATIO = 5
CONTRADICTION = 1.5
NOISE_OBSERVATIONS = 4      # observations for each parameter
LEAST = 1e-6                # a weight below it is nearly nothing
ROUNDING_SHARE = 1e-12
LEAST_RESIDUE = 1e-14
LEFT = 1e-9                 # of a length is what roundings may leave
PRIOR_HALVING = 10          # observations for each coordinate
RIDGE_START = 0.1
RIDGE_RATIO = 4
MAX_DOWN, MAX_UP = 2, 20    # steps from there
MIN_OBSERVATIONS = 7        # observations for each parameter
NEAR = 1e-9
EXACT = 1e-6


@dataclass
class History:
    """Observations, oldest first, and the parameters of a model.

    The last column of the reduced features is 1 if there is an intercept.
    Forgetting is by time (seconds) if there is a half-life, and goes on for
    some seconds after the newest. Without a ridge it is found. The prior is
    another history, and counts times its weight.
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
    quiet: float = 0
    noise: float = None
    prior: 'History' = None
    prior_weight: float = None

    @property
    def dim(self):
        """Return the number of coordinates."""
        return self.reduced.shape[1]

    @property
    def start(self):
        """Return the ridge at which memories are compared."""
        return self.ridge or RIDGE_START

    def decayed(self, memory):
        """Return what each observation weighs in a memory, 0 the fastest."""
        if self.memories > 1 and memory == self.memories - 1:
            return self.weights
        if self.half_life:
            age = self.times.max() + self.quiet - self.times
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
        self.weights = weights
        self.weight = weights.sum()
        self.lacks = max(0, LEAST - self.weight)
        self.forgets = history.forgets(number)
        self.level, self.above = centred(history, weights)
        self.told = reduced.T @ (weights * self.above)
        self.gram = (reduced.T * weights) @ reduced
        self.squared = self._squared(history)
        self.inverse = np.linalg.inv(
            self.gram + history.start * np.eye(history.dim))
        self.estimate = self.inverse @ self.told
        self.residuals = self.above - reduced @ self.estimate
        self.squares = weights @ self.above ** 2
        self.first = weights @ (history.rewards - history.intercept
                                * history.rewards[0]) ** 2
        self.cut = ROUNDING_SHARE * self.first < self.squares < EXACT * self.first
        if self.squares <= ROUNDING_SHARE * self.first:
            self.squares = 0
        self.residue = min(self.squares, (
            weights @ self.residuals ** 2
            + history.start * self.estimate @ self.estimate))
        self.parameters = np.trace(self.inverse @ self.squared)

    def _squared(self, history):
        """Return the matrix of squared weights, or what stands for it."""
        if not self.forgets:
            return self.gram
        if history.memories == 1:
            return (history.reduced.T * self.weights ** 2) @ history.reduced
        share = (self.weights ** 2).sum() / max(self.weight, LEAST)
        return share * self.gram

    def surprise(self, slower, reduced):
        """Return |L^-1 e|^2 of what a slower one's estimate leaves."""
        left = reduced.T @ (self.weights * slower.residuals)
        return left @ self.inverse @ left


def centred(history, weights):
    """Return the level of a memory, and the rewards above it.

    What a memory lacks to the least weight it takes at the mean of all.
    """
    if not history.intercept:
        return 0, history.rewards
    first = history.rewards[0]
    above = history.rewards - first
    weight = weights.sum()
    mean = history.weights @ above / history.weights.sum()
    level = ((weights @ above + max(0, LEAST - weight) * mean)
             / max(weight, LEAST))
    return first + level, above - level


@dataclass
class Choice:
    """The memory in use, 1 the fastest; `close` if roundings may decide."""

    memory: int
    sigma: float
    ridge: float
    mean: np.ndarray
    covariance: np.ndarray
    close: bool


def choose(history):
    """Return the Choice that a history leads to."""
    memories = [Memory(history, number) for number in range(history.memories)]
    variances = see_noise(history, memories)
    close = near_rounding(memories)
    for number in range(len(memories) - 1, -1, -1):
        slow = memories[number]
        contradicted = False
        for fast, noise in zip(memories[:number], variances):
            if fast.weight < LEAST:
                continue
            bound = noise * (fast.parameters + CONTRADICTION
                             * np.sqrt(2 * fast.parameters))
            surprise = fast.surprise(slow, history.reduced)
            contradicted |= surprise > bound
            close |= 0 < abs(surprise - bound) < NEAR * bound
        if not contradicted:
            break
    sigma = history.noise or expected_noise(
        history, memories[-1].weight, np.sqrt(variances[number]))
    if number < len(memories) - 1:
        history = replace(history, ridge=history.start, prior=None)
    ridge, close_ridge = (
        (history.ridge, False) if history.ridge else find_ridge(history, slow))
    return Choice(number + 1, sigma, ridge,
                  *posterior(history, slow, sigma, ridge),
                  close or close_ridge)


def expected_noise(history, weight, sigma):
    """Return sigma where the prior's counts as ten observations."""
    known = history.prior
    if not known:
        return sigma
    weights = known.decayed(known.memories - 1)
    mean = weights @ known.rewards / weights.sum()
    variance = weights @ (known.rewards - mean) ** 2 / weights.sum()
    if variance <= ROUNDING_SHARE * mean ** 2:
        return sigma
    point = history.rewards[0] if history.intercept else 0
    seen = weight * sigma ** 2 * bool((history.rewards != point).any())
    return np.sqrt((seen + 10 * variance) / (weight + 10))


def see_noise(history, memories):
    """Return the variance of the noise as each memory sees it."""
    longest = memories[-1]
    if longest.forgets:
        ever = centred(history, history.weights)[1]
        mean_square = history.weights @ ever ** 2 / history.weights.sum()
        found = hears_all(longest, mean_square)
    else:
        mean_square = longest.squares / longest.weight
        found = longest.residue / freedom(longest)
    variances = [hears(each, found) for each in memories[:-1]] + [found]
    return [(each if each >= ROUNDING_SHARE * mean_square else mean_square) or 1
            for each in variances]


def freedom(memory):
    """Return how many observations tell of the noise."""
    if memory.weight > 2 * memory.parameters:
        return memory.weight - memory.parameters
    return memory.weight


def hears_all(memory, ever):
    """Return the variance that the only memory sees if it forgets.

    It hears of all rewards ever learned, as of one observation.
    """
    lacks = (memory.lacks + ROUNDING_SHARE * memory.weight) * ever
    both = memory.squares + lacks
    told = ever * ((memory.residue + lacks) / both if both else 1)
    found = (memory.residue + told) / (freedom(memory) + 1)
    if memory.weight >= LEAST:
        return max(found, memory.residue / freedom(memory))
    return found


def hears(memory, variance):
    """Return the variance that a memory sees that has prior_weight of a longer one."""
    prior_weight = NOISE_OBSERVATIONS * memory.parameters
    found = ((memory.residue + prior_weight * variance)
             / (memory.weight - memory.parameters + prior_weight))
    if memory.weight > 2 * memory.parameters:
        return max(found,
                   memory.residue / (memory.weight - memory.parameters))
    return found


def find_ridge(history, memory):
    """Return the ridge that the evidence prefers, and if it nearly does not.

    It is larger or smaller than at the start if there is enough to go by.
    """
    ridge, close = history.start, False
    if memory.squares <= NEAR * memory.first or memory.weight <= 1:
        return ridge, close
    for steps, bound in ((MAX_UP, MIN_OBSERVATIONS * memory.parameters),
                         (-MAX_DOWN, history.dim)):
        close |= abs(memory.weight - bound) < NEAR * memory.weight
        if memory.weight >= bound and ridge == history.start:
            ridge, narrow = climb(history, memory, steps)
            close |= narrow
    return ridge, close


def climb(history, memory, steps):
    """Return the ridge as many steps away as each one helps, at most so many."""
    way = int(np.sign(steps))
    likely = [likelihood(history, memory, way * step)
              for step in range(abs(steps) + 1)]
    gains = np.append(np.diff(likely), -np.inf)
    best = int(np.argmax(gains <= 0))
    return (history.start * float(RIDGE_RATIO) ** (way * best),
            bool((np.abs(gains[:best + 1]) < EXACT).any()))


def likelihood(history, memory, step):
    """Return how likely the rewards are under a ridge, as a logarithm."""
    ridge = history.start * float(RIDGE_RATIO) ** step
    penalty = penalties(history, ridge)
    precision = memory.gram + np.diag(penalty)
    estimate = np.linalg.solve(precision, memory.told)
    residuals = memory.above - history.reduced @ estimate
    residue = max(memory.weights @ residuals ** 2 + penalty @ estimate ** 2,
                  LEAST_RESIDUE * memory.first)
    fit = (residue / history.noise ** 2 if history.noise
           else (memory.weight - history.intercept) * np.log(residue))
    return (np.log(penalty).sum() - np.linalg.slogdet(precision)[1] - fit
            - abs(step) * np.log(RIDGE_RATIO)) / 2


def penalties(history, ridge):
    """Return the ridge of each coordinate; an intercept keeps the start."""
    penalty = np.full(history.dim, ridge)
    if history.intercept:
        penalty[-1] = history.start
    return penalty


def posterior(history, memory, sigma, ridge):
    """Return mean and covariance of the estimate."""
    gram, told = prior(history)
    gram = gram + np.diag(penalties(history, ridge))
    inverse = np.linalg.inv(memory.gram + gram)
    mean = inverse @ (memory.told + told)
    if history.intercept:
        mean[-1] += memory.level
    return mean, sigma ** 2 * (inverse @ (memory.squared + gram) @ inverse)


def prior(history):
    """Return what is known beforehand, as sums that are added to a memory's."""
    known = history.prior
    if not known:
        return 0, 0
    fades = PRIOR_HALVING * history.dim
    weight = history.prior_weight * fades / (fades + history.weights.sum())
    weights = known.decayed(known.memories - 1)
    reduced, rewards = known.reduced, known.rewards
    if known.intercept:
        reduced = reduced - weights @ reduced / weights.sum()
        rewards = rewards - weights @ rewards / weights.sum()
    gram = (reduced.T * weights) @ reduced
    if known.intercept:
        lengths = weights @ known.reduced ** 2
        gram += np.diag(LEFT * np.append(lengths[:-1], 0))
    return (weight * gram,
            weight * (reduced.T @ (weights * rewards)))


def near_rounding(memories):
    """Return whether roundings may decide which variance is taken.

    The extension's RSS is a difference of sums, with their roundings, and b
    is a sum of whole rewards.
    """
    return any(abs(each.weight - 2 * each.parameters) < NEAR * each.weight
               or abs(each.weight - LEAST) < NEAR * LEAST
               or each.cut or 0 < each.residue < EXACT * each.squares
               or 0 < each.squares < each.weight * (NEAR * each.level) ** 2
               for each in memories)
