"""Two forms of training, as in the README, and their mixes with
recommendations.

The discount is just below 1: the model stores both of its matrices, as by
default, and forgets so little that a sum of integer rewards is exact after
rounding.
"""

from dataclasses import dataclass

DISCOUNT = 1 - 2 ** -50

# Rewards differ, so that their sum shows if a model gets another reward.
REWARDS = (0, 1, 3)

TABLES = f"""
    DROP TABLE IF EXISTS feedback, model;
    CREATE TABLE model (id integer PRIMARY KEY, state dlints NOT NULL);
    CREATE TABLE feedback (id bigint GENERATED ALWAYS AS IDENTITY,
                           model integer NOT NULL REFERENCES model,
                           features real[] NOT NULL, reward float8 NOT NULL);
    INSERT INTO model
    SELECT i, n || e.evidence
    FROM   generate_series(1, %(models)s) i,
           dlints_new(%(dim)s, %(reduced_dim)s,
                      discount => {DISCOUNT!r}, ridge => 1, exploration => 0.1, noise => 1,
                      intercept => false) n,
           LATERAL (SELECT dlints_evidence(n, features, id %% 2) AS evidence
                    FROM item) e;
    ANALYZE model"""

RECOMMEND = 'recommend'
RECOMMENDED = """\
\\set model random(1, :models)
SELECT dlints_recommend((SELECT state FROM model WHERE id = :model),
                        id, features)
FROM   item WHERE in_stock;"""

# Beginning of both scripts that report a reward
REWARDED = """\
\\set model random(1, :models)
\\set item random(1, :items)
"""

DIRECT = """\
UPDATE model
SET    state = dlints_update(state, (SELECT features FROM item
                                     WHERE id = :item), {reward})
WHERE  id = :model;"""

QUEUE = """\
INSERT INTO feedback (model, features, reward)
SELECT :model::integer, features, {reward} FROM item WHERE id = :item;"""

FOLD = """\
WITH batch AS (DELETE FROM feedback RETURNING *)
UPDATE model m SET state = m.state || e.evidence
FROM  (SELECT p.id, dlints_evidence(p.state, b.features, b.reward
                                    ORDER BY b.id) AS evidence
       FROM batch b JOIN model p ON p.id = b.model GROUP BY p.id) e
WHERE  m.id = e.id;"""

MIXED, REWARDS_ONLY = 'recommend 95 %, learn 5 %', 'rewards only'
RECOMMENDATIONS = {MIXED: 19, REWARDS_ONLY: 0}      # recommendations per reward
MANY = 100


@dataclass(frozen=True)
class Series:
    """A form of training under a mix; `fold` runs in parallel, unless it is
    ''.
    """

    form: str
    mix: str
    learn: str = DIRECT
    fold: str = ''
    models: int = 1
    settings: tuple = ()

    def scripts(self):
        """Return pgbench's scripts by name; those of rewards by their reward.
        """
        scripts = {str(reward): REWARDED + self.learn.format(reward=reward)
                   for reward in REWARDS}
        if RECOMMENDATIONS[self.mix]:
            scripts[RECOMMEND] = RECOMMENDED
        return scripts

    def weights(self):
        """Return the weights of scripts; each reward's script has weight 1."""
        return {RECOMMEND: RECOMMENDATIONS[self.mix] * len(REWARDS)}


def _forms(mix):
    """Return the two forms to compare under a mix, the base first."""
    return Series('direct', mix), Series('queue', mix, QUEUE, FOLD)


STEADY = _forms(REWARDS_ONLY)
SERIES = (
    *_forms(MIXED), *STEADY,
    Series(f'direct, {MANY} models', REWARDS_ONLY, models=MANY),
    Series('direct, synchronous_commit off', REWARDS_ONLY,
           settings=(('synchronous_commit', 'off'),)))
