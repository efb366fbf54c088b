-- Random Fourier features: their numbers, what their dot products are, where they can be
-- stored, and what is refused.
\ir include/helpers.sql

SELECT plan(4 + 4 + 3 + 2 + 3 + 1 + 15);

-- Golden values, worked out in Python from the definition: they never change.  The seed s of
-- W is number 0 of the bits that Philox makes of the seed given; rows of W are those of a
-- projection with seed s; row k is shifted by 2 pi times the upper 53 of the bits number k of
-- s.  The system's cosine may round the last digit in another way.
SELECT cmp_ok(difference(dlints_fourier(x, k, seed, scale)::float8[], golden), '<', 2e-7::float8,
              format('golden values of seed %s, scale %s', seed, scale))
FROM (VALUES
	('{1,2,3}'::real[], 4, 1.0::float8, 0::bigint,
	 '{-0.16368918,0.63075187,-0.45668036,-0.57987466}'::float8[]),
	('{1,2,3}', 4, 1.0, 5, '{0.68884906,0.53648541,0.4317398,-0.54514109}'),
	('{0.5,-0.25}', 3, 0.7, -1, '{-0.76231921,-0.20181507,-0.32760682}'),
	('{0.5,-0.25}', 3, 0.7, 9223372036854775807, '{-0.69566151,0.73610571,0.55643229}'))
	AS v (x, k, scale, seed, golden);

SELECT each_holds($$
	dlints_fourier('{1,2,3}', 4) = dlints_fourier('{1,2,3}', 4, 0, 1)
	dlints_fourier('{1,2,3}', 4) <> dlints_fourier('{1,2,3}', 4, 1)
	dlints_fourier('{2,4,6}', 4, 0, 2) = dlints_fourier('{1,2,3}', 4)
	dlints_fourier(ARRAY[1, 2, 3], 4) = dlints_fourier(ARRAY[1, 2, 3]::float8[], 4)
$$);

-- Dot products of 10,000 numbers are the kernel exp(-|x - y|^2 / (2 scale^2)) within five
-- standard errors, the variance of 2 cos(a) cos(b) being 1 at most.
SELECT cmp_ok(abs(dot(dlints_fourier(x, 10000, seed, scale)::float8[],
                      dlints_fourier(y, 10000, seed, scale)::float8[])
                  - exp(-dot(plus(x, -1, y), plus(x, -1, y)) / (2 * scale ^ 2))), '<', 0.05::float8,
              format('dot products of features %s and %s at scale %s', x, y, scale))
FROM (VALUES ('{0.3,-0.2}'::float8[], '{0.3,-0.2}'::float8[], 1::float8, 3),
             ('{0.3,-0.2}', '{0.8,0.9}', 1, 3), ('{3,-2}', '{8,9}', 10, 4)) AS v (x, y, scale, seed);

-- W is made in pieces of 436 rows here, and is the same where it is not kept.  The golden
-- values are worked out as above.
CREATE TEMP TABLE kept AS SELECT dlints_fourier(array_fill(0.1::real, ARRAY[300]), 1000, scale => 5) AS f;
SELECT cmp_ok(difference(ARRAY[f[1], f[436], f[437], f[1000]]::float8[],
    '{0.024698963,0.042884667,-0.03428979,0.03960513}'), '<', 2e-7::float8,
    'golden values of several pieces') FROM kept;
SET dlints.projection_cache_size = 0;
SELECT is(dlints_fourier(array_fill(0.1::real, ARRAY[300]), 1000, scale => 5), f,
    'W does not depend on the cache') FROM kept;
RESET dlints.projection_cache_size;

-- A generated column is what they are for.
CREATE TEMP TABLE place (
	id integer, features real[],
	curved real[] GENERATED ALWAYS AS (features || dlints_fourier(features, 8, scale => 0.7)) STORED);
INSERT INTO place VALUES (1, '{0.5,-0.25}'), (2, NULL);
SELECT is(curved, '{0.5,-0.25}'::real[] || dlints_fourier('{0.5,-0.25}', 8, scale => 0.7), 'a generated column')
FROM place WHERE id = 1;
UPDATE place SET features = '{1,1}' WHERE id = 2;
SELECT is(curved, '{1,1}'::real[] || dlints_fourier('{1,1}', 8, scale => 0.7), 'a generated column follows an update')
FROM place WHERE id = 2;
SELECT is(pg_typeof(f)::text || array_dims(f), 'real[][1:65535]', 'dlints_fourier returns up to 65,535 numbers')
FROM dlints_fourier('{1}', 65535) AS f;

-- What no line can: a bump in the middle.
CREATE TEMP TABLE bump AS
SELECT i, ARRAY[number(i, 1)] AS x, (abs(number(i, 1)) < 0.4)::integer AS reward
FROM generate_series(1, 400) AS i;
SELECT cmp_ok((SELECT avg((reward - dlints_predict(curve, x || dlints_fourier(x, 32, scale => 0.5)::float8[])) ^ 2)
               FROM bump), '<',
              (SELECT avg((reward - dlints_predict(line, x)) ^ 2) / 3 FROM bump),
              'a curve is learned')
FROM (SELECT dlints_evidence(dlints_new(1), x, reward) AS line,
             dlints_evidence(dlints_new(33), x || dlints_fourier(x, 32, scale => 0.5)::float8[], reward) AS curve
      FROM bump) AS m;

SELECT each_is('gives NULL', $$
	dlints_fourier(NULL, 4)
	dlints_fourier('{1}', NULL)
	dlints_fourier('{1}', 4, NULL)
	dlints_fourier('{1}', 4, 1, NULL)
$$);
SELECT is(outcome('SELECT ' || call), result, call) FROM (VALUES
	($$dlints_fourier('{}', 4)$$,
	 '22023: the number of features must be at least 1 (The value is 0.)'),
	($$dlints_fourier('{1}', 0)$$, '22023: k must be at least 1 (The value is 0.)'),
	($$dlints_fourier('{1,2}', 65535)$$, '54000: dlints cannot have more than 65536 dimensions '
	 '(There are 2 features, and k is 65535.)'),
	($$dlints_fourier('{1}', 4, scale => 0)$$, '22023: scale must be positive (The value is 0.)'),
	($$dlints_fourier('{0}', 4, scale => 1e-310)$$, '22023: scale is too small (The value is 1e-310.)'),
	($$dlints_fourier('{1}', 4, scale => 'infinity')$$, '22003: infinity not allowed in scale'),
	($$dlints_fourier('{1}', 4, scale => 'NaN')$$, '22003: NaN not allowed in scale'),
	($$dlints_fourier('{1,NaN}', 4)$$,
	 '22003: NaN not allowed in array (Element 2 of the features.)'),
	($$dlints_fourier('{1,NULL}', 4)$$,
	 '22004: array must not contain nulls (A null was found in the features.)'),
	($$dlints_fourier('{{1}}', 4)$$, '2202E: array must be one-dimensional '
	 '(The number of dimensions of the features is 2.)'),
	($$dlints_fourier('{1e50}', 4, scale => 1e-290)$$, '22003: dlints result out of range'))
	AS v (call, result);
SELECT * FROM finish();
ROLLBACK;
