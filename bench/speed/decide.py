"""Choices with their probabilities, next to choices without."""

from contextlib import closing

import psycopg2

from bench import machine, samples
from bench.measure import alternate, median, ratio
from bench.report import Result, at_most
from bench.server import value

TITLE = 'Decide, with probabilities'
CANDIDATES = (100, 1000, 10000)
JUDGED = 1000
DRAWS = 100
ROUNDS = 200
BAR = 10
USERS = 2000
OF_A_USER = 100

RECOMMEND = """
    SELECT dlints_recommend(m.state, i.id, i.features)
    FROM   model m, item i WHERE m.name = 'home' AND i.id <= {count}"""
CHOOSE = """
    SELECT id, (choice).probability
    FROM  (SELECT i.id, dlints_choose(m.state, i.features{arguments})
                        OVER () AS choice
           FROM   model m, item i
           WHERE  m.name = 'home' AND i.id <= {count}) c
    WHERE (choice).rank IS NOT NULL"""
BARE = """
    SELECT id, n
    FROM  (SELECT i.id, m.state, i.features, count(*) OVER () AS n
           FROM   model m, item i
           WHERE  m.name = 'home' AND i.id <= {count} OFFSET 0) c
    WHERE  n = 0 AND features = '{{}}' AND state IS NULL"""
WARM_UP = """
    SELECT dlints_recommend(m.state, i.id, i.features)
    FROM   model m, item i WHERE m.name = 'home'"""
FORMS = {'recommend': (RECOMMEND, ''),
         'choose': (CHOOSE, ''),
         'of a draw': (CHOOSE, ', draws => 1'),
         'ten with caps': (CHOOSE, ', k => 10, cap => 2, '
                                   "cap_group => (i.id % 20)::text")}

WINDOW = """
    SELECT count(*)
    FROM  (SELECT dlints_choose(m.state, i.features, draws => 20)
                  OVER (PARTITION BY u) AS choice
           FROM   model m, item i, generate_series(1, {users}) u
           WHERE  m.name = 'home' AND i.id <= {count}) c
    WHERE (choice).rank IS NOT NULL"""
LATERAL = """
    SELECT count(*)
    FROM   generate_series(1, {users}) u,
           LATERAL (SELECT dlints_choose(m.state, i.features, draws => 20)
                           OVER () AS choice
                    FROM   model m, item i
                    WHERE  m.name = 'home' AND i.id <= {count}
                    AND    u > 0) c
    WHERE (choice).rank IS NOT NULL"""


def run(cursor, share, advance):
    """Return the results."""
    samples.create_items(cursor,
                         samples.contexts(CANDIDATES[-1], samples.CONTEXT_DIM),
                         key='PRIMARY KEY')
    samples.create_model(cursor)
    # Candidates that PostgreSQL writes to disk are measured on their own.
    cursor.execute("SET work_mem = '64MB'")
    rounds = max(20, int(ROUNDS * share))
    times = {}
    for number, count in enumerate(CANDIDATES):
        times.update(alternate(
            {(name, count): _task(cursor, name, count) for name in FORMS},
            rounds))
        advance(0.2 * (number + 1))
    cursor.execute('RESET work_mem')
    form, arguments = FORMS['choose']
    statement = form.format(count=CANDIDATES[-1], arguments=arguments)
    on_disk = alternate({'choose': lambda: cursor.execute(statement)},
                        rounds)['choose']
    users = max(100, int(USERS * share))
    many = alternate(
        {name: _statement(cursor, form.format(users=users, count=OF_A_USER))
         for name, form in (('window', WINDOW), ('lateral', LATERAL))},
        3, advance=lambda done: advance(0.6 + 0.3 * done))
    results = []
    for count in CANDIDATES:
        results += _results(count, times)
        results.append(Result(f'    memory that {count:,} candidates take',
                              _memory(cursor, count)))
    return results + [
        Result(f'    {CANDIDATES[-1]:,} candidates beyond work_mem',
               median(on_disk)),
        Result(f'    {users:,} users of {OF_A_USER} candidates, 20 draws: '
               'LATERAL; one window over all',
               f'{median(many["lateral"])}; {median(many["window"])}')]


def _results(count, times):
    """Return what choices among so many take."""
    base = times['recommend', count]
    ratios = {name: ratio(times[name, count], base) for name in FORMS}
    what = (f'dlints_choose, {count:,} candidates, {DRAWS} draws, '
            f'd = {samples.REDUCED_DIM}: times dlints_recommend')
    text = f'{ratios["choose"]}, {median(times["choose", count])}'
    first = (at_most(what, ratios['choose'].value, BAR, text)
             if count == JUDGED else Result(what, text))
    return [first] + [
        Result(f'    {name}', f'{ratios[name]}, {median(times[name, count])}')
        for name in ('of a draw', 'ten with caps')]


def _task(cursor, name, count):
    """Return a call of one form among so many candidates."""
    form, arguments = FORMS[name]
    return _statement(cursor, form.format(count=count, arguments=arguments))


def _statement(cursor, text):
    """Prepare a statement and return a call of it."""
    name = f'decide_{abs(hash(text))}'
    cursor.execute(f'PREPARE {name} AS {text}')
    return lambda: cursor.execute(f'EXECUTE {name}')


def _memory(cursor, count):
    """Return what a choice adds to the most memory that a backend has had.

    What the statement takes in any case is not counted.
    """
    chooses = CHOOSE.format(count=count, arguments='')
    numbers = BARE.format(count=count)
    peaks = [_peak(cursor, statement) for statement in (numbers, chooses)]
    if None in peaks:
        return 'unknown'
    return f'{(peaks[1] - peaks[0]) / 1024:.1f} MB'


def _peak(cursor, statement):
    """Return a new backend's peak after a statement, in kB."""
    schema = value(cursor, 'SHOW search_path')
    with closing(psycopg2.connect('')) as connection:
        other = connection.cursor()
        other.execute(f'SET search_path = {schema}')
        other.execute(WARM_UP)
        other.execute(statement)
        pid = value(other, 'SELECT pg_backend_pid()')
        peak = machine.process_status(other, pid).get('VmHWM')
    return int(peak.split()[0]) if peak else None
