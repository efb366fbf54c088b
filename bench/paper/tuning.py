"""Grid search over the paper's grids, on the steps before the stream."""

from itertools import product

import numpy as np

from bench.paper import experiment, policies
from bench.program import UserError
from bench.progress import Steps

REPETITIONS = 3
DISCOUNTS = (0.9999, 0.999, 0.99, 0.9, 0.8, 0.7, 0.6)
TENTHS = tuple(tenth / 10 for tenth in range(1, 10))
EPSILONS = (1e-6, 5e-6, 1e-5, 5e-5, 1e-4, 5e-4, 1e-3, 5e-3, 0.01, 0.05,
            *TENTHS)
DISCOUNTED = {'discount': DISCOUNTS, 'exploration': TENTHS}
GRIDS = {
    'D-LinTS': DISCOUNTED,
    'LinTS': {'exploration': TENTHS},
    'D-LinTS-RP': DISCOUNTED,
    'LinUCB': {'exploration': TENTHS},
    'CBRAP': {'exploration': TENTHS},
    'e-greedy': {'epsilon': EPSILONS},
}
# As in the paper, those made for change are tuned on a stream that changes.
MADE_FOR_CHANGE = ('D-LinTS', 'D-LinTS-RP')


def tune(cursor, sets, names, options):
    """Print the parameters that earn most, averaged over dimensions."""
    left_out = [name for name in names if name not in GRIDS]
    names = [name for name in names if name in GRIDS]
    if left_out:
        print(f'Without a grid here: {", ".join(left_out)}')
    jobs = [(data, name, points(name)) for data in sets for name in names]
    total = sum(
        len(_users(data, options)) * len(grid) * sum(
            1 if spec.deterministic else REPETITIONS
            for spec in policies.specs(data, [name]))
        for data, name, grid in jobs)
    loaded = None
    lines = []
    with Steps(total) as progress:
        for data, name, grid in jobs:
            if data is not loaded:
                experiment.load(cursor, data)
                loaded = data
            earned = []
            for point in grid:
                progress.name(f'{data.key} {name} {_words(point)}')
                earned.append(_reward(cursor, data, name, point, options,
                                      progress))
            best = int(np.argmax(earned))
            lines.append(
                f'{data.key} {name}: {_words(grid[best])} '
                f'(reward {earned[best]:,.1f}; the paper chose '
                f'{_words(policies.TUNED[data.key][name])})')
    print(*lines, sep='\n')


def points(name):
    """Return the points of a policy's grid as dicts of parameters."""
    grid = GRIDS[name]
    return [dict(zip(grid, values)) for values in product(*grid.values())]


def _users(data, options):
    """Return the users to tune on."""
    if not len(data.tuning):
        raise UserError(f'{data.name} has no steps before the stream; '
                        '--steps makes the stream shorter')
    return data.tuning[-(options.tuning_steps or len(data.tuning)):]


def _reward(cursor, data, name, point, options, progress):
    """Return the mean reward over repetitions and dimensions."""
    users = _users(data, options)
    changes = (experiment.TUNING_CHANGES if name in MADE_FOR_CHANGE else ())
    rewards = []
    for spec in policies.specs(data, [name]):
        spec = spec.with_parameters(**point)
        repetitions = 1 if spec.deterministic else REPETITIONS
        rewards.append(np.mean([
            experiment.run(cursor, data, spec, users, options.seed,
                           repetition, ndcg=False, changes=changes,
                           advance=progress.advance).rewards.sum()
            for repetition in range(1, repetitions + 1)]))
    return np.mean(rewards)


def _words(point):
    """Return parameters in words."""
    return ', '.join(f'{name} {value:g}' for name, value in point.items())
