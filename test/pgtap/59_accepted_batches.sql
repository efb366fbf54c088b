-- Batches whose rows have times and weights: dlints_accepts says of each row what
-- dlints_update would, so that a fold learns what can be learned.
\ir include/helpers.sql

SELECT plan(2 + 1 + 4 + 3);

-- each with each, for a model by time and one by count
CREATE TEMP TABLE verdict AS
SELECT name, at, weight,
       outcome(format('SELECT dlints_accepts(%s, ARRAY[1, 2], 1, ''{}'', %s, %s)',
                      m, at, weight)) AS accepts,
       outcome(format('SELECT dlints_update(%s, ARRAY[1, 2], 1, ''{}'', %s, %s) IS NOT NULL',
                      m, at, weight)) AS learns
FROM (VALUES ('by time', 'dlints_new(2, half_life => ''1 day'')'), ('by count', 'dlints_new(2)'))
     AS v (name, m),
     unnest(ARRAY['NULL', '''2026-01-01''', '''infinity''', '''-infinity''']) AS at,
     unnest(ARRAY['NULL', '1', '0', '-1', '1e10', '1.1e10', '''NaN''', '1e-300']) AS weight;
SELECT is(string_agg(format('at %s, weight %s: %s, %s', at, weight, accepts, learns), E'\n')
          FILTER (WHERE accepts <> 'gives ' || (learns = 'gives true')::text), NULL,
          format('%s: accepts = learns, in %s observations', name, count(*)))
FROM verdict GROUP BY name ORDER BY name;
SELECT results_eq($$SELECT name, count(*) FROM verdict WHERE accepts = 'gives true'
	GROUP BY name ORDER BY name$$, $$VALUES ('by count', 16::bigint), ('by time', 4)$$,
	'some are and some are not');

SELECT is(dlints_accepts(m, x, 1), accepted, what)
FROM (VALUES
	('no time for a model by time', dlints_new(2, half_life => '1 day'), '{1,2}'::real[], false),
	('none for one by count', dlints_new(2), '{1,2}', true),
	('no features', dlints_new(2), NULL, NULL),
	('sums that would overflow',
	 (dlints_update(one_memory(2), '{1,2}', 1)::jsonb
	  || '{"updates": 9223372036854775807}')::dlints, '{1,2}', false)) AS v (what, m, x, accepted)
ORDER BY what;

-- a fold of rows of which some have no time, no weight that counts or no reward
CREATE TEMP TABLE event (id integer, features real[], reward float8, at timestamptz, weight float8);
INSERT INTO event VALUES
	(1, '{1,2}', 1, '2026-01-01', 1), (2, '{1,2}', 1, NULL, 1), (3, '{2,1}', 0, '2026-01-02', NULL),
	(4, '{2,1}', 0, '2026-01-02', 0), (5, '{2,1}', NULL, '2026-01-03', 1),
	(6, '{0,1}', 2, 'infinity', 1), (7, '{0,1}', 2, '2026-01-04', 3);
SELECT throws_ok($$SELECT dlints_evidence(dlints_new(2, half_life => '1 day'), features, reward,
	'{}', at, weight) FROM event$$, NULL, NULL,
	'one row without a time is an error without dlints_accepts');
CREATE TEMP TABLE accepted AS
SELECT event.*, dlints_accepts(m, features, reward, '{}', at, weight) AS good
FROM event, dlints_new(2, half_life => '1 day') AS m;
SELECT results_eq('SELECT good FROM accepted ORDER BY id',
                  ARRAY[true, false, true, false, NULL, false, true], 'dlints_accepts tells which rows are accepted');
SELECT is((dlints_info(dlints_evidence(dlints_new(2, half_life => '1 day'), features, reward,
                                       '{}', at, weight))).updates, 3::bigint, 'accepted rows are trained')
FROM accepted WHERE good;

SELECT * FROM finish();
ROLLBACK;
