"""One run of one series: fresh tables, a warm-up, the run, the account.

After a checkpoint the first change of a page writes the whole page to the
WAL. One comes before the warm-up, so that the run itself writes few of them.
"""

from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from bench import samples
from bench.capacity import forms
from bench.capacity.forms import RECOMMEND
from bench.pgbench import Pgbench
from bench.server import checkpoint, value, written

WARM_UP = 1
ITEMS = 1000
JOBS = 2
FOLDS_PER_SECOND = 4
LEARN, FOLD = 'learn', 'fold'
TICK = 0.5
# More than rounding can make of a sum of integers, less than one of them.
TOLERANCE = 0.1

# How many rewards the models have learned, and their sum
LEARNED = """
    SELECT sum((dlints_info(state)).updates),
           sum((state::jsonb #>> '{evidence,0,reward_sum}')::float8)
    FROM   model"""
QUEUED = 'SELECT count(*), coalesce(sum(reward), 0) FROM feedback'
SIZE = "SELECT pg_table_size('model') + pg_table_size('feedback')"
VACUUMS = """
    SELECT coalesce(sum(pg_stat_get_autovacuum_count(c.oid)), 0)
    FROM   pg_class t, LATERAL (VALUES (t.oid), (t.reltoastrelid)) c (oid)
    WHERE  t.oid IN ('model'::regclass, 'feedback'::regclass)"""


@dataclass
class Trial:
    """What one run has shown; sizes are in bytes.

    `times` holds the seconds of committed transactions by what they do;
    amounts are a number of rewards and their sum.
    """

    seconds: float
    times: dict
    failed: int
    largest: int            # size of the tables
    committed: np.ndarray
    missing: np.ndarray     # neither learned nor queued; below 0 if doubled
    queued: float           # before the last fold
    wal: float
    vacuums: int
    checkpointed: bool

    def rate(self, kind):
        """Return how many transactions of a kind there were in a second."""
        return len(self.times[kind]) / self.seconds

    def percentile(self, kind, share):
        """Return a percentile of the seconds of transactions of a kind."""
        return np.percentile(self.times[kind], share)

    @property
    def is_sound(self):
        """Is every reward in place, once?"""
        count, total = self.missing
        return count == 0 and abs(total) < TOLERANCE


def run(cursor, series, count, seconds, *options):
    """Run a series with a number of clients and return the trial."""
    cursor.execute(forms.TABLES, {
        'models': series.models, 'dim': samples.DIM,
        'reduced_dim': samples.REDUCED_DIM})
    before = _stored(cursor)
    options = (f'--client={count}', f'--jobs={min(JOBS, count)}', *options)
    cursor.execute('CHECKPOINT')
    *_, warm_up = _work(cursor, series, WARM_UP, options)
    _fold(cursor, series)
    redo, log = checkpoint(cursor), written(cursor)
    *work, committed = _work(cursor, series, seconds, options)
    queued = _amount(cursor, QUEUED)[0]
    _fold(cursor, series)
    return Trial(
        *work, committed, before + warm_up + committed - _stored(cursor),
        queued, written(cursor) - log, int(value(cursor, VACUUMS)),
        redo != checkpoint(cursor))


def _fold(cursor, series):
    """Empty the queue of a series that has one."""
    if series.fold:
        cursor.execute(series.fold)


def _stored(cursor):
    """Return the amount that is learned or queued."""
    return _amount(cursor, LEARNED) + _amount(cursor, QUEUED)


def _amount(cursor, statement):
    """Return the number and the sum that a statement finds."""
    cursor.execute(statement)
    return np.array(cursor.fetchone(), float)


def _work(cursor, series, seconds, options):
    """Let clients work; return the first fields of a Trial."""
    pgbench = Pgbench(cursor, **dict(series.settings))
    time = f'--time={seconds}'
    with ExitStack() as stack:
        folding = series.fold and stack.enter_context(pgbench.start(
            {FOLD: series.fold}, time, f'--rate={FOLDS_PER_SECOND}'))
        run = stack.enter_context(pgbench.start(
            series.scripts(), time, *options, weights=series.weights(),
            models=series.models, items=ITEMS))
        sizes = [value(cursor, SIZE)]
        while not run.wait(TICK):
            sizes.append(value(cursor, SIZE))
        sizes.append(value(cursor, SIZE))
        log = run.log()
        fold_log = log[:0]
        if folding:
            folding.wait()
            fold_log = folding.log()
    span = log['end'].max() - np.nanmin(log['end'] - log['seconds'])
    done, folded = (part[~np.isnan(part['seconds'])]
                    for part in (log, fold_log))
    names = np.array(list(series.scripts()))[done['script']]
    rewards = names[names != RECOMMEND].astype(float)
    times = {RECOMMEND: done['seconds'][names == RECOMMEND],
             LEARN: done['seconds'][names != RECOMMEND],
             FOLD: folded['seconds']}
    failed = len(log) - len(done) + len(fold_log) - len(folded)
    return (span, times, failed, max(sizes),
            np.array([len(rewards), rewards.sum()]))
