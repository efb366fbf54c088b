-- What the looking functions say about one model fits together.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

CREATE TEMP TABLE trained AS
SELECT name, n, d, dlints_update(dlints_new(n, d, discount, 0.3, 0.2, -9, kappa), xs, rs) AS m
FROM (VALUES ('n 20, d 6', 20, 6, 0.9::float8, NULL::float8), ('n 20, d 6, discount 1', 20, 6, 1, NULL), ('n 5', 5, NULL, 0.9, NULL),
             ('n 1', 1, NULL, 1, NULL), ('n 64, d 1', 64, 1, 0.99, 0.125), ('n 33, d 33', 33, 33, 0.97, 1)) AS s (name, n, d, discount, kappa),
     LATERAL (SELECT array_agg(context(i, n) ORDER BY i), array_agg(number(i, 321) ORDER BY i) FROM generate_series(1, 70) AS i) AS o (xs, rs);

SELECT plan(6 * 7 + 19);

SELECT ok(max(abs(dlints_predict(m, x) - dlints_dot(dlints_weights(m), x))) < 1e-12
          AND max(abs(dlints_predict(m, x) - dot(dlints_mean(m), dlints_project(m, x)))) < 1e-12, format('%s: predict = weights . x = mean . P x', name))
FROM trained, LATERAL (SELECT context(i, n) FROM generate_series(1000, 1009) AS i) AS c (x) GROUP BY name ORDER BY name;
SELECT ok(max(abs(dlints_stddev(m, x) ^ 2 - quadratic(dlints_covariance(m), dlints_project(m, x))) / dlints_stddev(m, x) ^ 2) < 1e-10, format('%s: stddev^2 = z'' covariance z', name))
FROM trained, LATERAL (SELECT context(i, n) FROM generate_series(1000, 1009) AS i) AS c (x) GROUP BY name ORDER BY name;
SELECT ok(difference(dlints_covariance(m), covariance_of(z_matrix(m), z_tilde_matrix(m))) < 1e-9
          AND dlints_covariance(m) = transposed(dlints_covariance(m)), format('%s: covariance = Z^-1 Z~ Z^-1, symmetric', name)) FROM trained ORDER BY name;
SELECT ok((SELECT bool_and(c.index = k AND c.mean = (dlints_mean(m))[k] AND abs(c.stddev - sqrt((dlints_covariance(m))[k][k])) <= 1e-15 * c.stddev) AND count(*) = coalesce(d, n)
           FROM dlints_coefficients(m) WITH ORDINALITY AS c (index, mean, stddev, k)), format('%s: coefficients', name)) FROM trained ORDER BY name;
SELECT ok(m::text::dlints::text = m::text AND same_bytes(m::text::dlints, m) AND same_bytes(m::jsonb::dlints, m) AND same_bytes(receive(dlints_send(m)), m), format('%s: text, jsonb and binary read back to the same value', name))
FROM trained ORDER BY name;
SELECT ok(m::text::jsonb = m::jsonb, format('%s: the jsonb form is the text form', name)) FROM trained ORDER BY name;
SELECT ok(difference(z_matrix(m), transposed(z_matrix(m))) = 0 AND jsonb_array_length(m::jsonb -> 'G') = coalesce(d, n) AND jsonb_array_length(m::jsonb -> 'b') = coalesce(d, n), format('%s: JSON shape', name))
FROM trained ORDER BY name;

-- info: every column of it
SELECT results_eq($$SELECT * FROM dlints_info(dlints_update(dlints_new(6, 4, 0.5, 2, 0.25, -3, 0.125), ARRAY[1, 2, 3, 4, 5, 6]::real[], 3))$$,
  -- header 128 bytes, b 4 numbers, G and H 10 each
  $$VALUES (6, 4, 0.5::float8, 2::float8, 0.25::float8, -3::bigint, 0.125::float8, 'thompson', 0, false, 1::bigint, 1::float8, 3::float8, 128::bigint + 8 * 24, 1)$$, 'info with projection');
SELECT results_eq($$SELECT * FROM dlints_info(dlints_new(3, NULL, 1))$$,
  $$VALUES (3, NULL::integer, 1::float8, 1::float8, 0.1::float8, 0::bigint, NULL::float8, 'thompson', 0, false, 0::bigint, 0::float8, NULL::float8, 128::bigint + 8 * (3 + 6), 1)$$, 'info without');
SELECT is((dlints_info(m)).bytes, pg_column_size(dlints_set(m))::bigint, format('%s: the size is that of the value', name)) FROM trained ORDER BY name;
SELECT is((dlints_info(dlints_new(100, 24))).projection_scale, (1 / sqrt(24::float8)), 'the default scale is 1/sqrt(reduced_dim)');
SELECT is(dlints_dot(ARRAY[1, 2, 3]::float8[], ARRAY[0.5, -1, 2]::real[]), 4.5::float8, 'dot of real[]');
SELECT is(dlints_dot(ARRAY[1, 2, 3]::float8[], ARRAY[0.5, -1, 2]::float8[]), 4.5::float8, 'dot of double precision[]');

-- dot products of each length around its partial sums, exact in integers
SELECT ok(bool_and(dlints_dot(w, x::real[]) = s AND dlints_dot(w, x) = s), 'dot of 1 to 70 numbers') FROM
  (SELECT array_agg(k::float8 ORDER BY k), array_agg((3 - k)::float8 ORDER BY k), sum(k * (3 - k))::float8
   FROM generate_series(1, 70) AS len, generate_series(1, len) AS k GROUP BY len) AS v (w, x, s);

-- extreme numbers survive every form
CREATE TEMP TABLE extreme AS
SELECT dlints_update_reduced(dlints_new(3, NULL, 0.3, 5e-324, 1.7976931348623157e308, 9223372036854775807), x, r) AS m
FROM (VALUES (ARRAY[1e150, 1e-150, -3.3333333333333335]::float8[], 1e154::float8), (ARRAY[1e-154, 0.1, 2.2250738585072014e-308], 1e-300), (ARRAY[0, 0, 0], 0),
             (ARRAY[9007199254740993, 0.30000000000000004, -1e-5], 123456789.12345679), (ARRAY[1.3407807929942596e154, 1, 1], 1)) AS v (x, r);
SELECT ok(bool_and(same_bytes(m::text::dlints, m)), 'extreme numbers: text') FROM extreme;
SELECT ok(bool_and(same_bytes(m::jsonb::dlints, m)), 'extreme numbers: jsonb') FROM extreme;
SELECT ok(bool_and(same_bytes(receive(dlints_send(m)), m)), 'extreme numbers: binary') FROM extreme;
SELECT ok(bool_and(dlints_mean(m) IS NOT NULL), 'extreme numbers: a mean') FROM extreme WHERE (m::jsonb -> 'b' ->> 0)::float8 < 1e100;
SELECT ok(same_bytes(dlints_new(3, 2, 1e-300, 1e-300, 0, -9223372036854775808)::text::dlints, dlints_new(3, 2, 1e-300, 1e-300, 0, -9223372036854775808)), 'extreme parameters');

-- a negative zero, which arithmetic does not leave but a binary value may bring, is a zero (byte 125 begins b)
SELECT ok(same_bytes(m::text::dlints, m), 'a negative zero') FROM (SELECT receive(overlay(dlints_send(dlints_new(2)) PLACING '\x8000000000000000' FROM 125))) AS t (m);

-- numbers that fade to nothing become zero, and stay readable
SELECT ok(same_bytes(m::text::dlints, m) AND NOT m::text ~ 'e-3[12]', 'nothing subnormal is stored') FROM
  (SELECT dlints_update_reduced(dlints_new(2, NULL, 1e-200), ARRAY[1e-60, 1e-100]::float8[], 1e-100) || dlints_update_reduced(dlints_new(2, NULL, 1e-200), ARRAY[1e-160, 1e-155]::float8[], 1e-155)) AS t (m);

SELECT * FROM finish();
ROLLBACK;
