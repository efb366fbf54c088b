-- A ranker reads vectors of the context: what they are, what is refused, that they are learned, and
-- that nothing else has changed.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql
\ir include/clock.sql
\ir include/ranker.sql
SET LOCAL check_function_bodies = on;

SELECT plan(63);

-- a vector of 12 numbers of which the one at this place is large
CREATE FUNCTION x(place integer) RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_agg(CASE i WHEN place THEN 3 ELSE 0.4 END ORDER BY i)
	FROM generate_series(1, 12) i $$;
CREATE FUNCTION encoded(schema text, context jsonb, action text DEFAULT 'a') RETURNS real[] LANGUAGE plpgsql AS $$
DECLARE
	result real[];
BEGIN
	EXECUTE format('SELECT features FROM %I.action($1, $2)', schema) INTO result USING context, jsonb_build_array(action);
	RETURN result;
END $$;

-- ---------- declared ----------

SELECT is(outcome(format('SELECT dlints_scaffold_ranker(''r'', vectors => %L)', vectors)),
  '22023: vectors must be an object of keys of the context and how many numbers each has, from 1 to 16384', vectors)
FROM unnest(ARRAY[NULL, '[]', '25', '{"embedding": 0}', '{"embedding": 2.5}', '{"embedding": "25"}',
  '{"embedding": [25]}', '{"embedding": 16385}', '{"embedding": 1e400}', '{"": 25}', '{"person": 25}']) vectors;
SELECT is(outcome($$SELECT dlints_scaffold_ranker('r', vectors => '{"$body$": 2}')$$),
  '22023: names and texts of a ranker cannot contain $body$', 'nor what ends a body');
SELECT dlints_create_ranker('front', vectors => '{"embedding": 12}', wait => '0', epsilon => 0) IS NOT NULL;
SELECT dlints_create_ranker('plain', wait => '0') IS NOT NULL;
SELECT dlints_create_ranker('it''s "odd"', vectors => '{"price": 2, "it''s \"%I\\": 3, "{dim}": 100}',
  wait => '0') IS NOT NULL;

-- ---------- features ----------

SELECT is(encoded('front', context), encoded('plain', context),
  'without a vector nothing is different: ' || context::text)
FROM unnest(ARRAY['{}', '{"hour": 8, "tags": ["a", "b"]}', '{"embedding": null, "hour": 8}', '"evening"', '[1, 2]',
  '{"nested": {"embedding": [1, 2]}}']::jsonb[]) context;
SELECT ok(encoded('front', jsonb_build_object('embedding', x(1), 'hour', 8))
  <> encoded('front', '{"hour": 8}'), 'a vector is a part of what an action is');
SELECT ok(encoded('front', jsonb_build_object('embedding', x(1)))
  <> encoded('front', jsonb_build_object('embedding', x(2))), 'the places of its numbers count');
SELECT is(encoded('plain', jsonb_build_object('embedding', x(1))),
  encoded('plain', jsonb_build_object('embedding', x(2))), 'which those of a bag of words do not');
SELECT ok(difference(encoded('front', '{"embedding": [1,2,3,4,5,6,7,8,9,10,11,12]}')::float8[],
  encoded('front', '{"embedding": [1e48,2e48,3e48,4e48,5e48,6e48,7e48,8e48,9e48,10e48,11e48,12e48]}')) < 1e-6,
  'a vector is a direction');
SELECT is(encoded('front', '{"embedding": [0,0,0,0,0,0,0,0,0,0,0,0]}'), encoded('plain', '{}'), 'zeros are none');
SELECT is(encoded('front', '{"embedding": [1, 2]}'), encoded('plain', '{}'),
  'nor is what an older log may have, of another length');
SELECT ok(difference(encoded('front', '{"embedding": [1e-400,2e-70,1,0,0,0,0,0,0,0,0,0]}')::float8[],
  encoded('front', '{"embedding": [0,0,1,0,0,0,0,0,0,0,0,0]}')) < 1e-6, 'what is next to nothing is nothing');
SELECT ok(abs(sqrt(sum(v * v)) - 1) < 1e-6 AND count(*) = 192, 'features have one length')
  FROM unnest(encoded('front', jsonb_build_object('embedding', x(3), 'hour', 8))) v;
-- names and vector alike: of two directions that have nothing in common
SELECT ok(abs(dlints_dot(encoded('front', jsonb_build_object('embedding', x(1)))::float8[],
  encoded('plain', '{}')::dlints_vector) - sqrt(1 / 3.0)) < 0.15, 'a vector weighs as much as two names');
SELECT is(encoded('it''s "odd"', '{"price": [1, 2]}') <> encoded('plain', '{}'), true, 'any key will do');
SELECT is(count(DISTINCT encoded('it''s "odd"', jsonb_build_object('{dim}', (
    SELECT jsonb_agg((i = j)::integer) FROM generate_series(1, 100) i)))), 5::bigint,
  'a long vector is projected') FROM generate_series(1, 5) j;

-- ---------- refused ----------

SELECT is(outcome(format('SELECT count(*) FROM front.rank(%L, %L, ''["a"]'')', 'bad', context)),
  '22023: "embedding" of a context must be an array of 12 numbers up to 1e50 (' || detail || ')', context)
FROM (VALUES ('{"embedding": [1, 2]}', 'It has 2 elements: [1, 2]'),
             ('{"embedding": []}', 'It has 0 elements: []'),
             ('{"embedding": [[1,2,3,4,5,6,7,8,9,10,11,12]]}',
               'It has 1 elements: [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]]'),
             ('{"embedding": [1,2,3,4,5,6,7,8,9,10,11,"12"]}',
               'It has 12 elements: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "12"]'),
             ('{"embedding": [1,2,3,4,5,6,7,8,9,10,11,null]}',
               'It has 12 elements: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, null]'),
             ('{"embedding": [1,2,3,4,5,6,7,8,9,10,11,[12]]}',
               'It has 12 elements: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, [12]]'),
             ('{"embedding": "0.1 0.2"}', 'It is "0.1 0.2".'),
             ('{"embedding": {"0": 1}}', 'It is {"0": 1}.'),
             ('{"embedding": 12}', 'It is 12.'),
             ('{"embedding": true}', 'It is true.')) v (context, detail);
SELECT matches(outcome(format('SELECT count(*) FROM front.rank(NULL, ''{"embedding": [1,2,3,4,5,6,7,8,9,10,11,%s]}'', ''["a"]'')', n)),
  '^22023: "embedding" of a context must', n || ' is too much')
FROM unnest('{1e308,-1e51,1e400}'::text[]) n;
SELECT is(count(*), 0::bigint, 'what is refused is not logged') FROM front.decision;
SELECT is(outcome(format($$SELECT count(*) FROM "it's ""odd""".rank(NULL, %L, '["a"]')$$, '{"it''s \"%I\\": [1, 2]}')),
  '22023: "it''s "%I\" of a context must be an array of 3 numbers up to 1e50 (It has 2 elements: [1, 2])',
    'under any key');

-- ---------- said once ----------

SELECT count(*) FROM plain.rank(NULL, '{"embedding": [1, 2, 3, 4, 5, 6, 7, 8]}', '["a"]');
SELECT is(current_setting('ranker.told_' || md5('plain'), true), NULL, 'eight numbers may be anything');
SELECT count(*) FROM plain.rank(NULL, '{"tags": ["1", "2", "3", "4", "5", "6", "7", "8", "9", 10]}', '["a"]');
SELECT is(current_setting('ranker.told_' || md5('plain'), true), NULL, 'so may texts');
SELECT count(*) FROM front.rank(NULL, jsonb_build_object('embedding', x(1)), '["a"]');
SELECT is(current_setting('ranker.told_' || md5('front'), true), NULL, 'what is declared is no surprise');
SELECT count(*) FROM front.rank(NULL, jsonb_build_object('embedding', x(1), 'other', x(1)), '["a"]');
SELECT is(current_setting('ranker.told_' || md5('front'), true), 'on',
  'of another one it is said that it is read as words');

-- ---------- learned ----------

-- The place of the large number says which action is good: nothing else differs.
CREATE FUNCTION teach(schema text, called text, first integer, last integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	chosen text;
BEGIN
	FOR i IN first..last LOOP
		EXECUTE format('SELECT action FROM %I.rank($1, $2, ''["a", "b", "c"]'') WHERE place = 1', schema)
		INTO chosen USING called || i, jsonb_build_object('embedding', sim.x(1 + i % 3));
		EXECUTE format('SELECT %I.reward($1, $2)', schema)
		USING called || i, (chosen = ('{a,b,c}'::text[])[1 + i % 3])::integer;
		IF i % 20 = 0 THEN
			EXECUTE format('SELECT %I.learn()', schema);
		END IF;
	END LOOP;
END $$;
SELECT teach('front', 'f', 1, 300), teach('plain', 'p', 1, 300);
SELECT cmp_ok(avg(reward), '>', 0.85::float8, 'what a vector wants is learned') FROM front.outcome
  WHERE event IN (SELECT 'f' || i FROM generate_series(201, 300) i);
SELECT cmp_ok(avg(reward), '<', 0.6::float8, 'a bag of words does not know') FROM plain.outcome
  WHERE event IN (SELECT 'p' || i FROM generate_series(201, 300) i);
SELECT is(array_agg(s.n ORDER BY j), '{1,2,3}', 'the same numbers in another order are ranked otherwise')
  FROM generate_series(1, 3) j,
    LATERAL (SELECT n FROM front.scored(jsonb_build_object('embedding', x(j)), '["a", "b", "c"]')
             ORDER BY expected DESC LIMIT 1) s;
SELECT ok(off('front') < 1e-9, 'the models are those of the log');
SELECT front.reward('f300', 0.5), front.reward('f299', 0.5);
UPDATE front.reward SET value = 0.25 WHERE event = 'f298';
SELECT front.learn();
SELECT ok(off('front') < 1e-9, 'with corrections');
SELECT is(front.erase('nobody'), 0::bigint, 'a vector is nobody');

-- ---------- an apprentice ----------

SELECT dlints_create_ranker('pupil', apprentice => true, wait => '0', vectors => '{"embedding": 12}') IS NOT NULL;
DO $$
BEGIN
	FOR i IN 1..150 LOOP
		PERFORM pupil.rank('p' || i, jsonb_build_object('embedding', sim.x(1 + i % 3)),
			(SELECT jsonb_agg(a ORDER BY a <> ('{a,b,c}'::text[])[1 + i % 3], a) FROM unnest('{a,b,c}'::text[]) a));
		IF i % 20 = 0 THEN
			PERFORM pupil.learn();
		END IF;
	END LOOP;
END $$;
SELECT cmp_ok(avg(imitated::integer), '>', 0.9, 'an apprentice sees by a vector what is chosen') FROM pupil.decision
  WHERE event IN (SELECT 'p' || i FROM generate_series(101, 150) i);
SELECT pupil.learn();
SELECT ok(off('pupil') < 1e-9, 'its models are those of the log');

-- ---------- changed, renewed ----------

SELECT dlints_alter_ranker('plain', '{"vectors": {"embedding": 12}}');
SELECT is(array_agg(s.n ORDER BY j), '{1,2,3}', 'a vector that is declared later is learned from the log')
  FROM generate_series(1, 3) j,
    LATERAL (SELECT n FROM plain.scored(jsonb_build_object('embedding', x(j)), '["a", "b", "c"]')
             ORDER BY expected DESC LIMIT 1) s;
SELECT ok(off('plain') < 1e-9, 'as if it had always been known');
SELECT is(outcome($$SELECT dlints_alter_ranker('plain', '{"vectors": {"embedding": "12"}}')$$),
  '22023: vectors must be an object of keys of the context and how many numbers each has, from 1 to 16384',
  'what is none is refused');
CREATE TEMP TABLE was AS SELECT name, state FROM front.model;
UPDATE front.setting SET version = '0.0.1';
SELECT dlints_renew('front');
SELECT is(arguments -> 'vectors', '{"embedding": 12}', 'renewed, it has its vectors') FROM front.setting;
SELECT ok(bool_and(m.state = w.state), 'and what it knows') FROM front.model m JOIN was w USING (name);
SELECT dlints_create_ranker('older', wait => '0') IS NOT NULL;
UPDATE older.setting SET version = '0.0.1', arguments = arguments - 'vectors';
DROP FUNCTION older.check_context, older.vectors, older.is_vector;
SELECT dlints_renew('older');
SELECT is(arguments -> 'vectors', '{}', 'one from before has none') FROM older.setting;
SELECT is(count(*), 1::bigint, 'and goes on') FROM older.rank(NULL, '{"embedding": [1, 2]}', '["a"]');

SELECT * FROM finish();
ROLLBACK;
