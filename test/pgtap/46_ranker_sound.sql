-- A ranker loses nothing, and keeps nothing that should be gone.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql
\ir include/clock.sql
\ir include/ranker.sql
SET LOCAL check_function_bodies = on;

SELECT plan(49);

-- events of a person, of which two in three are rewarded
CREATE FUNCTION asks(schema text, person text, events integer, called text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT count(CASE WHEN e %% 3 > 0 THEN %1$I.reward(event_id, e %% 2) END)
		FROM generate_series(1, %2$s) e, LATERAL %1$I.rank(%3$L || e, jsonb_build_object(''user'', %4$L, ''hour'', e),
		     ''["a", "b", "c"]'') WHERE place = 1', schema, events, called, person);
	EXECUTE format('SELECT %I.learn()', schema);
END $$;
CREATE FUNCTION updates(schema text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	n text;
BEGIN
	EXECUTE format('SELECT string_agg(updates::text, '' '' ORDER BY name) FROM %I.models', schema) INTO n;
	RETURN n;
END $$;

SELECT dlints_create_ranker('offer', wait => '0', keep => '3 months', apprentice => true, person_key => 'user') IS NOT NULL;
SELECT dlints_create_ranker('lasting', wait => '0', keep => '3 months', archive => true) IS NOT NULL;
SELECT asks(s, 'p', 20, 'first '), asks(s, 'q', 10, 'second ') FROM unnest('{offer,lasting}'::text[]) s;
SELECT is(updates('offer'), '90 30', 'all is learned, and what the present system chose');
SELECT ok(abs(mean_reward - 1 / 3.0) < 1e-9, 'one of three') FROM offer.models WHERE name = 'imitation';
SELECT count(*) FROM offer.rank('due', '{"user": "q"}', '["a", "b", "c"]');
SELECT offer.rebuild();
SELECT is(updates('offer'), '90 30', 'what is still due is not learned by a rebuild');
SELECT offer.learn();
SELECT ok(off('offer') < 1e-9 AND updates('offer') = '93 31', 'but once');
SELECT is(offer.erase('q'), 11::bigint, 'a person whom contexts name is erased');
SELECT is(offer.erase('nobody'), 0::bigint, 'others are not');
SELECT is((SELECT count(*) FROM offer.reward WHERE event LIKE 'second%')
  + (SELECT count(*) FROM offer.decision WHERE event LIKE 'second%'), 0::bigint, 'from the log');
SELECT ok(off('offer') < 1e-9 AND updates('offer') = '60 20', 'and from the models');

SELECT later('2 months');
SELECT asks(s, 'p', 5, 'third ') FROM unnest('{offer,lasting}'::text[]) s;
SELECT later('5 weeks');
SELECT offer.run(), lasting.run();
SELECT is((SELECT count(*) FROM offer.decision), 25::bigint, 'a month is dropped as a whole');
SELECT ok(off('offer') < 1e-9 AND updates('offer') = '15 5', 'what is older than is kept is taken back');
SELECT ok(off('lasting') < 1e-9 AND updates('lasting') = '0 35', 'or archived');
SELECT offer.reward('first 3', 1);
SELECT is(offer.learn(), 0::bigint, 'what comes for it then is not learned');
SELECT later('1 month');
SELECT offer.run(), lasting.run();
SELECT is((SELECT count(*) FROM offer.decision) + (SELECT count(*) FROM offer.reward), 9::bigint,
  'the month goes, with its rewards');
SELECT ok(off(s) < 1e-9, 'the models do not notice: ' || s) FROM unnest('{offer,lasting}'::text[]) s;
SELECT is(updates('offer') || ', ' || updates('lasting'), '15 5, 0 35', 'any of them');
SELECT is(outcome($$CREATE VIEW offer.item AS SELECT 1 AS a_users_own;
SELECT dlints_alter_ranker('lasting', '{"half_life": "1 day"}')$$),
  '0A000: a ranker with an archive cannot learn its log anew '
  '(What is archived was learned under the half-life and the vectors that it has.)', 'an archive is as it is');
SELECT lives_ok($$SELECT dlints_alter_ranker('lasting', '{"half_life": "1 day", "archive": false, "epsilon": 0.5}')$$,
  'or is discarded');
SELECT ok(off('lasting') < 1e-9 AND updates('lasting') = '0 5', 'and with it what it had');
SELECT is(half_life, '1 day'::interval, 'models have the half-life that they were given')
  FROM lasting.model, dlints_info(state) WHERE name = 'reward';
SELECT ok(abs(probability - 1 / 3.0) <= 1 / 6.0 + 1e-9, 'and choices the share of chance')
  FROM lasting.rank('e', '{}', '["a", "b", "c"]') WHERE place = 1 AND probability < 0.5
UNION ALL SELECT pass('and choices the share of chance') LIMIT 1;
SELECT is(outcome(format('SELECT dlints_alter_ranker(''offer'', %L)', change)), result, change)
FROM (VALUES ('{"name": "x"}', '22023: a ranker has no argument "name"'),
             ('{"keep": "100000 years"}', '22023: keep must be an interval of a day to 100 years')) v (change, result);
SELECT is(outcome($$SELECT dlints_alter_ranker('nothing', '{}')$$), '42704: there is no ranker "nothing"',
  'alter wants a ranker');
SELECT dlints_alter_ranker('offer', '{"default_reward": 0.5}');
SELECT ok(off('offer') < 1e-9, 'another default is learned at once');

-- a reward that is not known
SELECT dlints_create_ranker('rated', wait => '0', default_reward => NULL, apprentice => true,
  person_key => 'user') IS NOT NULL;
SELECT asks('rated', 'p', 9, 'one ');
SELECT is(updates('rated'), '27 6', 'teaches nothing, but what the present system chose');
SELECT is(count(*) FILTER (WHERE reward IS NULL), 3::bigint, 'and is none in the log') FROM rated.outcome;
SELECT is(value, 0.5::float8, 'nor in the report') FROM rated.report() WHERE measure = 'earned by the present system';
SELECT rated.reward('one 3', 1);
SELECT is(rated.learn(), 1::bigint, 'it may come late');
SELECT ok(off('rated') < 1e-9 AND updates('rated') = '27 7', 'and is learned then');
SELECT dlints_alter_ranker('rated', '{"epsilon": 0.1}'), dlints_renew('rated');
SELECT asks('rated', 'q', 3, 'two ');
SELECT is(updates('rated'), '36 9', 'after a change as before');
SELECT dlints_alter_ranker('rated', '{"default_reward": 0}');
SELECT is(updates('rated'), '36 12', 'a default is learned at once');
SELECT dlints_alter_ranker('rated', '{"default_reward": null}');
SELECT ok(off('rated') < 1e-9 AND updates('rated') = '36 9', 'or taken back');
SELECT rated.erase('p');
SELECT ok(off('rated') < 1e-9 AND updates('rated') = '9 2', 'and a person is erased');

SELECT each_is('22003: the value of a reward must be between -1000 and 1000', $$ offer.reward('e', 1001)
  offer.reward('e', -1e9) $$);
SELECT dlints_alter_ranker('offer', '{"value_limit": 2e3}');
SELECT lives_ok($$SELECT offer.reward('third 1', 1001)$$, 'or as is said');
UPDATE offer.reward SET learned = 1e6 WHERE event = 'third 2';
SELECT is(offer.learn(), 0::bigint, 'what cannot be taken back stops nobody');
SELECT is(value, 1::float8, 'is set aside') FROM offer.report() WHERE measure = 'decisions set aside';
SELECT offer.rebuild();
SELECT ok(off('offer') < 1e-9 AND NOT EXISTS (SELECT FROM offer.set_aside), 'and taken up by a rebuild');
SELECT is(learned, value, 'as it is told now') FROM offer.reward WHERE event = 'third 2';
SELECT offer.reward('never', 1);
SELECT later('23 hours'), offer.run();
SELECT is(count(*), 1::bigint, 'what is told of an unknown event waits for a day') FROM offer.reward WHERE event = 'never';
SELECT later('2 hours'), offer.run();
SELECT is(count(*), 0::bigint, 'and goes') FROM offer.reward WHERE event = 'never';
INSERT INTO offer.reward (event, value, at, learned)
SELECT 'known ' || n, 1, now() - interval '3 months' - n * interval '1 hour', 1 FROM unnest('{-1,1}'::integer[]) n;
INSERT INTO offer.paid SELECT 'known ' || n, '{"usd": 1}', now() - interval '3 months' - n * interval '1 hour'
FROM unnest('{23,25}'::integer[]) n;
SELECT offer.tidy();
SELECT is(array_agg(event), '{known -1}', 'rewards go when they are older than is kept')
FROM   offer.reward WHERE event ~ '^known';
SELECT is(array_agg(event), '{known 23}', 'and what events cost a day later') FROM offer.paid;

CREATE ROLE visitor;
SELECT is(outcome($$SET LOCAL ROLE visitor; SELECT offer.reward('e', 1)$$),
  '42501: permission denied for schema offer', 'who was granted nothing may nothing');
SELECT dlints_grant('offer', 'visitor');
SELECT is_empty($$SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'offer'::regnamespace
  AND has_function_privilege('visitor', oid, 'EXECUTE') AND prosecdef AND obj_description(oid, 'pg_proc') IS NULL$$,
  'all that a page may call is described');
SELECT is(outcome($$SET LOCAL ROLE visitor; SELECT count(offer.reward(event_id, 1)) FROM offer.rank('v', '{}', '["a"]')$$),
  'gives 1', 'a page ranks and rewards');
SELECT is(outcome($$SET LOCAL ROLE visitor; TABLE offer.decision$$),
  '42501: permission denied for table decision', 'and reads nothing');
RESET ROLE;

SELECT * FROM finish();
ROLLBACK;
