"""What the page can do, each a statement or two of the files in sql/.

A statement that a visitor had executed is noted with its values, for the page
to show.
"""

import queue
from contextlib import closing, contextmanager
from pathlib import Path
from time import perf_counter

import psycopg2
import psycopg2.extras

from bench import server

SCHEMA = 'dlints_play'
STATEMENTS = {path.stem: path.read_text(encoding='utf-8').rstrip()
              for path in (Path(__file__).parent / 'sql').glob('*.sql')}


class Gone(Exception):
    """The visitor or the page is not, or no longer, known."""


class Service:
    """Visitors, their pages and likes, over a few database sessions.

    Films are of movielens.Movie, the history is pairs of a person and a film's
    id.
    """

    def __init__(self, films, history, sessions=4):
        _set_up(films, history)
        self._free = queue.LifoQueue()
        for _ in range(sessions):
            self._free.put(_connect())

    @contextmanager
    def session(self, statements=STATEMENTS):
        """Lend a session; it notes what it executes."""
        connection = self._free.get()
        try:
            if connection.closed:
                connection = _connect()
            with connection.cursor(
                    cursor_factory=psycopg2.extras.RealDictCursor) as cursor:
                yield Session(cursor, statements)
        finally:
            self._free.put(connection)

    def close(self):
        """End all sessions."""
        while not self._free.empty():
            self._free.get().close()


class Session:
    """A database session, and the statements it has executed."""

    def __init__(self, cursor, statements):
        self._cursor = cursor
        self._statements = statements
        self.executed = []

    def new_visitor(self, model='home', robot=False):
        """Return the number of somebody new."""
        return self.rows('new_visitor', model=model, robot=robot)[0]['id']

    def knows(self, visitor):
        """Return whether there is such a visitor."""
        self._cursor.execute('SELECT FROM visitor WHERE id = %s', [visitor])
        return self._cursor.rowcount == 1

    def open_page(self, visitor):
        """Return the decision the visitor has on screen, a new one if none."""
        page = self.rows('open_page', visitor=visitor)[0]['max']
        return page if page is not None else self.decide(visitor)[0]

    def decide(self, visitor, films=10):
        """Choose a page; return its number and its films."""
        rows = self.rows('decide', visitor=visitor, films=films)
        if not rows:
            raise Gone('there is no film left that you have not liked')
        return rows[0]['decision_id'], [row['movie_id'] for row in rows]

    def learn(self, visitor):
        """Have the model learn what the visitor has seen."""
        self.execute('learn', visitor=visitor)

    def like(self, visitor, decision, movie, reward=1):
        """Note that the visitor likes a film of an open page, or, 0, not."""
        self.execute('like' if reward else 'unlike', visitor=visitor,
                     decision=decision, movie=movie, reward=reward)
        if not self._cursor.rowcount:
            raise Gone('that film is not on your page any more: '
                       'reload the page')

    def visit(self, visitor, reward_of, films=10):
        """See a page, like what is to be liked; return {film: reward}."""
        decision, movies = self.decide(visitor, films)
        rewards = {movie: reward_of(movie) for movie in movies}
        for movie, reward in rewards.items():
            if reward:
                self.like(visitor, decision, movie, reward)
        self.learn(visitor)
        return rewards

    def why(self, decision):
        """Return the films of a page with the reasons for them."""
        return self.rows('why', decision=decision)

    def liked(self, visitor):
        """Return the titles of what the visitor liked."""
        return [row['title'] for row in self.rows('liked', visitor=visitor)]

    def crowd(self, visitor):
        """Return what the model remembers and what everybody liked."""
        return {'memory': self.rows('memory', model='home')[0],
                'genres': self.rows('genres', visitor=visitor),
                'pages': self.rows('pages')}

    def rows(self, name, **values):
        """Return the rows of a statement as dictionaries."""
        self.execute(name, **values)
        return [dict(row) for row in self._cursor.fetchall()]

    def execute(self, name, **values):
        """Execute a statement, and note it."""
        start = perf_counter()
        self._cursor.execute(self._statements[name], values)
        self.executed.append({
            'name': name, 'sql': self._cursor.query.decode() + ';',
            'rows': self._cursor.rowcount,
            'milliseconds': 1000 * (perf_counter() - start)})


def _connect():
    connection = psycopg2.connect('')
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute(f'SET search_path = {SCHEMA}, public')
    return connection


def _set_up(films, history):
    """Make the tables anew and fill them."""
    with closing(psycopg2.connect('')) as connection:
        connection.autocommit = True
        cursor = connection.cursor()
        cursor.execute(f"""
            SET client_min_messages = warning;
            CREATE EXTENSION IF NOT EXISTS dlints;
            DROP SCHEMA IF EXISTS {SCHEMA} CASCADE;
            CREATE SCHEMA {SCHEMA};
            SET search_path = {SCHEMA}, public""")
        cursor.execute(STATEMENTS['schema'])
        server.copy(cursor, 'movie (id, title, genres)',
                    ((film.id, film.title, film.genres) for film in films))
        server.copy(cursor, 'history', history)
        cursor.execute(STATEMENTS['factors'])
        cursor.execute('ANALYZE')
