"""Many clients at once: rewards straight into the model, or through a queue.

The series take turns, in a new order each time; a ratio is one of two runs in
the same turn. Ends with an error if a reward was lost or counted twice.
"""

import os
import random

from bench import machine, program, samples, server
from bench.load import results, trial
from bench.load.series import SERIES, STEADY
from bench.progress import Themes

DEFAULTS = {'clients': (1, 2, 4, 8, 16), 'seconds': 2, 'rounds': 3,
            'steady': 70}
QUICK = {'clients': (1, 8), 'seconds': 1, 'rounds': 1, 'steady': 3}
STEADY_CLIENTS = 4
STEADY_RATE = 100


def main():
    """Measure, print what was found, and return whether nothing was lost."""
    options = parse_arguments()
    with server.connect() as cursor:
        machine.describe(cursor)
        samples.create_items(
            cursor, samples.contexts(trial.ITEMS, samples.CONTEXT_DIM),
            key='PRIMARY KEY')
        found, steady = measure(cursor, options)
    results.print_all(found, steady)
    load = os.getloadavg()[0]
    print(f'Load average at the end: {load:.1f}, clients included.')
    return results.print_account(found, steady)


def parse_arguments():
    """Return the command line's options."""
    parser = program.parser('load', __doc__)
    parser.add_argument('--clients', type=program.numbers(1), metavar='N,...',
                        help='how many clients (default '
                        f'{",".join(map(str, DEFAULTS["clients"]))})')
    parser.add_argument('--seconds', type=program.number(1), metavar='N',
                        help='how long one run takes (default 2)')
    parser.add_argument('--rounds', type=program.number(1), metavar='N',
                        help='runs of each series with each number of '
                        'clients (default 3)')
    parser.add_argument('--steady', type=program.number(1), metavar='N',
                        help='how long to watch the tables grow (default 70)')
    parser.add_argument('--quick', action='store_true',
                        help='other defaults: a tenth of the work, and less '
                        'certain figures')
    options = parser.parse_args()
    for name, default in (QUICK if options.quick else DEFAULTS).items():
        setattr(options, name, getattr(options, name) or default)
    return options


def measure(cursor, options):
    """Return the trials of all series, and of those that last long.

    Both are lists of trials by series and number of clients, in the order of
    the tables.
    """
    found = {(series, count): [] for series in SERIES
             for count in options.clients}
    steady = {(series, STEADY_CLIENTS): [] for series in STEADY}
    with Themes(options.rounds + 1) as done:
        for _ in range(options.rounds):
            done.start('Clients at once')
            for number, count in enumerate(options.clients, 1):
                for series in random.sample(SERIES, len(SERIES)):
                    found[series, count].append(
                        trial.run(cursor, series, count, options.seconds))
                done.advance(number / len(options.clients))
        done.start('At a steady rate')
        for number, ((series, count), trials) in enumerate(steady.items(), 1):
            trials.append(trial.run(cursor, series, count, options.steady,
                                    f'--rate={STEADY_RATE}'))
            done.advance(number / len(steady))
    return found, steady


program.run('load', main)
