"""The services to compare: the application of examples/play, and two lists.

Each is visited in the same way: it shows movies and hears what they earned.
"""

import re

import numpy as np

from examples.play.service import STATEMENTS

PLACES = 5
# What the demonstration asks beyond what the application does
ASKED = {
    'models': """\
INSERT INTO model VALUES
    ('plain',   dlints_new(64)),
    ('matched', dlints_new(64, interactions => 'matched')),
    ('earning', dlints_new(64, interactions => 'matched'))""",
    'features': 'SELECT features FROM movie ORDER BY id',
    # What is known beforehand, as a page that was liked and learned
    'remember': """\
WITH page AS (
    INSERT INTO decision (model, visitor_id, profile)
    SELECT model, id, '{}' FROM visitor WHERE id = %(visitor)s
    RETURNING id),
seen AS (
    INSERT INTO shown
    SELECT p.id, m.id, m.rank, 1, 1
    FROM   page p, unnest(%(movies)s) WITH ORDINALITY AS m (id, rank)
    RETURNING decision_id, movie_id)
INSERT INTO reward SELECT *, 1 FROM seen""",
    # What a model expects of a movie that is nothing but of this genre, against
    # what it expects of other genres
    'worth': """\
WITH genre AS (
    SELECT name, array_fill(0::real, '{32}')
                 || dlints_encode(32, 'genre', name) AS features
    FROM  (SELECT DISTINCT unnest(genres) FROM movie) AS g (name)),
person AS (
    SELECT v.id, (SELECT profile FROM decision d WHERE d.visitor_id = v.id
                  ORDER BY d.id DESC LIMIT 1) AS u
    FROM   unnest(%(visitors)s) AS v (id)),
expected AS (
    SELECT m.name AS model, p.id AS visitor, g.name AS genre,
           dlints_predict(m.state, g.features, p.u) AS reward,
           dlints_stddev(m.state, g.features, p.u) AS error
    FROM   model m, person p, genre g
    WHERE  m.name IN ('matched', 'earning'))
SELECT model, visitor, genre, error,
       reward - avg(reward) OVER (PARTITION BY model, visitor) AS worth
FROM   expected
ORDER  BY worth DESC"""}
STATEMENTS = {**STATEMENTS, **ASKED}
# A model that treats all alike is told of nobody.
PLAIN = {name: re.sub(r'(features), [lp]\.profile', r'\1', text)
         for name, text in STATEMENTS.items()}


class Model:
    """The application, with one of its models to choose."""

    def __init__(self, service, name, known):
        self._service = service
        self._statements = PLAIN if name == 'plain' else STATEMENTS
        self.executed = {}      # name: the first such statement, as executed
        self.milliseconds = {}  # name: what each execution took
        with self.session() as session:
            self.visitors = [session.new_visitor(name) for _ in known]
            for visitor, movies in zip(self.visitors, known):
                if movies.any():
                    session.execute('remember', visitor=visitor,
                                    movies=np.flatnonzero(movies).tolist())

    def session(self):
        """Lend one of the application's sessions."""
        return self._service.session(self._statements)

    def visit(self, person, reward_of):
        """Somebody sees a page; return {movie: reward}."""
        with self.session() as session:
            rewards = session.visit(self.visitors[person], reward_of, PLACES)
        for step in session.executed:
            self.executed.setdefault(step['name'], step['sql'])
            self.milliseconds.setdefault(step['name'], []).append(
                step['milliseconds'])
        return rewards


class List:
    """The most popular movies, or those most like what somebody clicked."""

    def __init__(self, popularity, known, features=None):
        self._popularity = popularity
        self._features = features
        self._seen, self._clicked = known.copy(), known.copy()

    def visit(self, person, reward_of):
        """Somebody sees the list; return {movie: reward}."""
        clicked = self._clicked[person]
        scores = self._popularity
        if self._features is not None and clicked.any():
            scores = self._features @ self._features[clicked].sum(axis=0)
        best = np.argsort(-np.where(self._seen[person], -np.inf, scores),
                          kind='stable')[:PLACES].tolist()
        rewards = {movie: reward_of(movie) for movie in best}
        self._seen[person, best] = True
        self._clicked[person, best] = [reward > 0
                                       for reward in rewards.values()]
        return rewards


def create(service, world):
    """Return the services by name."""
    with service.session(STATEMENTS) as session:
        session.execute('models')
        features = np.array([row['features']
                             for row in session.rows('features')])
    popularity = np.bincount(world.log[:, 1], minlength=len(world.movies))
    return {'popular': List(popularity, world.known),
            'similar': List(popularity, world.known, features),
            **{name: Model(service, name, world.known)
               for name in ('plain', 'matched', 'earning')}}
