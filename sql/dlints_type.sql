-- The type: text form, sizes of columns, casts, making models.
\pset format unaligned
\set VERBOSITY default

-- stored form
SELECT typlen, typalign, typstorage, typcategory, typbyval FROM pg_type WHERE typname = 'dlints';

-- text form
SELECT dlints_new(2);
SELECT dlints_new(5, 2, 0.5, 2, 0.25, -1, 0.125);
SELECT dlints_new(2, NULL, 1);
SELECT dlints_update(dlints_update(dlints_new(2, NULL, 0.5), ARRAY[1, -2]::real[], 1), ARRAY[0.5, 0]::real[], 3);
SELECT dlints_update(dlints_new(2, NULL, 1), ARRAY[[1, -2], [0.5, 0]]::real[], ARRAY[1, 3]);

-- it reads back, with its fields in any order and with any space
SELECT m::text::dlints::text = m::text AS same FROM dlints_update(dlints_new(2, NULL, 0.5), ARRAY[0.1, 0.7]::float8[], 0.3) AS m;
SELECT '{"H":[[1],[2,4]],"G":[[1],[2,4]],"b":[1,2],"reward_square_sum":1,"reward_sum":1,"weight_sum":1,"updates":1,
  "generator":"philox4x32-10","projection_scale":null,"seed":0,"exploration":1e-1,"ridge":1.00,"discount":0.50,"intercept":false,"shared_dim":0,"reduced_dim":null,"context_dim":2,"policy":"thompson","format":1}'::dlints;
SELECT pg_typeof(m::jsonb), m::jsonb = m::text::jsonb AS same, m::jsonb::dlints::text = m::text AS back
FROM dlints_update(dlints_new(3, 2, 0.9, seed => 7), ARRAY[1, 2, 3]::real[], 0.3) AS m;

-- malformed literals
CREATE TEMP TABLE literal AS SELECT dlints_update(dlints_new(2, NULL, 0.5), ARRAY[1, -2]::real[], 1)::text AS t;
CREATE FUNCTION pg_temp.reads(t text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	detail text;
BEGIN
	RETURN 'reads as ' || (t::dlints)::text;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN SQLSTATE || ' ' || SQLERRM || CASE WHEN detail <> '' THEN ' (' || detail || ')' ELSE '' END;
END
$$;
SELECT change, pg_temp.reads(CASE WHEN was IS NULL THEN change ELSE replace(t, was, change) END) AS result
FROM literal, (VALUES
  (1, NULL, ''), (2, NULL, 'null'), (3, NULL, '[]'), (4, NULL, '1'), (5, NULL, '"x"'), (6, NULL, '{}'), (7, NULL, '{"format": 1}'),
  (8, NULL, '{"format": 1'), (9, NULL, 'dlints'), (10, NULL, '{"format": 2}'), (11, NULL, '{"format": 0}'), (12, NULL, '{"format": -1}'),
  (13, NULL, '{"format": 65536}'), (14, NULL, '{"format": "1"}'), (15, NULL, '{"format": null}'),
  (20, '"thompson"', '"epsilon"'), (21, '"thompson"', 'null'), (22, '"thompson"', '""'), (23, '"philox4x32-10"', '"other"'), (24, '"philox4x32-10"', '1'),
  (30, '"context_dim": 2', '"context_dim": 3'), (31, '"context_dim": 2', '"context_dim": 0'), (32, '"context_dim": 2', '"context_dim": -2'),
  (33, '"context_dim": 2', '"context_dim": 2.5'), (34, '"context_dim": 2', '"context_dim": "2"'), (35, '"context_dim": 2', '"context_dim": 1025'),
  (36, '"context_dim": 2', '"context_dim": 4294967298'), (37, '"context_dim": 2', '"context_dim": 1e30'), (38, '"context_dim": 2', '"context_dim": null'),
  (40, '"reduced_dim": null', '"reduced_dim": 2'), (41, '"reduced_dim": null', '"reduced_dim": 3'), (42, '"reduced_dim": null', '"reduced_dim": 0'),
  (43, '"reduced_dim": null, ', ''), (44, '"projection_scale": null', '"projection_scale": 1'),
  (45, '"shared_dim": 0, ', ''), (46, '"intercept": false, ', ''), (47, '"shared_dim": 0', '"shared_dim": 1'), (48, '"intercept": false', '"intercept": true'), (49, '"intercept": false', '"intercept": 0'),
  (50, '"discount": 0.5', '"discount": 0'), (51, '"discount": 0.5', '"discount": 1.5'), (52, '"discount": 0.5', '"discount": -0.5'),
  (53, '"discount": 0.5', '"discount": 1'), (54, '"discount": 0.5', '"discount": NaN'), (55, '"discount": 0.5', '"discount": "0.5"'),
  (60, '"ridge": 1', '"ridge": 0'), (61, '"ridge": 1', '"ridge": -1'), (62, '"ridge": 1', '"ridge": 1e400'), (63, '"ridge": 1', '"rigde": 1'),
  (64, '"exploration": 0.1', '"exploration": -0.1'), (65, '"exploration": 0.1', '"exploration": 1e999'), (66, '"exploration": 0.1', '"exploration": 0.1, "more": 1'),
  (70, '"seed": 0', '"seed": 0.5'), (71, '"seed": 0', '"seed": 9223372036854775808'), (72, '"seed": 0', '"seed": 1e400000'),
  (80, '"updates": 1', '"updates": -1'), (81, '"updates": 1', '"updates": 1.5'), (82, '"updates": 1', '"updates": 1e19'), (83, '"weight_sum": 1', '"weight_sum": -1'),
  (84, '"weight_sum": 1', '"weight_sum": 1e400'), (85, '"reward_sum": 1', '"reward_sum": "1"'), (86, '"reward_sum": 1', '"reward_sum": -1e400'), (87, '"reward_square_sum": 1', '"reward_square_sum": -1'),
  (90, '"b": [1, -2]', '"b": [1]'), (91, '"b": [1, -2]', '"b": [1, -2, 0]'), (92, '"b": [1, -2]', '"b": [1, null]'), (93, '"b": [1, -2]', '"b": [1, "2"]'),
  (94, '"b": [1, -2]', '"b": [[1, -2]]'), (95, '"b": [1, -2]', '"b": 1'), (96, '"b": [1, -2]', '"b": [1, 1e400]'), (97, '"b": [1, -2]', '"b": {"0": 1, "1": -2}'), (98, '"b": [1, -2]', '"b": []'),
  (100, '"G": [[1]', '"G": [[1, -2]'), (101, '"G": [[1]', '"G": [[-1]'), (102, '"G": [[1]', '"G": [1'), (103, '"G": [[1], [-2, 4]]', '"G": [[1]]'), (104, '"G": [[1], [-2, 4]]', '"G": null'),
  (105, '"G": [[1], [-2, 4]]', '"G": [[1], [1e400, 4]]'), (106, '"H": [[1], [-2, 4]]', '"H": null'), (107, '"H": [[1], [-2, 4]]', '"H": [[1], [-2, -4]]'), (108, ', "H": [[1], [-2, 4]]', '')
) AS v (no, was, change) ORDER BY no;

-- sizes of columns
CREATE TABLE sized (any_size dlints, plain dlints(2), projected dlints(5, 2));
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'sized'::regclass AND attnum > 0 ORDER BY attnum;
INSERT INTO sized VALUES (dlints_new(9), dlints_new(2), dlints_new(5, 2));
INSERT INTO sized (plain) VALUES (dlints_new(3));
INSERT INTO sized (plain) VALUES (dlints_new(2, 2));
INSERT INTO sized (projected) VALUES (dlints_new(5, 3));
INSERT INTO sized (projected) VALUES (dlints_new(5));
INSERT INTO sized (plain) VALUES ('{"format": 1, "policy": "thompson", "context_dim": 1, "reduced_dim": null, "shared_dim": 0, "intercept": false, "discount": 1, "ridge": 1, "exploration": 0.1, "seed": 0, "projection_scale": null, "generator": "philox4x32-10", "updates": 0, "weight_sum": 0, "reward_sum": 0, "reward_square_sum": 0, "b": [0], "G": [[0]], "H": null}');
UPDATE sized SET projected = any_size;
SELECT dlints_new(5, 2)::dlints(5, 2) IS NOT NULL AS fits;
SELECT dlints_new(5, 2)::dlints(5, 3);
SELECT dlints_new(5, 2)::dlints(5);
ALTER TABLE sized ALTER any_size TYPE dlints(9);
ALTER TABLE sized ALTER any_size TYPE dlints(9, 3);
ALTER TABLE sized ALTER plain TYPE dlints;
UPDATE sized SET plain = dlints_new(3);
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'sized'::regclass AND attnum > 0 ORDER BY attnum;
SELECT (dlints_info(any_size)).context_dim AS any_size, (dlints_info(plain)).context_dim AS plain, (dlints_info(projected)).reduced_dim AS projected FROM sized;
SELECT NULL::dlints(65536, 1024), NULL::dlints(1024), NULL::dlints(1, 1);
SELECT NULL::dlints(0);
SELECT NULL::dlints(1025);
SELECT NULL::dlints(65537, 10);
SELECT NULL::dlints(2000, 1025);
SELECT NULL::dlints(5, 6);
SELECT NULL::dlints(5, 0);
SELECT NULL::dlints(-1);
SELECT NULL::dlints(5, 2, 1, 1);
SELECT NULL::dlints(x);

-- COPY, with the sizes of the columns
COPY (SELECT dlints_update(dlints_new(2, NULL, 0.5), ARRAY[1, 2]::real[], 3)) TO STDOUT;
CREATE TABLE copied (m dlints(2));
COPY copied FROM STDIN;
{"format": 1, "policy": "thompson", "context_dim": 2, "reduced_dim": null, "shared_dim": 0, "intercept": false, "discount": 0.5, "ridge": 1, "exploration": 0.1, "seed": 0, "projection_scale": null, "generator": "philox4x32-10", "updates": 1, "weight_sum": 1, "reward_sum": 3, "reward_square_sum": 9, "b": [3, 6], "G": [[1], [2, 4]], "H": [[1], [2, 4]]}
\N
\.
\set VERBOSITY terse
COPY copied FROM STDIN;
{"format": 1, "policy": "thompson", "context_dim": 1, "reduced_dim": null, "shared_dim": 0, "intercept": false, "discount": 1, "ridge": 1, "exploration": 0.1, "seed": 0, "projection_scale": null, "generator": "philox4x32-10", "updates": 0, "weight_sum": 0, "reward_sum": 0, "reward_square_sum": 0, "b": [0], "G": [[0]], "H": null}
\.
\set VERBOSITY default
TABLE copied;

-- equal: the same parameters, counts and evidence
SELECT dlints_new(2) = dlints_new(2) AS same, dlints_new(2) <> dlints_new(2) AS not_same, dlints_new(2) = dlints_new(2, 2) AS projection, dlints_new(2) = dlints_new(2, ridge => 2) AS ridge,
       dlints_new(2) <> dlints_update(dlints_new(2), ARRAY[0, 0]::real[], 0) AS update, dlints_new(2) = dlints_new(3) AS sizes, dlints_new(2) = NULL AS nothing;
SELECT dlints_hash(m) = dlints_hash(m::text::dlints) AS hash, dlints_hash_extended(m, 5) = dlints_hash_extended(m::text::dlints, 5) AS extended, dlints_hash_extended(m, 5) <> dlints_hash_extended(m, 6) AS salted
FROM dlints_update(dlints_new(2), ARRAY[1, 2]::real[], 3) AS m;
CREATE TABLE several AS SELECT i, dlints_new(40, ridge => i % 3 + 1) AS m FROM generate_series(1, 9) AS i;
SELECT (dlints_info(m)).ridge, count(*) FROM several GROUP BY m ORDER BY 1;
SELECT count(*) FROM several AS a JOIN several AS b ON a.m = b.m;
SELECT count(*) FROM (SELECT DISTINCT m FROM several) AS s;
DROP TABLE several;
-- a zero is a zero
SELECT m = m::text::dlints AS text, m = dlints_new(2, exploration => 0) AS zero FROM dlints_new(2, exploration => '-0') AS m;

-- no order, no implicit way to other types
\set VERBOSITY terse
SELECT count(*) FROM (SELECT dlints_new(2) ORDER BY 1) AS s;
SELECT dlints_new(2) < dlints_new(2);
SELECT jsonb_typeof(dlints_new(2));
\set VERBOSITY default

-- dlints_new refuses
SELECT dlints_new(NULL);
SELECT dlints_new(0);
SELECT dlints_new(-3);
SELECT dlints_new(1025);
SELECT dlints_new(65537, 2);
SELECT dlints_new(2147483647, 2147483647);
SELECT dlints_new(10, 0);
SELECT dlints_new(10, -2147483648);
SELECT dlints_new(10, 11);
SELECT dlints_new(2000, 1025);
SELECT dlints_new(3, discount => 0);
SELECT dlints_new(3, discount => -0.5);
SELECT dlints_new(3, discount => 1.5);
SELECT dlints_new(3, discount => 1.0000000000000002);
SELECT dlints_new(3, discount => 'NaN');
SELECT dlints_new(3, discount => 'Infinity');
SELECT dlints_new(3, discount => NULL);
SELECT dlints_new(3, ridge => 0);
SELECT dlints_new(3, ridge => -1);
SELECT dlints_new(3, ridge => 'NaN');
SELECT dlints_new(3, ridge => 'Infinity');
SELECT dlints_new(3, ridge => NULL);
SELECT dlints_new(3, exploration => -0.1);
SELECT dlints_new(3, exploration => 'NaN');
SELECT dlints_new(3, exploration => 'Infinity');
SELECT dlints_new(3, exploration => NULL);
SELECT dlints_new(3, seed => NULL);
SELECT dlints_new(3, 2, projection_scale => 0);
SELECT dlints_new(3, 2, projection_scale => -1);
SELECT dlints_new(3, 2, projection_scale => 'NaN');
SELECT dlints_new(3, 2, projection_scale => 'Infinity');
SELECT dlints_new(3, policy => 'epsilon');
SELECT dlints_new(3, policy => 'Thompson');
SELECT dlints_new(3, policy => '');
SELECT dlints_new(3, policy => NULL);

-- dlints_set changes what it is told and refuses the same
SELECT ridge, exploration, policy, discount FROM dlints_info(dlints_set(dlints_new(2, NULL, 0.5, 3, 2), ridge => 7));
SELECT ridge, exploration, policy, discount FROM dlints_info(dlints_set(dlints_new(2, NULL, 0.5, 3, 2), exploration => 0));
SELECT ridge, exploration, policy, discount FROM dlints_info(dlints_set(dlints_new(2, NULL, 0.5, 3, 2), 1, 5, 'thompson'));
SELECT dlints_set(NULL, ridge => 0) IS NULL AS nothing;
SELECT dlints_set(dlints_new(2), ridge => 0);
SELECT dlints_set(dlints_new(2), ridge => -1);
SELECT dlints_set(dlints_new(2), ridge => 'NaN');
SELECT dlints_set(dlints_new(2), ridge => 'Infinity');
SELECT dlints_set(dlints_new(2), exploration => -1);
SELECT dlints_set(dlints_new(2), exploration => 'NaN');
SELECT dlints_set(dlints_new(2), exploration => '-Infinity');
SELECT dlints_set(dlints_new(2), policy => 'epsilon');
\set VERBOSITY terse
SELECT dlints_set(dlints_new(2), discount => 0.5);

DROP TABLE sized, copied;
