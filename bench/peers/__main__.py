"""Measure dlints against what one would otherwise run, on the same stream.

All sides take turns in one run, on the same items and rewards; a ratio is a
peer's time as a multiple of dlints' time.
"""

import argparse
import os
from contextlib import ExitStack
from functools import partial

from bench import machine, program, samples
from bench.peers import authors, plpython, race, results
from bench.peers.contender import Shape, Task
from bench.peers.extension import Extension
from bench.peers.numpyloop import NumpyLoop
from bench.peers.vowpal import Vowpal
from bench.progress import Themes

ARMS = (100, 1000, 10000)
SHAPES = ((120, 24), (120, 60), (300, 24), (300, 60))
ROUNDS = 150
QUICK_ROUNDS = 10


def main():
    """Measure all shapes and print what was found."""
    options = parse_arguments()
    others = optional_peers(options)
    with program.session(options) as cursor:
        machine.describe(cursor)
        left_out = plpython.why_not(cursor)
    classes = [Extension, NumpyLoop]
    if not left_out:
        classes += plpython.PEERS
    makers = {made: made for made in classes} | others
    with ExitStack() as stack:
        csv_file = None
        if options.csv:
            csv_file = results.CsvFile(options.csv)
            stack.callback(csv_file.close)
        found = measure(options, makers.values(), csv_file)
    results.print_table(found)
    print('\nTimes are medians in microseconds. A ratio is the peer\'s time '
          'as a multiple of dlints\'\n(below 1 the peer is faster), with its '
          'spread over ten consecutive parts of the run.')
    print_load()
    print('\nWhere a peer is faster, times of peer to dlints:\n')
    results.print_faster(found)
    print_notes(makers, options, left_out)


def parse_arguments():
    """Return the command line's options."""
    parser = program.parser('peers', __doc__)
    parser.add_argument('--arms', type=program.numbers(2), metavar='N,...',
                        default=ARMS, help='numbers of items (default '
                        f'{",".join(map(str, ARMS))})')
    parser.add_argument('--shapes', type=parse_shapes, metavar='NxD,...',
                        default=SHAPES, help='context_dim x reduced_dim '
                        f'(default {",".join(f"{n}x{d}" for n, d in SHAPES)})')
    parser.add_argument('--rounds', type=program.number(QUICK_ROUNDS),
                        metavar='N', help='turns of each side for each shape '
                        f'(default {ROUNDS}; at least {QUICK_ROUNDS})')
    parser.add_argument('--quick', action='store_true',
                        help=f'{QUICK_ROUNDS} turns, less certain figures')
    parser.add_argument('--csv', metavar='FILE',
                        help='write the results to this file as well')
    parser.add_argument('--authors', metavar='DIR',
                        help="a checkout of the authors' D-LinTS-RP")
    parser.add_argument('--vw', metavar='BINARY',
                        help="Vowpal Wabbit's program")
    program.add_core_option(parser)
    options = parser.parse_args()
    options.rounds = options.rounds or (
        QUICK_ROUNDS if options.quick else ROUNDS)
    return options


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


def optional_peers(options):
    """Return what the user pointed to: classes and how to make them."""
    found = {}
    if options.authors:
        found[authors.Authors] = partial(
            authors.Authors, policy=authors.find_policy(options.authors))
    if options.vw:
        found[Vowpal] = partial(Vowpal, binary=options.vw)
    return found


def measure(options, makers, csv_file):
    """Measure all shapes and return the results."""
    shapes = [Shape(arms, *sizes) for arms in options.arms
              for sizes in options.shapes]
    found = []
    with Themes(len(shapes)) as done:
        for shape in shapes:
            done.start(str(shape))
            with program.session(options) as cursor:
                features = samples.contexts(shape.arms, shape.context_dim)
                samples.create_items(cursor, features, key='PRIMARY KEY')
                times = race.run(makers, Task(cursor, shape, features),
                                 samples.rewards(features), options.rounds,
                                 done.advance)
            rows = results.rows(shape, times)
            found += rows
            if csv_file:
                csv_file.add(rows)
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


program.run('peers', main)
