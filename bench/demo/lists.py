"""Lists to compare the recommender with, which are not trained on impressions."""

import numpy as np

from bench.opponents import opponents


class List:
    """Films with the highest scores, given the films that a user watched or clicked."""

    def __init__(self, score, known):
        self._score = score
        self._seen, self._watched = known.copy(), known.copy()

    def visit(self, user, likes, length):
        """Show a list to a user, who clicks liked films; return the list."""
        scores = self._score(self._watched[user].astype(float))
        best = np.argsort(-np.where(self._seen[user], -np.inf, scores),
                          kind='stable')[:length]
        self._seen[user, best] = True
        self._watched[user, best] = likes[best]
        return best


def create(people):
    """Return {name: List}, from the log of watched films."""
    genres = sorted({genre for film in people.films for genre in film.genres})
    kinds = np.array([[genre in film.genres for genre in genres]
                      for film in people.films], float)
    watched = np.argwhere(people.known) + [people.log[:, 0].max() + 1, 0]
    made = opponents(np.concatenate([people.log, watched]), len(people.films),
                     kinds)
    return {name: List(score, people.known) for name, score in made.items()}
