"""Run "make play" for a test, with made-up films."""

import re
import signal
import subprocess
import sys
from contextlib import contextmanager

import psycopg2

SECONDS = 60        # limit for the end of the program


def start(*options):
    """Start the program, which prints the address of its page."""
    return subprocess.Popen(
        [sys.executable, '-B', '-m', 'bench', '--here',
         'play', '--made-up', *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def address(process):
    """Return the address and port of the page, when it is served."""
    for line in process.stdout:
        found = re.search(r'http://127\.0\.0\.1:(\d+)/', line)
        if found:
            return found[0], int(found[1])
    raise RuntimeError(process.stderr.read())


def interrupt(process):
    """End the program like Ctrl-C; return its exit status and message.

    The script that starts the program passes an interrupt on as SIGTERM.
    """
    process.send_signal(signal.SIGTERM)
    _, complaint = process.communicate(timeout=SECONDS)
    return process.returncode, complaint


@contextmanager
def running():
    """Run the program; yield the process, and the address and port of its page."""
    process = start('--port', '0')
    try:
        yield process, *address(process)
    finally:
        process.kill()
        process.communicate()


@contextmanager
def database():
    """Yield a cursor of the program's database."""
    connection = psycopg2.connect('')
    connection.autocommit = True
    try:
        with connection.cursor() as cursor:
            cursor.execute('SET search_path = dlints_play, public')
            yield cursor
    finally:
        connection.close()
