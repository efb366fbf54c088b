-- dlints_choose: the probabilities that it says are so, and its choice is the one of
-- dlints_recommend.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql
\ir include/candidates.sql

CREATE FUNCTION decide(which text, explore float8, k integer, epsilon float8 DEFAULT 0,
	bonuses float8 DEFAULT 0, cap integer DEFAULT NULL)
RETURNS TABLE (i integer, x real[], u real[], bonus float8, brand text,
	rank integer, score float8, probability float8) LANGUAGE plpgsql AS
$$
BEGIN
	RETURN QUERY EXECUTE format(
		'WITH decided AS (
			SELECT c.*, dlints_choose((SELECT dlints_set(model, exploration => %L) FROM subject
			                           WHERE name = %L), x, %L, u, epsilon => %L,
			                          bonus => %L * bonus, cap_group => brand, cap => %L)
			            OVER () AS choice
			FROM candidate AS c WHERE name = %2$L)
		 SELECT i, x, u, bonus, brand, (choice).rank, (choice).score, (choice).probability
		 FROM decided', explore, which, k, epsilon, bonuses, cap);
END
$$;

CREATE FUNCTION recommended(which text, explore float8, k integer) RETURNS integer[]
LANGUAGE plpgsql AS
$$
DECLARE
	items integer[];
BEGIN
	EXECUTE format(
		'SELECT dlints_recommend((SELECT dlints_set(model, exploration => %L) FROM subject
		                          WHERE name = %L), i, x, %s, u)
		 FROM candidate WHERE name = %2$L',
		explore, which, k) INTO items;
	RETURN items;
END
$$;

SELECT plan(103 + 18 + 17 + 30);

-- ---------- what a decision says ----------

CREATE TEMP TABLE decision AS
SELECT s.name, d.* FROM subject AS s, decide(s.name, 1, 5, bonuses => 1) AS d;
CREATE TEMP TABLE summary AS
SELECT name, count(*) AS rows, bool_and((score IS NULL) = (x IS NULL)) AS fits,
       count(score) AS scores, count(probability) AS probabilities,
       array_agg(rank ORDER BY score DESC) FILTER (WHERE rank > 0) AS ranks,
       min(score) FILTER (WHERE rank > 0) AS worst_taken,
       max(score) FILTER (WHERE rank IS NULL) AS best_left,
       sum(probability) AS total, min(probability) AS least, max(probability) AS most,
       min(probability) FILTER (WHERE rank > 0) AS least_taken
FROM decision GROUP BY name;
SELECT ok(holds, format('%s: %s', name, what))
FROM summary, LATERAL (VALUES
	('a row without features is no candidate',
	 rows = 70 AND fits AND scores = 63 AND probabilities = 63),
	('the best are chosen, best first',
	 ranks = '{1,2,3,4,5}' AND worst_taken >= best_left),
	('probabilities are those of five',
	 abs(total - 5) < 1e-9 AND least >= 0 AND most <= 1 AND least_taken >= 0.01))
	AS v (what, holds)
ORDER BY name, what;

-- Without exploration anybody can compute the scores, in every way of making them.
-- Each of the 100 draws is scored, and they are all the same.
CREATE TEMP TABLE certain AS
SELECT s.name, d.* FROM subject AS s, decide(s.name, 0, 5) AS d;
SELECT ok(holds, format('%s, without exploration: %s', name, what))
FROM (SELECT name,
             max(abs(score - dlints_predict(model, x, u))) AS error,
             array_agg(i ORDER BY rank) FILTER (WHERE rank > 0) AS items,
             bool_and(probability = (rank IS NOT NULL)::integer) AS sure
      FROM certain JOIN subject USING (name) WHERE x IS NOT NULL GROUP BY name) AS c,
     LATERAL (VALUES
	('the score is what is expected', error < 1e-9),
	('the choice of dlints_recommend', items = recommended(name, 0, 5)),
	('and it is certain', sure)) AS v (what, holds)
ORDER BY name, what;

-- ucb and greedy choose so whatever their exploration
SELECT is(array_agg(d.i ORDER BY rank) FILTER (WHERE rank > 0), recommended(name, 2, 7),
          format('%s: the choice of dlints_recommend', name))
FROM subject, decide(name, 2, 7) AS d WHERE name ~ 'ucb|greedy' GROUP BY name ORDER BY name;

-- ---------- dlints_recommend chooses each as often as dlints_choose says ----------

-- 4,000 groups against 10,000 draws: how many standard deviations they are apart at most
CREATE FUNCTION surprise(which text, k integer) RETURNS float8 LANGUAGE plpgsql AS
$$
DECLARE
	worst float8;
BEGIN
	EXECUTE format(
		'WITH few AS MATERIALIZED (
			SELECT i, x, u, model FROM candidate JOIN subject USING (name)
			WHERE name = %L AND i <= 6),
		 said AS MATERIALIZED (
			SELECT i, (dlints_choose(model, x, %s, u, draws => 10000) OVER ()).probability
			FROM few),
		 list AS MATERIALIZED (
			SELECT dlints_recommend(model, i, x, %2$s, u) AS items
			FROM few, generate_series(1, 4000) AS g GROUP BY g),
		 counted AS (
			SELECT probability AS p, avg((i = ANY (items))::integer) AS f
			FROM said, list GROUP BY i, probability)
		 SELECT max(abs(f - p) / sqrt((p * (1 - p) + 1e-3) * (1 / 4000.0 + 1 / 10000.0)))
		 FROM counted HAVING count(*) = 6', which, k) INTO worst;
	RETURN worst;
END
$$;
SELECT cmp_ok(surprise(name, k), '<', 6.2::float8,
              format('%s, %s of 6: as often as dlints_recommend', name, k))
FROM subject, unnest('{1,3}'::integer[]) AS k
WHERE name IN ('plain', 'projected', 'matched, long') ORDER BY name, k;

-- ---------- frequencies against logged probabilities ----------

-- Given its draws a decision has exactly the probability that is logged: over requests
-- the sum of chosen - p has mean 0 and variance sum p (1 - p).  In parts by item and by
-- probability, where the sum is nearly normal; false alarm below 1e-8.
CREATE TEMP TABLE setting (what, subject, items, requests, k, draws, epsilon, bonuses, cap) AS
VALUES
	('k = 1', 'plain', 6, 3000, 1, 100, 0::float8, 0::float8, NULL::integer),
	('k = 3', 'plain', 6, 3000, 3, 100, 0, 0, NULL),
	('k = 3, 19 draws, long', 'plain, long', 6, 3000, 3, 19, 0, 0, NULL),
	('k = 2, 30 draws, projected', 'projected', 6, 3000, 2, 30, 0, 0, NULL),
	('k = 1, epsilon', 'plain', 6, 3000, 1, 100, 0.2, 0, NULL),
	('k = 3, epsilon', 'plain', 6, 3000, 3, 20, 0.2, 0, NULL),
	('k = 3, bonus', 'plain', 6, 3000, 3, 50, 0, 5, NULL),
	('k = 4, cap', 'plain', 9, 3000, 4, 50, 0, 0, 1),
	('k = 4, cap and bonus', 'plain', 9, 3000, 4, 50, 0, 5, 2),
	('greedy, epsilon', 'greedy', 6, 3000, 2, 10, 0.3, 0, NULL),
	('ucb, epsilon', 'ucb', 6, 3000, 1, 10, 0.3, 0, NULL),
	('inverse propensities', 'plain', 6, 6000, 1, 100, 0.05, 0, NULL);
CREATE TEMP TABLE logged AS
WITH decided AS (
	SELECT what, request, i,
	       dlints_choose(model, x, k, u, draws, epsilon, bonuses * bonus, brand, cap)
	       OVER (PARTITION BY what, request) AS choice
	FROM setting
	JOIN subject ON subject.name = setting.subject
	JOIN candidate ON candidate.name = setting.subject AND i <= items,
	generate_series(1, requests) AS request)
SELECT what, request, i, ((choice).rank IS NOT NULL)::integer AS chosen,
       (choice).probability AS p
FROM decided;
WITH part AS (
	SELECT what, sum(chosen - p) / sqrt(sum(p * (1 - p))) AS z
	FROM logged
	GROUP BY what, GROUPING SETS ((i), (width_bucket(p, 0, 1, 5)), (i, width_bucket(p, 0, 1, 3)))
	HAVING sum(p * (1 - p)) > 30)
SELECT ok(max(abs(z)) < 6.2 AND count(*) >= 5,
          format('%s: chosen as often as logged (%s parts)', what, count(*)))
FROM part GROUP BY what ORDER BY what;
SELECT is_empty(
	$$SELECT what, request FROM logged GROUP BY what, request
	  HAVING abs(sum(p) - sum(chosen)) > 1e-9 OR bool_or(chosen = 1 AND p <= 0)$$,
	'what is chosen has a probability, and they sum to what is chosen');

-- The value of a known policy from such a log is unbiased with epsilon above 0.  The
-- policy: item i with probability i / 21; its reward is 10 - i.
SELECT cmp_ok((abs(avg(w) - 119 / 21.0) / (stddev(w) / sqrt(count(*))))::float8,
              '<', 6.2::float8, 'inverse propensities are unbiased')
FROM (SELECT sum(chosen / p * i / 21 * (10 - i)) AS w FROM logged
      WHERE what = 'inverse propensities' GROUP BY request) AS t;
-- The weights have mean 1 for every policy, also for one that always takes one item.
SELECT cmp_ok(max(z), '<', 6.2::float8, 'and weights have mean 1')
FROM (SELECT abs(avg(chosen / p) - 1) / (stddev(chosen / p) / sqrt(count(*))) AS z
      FROM logged WHERE what = 'inverse propensities' GROUP BY i) AS t;

-- ---------- epsilon, bonus, cap, ties ----------

SELECT ok(bool_and(abs(probability - 5 / 63.0) < 1e-12) AND count(rank) = 5,
          'epsilon 1: a random subset')
FROM decide('plain', 1, 5, epsilon => 1) WHERE x IS NOT NULL;
-- 2,000 requests: each of 4 items in each of 3 places, within 6.2 standard deviations
WITH decided AS (
	SELECT i, dlints_choose(model, x, 3, draws => 1, epsilon => 1) OVER (PARTITION BY g) AS choice
	FROM subject JOIN candidate USING (name), generate_series(1, 2000) AS g
	WHERE name = 'plain' AND i <= 4),
place AS (
	SELECT i, (choice).rank, count(*) AS n FROM decided WHERE (choice).rank > 0 GROUP BY 1, 2)
SELECT ok(count(*) = 12 AND max(abs(n - 500)) < 6.2 * sqrt(2000 * 3 / 16.0), 'in random order')
FROM place;
SELECT ok(bool_and(abs(probability - 0.1 * 5 / 63 - CASE WHEN place <= 5 THEN 0.9 ELSE 0 END)
                   < 1e-12), 'greedy with epsilon is epsilon-greedy')
FROM (SELECT *, row_number() OVER (ORDER BY score DESC) AS place
      FROM decide('greedy', 1, 5, epsilon => 0.1) WHERE x IS NOT NULL) AS d;
SELECT ok(count(*) BETWEEN 600 AND 1000, 'and explores that often')
FROM (SELECT FROM logged WHERE what = 'greedy, epsilon'
      GROUP BY request HAVING bool_or(chosen = 1 AND p < 0.5)) AS t;

-- a bonus is in units of the score; NULL is none
WITH decided AS (
	SELECT i, (dlints_choose(model, x, bonus => CASE i WHEN 33 THEN 1000 WHEN 34 THEN NULL END)
	           OVER ()).*
	FROM subject JOIN candidate USING (name) WHERE name = 'plain' AND x IS NOT NULL)
SELECT is(array_agg((i, rank, probability)::text), ARRAY['(33,1,1)'],
          'who has a large bonus is chosen')
FROM decided WHERE rank = 1 OR i = 33;
SELECT cmp_ok(max(abs(score - bonus - dlints_predict(model, x) - width * dlints_stddev(model, x))),
              '<', 1e-9::float8, format('%s: a bonus is added to the score', name))
FROM (VALUES ('greedy', 0), ('ucb', 2)) AS v (name, width) JOIN subject USING (name),
     decide(name, 2, 3, bonuses => 1) WHERE x IS NOT NULL GROUP BY name ORDER BY name;

-- a cap: of each group the best are allowed, and of those the best k are chosen
CREATE FUNCTION capped(which text, k integer, most integer,
	OUT chosen integer[], OUT allowed integer[], OUT total float8) LANGUAGE sql AS
$$
WITH decision AS MATERIALIZED (
	SELECT *, row_number() OVER (PARTITION BY brand ORDER BY score DESC) AS of_brand
	FROM decide(which, 1, k, bonuses => 1, cap => most) WHERE x IS NOT NULL),
best AS (
	SELECT i, score FROM decision WHERE brand IS NULL OR of_brand <= most
	ORDER BY score DESC LIMIT k)
SELECT (SELECT array_agg(i ORDER BY rank) FROM decision WHERE rank > 0),
       (SELECT array_agg(i ORDER BY score DESC) FROM best),
       (SELECT sum(probability) FROM decision)
$$;
SELECT ok(chosen = allowed AND cardinality(chosen) = n AND abs(total - n) < 1e-9,
          format('%s: %s chosen, at most %s of a group: %s', which, k, most, n))
FROM (VALUES
	('plain', 8, 1, 8), ('plain', 8, 2, 8), ('plain', 30, 5, 29), ('ucb', 8, 1, 8),
	('greedy', 100, 3, 23), ('matched, long', 1, 1, 1), ('plain, long', 40, 100, 40))
	AS v (which, k, most, n), capped(which, k, most);

-- Ties: a model that has seen nothing scores all the same without exploration.  Four
-- candidates of which two are chosen, 2,000 draws, 6.2 standard deviations.
WITH decided AS (
	SELECT policy, i, (dlints_choose(dlints_new(2, policy => policy, exploration => 0),
	                                 ARRAY[1, 2], 2, draws => 2000) OVER (PARTITION BY policy, g)).*
	FROM unnest('{thompson,ucb,greedy}'::text[]) AS policy, generate_series(1, 50) AS g,
	     generate_series(1, 4) AS i)
SELECT ok(max(abs(probability - 0.5)) < 6.2 * 0.5 / sqrt(2000)
          AND count(DISTINCT (i, rank)) FILTER (WHERE rank > 0) = 8,
          format('%s: equal scores share the places', policy))
FROM decided GROUP BY policy ORDER BY policy;
-- below one that is certain, equal ones share the last place
WITH decided AS (
	SELECT i, (dlints_choose(dlints_new(2, policy => 'greedy'), ARRAY[1, i], 2, draws => 10000,
	                         bonus => CASE i WHEN 1 THEN 1 WHEN 2 THEN -1 ELSE 0 END) OVER ()).*
	FROM generate_series(1, 5) AS i)
SELECT ok(bool_and(CASE i WHEN 1 THEN probability = 1 WHEN 2 THEN probability = 0
                   ELSE abs(probability - 1 / 3.0) < 6.2 * 0.48 / 100 END),
          'the last place is shared') FROM decided;

-- ---------- windows ----------

CREATE TEMP TABLE arm AS
SELECT i, features(i, 5)::real[] AS x, features(i, 3)::real[] AS short, model,
       dlints_set(model, exploration => 0) AS sure,
       (SELECT model FROM subject WHERE name = 'matched, short') AS matched
FROM generate_series(1, 8) AS i, subject WHERE name = 'plain';
CREATE FUNCTION best(over_clause text) RETURNS integer[] LANGUAGE plpgsql AS
$$
DECLARE
	result integer[];
BEGIN
	EXECUTE format(
		'WITH decided AS (SELECT i, (dlints_choose(sure, x, k => 3) OVER (%s)).* FROM arm)
		 SELECT array_agg(i ORDER BY rank) FROM decided WHERE rank > 0', over_clause)
	INTO result;
	RETURN result;
END
$$;
SELECT is(best(o), best(''), 'OVER (' || o || ')') FROM unnest(ARRAY[
	'ORDER BY i DESC', 'ORDER BY i ROWS BETWEEN CURRENT ROW AND CURRENT ROW',
	'ROWS 1 PRECEDING EXCLUDE CURRENT ROW']) AS o;

-- (…).* is a call for each field, computed once: the probability is that of the choice.
-- Two draws for 300 partitions would agree in all ranks with probability 1e-100.
WITH decided AS (
	SELECT g, (dlints_choose(model, x, draws => 10) OVER (PARTITION BY g)).*
	FROM arm, generate_series(1, 300) AS g),
placed AS (SELECT *, max(score) OVER (PARTITION BY g) AS best FROM decided)
SELECT ok(bool_and(score = best) AND min(probability) >= 0.1, '(...).* is one choice')
FROM placed WHERE rank = 1;
-- defaults and names, in either form
WITH decided AS (
	SELECT dlints_choose(model, x) OVER () AS a,
	       dlints_choose(model, x, epsilon => 0.05, k => 1) OVER () AS b,
	       dlints_choose(features => x, model => model, cap_group => 'a', cap => 1) OVER () AS c,
	       dlints_choose(matched, short, 1, ARRAY[1, 2, 3]) OVER () AS d,
	       dlints_choose(matched, short, profile => '{1,2,3}', draws => 7) OVER () AS e
	FROM arm)
SELECT is(ARRAY[count((a).rank), count((b).rank), count((c).rank), count((d).rank),
                count((e).rank)], '{1,1,1,1,1}'::bigint[], 'names and defaults') FROM decided;
-- features of every type
WITH decided AS (
	SELECT (dlints_choose(sure, y::real[], 8) OVER ()).rank AS a,
	       (dlints_choose(sure, y::smallint[], 8) OVER ()).rank AS b,
	       (dlints_choose(sure, y::numeric[], 8) OVER ()).rank AS c
	FROM arm, LATERAL (SELECT ARRAY[i, 1, 2, 3, 4]) AS v (y))
SELECT ok(bool_and(a = b AND b = c) AND count(DISTINCT a) = 8, 'arrays of any numbers')
FROM decided;
-- partitions, empty ones, and nothing but NULLs
SELECT results_eq(
	$$WITH decided AS (
		SELECT g, dlints_choose(model, CASE WHEN g <> 2 AND i <= g THEN x END, 2)
		          OVER (PARTITION BY g) AS c
		FROM arm, unnest('{1,2,5}'::integer[]) AS g)
	  SELECT g, count(*), count((c).score), count((c).rank) FROM decided GROUP BY g ORDER BY g$$,
	'VALUES (1, 8::bigint, 1::bigint, 1::bigint), (2, 8, 0, 0), (5, 8, 5, 2)',
	'partitions: one candidate, none, more');
SELECT is_empty('SELECT dlints_choose(model, x) OVER () FROM arm WHERE false', 'no rows');
WITH decided AS (
	SELECT dlints_choose(NULL::dlints, x) OVER () AS no_model,
	       dlints_choose(matched, short, 1, NULL) OVER () AS no_profile,
	       dlints_choose(model, NULL::real[], k => 0) OVER () AS no_features
	FROM arm)
SELECT is(n, 0::bigint, 'no candidate, whatever k is: ' || what)
FROM (SELECT count(no_model) AS a, count(no_profile) AS b, count(no_features) AS c
      FROM decided) AS d,
     LATERAL (VALUES ('a NULL model', a), ('a NULL profile', b), ('NULL features', c))
     AS v (what, n);

-- more rows than PostgreSQL keeps in memory
SET LOCAL work_mem = '64kB';
WITH many AS (SELECT i, features(i, 5)::real[] AS x FROM generate_series(1, 3000) AS i),
sure AS (SELECT sure FROM arm LIMIT 1),
decided AS (
	SELECT i, (dlints_choose(sure, x, 10, bonus => CASE WHEN i % 2 = 0 THEN 0 END,
	                         cap_group => 'a', cap => 10) OVER ()).rank
	FROM many, sure)
SELECT is((SELECT array_agg(i ORDER BY rank) FROM decided WHERE rank > 0),
          (SELECT dlints_recommend(sure, i, x, 10) FROM many, sure), 'a partition on disk');
RESET work_mem;

-- again and again: LATERAL, a cursor, PL/pgSQL
SELECT ok(count(*) = 20 AND count(DISTINCT g) = 20, 'LATERAL decides for each')
FROM generate_series(1, 20) AS g,
     LATERAL (SELECT dlints_choose(model, x) OVER () AS c FROM arm WHERE g > 0) AS l
WHERE (c).rank = 1;
CREATE FUNCTION in_plpgsql(m dlints, k integer) RETURNS integer LANGUAGE plpgsql AS
$$
DECLARE
	n integer := 0;
BEGIN
	FOR round IN 1..10 LOOP
		n := n + (SELECT count((c).rank) FROM
		          (SELECT dlints_choose(m, x, k) OVER () AS c FROM arm) AS decided);
		m := dlints_update(m, '{1,2,3,4,5}', 1);
	END LOOP;
	RETURN n;
END
$$;
SELECT is(in_plpgsql(model, 2), 20, 'PL/pgSQL, with a model that it learns')
FROM arm WHERE i = 1;
DECLARE several SCROLL CURSOR FOR
SELECT i, (dlints_choose(model, x, 3) OVER ()).* FROM arm ORDER BY rank;
MOVE 2 IN several;
CREATE FUNCTION fetch_from(c refcursor) RETURNS integer LANGUAGE plpgsql AS
$$ DECLARE r record; BEGIN FETCH c INTO r; RETURN r.rank; END $$;
SELECT is(fetch_from('several'), 3, 'a cursor');
CLOSE several;

-- a decision that is logged in the statement that makes it
CREATE TEMP TABLE decision_log (
	id integer GENERATED ALWAYS AS IDENTITY, item integer, rank integer, probability float8);
PREPARE decide_and_log AS
WITH choice AS (SELECT i, dlints_choose(model, x, k => 3, epsilon => 0.05) OVER () AS c FROM arm)
INSERT INTO decision_log (item, rank, probability)
SELECT i, (c).rank, (c).probability FROM choice WHERE (c).rank > 0 ORDER BY (c).rank
RETURNING item;
SELECT lives_ok('EXECUTE decide_and_log', 'decide and log in one statement');
SELECT ok(array_agg(rank ORDER BY id) = '{1,2,3}'
          AND bool_and(probability > 0 AND probability <= 1), 'what is logged is what was chosen')
FROM decision_log;

-- ---------- errors ----------

-- what dlints_choose with these arguments says, without detail, or how many choices it makes
CREATE FUNCTION answers(arguments text) RETURNS text LANGUAGE sql AS
$$
SELECT regexp_replace(outcome(format(
	'SELECT count(c) FROM (SELECT dlints_choose(%s) OVER () AS c FROM arm) AS t', arguments)),
	' \(.*', '')
$$;
SELECT is(answers(arguments), expected, format('dlints_choose(%s)', arguments)) FROM (VALUES
	('model, x, 0', '22023: k must be at least 1'),
	('model, x, k => NULL', '22004: k must not be null'),
	('model, x, draws => 0', '22023: draws must be between 1 and 10000'),
	('model, x, draws => 10001', '22023: draws must be between 1 and 10000'),
	('model, x, draws => NULL', '22004: draws must not be null'),
	('model, x, epsilon => -0.1', '22023: epsilon must be between 0 and 1'),
	('model, x, epsilon => ''NaN''', '22023: epsilon must be between 0 and 1'),
	('model, x, epsilon => NULL', '22004: epsilon must not be null'),
	('model, x, cap => 0', '22023: cap must be at least 1'),
	('model, x, cap => 2', '22023: cap needs cap_group'),
	('model, x, epsilon => 0.1, cap => 1', '22023: epsilon must be 0 with a cap'),
	('model, x, bonus => ''NaN''', '22003: NaN not allowed in bonus'),
	('model, x, bonus => ''infinity''', '22003: infinity not allowed in bonus'),
	('model, x, i', '22023: k must be the same for all rows of a partition'),
	('model, x, draws => i', '22023: draws must be the same for all rows of a partition'),
	('model, x, epsilon => i / 10.0',
	 '22023: epsilon must be the same for all rows of a partition'),
	('model, x, cap_group => ''a'', cap => nullif(i, 3)',
	 '22023: cap must be the same for all rows of a partition'),
	('dlints_set(model, ridge => i), x',
	 '22023: dlints_choose needs the same model for all rows of a partition'),
	('matched, short, 1, ARRAY[i, 1, 2]',
	 '22023: dlints_choose needs the same profile for all rows of a partition'),
	('model, x[1:4]', '22000: expected 5 dimensions, not 4'),
	('model, x, 1, x', '22023: argument "profile" must not be given'),
	('model, x, 4611686018427387904', 'gives 8'),
	('model, x, -4611686018427387904', '22023: k must be at least 1'),
	('model, x, bonus => CASE WHEN i = 1 THEN 1.7e308 ELSE -1.7e308 END', 'gives 8'),
	('dlints_update(model, array_fill(1e20, ARRAY[5]), 1), array_fill(1e20, ARRAY[5])',
	 'gives 8'),
	-- another copy of the model will do, and rows that are no candidates may have any
	('CASE i WHEN 1 THEN model ELSE model::text::dlints END, x', 'gives 8'),
	('CASE i WHEN 1 THEN dlints_new(7) ELSE model END, CASE WHEN i > 1 THEN x END,'
	 ' CASE i WHEN 1 THEN 0 ELSE 2 END', 'gives 7'),
	('matched, short, 1, CASE i WHEN 1 THEN ARRAY[1, 2, 3]::real[] ELSE ''[0:2]={1,2,3}'' END',
	 'gives 8'))
	AS v (arguments, expected);
SELECT is(outcome('SELECT dlints_choose(model, x) FROM arm'),
          '42809: window function dlints_choose requires an OVER clause', 'no window');
SELECT is(outcome('SELECT dlints_choose(model, x) FILTER (WHERE i > 1) OVER () FROM arm'),
          '0A000: FILTER is not implemented for non-aggregate window functions',
          'FILTER is for aggregates');
SELECT is((dlints_choose(dlints_new(1), ARRAY[1], draws => 10, epsilon => 0.08) OVER ())
          .probability, 1::float8,
          'a sure choice has a probability that dlints_policy_value takes');

SELECT * FROM finish();
ROLLBACK;
