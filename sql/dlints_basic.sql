-- Create the extension, which later tests use, and run the most common calls.
CREATE EXTENSION dlints;
CREATE TABLE model (name text PRIMARY KEY, state dlints(3) NOT NULL);
INSERT INTO model VALUES ('home', dlints_new(3, discount => 1, ridge => 1,
  intercept => false));
CREATE TABLE item (id integer PRIMARY KEY, title text, features real[], in_stock boolean);
INSERT INTO item VALUES (1, 'comedy', '{1,0,0}', true),
  (2, 'drama', '{0,1,0}', true),
  (3, 'both', '{1,1,0}', true),
                        (4, 'thriller', '{0,0,1}', true), (5, 'sold out', '{9,9,9}', false);

-- an untrained model predicts 0 and explores
SELECT i.title, dlints_predict(m.state, i.features) FROM model m, item i ORDER BY i.id;
SELECT count(DISTINCT title) AS tried FROM
  (SELECT dlints_recommend(m.state, i.title, i.features) AS title
    FROM model m, item i, generate_series(1, 300) AS visit WHERE i.in_stock GROUP BY visit) AS s;
SELECT cardinality(dlints_recommend(m.state, i.id, i.features, 3)) AS three FROM model m, item i
  WHERE m.name = 'home' AND i.in_stock;
SELECT dlints_recommend(m.state, i.id, i.features) AS nothing FROM model m, item i WHERE false;

-- rewards: comedies are liked, dramas are not
UPDATE model SET state = dlints_update(state, ARRAY[1, 0, 0], 1) WHERE name = 'home';
UPDATE model SET state = dlints_update_batch(state, ARRAY[[1, 0, 0], [0, 1, 0]], ARRAY[1, -1])
  WHERE name = 'home';
-- rewards can wait in a queue that accepts only valid observations, and be added together
CREATE TABLE feedback (id integer, features real[], reward float8,
  CHECK (dlints_accepts(dlints_new(3), features, reward)));
INSERT INTO feedback VALUES (1, '{1,1,0}', 0), (2, '{0,0,1}', 0);
INSERT INTO feedback VALUES (3, '{0,1}', 0);
WITH batch AS (DELETE FROM feedback RETURNING *)
UPDATE model m SET state = m.state || e.evidence
FROM (SELECT p.name, dlints_evidence(p.state, b.features, b.reward ORDER BY b.id) AS evidence
  FROM batch b, model p GROUP BY p.name) e
WHERE m.name = e.name;
SELECT updates, mean_reward FROM model, dlints_info(state);
-- ridge regression without thriller: Z = [4 1; 1 3], b = (2, -1), so that w = (7, -6) / 11
SELECT i.title, round(dlints_predict(m.state, i.features)::numeric, 6) AS expected
  FROM model m, item i WHERE i.in_stock ORDER BY expected DESC, i.id;

-- without exploration, the item with the best mean
SELECT dlints_recommend(dlints_set(m.state, exploration => 0), i.title, i.features, 3)
  FROM model m, item i WHERE i.in_stock;
DROP TABLE model, item, feedback;

-- for the other tests: SQLSTATE, message and detail of a statement that fails;
-- what PostgreSQL adds about functions it does not find differs between versions
CREATE FUNCTION fails(statement text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	more text;
BEGIN
	EXECUTE statement;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS more = PG_EXCEPTION_DETAIL;
	RETURN SQLSTATE || ': ' || SQLERRM || CASE WHEN more <> '' AND SQLSTATE <> '42883' THEN ' ('
    || more || ')' ELSE '' END;
END
$$;
-- a model as in the paper: one memory and a given noise
CREATE FUNCTION one_memory(
  dim integer, reduced_dim integer DEFAULT NULL, discount float8 DEFAULT 0.99,
  ridge float8 DEFAULT 1, exploration float8 DEFAULT 0.1, seed bigint DEFAULT 0,
  projection_scale float8 DEFAULT NULL, policy text DEFAULT 'thompson',
  intercept boolean DEFAULT false, interactions text DEFAULT NULL)
RETURNS dlints IMMUTABLE PARALLEL SAFE LANGUAGE sql AS
$$
SELECT dlints_new(dim, reduced_dim, interactions, discount => discount,
  ridge => ridge, exploration => exploration, noise => 1, policy => policy,
  intercept => intercept, seed => seed, projection_scale => projection_scale)
$$;
