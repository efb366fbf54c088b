"""The paper's data sets as streams of users, arms and contexts."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from bench.factors import factorise, most_rated, rating_matrix
from bench.movielens import GENRES, read_folder
from bench.paper import ratings as files
from bench.program import UserError

TUNING_STEPS = 30000
FEWEST = 10
AMAZON_USERS = 7000


@dataclass
class DataSet:
    """Items, users, who clicks what, and the order in which users come."""

    key: str                # in file names and results
    name: str
    item_features: np.ndarray   # one row per arm
    user_features: np.ndarray   # one row per user
    clicks: np.ndarray      # users x arms, uint8: 1 where a user clicks an arm
    stream: np.ndarray      # users by number, one for each step
    tuning: np.ndarray      # those before the stream
    notes: list             # what a reader of the results should know

    @property
    def arms(self):
        """Return the number of arms."""
        return len(self.item_features)

    @property
    def context_dim(self):
        """Return the length of a context, [item; user]."""
        return self.item_features.shape[1] + self.user_features.shape[1]


def movielens(folder, steps, seed):
    """Return MovieLens, any edition; its stream is in order of time."""
    del seed
    ratings, movies = read_folder(folder)
    top = most_rated(ratings['movie'], 1000)
    in_top = np.isin(ratings['movie'], top)
    profiles = _genre_shares(ratings[~in_top], movies)
    known = np.isin(ratings['user'], list(profiles))
    left_out = len(np.unique(ratings['user'][in_top & ~known]))
    ratings = ratings[in_top & known]
    ratings = ratings[np.argsort(ratings['time'], kind='stable')]
    users = np.unique(ratings['user'])
    _check_size(folder, users, top)
    matrix = rating_matrix(users, top, ratings['user'], ratings['movie'],
                           ratings['rating'])
    events = np.searchsorted(users, ratings['user'])
    stream = events[-steps:]
    tuning = events[:-steps][-TUNING_STEPS:]
    notes = [f'{len(events):,} ratings of the top {len(top):,} movies by '
             f'{len(users):,} users; {len(np.unique(stream)):,} of them '
             'appear in the stream',
             f'the {len(tuning):,} steps before the stream are for tuning',
             f'{left_out} users left out: they rated nothing but these movies']
    return _assemble(
        'movielens', f'MovieLens ({len(known):,} ratings)', matrix,
        _present(matrix), 100, 100,
        np.array([profiles[user] for user in users]), stream, tuning, notes)


def jester_jokes(path, steps, seed):
    """Return Jester; users are drawn at random, since it holds no times."""
    ratings = files.read_jester(path)
    top = most_rated(ratings['item'], 140)
    ratings = ratings[np.isin(ratings['item'], top)]
    users = np.unique(ratings['user'])
    _check_size(path, users, top)
    matrix = rating_matrix(users, top, ratings['user'], ratings['item'],
                           ratings['rating'])
    clicks = rating_matrix(users, top, ratings['user'], ratings['item'],
                           ratings['rating'] >= 0)
    stream, tuning = _random_streams(len(users), steps, seed)
    return _assemble('jester', f'Jester ({len(ratings):,} ratings)', matrix,
                     clicks, 150, 150, None, stream, tuning,
                     ['a rating of 0 or more is a click; users are drawn at '
                      'random with replacement'])


def amazon_ratings(path, steps, seed):
    """Return Amazon ratings; the most active users, drawn at random."""
    ratings, notes = files.read_amazon(path)
    top = most_rated(ratings['item'], 400)
    ratings = ratings[np.isin(ratings['item'], top)]
    active = most_rated(ratings['user'], AMAZON_USERS)
    ratings = ratings[np.isin(ratings['user'], active)]
    users = np.unique(ratings['user'])
    _check_size(path, users, top)
    matrix = rating_matrix(users, top, ratings['user'], ratings['item'],
                           ratings['rating'])
    stream, tuning = _random_streams(len(users), steps, seed)
    return _assemble('amazon', f'Amazon ({len(ratings):,} ratings used)',
                     matrix, _present(matrix), 100, 100, None, stream,
                     tuning, notes + ['users are drawn at random with '
                                      'replacement'])


def _genre_shares(ratings, movies):
    """Return {user: shares of GENRES in the movies she rated}."""
    columns = {genre: column for column, genre in enumerate(GENRES)}
    vectors = {}
    for number in np.unique(ratings['movie']).tolist():
        vector = np.zeros(len(GENRES))
        for genre in movies[number].genres or GENRES[-1:]:
            vector[columns.get(genre, len(GENRES) - 1)] += 1
        vectors[number] = vector
    sums = {}
    for user, number in zip(ratings['user'].tolist(),
                            ratings['movie'].tolist()):
        if user in sums:
            sums[user] += vectors[number]
        else:
            sums[user] = vectors[number].copy()
    return {user: counts / counts.sum() for user, counts in sums.items()}


def _present(matrix):
    """Return a matrix with 1 wherever there is a rating, also one of 0."""
    return csr_matrix((np.ones(matrix.nnz), matrix.indices, matrix.indptr),
                      shape=matrix.shape)


def _random_streams(users, steps, seed):
    """Return (stream, tuning) of users drawn at random."""
    random = np.random.default_rng(seed)
    return (random.integers(users, size=steps),
            random.integers(users, size=TUNING_STEPS))


def _check_size(source, users, items):
    """Refuse data that is too small to tell policies apart."""
    if min(len(users), len(items)) < FEWEST:
        raise UserError(f'{source} is too small: {len(users)} users with '
                        f'features and {len(items)} items, {FEWEST} of each '
                        'are needed')


def _assemble(key, name, matrix, clicks, item_factors, user_factors,
              user_features, stream, tuning, notes):
    """Return the DataSet, with the factors of its ratings as features."""
    users, items = factorise(matrix, max(item_factors, user_factors))
    notes = list(notes)
    if items.shape[1] < item_factors:
        notes.append(f'{item_factors} factors asked for, {items.shape[1]} '
                     'are to be had; the others are 0')
    items = _widened(items, item_factors)
    if user_features is None:
        user_features = _widened(users, user_factors)
    coming, numbers = np.unique(np.concatenate([tuning, stream]),
                                return_inverse=True)
    # What the server stores is real[]: every policy sees these numbers.
    return DataSet(key, name, items.astype(np.float32),
                   user_features[coming].astype(np.float32),
                   clicks[coming].toarray().astype(np.uint8),
                   numbers[len(tuning):], numbers[:len(tuning)], notes)


def _widened(features, columns):
    """Return features with as many columns of zeros as are wanting."""
    return np.pad(features, ((0, 0), (0, columns - features.shape[1])))
