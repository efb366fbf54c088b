"""The forms of a model that are checked, each in SQL and in numpy.

In numpy every model is a linear one over contexts that are multiplied by a
matrix. Its columns are what comes out of reducing unit vectors in the server.
"""

from dataclasses import dataclass

import numpy as np

NEW_MODEL = """
TRUNCATE model;
INSERT INTO model SELECT dlints_new(
    %(context_dim)s, %(reduced_dim)s, discount => %(discount)s,
    ridge => 1, exploration => %(exploration)s, noise => 1, seed => 11,
    policy => %(policy)s, intercept => %(intercept)s)"""

CLEAN = 'VACUUM model'


@dataclass(frozen=True)
class Appended:
    """Contexts are [item; user], as in the paper."""

    item_dim: int
    user_dim: int
    intercept: bool = False

    SCORED = '', ' with 0 for the user\'s features'
    PREPARE = """
PREPARE recommend (real[]) AS
SELECT dlints_recommend((SELECT state FROM model), id, features || $1)
FROM   item;

-- $1: seed, $2: the user's features
PREPARE draw (bigint, real[]) AS
SELECT dlints_draw((SELECT state FROM model), $1),
       (array_agg(id ORDER BY dlints_dot(w.weights, features || $2) DESC))[1],
       (array_agg(id ORDER BY dlints_dot(w.weights, features || array_fill(
           0::real, ARRAY[cardinality($2)])) DESC))[1]
FROM   item, (SELECT dlints_draw_weights(state, seed => $1) AS weights
              FROM   model OFFSET 0) w;

PREPARE learn (integer, real[], float8) AS
UPDATE model SET state = dlints_update(
    state, (SELECT features FROM item WHERE id = $1) || $2, $3)"""

    @property
    def sizes(self):
        """Return the sizes of the model."""
        return {'context_dim': self.item_dim + self.user_dim}

    def contexts(self, items, user):
        """Return the long contexts of all items for a user."""
        return np.hstack([items, np.tile(user, (len(items), 1))])

    def projection(self, cursor):
        """Return the matrix by which the server multiplies long contexts."""
        units = np.eye(self.item_dim + self.user_dim)
        return self.without_intercept(np.transpose([
            _reduce(cursor, unit) for unit in units]))

    def without_intercept(self, reduced):
        """Return reduced contexts, in columns, without the intercept's row."""
        if not self.intercept:
            return reduced
        assert (reduced[-1] == 1).all()
        return reduced[:-1]

    def reduce(self, contexts, projection):
        """Return the reduced contexts, one in a row."""
        reduced = contexts @ projection.T
        if self.intercept:
            reduced = np.column_stack([reduced, np.ones(len(reduced))])
        return reduced

    def __str__(self):
        """Return the form in words."""
        return 'with intercept, ' if self.intercept else ''


def _reduce(cursor, vector):
    """Return what the server reduces a context to."""
    cursor.execute('SELECT dlints_project(state, %s) FROM model',
                   [vector.tolist()])
    return cursor.fetchone()[0]
