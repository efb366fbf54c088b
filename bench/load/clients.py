"""The clients of a series at work, with the session that folds the queue."""

from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from bench.load import statements
from bench.load.series import RECOMMEND
from bench.pgbench import Pgbench
from bench.server import value

ITEMS = 1000
JOBS = 2
FOLDS_PER_SECOND = 4
LEARN, FOLD = 'learn', 'fold'
TICK = 0.5


@dataclass
class Work:
    """What clients have done.

    `times` holds the seconds of committed transactions by what they do,
    `rewards` how many of each reward were committed.
    """

    seconds: float
    times: dict
    rewards: dict
    failed: int
    largest: int

    def rate(self, kind):
        """Return how many transactions of a kind there were in a second."""
        return len(self.times[kind]) / self.seconds

    def percentile(self, kind, share):
        """Return a percentile of the seconds of transactions of a kind."""
        return np.percentile(self.times[kind], share)


class Clients:
    """Sessions that run the scripts of a series."""

    def __init__(self, cursor, series, count, *options):
        self._cursor = cursor
        self._series = series
        self._options = (f'--client={count}', f'--jobs={min(JOBS, count)}',
                         *options)
        self._pgbench = Pgbench(cursor, **dict(series.settings))

    def work(self, seconds):
        """Run for so many seconds and return what was done."""
        time = f'--time={seconds}'
        with ExitStack() as stack:
            folding = self._series.fold and stack.enter_context(
                self._pgbench.start({FOLD: self._series.fold}, time,
                                    f'--rate={FOLDS_PER_SECOND}'))
            run = stack.enter_context(self._pgbench.start(
                self._series.scripts(), time, *self._options,
                weights=self._series.weights(),
                models=self._series.models, items=ITEMS))
            largest = self._wait(run)
            log = run.log()
            fold_log = log[:0]
            if folding:
                folding.wait()
                fold_log = folding.log()
        return _work(self._series, log, fold_log, largest)

    def _wait(self, run):
        """Wait for the end; return the largest size of the tables."""
        largest = self._size()
        while not run.wait(TICK):
            largest = max(largest, self._size())
        return max(largest, self._size())

    def _size(self):
        """Return the size of the tables in bytes."""
        return value(self._cursor, statements.SIZE)


def _work(series, log, fold_log, largest):
    """Return what the logs of a series' scripts and of folding tell."""
    span = log['end'].max() - np.nanmin(log['end'] - log['seconds'])
    done, folded = (part[~np.isnan(part['seconds'])]
                    for part in (log, fold_log))
    names = np.array(list(series.scripts()))[done['script']]
    is_recommend = names == RECOMMEND
    times = {RECOMMEND: done['seconds'][is_recommend],
             LEARN: done['seconds'][~is_recommend],
             FOLD: folded['seconds']}
    failed = len(log) - len(done) + len(fold_log) - len(folded)
    return Work(span, times, series.count(names), failed, largest)
