"""Policies at play: each problem, seed and policy through the extension."""

import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from bench.server import copy, session

SQL = Path(__file__).with_name('plays.sql')
DEFAULT, FOUR = 'default', 'four'
# name: what dlints_new takes beyond the sizes
FIXED = {f'{discount:g}': {'discount': discount}
         for discount in (0.99, 0.998, 0.9998, 1)}
POLICIES = {DEFAULT: {}, FOUR: {'memories': 4}, **FIXED}
PLAY = """
SELECT earned, shown, memory
FROM   pg_temp.play(dlints_new(%(context_dim)s, seed => %(seed)s{named}),
                    %(box)s, %(batch)s, %(draws)s)"""
# What (0, 1) becomes: a shift and a scale
SCALES = ((0, 1), (0, 1000), (-1000, 1), (99, 2))


@dataclass
class Outcome:
    """What a policy made of a world."""

    earned: np.ndarray      # mean reward of each visit
    shown: np.ndarray       # numbers of the items
    memory: np.ndarray      # in use after each time of learning


def make_world(problem, seed, visits):
    """Return the World of a problem under a seed."""
    random = np.random.default_rng([seed, zlib.crc32(problem.key.encode())])
    return problem.make(random, round(visits * problem.share))


def play(problem, seed, visits):
    """Return (best, chance, {policy: Outcome}) of one world."""
    world = make_world(problem, seed, visits)
    best = np.sort(world.expected, axis=1)[:, -world.box:].sum()
    chance = world.expected.mean() * world.box * len(world.expected)
    with loaded(world) as cursor:
        return best, chance, {
            name: play_policy(cursor, world, seed, **parameters)
            for name, parameters in POLICIES.items()}


def shares_alike(problem, visits):
    """Return for each scale of rewards the share of equal choices."""
    world = make_world(problem, 1, visits)
    rewards = world.rewards
    shown = []
    for shift, scale in SCALES:
        world.rewards = shift + scale * rewards
        with loaded(world) as cursor:
            shown.append(play_policy(cursor, world, 1).shown)
    return [np.mean(choices == shown[0]) for choices in shown]


@contextmanager
def loaded(world):
    """Open a session of its own with a world in temporary tables."""
    with session() as cursor:
        cursor.execute(SQL.read_text(encoding='utf-8'))
        copy(cursor, 'item', enumerate(world.items))
        shared = ([[]] * len(world.offered) if world.shared is None
                  else world.shared)
        copy(cursor, 'visit', zip(
            range(1, len(world.offered) + 1), shared, world.offered,
            world.expected, world.rewards))
        cursor.execute('ANALYZE item, visit')
        yield cursor


def play_policy(cursor, world, seed, **parameters):
    """Return the Outcome of a policy under seeded draws."""
    named = {**world.model, **parameters}
    cursor.execute(
        PLAY.format(named=''.join(f', {name} => %({name})s'
                                  for name in named)),
        {**named, 'context_dim': world.items.shape[1], 'seed': seed,
         'box': world.box, 'batch': world.batch, 'draws': seed * 2 ** 32})
    return Outcome(*map(np.array, cursor.fetchone()))
