-- Profiles against their definition: sums of weight times features, scaled to
-- length 1.
\ir include/helpers.sql

SELECT plan(64);

CREATE TABLE click AS
SELECT i AS id, i % 40 AS member, features(i, 9)::real[] AS features, number(i, 50) * 3 AS weight
FROM generate_series(1, 2000) AS i;

CREATE FUNCTION unit(v float8[]) RETURNS real[] IMMUTABLE LANGUAGE sql AS
$$
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
SELECT is(dlints_profile(features, 0.1), dlints_profile(features::float8[], 0.1), 'both types')
FROM click;

-- exact numbers, as real[] and as double precision[]
CREATE FUNCTION profile_of(call text, columns text, rows text) RETURNS text LANGUAGE sql AS
$$
SELECT CASE WHEN r = d THEN r ELSE r || ', but ' || d END
FROM (SELECT format('SELECT dlints_profile(%s) FROM (VALUES %s) AS v (%s)', call, rows, columns))
    AS f (f),
    LATERAL (SELECT outcome(replace(f, 'TYPE', 'real[]')), outcome(replace(f, 'TYPE', 'float8[]')))
        AS o (r, d)
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
    ($$('{3,0}'), ('{0,4,1}')$$,
        '22000: expected 2 dimensions, not 3 (Wrong length of the feature array.)'),
    ($$('{3,0}'), ('{1}')$$,
        '22000: expected 2 dimensions, not 1 (Wrong length of the feature array.)'),
    ($$('{{3,0}}')$$,
        '2202E: array must be one-dimensional '
        '(The number of dimensions of the feature array is 2.)'),
    ($$('{3,NULL}')$$, '22004: array must not contain nulls (A null was found in the feature array.)'),
    ($$('{3,0}'), ('{3,NaN}')$$,
        '22003: NaN not allowed in array (Element 2 of the feature array.)'),
    ($$('{Infinity,0}')$$,
        '22003: infinity not allowed in array (Element 1 of the feature array.)'),
    ($$('{0,0}'), ('{0,-Infinity}')$$,
        '22003: infinity not allowed in array (Element 2 of the feature array.)'))
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
    ($$('{3,4}', -1.1e50)$$, '22003: numbers beyond 1e+50 not allowed in weight'))
        AS v (rows, result);
SELECT is(outcome($$SELECT dlints_profile('{0,2e50}'::float8[])$$),
    '22003: numbers beyond 1e+50 not allowed in array (Element 2 of the feature array.)',
    'double precision has larger numbers');
SELECT is(dlints_profile('{1e50,-1e50}'::float8[], 1e50), '{0.70710677,-0.70710677}',
    'the largest that there may be')
FROM generate_series(1, 10000);
SELECT is(dlints_profile(features), '{}', 'no rows') FROM click WHERE false;
SELECT is(dlints_profile('{}'::real[]) || dlints_profile(features), dlints_profile(features),
    'profiles of profiles')
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

-- The support functions, which anybody may call: they leave their arguments alone.
CREATE TEMP TABLE state AS SELECT '{1,2}'::float8[] AS s, '{10,20}'::float8[] AS t;
SELECT is(dlints_profile_transfn(s, '{3,4}'::real[], 2), '{7,10}', 'transition') FROM state;
SELECT is(dlints_profile_transfn(NULL, '{3,4}'::float8[]), '{3,4}', 'transition from nothing');
SELECT is(dlints_profile_transfn(s, NULL::real[]), s, 'transition without features') FROM state;
SELECT is(dlints_profile_combinefn(s, t), '{11,22}', 'combine') FROM state;
SELECT ok(dlints_profile_combinefn(s, NULL) = s
    AND dlints_profile_combinefn(NULL, s) = s
    AND dlints_profile_combinefn(NULL, NULL) IS NULL,
    'combine with nothing')
FROM state;
SELECT is(dlints_profile_finalfn(s) || dlints_profile_finalfn(NULL), '{0.4472136,0.8944272}',
    'final')
FROM state;
-- long enough to be read where it lies
CREATE TEMP TABLE long_state AS SELECT array_agg(i::float8) AS s FROM generate_series(1, 40) AS i;
SELECT is((dlints_profile_transfn(s, array_fill(1::real, ARRAY[40])))[40]
    || (dlints_profile_combinefn(s, s))[39:40],
    '{41,78,80}', 'support functions read a long state in place')
FROM long_state;
SELECT ok(s = (SELECT array_agg(i::float8) FROM generate_series(1, 40) AS i),
    'support functions do not change a long state')
FROM long_state;
-- states that are none
SELECT is(outcome('SELECT dlints_profile_' || call), result, call) FROM (VALUES
    ($$combinefn('{1,2}', '{1,2,3}')$$,
        '22000: expected 2 dimensions, not 3 (Wrong length of the state.)'),
    ($$combinefn('{}', '{1}')$$, '22023: the state of dlints_profile must not be empty'),
    ($$finalfn('{}')$$, '22023: the state of dlints_profile must not be empty'),
    ($$combinefn('{1,2}', '{1,NULL}')$$,
        '22004: array must not contain nulls (A null was found in the state.)'),
    ($$finalfn('{{1,2}}')$$,
        '2202E: array must be one-dimensional (The number of dimensions of the state is 2.)'),
    ($$transfn('{NULL,1}', '{1,2}'::real[])$$,
        '22004: array must not contain nulls (A null was found in the state.)'),
    ($$finalfn('{1,NaN}')$$, '22003: dlints result out of range'),
    ($$finalfn(dlints_profile_combinefn('{1e308}', '{1e308}'))$$,
        '22003: dlints result out of range'),
    ($$transfn('{1}', '{1,2}'::real[])$$,
     '22000: expected 1 dimensions, not 2 (Wrong length of the feature array.)'))
         AS v (call, result);

SELECT * FROM finish();
ROLLBACK;
