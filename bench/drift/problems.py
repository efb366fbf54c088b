"""The simulated problems: offered items and their rewards.

By default a catalogue has 500 items with 15 features, and each visit offers 20
random items. Rewards are linear in the features, with mean 0 and variance 1 over
the items, and noise of variance 1.
"""

import re
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse.linalg import svds

from bench.movielens import most_rated, read_folder
from bench.paper.datasets import rating_matrix

ITEMS = 500
OFFERED = 20
DIM = 15
BOX = 10
BATCH = 200
DELAY, LEARN = 200, 20  # visits: mean delay, and interval of training
LEVELS = 4              # standard deviation of a common level of rewards


@dataclass
class World:
    """Visits with offered items and rewards."""

    items: np.ndarray           # one row of features for each item
    offered: np.ndarray         # visits x positions: numbers of items
    expected: np.ndarray        # visits x positions: mean rewards
    rewards: np.ndarray         # visits x positions: observed if shown
    profiles: np.ndarray = None     # one row for each visit
    model: dict = field(default_factory=dict)   # sizes for dlints_new
    box: int = 1                # impressions of a visit
    batch: int = 1              # visits between trainings
    delays: np.ndarray = 0      # visits until rewards are reported


@dataclass
class Problem:
    """One problem; make(random, visits) returns a World."""

    key: str
    about: str
    make: callable
    share: float = 1            # of the number of visits
    group: str = ''             # LEVEL and LATE have no bars


LEVEL, LATE = 'level', 'late'


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


def late(random, visits, kind, *values):
    """Return a World with random delays of rewards."""
    world = kind(random, visits, *values, batch=LEARN)
    world.delays = random.exponential(DELAY, visits).astype(int)
    return world


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


# MovieLens

FACTORS = 10
MOVIES = 1000
LIKED = 4
SHOWN_LIKED = 4


def movies(folder, change):
    """Return a function that makes the World of a MovieLens folder.

    Movies have factors from the ratings of half of the users; the others come
    in random order. Half of the ratings of each are the history, which makes the
    profile; the user clicks movies among the rest with a rating of 4 or more.
    Each visit offers four of these movies, and sixteen that the user has not
    rated. With a change, users click older movies first, and newer ones later.
    """
    ratings, catalogue = read_folder(folder)
    top = most_rated(ratings['movie'], MOVIES)
    ratings = ratings[np.isin(ratings['movie'], top)]
    older = older_half([catalogue[movie] for movie in top])

    def make(random, visits):
        users = random.permutation(np.unique(ratings['user']))
        others, coming = np.array_split(users, 2)
        known = ratings[np.isin(ratings['user'], others)]
        vectors = item_factors(rating_matrix(
            others, top, known['user'], known['movie'], known['rating']))
        visited = ratings[np.isin(ratings['user'], coming)]
        stars = rating_matrix(coming, top, visited['user'], visited['movie'],
                              visited['rating']).toarray()
        history = (stars > 0) & (random.random(stars.shape) < 0.5)
        liked = (stars >= LIKED) & ~history
        taste = (stars - 3) * history @ vectors
        taste /= np.sqrt(np.mean(taste ** 2))
        return stream(random, visits, vectors, taste, stars, liked)

    def stream(random, visits, vectors, taste, stars, liked):
        wanted = [liked & older, liked & ~older] if change else [liked]
        coming = np.flatnonzero(
            np.all([part.sum(axis=1) >= SHOWN_LIKED for part in wanted],
                   axis=0))
        guests = random.choice(coming, visits)
        offered = np.empty((visits, OFFERED), dtype=int)
        order = random.random(offered.shape).argsort(axis=1)
        expected = (order < SHOWN_LIKED).astype(float)
        for visit, guest in enumerate(guests):
            clicked = wanted[visit * len(wanted) // visits][guest]
            offered[visit] = np.concatenate([
                random.choice(np.flatnonzero(clicked), SHOWN_LIKED, False),
                random.choice(np.flatnonzero(stars[guest] == 0),
                              OFFERED - SHOWN_LIKED, False)])[order[visit]]
        pairs, number = np.unique(guests[:, None] * len(top) + offered,
                                  return_inverse=True)
        user, movie = np.divmod(pairs, len(top))
        both = vectors[movie] * taste[user]
        features = np.column_stack([vectors[movie], both, both.sum(axis=1)])
        return World(features.astype(np.float32),
                     number.reshape(offered.shape), expected, expected)

    return make


def older_half(movies):
    """Return the older half of movies, by the year in their titles."""
    years = [re.findall(r'\((\d{4})', movie.title) for movie in movies]
    oldest_first = np.argsort([int(found[-1]) if found else 0
                               for found in years], kind='stable')
    older = np.zeros(len(movies), dtype=bool)
    older[oldest_first[:len(movies) // 2]] = True
    return older


def item_factors(matrix):
    """Return factors of items, scaled to a root mean square length of 1."""
    start = np.ones(min(matrix.shape))
    _, values, right = svds(matrix, k=FACTORS, v0=start)
    vectors = right.T * np.sqrt(values)
    return vectors / np.sqrt(np.mean(np.sum(vectors ** 2, axis=1)))


def problems(folder):
    """Return all problems by name, those of MovieLens only with a folder."""
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
                of(linear, constant, level=walk(100)), group=LEVEL)]
    every += [
        Problem(f'late, {name}', about, of(late, *values), group=LATE)
        for name, about, *values in (
            ('stationary', 'nothing changes', linear, constant),
            ('abrupt', 'all changes at half', linear, half),
            ('slow drift', 'a random walk, over 3,000 visits', linear,
             walk(3000)),
            ('fast drift', 'a random walk, over 500 visits', linear,
             walk(500)),
            ('sparse', 'clicks of 1 to 5 %; nothing changes', clicks,
             constant, sparse),
            ('sparse, abrupt', 'clicks of 1 to 5 %; all changes at half',
             clicks, half, sparse))]
    if folder:
        every += [
            Problem('MovieLens', 'visitors in a random order',
                    movies(folder, False)),
            Problem('MovieLens, abrupt',
                    'clicks on older movies, then on newer ones',
                    movies(folder, True))]
    return {problem.key: problem for problem in every}
