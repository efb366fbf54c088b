"""The statements of both forms, as the README teaches them.

The discount is just below 1: the model holds both of its matrices, as most
do, and forgets so little that a sum of integer rewards, rounded, is exact.
"""

DISCOUNT = 1 - 2 ** -50

# Rewards differ so that one in another's place would show in their sum.
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

RECOMMEND = """\
\\set model random(1, :models)
SELECT dlints_recommend((SELECT state FROM model WHERE id = :model),
                        id, features)
FROM   item WHERE in_stock;"""

# What both forms of a reward begin with
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

# How many rewards the models have learned, and their sum
LEARNED = """
    SELECT sum((dlints_info(state)).updates),
           sum((state::jsonb #>> '{evidence,0,reward_sum}')::float8)
    FROM   model"""
QUEUED = 'SELECT count(*), coalesce(sum(reward), 0) FROM feedback'

SIZE = "SELECT pg_table_size('model') + pg_table_size('feedback')"
VACUUMS = """
    SELECT coalesce(sum(pg_stat_get_autovacuum_count(c.oid)), 0)
    FROM   pg_class t, LATERAL (VALUES (t.oid), (t.reltoastrelid)) c (oid)
    WHERE  t.oid IN ('model'::regclass, 'feedback'::regclass)"""
POSITION = 'SELECT pg_current_wal_insert_lsn()'
WRITTEN = 'SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), %(start)s)'
CHECKPOINT = 'SELECT redo_lsn FROM pg_control_checkpoint()'
