-- Invalid input raises a specific error, and leaves the model unchanged.  The
-- results show the statements.
\pset format unaligned
\pset null NULL
\set ECHO none
CREATE TABLE model (name text, state dlints);
INSERT INTO model VALUES
  ('plain', dlints_update(one_memory(3, 2, 0.5, seed => 1), ARRAY[1, 2, 3], 1)),
  ('matched', dlints_update(
    one_memory(3, NULL, 0.5, seed => 1, interactions => 'matched', intercept => true),
    ARRAY[1, 2, 3], 1, ARRAY[1, -1, 2]));
CREATE TABLE before AS SELECT name, state::text FROM model;

-- "m" is a model without profiles, "s" one with profiles and an intercept
CREATE FUNCTION tried(no integer, statement text)
RETURNS TABLE (number integer, call text, result text) LANGUAGE sql AS
$$
SELECT no, regexp_replace(statement, '\n +', ' ', 'g'), fails(format(
  'SELECT %s FROM (SELECT (SELECT state FROM model WHERE name = ''plain'') AS m,
                          (SELECT state FROM model WHERE name = ''matched'') AS s) AS models',
  statement))
$$;

\echo == learn
SELECT call, result FROM (VALUES
  (1, $$dlints_update(m, ARRAY[1, 2], 1)$$),
  (2, $$dlints_update(m, ARRAY[1, 2, 3, 4]::real[], 1)$$),
  (3, $$dlints_update(m, '{}', 1)$$),
  (4, $$dlints_update(m, ARRAY[1, 'NaN', 3]::real[], 1)$$),
  (5, $$dlints_update(m, ARRAY[1, '-Infinity', 3]::float8[], 1)$$),
  (6, $$dlints_update(m, ARRAY[1, NULL, 3]::real[], 1)$$),
  (7, $$dlints_update(m, ARRAY[[1, 2, 3]], 1)$$),
  (8, $$dlints_update(m, ARRAY[1, 2, 3], 'NaN')$$),
  (9, $$dlints_update(m, ARRAY[1, 2, 3], '-Infinity')$$),
  (10, $$dlints_update(m, ARRAY[1.1e50, 0, 0]::float8[], 1)$$),
  (11, $$dlints_update(m, ARRAY[0, 0, -1e51], 1)$$),
  (12, $$dlints_update(m, ARRAY[1, 2, 3], 1e200)$$),
  (13, $$dlints_update(m, ARRAY[1, 2, 3]::varchar[], 1)$$),
  (14, $$dlints_update(m, '{1,2,x}', 1)$$),
  (15, $$dlints_update(m, ARRAY[1, 2, 3], 1, ARRAY[1, 2])$$),
  (16, $$dlints_update(m, ARRAY[1, 2, 3], 1, '{}')$$),
  (17, $$dlints_update(s, ARRAY[1, 2, 3], 1)$$),
  (18, $$dlints_update(s, ARRAY[1, 2], 1, ARRAY[1, 2, 3])$$),
  (19, $$dlints_update(s, ARRAY[1, 2, 3], 1, ARRAY[1])$$),
  (20, $$dlints_update(s, ARRAY[1, 2, 3], 1, '{}')$$),
  (21, $$dlints_update(s, ARRAY[1, 2, 3]::real[], 1, ARRAY[1, 2, 'NaN']::real[])$$),
  (22, $$dlints_update(s, ARRAY[1, 2, 3], 1, ARRAY[1, 2, 2e50])$$),
  (23, $$dlints_update(s, ARRAY[1, 2, 3], 1, ARRAY[1, 2, NULL])$$),
  (24, $$dlints_update(s, ARRAY[1, 2, 3], 1, ARRAY[[1, 2, 3]])$$),
  (30, $$dlints_update_batch(m, ARRAY[[1, 2, 3], [4, 5, 6]], ARRAY[1])$$),
  (31, $$dlints_update_batch(m, ARRAY[[1, 2], [3, 4]], ARRAY[1, 2])$$),
  (32, $$dlints_update_batch(m, ARRAY[1, 2, 3], ARRAY[1])$$),
  (33, $$dlints_update_batch(m, ARRAY[[[1, 2, 3]]], ARRAY[1])$$),
  (34, $$dlints_update_batch(m, ARRAY[[1, 2, 3], [4, 5, 6]], ARRAY[[1, 2]])$$),
  (35, $$dlints_update_batch(m, ARRAY[[1, 2, 3], [4, NULL, 6]], ARRAY[1, 2])$$),
  (36, $$dlints_update_batch(m, ARRAY[[1, 2, 3], [4, 5, 6]], ARRAY[1, NULL])$$),
  (37, $$dlints_update_batch(m, ARRAY[[1, 2, 3], [4, 5, 6]], ARRAY[1, 'NaN']::float8[])$$),
  (38, $$dlints_update_batch(m, '{}', ARRAY[1])$$),
  (39, $$dlints_update_batch(m, ARRAY[[1, 2, 3]], '{}')$$),
  (40, $$dlints_update_batch(m,
    (SELECT array_agg(ARRAY[1, 2, CASE i WHEN 200 THEN 'Infinity' ELSE '3' END]::float8[])
    FROM generate_series(1, 200) AS i), array_fill(1::float8, ARRAY[200]))$$),
  (41, $$dlints_update_batch(m,
    (SELECT array_agg(ARRAY[1, 2, i]) FROM generate_series(1, 200) AS i),
    array_fill(1::float8, ARRAY[199]) || 2e50::float8)$$),
  (42, $$dlints_update_batch(m, ARRAY[[1, 2, 3]], ARRAY[1], ARRAY[[1, 2]])$$),
  (43, $$dlints_update_batch(s, ARRAY[[1, 2, 3]], ARRAY[1])$$),
  (44, $$dlints_update_batch(s, ARRAY[[1, 2, 3], [4, 5, 6]], ARRAY[1, 2], ARRAY[[1, 2, 3]])$$),
  (45, $$dlints_update_batch(s, ARRAY[[1, 2, 3]], ARRAY[1], ARRAY[[1, 2]])$$),
  (46, $$dlints_update_batch(s, ARRAY[[1, 2, 3]], ARRAY[1], ARRAY[1, 2])$$),
  (47, $$dlints_update_batch(s, ARRAY[[1, 2, 3]], ARRAY[1], ARRAY[[1, 2, NULL]])$$),
  (48, $$dlints_update_batch(s, ARRAY[[1, 2, 3]], ARRAY[1], ARRAY[[1, 2, 'Infinity']]::float8[])$$),
  (49, $$dlints_update_batch(s, '{}', '{}'::float8[], ARRAY[[1, 2, 3]])$$),
  (60, $$(SELECT dlints_evidence(m, ARRAY[1, 2, 3]::real[],
    CASE i WHEN 70 THEN 'NaN'::float8 ELSE 1 END) FROM generate_series(1, 100) AS i)$$),
  (61, $$(SELECT dlints_evidence(m,
    CASE i WHEN 70 THEN ARRAY[1, 2]::real[] ELSE ARRAY[1, 2, 3]::real[] END, 1)
    FROM generate_series(1, 100) AS i)$$),
  (62,
    $$(SELECT dlints_evidence(m, ARRAY[1, 2, NULL]::real[], i) FROM generate_series(1, 1) AS i)$$),
  (63, $$(SELECT dlints_evidence(m, ARRAY[1, 2, 1e60]::float8[], i)
    FROM generate_series(1, 1) AS i)$$),
  (64,
    $$(SELECT dlints_evidence(m, ARRAY[[1, 2, 3]]::real[], i) FROM generate_series(1, 1) AS i)$$),
  (65, $$(SELECT dlints_evidence(s, ARRAY[1, 2, 3]::real[], i) FROM generate_series(1, 1) AS i)$$),
  (66, $$(SELECT dlints_evidence(s, ARRAY[1, 2, 3]::real[], i, ARRAY[1]::real[])
    FROM generate_series(1, 1) AS i)$$),
  (67, $$(SELECT dlints_evidence(e, ARRAY[1, 2, 3]::real[], 1)
    FROM (VALUES (m), (one_memory(3, 2, 0.25, seed => 1))) AS v (e))$$)
) AS v (no, statement), LATERAL tried(no, statement) ORDER BY number;

\echo == histories that do not fit together, or together are too much
SELECT call, result FROM (VALUES
  (1, $$m || one_memory(4, 2, 0.5, seed => 1)$$),
  (2, $$m || one_memory(3, 3, 0.5, seed => 1)$$),
  (3, $$m || one_memory(3, NULL, 0.5, seed => 1)$$),
  (4, $$one_memory(2, NULL, 0.5) || one_memory(2, 2, 0.5)$$),
  (5, $$m || one_memory(3, 2, 0.25, seed => 1)$$),
  (6, $$m || one_memory(3, 2, 0.5, seed => 2)$$),
  (7, $$m || one_memory(3, 2, 0.5, seed => 1, projection_scale => 1)$$),
  (8, $$s || one_memory(3, 2, 0.5, seed => 1, interactions => 'matched', intercept => true)$$),
  (9, $$s || m$$),
  (10, $$one_memory(3, NULL, 0.5, seed => 1, interactions => 'matched') || s$$),
  (11, $$(SELECT dlints_concat_agg(e)
    FROM (VALUES (m), (one_memory(3, 2, 0.5, seed => 2))) AS v (e))$$),
  (12, $$(m::jsonb || '{"updates": 9223372036854775807}')::dlints || m$$),
  (13,
    $$dlints_update((m::jsonb || '{"updates": 9223372036854775807}')::dlints, ARRAY[1, 2, 3], 1)$$),
  (14, $$jsonb_set(m::jsonb, '{evidence,0,reward_sum}', '1.7e308')::dlints
    || jsonb_set(m::jsonb, '{evidence,0,reward_sum}', '1.7e308')::dlints$$)
) AS v (no, statement), LATERAL tried(no, statement) ORDER BY number;

\echo == choose and look
SELECT call, result FROM (VALUES
  (1, $$dlints_recommend(m, 1, ARRAY[1, 2]::real[])$$),
  (2, $$dlints_recommend(m, 1, ARRAY[1, 2, 'NaN']::real[])$$),
  (3, $$dlints_recommend(m, 1, ARRAY[1, NULL, 3]::float8[])$$),
  (4, $$dlints_recommend(m, 1, ARRAY[[1, 2, 3]]::real[])$$),
  (5, $$dlints_recommend(m, 1, ARRAY[1, 2, 3]::real[], 0)$$),
  (6, $$dlints_recommend(m, 1, ARRAY[1, 2, 3]::float8[], -9223372036854775808)$$),
  (7, $$dlints_recommend(m, 1, ARRAY[1, 2, 3]::real[], NULL::integer)$$),
  (8, $$dlints_recommend(m, ARRAY[1], ARRAY[1, 2, 3]::real[], 1)$$),
  (9,
    $$(SELECT dlints_recommend(m, i, ARRAY[1, 2, 3]::real[], i) FROM generate_series(1, 2) AS i)$$),
  (10, $$(SELECT dlints_recommend(e, 1, ARRAY[1, 2, 3]::real[], 2)
    FROM (VALUES (m), (one_memory(3))) AS v (e))$$),
  (11, $$dlints_recommend(m, 1, ARRAY[1, 2, 3]::real[], 2, ARRAY[1]::real[])$$),
  (12, $$dlints_recommend(s, 1, ARRAY[1, 2, 3]::real[])$$),
  (13, $$dlints_recommend(s, 1, ARRAY[1, 2, 3]::real[], 1, ARRAY[1]::real[])$$),
  (14, $$dlints_recommend(s, 1, ARRAY[1, 2]::real[], 2, ARRAY[1, 2, 3]::real[])$$),
  (15, $$dlints_recommend(s, 1, ARRAY[1, 2, 3]::float8[], 1, ARRAY[1, 2, 'NaN']::float8[])$$),
  (16, $$(SELECT dlints_recommend(s, i, ARRAY[1, 2, 3]::real[], 1, ARRAY[1, 2, i]::real[])
    FROM generate_series(1, 2) AS i)$$),
  (17, $$(SELECT dlints_recommend(s, i, ARRAY[1, 2, 3]::real[], 1,
    CASE i WHEN 1 THEN '{1,2}'::real[] ELSE '{1,2,3}' END) FROM generate_series(1, 2) AS i)$$),
  (30, $$dlints_dot(ARRAY[1, 2], ARRAY[1])$$),
  (31, $$dlints_dot(ARRAY[1, 'NaN']::float8[], ARRAY[1, 2])$$),
  (32, $$dlints_dot(ARRAY[1, 2], ARRAY[1, '-Infinity']::float8[])$$),
  (33, $$dlints_dot(ARRAY[1, NULL], ARRAY[1, 2])$$),
  (34, $$dlints_dot(ARRAY[1, 2], ARRAY[NULL, 2]::real[])$$),
  (35, $$dlints_dot(ARRAY[[1, 2]], ARRAY[1, 2])$$),
  (36, $$dlints_dot(ARRAY[1, 2], ARRAY[[1], [2]])$$),
  (37, $$dlints_dot(ARRAY[1e300], ARRAY[1e300]::float8[])$$),
  (38, $$dlints_dot(ARRAY[0], ARRAY['Infinity']::float8[])$$),
  (40, $$dlints_predict(m, ARRAY[1, 2])$$),
  (41, $$dlints_predict(m, ARRAY[1, 2, 'NaN']::float8[])$$),
  (42, $$dlints_predict(m, ARRAY[1, 2, NULL])$$),
  (43, $$dlints_predict(m, ARRAY[1, 2, 3], ARRAY[1])$$),
  (44, $$dlints_predict(s, ARRAY[1, 2, 3])$$),
  (45, $$dlints_predict(s, ARRAY[1, 2, 3], ARRAY[1])$$),
  (46, $$dlints_stddev(m, ARRAY[1])$$),
  (47, $$dlints_stddev(s, ARRAY[1, 2, 3])$$),
  (48, $$dlints_stddev(m, ARRAY[1e50, 1e50, 1e50])$$),
  (49, $$dlints_stddev(m, ARRAY[1e300, 1e300, 1e300])$$),
  (50, $$dlints_project(m, ARRAY[1, 2, 3, 4])$$),
  (51, $$dlints_project(s, ARRAY[1, 2, 3], ARRAY[1, 2, 1e51])$$),
  (52, $$dlints_project(m, ARRAY[1e51, 0, 0])$$),
  (53, $$dlints_weights(m, ARRAY[1, 2])$$),
  (54, $$dlints_weights(s)$$),
  (55, $$dlints_weights(s, ARRAY[1, 2])$$),
  (56, $$dlints_weights(s, ARRAY[1, 2, 'Infinity']::float8[])$$),
  (57, $$dlints_draw_weights(m, ARRAY[1, 2])$$),
  (58, $$dlints_draw_weights(s)$$),
  (59, $$dlints_draw_weights(s, seed => 7)$$),
  (60, $$dlints_draw_weights(s, ARRAY[1], 7)$$),
  (61, $$dlints_draw_weights(s, ARRAY[[1, 2, 3]], 7)$$),
  (70, $$dlints_mean(jsonb_set(dlints_update(one_memory(2), ARRAY[1, 1], 1)::jsonb,
    '{evidence,0,G}', '[[0], [9, 0]]')::dlints)$$),
  (71, $$dlints_draw(jsonb_set(dlints_update(one_memory(2), ARRAY[1, 1], 1)::jsonb,
    '{evidence,0,H}', '[[0], [9, 0]]')::dlints)$$)
) AS v (no, statement), LATERAL tried(no, statement) ORDER BY number;

\echo == nothing of this has changed a model, or keeps it from learning
SELECT name, m.state::text = b.state AS unchanged, updates FROM model m JOIN before b USING (name),
  LATERAL (
    SELECT CASE name WHEN 'plain' THEN dlints_update(m.state, ARRAY[1, 2, 3],
    1) ELSE dlints_update(m.state, ARRAY[1, 2, 3], 1, ARRAY[1, 2, 3]) END) AS u (n), dlints_info(n)
    ORDER BY name;

\echo == binary values, which come through binary COPY
CREATE TABLE received (state dlints);
CREATE FUNCTION receives(value bytea) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	file bytea := '\x5047434f50590aff0d0a0000000000000000000001'::bytea
		|| decode(lpad(to_hex(length(value)), 8, '0'), 'hex') || value || '\xffff'::bytea;
	octal text := (
    SELECT string_agg('\' || (byte >> 6) || ((byte >> 3) & 7) || (byte & 7), '' ORDER BY i)
	               FROM generate_series(0, length(file) - 1) AS i, get_byte(file, i) AS byte);
BEGIN
	TRUNCATE received;
	RETURN fails(format('COPY received FROM PROGRAM %L (FORMAT binary)', 'printf ''' || octal
    || ''''));
END
$$;
CREATE TABLE sent AS SELECT dlints_send(state) AS v, dlints_send(one_memory(3, 2)) AS empty,
  dlints_send(one_memory(3)) AS plain FROM model WHERE name = 'plain';
SELECT length(v), receives(v) FROM sent;
SELECT state = (SELECT state FROM model WHERE name = 'plain') AS same FROM received;
-- where the fields are: version 0, policy 2, intercept 3, memories 4, memory 5, interactions 6,
-- dim 7, reduced_dim 11, profile_dim 15, discount 19, half_life 27, ridge 35,
-- exploration 43, noise 51, scale 59, seed 67, updates 75, newest 83, reference 91, sigma 99,
-- chosen 107, weights 115, rewards 123, squares 131, b 139, G 155, H 179, end 203
SELECT what, receives(CASE WHEN at IS NULL THEN bytes ELSE overlay(v PLACING bytes FROM at + 1) END)
FROM sent, LATERAL (VALUES
  (1, 'empty', NULL, ''::bytea),
  (2, 'one byte', NULL, '\x00'),
  (3, 'a header only', NULL, substr(v, 1, 163)),
  (4, 'a header cut short', NULL, substr(v, 1, 162)),
  (5, 'cut short by a byte', NULL, substr(v, 1, length(v) - 1)),
  (6, 'cut short by a number', NULL, substr(v, 1, length(v) - 8)),
  (7, 'a byte more', NULL, v || '\x00'::bytea),
  (8, 'a number more', NULL, v || '\x0000000000000000'::bytea),
  (9, 'version 0', 0, '\x0000'),
  (10, 'version 2', 0, '\x0002'),
  (11, 'policy 3', 2, '\x03'),
  (12, 'policy 255', 2, '\xff'),
  (13, 'an intercept, which has more numbers', 3, '\x01'),
  (14, 'intercept 2', 3, '\x02'),
  (15, 'dim 0', 7, '\x00000000'),
  (16, 'dim -1', 7, '\xffffffff'),
  (17, 'dim 65537', 7, '\x00010001'),
  (18, 'reduced_dim -1', 11, '\xffffffff'),
  (19, 'reduced_dim 0, with a scale', 11, '\x00000000'),
  (20, 'reduced_dim 3', 11, '\x00000003'),
  (21, 'reduced_dim above dim', 11, '\x00000004'),
  (22, 'reduced_dim huge', 11, '\x7fffffff'),
  (23, 'the largest sizes', 7, '\x0001000000000400'),
  (24, 'profile_dim -1', 15, '\xffffffff'),
  (25, 'profile_dim 3', 15, '\x00000003'),
  (26, 'discount 0', 19, '\x0000000000000000'),
  (27, 'discount NaN', 19, '\x7ff8000000000000'),
  (28, 'discount 2', 19, '\x4000000000000000'),
  (29, 'discount 1, which has no H', 19, '\x3ff0000000000000'),
  (30, 'ridge -1', 35, '\xbff0000000000000'),
  (31, 'ridge NaN', 35, '\x7ff8000000000000'),
  (32, 'ridge 1.8e308', 35, '\x7fefffffffffffff'),
  (88, 'lambda 2, ridge 1', 43, '\x4000000000000000'),
  (89, 'prior_weight 1, without a prior', 67, '\x3ff0000000000000'),
  (90, 'a total of weights of -1', 131, '\xbff0000000000000'),
  (33, 'exploration infinite', 51, '\x7ff0000000000000'),
  (34, 'scale 0', 75, '\x0000000000000000'),
  (35, 'updates -1', 91, '\xffffffffffffffff'),
  (36, 'updates 0', 91, '\x0000000000000000'),
  (37, 'weights NaN', 163, '\x7ff8000000000000'),
  (38, 'weights -1', 163, '\xbff0000000000000'),
  (39, 'rewards infinite', 171, '\xfff0000000000000'),
  (40, 'squares -1', 179, '\xbff0000000000000'),
  (41, 'NaN in b', 195, '\xfff8000000000001'),
  (42, 'infinity in G', 211, '\x7ff0000000000000'),
  (43, 'NaN in H', 243, '\x7ff8000000000000'),
  (50, 'nothing learned', NULL, empty),
  (51, 'updates 1, without evidence', NULL, overlay(empty PLACING '\x0000000000000001' FROM 92)),
  (57, 'updates -1, without evidence', NULL, overlay(empty PLACING '\xffffffffffffffff' FROM 92)),
  (52, 'chosen 1, nothing learned', NULL, overlay(empty PLACING '\x0000000000000001' FROM 124)),
  (53, 'zeros behind it', NULL, empty || decode(repeat('00', 64), 'hex')),
  (54, 'a header cut short', NULL, substr(empty, 1, 162)),
  (55, 'a scale without projection', NULL, overlay(plain PLACING '\x3ff0000000000000' FROM 76)),
  (56, 'profile_dim without projection', NULL, overlay(plain PLACING '\x00000001' FROM 16)),
  (59, 'matched, with no profile_dim', 6, '\x01'),
  (79, 'interactions 2', 6, '\x02'),
  (80, 'interactions 255', 6, '\xff'),
  (82, 'matched, which has more numbers', NULL,
    overlay(overlay(v PLACING '\x01' FROM 7) PLACING '\x00000003' FROM 16)),
  (84, 'matched, nothing learned', NULL,
    overlay(overlay(empty PLACING '\x01' FROM 7) PLACING '\x00000003' FROM 16)),
  (85, 'matched with another length', NULL,
    overlay(overlay(empty PLACING '\x01' FROM 7) PLACING '\x00000002' FROM 16)),
  (87, 'profile_dim without interactions', NULL, overlay(empty PLACING '\x00000002' FROM 16)),
  (60, 'memories 0', 4, '\x00'),
  (61, 'memories 2, which have more numbers', 4, '\x02'),
  (62, 'memories 9', 4, '\x09'),
  (63, 'memory 0', 5, '\x00'),
  (64, 'memory 2', 5, '\x02'),
  (65, 'half_life 1 next to a discount', 27, '\x3ff0000000000000'),
  (66, 'half_life NaN', 27, '\x7ff8000000000000'),
  (67, 'by time, newest unknown', 19, '\x00000000000000003ff0000000000000'),
  (68, 'noise NaN', 59, '\x7ff8000000000000'),
  (69, 'noise -1', 59, '\xbff0000000000000'),
  (70, 'noise 2, sigma 1', 59, '\x4000000000000000'),
  (71, 'newest, by count', 99, '\x0000000000000000'),
  (72, 'reference 1, without an intercept', 107, '\x3ff0000000000000'),
  (73, 'reference NaN', 107, '\x7ff8000000000000'),
  (74, 'sigma NaN', 115, '\x7ff8000000000000'),
  (75, 'sigma 0', 115, '\x0000000000000000'),
  (76, 'chosen 2 of 1', 123, '\x0000000000000002'),
  (77, 'chosen -1', 123, '\xffffffffffffffff'),
  (78, 'by time, newest infinite', 19, '\x00000000000000003ff0000000000000' || substr(v, 36, 64)
    || '\x7fffffffffffffff')
) AS c (no, what, at, bytes) ORDER BY no;
ALTER TABLE received ALTER state TYPE dlints(3, 3);
SELECT receives(v) AS sizes_of_a_column FROM sent;

\echo == settings
SELECT setting, left(fails(setting), 5) AS result
  FROM unnest(ARRAY['SET dlints.model_cache_size = -1', 'SET dlints.model_cache_size = ''much''',
  'SET dlints.projection_cache_size = -1', 'SET dlints.factors_memory = 1023']) AS setting;
SHOW dlints.model_cache_size;
SHOW dlints.factors_memory;
SHOW dlints.projection_cache_size;
\echo == a hint
SELECT dlints_predict(one_memory(1), ARRAY[1], ARRAY[1]);
\set ECHO all
DROP FUNCTION tried, receives, one_memory;
DROP TABLE model, before, received, sent;
