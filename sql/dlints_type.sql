-- The type: text form, sizes of columns, casts, making models.
\pset format unaligned

-- stored form
SELECT typlen, typalign, typstorage, typcategory, typbyval FROM pg_type WHERE typname = 'dlints';

-- text form
SELECT dlints_new(2);
SELECT dlints_new(5, 2, 0.5, 2, 0.25, -1, 0.125, 'ucb', 1, true);
SELECT dlints_update(dlints_update(dlints_new(2, NULL, 0.5), ARRAY[1, -2], 1), ARRAY[0.5, 0], 3);
SELECT dlints_update_batch(dlints_new(1, NULL, 1, intercept => true), ARRAY[[1], [0.5]], ARRAY[1, 3]);

-- it reads back with its fields in any order and with any space
SELECT '{"H":[[1],[2,4]],"G":[[1],[2,4]],"b":[1,2],"reward_square_sum":1,"reward_sum":1,"weight_sum":1,"updates":1,
  "projection_scale":null,"seed":0,"exploration":1e-1,"ridge":1.00,"discount":0.50,"intercept":false,"shared_dim":0,"reduced_dim":null,"context_dim":2,"policy":"thompson","format":1}'::dlints;

-- malformed literals
CREATE TABLE literal AS SELECT dlints_update(dlints_new(2, NULL, 0.5), ARRAY[1, -2], 1)::text AS t, dlints_new(2)::text AS e;
SELECT CASE WHEN was IS NULL THEN change ELSE was || ' -> ' || change END AS change, fails(format('SELECT %L::dlints', CASE WHEN was IS NULL THEN change ELSE replace(t, was, change) END)) FROM literal, (VALUES
  (1, NULL, ''), (2, NULL, 'null'), (3, NULL, '[]'), (4, NULL, '1'), (5, NULL, '"x"'), (6, NULL, '{}'), (7, NULL, '{"format": 1}'), (8, NULL, '{"format": 1'), (9, NULL, 'dlints'),
  (10, NULL, '{"format": 2}'), (11, NULL, '{"format": -1}'), (12, NULL, '{"format": 65537}'), (13, NULL, '{"format": "1"}'), (14, NULL, '{"format": null}'),
  (20, '"thompson"', '"epsilon"'), (21, '"thompson"', 'null'), (22, '"seed": 0', '"seed": 0, "generator": "philox4x32-10"'),
  (30, '"context_dim": 2', '"context_dim": 3'), (31, '"context_dim": 2', '"context_dim": 0'), (32, '"context_dim": 2', '"context_dim": 2.5'), (33, '"context_dim": 2', '"context_dim": "2"'),
  (34, '"context_dim": 2', '"context_dim": 1025'), (35, '"context_dim": 2', '"context_dim": 4294967298'), (36, '"context_dim": 2', '"context_dim": 1e30'), (37, '"context_dim": 2', '"context_dim": null'),
  (40, '"reduced_dim": null', '"reduced_dim": 2'), (41, '"reduced_dim": null', '"reduced_dim": 0'), (42, '"reduced_dim": null, ', ''), (43, '"projection_scale": null', '"projection_scale": 1'),
  (44, '"reduced_dim": null', '"reduced_dim": "null"'), (45, '"shared_dim": 0, ', ''), (46, '"intercept": false, ', ''), (47, '"shared_dim": 0', '"shared_dim": 1'), (48, '"intercept": false', '"intercept": true'),
  (49, '"intercept": false', '"intercept": 0'),
  (50, '"discount": 0.5', '"discount": 0'), (51, '"discount": 0.5', '"discount": 1.5'), (52, '"discount": 0.5', '"discount": 1'), (53, '"discount": 0.5', '"discount": NaN'), (54, '"discount": 0.5', '"discount": "0.5"'),
  (60, '"ridge": 1', '"ridge": 0'), (61, '"ridge": 1', '"ridge": 1e400'), (62, '"ridge": 1', '"rigde": 1'), (63, '"exploration": 0.1', '"exploration": -0.1'), (64, '"exploration": 0.1', '"exploration": 0.1, "more": 1'),
  (70, '"seed": 0', '"seed": 0.5'), (71, '"seed": 0', '"seed": 9223372036854775808'), (72, '"seed": 0', '"seed": 1e400000'),
  (80, '"updates": 1', '"updates": -1'), (81, '"updates": 1', '"updates": 0'), (82, '"updates": 1', '"updates": 1e19'), (83, '"weight_sum": 1', '"weight_sum": -1'),
  (84, '"weight_sum": 1', '"weight_sum": 1e400'), (85, '"reward_sum": 1', '"reward_sum": "1"'), (86, '"reward_square_sum": 1', '"reward_square_sum": -1'),
  (90, '"b": [1, -2]', '"b": [1]'), (91, '"b": [1, -2]', '"b": [1, -2, 0]'), (92, '"b": [1, -2]', '"b": [1, null]'), (93, '"b": [1, -2]', '"b": [1, "2"]'), (94, '"b": [1, -2]', '"b": [[1, -2]]'),
  (95, '"b": [1, -2]', '"b": 1'), (96, '"b": [1, -2]', '"b": [1, 1e400]'), (97, '"b": [1, -2]', '"b": {"0": 1, "1": -2}'), (98, '"b": [1, -2]', '"b": []'), (99, '"b": [1, -2]', '"b": null'),
  (100, '"G": [[1]', '"G": [[1, -2]'), (101, '"G": [[1]', '"G": [[-1]'), (102, '"G": [[1]', '"G": [1'), (103, '"G": [[1], [-2, 4]]', '"G": [[1]]'), (104, '"G": [[1], [-2, 4]]', '"G": null'),
  (105, '"G": [[1], [-2, 4]]', '"G": [[1], [1e400, 4]]'), (106, '"H": [[1], [-2, 4]]', '"H": null'), (107, '"H": [[1], [-2, 4]]', '"H": [[1], [-2, -4]]'), (108, ', "H": [[1], [-2, 4]]', '')) AS v (no, was, change) ORDER BY no;
SELECT was || ' -> ' || change AS change, fails(format('SELECT %L::dlints', replace(e, was, change))) FROM literal, (VALUES
  (1, '"updates": 0', '"updates": 1'), (2, '"weight_sum": 0', '"weight_sum": 1'), (3, '"reward_sum": 0', '"reward_sum": 1'), (4, '"b": null', '"b": [0, 0]'), (5, '"G": null', '"G": [[0], [0, 0]]'), (6, '"H": null', '"H": [[0], [0, 0]]'),
  (7, '"b": null, ', ''), (8, '"b": null, "G": null, "H": null', '"b": [0, 0], "G": [[0], [0, 0]], "H": [[0], [0, 0]]')) AS v (no, was, change) ORDER BY no;

-- sizes of columns
CREATE TABLE sized (any_size dlints, plain dlints(2), projected dlints(5, 2), shared dlints(4, 3, 2), intercept dlints(4, intercept), all_of_it dlints(4, 3, 2, intercept), largest dlints(4096, 512, 256, intercept), largest_plain dlints(65536, 1024));
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'sized'::regclass AND attnum > 0 ORDER BY attnum;
-- which model fits into which column
SELECT model, string_agg(attname, ', ' ORDER BY attnum) FILTER (WHERE r = 'no error') AS fits, min(r COLLATE "C") FILTER (WHERE r <> 'no error') AS error
FROM pg_attribute, (VALUES (1, '2'), (2, '2, 2'), (3, '5, 2'), (4, '5, 3'), (5, '5'), (6, '4, 3, shared_dim => 2'), (7, '4, intercept => true'), (8, '4, 3, intercept => true'), (9, '4, 3, shared_dim => 2, intercept => true'),
  (10, '4, 3, shared_dim => 1'), (11, '4096, 512, shared_dim => 256, intercept => true'), (12, '65536, 1024')) AS v (no, model), LATERAL fails(format('INSERT INTO sized (%I) VALUES (dlints_new(%s))', attname, model)) AS r
WHERE attrelid = 'sized'::regclass AND attnum > 0 GROUP BY no, model ORDER BY no;
-- the doors: text, UPDATE, a cast, ALTER TABLE, COPY
SELECT statement, fails(statement) FROM (VALUES (1, format('INSERT INTO sized (plain) VALUES (%L)', dlints_new(1))), (2, 'UPDATE sized SET projected = any_size'), (3, 'SELECT dlints_new(5, 2)::dlints(5, 2)'),
  (4, 'SELECT dlints_new(5, 2)::dlints(5)'),
  (5, 'ALTER TABLE sized ALTER projected TYPE dlints(9, 3)'), (6, 'ALTER TABLE sized ALTER projected TYPE dlints'), (7, 'INSERT INTO sized (projected) VALUES (dlints_new(9, 3))')) AS v (no, statement) ORDER BY no;
COPY (SELECT plain FROM sized WHERE plain IS NOT NULL) TO STDOUT;
COPY sized (plain) FROM STDIN;
{"format": 1, "policy": "thompson", "context_dim": 2, "reduced_dim": null, "shared_dim": 0, "intercept": false, "discount": 0.5, "ridge": 1, "exploration": 0.1, "seed": 0, "projection_scale": null, "updates": 1, "weight_sum": 1, "reward_sum": 3, "reward_square_sum": 9, "b": [3, 6], "G": [[1], [2, 4]], "H": [[1], [2, 4]]}
\N
\.
\set VERBOSITY terse
COPY sized (plain) FROM STDIN;
{"format": 1, "policy": "thompson", "context_dim": 1, "reduced_dim": null, "shared_dim": 0, "intercept": false, "discount": 1, "ridge": 1, "exploration": 0.1, "seed": 0, "projection_scale": null, "updates": 0, "weight_sum": 0, "reward_sum": 0, "reward_square_sum": 0, "b": null, "G": null, "H": null}
\.
\set VERBOSITY default
-- sizes that there are not
SELECT type, fails(format('SELECT NULL::%s', type)) FROM (VALUES
  (1, 'dlints(0)'), (2, 'dlints(1025)'), (3, 'dlints(65537, 10)'), (4, 'dlints(2000, 1025)'), (5, 'dlints(5, 6)'), (6, 'dlints(5, 0)'), (7, 'dlints(-1)'), (8, 'dlints(x)'), (9, 'dlints(5, 30, 5)'), (10, 'dlints(5, 31, 5)'), (11, 'dlints(5, 3, 0)'),
  (12, 'dlints(5, 3, 65537)'), (13, 'dlints(4097, 512, 256)'), (14, 'dlints(4096, 513, 256)'), (15, 'dlints(4096, 512, 257)'), (16, 'dlints(5, 3, 2, 1)'), (17, 'dlints(intercept)'), (18, 'dlints(intercept, 5)'),
  (19, 'dlints(5, intercept, intercept)'),
  (20, 'dlints(5, 3, 2, offset_term)'), (21, 'dlints(1024, intercept)'), (22, 'dlints(1025, intercept)'), (23, 'dlints(5, INTERCEPT)')) AS v (no, type) ORDER BY no;

-- equal: the same parameters, counts and evidence
SELECT other, dlints_new(3, 2, shared_dim => 1) = m AS equal, dlints_new(3, 2, shared_dim => 1) <> m AS unequal FROM (VALUES
  ('the same', dlints_new(3, 2, shared_dim => 1)), ('ridge', dlints_new(3, 2, ridge => 2, shared_dim => 1)), ('sizes', dlints_new(3, 1, shared_dim => 1)), ('shared context', dlints_new(3, 2, shared_dim => 2)), ('none', dlints_new(3, 2)),
  ('intercept', dlints_new(3, 2, shared_dim => 1, intercept => true)), ('update', dlints_update(dlints_new(3, 2, shared_dim => 1), ARRAY[0, 0, 0], ARRAY[0], 0)), ('NULL', NULL)) AS v (other, m);
SELECT dlints_new(3, exploration => '-0') = dlints_new(3, exploration => 0) AS zero_is_zero, dlints_hash_extended(m, 5) = dlints_hash_extended(m::text::dlints, 5) AS extended, dlints_hash_extended(m, 5) <> dlints_hash_extended(m, 6) AS salted
FROM dlints_update(dlints_new(2), ARRAY[1, 2], 3) AS m;
CREATE TABLE several AS SELECT i, dlints_update(dlints_new(40, ridge => i % 3 + 1), array_fill(0, ARRAY[40]), 0) AS m FROM generate_series(1, 9) AS i;
SELECT (dlints_info(m)).ridge, count(*) FROM several GROUP BY m ORDER BY 1;
SELECT count(*) FROM several AS a JOIN several AS b ON a.m = b.m;
-- no order, no implicit way to other types
SELECT statement, fails(statement) FROM unnest(ARRAY['SELECT dlints_new(2) ORDER BY 1', 'SELECT dlints_new(2) < dlints_new(2)', 'SELECT jsonb_typeof(dlints_new(2))']) AS statement;

-- parameters that there are not, and the last ones that there are
SELECT arguments, fails(format('SELECT dlints_new(%s)', arguments)) FROM (VALUES
  (1, 'NULL'), (2, '0'), (3, '1025'), (4, '1024'), (5, '65537, 2'), (6, '65536, 1024'), (7, '2147483647, 2147483647'), (8, '10, 0'), (9, '10, 11'), (10, '2000, 1025'), (11, '1025, intercept => true'),
  (12, '5, shared_dim => 3'), (13, '5, 3, shared_dim => -1'), (14, '5, 3, shared_dim => 65537'), (15, '5, 3, shared_dim => 65536'), (16, '5, 30, shared_dim => 5'), (17, '5, 31, shared_dim => 5'), (18, '5, 3, shared_dim => NULL'),
  (19, '5, 3, intercept => NULL'),
  (20, '3, discount => 0'), (21, '3, discount => 1e-100'), (22, '3, discount => 9.9e-101'), (23, '3, discount => 1.0000000000000002'), (24, '3, discount => ''NaN'''), (25, '3, discount => NULL'),
  (30, '3, ridge => 0'), (31, '3, ridge => 1e-100'), (32, '3, ridge => 9.9e-101'), (33, '3, ridge => 1e100'), (34, '3, ridge => 1.1e100'), (35, '3, ridge => ''NaN'''), (36, '3, ridge => NULL'),
  (40, '3, exploration => -1e-300'), (41, '3, exploration => 1e100'), (42, '3, exploration => 1.1e100'), (43, '3, exploration => ''Infinity'''), (44, '3, exploration => NULL'), (45, '3, seed => NULL'),
  (50, '3, 2, projection_scale => 1e-10'), (51, '3, 2, projection_scale => 9.9e-11'), (52, '3, 2, projection_scale => 1e10'), (53, '3, 2, projection_scale => 1.1e10'), (54, '3, 2, projection_scale => ''NaN'''), (55, '3, projection_scale => 1'),
  (60, '3, policy => ''epsilon'''), (61, '3, policy => ''Thompson'''), (62, '3, policy => NULL')) AS v (no, arguments) ORDER BY no;
-- dlints_set changes what it is told and refuses the same
SELECT ridge, exploration, policy, discount FROM (VALUES (1, dlints_set(dlints_new(2, NULL, 0.5, 3, 2), ridge => 7)), (2, dlints_set(dlints_new(2, NULL, 0.5, 3, 2), exploration => 0)),
  (3, dlints_set(dlints_new(2, NULL, 0.5, 3, 2), 1, 5, 'ucb'))) AS v (no, m), dlints_info(m) ORDER BY no;
SELECT arguments, fails(format('SELECT dlints_set(dlints_new(2), %s)', arguments)) FROM (VALUES (1, 'ridge => 0'), (2, 'ridge => 1.1e100'), (3, 'ridge => ''NaN'''), (4, 'exploration => -1'), (5, 'exploration => 1.1e100'),
  (6, 'policy => ''epsilon'''), (7, 'discount => 0.5')) AS v (no, arguments) ORDER BY no;
-- hints
SELECT dlints_new(3, policy => 'epsilon');
SELECT NULL::dlints(5, 2, 1, 1);
DROP TABLE literal, sized, several;
