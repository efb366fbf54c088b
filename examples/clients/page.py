"""Show a page to a member of the shop and report a click, with psycopg 3.

    psql -f schema.sql && python3 page.py 42
"""
import sys

import psycopg

# Profile: the last 50 products that the member clicked
PROFILE = """
SELECT dlints_profile(p.features)
FROM  (SELECT r.product_id FROM decision d JOIN reward r ON r.decision_id = d.id
       WHERE  d.member_id = %(member)s AND r.reward > 0
       ORDER  BY d.made_at DESC LIMIT %(last)s) c
JOIN   product p ON p.id = c.product_id"""

# Choose products, log them and return them
SHOW = """
WITH made AS (
    INSERT INTO decision (model, member_id, profile)
    VALUES (%(model)s, %(member)s, %(profile)s)
    RETURNING id, model, profile),
candidate AS (
    SELECT array_agg(id) AS ids, array_agg(features) AS features
    FROM   product WHERE in_stock)
INSERT INTO impression (decision_id, product_id, rank, probability)
SELECT d.id, s.item, s.rank, s.probability
FROM   made d JOIN model m ON m.name = d.model, candidate c,
       LATERAL dlints_decide(m.state, c.ids, c.features, %(k)s, d.profile, epsilon => %(epsilon)s) s
ORDER  BY s.rank
RETURNING decision_id, product_id"""

# Report the outcome
REWARD = """
INSERT INTO reward (decision_id, product_id, reward)
VALUES (%(decision)s, %(product)s, %(reward)s)
ON CONFLICT (decision_id, product_id) DO UPDATE SET reward = excluded.reward"""


def show(db, member):
    [profile] = db.execute(PROFILE, {"member": member, "last": 50}).fetchone()
    return db.execute(SHOW, {"model": "shop", "member": member, "profile": profile,
                             "k": 5, "epsilon": 0.05}).fetchall()


def clicked(db, decision, product):
    db.execute(REWARD, {"decision": decision, "product": product, "reward": 1})


with psycopg.connect(autocommit=True) as db:
    items = show(db, int(sys.argv[1]))
    print(items[0][0], *(product for _, product in items))
    clicked(db, *items[0])                            # say
