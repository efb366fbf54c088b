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
        self._copy('viewer (id, features)', (
            (user, _array(features))
            for user, features in zip(catalogue.users, catalogue.tastes)))
        self._copy('rating (viewer_id, movie_id, stars, rated_at)', (
            (user, movie, stars, datetime.fromtimestamp(time, timezone.utc))
            for user, movie, stars, time in catalogue.ratings.tolist()))
        self._cursor.execute('ANALYZE movie, viewer, rating')

    def new_model(self, **parameters):
        """Create a model in a row of its own."""
        self._run('A model in a row', statements.NEW_MODEL, **parameters)

    def prepare(self, kind):
        """Have the server plan the two statements of the stream once."""
        self._run_for(kind, f'Prepare to recommend, {kind}',
                      statements.PREPARE_RECOMMEND)
        self._run_for(kind, f'Prepare to learn, {kind}',
                      statements.PREPARE_LEARN)

    def recommend(self, kind, model, viewer):
        """Return the id of the movie to show."""
        self._run_for(kind, 'Recommend', statements.RECOMMEND,
                      model=model, viewer=viewer)
        return self._cursor.fetchone()[0]

    def learn(self, kind, model, viewer, movie, reward):
        """Record a visit's reward and learn from it."""
        self._run_for(kind, 'Record a reward and learn from it',
                      statements.LEARN, model=model, viewer=viewer,
                      movie=movie, reward=reward)

    def five_each(self, kind, model, viewers):
        """Return (title, genres) of each viewer's five best movies.

        Movies that any of the viewers has rated are left out for all.
        """
        self._run_for(kind, f'The five best for each viewer, {kind}',
                      statements.FIVE_EACH, model=model, viewers=viewers)
        lists = {viewer: [] for viewer in viewers}
        for viewer, title, genres in self._cursor.fetchall():
            lists[viewer].append((title, genres))
        return list(lists.values())

    def learn_later(self, model, visits):
        """Queue rewards, then learn from the whole queue in one statement."""
        self._copy('feedback (model, viewer_id, movie_id, reward)',
                   ((model, *visit) for visit in visits))
        self._run('Learn from a queue of rewards', statements.LEARN_QUEUE)

    def _run_for(self, kind, title, statement, **values):
        """Execute a statement, completed for a kind of model."""
        contexts = statements.CONTEXTS[kind]
        self._run(title, statement.format(kind=kind, contexts=contexts),
                  **values)

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
