-- A ranker's models contain what its log contains: training, corrections, retention, erasure, changes and access.
\ir include/helpers.sql
\ir include/clock.sql
\ir include/ranker.sql
SET LOCAL check_function_bodies = on;

SELECT plan(110);

-- events of a user, of which two in three are rewarded
CREATE FUNCTION asks(schema text, user_id text, events integer, called text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT count(CASE WHEN e %% 3 > 0 THEN %1$I.reward(event_id, e %% 2) END)
		FROM generate_series(1, %2$s) e, LATERAL %1$I.rank(%3$L || e, jsonb_build_object(''user'', %4$L, ''hour'', e),
		     ''["a", "b", "c"]'') WHERE "position" = 1', schema, events, called, user_id);
	EXECUTE format('SELECT %I.learn()', schema);
END $$;
CREATE FUNCTION updates(schema text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	n text;
BEGIN
	EXECUTE format('SELECT string_agg(updates::text, '' '' ORDER BY name) FROM %I.models', schema) INTO n;
	RETURN n;
END $$;

SELECT dlints_create_ranker('offer', attribution_window => '0', retention => '3 months', apprentice => true,
  user_key => 'user') IS NOT NULL;
SELECT asks('offer', 'p', 20, 'first '), asks('offer', 'q', 10, 'second ');
SELECT is(updates('offer'), '90 30', 'the models are trained on rewards and on the choices of the baseline');
SELECT ok(abs(mean_reward - 1 / 3.0) < 1e-9, 'the baseline chooses one of three actions') FROM offer.models
  WHERE name = 'imitation';
SELECT count(*) FROM offer.rank('due', '{"user": "q"}', '["a", "b", "c"]');
SELECT offer.rebuild();
SELECT is(updates('offer'), '90 30', 'rebuild() leaves pending decisions out');
SELECT offer.learn();
SELECT cmp_ok(difference_from_log('offer'), '<', 1e-9::float8, 'after learn() the models are those of the log');
SELECT is(updates('offer'), '93 31', 'a pending decision is applied once');

-- erasure
SELECT count(*) FROM offer.rank('pending', '{"user": "q"}', '["a", "b", "c"]');
SELECT is(offer.erase('q'), 12::bigint, 'erase() returns the number of decisions of the user');
SELECT count(*) FROM offer.rank('decimal', '{"user": 7.0}', '["a"]');
SELECT is(offer.erase('7'), 1::bigint, 'erase() compares users that are numbers by value');
SELECT is(offer.erase('nobody'), 0::bigint, 'erase() of an unknown user deletes nothing');
SELECT is((SELECT count(*) FROM offer.reward WHERE event LIKE 'second%')
  + (SELECT count(*) FROM offer.decision WHERE event LIKE 'second%')
  + (SELECT count(*) FROM offer.event WHERE event LIKE 'second%')
  + (SELECT count(*) FROM offer.pending), 0::bigint,
  'erase() removes the user''s decisions, events and rewards from the log and the queue');
SELECT cmp_ok(difference_from_log('offer'), '<', 1e-9::float8, 'after erase() the models are those of the log');
SELECT is(updates('offer'), '60 20', 'erase() retracts the user''s decisions from the models');
SELECT is(string_agg(action, ''), 'z', 'an erased event can be ranked again')
  FROM offer.rank('second 1', '{}', '["z"]');
SELECT offer.learn();
DELETE FROM offer.event WHERE event = 'second 1';
DELETE FROM offer.decision WHERE event = 'second 1';
SELECT offer.rebuild();

-- retention
SELECT count(*) FROM offer.rank('deferred', '{"user": "p"}', '["a", "b", "c"]', true);
SELECT later('2 months');
SELECT asks('offer', 'p', 5, 'third ');
SELECT later('5 weeks');
CALL offer.run();
SELECT is((SELECT count(*) FROM offer.decision), 26::bigint,
  'a partition is kept while a part of its month is retained');
SELECT cmp_ok(difference_from_log('offer'), '<', 1e-9::float8, 'after retention the models are those of the log');
SELECT is(updates('offer'), '15 5', 'run() retracts expired decisions from the models');
SELECT is(offer.activate('deferred'), false, 'an expired event cannot be activated');
SELECT offer.reward('first 3', 1);
SELECT is(offer.learn(), 0::bigint, 'learn() ignores rewards of expired decisions');
SELECT later('1 month');
CALL offer.run();
SELECT is((SELECT count(*) FROM offer.decision) + (SELECT count(*) FROM offer.reward) + (SELECT count(*)
  FROM offer.event),
  14::bigint, 'run() drops an expired partition with its events and rewards');
SELECT cmp_ok(difference_from_log('offer'), '<', 1e-9::float8, 'dropping a partition does not change the models');
SELECT is(updates('offer'), '15 5', 'dropping a partition retracts nothing');
SELECT is(string_agg(action, ''), 'z', 'an expired event can be ranked again')
  FROM offer.rank('first 1', '{}', '["z"]');
SELECT offer.learn();

-- changes
SELECT is(outcome(format('SELECT dlints_alter_ranker(''offer'', %L)', change)) LIKE result || '%', true,
  format('dlints_alter_ranker() refuses %s', change))
FROM (VALUES ('{"name": "x"}', '0A000: argument "name" of a ranker cannot be changed here'),
             ('{"user_key": [1]}', '22023: argument "user_key" must be a string (The value is [1].)'),
             ('{"repeated": ["first"]}', '22023: argument "repeated" must be a string (The value is ["first"].)'),
             ('{"retention": "100000 years"}',
               '22023: retention must be between 1 day and 100 years')) v (change, result);
SELECT is(outcome($$SELECT dlints_alter_ranker('nothing', '{}')$$), '42704: there is no ranker "nothing"',
  'dlints_alter_ranker() refuses an unknown ranker');
SELECT dlints_alter_ranker('offer', '{"default_reward": 0.5}');
SELECT cmp_ok(difference_from_log('offer'), '<', 1e-9::float8,
  'a change of the default reward trains the models again');
SELECT is(round(mean_reward::numeric, 3), round((2 + 2 * 0.5) / 6.0, 3), 'the new default reward counts at once')
  FROM offer.models WHERE name = 'reward';
SELECT dlints_alter_ranker('offer', '{"half_life": "1 day"}');
SELECT is(half_life * 5 ^ (memories - 2), '1 day'::interval,
  'dlints_alter_ranker() changes the half-life of the longest memory that forgets')
  FROM offer.model, dlints_info(state) WHERE name = 'reward';

-- without a default reward
SELECT dlints_create_ranker('rated', attribution_window => '0', default_reward => NULL, apprentice => true,
  user_key => 'user') IS NOT NULL;
SELECT asks('rated', 'p', 9, 'one ');
SELECT is(updates('rated'), '27 6', 'without a default reward only rewarded events are examples');
SELECT is(count(*) FILTER (WHERE reward IS NULL), 3::bigint, 'the view "outcome" has NULL for missing rewards')
  FROM rated.outcome;
SELECT is(value, 0.5::float8, 'the report leaves missing rewards out') FROM rated.report()
  WHERE measure = 'earned by the baseline';
SELECT rated.reward('one 3', 1);
SELECT is(rated.learn(), 1::bigint, 'a missing reward can be reported late');
SELECT cmp_ok(difference_from_log('rated'), '<', 1e-9::float8, 'after a late reward the models are those of the log');
SELECT is(updates('rated'), '27 7', 'a late reward becomes an example');
SELECT dlints_alter_ranker('rated', '{"epsilon": 0.1}');
SELECT asks('rated', 'q', 3, 'two ');
SELECT is(updates('rated'), '36 9', 'a change of another argument keeps the default reward NULL');
SELECT dlints_alter_ranker('rated', '{"default_reward": 0}');
SELECT is(updates('rated'), '36 12', 'a new default reward makes examples of events without a reward');
SELECT dlints_alter_ranker('rated', '{"default_reward": null}');
SELECT ok(difference_from_log('rated') < 1e-9 AND updates('rated') = '36 9', 'a default reward can be removed');
SELECT rated.erase('p');
SELECT ok(difference_from_log('rated') < 1e-9 AND updates('rated') = '9 2', 'erase() works without a default reward');

-- limits of rewards, quarantine
SELECT is(outcome(format('SELECT offer.reward(''e'', %s)', value)),
  format('22003: argument "value" must be between -1000 and 1000 (The value is %s.)', shown),
    format('reward() refuses %s', value))
FROM (VALUES ('1001', '1001'), ('-1e9', '-1000000000')) v (value, shown);
SELECT dlints_alter_ranker('offer', '{"value_limit": 2e3}');
SELECT lives_ok($$SELECT offer.reward('third 1', 1001)$$, 'value_limit sets the largest reward');
UPDATE offer.reward SET applied = 1e6 WHERE event = 'third 2';
SELECT is(offer.learn(), 0::bigint, 'a correction that cannot be retracted stops no other');
SELECT is(value, 1::float8, 'the report counts quarantined decisions') FROM offer.report()
  WHERE measure = 'quarantined decisions';
SELECT offer.rebuild();
SELECT ok(difference_from_log('offer') < 1e-9 AND NOT EXISTS (SELECT FROM offer.quarantine),
  'rebuild() releases quarantined decisions');
SELECT is(applied, value, 'rebuild() applies rewards of quarantined decisions') FROM offer.reward
  WHERE event = 'third 2';

-- orphans
SELECT offer.reward('never', 1);
SELECT later('23 hours');
CALL offer.run();
SELECT is(count(*), 1::bigint, 'a reward of an unknown event is kept for a day') FROM offer.reward
  WHERE event = 'never';
SELECT later('2 hours');
CALL offer.run();
SELECT is(count(*), 0::bigint, 'a reward of an unknown event is deleted after a day') FROM offer.reward
  WHERE event = 'never';
INSERT INTO offer.reward (event, value, at, applied)
SELECT 'known ' || n, 1, now() - interval '3 months' - n * interval '1 hour', 1 FROM unnest('{-1,1}'::integer[]) n;
INSERT INTO offer.event_cost SELECT 'known ' || n, '{"usd": 1}', now() - interval '3 months' - n * interval '1 hour'
FROM unnest('{23,25}'::integer[]) n;
CALL offer.run();
SELECT is(array_agg(event), '{known -1}', 'rewards are deleted after the retention time')
FROM   offer.reward WHERE event ~ '^known';
SELECT is(array_agg(event), '{known 23}', 'costs are deleted a day after the retention time') FROM offer.event_cost;

-- access
CREATE ROLE visitor;
SELECT is(outcome($$SET LOCAL ROLE visitor; SELECT offer.reward('e', 1)$$),
  '42501: permission denied for schema offer', 'a role without a grant can call nothing');
SELECT dlints_grant('offer', 'visitor');
SELECT is_empty($$SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'offer'::regnamespace
  AND obj_description(oid, 'pg_proc') IS NULL$$, 'each function of a ranker has a comment');
SELECT is(array_agg(proname::text ORDER BY proname), '{activate,rank,reward}',
  'dlints_grant() grants what a page calls')
FROM   pg_proc WHERE pronamespace = 'offer'::regnamespace AND has_function_privilege('visitor', oid, 'EXECUTE');
SELECT is(outcome($$SET LOCAL ROLE visitor; SELECT count(*) FROM (SELECT offer.reward(event_id, 1)
  FROM offer.rank('v', '{}', '["a"]')) r$$),
  'gives 1', 'a granted role can rank and reward');
SELECT is(outcome($$SET LOCAL ROLE visitor; TABLE offer.decision$$),
  '42501: permission denied for table decision', 'a granted role cannot read the log');
RESET ROLE;

-- ---------- vectors ----------

-- Vectors in a context: declaration, features, errors, training, and changes.
SET LOCAL check_function_bodies = on;

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
CREATE TEMP TABLE used AS SELECT used_bytes FROM pg_backend_memory_contexts WHERE name = 'TopMemoryContext';
SELECT count(r) FROM generate_series(1, 500) i, plain.rank('n' || i, '{"n": [1,2,3,4,5,6,7,8,9]}', '["a"]') r;
SELECT cmp_ok(c.used_bytes - u.used_bytes, '<', 20000::bigint, 'a notice is remembered once')
FROM   pg_backend_memory_contexts c, used u WHERE c.name = 'TopMemoryContext';
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
SELECT matches(outcome(format('SELECT count(*) FROM front.rank(NULL, %L, %L)', context, jsonb_agg(i))),
  '^54000: .*: 0 values of the context with each value of an action, and 12 numbers of vectors with each action',
  'an error counts the numbers of a vector, which form pairs with each action')
FROM   generate_series(1, 8000) i, (VALUES ('{"embedding": [1,2,3,4,5,6,7,8,9,10,11,12]}')) v (context)
GROUP  BY context;
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
UPDATE plain.setting SET vectors = '[1, 2, 3]';
SELECT matches(outcome($$SELECT plain.rank('damaged', '{"embedding": 1}', '["a", "b"]')$$), '^XX001: ',
  'rank() rejects an array in place of the lengths of vectors');
UPDATE plain.setting SET vectors = '{"embedding": "a"}';
SELECT matches(outcome($$SELECT plain.rank('damaged', '{"embedding": 1}', '["a", "b"]')$$), '^XX001: ',
  'rank() rejects a length of a vector that is not a number');
UPDATE plain.setting SET vectors = '{}';
DROP VIEW plain.ranked;
CREATE VIEW plain.ranked AS SELECT id AS decision, 7 AS action, 1 AS "position", 1 AS probability, 1 AS expected
FROM   plain.decision;
SELECT is((SELECT action FROM plain.rank(event, '{}', '["a", "b"]')), '7',
  'rank() converts the columns of a view that its owner replaced') FROM plain.event LIMIT 1;

SELECT * FROM finish();
ROLLBACK;
