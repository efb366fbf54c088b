"""Made-up ratings, for where no data is to be had.

Users like movies that lie where their taste does. Half of where a movie lies
is where its genres do; no column says the rest.
"""

import numpy as np

from bench.movielens import GENRES, NO_GENRES, RATING, Movie

USERS = 600
MOVIES = 1000
DIRECTIONS = 6
MOST_GENRES = 3
YEARS = 1950, 2020
MEDIAN, LEAST, MOST = 80, 20, 400   # ratings of a user


def data(seed):
    """Return (ratings, movies) as bench.movielens.read_folder does."""
    random = np.random.default_rng(seed)
    names = [genre for genre in GENRES if genre != NO_GENRES]
    genres = random.normal(size=(len(names), DIRECTIONS))
    movies, places = {}, np.empty((MOVIES, DIRECTIONS))
    for number in range(MOVIES):
        own = random.choice(len(names), random.integers(1, MOST_GENRES + 1),
                            replace=False)
        movies[number] = Movie(
            number, f'Movie {number + 1} ({random.integers(*YEARS)})',
            [names[genre] for genre in sorted(own)])
        places[number] = genres[own].mean(axis=0)
    places = places / places.std() + random.normal(size=places.shape)
    return _ratings(places, random), movies


def _ratings(places, random):
    """Return what users rate: what each likes best, with some luck."""
    tastes = random.normal(size=(USERS, DIRECTIONS)) / np.sqrt(DIRECTIONS)
    liking = (tastes @ places.T + random.normal(size=MOVIES)
              + random.gumbel(size=(USERS, MOVIES)))
    counts = np.clip(random.lognormal(np.log(MEDIAN), 0.7, USERS), LEAST, MOST)
    ranks = (-liking).argsort(axis=1).argsort(axis=1)
    users, rated = np.nonzero(ranks < counts[:, None])
    ratings = np.zeros(len(users), dtype=RATING)
    ratings['user'], ratings['movie'], ratings['rating'] = users, rated, 1
    return ratings
