"""Many clients at once: rewards straight into the model, or through a queue.

Connects as libpq's environment says (PGHOST, PGDATABASE, ...) and works in a
schema of its own. The series take turns, in a new order each time; a ratio is
one of two runs in the same turn. Ends with an error if a reward was lost or
counted twice.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import psycopg2

# What the programs under bench share; bench/speed measures the same way.
BENCH = Path(__file__).resolve().parents[1]
sys.path += [str(BENCH / 'common'), str(BENCH / 'speed')]

import machine  # noqa: E402
import results  # noqa: E402
import server  # noqa: E402
import trial  # noqa: E402
from clients import ITEMS  # noqa: E402
from report import Progress  # noqa: E402
from series import SERIES, STEADY  # noqa: E402

CLIENTS = (1, 2, 4, 8, 16)
QUICK_CLIENTS = (1, 8)
STEADY_CLIENTS = 4
STEADY_RATE = 100


def main():
    """Run the comparison and return the exit status."""
    options = parse_arguments()
    start = perf_counter()
    # The script that runs this hands an interrupt on as SIGTERM.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with server.connect() as cursor:
            sound = compare(cursor, options)
    except (psycopg2.Error, OSError) as error:
        print(f'load: {error}', file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f'load: pgbench: {error.stderr}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('\nload: interrupted', file=sys.stderr)
        return 130
    print(f'{perf_counter() - start:.0f} s.')
    return 0 if sound else 1


def parse_arguments():
    """Return the command line's options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--clients', type=parse_clients, metavar='N,...',
                        help='how many clients (default '
                        f'{",".join(map(str, CLIENTS))})')
    parser.add_argument('--seconds', type=int, metavar='N',
                        help='how long one run takes (default 2)')
    parser.add_argument('--rounds', type=int, metavar='N',
                        help='runs of each series with each number of '
                        'clients (default 3)')
    parser.add_argument('--steady', type=int, metavar='N',
                        help='how long to watch the tables grow (default 70)')
    parser.add_argument('--quick', action='store_true',
                        help='other defaults: a tenth of the work, and less '
                        'certain figures')
    options = parser.parse_args()
    defaults = {'clients': CLIENTS, 'seconds': 2, 'rounds': 3, 'steady': 70}
    if options.quick:
        defaults = {'clients': QUICK_CLIENTS, 'seconds': 1, 'rounds': 1,
                    'steady': 3}
    for name, value in defaults.items():
        given = getattr(options, name)
        if given is None:
            setattr(options, name, value)
        elif name != 'clients' and given < 1:
            parser.error(f'--{name}: a number from 1 is wanted')
    return options


def parse_clients(text):
    """Return the numbers in a list."""
    try:
        clients = tuple(int(part) for part in text.split(','))
    except ValueError:
        clients = (0,)
    if min(clients) < 1:
        raise argparse.ArgumentTypeError(
            f'numbers from 1 are wanted, not "{text}"')
    return clients


def compare(cursor, options):
    """Measure, print what was found, and return whether nothing was lost."""
    for name, text in machine.describe(cursor):
        print(f'{name}: {text}')
    print(f'commit: {machine.durability(cursor)}', end='\n\n', flush=True)
    server.create_items(
        cursor, server.contexts(ITEMS, server.CONTEXT_DIM), key='PRIMARY KEY')
    found, steady = measure(cursor, options)
    results.print_all(found, steady)
    load = os.getloadavg()[0]
    print(f'Load average at the end: {load:.1f}, clients included.')
    return results.print_account(found, steady)


def measure(cursor, options):
    """Return the trials of all series, and of those that last long.

    Both are lists of trials by series and number of clients, in the order of
    the tables.
    """
    found = {(series, count): [] for series in SERIES
             for count in options.clients}
    steady = {(series, STEADY_CLIENTS): [] for series in STEADY}
    progress = Progress(options.rounds + 1)
    try:
        for _ in range(options.rounds):
            progress.start('Clients at once')
            for number, count in enumerate(options.clients, 1):
                for series in random.sample(SERIES, len(SERIES)):
                    found[series, count].append(
                        trial.run(cursor, series, count, options.seconds))
                progress.advance(number / len(options.clients))
        progress.start('At a steady rate')
        for number, ((series, count), trials) in enumerate(steady.items(), 1):
            trials.append(trial.run(cursor, series, count, options.steady,
                                    f'--rate={STEADY_RATE}'))
            progress.advance(number / len(steady))
    finally:
        progress.close()
    return found, steady


if __name__ == '__main__':
    sys.exit(main())
