-- A ranker: what is created, ranked, rewarded, activated, learned, corrected, imitated.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql
\ir include/clock.sql
-- how far two models are from each other
CREATE FUNCTION far(a dlints, b dlints) RETURNS float8 LANGUAGE sql AS $$
SELECT CASE WHEN i.updates = j.updates
  THEN difference(dlints_mean(a), dlints_mean(b)) ELSE 'infinity' END
FROM dlints_info(a) i, dlints_info(b) j $$;
SET LOCAL check_function_bodies = on;

SELECT plan(109);

-- ---------- made ----------

SELECT matches(dlints_create_ranker('offer'), 'offer.rank',
  'a ranker is made in one statement, and says how to go on');
SELECT is(count(*), 0::bigint, 'nothing of it belongs to the extension')
  FROM pg_depend d JOIN pg_class c ON c.oid = d.objid AND d.classid = 'pg_class'::regclass
  WHERE d.deptype = 'e' AND c.relnamespace = 'offer'::regnamespace;
SELECT each_is('42P06: schema "offer" exists already', $$ dlints_create_ranker('offer') $$);
SELECT is(current_setting('search_path'), 'sim, pg_catalog, public',
  'the search_path is as it was');
SELECT is(outcome(format('SELECT dlints_scaffold_ranker(%s)', arguments)),
  '22023: ' || problem, arguments)
FROM (VALUES ('''''', 'the name of a ranker has 1 to 63 bytes'),
             ('NULL', 'the name of a ranker has 1 to 63 bytes'),
             ('''r'', wait => ''-1 s''', 'wait must be an interval of at least 0'),
             ('''r'', default_reward => ''NaN''', 'default_reward must be a finite number'),
             ('''r'', repeated => ''any''', 'repeated must be first, last or sum'),
             ('''r'', epsilon => 1.5', 'epsilon must be between 0 and 1'),
             ('''r'', half_life => ''0''', 'half_life must be an interval above 0'),
             ('''r'', apprentice => NULL', 'apprentice must be true or false'),
             ('''r'', keep => NULL', 'keep must be an interval of a day to 100 years')) v (arguments, problem);

-- ---------- ranked ----------

CREATE TEMP TABLE asked AS
SELECT 'event ' || e AS event, r.*
FROM generate_series(1, 20) e,
  LATERAL offer.rank('event ' || e, jsonb_build_object('hour', e % 3),
    '[{"id": "a", "features": {"size": "large"}}, {"id": "b", "features": [{"size": "small"}]}, "c"]') r;
SELECT ok(bool_and(places = '{1,2,3}' AND actions = '{a,b,c}'), 'all actions, in an order')
  FROM (SELECT array_agg(place ORDER BY place) AS places,
      array_agg(action ORDER BY action) AS actions FROM asked GROUP BY event) s;
SELECT ok(max(abs(sum - 1)) < 1e-9 AND min(least) > 0, 'one of them is the first')
  FROM (SELECT sum(probability) AS sum, min(probability) AS least FROM asked GROUP BY event) s;
SELECT is(count(DISTINCT action), 3::bigint, 'whichever, as long as nothing is known')
  FROM asked WHERE place = 1;
SELECT results_eq('SELECT event, action, place, probability, expected FROM asked ORDER BY 1, 3',
  'SELECT event, action, place, probability, expected FROM offer.ranked ORDER BY 1, 3',
    'what is returned is logged');
SELECT results_eq($$ SELECT event_id, action, place, probability, expected
  FROM offer.rank('event 7', '{}', '["z"]') $$,
  $$ SELECT event, action, place, probability, expected FROM asked
    WHERE event = 'event 7' ORDER BY place $$,
  'an event that was ranked before gets the same answer');
SELECT is(count(*), 20::bigint, 'and is logged once') FROM offer.decision;
SELECT ok(bool_and(id >> 22 = extract(epoch FROM at)::bigint - 1577836800),
  'a decision''s number tells its time') FROM offer.decision;
SELECT is(tableoid::regclass::text, 'offer.decision_2026_03', 'each month is a partition')
  FROM offer.decision LIMIT 1;
CREATE TEMP TABLE nameless AS SELECT * FROM offer.rank(NULL, NULL, '[{"id": "a"}]');
SELECT ok(EXISTS (SELECT FROM offer.decision WHERE id::text = event_id AND event = event_id),
  'an event without a name gets one') FROM nameless;
SELECT is(outcome(format('SELECT offer.rank(NULL, NULL, %L)', actions)),
  '22023: ' || problem, actions)
FROM (VALUES ('[]', 'actions must be an array of at least one'),
             ('{"a": 1}', 'actions must be an array of at least one'),
             (NULL, 'actions must be an array of at least one'),
             ('[{"x": 1}]', 'an action must be an id, or an object with an "id" (It is {"x": 1}.)'),
             ('["a", true]', 'an action must be an id, or an object with an "id" (It is true.)'),
             ('["a", {"id": "a"}]', 'two actions have the same id'),
             ('[{"id": "a", "price": "dear"}]',
               'the price of an action must be a number up to 1e50 ({"id": "a", "price": "dear"})'))
  v (actions, problem);

-- ---------- features ----------

SELECT is(offer.band(x), word, x || ' is ' || word)
FROM (VALUES (0, '0'), (17.0, '17'), (-3, '-3'), (2024, '2^11'), (2000, '2^11'), (1000, '2^10'),
  (0.002, '2^-9'), (-40, '-2^5.5'),
             (1e400, '2^996.5'))
  v (x, word);
SELECT is(ARRAY(SELECT unnest(names) ORDER BY 1), '{.a.b=x,.a.b=y,.c=false,.n=5}',
  'every value is a name below its keys')
  FROM offer.names('[{"a": [{"b": "x"}, {"b": ["y"]}], "c": false, "n": 5, "none": null, "empty": {}}]');
SELECT is(count(DISTINCT features), 2::bigint, 'a context is a part of what an action is')
  FROM unnest(ARRAY['{"hour": 1}', '{"hour": 2}']::jsonb[]) context, offer.action(context, '["a"]');
SELECT is(count(DISTINCT features), 1::bigint, 'a price is none')
  FROM unnest(ARRAY['[{"id": "a", "price": 1}]',
    '[{"id": "a"}]']::jsonb[]) actions, offer.action('{}', actions);

SELECT is(count(DISTINCT features), 2::bigint, 'ids that are numbers are no amounts: ' || actions::text)
  FROM unnest(ARRAY['[1000, 1001]', '[{"id": 1000}, {"id": 1001}]']::jsonb[]) actions, offer.action('{}', actions)
  GROUP BY actions;
SELECT is((a.id, a.features), (b.id, b.features), 'nor other than texts')
  FROM offer.action('{}', '[{"id": 1000}]') a, offer.action('{}', '[{"id": "1000"}]') b;
SELECT is(outcome('SELECT offer.rank(NULL, ''[1]'', ''["a"]'')'), '22023: a context must be an object (It is [1].)',
  'a context is an object');
SAVEPOINT whole;
DELETE FROM offer.setting;
SELECT is(outcome('SELECT offer.rank(NULL, NULL, ''["a"]'')'), '55000: the tables of "offer" have no rows',
  'as those of definitions alone');
ROLLBACK TO whole;

-- ---------- rewarded and learned ----------

SELECT is(offer.learn(), 0::bigint, 'nothing is learned before the wait is over');
SELECT offer.reward('event ' || e, 1) FROM generate_series(1, 10) e;
SELECT is(count(reward), 0::bigint, 'nor is a quick reward an outcome before the slow ones')
  FROM offer.outcome;
SELECT offer.reward('event 1', 0.25);
SELECT later('11 minutes');
SELECT is(offer.learn(), 21::bigint, 'then all is');
SELECT is((updates, round(mean_reward::numeric, 3)), (21::bigint, round(10 / 21.0, 3)),
  'with its first reward, or the default') FROM offer.models WHERE name = 'reward';
SELECT is(offer.learn(), 0::bigint, 'once');
SELECT offer.reward('event 15', 1);
SELECT is(offer.learn(), 1::bigint, 'a late reward is a correction');
SELECT is(round(mean_reward::numeric, 3), round(11 / 21.0, 3), 'in place of the default')
  FROM offer.models WHERE name = 'reward';
CREATE TEMP TABLE before AS SELECT name, state FROM offer.model;
SELECT offer.rebuild();
SELECT ok(far(m.state, b.state) < 1e-9, 'the model is that of the log') FROM offer.model m
  JOIN before b USING (name) WHERE name = 'reward';
SELECT each_is('22004: a reward is a number for an event', $$ offer.reward(NULL, 1)
  offer.reward('event 1', NULL) $$);
SELECT each_is('22003: the value of a reward must be finite', $$ offer.reward('event 1', 'NaN')
  offer.reward('event 1', '-Infinity') $$);
SELECT offer.reward('early', 5);
SELECT action FROM offer.rank('early', '{}', '["a"]');
SELECT is(offer.learn('0'), 1::bigint, 'a reward may come before its event');
SELECT is(learned, 5::float8, 'and counts') FROM offer.reward WHERE event = 'early';

-- ---------- deferred ----------

SELECT action FROM offer.rank('mail', '{}', '["a", "b"]', deferred => true);
SELECT offer.reward('mail', 1);
SELECT later('1 hour');
SELECT is(offer.learn(), 0::bigint, 'a deferred event does not count');
SELECT is(count(*), 0::bigint, 'nor does the report know it') FROM offer.outcome
  WHERE event = 'mail';
SELECT is(ARRAY[offer.activate('mail'), offer.activate('mail'), offer.activate('nobody')],
  '{t,f,f}', 'until it is activated');
SELECT is(offer.learn(), 0::bigint, 'and then has its wait');
SELECT later('11 minutes');
SELECT is(offer.learn(), 1::bigint, 'and counts');

-- ---------- several rewards ----------

SELECT dlints_create_ranker('it''s "last"', repeated => 'last', wait => '0', epsilon => 0);
SELECT dlints_create_ranker('total', repeated => 'sum', wait => '0', default_reward => -1,
  half_life => '1 day', keep => '2 months');
SELECT action FROM "it's ""last""".rank('e', '{}', '["a"]'),
  LATERAL (SELECT "it's ""last""".reward('e', 1), "it's ""last""".reward('e', 3)) r;
SELECT action FROM total.rank('e', '{}', '["a"]'),
  LATERAL (SELECT total.reward('e', 1), total.reward('e', 3)) r;
SELECT action FROM total.rank('f', '{}', '["a"]');
SELECT "it's ""last""".run(), total.run();
SELECT is(mean_reward, 3::float8, 'the last one counts, under any name')
  FROM "it's ""last""".models WHERE name = 'reward';
SELECT is(mean_reward, 1.5::float8, 'or their sum; and a default that is not 0')
  FROM total.models WHERE name = 'reward';

-- ---------- what pays ----------

-- Each hour wants an action of its own; two are equal, and one of these costs something.
CREATE FUNCTION wanted(hour integer, action text) RETURNS float8 LANGUAGE sql
  AS $$ SELECT CASE WHEN action = (ARRAY['a', 'b', 'c'])[hour + 1] OR action = 'c too' AND hour = 2
                    THEN 1 ELSE 0 END $$;
DO $$
DECLARE
	chosen text;
BEGIN
	FOR i IN 1..240 LOOP
		SELECT action INTO chosen FROM "it's ""last""".rank('x' || i, jsonb_build_object('hour', i % 3),
			'["a", "b", "c", {"id": "c too", "price": 0.4}]') WHERE place = 1;
		PERFORM "it's ""last""".reward('x' || i, sim.wanted(i % 3, chosen));
		IF i % 20 = 0 THEN
			PERFORM "it's ""last""".learn();
		END IF;
	END LOOP;
END $$;
SELECT ok(avg(wanted((context ->> 'hour')::integer, action)) > 0.85,
  'what a context wants is learned')
  FROM "it's ""last""".outcome WHERE event IN (SELECT 'x' || i FROM generate_series(161, 240) i);
SELECT is(action, 'free', 'what nobody can pay is not chosen')
  FROM "it's ""last""".rank('dear', '{"hour": 1}', (
    SELECT jsonb_agg(jsonb_build_object('id', 'dear ' || i, 'price', 100)) || '["free"]'
    FROM generate_series(1, 20) i)) WHERE place = 1;
SELECT action FROM "it's ""last""".rank('paid', '{}', '[{"id": "c too", "price": 0.4}]'),
  LATERAL (SELECT "it's ""last""".reward('paid', 1)) r;
SELECT "it's ""last""".learn();
SELECT ok(bool_and(earned = reward - price) AND max(price) = 0.4, 'a price is taken off')
  FROM "it's ""last""".outcome;

-- ---------- an apprentice ----------

SELECT dlints_create_ranker('pupil', apprentice => true, wait => '0');
CREATE FUNCTION teach(first integer, last integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN first..last LOOP	-- the present system knows what an hour wants
		PERFORM pupil.rank('p' || i, jsonb_build_object('hour', i % 3),
			(SELECT jsonb_agg(a ORDER BY sim.wanted(i % 3, a) DESC, a) FROM unnest('{a,b,c}'::text[]) a));
		PERFORM pupil.reward('p' || i, (i % 2)::float8);
		IF i % 20 = 0 THEN
			PERFORM pupil.learn();
		END IF;
	END LOOP;
END $$;
SELECT teach(1, 160);
SELECT ok(bool_and(ranking = '{1,2,3}' AND probabilities = '{1,0,0}' AND arm = 'present'),
  'an apprentice leaves the order as it is')
  FROM pupil.decision;
SELECT ok(
  avg(imitated::integer) FILTER (WHERE substr(event, 2)::integer <= 20) < 0.1
  AND avg(imitated::integer) FILTER (WHERE substr(event, 2)::integer BETWEEN 101 AND 160) > 0.9,
  'and learns what the present system chooses') FROM pupil.decision;
CREATE TEMP TABLE taught AS SELECT name, state FROM pupil.model;
SELECT pupil.rebuild();
SELECT ok(max(far(m.state, t.state)) < 1e-9, 'its models are those of the log')
  FROM pupil.model m JOIN taught t USING (name);
SELECT pupil.go_live(0.5);
SELECT teach(161, 260);
SELECT ok(count(*) BETWEEN 20 AND 80, 'it goes live for a share') FROM pupil.decision
  WHERE arm = 'live';
SELECT results_eq($$ SELECT measure, value FROM pupil.report('2026-03-01')
  WHERE measure IN ('share live', 'events', 'decisions to be learned') $$,
  $$ VALUES ('share live', 0.5::float8), ('events', 260), ('decisions to be learned', 0) $$,
    'the report says so');
SELECT ok(bool_and(meaning <> '') AND count(value) = count(*),
  'and has a number and a meaning for all')
  FROM pupil.report('2026-03-01');
SELECT is((value > 0.6, meaning ~ 'go live'), (true, true), 'and that it may go live')
  FROM pupil.report('2026-03-01')
  WHERE measure = 'present system imitated';
SELECT each_is('22023: the share must be between 0 and 1', $$ pupil.go_live(1.1)
  pupil.go_live(NULL) $$);

-- ---------- judged ----------

-- 60 events of 40 people that it decided, and 100 of 50 that the present system did; and one of each the day before
SELECT dlints_create_ranker('judge', apprentice => true, wait => '1 hour') IS NOT NULL;
CREATE TEMP TABLE happened AS
SELECT arm, judge.first_decision(CASE WHEN n < 0 THEN now() - interval '1 day' ELSE now() END)
       + n + CASE arm WHEN 'live' THEN 0 ELSE 1000 END AS id,
       n % 50 AS n, CASE arm WHEN 'live' THEN n % 40 ELSE n % 50 END AS person, 0.2 + n % 4 / 5.0 AS p,
       n % 3 AS expected,
       CASE WHEN n < 0 THEN 1000 WHEN arm = 'live' THEN n % 5 + 1 ELSE n % 7 END AS reward
FROM (SELECT 'live' AS arm, generate_series(-1, 59) AS n UNION ALL SELECT 'present', generate_series(-1, 99)) e;
INSERT INTO judge.decision (id, event, arm, at, active, context, actions, ranking, probabilities, expected, imitated)
SELECT id, id, arm, now(), true, jsonb_build_object('person', person), '[{"id": "a", "price": 0.25}, "b"]', '{1,2}',
       ARRAY[p, 1 - p], ARRAY[expected, 0], CASE arm WHEN 'present' THEN n BETWEEN 0 AND 36 END FROM happened;
INSERT INTO judge.reward (event, value) SELECT id, reward FROM happened;
CREATE FUNCTION says(what text, OUT value float8, OUT error float8, OUT meaning text) LANGUAGE sql AS
$$ SELECT value, error, meaning FROM judge.report(now()) WHERE measure = what $$;
CREATE TEMP TABLE earned AS
SELECT arm, max(mean) AS mean, sqrt(sum((sum - n * mean) ^ 2) * count(*) / (count(*) - 1)) / sum(n) AS stderr
FROM (SELECT arm, count(*) AS n, sum(reward - 0.25) AS sum,
             sum(sum(reward - 0.25)) OVER a / sum(count(*)) OVER a AS mean
      FROM happened WHERE n >= 0 GROUP BY arm, person WINDOW a AS (PARTITION BY arm)) p GROUP BY arm;
SELECT ok(abs(s.value - e.mean) < 1e-9 AND abs(s.error - e.stderr) < 1e-9,
  'the report says what an event earned, with an error of people: ' || e.arm)
FROM earned e, says(CASE arm WHEN 'live' THEN 'earned by the ranker' ELSE 'earned by the present system' END) s;
SELECT ok(abs(s.value - l.mean + p.mean) < 1e-9 AND abs(s.error - sqrt(l.stderr ^ 2 + p.stderr ^ 2)) < 1e-9
          AND meaning ~ '^no difference that is more than chance', 'how they differ')
FROM earned l, earned p, says('more than the present system') s WHERE l.arm = 'live' AND p.arm = 'present';
SELECT is((says('events')).value, 160::float8, 'of how many events since then');
SELECT ok(abs(s.value - e.mean) < 1e-9, 'what chance would have earned') FROM says('earned by chance') s,
  (SELECT sum((reward - 0.25) / p) / sum(1 / p) AS mean FROM happened WHERE arm = 'live' AND n >= 0) e;
SELECT ok(abs(s.value - e.mean) < 1e-9 AND abs(s.error - e.stderr) < 1e-9, 'whether what is expected comes')
FROM says('expected and not earned') s, (SELECT avg(expected - reward) AS mean,
  stddev(expected - reward) / sqrt(60) AS stderr FROM happened WHERE arm = 'live' AND n >= 0) e;
SELECT ok(abs(s.value - avg(1 - p)) < 1e-9, 'and how much is explored') FROM says('exploration') s, happened
WHERE arm = 'live' AND n >= 0 GROUP BY s.value;
SAVEPOINT judged;
SELECT ok(value = 0.74 AND abs(error - sqrt(0.74 * 0.26 / 100)) < 1e-9 AND meaning ~ 'go live with a small share',
  'what is imitated') FROM says('present system imitated');
CREATE FUNCTION imitated(percent integer) RETURNS text LANGUAGE sql AS $$
UPDATE judge.decision d SET imitated = 2 * n < percent FROM happened h
WHERE  h.id = d.id AND d.arm = 'present' AND n >= 0;
SELECT meaning FROM says('present system imitated') $$;
SELECT alike(imitated(68), 'not known yet%', 'which may be chance');
SELECT alike(imitated(52), 'not known yet%', 'or not');
SELECT alike(imitated(46), '%do not say what%', 'or too little');
DELETE FROM judge.decision WHERE id = (SELECT max(id) FROM happened WHERE arm = 'present');
SELECT alike(imitated(74), 'not known: it takes events%', 'of 100 events');
CREATE FUNCTION more(better float8) RETURNS text LANGUAGE sql AS $$
UPDATE judge.reward r SET value = reward + CASE arm WHEN 'live' THEN better ELSE 0 END FROM happened
WHERE  id = event::bigint;
SELECT meaning FROM says('more than the present system') $$;
SELECT alike(more(1), 'the ranker is better%', 'who is better');
SELECT alike(more(-1), 'the ranker is worse%', 'or worse');
UPDATE judge.reward SET value = 1;
SELECT alike((says('more than the present system')).meaning, 'not known: %rewards that differ',
  'by rewards that differ');
DELETE FROM judge.decision WHERE arm = 'live' AND (context ->> 'person')::integer > 29;
SELECT alike(more(1), 'the ranker is better%', 'is known from 30 people');
DELETE FROM judge.decision WHERE arm = 'live' AND (context ->> 'person')::integer > 28;
SELECT is(meaning, format('not known before 30 people came to each: now between %s and %s',
  round((value - within)::numeric, 3), round((value + within)::numeric, 3)), 'who came to each')
FROM says('more than the present system') s, LATERAL (SELECT judge.errors_of(29) * s.error) e (within);
DELETE FROM judge.decision WHERE arm = 'live' AND id > (SELECT min(id) FROM happened WHERE arm = 'live' AND n >= 0);
SELECT is((says('expected and not earned')).meaning, 'not known yet: too few events', 'one event says nothing');
ROLLBACK TO judged;
INSERT INTO judge.due SELECT id, now() - CASE arm WHEN 'live' THEN interval '59 minutes' ELSE '61 minutes' END
FROM (SELECT arm, max(id) AS id FROM happened GROUP BY arm) d;
SELECT ok(value = 1 AND meaning ~ '^beyond the wait', 'what is to be learned') FROM says('decisions to be learned');
UPDATE judge.due SET since = since - interval '1 hour';
SELECT ok(value = 2 AND meaning ~ 'run\(\)', 'or should have been') FROM says('decisions to be learned');
SELECT judge.rank('mail', '{}', '["a"]', deferred => true), judge.reward('mail', 1), judge.reward('never', 1);
SELECT is((says('rewards of unknown events')).value, 0::float8, 'what is told of events that may still come');
SELECT later('61 minutes');
SELECT is((says('rewards of unknown events')).value, 2::float8, 'or do not, in an hour');
SELECT judge.activate('mail');
SELECT is((says('rewards of unknown events')).value, 1::float8, 'but are activated');
SELECT set_config('sim.now', '2026-03-20 12:00+00', true);

-- ---------- by somebody who owns nothing else ----------

CREATE ROLE dlints_test_ranker;
GRANT USAGE ON SCHEMA sim TO dlints_test_ranker;
SELECT format('GRANT CREATE ON DATABASE %I TO dlints_test_ranker', current_database()) \gexec
SET LOCAL ROLE dlints_test_ranker;
SELECT dlints_create_ranker('theirs', wait => '0') IS NOT NULL;
SELECT theirs.reward('t', 1) FROM theirs.rank('t', '{}', '["a"]');
SELECT is(theirs.run(), '1 learned', 'a role that owns the schema alone can do all of it');
RESET role;

-- ---------- changed ----------

SELECT s AS statement
  FROM dlints_scaffold_ranker('total', repeated => 'sum', wait => '1 hour', default_reward => -1,
    keep => '2 months') s
WHERE s ~ 'CREATE OR REPLACE' \gexec
SELECT action FROM total.rank('g', '{}', '["a"]');
SELECT is(total.run(), '0 learned', 'its functions can be made anew, with another wait');

-- ---------- a long log ----------

SAVEPOINT short;
INSERT INTO total.decision
SELECT total.first_decision('2020-02-01') + i, 'old ' || i, 'live', '2020-02-01', true, '{}',
       '["a"]', '{1}', '{1}', '{0}' FROM generate_series(1, 5000) i;
INSERT INTO total.reward SELECT event, 1, at, 1 FROM total.decision_rest;
ANALYZE total.decision, total.reward;
CREATE FUNCTION reads(statement text) RETURNS bigint LANGUAGE sql AS
$$ SELECT rows_read(statement, 'total', '^(decision_rest|reward)') $$;
SELECT cmp_ok(reads('SELECT count(at) FROM total.reward'), '>=', 5000::bigint,
  'what is read of a long log is counted');
SELECT total.rank('new', '{}', '["a"]'), total.reward('new', 1);
SELECT cmp_ok(reads($$SELECT total.learn('0')$$), '<', 500::bigint, 'it is not read to learn');
SELECT total.reward('new', 2);
SELECT cmp_ok(reads($$SELECT total.learn('0')$$), '<', 500::bigint, 'nor to learn what comes late');
ROLLBACK TO short;

-- ---------- kept ----------

SELECT later('4 months');
SELECT total.run();
SELECT is(ARRAY(SELECT c.relname::text FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
                WHERE inhparent = 'total.decision'::regclass ORDER BY 1),
  ARRAY['decision_2026_05', 'decision_2026_06', 'decision_2026_07', 'decision_2026_08',
    'decision_2026_09', 'decision_2026_10', 'decision_rest'],
  'months end and begin');
SELECT is((SELECT count(*) FROM total.reward) + (SELECT count(*) FROM total.decision), 0::bigint,
  'with what was in them');

SELECT * FROM finish();
ROLLBACK;
