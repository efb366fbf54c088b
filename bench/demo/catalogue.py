"""The catalogue a service recommends from, and who likes what in it."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds

from errors import DemoError

MOVIES = 1000
FACTORS = 100
FEWEST = 20
TURN = 0.33


@dataclass
class Catalogue:
    """Movies with features, the ratings of them, and the users in order."""

    name: str
    movies: list            # of Movie, position = arm
    features: np.ndarray    # one row per movie, each of length 1
    ratings: np.ndarray     # movielens.RATING
    users: np.ndarray       # user ids, in order of their first rating
    liked: np.ndarray       # users x movies: whether a user likes a movie
    liked_later: np.ndarray     # the same after the change of taste
    change: str             # what the change of taste is


def from_ratings(ratings, movies, size=MOVIES, factors=FACTORS):
    """Return the Catalogue of the most rated movies.

    A user likes what she rated. The taste changes as in the D-LinTS-RP paper:
    which movie earns which reward turns by a third, while the features stay as
    they are, so that a model has to learn anew.
    """
    top = most_rated(ratings, size)
    ratings = ratings[np.isin(ratings['movie'], top)]
    users = users_in_order(ratings)
    if min(len(top), len(users)) < FEWEST:
        raise DemoError(f'the data is too small: {len(users)} users and '
                        f'{len(top)} movies, {FEWEST} of each are needed')
    matrix = rating_matrix(ratings, users, top)
    liked = matrix.toarray() != 0
    turn = int(TURN * len(top))
    return Catalogue(
        'MovieLens movies', [movies[movie] for movie in top],
        latent_factors(matrix, factors), ratings, users,
        liked, np.roll(liked, -turn, axis=1),
        f'each movie is liked as the one {turn} places on was before')


def most_rated(ratings, size):
    """Return the ids of the most rated movies, the most rated first."""
    movies, counts = np.unique(ratings['movie'], return_counts=True)
    return movies[np.argsort(-counts, kind='stable')][:size]


def users_in_order(ratings):
    """Return the ids of the users in order of their first rating."""
    by_time = ratings['user'][np.argsort(ratings['time'], kind='stable')]
    users, first = np.unique(by_time, return_index=True)
    return users[np.argsort(first)]


def rating_matrix(ratings, users, movies):
    """Return the sparse matrix of ratings, a row per user."""
    rows = positions(users, ratings['user'])
    columns = positions(movies, ratings['movie'])
    return csr_matrix((ratings['rating'].astype(float), (rows, columns)),
                      shape=(len(users), len(movies)))


def positions(ids, values):
    """Return where in ids each of the values stands."""
    order = np.argsort(ids)
    return order[np.searchsorted(ids, values, sorter=order)]


def latent_factors(matrix, factors):
    """Return item features: a truncated singular value decomposition.

    Each row is scaled to length 1. Left as they are, the popular movies have
    by far the longest rows, and the model would be slow to try any other.
    """
    factors = min(factors, min(matrix.shape) - 1)
    start = np.ones(min(matrix.shape))
    _, values, right = svds(matrix, k=factors, v0=start)
    return unit_rows(right.T * values)


def unit_rows(rows):
    """Return the rows scaled to length 1; a row of zeros stays as it is."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)
