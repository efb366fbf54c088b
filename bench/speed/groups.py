"""Learning group by group, and row by row in a window.

A group's evidence must cost the same beside thousands of others, in a hash
table as in sorted order; and a row of a running window, which shows a whole
model, the same after many rows as after a few.
"""

import numpy as np

from bench import samples
from bench.measure import BLOCKS, alternate, ratio, statements
from bench.report import Result, at_most

GROUPS = (3000, 10000, 30000)
GROUP_ROWS = 3
GROUP_DIM = 8
WINDOWS = (1000, 2000, 4000)
ROUNDS = 20
GROUPS_BAR = 3
GROWTH_BAR = 1.5
WINDOW_BAR = 2

GROUPED = """
    SELECT count(result) FROM (
        SELECT {} AS result FROM feedback
        WHERE  id <= {} GROUP BY id % {}) each"""
PLANS = {'hashed': 'enable_sort', 'sorted': 'enable_hashagg'}
BASE = 'max(reward)'
EVIDENCE = """
    dlints_evidence((SELECT state FROM model WHERE name = '{}'),
                    features, reward)"""

WINDOW = """
    SELECT count(shown) FROM (
        SELECT {} AS shown FROM (
            SELECT * FROM feedback ORDER BY id LIMIT {}) first) each"""
RUNNING = EVIDENCE.format('home') + ' OVER (ORDER BY id)'
UPDATE = """
    dlints_update((SELECT state FROM model WHERE name = 'home'),
                  features, reward)"""


def run(cursor, share, advance):
    """Return the results."""
    samples.create_models(
        cursor, ('small', samples.DIM, GROUP_DIM),
        (samples.MODEL, samples.DIM, samples.REDUCED_DIM))
    samples.create_feedback(cursor, samples.random_features(
        GROUP_ROWS * GROUPS[-1], samples.DIM))
    samples.keep_in_memory(cursor, 'feedback')
    cursor.execute("SET work_mem = '1GB'")
    rounds = max(BLOCKS, int(ROUNDS * share))
    results = []
    for number, (plan, other) in enumerate(PLANS.items(), 1):
        cursor.execute(f'SET {other} = off')
        results += _grouped(cursor, plan, rounds)
        cursor.execute(f'RESET {other}')
        advance(0.4 * number)
    results += _running(cursor, rounds)
    advance(1)
    return results


def _grouped(cursor, plan, rounds):
    """Return how time grows with groups, under one plan."""
    evidence = EVIDENCE.format('small')
    forms = {(what, groups): GROUPED.format(form, GROUP_ROWS * groups, groups)
             for what, form in (('base', BASE), ('evidence', evidence))
             for groups in GROUPS}
    seconds = alternate(statements(cursor, forms), rounds)
    each = {groups: seconds['evidence', groups] / groups for groups in GROUPS}
    growth = ratio(each[GROUPS[-1]], each[GROUPS[0]], np.min)
    compared = ratio(seconds['evidence', GROUPS[-1]],
                     seconds['base', GROUPS[-1]], np.min)
    return [
        at_most(f'dlints_evidence, {plan}, d = {GROUP_DIM}: a group of '
                f'{GROUP_ROWS} rows among {GROUPS[-1]:,}, times among '
                f'{GROUPS[0]:,}', growth.value, GROUPS_BAR, f'{growth}'),
        _times(each, 'group'),
        Result(f'    {GROUPS[-1]:,} groups: times max(reward)',
               f'{compared}')]


def _running(cursor, rounds):
    """Return what a row of a running window costs, and how that grows."""
    forms = {(what, rows): WINDOW.format(form, rows)
             for what, form in (('window', RUNNING), ('update', UPDATE))
             for rows in WINDOWS}
    seconds = alternate(statements(cursor, forms), rounds)
    each = {rows: seconds['window', rows] / rows for rows in WINDOWS}
    growth = ratio(each[WINDOWS[-1]], each[WINDOWS[0]], np.min)
    compared = ratio(seconds['window', WINDOWS[-1]],
                     seconds['update', WINDOWS[-1]], np.min)
    return [
        at_most('running dlints_evidence, '
                f'{WINDOWS[-1]:,} rows, d = {samples.REDUCED_DIM}: times '
                'dlints_update of each row', compared.value, WINDOW_BAR,
                f'{compared}'),
        at_most(f'    a row of {WINDOWS[-1]:,}, times one of {WINDOWS[0]:,}',
                growth.value, GROWTH_BAR, f'{growth}'),
        _times(each, 'row')]


def _times(each, what):
    """Return microseconds for each of so many things."""
    return Result('    ' + ', '.join(f'{count:,}' for count in each),
                  ', '.join(f'{seconds.min() * 1e6:.1f}'
                            for seconds in each.values()) + f' us a {what}')
