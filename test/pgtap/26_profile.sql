-- Profiles against their definition: sums of weight times features, scaled to
-- length 1.
\ir include/helpers.sql

SELECT plan(64 + 4 + 4 + 3 + 2 + 3 + 1 + 14);

CREATE TABLE click AS
SELECT i AS id, i % 40 AS member, features(i, 9)::real[] AS features, number(i, 50) * 3 AS weight
FROM generate_series(1, 2000) AS i;

CREATE FUNCTION unit(v float8[]) RETURNS real[] IMMUTABLE LANGUAGE sql AS $$
SELECT array_agg((x / length)::real ORDER BY i)
FROM (SELECT i, x, sqrt(sum(x ^ 2) OVER ()) AS length
      FROM unnest(v) WITH ORDINALITY AS u (x, i)) AS t
$$;
CREATE TEMP VIEW by_definition AS
SELECT member, unit(array_agg(plain ORDER BY k)) AS plain,
    unit(array_agg(weighted ORDER BY k)) AS weighted
FROM (SELECT member, k, sum(x::float8) AS plain, sum(x::float8 * weight) AS weighted
      FROM click, unnest(features) WITH ORDINALITY AS u (x, k) GROUP BY member, k) AS s
GROUP BY member;

SELECT ok(count(*) = 40 AND max(difference(p.plain, d.plain)) < 1e-6
    AND max(difference(p.weighted, d.weighted)) < 1e-6,
    '40 profiles from ' || type)
FROM (SELECT 'real[]' AS type, member, dlints_profile(features) AS plain,
          dlints_profile(features, weight) AS weighted
      FROM click GROUP BY member
      UNION ALL
      SELECT 'double precision[]', member, dlints_profile(features::float8[]),
          dlints_profile(features::float8[], weight)
      FROM click GROUP BY member) AS p
    JOIN by_definition AS d USING (member) GROUP BY type ORDER BY type;
SELECT ok(bool_and(abs(dot(p, p) - 1) < 1e-6), 'profiles have length 1')
FROM (SELECT dlints_profile(features, weight) AS p FROM click GROUP BY member) AS t;
SELECT is(dlints_profile(features), dlints_profile(features, 1), 'a weight of 1 gives the profile without a weight')
FROM click;
SELECT is(dlints_profile(features, 0.1), dlints_profile(features::float8[], 0.1),
  'profiles of real and double precision features are equal')
FROM click;

-- integers as real[] and as double precision[], with exact sums
CREATE FUNCTION profile_of(call text, columns text, rows text) RETURNS text LANGUAGE sql AS $$
SELECT CASE WHEN r = d THEN r ELSE r || ', but ' || d END
FROM (SELECT format('SELECT dlints_profile(%s) FROM (VALUES %s) AS v (%s)', call, rows, columns)) AS f (f),
    LATERAL (SELECT outcome(replace(f, 'TYPE', 'real[]')), outcome(replace(f, 'TYPE', 'float8[]'))) AS o (r, d)
$$;
SELECT is(profile_of('x::TYPE', 'x', rows), result, rows) FROM (VALUES
    ($$('{3,0}'), ('{0,4}')$$, 'gives {0.6,0.8}'),
    ($$('{3,4}')$$, 'gives {0.6,0.8}'),
    ($$('{-7}')$$, 'gives {-1}'),
    ($$('{3,0}'), (NULL), ('{0,4}'), (NULL)$$, 'gives {0.6,0.8}'),
    ($$(NULL), ('{3,4}')$$, 'gives {0.6,0.8}'),
    ($$('{3,4}'), ('{-3,-4}')$$, 'gives {0,0}'),
    ($$('{0,0}'), ('{0,0}')$$, 'gives {0,0}'),
    ($$('{-0,-0}')$$, 'gives {0,0}'),
    ($$(NULL::text), (NULL)$$, 'gives {}'),
    ($$('{}'), ('{}')$$, 'gives {}'),
    ($$('{}'), ('{3,0}'), ('{}'), ('{0,4}')$$, 'gives {0.6,0.8}'),
    ($$('[3:4]={3,4}')$$, 'gives {0.6,0.8}'),
    ($$('{1.5e38,2e38}'), ('{1.5e38,2e38}')$$, 'gives {0.6,0.8}'),
    ($$('{3e-37,4e-37}')$$, 'gives {0.6,0.8}'),
    ($$('{3,0}'), ('{0,4,1}')$$, '22000: expected 2 dimensions, not 3 (Wrong length of the feature array.)'),
    ($$('{3,0}'), ('{1}')$$, '22000: expected 2 dimensions, not 1 (Wrong length of the feature array.)'),
    ($$('{{3,0}}')$$, '2202E: array must be one-dimensional '
        '(The number of dimensions of the feature array is 2.)'),
    ($$('{3,NULL}')$$, '22004: array must not contain nulls (A null was found in the feature array.)'),
    ($$('{3,0}'), ('{3,NaN}')$$, '22003: NaN not allowed in array (Element 2 of the feature array.)'),
    ($$('{Infinity,0}')$$, '22003: infinity not allowed in array (Element 1 of the feature array.)'),
    ($$('{0,0}'), ('{0,-Infinity}')$$, '22003: infinity not allowed in array (Element 2 of the feature array.)'))
    AS v (rows, result);
SELECT is(profile_of('x::TYPE, w', 'x, w', rows), result, 'weighted: ' || rows) FROM (VALUES
    ($$('{3,0}', 2), ('{0,4}', 2)$$, 'gives {0.6,0.8}'),
    ($$('{1,0}', 3), ('{0,-2}', -2)$$, 'gives {0.6,0.8}'),
    ($$('{1,0}', 3), ('{0,1}', 4), ('{5,5}', 0)$$, 'gives {0.6,0.8}'),
    ($$('{1,0}', 3), ('{7,7}', NULL), ('{0,1}', 4), (NULL, 5)$$, 'gives {0.6,0.8}'),
    ($$('{5,5}', 0)$$, 'gives {0,0}'),
    ($$('{5,5}', NULL::float8)$$, 'gives {}'),
    ($$('{}', 2)$$, 'gives {}'),
    ($$('{3,4}', 1e50), ('{3,4}', 1e50)$$, 'gives {0.6,0.8}'),
    ($$('{3,4}', -1e-300)$$, 'gives {-0.6,-0.8}'),
    ($$('{3,4}', 0.7), ('{3,4}', -0.7)$$, 'gives {0,0}'),
    ($$('{3,4}', 'NaN'::float8)$$, '22003: NaN not allowed in weight'),
    ($$('{3,4}', 1), ('{3,4}', 'Infinity'::float8)$$, '22003: infinity not allowed in weight'),
    ($$('{3,4}', -1.1e50)$$, '22003: numbers beyond 1e+50 not allowed in weight')) AS v (rows, result);
SELECT is(outcome($$SELECT dlints_profile('{0,2e50}'::float8[])$$),
    '22003: numbers beyond 1e+50 not allowed in array (Element 2 of the feature array.)',
    'double precision has larger numbers');
SELECT is(dlints_profile('{1e50,-1e50}'::float8[], 1e50), '{0.70710677,-0.70710677}',
    'the largest features and weights do not overflow')
FROM generate_series(1, 10000);
SELECT is(dlints_profile(features), '{}', 'the profile of no rows is empty') FROM click WHERE false;
SELECT is(dlints_profile('{}'::real[]) || dlints_profile(features), dlints_profile(features),
    'profiles of profiles are profiles')
FROM click WHERE id = 1;

-- in parts
CREATE VIEW profile AS
SELECT member, dlints_profile(features, weight) AS p, dlints_profile(features::float8[]) AS q
FROM click GROUP BY member;
CREATE TEMP TABLE serial AS TABLE profile;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SET LOCAL max_parallel_workers_per_gather = 2;
SET LOCAL parallel_leader_participation = off;
SELECT matches(plan_of('TABLE profile'), 'Partial .*Aggregate', 'profiles of many users are aggregated in parallel');
SELECT ok(count(*) = 40 AND max(difference(s.p, l.p)) < 1e-6 AND max(difference(s.q, l.q)) < 1e-6,
    'workers compute the profiles of one process') FROM serial AS s JOIN profile AS l USING (member);
SELECT is((SELECT dlints_profile(features) FROM click WHERE id < 0), '{}',
    'the profile of no rows is empty with workers');

-- over a growing frame, and one that moves
SELECT is(array_agg(growing ORDER BY i)::text || array_agg(moving ORDER BY i)::text,
    '{"{1,0}","{1,0}","{0.6,0.8}"}{"{}","{1,0}","{}"}', 'dlints_profile works as a window function')
FROM (SELECT i, dlints_profile(x) OVER (ORDER BY i)::text AS growing,
          dlints_profile(x, 1) OVER moving::text AS moving
      FROM (VALUES (1, '{3,0}'::real[]), (2, NULL), (3, '{0,4}')) AS v (i, x)
      WINDOW moving AS (ORDER BY i ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING)) AS s;

-- The support functions, which any role may call, do not modify their arguments.
CREATE TEMP TABLE state AS SELECT '{1,2}'::float8[] AS s, '{10,20}'::float8[] AS t;
SELECT is(dlints_profile_transfn(s, '{3,4}'::real[], 2), '{7,10}', 'the transition function adds features') FROM state;
SELECT is(dlints_profile_transfn(NULL, '{3,4}'::float8[]), '{3,4}', 'the transition function starts without a state');
SELECT is(dlints_profile_transfn(s, NULL::real[]), s, 'transition without features') FROM state;
SELECT is(dlints_profile_combinefn(s, t), '{11,22}', 'the combine function adds states') FROM state;
SELECT ok(dlints_profile_combinefn(s, NULL) = s
    AND dlints_profile_combinefn(NULL, s) = s
    AND dlints_profile_combinefn(NULL, NULL) IS NULL, 'the combine function accepts a missing state')
FROM state;
SELECT is(dlints_profile_finalfn(s) || dlints_profile_finalfn(NULL), '{0.4472136,0.8944272}',
    'the final function scales to length 1')
FROM state;
-- long enough that the array is read in place
CREATE TEMP TABLE long_state AS SELECT array_agg(i::float8) AS s FROM generate_series(1, 40) AS i;
SELECT is((dlints_profile_transfn(s, array_fill(1::real, ARRAY[40])))[40]
    || (dlints_profile_combinefn(s, s))[39:40],
    '{41,78,80}', 'support functions read a long state in place')
FROM long_state;
SELECT ok(s = (SELECT array_agg(i::float8) FROM generate_series(1, 40) AS i),
    'support functions do not change a long state')
FROM long_state;
-- invalid states
SELECT is(outcome('SELECT dlints_profile_' || call), result, call) FROM (VALUES
    ($$combinefn('{1,2}', '{1,2,3}')$$, '22000: expected 2 dimensions, not 3 (Wrong length of the state.)'),
    ($$combinefn('{}', '{1}')$$, '22023: the state of dlints_profile must not be empty'),
    ($$finalfn('{}')$$, '22023: the state of dlints_profile must not be empty'),
    ($$combinefn('{1,2}', '{1,NULL}')$$, '22004: array must not contain nulls (A null was found in the state.)'),
    ($$finalfn('{{1,2}}')$$, '2202E: array must be one-dimensional (The number of dimensions of the state is 2.)'),
    ($$transfn('{NULL,1}', '{1,2}'::real[])$$, '22004: array must not contain nulls (A null was found in the state.)'),
    ($$finalfn('{1,NaN}')$$, '22003: dlints result out of range'),
    ($$finalfn(dlints_profile_combinefn('{1e308}', '{1e308}'))$$, '22003: dlints result out of range'),
    ($$transfn('{1}', '{1,2}'::real[])$$, '22000: expected 1 dimensions, not 2 (Wrong length of the feature array.)'))
         AS v (call, result);

-- Random Fourier features: values, dot products, use in generated columns, and errors

-- Golden values, worked out in Python from the definition: they never change.  The seed s of
-- W is number 0 of the bits that Philox makes of the seed given; rows of W are those of a
-- projection with seed s; row k is shifted by 2 pi times the upper 53 of the bits number k of
-- s.  The system's cosine may round the last digit in another way.
SELECT cmp_ok(difference(dlints_fourier(x, k, seed, scale)::float8[], golden), '<', 2e-7::float8,
              format('golden values of seed %s, scale %s', seed, scale))
FROM (VALUES
	('{1,2,3}'::real[], 4, 1.0::float8, 0::bigint, '{-0.16368918,0.63075187,-0.45668036,-0.57987466}'::float8[]),
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

-- W is generated in pieces of 436 rows here, and is equal if it is not cached.  The golden values are computed as
-- above.
CREATE TEMP TABLE kept AS SELECT dlints_fourier(array_fill(0.1::real, ARRAY[300]), 1000, scale => 5) AS f;
SELECT cmp_ok(difference(ARRAY[f[1], f[436], f[437], f[1000]]::float8[],
    '{0.024698963,0.042884667,-0.03428979,0.03960513}'), '<', 2e-7::float8,
    'dlints_fourier has the golden values beyond one piece') FROM kept;
SET dlints.projection_cache_size = 0;
SELECT is(dlints_fourier(array_fill(0.1::real, ARRAY[300]), 1000, scale => 5), f,
    'W does not depend on the cache') FROM kept;
RESET dlints.projection_cache_size;

-- Fourier features can be a generated column.
CREATE TEMP TABLE place (
	id integer, features real[],
	curved real[] GENERATED ALWAYS AS (features || dlints_fourier(features, 8, scale => 0.7)) STORED);
INSERT INTO place VALUES (1, '{0.5,-0.25}'), (2, NULL);
SELECT is(curved, '{0.5,-0.25}'::real[] || dlints_fourier('{0.5,-0.25}', 8, scale => 0.7),
  'dlints_fourier works in a generated column')
FROM place WHERE id = 1;
UPDATE place SET features = '{1,1}' WHERE id = 2;
SELECT is(curved, '{1,1}'::real[] || dlints_fourier('{1,1}', 8, scale => 0.7), 'a generated column follows an update')
FROM place WHERE id = 2;
SELECT is(pg_typeof(f)::text || array_dims(f), 'real[][1:65535]', 'dlints_fourier returns up to 65,535 numbers')
FROM dlints_fourier('{1}', 65535) AS f;

-- A linear model does not fit a maximum in the middle.
CREATE TEMP TABLE bump AS
SELECT i, ARRAY[number(i, 1)] AS x, (abs(number(i, 1)) < 0.4)::integer AS reward
FROM generate_series(1, 400) AS i;
SELECT cmp_ok((SELECT avg((reward - dlints_predict(curve, x || dlints_fourier(x, 32, scale => 0.5)::float8[])) ^ 2)
               FROM bump), '<',
              (SELECT avg((reward - dlints_predict(line, x)) ^ 2) / 3 FROM bump), 'a curve is learned')
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
	($$dlints_fourier('{}', 4)$$, '22023: the number of features must be at least 1 (The value is 0.)'),
	($$dlints_fourier('{1}', 0)$$, '22023: k must be at least 1 (The value is 0.)'),
	($$dlints_fourier('{1,2}', 65535)$$, '54000: dlints cannot have more than 65536 dimensions '
	 '(There are 2 features, and k is 65535.)'),
	($$dlints_fourier('{1}', 4, scale => 0)$$, '22023: scale must be positive (The value is 0.)'),
	($$dlints_fourier('{0}', 4, scale => 1e-51)$$, '22023: scale is too small (The value is 1e-51.)'),
	($$dlints_fourier('{1}', 4, scale => 'infinity')$$, '22003: infinity not allowed in scale'),
	($$dlints_fourier('{1}', 4, scale => 'NaN')$$, '22003: NaN not allowed in scale'),
	($$dlints_fourier('{1,NaN}', 4)$$, '22003: NaN not allowed in array (Element 2 of the features.)'),
	($$dlints_fourier('{1,NULL}', 4)$$, '22004: array must not contain nulls (A null was found in the features.)'),
	($$dlints_fourier('{{1}}', 4)$$, '2202E: array must be one-dimensional '
	 '(The number of dimensions of the features is 2.)')) AS v (call, result);

SELECT * FROM finish();
ROLLBACK;
