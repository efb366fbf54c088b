"""Worlds with a long tail: items with columns, people, and who clicked what."""

from datetime import datetime, timedelta, timezone

import numpy as np

from bench import movielens
from bench.opponents import one_hot

DAYS = 60
ASKED = 150             # people whose lists are looked at
SESSIONS = 1, 4, 10     # clicks of those that are not known


class World:
    """Items, people and a log of clicks.

    A person comes as often as it is active, and sees items as often as they
    are exposed.
    """

    lately = 14         # days in which one would ask what was clicked most

    @property
    def kinds(self):
        """Return how much of which category items are."""
        return one_hot(self.category)

    def log(self, random, clicks, exposure, activity):
        """Let people come until there are so many clicks."""
        items, people = np.cumsum(exposure), np.cumsum(activity)
        found = []
        while sum(map(len, found)) < clicks:
            seen = 200000
            person = np.searchsorted(people / people[-1], random.random(seen))
            item = np.searchsorted(items / items[-1], random.random(seen))
            day = random.random(seen) * DAYS
            clicked = random.random(seen) < self.then(person, item, day)
            found.append(np.column_stack([person, item, day])[clicked])
        found = np.concatenate(found)[:clicks]
        found = found[np.argsort(found[:, 2])]
        self.clicks, self.days = found[:, :2].astype(int), found[:, 2]
        self.ask(random, lambda count: np.searchsorted(
            items / items[-1], random.random(count)))

    def ask(self, random, show):
        """Choose people to ask for, and what they click in one visit."""
        known = np.unique(self.clicks[:, 0])
        self.known = random.choice(known, min(ASKED, len(known)), False)
        self.sessions = {
            length: [(person, self.session(random, person, show, length))
                     for person in self.known] for length in SESSIONS}

    def session(self, random, person, show, length):
        """Return what a person clicks of what is shown."""
        found = []
        while len(found) < length:
            item = show(5000)
            chance = self.chance(np.full(5000, person), item)
            found += item[random.random(5000) < chance].tolist()
        return found[:length]

    def then(self, person, item, day):
        """Return how likely people clicked items on days of the log."""
        return self.chance(person, item)

    def earned(self, person, items):
        """Return how many clicks a list may expect."""
        return self.chance(np.full(len(items), person), np.array(items)).sum()


def logistic(odds):
    """Return the chance of these odds' logarithm."""
    return 1 / (1 + np.exp(-odds))


def choose(random, people, values, each):
    """Return which of the values each of the people likes."""
    likes = np.zeros((people, values), bool)
    order = random.random(likes.shape).argsort(axis=1)[:, :each]
    np.put_along_axis(likes, order, True, axis=1)
    return likes


class Taste(World):
    """People like three categories; what is shown has nothing to do with it."""

    def __init__(self, seed, categories, clicks, items=3000, people=1000):
        random = np.random.default_rng(seed)
        self.category = random.integers(categories, size=items)
        self._likes = choose(random, people, categories, 3)
        self._own = random.normal(0, 0.3, (people, items)).astype('f4')
        self.columns = {'category': ('text', [f'c{c}' for c in self.category])}
        self.log(random, clicks, random.lognormal(0, 1, items),
                 random.lognormal(0, 1, people))

    def chance(self, person, item):
        """Return how likely people click items."""
        return logistic(-4 + 2.5 * self._likes[person, self.category[item]]
                        + self._own[person, item])


class Turning(World):
    """People like three categories for some time, and then three others."""

    def __init__(self, seed, clicks=20000, items=3000, people=1000, days=20):
        random = np.random.default_rng(seed)
        self.category = random.integers(40, size=items)
        turns = 4 * DAYS // days
        self._likes = np.array([choose(random, people, 40, 3)
                                for _ in range(turns + 1)])
        self._until = np.cumsum(random.exponential(days, (people, turns)), 1)
        self.columns = {'category': ('text', [f'c{c}' for c in self.category])}
        self.log(random, clicks, random.lognormal(0, 1, items),
                 random.lognormal(0, 1, people))

    def then(self, person, item, day):
        """Return how likely people clicked items on days of the log."""
        turn = (self._until[person] < np.reshape(day, (-1, 1))).sum(axis=1)
        return logistic(
            -4 + 2.5 * self._likes[turn, person, self.category[item]])

    def chance(self, person, item):
        """Return how likely people click items at the end of the log."""
        return self.then(person, item, np.full(len(item), DAYS))


class Market(World):
    """Second-hand goods: categories, brands, conditions, prices, a long tail."""

    def __init__(self, seed, clicks=30000, items=6000, people=2000):
        random = np.random.default_rng(seed)
        share = np.arange(1, 41) ** -0.7
        self.category = random.choice(40, items, p=share / share.sum())
        share = np.arange(1, 61) ** -0.7
        self._brand = random.choice(60, items, p=share / share.sum())
        self._price = random.lognormal(3.5, 0.8, items)
        self._good = random.normal(0, 0.5, items)
        self._likes = choose(random, people, 40, 3)
        self._brands = random.normal(0, 0.6, (people, 60))
        self._pays = random.normal(3.5, 0.6, people)
        self.columns = {
            'category': ('text', [f'c{c}' for c in self.category]),
            'brand': ('text', [f'b{b}' for b in self._brand]),
            'condition': ('text', [f's{s}' for s in
                                   random.integers(4, size=items)]),
            'price': ('numeric', self._price.round(2))}
        self.log(random, clicks, random.lognormal(0, 1.2, items),
                 random.lognormal(0, 1, people))

    def chance(self, person, item):
        """Return how likely people click items."""
        far = np.abs(np.log(self._price[item]) - self._pays[person])
        return logistic(-4.5 + 2.5 * self._likes[person, self.category[item]]
                        + self._brands[person, self._brand[item]]
                        + self._good[item] - 0.5 * far)


class Quality(World):
    """What is popular is good: all is shown as often; one weak column."""

    def __init__(self, seed, items=2000, taste=0.3, clicks=20000, people=1500):
        random = np.random.default_rng(seed)
        self._good = random.normal(0, 1.2, items)
        self._is = random.normal(0, 1, (items, 16))
        self._wants = random.normal(0, taste, (people, 16))
        self.category = (self._is[:, 0] > 0) + 2 * random.integers(2, size=items)
        self.columns = {'kind': ('text', [f'k{k}' for k in self.category])}
        self.log(random, clicks, np.ones(items), random.lognormal(0, 1, people))

    def chance(self, person, item):
        """Return how likely people click items."""
        return logistic(-4 + self._good[item]
                        + (self._wants[person] * self._is[item]).sum(axis=1))


class News(World):
    """Articles that live a day: a hundred a day, topics, and a clock."""

    lately = 0.25
    HOURS = 10          # an article is shown for, on average

    def __init__(self, seed, clicks=30000, items=2000, people=1500, days=20):
        random = np.random.default_rng(seed)
        self.category = random.integers(12, size=items)
        self._age = np.sort(random.random(items) * days)[::-1]
        self._good = random.normal(0, 0.8, items)
        self._likes = choose(random, people, 12, 3)
        now = datetime.now(timezone.utc)
        self.columns = {
            'topic': ('text', [f't{c}' for c in self.category]),
            'published': ('timestamptz', [
                str(now - timedelta(days=age)) for age in self._age])}
        active = np.cumsum(random.lognormal(0, 1, people))
        exposed = random.lognormal(0, 1, items)

        def show(count, ago=0):
            """Return articles that were on the front page days ago."""
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
            person = np.searchsorted(active / active[-1],
                                     random.random(len(item)))
            clicked = random.random(len(item)) < self.chance(
                person, item, self._ago)
            found.append(np.column_stack([person, item])[clicked])
            at.append(self._ago[clicked])
        order = np.argsort(-np.concatenate(at)[:clicks])
        self.clicks = np.concatenate(found)[:clicks][order]
        self.days = DAYS - np.concatenate(at)[:clicks][order]
        self.ask(random, show)

    def chance(self, person, item, ago=0):
        """Return how likely people clicked articles so many days ago."""
        age = np.maximum(self._age[item] - ago, 0)
        return logistic(-3.5 + 2.5 * self._likes[person, self.category[item]]
                        + self._good[item] - 1.5 * age)


class Films:
    """MovieLens: what people rated first, and what they rated then."""

    lately = 14

    def __init__(self, ratings, movies):
        ratings = ratings[np.argsort(ratings['time'], kind='stable')]
        people, person = np.unique(ratings['user'], return_inverse=True)
        films, item = np.unique(ratings['movie'], return_inverse=True)
        turn, count = np.zeros(len(item), int), np.zeros(len(people), int)
        for place, who in enumerate(person):
            turn[place] = count[who]
            count[who] += 1
        then = self.is_then(turn, count[person])
        self.clicks = np.column_stack([person, item])[~then]
        self.days = (ratings['time'][~then] - ratings['time'].max()) / 86400
        self.days += DAYS
        genres = [movies[film].genres for film in films]
        self.columns = {'genres': ('text[]', genres)}
        self.kinds = np.array([[kind in own for kind in movielens.GENRES]
                               for own in genres], float)
        self.then = [set(item[then & (person == who)])
                      for who in range(len(people))]
        self.known = np.arange(len(people))
        self.sessions = {}

    def is_then(self, turn, count):
        """Say which of their films people rated then."""
        return turn >= 0.8 * count

    def earned(self, person, items):
        """Return how many of a list this person rated then."""
        return len(self.then[person].intersection(items))


def worlds(folder):
    """Return {name: world of a seed}."""
    made = {'taste 12, 8,000': lambda seed: Taste(seed, 12, 8000),
            'taste 40, 1,000': lambda seed: Taste(seed, 40, 1000),
            'taste 40, 8,000': lambda seed: Taste(seed, 40, 8000),
            'taste 40, 50,000': lambda seed: Taste(seed, 40, 50000),
            'taste 150, 50,000': lambda seed: Taste(seed, 150, 50000),
            'turning': Turning, 'market': Market, 'quality': Quality,
            'sparse': lambda seed: Quality(seed, 20000, 0), 'news': News}
    if folder:
        made['MovieLens'] = lambda seed: Films(*movielens.read_folder(folder))
    return made
