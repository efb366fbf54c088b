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
  (3, NULL, '[]'),
  (6, NULL, '{}'),
  (9, NULL, 'dlints'),
  (10, NULL, '{"format": 2}'),
  (11, NULL, '{"format": -1}'),
  (20, '"thompson"', '"epsilon"'),
  (21, '"thompson"', 'null'),
  (22, '"seed": 0', '"seed": 0, "generator": "philox4x32-10"'),
  (30, '"dim": 2', '"dim": 3'),
  (31, '"dim": 2', '"dim": 0'),
  (32, '"dim": 2', '"dim": 2.5'),
  (34, '"dim": 2', '"dim": 1025'),
  (35, '"dim": 2', '"dim": 4294967298'),
  (40, '"reduced_dim": null', '"reduced_dim": 2'),
  (41, '"reduced_dim": null', '"reduced_dim": 0'),
  (42, '"reduced_dim": null, ', ''),
  (43, '"projection_scale": null', '"projection_scale": 1'),
  (47, '"profile_dim": 0', '"profile_dim": 1'),
  (49, '"intercept": false', '"intercept": 0'),
  (50, '"discount": 0.5', '"discount": 0'),
  (52, '"discount": 0.5', '"discount": 1'),
  (54, '"discount": 0.5', '"discount": "0.5"'),
  (61, '"ridge": 1', '"ridge": 1e400'),
  (63, '"exploration": 0.1', '"exploration": -0.1'),
  (71, '"seed": 0', '"seed": 9223372036854775808'),
  (72, '"seed": 0', '"seed": 1e400000'),
  (81, '"updates": 1', '"updates": 0'),
  (83, '"weight_sum": 1', '"weight_sum": -1'),
  (85, '"reward_sum": 1', '"reward_sum": "1"'),
  (90, '"b": [1, -2]', '"b": [1]'),
  (92, '"b": [1, -2]', '"b": [1, null]'),
  (94, '"b": [1, -2]', '"b": [[1, -2]]'),
  (96, '"b": [1, -2]', '"b": [1, 1e400]'),
  (100, '"G": [[1]', '"G": [[1, -2]'),
  (101, '"G": [[1]', '"G": [[-1]'),
  (103, '"G": [[1], [-2, 4]]', '"G": [[1]]'),
  (107, '"H": [[1], [-2, 4]]', '"H": [[1], [-2, -4]]'),
  (108, ', "H": [[1], [-2, 4]]', ''),
  (110, '"memories": 1', '"memories": 2'),
  (111, '"memories": 1', '"memories": 0'),
  (113, '"memories": 1', '"memories": 257'),
  (116, '"memory": 1', '"memory": 2'),
  (182, '"interactions": null', '"interactions": "matched"'),
  (183, '"interactions": null', '"interactions": "none"'),
  (120, '"half_life": null', '"half_life": 86400'),
  (123, '"discount": 0.5, "half_life": null', '"discount": null, "half_life": 0'),
  (124, '"discount": 0.5, "half_life": null', '"discount": null, "half_life": 1e-4'),
  (130, '"noise": 1', '"noise": 2'),
  (140, '"newest": null', '"newest": 0'),
  (150, '"reference_reward": 0', '"reference_reward": 1'),
  (151, '"sigma": 1', '"sigma": 2'),
  (154, '"noise": 1, "prior_weight": null, "projection_scale": null, "seed": 0, '
    '"updates": 1, "newest": null, "reference_reward": 0, "sigma": 1',
    '"noise": null, "prior_weight": null, "projection_scale": null, "seed": 0, '
    '"updates": 1, "newest": null, "reference_reward": 0, "sigma": 1e-320'),
  (161, '"chosen": 1', '"chosen": 2'),
  (162, '"chosen": 1', '"chosen": 0'),
  (171, '"evidence": [{', '"evidence": [{"N": 1, '),
  (172, '[{"weight_sum": 1, ', '[{'),
  (173, '"evidence": [', '"evidence": [null, ')) AS v (no, was, change) ORDER BY no;
SELECT was || ' -> ' || change AS change,
  fails(format('SELECT %L::dlints', replace(e, was, change))) FROM literal, (VALUES
  (1, '"updates": 0', '"updates": 1'),
  (4, '"chosen": 0', '"chosen": 1'),
  (6, '"evidence": null', '"evidence": []')) AS v (no, was, change) ORDER BY no;
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
  (6, '5, 2, intercept => true'),
  (7, '4, intercept => true'),
  (12, '65536, 1024'),
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
SELECT type, fails(format('SELECT NULL::%s', type)) FROM unnest(ARRAY[
  'dlints(0)', 'dlints(1024, intercept)', 'dlints(1025)', 'dlints(65536, 1023, MATCHED, INTERCEPT)',
  'dlints(65537, 10)', 'dlints(2000, 1025)', 'dlints(2000, 1024, matched)', 'dlints(511, matched)',
  'dlints(512, matched)', 'dlints(5, 6)', 'dlints(5, 0)', 'dlints(x)', 'dlints(5, 3, 5)', 'dlints(intercept)',
  'dlints(5, intercept, intercept)', 'dlints(5, intercept, matched)', 'dlints(5, matched, matched)']) AS type;
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
SELECT one_memory(3, exploration => '-0') = one_memory(3, exploration => 0) AS zero_is_zero;
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
SELECT arguments, fails(format('SELECT dlints_new(%s)', arguments)) FROM unnest(ARRAY[
  'NULL', '0', '1024', '1025', '65536, 1024', '65537, 2', '10, 0', '10, 11', '2000, 1025',
  '5, intercept => NULL', '5, seed => NULL', '5, policy => NULL', '5, policy => ''epsilon''',
  '5, discount => 1e-100', '5, discount => 9.9e-101', '5, discount => 1.0000000000000002', '5, discount => ''NaN''',
  '5, discount => 0.5, half_life => ''1 day''', '5, half_life => ''0''', '5, half_life => ''0.9 milliseconds''',
  '5, half_life => ''1 millisecond''', '5, half_life => ''31000 years''', '5, half_life => ''100000 years''',
  '5, memories => 0', '5, memories => 8', '5, memories => 9', '5, discount => 1, memories => 2',
  '5, noise => 1e-100', '5, noise => 9.9e-101', '5, noise => 1e100', '5, noise => 1.1e100', '5, noise => ''NaN''',
  '5, interactions => ''none''', '511, interactions => ''matched''', '512, interactions => ''matched''',
  '2000, 1023, interactions => ''matched''', '2000, 1024, interactions => ''matched''',
  '5, ridge => 1e-100', '5, ridge => 9.9e-101', '5, ridge => 1e100', '5, ridge => 1.1e100', '5, ridge => ''NaN''',
  '5, exploration => -1e-300', '5, exploration => 1e100', '5, exploration => 1.1e100', '5, exploration => NULL',
  '5, 2, projection_scale => 1e-10', '5, 2, projection_scale => 9.9e-11', '5, 2, projection_scale => 1e10',
  '5, 2, projection_scale => 1.1e10', '5, 2, projection_scale => ''NaN''']) AS arguments;
\set ECHO all
-- dlints_set changes the given parameters, and raises the same errors
SELECT ridge, exploration, noise, sigma, policy, discount
    FROM (VALUES (1, dlints_set(one_memory(2, NULL, 0.5, 3, 2), ridge => 7)),
  (2, dlints_set(one_memory(2, NULL, 0.5, 3, 2), exploration => 0)),
  (3, dlints_set(one_memory(2, NULL, 0.5, 3, 2), 1, 5, 0.25, 'ucb')),
  (4, dlints_set(one_memory(2, NULL, 0.5, 3, 2), noise => 0))) AS v (no, m), dlints_info(m)
    ORDER BY no;
SELECT arguments, fails(format('SELECT dlints_set(dlints_new(2), %s)', arguments))
  FROM unnest(ARRAY['ridge => ''NaN''', 'exploration => -1', 'policy => ''epsilon''', 'noise => 1e-101']) AS arguments;
-- hints
SELECT dlints_new(3, policy => 'epsilon');
SELECT NULL::dlints(5, 2, 1, 1);
DROP TABLE literal, sized, several;
