-- Text that is no model, where PostgreSQL asks instead of failing (16 and later).
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql
SELECT current_setting('server_version_num')::integer >= 160000 AS asks, current_setting('server_version_num')::integer >= 170000 AS copies \gset
SELECT plan(8 + 1);
CREATE TEMP TABLE literal AS
SELECT no, what, type, CASE WHEN was IS NULL THEN text ELSE replace(text, was, text_in) END AS text FROM (SELECT dlints_update(one_memory(2, discount => 0.5), ARRAY[1, -2], 1)::text) AS t (text), (VALUES
  (1, 'a model', 'dlints', NULL, ''), (2, 'of the sizes asked for', 'dlints(2)', NULL, ''), (3, 'of other sizes', 'dlints(3)', NULL, ''), (4, 'no JSON', 'dlints', '}', ''), (5, 'another version', 'dlints', '"format": 1', '"format": 2'),
  (6, 'a number that is none', 'dlints', '"b": [1', '"b": ["x"'), (7, 'a number out of range', 'dlints', '"b": [1', '"b": [1e400'), (8, 'a parameter out of range', 'dlints', '"ridge": 1', '"ridge": 1e300')) AS v (no, what, type, was, text_in);
\if :asks
-- the same that fails without being asked
SELECT is(CASE WHEN pg_input_is_valid(text, type) THEN 'gives ' || text ELSE concat(i.sql_error_code, ': ', i.message, ' (' || i.detail || ')') END, outcome(format('SELECT %L::%s', text, type)), what)
FROM literal, LATERAL pg_input_error_info(text, type) AS i ORDER BY no;
\else
SELECT skip('PostgreSQL 15 and earlier do not ask', 8);
\endif
\if :copies
CREATE TEMP TABLE copied (m dlints(2));
COPY copied FROM PROGRAM $$printf '%s\n' '{"format": 1}' 'x' '{"format": 1, "policy": "thompson", "intercept": false, "memories": 1, "memory": 1, "interactions": null, "context_dim": 2, "reduced_dim": null, "shared_dim": 0, "discount": 1, "half_life": null, "ridge": 1, "exploration": 0.1, "noise": 1, "projection_scale": null, "seed": 0, "updates": 0, "newest": null, "reference_reward": 0, "sigma": 1, "chosen": 0, "evidence": null}'$$ WITH (ON_ERROR ignore);
SELECT results_eq('TABLE copied', 'SELECT one_memory(2, discount => 1)', 'COPY goes on behind bad lines');
\else
SELECT skip('PostgreSQL 16 and earlier stop at a bad line', 1);
\endif
SELECT * FROM finish();
ROLLBACK;
