"""Choices with their probabilities, next to choices without."""

from bench import samples
from bench.measure import alternate, median, ratio, statements
from bench.report import Result, at_most

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
                         samples.random_features(CANDIDATES[-1], samples.DIM),
                         key='PRIMARY KEY')
    samples.create_model(cursor)
    # Candidates that PostgreSQL writes to disk are measured on their own.
    cursor.execute("SET work_mem = '64MB'")
    rounds = max(20, int(ROUNDS * share))
    times = {}
    for number, count in enumerate(CANDIDATES):
        found = alternate(_prepared(cursor, {
            name: form.format(count=count, arguments=arguments)
            for name, (form, arguments) in FORMS.items()}), rounds)
        times.update({(name, count): series
                      for name, series in found.items()})
        advance(0.2 * (number + 1))
    cursor.execute('RESET work_mem')
    on_disk = alternate(statements(cursor, {'choose': CHOOSE.format(
        count=CANDIDATES[-1], arguments='')}), rounds)['choose']
    users = max(100, int(USERS * share))
    many = alternate(_prepared(cursor, {
        name: form.format(users=users, count=OF_A_USER)
        for name, form in (('window', WINDOW), ('lateral', LATERAL))}),
        3, advance=lambda done: advance(0.6 + 0.3 * done))
    results = []
    for count in CANDIDATES:
        results += _results(count, times)
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


def _prepared(cursor, texts):
    """Prepare the named statements and return a task for each."""
    cursor.execute('DEALLOCATE ALL;' + ';'.join(
        f'PREPARE "{name}" AS {text}' for name, text in texts.items()))
    return statements(cursor, {name: f'EXECUTE "{name}"' for name in texts})
