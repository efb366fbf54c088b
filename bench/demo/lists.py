"""What the recommender is compared with: two lists that learn nothing."""

import numpy as np


class List:
    """The most popular films, or those most like what somebody watched.

    With vectors, films are ranked by their product with the sum of those that
    the person watched or clicked.
    """

    def __init__(self, popularity, known, vectors=None):
        self._popularity = popularity
        self._vectors = vectors
        self._seen, self._watched = known.copy(), known.copy()

    def visit(self, person, likes, places):
        """Show the list to somebody who clicks what is liked; return it."""
        watched = self._watched[person]
        scores = self._popularity
        if self._vectors is not None and watched.any():
            scores = self._vectors @ self._vectors[watched].sum(axis=0)
        best = np.argsort(-np.where(self._seen[person], -np.inf, scores),
                          kind='stable')[:places]
        self._seen[person, best] = True
        self._watched[person, best] = likes[best]
        return best


def create(cursor, known):
    """Return both, of the recommender's own vectors and counts."""
    cursor.execute('SELECT popularity, factors FROM home.item_vector '
                   'ORDER BY item')
    popularity, factors = zip(*cursor.fetchall())
    return {'similar': List(np.array(popularity), known, np.array(factors)),
            'popular': List(np.array(popularity), known)}
