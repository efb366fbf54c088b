-- Constraints of a recommender: average costs per position, dual prices that run() computes, the log, constraints
-- that cannot hold, outcomes, many items, and changes.
-- This takes over 20 s, since run() scores all items for a hundred lists each time that it computes prices.
\ir include/helpers.sql
\ir include/clock.sql
\ir include/recommender.sql
\ir include/neighbours.sql
SET LOCAL check_function_bodies = on;
-- prices are found by scoring all items for a hundred lists
DELETE FROM job WHERE id > 100;
DELETE FROM visit WHERE job > 100;

SELECT plan(94);

-- ---------- invalid constraints ----------

SELECT is(outcome(format('SELECT dlints_create_recommender(''r'', ''job'', ''{field}'', constraints => %L)', given)),
  problem, format('dlints_create_recommender() rejects the constraints %s', given))
FROM (VALUES
  ('[]', '22023: constraints must be an object of at most 8 constraints by name'),
  ('{"a": 1}', '22023: constraint "a" must have either "max" or "min" (The constraint is 1.)'),
  ('{"a": {"of": "i.open"}}',
    '22023: constraint "a" must have either "max" or "min" (The constraint is {"of": "i.open"}.)'),
  ('{"a": {"max": 1}}',
    '22023: constraint "a" must have either "of", an expression of i, or "outcome" (The constraint is {"max": 1}.)'),
  ('{"a": {"of": "1", "outcome": "click", "max": 1}}', '22023: constraint "a" must have either "of", '
    'an expression of i, or "outcome" (The constraint is {"of": "1", "max": 1, "outcome": "click"}.)'),
  ('{"a": {"of": 1, "max": 1}}',
    '22023: constraint "a" must have an expression of i in "of" (The constraint is {"of": 1, "max": 1}.)'),
  ('{"a": {"of": "1", "max": 0}}',
    '22023: constraint "a" must have a target above 0, at most 1e50 (The constraint is {"of": "1", "max": 0}.)'),
  ('{"a": {"of": "1", "max": 1, "hard": true}}', '22023: constraint "a" cannot be hard: only constraints of rankers '
    'can (The constraint is {"of": "1", "max": 1, "hard": true}.)'),
  ('{"a": {"outcome": "return", "max": 1}}',
    '22023: constraint "a" names no outcome of "outcomes" (The constraint is {"max": 1, "outcome": "return"}.)'),
  ('{"a": {"outcome": ["click"], "max": 1}}',
    '22023: constraint "a" names no outcome of "outcomes" (The constraint is {"max": 1, "outcome": ["click"]}.)'),
  ('{"a": {"outcome": "click", "max": 1.5}}', '22023: constraint "a" must have a rate from 1e-9 to 1 as its target '
    '(The constraint is {"max": 1.5, "outcome": "click"}.)'),
  ('{"a": {"outcome": "click", "min": 1e-10}}', '22023: constraint "a" must have a rate from 1e-9 to 1 as its target '
    '(The constraint is {"min": 0.0000000001, "outcome": "click"}.)'),
  ('{"a": {"of": "1", "max": 1, "by": 1}}', '22023: constraint "a" can only have "of" or "outcome", and "max" or "min" '
    '(The constraint is {"by": 1, "of": "1", "max": 1}.)'),
  ('{"a": {"of": "i.shut", "max": 1}}', '42703: in the constraint "a": column i.shut does not exist'),
  ('{"a": {"of": "user_id = 1", "max": 1}}', '42703: in the constraint "a": column "user_id" does not exist'),
  ('{"a": {"of": "context ? ''x''", "max": 1}}', '42703: in the constraint "a": column "context" does not exist'),
  ('{"a": {"of": "true, true", "max": 1}}', '42804: in the constraint "a": the expression is of type record'),
  ('{"a": {"of": "i.title", "max": 1}}', '42804: in the constraint "a": the expression is of type text'),
  ('{"a": {"of": "i.salary::money", "max": 1}}', '42804: in the constraint "a": the expression is of type money'),
  ('{"a": {"of": "NULL", "max": 1}}', '42804: in the constraint "a": the expression is of type text'),
  ('{"a": {"of": "i.open) OR (true", "max": 1}}', '42601: in the constraint "a": syntax error at or near ")"'),
  ('{"a": {"of": "1 FROM visit", "max": 1}}', '42601: in the constraint "a": syntax error at or near "FROM"'),
  ('{"a": {"of": "count(*)", "max": 1}}',
    '42803: in the constraint "a": aggregate functions are not allowed in WHERE'),
  ('{"a": {"of": "1 / (i.id - i.id)", "max": 1}}', '22012: in the argument "constraints": division by zero')
  ) v (given, problem);
SELECT is(hint_of($$SELECT dlints_create_recommender('r', 'job', '{field}',
  constraints => '{"a": {"of": "user_id", "max": 1}}')$$),
  'The expression is a condition on i, or a number computed from i.',
  'the hint of an invalid expression says that it reads the item');
SELECT is(count(*), 0::bigint, 'a rejected argument leaves no schema behind') FROM pg_namespace WHERE nspname = 'r';

-- ---------- shares ----------

-- lists and clicks: users like one field, and remote jobs
CREATE FUNCTION ask(name text, first integer, last integer, every integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN first .. last LOOP
		EXECUTE format('SELECT count(%1$I.reward(decision, item)) FROM %1$I.recommend($1) JOIN job ON id = item
			WHERE (hashint8extended(item * 1000 + $2, 3) & 1023) < CASE WHEN field = wants($1) THEN 300 ELSE 30 END
				* CASE WHEN remote THEN 2 ELSE 1 END', name) USING (hashint4(i) & 63), i;
		PERFORM later('1 minute');
		IF i % every = 0 THEN
			EXECUTE format('CALL %I.run()', name);
		END IF;
	END LOOP;
END $$;
CREATE FUNCTION spent(name text, most bigint)
RETURNS TABLE (decision bigint, constraint_name text, cost float8, choices bigint) LANGUAGE sql AS $$
SELECT s.* FROM jsonb_to_recordset(inside(name, format('SELECT jsonb_agg(s) FROM public._dlints_spent(%s) s',
  most))::jsonb)
       s (decision bigint, constraint_name text, cost float8, choices bigint) $$;
CREATE FUNCTION share(name text, of_constraint text, most integer) RETURNS numeric LANGUAGE sql AS $$
SELECT avg(cost)::numeric FROM spent(name, most) WHERE constraint_name = of_constraint $$;
SELECT dlints_create_recommender('board', 'job', '{field,remote,city_id}', control => 0.1, attribution_window => '0',
  repeats => true,
  factors => 4, clicks => 'SELECT who, job, at FROM visit', constraints => '{"remote": {"of": "i.remote", "max": 0.3},
    "new": {"of": "i.posted > now() - interval ''7 days'' -- these", "min": 0.2},
    "city": {"of": "i.city_id / 10.0", "max": 0.28}, "few": {"of": "i.id < 3", "max": 0.9}}');
SELECT dlints_create_recommender('plain', 'job', '{field,remote,city_id}', control => 0.1, attribution_window => '0',
  repeats => true,
  factors => 4, clicks => 'SELECT who, job, at FROM visit');
SELECT is(v.features, p.features, 'a constraint adds no feature to item vectors')
FROM   board.item_vector v JOIN plain.item_vector p USING (item) WHERE item = 1;
SELECT ok(bool_and(v.costs = ARRAY[j.city_id / 10.0, (j.id < 3)::int, (j.posted > now() - interval '7 days')::int,
	j.remote::int]::real[]) AND count(*) = 100, 'item vectors have the costs, in the order of constraint names')
FROM   board.item_vector v JOIN job j ON j.id = v.item;
SELECT ask('board', 1, 600, 100);
-- over all lists, those before the first prices included: without prices the means are 0.62, 0.16 and 0.305
SELECT cmp_ok(abs(share('board', 'remote', 600) - 0.3), '<', 0.02, 'a maximum of 30 % holds');
SELECT cmp_ok(abs(share('board', 'new', 600) - 0.2), '<', 0.02, 'a minimum of 20 % holds at the same time');
SELECT cmp_ok(share('board', 'city', 600), '<', 0.29, 'a maximum of a mean of numbers holds');
SELECT ok(bool_and(CASE name WHEN 'few' THEN price = 0 WHEN 'remote' THEN price > 0 ELSE true END AND decisions > 400),
	'a constraint that holds anyway has the price 0') FROM board.constraint_price;
SELECT cmp_ok(count(DISTINCT prices), '>', 4::bigint, 'prices are logged') FROM board.decision;
SELECT ok(bool_and(CASE treatment WHEN 'personal' THEN prices IS NOT NULL AND costs IS NOT NULL
	WHEN 'random' THEN prices IS NULL AND costs IS NOT NULL ELSE prices IS NULL AND costs IS NULL END)
	AND count(DISTINCT treatment) = 3, 'lists of the control have neither prices nor costs, and random lists have costs')
		FROM board.decision;
SELECT ok(bool_and(abs(c.remote - (d.costs ->> 'remote')::float8) < 1e-6
	AND abs(c.city - (d.costs ->> 'city')::float8) < 1e-6), 'the log has the mean costs per position')
FROM   board.decision d, LATERAL (SELECT avg(j.remote::int) AS remote, avg(j.city_id / 10.0) AS city
	FROM job j WHERE j.id = ANY (d.items)) c WHERE d.costs IS NOT NULL;
SELECT results_eq($$SELECT measure, value IS NOT NULL, substring(meaning from
	'^at (?:most|least) [0-9.]+ per position; .*(without a price|the price is [0-9.]+, which costs)') ~ 'price'
		FROM board.report('-infinity') WHERE measure ~ '^constraint' ORDER BY 1$$,
	$$SELECT 'constraint "' || name || '"', true, true FROM board.constraint_price ORDER BY 1$$,
		'report() has a row for each constraint with its price');

-- ---------- the log ----------

SELECT later('1 minute');
UPDATE board.setting SET history_prior = NULL;
SELECT count(*) FROM generate_series(1, 40) p, board.recommend(p);
-- with the current profile, since the log has a rounded one, and without histories of users, which are not logged
CREATE TEMP TABLE again AS
SELECT d.id, d.probabilities, ARRAY(
	SELECT c.probability
	FROM   (SELECT array_agg(v.item) AS items, array_agg(f.features) AS features, array_agg(v.effect - dlints_dot((
	            SELECT array_agg((d.prices ->> p.name)::float8 * p.sign ORDER BY p.name COLLATE "C")
	            FROM   board.constraint_price p), v.costs)) AS bonus
	        FROM   board.allowed(d.user_id, d.context) a JOIN board.item_vector v USING (item)
	               JOIN features_for('board', d.user_id) f USING (item)) v,
	       dlints_decide(m.state, v.items, v.features, 10, board.profile(d.user_id), draws => 15, bonus => v.bonus,
	                     seed => d.seed) c
	ORDER  BY c.rank) AS again
FROM   board.decision d, board.model m
WHERE  m.name = 'personal' AND d.id >= first_decision(now()) AND d.treatment = 'personal';
SELECT ok(count(*) > 20 AND bool_and(probabilities = again::real[]),
          'the logged seed and prices reproduce the probabilities')
FROM   again;
SELECT count(*) FROM generate_series(1, 3) p, plain.recommend(p);
SELECT ok(bool_and(prices IS NULL AND costs IS NULL) AND count(*) = 3,
  'lists without constraints log neither prices nor costs')
FROM   plain.decision;
SELECT ok(bool_and(costs IS NULL), 'item vectors without constraints have no costs') FROM plain.item_vector;
CALL plain.run();
SELECT is(count(*), 0::bigint, 'run() finds no prices without constraints') FROM plain.constraint_price;

-- ---------- rows that come and change ----------

INSERT INTO job SELECT 1000, 'new', 'field 1', 3, 1000, '{}', '{}', true, now(), true, 'same';
SELECT is(inside('board', 'SELECT (public._dlints_cost_of(1000)).costs'), '{0.3,0,1,1}',
  'a new row has its costs at once');
SELECT later('8 days');
SELECT board.refresh();
SELECT is(costs, '{0.3,0,0,1}'::real[], 'refresh() computes costs that change with time') FROM board.item_vector
  WHERE item = 1000;
UPDATE board.item_vector SET costs = CASE item % 3 WHEN 0 THEN '{1}'::real[] WHEN 1 THEN '{}' END;
SELECT is(count(*), 10::bigint, 'recommend() succeeds with item vectors that have costs of other constraints')
  FROM board.recommend(1);
DELETE FROM board.constraint_price WHERE name = 'few';
SELECT is(count(*), 10::bigint, 'recommend() succeeds with a constraint less') FROM board.recommend(1);
DELETE FROM job WHERE id = 1000;

-- ---------- changed ----------

SELECT later('1 minute');
SELECT dlints_alter_recommender('board', '{"constraints": {"remote": {"of": "i.remote", "max": 0.4},
  "all": {"of": "CASE WHEN i.id % 2 = 0 THEN ''infinity'' WHEN i.id % 3 = 0 THEN -1e-40 END::float8", "min": 0.5}}}');
SELECT results_eq('SELECT name, target, price > 0, decisions FROM board.constraint_price ORDER BY 1',
  $$VALUES ('all', 0.5::float8, false, 0::bigint), ('remote', 0.4::float8, true, 0)$$,
  'an unchanged constraint keeps its price');
SELECT ok(bool_and(costs = ARRAY[0, (item % 2 = 0)::int]::real[]),
  'an alter computes costs at once, and infinity counts as 0') FROM board.item_vector;
SELECT alike((SELECT meaning FROM board.report() WHERE measure = 'failed maintenance'),
  'costs: items whose costs are not finite cost 0 (number: 50, for example "10") (since %)',
  'report() counts items whose costs are not finite');
SELECT later('1 minute');
SELECT is(count(*), 0::bigint, 'lists from before the alter do not count') FROM spent('board', 10000);
SELECT ask('board', 1001, 1040, 40);
SELECT alike(meaning, 'at least 0.5 per position;%cannot be met: the expected mean is 0.000000 at any price',
  'report() says that a constraint cannot hold after a few lists')
FROM   board.report('-infinity') WHERE measure = 'constraint "all"';
SELECT ask('board', 1041, 1300, 100);
-- 0.1 if the price remained that of the former maximum
SELECT cmp_ok(abs(share('board', 'remote', 300) - 0.4), '<', 0.07, 'the changed maximum holds');
SELECT is(outcome($$SELECT dlints_alter_recommender('board',
  '{"constraints": {"a": {"of": "1 / (i.id - i.id)", "max": 1}}}')$$),
  '22012: in the argument "constraints": division by zero', 'an alter reports an error of an expression');
SELECT is(count(*), 2::bigint, 'an alter with an error changes nothing') FROM board.constraint_price;
CREATE TABLE weight (job integer, kg float8);
SELECT dlints_alter_recommender('board',
  '{"constraints": {"kg": {"of": "(SELECT w.kg FROM weight w WHERE w.job = i.id)", "max": 2}}}');
INSERT INTO job SELECT 1002, 'new', 'field 1', 3, 1000, '{}', '{}', true, now(), true, 'same';
INSERT INTO weight SELECT id, 1.5 FROM generate_series(1, 2), unnest('{1,1002}'::integer[]) id UNION ALL SELECT 2, 0.5;
SELECT is(count(*), 10::bigint, 'recommend() succeeds although the cost of a new row cannot be computed')
  FROM board.recommend(1);
SELECT later('2 hours');
CALL board.run();
SELECT ok(count(*) = 1, 'report() has the error of costs that cannot be computed') FROM board.report()
WHERE  measure = 'failed maintenance' AND meaning ~ 'more than one row';
SELECT is(array_agg(costs[1] ORDER BY item), '{0,0.5,0}',
  'costs that can be computed are refreshed, and new rows get vectors')
FROM   board.item_vector WHERE item IN (1, 2, 1002);
SELECT is(count(*), 10::bigint, 'recommend() succeeds after costs could not be computed') FROM board.recommend(1);
DELETE FROM weight; DELETE FROM job WHERE id = 1002;
SELECT later('2 hours');
CALL board.run();
SELECT is(count(*), 0::bigint, 'report() has no error after costs can be computed') FROM board.report()
  WHERE measure = 'failed maintenance';
-- three constraints that no list can satisfy, with a short log
DELETE FROM board.decision;
SELECT dlints_alter_recommender('board', jsonb_build_object('constraints', jsonb_object_agg(n,
  format('{"of": "(ARRAY[1000, 1, 0.01])[1 + (i.id + %s) %% 3]", "max": 0.001}', n)::jsonb)))
FROM generate_series(1, 3) n;
SELECT ask('board', 1401, 1420, 20);
SELECT ok(max(price) <= 1e18 AND max(expected_cost) < 1.1 * min(expected_cost),
  'constraints that exclude each other are missed by the same amount')
  FROM board.constraint_price;
SELECT 'board.cost_text'::regclass::oid AS costs \gset
SELECT dlints_alter_recommender('board', '{"constraints": {}}');
SELECT is('board.cost_text'::regclass::oid, :costs::oid,
  'requests that have begun find the view of costs after the last constraint was removed');
SELECT ok(NOT EXISTS (SELECT FROM board.constraint_price) AND bool_and(costs IS NULL), 'constraints can be removed')
FROM   board.item_vector;
SELECT later('1 minute');
SELECT count(*) FROM board.recommend(1);
SELECT ok(costs IS NULL AND prices IS NULL, 'lists have neither costs nor prices after constraints are removed')
  FROM board.decision ORDER BY id DESC LIMIT 1;
SELECT ok(bool_and(costs IS NULL AND outcome_rates IS NULL), 'item vectors have no costs after constraints are removed')
  FROM board.item_vector;

-- ---------- the horizon ----------

CREATE FUNCTION horizon_of(name text) RETURNS TABLE (choices float8, decisions bigint) LANGUAGE sql AS $$
SELECT h.* FROM jsonb_to_record(inside(name, 'SELECT to_jsonb(h) FROM public._dlints_horizon() h')::jsonb)
       h (choices float8, decisions bigint) $$;

SELECT dlints_create_recommender('owing', 'job', '{field}', constraints => '{"remote": {"of": "i.remote", "max": 0.3}}')
  IS NOT NULL;
SELECT is(h::text, '(150,2100)', 'the horizon is 150 lists, and 14 times that are counted')
FROM   horizon_of('owing') h;
INSERT INTO owing.decision (id, at, seed, user_id, treatment, context, profile, items, probabilities,
  expected, versions, features, costs)
SELECT first_decision(now()) + i, now(), 0, i, 'personal', '{}', dlints_pack('{}'), array_fill(1, ARRAY[k]),
       array_fill(1::float8, ARRAY[k]), array_fill(0::float8, ARRAY[k]), array_fill(0, ARRAY[k]),
       dlints_pack(array_fill(0::real, ARRAY[k, 1])), '{"remote": 0}'
FROM generate_series(1, 150) i, LATERAL (SELECT CASE WHEN i <= 50 THEN 1 ELSE 4 END) l (k);
CREATE FUNCTION horizon(solved bigint, now_at bigint) RETURNS text LANGUAGE sql AS $$
SELECT setval('owing.decision_number', now_at);
UPDATE owing.constraint_price SET solved = horizon.solved;
SELECT h::text FROM horizon_of('owing') h $$;
SELECT is(array_agg(horizon(solved, now_at) ORDER BY now_at),
  ARRAY['(800,2800)', '(600,2100)', '(800,2800)', '(400000,100000)'],
  'the horizon follows the size of lists and the lists since the last prices')
FROM (VALUES (4194254, 150), (300, 449), (300, 500), (0, 4000000)) v (solved, now_at);

-- ---------- outcomes ----------

-- lists and their outcomes: items of one field are left more often, and clicked more often
CREATE FUNCTION leave(first integer, last integer, after interval) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN first .. last LOOP
		PERFORM count(*) FROM "a b".recommend(hashint4(i) & 63);
		PERFORM later('1 minute');
		IF i % 60 = 0 THEN
			PERFORM later(after);
			PERFORM "a b".reward(l.decision, l.item, o.outcome)
			FROM   "a b".impression_user l JOIN job j ON j.id = l.item,
			       (VALUES ('click', 3, 300, 60), ('it''s "left"', 4, 500, 20)) o (outcome, seed, often, seldom)
			WHERE  l.at > now() - after - interval '90 minutes'
			AND    (hashint8extended(l.item * 1000 + l.decision, o.seed) & 1023)
			       < CASE j.field WHEN 'field 1' THEN o.often ELSE o.seldom END;
			PERFORM later('2 hours');
			CALL "a b".run();
		END IF;
	END LOOP;
END $$;
SELECT dlints_create_recommender('a b', 'job', '{field,remote,city_id,salary}', control => 0.02,
  attribution_window => '0', epsilon => 0.1,
  outcomes => '{"click": 1, "it''s \"left\"": 0, "hired": 5}',
  constraints => '{"stay\"s": {"outcome": "it''s \"left\"", "max": 0.06}, "far": {"of": "i.remote", "max": 0.9}}');
CREATE VIEW happened AS
SELECT r.decision, r.item, r.outcome FROM "a b".reward r JOIN "a b".impression USING (decision, item) CROSS
  JOIN "a b".setting s
WHERE  r.value <> 0 OR (s.outcomes ->> r.outcome)::float8 = 0;
CREATE FUNCTION left_of(most integer) RETURNS numeric LANGUAGE sql AS $$
SELECT avg((EXISTS (SELECT FROM "a b".reward r WHERE (r.decision, r.item) = (l.decision, l.item)
	AND r.outcome ~ 'left'))::int) FROM "a b".impression_user l WHERE l.decision IN (
	SELECT id FROM "a b".decision WHERE treatment <> 'control' ORDER BY id DESC LIMIT most) $$;
SELECT is(array_agg(DISTINCT costs), ARRAY[ARRAY[j.remote::int, 0.06]::real[]],
  'the rate of an outcome is the target before there is data')
FROM   "a b".item_vector JOIN job j ON j.id = item GROUP BY j.remote HAVING j.remote;
SELECT count(*) FROM generate_series(1, 5) p, "a b".recommend(p);
SELECT ok(meaning ~ 'no impression is old enough', 'report() says that there is no data for an outcome')
FROM   "a b".report('-infinity') WHERE measure = 'constraint "stay"s"';
SELECT leave(1, 60, '0');
SELECT ok(abs(p.rate - (1 + count(h.*)) / (1 / 0.06 + count(*))) < 1e-12,
  'the rate of an outcome is that of all positions, with one position of prior')
FROM   "a b".constraint_price p, "a b".impression_user l LEFT JOIN happened h
         ON h.decision = l.decision AND h.item = l.item AND h.outcome ~ 'left'
WHERE  p.outcome IS NOT NULL GROUP BY p.rate;
SELECT ok(avg(outcome_rates[2]) FILTER (WHERE field = 'field 1')
          > 3 * avg(outcome_rates[2]) FILTER (WHERE field <> 'field 1')
  AND bool_and(outcome_rates[1] IS NULL AND outcome_rates[2] BETWEEN 0 AND 1
    AND costs = ARRAY[remote::int, outcome_rates[2]]::real[])
  AND count(*) = 100, 'the costs of an outcome are predicted from the item''s features')
FROM   "a b".item_vector JOIN job ON id = item;
SELECT leave(61, 240, '0');
SELECT cmp_ok(left_of(120), '<', 0.2, 'a maximum of an outcome lowers its rate');
SELECT ok(bool_and(prices IS NOT NULL AND costs ?& '{"stay\"s",far}'), 'prices and costs of an outcome are logged')
FROM   "a b".decision WHERE treatment = 'personal';
SELECT ok(bool_and(abs(s.cost - c.n / 10.0) < 1e-12) AND count(*) > 200 AND count(*) = least(300, (
	SELECT count(*) FROM "a b".decision WHERE treatment <> 'control')), 'outcomes that arrived count with their value')
FROM  (SELECT s.decision, s.cost FROM spent('a b', 300) s WHERE constraint_name = 'stay"s') s,
       LATERAL (SELECT count(*) AS n FROM happened h WHERE h.decision = s.decision AND h.outcome ~ 'left') c;
SELECT ok(meaning ~ '^at most 0.06 per position; .*the price is [0-9.]+, which costs',
  'report() has the price of a constraint on an outcome')
FROM   "a b".report('-infinity') WHERE measure = 'constraint "stay"s"';
INSERT INTO job SELECT 1003, 'new', 'field 1', 3, 1000, '{}', '{}', true, now(), true, 'same';
SELECT is(inside('a b', 'SELECT (public._dlints_cost_of(1003)).costs'), ARRAY[1, p.rate]::real[]::text,
  'a new row has the mean rate of the outcome')
FROM   "a b".constraint_price p WHERE p.outcome IS NOT NULL;
DELETE FROM job WHERE id = 1003;

-- a deficit that no list can make up
UPDATE "a b".decision SET costs = costs || '{"stay\"s": 1}';
UPDATE "a b".constraint_price SET lag = '100 days' WHERE outcome IS NOT NULL;
SELECT inside('a b', 'SELECT public._dlints_solve()');
SELECT ok(surplus < -1000 AND target_cost < 0.06, 'a deficit lowers the target')
FROM   "a b".constraint_price WHERE outcome IS NOT NULL;
SELECT "a b".refresh();

-- outcomes that arrive three days later
SELECT leave(241, 300, '3 days');
SELECT ok(p.lag BETWEEN '3 days' AND '3 days 2 hours', 'the lag is the time within which most outcomes arrive')
FROM   "a b".constraint_price p WHERE p.outcome IS NOT NULL;
SELECT later('1 minute');
SELECT count(*) FROM generate_series(1, 9) p, "a b".recommend(p);
SELECT ok(count(*) > 3 AND bool_and(s.cost = (d.costs ->> 'stay"s')::float8),
  'lists count with their expected cost within the lag')
FROM   spent('a b', 9) s JOIN "a b".decision d ON d.id = s.decision
WHERE  s.constraint_name = 'stay"s' AND d.id >= first_decision(now());
SELECT is(h.decisions, 14 * 150 + count(*), 'the horizon excludes lists within the lag')
FROM   horizon_of('a b') h, "a b".decision d WHERE d.costs IS NOT NULL AND d.at > now() - interval '1 hour'
GROUP  BY h.decisions;
CREATE TEMP TABLE reported AS
SELECT h.decision, h.item FROM happened h JOIN "a b".decision d ON d.id = h.decision
WHERE  d.costs IS NOT NULL ORDER BY 1 LIMIT 1;
SELECT "a b".reward(decision, item, 'hired') FROM reported;
SELECT is(s.cost, c.n / 10.0::float8, 'another outcome does not count as the constrained one')
FROM   reported t JOIN spent('a b', 1000) s ON s.decision = t.decision AND s.constraint_name = 'stay"s',
       LATERAL (SELECT count(*) AS n FROM happened h WHERE h.decision = t.decision AND h.outcome ~ 'left') c;
SELECT dlints_alter_recommender('a b', '{"constraints": {"pay": {"outcome": "hired", "min": 0.9}}}');
SELECT "a b".reward(decision, item, 'hired', 0) FROM reported;
SELECT is(count(*), 0::bigint, 'an outcome with the value 0 does not count') FROM happened WHERE outcome = 'hired';
SELECT ok(bool_and(outcome_rates[1] BETWEEN 0 AND 1 AND costs = outcome_rates),
  'the outcome of a constraint can be changed')
FROM   "a b".item_vector;
SELECT leave(301, 420, '0');
SELECT alike(meaning,
  'at least 0.9 per position;%cannot be met: the expected mean is 0.0%by the estimated rates of items',
  'report() says that the constraint on an outcome cannot hold')
FROM   "a b".report('-infinity') WHERE measure = 'constraint "pay"';
SELECT is(outcome($$SELECT dlints_alter_recommender('a b', '{"outcomes": {"click": 1}}')$$),
  '22023: constraint "pay" names no outcome of "outcomes" (The constraint is {"min": 0.9, "outcome": "hired"}.)',
  'an alter rejects outcomes without that of a constraint');
SELECT dlints_alter_recommender('a b', '{"constraints": {}}');
SELECT ok(bool_and(costs IS NULL AND outcome_rates IS NULL),
  'item vectors have neither costs nor rates after constraints are removed')
FROM   "a b".item_vector;

-- ---------- many items ----------

SELECT insert_many_jobs();
ANALYZE job;
\ir include/lists.sql
SELECT dlints_create_recommender('many', 'job', '{field,salary,posted,remote}', attribution_window => '0', control => 0,
  epsilon => 0, repeats => true,
  factors => 4, clicks => 'SELECT who, job, at FROM visit');
SELECT dlints_alter_recommender('many', '{"constraints": {"remote": {"of": "i.remote", "max": 0.2},
  "low": {"of": "i.salary < 1100", "min": 0.3}}}');
SELECT ok(count(*) > 30 AND bool_and(array_length(b.numbers, 2) = 5)
  AND max(pg_column_size(b.*)) < 8160, 'blocks contain effects and costs, and fit in a page') FROM many.block b;
UPDATE many.constraint_price SET price = CASE name WHEN 'remote' THEN 0.2 ELSE 0.1 END;
SELECT ok(max(abs(gap)) < 1e-6 AND count(n_scored) = 20 AND max(n_scored) < 1000,
  'a shortlist under prices contains the list of all candidates') FROM generate_series(1, 20) p, listed('many', p);
SELECT ok(abs(gap) < 1e-6 AND n_scored = 40, 'a shortlist under prices works without a profile')
  FROM listed('many', 1000);
SELECT dlints_alter_recommender('many', '{"control": 1}');
SELECT ok(abs(gap) < 1e-6 AND n_scored = 40, 'the control ignores prices') FROM listed('many', 1000);
SELECT dlints_alter_recommender('many', '{"control": 0}');
SELECT count(*) FROM generate_series(1, 60) p, many.recommend(p);
SELECT is(inside('many', 'SELECT count(*) > 80 AND bool_and(cardinality(r.scores) BETWEEN 100 AND 1000
  AND array_length(r.costs, 1) = 2) FROM public._dlints_replay() r'), 'true',
  'prices are computed from candidates that they could lift');
SELECT ask('many', 1, 300, 100);
-- without prices the means are 0.57 and 0.11
SELECT cmp_ok(abs(share('many', 'remote', 300) - 0.2), '<', 0.06, 'a maximum of 20 % holds for many items');
SELECT cmp_ok(share('many', 'low', 300), '>', 0.24, 'a minimum of 30 % holds for many items');
SELECT ok(avg(n_scored) < 1000 AND count(*) > 300, 'personal lists under prices are chosen from shortlists')
  FROM many.decision WHERE treatment = 'personal';
INSERT INTO job SELECT 5000, 'new', 'field 1', 1, 1050, '{}', '{}', true, now(), true, 'same';
CALL many.run();
SELECT ok(b.numbers[cardinality(b.items):cardinality(b.items)][3:4] = '{{1,1}}'
  AND costs = '{1,1}', 'a new row in a block has its costs')
FROM   many.block b, many.item_vector v WHERE v.item = 5000 AND b.items[cardinality(b.items)] = 5000;
UPDATE many.block SET numbers = ARRAY(SELECT ARRAY(SELECT unnest(numbers[n:n]))
  || '{0}'::real[] FROM generate_subscripts(numbers, 1) n);
SELECT is(count(*), 10::bigint, 'recommend() succeeds with blocks that have costs of other constraints')
  FROM many.recommend(1);
SELECT dlints_alter_recommender('many', '{"constraints": {}}');
SELECT ok(bool_and(array_length(b.numbers, 2) = 3) AND count(*) > 30,
  'blocks have no costs after constraints are removed') FROM many.block b;

SELECT * FROM finish();
ROLLBACK;
