"""Ways timed in turns, and what they find."""

from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from bench import program, server
from bench.ann import ways
from bench.ann.catalogue import DRAWS

WARM_UP = 3
EXACT_EVERY = 50
MEMORY = '4GB'
SERIAL = 'SET max_parallel_workers_per_gather = 0'
FILTERS = False, True
CASES = [(model, filtered) for filtered in FILTERS for model in ways.MODELS]


@dataclass
class Found:
    """What a way took, and its lists by the draw's number."""

    seconds: list = field(default_factory=list)
    lists: dict = field(default_factory=dict)

    def cell(self, judge, exact):
        """Return it in words."""
        if not self.seconds:
            return ''
        took = f'{np.median(self.seconds) * 1e3:.3g} ms'
        best, share, recall = judge.rate(self.lists)
        if exact:
            if recall < 1:
                raise program.UserError('an exact way has missed an item')
            return took
        return f'{took}, {best:.0%}, {share:.3f}, {recall:.0%}'


class Statement:
    """A prepared statement under its settings."""

    def __init__(self, cursor, way, sql, name):
        self._cursor = cursor
        self._settings = f'{SERIAL}; SET {way.setting}'
        self._execute = f'EXECUTE {name} (%s)'
        cursor.execute(self._settings)
        cursor.execute(f'PREPARE {name} (integer) AS {sql}')
        cursor.execute(f'EXPLAIN {self._execute}', (1,))
        if way.plan not in '\n'.join(line for line, in cursor):
            raise program.UserError(f'{way.name}: its plan has no {way.plan}')

    def run(self, draw):
        """Return how long it took, and its list."""
        self._cursor.execute(self._settings)
        start = perf_counter()
        self._cursor.execute(self._execute, (draw,))
        seconds = perf_counter() - start
        return seconds, self._cursor.fetchone()[0]


def build(cursor, index):
    """Build an index in place of the last one; return its size and time."""
    cursor.execute(f"""
        DROP INDEX IF EXISTS nearest;
        SET maintenance_work_mem = '{MEMORY}';
        SET max_parallel_maintenance_workers = {ways.WORKERS}""")
    start = perf_counter()
    cursor.execute(index.create())
    seconds = perf_counter() - start
    size = server.value(cursor, "SELECT pg_relation_size('nearest')")
    return f'{size / 2 ** 20:.0f} MB', f'{seconds:.1f} s'


def play(cursor, exact, searches, case, found):
    """Run the ways in turns, and add to what was found."""
    chosen = [way for way in (*exact, *searches) if way.takes(*case)]
    statements = {
        way: Statement(cursor, way, way.sql(*case), f'way{number}')
        for number, way in enumerate(chosen)}
    for way in searches:
        for draw in range(1, WARM_UP + 1):
            statements[way].run(draw)
    for draw in range(1, DRAWS + 1):
        for way, statement in statements.items():
            if way not in exact or draw % EXACT_EVERY == 0:
                seconds, items = statement.run(draw)
                found[way, case].seconds.append(seconds)
                found[way, case].lists[draw] = items
    for way in filter(lambda way: way.judged, chosen):
        statement = Statement(cursor, way, way.sql(*case, judged=True),
                              'judged')
        found[way, case].lists = {draw: statement.run(draw)[1]
                                  for draw in range(1, DRAWS + 1)}
        cursor.execute('DEALLOCATE judged')
    cursor.execute('DEALLOCATE ALL')
