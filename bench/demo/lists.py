"""What the recommender is compared with: lists that learn nothing."""

import numpy as np

from bench.opponents import opponents


class List:
    """The best films by a score of what somebody watched or clicked."""

    def __init__(self, score, known):
        self._score = score
        self._seen, self._watched = known.copy(), known.copy()

    def visit(self, person, likes, places):
        """Show the list to somebody who clicks what is liked; return it."""
        scores = self._score(self._watched[person].astype(float))
        best = np.argsort(-np.where(self._seen[person], -np.inf, scores),
                          kind='stable')[:places]
        self._seen[person, best] = True
        self._watched[person, best] = likes[best]
        return best


def create(people):
    """Return {name: List}, made of what was watched before."""
    genres = sorted({genre for film in people.films for genre in film.genres})
    kinds = np.array([[genre in film.genres for genre in genres]
                      for film in people.films], float)
    watched = np.argwhere(people.known) + [people.log[:, 0].max() + 1, 0]
    made = opponents(np.concatenate([people.log, watched]), len(people.films),
                     kinds)
    return {name: List(score, people.known) for name, score in made.items()}
