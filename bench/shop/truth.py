"""The simulated truth: products, customers and their tastes, hidden from the shop."""

import numpy as np

CATEGORIES = ('shoes', 'shirts', 'coats', 'bags', 'toys', 'books', 'lamps',
              'games')
COLOURS = ('red', 'blue', 'green', 'black', 'white', 'grey')
TAGS = ('sale', 'new', 'organic', 'wireless', 'handmade', 'gift')
BRANDS = 40
BOX, CAP = 10, 3
# Log-odds of a click: of an average product and customer, and standard
# deviations of the added effects
BASE = -5.2
POPULARITY, CATEGORY, BRAND, PRICE = 0.8, 1.0, 0.4, 0.5
PRICE_LEVEL = 0.6         # standard deviation of the logarithm of a preferred price
SEGMENTS, OWN = 12, 0.5   # fraction of these deviations that is individual
MAX_CHANCE = 0.5
BUYS, DAYS_TO_BUY = 0.2, 2.5
CANCELS, DAYS_TO_CANCEL = 0.2, 2


class Truth:
    """Products, customers and tastes.

    A taste for categories, brands and a price is the sum of a segment's taste
    and an individual one. On the day of the change the segments exchange their
    categories, and half of the products their popularity.
    """

    def __init__(self, random, products, customers, taste=CATEGORY, clicks=1):
        self._random = random
        self._clicks = clicks
        self._deviations = taste, BRAND, PRICE_LEVEL
        self.products = products
        self.brand_category = random.integers(len(CATEGORIES), size=BRANDS)
        self.brand = random.integers(BRANDS, size=products)
        stray = random.random(products) < 0.25
        self.category = np.where(
            stray, random.integers(len(CATEGORIES), size=products),
            self.brand_category[self.brand])
        level = random.normal(3.5, 0.7, len(CATEGORIES))
        self.price = np.round(np.exp(level[self.category] + random.normal(
            0, 0.6, products)), 2) + 1
        self.colour = random.integers(len(COLOURS), size=products)
        self.tags = random.random((products, len(TAGS))) < 0.2
        self.popularity = random.normal(0, POPULARITY, products)
        # relative frequency of impressions outside our lists, independent of popularity
        self.exposure = random.lognormal(0, 1, products)
        self._likes_category = self._taste(taste, len(CATEGORIES))
        self._likes_brand = self._taste(BRAND, BRANDS)
        self._likes_price = random.normal(3.5, PRICE_LEVEL, (SEGMENTS, 1))
        self.segment = np.zeros(0, int)
        self.activity = np.zeros(0)
        self._tastes = [np.zeros((0, size))
                        for size in (len(CATEGORIES), BRANDS, 1)]
        self.add_customers(customers)

    def _taste(self, deviation, size):
        """Draw the tastes of segments."""
        return self._random.normal(
            0, deviation * np.sqrt(1 - OWN ** 2), (SEGMENTS, size))

    def add_customers(self, count):
        """Add customers; return their numbers."""
        first = len(self.segment)
        random = self._random
        self.segment = np.append(self.segment,
                                 random.integers(SEGMENTS, size=count))
        self.activity = np.append(self.activity,
                                  random.lognormal(0, 1, count))
        for kind, deviation in enumerate(self._deviations):
            own = random.normal(0, OWN * deviation,
                                (count, self._tastes[kind].shape[1]))
            self._tastes[kind] = np.vstack([self._tastes[kind], own])
        return range(first, first + count)

    def change_taste(self):
        """Change the tastes of all segments and the popularity of products."""
        self._likes_category = np.roll(self._likes_category, 3, axis=0)
        moved = self._random.permutation(self.products)[:self.products // 2]
        self.popularity[moved] = self.popularity[np.roll(moved, 1)]

    def chances(self, customer):
        """Return click probabilities of all products, of one or several customers."""
        segment = self.segment[customer]
        category, brand, price = self._tastes
        category = category[customer] + self._likes_category[segment]
        brand = brand[customer] + self._likes_brand[segment]
        price = price[customer] + self._likes_price[segment]
        odds = (BASE + self.popularity + category[..., self.category]
                + brand[..., self.brand]
                + PRICE * (0.7 - np.abs(np.log(self.price) - price) ** 2))
        return self._clicks * np.minimum(1 / (1 + np.exp(-odds)), MAX_CHANCE)

    def best(self, chances, allowed):
        """Return the ten best products under the rules of the page."""
        return capped(np.argsort(-np.where(allowed, chances, -1),
                                 kind='stable'), self.brand)


def capped(order, brand):
    """Return the first ten of an order, at most three of a brand."""
    chosen, count = [], {}
    for product in order:
        if count.get(brand[product], 0) < CAP:
            count[brand[product]] = count.get(brand[product], 0) + 1
            chosen.append(product)
            if len(chosen) == BOX:
                break
    return np.array(chosen)
