"""Who rated what as a matrix, and features from its factors."""

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds

from bench.movielens import positions


def rating_matrix(user_ids, item_ids, users, items, ratings):
    """Return the sparse matrix of ratings: a row per user, a column per item.

    user_ids and item_ids say which rows and columns there are; users, items
    and ratings hold one element per rating. Of several ratings of an item by
    the same user the last one counts.
    """
    rows = positions(user_ids, users)
    columns = positions(item_ids, items)
    cells = rows * len(item_ids) + columns
    last = len(cells) - 1 - np.unique(cells[::-1], return_index=True)[1]
    return csr_matrix((ratings[last].astype(float),
                       (rows[last], columns[last])),
                      shape=(len(user_ids), len(item_ids)))


def factorise(matrix, factors):
    """Return (user features, item features) of a matrix of ratings.

    A truncated singular value decomposition; the singular values are given to
    both sides, then each row is scaled to length 1. Left as they are, popular
    items have by far the longest rows, and a model would be slow to try any
    other.
    """
    factors = min(factors, min(matrix.shape) - 1)
    start = np.ones(min(matrix.shape))
    left, values, right = svds(matrix, k=factors, v0=start)
    return unit_rows(left * values), unit_rows(right.T * values)


def unit_rows(rows):
    """Return the rows scaled to length 1; a row of zeros stays as it is."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)
