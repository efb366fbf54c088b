"""Compare latent factors with the singular vectors of scipy.

Prints the Test Anything Protocol; exits with 1 if a test fails. Tests
simulated logs, and ratings of at least 4 if the argument is a MovieLens folder.
"""

import sys

import numpy as np
from scipy.sparse import csr_matrix, diags
from scipy.sparse.linalg import svds

from bench import movielens, server
from tap import run_checks

K = 32
BEHIND = 8                  # further directions, for the gaps behind them
MIN_GAP = 1.01              # ratio to the next singular value, for stable subspaces
ALLOWED_ANGLE = 0.03
ALLOWED_VALUE = 1e-3
ALLOWED_PRODUCT = 1e-6
MIN_CORRELATION = 0.9

USERS, ITEMS, CLICKS = 2000, 700, 50000
TASTES = 40

TABLE = """
CREATE TABLE click (number serial, user_id integer, item_id integer,
                    weight float8)"""
FACTORS = """
SELECT item_id, features
FROM   dlints_factors(%(query)s, %(k)s, %(previous)s, %(seed)s)
       AS f (item_id integer, features float8[])
ORDER  BY item_id"""
ALL = 'SELECT user_id, item_id, weight FROM click'


def check(tap, cursor):
    """Run all tests."""
    cursor.execute(TABLE)
    random = np.random.default_rng(12)
    clicks = made_up(random)
    ones = np.ones(len(clicks))
    check_log(tap, cursor, 'made up', clicks, ones)
    check_refit(tap, cursor, random, 'made up')
    check_log(tap, cursor, 'made up, weights', clicks,
              np.exp(random.standard_normal(len(clicks))))
    few = clicks[random.random(len(clicks)) < 0.1]
    check_log(tap, cursor, 'made up, a tenth', few, np.ones(len(few)))
    for folder in sys.argv[1:]:
        ratings = movielens.read_folder(folder)[0]
        ratings = ratings[ratings['rating'] >= 4]
        ratings = ratings[np.argsort(ratings['time'], kind='stable')]
        clicks = np.column_stack([ratings['user'], ratings['movie']])
        check_log(tap, cursor, folder, clicks, np.ones(len(clicks)))
        check_refit(tap, cursor, random, folder)


def made_up(random):
    """Return clicks (user, item) of users with tastes and popular items."""
    taste = random.integers(TASTES, size=USERS)
    theme = random.integers(TASTES, size=ITEMS)
    popularity = np.arange(1, ITEMS + 1) ** -0.8
    liked = 1 + 12 * random.random(TASTES)
    users = random.integers(USERS, size=CLICKS)
    chances = np.array([popularity * np.where(theme == t, liked[t], 1)
                        for t in range(TASTES)])
    chances = chances.cumsum(axis=1) / chances.sum(axis=1, keepdims=True)
    items = [np.searchsorted(chances[taste[user]], random.random())
             for user in users]
    return np.column_stack([users, items])


def check_log(tap, cursor, words, clicks, weights):
    """Compare the vectors of a log with those of scipy."""
    load(cursor, clicks, weights)
    items, vectors = ask(cursor, ALL)
    expected_items, values, expected = decompose(clicks, weights)
    tap.ok(np.array_equal(items, expected_items), f'{words}: the items are those of the log')

    lengths = np.linalg.norm(vectors, axis=0)
    found = np.linalg.norm(scale(clicks, weights) @ vectors, axis=0) / lengths
    gaps = values[:-1] / values[1:]
    leading = [j for j in range(1, K + 1) if gaps[j - 1] > MIN_GAP]
    angles = {j: angle(expected[:, :j], vectors[:, :j] / lengths[:j])
              for j in leading}
    worst = max(angles, key=angles.get)
    print(f'# {words}: {len(clicks)} clicks, {len(items)} items, '
          f'{len(leading)} subspaces of up to {leading[-1]} directions '
          f'followed by a gap; sines of angles up to '
          f'{angles[worst]:.1e} (at {worst}), singular values off by '
          f'{np.abs(found / values[:K] - 1).max():.1e}')
    tap.ok(angles[worst] < ALLOWED_ANGLE, f'{words}: the leading subspaces are those of scipy',
           f'{angles}')
    tap.ok(np.abs(found / values[:K] - 1).max() < ALLOWED_VALUE,
           f'{words}: the singular values are those of scipy', f'{found} {values}')
    tap.ok(abs((vectors ** 2).sum() / len(items) - 1) < 1e-12,
           f'{words}: the mean square length of the vectors is 1')

    # Compare the subspace with the largest gap: singular vectors within it are not unique.
    clear = leading[int(np.argmax([gaps[j - 1] for j in leading[1:]])) + 1]
    products = vectors[:, :clear] @ vectors[:, :clear].T
    wanted = expected[:, :clear] * np.sqrt(len(items) / K)
    tap.ok(np.abs(products - wanted @ wanted.T).max() < 1e-3,
           f'{words}: V V\' of the first {clear} directions is that of scipy')

    shuffled = ask(cursor, ALL + ' ORDER BY random()')[1]
    tap.ok(np.abs(shuffled - vectors).max() < ALLOWED_PRODUCT,
           f'{words}: the vectors do not depend on the order of clicks',
           f'{np.abs(shuffled - vectors).max()}')
    other = ask(cursor, ALL, seed=5)[1]
    difference = angle(vectors[:, :clear] / lengths[:clear],
                       other[:, :clear] / np.linalg.norm(other, axis=0)[:clear])
    tap.ok(difference < ALLOWED_ANGLE, f'{words}: the subspace does not depend on the seed',
           f'{difference}')


def check_refit(tap, cursor, random, words):
    """Compare predictions before and after a refit on a longer log."""
    old_items, old = ask(cursor, ALL + ' WHERE number % 5 > 0')
    cursor.execute('DROP TABLE IF EXISTS item; CREATE TABLE item '
                   '(id integer, features real[])')
    server.copy(cursor, 'item', zip(old_items.tolist(), old.tolist()))
    weights = random.standard_normal((K, 100))
    correlations = {}
    for name, previous in (('refit', 'SELECT id, features FROM item'),
                           ('raw', None)):
        items, vectors = ask(cursor, ALL, previous, seed=1)
        common = vectors[np.searchsorted(items, old_items)]
        correlations[name] = np.mean(
            [np.corrcoef(old @ w, common @ w)[0, 1] for w in weights.T])
        if name == 'refit':
            tap.ok(abs((common ** 2).sum() / (old ** 2).sum() - 1) < 1e-5,
                   f'{words}: vectors of old items keep their length after a refit')
    print(f'# {words}: predictions after a refit on a log that has grown by '
          f'a quarter correlate with those before by '
          f'{correlations["refit"]:.3f}, {correlations["raw"]:.3f} raw')
    tap.ok(correlations['refit'] > MIN_CORRELATION,
           f'{words}: predictions before and after a refit are correlated', f'{correlations}')


def load(cursor, clicks, weights):
    """Fill the table."""
    cursor.execute('TRUNCATE click')
    server.copy(cursor, 'click (user_id, item_id, weight)',
                ((*click, weight) for click, weight
                 in zip(clicks.tolist(), weights.tolist())))


def ask(cursor, query, previous=None, seed=0):
    """Return (items, their vectors) by SQL."""
    cursor.execute(FACTORS, {'query': query, 'k': K, 'previous': previous,
                             'seed': seed})
    rows = cursor.fetchall()
    return np.array([row[0] for row in rows]), np.array([row[1]
                                                         for row in rows])


def decompose(clicks, weights):
    """Return (items, singular values, singular vectors) by scipy."""
    scaled = scale(clicks, weights)
    start = np.ones(min(scaled.shape))
    _, values, vectors = svds(scaled, k=K + BEHIND, v0=start)
    order = np.argsort(-values)
    return np.unique(clicks[:, 1]), values[order], vectors[order].T


def scale(clicks, weights):
    """Return users by items, rows and columns divided by roots of sums."""
    users, rows = np.unique(clicks[:, 0], return_inverse=True)
    items, columns = np.unique(clicks[:, 1], return_inverse=True)
    matrix = csr_matrix((weights, (rows, columns)),
                        shape=(len(users), len(items)))
    by_user, by_item = (np.asarray(matrix.sum(axis=axis)).ravel()
                        for axis in (1, 0))
    return diags(by_user ** -0.5) @ matrix @ diags(by_item ** -0.25)


def angle(left, right):
    """Return the sine of the largest angle between two subspaces."""
    rest = right - left @ (left.T @ right)
    return np.linalg.norm(rest, ord=2)


run_checks(check)
