"""Latencies as a client sees them, measured by pgbench."""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

import machine
import server

# Columns of pgbench's log: what a transaction took in microseconds, and the
# number of its script
TIME, SCRIPT = 2, 3
WARM_UP = 200
SESSION = 'dlints bench'


class Pgbench:
    """One client, prepared statements, scripts mixed at random."""

    def __init__(self, cursor):
        folder = server.value(cursor, """
            SELECT setting FROM pg_config WHERE name = 'BINDIR'""")
        self._program = shutil.which('pgbench', path=folder) or 'pgbench'
        self._cursor = cursor

    def run(self, scripts, transactions, **variables):
        """Return the seconds of each script's transactions.

        Each script is run about `transactions` times, in one session.
        """
        count = WARM_UP + transactions * len(scripts)
        with tempfile.TemporaryDirectory() as folder:
            command = [self._program, '--no-vacuum', '--protocol=prepared',
                       '--log', f'--log-prefix={folder}/times',
                       f'--transactions={count}']
            for name, value in variables.items():
                command.append(f'--define={name}={value}')
            for name, script in scripts.items():
                path = Path(folder, name)
                path.write_text(script + '\n', encoding='utf-8')
                command.append(f'--file={path}')
            self._execute(command)
            log, = Path(folder).glob('times.*')
            table = np.loadtxt(log, usecols=(TIME, SCRIPT))[WARM_UP:]
        return {name: table[table[:, 1] == number, 0] / 1e6
                for number, name in enumerate(scripts)}

    def _execute(self, command):
        """Run pgbench, with its backend on the core of its own."""
        options = (f'-c search_path={server.PATH.replace(" ", "")} '
                   '-c max_parallel_workers_per_gather=0')
        environment = {**os.environ, 'PGOPTIONS': options,
                       'PGAPPNAME': SESSION}
        with subprocess.Popen(command, env=environment, text=True,
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as process:
            if machine.has_one_core():
                self._place_backend(process)
            _, messages = process.communicate()
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command,
                                                stderr=messages)

    def _place_backend(self, process):
        """Put the backend on this core as soon as it has work."""
        while process.poll() is None:
            self._cursor.execute("""
                SELECT pid FROM pg_stat_activity
                WHERE  application_name = %s AND query <> ''""", (SESSION,))
            found = self._cursor.fetchone()
            if found:
                machine.share_core(self._cursor, found[0])
                return
            time.sleep(0.005)
