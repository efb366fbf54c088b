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
    """Visitors, their pages and likes, over a few database sessions."""

    def __init__(self, films, sessions=4):
        _set_up(films)
        self._free = queue.LifoQueue()
        for _ in range(sessions):
            self._free.put(_connect())

    @contextmanager
    def session(self):
        """Lend a session; it notes what it executes."""
        connection = self._free.get()
        try:
            if connection.closed:
                connection = _connect()
            with connection.cursor(
                    cursor_factory=psycopg2.extras.RealDictCursor) as cursor:
                yield Session(cursor)
        finally:
            self._free.put(connection)

    def close(self):
        """End all sessions."""
        while not self._free.empty():
            self._free.get().close()


class Session:
    """A database session, and the statements it has executed."""

    def __init__(self, cursor):
        self._cursor = cursor
        self.executed = []

    def new_visitor(self, robot=False):
        """Return the number of somebody new."""
        return self._rows('new_visitor', robot=robot)[0]['id']

    def knows(self, visitor):
        """Return whether there is such a visitor."""
        self._cursor.execute('SELECT FROM visitor WHERE id = %s', [visitor])
        return self._cursor.rowcount == 1

    def open_page(self, visitor):
        """Return the decision the visitor has on screen, a new one if none."""
        page = self._rows('open_page', visitor=visitor)[0]['max']
        return page if page is not None else self.decide(visitor)[0]

    def decide(self, visitor):
        """Choose a page; return its number and its films."""
        rows = self._rows('decide', visitor=visitor)
        if not rows:
            raise Gone('there is no film left that you have not liked')
        return rows[0]['decision_id'], [row['movie_id'] for row in rows]

    def learn(self, visitor):
        """Have the model learn what the visitor has seen."""
        self._execute('learn', visitor=visitor)

    def like(self, visitor, decision, movie, likes=True):
        """Note that the visitor likes a film of an open page, or not."""
        self._execute('like' if likes else 'unlike', visitor=visitor,
                      decision=decision, movie=movie)
        if not self._cursor.rowcount:
            raise Gone('that film is not on your page any more: '
                       'reload the page')

    def why(self, decision):
        """Return the films of a page with the reasons for them."""
        return self._rows('why', decision=decision)

    def liked(self, visitor):
        """Return the titles of what the visitor liked."""
        return [row['title'] for row in self._rows('liked', visitor=visitor)]

    def crowd(self, visitor):
        """Return what the model remembers and what everybody liked."""
        return {'memory': self._rows('memory')[0],
                'genres': self._rows('genres', visitor=visitor),
                'pages': self._rows('pages')}

    def _rows(self, name, **values):
        self._execute(name, **values)
        return [dict(row) for row in self._cursor.fetchall()]

    def _execute(self, name, **values):
        start = perf_counter()
        self._cursor.execute(STATEMENTS[name], values)
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


def _set_up(films):
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
        server.copy(cursor, 'movie (id, title, genres)', films.movies)
        server.copy(cursor, 'history', films.history)
        cursor.execute(STATEMENTS['factors'])
        cursor.execute('ANALYZE')
