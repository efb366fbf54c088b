"""The catalogue a service recommends from, and who likes what in it."""

import re
from dataclasses import dataclass

import numpy as np

from bench.factors import factorise, most_rated, rating_matrix
from bench.program import UserError

MOVIES = 1000
FACTORS = 10
FEWEST = 20


@dataclass
class Catalogue:
    """Movies with features, the ratings of them, and the users in order."""

    name: str
    movies: list            # of Movie, position = arm
    features: np.ndarray    # one row per movie, each of length 1
    ratings: np.ndarray     # movielens.RATING
    users: np.ndarray       # user ids, in order of their first rating
    tastes: np.ndarray      # features of the users, rows of length 1
    liked: np.ndarray       # users x movies: whether a user likes a movie
    liked_later: np.ndarray     # the same after the change of taste
    change: str             # what the change of taste is


def from_ratings(ratings, movies, size=MOVIES, factors=FACTORS):
    """Return the Catalogue of the most rated movies.

    A user likes what she rated, but at first only if it is one of the older
    half of the movies, and after the change only if it is one of the newer.
    """
    top = most_rated(ratings['movie'], size)
    ratings = ratings[np.isin(ratings['movie'], top)]
    users = users_in_order(ratings)
    if min(len(top), len(users)) < FEWEST:
        raise UserError(f'the data is too small: {len(users)} users and '
                        f'{len(top)} movies, {FEWEST} of each are needed')
    matrix = rating_matrix(users, top, ratings['user'], ratings['movie'],
                           ratings['rating'])
    movies = [movies[movie] for movie in top]
    tastes, features = factorise(matrix, factors)
    liked = matrix.toarray() != 0
    older = older_half(movies)
    return Catalogue(
        'MovieLens movies', movies, features, ratings, users, tastes,
        liked & older, liked & ~older,
        'first viewers click on the older half of the movies only, then\n'
        'on the newer half only. What each viewer likes in a movie stays')


def older_half(movies):
    """Return which movies are the older half, by the year in their titles."""
    years = [re.findall(r'\((\d{4})', movie.title) for movie in movies]
    oldest_first = np.argsort([int(found[-1]) if found else 0
                               for found in years], kind='stable')
    older = np.zeros(len(movies), dtype=bool)
    older[oldest_first[:len(movies) // 2]] = True
    return older


def users_in_order(ratings):
    """Return the ids of the users in order of their first rating."""
    by_time = ratings['user'][np.argsort(ratings['time'], kind='stable')]
    users, first = np.unique(by_time, return_index=True)
    return users[np.argsort(first)]
