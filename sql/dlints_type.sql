-- The type dlints: text form, type modifiers, casts, constructors
\pset format unaligned

-- stored form
SELECT typlen, typalign, typstorage, typcategory, typbyval FROM pg_type WHERE typname = 'dlints';

-- text form
SELECT dlints_new(2);
SELECT dlints_new(5, 2, 'matched', NULL, 0.5, NULL, 2, 0.25, 1.5, 'ucb', true, -1, 0.125);
SELECT dlints_new(5, half_life => '36 hours', memories => 8, noise => 0.125);
SELECT dlints_update(dlints_update(one_memory(2, NULL, 0.5), ARRAY[1, -2], 1), ARRAY[0.5, 0], 3);
SELECT dlints_update_batch(one_memory(1, NULL, 1, intercept => true), ARRAY[[1], [0.5]],
  ARRAY[1, 3]);
SELECT dlints_update(one_memory(2, discount => 1, interactions => 'matched'), ARRAY[2, 1], 1,
  ARRAY[3, -1]);
SELECT dlints_new(4, 3, interactions => 'matched');
SELECT dlints_update(dlints_new(1, half_life => '1 day', memories => 2, noise => 2,
  intercept => false), ARRAY[2], 3, '{}', '2000-01-01 00:00:01+00');

-- input accepts fields in any order and any white space
SELECT '{"evidence":[{"H":[[1],[2,4]],"G":[[1],[2,4]],"b":[1,2],"reward_square_sum":1,
  "reward_sum":1,"weight_square_sum":null,"weight_sum":1}],"prior":null,"reward_square_peak":1,
  "reward_square_total":1,"reward_total":1,"weight_total":1,"chosen":1,"sigma":1,
  "reference_reward":0,"newest":null,"updates":1,"projection_scale":null,"prior_weight":null,
  "seed":0,"noise":1.0,"exploration":1e-1,"lambda":1.0,"ridge":1.00,
  "half_life":null,"discount":0.50,"memory":1,"interactions":null,"memories":1,"intercept":false,
  "profile_dim":0,"reduced_dim":null,"dim":2,"policy":"thompson","format":1}'::dlints;

-- malformed literals
CREATE TABLE literal AS SELECT dlints_update(one_memory(2, NULL, 0.5), ARRAY[1, -2], 1)::text AS t,
  one_memory(2)::text AS e;
\set ECHO none
SELECT CASE WHEN was IS NULL THEN change ELSE was || ' -> ' || change END AS change,
  fails(format('SELECT %L::dlints',
  CASE WHEN was IS NULL THEN change ELSE replace(t, was, change) END)) FROM literal, (VALUES
  (1, NULL, ''),
  (2, NULL, 'null'),
  (3, NULL, '[]'),
  (4, NULL, '1'),
  (5, NULL, '"x"'),
  (6, NULL, '{}'),
  (7, NULL, '{"format": 1}'),
  (8, NULL, '{"format": 1'),
  (9, NULL, 'dlints'),
  (10, NULL, '{"format": 2}'),
  (11, NULL, '{"format": -1}'),
  (12, NULL, '{"format": 65537}'),
  (13, NULL, '{"format": "1"}'),
  (14, NULL, '{"format": null}'),
  (20, '"thompson"', '"epsilon"'),
  (21, '"thompson"', 'null'),
  (22, '"seed": 0', '"seed": 0, "generator": "philox4x32-10"'),
  (30, '"dim": 2', '"dim": 3'),
  (31, '"dim": 2', '"dim": 0'),
  (32, '"dim": 2', '"dim": 2.5'),
  (33, '"dim": 2', '"dim": "2"'),
  (34, '"dim": 2', '"dim": 1025'),
  (35, '"dim": 2', '"dim": 4294967298'),
  (36, '"dim": 2', '"dim": 1e30'),
  (37, '"dim": 2', '"dim": null'),
  (40, '"reduced_dim": null', '"reduced_dim": 2'),
  (41, '"reduced_dim": null', '"reduced_dim": 0'),
  (42, '"reduced_dim": null, ', ''),
  (43, '"projection_scale": null', '"projection_scale": 1'),
  (44, '"reduced_dim": null', '"reduced_dim": "null"'),
  (45, '"profile_dim": 0, ', ''),
  (46, '"intercept": false, ', ''),
  (47, '"profile_dim": 0', '"profile_dim": 1'),
  (48, '"intercept": false', '"intercept": true'),
  (49, '"intercept": false', '"intercept": 0'),
  (50, '"discount": 0.5', '"discount": 0'),
  (51, '"discount": 0.5', '"discount": 1.5'),
  (52, '"discount": 0.5', '"discount": 1'),
  (53, '"discount": 0.5', '"discount": NaN'),
  (54, '"discount": 0.5', '"discount": "0.5"'),
  (60, '"ridge": 1', '"ridge": 0'),
  (61, '"ridge": 1', '"ridge": 1e400'),
  (62, '"ridge": 1', '"rigde": 1'),
  (63, '"exploration": 0.1', '"exploration": -0.1'),
  (64, '"exploration": 0.1', '"exploration": 0.1, "more": 1'),
  (70, '"seed": 0', '"seed": 0.5'),
  (71, '"seed": 0', '"seed": 9223372036854775808'),
  (72, '"seed": 0', '"seed": 1e400000'),
  (80, '"updates": 1', '"updates": -1'),
  (81, '"updates": 1', '"updates": 0'),
  (82, '"updates": 1', '"updates": 1e19'),
  (83, '"weight_sum": 1', '"weight_sum": -1'),
  (84, '"weight_sum": 1', '"weight_sum": 1e400'),
  (85, '"reward_sum": 1', '"reward_sum": "1"'),
  (86, '"reward_square_sum": 1', '"reward_square_sum": -1'),
  (90, '"b": [1, -2]', '"b": [1]'),
  (91, '"b": [1, -2]', '"b": [1, -2, 0]'),
  (92, '"b": [1, -2]', '"b": [1, null]'),
  (93, '"b": [1, -2]', '"b": [1, "2"]'),
  (94, '"b": [1, -2]', '"b": [[1, -2]]'),
  (95, '"b": [1, -2]', '"b": 1'),
  (96, '"b": [1, -2]', '"b": [1, 1e400]'),
  (97, '"b": [1, -2]', '"b": {"0": 1, "1": -2}'),
  (98, '"b": [1, -2]', '"b": []'),
  (99, '"b": [1, -2]', '"b": null'),
  (100, '"G": [[1]', '"G": [[1, -2]'),
  (101, '"G": [[1]', '"G": [[-1]'),
  (102, '"G": [[1]', '"G": [1'),
  (103, '"G": [[1], [-2, 4]]', '"G": [[1]]'),
  (104, '"G": [[1], [-2, 4]]', '"G": null'),
  (105, '"G": [[1], [-2, 4]]', '"G": [[1], [1e400, 4]]'),
  (106, '"H": [[1], [-2, 4]]', '"H": null'),
  (107, '"H": [[1], [-2, 4]]', '"H": [[1], [-2, -4]]'),
  (108, ', "H": [[1], [-2, 4]]', ''),
  (110, '"memories": 1', '"memories": 2'),
  (111, '"memories": 1', '"memories": 0'),
  (112, '"memories": 1', '"memories": 9'),
  (113, '"memories": 1', '"memories": 257'),
  (114, '"memories": 1', '"memories": null'),
  (115, '"memory": 1', '"memory": 0'),
  (116, '"memory": 1', '"memory": 2'),
  (117, '"memory": 1', '"memory": 257'),
  (118, '"memory": 1', '"memory": -1'),
  (180, '"interactions": null, ', ''),
  (182, '"interactions": null', '"interactions": "matched"'),
  (183, '"interactions": null', '"interactions": "none"'),
  (184, '"interactions": null', '"interactions": 1'),
  (186, '"interactions": null, "dim": 2, "reduced_dim": null, "profile_dim": 0',
    '"interactions": "matched", "dim": 2, "reduced_dim": null, "profile_dim": 2'),
  (187, '"interactions": null, "dim": 2, "reduced_dim": null, "profile_dim": 0',
    '"interactions": "matched", "dim": 2, "reduced_dim": null, "profile_dim": 3'),
  (188, '"interactions": null', '"interactions": ""'),
  (120, '"half_life": null', '"half_life": 86400'),
  (121, '"discount": 0.5, "half_life": null', '"discount": null, "half_life": 86400'),
  (122, '"discount": 0.5', '"discount": null'),
  (123, '"discount": 0.5, "half_life": null', '"discount": null, "half_life": 0'),
  (124, '"discount": 0.5, "half_life": null', '"discount": null, "half_life": 1e-4'),
  (125, '"half_life": null', '"half_life": "1 day"'),
  (130, '"noise": 1', '"noise": 2'),
  (131, '"noise": 1', '"noise": 0'),
  (132, '"noise": 1', '"noise": -1'),
  (133, '"noise": 1', '"noise": 1e101'),
  (134, '"noise": 1', '"noise": null'),
  (140, '"newest": null', '"newest": 0'),
  (141, '"newest": null', '"newest": "2026-01-01"'),
  (142, '"discount": 0.5, "half_life": null', '"discount": null, "half_life": 1'),
  (150, '"reference_reward": 0', '"reference_reward": 1'),
  (151, '"sigma": 1', '"sigma": 2'),
  (152, '"sigma": 1', '"sigma": 0'),
  (153, '"sigma": 1', '"sigma": 1e400'),
  (154, '"noise": 1, "prior_weight": null, "projection_scale": null, "seed": 0, '
    '"updates": 1, "newest": null, "reference_reward": 0, "sigma": 1',
    '"noise": null, "prior_weight": null, "projection_scale": null, "seed": 0, '
    '"updates": 1, "newest": null, "reference_reward": 0, "sigma": 1e-320'),
  (160, '"chosen": 1', '"chosen": -1'),
  (161, '"chosen": 1', '"chosen": 2'),
  (162, '"chosen": 1', '"chosen": 0'),
  (170, '"evidence": [{', '"evidence": [{}, {'),
  (171, '"evidence": [{', '"evidence": [{"N": 1, '),
  (172, '[{"weight_sum": 1, ', '[{'),
  (173, '"evidence": [', '"evidence": [null, '),
  (174, '"evidence": [{', '"evidence": ["x", {')) AS v (no, was, change) ORDER BY no;
SELECT was || ' -> ' || change AS change,
  fails(format('SELECT %L::dlints', replace(e, was, change))) FROM literal, (VALUES
  (1, '"updates": 0', '"updates": 1'),
  (2, '"newest": null', '"newest": 0'),
  (3, '"reference_reward": 0', '"reference_reward": 1'),
  (4, '"chosen": 0', '"chosen": 1'),
  (5, '"sigma": 1', '"sigma": 2'),
  (6, '"evidence": null', '"evidence": []'),
  (7, ', "evidence": null', ''),
  (8, '"evidence": null',
    '"evidence": [{"weight_sum": 0, "reward_sum": 0, "reward_square_sum": 0, '
    '"b": [0, 0], "G": [[0], [0, 0]], "H": [[0], [0, 0]]}]')) AS v (no, was, change) ORDER BY no;
\set ECHO all

-- type modifiers of columns
CREATE TABLE sized (any_size dlints, plain dlints(2), projected dlints(5, 2),
  intercept dlints(4, intercept), projected_intercept dlints(5, 2, intercept),
  largest_plain dlints(65536, 1024),
  matched dlints(4, matched),
    matched_projected dlints(4, 3, matched, intercept),
    largest_matched dlints(65536, 1023, matched));
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
  WHERE attrelid = 'sized'::regclass AND attnum > 0 ORDER BY attnum;
-- models accepted by each type modifier
SELECT model, string_agg(attname, ', ' ORDER BY attnum) FILTER (WHERE r = 'no error') AS fits,
  min(r COLLATE "C") FILTER (WHERE r <> 'no error') AS error
FROM pg_attribute, (VALUES (1, '2'),
  (2, '2, 2'),
  (3, '5, 2'),
  (4, '5, 3'),
  (5, '5'),
  (6, '5, 2, intercept => true'),
  (7, '4, intercept => true'),
  (8, '4, 3, intercept => true'),
  (12, '65536, 1024'),
  (15, '4, interactions => ''matched'''),
  (16, '4, interactions => ''matched'', intercept => true'),
  (17, '4, 3, interactions => ''matched'''),
  (18, '4, 3, interactions => ''matched'', intercept => true'),
  (21, '65536, 1023, interactions => ''matched''')) AS v (no, model),
    LATERAL fails(format('INSERT INTO sized (%I) VALUES (one_memory(%s))', attname, model)) AS r
WHERE attrelid = 'sized'::regclass AND attnum > 0 GROUP BY no, model ORDER BY no;
-- the type modifier is enforced for text, UPDATE, a cast, ALTER TABLE and COPY
SELECT statement, fails(statement)
    FROM (VALUES (1, format('INSERT INTO sized (plain) VALUES (%L)', one_memory(1))),
  (2, 'UPDATE sized SET projected = any_size'),
  (3, 'SELECT one_memory(5, 2)::dlints(5, 2)'),
  (4, 'SELECT one_memory(5, 2)::dlints(5)'),
  (5, 'ALTER TABLE sized ALTER projected TYPE dlints(9, 3)'),
  (6, 'ALTER TABLE sized ALTER projected TYPE dlints'),
  (7, 'INSERT INTO sized (projected) VALUES (one_memory(9, 3))')) AS v (no, statement) ORDER BY no;
COPY (SELECT plain FROM sized WHERE plain IS NOT NULL) TO STDOUT;
COPY sized (plain) FROM STDIN;
{"format": 1, "policy": "thompson", "intercept": false, "memories": 1, "memory": 1, "interactions": null, "dim": 2, "reduced_dim": null, "profile_dim": 0, "discount": 0.5, "half_life": null, "ridge": 1, "lambda": 1, "exploration": 0.1, "noise": 1, "prior_weight": null, "projection_scale": null, "seed": 0, "updates": 1, "newest": null, "reference_reward": 0, "sigma": 1, "chosen": 1, "weight_total": 1, "reward_total": 3, "reward_square_total": 9, "reward_square_peak": 9, "evidence": [{"weight_sum": 1, "weight_square_sum": null, "reward_sum": 3, "reward_square_sum": 9, "b": [3, 6], "G": [[1], [2, 4]], "H": [[1], [2, 4]]}], "prior": null}
\N
\.
\set VERBOSITY terse
COPY sized (plain) FROM STDIN;
{"format": 1, "policy": "thompson", "intercept": false, "memories": 1, "memory": 1, "interactions": null, "dim": 1, "reduced_dim": null, "profile_dim": 0, "discount": 1, "half_life": null, "ridge": 1, "lambda": 1, "exploration": 0.1, "noise": 1, "prior_weight": null, "projection_scale": null, "seed": 0, "updates": 0, "newest": null, "reference_reward": 0, "sigma": 1, "chosen": 0, "weight_total": 0, "reward_total": 0, "reward_square_total": 0, "reward_square_peak": 0, "evidence": null, "prior": null}
\.
\set VERBOSITY default
-- invalid type modifiers
\set ECHO none
SELECT type, fails(format('SELECT NULL::%s', type)) FROM (VALUES
  (1, 'dlints(0)'), (2, 'dlints(1025)'), (3, 'dlints(65537, 10)'), (4, 'dlints(2000, 1025)'), (5, 'dlints(5, 6)'),
  (6, 'dlints(5, 0)'), (7, 'dlints(-1)'), (8, 'dlints(x)'), (9, 'dlints(5, 3, 5)'), (11, 'dlints(5, 3, 0)'),
  (17, 'dlints(intercept)'), (18, 'dlints(intercept, 5)'), (19, 'dlints(5, intercept, intercept)'),
  (20, 'dlints(5, 3, 2, offset_term)'), (21, 'dlints(1024, intercept)'), (22, 'dlints(1025, intercept)'),
  (23, 'dlints(5, INTERCEPT)'), (36, 'dlints(5, -1)'), (40, 'dlints(511, matched)'),
  (41, 'dlints(511, matched, intercept)'), (42, 'dlints(512, matched)'),
  (43, 'dlints(65536, 1023, matched, intercept)'), (44, 'dlints(2000, 1024, matched)'),
  (45, 'dlints(5, 6, matched)'), (46, 'dlints(5, 0, matched)'), (47, 'dlints(5, 3, 5, matched)'),
  (48, 'dlints(matched)'), (49, 'dlints(matched, 5)'), (50, 'dlints(5, intercept, matched)'),
  (51, 'dlints(5, matched, matched)'), (52, 'dlints(5, plain)'), (53, 'dlints(0, matched)'),
  (54, 'dlints(5, MATCHED)')) AS v (no, type) ORDER BY no;
\set ECHO all

-- models are equal if parameters, counts and evidence are
SELECT other, one_memory(3, interactions => 'matched') = m AS equal,
  one_memory(3, interactions => 'matched') <> m AS unequal
FROM (VALUES
  ('the same', one_memory(3, interactions => 'matched')),
  ('ridge', one_memory(3, ridge => 2, interactions => 'matched')),
  ('sizes', one_memory(2, interactions => 'matched')),
  ('plain', one_memory(3)),
  ('projected', one_memory(3, 2, interactions => 'matched')),
  ('intercept', one_memory(3, interactions => 'matched', intercept => true)),
  ('update', dlints_update(one_memory(3, interactions => 'matched'), ARRAY[0, 0, 0], 0, ARRAY[0, 0, 0])),
  ('NULL', NULL)) AS v (other, m);
SELECT one_memory(3, exploration => '-0') = one_memory(3, exploration => 0) AS zero_is_zero,
  dlints_hash_extended(m, 5) = dlints_hash_extended(m::text::dlints, 5) AS extended,
  dlints_hash_extended(m, 5) <> dlints_hash_extended(m, 6) AS salted
FROM dlints_update(one_memory(2), ARRAY[1, 2], 3) AS m;
CREATE TABLE several AS SELECT i,
  dlints_update(one_memory(40, ridge => i % 3 + 1), array_fill(0, ARRAY[40]), 0) AS m
  FROM generate_series(1, 9) AS i;
SELECT (dlints_info(m)).ridge, count(*) FROM several GROUP BY m ORDER BY 1;
SELECT count(*) FROM several AS a JOIN several AS b ON a.m = b.m;
-- models have no order and no implicit casts
SELECT statement, fails(statement)
  FROM unnest(ARRAY['SELECT one_memory(2) ORDER BY 1', 'SELECT one_memory(2) < one_memory(2)',
  'SELECT jsonb_typeof(one_memory(2))']) AS statement;

-- invalid parameters, and the limits of valid ones
\set ECHO none
SELECT arguments, fails(format('SELECT dlints_new(%s)', arguments)) FROM (VALUES
  (1, 'NULL'), (2, '0'), (3, '1025'), (4, '1024'), (5, '65537, 2'), (6, '65536, 1024'),
  (7, '2147483647, 2147483647'), (8, '10, 0'), (9, '10, 11'), (10, '2000, 1025'), (11, '1025, intercept => true'),
  (46, '1024, intercept => false'), (47, '1023'), (19, '5, 3, intercept => NULL'), (20, '3, discount => 0'),
  (21, '3, discount => 1e-100'), (22, '3, discount => 9.9e-101'), (23, '3, discount => 1.0000000000000002'),
  (24, '3, discount => ''NaN'''), (25, '3, discount => NULL'), (70, '3, discount => 0.5, half_life => ''1 day'''),
  (71, '3, half_life => ''0'''), (72, '3, half_life => ''-1 day'''), (73, '3, half_life => ''0.9 milliseconds'''),
  (74, '3, half_life => ''1 millisecond'''), (75, '3, half_life => ''100000 years'''),
  (76, '3, half_life => ''31000 years'''), (77, '3, half_life => NULL'), (80, '3, memories => 0'),
  (81, '3, memories => 1'), (82, '3, memories => 8'), (83, '3, memories => 9'), (84, '3, memories => NULL'),
  (85, '3, discount => 1, memories => 2'), (86, '3, discount => 1, memories => 1'), (90, '3, noise => 0'),
  (91, '3, noise => -1'), (92, '3, noise => 1e-100'), (93, '3, noise => 9.9e-101'), (94, '3, noise => 1e100'),
  (95, '3, noise => 1.1e100'), (96, '3, noise => ''NaN'''), (101, '3, 2, interactions => ''none'''),
  (103, '3, interactions => ''matched'''), (104, '3, 2, interactions => ''matched'''),
  (108, '3, 4, interactions => ''matched'''), (109, '3, 2, interactions => ''Matched'''),
  (110, '3, 2, interactions => '''''), (111, '511, interactions => ''matched'''),
  (112, '512, interactions => ''matched'''), (113, '2000, 1023, interactions => ''matched'''),
  (114, '2000, 1024, interactions => ''matched'''), (116, '0, interactions => ''matched'''),
  (117, '65537, 5, interactions => ''matched'''), (119, '3, interactions => NULL'),
  (122, '3, interactions => ''matched'', projection_scale => 1'),
  (123, '3, 2, interactions => ''matched'', projection_scale => 1.1e10'), (30, '3, ridge => 0'),
  (31, '3, ridge => 1e-100'), (32, '3, ridge => 9.9e-101'), (33, '3, ridge => 1e100'), (34, '3, ridge => 1.1e100'),
  (35, '3, ridge => ''NaN'''), (36, '3, ridge => NULL'), (40, '3, exploration => -1e-300'),
  (41, '3, exploration => 1e100'), (42, '3, exploration => 1.1e100'), (43, '3, exploration => ''Infinity'''),
  (44, '3, exploration => NULL'), (45, '3, seed => NULL'), (50, '3, 2, projection_scale => 1e-10'),
  (51, '3, 2, projection_scale => 9.9e-11'), (52, '3, 2, projection_scale => 1e10'),
  (53, '3, 2, projection_scale => 1.1e10'), (54, '3, 2, projection_scale => ''NaN'''),
  (55, '3, projection_scale => 1'), (60, '3, policy => ''epsilon'''), (61, '3, policy => ''Thompson'''),
  (62, '3, policy => NULL')) AS v (no, arguments) ORDER BY no;
\set ECHO all
-- dlints_set changes the given parameters, and raises the same errors
SELECT ridge, exploration, noise, sigma, policy, discount
    FROM (VALUES (1, dlints_set(one_memory(2, NULL, 0.5, 3, 2), ridge => 7)),
  (2, dlints_set(one_memory(2, NULL, 0.5, 3, 2), exploration => 0)),
  (3, dlints_set(one_memory(2, NULL, 0.5, 3, 2), 1, 5, 0.25, 'ucb')),
  (4, dlints_set(one_memory(2, NULL, 0.5, 3, 2), noise => 0))) AS v (no, m), dlints_info(m)
    ORDER BY no;
\set ECHO none
SELECT arguments, fails(format('SELECT dlints_set(dlints_new(2), %s)', arguments))
    FROM (VALUES
  (1, 'ridge => 0'), (2, 'ridge => 1.1e100'), (3, 'ridge => ''NaN'''), (4, 'exploration => -1'),
  (5, 'exploration => 1.1e100'), (6, 'policy => ''epsilon'''), (7, 'discount => 0.5'), (8, 'noise => -1'),
  (9, 'noise => 1e-101'), (10, 'noise => 1.1e100'), (11, 'noise => ''NaN''')) AS v (no, arguments) ORDER BY no;
\set ECHO all
-- hints
SELECT dlints_new(3, policy => 'epsilon');
SELECT NULL::dlints(5, 2, 1, 1);
DROP TABLE literal, sized, several;
