"""The numpy loop in the server, as functions in PL/Python."""

import inspect
from pathlib import Path

import psycopg2

from bench import reference
from bench.peers.contender import Contender
from bench.program import UserError, describe
from bench.server import value

FUNCTIONS = Path(__file__).with_name('plpython.sql')


def why_not(cursor):
    """Return why the server cannot run PL/Python; None if it can."""
    if value(cursor, """
            SELECT count(*) FROM pg_available_extensions
            WHERE  name = 'plpython3u'"""):
        return None
    version = value(cursor, 'SHOW server_version_num')
    return ('the server has no plpython3u (on Debian: '
            f'postgresql-plpython3-{int(version) // 10000})')


class _PlPython(Contender):
    """What all ways to keep the state have in common."""

    KEY = ''

    def __init__(self, task):
        self._cursor = task.cursor
        if value(self._cursor, "SELECT to_regclass('peer') IS NULL"):
            self._cursor.execute('CREATE EXTENSION IF NOT EXISTS plpython3u')
            self._cursor.execute(FUNCTIONS.read_text(encoding='utf-8'))
        try:
            self._state = value(
                self._cursor,
                'SELECT peer_open(%(key)s, %(size)s, %(source)s)',
                key=self.KEY, size=task.shape.reduced_dim,
                source=inspect.getsource(reference))
        except psycopg2.Error as error:
            raise UserError('PL/Python, whose Python needs numpy and scipy: '
                            f'{describe(error)}') from None


class SessionMemory(_PlPython):
    """State in session memory, lost at disconnect."""

    NAME = 'PL/Python, session memory'
    KEY = 'memory'
    ABOUT = ('the numpy loop in prepared calls of plpython3u functions; '
             'state in session memory, lost at disconnect')
    LACKS = ('Not durable; each session has a model of its own. No WHERE '
             'clause: the items are a copy made at the start, which no '
             'filter, insert or update reaches. No transaction: ROLLBACK '
             'does not unlearn. An untrusted language: a superuser has to '
             'install it.')

    def choose(self):
        """Return the item to show next."""
        return value(self._cursor, 'EXECUTE memory_choose')

    def learn(self, choice, reward):
        """Learn from the reward of an item."""
        self._cursor.execute('EXECUTE memory_learn (%s, %s)',
                             (choice, reward))


class TableRow(_PlPython):
    """State in a row of a table."""

    NAME = 'PL/Python, state in a row'
    KEY = 'row'
    ABOUT = ('the same, but the state is a bytea in a table row, read each '
             'time and written by each update')
    LACKS = ('Durable, transactional and safe under concurrent updates (the '
             'function locks the row). But no WHERE clause: every session '
             'keeps a copy of all items, projected at its start, which no '
             'filter, insert or update reaches. The bytes mean nothing to '
             "SQL, and are twice as many as dlints'. An untrusted language: a "
             'superuser has to install it.')
    CHOOSE = 'EXECUTE row_choose (%(model)s)'

    def __init__(self, task):
        super().__init__(task)
        self._cursor.execute('INSERT INTO peer VALUES (%s, %s)',
                             (self.KEY, self._state))

    def choose(self):
        """Return the item to show next."""
        return value(self._cursor, self.CHOOSE, model=self.KEY)

    def learn(self, choice, reward):
        """Learn from the reward of an item."""
        self._cursor.execute('EXECUTE row_learn (%s, %s, %s)',
                             (self.KEY, choice, reward))

    def tidy(self):
        """Remove the row's old versions."""
        self._cursor.execute('VACUUM peer')


class FilteredTableRow(TableRow):
    """State in a row, and candidates from a query."""

    NAME = 'PL/Python, row and WHERE'
    KEY = 'filtered'
    ABOUT = ('the same, and the numbers of the candidates come from a query '
             'with a WHERE clause: of what is compared here, closest to what '
             'dlints does')
    LACKS = ('As the one before, except for the filter: an inserted or '
             'changed item is still unknown to sessions that started '
             'earlier.')
    CHOOSE = 'EXECUTE filtered_choose (%(model)s)'


PEERS = (SessionMemory, TableRow, FilteredTableRow)
