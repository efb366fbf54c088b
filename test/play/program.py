"""The program behind the page, run for a test with made-up films."""

import re
import signal
import subprocess
import sys
from contextlib import contextmanager

import psycopg2

SECONDS = 60        # for it to start, and to end


def start(*options):
    """Start the program; it prints where its page is."""
    return subprocess.Popen(
        [sys.executable, '-B', '-m', 'bench', '--here',
         'play', '--made-up', *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def address(process):
    """Return where the page is, once it is there."""
    for line in process.stdout:
        found = re.search(r'http://127\.0\.0\.1:(\d+)/', line)
        if found:
            return found[0], int(found[1])
    raise RuntimeError(process.stderr.read())


def interrupt(process):
    """End it as Ctrl-C does; return the exit status and what it says.

    The script that runs it in a session of its own hands that on as SIGTERM.
    """
    process.send_signal(signal.SIGTERM)
    _, complaint = process.communicate(timeout=SECONDS)
    return process.returncode, complaint


@contextmanager
def running():
    """Run the program; give it, its page's address and port."""
    process = start('--port', '0')
    try:
        yield process, *address(process)
    finally:
        process.kill()
        process.communicate()


@contextmanager
def database():
    """Look at what it keeps."""
    connection = psycopg2.connect('')
    connection.autocommit = True
    try:
        with connection.cursor() as cursor:
            cursor.execute('SET search_path = dlints_play, public')
            yield cursor
    finally:
        connection.close()
