"""What else a list can be made of: of the same log, in a few lines."""

import numpy as np
from scipy.sparse import csr_matrix, diags
from scipy.sparse.linalg import svds

EASE_RIDGE = 200
EASE_ITEMS = 4000       # its matrix is square and dense


def matrix(clicks, items):
    """Return who clicked what how often."""
    people = clicks[:, 0].max() + 1
    return csr_matrix((np.ones(len(clicks)), clicks.T), (people, items))


def opponents(world, items):
    """Return {name: function of who clicked what, that scores all items}."""
    log = matrix(world.clicks, items)
    popular = np.asarray(log.sum(axis=0)).ravel()
    late = world.clicks[world.days > world.days.max() - world.lately]
    lately = np.bincount(late[:, 1], minlength=items)
    found = {'popular': lambda clicked: popular,
             'lately': lambda clicked: lately + 1e-6 * popular,
             'cosine': cosine(log), 'SVD 16': svd(log)}
    if world.category is not None:
        found['your categories'] = in_categories(world.category, popular)
    if items <= EASE_ITEMS:
        found['EASE'] = ease(log)
    return found


def in_categories(category, popular):
    """Return the most popular of the categories of what was clicked."""
    def score(clicked):
        share = np.bincount(category, clicked, category.max() + 1)
        return share[category] * popular + 1e-6 * popular
    return score


def cosine(log):
    """Return what is clicked by the same people."""
    length = np.sqrt(np.asarray(log.multiply(log).sum(axis=0)).ravel())
    unit = (log @ diags(1 / np.maximum(length, 1e-9))).tocsc()

    def score(clicked):
        near = unit.T @ (unit @ clicked)
        return near - clicked * (length > 0)
    return score


def svd(log):
    """Return what the first sixteen directions make of it."""
    right = svds(log, k=16, v0=np.ones(min(log.shape)))[2]
    return lambda clicked: right.T @ (right @ clicked)


def ease(log):
    """Return Steck's "Embarrassingly Shallow Autoencoders", 2019."""
    gram = (log.T @ log).toarray()
    gram[np.diag_indices_from(gram)] += EASE_RIDGE
    weights = np.linalg.inv(gram)
    weights /= -np.diag(weights)
    np.fill_diagonal(weights, 0)
    return lambda clicked: clicked @ weights
