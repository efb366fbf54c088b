"""A made-up catalogue, for where no data is to be had.

It follows the reward model of the D-LinTS-RP paper, where the liking of an
item is linear in its features x, and gives each user a taste u of her own:
r = x'theta + x'u + noise. The highest tenth of all likings are clicks. At the
change of taste theta becomes another one; u stays.
"""

import numpy as np

from bench.demo.catalogue import Catalogue
from bench.factors import unit_rows
from bench.movielens import RATING, Movie

USERS = 600
ITEMS = 1000
FEATURES = 10
NOISE = 0.2
CLICK_SHARE = 0.1


def catalogue(seed):
    """Return a Catalogue of ITEMS made-up items."""
    random = np.random.default_rng(seed)
    features = unit_rows(random.normal(size=(ITEMS, FEATURES)))
    tastes = unit_rows(random.normal(size=(USERS, FEATURES)))
    liked, liked_later = (_clicks(features, tastes, random) for _ in range(2))
    return Catalogue(
        'simulated items',
        [Movie(item, f'Item {item}', []) for item in range(1, ITEMS + 1)],
        features, _ratings(liked), np.arange(1, USERS + 1),
        tastes, liked, liked_later,
        'what all users like in an item becomes something else, what\n'
        'each user likes besides stays')


def _clicks(features, tastes, random):
    """Return who clicks what under a random theta."""
    theta = unit_rows(random.normal(size=(1, FEATURES)))[0]
    noise = random.normal(scale=NOISE, size=(USERS, ITEMS))
    liking = features @ theta + tastes @ features.T + noise
    return liking > np.quantile(liking, 1 - CLICK_SHARE)


def _ratings(liked):
    """Return a rating of 1 for each click."""
    users, items = np.nonzero(liked)
    ratings = np.zeros(len(users), dtype=RATING)
    ratings['user'] = users + 1
    ratings['movie'] = items + 1
    ratings['rating'] = 1
    return ratings
