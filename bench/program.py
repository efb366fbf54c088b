"""What all programs have in common: arguments, errors, exit status.

It needs nothing but Python.
"""

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path
from time import perf_counter


class UserError(Exception):
    """Something the user can mend; its text is one clear line."""


def run(name, work):
    """Do a program's work and leave with its exit status.

    `work` returns False where what it found is not as it has to be.
    """
    import psycopg2
    start = perf_counter()
    # The calling script passes an interrupt on as SIGTERM.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        sound = work()
    except KeyboardInterrupt:
        print(f'\n{name}: stopped', file=sys.stderr)
        sys.exit(130)
    except (UserError, OSError, psycopg2.Error,
            subprocess.CalledProcessError) as error:
        print(f'{name}: {describe(error)}', file=sys.stderr)
        sys.exit(1)
    print(f'Total time: {perf_counter() - start:.0f} s')
    sys.exit(int(sound is False))


def describe(error):
    """Return in words what went wrong."""
    if isinstance(error, subprocess.CalledProcessError):
        return f'{Path(error.cmd[0]).name}: {error.stderr}'
    if isinstance(error, OSError) and error.filename is not None:
        return f'{error.filename}: {error.strerror}'
    text = (str(error).strip() or type(error).__name__).splitlines()[0]
    return text if isinstance(error, (UserError, OSError)) else (
        f'PostgreSQL: {text}')


def number(least, most=None):
    """Return what reads a whole number within bounds."""
    bounds = f'from {least}' if most is None else f'from {least} to {most}'

    def read(text):
        try:
            found = int(text)
        except ValueError:
            found = least - 1
        if found < least or (most is not None and found > most):
            raise argparse.ArgumentTypeError(
                f'a number {bounds} is wanted, not "{text}"')
        return found
    return read


def numbers(least, most=None):
    """Return what reads a list of such numbers."""
    read = number(least, most)
    return lambda text: tuple(dict.fromkeys(map(read, text.split(','))))


def show(parser, what):
    """Add what the programs take that show something, and then judge it."""
    parser.add_argument('--seed', type=number(0), default=1, metavar='N',
                        help=f'of {what} (default %(default)s)')
    parser.add_argument('--seeds', type=number(1), default=1, metavar='N',
                        help='so many, from that one on; bars are for means')
    parser.add_argument('--strict', action='store_true',
                        help='exit with an error if a bar is missed')


def make_folder(name):
    """Make and return the folder for a program's results, which OUT names."""
    folder = Path(os.environ.get('OUT') or f'{name}-output')
    folder.mkdir(parents=True, exist_ok=True)
    return folder
