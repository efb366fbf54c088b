"""The time of D-LinTS-RP end to end, with a numpy loop's beside it."""

from time import perf_counter

import numpy as np

from bench.paper import experiment, policies
from bench.progress import Steps
from bench.reference import CarefulRule

STEPS = 100000
SHARE = 20


def measure(cursor, data, options):
    """Print the times on a data set."""
    users = np.resize(data.stream, options.steps or STEPS)
    steps = len(users)
    if len(data.stream) < steps:
        print(f'{data.name} has a stream of {len(data.stream):,} steps, '
              f'which is repeated to make {steps:,}')
    experiment.load(cursor, data)
    spec = policies.Spec('D-LinTS-RP', data.context_dim * SHARE // 100, True)
    print(f'{spec.policy}, {steps:,} steps, {data.arms:,} arms, '
          f'n = {data.context_dim}, d = {spec.dim}, without NDCG')
    start = perf_counter()
    with Steps(steps) as progress:
        outcome = experiment.run(cursor, data, spec, users, options.seed, 1,
                                 ndcg=False, advance=progress.advance)
    _print('through SQL', steps, perf_counter() - start, outcome.rewards.sum())
    _print('numpy loop, one process, no database', steps,
           *_numpy(data, spec, users))


def _numpy(data, spec, users):
    """Return the seconds and the reward of the numpy loop.

    A user adds the same to all scores, and matters in learning alone.
    """
    items, people = data.item_features, data.user_features
    start = perf_counter()
    loop = CarefulRule(np.pad(items, ((0, 0), (0, people.shape[1]))), spec.dim)
    reduced = people @ loop.projection[:, items.shape[1]:].T
    total = 0
    turns = experiment.turns_at(len(users), data.arms).tolist()
    for user, turn in zip(users.tolist(), turns):
        arm = loop.choose()
        reward = int(data.clicks[user, (arm + turn) % data.arms])
        loop.absorb(loop.reduced[arm] + reduced[user], reward)
        total += reward
    return perf_counter() - start, total


def _print(name, steps, seconds, reward):
    """Print one line."""
    print(f'  {name}: {seconds:.1f} s, {seconds / steps * 1e6:.0f} us a step, '
          f'reward {int(reward):,}')
