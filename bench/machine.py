"""What the measurements are taken on."""

import os
import re
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import numpy as np

from bench.server import connect, value

LIBRARY = re.compile(r'/([^/\s]*/lib(?:[a-z]*blas|lapack)[^/\s]*)$')


def share_core(cursor):
    """Keep this program and its backend on one core.

    Where they run on two, waking up the other one is a good part of a short
    statement's time, and not always the same part. Where this is not allowed,
    they stay where the system puts them.
    """
    pid = value(cursor, 'SELECT pg_backend_pid()')
    if not process_status(cursor, pid):
        return
    core = {max(os.sched_getaffinity(0))}
    try:
        os.sched_setaffinity(pid, core)
        os.sched_setaffinity(0, core)
    except OSError:
        pass


@contextmanager
def session():
    """Open a session of its own, on one core with this program."""
    with connect() as cursor:
        share_core(cursor)
        yield cursor


def has_one_core():
    """Is this program kept on one core?"""
    return hasattr(os, 'sched_getaffinity') and (
        len(os.sched_getaffinity(0)) == 1)


def wall_clock():
    """Return the time, and no processor time."""
    return np.array((perf_counter(), 0))


def backend_clock(cursor):
    """Return a clock: the time, and what this backend had of a processor.

    The system counts up to when a process last had to wait. That is now if
    the backend is on the core where this program is running.
    """
    pid = value(cursor, 'SELECT pg_backend_pid()')
    path = _process(cursor, pid) / 'schedstat'
    if not (has_one_core() and _read(path)):
        return wall_clock
    file = open(path, 'rb', buffering=0)

    def clock():
        file.seek(0)
        spent = int(file.read().split()[0])
        return np.array((perf_counter(), spent / 1e9))
    return clock


def describe(cursor):
    """Print facts about machine and server."""
    cursor.execute("SELECT dlints_draw(dlints_new(120, 24))")
    pid = value(cursor, 'SELECT pg_backend_pid()')
    load = ' '.join(f'{average:.1f}' for average in os.getloadavg())
    commit = (f'{name} {value(cursor, f"SHOW {name}")}'
              for name in ('synchronous_commit', 'fsync'))
    for name, text in {
            'CPU': f'{_processor()}, {os.cpu_count()} cores',
            'PostgreSQL': value(cursor, 'SELECT version()'),
            'commit': ', '.join(commit),
            'BLAS of the backend': _blas_of(_process(cursor, pid) / 'maps'),
            'BLAS of numpy': _blas_of(Path('/proc/self/maps')),
            'client and backend':
                'one core for both' if has_one_core() else 'any core',
            'load average at the start': load}.items():
        print(f'{name}: {text}')
    print(flush=True)


def process_status(cursor, pid):
    """Return the system's fields on a backend; none if it is out of reach."""
    lines = _read(_process(cursor, pid) / 'status').splitlines()
    return dict(re.split(r':\s*', line, 1) for line in lines)


def memory(cursor):
    """Return a backend's memory in bytes by the system's names of kinds."""
    pid = value(cursor, 'SELECT pg_backend_pid()')
    return {name: int(field.split()[0]) * 1024 for name, field
            in process_status(cursor, pid).items()
            if name in ('RssAnon', 'VmRSS', 'VmHWM')}


def _process(cursor, pid):
    """Return the folder of a backend, which may be on another machine."""
    if cursor.connection.info.host.startswith('/'):
        return Path('/proc', str(pid))
    return Path(os.devnull)


def _blas_of(maps):
    """Return the names of linear algebra libraries in a map of memory."""
    lines = _read(maps).splitlines()
    found = {match[1] for match in map(LIBRARY.search, lines) if match}
    return ', '.join(sorted(found)) or 'unknown'


def _processor():
    """Return the processor's name."""
    match = re.search(r'^model name\s*:\s*(.*)$',
                      _read(Path('/proc/cpuinfo')), re.MULTILINE)
    return match[1] if match else 'unknown'


def _read(path):
    """Return a file's text; nothing where the system has none."""
    try:
        return path.read_text(encoding='utf-8')
    except OSError:
        return ''
