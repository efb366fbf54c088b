-- Learning, with numbers that are exact in binary: small integers and a
-- discount of 1/4, of which square roots are exact as well, come out the same
-- whatever the order of the arithmetic.
\pset format unaligned
CREATE FUNCTION pg_temp.shown(m dlints) RETURNS text LANGUAGE sql AS
$$ SELECT format('%s, weights %s, rewards %s, squares %s, b %s, G %s, H %s', j -> 'updates', j -> 'weight_sum', j -> 'reward_sum',
                 j -> 'reward_square_sum', j -> 'b', j -> 'G', j -> 'H') FROM (SELECT m::jsonb) AS s (j) $$;

CREATE TABLE observation (id integer, x real[], r float8);
INSERT INTO observation VALUES (1, '{1,0}', 1), (2, '{0,2}', -1), (3, '{1,1}', 2), (4, '{2,1}', 0);
CREATE TABLE model (name text PRIMARY KEY, state dlints);
INSERT INTO model VALUES ('faded', dlints_new(2, NULL, 0.25)), ('plain', dlints_new(2, NULL, 1));

-- one at a time
SELECT name, pg_temp.shown(dlints_update(state, ARRAY[1, 0]::real[], 1)) FROM model ORDER BY name;
SELECT name, pg_temp.shown(dlints_update(dlints_update(state, ARRAY[1, 0]::real[], 1), ARRAY[0, 2]::float8[], -1)) FROM model ORDER BY name;

-- all ways to learn the four
SELECT name, pg_temp.shown(dlints_update(dlints_update(dlints_update(dlints_update(state, ARRAY[1, 0]::real[], 1), ARRAY[0, 2]::real[], -1), ARRAY[1, 1]::real[], 2), ARRAY[2, 1]::real[], 0))
FROM model ORDER BY name;
SELECT name, pg_temp.shown(dlints_update(state, ARRAY[[1, 0], [0, 2], [1, 1], [2, 1]]::real[], ARRAY[1, -1, 2, 0]::float8[])) FROM model ORDER BY name;
SELECT name, pg_temp.shown(dlints_update(dlints_update(state, ARRAY[[1, 0], [0, 2]]::real[], ARRAY[1, -1]::float8[]), ARRAY[[1, 1], [2, 1]]::float8[], ARRAY[2, 0]::float8[])) FROM model ORDER BY name;
SELECT name, pg_temp.shown((SELECT dlints_evidence(state, x, r ORDER BY id) FROM observation)) FROM model ORDER BY name;
SELECT name, pg_temp.shown((SELECT dlints_evidence(state, x::float8[], r ORDER BY id) FROM observation)) FROM model ORDER BY name;
SELECT name, pg_temp.shown((SELECT dlints_evidence(state, x, r ORDER BY id) FROM observation WHERE id <= 3) || (SELECT dlints_evidence(state, x, r) FROM observation WHERE id = 4)) FROM model ORDER BY name;
SELECT name, pg_temp.shown(dlints_concat((SELECT dlints_evidence(state, x, r) FROM observation WHERE id = 1), (SELECT dlints_evidence(state, x, r ORDER BY id) FROM observation WHERE id > 1))) FROM model ORDER BY name;
SELECT name, pg_temp.shown(dlints_concat_agg(e ORDER BY id)) FROM
  (SELECT name, id, dlints_evidence(state, x, r) AS e FROM model, observation GROUP BY name, id) AS s GROUP BY name ORDER BY name;
SELECT name, pg_temp.shown(dlints_update_reduced(dlints_update_reduced(dlints_update(state, ARRAY[[1, 0], [0, 2]]::real[], ARRAY[1, -1]::float8[]), ARRAY[1, 1]::real[], 2), ARRAY[2, 1]::float8[], 0))
FROM model ORDER BY name;

-- another order is another history when it fades, and the same when it does not
SELECT name, pg_temp.shown((SELECT dlints_evidence(state, x, r ORDER BY id DESC) FROM observation)) FROM model ORDER BY name;
SELECT name, pg_temp.shown((SELECT dlints_concat_agg(e ORDER BY id DESC) FROM (SELECT id, dlints_evidence(state, x, r) AS e FROM observation GROUP BY id) AS s)) FROM model ORDER BY name;

-- one at a time into a row
UPDATE model SET state = dlints_update(state, ARRAY[1, 0]::real[], 1);
UPDATE model SET state = dlints_update(state, ARRAY[0, 2]::real[], -1);
SELECT name, pg_temp.shown(state) FROM model ORDER BY name;

-- a queue, folded into the model: the statement of the README
CREATE TABLE feedback (id integer PRIMARY KEY, model text, features real[], reward float8);
INSERT INTO feedback VALUES (2, 'faded', '{2,1}', 0), (1, 'faded', '{1,1}', 2), (3, 'other', '{1,1}', 2), (4, 'plain', '{1,1}', 2), (5, 'plain', NULL, 2);
BEGIN;
WITH batch AS (DELETE FROM feedback RETURNING *)
UPDATE model m SET state = m.state || e.evidence
FROM  (SELECT p.name, dlints_evidence(p.state, b.features, b.reward ORDER BY b.id) AS evidence
       FROM batch b JOIN model p ON p.name = b.model GROUP BY p.name) e
WHERE m.name = e.name;
SELECT name, pg_temp.shown(state) FROM model ORDER BY name;
ROLLBACK;
-- rolled back, nothing has happened
SELECT name, pg_temp.shown(state) FROM model ORDER BY name;
SELECT count(*) FROM feedback;

-- many groups at once, hashed or sorted
CREATE TABLE log AS SELECT i AS id, i % 3 AS model, ARRAY[i % 2, i % 4]::real[] AS x, (i % 5)::float8 AS r FROM generate_series(1, 300) AS i;
SET enable_hashagg = off;
SELECT model, pg_temp.shown(dlints_evidence(dlints_new(2, NULL, 1), x, r)) FROM log GROUP BY model ORDER BY model;
RESET enable_hashagg;
SET enable_sort = off;
SELECT model, pg_temp.shown(dlints_evidence(dlints_new(2, NULL, 1), x, r)) FROM log GROUP BY model ORDER BY model;
RESET enable_sort;
SELECT model, updates FROM (SELECT model, dlints_evidence(dlints_new(2), x, r ORDER BY id) AS e FROM log GROUP BY GROUPING SETS ((model), ())) AS s, dlints_info(e) ORDER BY model;

-- running evidence and running histories: the final function leaves the state alone
SELECT id, updates, round(mean_reward::numeric, 12) AS mean_reward FROM (SELECT id, dlints_evidence(dlints_new(2, NULL, 1), x, r) OVER (ORDER BY id) AS e FROM observation) AS s, dlints_info(e) ORDER BY id;
SELECT id, updates, round(mean_reward::numeric, 12) AS mean_reward FROM (SELECT id, dlints_evidence(dlints_new(2, NULL, 1), x, r) OVER (ORDER BY id ROWS 1 PRECEDING) AS e FROM observation) AS s, dlints_info(e) ORDER BY id;
CREATE TABLE part AS SELECT id, dlints_evidence(dlints_new(2, NULL, 0.25), x, r) AS e FROM observation GROUP BY id;
SELECT id, pg_temp.shown(dlints_concat_agg(e) OVER (ORDER BY id)) FROM part ORDER BY id;
SELECT id, pg_temp.shown(dlints_concat_agg(e) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)) FROM part ORDER BY id;
SELECT id, pg_temp.shown(e || e) FROM part ORDER BY id;
SELECT count(e || e) FROM part;
-- the rows that went in are as they were
SELECT id, pg_temp.shown(e) FROM part ORDER BY id;
SELECT array_length(array_agg(s::text), 1), count(DISTINCT s::text) FROM (SELECT dlints_concat_agg(e) OVER (ORDER BY id) AS s FROM part) AS w;

-- models in different states in one group: what they know is left out
SELECT pg_temp.shown(dlints_evidence(m, x, r ORDER BY id)) FROM observation, LATERAL (SELECT dlints_update(dlints_new(2, NULL, 0.25), x, id)) AS u (m);
-- values too large to stay in the row
CREATE TABLE wide (id integer, m dlints);
INSERT INTO wide SELECT i, dlints_update(dlints_new(40, NULL, 1), array_fill(i::real, ARRAY[40]), i) FROM generate_series(1, 3) AS i;
SELECT updates, mean_reward FROM wide, dlints_info(m) ORDER BY id;
SELECT updates, mean_reward, g, b FROM (SELECT dlints_concat_agg(m ORDER BY id) AS c FROM wide) AS s, dlints_info(c), LATERAL (SELECT c::jsonb -> 'G' -> 39 ->> 0, c::jsonb -> 'b' ->> 39) AS v (g, b);
SELECT id, updates, mean_reward FROM (SELECT id, dlints_concat_agg(m) OVER (ORDER BY id) AS c FROM wide) AS s, dlints_info(c) ORDER BY id;
SELECT updates, mean_reward FROM wide, dlints_info(m) ORDER BY id;

-- parallel workers: counts and undiscounted sums do not depend on who saw which row
-- the nodes of a plan, without what PostgreSQL versions word differently
CREATE FUNCTION pg_temp.plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS
$$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line ~ 'Aggregate|Gather|Scan|InitPlan' THEN
			RETURN NEXT regexp_replace(line, ' \(returns .*\)', '');
		END IF;
	END LOOP;
END
$$;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
ALTER TABLE log SET (parallel_workers = 2);
ALTER TABLE wide SET (parallel_workers = 2);
ALTER TABLE part SET (parallel_workers = 2);
SELECT pg_temp.plan($$SELECT dlints_evidence(dlints_new(2, NULL, 1), x, r) FROM log$$);
SELECT pg_temp.shown(dlints_evidence(dlints_new(2, NULL, 1), x, r)) FROM log;
SELECT pg_temp.plan($$SELECT dlints_concat_agg(m) FROM wide$$);
SELECT updates, mean_reward FROM (SELECT dlints_concat_agg(m) AS c FROM wide) AS s, dlints_info(c);
-- an order asked for is kept, by one process
SELECT count(*) AS partial FROM pg_temp.plan($$SELECT dlints_evidence(dlints_new(2), x, r ORDER BY id) FROM log$$) AS line WHERE line ~ 'Partial';
SELECT pg_temp.shown(dlints_concat_agg(e ORDER BY id)) FROM part;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- a backend that is told to keep no projection
SET dlints.projection_cache_size = 0;
SELECT (dlints_info(dlints_update(dlints_new(10, 4), array_fill(1::real, ARRAY[10]), 1))).updates;
RESET dlints.projection_cache_size;
SHOW dlints.projection_cache_size;

DROP TABLE observation, model, feedback, log, part, wide;
