"""dlints itself: two prepared statements over one connection."""

from bench import samples
from bench.peers.contender import Contender
from bench.server import value

PREPARE = """
    PREPARE recommend (text) AS
    SELECT dlints_recommend((SELECT state FROM model WHERE name = $1),
                            id, features)
    FROM   item WHERE in_stock;

    PREPARE learn (text, integer, float8) AS
    UPDATE model m SET state = dlints_update(m.state, i.features, $3)
    FROM   item i WHERE m.name = $1 AND i.id = $2"""

NEW_MODEL = f"""
    INSERT INTO model
    VALUES (%s, dlints_new(context_dim => %s, reduced_dim => %s,
                           {samples.PAPER}))"""


class Extension(Contender):
    """The extension, as its README teaches to use it."""

    NAME = 'dlints'
    ABOUT = ('two prepared statements, each a transaction; items are '
             'filtered by a WHERE clause, items and model read from their '
             'tables every time: n numbers for each candidate, where peers '
             'with a cache of projected items read d')

    def __init__(self, task):
        self._cursor = task.cursor
        self._cursor.execute(samples.MODELS)
        self._cursor.execute(NEW_MODEL, (
            samples.MODEL, task.shape.context_dim, task.shape.reduced_dim))
        self._cursor.execute(PREPARE)

    def choose(self):
        """Return the item to show next."""
        return value(self._cursor, 'EXECUTE recommend (%(model)s)',
                     model=samples.MODEL) - 1

    def learn(self, choice, reward):
        """Learn from the reward of an item."""
        self._cursor.execute('EXECUTE learn (%s, %s, %s)',
                             (samples.MODEL, choice + 1, reward))

    def tidy(self):
        """Remove the row's old versions."""
        self._cursor.execute('VACUUM model')
