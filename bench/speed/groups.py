"""Training group by group, and row by row in a window.

The evidence of a group must cost the same among thousands of groups, in a hash
table as in sorted order. A row of a running window, which returns a complete
model, must cost the same after many rows as after a few. A returned model
needs the choice of memory, ridge and noise, which depends on the evidence
only; it takes 25 of the 31 us of such a row. dlints_update makes this choice
after one row in four.
"""

import numpy as np

from bench import samples
from bench.measure import statements
from bench.speed import shapes
from bench.speed.bars import Bar

GROUPS = 3000, 30000
GROUP_ROWS = 3
WINDOWS = 1000, 4000
ROUNDS = 20
GROUPS_MOST = 30        # ten times the groups, each in three times the time
GROWTH_MOST = 6         # four times the rows, each in 1.5 times the time
WINDOW_MOST = 7
SMALL = shapes.Shape('120 to 8', 120, '120, 8')
SHAPE = shapes.SHAPE

GROUPED = f"""
    SELECT count(result)
    FROM  (SELECT dlints_evidence({SMALL.state}, {SMALL.observation}) AS result
           FROM   {SMALL.feedback} WHERE id <= {{}} GROUP BY id % {{}}) each"""
PLANS = {'hashed': 'enable_sort', 'sorted': 'enable_hashagg'}

WINDOW = f"""
    SELECT count(shown)
    FROM  (SELECT {{}} AS shown
           FROM  (SELECT * FROM {SHAPE.feedback} ORDER BY id LIMIT {{}}) f)
          each"""
RUNNING = (f'dlints_evidence({SHAPE.state}, {SHAPE.observation})'
           ' OVER (ORDER BY id)')
UPDATE = f'dlints_update({SHAPE.state}, {SHAPE.observation})'


def run(theme):
    """Compare different numbers of groups, and of rows."""
    shapes.create_models(theme.cursor, (SMALL, SHAPE), GROUP_ROWS * GROUPS[-1])
    samples.keep_in_memory(theme.cursor, SHAPE.feedback)
    theme.cursor.execute("SET work_mem = '1GB'")
    few, many = GROUPS
    tasks = statements(theme.cursor, {
        groups: GROUPED.format(GROUP_ROWS * groups, groups)
        for groups in GROUPS})
    for plan, other in PLANS.items():
        theme.cursor.execute(f'SET {other} = off')
        theme.compare(
            tasks, [Bar(f'dlints_evidence, {plan}, {many:,} groups of '
                        f'{GROUP_ROWS} rows, {SMALL.title}: times {few:,}',
                        many, few, GROUPS_MOST)], ROUNDS, np.min)
        theme.cursor.execute(f'RESET {other}')
    few, many = WINDOWS
    theme.compare(
        statements(theme.cursor, {
            'update': WINDOW.format(UPDATE, many),
            **{rows: WINDOW.format(RUNNING, rows) for rows in WINDOWS}}),
        [Bar(f'running dlints_evidence, {many:,} rows, {SHAPE.title}: times '
             'dlints_update', many, 'update', WINDOW_MOST),
         Bar(f'    times {few:,} rows', many, few, GROWTH_MOST)],
        ROUNDS, np.min)
