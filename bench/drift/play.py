"""Play problems with each policy, in SQL."""

import zlib
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from bench.drift import statements
from bench.server import copy, session

DEFAULT = 'default'
# name: arguments of dlints_new besides the sizes
FIXED = {f'{discount:g}': {'discount': discount}
         for discount in (0.99, 0.998, 0.9998, 1)}
POLICIES = {DEFAULT: {}, **FIXED}


@dataclass
class Outcome:
    """Results of a policy in a world."""

    earned: np.ndarray      # mean reward of each visit
    shown: np.ndarray       # numbers of the shown items
    memory: np.ndarray      # memory in use after each training


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


@contextmanager
def loaded(world):
    """Open a session with the world in temporary tables."""
    with session() as cursor:
        cursor.execute(statements.TABLES)
        training = (statements.ONE if world.box == world.batch == 1
                    else statements.MANY)
        cursor.execute(statements.PLAY.format(training=training))
        copy(cursor, 'item', enumerate(world.items))
        profiles = ([[]] * len(world.offered) if world.profiles is None
                    else world.profiles)
        numbers = np.arange(1, len(world.offered) + 1)
        copy(cursor, 'visit', zip(
            numbers, profiles, world.offered,
            world.expected, world.rewards))
        cursor.execute('ANALYZE item, visit')
        yield cursor


def play_policy(cursor, world, seed, **parameters):
    """Return the Outcome of a policy with seeded draws."""
    named = {**world.model, **parameters}
    cursor.execute(
        statements.RUN.format(named=''.join(f', {name} => %({name})s'
                                  for name in named)),
        {**named, 'dim': world.items.shape[1], 'seed': seed,
         'box': world.box, 'batch': world.batch, 'draws': seed * 2 ** 32})
    return Outcome(*map(np.array, cursor.fetchone()))
