-- Constraints of a ranker: prices that meet a budget, reported costs, hard constraints, constraints that cannot be
-- met, and the report.
\ir include/helpers.sql
\ir include/ranker.sql
SET LOCAL check_function_bodies = on;

SELECT plan(75);

SELECT is(outcome(format('SELECT dlints_create_ranker(''r'', constraints => %L)', constraints)), '22023: ' || problem,
  format('constraints => %L is refused', constraints))
FROM (VALUES ('[]', 'constraints must be an object of at most 8 constraints by name'),
             ('{"usd": 1}', 'constraint "usd" must have either "max" or "min" (The constraint is 1.)'),
             ('{"usd": {}}', 'constraint "usd" must have either "max" or "min" (The constraint is {}.)'),
             ('{"usd": {"max": 1, "min": 1}}',
              'constraint "usd" must have either "max" or "min" (The constraint is {"max": 1, "min": 1}.)'),
             ('{"usd": {"max": "1"}}',
               'constraint "usd" must have a number in "max" or "min" (The constraint is {"max": "1"}.)'),
             ('{"usd": {"max": 0}}',
               'constraint "usd" must have a target above 0, at most 1e50 (The constraint is {"max": 0}.)'),
             ('{"usd": {"min": -1}}',
               'constraint "usd" must have a target above 0, at most 1e50 (The constraint is {"min": -1}.)'),
             ('{"usd": {"max": 1, "hard": 1}}',
              'constraint "usd" can have "hard": true only with "max" (The constraint is {"max": 1, "hard": 1}.)'),
             ('{"usd": {"min": 1, "hard": true}}',
              'constraint "usd" can have "hard": true only with "max" (The constraint is {"min": 1, "hard": true}.)'),
             ('{"usd": {"max": 1, "of": "x"}}',
              'constraint "usd" can only have "max" or "min", and "hard"'
              ' (The constraint is {"of": "x", "max": 1}.)'),
             ('{"price": {"max": 1}}', 'constraint "price" has an invalid name (The constraint is {"max": 1}.)'),
             ('{"": {"max": 1}}',
              'constraint "" has an invalid name (The constraint is {"max": 1}.)')) v (constraints, problem);

SELECT dlints_create_ranker('front', attribution_window => '0', constraints => '{"usd": {"max": 0.002}}');
SELECT is(f.features, p.features, 'a cost is no feature of an action')
FROM   _dlints_ranker_actions('{"task": "code"}', '[{"id": "a", "usd": 0.5, "size": 3}]', '{}', '{usd}') f,
       _dlints_ranker_actions('{"task": "code"}', '[{"id": "a", "size": 3}]', '{}', '{}') p;
SELECT is(outcome(format('SELECT front.rank(NULL, NULL, %L)', '[{"id": "a", "usd": "dear"}]')),
	'22023: "usd" of an action must be 0 or a number from 1e-50 to 1e50 (The action is {"id": "a", "usd": "dear"}.)',
	'rank() refuses a cost that is no number');

-- ---------- a budget ----------

CREATE FUNCTION ask(schema text, first integer, last integer, actions jsonb DEFAULT
	'[{"id":"large","usd":0.015},{"id":"mid","usd":0.002},{"id":"small","usd":0.00003},"free"]')
		RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN first .. last LOOP
		EXECUTE format('SELECT FROM %I.rank($1, $2, $3)', schema)
		USING 'e' || i, jsonb_build_object('task', i % 4, 'user_id', 'p' || i % 7), actions;
	END LOOP;
END
$$;
-- costs of the last decisions, as the constraints count them
CREATE FUNCTION spent(schema text, decisions bigint DEFAULT 9999)
RETURNS TABLE (decision bigint, constraint_name text, cost float8) LANGUAGE sql AS $$
SELECT r.* FROM inside(schema, format('SELECT * FROM public._dlints_ranker_spent(%s)', decisions)) i,
  jsonb_to_record(i) r (decision bigint, constraint_name text, cost float8) $$;
SELECT FROM front.rank(NULL, '{}', '[{"id": "large", "usd": 0.015}]');
SELECT is(meaning, 'at most 0.002 per request; not met: there is no price yet',
  'the report does not call a constraint met before it has a price') FROM front.report() WHERE measure ~ 'constraint';
DELETE FROM front.decision;
SELECT ask('front', 1, 500);
-- Over many runs the standard deviations of this mean and of the one below are 5 and 6 %; without a price they
-- are off by more than 100 %.
SELECT cmp_ok(abs(avg(cost) / 0.002 - 1), '<', 0.3::float8, 'an untrained ranker meets its budget')
FROM   spent('front');
-- the target differs from the budget by the surplus so far, which is random
SELECT ok(price > 0 AND decisions >= 480 AND abs(expected_cost / target_cost - 1) < 0.1,
  'a budget has a price that meets it') FROM front.constraint_price;
SELECT ok(count(DISTINCT prices) > 20 AND bool_and(abs((SELECT sum(p) FROM unnest(probabilities) p) - 1) < 1e-9
	AND jsonb_array_length(costs) = 4), 'prices and costs are logged') FROM front.decision;
SELECT ok(bool_and(costs -> 0 ->> 'usd' = coalesce(actions -> (ranking[1] - 1) ->> 'usd', '0')),
	'costs are logged in the order of the ranking') FROM front.decision;

-- From the log probabilities can be computed again; the logged ones are from 50 draws.
CREATE TEMP TABLE again AS
SELECT d.id, c.item AS n, c.probability AS again, d.probabilities[array_position(d.ranking, c.item)] AS logged
FROM  (SELECT * FROM front.decision ORDER BY id DESC LIMIT 100) d
       JOIN front.model m ON m.name = 'reward',
       LATERAL (SELECT array_agg(a.n ORDER BY a.n) AS items, array_agg(a.features ORDER BY a.n) AS features,
                       array_agg(-(d.prices ->> 'usd')::float8
                                 * (d.costs -> (array_position(d.ranking, a.n) - 1) ->> 'usd')::float8
                                   ORDER BY a.n) AS bonus
                FROM   _dlints_ranker_actions(d.context, d.actions, '{}', '{usd}') a) a,
       LATERAL dlints_decide(m.state, a.items, a.features, draws => 2000, epsilon => 0.02, bonus => a.bonus,
                             all_items => true) c;
SELECT ok(avg(abs(logged - again)) < 0.06 AND regr_r2(logged, again) > 0.5,
  'logged probabilities follow from the logged prices and costs') FROM again;

-- ---------- reported costs ----------

SELECT is(outcome(format('SELECT front.reward(%s)', arguments)), problem, format('reward(%s) is refused', arguments))
FROM (VALUES ($$'e1', 1, '{"usd": "1"}'$$,
               '22023: cost "usd" must be 0 or a number from 1e-50 to 1e50 (The value is "1".)'),
             ($$'e1', 1, '{"usd": 1e60}'$$,
              '22023: cost "usd" must be 0 or a number from 1e-50 to 1e50 (The value is ' || 1e60::numeric || '.)'),
             ($$'e1', 1, '[1]'$$,
              '22023: argument "costs" must be a JSON object of costs by constraint (The value is [1].)'),
             ($$'e1', NULL, '{}'$$, '22004: arguments "event" and "value" must not be null')) v (arguments, problem);
SELECT front.reward(event, NULL, '{"usd": 0.03}') FROM front.ranked WHERE "position" = 1 AND action = 'large';
SELECT front.reward(event, 1, '{"usd": 0.001}') FROM front.ranked WHERE "position" = 1 AND action = 'free';
SELECT count(*) FROM inside('front', 'SELECT public._dlints_estimate_action_costs()');
SELECT results_eq('SELECT action, round(ratio::numeric, 6), round(cost::numeric, 6) FROM front.action_cost ORDER BY 1',
	$$VALUES ('free', 1.000000, 0.001000), ('large', 2.000000, 0.030000)$$,
		'costs of actions are estimated from reported costs');
SELECT is(_dlints_expected_cost(0.01, 2, 0.03), 0.02::float8,
  'an announced cost is multiplied by the ratio of reported to announced costs');
SELECT is(_dlints_expected_cost(NULL, 1, 0.001), 0.001::float8,
  'without an announced cost the mean reported cost is expected');
SELECT is(_dlints_expected_cost(NULL, NULL, NULL), 0::float8, 'without any cost 0 is expected');
SELECT is(count(*), (SELECT count(*) FROM front.ranked WHERE "position" = 1
  AND action = 'large'), 'reported costs replace expected ones')
FROM   spent('front') WHERE cost = 0.03;
SELECT front.erase('p3');
SELECT is(count(*), 0::bigint, 'erase() deletes reported costs') FROM front.event_cost p
WHERE  NOT EXISTS (SELECT FROM front.decision d WHERE d.event = p.event);
SELECT front.reward('unknown', 1, '{"eur": 1}');
SELECT is(value, 1::float8, 'reward() counts although the constraint of a cost was removed') FROM front.reward
WHERE event = 'unknown';
SELECT ask('front', 501, 1500);
SELECT cmp_ok(abs(avg(cost) / 0.002 - 1), '<', 0.3::float8,
  'a budget is met though actions cost twice the announced amount') FROM spent('front', 1000) s;
SELECT ok(count(*) FILTER (WHERE measure = 'constraint "usd"' AND value BETWEEN 0.0015 AND 0.0035 AND meaning ~
	'^at most 0.002 per request; highest mean of 1000 consecutive decisions 0.00\d+; the price is [0-9.]+,'
	' which costs a reward of [0-9.]+ per request$') = 1,
	'the report has the mean cost and the price of a constraint') FROM front.report('-infinity');
SELECT is_empty($$SELECT FROM front.report('-infinity') WHERE measure = 'earned at random'$$,
  'the report does not compare with random choices under constraints, which have other costs');

-- prices are computed by requests, and by run() while it is called
SAVEPOINT runs;
CREATE FUNCTION solved(first integer, last integer) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM ask('front', first, last);
	RETURN (SELECT (n.last_value - p.solved + 4194304) % 4194304
	        FROM   front.constraint_price p, front.decision_number n);
END $$;
CREATE FUNCTION since_prices() RETURNS bigint LANGUAGE sql AS
$$ SELECT (n.last_value - p.solved + 4194304) % 4194304 FROM front.constraint_price p, front.decision_number n $$;
SELECT is(min(n) || ' ' || max(n), '0 19', 'a request computes prices after 20 decisions')
FROM  (SELECT solved(i, i) AS n FROM generate_series(10001, 10040) i) s;
CALL front.run();
SELECT is(since_prices(), 0::bigint, 'run() computes prices');
SELECT is(solved(10101, 10159), 59::bigint, 'while run() is called requests compute prices less often');
SELECT is(solved(10160, 10160), 0::bigint, 'while run() is called a request computes prices after 60 decisions');
SELECT is(outcome('SELECT front.run_part(''price'')'), '22023: there is no part "price" of the maintenance',
  'run_part() rejects the name of another part');
SELECT is(front.run_part('prices'), NULL, 'run() does not compute prices without new decisions');
SELECT ask('front', 10161, 10161);
SELECT is(front.run_part('prices'), 'prices found', 'run() computes prices after one decision');
UPDATE front.job SET done_at = now() - interval '4 minutes' WHERE name = 'prices';
SELECT is(solved(10201, 10220), 0::bigint, 'requests compute prices again once run() is no longer called');
ROLLBACK TO runs;

-- ---------- surplus ----------

SELECT dlints_create_ranker('owing', epsilon => 0.1,
  constraints => '{"gain": {"min": 3}, "hard": {"max": 2, "hard": true}, "soft": {"max": 2}}') IS NOT NULL;
CREATE FUNCTION balance(decisions integer) RETURNS TABLE (constraint_name text, decisions bigint,
  surplus float8) LANGUAGE sql AS $$
SELECT r.* FROM inside('owing', format('SELECT * FROM public._dlints_balance(%s)', decisions)) i,
  jsonb_to_record(i) r (constraint_name text, decisions bigint, surplus float8) $$;
SELECT is(array_agg(decisions || ' ' || surplus), '{0 0,0 0,0 0}', 'a new constraint has no surplus')
FROM   balance(300);
INSERT INTO owing.decision (id, event, treatment, at, active, context, actions, ranking, probabilities, expected, costs)
SELECT _dlints_first_decision(now()) + i, i, 'live', now(), true, '{}', '["a"]', '{1}', '{1}', '{0}',
       jsonb_build_array(jsonb_build_object('gain', 2.5 + i % 5 / 2.0, 'hard', c, 'soft', c))
FROM generate_series(1, 300) i, LATERAL (SELECT CASE WHEN i <= 120 THEN 0.5 ELSE 2.25 END) l (c);
-- a surplus of each decision is added, up to a limit
CREATE FUNCTION surplus_of(whose text, max_surplus float8, decisions integer) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	surplus float8 := 0;
	one float8;
BEGIN
	FOR one IN SELECT sign * (target - (costs -> 0 ->> whose)::float8) FROM owing.decision, owing.constraint_price
	           WHERE name = whose AND event::integer > 300 - surplus_of.decisions ORDER BY id LOOP
		surplus := least(surplus + one, max_surplus);
	END LOOP;
	RETURN surplus;
END $$;
SELECT ok(bool_and(decisions = n AND abs(surplus - surplus_of(constraint_name, max_surplus, n)) < 1e-9)
          AND count(DISTINCT surplus) = 3, format('the surplus of the last %s decisions is limited', n))
FROM unnest('{300,250}'::integer[]) n, balance(n),
     LATERAL (SELECT CASE constraint_name WHEN 'gain' THEN 225 WHEN 'hard' THEN 60
       ELSE 150 END) l (max_surplus) GROUP BY n;
CREATE FUNCTION is_stale(after bigint, until bigint, had bigint) RETURNS boolean LANGUAGE sql AS $$
SELECT setval('owing.decision_number', until);
UPDATE owing.constraint_price SET solved = after, decisions = had;
SELECT i = '{"is_stale": true}' FROM inside('owing', 'SELECT public._dlints_prices_are_stale(20) AS is_stale') i $$;
SELECT is(array_agg(is_stale(after, until, had) ORDER BY n), '{f,t,f,t,f,t,f,t}',
  'prices are stale after 20 decisions, or a quarter of a short log, also when numbers start again')
FROM (VALUES (1, 100::bigint, 119::bigint, 200::bigint), (2, 100, 120, 200), (3, 4194300, 15, 200),
  (4, 4194300, 16, 200),
  (5, 100, 101, 8), (6, 100, 102, 8), (7, 100, 100, 3), (8, 100, 101, 3)) v (n, after, until, had);

-- ---------- target costs ----------

-- In place of the log: a given surplus, and two equal decisions with three actions.  The functions are as they were
-- after the test.
SAVEPOINT stubs;
CREATE OR REPLACE FUNCTION public._dlints_balance(max_decisions bigint)
RETURNS TABLE (constraint_name text, decisions bigint, surplus float8, target float8,
  hard boolean) LANGUAGE plpgsql STABLE AS
$$ BEGIN RETURN QUERY SELECT name, 300::bigint, (current_setting('test.surplus')::jsonb ->> name)::float8,
  p.target, p.hard
   FROM   constraint_price p; END $$;
CREATE OR REPLACE FUNCTION public._dlints_replay()
RETURNS TABLE (scores float8[], costs float8[], means float8[], k bigint) LANGUAGE sql STABLE AS
$$ SELECT '{3,2,1}'::float8[], '{{-4,-5,-2},{2,1,4},{3,1,2}}'::float8[], '{-3.5,2,2.5}'::float8[], 1::bigint
   FROM generate_series(1, 2) $$;
CREATE FUNCTION target_costs(surplus text) RETURNS numeric[] LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('test.surplus', surplus, true);
	PERFORM inside('owing', 'SELECT public._dlints_solve()');
	RETURN ARRAY(SELECT round(target_cost::numeric, 6) FROM owing.constraint_price ORDER BY name);
END $$;
SELECT is(target_costs('{"gain": 150, "hard": 15, "soft": 105}'), '{1.833333,2.111111,2.722222}',
  'a surplus is spent within 150 requests, and random choices spend their share');
SELECT is(array_agg(p.price ORDER BY p.name), ARRAY(SELECT unnest(f.prices[1:1])),
  'prices are those of dlints_prices()')
FROM owing.constraint_price p, (SELECT dlints_prices(scores, costs, k, (SELECT array_agg(sign * target_cost
  ORDER BY name)
  FROM owing.constraint_price)) AS prices FROM _dlints_replay()) f GROUP BY f.prices HAVING max(p.price) > 0;
SELECT is(target_costs('{"gain": -1e6, "hard": -1e6, "soft": 1e6}'), '{4.900000,1.050000,6.388889}',
  'the target cost is at most three times the target, and never the lowest possible cost');
UPDATE owing.constraint_price SET outcome = 'click';
SELECT is(target_costs('{"gain": -1e6, "hard": -1e6, "soft": -1e6}'), '{4.750000,1.250000,1.500000}',
  'for estimated rates at most three quarters of the possible saving are asked for');
UPDATE owing.constraint_price SET target = CASE name WHEN 'hard' THEN 0.9 ELSE 1.25 END WHERE name <> 'gain';
SELECT is(target_costs('{"gain": -1e6, "hard": -1e6, "soft": -1e6}'), '{4.750000,1.250000,1.200000}',
  'for estimated rates the target and a fifth of the rest are asked for, if they are lower');
UPDATE owing.constraint_price SET target = 1.05 WHERE name = 'soft';
SELECT is(target_costs('{"gain": -1e6, "hard": -1e6, "soft": -1e6}'), '{4.750000,1.250000,1.100000}',
  'for estimated rates the last twentieth of the saving is never asked for');
UPDATE owing.constraint_price SET price = CASE name WHEN 'soft' THEN 0.6 WHEN 'hard' THEN 0.7 ELSE 0 END;
SELECT is(array_agg(i ->> 'constraint_name' || ' ' || (i ->> 'lost') ORDER BY i ->> 'constraint_name'),
  '{hard 0,soft 1}', 'a price costs the reward of what would be chosen without it')
FROM inside('owing', 'SELECT * FROM public._dlints_reward_lost()') i;
ROLLBACK TO stubs;

-- ---------- a hard constraint ----------

SELECT dlints_create_ranker('hard', attribution_window => '0', constraints => '{"usd": {"max": 0.002, "hard": true}}');
SELECT ask('hard', 1, 300);
SELECT ok(max(cost) = 0.015, 'an action above the target is chosen once the surplus allows it') FROM spent('hard');
SELECT cmp_ok(sum(cost), '<=', 300 * 0.002::float8, 'a hard constraint is never exceeded') FROM spent('hard');
SELECT ask('hard', 301, 302, '[{"id": "a", "usd": 9}, {"id": "b", "usd": 8}, {"id": "c", "usd": 8}]');
SELECT ok(bool_and(action <> 'a' AND probability > 0),
  'if all actions exceed a hard constraint, one of the cheapest is chosen')
FROM   hard.ranked WHERE "position" = 1 AND event IN ('e301', 'e302');

-- ---------- minimum; constraints that cannot be met, or need no price ----------

SELECT dlints_create_ranker('least',
  constraints => '{"margin": {"min": 0.7}, "usd": {"max": 0.5}, "weight": {"max": 0.1}}');
SELECT ask('least', 1, 400,
  '[{"id":"a","margin":1,"usd":0.1,"weight":0.2},{"id":"b","margin":0.2,"usd":0.2,"weight":0.3},
	{"id":"c","margin":0,"usd":0.1,"weight":0.2}]');
SELECT ok(avg(cost) BETWEEN 0.65 AND 0.76, 'a minimum is reached') FROM spent('least') WHERE constraint_name = 'margin';
SELECT is(price, 0::float8, 'a constraint that is met anyway has no price') FROM least.constraint_price
  WHERE name = 'usd';
SELECT results_eq($$SELECT measure, substring(meaning from '(met without|cannot be met|the price)')
	FROM least.report('-infinity') WHERE measure ~ '^constraint' ORDER BY 1$$,
	$$VALUES ('constraint "margin"', 'the price'), ('constraint "usd"', 'met without'),
	('constraint "weight"', 'cannot be met')$$, 'the report says which constraints cannot be met');
SELECT ok(bool_and(price BETWEEN 0 AND 1e6), 'prices are bounded') FROM least.constraint_price;

-- ---------- changes ----------

SELECT dlints_alter_ranker('front', '{"constraints": {"usd": {"max": 0.004}, "ms": {"max": 100}}}');
SELECT results_eq('SELECT name, target, price > 0 FROM front.constraint_price ORDER BY 1',
	$$VALUES ('ms', 100::float8, false), ('usd', 0.004::float8, true)$$,
		'a constraint with another target keeps its price');
SELECT ask('front', 2001, 2010);
SELECT is(count(*), 0::bigint, 'earlier decisions do not count for a new constraint')
FROM   spent('front') WHERE constraint_name = 'ms' AND decision < (SELECT min(id) FROM front.decision
  WHERE event ~ 'e20[01]');
SELECT dlints_alter_ranker('front', '{"constraints": {}}');
SELECT ask('front', 2011, 2012);
SELECT is(count(*), 0::bigint, 'constraints can be removed') FROM front.constraint_price;
SELECT is(count(*), 0::bigint, 'the costs of actions are removed with their constraint') FROM front.action_cost;
SELECT ok(bool_and(prices IS NULL AND costs IS NULL), 'without constraints no costs are logged')
FROM   front.decision WHERE event IN ('e2011', 'e2012');
SELECT lives_ok($$SELECT front.reward('e2011', 1)$$, 'rewards are reported after constraints are removed');

-- a constraint named like a feature of logged actions
SELECT dlints_create_ranker('named', attribution_window => '0', constraints => '{"usd": {"max": 0.3}}') IS NOT NULL;
SELECT ask('named', 1, 60, '[{"id":"a","usd":0.1,"gpu":"A100"},{"id":"b","usd":0.5,"gpu":"H100"}]');
SELECT named.reward('e' || i, i % 2) FROM generate_series(1, 60) i;
CALL named.run();
-- columns of the user that are named like words in our queries
ALTER TABLE named.setting ADD s text, ADD k text, ADD was jsonb;
ALTER TABLE named.decision ADD block integer, ADD a text, ADD decisions bigint;
ALTER TABLE named.job ADD part text, ADD message text;
SELECT dlints_alter_ranker('named', '{"constraints": {"usd": {"max": 0.3}, "gpu": {"max": 1}}}');
SELECT cmp_ok(difference_from_log('named'), '<', 1e-9::float8,
  'a new constraint trains the models again without its name as a feature');
SELECT ask('named', 61, 61, '[{"id":"a","usd":0.1,"gpu":1},{"id":"b","usd":0.5,"gpu":2}]');
SELECT named.reward('e60', 1, '{"gpu": 1}');
CALL named.run();
SELECT is_empty('SELECT name, problem FROM named.job WHERE problem IS NOT NULL',
  'logged values that are no numbers do not stop prices');
SELECT is(solved, (SELECT last_value FROM named.decision_number),
  'prices are computed with logged values that are no numbers')
  FROM named.constraint_price WHERE name = 'gpu';
SELECT is((value, meaning ~ 'count as cost 0'), (120::float8, true),
  'the report counts logged costs that are no numbers')
  FROM named.report('-infinity') WHERE measure = 'actions with an invalid cost "gpu"';
-- prices that a request cannot compute in time
CREATE FUNCTION cancels() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE USING ERRCODE = 'lock_not_available'; END$$;
CREATE TRIGGER cancels BEFORE UPDATE OF price ON named.constraint_price FOR EACH ROW EXECUTE FUNCTION cancels();
SELECT is(string_agg(o, ','), '55P03: lock_not_available', 'requests leave prices to run() after one was cancelled')
  FROM generate_series(62, 161) i, outcome(format('SELECT ask(''named'', %s, %s)', i, i)) o WHERE o <> 'gives ';
DROP TRIGGER cancels ON named.constraint_price;
UPDATE named.constraint_price SET price = 10;
SELECT lives_ok($$ SELECT named.rank('far', '{}', '[{"id": "a", "usd": 1e50}, {"id": "b", "gpu": -1e50}]') $$,
  'rank() works with penalties beyond 1e50');

SELECT lives_ok('SELECT * FROM named.winner()', 'winner() works with logged costs that are no numbers');

-- a misspelt constraint
SELECT dlints_create_ranker('misspelt', constraints => '{"USD": {"max": 0.3}}') IS NOT NULL;
SELECT ask('misspelt', 1, 3);
SELECT matches(meaning, 'may be misspelt', 'the report says that no action has the cost of a constraint')
  FROM misspelt.report('-infinity') WHERE measure = 'actions without a cost "USD"';
SELECT is_empty($$SELECT FROM least.report('-infinity') WHERE measure ~ 'without a cost'$$,
  'the report says nothing about costs that actions have');
SELECT * FROM finish();
ROLLBACK;
