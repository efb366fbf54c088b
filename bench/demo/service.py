"""The recommendation service: what an application would run against dlints."""

import io
from contextlib import contextmanager
from datetime import datetime, timezone
from time import perf_counter

import psycopg2

import statements
from errors import UserError

SCHEMA = 'dlints_demo'


@contextmanager
def connect():
    """Connect as libpq's environment says; errors become a UserError."""
    connection = None
    try:
        connection = psycopg2.connect('')
        connection.autocommit = True
        yield Service(connection.cursor())
    except psycopg2.Error as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise UserError(f'PostgreSQL: {reason}') from None
    finally:
        if connection:
            connection.close()


class Service:
    """Recommends movies and learns from rewards, one statement for each."""

    def __init__(self, cursor):
        self._cursor = cursor
        self.executed = {}      # title: the first such statement, as executed
        self.seconds = {}       # title: what each execution took

    def set_up(self):
        """Make the tables, in a schema of their own, emptied beforehand."""
        self._cursor.execute('SET client_min_messages = warning')
        self._run('The extension', statements.EXTENSION)
        self._cursor.execute(f"""
            DROP SCHEMA IF EXISTS {SCHEMA} CASCADE;
            CREATE SCHEMA {SCHEMA};
            SET search_path = {SCHEMA}, public;
            SET synchronous_commit = off""")
        self._run('Tables', statements.TABLES)

    def load(self, catalogue):
        """Load movies, users and ratings."""
        self._copy('movie (id, title, genres, features)', (
            (movie.id, movie.title, _array(movie.genres), _array(features))
            for movie, features in zip(catalogue.movies, catalogue.features)))
        self._copy('viewer (id)', ((user,) for user in catalogue.users))
        self._copy('rating (viewer_id, movie_id, stars, rated_at)', (
            (user, movie, stars, datetime.fromtimestamp(time, timezone.utc))
            for user, movie, stars, time in catalogue.ratings.tolist()))
        self._cursor.execute('ANALYZE movie, viewer, rating')

    def new_model(self, **parameters):
        """Create a model in a row of its own."""
        self._run('A model in a row', statements.NEW_MODEL, **parameters)

    def prepare(self):
        """Have the server plan the two statements of the stream once."""
        self._run('Prepare to recommend', statements.PREPARE_RECOMMEND)
        self._run('Prepare to learn', statements.PREPARE_LEARN)

    def recommend(self, model):
        """Return the id of the movie to show."""
        self._run('Recommend', statements.RECOMMEND, model=model)
        return self._cursor.fetchone()[0]

    def learn(self, model, viewer, movie, reward):
        """Record a visit's reward and learn from it."""
        self._run('Record a reward and learn from it', statements.LEARN,
                  model=model, viewer=viewer, movie=movie, reward=reward)

    def five_unseen(self, model, viewer):
        """Return the titles of the five best that the viewer has not seen."""
        self._run('The five best that a viewer has not seen',
                  statements.FIVE_UNSEEN, model=model, viewer=viewer)
        return [title for title, in self._cursor.fetchall()]

    def learn_later(self, model, movies, rewards):
        """Queue rewards, then learn from the whole queue in one statement."""
        self._copy('feedback (model, movie_id, reward)', (
            (model, movie, reward) for movie, reward in zip(movies, rewards)))
        self._run('Learn from a queue of rewards', statements.LEARN_QUEUE)

    def _run(self, title, statement, **values):
        """Execute a statement; keep its text and the time it took."""
        start = perf_counter()
        self._cursor.execute(statement, values)
        self.seconds.setdefault(title, []).append(perf_counter() - start)
        self.executed.setdefault(title, self._cursor.query.decode())

    def _copy(self, target, rows):
        """Load rows into a table through COPY."""
        text = ''.join('\t'.join(map(_field, row)) + '\n' for row in rows)
        self._cursor.copy_expert(f'COPY {target} FROM STDIN',
                                 io.StringIO(text))


def _field(value):
    """Return a value as a field of COPY's text format."""
    escapes = {'\\': r'\\', '\t': r'\t', '\n': r'\n', '\r': r'\r'}
    return str(value).translate(str.maketrans(escapes))


def _array(values):
    """Return values as PostgreSQL writes an array."""
    return '{' + ','.join(map(_element, values)) + '}'


def _element(value):
    """Return one element of an array, quoted if it is a text."""
    if not isinstance(value, str):
        return f'{value:.7g}'
    quoted = value.replace('\\', r'\\').replace('"', r'\"')
    return f'"{quoted}"'
