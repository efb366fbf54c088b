"""Many clients at once: rewards straight into the model, or by a queue."""

import os
import random

from bench import machine, samples, server
from bench.load import results, trial
from bench.load.series import SERIES, STEADY
from bench.progress import Themes

STEADY_CLIENTS = 4
STEADY_RATE = 100


def main(options):
    """Measure, print what was found, and return whether nothing was lost."""
    with server.connect() as cursor:
        machine.describe(cursor)
        samples.create_items(
            cursor, samples.random_features(trial.ITEMS, samples.DIM),
            key='PRIMARY KEY')
        found, steady = measure(cursor, *options.work)
    results.print_all(found, steady)
    load = os.getloadavg()[0]
    print(f'Load average at the end: {load:.1f}, clients included.')
    return results.print_account(found, steady)


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
