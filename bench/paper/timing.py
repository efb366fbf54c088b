"""The time of D-LinTS-RP end to end, with a numpy loop's beside it."""

from time import perf_counter

import numpy as np

from bench.paper import experiment, linear, policies
from bench.progress import Steps

STEPS = 100000
SHARE = 20


def measure(cursor, sets, options):
    """Print the times of each data set."""
    steps = options.steps or STEPS
    for data in sets:
        users = np.resize(data.stream, steps)
        if len(data.stream) < steps:
            print(f'{data.name} has a stream of {len(data.stream):,} steps, '
                  f'which is repeated to make {steps:,}')
        experiment.load(cursor, data)
        dim = data.context_dim * SHARE // 100
        spec = next(spec for spec in policies.specs(data, ['D-LinTS-RP'])
                    if spec.dim == dim)
        print(f'D-LinTS-RP, {steps:,} steps, {data.arms:,} arms, '
              f'n = {data.context_dim}, d = {dim}, without NDCG')
        start = perf_counter()
        with Steps(steps) as progress:
            progress.name(f'{data.key} D-LinTS-RP {dim}')
            outcome = experiment.run(cursor, data, spec, users, options.seed,
                                     1, ndcg=False, advance=progress.advance)
        _print('through SQL', steps, perf_counter() - start,
               outcome.rewards.sum())
        _print('numpy loop, one process, no database', steps,
               *_numpy(data, spec, users, options.seed))


def _numpy(data, spec, users, seed):
    """Return the seconds and the reward of the numpy loop."""
    random = np.random.default_rng(seed)
    scale = 1 / np.sqrt(data.context_dim)
    projection = random.normal(0, scale, (data.context_dim, spec.dim))
    split = data.item_features.shape[1]
    start = perf_counter()
    loop = linear.CarefulLoop(data.item_features @ projection[:split],
                              data.user_features @ projection[split:],
                              random, **spec.parameters)
    turns = experiment.turns_at(len(users), data.arms,
                                experiment.CHANGES).tolist()
    total = 0
    for user, turn in zip(users.tolist(), turns):
        arm = loop.choose(user)
        reward = int(data.clicks[user, (arm + turn) % data.arms])
        loop.learn(arm, user, reward)
        total += reward
    return perf_counter() - start, total


def _print(name, steps, seconds, reward):
    """Print one line."""
    print(f'  {name}: {seconds:.1f} s, {seconds / steps * 1e6:.0f} us a step, '
          f'reward {int(reward):,}')
