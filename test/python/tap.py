"""Test results in the Test Anything Protocol."""

import sys

import psycopg2

from bench import server


class Tap:
    """Test results, printed at once."""

    def __init__(self):
        self._count = 0
        self.failed = False

    def ok(self, passed, name, detail=''):
        """Print the result of a test."""
        self._count += 1
        print(f'{"ok" if passed else "not ok"} {self._count} - {name}')
        if not passed:
            self.failed = True
            print(f'# {detail}')
        sys.stdout.flush()

    def plan(self):
        """Print the number of tests."""
        print(f'1..{self._count}')


def run_checks(check, **settings):
    """Run tests in a session with an empty schema, and exit with the status.

    Connects by libpq's environment.
    """
    tap = Tap()
    try:
        with server.connect(**settings) as cursor:
            check(tap, cursor)
    except psycopg2.Error as error:
        print('Bail out! ' + (str(error).strip() or 'PostgreSQL')
              .splitlines()[0])
        sys.exit(1)
    tap.plan()
    sys.exit(int(tap.failed))
