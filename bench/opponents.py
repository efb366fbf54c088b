"""What else a list can be made of: of the same log, in a few lines."""

import numpy as np
from scipy.sparse import csr_matrix, diags
from scipy.sparse.linalg import svds

# Those that a few lines of SQL make, which a recommender is to be as good as
SIMPLE = 'popular', 'lately', 'your categories', 'cosine'
EASE_RIDGE = 200


def opponents(clicks, items, kinds=None, late=None):
    """Return {name: function of how often each item was clicked, that scores
    all items}.

    Clicks are rows of person and item. Kinds, if there are some, are a row of
    numbers for each item: how much of what it is. Late are those clicks that
    are recent.
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
    # where nothing else is known they are popular
    return {name: lambda clicked, score=score:
            score(clicked) + 1e-9 * popular for name, score in found.items()}


def one_hot(category):
    """Return the kinds of items that have one category each."""
    return np.eye(category.max() + 1)[category]


def in_categories(kinds, popular):
    """Return the most popular of the categories of what was clicked."""
    def score(clicked):
        return kinds @ (clicked @ kinds) * popular
    return score


def cosine(log):
    """Return what is clicked by the same people."""
    length = np.sqrt(np.asarray(log.multiply(log).sum(axis=0)).ravel())
    unit = (log @ diags(1 / np.maximum(length, 1e-9))).tocsc()

    def score(clicked):
        near = unit.T @ (unit @ clicked)
        return near - clicked * (length > 0)
    return score


def svd(log, directions):
    """Return what so many first directions make of it."""
    directions = min(directions, *(size - 1 for size in log.shape))
    right = svds(log, k=directions, v0=np.ones(min(log.shape)))[2]
    return lambda clicked: right.T @ (right @ clicked)


def ease(log):
    """Return Steck's "Embarrassingly Shallow Autoencoders", 2019."""
    few = log.shape[0] < log.shape[1]
    gram = (log @ log.T if few else log.T @ log).toarray()
    gram[np.diag_indices_from(gram)] += EASE_RIDGE
    inverse = np.linalg.inv(gram)
    if few:         # that of the items, by the one of the people, unscaled
        own = 1 - np.asarray(log.multiply(inverse @ log).sum(axis=0)).ravel()
        return lambda clicked: clicked - (
            clicked - log.T @ (inverse @ (log @ clicked))) / own
    weights = inverse / -np.diag(inverse)
    np.fill_diagonal(weights, 0)
    return lambda clicked: clicked @ weights
