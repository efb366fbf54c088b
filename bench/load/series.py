"""What is measured: ways to learn, alone and among recommendations."""

from dataclasses import dataclass

from bench.load import statements

RECOMMEND = 'recommend'
DIRECT, QUEUE = 'direct', 'queue'
MIXED, REWARDS_ONLY = 'recommend 95 %, learn 5 %', 'rewards only'
RECOMMENDATIONS = {MIXED: 19, REWARDS_ONLY: 0}      # for each reward
MANY = 100


@dataclass(frozen=True)
class Series:
    """A way to learn under a mix; `fold` runs beside it, if it is not ''."""

    form: str
    mix: str
    learn: str
    fold: str = ''
    models: int = 1
    settings: tuple = ()

    def scripts(self):
        """Return pgbench's scripts by name; those of rewards by the reward."""
        scripts = {str(reward): statements.REWARDED
                   + self.learn.format(reward=reward)
                   for reward in statements.REWARDS}
        if RECOMMENDATIONS[self.mix]:
            scripts[RECOMMEND] = statements.RECOMMEND
        return scripts

    def weights(self):
        """Return how often scripts are drawn; each reward's is drawn once."""
        return {RECOMMEND: RECOMMENDATIONS[self.mix]
                * len(statements.REWARDS)}


def _forms(mix):
    """Return the two forms to compare under a mix."""
    return (Series(DIRECT, mix, statements.DIRECT),
            Series(QUEUE, mix, statements.QUEUE, statements.FOLD))


STEADY = _forms(REWARDS_ONLY)
SERIES = (
    *_forms(MIXED), *STEADY,
    Series(f'direct, {MANY} models', REWARDS_ONLY, statements.DIRECT,
           models=MANY),
    Series('direct, synchronous_commit off', REWARDS_ONLY, statements.DIRECT,
           settings=(('synchronous_commit', 'off'),)))
