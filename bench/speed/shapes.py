"""Models of the rows, and their tables.

Models have the defaults of dlints_new, with three memories: plain ones,
matched ones with profiles, and one with a projection.
"""

from dataclasses import dataclass

from bench import samples

VISITORS = 1000
VISITOR = 42

TEACH = """
    WITH fresh AS (SELECT dlints_new({arguments}) AS state)
    INSERT INTO model
    SELECT '{title}', state || (SELECT dlints_evidence(state, {observation})
                                FROM   {feedback} WHERE id <= 1000)
    FROM   fresh"""


@dataclass(frozen=True)
class Shape:
    """A model, by its title, and its number of features."""

    title: str
    dim: int
    arguments: str

    @property
    def matched(self):
        """Does the model have profiles?"""
        return 'interactions' in self.arguments

    @property
    def items(self):
        """Table of the candidates."""
        return f'item_{self.dim}'

    @property
    def visitors(self):
        """Table of the profiles."""
        return f'visitor_{self.dim}'

    @property
    def state(self):
        """Subquery of the model."""
        return f"(SELECT state FROM model WHERE name = '{self.title}')"

    @property
    def profile(self):
        """Subquery of a visitor's profile, or none."""
        if not self.matched:
            return "'{}'"
        return f'(SELECT features FROM {self.visitors} WHERE id = {VISITOR})'

    @property
    def recommend(self):
        """Recommendation from a join of models and candidates."""
        if not self.matched:
            return f"""
                SELECT dlints_recommend(m.state, i.id, i.features)
                FROM   model m, {self.items} i
                WHERE  m.name = '{self.title}'"""
        return f"""
            SELECT (dlints_recommend(m.state, i.id, i.features, 1,
                                     u.features))[1]
            FROM   model m, {self.items} i, {self.visitors} u
            WHERE  m.name = '{self.title}' AND u.id = {VISITOR}"""

    @property
    def recommend_by_subqueries(self):
        """Recommendation with the model from a scalar subquery."""
        profile = f', 1, {self.profile}' if self.matched else ''
        return f"""
            SELECT dlints_recommend({self.state}, id, features{profile})
            FROM   {self.items}"""

    @property
    def feedback(self):
        """Table of the training data."""
        return f'feedback_{self.dim}'

    @property
    def observation(self):
        """Arguments of a training call after the model."""
        return 'features, reward' + ', profile' * self.matched


SHAPE = Shape('120 to 24', 120, '120, 24')
DEFAULT = Shape('plain 64', 64, '64')
MATCHED = Shape('matched 64', 64, "64, interactions => 'matched'")
SMALL_MATCHED = Shape('matched 49', 49, "49, interactions => 'matched'")
USUAL = SHAPE, DEFAULT, MATCHED


def create_models(cursor, shapes, rows=1000):
    """Create a table of models, and their training data."""
    cursor.execute(samples.MODELS)
    for dim in {shape.dim for shape in shapes}:
        matched = any(shape.matched for shape in shapes if shape.dim == dim)
        samples.create_feedback(
            cursor, samples.random_features(rows, dim, seed=3),
            samples.random_features(rows, dim, seed=5) if matched else None,
            f'feedback_{dim}')
    for shape in shapes:
        cursor.execute(TEACH.format(
            arguments=shape.arguments, title=shape.title,
            observation=shape.observation, feedback=shape.feedback))
    cursor.execute('VACUUM ANALYZE model')


def create_items(cursor, shapes, count, visitors=VISITORS):
    """Create the tables of candidates and of visitors."""
    for dim in {shape.dim for shape in shapes}:
        samples.create_items(cursor, samples.random_features(count, dim),
                             f'item_{dim}')
        samples.create_visitors(
            cursor, samples.random_features(visitors, dim, seed=4),
            f'visitor_{dim}')


def drop_items(cursor, shapes):
    """Drop these tables."""
    for dim in {shape.dim for shape in shapes}:
        cursor.execute(f'DROP TABLE item_{dim}, visitor_{dim}')
