"""The loop: learn from a block, judge on the next one, use after that.

A policy is a model that has learned from the first blocks of the random log.
Its value is taken three times: on a block that it has learned from, which
flatters it; on the one after that, which is how to judge before it is used;
and on the one after that, which is what it then earned.
"""

from dataclasses import dataclass

from bench.judge.estimators import COLUMNS
from bench.judge.logs import BLOCKS

EPSILON = 0.1
LEARNED, BEFORE, THEN = range(3)
STAGES = range(1, BLOCKS - 1)

# name: (features, what dlints_new is given)
MODELS = {
    'items, as by default': ('i.itself', 'cardinality(itself)'),
    'items': ('i.itself', 'cardinality(itself), discount => 1'),
    'features': ('i.features', 'cardinality(features), discount => 1')}

TABLES = """
CREATE TABLE model (
    campaign text,
    kind     text,
    blocks   integer,           -- that it has learned
    state    dlints NOT NULL,
    PRIMARY KEY (campaign, kind, blocks)
);
CREATE TABLE opinion (
    campaign  text,
    kind      text,
    blocks    integer,
    block     integer,          -- of the round
    clicked   float8,
    logged    float8,
    target    float8,           -- probability of what was shown
    predicted float8,           -- reward of what was shown
    expected  float8            -- reward under the policy
)"""

NEW = """
INSERT INTO model
SELECT i.campaign, %(kind)s, 0, dlints_new({sizes})
FROM   item i
WHERE  i.id = 0"""

LEARN = """
INSERT INTO model
SELECT m.campaign, m.kind, m.blocks + 1, m.state || e.evidence
FROM   model m
JOIN  (SELECT m.campaign,
              dlints_evidence(m.state, {features}, r.clicked ORDER BY r.number)
              AS evidence
       FROM   model m
              JOIN round r USING (campaign)
              JOIN item i ON i.campaign = r.campaign AND i.id = r.item
       WHERE  m.kind = %(kind)s AND m.blocks = %(blocks)s - 1
       AND    r.policy = 'random' AND r.block = %(blocks)s
       GROUP  BY m.campaign) e USING (campaign)
WHERE  m.kind = %(kind)s AND m.blocks = %(blocks)s - 1"""

# One decision for each round: the model's probabilities of all items.
JUDGE = """
INSERT INTO opinion
SELECT m.campaign, m.kind, m.blocks, r.block, r.clicked, r.logged, v.*
FROM   model m
       JOIN round r USING (campaign),
       LATERAL (
           SELECT max(d.probability) FILTER (WHERE c.ids[d.item] = r.item),
                  max(c.predicted[d.item]) FILTER (WHERE c.ids[d.item] = r.item),
                  sum(d.probability * c.predicted[d.item])
           FROM  (SELECT array_agg(i.id) AS ids,
                         array_agg({features}) AS features,
                         array_agg(dlints_predict(m.state, {features}))
                         AS predicted
                  FROM   item i
                  WHERE  i.campaign = r.campaign) c,
                  LATERAL dlints_decide(
                      m.state, array(SELECT generate_subscripts(c.ids, 1)),
                      c.features, k => 1 + 0 * r.number,
                      epsilon => %(epsilon)s,
                      all_items => true) d) v
WHERE  m.kind = %(kind)s AND m.blocks = %(blocks)s
AND    r.policy = 'random' AND r.block BETWEEN m.blocks AND m.blocks + 2"""

VALUES = """
SELECT campaign, kind, blocks, block - blocks,
       (dlints_policy_value(clicked, logged, target, predicted, expected)).*
FROM   opinion
GROUP  BY GROUPING SETS ((campaign, kind, blocks, block - blocks),
                         (campaign, kind, block - blocks))"""

LOOK = """
SELECT m.campaign, m.kind, m.blocks, format('%s of %s', i.memory, i.memories),
       i.sigma
FROM   model m, dlints_info(m.state) i
WHERE  m.blocks > 0"""


@dataclass
class Stage:
    """What a model was worth, at one stage or (None) at all of them."""

    campaign: str
    kind: str
    blocks: int
    values: dict            # LEARNED, BEFORE, THEN: {column: value}
    memory: str = ''        # in use
    sigma: float = None


def run(cursor, advance):
    """Return the stages of all models, those of a model together."""
    cursor.execute(TABLES)
    for done, (kind, (features, sizes)) in enumerate(MODELS.items()):
        cursor.execute(NEW.format(sizes=sizes), {'kind': kind})
        for blocks in STAGES:
            at = {'kind': kind, 'blocks': blocks, 'epsilon': EPSILON}
            cursor.execute(LEARN.format(features=features), at)
            cursor.execute(JUDGE.format(features=features), at)
            advance((done + blocks / len(STAGES)) / len(MODELS))
    cursor.execute('ANALYZE opinion')
    cursor.execute(VALUES)
    found = {}
    for campaign, kind, blocks, age, *values in cursor.fetchall():
        key = campaign, kind, blocks
        stage = found.setdefault(key, Stage(*key, {}))
        stage.values[age] = dict(zip(COLUMNS, values))
    cursor.execute(LOOK)
    for *key, memory, sigma in cursor.fetchall():
        found[tuple(key)].memory, found[tuple(key)].sigma = memory, sigma
    return sorted(found.values(), key=lambda stage: (
        stage.campaign, list(MODELS).index(stage.kind),
        stage.blocks or BLOCKS))
