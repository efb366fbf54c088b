"""Policies at play: each problem, seed and policy through the extension."""

import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psycopg2

from bench.server import SETTINGS, copy

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


def play_all(problems, seeds, visits, jobs, advance):
    """Return {(problem's key, seed): (World's best, random's, outcomes)}."""
    tasks = [(problem, seed) for seed in seeds for problem in problems]
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(_play_one, *task, visits) for task in tasks]
        found = {}
        try:
            for (problem, seed), future in zip(tasks, futures):
                found[problem.key, seed] = future.result()
                advance(problem, seed)
        except BaseException:
            for future in futures:
                future.cancel()
            raise
    return found


def _play_one(problem, seed, visits):
    """Return what all policies make of one world."""
    world = make_world(problem, seed, visits)
    best = np.sort(world.expected, axis=1)[:, -world.box:].sum()
    chance = world.expected.mean() * world.box * len(world.expected)
    with Table(world) as table:
        return best, chance, {name: table.play(seed, **parameters)
                              for name, parameters in POLICIES.items()}


def shares_alike(problem, visits):
    """Return for each scale of rewards the share of equal choices."""
    world = make_world(problem, 1, visits)
    rewards = world.rewards
    shown = []
    for shift, scale in SCALES:
        world.rewards = shift + scale * rewards
        with Table(world) as table:
            shown.append(table.play(1).shown)
    return [np.mean(choices == shown[0]) for choices in shown]


class Table:
    """A session of its own with a world in temporary tables."""

    def __init__(self, world):
        self._world = world
        self._connection = psycopg2.connect('')
        self._connection.autocommit = True
        self._cursor = self._connection.cursor()

    def __enter__(self):
        for setting in SETTINGS.items():
            self._cursor.execute('SELECT set_config(%s, %s, false)', setting)
        self._cursor.execute(SQL.read_text(encoding='utf-8'))
        world = self._world
        copy(self._cursor, 'item', enumerate(world.items))
        shared = ([[]] * len(world.offered) if world.shared is None
                  else world.shared)
        copy(self._cursor, 'visit', zip(
            range(1, len(world.offered) + 1), shared, world.offered,
            world.expected, world.rewards))
        self._cursor.execute('ANALYZE item, visit')
        return self

    def __exit__(self, *unused):
        self._connection.close()

    def play(self, seed, **parameters):
        """Return the Outcome of a policy under seeded draws."""
        world = self._world
        named = {**world.model, **parameters}
        self._cursor.execute(
            PLAY.format(named=''.join(f', {name} => %({name})s'
                                      for name in named)),
            {**named, 'context_dim': world.items.shape[1], 'seed': seed,
             'box': world.box, 'batch': world.batch,
             'draws': seed * 2 ** 32})
        return Outcome(*map(np.array, self._cursor.fetchone()))
