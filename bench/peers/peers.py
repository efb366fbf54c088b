"""Measure dlints against what one would otherwise run, on the same stream.

Connects as libpq's environment says (PGHOST, PGDATABASE, ...) and works in a
schema of its own. All sides take turns in one run, on the same items and
rewards; a ratio is a peer's time as a multiple of dlints' time.
"""

import argparse
import os
import sys
from contextlib import ExitStack, contextmanager
from functools import partial
from time import perf_counter

import psycopg2

import authors
import plpython
import race
import results
from contender import Shape, Task
from extension import Extension
from numpyloop import NumpyLoop
from shared import UserError, machine, report, server
from vowpal import Vowpal

ARMS = (100, 1000, 10000)
SHAPES = ((120, 24), (120, 60), (300, 24), (300, 60))
ROUNDS = 150
QUICK_ROUNDS = 10


def main():
    """Run the comparison and return the exit status."""
    options = parse_arguments()
    start = perf_counter()
    try:
        with ExitStack() as stack:
            csv_file = None
            if options.csv:
                csv_file = results.CsvFile(options.csv)
                stack.callback(csv_file.close)
            compare(options, csv_file)
    except (UserError, psycopg2.Error, OSError) as error:
        reason = str(error).strip() or type(error).__name__
        print(f'peers: {reason.splitlines()[0]}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('\npeers: interrupted', file=sys.stderr)
        return 130
    print(f'\n{perf_counter() - start:.0f} s.')
    return 0


def parse_arguments():
    """Return the command line's options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--arms', type=parse_arms, metavar='N,...',
                        default=ARMS, help='numbers of items (default '
                        f'{",".join(map(str, ARMS))})')
    parser.add_argument('--shapes', type=parse_shapes, metavar='NxD,...',
                        default=SHAPES, help='context_dim x reduced_dim '
                        f'(default {",".join(f"{n}x{d}" for n, d in SHAPES)})')
    parser.add_argument('--rounds', type=int, metavar='N',
                        help='turns of each side for each shape (default '
                        f'{ROUNDS}; at least {QUICK_ROUNDS})')
    parser.add_argument('--quick', action='store_true',
                        help=f'{QUICK_ROUNDS} turns, less certain figures')
    parser.add_argument('--csv', metavar='FILE',
                        help='write the results to this file as well')
    parser.add_argument('--authors', metavar='DIR',
                        help="a checkout of the authors' D-LinTS-RP")
    parser.add_argument('--vw', metavar='BINARY',
                        help="Vowpal Wabbit's program")
    parser.add_argument('--any-core', action='store_true',
                        help='do not keep client and backend on one core')
    options = parser.parse_args()
    if options.rounds is None:
        options.rounds = QUICK_ROUNDS if options.quick else ROUNDS
    if options.rounds < QUICK_ROUNDS:
        parser.error(f'--rounds: at least {QUICK_ROUNDS} are needed')
    return options


def parse_arms(text):
    """Return the numbers of items in a list."""
    try:
        arms = [int(part) for part in text.split(',')]
    except ValueError:
        arms = [0]
    if min(arms) < 2:
        raise argparse.ArgumentTypeError(
            f'numbers from 2 are wanted, not "{text}"')
    return arms


def parse_shapes(text):
    """Return the pairs of sizes in a list."""
    try:
        shapes = [tuple(map(int, part.split('x')))
                  for part in text.split(',')]
        usable = all(1 <= reduced_dim <= context_dim
                     for context_dim, reduced_dim in shapes)
    except ValueError:
        usable = False
    if not usable:
        raise argparse.ArgumentTypeError(
            'context_dim x reduced_dim, as in 120x24, are wanted, '
            f'not "{text}"')
    return shapes


def compare(options, csv_file):
    """Measure all shapes and print what was found."""
    others = optional_peers(options)
    with session(options) as cursor:
        for name, text in machine.describe(cursor):
            print(f'{name}: {text}')
        print(f'commit: {machine.durability(cursor)}', end='\n\n', flush=True)
        left_out = plpython.why_not(cursor)
    classes = [Extension, NumpyLoop]
    if not left_out:
        classes += plpython.PEERS
    makers = {made: made for made in classes} | others

    found = measure(options, makers.values(), csv_file)
    results.print_table(found)
    print('\nTimes are medians in microseconds. A ratio is the peer\'s time '
          'as a multiple of dlints\'\n(below 1 the peer is faster), with its '
          'spread over ten consecutive parts of the run.')
    print_load()
    print('\nWhere a peer is faster, times of peer to dlints:\n')
    results.print_faster(found)
    print_notes(makers, options, left_out)


def optional_peers(options):
    """Return what the user pointed to: classes and how to make them."""
    found = {}
    if options.authors:
        found[authors.Authors] = partial(
            authors.Authors, policy=authors.find_policy(options.authors))
    if options.vw:
        found[Vowpal] = partial(Vowpal, binary=options.vw)
    return found


@contextmanager
def session(options):
    """Open a session of its own, that inherits no other shape's state."""
    with server.connect() as cursor:
        if not options.any_core:
            machine.share_core(cursor)
        yield cursor


def measure(options, makers, csv_file):
    """Measure all shapes and return the results."""
    shapes = [Shape(arms, *sizes) for arms in options.arms
              for sizes in options.shapes]
    progress = report.Progress(len(shapes))
    found = []
    try:
        for shape in shapes:
            progress.start(str(shape))
            with session(options) as cursor:
                features = server.contexts(shape.arms, shape.context_dim)
                server.create_items(cursor, features, key='PRIMARY KEY')
                times = race.run(makers, Task(cursor, shape, features),
                                 server.rewards(features), options.rounds,
                                 progress.advance)
            rows = results.rows(shape, times)
            found += rows
            if csv_file:
                csv_file.add(rows)
    finally:
        progress.close()
    return found


def print_load():
    """Print the load average, with a warning where it spoils the ratios."""
    load = os.getloadavg()[0]
    print(f'Load average at the end: {load:.1f}.', end='')
    if load > os.cpu_count():
        print(' That is more than there are cores: a side that needs longer '
              'for a step is\ninterrupted more often, so ratios of short to '
              'long times are too far from 1.', end='')
    print()


def print_notes(contenders, options, left_out):
    """Say what each side is, and what it does not do."""
    print('\nWhat each is, and what each peer does not do:\n')
    for contender in contenders:
        print(f'- {contender.NAME}: {contender.ABOUT}. '
              f'{contender.LACKS}'.rstrip())
    if left_out:
        print(f'- PL/Python: left out: {left_out}.')
    if not options.authors:
        print("- authors' policy: left out; --authors DIR names a checkout.")
    if not options.vw:
        print('- Vowpal Wabbit: left out; --vw BINARY names its program.')


if __name__ == '__main__':
    sys.exit(main())
