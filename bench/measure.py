"""Measuring one thing against another on a machine that is not idle.

What is compared runs alternately, many times: other work on the machine then
meets all sides alike. The times are cut into consecutive blocks; in each, a
ratio is one of medians, so that outliers count for nothing, or of minima where
a run takes so long that nearly all of them meet other work. The result is the
median over the blocks, with the lowest and the highest as its spread.
"""

from dataclasses import dataclass
from time import perf_counter

import numpy as np

BLOCKS = 10


@dataclass
class Ratio:
    """How many times as long one thing takes as another."""

    value: float
    low: float
    high: float

    def __str__(self):
        """Return the ratio with its spread."""
        digits = 2 if self.value < 10 else 1
        return (f'{self.value:.{digits}f} '
                f'({self.low:.{digits}f} to {self.high:.{digits}f})')


def ratio(seconds, base_seconds, typical=np.median):
    """Return the ratio of two series of times that were taken alternately."""
    blocks = [typical(part) / typical(base_part)
              for part, base_part in zip(np.array_split(seconds, BLOCKS),
                                         np.array_split(base_seconds, BLOCKS))]
    return Ratio(np.median(blocks), min(blocks), max(blocks))


def alternate(tasks, rounds, repeat=1, advance=None):
    """Call each of the named tasks in turn and return their times in seconds.

    A task is called `repeat` times in a row; each call is timed. `advance`
    is told which share is done.
    """
    times = {name: np.empty(rounds * repeat) for name in tasks}
    for number in range(rounds):
        for name, task in tasks.items():
            for call in range(number * repeat, (number + 1) * repeat):
                start = perf_counter()
                task()
                times[name][call] = perf_counter() - start
        if advance:
            advance((number + 1) / rounds)
    return times


def statements(cursor, texts):
    """Return a task for each of the named statements."""
    return {name: lambda text=text: cursor.execute(text)
            for name, text in texts.items()}


def slope(sizes, seconds):
    """Return the exponent of the power of size that fits the times best."""
    return np.polyfit(np.log(sizes), np.log(seconds), 1)[0]


def line(sizes, seconds):
    """Return the fixed time and the time per unit of size."""
    per_unit, fixed = np.polyfit(sizes, seconds, 1)
    return fixed, per_unit


def median(seconds):
    """Return the median of a series in words."""
    return f'{np.median(seconds) * 1e6:.0f} us'


def against(seconds, name, other):
    """Return two medians in words."""
    return f'{np.median(seconds[name]) * 1e6:.0f} against ' + median(
        seconds[other])
