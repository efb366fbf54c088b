"""Baselines: other ways to make lists from a click log, and lists of films."""

import numpy as np
from scipy.sparse import csr_matrix, diags
from scipy.sparse.linalg import svds

# Baselines in a few lines of SQL; the recommender must be at least as good
SIMPLE = 'popular', 'lately', 'your categories', 'cosine'
EASE_RIDGE = 200


def opponents(clicks, items, kinds=None, late=None):
    """Return {name: function that scores all items, given clicks per item}.

    `clicks` are rows (user, item), and `late` those of recent clicks. `kinds`
    has a row of weights of categories for each item.
    """
    log = csr_matrix((np.ones(len(clicks)), clicks.T),
                     (clicks[:, 0].max() + 1, items))
    popular = np.asarray(log.sum(axis=0)).ravel()
    found = {'popular': lambda clicked: popular,
             'cosine': cosine(log), 'SVD 16': svd(log, 16),
             'SVD 64': svd(log, 64), 'EASE': ease(log)}
    if late is not None:
        lately = np.bincount(late[:, 1], minlength=items)
        found['lately'] = lambda clicked: lately
    if kinds is not None:
        found['your categories'] = in_categories(kinds, popular)
    # break ties, and score items for unknown users, by popularity
    return {name: lambda clicked, score=score:
            score(clicked) + 1e-9 * popular for name, score in found.items()}


def one_hot(category):
    """Return the kinds of items with one category each."""
    return np.eye(category.max() + 1)[category]


def in_categories(kinds, popular):
    """Score by popularity, times clicks on the categories of the item."""
    def score(clicked):
        return kinds @ (clicked @ kinds) * popular
    return score


def cosine(log):
    """Score by cosine similarity of the users of items."""
    length = np.sqrt(np.asarray(log.multiply(log).sum(axis=0)).ravel())
    unit = (log @ diags(1 / np.maximum(length, 1e-9))).tocsc()

    def score(clicked):
        near = unit.T @ (unit @ clicked)
        return near - clicked * (length > 0)
    return score


def svd(log, directions):
    """Score by a truncated SVD."""
    directions = min(directions, *(size - 1 for size in log.shape))
    right = svds(log, k=directions, v0=np.ones(min(log.shape)))[2]
    return lambda clicked: right.T @ (right @ clicked)


def ials(clicks, items, directions, ridge=0.005, sweeps=6):
    """Score by implicit alternating least squares (Hu, Koren, Volinsky 2008).

    The weight of pairs without a click and the scaled ridge are those of Rendle
    and others, "Revisiting the Performance of iALS", 2022.
    """
    log = csr_matrix((np.ones(len(clicks)), clicks.T), (clicks[:, 0].max() + 1, items))
    others = 5 * log.nnz / np.prod(log.shape)

    def solve(known, right, gram, width):
        near = right[known]
        own = ridge * (len(known) + others * width) * np.eye(directions)
        return np.linalg.solve(others * gram + near.T @ near + own, near.sum(axis=0))

    def side(rows, right):
        gram = right.T @ right
        return np.array([solve(row, right, gram, len(right))
                         for row in np.split(rows.indices, rows.indptr[1:-1])])

    right = np.random.default_rng(0).normal(0, 0.1 / directions ** 0.5, (items, directions))
    for _ in range(sweeps):
        right = side(log.T.tocsr(), side(log, right))
    gram = right.T @ right
    return lambda clicked: right @ solve(np.flatnonzero(clicked), right, gram, items)


def ease(log):
    """Score by Steck's "Embarrassingly Shallow Autoencoders", 2019."""
    few = log.shape[0] < log.shape[1]
    gram = (log @ log.T if few else log.T @ log).toarray()
    gram[np.diag_indices_from(gram)] += EASE_RIDGE
    inverse = np.linalg.inv(gram)
    if few:         # compute the item weights from the smaller matrix of users
        own = 1 - np.asarray(log.multiply(inverse @ log).sum(axis=0)).ravel()
        return lambda clicked: clicked - (
            clicked - log.T @ (inverse @ (log @ clicked))) / own
    weights = inverse / -np.diag(inverse)
    np.fill_diagonal(weights, 0)
    return lambda clicked: clicked @ weights


class List:
    """Films with the highest scores, given the films that a user watched or clicked."""

    def __init__(self, score, known):
        self._score = score
        self._seen, self._watched = known.copy(), known.copy()

    def visit(self, user, likes, length):
        """Show a list to a user, who clicks liked films; return the list."""
        scores = self._score(self._watched[user].astype(float))
        best = np.argsort(-np.where(self._seen[user], -np.inf, scores),
                          kind='stable')[:length]
        self._seen[user, best] = True
        self._watched[user, best] = likes[best]
        return best
