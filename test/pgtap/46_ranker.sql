-- A ranker: creation, ranking, rewards, deferred events, training, corrections and the baseline.
\ir include/helpers.sql
\ir include/clock.sql
\ir include/ranker.sql
SET LOCAL check_function_bodies = on;

SELECT plan(140);

-- ---------- creation ----------

SELECT matches(dlints_create_ranker('offer'), 'offer.rank', 'dlints_create_ranker() returns how to call the ranker');
SELECT is(count(*), 0::bigint, 'no table of a ranker belongs to the extension')
  FROM pg_depend d JOIN pg_class c ON c.oid = d.objid AND d.classid = 'pg_class'::regclass
  WHERE d.deptype = 'e' AND c.relnamespace = 'offer'::regnamespace;
SELECT each_is('42P06: schema "offer" already exists', $$ dlints_create_ranker('offer') $$);
SELECT is(current_setting('search_path'), 'sim, pg_catalog, public', 'creation leaves the search_path as it was');
SELECT is(outcome(format('SELECT dlints_create_ranker(%s)', arguments)),
  '22023: ' || problem, format('dlints_create_ranker(%s) is refused', arguments))
FROM (VALUES ('''''', 'name must have 1 to 63 bytes'), ('NULL', 'name must have 1 to 63 bytes'),
             ('''r'', attribution_window => ''-1 s''', 'attribution_window must be between 0 and 100 years'),
             ('''r'', default_reward => ''NaN''', 'default_reward must be between -1e50 and 1e50'),
             ('''r'', repeated => ''any''', 'repeated must be "first", "last" or "sum"'),
             ('''r'', epsilon => 1.5', 'epsilon must be between 0 and 1'),
             ('''r'', half_life => ''20 ms''', 'half_life must be between 1 second and 100 years'),
             ('''r'', apprentice => NULL', 'apprentice must be true or false'),
             ('''r'', retention => NULL', 'retention must be between 1 day and 100 years')) v (arguments, problem);

-- ---------- ranking ----------

CREATE TEMP TABLE asked AS
SELECT 'event ' || e AS event, r.*
FROM generate_series(1, 20) e, LATERAL offer.rank('event ' || e, jsonb_build_object('hour', e % 3),
    '[{"id": "a", "features": {"size": "large"}}, {"id": "b", "features": [{"size": "small"}]}, "c"]') r;
SELECT ok(bool_and(positions = '{1,2,3}' AND actions = '{a,b,c}'), 'rank() returns all actions with their positions')
  FROM (SELECT array_agg("position" ORDER BY "position") AS positions,
      array_agg(action ORDER BY action) AS actions FROM asked GROUP BY event) s;
SELECT ok(max(abs(sum - 1)) < 1e-9 AND min(least) > 0, 'probabilities of an event are positive and sum to 1')
  FROM (SELECT sum(probability) AS sum, min(probability) AS least FROM asked GROUP BY event) s;
SELECT is(count(DISTINCT action), 3::bigint, 'an untrained ranker chooses each action sometimes')
  FROM asked WHERE "position" = 1;
SELECT results_eq('SELECT event, action, "position", probability, expected FROM asked ORDER BY 1, 3',
  'SELECT event, action, "position", probability, expected FROM offer.ranked ORDER BY 1, 3',
  'the view "ranked" has what rank() returned');
SELECT results_eq($$ SELECT event_id, action, "position", probability, expected
  FROM offer.rank('event 7', '{}', '["z"]') $$,
  $$ SELECT event, action, "position", probability, expected FROM asked
    WHERE event = 'event 7' ORDER BY "position" $$,
  'rank() returns the same answer for an event that was ranked before');
SELECT is(count(*), 20::bigint, 'an event is logged once') FROM offer.decision;
SELECT ok(bool_and(id >> 22 = extract(epoch FROM at)::bigint - 1577836800),
  'a decision number contains the second of the decision') FROM offer.decision;
SELECT is(tableoid::regclass::text, 'offer.decision_2026_03', 'a decision is logged in the partition of its month')
  FROM offer.decision LIMIT 1;
CREATE TEMP TABLE nameless AS SELECT * FROM offer.rank(NULL, NULL, '[{"id": 2.50}]');
SELECT is(ARRAY[action, (SELECT r.action FROM offer.ranked r WHERE r.event = event_id)], '{2.5,2.5}',
  'equal numbers are one id, in rank() and in the log') FROM nameless;
SELECT ok(EXISTS (SELECT FROM offer.decision WHERE id::text = event_id AND event = event_id),
  'an event without a name is named by its decision number') FROM nameless;
SELECT is(outcome(format('SELECT offer.rank(NULL, NULL, %L)', actions)), error,
  format('rank() refuses actions %s', actions))
FROM (VALUES ('[]', '22023: argument "actions" must be an array of at least one action'),
             ('{"a": 1}', '22023: argument "actions" must be an array of at least one action'),
             ('"a"', '22023: argument "actions" must be an array of at least one action'),
             (NULL, '22004: actions must not be null'),
             ('[{"x": 1}]', '22023: an action must be an id, or an object with an "id" (The action is {"x": 1}.)'),
             ('["a", true]', '22023: an action must be an id, or an object with an "id" (The action is true.)'),
             ('["a", ["b"]]', '22023: an action must be an id, or an object with an "id" (The action is ["b"].)'),
             ('["a", ""]', '22023: an action must be an id, or an object with an "id" (The action is "".)'),
             ('["a", {"id": "a"}]', '22023: two actions have the id "a"'),
             ('[10, {"id": 10.0}]', '22023: two actions have the id "10"'),
             ('[{"id": "a", "price": "dear"}]', '22023: "price" of an action must be 0 or a number from 1e-50 to 1e50'
               ' (The action is {"id": "a", "price": "dear"}.)')) v (actions, error);

-- the decision of an event that is no longer in the log
DELETE FROM offer.pending p USING offer.decision d WHERE d.id = p.decision AND d.event = 'event 20';
DELETE FROM offer.decision WHERE event = 'event 20';
SELECT is(string_agg(action, ''), 'z', 'an event can be ranked again once its decision has left the log')
  FROM offer.rank('event 20', '{"hour": 2}', '["z"]');

-- ---------- features ----------

SELECT is(encoded('{}', jsonb_build_object('x', x)), dlints_encode(192, '', ARRAY['=a', '=a .x=' || word]),
  format('%s is read as %s', x, word))
FROM (VALUES (0, '0'), (17.0, '17'), (-3, '-3'), (2024, '2^11'), (2000, '2^11'), (1000, '2^10'),
  (0.002, '2^-9'), (-40, '-2^5.5'), (31.5, '2^10'), (1e400, '2^996.5'))
  v (x, number_word), LATERAL (SELECT CASE x WHEN 31.5 THEN '2^5' ELSE number_word END) w (word);
SELECT is(encoded('{}', '{"a": [{"b": "x"}, {"b": ["y"]}], "c": false, "n": 5, "none": null, "empty": {}}'),
  dlints_encode(192, '', '{=a,=a .a.b=x,=a .a.b=y,=a .c=false,=a .n=5}'::text[]),
  'each value of a context forms a pair with each name of an action');
SELECT is(encoded('{}', '{"hour": 1}', '{"id": 7, "features": {"size": "l"}, "price": 2}'),
  dlints_encode(192, '', '{.id=7,.features.size=l,.id=7 .hour=1,.features.size=l .hour=1}'::text[]),
  'an action''s names are its id and features, without its price');
SELECT is(count(DISTINCT features), 2::bigint, format('ids that are numbers are distinct texts: %s', actions))
  FROM unnest(ARRAY['[1000, 1001]', '[{"id": 1000}, {"id": 1001}]']::jsonb[]) actions,
    _dlints_ranker_actions('{}', actions, '{}', '{}') GROUP BY actions;
SELECT is((a.id, a.features), (b.id, b.features), 'the ids 1000 and "1000" are equal')
  FROM _dlints_ranker_actions('{}', '[{"id": 1000}]', '{}', '{}') a,
    _dlints_ranker_actions('{}', '[{"id": "1000"}]', '{}', '{}') b;
SELECT is(outcome('SELECT offer.rank(NULL, ''[1]'', ''["a"]'')'),
  '22023: argument "context" must be a JSON object (The value is [1].)', 'rank() refuses a context that is no object');
SAVEPOINT whole;
DELETE FROM offer.setting;
SELECT matches(outcome(call), '^55000: tables of schema "offer" are empty', call || ' refuses to work without settings')
FROM  (VALUES ('SELECT offer.rank(NULL, NULL, ''["a"]'')'), ('SELECT offer.learn()'),
              ('SELECT offer.erase(''u'')')) v (call);
ROLLBACK TO whole;
DELETE FROM offer.model;
SELECT matches(outcome(call), '^55000: tables of schema "offer" are empty', call || ' refuses to work without models')
FROM  (VALUES ('SELECT offer.rank(NULL, NULL, ''["a"]'')'), ('SELECT offer.learn()')) v (call);
ROLLBACK TO whole;

-- ---------- limits ----------

CREATE FUNCTION object(key text, n integer, value text DEFAULT '') RETURNS jsonb LANGUAGE sql AS
$$ SELECT jsonb_object_agg(key || i, i || value) FROM generate_series(1, n) i $$;
SELECT matches(outcome(format('SELECT count(*) FROM offer.rank(NULL, %L, %L)', context, actions)), error, name)
FROM (VALUES
  (object('c', 3000), jsonb_build_array(object('f', 3000) || '{"id": "a"}'),
   '^54000: arguments "context" and "actions" are too large together', 'rank() refuses millions of pairs of names'),
  (object('c', 100001), '["a"]'::jsonb, '^54000: argument "context" is too large',
    'rank() refuses a context of 100,001 values'),
  (object('c', 2, repeat('x', 9000000)), '["a"]', '^54000: argument "context" is too large',
    'rank() refuses a context of 18 MB'),
  ('{}', jsonb_build_array(object('f', 100001) || '{"id": "a"}'),
   '^54000: argument "actions" is too large', 'rank() refuses actions of 100,001 values'),
  (object('c', 100), jsonb_build_array(object('f', 2, repeat('x', 90000)) || '{"id": "a"}'),
   '^54000: arguments "context" and "actions" are too large together', 'rank() refuses pairs of more than 16 MB'),
  (object('c', 300), jsonb_build_array(object('f', 300) || '{"id": "a"}'), '^gives 1$',
    'rank() accepts 90,000 pairs of names')) v (context, actions, error, name);

-- ---------- rewards and training ----------

DELETE FROM offer.pending p USING offer.decision d WHERE d.id = p.decision AND d.event NOT LIKE 'event %'
  AND d.context <> '{}';
DELETE FROM offer.decision WHERE event NOT LIKE 'event %' AND context <> '{}';
SELECT is(offer.learn(), 0::bigint, 'learn() waits for rewards until the attribution window has passed');
SELECT offer.reward('event ' || e, 1) FROM generate_series(1, 10) e;
SELECT is(offer.learn(), 10::bigint, 'learn() applies a decision at once when its reward is there');
SELECT is(count(reward), 0::bigint, 'the view "outcome" has no rewards of events inside the attribution window')
  FROM offer.outcome;
SELECT is(value, 21::float8, 'the report counts events inside the attribution window')
  FROM offer.report('2026-03-01') WHERE measure = 'events inside the attribution window';
SELECT offer.reward('event 1', 0.25);
SELECT later('11 minutes');
SELECT is(offer.learn(), 11::bigint, 'learn() applies the other decisions after the attribution window');
SELECT is((updates, round(mean_reward::numeric, 3)), (21::bigint, round(10 / 21.0, 3)),
  'models are trained on the first reward of an event, or the default reward') FROM offer.models WHERE name = 'reward';
SELECT is(offer.learn(), 0::bigint, 'learn() applies a decision once');
SELECT offer.reward('event 15', 1);
SELECT is(offer.learn(), 1::bigint, 'learn() applies a late reward as a correction');
SELECT is(round(mean_reward::numeric, 3), round(11 / 21.0, 3), 'a late reward replaces the default reward')
  FROM offer.models WHERE name = 'reward';
SELECT cmp_ok(difference_from_log('offer'), '<', 1e-9::float8, 'rebuild() trains the same models from the log');
SELECT each_is('22004: arguments "event" and "value" must not be null', $$ offer.reward(NULL, 1)
  offer.reward('event 1', NULL) $$);
SELECT is(substr(outcome(format('SELECT offer.%s', call)), 1, 7), '54000: ', 'a ranker raises 54000 for ' || what)
FROM  (VALUES ('rank(repeat(''x'', 1001), ''{}'', ''["a"]'')', 'an event above 1000 bytes'),
  ('reward(repeat(''x'', 1001), 1)', 'the reward of such an event'),
              ('rank(''long'', ''{}'', jsonb_build_array(repeat(''x'', 1001)))',
                'an action whose id is above 1000 bytes')) v (call, what);
SELECT is(outcome('SELECT offer.learn(''-1 day'')'), '22023: argument "window" must be between 0 and 100 years',
  'learn() names the argument that is out of range');
SELECT is(outcome('SELECT offer.reward(''event 1'', ''NaN'')'),
  '22003: argument "value" must be finite (The value is NaN.)', 'reward() refuses NaN');
SELECT is(outcome('SELECT offer.reward(''event 1'', ''-Infinity'')'),
  '22003: argument "value" must be finite (The value is -Infinity.)', 'reward() refuses -Infinity');
SELECT offer.reward('early', 5);
SELECT action FROM offer.rank('early', '{}', '["a"]');
SELECT is(offer.learn(), 1::bigint, 'a reward may be reported before its event is ranked');
SELECT is(applied, 5::float8, 'a reward reported before its event is applied') FROM offer.reward WHERE event = 'early';

-- ---------- deferred events ----------

SELECT action FROM offer.rank('mail', '{}', '["a", "b"]', deferred => true);
SELECT later('1 hour');
SELECT is(offer.learn(), 0::bigint, 'learn() does not apply a deferred event');
SELECT is(count(*), 0::bigint, 'the view "outcome" has no deferred events') FROM offer.outcome WHERE event = 'mail';
SELECT is(ARRAY[offer.activate('mail'), offer.activate('mail'), offer.activate('nobody')],
  '{t,f,f}', 'activate() returns whether a deferred event was activated');
SELECT is(offer.learn(), 0::bigint, 'the attribution window of an activated event starts with activate()');
SELECT is(reward, NULL, 'the view "outcome" waits for the reward of an activated event') FROM offer.outcome
  WHERE event = 'mail';
SELECT later('11 minutes');
SELECT is(offer.learn(), 1::bigint, 'learn() applies an activated event after its attribution window');
SELECT is(reward, 0::float8, 'an activated event has the default reward after its attribution window')
  FROM offer.outcome WHERE event = 'mail';

-- ---------- several rewards ----------

SELECT dlints_create_ranker('it''s "last"', repeated => 'last', attribution_window => '0', epsilon => 0);
SELECT dlints_create_ranker('total', repeated => 'sum', attribution_window => '1 minute', default_reward => -1,
  half_life => '1 day', retention => '2 months');
SELECT action FROM "it's ""last""".rank('e', '{}', '["a"]'),
  LATERAL (SELECT "it's ""last""".reward('e', 1), "it's ""last""".reward('e', 3)) r;
SELECT action FROM total.rank('e', '{}', '["a"]'), LATERAL (SELECT total.reward('e', 1), total.reward('e', 3)) r;
SELECT action FROM total.rank('f', '{}', '["a"]');
CALL "it's ""last""".run();
CALL total.run();
SELECT is(mean_reward, 3::float8, 'with repeated => "last" the last reward counts')
  FROM "it's ""last""".models WHERE name = 'reward';
SELECT is(updates, 0::bigint, 'with repeated => "sum" learn() waits for the attribution window')
  FROM total.models WHERE name = 'reward';
SELECT later('2 minutes');
CALL total.run();
SELECT is(mean_reward, 1.5::float8, 'with repeated => "sum" rewards are added, and the default reward may be -1')
  FROM total.models WHERE name = 'reward';

-- ---------- what is learned ----------

-- Each hour has a best action; two actions are equal, and one of these has a price.
CREATE FUNCTION wanted(hour integer, action text) RETURNS float8 LANGUAGE sql
  AS $$ SELECT CASE WHEN action = (ARRAY['a', 'b', 'c'])[hour + 1] OR action = 'c too' AND hour = 2
                    THEN 1 ELSE 0 END $$;
CREATE PROCEDURE play(name text, shift integer) LANGUAGE plpgsql AS $$
DECLARE
	chosen text;
BEGIN
	FOR i IN 1..240 LOOP
		SELECT action INTO chosen FROM "it's ""last""".rank(name || i, jsonb_build_object('hour', i % 3),
			'["a", "b", "c", {"id": "c too", "price": 0.4}]') WHERE "position" = 1;
		PERFORM "it's ""last""".reward(name || i, sim.wanted((i + shift) % 3, chosen));
		IF i % 20 = 0 THEN
			PERFORM "it's ""last""".learn();
		END IF;
	END LOOP;
END $$;
CALL play('x', 0);
SELECT ok(avg(wanted((context ->> 'hour')::integer, action)) > 0.85,
  'a trained ranker chooses the action that suits the context')
  FROM "it's ""last""".outcome WHERE event IN (SELECT 'x' || i FROM generate_series(161, 240) i);
SELECT later('10 days');
CALL play('y', 1);
SELECT ok(avg(wanted(((context ->> 'hour')::integer + 1) % 3, action)) > 0.75,
  'a ranker with the default half-life learns within 160 events that other actions are best')
  FROM "it's ""last""".outcome WHERE event IN (SELECT 'y' || i FROM generate_series(161, 240) i);
SELECT is(action, 'free', 'a ranker does not choose actions whose price exceeds any reward')
  FROM "it's ""last""".rank('dear', '{"hour": 1}', (
    SELECT jsonb_agg(jsonb_build_object('id', 'dear ' || i, 'price', 100)) || '["free"]'
    FROM generate_series(1, 20) i)) WHERE "position" = 1;
SELECT action FROM "it's ""last""".rank('paid', '{}', '[{"id": "c too", "price": 0.4}]'),
  LATERAL (SELECT "it's ""last""".reward('paid', 1)) r;
SELECT "it's ""last""".learn();
SELECT ok(bool_and(earned = reward - price) AND max(price) = 0.4, '"earned" is the reward minus the price')
  FROM "it's ""last""".outcome;

-- ---------- an apprentice ----------

SELECT dlints_create_ranker('pupil', apprentice => true, attribution_window => '0');
CREATE FUNCTION teach(first integer, last integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN first..last LOOP	-- the baseline chooses the best action of the hour
		PERFORM pupil.rank('p' || i, jsonb_build_object('hour', i % 3),
			(SELECT jsonb_agg(a ORDER BY sim.wanted(i % 3, a) DESC, a) FROM unnest('{a,b,c}'::text[]) a));
		PERFORM pupil.reward('p' || i, (i % 2)::float8);
		IF i % 20 = 0 THEN
			PERFORM pupil.learn();
		END IF;
	END LOOP;
END $$;
SELECT teach(1, 160);
SELECT ok(bool_and(ranking = '{1,2,3}' AND probabilities = '{1,0,0}' AND treatment = 'baseline'),
  'an apprentice keeps the caller''s order') FROM pupil.decision;
SELECT ok(avg(imitated::integer) FILTER (WHERE substr(event, 2)::integer <= 20) < 0.1
  AND avg(imitated::integer) FILTER (WHERE substr(event, 2)::integer BETWEEN 101 AND 160) > 0.9,
  'an apprentice learns to imitate the baseline') FROM pupil.decision;
SELECT cmp_ok(difference_from_log('pupil'), '<', 1e-9::float8,
  'rebuild() trains the model of the baseline from the log');
SELECT pupil.go_live(0.5);
SELECT teach(161, 260);
SELECT ok(count(*) BETWEEN 20 AND 80, 'go_live(0.5) has the ranker decide half of the events') FROM pupil.decision
  WHERE treatment = 'live';
SELECT results_eq($$ SELECT measure, value FROM pupil.report('2026-03-01')
  WHERE measure IN ('live share', 'events', 'pending decisions') $$,
  $$ VALUES ('live share', 0.5::float8), ('events', 260), ('pending decisions', 0) $$,
  'the report shows the live share, events and pending decisions');
SELECT ok(bool_and(meaning <> '' AND (value IS NOT NULL OR meaning ~ '^unknown')), 'rows of a report have values')
  FROM pupil.report('2026-03-01');
SELECT is((value > 0.6, meaning ~ 'go_live'), (true, true), 'the report says that an apprentice can go live')
  FROM pupil.report('2026-03-01') WHERE measure = 'baseline imitated';
SELECT is(outcome(format('SELECT pupil.go_live(%s)', share)),
  format('22023: argument "share" must be between 0 and 1 (The value is %s.)', share),
    format('go_live(%s) is refused', share))
FROM unnest('{1.1,"null"}'::text[]) share;

-- ---------- the report ----------

-- 60 events of 40 users that the ranker decided, and 100 of 50 users that the baseline decided; and one of each the
-- day before
SELECT dlints_create_ranker('judge', apprentice => true, attribution_window => '1 hour') IS NOT NULL;
CREATE TEMP TABLE happened AS
SELECT treatment, _dlints_first_decision(CASE WHEN n < 0 THEN now() - interval '1 day' ELSE now() END)
       + n + CASE treatment WHEN 'live' THEN 0 ELSE 1000 END AS id,
       n % 50 AS n, CASE treatment WHEN 'live' THEN n % 40 ELSE n % 50 END AS user_id, 0.2 + n % 4 / 5.0 AS p,
       n % 3 AS expected, CASE WHEN n < 0 THEN 1000 WHEN treatment = 'live' THEN n % 5 + 1 ELSE n % 7 END AS reward
FROM (SELECT 'live' AS treatment, generate_series(-1, 59) AS n UNION ALL SELECT 'baseline', generate_series(-1, 99)) e;
INSERT INTO judge.decision (id, event, treatment, at, active, context, actions, ranking, probabilities,
  expected, imitated)
SELECT id, id, treatment, now() - interval '1 hour', true, jsonb_build_object('user_id', user_id),
       '[{"id": "a", "price": 0.25}, "b"]', '{1,2}',
       ARRAY[p, 1 - p], ARRAY[expected, 0], CASE treatment WHEN 'baseline' THEN n BETWEEN 0 AND 36 END FROM happened;
INSERT INTO judge.event (event, decision) SELECT event, id FROM judge.decision;
INSERT INTO judge.reward (event, value) SELECT id, reward FROM happened;
CREATE FUNCTION says(what text, OUT value float8, OUT error float8, OUT meaning text) LANGUAGE sql AS
$$ SELECT value, error, meaning FROM judge.report(now()) WHERE measure = what $$;
CREATE TEMP TABLE earned AS
SELECT treatment, max(mean) AS mean, sqrt(sum((sum - n * mean) ^ 2) * count(*) / (count(*) - 1)) / sum(n) AS stderr
FROM (SELECT treatment, count(*) AS n, sum(reward - 0.25) AS sum,
             sum(sum(reward - 0.25)) OVER a / sum(count(*)) OVER a AS mean
      FROM happened WHERE n >= 0 GROUP BY treatment, user_id WINDOW a AS (PARTITION BY treatment)) p GROUP BY treatment;
SELECT ok(abs(s.value - e.mean) < 1e-9 AND abs(s.error - e.stderr) < 1e-9,
  'the report has the mean reward per event with an error clustered by user: ' || e.treatment)
FROM earned e, says(CASE treatment WHEN 'live' THEN 'earned by the ranker' ELSE 'earned by the baseline' END) s;
SELECT ok(abs(s.value - l.mean + p.mean) < 1e-9 AND abs(s.error - sqrt(l.stderr ^ 2 + p.stderr ^ 2)) < 1e-9
          AND meaning ~ '^no statistically significant difference', 'the report compares the ranker with the baseline')
FROM earned l, earned p, says('ranker minus baseline') s WHERE l.treatment = 'live' AND p.treatment = 'baseline';
SELECT is((says('events')).value, 160::float8, 'the report counts events since its argument');
SELECT ok(abs(s.value - e.mean) < 1e-9, 'the report estimates the reward of random choices')
  FROM says('earned at random') s,
  (SELECT sum((reward - 0.25) / p) / sum(1 / p) AS mean FROM happened WHERE treatment = 'live' AND n >= 0) e;
SAVEPOINT likely;
CREATE FUNCTION at_random(float8[]) RETURNS text LANGUAGE sql AS $$
UPDATE judge.decision SET probabilities = $1 WHERE id = (SELECT max(id) FROM happened WHERE treatment = 'live');
SELECT meaning FROM says('earned at random') WHERE value IS NULL $$;
SELECT alike(at_random(p), 'unknown: this needs%', 'the report cannot estimate it: ' || why)
FROM (VALUES ('{1,0}'::float8[], 'an action had no chance'), ('{0.01,0.99}', 'one event weighs most')) v (p, why);
ROLLBACK TO likely;
SELECT ok(abs(s.value - e.mean) < 1e-9 AND abs(s.error - e.stderr) < 1e-9,
  'the report compares expected and observed rewards')
FROM says('expected minus earned') s, (SELECT avg(expected - reward) AS mean,
  stddev(expected - reward) / sqrt(60) AS stderr FROM happened WHERE treatment = 'live' AND n >= 0) e;
SELECT ok(abs(s.value - avg(1 - p)) < 1e-9, 'the report has the rate of exploration')
  FROM says('exploration') s, happened
WHERE treatment = 'live' AND n >= 0 GROUP BY s.value;
SAVEPOINT judged;
SELECT ok(value = 0.74 AND abs(error - sqrt(0.74 * 0.26 / 100)) < 1e-9 AND meaning ~ 'go_live\(\) with a small share',
  'the report says how often the baseline is imitated') FROM says('baseline imitated');
CREATE FUNCTION imitated(percent integer) RETURNS text LANGUAGE sql AS $$
UPDATE judge.decision d SET imitated = 2 * n < percent FROM happened h
WHERE  h.id = d.id AND d.treatment = 'baseline' AND n >= 0;
SELECT meaning FROM says('baseline imitated') $$;
SELECT alike(imitated(68), 'unknown whether%', 'imitation of 68 % in 100 events may be chance');
SELECT alike(imitated(52), 'unknown whether%', 'imitation of 52 % in 100 events may be chance');
SELECT alike(imitated(46), '%do not explain%', 'imitation of 46 % in 100 events is too little');
DELETE FROM judge.decision WHERE id = (SELECT max(id) FROM happened WHERE treatment = 'baseline');
SELECT alike(imitated(74), 'unknown: this needs 100 events%', 'the report needs 100 events to rate the imitation');
CREATE FUNCTION more(better float8) RETURNS text LANGUAGE sql AS $$
UPDATE judge.reward r SET value = reward + CASE treatment WHEN 'live' THEN better ELSE 0 END FROM happened
WHERE  id = event::bigint;
SELECT meaning FROM says('ranker minus baseline') $$;
SELECT alike(more(1), 'the ranker earns more: statistically significant%', 'the report says that the ranker is better');
SELECT alike(more(-1), 'the ranker earns less: statistically significant%', 'the report says that the ranker is worse');
UPDATE judge.reward SET value = 1;
SELECT alike((says('ranker minus baseline')).meaning, 'unknown: %different rewards',
  'the report does not compare rewards that are all equal');
DELETE FROM judge.decision WHERE treatment = 'live' AND (context ->> 'user_id')::integer > 29;
SELECT alike(more(1), 'the ranker earns more%', 'the report compares treatments from 30 users on');
DELETE FROM judge.decision WHERE treatment = 'live' AND (context ->> 'user_id')::integer > 28;
SELECT is(meaning, format('unknown below 30 users per treatment; 95 %% confidence interval from %s to %s',
  round((value - within)::numeric, 3), round((value + within)::numeric, 3)),
  'below 30 users the report has the confidence interval alone')
FROM says('ranker minus baseline') s, LATERAL (SELECT _dlints_t_quantile(29) * s.error) e (within);
DELETE FROM judge.decision WHERE treatment = 'live' AND id > (SELECT min(id) FROM happened WHERE treatment = 'live'
  AND n >= 0);
SELECT is((says('expected minus earned')).meaning, 'unknown: too few events',
  'the report needs two events for an error');
ROLLBACK TO judged;
SELECT is(count(DISTINCT features), 1::bigint, 'the models are not trained on the user')
FROM judge.training_example WHERE model = 'reward';
SELECT judge.rebuild(), judge.learn();
SELECT is(count(DISTINCT expected), 1::bigint, 'the user is not a feature of rank()')
FROM unnest('{1,2}'::text[]) u, judge.rank('of ' || u, jsonb_build_object('user_id', u), '["a"]') WHERE expected > 0;
SELECT dlints_alter_ranker('judge', '{"user_key": "member"}');
SELECT cmp_ok(difference_from_log('judge'), '<', 1e-9::float8, 'a change of user_key trains the models again');
ROLLBACK TO judged;
INSERT INTO judge.pending
SELECT id, now() - CASE treatment WHEN 'live' THEN interval '59 minutes' ELSE '61 minutes' END
FROM (SELECT treatment, max(id) AS id FROM happened GROUP BY treatment) d;
SELECT ok(value = 1 AND meaning ~ '^decisions after the attribution window', 'the report counts pending decisions')
  FROM says('pending decisions');
UPDATE judge.pending SET since = since - interval '1 hour';
SELECT ok(value = 2 AND meaning ~ 'run\(\)', 'the report says that run() is not called') FROM says('pending decisions');
SELECT judge.rank('mail', '{}', '["a"]', deferred => true), judge.reward('mail', 1), judge.reward('never', 1);
SELECT is((says('rewards of unknown events')).value, 0::float8,
  'a reward of an unknown event is no problem for an hour');
SELECT later('61 minutes');
SELECT is((says('rewards of unknown events')).value, 2::float8,
  'the report counts rewards of unknown and deferred events');
SELECT judge.activate('mail');
SELECT is((says('rewards of unknown events')).value, 1::float8,
  'the report does not count rewards of activated events');
SELECT set_config('sim.now', '2026-03-20 12:00+00', true);

-- ---------- a role that owns nothing else ----------

CREATE ROLE dlints_test_ranker;
GRANT USAGE ON SCHEMA sim TO dlints_test_ranker;
SELECT format('GRANT CREATE ON DATABASE %I TO dlints_test_ranker', current_database()) \gexec
SET LOCAL ROLE dlints_test_ranker;
SELECT dlints_create_ranker('theirs', attribution_window => '0') IS NOT NULL;
SELECT theirs.reward('t', 1) FROM theirs.rank('t', '{}', '["a"]');
CALL theirs.run();
SELECT is(updates, 1::bigint, 'a role without other rights can create and run a ranker') FROM theirs.models
  WHERE name = 'reward';
RESET role;

-- ---------- changes ----------

SELECT dlints_alter_ranker('total', '{"attribution_window": "1 hour"}');
SELECT action FROM total.rank('g', '{}', '["a"]');
SELECT later('30 minutes');
SELECT is(total.learn(), 0::bigint, 'dlints_alter_ranker() changes the attribution window');

-- ---------- a long log ----------

SAVEPOINT short;
INSERT INTO total.decision (id, event, treatment, at, active, context, actions, ranking, probabilities, expected)
SELECT _dlints_first_decision('2020-02-01') + i, 'old ' || i, 'live', '2020-02-01', true, '{}',
       '["a"]', '{1}', '{1}', '{0}' FROM generate_series(1, 5000) i;
INSERT INTO total.event SELECT event, id FROM total.decision_rest;
INSERT INTO total.reward SELECT event, 1, at, 1 FROM total.decision_rest;
ANALYZE total.decision, total.reward, total.event;
CREATE FUNCTION reads(statement text) RETURNS bigint LANGUAGE sql AS
$$ SELECT rows_read(statement, 'total', '^(decision_rest|reward|event)') $$;
SELECT cmp_ok(reads('SELECT count(at) FROM total.reward'), '>=', 5000::bigint,
  'the test counts the rows that a statement reads');
SELECT total.rank('new', '{}', '["a"]'), total.reward('new', 1);
SELECT cmp_ok(reads($$SELECT total.learn('0')$$), '<', 500::bigint, 'learn() does not read the whole log');
SELECT total.reward('new', 2);
SELECT cmp_ok(reads($$SELECT total.learn('0')$$), '<', 500::bigint,
  'learn() does not read the whole log for a correction');
ROLLBACK TO short;

-- ---------- retention ----------

SELECT later('4 months');
CALL total.run();
SELECT is(ARRAY(SELECT c.relname::text FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
                WHERE inhparent = 'total.decision'::regclass ORDER BY 1),
  ARRAY['decision_2026_05', 'decision_2026_06', 'decision_2026_07', 'decision_2026_08',
    'decision_2026_09', 'decision_2026_10', 'decision_rest'],
  'run() creates partitions for the months to come and drops expired ones');
SELECT is((SELECT count(*) FROM total.reward) + (SELECT count(*) FROM total.decision)
          + (SELECT count(*) FROM total.event), 0::bigint, 'run() deletes expired decisions, events and rewards');

SELECT * FROM finish();
ROLLBACK;
