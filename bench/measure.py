"""Measuring one thing against another on a machine that is not idle.

What is compared runs alternately, many times: other work on the machine then
meets all sides alike. The times are cut into consecutive blocks; in each, a
ratio is one of medians or quartiles, so that outliers count for nothing, or of
minima where a run takes so long that nearly all of them meet other work. The
result is the median over the blocks. Its spread is where the median of very
many blocks would be in 19 of 20 cases: it narrows with the number of blocks.
"""

from dataclasses import dataclass
from time import perf_counter

import numpy as np

BLOCKS = 10
ORDER = np.random.default_rng(1)


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
    return of_blocks([typical(part) / typical(base_part)
                      for part, base_part
                      in zip(np.array_split(seconds, BLOCKS),
                             np.array_split(base_seconds, BLOCKS))])


def of_blocks(ratios):
    """Return the ratio that those of the blocks make, with its spread."""
    ratios = np.sort(ratios)
    count = len(ratios)
    beyond = max(0, int(count / 2 - 0.98 * count ** 0.5))
    return Ratio(np.median(ratios), ratios[beyond], ratios[-1 - beyond])


def alternate(tasks, rounds, repeat=1, advance=None, clock=perf_counter):
    """Call each of the named tasks in turn and return their times in seconds.

    The order is drawn for each round: after a long task other processes have
    their turn, and leave cold caches to the next one. A task is called
    `repeat` times in a row; each call is timed. `advance` is told which share
    is done. Where the clock shows several times, so does each call.
    """
    times = {name: np.empty((rounds * repeat, *np.shape(clock())))
             for name in tasks}
    in_order = list(tasks.items())
    for number in range(rounds):
        for place in ORDER.permutation(len(in_order)):
            name, task = in_order[place]
            for call in range(number * repeat, (number + 1) * repeat):
                start = clock()
                task()
                times[name][call] = clock() - start
        if advance:
            advance((number + 1) / rounds)
    return times


def statements(cursor, texts):
    """Return a task for each of the named statements."""
    return {name: lambda text=text: cursor.execute(text)
            for name, text in texts.items()}


def prepared(cursor, texts):
    """Prepare the named statements and return a task for each."""
    cursor.execute('DEALLOCATE ALL;' + ';'.join(
        f'PREPARE "{name}" AS {text}' for name, text in texts.items()))
    return statements(cursor, {name: f'EXECUTE "{name}"' for name in texts})


def in_words(seconds):
    """Return a time in the unit that fits it."""
    unit, size = next(((unit, size) for unit, size in
                       (('s', 1), ('ms', 1e-3)) if seconds >= size),
                      ('us', 1e-6))
    number = seconds / size
    return f'{number:.{0 if number >= 100 else 1 if number >= 10 else 2}f} ' \
        f'{unit}'
