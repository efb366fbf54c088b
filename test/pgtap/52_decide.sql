-- Choices with their probabilities: what dlints_choose says is so, and it is the
-- choice of dlints_recommend.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

-- One model of each kind and policy, trained; with few and with many contexts, so that
-- scores are made in each of the ways there are.
CREATE FUNCTION trained(m dlints, n integer, s integer) RETURNS dlints LANGUAGE sql AS
$$ SELECT dlints_set(CASE WHEN s = 0
     THEN (SELECT dlints_update_batch(m, array_agg(context(i, n) ORDER BY i), array_agg(number(i, 1) ORDER BY i), array_agg(timestamptz '2026-01-01' + i * interval '1 hour' ORDER BY i)) FROM generate_series(1, 30) AS i)
     ELSE (SELECT dlints_update_batch(m, array_agg(context(i, n) ORDER BY i), array_agg(context(i % 5, s) ORDER BY i), array_agg(number(i, 1) ORDER BY i)) FROM generate_series(1, 30) AS i)
   END, exploration => 1) $$;
CREATE TEMP TABLE subject AS
SELECT no, name, n, s, trained(empty, n, s) AS model
FROM (VALUES (1, 'plain, draws lifted', 5, 0, dlints_new(5)), (2, 'plain, all scores kept', 150, 0, dlints_new(150, discount => 0.99)), (3, 'projected, contexts reduced', 30, 0, dlints_new(30, 4)),
             (4, 'no intercept', 4, 0, one_memory(4)), (5, 'crossed sketch', 20, 3, dlints_new(20, 6, shared_dim => 3)), (6, 'crossed', 3, 2, dlints_new(3, shared_dim => 2)),
             (7, 'matched', 4, 4, dlints_new(4, interactions => 'matched')), (8, 'matched, projected', 12, 12, dlints_new(12, reduced_dim => 4, interactions => 'matched')),
             (9, 'by time', 6, 0, dlints_new(6, half_life => '10 days')), (10, 'ucb', 6, 0, dlints_new(6, policy => 'ucb')), (11, 'ucb, crossed sketch', 8, 3, dlints_new(8, 4, shared_dim => 3, policy => 'ucb')),
             (12, 'greedy', 6, 0, dlints_new(6, policy => 'greedy')), (13, 'greedy, matched', 3, 3, dlints_new(3, interactions => 'matched', policy => 'greedy'))) AS v (no, name, n, s, empty);

-- 70 candidates, of which some are none; more than are scored at once
CREATE TEMP TABLE candidate AS
SELECT s.no, i, CASE WHEN i % 10 <> 0 THEN context(i, n)::real[] END AS x, context(3, s)::real[] AS u, number(i, 5) / 10 AS bonus, nullif(i % 4, 0)::text AS brand FROM subject AS s, generate_series(1, 70) AS i;

CREATE FUNCTION decide(what integer, explore float8, k integer, draws integer DEFAULT 100, uniform float8 DEFAULT 0, bonuses float8 DEFAULT 0, cap integer DEFAULT NULL)
RETURNS TABLE (i integer, x real[], u real[], bonus float8, brand text, candidate boolean, rank integer, score float8, probability float8) LANGUAGE plpgsql AS
$$
DECLARE
	m dlints := dlints_set(model, exploration => explore) FROM subject WHERE no = what;
BEGIN
	IF (SELECT s = 0 FROM subject WHERE no = what) THEN
		RETURN QUERY SELECT c.i, c.x, c.u, c.bonus, c.brand, d IS NOT NULL OR (d).score IS NOT NULL, (d).rank, (d).score, (d).probability
		FROM (SELECT c.*, dlints_choose(m, c.x, k, draws, uniform, bonuses * c.bonus, c.brand, decide.cap) OVER () AS d FROM candidate AS c WHERE c.no = what) AS c;
	ELSE
		RETURN QUERY SELECT c.i, c.x, c.u, c.bonus, c.brand, d IS NOT NULL OR (d).score IS NOT NULL, (d).rank, (d).score, (d).probability
		FROM (SELECT c.*, dlints_choose(m, c.x, c.u, k, draws, uniform, bonuses * c.bonus, c.brand, decide.cap) OVER () AS d FROM candidate AS c WHERE c.no = what) AS c;
	END IF;
END
$$;

CREATE FUNCTION recommended(what integer, explore float8, k integer) RETURNS integer[] LANGUAGE sql AS
$$ SELECT CASE WHEN s.s = 0 THEN (SELECT dlints_recommend(dlints_set(model, exploration => explore), c.i, c.x, k) FROM candidate AS c WHERE c.no = s.no)
          ELSE (SELECT dlints_recommend(dlints_set(model, exploration => explore), c.i, c.x, c.u, k) FROM candidate AS c WHERE c.no = s.no) END FROM subject AS s WHERE s.no = what $$;

SELECT plan(6 * 13 + 4 + 6 + 11 + 2 + 2 + 4 + 3 + 7 + 3 + 1 + 3 + 4 + 5 + 5 + 23 + 8 + 1 + 1);

-- ---------- what a decision says ----------

CREATE TEMP TABLE decision AS SELECT s.no, d.* FROM subject AS s, decide(s.no, 1, 5, bonuses => 1) AS d;
SELECT ok(count(*) = 70 AND bool_and(candidate = (x IS NOT NULL)) AND count(score) = 63 AND count(probability) = 63, format('%s: a row without a context is no candidate', name)) FROM decision JOIN subject USING (no) GROUP BY no, name ORDER BY no;
SELECT ok(array_agg(rank ORDER BY score DESC) FILTER (WHERE rank IS NOT NULL) = '{1,2,3,4,5}' AND min(score) FILTER (WHERE rank IS NOT NULL) >= max(score) FILTER (WHERE rank IS NULL), format('%s: the best are chosen, best first', name))
FROM decision JOIN subject USING (no) GROUP BY no, name ORDER BY no;
SELECT ok(abs(sum(probability) - 5) < 1e-9 AND min(probability) >= 0 AND max(probability) <= 1 AND min(probability) FILTER (WHERE rank IS NOT NULL) >= 0.01, format('%s: probabilities are those of five', name)) FROM decision JOIN subject USING (no) GROUP BY no, name ORDER BY no;

-- without exploration the scores are those that anybody can compute, in every way of making them
CREATE TEMP TABLE certain AS SELECT s.no, d.* FROM subject AS s, decide(s.no, 0, 5) AS d;
SELECT cmp_ok(max(abs(score - predict_at(model, x, CASE WHEN s > 0 THEN u END))), '<', 1e-9::float8, format('%s: without exploration what is expected', name)) FROM certain JOIN subject USING (no) WHERE candidate GROUP BY no, name ORDER BY no;
SELECT is(array_agg(i ORDER BY rank) FILTER (WHERE rank IS NOT NULL), recommended(no, 0, 5), format('%s: the choice of dlints_recommend', name)) FROM certain JOIN subject USING (no) GROUP BY no, name ORDER BY no;
-- (each of the 100 draws is scored, and they are all the same)
SELECT ok(bool_and(probability = CASE WHEN rank IS NULL THEN 0 ELSE 1 END), format('%s: and it is certain', name)) FROM certain JOIN subject USING (no) WHERE candidate GROUP BY no, name ORDER BY no;

-- ucb and greedy choose so whatever their exploration
SELECT is(array_agg(d.i ORDER BY rank) FILTER (WHERE rank IS NOT NULL), recommended(no, 2, 7), format('%s: the choice of dlints_recommend', name)) FROM subject AS s, decide(s.no, 2, 7) AS d WHERE name ~ 'ucb|greedy' GROUP BY no, name ORDER BY no;

-- ---------- dlints_recommend chooses each as often as dlints_choose says ----------

-- 4,000 groups against 10,000 draws: within 6.2 standard deviations
CREATE FUNCTION often(what integer, k integer) RETURNS float8 LANGUAGE plpgsql AS
$$
DECLARE
	m dlints := model FROM subject WHERE no = what;
	shared boolean := s > 0 FROM subject WHERE no = what;
	worst float8;
BEGIN
	CREATE TEMP TABLE few ON COMMIT DROP AS SELECT * FROM candidate AS c WHERE c.no = what AND c.i IN (1, 2, 3, 4, 5, 6);
	CREATE TEMP TABLE lists (items integer[]) ON COMMIT DROP;
	IF shared THEN
		INSERT INTO lists SELECT dlints_recommend(m, c.i, c.x, c.u, k) FROM few AS c, generate_series(1, 4000) AS g GROUP BY g;
		CREATE TEMP TABLE said ON COMMIT DROP AS SELECT c.i, dlints_probability(m, c.x, c.u, k, draws => 10000) OVER () AS p FROM few AS c;
	ELSE
		INSERT INTO lists SELECT dlints_recommend(m, c.i, c.x, k) FROM few AS c, generate_series(1, 4000) AS g GROUP BY g;
		CREATE TEMP TABLE said ON COMMIT DROP AS SELECT c.i, dlints_probability(m, c.x, k, draws => 10000) OVER () AS p FROM few AS c;
	END IF;
	SELECT max(abs(f - p) / sqrt((p * (1 - p) + 1e-3) * (1 / 4000.0 + 1 / 10000.0))) INTO worst
	FROM (SELECT said.p, (SELECT avg((said.i = ANY (items))::integer) FROM lists)::float8 AS f FROM said) AS t;
	DROP TABLE few, lists, said;
	RETURN worst;
END
$$;
SELECT cmp_ok(often(no, k), '<', 6.2::float8, format('%s, %s of 6: as often as dlints_recommend', name, k)) FROM subject, (VALUES (1), (3)) AS v (k) WHERE no IN (1, 3, 5) ORDER BY no, k;

-- ---------- frequencies against logged probabilities ----------

-- Given its M draws a decision has exactly the probability that is logged: over
-- requests the sum of chosen - p has mean 0 and variance sum p (1 - p).  In parts by
-- item and by probability, where the sum is nearly normal; false alarm below 1e-8.
CREATE TEMP TABLE logged (what text, request integer, i integer, chosen integer, p float8);
CREATE FUNCTION log_requests(what text, subject integer, items integer, requests integer, k integer, draws integer, uniform float8 DEFAULT 0, bonuses float8 DEFAULT 0, cap integer DEFAULT NULL) RETURNS void LANGUAGE sql AS
$$ INSERT INTO logged SELECT what, g, i, ((d).rank IS NOT NULL)::integer, (d).probability FROM
     (SELECT g, c.i, dlints_choose(m.model, c.x, k, draws, uniform, bonuses * c.bonus, c.brand, cap) OVER (PARTITION BY g) AS d
      FROM subject AS m JOIN candidate AS c USING (no), generate_series(1, requests) AS g WHERE m.no = subject AND c.i <= items AND c.x IS NOT NULL) AS t $$;
DO $$
BEGIN
	PERFORM log_requests('k = 1', 1, 6, 3000, 1, 100);
	PERFORM log_requests('k = 3', 1, 6, 3000, 3, 100);
	PERFORM log_requests('k = 3, 19 draws, all scores kept', 2, 6, 3000, 3, 19);
	PERFORM log_requests('k = 2, 30 draws, contexts reduced', 3, 6, 3000, 2, 30);
	PERFORM log_requests('k = 1, uniform', 1, 6, 3000, 1, 100, 0.2);
	PERFORM log_requests('k = 3, uniform', 1, 6, 3000, 3, 20, 0.2);
	PERFORM log_requests('k = 3, bonus', 1, 6, 3000, 3, 50, 0, 5);
	PERFORM log_requests('k = 4, cap', 1, 9, 3000, 4, 50, 0, 0, 1);
	PERFORM log_requests('k = 4, cap and bonus', 1, 9, 3000, 4, 50, 0, 5, 2);
	PERFORM log_requests('greedy, uniform', 12, 6, 3000, 2, 10, 0.3);
	PERFORM log_requests('ucb, uniform', 10, 6, 3000, 1, 10, 0.3);
END
$$;
CREATE TEMP VIEW standardised AS
SELECT what, max(abs(z)) AS z, count(*) AS parts FROM
  (SELECT what, sum(chosen - p) / sqrt(sum(p * (1 - p))) AS z FROM logged GROUP BY what, GROUPING SETS ((i), (width_bucket(p, 0, 1, 5)), (i, width_bucket(p, 0, 1, 3))) HAVING sum(p * (1 - p)) > 30) AS t GROUP BY what;
SELECT ok(z < 6.2 AND parts >= 5, format('%s: chosen as often as logged (%s parts)', what, parts)) FROM standardised ORDER BY what;
SELECT is_empty($$SELECT * FROM logged WHERE chosen = 1 AND p <= 0$$, 'what is chosen has a probability');
SELECT results_eq($$SELECT what, count(*) FROM logged GROUP BY what, request HAVING sum(chosen) <> round(sum(p)) OR abs(sum(p) - sum(chosen)) > 1e-9$$, $$SELECT ''::text, 0::bigint WHERE false$$, 'probabilities sum to what is chosen');

-- the value of a known policy from such logs: unbiased with uniform above 0.  Target:
-- item i with probability i / 21; its reward is 10 - i.
DO $$
BEGIN
	PERFORM log_requests('ips', 1, 6, 6000, 1, 100, 0.05);
END
$$;
SELECT cmp_ok(abs(avg(w) - 119 / 21.0 - 0)::float8 / (stddev(w) / sqrt(count(*)))::float8, '<', 6.2::float8, 'inverse propensities are unbiased')
FROM (SELECT sum(chosen * i / 21.0 / p * (10 - i)) AS w FROM logged WHERE what = 'ips' GROUP BY request) AS t;
-- the weights themselves have mean 1 for every target, deterministic ones among them
SELECT cmp_ok(max(abs(z)), '<', 6.2::float8, 'and weights have mean 1') FROM (SELECT (avg(chosen / p) - 1) / (stddev(chosen / p) / sqrt(count(*))) AS z FROM logged WHERE what = 'ips' GROUP BY i) AS t;

-- ---------- uniform, bonus, cap, ties ----------

SELECT ok(bool_and(abs(probability - 5 / 63.0) < 1e-12) AND count(rank) = 5, 'uniform 1: a random subset') FROM decide(1, 1, 5, uniform => 1) WHERE candidate;
-- each of 3 items in each of 3 places: 2,000 requests, 6.2 standard deviations
CREATE TEMP TABLE place AS SELECT i, (d).rank FROM (SELECT c.i, dlints_choose(m.model, c.x, 3, 1, 1) OVER (PARTITION BY g) AS d FROM subject AS m JOIN candidate AS c USING (no), generate_series(1, 2000) AS g WHERE m.no = 1 AND c.i <= 4) AS t;
SELECT ok(count(*) = 12 AND max(abs(n - 500)) < 6.2 * sqrt(2000 * 3 / 16.0), 'in random order') FROM (SELECT i, rank, count(*) AS n FROM place WHERE rank IS NOT NULL GROUP BY i, rank) AS t;
SELECT ok(bool_and(CASE WHEN rank IS NULL THEN abs(probability - 0.1 * 5 / 63) ELSE abs(probability - 0.9 - 0.1 * 5 / 63) END < 1e-12) OR count(rank) FILTER (WHERE probability < 0.5) > 0, 'greedy with uniform is epsilon-greedy') FROM decide(12, 1, 5, uniform => 0.1) WHERE candidate;
SELECT is((SELECT count(*) FROM (SELECT bool_or(chosen = 1 AND p < 0.5) AS explores FROM logged WHERE what = 'greedy, uniform' GROUP BY request) AS t WHERE explores) BETWEEN 600 AND 1000, true, 'and explores that often');

-- a bonus is in units of the score; NULL is none
SELECT ok(bool_and((rank = 1) = (i = 33)) AND max(probability) = 1, 'who has a large bonus is chosen') FROM (SELECT i, (d).* FROM (SELECT c.i, dlints_choose(model, x, bonus => CASE i WHEN 33 THEN 1000 WHEN 34 THEN NULL END) OVER () AS d FROM subject JOIN candidate AS c USING (no) WHERE no = 1 AND x IS NOT NULL) AS t) AS u WHERE rank = 1 OR i = 33;
SELECT cmp_ok(max(abs(score - bonus - dlints_predict(model, x))), '<', 1e-12::float8, 'it is added to the score') FROM decide(12, 1, 3, bonuses => 1) JOIN subject ON no = 12 WHERE candidate;
SELECT cmp_ok(max(abs(score - bonus - dlints_predict(model, x) - 2 * dlints_stddev(model, x))), '<', 1e-9::float8, 'so is what ucb adds') FROM decide(10, 2, 3, bonuses => 1) JOIN subject ON no = 10 WHERE candidate;

-- a cap, against walking through the candidates in the order of their scores
CREATE FUNCTION walked(d refcursor, k integer, cap integer) RETURNS integer[] LANGUAGE plpgsql AS
$$
DECLARE
	r record;
	taken jsonb := '{}';
	chosen integer[] := '{}';
BEGIN
	LOOP
		FETCH d INTO r;
		EXIT WHEN NOT FOUND OR cardinality(chosen) = k;
		CONTINUE WHEN r.brand IS NOT NULL AND (taken -> r.brand)::integer >= cap;
		chosen := chosen || r.i;
		IF r.brand IS NOT NULL THEN taken := taken || jsonb_build_object(r.brand, coalesce((taken -> r.brand)::integer, 0) + 1); END IF;
	END LOOP;
	RETURN chosen;
END
$$;
CREATE FUNCTION capped(what integer, k integer, most integer, OUT chosen integer[], OUT walk integer[], OUT sum float8) LANGUAGE plpgsql AS
$$
DECLARE
	c refcursor;
BEGIN
	CREATE TEMP TABLE capped_decision AS SELECT * FROM decide(what, 1, k, cap => most, bonuses => 1) AS d WHERE candidate;
	OPEN c FOR SELECT i, brand FROM capped_decision ORDER BY score DESC;
	walk := walked(c, k, most);
	CLOSE c;
	chosen := ARRAY(SELECT i FROM capped_decision WHERE rank IS NOT NULL ORDER BY rank);
	sum := (SELECT sum(probability) FROM capped_decision);
	DROP TABLE capped_decision;
END
$$;
SELECT ok(chosen = walk AND abs(sum - cardinality(walk)) < 1e-9, format('%s chosen, at most %s of a group: %s', k, most, cardinality(walk))) FROM (VALUES (1, 8, 1), (1, 8, 2), (3, 30, 5), (10, 8, 1), (12, 100, 3), (5, 1, 1), (2, 40, 100)) AS v (what, k, most), capped(what, k, most);

-- ties: what has seen nothing scores all the same without exploration.  Four candidates
-- of which two are chosen, 10,000 draws: standard deviation 0.005
CREATE TEMP TABLE tie AS SELECT policy, g, i, (d).* FROM (SELECT policy, g, i, dlints_choose(dlints_new(2, policy => policy, exploration => 0), ARRAY[1, 2], 2, 2000) OVER (PARTITION BY policy, g) AS d
  FROM unnest('{thompson,ucb,greedy}'::text[]) AS policy, generate_series(1, 50) AS g, generate_series(1, 4) AS i) AS t;
SELECT ok(max(abs(probability - 0.5)) < 6.2 * 0.5 / sqrt(2000) AND count(DISTINCT (i, rank)) FILTER (WHERE rank IS NOT NULL) = 8, format('%s: equal scores share the places', policy)) FROM tie GROUP BY policy ORDER BY policy;
-- above whom somebody is certain, those for the last place share it
SELECT ok(bool_and(CASE i WHEN 1 THEN probability = 1 WHEN 2 THEN probability = 0 ELSE abs(probability - 1 / 3.0) < 6.2 * 0.48 / 100 END), 'the last place is shared') FROM
  (SELECT i, (dlints_choose(dlints_new(2, policy => 'greedy'), ARRAY[1, i], 2, 10000, bonus => CASE i WHEN 1 THEN 1 WHEN 2 THEN -1 ELSE 0 END) OVER ()).* FROM generate_series(1, 5) AS i) AS t;

-- ---------- windows ----------

CREATE TEMP TABLE arm AS SELECT i, context(i, 5)::real[] AS x FROM generate_series(1, 8) AS i;
CREATE TEMP VIEW certain_arm AS SELECT i, x, dlints_set(model, exploration => 0) AS m FROM arm, subject WHERE no = 1;
CREATE FUNCTION best(over_clause text) RETURNS integer[] LANGUAGE plpgsql AS
$$
DECLARE
	result integer[];
BEGIN
	EXECUTE format('SELECT array_agg(i ORDER BY (c).rank) FILTER (WHERE (c).rank IS NOT NULL) FROM (SELECT i, dlints_choose(m, x, k => 3) OVER (%s) AS c FROM certain_arm) AS t', over_clause) INTO result;
	RETURN result;
END
$$;
SELECT is(best(o), best(''), 'OVER (' || o || ')') FROM (VALUES ('ORDER BY i DESC'), ('ORDER BY i ROWS BETWEEN CURRENT ROW AND CURRENT ROW'), ('ROWS 1 PRECEDING EXCLUDE CURRENT ROW')) AS v (o);

-- (…).* is two calls and more, computed once: the probability is that of the choice.
-- Two draws for 300 partitions would agree in all ranks with probability 1e-100.
SELECT ok(bool_and(score = best) AND min(probability) >= 0.1, '(...).* is one choice') FROM
  (SELECT t.*, max(score) OVER (PARTITION BY g) AS best FROM (SELECT g, (dlints_choose(model, x, draws => 10) OVER w).* FROM arm, subject, generate_series(1, 300) AS g WHERE no = 1 WINDOW w AS (PARTITION BY g)) AS t) AS u WHERE rank = 1;
-- defaults and names, in either form
SELECT ok(bool_and(c = 1), 'names and defaults') FROM
  (SELECT count(r.rank) AS c FROM (SELECT 1 AS form, (dlints_choose(model, x) OVER ()).* FROM arm, subject WHERE no = 1 UNION ALL
   SELECT 2, (dlints_choose(model, x, uniform => 0.05, k => 1) OVER ()).* FROM arm, subject WHERE no = 1 UNION ALL
   SELECT 3, (dlints_choose(context => x, model => model, cap_group => 'a', cap => 1) OVER ()).* FROM arm, subject WHERE no = 1 UNION ALL
   SELECT 4, (dlints_choose(model, context(i, 3), ARRAY[1, 2]) OVER ()).* FROM arm, subject WHERE no = 6 UNION ALL
   SELECT 5, (dlints_choose(model, context(i, 3), shared => '{1,2}', draws => 7) OVER ()).* FROM arm, subject WHERE no = 6) AS r GROUP BY form) AS t;
SELECT is(count(p), 8::bigint, 'dlints_probability has the same arguments') FROM (SELECT dlints_probability(model, context(i, 3), '{1,2}', k => 2, bonus => 1, cap_group => 'a', cap => 2) OVER () AS p FROM arm, subject WHERE no = 6) AS t;
-- contexts of every type
SELECT is(array_agg(rank ORDER BY t, i), array_agg(rank ORDER BY t, i) FILTER (WHERE t = 1) || array_agg(rank ORDER BY t, i) FILTER (WHERE t = 1) || array_agg(rank ORDER BY t, i) FILTER (WHERE t = 1), 'arrays of any numbers') FROM
  (SELECT 1 AS t, i, (dlints_choose(m, ARRAY[i, 1, 2, 3, 4]::real[], 8) OVER ()).* FROM certain_arm UNION ALL SELECT 2, i, (dlints_choose(m, ARRAY[i, 1, 2, 3, 4]::smallint[], 8) OVER ()).* FROM certain_arm
   UNION ALL SELECT 3, i, (dlints_choose(m, ARRAY[i, 1, 2, 3, 4]::numeric[], 8) OVER ()).* FROM certain_arm) AS s;
-- partitions, empty ones, and nothing but NULLs
SELECT results_eq($$SELECT g, count(*), count((c).score), count((c).rank) FROM (SELECT g, dlints_choose(model, CASE WHEN g <> 2 AND i <= g THEN x END, 2) OVER (PARTITION BY g) AS c FROM arm, subject, unnest('{1,2,5}'::integer[]) AS g WHERE no = 1) AS t GROUP BY g ORDER BY g$$,
  $$VALUES (1, 8::bigint, 1::bigint, 1::bigint), (2, 8, 0, 0), (5, 8, 5, 2)$$, 'partitions: one candidate, none, more');
SELECT is_empty($$SELECT dlints_choose(dlints_new(5), x) OVER () FROM arm WHERE false$$, 'no rows');
SELECT is(count(c), 0::bigint, 'a NULL model makes no candidate') FROM (SELECT dlints_choose(NULL::dlints, x) OVER () AS c FROM arm) AS t;
SELECT is(count(c), 0::bigint, 'neither does a NULL shared context') FROM (SELECT dlints_choose(model, context(i, 3)::real[], NULL::real[]) OVER () AS c FROM arm, subject WHERE no = 6) AS t;
SELECT is(count(c), 0::bigint, 'what k is does not matter where nobody is a candidate') FROM (SELECT dlints_choose(dlints_new(5), NULL::real[], k => 0) OVER () AS c FROM arm) AS t;

-- more rows than PostgreSQL keeps in memory
SET LOCAL work_mem = '64kB';
SELECT is(array_agg(i ORDER BY (c).rank) FILTER (WHERE (c).rank IS NOT NULL), (SELECT dlints_recommend(m, i, context(i, 5)::real[], 10) FROM generate_series(1, 3000) AS i, (SELECT m FROM certain_arm LIMIT 1) AS a), 'a partition on disk')
FROM (SELECT i, dlints_choose(m, context(i, 5)::real[], 10, bonus => CASE WHEN i % 2 = 0 THEN 0 END, cap_group => 'a', cap => 10) OVER () AS c FROM generate_series(1, 3000) AS i, (SELECT m FROM certain_arm LIMIT 1) AS a) AS t;
RESET work_mem;

-- again and again: LATERAL, a cursor, PL/pgSQL
SELECT ok(count(*) = 20 AND count(DISTINCT g) = 20, 'LATERAL decides for each') FROM generate_series(1, 20) AS g, LATERAL (SELECT * FROM (SELECT i, dlints_choose(model, x) OVER () AS c FROM arm, subject WHERE no = 1 AND g > 0) AS s WHERE (c).rank = 1) AS l;
CREATE FUNCTION in_plpgsql(m dlints, k integer) RETURNS integer LANGUAGE plpgsql AS
$$
DECLARE
	r record;
	n integer := 0;
BEGIN
	FOR round IN 1 .. 10 LOOP
		FOR r IN SELECT (dlints_choose(m, x, k) OVER ()).* FROM arm LOOP
			n := n + (r.rank IS NOT NULL)::integer;
		END LOOP;
		m := dlints_update(m, '{1,2,3,4,5}', 1);
	END LOOP;
	RETURN n;
END
$$;
SELECT is(in_plpgsql(model, 2), 20, 'PL/pgSQL, with a model that it learns') FROM subject WHERE no = 1;
DECLARE several SCROLL CURSOR FOR SELECT i, (dlints_choose(model, x, 3) OVER ()).* FROM arm, subject WHERE no = 1 ORDER BY rank;
MOVE 2 IN several;
CREATE TEMP TABLE fetched (i integer, rank integer);
CREATE FUNCTION fetch_from(c refcursor) RETURNS integer LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN FETCH c INTO r; RETURN r.rank; END $$;
SELECT is(fetch_from('several'), 3, 'a cursor');
CLOSE several;

-- a decision that is logged in the statement that makes it
CREATE TEMP TABLE decision_log (id integer GENERATED ALWAYS AS IDENTITY, item integer, rank integer, score float8, probability float8);
PREPARE decide_and_log AS
WITH choice AS (SELECT i, dlints_choose(model, x, k => 3, uniform => 0.05) OVER () AS c FROM arm, subject WHERE no = 1)
INSERT INTO decision_log (item, rank, score, probability) SELECT i, (c).rank, (c).score, (c).probability FROM choice WHERE (c).rank IS NOT NULL ORDER BY (c).rank RETURNING item, rank, probability;
SELECT lives_ok('EXECUTE decide_and_log', 'decide and log in one statement');
SELECT ok(array_agg(rank ORDER BY id) = '{1,2,3}' AND bool_and(probability > 0 AND probability <= 1), 'what is logged is what was chosen') FROM decision_log;

-- ---------- errors ----------

CREATE FUNCTION answers(call text) RETURNS text LANGUAGE sql AS
$$ SELECT regexp_replace(outcome(format('SELECT count(c) FROM (SELECT %s OVER () AS c FROM arm, subject WHERE no = 1) AS t', call)), ' \(.*', '') $$;
SELECT is(answers(call), expected, call) FROM (VALUES
  ('dlints_choose(model, x, 0)', '22023: k must be at least 1'), ('dlints_choose(model, x, k => NULL)', '22004: k must not be null'),
  ('dlints_choose(model, x, draws => 0)', '22023: draws must be between 1 and 10000'), ('dlints_choose(model, x, draws => 10001)', '22023: draws must be between 1 and 10000'), ('dlints_choose(model, x, draws => NULL)', '22004: draws must not be null'),
  ('dlints_choose(model, x, uniform => -0.1)', '22023: uniform must be between 0 and 1'), ('dlints_choose(model, x, uniform => ''NaN'')', '22023: uniform must be between 0 and 1'), ('dlints_choose(model, x, uniform => NULL)', '22004: uniform must not be null'),
  ('dlints_choose(model, x, cap => 0)', '22023: cap must be at least 1'), ('dlints_choose(model, x, cap => 2)', '22023: cap needs cap_group'), ('dlints_choose(model, x, uniform => 0.1, cap => 1)', '22023: uniform must be 0 with a cap'),
  ('dlints_choose(model, x, bonus => ''NaN'')', '22003: NaN not allowed in bonus'), ('dlints_choose(model, x, bonus => ''infinity'')', '22003: infinity not allowed in bonus'),
  ('dlints_choose(model, x, i)', '22023: k must be the same for all rows of a partition'), ('dlints_choose(model, x, draws => i)', '22023: draws must be the same for all rows of a partition'),
  ('dlints_choose(model, x, uniform => i / 10.0)', '22023: uniform must be the same for all rows of a partition'), ('dlints_choose(model, x, cap_group => ''a'', cap => nullif(i, 3))', '22023: cap must be the same for all rows of a partition'),
  ('dlints_choose(dlints_set(model, ridge => i), x)', '22023: dlints_choose needs the same model for all rows of a partition'), ('dlints_probability(dlints_set(model, ridge => i), x)', '22023: dlints_probability needs the same model for all rows of a partition'),
  ('dlints_choose(dlints_new(5, 2, shared_dim => 1), x, ARRAY[i]::real[])', '22023: dlints_choose needs the same shared context for all rows of a partition'),
  ('dlints_choose(model, x[1:4])', '22000: expected 5 dimensions, not 4'), ('dlints_choose(model, x, x)', '22023: argument "shared" must not be given'), ('dlints_choose(dlints_new(5, 2, shared_dim => 1), x)', '22023: argument "shared" is missing')) AS v (call, expected);
SELECT is(outcome('SELECT dlints_choose(model, x) FROM arm, subject'), '42809: window function dlints_choose requires an OVER clause', 'no window');
SELECT is(outcome('SELECT dlints_choose(model, x) FILTER (WHERE i > 1) OVER () FROM arm, subject'), '0A000: FILTER is not implemented for non-aggregate window functions', 'FILTER is for aggregates');
SELECT is(answers('dlints_choose(model, x, 4611686018427387904)'), 'gives 8', 'k beyond all candidates');
SELECT is(answers('dlints_choose(model, x, -4611686018427387904)'), '22023: k must be at least 1', 'k far below');
SELECT is(answers('dlints_choose(model, x, bonus => CASE WHEN i = 1 THEN 1.7e308 ELSE -1.7e308 END)'), 'gives 8', 'the largest bonus');
SELECT is(max(p), 1::float8, 'a sure choice has a probability that dlints_policy_value takes') FROM
  (SELECT dlints_probability(dlints_new(1), ARRAY[1]::real[], draws => 10, uniform => 0.08) OVER () AS p) AS s;
SELECT is(answers('dlints_choose(dlints_update(model, array_fill(1e20::float8, ARRAY[5]), 1), array_fill(1e20::float8, ARRAY[5]))'), 'gives 8', 'large contexts');

-- another copy of the model will do, and its other rows may have any that is no candidate's
SELECT is(answers('dlints_choose(CASE i WHEN 1 THEN model ELSE model::text::dlints END, x)'), 'gives 8', 'a copy of the model');
SELECT is(answers('dlints_choose(CASE i WHEN 1 THEN dlints_new(7) ELSE model END, CASE WHEN i > 1 THEN x END, CASE i WHEN 1 THEN 0 ELSE 2 END)'), 'gives 7', 'only candidates are compared');
SELECT is(answers('dlints_choose(dlints_new(5, 2, shared_dim => 1), x, CASE i % 2 WHEN 0 THEN ARRAY[1]::real[] ELSE ''[0:0]={1}''::real[] END)'), 'gives 8', 'the same shared context in another form');

SELECT * FROM finish();
ROLLBACK;
