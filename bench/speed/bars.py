"""Rows that are measured until they can be judged, and printed immediately.

If one backend does all the work, its CPU time is judged, which other load
affects only through the caches. The wall clock is shown beside it, and judged
if the CPU time is not available.
"""

from dataclasses import dataclass

import numpy as np

from bench import machine
from bench.measure import BLOCKS, alternate, in_words, of_blocks

HELPINGS = 3    # maximum repetitions of a measurement, until a row can be judged
HEADINGS = 'what', 'CPU', 'wall clock', 'times', 'bar', ''
WIDTHS = 74, 19, 19, 19, 12, 17
OK, MISSED, NOISY = 'ok', 'MISSED', 'too noisy to tell'


@dataclass
class Bar:
    """A task with a maximum time relative to another task, or without one."""

    what: str
    task: str
    base: str
    most: float = None

    def row(self, parts, typical):
        """Return the row of a table from the parts of a measurement."""
        wall, cpu = (
            [np.array([typical(part[name][:, clock]) for part in parts])
             for name in (self.task, self.base)] for clock in range(2))
        judged = cpu if cpu[1].any() else wall
        ratio = of_blocks(judged[0] / judged[1])
        return (self.what, str(ratio) if judged is cpu else '',
                str(of_blocks(wall[0] / wall[1])),
                ' and '.join(in_words(np.median(times)) for times in judged),
                *verdict(ratio.low, ratio.high, self.most))


def verdict(low, high, most, unit=''):
    """Return the text of a bar, and the verdict for a range of measurements.
    """
    if most is None:
        return '', ''
    # judge the rounded numbers that are shown
    low, high = round(low, 2), round(high, 2)
    return (f'at most {most:g}{unit}',
            OK if high <= most else MISSED if low > most else NOISY)


def quartile(times):
    """Return the lower quartile, since disturbances only add to a time."""
    return np.quantile(times, 0.25)


class Table:
    """Rows of all themes; missed and noisy ones are remembered."""

    def __init__(self):
        self.left = []
        self._about = ''
        self.add(HEADINGS)
        self.add(['-' * width for width in WIDTHS])

    def add(self, row):
        """Print a row, and remember it if it is missed or too noisy."""
        print('| ' + ' | '.join(map(str.ljust, row, WIDTHS)) + ' |',
              flush=True)
        what = row[0].strip()
        if what == row[0]:
            self._about = what
        else:
            what = f'{self._about}; {what}'
        if row[-1] in (MISSED, NOISY):
            self.left.append((what, *row[1:]))


class Theme:
    """The session of a theme, and the table for its rows."""

    def __init__(self, cursor, share, table):
        self.cursor = cursor
        self.share = share
        self._table = table

    def compare(self, tasks, bars, rounds, typical=quartile, **how):
        """Run tasks of this session alternately, and add the rows of the bars.
        """
        self._judge(tasks, bars, rounds, typical,
                    clock=machine.backend_clock(self.cursor), **how)

    def compare_programs(self, tasks, bars, rounds, typical=quartile, **how):
        """Run tasks that involve other processes alternately, and add the
        rows.
        """
        self._judge(tasks, bars, rounds, typical, clock=machine.wall_clock,
                    **how)

    def _judge(self, tasks, bars, rounds, typical, clock,
               before=lambda: None):
        """Measure until all bars can be judged, or the time limit is reached.

        A function may be called before each block.
        """
        calls = max(1, round(rounds * self.share / BLOCKS))
        alternate(tasks, 1)
        parts = []
        for _ in range(HELPINGS):
            for _ in range(BLOCKS):
                before()
                parts.append(alternate(tasks, calls, clock=clock))
            rows = [bar.row(parts, typical) for bar in bars]
            if NOISY not in [row[-1] for row in rows]:
                break
        for row in rows:
            self._table.add(row)

    def at_most(self, what, measured, most, unit):
        """Add a row for a number that does not vary between runs."""
        self._table.add((what, '', '', f'{measured:.2f}{unit}',
                         *verdict(measured, measured, most, unit)))

    def tell(self, what, text):
        """Add a row of information."""
        self._table.add((what, '', '', text, '', ''))
