"""The SQL of the experiment.

Contexts are [item; user]. Under a linear model the user's block adds the same
number to the score of every arm, so for policies that score with one vector
of weights (thompson, greedy) the ranking is the same when that block is 0: the
table "arm" holds such contexts, and recommending from it needs no user. The
width that ucb adds is not linear in the context; there the block counts, and
the contexts are put together for each visit from "arm_latent" and the
visitor's features. Learning always uses the whole context.

The k best in order are all that NDCG@k depends on, so choosing and measuring
share one call of dlints_recommend, hence one draw: the best of its k is shown,
and "evaluate" ranks the arms as the k are ranked and all the others last.
"""

SETTINGS = {'synchronous_commit': 'off',
            'plan_cache_mode': 'force_generic_plan'}

NAMES = 'arm, arm_latent, visitor, place, model, tally'
TABLES = """
CREATE TABLE arm        (id integer PRIMARY KEY, features real[] NOT NULL);
CREATE TABLE arm_latent (id integer PRIMARY KEY, features real[] NOT NULL);
CREATE TABLE visitor    (id integer PRIMARY KEY, features real[] NOT NULL,
                         clicks bytea NOT NULL);
CREATE TABLE place      (id integer PRIMARY KEY);
CREATE TABLE model      (state dlints NOT NULL);
CREATE TABLE tally      (id integer PRIMARY KEY, pulls float8 NOT NULL,
                         total float8 NOT NULL) WITH (fillfactor = 50)"""

ANALYZE = 'VACUUM ANALYZE arm, arm_latent, visitor, place'

# Every update leaves an old version of the model behind.
CLEAN = {'model': 'VACUUM model', 'tally': 'VACUUM tally'}

NEW_MODEL = """
TRUNCATE model;
INSERT INTO model SELECT dlints_new(
    dim => %(context_dim)s, reduced_dim => %(reduced_dim)s,
    discount => %(discount)s, ridge => 1, exploration => %(exploration)s,
    noise => 1, seed => %(seed)s, projection_scale => %(scale)s,
    policy => %(policy)s, intercept => false)"""

NEW_TALLY = """
TRUNCATE tally;
INSERT INTO tally SELECT id, 0, 0 FROM place"""

# $1: the visitor. Each returns the best k arms, or the best one.
CHOOSE = {
    'linear': """
SELECT dlints_recommend((SELECT state FROM model), id, features{k})
FROM   arm
WHERE  $1 IS NOT NULL""",

    'ucb': """
SELECT dlints_recommend((SELECT state FROM model), id,
                        features || (SELECT features FROM visitor
                                     WHERE  id = $1){k})
FROM   arm_latent""",

    # Means of the arms, 0 for one that was never shown. A billionth of a
    # random number decides between equal ones.
    'tally': """
SELECT (array_agg(id ORDER BY total / greatest(pulls, 1)
                              + 1e-9 * random() DESC)){best}
FROM   tally
WHERE  $1 IS NOT NULL""",

    'random': """
SELECT (array_agg(id ORDER BY random())){best}
FROM   place
WHERE  $1 IS NOT NULL""",
}

# $1: the arm shown, $2: the visitor, $3: the reward
LEARN = {
    'model': """
UPDATE model SET state = dlints_update(state, a.features || v.features, $3)
FROM   arm_latent a, visitor v
WHERE  a.id = $1 AND v.id = $2""",

    'tally': """
UPDATE tally SET pulls = pulls + 1, total = total + $3
WHERE  id = $1 AND $2 IS NOT NULL""",
}

# $1: the best arms in order, $2: the visitor, $3: by how many places the
# rewards are turned
EVALUATE = """
SELECT coalesce(dlints_ndcg(
           get_byte((SELECT clicks FROM visitor WHERE id = $2),
                    (id + $3) % {arms}),
           -coalesce(array_position($1, id), {k} + 1), {k}), 0)
FROM   place"""


def prepare_choose(kind, k):
    """Return the statement that prepares to choose the best k arms.

    Without k, choosing returns the best arm instead of an array.
    """
    body = CHOOSE[kind].format(
        k=f', {k}' if k else '', best=f'[1:{k}]' if k else '[1]')
    return f'PREPARE choose (integer) AS {body}'


def prepare_learn(kind):
    """Return the statement that prepares to learn."""
    return f'PREPARE learn (integer, integer, float8) AS {LEARN[kind]}'


def prepare_evaluate(arms, k):
    """Return the statement that prepares to compute NDCG@k."""
    body = EVALUATE.format(arms=arms, k=k)
    return f'PREPARE evaluate (integer[], integer, integer) AS {body}'
