-- Results of the inspection functions agree, and every form of a model reads back to the same value.
\ir include/helpers.sql

CREATE TEMP TABLE trained AS
SELECT name, n, s, size, intercept, m, dlints_mean(m) AS mean, dlints_covariance(m) AS covariance
FROM (SELECT name, n, s, z AS size, evidence(empty, 1, 70) AS m FROM kind
      UNION ALL
      SELECT 'n 33, d 33, scale 1', 33, 0, 33, evidence(one_memory(33, 33, 0.97, 0.3, 0.2, -9, 1), 1, 70)) AS k,
     LATERAL (SELECT intercept FROM dlints_info(m)) AS i;
-- other features, with changing profiles at one call site
CREATE TEMP TABLE probe AS
SELECT name, i, m, features(i + 1000, n) AS x, profile(i, s) AS u
FROM trained, generate_series(1, 20) AS i ORDER BY name, i;
CREATE TEMP TABLE seen AS
SELECT name, i, x,
       dlints_project(m, x, u) AS z, dlints_predict(m, x, u) AS predict,
       dlints_stddev(m, x, u) AS stddev, dlints_weights(m, u) AS weights,
       dlints_draw(m, i) AS draw, dlints_draw_weights(m, u, i) AS draw_weights
FROM probe;

SELECT count(*) AS models FROM trained \gset
SELECT plan(7 * :models + 1 + 6 + 2 + 3 + 2 + 7);

SELECT cmp_ok(error, '<', 1e-9::float8, format('%s: %s', name, what))
FROM (SELECT name, max(abs(predict - dot(mean, z))) AS mean,
             max(abs(predict - dlints_dot(weights, x) - CASE WHEN intercept THEN mean[size] ELSE 0 END)) AS weights,
             max(abs(stddev ^ 2 / quadratic(covariance, z) - 1)) AS stddev,
             max(abs(dlints_dot(draw_weights, x) + CASE WHEN intercept THEN draw[size] ELSE 0 END
                     - dot(draw, z))) AS draw
      FROM trained JOIN seen USING (name) GROUP BY name) AS e,
     LATERAL (VALUES
	('predict = mean . z', mean), ('predict = weights . x', weights),
	('stddev^2 = z'' covariance z', stddev),
	('weights score features as the draw their reduced ones', draw)) AS v (what, error)
ORDER BY name, what;
SELECT ok(covariance = transposed(covariance)
          AND array_dims(covariance) = format('[1:%1$s][1:%1$s]', size)
          AND size = ALL (ARRAY[cardinality(mean), cardinality(z), cardinality(draw),
                               jsonb_array_length(memory_in_use(m) -> 'G'),
                               jsonb_array_length(memory_in_use(m) -> 'b')])
          AND cardinality(weights) = n AND cardinality(draw_weights) = n, format('%s: shapes', name))
FROM trained JOIN seen USING (name) WHERE i = 1 ORDER BY name;
SELECT ok(reads_back(m), format('%s: text, jsonb and binary read back to the same value', name))
FROM trained ORDER BY name;
SELECT is((dlints_info(m)).bytes, pg_column_size(dlints_set(m))::bigint,
          format('%s: the size is that of the value', name)) FROM trained ORDER BY name;

-- ---------- dlints_info: every column of it ----------

SELECT is((dlints_info(dlints_new(2, discount => 0.99999999999999, memories => 8))).windows[4:],
          ARRAY[9007199254740992, NULL, NULL, NULL, NULL]::float8[], 'a window too long for its discount is none');
-- Differences from an untrained model of three numbers without a projection.  Bytes: a header of 192, then 8 for
-- each number of N, R, S, b, G and H or N2.
SELECT is(to_jsonb(dlints_info(model)), jsonb '{
	"policy": "thompson", "intercept": false, "memories": 1, "memory": 1,
	"interactions": null, "dim": 3, "reduced_dim": null, "profile_dim": 0,
	"discount": 1, "half_life": null, "ridge": 1, "lambda": 1, "exploration": 0.1, "noise": 1,
	"prior_weight": null, "prior_sample_size": null,
	"projection_scale": null, "seed": 0, "updates": 0, "newest": null, "sigma": 1,
	"effective_sample_size": 0, "mean_reward": null, "windows": [null], "hint": null,
	"bytes": 192, "format_version": 1}' || differs, 'info: ' || what)
FROM (VALUES
	('nothing learned', one_memory(3, discount => 1), '{}'::jsonb),
	('projected', dlints_update(one_memory(6, 4, 0.5, 2, 0.25, -3, 0.125), '{1,2,3,4,5,6}', 3),
	 jsonb_build_object('dim', 6, 'reduced_dim', 4, 'discount', 0.5, 'ridge', 2, 'lambda', 2,
		'exploration', 0.25, 'projection_scale', 0.125, 'seed', -3, 'updates', 1,
		'effective_sample_size', 1, 'mean_reward', 3, 'windows', '{2}'::float8[],
		'hint', 'The longest memory has a window of 2 observations for 4 coefficients;'
		        ' increase discount, or omit it.', 'bytes', 192 + 8 * (3 + 4 + 10 + 10))),
	('the default scale is 1 / sqrt(reduced_dim)',
	 one_memory(30, 16, intercept => true, policy => 'ucb'),
	 '{"dim": 30, "reduced_dim": 16, "intercept": true, "policy": "ucb",
	   "discount": 0.99, "projection_scale": 0.25, "windows": [100]}'),
	-- RSS = 25 - 20^2 / (16 + 9) = 9, of one observation; the memory that forgets has an N2
	('by time', dlints_update(
		dlints_new(1, half_life => '36 hours', memories => 2, ridge => 9, intercept => false),
		'{4}', 5, at => '2026-01-02 03:04:05.678+00'),
	 jsonb_build_object('dim', 1, 'memories', 2, 'memory', 2, 'discount', NULL,
		'half_life', interval '1 day 12 hours', 'ridge', 9, 'lambda', 9, 'exploration', 0.25,
		'noise', NULL,
		'updates', 1, 'newest', timestamptz '2026-01-02 03:04:05.678+00', 'sigma', 3,
		'effective_sample_size', 1, 'mean_reward', 5, 'windows', '{NULL,NULL}'::float8[],
		'bytes', 192 + 8 * (3 + 1 + 1 + 1 + 3 + 1 + 1))),
	('matched', dlints_update(
		one_memory(2, discount => 1, intercept => true, interactions => 'matched'),
		'{1,2}', 3),
	 jsonb_build_object('dim', 2, 'profile_dim', 2, 'interactions', 'matched',
		'intercept', true, 'updates', 1, 'effective_sample_size', 1, 'mean_reward', 3,
		'bytes', 192 + 8 * (3 + 6 + 21))),
	('matched, projected', one_memory(3, 2, interactions => 'matched'),
	 jsonb_build_object('dim', 3, 'reduced_dim', 2, 'profile_dim', 3, 'interactions', 'matched',
		'projection_scale', 1 / sqrt(2::float8), 'discount', 0.99, 'windows', '[100]'::jsonb)))
	AS v (what, model, differs)
ORDER BY what;

-- ---------- exact numbers, and untrained models ----------

-- dot products of each length around its partial sums, exact in integers
SELECT ok(bool_and(dlints_dot(w, x::real[]) = s AND dlints_dot(w, x) = s
                   AND dlints_dot(w, x::numeric[]) = s), 'dlints_dot of 1 to 70 numbers equals a sum of products')
FROM (SELECT array_agg(k::float8 ORDER BY k) AS w, array_agg((3 - k)::float8 ORDER BY k) AS x,
             sum(k * (3 - k))::float8 AS s
      FROM generate_series(1, 70) AS len, generate_series(1, len) AS k GROUP BY len) AS v;
-- Z = diag(4, 1), b = (4, 0)
SELECT is(ARRAY[dlints_predict(m, '{2,5}'), dlints_stddev(m, '{2,0}'), dlints_stddev(m, '{0,3}')],
          ARRAY[2, 1, 3]::float8[], 'dlints_predict and dlints_stddev are exact for exact numbers')
FROM dlints_update_batch(one_memory(2, NULL, 1, 1), ARRAY[[1, 0], [1, 0], [1, 0]], ARRAY[1, 2, 1]) AS m;

-- ---------- extreme numbers survive every form ----------

CREATE TEMP TABLE extreme AS
SELECT format('numbers %s', no) AS what,
       dlints_update(one_memory(3, NULL, 0.3, 1e-100, 1e100, 9223372036854775807), x, r)
       AS m
FROM (VALUES
	(1, ARRAY[1e50, 1e-150, -3.3333333333333335]::float8[], -1e50::float8),
	(2, ARRAY[1e-154, 0.1, 2.2250738585072014e-308], 1e-300),
	(3, ARRAY[0, 0, 0], 0),
	(4, ARRAY[9007199254740993, 0.30000000000000004, -1e-5], 123456789.12345679)) AS v (no, x, r);
INSERT INTO extreme VALUES
	('the smallest parameters', dlints_update(
		one_memory(3, 2, 1e-100, 1e-100, 0, -9223372036854775808, 1e-10), '{1,2,3}', 1)),
	('the largest parameters', dlints_update(
		one_memory(3, 3, 1e-100, 1e100, 1e100, 9223372036854775807, 1e10), '{1,2,3}', 1)),
	('the largest features', dlints_update(
		one_memory(3, 3, projection_scale => 1e10, interactions => 'matched'),
		'{1e50,-1e50,1e50}'::float8[], -1e50, '{1e50,1e50,1e50}'::float8[]));
SELECT is(string_agg(what, ', ') FILTER (WHERE NOT reads_back(m)), NULL,
          'extreme numbers read back from text, jsonb and binary') FROM extreme;
SELECT is(string_agg(what, ', ') FILTER (WHERE dlints_mean(m) IS NULL OR dlints_draw(m) IS NULL
                                         OR dlints_covariance(m) IS NULL), NULL,
                                           'models of extreme numbers have a posterior')
FROM extreme;
SELECT is(count(*), 7::bigint, 'the test has seven models of extreme numbers') FROM extreme WHERE m IS NOT NULL;

-- a negative zero in a binary value, which training never stores, is read as zero (b begins at byte 140)
SELECT ok(same_bytes(m::text::dlints, m), 'a negative zero reads back as zero')
FROM dlints_update(one_memory(2), ARRAY[0, 0], 1) AS zero,
     receive(overlay(dlints_send(zero) PLACING '\x8000000000000000' FROM 140)) AS m;
-- numbers that decay below the smallest normal number become zero, and can be read
SELECT ok(same_bytes(m::text::dlints, m) AND m::text !~ 'e-3[12]', 'nothing subnormal is stored')
FROM one_memory(2, NULL, 1e-100) AS empty,
     LATERAL (SELECT dlints_update(empty, '{1e-60,1e-110}'::float8[], 1e-110)
                     || dlints_update(empty, '{1e-160,1e-155}'::float8[], 1e-155)) AS l (m);

-- The largest sizes.

-- d = 1024: a model of 8 MB
CREATE TEMP TABLE wide AS
SELECT dlints_update(one_memory(1024, NULL, 0.9), features(1, 1024), 1) AS m;
SELECT is((dlints_info(m)).bytes, 192::bigint + 8 * (3 + 1024 + 1024 * 1025), 'a model of 1,024 features takes 8 MB')
FROM wide;
SELECT ok(same_bytes(m::text::dlints, m), 'the text of a model of 8 MB reads back to the same value') FROM wide;
-- r s / (s + ridge) for the features of one observation, s its squared length
SELECT ok(abs(dlints_predict(m, x) - s / (s + 1)) < 1e-10, 'a model of 8 MB predicts')
FROM wide, features(1, 1024) AS x, dot(x, x) AS s;
SELECT ok(cardinality(dlints_draw(m)) = 1024 AND (dlints_info(m || m)).updates = 2,
          'a model of 8 MB draws and concatenates') FROM wide;

-- n = 65536 with a small projection cache: the largest matrix has 512 MB. Entries were computed outside, as in the
-- test of the projection.
SET LOCAL dlints.projection_cache_size = '1MB';
CREATE TEMP TABLE long AS
SELECT dlints_update(one_memory(65536, 4, seed => 42, projection_scale => 1),
                     array_agg((j >= 65535)::integer::real ORDER BY j), 1) AS m
FROM generate_series(1, 65536) AS j;
SELECT is(cardinality(dlints_weights(m)), 65536, 'weights for all coordinates') FROM long;
SELECT ok(abs((memory_in_use(m) -> 'b' ->> 0)::float8
              - (1.4537159591155266 + 0.37836789082191735)) < 1e-13,
          'features far out are projected right') FROM long;
SELECT ok(abs(z[1024] - (-2.3707884523206215)) < 1e-14, 'the last entry of the largest projection has the golden value')
FROM (SELECT dlints_project(one_memory(65536, 1024, seed => 42, projection_scale => 1),
                            array_agg((j = 65536)::integer::real ORDER BY j))
      FROM generate_series(1, 65536) AS j) AS p (z);

SELECT * FROM finish();
ROLLBACK;
