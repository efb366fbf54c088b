-- What the looking functions say about one model fits together, and every form of
-- a model reads back to the same value.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

CREATE TEMP TABLE trained AS SELECT name, n, s, m, dim, intercept FROM
  (SELECT name, n, s, dim, evidence(empty, 1, 70) AS m FROM kind UNION ALL
   SELECT 'n 33, d 33, scale 1', 33, 0, 33, evidence(one_memory(33, 33, 0.97, 0.3, 0.2, -9, 1), 1, 70)) AS k, LATERAL (SELECT intercept FROM dlints_info(m)) AS i;
-- other contexts, under shared contexts that come and go in one call site
CREATE TEMP TABLE probe AS SELECT name, i, context(i + 1000, n) AS x, shared(i, s) AS u FROM trained, generate_series(1, 20) AS i ORDER BY name, i;
CREATE TEMP TABLE seen AS
SELECT name, i, x, u, CASE WHEN u IS NULL THEN dlints_project(m, x) ELSE dlints_project(m, x, u) END AS z, CASE WHEN u IS NULL THEN dlints_predict(m, x) ELSE dlints_predict(m, x, u) END AS predict,
       CASE WHEN u IS NULL THEN dlints_stddev(m, x) ELSE dlints_stddev(m, x, u) END AS stddev, CASE WHEN u IS NULL THEN dlints_weights(m) ELSE dlints_weights(m, u) END AS weights,
       dlints_draw(m, i) AS draw, CASE WHEN u IS NULL THEN dlints_draw_weights(m, i) ELSE dlints_draw_weights(m, u, i) END AS draw_weights
FROM trained JOIN probe USING (name);

SELECT plan(29 * 7 + 10 + 7 + 1);

SELECT ok(bool_and(abs(predict - dot(dlints_mean(m), z)) < 1e-9 AND abs(predict - dlints_dot(weights, x) - CASE WHEN intercept THEN (dlints_mean(m))[dim] ELSE 0 END) < 1e-9), format('%s: predict = mean . z = weights . x', name))
FROM trained JOIN seen USING (name) GROUP BY name ORDER BY name;
SELECT ok(bool_and(abs(stddev ^ 2 / quadratic(dlints_covariance(m), z) - 1) < 1e-9), format('%s: stddev^2 = z'' covariance z', name)) FROM trained JOIN seen USING (name) GROUP BY name ORDER BY name;
SELECT ok(bool_and(abs(dlints_dot(draw_weights, x) + CASE WHEN intercept THEN draw[dim] ELSE 0 END - dot(draw, z)) < 1e-9), format('%s: weights score a context as the draw its reduced context', name))
FROM trained JOIN seen USING (name) GROUP BY name ORDER BY name;
SELECT ok((SELECT bool_and(c.index = k AND c.mean = (dlints_mean(m))[k] AND abs(c.stddev - sqrt((dlints_covariance(m))[k][k])) <= 1e-15 * c.stddev) AND count(*) = dim
           FROM dlints_coefficients(m) WITH ORDINALITY AS c (index, mean, stddev, k)), format('%s: coefficients', name)) FROM trained ORDER BY name;
SELECT ok(dlints_covariance(m) = transposed(dlints_covariance(m)) AND array_dims(dlints_covariance(m)) = format('[1:%1$s][1:%1$s]', dim) AND cardinality(dlints_draw(m)) = dim AND cardinality(z) = dim AND cardinality(dlints_mean(m)) = dim
          AND cardinality(weights) = n AND cardinality(draw_weights) = n AND jsonb_array_length(memory_in_use(m) -> 'G') = dim AND jsonb_array_length(memory_in_use(m) -> 'b') = dim, format('%s: shapes', name))
FROM trained JOIN seen USING (name) WHERE i = 1 ORDER BY name;
SELECT ok(same_bytes(m::text::dlints, m) AND same_bytes(m::jsonb::dlints, m) AND same_bytes(receive(dlints_send(m)), m) AND m::text::jsonb = m::jsonb
          AND m::text::dlints = m AND dlints_hash(m::text::dlints) = dlints_hash(m), format('%s: text, jsonb and binary read back to the same value', name))
FROM trained ORDER BY name;
SELECT is((dlints_info(m)).bytes, pg_column_size(dlints_set(m))::bigint, format('%s: the size is that of the value', name)) FROM trained ORDER BY name;

SELECT is((dlints_info(dlints_new(2, discount => 0.99999999999999, memories => 8))).windows[4:], ARRAY[9007199254740992, NULL, NULL, NULL, NULL]::float8[], 'a window too long for its discount is none');

-- info: every column of it
SELECT results_eq(format('SELECT * FROM dlints_info(%s)', model), format('VALUES (%s)', row), format('info: %s', model)) FROM (VALUES
  -- header 144 bytes, N, R, S, b 4 numbers, G and H 10 each
  ('dlints_update(one_memory(6, 4, 0.5, 2, 0.25, -3, 0.125), ARRAY[1, 2, 3, 4, 5, 6], 3)', '''thompson'', false, 1, 1, NULL::text, 6, 4, 0, 0.5::float8, NULL::interval, 2::float8, 0.25::float8, 1::float8, 0.125::float8, -3::bigint, 1::bigint,
    NULL::timestamptz, 1::float8, 1::float8, 3::float8, ARRAY[2]::float8[], ''The model remembers 2 observations and has 4 coordinates to learn from them: raise discount, or leave it out.'', 144::bigint + 8 * 27, 1'),
  ('one_memory(3, NULL, 1)', '''thompson'', false, 1, 1, NULL::text, 3, NULL::integer, 0, 1::float8, NULL::interval, 1::float8, 0.1::float8, 1::float8, NULL::float8, 0::bigint, 0::bigint, NULL::timestamptz, 1::float8, 0::float8, NULL::float8, ARRAY[NULL]::float8[], NULL::text, 144::bigint, 1'),
  -- the default scale is 1 / sqrt(reduced_dim)
  ('one_memory(9, 16, shared_dim => 2, intercept => true, policy => ''ucb'')', '''ucb'', true, 1, 1, ''crossed'', 9, 16, 2, 0.99::float8, NULL::interval, 1::float8, 0.1::float8, 1::float8, 0.25::float8, 0::bigint, 0::bigint, NULL::timestamptz, 1::float8, 0::float8, NULL::float8,
    ARRAY[100]::float8[], NULL::text, 144::bigint, 1'),
  -- by time; RSS = 25 - 20^2 / (16 + 9) = 9, of one observation; N, R, S, b, and G and H of the memory that forgets
  ('dlints_update(dlints_new(1, half_life => ''36 hours'', memories => 2, ridge => 9, intercept => false), ARRAY[4], 5, ''2026-01-02 03:04:05.678+00'')', '''thompson'', false, 2, 2, NULL::text, 1, NULL::integer, 0, NULL::float8, ''36:00''::interval, 9::float8, 0.25::float8, NULL::float8, NULL::float8, 0::bigint,
    1::bigint, ''2026-01-02 03:04:05.678+00''::timestamptz, 3::float8, 1::float8, 5::float8, ARRAY[NULL, NULL]::float8[], NULL::text, 144::bigint + 8 * (3 + 1 + 2 + 3 + 1 + 1), 1'),
  ('dlints_update(one_memory(2, discount => 1, intercept => true, interactions => ''matched''), ARRAY[1, 2], ''{}'', 3)', '''thompson'', true, 1, 1, ''matched'', 2, NULL::integer, 2, 1::float8, NULL::interval, 1::float8, 0.1::float8, 1::float8, NULL::float8, 0::bigint, 1::bigint,
    NULL::timestamptz, 1::float8, 1::float8, 3::float8, ARRAY[NULL]::float8[], NULL::text, 144::bigint + 8 * (3 + 6 + 21), 1'),
  ('one_memory(2, shared_dim => 3)', '''thompson'', false, 1, 1, ''crossed'', 2, NULL::integer, 3, 0.99::float8, NULL::interval, 1::float8, 0.1::float8, 1::float8, NULL::float8, 0::bigint, 0::bigint, NULL::timestamptz, 1::float8, 0::float8, NULL::float8,
    ARRAY[100]::float8[], NULL::text, 144::bigint, 1')) AS v (model, row) ORDER BY model;
-- dot products of each length around its partial sums, exact in integers
SELECT ok(bool_and(dlints_dot(w, x::real[]) = s AND dlints_dot(w, x) = s AND dlints_dot(w, x::numeric[]) = s), 'dot of 1 to 70 numbers') FROM
  (SELECT array_agg(k::float8 ORDER BY k), array_agg((3 - k)::float8 ORDER BY k), sum(k * (3 - k))::float8
   FROM generate_series(1, 70) AS len, generate_series(1, len) AS k GROUP BY len) AS v (w, x, s);
-- Z = diag(4, 1), b = (4, 0)
SELECT is(ARRAY[dlints_predict(m, ARRAY[2, 5]), dlints_stddev(m, ARRAY[2, 0]), dlints_stddev(m, ARRAY[0, 3])], ARRAY[2, 1, 3]::float8[], 'exact numbers')
FROM dlints_update_batch(one_memory(2, NULL, 1, 1), ARRAY[[1, 0], [1, 0], [1, 0]], ARRAY[1, 2, 1]) AS m;
SELECT is_empty('SELECT * FROM dlints_coefficients(NULL) UNION ALL SELECT context_dim, ridge, discount FROM dlints_info(NULL) WHERE context_dim > 0', 'nothing to see of nothing');
SELECT ok(dlints_mean(NULL) IS NULL AND dlints_weights(NULL) IS NULL AND dlints_covariance(NULL) IS NULL AND dlints_predict(m, NULL) IS NULL AND dlints_predict(NULL, x) IS NULL AND dlints_stddev(m, NULL) IS NULL
   AND dlints_project(m, NULL) IS NULL AND dlints_dot(NULL, x) IS NULL AND dlints_dot(x, NULL) IS NULL AND dlints_predict(m, x, NULL) IS NULL AND dlints_predict(m, NULL, x) IS NULL AND dlints_stddev(m, x, NULL) IS NULL
   AND dlints_project(m, x, NULL) IS NULL AND dlints_weights(m, NULL::float8[]) IS NULL AND dlints_draw_weights(m, NULL::float8[]) IS NULL AND NULL::dlints::jsonb IS NULL, 'looking is strict')
FROM one_memory(2) AS m, (SELECT ARRAY[1, 2]::float8[]) AS c (x);

-- extreme numbers survive every form
CREATE TEMP TABLE extreme AS
SELECT dlints_update_reduced(one_memory(3, NULL, 0.3, 1e-100, 1e100, 9223372036854775807), x, r) AS m
FROM (VALUES (ARRAY[1e50, 1e-150, -3.3333333333333335]::float8[], -1e50::float8), (ARRAY[1e-154, 0.1, 2.2250738585072014e-308], 1e-300), (ARRAY[0, 0, 0], 0),
             (ARRAY[9007199254740993, 0.30000000000000004, -1e-5], 123456789.12345679)) AS v (x, r);
SELECT ok(bool_and(same_bytes(m::text::dlints, m) AND same_bytes(m::jsonb::dlints, m) AND same_bytes(receive(dlints_send(m)), m)), 'extreme numbers: text, jsonb and binary') FROM extreme;
SELECT ok(bool_and(dlints_mean(m) IS NOT NULL AND dlints_draw(m) IS NOT NULL AND dlints_covariance(m) IS NOT NULL), 'and a posterior') FROM extreme;
SELECT ok(same_bytes(m::text::dlints, m) AND same_bytes(receive(dlints_send(m)), m) AND dlints_mean(m) IS NOT NULL AND dlints_draw(m) IS NOT NULL AND dlints_covariance(m) IS NOT NULL, format('extreme parameters: %s', no)) FROM (VALUES
  (1, dlints_update(one_memory(3, 2, 1e-100, 1e-100, 0, -9223372036854775808, 1e-10), ARRAY[1, 2, 3], 1)), (2, dlints_update(one_memory(3, 3, 1e-100, 1e100, 1e100, 9223372036854775807, 1e10), ARRAY[1, 2, 3], 1)),
  (3, dlints_update(one_memory(3, 3, projection_scale => 1e10, shared_dim => 2), ARRAY[1e50, -1e50, 1e50], ARRAY[1e50, 1e50], -1e50))) AS v (no, m) ORDER BY no;

-- a negative zero, which arithmetic does not leave but a binary value may bring, is a zero (byte 140 begins b)
SELECT ok(same_bytes(m::text::dlints, m), 'a negative zero') FROM (SELECT receive(overlay(dlints_send(dlints_update(one_memory(2), ARRAY[0, 0], 1)) PLACING '\x8000000000000000' FROM 140))) AS t (m);

-- numbers that fade to nothing become zero, and stay readable
SELECT ok(same_bytes(m::text::dlints, m) AND NOT m::text ~ 'e-3[12]', 'nothing subnormal is stored') FROM
  (SELECT dlints_update_reduced(one_memory(2, NULL, 1e-100), ARRAY[1e-60, 1e-110]::float8[], 1e-110) || dlints_update_reduced(one_memory(2, NULL, 1e-100), ARRAY[1e-160, 1e-155]::float8[], 1e-155)) AS t (m);

SELECT * FROM finish();
ROLLBACK;
