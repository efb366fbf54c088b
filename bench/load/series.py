"""What is measured: ways to learn, each under a mix of statements."""

from dataclasses import dataclass

import numpy as np

from bench.load import statements

RECOMMEND = 'recommend'
MANY = 100


@dataclass(frozen=True)
class Mix:
    """What sessions do beside reporting rewards."""

    name: str
    recommendations: int


MIXED = Mix('recommend 95 %, learn 5 %', 19)
REWARDS_ONLY = Mix('rewards only', 0)
MIXES = (MIXED, REWARDS_ONLY)


@dataclass(frozen=True)
class Series:
    """Ways to learn under a mix; `fold` runs beside them, if it is not ''."""

    form: str
    mix: Mix
    ways: tuple
    fold: str = ''
    models: int = 1
    settings: tuple = ()

    def scripts(self):
        """Return pgbench's scripts by name."""
        scripts = {reward_script(way, reward): statements.REWARDED
                   + learn.format(reward=reward)
                   for way, learn in enumerate(self.ways)
                   for reward in statements.REWARDS}
        if self.mix.recommendations:
            scripts[RECOMMEND] = statements.RECOMMEND
        return scripts

    def weights(self):
        """Return how often scripts are drawn; each reward's is drawn once."""
        return {RECOMMEND: self.mix.recommendations * len(self.ways)
                * len(statements.REWARDS)}

    def count(self, names):
        """Return how many there are of each reward among scripts' names."""
        return {reward: sum(np.count_nonzero(
            names == reward_script(way, reward))
            for way in range(len(self.ways)))
            for reward in statements.REWARDS}


def reward_script(way, reward):
    """Return the name of the script that reports a reward in one way."""
    return f'reward {reward}, way {way}'


DIRECT, QUEUE = 'direct', 'queue'
ASYNCHRONOUS = (('synchronous_commit', 'off'),)


def _forms(mix):
    """Return the two forms to compare under a mix."""
    return (Series(DIRECT, mix, (statements.DIRECT,)),
            Series(QUEUE, mix, (statements.QUEUE,), statements.FOLD))


STEADY = _forms(REWARDS_ONLY)
SERIES = (
    *_forms(MIXED), *STEADY,
    Series('both at once', REWARDS_ONLY,
           (statements.DIRECT, statements.QUEUE), statements.FOLD),
    Series(f'direct, {MANY} models', REWARDS_ONLY, (statements.DIRECT,),
           models=MANY),
    Series('direct, synchronous_commit off', REWARDS_ONLY,
           (statements.DIRECT,), settings=ASYNCHRONOUS))
