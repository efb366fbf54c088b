"""The SQL behind the page, in statements.sql.

A session records each executed statement with its values, for the page to
show.
"""

import queue
import re
from contextlib import closing, contextmanager
from pathlib import Path
from time import perf_counter

import psycopg2
import psycopg2.extras

from bench import server

SCHEMA = 'dlints_play'
_, *PARTS = re.split(
    r'^-- ---------- (\w+) ----------\n',
    Path(__file__).with_name('statements.sql').read_text(encoding='utf-8'),
    flags=re.MULTILINE)
STATEMENTS = {name: text.strip()
              for name, text in zip(PARTS[::2], PARTS[1::2])}


class Gone(Exception):
    """The visitor or the page does not exist, or not any more."""


class Service:
    """Pages and likes of visitors, over a pool of database sessions.

    `films` are movielens.Movie. `watched` has pairs (user name, film id) from
    before the service began. With a `seed`, all draws are repeatable.
    """

    def __init__(self, films, watched, sessions=4, seed=None):
        _set_up(films, watched, seed)
        self._free = queue.LifoQueue()
        for _ in range(sessions):
            self._free.put(_connect(seed))

    @contextmanager
    def session(self):
        """Lend a session, which records the statements that it executes."""
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
    """A database session, and the statements that it has executed."""

    def __init__(self, cursor):
        self._cursor = cursor
        self.executed = []

    def open_page(self, visitor):
        """Return the visitor's latest decision, or None."""
        self._cursor.execute(
            'SELECT id FROM home.decision WHERE user_id = %s '
            'ORDER BY at DESC LIMIT 1', [visitor])
        row = self._cursor.fetchone()
        return row and row['id']

    def decide(self, visitor, films=10):
        """Choose a page; return its decision and its films."""
        rows = self.rows('decide', visitor=visitor, films=films)
        if not rows:
            raise Gone('you have seen all films')
        return rows[0]['decision'], [row['item'] for row in rows]

    def learn(self):
        """Train the models on all pages until now."""
        self.execute('learn')

    def like(self, visitor, decision, film, value=1):
        """Report that the visitor likes a film of a page; 0 takes that back."""
        self.execute('like', visitor=visitor, decision=decision, film=film,
                     value=value)
        if not self._cursor.rowcount:
            raise Gone('the film is on none of your pages: reload the page')

    def visit(self, visitor, likes, films=10):
        """Show a page, report its likes, and return {film: liked}."""
        decision, shown = self.decide(visitor, films)
        liked = {film: likes(film) for film in shown}
        for film in shown:
            if liked[film]:
                self.like(visitor, decision, film)
        self.learn()
        return liked

    def explain(self, decision):
        """Return the films of a page with their explanations."""
        return self.rows('explain', decision=decision)

    def liked(self, visitor):
        """Return the titles of the films that the visitor liked."""
        return [row['title'] for row in self.rows('liked', visitor=visitor)]

    def crowd(self, visitor):
        """Return the state of the model, and statistics over all visitors."""
        return {'memory': self.rows('memory')[0],
                'genres': self.rows('genres', visitor=visitor),
                'pages': self.rows('pages'),
                'report': self.rows('report')}

    def rows(self, name, **values):
        """Return the rows of a statement as dictionaries."""
        self.execute(name, **values)
        return [dict(row) for row in self._cursor.fetchall()]

    def execute(self, name, **values):
        """Execute a statement, and record it."""
        start = perf_counter()
        self._cursor.execute(STATEMENTS[name], values)
        self.executed.append({
            'name': name, 'sql': self._cursor.query.decode() + ';',
            'rows': self._cursor.rowcount,
            'milliseconds': 1000 * (perf_counter() - start)})


def _connect(seed=None):
    connection = psycopg2.connect('')
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute(f'SET search_path = {SCHEMA}, public')
        _seed(cursor, seed)
    return connection


def _seed(cursor, seed):
    """Make the draws of a session repeatable, unless the seed is None."""
    if seed is not None:
        cursor.execute('SELECT setseed(1.0 / (1 + %(n)s)),'
                       " set_config('dlints.seed', %(n)s::text, false)",
                       {'n': seed})


def _set_up(films, watched, seed):
    """Create and fill the tables, and create the recommender."""
    with closing(psycopg2.connect('')) as connection:
        connection.autocommit = True
        cursor = connection.cursor()
        cursor.execute(f"""
            SET client_min_messages = warning;
            CREATE EXTENSION IF NOT EXISTS dlints;
            DROP SCHEMA IF EXISTS home, {SCHEMA} CASCADE;
            CREATE SCHEMA {SCHEMA};
            SET search_path = {SCHEMA}, public""")
        _seed(cursor, seed)
        cursor.execute(STATEMENTS['tables'])
        server.copy(cursor, 'film (id, title, genres)',
                    ((film.id, film.title, film.genres) for film in films))
        server.copy(cursor, 'watched (visitor, film)', watched)
        cursor.execute('INSERT INTO seen SELECT DISTINCT visitor, film FROM watched')
        cursor.execute('ANALYZE')
        cursor.execute(STATEMENTS['recommender'])
        if seed is not None:    # else the recommender has random keys
            cursor.execute('UPDATE home.setting SET seed = %s, secret = 1',
                           [seed])
