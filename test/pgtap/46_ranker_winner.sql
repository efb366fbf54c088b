-- winner(): figures against their definitions, compared events, and verdicts.
\ir include/helpers.sql
\ir include/clock.sql
\ir include/ranker.sql
SET LOCAL check_function_bodies = on;
SELECT dlints_create_ranker('offer', attribution_window => '1 hour', retention => '3 months') IS NOT NULL;

CREATE TEMP SEQUENCE number;
-- Log events in which one of a and b, or of more actions, was chosen with a given probability of a.  Their attribution
-- window has passed.
CREATE FUNCTION logs(events integer, chosen text, reward float8, share float8 DEFAULT 0.5,
	context jsonb DEFAULT '{}', actions jsonb DEFAULT '["a", "b"]',
		treatment text DEFAULT 'live') RETURNS void LANGUAGE sql AS $$
WITH given AS (
	SELECT array_agg(n::integer ORDER BY (coalesce(a ->> 'id', a #>> '{}') = chosen) DESC, n) AS ranking,
	       array_agg(CASE n WHEN 1 THEN share ELSE (1 - share) / nullif(jsonb_array_length(actions) - 1, 0) END
	                 ORDER BY (coalesce(a ->> 'id', a #>> '{}') = chosen) DESC, n) AS probabilities
	FROM jsonb_array_elements(actions) WITH ORDINALITY e (a, n)),
made AS (
	INSERT INTO offer.decision (id, event, treatment, at, active, context, actions, ranking, probabilities, expected)
	SELECT id, id, treatment, now() - interval '1 hour', true, context, actions, ranking, probabilities,
		array_fill(0::float8,
		ARRAY[cardinality(ranking)])
	FROM generate_series(1, events) e,
	     LATERAL (SELECT _dlints_first_decision(now()) + nextval('number') + 0 * e) i (id),
		given
	RETURNING event, id),
known AS (
	INSERT INTO offer.event (event, decision) SELECT event, id FROM made)
INSERT INTO offer.reward (event, value) SELECT event, reward FROM made WHERE reward IS NOT NULL $$;
-- estimates of winner() for each action, before the comparison
CREATE FUNCTION estimated(actions text[], lowest float8, highest float8)
RETURNS TABLE (action text, price float8, bottom float8, top float8, n bigint, squares float8, expected float8,
  error float8)
LANGUAGE sql AS $$
SELECT r.* FROM inside('offer', format('SELECT * FROM public._dlints_estimate_arms(0, %L, %s, %s)', actions, lowest,
  highest)) i,
  jsonb_to_record(i) r (action text, price float8, bottom float8, top float8, n bigint, squares float8,
    expected float8, error float8) $$;
CREATE FUNCTION normal_cdf(x float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
SELECT 0.5 + sign(x) * sum(exp(-t * t / 2)) * abs(x) / 2000 / sqrt(2 * pi())
FROM generate_series(0.5, 1999.5) i, LATERAL (SELECT i * abs(x) / 2000) l (t)
$$;

SELECT plan(54);

SELECT is_empty('SELECT * FROM offer.winner()', 'winner() returns nothing without events');
SELECT results_eq($$ SELECT * FROM offer.winner(actions => '{b,a}') $$,
  $$ VALUES ('b', 0::bigint, NULL::float8, NULL::float8, NULL::float8, NULL::float8, NULL::float8, 'open'),
            ('a', 0, NULL, NULL, NULL, NULL, NULL, 'open') $$, 'winner() returns named actions without events as open');

-- rounding may make the mean of equal rewards differ from them
SAVEPOINT same;
SELECT logs(1, 'a', 0.3, share => 0.1 + i * 0.007, context => jsonb_build_object('user_id', i)),
       logs(1, 'b', 0.6, share => 0.9 - i * 0.007, context => jsonb_build_object('user_id', i))
FROM   generate_series(1, 100) i;
SELECT later('2 hours'), offer.learn('0');
SELECT results_eq('SELECT action, events, round(earns::numeric, 9) FROM offer.winner() ORDER BY action',
  $$VALUES ('a', 100::bigint, 0.3::numeric), ('b', 100, 0.6)$$, 'winner() estimates rewards that are always equal');
CREATE TEMP TABLE of_users AS SELECT * FROM offer.winner();
UPDATE offer.decision SET context = '{}';
SELECT results_eq('SELECT * FROM of_users ORDER BY action', 'SELECT * FROM offer.winner() ORDER BY action',
  'winner() compares events of all users');
ROLLBACK TO same;

-- ---------- equal propensities ----------

SELECT logs(60, 'a', 1), logs(140, 'a', 0), logs(40, 'b', 1), logs(160, 'b', NULL);
CREATE TEMP TABLE half AS SELECT *, row_number() OVER () AS n FROM offer.winner();
SELECT results_eq('SELECT action, events, round(earns::numeric, 9), verdict FROM half ORDER BY n',
  $$ VALUES ('a', 200::bigint, 0.3, 'open'), ('b', 200, 0.2, 'open') $$,
  'with equal propensities an action earns the mean of its rewards, and a missing reward is the default reward');
SELECT ok(bool_and(abs(h.low - b.low) < 1e-9 AND abs(h.high - b.high) < 1e-9),
  'bounds are those of dlints_bounds(), with a confidence for two actions together')
FROM half h, dlints_bounds(earns, sqrt(earns * (1 - earns) / 199), 200, confidence => 0.975) b;
-- shrunk by one event with the mean of all rewards (100 of 400, and one reward of 0.5)
CREATE TEMP TABLE believed AS
SELECT m, (200 * 0.3 + m) / 201 AS a, (200 * 0.2 + m) / 201 AS b,
       sqrt(2 * greatest(m * (1 - m) - 0.25 / 401, 0.3 * 0.7) / 201) AS a_error,
         sqrt(2 * (m * (1 - m) - 0.25 / 401) / 201) AS b_error
FROM (SELECT 100.5 / 401) t (m);
CREATE TEMP TABLE expected AS
SELECT p, a * p + b * (1 - p) + s * exp(-d * d / 2) / sqrt(2 * pi()) AS best, a, b
FROM believed, LATERAL (SELECT sqrt(a_error ^ 2 + b_error ^ 2)) e (s), LATERAL (SELECT ((a - b) / s)::float8) f (d),
     LATERAL normal_cdf(d) p;
SELECT cmp_ok(abs(chance_best - p), '<', 0.015::float8,
  'chance_best is that of normal beliefs from half as many rewards')
FROM half, expected WHERE action = 'a';
SELECT is(round(sum(chance_best)::numeric, 9), 1.0, 'chance_best of all actions sums to 1') FROM half;
SELECT cmp_ok(max(abs(could_gain - best + CASE action WHEN 'a' THEN a ELSE b END)), '<', 0.001::float8,
  'could_gain is the expected loss of choosing an action under these beliefs') FROM half, expected;
SELECT results_eq('SELECT * FROM offer.winner()', 'SELECT * FROM offer.winner()',
  'winner() returns equal results for equal data');

-- ---------- compared events ----------

SAVEPOINT half;
SELECT logs(50, 'a', 1, treatment => 'baseline'), logs(9, 'b', 1, actions => '["b", "c"]');
UPDATE offer.decision SET active = false WHERE event IN (SELECT event FROM offer.outcome WHERE action = 'c');
SELECT results_eq($$ SELECT * FROM offer.winner(actions => '{a,b}') $$,
  'SELECT action, events, earns, low, high, chance_best, could_gain, verdict FROM half ORDER BY n',
  'winner() leaves out events of the baseline, and events without one of the actions');
SELECT is(array_agg(action ORDER BY action), '{b,c}', 'winner() compares the actions of the newest event by default')
  FROM offer.winner();
ROLLBACK TO half;
SELECT count(*) FROM offer.rank('late', '{}', '["a", "b"]'), LATERAL (SELECT offer.reward('late', 1)) r;
SELECT is(sum(events), 400::numeric, 'winner() leaves out events inside the attribution window, also with a reward')
  FROM offer.winner();
SELECT later('2 hours');
SELECT offer.learn();
SELECT is(sum(events), 401::numeric, 'winner() counts an event after its attribution window') FROM offer.winner();
SELECT count(*) FROM offer.rank('mail', '{}', '["a", "b"]', deferred => true);
SELECT offer.reward('mail', 1), later('2 hours'), offer.learn();
SELECT is(sum(events), 401::numeric, 'winner() leaves out deferred events') FROM offer.winner();
SELECT offer.activate('mail'), later('2 hours'), offer.learn();
SELECT is(sum(events), 402::numeric, 'winner() counts activated events') FROM offer.winner();
SELECT is(sum(events), 1::numeric, 'winner() leaves out events before "since"')
  FROM offer.winner(since => '2026-03-20 12:00:01+00');
SELECT is_empty($$ SELECT * FROM offer.winner(since => 'infinity') $$, 'winner() returns nothing since infinity');
SELECT results_eq('SELECT * FROM offer.winner(NULL)', $$ SELECT * FROM offer.winner('-infinity') $$,
  'since => NULL means all events');
SELECT logs(100, 'a', 1, actions => '["a", "b", "c"]');
SELECT is(sum(events), 502::numeric, 'winner() counts events with further actions')
  FROM offer.winner(actions => '{a,b}');
SELECT later('4 months');
SELECT logs(10, 'a', 1), logs(10, 'b', 0);
CALL offer.run();
SELECT is(sum(events), 20::numeric, 'winner() leaves out expired events') FROM offer.winner();
ROLLBACK TO half;

-- ---------- weights ----------

-- b is chosen mostly on desktops, where both actions earn more
TRUNCATE offer.decision, offer.reward, offer.event;
SELECT logs(100, 'a', (i % 4 = 0)::integer, 0.25, '{"on": "desk"}'), logs(300, 'b', (i % 4 = 0)::integer, 0.25,
  '{"on": "desk"}'),
       logs(300, 'a', 0, 0.75, '{"on": "phone"}'), logs(100, 'b', 0, 0.75, '{"on": "phone"}')
FROM generate_series(1, 4) i;
SELECT ok(max(abs(w.earns - 0.125)) < 1e-9 AND max(o.naive) - min(o.naive) > 0.1,
  'winner() compares all actions over the same contexts')
FROM offer.winner() w, (SELECT avg(reward) AS naive FROM offer.outcome GROUP BY action) o;
TRUNCATE offer.decision, offer.reward, offer.event;
INSERT INTO offer.decision (id, event, treatment, at, active, context, actions, ranking, probabilities, expected)
SELECT i, i, 'live', now() - interval '1 hour', true, CASE i % 3 WHEN 0 THEN '{"x": 1}' ELSE '{"x": 2}' END::jsonb,
  format('["a", {"id": "b", "price": %s}]', i % 2 * 0.4)::jsonb,
       CASE WHEN is_a THEN '{1,2}' ELSE '{2,1}' END::integer[], CASE WHEN is_a THEN ARRAY[p, 1 - p] ELSE ARRAY[1 - p,
         p] END, '{0,0}'
FROM generate_series(1, 1000) i, LATERAL (SELECT 0.1 + 0.8 * abs(number(i, 3))) s (p), LATERAL (SELECT abs(number(i,
  4)) < p) c (is_a);
INSERT INTO offer.reward (event, value) SELECT i, floor(6 * abs(number(i, 5)) * i / 1000) FROM generate_series(1,
  1000) i;
CREATE TEMP TABLE option AS
SELECT d.id, (d.id - 1) / 50 AS block, context, reward.value AS reward, action,
       CASE action WHEN 1 THEN 0 ELSE (d.actions -> 1 ->> 'price')::float8 END AS price,
         ranking[1] = action AS is_chosen,
       probabilities[CASE WHEN ranking[1] = action THEN 1 ELSE 2 END] AS p
FROM offer.decision d JOIN offer.reward USING (event), generate_series(1, 2) action;
CREATE TEMP TABLE part AS
SELECT block, context, action, count(*) AS n, avg(p) AS p, sum(price) AS price,
       sum(reward) FILTER (WHERE is_chosen) AS earned, count(*) FILTER (WHERE is_chosen) AS chosen FROM option
         GROUP BY 1, 2, 3;
CREATE TEMP TABLE weight AS
SELECT block, 1 / sum(one_in) AS h FROM (SELECT block, action, sum(n / p) / sum(n) AS one_in FROM part GROUP BY 1,
  2) s GROUP BY 1;
SELECT cmp_ok(max(abs(w.earns - e.earns)), '<', 1e-9::float8, 'weights and prices are those of their definitions')
FROM (SELECT action, sum(h / p * earned) / sum(h / p * chosen) - sum(h * price) / sum(h * n) AS earns
      FROM part JOIN weight USING (block) GROUP BY action) e JOIN offer.winner() w ON w.action = chr(96 + e.action);
CREATE TEMP TABLE arm AS
SELECT chr(96 + action) AS action, sum(w) ^ 2 / sum(w * w) AS n, floor(sum(w) / max(w)) AS whole, max(mean) AS mean,
       sum(w * (reward - mean) ^ 2) / sum(w) AS variance, sum((w * (reward - mean)) ^ 2) / max(w) ^ 2 AS squares
FROM (SELECT action, w, reward, sum(w * reward) OVER a / sum(w) OVER a AS mean
      FROM option JOIN part USING (block, context, action) JOIN weight USING (block), LATERAL (SELECT h / part.p) x (w)
      WHERE is_chosen WINDOW a AS (PARTITION BY action)) s GROUP BY 1;
CREATE TEMP TABLE total AS	-- and one more reward of 3, the middle of -2 and 8
SELECT (1000 * avg + 3) / 1001 AS mean, (1000 * var + 1000 * (avg - 3) ^ 2 / 1001) / 1001 AS variance
FROM (SELECT avg(value), var_pop(value) AS var FROM offer.reward) r;
SELECT ok(bool_and(k.bottom = -2 AND k.top = 8 AND k.n = a.whole AND abs(k.squares - a.squares) < 1e-6
                   AND abs(k.expected - (a.n * a.mean + t.mean) / (a.n + 1) + k.price) < 1e-9
                   AND abs(k.error - sqrt(greatest(a.variance, t.variance) / (a.n + 1))) < 1e-9)
          AND min(a.variance) < min(t.variance) AND max(a.variance) > max(t.variance),
  'beliefs are shrunk by one reward with the mean of all')
FROM estimated('{a,b}', -2, 8) k JOIN arm a USING (action) CROSS JOIN total t;
DROP TABLE arm;
SELECT ok(bool_and(low < earns AND earns < high AND high - low < 5.5), 'bounds contain the mean') FROM offer.winner();
SELECT cmp_ok(max(w.high - w.low), '<', min(n.high - n.low), 'bounds are wider if rewards can be larger')
FROM offer.winner() w, offer.winner(lowest => -20, highest => 20) n;

-- ---------- verdicts ----------

TRUNCATE offer.decision, offer.reward, offer.event;
SELECT logs(1000, 'a', i, 0.5, actions => '["a", {"id": "b", "price": 0.25}]'), logs(1000, 'b', i, 0.5,
  actions => '["a", {"id": "b", "price": 0.25}]')
FROM generate_series(0, 1) i;
SELECT results_eq('SELECT action, round(earns::numeric, 9), verdict FROM offer.winner()',
  $$ VALUES ('a', 0.5, 'proven'), ('b', 0.25, 'open') $$, 'winner() subtracts prices');
SELECT ok(bool_and(CASE action WHEN 'a' THEN low > 0.4 AND chance_best = 1 ELSE high < 0.35 AND could_gain > 0.2 END),
  'a proven winner has a lower bound above all others') FROM offer.winner();
TRUNCATE offer.decision, offer.reward, offer.event;
SELECT logs(70, 'a', 1), logs(130, 'a', 0), logs(30, 'b', 1), logs(170, 'b', 0);
SELECT results_eq('SELECT action, verdict FROM offer.winner()', $$ VALUES ('a', 'likely'), ('b', 'open') $$,
  'an action is likely the best before it is proven');
SELECT logs(200, 'c', 1, 0.3, actions => '["c", "d"]');
SELECT results_eq($$ SELECT action, chance_best, could_gain, low, high, verdict FROM offer.winner() $$,
  $$ VALUES ('c', NULL::float8, NULL::float8, NULL::float8, NULL::float8, 'open'), ('d', NULL, NULL, NULL, NULL,
    'open') $$, 'winner() has no bounds without a range of rewards');
SELECT ok(bool_and(CASE action WHEN 'c' THEN low > 0.9 AND high = 1 ELSE low = 0 AND high = 1
  AND chance_best > 0.1 END), 'lowest and highest give bounds, also for actions that were never chosen')
FROM offer.winner(lowest => 0, highest => 1);
SELECT results_eq('SELECT action, round(expected::numeric, 9) FROM estimated(''{c,d}'', 0, 1) ORDER BY action',
  $$ VALUES ('c', round((200 + 200.5 / 201) / 201, 9)), ('d', round(200.5 / 201, 9)) $$,
  'the belief about an action that was never chosen has the mean of all rewards');
SELECT logs(10, 'e', 0.5, 1, actions => '["e"]'), logs(10, 'e', 1, 1, actions => '["e"]');
SELECT results_eq('SELECT action, events, chance_best, could_gain, verdict FROM offer.winner()',
  $$ VALUES ('e', 20::bigint, 1::float8, 0::float8, 'open') $$, 'a single action is open');

-- ---------- errors, rights ----------

SELECT each_is('22023: argument "actions" must contain ids of actions, each once', $$ offer.winner(actions => '{}')
  offer.winner(actions => '{a,NULL}')
  offer.winner(actions => '{{a,b}}')
  offer.winner(actions => '{a,a}') $$);
SELECT each_is('22003: arguments "lowest" and "highest" must be between -1e50 and 1e50', $$
  offer.winner(lowest => 'NaN')
  offer.winner(highest => 1e300)
  dlints_winner('{x}', ARRAY[dlints_new(1)], lowest => -1e300) $$);
SELECT each_is('22023: argument "highest" must be greater than "lowest" ("lowest" is 1, and "highest" is 1.)',
  $$ offer.winner(lowest => 1, highest => 1) $$);
CREATE ROLE dlints_test_other;
GRANT USAGE ON SCHEMA sim, offer TO dlints_test_other;
SET LOCAL ROLE dlints_test_other;
SELECT matches(outcome('SELECT * FROM offer.winner()'), '^42501: permission denied', 'winner() is for the owner');
RESET role;

-- ---------- arms ----------

CREATE TEMP TABLE arm AS
SELECT name, dlints_evidence(dlints_new(1, discount => 1), '{1}', (i <= clicks)::integer) AS state
FROM (VALUES ('a', 60, 200), ('b', 40, 200)) v (name, clicks, n), generate_series(1, n) i GROUP BY name;
UPDATE arm SET state = dlints_new(1, discount => 1) || state;
CREATE TEMP TABLE arms AS
SELECT w.* FROM (SELECT array_agg(name ORDER BY name) AS names, array_agg(state ORDER BY name) AS states FROM arm) a,
  dlints_winner(names || '{none,NULL}', states || ARRAY[NULL, states[1]]) w;
SELECT results_eq('SELECT action, events, round(earns::numeric, 4), verdict FROM arms',
  $$ VALUES ('a', 200::float8, 0.3, 'open'), ('b', 200, 0.2, 'open') $$,
    'dlints_winner() compares models trained on the same rewards');
SELECT ok(max(abs(a.low - h.low) + abs(a.high - h.high)) < 0.003 AND max(abs(a.chance_best - h.chance_best)) < 0.02
          AND max(abs(a.could_gain - h.could_gain)) < 0.001, 'dlints_winner() and winner() agree')
            FROM arms a JOIN half h USING (action);
SELECT is((count(*), round(sum(chance_best)::numeric, 9), max(verdict)), (3::bigint, 1.0, 'open'::text),
  'dlints_winner() compares untrained models without an intercept at features of zeros')
FROM dlints_winner('{x,y,z}', array_fill(dlints_new(2, intercept => false), ARRAY[3]), '{0,0}');
SELECT is_empty($$ SELECT * FROM dlints_winner('{}', '{}') $$, 'dlints_winner() returns nothing without arms');
SELECT is_empty($$ SELECT * FROM dlints_winner('{a}', NULL) $$, 'dlints_winner() returns nothing without models');
SELECT is(outcome($$ SELECT * FROM dlints_winner('{a,b}', ARRAY[dlints_new(1)]) $$),
  '22023: there must be as many arms as models (There are 2 arms and 1 models.)',
    'dlints_winner() refuses arms without models');
SELECT is(outcome($$ SELECT * FROM dlints_winner('{a,a}', ARRAY[dlints_new(1), dlints_new(1)]) $$),
    '22023: argument "arms" must name each arm once', 'dlints_winner() refuses an arm that is named twice');
SELECT matches(outcome(format('WITH a AS (SELECT array_agg(i::text) AS names FROM generate_series(1, 1001) i)'
  ' SELECT * FROM a, %s', call)), '^54000: cannot compare more than 1000 actions', call || ' refuses 1001 actions')
FROM   (VALUES ('offer.winner(actions => names)'),
               ('dlints_winner(names, array_fill(dlints_new(1), ''{1001}''))')) v (call);
SELECT is(verdict, 'open', 'dlints_winner() returns a single arm as open')
  FROM dlints_winner('{x}', ARRAY[dlints_new(1)]);
SELECT is(array_agg(action), '{b,a}', 'dlints_winner() compares arms at given features and profile')
FROM dlints_new(2, interactions => 'matched', discount => 1) m,
     dlints_winner('{a,b}', ARRAY[dlints_update(m, '{1,0}', 1, '{0,1}'), dlints_update(m, '{0,1}', 1, '{0,1}')],
       '{0,1}', '{0,1}');
SELECT each_is('22023: argument "highest" must be greater than "lowest" ("lowest" is 0, and "highest" is 0.)',
	$$ dlints_winner('{x}', ARRAY[dlints_new(1)], highest => 0) $$);
SELECT * FROM finish();
ROLLBACK;
