"""Simulated worlds with a long tail: items with columns, users and click logs."""

from datetime import datetime, timedelta, timezone

import numpy as np

from bench import movielens
from bench.opponents import one_hot

DAYS = 60
ASKED = 150             # users whose lists are compared
SESSIONS = 1, 4, 10     # clicks of unknown users


class World:
    """Items, users and a log of clicks.

    Visits are proportional to a user's activity, and impressions to an item's
    exposure.
    """

    lately = 14         # days of clicks of the list "lately"

    @property
    def kinds(self):
        """Return the weight of each category for each item."""
        return one_hot(self.category)

    def log(self, random, clicks, exposure, activity):
        """Simulate visits until the log has a given number of clicks."""
        items, users = np.cumsum(exposure), np.cumsum(activity)
        found = []
        while sum(map(len, found)) < clicks:
            seen = 200000
            user = np.searchsorted(users / users[-1], random.random(seen))
            item = np.searchsorted(items / items[-1], random.random(seen))
            day = random.random(seen) * DAYS
            clicked = random.random(seen) < self.then(user, item, day)
            found.append(np.column_stack([user, item, day])[clicked])
        found = np.concatenate(found)[:clicks]
        found = found[np.argsort(found[:, 2])]
        self.clicks, self.days = found[:, :2].astype(int), found[:, 2]
        self.ask(random, lambda count: np.searchsorted(
            items / items[-1], random.random(count)))

    def ask(self, random, show):
        """Choose users to compare lists for, and their clicks in one visit."""
        known = np.unique(self.clicks[:, 0])
        self.known = random.choice(known, min(ASKED, len(known)), False)
        self.sessions = {
            length: [(user, self.session(random, user, show, length))
                     for user in self.known] for length in SESSIONS}

    def session(self, random, user, show, length):
        """Return a user's first clicks in one visit."""
        found = []
        while len(found) < length:
            item = show(5000)
            chance = self.chance(np.full(5000, user), item)
            found += item[random.random(5000) < chance].tolist()
        return found[:length]

    def then(self, user, item, day):
        """Return click probabilities on days of the log."""
        return self.chance(user, item)

    def reward(self, user, items):
        """Return the expected clicks of a list."""
        return self.chance(np.full(len(items), user), np.array(items)).sum()


def logistic(odds):
    """Return the probability with given log-odds."""
    return 1 / (1 + np.exp(-odds))


def choose(random, users, values, each):
    """Draw the values that each user likes."""
    likes = np.zeros((users, values), bool)
    order = random.random(likes.shape).argsort(axis=1)[:, :each]
    np.put_along_axis(likes, order, True, axis=1)
    return likes


class Taste(World):
    """Users like three categories; impressions do not depend on them."""

    def __init__(self, seed, categories, clicks, items=3000, users=1000):
        random = np.random.default_rng(seed)
        self.category = random.integers(categories, size=items)
        self._likes = choose(random, users, categories, 3)
        self._own = random.normal(0, 0.3, (users, items)).astype('f4')
        self.columns = {'category': ('text', [f'c{c}' for c in self.category])}
        self.log(random, clicks, random.lognormal(0, 1, items),
                 random.lognormal(0, 1, users))

    def chance(self, user, item):
        """Return click probabilities."""
        return logistic(-4 + 2.5 * self._likes[user, self.category[item]]
                        + self._own[user, item])


class Turning(World):
    """Users like three categories for some time, and then three others."""

    def __init__(self, seed, clicks=20000, items=3000, users=1000, days=20):
        random = np.random.default_rng(seed)
        self.category = random.integers(40, size=items)
        turns = 4 * DAYS // days
        self._likes = np.array([choose(random, users, 40, 3)
                                for _ in range(turns + 1)])
        self._until = np.cumsum(random.exponential(days, (users, turns)), 1)
        self.columns = {'category': ('text', [f'c{c}' for c in self.category])}
        self.log(random, clicks, random.lognormal(0, 1, items),
                 random.lognormal(0, 1, users))

    def then(self, user, item, day):
        """Return click probabilities on days of the log."""
        turn = (self._until[user] < np.reshape(day, (-1, 1))).sum(axis=1)
        return logistic(
            -4 + 2.5 * self._likes[turn, user, self.category[item]])

    def chance(self, user, item):
        """Return click probabilities at the end of the log."""
        return self.then(user, item, np.full(len(item), DAYS))


class Market(World):
    """Second-hand goods: categories, brands, conditions, prices, a long tail."""

    def __init__(self, seed, clicks=30000, items=6000, users=2000):
        random = np.random.default_rng(seed)
        share = np.arange(1, 41) ** -0.7
        self.category = random.choice(40, items, p=share / share.sum())
        share = np.arange(1, 61) ** -0.7
        self._brand = random.choice(60, items, p=share / share.sum())
        self._price = random.lognormal(3.5, 0.8, items)
        self._good = random.normal(0, 0.5, items)
        self._likes = choose(random, users, 40, 3)
        self._brands = random.normal(0, 0.6, (users, 60))
        self._pays = random.normal(3.5, 0.6, users)
        self.columns = {
            'category': ('text', [f'c{c}' for c in self.category]),
            'brand': ('text', [f'b{b}' for b in self._brand]),
            'condition': ('text', [f's{s}' for s in
                                   random.integers(4, size=items)]),
            'price': ('numeric', self._price.round(2))}
        self.log(random, clicks, random.lognormal(0, 1.2, items),
                 random.lognormal(0, 1, users))

    def chance(self, user, item):
        """Return click probabilities."""
        far = np.abs(np.log(self._price[item]) - self._pays[user])
        return logistic(-4.5 + 2.5 * self._likes[user, self.category[item]]
                        + self._brands[user, self._brand[item]]
                        + self._good[item] - 0.5 * far)


class Quality(World):
    """Popularity is quality: equal exposure of all items, and one weak column."""

    def __init__(self, seed, items=2000, taste=0.3, clicks=20000, users=1500):
        random = np.random.default_rng(seed)
        self._good = random.normal(0, 1.2, items)
        self._is = random.normal(0, 1, (items, 16))
        self._wants = random.normal(0, taste, (users, 16))
        self.category = (self._is[:, 0] > 0) + 2 * random.integers(2, size=items)
        self.columns = {'kind': ('text', [f'k{k}' for k in self.category])}
        self.log(random, clicks, np.ones(items), random.lognormal(0, 1, users))

    def chance(self, user, item):
        """Return click probabilities."""
        return logistic(-4 + self._good[item]
                        + (self._wants[user] * self._is[item]).sum(axis=1))


class Dense(World):
    """Few items, which differ in quality and in a latent taste; no columns matter.

    Items can be added that the log does not have.
    """

    def __init__(self, seed, clicks=20000, items=200, users=600, base=-1, added=0, quality=0,
                 size=8):
        random = np.random.default_rng(seed)
        self._base = base
        self._good = random.normal(0, 0.7, items)
        self._is = random.normal(0, 1, (items, size))
        self._wants = random.normal(0, size ** -0.5, (users, size))
        self.category = np.zeros(items, int)
        self.columns = {'kind': ('text', ['k'] * items)}
        self.log(random, clicks, np.ones(items), random.lognormal(0, 0.7, users))
        self.old, self.items = items, items + added
        self._good = np.append(self._good, random.normal(quality, 0.3, added))
        self._is = np.concatenate([self._is, random.normal(0, 1, (added, size))])

    def chance(self, user, item):
        """Return click probabilities."""
        return logistic(self._base + self._good[item]
                        + (self._wants[user] * self._is[item]).sum(axis=1))


class News(World):
    """Articles of a day: a hundred per day, with topics."""

    lately = 0.25
    HOURS = 10          # mean time on the front page

    def __init__(self, seed, clicks=30000, items=2000, users=1500, days=20):
        random = np.random.default_rng(seed)
        self.category = random.integers(12, size=items)
        self._age = np.sort(random.random(items) * days)[::-1]
        self._good = random.normal(0, 0.8, items)
        self._likes = choose(random, users, 12, 3)
        now = datetime.now(timezone.utc)
        self.columns = {
            'topic': ('text', [f't{c}' for c in self.category]),
            'published': ('timestamptz', [
                str(now - timedelta(days=age)) for age in self._age])}
        active = np.cumsum(random.lognormal(0, 1, users))
        exposed = random.lognormal(0, 1, items)

        def show(count, ago=0):
            """Draw articles from the front page a number of days ago."""
            age = ago + random.exponential(self.HOURS / 24, 9 * count)
            item = np.searchsorted(-self._age, -np.minimum(age, days), 'right')
            item = np.minimum(item, items - 1)
            ago = np.broadcast_to(ago, age.shape)
            seen = random.random(age.size) < exposed[item] / 8
            seen &= self._age[item] >= ago
            self._ago = ago[seen][:count]
            return item[seen][:count]

        found, at = [], []
        while sum(map(len, found)) < clicks:
            item = show(20000, random.random(9 * 20000) * days)
            user = np.searchsorted(active / active[-1],
                                     random.random(len(item)))
            clicked = random.random(len(item)) < self.chance(
                user, item, self._ago)
            found.append(np.column_stack([user, item])[clicked])
            at.append(self._ago[clicked])
        order = np.argsort(-np.concatenate(at)[:clicks])
        self.clicks = np.concatenate(found)[:clicks][order]
        self.days = DAYS - np.concatenate(at)[:clicks][order]
        self.ask(random, show)

    def chance(self, user, item, ago=0):
        """Return click probabilities a number of days ago."""
        age = np.maximum(self._age[item] - ago, 0)
        return logistic(-3.5 + 2.5 * self._likes[user, self.category[item]]
                        + self._good[item] - 1.5 * age)


class Films:
    """MovieLens: the first ratings of users as a log, and the later ones as clicks."""

    lately = 14

    def __init__(self, ratings, movies):
        ratings = ratings[np.argsort(ratings['time'], kind='stable')]
        users, user = np.unique(ratings['user'], return_inverse=True)
        films, item = np.unique(ratings['movie'], return_inverse=True)
        turn, count = np.zeros(len(item), int), np.zeros(len(users), int)
        for row, one in enumerate(user):
            turn[row] = count[one]
            count[one] += 1
        then = self.is_then(turn, count[user])
        self.clicks = np.column_stack([user, item])[~then]
        self.days = (ratings['time'][~then] - ratings['time'].max()) / 86400
        self.days += DAYS
        genres = [movies[film].genres for film in films]
        self.columns = {'genres': ('text[]', genres)}
        self.kinds = np.array([[kind in own for kind in movielens.GENRES]
                               for own in genres], float)
        self.then = [set(item[then & (user == one)])
                      for one in range(len(users))]
        self.known = np.arange(len(users))
        self.sessions = {}

    def is_then(self, turn, count):
        """Return which ratings of users are the later ones."""
        return turn >= 0.8 * count

    def reward(self, user, items):
        """Return the number of films in a list that the user rated later."""
        return len(self.then[user].intersection(items))


def worlds(folder):
    """Return {name: function of a seed that makes a world}."""
    made = {'taste 12, 8,000': lambda seed: Taste(seed, 12, 8000),
            'taste 40, 1,000': lambda seed: Taste(seed, 40, 1000),
            'taste 40, 8,000': lambda seed: Taste(seed, 40, 8000),
            'taste 40, 50,000': lambda seed: Taste(seed, 40, 50000),
            'taste 150, 50,000': lambda seed: Taste(seed, 150, 50000),
            'turning': Turning, 'market': Market, 'quality': Quality,
            'sparse': lambda seed: Quality(seed, 20000, 0), 'dense': Dense,
            'news': News}
    if folder:
        made['MovieLens'] = lambda seed: Films(*movielens.read_folder(folder))
    return made
