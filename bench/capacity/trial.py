"""One run of a series: create tables, warm up, run, and check the rewards.

After a checkpoint, the first change of a page writes the whole page to the
WAL. A checkpoint before the warm-up reduces such writes during the run.
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
# Larger than the rounding error of a sum of integers, and less than 1
TOLERANCE = 0.1

# Number and sum of the rewards that models were trained on
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
    """Results of a run; sizes are in bytes.

    `times` has the durations in seconds of committed transactions by kind;
    amounts are a number of rewards and their sum.
    """

    seconds: float
    times: dict
    failed: int
    largest: int            # size of the tables
    committed: np.ndarray
    missing: np.ndarray     # number and sum of lost rewards; negative: counted twice
    queued: float           # rewards in the queue before the last fold
    wal: float
    vacuums: int
    checkpointed: bool

    def rate(self, kind):
        """Return the number of transactions of a kind per second."""
        return len(self.times[kind]) / self.seconds

    def percentile(self, kind, share):
        """Return a percentile of the seconds of transactions of a kind."""
        return np.percentile(self.times[kind], share)

    @property
    def is_sound(self):
        """Does every reward count exactly once?"""
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
    """Fold the queue of a series that has one."""
    if series.fold:
        cursor.execute(series.fold)


def _stored(cursor):
    """Return the amount that is trained or queued."""
    return _amount(cursor, LEARNED) + _amount(cursor, QUEUED)


def _amount(cursor, statement):
    """Return the number and the sum that a statement returns."""
    cursor.execute(statement)
    return np.array(cursor.fetchone(), float)


def _work(cursor, series, seconds, options):
    """Run the clients, and return the first fields of a Trial."""
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
