"""Traffic without a pause, and what it leaves."""

from contextlib import ExitStack

import numpy as np

from bench.capacity import world
from bench.pgbench import Pgbench
from bench.report import table
from bench.server import checkpoint, value, written

CLIENTS = 2
SCRIPTS = {
    'recommend': '\\set person random(1, :people)\n'
                 'SELECT * FROM shop.recommend(:person::integer);',
    'reward': 'SELECT shop.reward(s.decision, s.item) FROM shop.shown s\n'
              'WHERE s.decision = (SELECT max(decision) FROM shop.due) '
              'AND s.place = 1;'}
RUN = 'SELECT shop.run();'
RUNS_PER_SECOND = 0.5       # as cron does each minute of the day
SIZES = """
    SELECT r.name, (SELECT sum(pg_total_relation_size(oid)) FROM pg_class
                    WHERE relnamespace = 'shop'::regnamespace AND relkind = 'r'
                    AND   relname ~ ('^' || r.name || '(_|$)'))
    FROM   (VALUES ('decision'), ('reward'), ('due'), ('model'),
                   ('item_vector')) r (name)"""


def run(cursor, seconds):
    """Let clients work, and print their times and what grew."""
    before = _sizes(cursor)
    redo = checkpoint(cursor)
    pgbench = Pgbench(cursor)
    time = f'--time={seconds}'
    with ExitStack() as stack:
        learner = stack.enter_context(pgbench.start(
            {'run': RUN}, time, f'--rate={RUNS_PER_SECOND}'))
        clients = stack.enter_context(pgbench.start(
            SCRIPTS, time, f'--client={CLIENTS}', people=world.PEOPLE,
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
    print(table([('what grew', 'MB before', 'MB after', 'bytes a decision'),
                 *((name, f'{before[name] / 1e6:,.1f}',
                    f'{after[name] / 1e6:,.1f}',
                    f'{(after[name] - before[name]) / made:,.0f}')
                   for name in after)]))
    print(f"\nDecisions left in due: "
          f"{value(cursor, 'SELECT count(*) FROM shop.due'):,}. "
          f"A checkpoint in between: {'no yes'.split()[redo != checkpoint(cursor)]}"
          f'. {CLIENTS} clients without a pause, and one that runs run().')


def _times(name, found):
    """Return a statement's times as texts."""
    done = found[np.isfinite(found)] * 1e3
    middle, high = np.percentile(done, (50, 99)) if len(done) else (0, 0)
    return (name, f'{len(done):,}', f'{middle:.1f}', f'{high:.1f}',
            len(found) - len(done))


def _sizes(cursor):
    """Return the bytes of tables, and the position in the log, by name."""
    cursor.execute(SIZES)
    sizes = {name: float(size or 0) for name, size in cursor.fetchall()}
    return {**sizes, 'WAL': written(cursor)}
