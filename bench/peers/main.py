"""Measure dlints against what one would otherwise run."""

import os
from itertools import product

import numpy as np

from bench import machine, samples
from bench.measure import alternate, ratio
from bench.peers import authors, sides
from bench.progress import Themes
from bench.report import table

SHAPES = ((120, 24), (120, 60), (300, 24), (300, 60))
STEPS = 10                  # of each side in a round
NOTES = """
Times are medians in microseconds for a step: recommend, learn. A ratio is the
peer's time as a multiple of dlints' (below 1 the peer is faster), with its
spread over ten consecutive parts of the run.

- dlints reads items and model from their tables every time, n numbers for each
  candidate; the others keep the items projected, d numbers each.
- A numpy loop, and the authors' policy, store nothing, in one process, without
  WHERE or transaction.
- PL/Python in session memory is lost with the session. In a row the model is
  durable and transactional, but items are a copy made at the start; with WHERE
  their numbers come from a query, which is closest to what dlints does."""


def main(options):
    """Measure all shapes and print what was found."""
    policy = options.authors and authors.find_policy(options.authors)
    with machine.session() as cursor:
        machine.describe(cursor)
    shapes = list(product(options.arms, SHAPES))
    rows, ratios = [], {}
    with Themes(len(shapes)) as done:
        for arms, sizes in shapes:
            done.start(f'{arms:,} arms, n, d = {sizes}')
            with machine.session() as cursor:
                seconds = measure(cursor, policy, arms, sizes, options.rounds,
                                  done.advance)
            base, *peers = seconds
            found = {name: ratio(seconds[name], seconds[base])
                     for name in peers}
            for name in peers:
                ratios.setdefault(name, []).append(found[name].value)
            rows.append((f'{arms:,}', *sizes, _microseconds(seconds[base]), *(
                f'{_microseconds(seconds[name])}; {found[name]}'
                for name in peers)))
    print(table([('arms', 'n', 'd', base, *ratios), *rows]))
    print(NOTES)
    if 'PL/Python, row' not in ratios:
        print('- PL/Python: left out, the server has no plpython3u.')
    print(f'\nLoad average at the end: {os.getloadavg()[0]:.1f}. Over all '
          'shapes, times of peer to dlints:\n')
    for name, values in ratios.items():
        print(f'- {name}: {min(values):.2f} to {max(values):.2f}')


def measure(cursor, policy, arms, sizes, rounds, advance):
    """Return the seconds of the steps of each side, dlints first."""
    features = samples.random_features(arms, sizes[0])
    samples.create_items(cursor, features, key='PRIMARY KEY')
    contenders = sides.create(cursor, features, sizes)
    if policy:
        contenders["authors' policy"] = authors.create(policy, features, sizes)
    rewards = samples.rewards(features).tolist()

    def step_of(choose, learn):
        def step():
            choice = choose()
            learn(choice, rewards[choice])
        return step

    steps = {name: step_of(*both) for name, both in contenders.items()}
    alternate(steps, 1, STEPS)
    return alternate(steps, rounds, STEPS, advance)


def _microseconds(seconds):
    """Return the median as text."""
    return f'{np.median(seconds) * 1e6:,.0f}'
