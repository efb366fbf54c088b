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

# clients, seconds of a run, rounds, seconds at a steady rate
FULL = (1, 2, 4, 8, 16), 2, 3, 70
QUICK = (1, 8), 1, 1, 3
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
        found, steady = measure(cursor, *options.work)
    results.print_all(found, steady)
    load = os.getloadavg()[0]
    print(f'Load average at the end: {load:.1f}, clients included.')
    return results.print_account(found, steady)


def parse_arguments():
    """Return the command line's options."""
    parser = program.parser('load', __doc__)
    parser.add_argument('--quick', dest='work', action='store_const',
                        default=FULL, const=QUICK,
                        help='a tenth of the work, and less certain figures')
    return parser.parse_args()


def measure(cursor, clients, seconds, rounds, steady_seconds):
    """Return the trials of all series, and of those that last long.

    Both are lists of trials by series and number of clients, in the order of
    the tables.
    """
    found = {(series, count): [] for series in SERIES
             for count in clients}
    steady = {(series, STEADY_CLIENTS): [] for series in STEADY}
    with Themes(rounds + 1) as done:
        for _ in range(rounds):
            done.start('Clients at once')
            for number, count in enumerate(clients, 1):
                for series in random.sample(SERIES, len(SERIES)):
                    found[series, count].append(
                        trial.run(cursor, series, count, seconds))
                done.advance(number / len(clients))
        done.start('At a steady rate')
        for number, ((series, count), trials) in enumerate(steady.items(), 1):
            trials.append(trial.run(cursor, series, count, steady_seconds,
                                    f'--rate={STEADY_RATE}'))
            done.advance(number / len(steady))
    return found, steady


program.run('load', main)
