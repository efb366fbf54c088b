"""Catalogues of made-up items, and models that learned what is clicked."""

import numpy as np

from bench import samples

# Centres are as far apart as random directions are, items within SPREAD of
# their centre's length around it.
CLUSTERS = 2000
SPREAD = 0.5
UNEVEN = 0.4
PASSING = 0.1
DRAWS = 100

# One model of many members, and of each of many tastes one that knows no member
REWARDS = 20000
PLAIN_REWARDS = 5000
PLAIN_MODELS = 20
BEST = 10
PART = 50000
SENT = {('i', 1): '>i4', ('f', 1): '>f8', ('f', 2): '>f4', ('b', 1): '?'}

# What features are reduced to, by what they are at most
REDUCED_DIMS = {100: 24, np.inf: 60}

TABLES = f"""
    CREATE TABLE item (id integer, features real[] NOT NULL,
                       in_stock boolean NOT NULL) WITH {samples.QUIET};
    CREATE TABLE member (id integer PRIMARY KEY, features real[] NOT NULL);
    CREATE TABLE feedback (id integer, taste integer, item integer,
                           member integer, reward float8);
    {samples.MODELS}"""

LEARN = """
    WITH fresh AS MATERIALIZED (SELECT {fresh} AS state)
    INSERT INTO model
    SELECT name, (SELECT state FROM fresh) || evidence
    FROM  (SELECT {name} AS name,
                  dlints_evidence((SELECT state FROM fresh), i.features,
                                  f.reward{profile} ORDER BY f.id) AS evidence
           FROM   feedback f
                  JOIN item i ON i.id = f.item
                  JOIN member u ON u.id = f.member
           WHERE  {learned}
           GROUP  BY f.taste) learned"""

REDUCE = """
    CREATE TABLE reduced_item AS
    SELECT id, dlints_project({fresh}, features)::real[] AS features, in_stock
    FROM   item"""

# As a recommender keeps them: a row of about a page, which no TOAST takes
BLOCKS = f"""
    CREATE TABLE block (id integer, ids integer[], features real[])
    WITH (toast_tuple_target = 8160, {samples.QUIET[1:]};
    ALTER TABLE block ALTER features SET STORAGE EXTERNAL;
    INSERT INTO block
    SELECT min(id), array_agg(id ORDER BY id), array_agg(features ORDER BY id)
    FROM   item
    GROUP  BY (id - 1) / greatest(7800 / (4 * cardinality(features) + 4), 1)"""

# Draw number $1 is of one of the plain models, or for one of the members.
NAMES = {'plain': f"'plain ' || ($1 % {PLAIN_MODELS} + 1)",
         'matched': "'matched'"}
DRAWS_OF = {
    'plain': f"""
         SELECT dlints_draw_weights(state, '{{{{}}}}', {{seed}}) AS weights
         FROM   model WHERE name = {NAMES['plain']}""",
    'matched': f"""
         SELECT dlints_draw_weights(m.state, u.features, {{seed}}) AS weights
         FROM   model m, member u
         WHERE  m.name = {NAMES['matched']} AND u.id = $1""",
    'reduced': f"""
         SELECT dlints_draw(state, {{seed}}) AS weights
         FROM   model WHERE name = {NAMES['plain']}"""}

# What is drawn when dlints_recommend ranks candidates of an earlier draw
LATER = f'{DRAWS} + $1'


class Catalogue:
    """Items as vectors and in a table, members, and two models."""

    def __init__(self, cursor, kind, items, dim):
        self.dim = dim
        self.reduced_dim = next(reduced for most, reduced
                                in REDUCED_DIMS.items() if dim <= most)
        self._cursor = cursor
        generator = np.random.default_rng(1)
        self.vectors = _vectors(generator, kind, items, dim)
        self.longest = float(np.linalg.norm(self.vectors, axis=1).max())
        self.is_uneven = kind == 'uneven'
        self.in_stock = generator.random(items) < PASSING
        cursor.execute(TABLES)
        self._load(generator)
        self._make_ready('item')
        self._learn()

    def _load(self, generator):
        """Fill the tables with items, members and rewards."""
        items = len(self.vectors)
        for start in range(0, items, PART):
            part = slice(start, start + PART)
            self._copy('item', 1 + np.arange(items)[part], self.vectors[part],
                       self.in_stock[part])
        liked = generator.integers(0, items, (DRAWS, 3))
        members = _unit(self.vectors[liked].sum(1))
        self._copy('member', np.arange(1, DRAWS + 1), members)
        taste = np.repeat(np.arange(1 + PLAIN_MODELS),
                          [REWARDS] + PLAIN_MODELS * [PLAIN_REWARDS])
        to = generator.integers(0, DRAWS, len(taste))
        shown = generator.integers(0, items, len(taste))
        features = self.vectors[shown]
        tastes = generator.normal(0, 0.5, (1 + PLAIN_MODELS, self.dim))
        liking = ((features * tastes[taste]).sum(1)
                  + 2 * (features * members[to]).sum(1) * (taste == 0))
        clicks = generator.random(len(taste)) < 0.15 + 0.15 * liking
        self._copy('feedback', np.arange(len(taste)), taste, 1 + shown, 1 + to,
                   clicks.astype(float))

    def _copy(self, table, *columns):
        """Load columns into a table: integers, reals, arrays, booleans."""
        samples.copy(self._cursor, table, [
            np.asarray(column, SENT[column.dtype.kind, column.ndim])
            for column in columns])

    def _learn(self):
        """Make the models, and the table of reduced features."""
        sizes = f'{self.dim}, {self.reduced_dim}'
        fresh = f'dlints_new({sizes})'
        self._cursor.execute(LEARN.format(
            name="'plain ' || taste", fresh=fresh, profile='',
            learned='taste > 0'))
        self._cursor.execute(LEARN.format(
            name="'matched'", profile=', u.features', learned='taste = 0',
            fresh=f"dlints_new({sizes}, interactions => 'matched')"))
        self._cursor.execute('VACUUM ANALYZE model, member')
        self._cursor.execute(REDUCE.format(fresh=fresh))
        self._make_ready('reduced_item')
        self._cursor.execute(BLOCKS)
        self._make_ready('block')

    def _make_ready(self, table):
        """Have a filled table known to the planner and in memory."""
        self._cursor.execute(f'VACUUM ANALYZE {table}')
        samples.keep_in_memory(self._cursor, table)

    def scores(self, model, seed):
        """Return each item's score under each draw."""
        self._cursor.execute(f"""
            PREPARE draws (integer) AS {DRAWS_OF[model].format(seed=seed)}""")
        weights = []
        for number in range(1, DRAWS + 1):
            self._cursor.execute('EXECUTE draws (%s)', (number,))
            weights.append(self._cursor.fetchone()[0])
        self._cursor.execute('DEALLOCATE draws')
        return np.array(weights, np.float32) @ self.vectors.T


class Judge:
    """What lists of items are worth by the scores of a draw each.

    A score counts by how far it is above the mean of all items.
    """

    def __init__(self, scores, passing=slice(None)):
        self._scores = scores
        self._bars = []
        for row in scores:
            among = row[passing]
            tenth, best = np.partition(among, (-BEST, -1))[[-BEST, -1]]
            self._bars.append((among.mean(), tenth, best))

    def rate(self, lists):
        """Return how often the best is found, share of its score, recall."""
        ratings = []
        for draw, ids in lists.items():
            mean, tenth, best = self._bars[draw - 1]
            found = self._scores[draw - 1][np.array(ids, int) - 1]
            rounding = 1e-5 * (best - mean)
            highest = found.max(initial=mean)
            ratings.append((highest >= best - rounding,
                            (highest - mean) / (best - mean),
                            np.sum(found >= tenth - rounding) / BEST))
        return np.mean(ratings, axis=0)


def _vectors(generator, kind, items, dim):
    """Return items of length 1, or about 1 where the kind is uneven."""
    vectors = generator.standard_normal((items, dim), np.float32)
    if kind != 'random':
        centres = generator.standard_normal((CLUSTERS, dim), np.float32)
        vectors *= SPREAD
        for part in np.array_split(vectors, items // PART or 1):
            part += centres[generator.integers(0, CLUSTERS, len(part))]
    vectors = _unit(vectors)
    if kind == 'uneven':
        vectors *= np.exp(UNEVEN * generator.standard_normal(
            (items, 1), np.float32))
    return vectors


def _unit(vectors):
    """Return vectors of length 1."""
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
