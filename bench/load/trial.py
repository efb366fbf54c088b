"""One run of one series: fresh tables, a warm-up, the run, the account.

After a checkpoint the first change of a page writes the whole page to the
WAL. One comes before the warm-up, so that the run itself writes few of them.
"""

from dataclasses import dataclass

from bench import samples
from bench.load import statements
from bench.load.account import Account, Amount
from bench.load.clients import Clients, Work
from bench.server import value

WARM_UP = 1


@dataclass
class Trial:
    """What one run has shown; sizes are in bytes."""

    work: Work
    missing: Amount
    queued: Amount
    wal: int
    vacuums: int
    checkpointed: bool


def run(cursor, series, count, seconds, *options):
    """Run a series with a number of clients and return the trial."""
    cursor.execute(statements.TABLES, {
        'models': series.models, 'context_dim': samples.CONTEXT_DIM,
        'reduced_dim': samples.REDUCED_DIM})
    account = Account(cursor)
    clients = Clients(cursor, series, count, *options)
    cursor.execute('CHECKPOINT')
    account.add(clients.work(WARM_UP).rewards)
    _fold(cursor, series)
    checkpoint = value(cursor, statements.CHECKPOINT)
    start = value(cursor, statements.POSITION)
    work = clients.work(seconds)
    account.add(work.rewards)
    queued = account.queued()
    _fold(cursor, series)
    return Trial(
        work, account.missing(), queued,
        int(value(cursor, statements.WRITTEN, start=start)),
        int(value(cursor, statements.VACUUMS)),
        checkpoint != value(cursor, statements.CHECKPOINT))


def _fold(cursor, series):
    """Empty the queue of a series that has one."""
    if series.fold:
        cursor.execute(series.fold)
