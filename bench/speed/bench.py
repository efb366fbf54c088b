"""Measure dlints and print a table of what it has to reach.

Connects as libpq's environment says (PGHOST, PGDATABASE, ...) and works in a
schema of its own. Each number is a ratio, or a growth, measured in one run on
one machine.
"""

import argparse
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import psycopg2

# What the programs under bench share.
sys.path.append(str(Path(__file__).resolve().parents[1] / 'common'))

import evidence  # noqa: E402
import growth  # noqa: E402
import machine  # noqa: E402
import memory  # noqa: E402
import recommend  # noqa: E402
import report  # noqa: E402
import server  # noqa: E402
import shared  # noqa: E402
import stream  # noqa: E402
import update  # noqa: E402

THEMES = (recommend, evidence, update, stream, growth, memory, shared)
QUICK = 0.1


def main():
    """Run the benchmark and return the exit status."""
    options = parse_arguments()
    start = perf_counter()
    try:
        results = measure(options)
    except (psycopg2.Error, OSError) as error:
        print(f'bench: {error}', file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f'bench: pgbench: {error.stderr}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('\nbench: interrupted', file=sys.stderr)
        return 130
    report.print_table(results)
    missed = sum(result.met is False for result in results)
    print('\nTimes are medians, for many rows minima; (a to b) is a ratio\'s '
          f'spread.\n{missed or "No"} bar{"s" * (missed != 1)} missed. '
          f'{perf_counter() - start:.0f} s.')
    return 1 if missed and options.strict else 0


def parse_arguments():
    """Return the command line's options."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog='\n'.join(f'  {number}  {theme.TITLE}' for number, theme
                         in enumerate(THEMES, 1)))
    parser.add_argument('--rows', type=parse_rows, metavar='N,...',
                        default=list(range(1, len(THEMES) + 1)),
                        help='which of the rows below to measure')
    parser.add_argument('--quick', action='store_true',
                        help='a tenth of the work, and less certain figures')
    parser.add_argument('--any-core', action='store_true',
                        help='do not keep client and backend on one core')
    parser.add_argument('--strict', action='store_true',
                        help='exit with an error if a bar is missed')
    return parser.parse_args()


def parse_rows(text):
    """Return the numbers of themes in a list."""
    try:
        rows = [int(part) for part in text.split(',')]
    except ValueError:
        rows = [0]
    if not all(1 <= row <= len(THEMES) for row in rows):
        raise argparse.ArgumentTypeError(
            f'numbers from 1 to {len(THEMES)} are wanted, not "{text}"')
    return rows


def measure(options):
    """Measure the chosen themes and return their results."""
    share = QUICK if options.quick else 1
    results = []
    with session(options) as cursor:
        for name, text in machine.describe(cursor):
            print(f'{name}: {text}')
        print(flush=True)
    progress = report.Progress(len(options.rows))
    try:
        for row in options.rows:
            theme = THEMES[row - 1]
            progress.start(theme.TITLE)
            with session(options) as cursor:
                results += theme.run(cursor, share, progress)
    finally:
        progress.close()
    return results


@contextmanager
def session(options):
    """Open a session of its own, that inherits no other theme's state."""
    with server.connect() as cursor:
        if not options.any_core:
            machine.share_core(cursor)
        yield cursor


if __name__ == '__main__':
    sys.exit(main())
