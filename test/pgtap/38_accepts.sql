-- dlints_accepts predicts whether dlints_update accepts an observation, and never raises an error.
\ir include/helpers.sql

CREATE TEMP TABLE model (name, m) AS VALUES
    ('plain', one_memory(3)),
    ('projected', dlints_update(one_memory(3, 2), ARRAY[1, 2, 3], 1)),
    ('large scale', one_memory(3, 3, projection_scale => 1e10)),
    ('intercept', one_memory(3, discount => 1, intercept => true)),
    ('matched', dlints_update(dlints_new(3, interactions => 'matched'), ARRAY[1, 2, 3], 1, ARRAY[1, 2, 3])),
    ('full', (dlints_update(one_memory(3), ARRAY[1, 2, 3], 1)::jsonb || '{"updates": 9223372036854775807}')::dlints);

CREATE TEMP TABLE features AS SELECT x FROM lines($$
    ARRAY[1, 2, 3]::real[]
    ARRAY[1, 2, 3]::float8[]
    ARRAY[0.1, 0.2, 0.3]
    ARRAY[1, 2, 3]
    ARRAY[1, 2, 3]::bigint[]
    ARRAY[true, false, true]
    '{1,2,3}'
    '[0:2]={1,2,3}'::real[]
    ARRAY[1e50, -1e50, 0]::float8[]
    ARRAY[1e50, 0, 0]
    ARRAY[-0.0, 1e-300, 0]::float8[]
    ARRAY[1, 2]::real[]
    ARRAY[1, 2, 3, 4]
    '{}'::float8[]
    '{}'
    ARRAY[1, NULL, 3]::real[]
    ARRAY[1, NULL, 3]::numeric[]
    ARRAY[1, 'NaN', 3]::real[]
    ARRAY[1, 2, 'Infinity']::float8[]
    ARRAY['-Infinity', 2, 3]::float8[]
    ARRAY[1, 2, 'NaN']::numeric[]
    '{1,2,NaN}'
    ARRAY[1.000001e50, 0, 0]::float8[]
    ARRAY[0, 0, -1e51]::float8[]
    ARRAY[1e200, 0, 0]
    ARRAY[1e400, 0, 0]
    '{1,2,1e400}'
    '{1,2,abc}'
    '{1,2,3x}'
    '{1,2,NULL}'
    ARRAY[[1, 2, 3]]
    ARRAY[[1], [2], [3]]::real[]
    ARRAY[1, 2, 3]::varchar[]
    ARRAY[now(), now(), now()]
    '{}'::uuid[]
    ARRAY[row(1)]
    $$) AS x;
CREATE TEMP TABLE profile AS SELECT NULL AS u UNION ALL SELECT u FROM lines($$
    ARRAY[1, 2]
    ARRAY[1, 2, 3]
    '{}'::float8[]
    ARRAY[1, 2, 3, 4]::real[]
    ARRAY[1, 2]::float8[]
    ARRAY[1e50, 0]::float8[]
    ARRAY[1]
    '{}'::text[]
    ARRAY[1, NULL]::real[]
    ARRAY[1, 'NaN']::float8[]
    ARRAY[1, 2e50]::float8[]
    ARRAY[[1, 2]]
    '{1,b}'::text[]
    $$) AS u;
CREATE TEMP TABLE reward AS SELECT NULL AS r UNION ALL SELECT r FROM lines($$
    1
    -1e50
    1.1e50
    'NaN'::float8
    '-Infinity'::real
    1e300
    $$) AS r;

-- each with each, except where PostgreSQL converts one array to the other one's type or raises an error
CREATE TEMP TABLE trial AS
SELECT name, concat_ws(', ', x, r, 'profile => ' || u) AS arguments,
    outcome(format('SELECT dlints_accepts(m, %s) FROM model WHERE name = %L',
        concat_ws(', ', x, r, 'profile => ' || u), name)) AS accepts,
    outcome(format('SELECT dlints_update(m, %s) IS NOT NULL FROM model WHERE name = %L',
                   concat_ws(', ', x, coalesce(r, '1'), u), name)) AS update
FROM model, features, profile, reward
WHERE u IS NULL OR x = 'ARRAY[1, 2, 3]::float8[]' OR name = 'matched'
    AND x NOT LIKE '''%}''';
DELETE FROM trial WHERE update ~ '^42883|cannot be matched|for type (real|double precision)';

SELECT plan(22 + 2 + 1 + 4 + 3);
SELECT is(string_agg(format('%s: %s, %s', arguments, accepts, update), E'\n')
        FILTER (WHERE accepts <> 'gives ' || (update = 'gives true')::text), NULL,
    format('%s: accepts = learns, in %s observations', name, count(*)))
FROM trial GROUP BY name ORDER BY name;
SELECT cmp_ok(count(*), '>', 100::bigint, 'more than a hundred examples are accepted') FROM trial
WHERE update = 'gives true';
SELECT set_eq($$SELECT left(update, 5) FROM trial WHERE update <> 'gives true'$$,
    '{22000,22003,22004,22023,2202E}'::text[], 'rejected examples cover each error code');

-- strict
SELECT each_holds($$
    dlints_accepts(NULL, ARRAY[1]) IS NULL
    dlints_accepts(m, NULL::real[]) IS NULL
    dlints_accepts(m, ARRAY[1, 2, 3], NULL::float8) IS NULL
    $$, $$FROM model WHERE name = 'plain'$$);
SELECT is(dlints_accepts(m, ARRAY[1, 2, 3], 1, NULL), NULL, 'dlints_accepts returns NULL for a NULL profile')
FROM model WHERE name = 'matched';
-- row by row: results do not depend on the previous row
SELECT is(string_agg(dlints_accepts(one_memory(n), x, r)::text, ' ' ORDER BY i),
    'true false true false false true false true', 'dlints_accepts works row by row')
FROM (VALUES (1, 2, '{1,2}'::real[], 1::float8), (2, 2, '{1,NaN}', 1), (3, 2, '{1,3}', 1),
    (4, 3, '{1,2}', 1),
             (5, 2, '{1,2,3}', 1), (6, 3, '{1,2,3}', 1), (7, 3, '{1,2,3}', 'NaN'),
                 (8, 2, '{1,2}', 1)) AS v (i, n, x, r);

-- a queue that accepts only valid observations
CREATE TEMP TABLE strict_queue (features real[] NOT NULL, reward float8 NOT NULL,
    CHECK (dlints_accepts(one_memory(3), features, reward)));
SELECT lives_ok($$INSERT INTO strict_queue VALUES ('{1,2,3}', 1)$$, 'a CHECK constraint lets in what can be learned');
SELECT throws_ok(format('INSERT INTO strict_queue VALUES (%L, %L)', x, r), '23514', NULL, x || r)
FROM (VALUES ('{1,2}', '1'), ('{1,2,NaN}', '1'), ('{1,2,3}', 'Infinity')) AS v (x, r);

-- a fold that skips invalid rows, for several models
CREATE TEMP TABLE state (name, state) AS VALUES ('two', one_memory(2)), ('three', one_memory(3));
CREATE TEMP TABLE queue (id integer, model text, features real[], reward float8);
INSERT INTO queue VALUES
    (1, 'two', '{1,2}', 1), (2, 'two', '{1,2,3}', 1), (3, 'three', '{1,2,3}', 1),
    (4, 'three', '{1,2,NaN}', 1), (5, 'two', '{1,0}', 'NaN'), (6, 'two', '{3,4}', 2),
    (7, 'three', '{1,NULL,1}', 1), (8, 'no such', '{1}', 1), (9, 'two', NULL, 1);
CREATE TEMP TABLE rejected (LIKE queue);
SELECT throws_ok($$
    SELECT dlints_evidence(p.state, b.features, b.reward ORDER BY b.id)
    FROM queue b JOIN state p ON p.name = b.model GROUP BY p.name$$,
    NULL, NULL, 'one bad row stops a fold that does not look');
WITH batch AS (DELETE FROM queue RETURNING *),
judged AS (
    SELECT b.*, coalesce(dlints_accepts(p.state, b.features, b.reward), false) AS good
    FROM batch b LEFT JOIN state p ON p.name = b.model),
aside AS (INSERT INTO rejected SELECT id, model, features, reward FROM judged WHERE NOT good)
UPDATE state m SET state = m.state || e.evidence
FROM (SELECT p.name, dlints_evidence(p.state, b.features, b.reward ORDER BY b.id) AS evidence
      FROM judged b JOIN state p ON p.name = b.model WHERE b.good GROUP BY p.name) e
WHERE m.name = e.name;
SELECT is_empty('TABLE queue', 'training accepted examples empties the queue');
SELECT set_eq('SELECT id FROM rejected', ARRAY[2, 4, 5, 7, 8, 9], 'rejected examples are kept');
SELECT ok(same_bytes(state, dlints_update_batch(one_memory(2), ARRAY[[1, 2], [3, 4]], ARRAY[1, 2])),
    'accepted examples are trained') FROM state WHERE name = 'two';
SELECT is((dlints_info(state)).updates, 1::bigint, 'each model is trained on its accepted examples') FROM state
WHERE name = 'three';

-- Batches with times and weights: dlints_accepts predicts for each row whether dlints_update accepts it, so that a
-- fold trains on all valid rows.

-- each with each, for a model with a half-life and one with a discount
CREATE TEMP TABLE verdict AS
SELECT name, at, weight,
       outcome(format('SELECT dlints_accepts(%s, ARRAY[1, 2], 1, ''{}'', %s, %s)', m, at, weight)) AS accepts,
       outcome(format('SELECT dlints_update(%s, ARRAY[1, 2], 1, ''{}'', %s, %s) IS NOT NULL', m, at, weight)) AS learns
FROM (VALUES ('by time', 'dlints_new(2, half_life => ''1 day'')'), ('by count', 'dlints_new(2)')) AS v (name, m),
     unnest(ARRAY['NULL', '''2026-01-01''', '''infinity''', '''-infinity''']) AS at,
     unnest(ARRAY['NULL', '1', '0', '-1', '1e10', '1.1e10', '''NaN''', '1e-300']) AS weight;
SELECT is(string_agg(format('at %s, weight %s: %s, %s', at, weight, accepts, learns), E'\n')
          FILTER (WHERE accepts <> 'gives ' || (learns = 'gives true')::text), NULL,
          format('%s: accepts = learns, in %s observations', name, count(*)))
FROM verdict GROUP BY name ORDER BY name;
SELECT results_eq($$SELECT name, count(*) FROM verdict WHERE accepts = 'gives true'
	GROUP BY name ORDER BY name$$, $$VALUES ('by count', 16::bigint), ('by time', 4)$$, 'some are and some are not');

SELECT is(dlints_accepts(m, x, 1), accepted, what)
FROM (VALUES
	('no time for a model by time', dlints_new(2, half_life => '1 day'), '{1,2}'::real[], false),
	('none for one by count', dlints_new(2), '{1,2}', true),
	('no features', dlints_new(2), NULL, NULL),
	('sums that would overflow',
	 (dlints_update(one_memory(2), '{1,2}', 1)::jsonb
	  || '{"updates": 9223372036854775807}')::dlints, '{1,2}', false)) AS v (what, m, x, accepted)
ORDER BY what;

-- a fold of rows, some without a time, a valid weight or a reward
CREATE TEMP TABLE event (id integer, features real[], reward float8, at timestamptz, weight float8);
INSERT INTO event VALUES
	(1, '{1,2}', 1, '2026-01-01', 1), (2, '{1,2}', 1, NULL, 1), (3, '{2,1}', 0, '2026-01-02', NULL),
	(4, '{2,1}', 0, '2026-01-02', 0), (5, '{2,1}', NULL, '2026-01-03', 1),
	(6, '{0,1}', 2, 'infinity', 1), (7, '{0,1}', 2, '2026-01-04', 3);
SELECT throws_ok($$SELECT dlints_evidence(dlints_new(2, half_life => '1 day'), features, reward,
	'{}', at, weight) FROM event$$, NULL, NULL, 'one row without a time is an error without dlints_accepts');
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
