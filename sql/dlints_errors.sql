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
  (4, $$dlints_update(m, ARRAY[1, 'NaN', 3]::real[], 1)$$),
  (5, $$dlints_update(m, ARRAY[1, '-Infinity', 3]::float8[], 1)$$),
  (6, $$dlints_update(m, ARRAY[1, NULL, 3]::real[], 1)$$),
  (7, $$dlints_update(m, ARRAY[[1, 2, 3]], 1)$$),
  (8, $$dlints_update(m, ARRAY[1, 2, 3], 'NaN')$$),
  (10, $$dlints_update(m, ARRAY[1.1e50, 0, 0]::float8[], 1)$$),
  (12, $$dlints_update(m, ARRAY[1, 2, 3], 1e200)$$),
  (15, $$dlints_update(m, ARRAY[1, 2, 3], 1, ARRAY[1, 2])$$),
  (17, $$dlints_update(s, ARRAY[1, 2, 3], 1)$$),
  (18, $$dlints_update(s, ARRAY[1, 2], 1, ARRAY[1, 2, 3])$$),
  (19, $$dlints_update(s, ARRAY[1, 2, 3], 1, ARRAY[1])$$),
  (21, $$dlints_update(s, ARRAY[1, 2, 3]::real[], 1, ARRAY[1, 2, 'NaN']::real[])$$),
  (30, $$dlints_update_batch(m, ARRAY[[1, 2, 3], [4, 5, 6]], ARRAY[1])$$),
  (31, $$dlints_update_batch(m, ARRAY[[1, 2], [3, 4]], ARRAY[1, 2])$$),
  (32, $$dlints_update_batch(m, ARRAY[1, 2, 3], ARRAY[1])$$),
  (34, $$dlints_update_batch(m, ARRAY[[1, 2, 3], [4, 5, 6]], ARRAY[[1, 2]])$$),
  (36, $$dlints_update_batch(m, ARRAY[[1, 2, 3], [4, 5, 6]], ARRAY[1, NULL])$$),
  (37, $$dlints_update_batch(m, ARRAY[[1, 2, 3], [4, 5, 6]], ARRAY[1, 'NaN']::float8[])$$),
  (40, $$dlints_update_batch(m,
    (SELECT array_agg(ARRAY[1, 2, CASE i WHEN 200 THEN 'Infinity' ELSE '3' END]::float8[])
    FROM generate_series(1, 200) AS i), array_fill(1::float8, ARRAY[200]))$$),
  (42, $$dlints_update_batch(m, ARRAY[[1, 2, 3]], ARRAY[1], ARRAY[[1, 2]])$$),
  (44, $$dlints_update_batch(s, ARRAY[[1, 2, 3], [4, 5, 6]], ARRAY[1, 2], ARRAY[[1, 2, 3]])$$),
  (45, $$dlints_update_batch(s, ARRAY[[1, 2, 3]], ARRAY[1], ARRAY[[1, 2]])$$),
  (46, $$dlints_update_batch(s, ARRAY[[1, 2, 3]], ARRAY[1], ARRAY[1, 2])$$),
  (60, $$(SELECT dlints_evidence(m, ARRAY[1, 2, 3]::real[],
    CASE i WHEN 70 THEN 'NaN'::float8 ELSE 1 END) FROM generate_series(1, 100) AS i)$$),
  (61, $$(SELECT dlints_evidence(m,
    CASE i WHEN 70 THEN ARRAY[1, 2]::real[] ELSE ARRAY[1, 2, 3]::real[] END, 1)
    FROM generate_series(1, 100) AS i)$$),
  (66, $$(SELECT dlints_evidence(s, ARRAY[1, 2, 3]::real[], i, ARRAY[1]::real[])
    FROM generate_series(1, 1) AS i)$$),
  (67, $$(SELECT dlints_evidence(e, ARRAY[1, 2, 3]::real[], 1)
    FROM (VALUES (m), (one_memory(3, 2, 0.25, seed => 1))) AS v (e))$$)
) AS v (no, statement), LATERAL tried(no, statement) ORDER BY number;

\echo == histories that do not fit together, or together are too much
SELECT call, result FROM (VALUES
  (1, $$m || one_memory(4, 2, 0.5, seed => 1)$$),
  (3, $$m || one_memory(3, NULL, 0.5, seed => 1)$$),
  (5, $$m || one_memory(3, 2, 0.25, seed => 1)$$),
  (6, $$m || one_memory(3, 2, 0.5, seed => 2)$$),
  (7, $$m || one_memory(3, 2, 0.5, seed => 1, projection_scale => 1)$$),
  (9, $$s || m$$),
  (15, $$dlints_new(2, memories => 3) || dlints_new(2, memories => 2)$$),
  (16, $$dlints_new(2, half_life => '1 day') || dlints_new(2, half_life => '2 days')$$),
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
  (4, $$dlints_recommend(m, 1, ARRAY[[1, 2, 3]]::real[])$$),
  (5, $$dlints_recommend(m, 1, ARRAY[1, 2, 3]::real[], 0)$$),
  (7, $$dlints_recommend(m, 1, ARRAY[1, 2, 3]::real[], NULL::integer)$$),
  (8, $$dlints_recommend(m, ARRAY[1], ARRAY[1, 2, 3]::real[], 1)$$),
  (9,
    $$(SELECT dlints_recommend(m, i, ARRAY[1, 2, 3]::real[], i) FROM generate_series(1, 2) AS i)$$),
  (10, $$(SELECT dlints_recommend(e, 1, ARRAY[1, 2, 3]::real[], 2)
    FROM (VALUES (m), (one_memory(3))) AS v (e))$$),
  (11, $$dlints_recommend(m, 1, ARRAY[1, 2, 3]::real[], 2, ARRAY[1]::real[])$$),
  (14, $$dlints_recommend(s, 1, ARRAY[1, 2]::real[], 2, ARRAY[1, 2, 3]::real[])$$),
  (16, $$(SELECT dlints_recommend(s, i, ARRAY[1, 2, 3]::real[], 1, ARRAY[1, 2, i]::real[])
    FROM generate_series(1, 2) AS i)$$),
  (17, $$(SELECT dlints_recommend(s, i, ARRAY[1, 2, 3]::real[], 1,
    CASE i WHEN 1 THEN '{1,2}'::real[] ELSE '{1,2,3}' END) FROM generate_series(1, 2) AS i)$$),
  (30, $$dlints_dot(ARRAY[1, 2], ARRAY[1])$$),
  (31, $$dlints_dot(ARRAY[1, 'NaN']::float8[], ARRAY[1, 2])$$),
  (33, $$dlints_dot(ARRAY[1, NULL], ARRAY[1, 2])$$),
  (35, $$dlints_dot(ARRAY[[1, 2]], ARRAY[1, 2])$$),
  (36, $$dlints_dot(ARRAY[1, 2], ARRAY[[1], [2]])$$),
  (37, $$dlints_dot(ARRAY[1e300], ARRAY[1e300]::float8[])$$),
  (40, $$dlints_predict(m, ARRAY[1, 2])$$),
  (43, $$dlints_predict(m, ARRAY[1, 2, 3], ARRAY[1])$$),
  (48, $$dlints_stddev(m, ARRAY[1e50, 1e50, 1e50])$$),
  (49, $$dlints_stddev(m, ARRAY[1e300, 1e300, 1e300])$$),
  (53, $$dlints_weights(m, ARRAY[1, 2])$$),
  (70, $$dlints_mean(jsonb_set(dlints_update(one_memory(2), ARRAY[1, 1], 1)::jsonb,
    '{evidence,0,G}', '[[0], [9, 0]]')::dlints)$$)
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
CREATE TABLE sent AS SELECT dlints_send(state) AS v, dlints_send(one_memory(3, 2)) AS empty
  FROM model WHERE name = 'plain';
SELECT length(v), receives(v) FROM sent;
SELECT state = (SELECT state FROM model WHERE name = 'plain') AS same FROM received;
-- Offsets of fields: version 0, policy 2, intercept 3, memories 4, interactions 6, reduced_dim 11, profile_dim 15,
-- discount 19, lambda 43, updates 91, newest 99, totals 131, b 195
SELECT what, receives(CASE WHEN at IS NULL THEN bytes ELSE overlay(v PLACING bytes FROM at + 1) END)
FROM sent, LATERAL (VALUES
  (1, 'empty', NULL, ''::bytea),
  (3, 'a header only', NULL, substr(v, 1, 163)),
  (5, 'cut short by a byte', NULL, substr(v, 1, length(v) - 1)),
  (7, 'a byte more', NULL, v || '\x00'::bytea),
  (10, 'version 2', 0, '\x0002'),
  (11, 'policy 3', 2, '\x03'),
  (14, 'intercept 2', 3, '\x02'),
  (18, 'reduced_dim -1', 11, '\xffffffff'),
  (22, 'reduced_dim huge', 11, '\x7fffffff'),
  (24, 'profile_dim -1', 15, '\xffffffff'),
  (88, 'lambda 2, ridge 1', 43, '\x4000000000000000'),
  (90, 'a total of weights of -1', 131, '\xbff0000000000000'),
  (41, 'NaN in b', 195, '\xfff8000000000001'),
  (50, 'nothing learned', NULL, empty),
  (51, 'updates 1, without evidence', NULL, overlay(empty PLACING '\x0000000000000001' FROM 92)),
  (57, 'updates -1, without evidence', NULL, overlay(empty PLACING '\xffffffffffffffff' FROM 92)),
  (53, 'zeros behind it', NULL, empty || decode(repeat('00', 64), 'hex')),
  (79, 'interactions 2', 6, '\x02'),
  (82, 'matched, which has more numbers', NULL,
    overlay(overlay(v PLACING '\x01' FROM 7) PLACING '\x00000003' FROM 16)),
  (61, 'memories 2, which have more numbers', 4, '\x02'),
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
