"""Rebuilding a model from the log, in order.

The new model is an argument of the aggregate and goes through its sort with
every row. It is measured against an aggregate that sorts the same rows and
does next to nothing with them. There is memory enough to sort them all.
"""

from bench import samples
from bench.measure import BLOCKS, alternate, ratio
from bench.report import Result, at_most

ROWS = 20000
DIM = 300
REDUCED_DIM = 60
ROUNDS = 20
BLOCK = 8192
BAR = 5

EVIDENCE = f"""
    SELECT dlints_evidence(dlints_new({DIM}, {REDUCED_DIM},
                                      {samples.PAPER}),
                           features, reward{{}}) IS NOT NULL
    FROM   feedback"""
FORMS = {'rebuild': EVIDENCE.format(' ORDER BY id'),
         'unordered': EVIDENCE.format(''),
         'sort': 'SELECT count(features ORDER BY id) FROM feedback'}


def run(cursor, share, advance):
    """Return the results."""
    samples.create_feedback(cursor, samples.random_features(ROWS, DIM))
    samples.keep_in_memory(cursor, 'feedback')
    cursor.execute("SET work_mem = '64MB'")
    written = samples.blocks(cursor, FORMS['rebuild'], 'Temp Written')
    seconds = alternate({name: lambda task=task: cursor.execute(task)
                         for name, task in FORMS.items()},
                        max(BLOCKS, int(ROUNDS * share)), advance=advance)
    main = ratio(seconds['rebuild'], seconds['sort'], min)
    times = {name: f'{series.min() * 1e3:.1f} ms'
             for name, series in seconds.items()}
    return [
        at_most(f'dlints_evidence(dlints_new(...), ... ORDER BY id), '
                f'{ROWS:,} rows, n = {DIM}, d = {REDUCED_DIM}: times '
                'count(features ORDER BY id)', main.value, BAR, f'{main}'),
        Result('    the two; without ORDER BY', f'{times["rebuild"]} against '
               f'{times["sort"]}; {times["unordered"]}'),
        at_most('the same: temporary files written', written * BLOCK / 1e6, 0,
                unit=' MB')]
