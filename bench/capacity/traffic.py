"""Traffic without a pause, and the growth of tables."""

from contextlib import ExitStack

import numpy as np

from bench.capacity import world
from bench.pgbench import Pgbench
from bench.report import table
from bench.server import checkpoint, value, written

CLIENTS = 2
SCRIPTS = {
    'recommend': '\\set user random(1, :users)\n'
                 'SELECT * FROM shop.recommend(:user);',
    'reward': 'SELECT shop.reward(s.decision, s.item) FROM shop.impression s\n'
              'WHERE s.decision = (SELECT max(decision) FROM shop.pending) '
              'AND s.position = 1;'}
RUN = 'CALL shop.run();'
RUNS_PER_SECOND = 0.5       # cron calls run() every minute
SIZES = """
    SELECT r.name, (SELECT sum(pg_total_relation_size(oid)) FROM pg_class
                    WHERE relnamespace = 'shop'::regnamespace AND relkind = 'r'
                    AND   relname ~ ('^' || r.name || '(_|$)'))
    FROM   (VALUES ('decision'), ('reward'), ('pending'), ('model'),
                   ('item_vector')) r (name)"""


def run(cursor, seconds):
    """Run clients; print their times and the growth of tables."""
    before = _sizes(cursor)
    redo = checkpoint(cursor)
    pgbench = Pgbench(cursor)
    time = f'--time={seconds}'
    with ExitStack() as stack:
        learner = stack.enter_context(pgbench.start(
            {'run': RUN}, time, f'--rate={RUNS_PER_SECOND}'))
        clients = stack.enter_context(pgbench.start(
            SCRIPTS, time, f'--client={CLIENTS}', users=world.USERS,
            weights={'recommend': 5}))
        clients.wait()
        learner.wait()
        log, runs = clients.log(), learner.log()
    times = {name: log['seconds'][log['script'] == number]
             for number, name in enumerate(SCRIPTS)}
    times['run'] = runs['seconds']
    print(table([('statement', 'calls', 'p50 ms', 'p99 ms', 'failed'),
                 *(_times(name, found) for name, found in times.items())]))
    after = _sizes(cursor)
    made = max(1, np.isfinite(times['recommend']).sum())
    print()
    print(table([('table', 'MB before', 'MB after', 'bytes per decision'),
                 *((name, f'{before[name] / 1e6:,.1f}',
                    f'{after[name] / 1e6:,.1f}',
                    f'{(after[name] - before[name]) / made:,.0f}')
                   for name in after)]))
    print(f"\nPending decisions: "
          f"{value(cursor, 'SELECT count(*) FROM shop.pending'):,}. "
          f"A checkpoint in between: {'no yes'.split()[redo != checkpoint(cursor)]}"
          f'. {CLIENTS} clients without a pause, and one that calls run().')


def _times(name, found):
    """Format the times of a statement."""
    done = found[np.isfinite(found)] * 1e3
    middle, high = np.percentile(done, (50, 99)) if len(done) else (0, 0)
    return (name, f'{len(done):,}', f'{middle:.1f}', f'{high:.1f}',
            len(found) - len(done))


def _sizes(cursor):
    """Return the bytes of tables and of write-ahead log by name."""
    cursor.execute(SIZES)
    sizes = {name: float(size or 0) for name, size in cursor.fetchall()}
    return {**sizes, 'WAL': written(cursor)}
