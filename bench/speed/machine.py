"""What the measurements were taken on."""

import os
import re
from pathlib import Path

import server

LIBRARY = re.compile(r'/([^/\s]*/lib(?:[a-z]*blas|lapack)[^/\s]*)$')


def share_core(cursor, pid=None):
    """Keep this program and a backend, by default its own, on one core.

    Where they run on two, waking up the other one is a good part of a short
    statement's time, and not always the same part. Where this is not allowed,
    they stay where the system puts them.
    """
    if pid is None:
        pid = server.value(cursor, 'SELECT pg_backend_pid()')
    if not process_status(cursor, pid):
        return
    core = {max(os.sched_getaffinity(0))}
    try:
        os.sched_setaffinity(pid, core)
        os.sched_setaffinity(0, core)
    except OSError:
        pass


def has_one_core():
    """Is this program kept on one core?"""
    return hasattr(os, 'sched_getaffinity') and (
        len(os.sched_getaffinity(0)) == 1)


def describe(cursor):
    """Return facts about machine and server, as pairs of name and text."""
    cursor.execute("SELECT dlints_draw(dlints_new(120, 24))")
    pid = server.value(cursor, 'SELECT pg_backend_pid()')
    load = ' '.join(f'{average:.1f}' for average in os.getloadavg())
    return [
        ('CPU', f'{_processor()}, {os.cpu_count()} cores'),
        ('PostgreSQL', server.value(cursor, 'SELECT version()')),
        ('shared_buffers', server.value(cursor, 'SHOW shared_buffers')),
        ('BLAS of the backend', _libraries(cursor, pid)),
        ('threads of the backend',
         process_status(cursor, pid).get('Threads', 'unknown')),
        ('BLAS of numpy', _blas_of(Path('/proc/self/maps'))),
        ('client and backend',
         'one core for both' if has_one_core() else 'any core'),
        ('load average at the start', load)]


def durability(cursor):
    """Return in words what a commit waits for."""
    return ', '.join(f'{name} {server.value(cursor, f"SHOW {name}")}'
                     for name in ('synchronous_commit', 'fsync'))


def process_status(cursor, pid):
    """Return the system's fields on a backend; none if it is out of reach."""
    path = _process(cursor, pid) / 'status'
    try:
        lines = path.read_text(encoding='utf-8').splitlines()
    except OSError:
        return {}
    return dict(re.split(r':\s*', line, 1) for line in lines)


def _process(cursor, pid):
    """Return the folder of a backend, which may be on another machine."""
    if cursor.connection.info.host.startswith('/'):
        return Path('/proc', str(pid))
    return Path(os.devnull)


def _libraries(cursor, pid):
    """Return the linear algebra libraries that a backend has loaded."""
    return _blas_of(_process(cursor, pid) / 'maps')


def _blas_of(maps):
    """Return the names of linear algebra libraries in a map of memory."""
    try:
        lines = maps.read_text(encoding='utf-8').splitlines()
    except OSError:
        return 'unknown'
    found = {match[1] for match in map(LIBRARY.search, lines) if match}
    return ', '.join(sorted(found)) or 'unknown'


def _processor():
    """Return the processor's name."""
    try:
        text = Path('/proc/cpuinfo').read_text(encoding='utf-8')
    except OSError:
        return 'unknown'
    match = re.search(r'^model name\s*:\s*(.*)$', text, re.MULTILINE)
    return match[1] if match else 'unknown'
