"""The simulated problems: offered items and their rewards.

By default a catalogue has 500 items with 15 features, and each visit offers 20
random items. Rewards are linear in the features, with mean 0 and variance 1 over
the items, and noise of variance 1.
"""

from dataclasses import dataclass, field

import numpy as np

ITEMS = 500
OFFERED = 20
DIM = 15
BOX = 10
BATCH = 200
LEVELS = 4              # standard deviation of a common level of rewards


@dataclass
class World:
    """Visits with offered items and rewards."""

    items: np.ndarray           # one row of features for each item
    offered: np.ndarray         # visits x positions: numbers of items
    expected: np.ndarray        # visits x positions: mean rewards
    rewards: np.ndarray         # visits x positions: rewards, observed only if shown
    profiles: np.ndarray = None     # one row for each visit
    model: dict = field(default_factory=dict)   # sizes for dlints_new
    box: int = 1                # number of impressions per visit
    batch: int = 1              # number of visits between trainings


@dataclass
class Problem:
    """One problem; make(random, visits) returns a World."""

    key: str
    about: str
    make: callable
    share: float = 1            # fraction of the usual number of visits
    has_bars: bool = True


def linear(random, visits, path, dim=DIM, noise=1, level=None, **settings):
    """Return a World of linear rewards.

    path(random, visits, dim) returns the parameter, one row for each visit.
    `level` is a path that is added to all rewards of a visit.
    """
    items = features(random, dim)
    offered = offers(random, visits)
    expected = scores(items, offered, path(random, visits, dim))
    rewards = expected + noise * random.standard_normal(expected.shape)
    if level is not None:
        rewards += LEVELS * level(random, visits, 1)
    return World(items, offered, expected, rewards, **settings)


def clicks(random, visits, path, chance, dim=DIM, offer=OFFERED, **settings):
    """Return a World of clicks with probability chance(score)."""
    items = features(random, dim)
    offered = offers(random, visits, offer)
    expected = chance(scores(items, offered, path(random, visits, dim)))
    rewards = random.uniform(size=expected.shape) < expected
    return World(items, offered, expected, rewards.astype(float), **settings)


def features(random, dim):
    """Return features of a catalogue, in single precision as stored."""
    items = random.standard_normal((ITEMS, dim)) / np.sqrt(dim)
    return items.astype(np.float32)


def offers(random, visits, offer=OFFERED, items=ITEMS):
    """Return the offered items, without repetition in a visit."""
    return random.random((visits, items)).argpartition(offer)[:, :offer]


def scores(items, offered, thetas):
    """Return x'theta of all offered items."""
    return np.einsum('vpd,vd->vp', items[offered].astype(float), thetas)


# Paths of the parameter

def constant(random, visits, dim):
    """Nothing changes."""
    return changes(random, visits, dim, 1)


def half(random, visits, dim):
    """Everything changes at half."""
    return changes(random, visits, dim, 2)


def changes(random, visits, dim, parts):
    """Everything changes between parts of equal length."""
    thetas = random.standard_normal((parts, dim))
    return thetas[np.arange(visits) * parts // visits]


def partly(random, visits, dim):
    """At each quarter three coordinates change."""
    thetas = np.repeat(random.standard_normal((1, dim)), 4, axis=0)
    for quarter in range(1, 4):
        places = random.choice(dim, 3, replace=False)
        thetas[quarter:, places] = random.standard_normal(3)
    return thetas[np.arange(visits) * 4 // visits]


def interlude(random, visits, dim):
    """Everything is different for a tenth of the time, then as before."""
    thetas = random.standard_normal((2, dim))
    share = np.arange(visits) / visits
    return thetas[((share >= 0.5) & (share < 0.6)).astype(int)]


def walk(memory):
    """Return an autoregressive random walk with a given memory in visits."""
    def path(random, visits, dim):
        keep = np.exp(-1 / memory)
        steps = random.standard_normal((visits, dim))
        thetas = np.empty((visits, dim))
        theta = random.standard_normal(dim)
        for visit in range(visits):
            thetas[visit] = theta
            theta = keep * theta + np.sqrt(1 - keep ** 2) * steps[visit]
        return thetas
    return path


# Click probabilities

def logistic(base):
    """Return a click probability with given log-odds at score 0."""
    return lambda score: 1 / (1 + np.exp(-base - score))


def sparse(score):
    """Return click probabilities from 1 to 5 %."""
    return 0.01 + 0.04 / (1 + np.exp(-1.7 * score))


# Other problems

def rotation(random, visits):
    """Twenty arms without features; five times rates move on to others."""
    rates = random.uniform(0.1, 0.9, OFFERED)
    moves = random.integers(1, OFFERED, 5).cumsum()
    part = np.arange(visits) * 5 // visits
    arms = np.arange(OFFERED)
    expected = rates[(arms + moves[part][:, None]) % OFFERED]
    rewards = random.uniform(size=expected.shape) < expected
    return World(np.eye(OFFERED, dtype=np.float32),
                 np.tile(arms, (visits, 1)), expected, rewards.astype(float))


def heavy(random, visits):
    """Purchases: one offer in ten is taken, amounts are lognormal."""
    world = clicks(random, visits, half, logistic(-2.5))
    amounts = random.lognormal(-0.5, 1, world.rewards.shape)
    world.rewards = world.rewards * amounts
    return world


def projected(random, visits):
    """A hundred features with twelve factors behind them, reduced to 24."""
    loadings = random.standard_normal((12, 100)) / np.sqrt(12 * 100)
    factors = random.standard_normal((ITEMS, 12))
    items = factors @ loadings + random.normal(0, 0.02, (ITEMS, 100))
    thetas = half(random, visits, 12) / np.sqrt(12)
    offered = offers(random, visits)
    expected = scores(factors, offered, thetas)
    rewards = expected + random.standard_normal(expected.shape)
    return World((3 * items).astype(np.float32), offered, expected, rewards,
                 model={'reduced_dim': 24})


def visitors(random, visits):
    """Visitors with features of their own, whose tastes change at half."""
    items = random.standard_normal((ITEMS, 6)) / np.sqrt(6)
    items = items.astype(np.float32)
    profiles = random.standard_normal((visits, 6)).astype(np.float32)
    of_all, of_one = random.standard_normal((2, 2, 6)) / np.sqrt(2)
    part = np.arange(visits) * 2 // visits
    thetas = of_all[part] + of_one[part] * profiles
    offered = offers(random, visits)
    expected = scores(items, offered, thetas)
    rewards = expected + random.standard_normal(expected.shape)
    return World(items, offered, expected, rewards, profiles,
                 {'interactions': 'matched'})


def problems():
    """Return all problems by name."""
    def of(kind, *values, **settings):
        return lambda random, visits: kind(random, visits, *values,
                                           **settings)

    every = [
        Problem('stationary', 'nothing changes', of(linear, constant)),
        Problem('abrupt', 'all changes at half', of(linear, half)),
        Problem('rotation', 'twenty arms; their rates move, four times',
                rotation),
        Problem('slow drift', 'a random walk, over 3,000 visits',
                of(linear, walk(3000))),
        Problem('fast drift', 'a random walk, over 500 visits',
                of(linear, walk(500))),
        Problem('partial', 'three of fifteen coordinates change, three times',
                of(linear, partly)),
        Problem('interlude', 'all is different for a tenth of the time',
                of(linear, interlude)),
        Problem('box', 'boxes of ten, clicks; nothing changes',
                of(clicks, constant, logistic(-3.5), offer=50, box=BOX), 0.2),
        Problem('box, abrupt', 'boxes of ten, clicks; all changes at half',
                of(clicks, half, logistic(-3.5), offer=50, box=BOX), 0.2),
        Problem('delay', 'rewards arrive in batches of 200; a change at half',
                of(linear, half, batch=BATCH)),
        Problem('sparse', 'clicks of 1 to 5 %; nothing changes',
                of(clicks, constant, sparse)),
        Problem('sparse, abrupt', 'clicks of 1 to 5 %; all changes at half',
                of(clicks, half, sparse)),
        Problem('rare', 'clicks of 1 %; nothing changes',
                of(clicks, constant, logistic(-5.1)), 2),
        Problem('box, rare', 'boxes of ten, clicks of 0.3 %; nothing changes',
                of(clicks, constant, logistic(-6.3), offer=50, box=BOX), 0.5),
        Problem('little noise', 'noise a tenth; all changes at half',
                of(linear, half, noise=0.1)),
        Problem('much noise', 'noise thrice; all changes at half',
                of(linear, half, noise=3)),
        Problem('heavy tails', 'purchases of lognormal amounts; a change',
                heavy),
        Problem('projection', '100 features reduced to 24; a change',
                projected),
        Problem('visitors', 'profiles; a change', visitors),
        Problem('large', '120 features, nothing changes',
                of(linear, constant, dim=120)),
        Problem('large, abrupt', '120 features, all changes at half',
                of(linear, half, dim=120)),
        Problem('small', 'two features, all changes nine times',
                of(linear, lambda *sizes: changes(*sizes, 10), dim=2)),
        Problem('level', 'all rewards move together, tastes do not change',
                of(linear, constant, level=walk(100)), has_bars=False)]
    return {problem.key: problem for problem in every}
