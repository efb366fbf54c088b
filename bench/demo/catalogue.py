"""The catalogue a service recommends from, and who likes what in it."""

from dataclasses import dataclass

import numpy as np

from errors import UserError
from factors import factorise, most_rated, rating_matrix

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
    top = most_rated(ratings['movie'], size)
    ratings = ratings[np.isin(ratings['movie'], top)]
    users = users_in_order(ratings)
    if min(len(top), len(users)) < FEWEST:
        raise UserError(f'the data is too small: {len(users)} users and '
                        f'{len(top)} movies, {FEWEST} of each are needed')
    matrix = rating_matrix(users, top, ratings['user'], ratings['movie'],
                           ratings['rating'])
    liked = matrix.toarray() != 0
    turn = int(TURN * len(top))
    return Catalogue(
        'MovieLens movies', [movies[movie] for movie in top],
        factorise(matrix, factors)[1], ratings, users,
        liked, np.roll(liked, -turn, axis=1),
        f'each movie is liked as the one {turn} places on was before')


def users_in_order(ratings):
    """Return the ids of the users in order of their first rating."""
    by_time = ratings['user'][np.argsort(ratings['time'], kind='stable')]
    users, first = np.unique(by_time, return_index=True)
    return users[np.argsort(first)]
