"""Ratings of coats, those that people chose to give and those of coats by chance."""

from time import perf_counter

import numpy as np

from bench.samples import QUIET, copy

TITLE = 'Ratings of coats that nobody chose, from ratings of coats that people chose'
SOURCE = ('Coat (Schnabel, Swaminathan, Singh, Chandak, Joachims: Recommendations '
          'as Treatments, ICML 2016)')
FOLDER = 'coat'
FILES = 'train.ascii', 'test.ascii', 'user_features.ascii', 'item_features.ascii'
PUBLISHED = (('MF-IPS', 1.093, .860), ('MF, naive', 1.202, .920))
FOLDS, RIDGES = 5, (1, 3, 10, 30, 100)

CREATE = f"""
    CREATE TABLE coat_rating (id integer, fold integer, rating float8,
                              features real[]) WITH {QUIET}"""
# evidence of each fold, and of all folds
LEARN = """
    CREATE TABLE coat_model AS
    SELECT fold, dlints_evidence(dlints_new(%s, discount => 1), features, rating) AS evidence
    FROM   coat_rating WHERE fold < %s GROUP BY fold"""
PREDICT = """
    WITH model AS MATERIALIZED (
        SELECT dlints_set(dlints_new(%(dim)s, discount => 1), ridge => %(ridge)s)
               || dlints_concat_agg(evidence) AS state
        FROM   coat_model WHERE fold <> %(fold)s)
    SELECT avg((p.predicted - r.rating) ^ 2), avg(abs(p.predicted - r.rating))
    FROM   coat_rating r, LATERAL (
               SELECT least(greatest(dlints_predict((SELECT state FROM model), r.features), 1), 5)
                      AS predicted) p
    WHERE  r.fold = %(fold)s"""


def rows(cursor, folder, options, advance):
    """Return the rows of the table."""
    users, items = (np.loadtxt(folder / f'{name}_features.ascii')
                    for name in ('user', 'item'))
    train, test = (np.loadtxt(folder / f'{name}.ascii') for name in ('train', 'test'))
    start = perf_counter()
    dim = load(cursor, users, items, train, test)
    cursor.execute(LEARN, (dim, FOLDS))
    tried = []
    for done, ridge in enumerate(RIDGES):
        errors = [predict(cursor, dim, ridge, fold)[0] for fold in range(FOLDS)]
        tried.append((np.mean(errors), ridge))
        advance((done + 1) / len(RIDGES))
    _, ridge = min(tried)
    squared, absolute = predict(cursor, dim, ridge, FOLDS)
    took = perf_counter() - start
    cursor.execute('DROP TABLE coat_rating, coat_model')
    return [('way', 'mean squared error', 'mean absolute error', 'took'),
            *((name, f'{mse:.3f}', f'{mae:.3f}', '') for name, mse, mae in PUBLISHED),
            (f'dlints, ridge {ridge} by five folds of what people chose',
             f'{squared:.3f}', f'{absolute:.3f}', f'{took:.0f} s')]


def predict(cursor, dim, ridge, fold):
    """Return the errors in a fold of a model of the others."""
    cursor.execute(PREDICT, {'dim': dim, 'ridge': ridge, 'fold': fold})
    return cursor.fetchone()


def load(cursor, users, items, train, test):
    """Fill the table: those of the test are the last fold. Return the dimension.

    Features are who and what, and what people are times what coats are, without
    two numbers that others tell.
    """
    items = np.delete(items, (0, items.shape[1] - 1), axis=1)
    random = np.random.default_rng(1)
    ratings = np.concatenate([train[train > 0], test[test > 0]])
    who, what = np.concatenate([np.argwhere(train > 0), np.argwhere(test > 0)]).T
    products = users[who][:, :, None] * items[what][:, None, :]
    features = np.hstack([np.eye(len(users))[who], np.eye(len(items))[what],
                          products.reshape(len(who), -1)])
    folds = random.integers(0, FOLDS, len(who))
    folds[np.count_nonzero(train):] = FOLDS
    cursor.execute(CREATE)
    copy(cursor, 'coat_rating', [
        np.arange(len(who), dtype='>i4'), folds.astype('>i4'),
        ratings.astype('>f8'), features.astype('>f4')])
    return features.shape[1]
