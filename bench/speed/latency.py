"""Latencies as one client sees them, measured by pgbench."""

import time

import numpy as np

from bench import machine, pgbench
from bench.measure import BLOCKS

WARM_UP = 200


class Client:
    """One client, prepared statements, scripts mixed at random."""

    def __init__(self, cursor):
        self._pgbench = pgbench.Pgbench(cursor)
        self._cursor = cursor

    def run(self, scripts, transactions, advance=lambda share: None,
            before='', **variables):
        """Return the seconds of each script's transactions.

        Each script is run about `transactions` times in each of a few
        sessions, before each of which there may be statements to execute.
        """
        runs = []
        for number in range(BLOCKS):
            if before:
                self._cursor.execute(before)
            runs.append(self._session(scripts, transactions, variables))
            advance((number + 1) / BLOCKS)
        return {name: np.concatenate([run[name] for run in runs])
                for name in scripts}

    def _session(self, scripts, transactions, variables):
        """Return the seconds of transactions in one session."""
        count = WARM_UP + transactions * len(scripts)
        with self._pgbench.start(scripts, f'--transactions={count}',
                                 **variables) as run:
            if machine.has_one_core():
                self._place_backend(run)
            run.wait()
            log = run.log()[WARM_UP:]
        return {name: log['seconds'][log['script'] == number]
                for number, name in enumerate(scripts)}

    def _place_backend(self, run):
        """Put the backend on this core as soon as it has work."""
        while not run.is_over():
            self._cursor.execute("""
                SELECT pid FROM pg_stat_activity
                WHERE  application_name = %s AND query <> ''""",
                                 (pgbench.SESSION,))
            found = self._cursor.fetchone()
            if found:
                machine.share_core(self._cursor, found[0])
                return
            time.sleep(0.005)
