"""The paper's data sets as streams of users, arms and contexts."""

from calendar import timegm
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds

from bench.movielens import GENRES, most_rated, positions, read_folder, read_table
from bench.program import UserError

FEWEST = 10
AMAZON_USERS = 7000
JESTER = [('user', 'i8'), ('item', 'i8'), ('rating', 'f4')]
JESTER_NOT_RATED = 99
AMAZON = [('item', 'S32'), ('user', 'S32'), ('rating', 'f4'), ('time', 'f8')]
# The paper's window
FIRST, AFTER = timegm((2012, 12, 15, 0, 0, 0)), timegm((2013, 6, 16, 0, 0, 0))


@dataclass
class DataSet:
    """Items, users, who clicks what, and the order in which users come."""

    key: str                # in file names and results
    name: str
    item_features: np.ndarray   # one row per arm
    user_features: np.ndarray   # one row per user
    clicks: np.ndarray      # users x arms, uint8: 1 where a user clicks an arm
    stream: np.ndarray      # users by number, one for each step
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
    name = f'MovieLens ({len(known):,} ratings)'
    ratings = ratings[in_top & known]
    ratings = ratings[np.argsort(ratings['time'], kind='stable')]
    users, events = np.unique(ratings['user'], return_inverse=True)
    stream = events[-steps:]
    matrix = _matrix(folder, ratings, 'movie', users, top)
    notes = [f'{len(events):,} ratings of the top {len(top):,} movies by '
             f'{len(users):,} users; {len(np.unique(stream)):,} of them '
             'appear in the stream',
             f'{left_out} users left out: they rated nothing but these movies']
    return _assemble('movielens', name, matrix, _present(matrix), 100,
                     np.array([profiles[user] for user in users]), stream,
                     notes)


def jester(path, steps, seed):
    """Return Jester; users are drawn at random, since it holds no times."""
    ratings = read_table(path, JESTER)
    ratings = ratings[ratings['rating'] != JESTER_NOT_RATED]
    top = most_rated(ratings['item'], 140)
    ratings = ratings[np.isin(ratings['item'], top)]
    users = np.unique(ratings['user'])
    matrix = _matrix(path, ratings, 'item', users, top)
    clicks = rating_matrix(users, top, ratings['user'], ratings['item'],
                           ratings['rating'] >= 0)
    return _assemble('jester', f'Jester ({len(ratings):,} ratings)', matrix,
                     clicks, 150, None, _at_random(users, steps, seed),
                     ['a rating of 0 or more is a click; users are drawn at '
                      'random with replacement'])


def amazon(path, steps, seed):
    """Return Amazon ratings; the most active users, drawn at random."""
    ratings = read_table(path, AMAZON)
    in_window = (ratings['time'] >= FIRST) & (ratings['time'] < AFTER)
    if in_window.any():
        ratings = ratings[in_window]
    top = most_rated(ratings['item'], 400)
    ratings = ratings[np.isin(ratings['item'], top)]
    active = most_rated(ratings['user'], AMAZON_USERS)
    ratings = ratings[np.isin(ratings['user'], active)]
    users = np.unique(ratings['user'])
    matrix = _matrix(path, ratings, 'item', users, top)
    return _assemble('amazon', f'Amazon ({len(ratings):,} ratings used)',
                     matrix, _present(matrix), 100, None,
                     _at_random(users, steps, seed),
                     ['users are drawn at random with replacement'])


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


def _matrix(source, ratings, item, users, top):
    """Return the matrix of ratings, if it can tell policies apart."""
    if min(len(users), len(top)) < FEWEST:
        raise UserError(f'{source} is too small: {len(users)} users with '
                        f'features and {len(top)} items, {FEWEST} of each '
                        'are needed')
    return rating_matrix(users, top, ratings['user'], ratings[item],
                         ratings['rating'])


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
        sums[user] = sums.get(user, 0) + vectors[number]
    return {user: counts / counts.sum() for user, counts in sums.items()}


def _present(matrix):
    """Return a matrix with 1 wherever there is a rating, also one of 0."""
    return csr_matrix((np.ones(matrix.nnz), matrix.indices, matrix.indptr),
                      shape=matrix.shape)


def _at_random(users, steps, seed):
    """Return a stream of users drawn at random."""
    return np.random.default_rng(seed).integers(len(users), size=steps)


def _assemble(key, name, matrix, clicks, factors, user_features, stream,
              notes):
    """Return the DataSet, with the factors of its ratings as features."""
    users, items = _factorise(matrix, factors)
    if items.shape[1] < factors:
        notes.append(f'{factors} factors asked for, {items.shape[1]} are to '
                     'be had; the others are 0')
    if user_features is None:
        user_features = _widened(users, factors)
    coming, numbers = np.unique(stream, return_inverse=True)
    # What the server stores is real[]: every policy sees these numbers.
    return DataSet(key, name, _widened(items, factors).astype(np.float32),
                   user_features[coming].astype(np.float32),
                   clicks[coming].toarray().astype(np.uint8), numbers, notes)


def _widened(features, columns):
    """Return features with as many columns of zeros as are wanting."""
    return np.pad(features, ((0, 0), (0, columns - features.shape[1])))


def _factorise(matrix, factors):
    """Return (user features, item features) of a matrix of ratings.

    A truncated singular value decomposition; the singular values are given to
    both sides, then each row is scaled to length 1. Left as they are, popular
    items have by far the longest rows, and a model would be slow to try any
    other.
    """
    factors = min(factors, min(matrix.shape) - 1)
    start = np.ones(min(matrix.shape))
    left, values, right = svds(matrix, k=factors, v0=start)
    return _unit_rows(left * values), _unit_rows(right.T * values)


def _unit_rows(rows):
    """Return the rows scaled to length 1; a row of zeros stays as it is."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)
