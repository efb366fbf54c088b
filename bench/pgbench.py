"""Run pgbench and read its log."""

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from bench import server

# Columns of the log: duration in microseconds, or "failed"; number of the
# script; end time in seconds and microseconds
TIME, SCRIPT, SECOND, MICROSECOND = 2, 3, 4, 5
LOGGED = np.dtype([('seconds', float), ('script', int), ('end', float)])
SESSION = 'dlints bench'


class Pgbench:
    """Scripts with prepared statements, mixed at random, in new sessions."""

    def __init__(self, cursor, **settings):
        cursor.execute("SELECT setting FROM pg_config WHERE name = 'BINDIR'")
        folder, = cursor.fetchone()
        self._program = shutil.which('pgbench', path=folder) or 'pgbench'
        options = ' '.join(
            f'-c {name}={value.replace(" ", "")}'
            for name, value in {**server.SETTINGS, **settings}.items())
        self._environment = {**os.environ, 'PGOPTIONS': options,
                             'PGAPPNAME': SESSION}

    @contextmanager
    def start(self, scripts, *options, weights=None, **variables):
        """Start the named scripts and yield the run.

        `weights` says of some scripts how much more often than the others
        they are drawn.
        """
        with tempfile.TemporaryDirectory() as folder:
            command = [self._program, '--no-vacuum', '--protocol=prepared',
                       '--log', f'--log-prefix={folder}/times', *options]
            for name, value in variables.items():
                command.append(f'--define={name}={value}')
            for name, script in scripts.items():
                path = Path(folder, name)
                path.write_text(script + '\n', encoding='utf-8')
                weight = (weights or {}).get(name, 1)
                command.append(f'--file={path}@{weight}')
            with subprocess.Popen(command, env=self._environment, text=True,
                                  stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE) as process:
                try:
                    yield Run(process, Path(folder))
                finally:
                    process.kill()


class Run:
    """pgbench at work."""

    def __init__(self, process, folder):
        self._process = process
        self._folder = folder

    def wait(self, seconds=None):
        """Wait for the end, or so many seconds; was it the end?"""
        try:
            _, messages = self._process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            return False
        if self._process.returncode:
            raise subprocess.CalledProcessError(
                self._process.returncode, self._process.args, stderr=messages)
        return True

    def log(self):
        """Return all transactions, each session's in their order.

        The time of one that failed is NaN.
        """
        rows = [_logged(line.split()) for path in self._folder.glob('times.*')
                for line in path.read_text(encoding='ascii').splitlines()]
        return np.array(rows, LOGGED)


def _logged(fields):
    """Return a line of the log as LOGGED has it."""
    time = fields[TIME]
    return (int(time) / 1e6 if time.isdigit() else np.nan,
            int(fields[SCRIPT]),
            int(fields[SECOND]) + int(fields[MICROSECOND]) / 1e6)
