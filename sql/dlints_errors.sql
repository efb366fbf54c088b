-- Bad input: each a clear error of its class, the model as it was, the session
-- alive.  fails(statement) shows SQLSTATE, message and detail.
\pset format unaligned
\pset null NULL
CREATE FUNCTION pg_temp.fails(statement text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	more text;
BEGIN
	EXECUTE statement;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS more = PG_EXCEPTION_DETAIL;
	RETURN SQLSTATE || ': ' || SQLERRM || CASE WHEN more <> '' THEN ' (' || more || ')' ELSE '' END;
END
$$;
CREATE TABLE model (state dlints);
INSERT INTO model SELECT dlints_update(dlints_new(3, 2, 0.5, seed => 1), ARRAY[1, 2, 3]::real[], 1);
CREATE TABLE before AS SELECT state::text FROM model;

-- learn
SELECT statement, pg_temp.fails('UPDATE model SET state = ' || statement) FROM (VALUES
  (1, $$dlints_update(state, ARRAY[1, 2]::real[], 1)$$),
  (2, $$dlints_update(state, ARRAY[1, 2, 3, 4]::float8[], 1)$$),
  (3, $$dlints_update(state, '{}'::real[], 1)$$),
  (4, $$dlints_update(state, ARRAY[1, 'NaN', 3]::real[], 1)$$),
  (5, $$dlints_update(state, ARRAY[1, 2, 'NaN']::float8[], 1)$$),
  (6, $$dlints_update(state, ARRAY['Infinity', 2, 3]::real[], 1)$$),
  (7, $$dlints_update(state, ARRAY[1, '-Infinity', 3]::float8[], 1)$$),
  (8, $$dlints_update(state, ARRAY[1, NULL, 3]::real[], 1)$$),
  (9, $$dlints_update(state, ARRAY[NULL, 2, 3]::float8[], 1)$$),
  (10, $$dlints_update(state, ARRAY[[1, 2, 3]]::real[], 1)$$),
  (11, $$dlints_update(state, ARRAY[[1], [2], [3]]::float8[], 1)$$),
  (12, $$dlints_update(state, ARRAY[1, 2, 3]::real[], 'NaN'::float8)$$),
  (13, $$dlints_update(state, ARRAY[1, 2, 3]::real[], 'Infinity'::float8)$$),
  (14, $$dlints_update(state, ARRAY[1, 2, 3]::float8[], '-Infinity'::float8)$$),
  (15, $$dlints_update(state, ARRAY[1e200, 0, 0]::float8[], 1)$$),
  (16, $$dlints_update(state, ARRAY[1, 2, 3]::float8[], 1e200)$$),
  (20, $$dlints_update(state, ARRAY[[1, 2, 3], [4, 5, 6]]::real[], ARRAY[1]::float8[])$$),
  (21, $$dlints_update(state, ARRAY[[1, 2, 3]]::real[], ARRAY[1, 2]::float8[])$$),
  (22, $$dlints_update(state, ARRAY[[1, 2], [3, 4]]::real[], ARRAY[1, 2]::float8[])$$),
  (23, $$dlints_update(state, ARRAY[1, 2, 3]::real[], ARRAY[1]::float8[])$$),
  (24, $$dlints_update(state, ARRAY[[[1, 2, 3]]]::real[], ARRAY[1]::float8[])$$),
  (25, $$dlints_update(state, ARRAY[[1, 2, 3], [4, 5, 6]]::real[], ARRAY[[1, 2]]::float8[])$$),
  (26, $$dlints_update(state, ARRAY[[1, 2, 3], [4, NULL, 6]]::real[], ARRAY[1, 2]::float8[])$$),
  (27, $$dlints_update(state, ARRAY[[1, 2, 3], [4, 5, 6]]::real[], ARRAY[1, NULL]::float8[])$$),
  (28, $$dlints_update(state, ARRAY[[1, 2, 3], [4, 5, 6], [7, 8, 9]]::real[], ARRAY[1, 'NaN', 3]::float8[])$$),
  (29, $$dlints_update(state, (SELECT array_agg(ARRAY[1, 2, i]::real[]) FROM generate_series(1, 200) AS i), (SELECT array_agg(CASE i WHEN 150 THEN 'NaN'::float8 ELSE 1 END) FROM generate_series(1, 200) AS i))$$),
  (30, $$dlints_update(state, (SELECT array_agg(ARRAY[1, 2, CASE i WHEN 200 THEN 'Infinity' ELSE '3' END]::float8[]) FROM generate_series(1, 200) AS i), (SELECT array_agg(1::float8) FROM generate_series(1, 200) AS i))$$),
  (31, $$dlints_update(state, '{}'::real[], ARRAY[1]::float8[])$$),
  (32, $$dlints_update(state, ARRAY[[1, 2, 3]]::real[], '{}'::float8[])$$),
  (40, $$dlints_update_reduced(state, ARRAY[1, 2, 3]::real[], 1)$$),
  (41, $$dlints_update_reduced(state, ARRAY[1, 'NaN']::float8[], 1)$$),
  (42, $$dlints_update_reduced(state, ARRAY[1, NULL]::real[], 1)$$),
  (43, $$dlints_update_reduced(state, ARRAY[[1, 2]]::real[], 1)$$),
  (44, $$dlints_update_reduced(state, ARRAY[1, 2]::real[], 'NaN')$$),
  (45, $$dlints_update_reduced(state, ARRAY[1e300, 2]::float8[], 1)$$),
  (50, $$state || (SELECT dlints_evidence(state, ARRAY[1, 2, 3]::real[], CASE i WHEN 70 THEN 'NaN'::float8 ELSE 1 END) FROM generate_series(1, 100) AS i)$$),
  (51, $$state || (SELECT dlints_evidence(state, CASE i WHEN 70 THEN ARRAY[1, 2]::real[] ELSE ARRAY[1, 2, 3]::real[] END, 1) FROM generate_series(1, 100) AS i)$$),
  (52, $$state || (SELECT dlints_evidence(state, ARRAY[1, 2, NULL]::real[], i) FROM generate_series(1, 1) AS i)$$),
  (53, $$state || (SELECT dlints_evidence(state, ARRAY[1, 2, '-Infinity']::float8[], i) FROM generate_series(1, 1) AS i)$$),
  (54, $$state || (SELECT dlints_evidence(state, ARRAY[[1, 2, 3]]::real[], i) FROM generate_series(1, 1) AS i)$$),
  (55, $$state || (SELECT dlints_evidence(m, ARRAY[1, 2, 3]::real[], 1) FROM (VALUES (state), (dlints_new(3, 2, 0.25, seed => 1))) AS v (m))$$),
  (60, $$state || dlints_new(4, 2, 0.5, seed => 1)$$),
  (61, $$state || dlints_new(3, 3, 0.5, seed => 1)$$),
  (62, $$state || dlints_new(3, NULL, 0.5, seed => 1)$$),
  (63, $$dlints_new(2, NULL, 0.5) || dlints_new(2, 2, 0.5)$$),
  (64, $$state || dlints_new(3, 2, 0.25, seed => 1)$$),
  (65, $$state || dlints_new(3, 2, 1, seed => 1)$$),
  (66, $$state || dlints_new(3, 2, 0.5, seed => 2)$$),
  (67, $$state || dlints_new(3, 2, 0.5, seed => 1, projection_scale => 1)$$),
  (68, $$(SELECT dlints_concat_agg(m) FROM (VALUES (state), (dlints_new(3, 2, 0.5, seed => 2))) AS v (m))$$),
  (69, $$replace(state::text, '"updates": 1', '"updates": 9223372036854775807')::dlints || state$$),
  (70, $$dlints_update(replace(state::text, '"updates": 1', '"updates": 9223372036854775807')::dlints, ARRAY[1, 2, 3]::real[], 1)$$),
  (71, $$replace(state::text, '"reward_sum": 1', '"reward_sum": 1.7e308')::dlints || replace(state::text, '"reward_sum": 1', '"reward_sum": 1.7e308')::dlints$$),
  (80, $$dlints_set(state, ridge => -1)$$),
  (81, $$dlints_set(state, policy => 'epsilon')$$),
  (82, $$'{}'$$)
) AS v (no, statement) ORDER BY no;

-- nothing of this has changed the model, or kept it from learning
SELECT m.state::text = b.state AS unchanged FROM model m, before b;
SELECT (dlints_info(dlints_update(state, ARRAY[1, 2, 3]::real[], 1))).updates FROM model;

-- choose and look
SELECT statement, pg_temp.fails('SELECT ' || statement || ' FROM model') FROM (VALUES
  (1, $$dlints_recommend(state, 1, ARRAY[1, 2]::real[])$$),
  (2, $$dlints_recommend(state, 1, ARRAY[1, 2, 'NaN']::real[])$$),
  (3, $$dlints_recommend(state, 1, ARRAY[1, 2, 'Infinity']::float8[])$$),
  (4, $$dlints_recommend(state, 1, ARRAY[1, NULL, 3]::real[])$$),
  (5, $$dlints_recommend(state, 1, ARRAY[[1, 2, 3]]::real[])$$),
  (6, $$dlints_recommend(state, 1, ARRAY[[1, 2], [3, 4], [5, 6]]::real[])$$),
  (7, $$dlints_recommend(state, 1, ARRAY[1, 2, 3]::real[], 0)$$),
  (8, $$dlints_recommend(state, 1, ARRAY[1, 2, 3]::float8[], -1)$$),
  (9, $$dlints_recommend(state, 1, ARRAY[1, 2, 3]::real[], NULL::integer)$$),
  (10, $$(SELECT dlints_recommend(state, i, ARRAY[1, 2, 3]::real[], i) FROM generate_series(1, 2) AS i)$$),
  (11, $$(SELECT dlints_recommend(m, 1, ARRAY[1, 2, 3]::real[]) FROM (VALUES (state), (dlints_new(3))) AS v (m))$$),
  (12, $$(SELECT dlints_recommend(m, 1, ARRAY[1, 2, 3]::real[], 2) FROM (VALUES (state), (dlints_new(3))) AS v (m))$$),
  (13, $$dlints_recommend(state, ARRAY[1], ARRAY[1, 2, 3]::real[], 1)$$),
  (20, $$dlints_argmax(1, 'NaN')$$),
  (21, $$dlints_argmax(1, 'Infinity')$$),
  (22, $$dlints_top(1, '-Infinity', 2)$$),
  (23, $$dlints_top(1, 1, 0)$$),
  (24, $$dlints_top(1, 1, NULL)$$),
  (25, $$(SELECT dlints_top(1, 1, i) FROM generate_series(1, 2) AS i)$$),
  (30, $$dlints_dot(ARRAY[1, 2]::float8[], ARRAY[1]::real[])$$),
  (31, $$dlints_dot(ARRAY[1, 'NaN']::float8[], ARRAY[1, 2]::real[])$$),
  (32, $$dlints_dot(ARRAY[1, 2]::float8[], ARRAY[1, '-Infinity']::float8[])$$),
  (33, $$dlints_dot(ARRAY[1, NULL]::float8[], ARRAY[1, 2]::real[])$$),
  (34, $$dlints_dot(ARRAY[1, 2]::float8[], ARRAY[NULL, 2]::real[])$$),
  (35, $$dlints_dot(ARRAY[[1, 2]]::float8[], ARRAY[1, 2]::real[])$$),
  (36, $$dlints_dot(ARRAY[1, 2]::float8[], ARRAY[[1], [2]]::real[])$$),
  (37, $$dlints_dot(ARRAY[1e300]::float8[], ARRAY[1e300]::float8[])$$),
  (38, $$dlints_dot(ARRAY[0]::float8[], ARRAY['Infinity']::float8[])$$),
  (40, $$dlints_predict(state, ARRAY[1, 2]::real[])$$),
  (41, $$dlints_predict(state, ARRAY[1, 2, 'NaN']::float8[])$$),
  (42, $$dlints_predict(state, ARRAY[1, 2, NULL]::real[])$$),
  (44, $$dlints_stddev(state, ARRAY[1]::float8[])$$),
  (45, $$dlints_stddev(state, ARRAY[1, 2, 'Infinity']::real[])$$),
  (46, $$dlints_stddev(state, ARRAY[1e300, 1e300, 1e300]::float8[])$$),
  (47, $$dlints_project(state, ARRAY[1, 2, 3, 4]::real[])$$),
  (48, $$dlints_project(state, ARRAY[[1, 2, 3]]::float8[])$$),
  (49, $$dlints_project(state, ARRAY[1.7e308, 1.7e308, 1.7e308]::float8[])$$),
  (50, $$dlints_mean('{"format": 1, "policy": "thompson", "context_dim": 2, "reduced_dim": null, "shared_dim": 0, "intercept": false, "discount": 1, "ridge": 1, "exploration": 0.1, "seed": 0, "projection_scale": null, "generator": "philox4x32-10", "updates": 1, "weight_sum": 1, "reward_sum": 0, "reward_square_sum": 0, "b": [0, 0], "G": [[0], [9, 0]], "H": null}'::dlints)$$),
  (51, $$dlints_draw('{"format": 1, "policy": "thompson", "context_dim": 2, "reduced_dim": null, "shared_dim": 0, "intercept": false, "discount": 1, "ridge": 1, "exploration": 0.1, "seed": 0, "projection_scale": null, "generator": "philox4x32-10", "updates": 1, "weight_sum": 1, "reward_sum": 0, "reward_square_sum": 0, "b": [0, 0], "G": [[0], [9, 0]], "H": null}'::dlints)$$)
) AS v (no, statement) ORDER BY no;

-- binary values, which come through binary COPY
CREATE FUNCTION pg_temp.receives(value bytea) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	file bytea := '\x5047434f50590aff0d0a0000000000000000000001'::bytea
		|| decode(lpad(to_hex(length(value)), 8, '0'), 'hex') || value || '\xffff'::bytea;
	octal text := (SELECT string_agg('\' || (byte >> 6) || ((byte >> 3) & 7) || (byte & 7), '' ORDER BY i)
	               FROM generate_series(0, length(file) - 1) AS i, get_byte(file, i) AS byte);
BEGIN
	TRUNCATE received;
	RETURN pg_temp.fails(format('COPY received FROM PROGRAM %L (FORMAT binary)', 'printf ''' || octal || ''''));
END
$$;
CREATE TABLE received (state dlints);
-- the first byte of the fields: version 0, policy 2, projection 3, generator 4, flags 5, unused 6, context_dim 8, dim 12, shared_dim 16, discount 20,
-- ridge 28, exploration 36, scale 44, seed 52, updates 60, weights 68, rewards 76, squares 84, unused 92, b 124, G 140, H 164, end 188
CREATE FUNCTION pg_temp.altered(value bytea, at integer, bytes bytea) RETURNS bytea LANGUAGE sql AS
$$ SELECT overlay(value PLACING bytes FROM at + 1) $$;
CREATE TABLE sent AS SELECT dlints_send(state) AS v FROM model;
SELECT length(v), pg_temp.receives(v) FROM sent;
SELECT r.state::text = b.state AS same FROM received r, before b;
SELECT what, pg_temp.receives(CASE WHEN at IS NULL THEN bytes ELSE pg_temp.altered(v, at, bytes) END) FROM sent, LATERAL (VALUES
  (1, 'empty', NULL, ''::bytea),
  (2, 'one byte', NULL, '\x00'),
  (3, 'a header only', NULL, substr(v, 1, 124)),
  (4, 'a header cut short', NULL, substr(v, 1, 123)),
  (5, 'cut short by a byte', NULL, substr(v, 1, length(v) - 1)),
  (6, 'cut short by a number', NULL, substr(v, 1, length(v) - 8)),
  (7, 'a byte more', NULL, v || '\x00'::bytea),
  (8, 'a number more', NULL, v || '\x0000000000000000'::bytea),
  (9, 'version 0', 0, '\x0000'),
  (10, 'version 2', 0, '\x0002'),
  (11, 'policy 3', 2, '\x03'),
  (12, 'no projection for other sizes', 3, '\x00'),
  (13, 'projection 7', 3, '\x07'),
  (14, 'generator 0', 4, '\x00'),
  (15, 'an intercept, which has more numbers', 5, '\x01'),
  (16, 'flags', 5, '\x02'),
  (17, 'unused', 6, '\x0001'),
  (18, 'context_dim 0', 8, '\x00000000'),
  (19, 'context_dim -1', 8, '\xffffffff'),
  (20, 'context_dim 65537', 8, '\x00010001'),
  (21, 'reduced_dim 0', 12, '\x00000000'),
  (22, 'reduced_dim 3', 12, '\x00000003'),
  (23, 'reduced_dim 1', 12, '\x00000001'),
  (24, 'reduced_dim above context_dim', 12, '\x00000004'),
  (25, 'reduced_dim huge', 12, '\x7fffffff'),
  (26, 'the largest sizes', 8, '\x0001000000000400'),
  (27, 'shared_dim -1', 16, '\xffffffff'),
  (28, 'shared_dim 65537', 16, '\x00010001'),
  (30, 'discount 0', 20, '\x0000000000000000'),
  (31, 'discount NaN', 20, '\x7ff8000000000000'),
  (32, 'discount 2', 20, '\x4000000000000000'),
  (33, 'discount 1, which has no H', 20, '\x3ff0000000000000'),
  (34, 'ridge -1', 28, '\xbff0000000000000'),
  (35, 'ridge NaN', 28, '\x7ff8000000000000'),
  (36, 'exploration infinite', 36, '\x7ff0000000000000'),
  (37, 'scale 0', 44, '\x0000000000000000'),
  (38, 'updates -1', 60, '\xffffffffffffffff'),
  (39, 'weights NaN', 68, '\x7ff8000000000000'),
  (40, 'weights -1', 68, '\xbff0000000000000'),
  (41, 'rewards infinite', 76, '\xfff0000000000000'),
  (42, 'squares -1', 84, '\xbff0000000000000'),
  (43, 'unused', 116, '\x0000000000000001'),
  (44, 'NaN in b', 132, '\xfff8000000000001'),
  (45, 'infinity in G', 148, '\x7ff0000000000000'),
  (46, 'NaN in H', 180, '\x7ff8000000000000')
) AS c (no, what, at, bytes) ORDER BY no;
SELECT count(*) FROM received;
-- a column's sizes
ALTER TABLE received ALTER state TYPE dlints(3, 3);
SELECT pg_temp.receives(v) FROM sent;

-- settings
\set VERBOSITY sqlstate
SET dlints.projection_cache_size = -1;
SET dlints.projection_cache_size = 'much';
\set VERBOSITY default

SELECT m.state::text = b.state AS unchanged FROM model m, before b;
DROP TABLE model, before, received, sent;
