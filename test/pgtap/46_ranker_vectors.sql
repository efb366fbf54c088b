-- Vectors in a context: declaration, features, errors, training, and changes.
\ir include/helpers.sql
\ir include/clock.sql
\ir include/ranker.sql
SET LOCAL check_function_bodies = on;

SELECT plan(50);

-- a vector of 12 numbers of which the one at this index is large
CREATE FUNCTION x(index integer) RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_agg(CASE i WHEN index THEN 3 ELSE 0.4 END ORDER BY i)
	FROM generate_series(1, 12) i $$;
-- features of an action "a" in a context, with the declaration {"embedding": 12} and without
CREATE FUNCTION with_vector(context jsonb) RETURNS real[] LANGUAGE sql AS $$ SELECT encoded('{"embedding": 12}',
  context) $$;
CREATE FUNCTION without(context jsonb) RETURNS real[] LANGUAGE sql AS $$ SELECT encoded('{}', context) $$;

-- ---------- declaration ----------

SELECT is(outcome(format('SELECT dlints_create_ranker(''r'', vectors => %L)', vectors)),
  '22023: vectors must be an object of context keys and lengths from 1 to 16384',
    format('vectors => %L is refused', vectors))
FROM unnest(ARRAY['[]', '25', '{"embedding": 0}', '{"embedding": 2.5}', '{"embedding": "25"}',
  '{"embedding": [25]}', '{"embedding": 16385}', '{"embedding": 1e400}', '{"": 25}', '{"user_id": 25}']) vectors;
SELECT dlints_create_ranker('front', vectors => '{"embedding": 12}', attribution_window => '0',
  epsilon => 0) IS NOT NULL;
SELECT dlints_create_ranker('plain', attribution_window => '0') IS NOT NULL;
SELECT dlints_create_ranker('it''s "odd"', vectors => '{"price": 2, "it''s \"%I\\": 3, "{dim}": 100, "$wrappers$": 2}',
  attribution_window => '0') IS NOT NULL;

-- ---------- features ----------

SELECT is(with_vector(context), without(context),
  'a declaration does not change features without vectors: ' || context::text)
FROM unnest(ARRAY['{}', '{"hour": 8, "tags": ["a", "b"]}', '{"hour": 8, "tags": [1, 2]}',
  '{"nested": {"embedding": [1, 2]}}']::jsonb[]) context;
SELECT ok(with_vector(jsonb_build_object('embedding', x(1), 'hour', 8)) <> with_vector('{"hour": 8}'),
  'a vector changes the features of an action');
SELECT ok(with_vector(jsonb_build_object('embedding', x(1))) <> with_vector(jsonb_build_object('embedding', x(2))),
  'the order of a vector''s numbers counts');
SELECT is(without(jsonb_build_object('embedding', x(1))), without(jsonb_build_object('embedding', x(2))),
  'the order of numbers in an undeclared array does not count');
SELECT ok(difference(with_vector('{"embedding": [1,2,3,4,5,6,7,8,9,10,11,12]}')::float8[],
  with_vector('{"embedding": [1e48,2e48,3e48,4e48,5e48,6e48,7e48,8e48,9e48,10e48,11e48,12e48]}')) < 1e-6,
  'the length of a vector does not count');
SELECT is(with_vector('{"embedding": [0,0,0,0,0,0,0,0,0,0,0,0]}'), without('{}'), 'a vector of zeros has no features');
SELECT is(with_vector('{"embedding": [1, 2]}'), without('{}'), 'a logged array of another length has no features');
SELECT ok(difference(with_vector('{"embedding": [1e-400,2e-70,1,0,0,0,0,0,0,0,0,0]}')::float8[],
  with_vector('{"embedding": [0,0,1,0,0,0,0,0,0,0,0,0]}')) < 1e-6, 'numbers below the range of float8 count as 0');
SELECT ok(abs(sqrt(sum(v * v)) - 1) < 1e-6 AND count(*) = 192, 'features have length 1')
  FROM unnest(with_vector(jsonb_build_object('embedding', x(3), 'hour', 8))) v;
SELECT ok(abs(dlints_dot(with_vector(jsonb_build_object('embedding', x(1)))::float8[],
  without('{}')::dlints_vector) - sqrt(1 / 3.0)) < 0.15, 'a vector has the weight of two names');
SELECT ok(encoded('{"price": 2, "it''s \"%I\\": 3, "{dim}": 100}', '{"price": [1, 2]}') <> without('{}'),
  'a vector can have any key');
SELECT is(count(DISTINCT encoded('{"{dim}": 100}', jsonb_build_object('{dim}', (
    SELECT jsonb_agg((i = j)::integer) FROM generate_series(1, 100) i)))), 5::bigint,
  'a vector of more than 64 numbers is projected') FROM generate_series(1, 5) j;

-- ---------- errors ----------

SELECT is(outcome(format('SELECT count(*) FROM front.rank(%L, %L, ''["a"]'')', 'bad', context)),
  '22023: "embedding" of a context must be an array of 12 numbers up to 1e50 (' || detail || ')',
  'rank() refuses the context ' || context)
FROM (VALUES ('{"embedding": [1, 2]}', 'The array has 2 elements: [1, 2].'),
             ('{"embedding": []}', 'The array has 0 elements: [].'),
             ('{"embedding": [[1,2,3,4,5,6,7,8,9,10,11,12]]}',
               'The array has 1 elements: [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]].'),
             ('{"embedding": [1,2,3,4,5,6,7,8,9,10,11,"12"]}',
               'The array has 12 elements: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "12"].'),
             ('{"embedding": [1,2,3,4,5,6,7,8,9,10,11,null]}',
               'The array has 12 elements: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, null].'),
             ('{"embedding": [1,2,3,4,5,6,7,8,9,10,11,[12]]}',
               'The array has 12 elements: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, [12]].'),
             ('{"embedding": "0.1 0.2"}', 'The value is "0.1 0.2".'),
             ('{"embedding": {"0": 1}}', 'The value is {"0": 1}.'),
             ('{"embedding": 12}', 'The value is 12.'),
             ('{"embedding": true}', 'The value is true.')) v (context, detail);
SELECT matches(outcome(
  format('SELECT count(*) FROM front.rank(NULL, ''{"embedding": [1,2,3,4,5,6,7,8,9,10,11,%s]}'', ''["a"]'')', n)),
  '^22023: "embedding" of a context must', 'rank() refuses a vector with ' || n)
FROM unnest('{1e308,-1e51,1e400}'::text[]) n;
SELECT is(count(*), 0::bigint, 'a refused request is not logged') FROM front.decision;
SELECT is(outcome(format($$SELECT count(*) FROM "it's ""odd""".rank(NULL, %L, '["a"]')$$, '{"it''s \"%I\\": [1, 2]}')),
  '22023: "it''s "%I\" of a context must be an array of 3 numbers up to 1e50 (The array has 2 elements: [1, 2].)',
  'an error names the key of the vector');

-- ---------- training ----------

-- The index of the large number says which action is good.
CREATE FUNCTION teach(schema text, called text, first integer, last integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	chosen text;
BEGIN
	FOR i IN first..last LOOP
		EXECUTE format('SELECT action FROM %I.rank($1, $2, ''["a", "b", "c"]'') WHERE "position" = 1', schema)
		INTO chosen USING called || i, jsonb_build_object('embedding', sim.x(1 + i % 3));
		EXECUTE format('SELECT %I.reward($1, $2)', schema)
		USING called || i, (chosen = ('{a,b,c}'::text[])[1 + i % 3])::integer;
		IF i % 20 = 0 THEN
			EXECUTE format('SELECT %I.learn()', schema);
		END IF;
	END LOOP;
END $$;
-- the action with the highest expected reward for each of three vectors
CREATE FUNCTION best(schema text) RETURNS integer[] LANGUAGE plpgsql AS $$
DECLARE
	best integer[];
BEGIN
	EXECUTE format('SELECT array_agg(b.n ORDER BY j) FROM generate_series(1, 3) j, LATERAL (
		SELECT a.n FROM %I.model m, _dlints_ranker_actions(jsonb_build_object(''embedding'', x(j)), ''["a", "b", "c"]'',
		           ''{"embedding": 12}'', ''{}'') a
		WHERE m.name = ''reward'' ORDER BY dlints_predict(m.state, a.features) DESC LIMIT 1) b', schema) INTO best;
	RETURN best;
END $$;
SELECT teach('front', 'f', 1, 300), teach('plain', 'p', 1, 300);
SELECT cmp_ok(avg(reward), '>', 0.85::float8, 'a ranker learns from a declared vector') FROM front.outcome
  WHERE event IN (SELECT 'f' || i FROM generate_series(201, 300) i);
SELECT cmp_ok(avg(reward), '<', 0.6::float8, 'a ranker does not learn from an undeclared vector') FROM plain.outcome
  WHERE event IN (SELECT 'p' || i FROM generate_series(201, 300) i);
SELECT is(best('front'), '{1,2,3}', 'equal numbers in another order are ranked differently');
SELECT cmp_ok(difference_from_log('front'), '<', 1e-9::float8, 'the models are those of the log');
SELECT front.reward('f300', 0.5), front.reward('f299', 0.5);
UPDATE front.reward SET value = 0.25 WHERE event = 'f298';
SELECT front.learn();
SELECT cmp_ok(difference_from_log('front'), '<', 1e-9::float8, 'after corrections the models are those of the log');

-- ---------- an apprentice ----------

SELECT dlints_create_ranker('pupil', apprentice => true, attribution_window => '0',
  vectors => '{"embedding": 12}') IS NOT NULL;
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
SELECT cmp_ok(avg(imitated::integer), '>', 0.9, 'an apprentice learns from a vector which action the baseline chooses')
  FROM pupil.decision
  WHERE event IN (SELECT 'p' || i FROM generate_series(101, 150) i);
SELECT pupil.learn();
SELECT cmp_ok(difference_from_log('pupil'), '<', 1e-9::float8, 'the models of an apprentice are those of the log');

-- ---------- changes ----------

SELECT dlints_alter_ranker('plain', '{"vectors": {"embedding": 12}}');
SELECT is(best('plain'), '{1,2,3}', 'a vector that is declared later is learned from the log');
SELECT cmp_ok(difference_from_log('plain'), '<', 1e-9::float8, 'after a declaration the models are those of the log');
SELECT is(outcome($$SELECT dlints_alter_ranker('plain', '{"vectors": {"embedding": "12"}}')$$),
  '22023: vectors must be an object of context keys and lengths from 1 to 16384',
  'dlints_alter_ranker() refuses a wrong declaration');

SELECT * FROM finish();
ROLLBACK;
