-- dlints_decide logs true probabilities, and chooses the items that dlints_recommend chooses.
\ir include/helpers.sql
\ir include/candidates.sql

-- decide about the first candidates of a subject; returns all of these candidates
CREATE FUNCTION decide(which text, explore float8, k integer, epsilon float8 DEFAULT 0,
	bonuses float8 DEFAULT 0, cap integer DEFAULT NULL, draws integer DEFAULT 100,
	items integer DEFAULT 70)
RETURNS TABLE (i integer, x real[], u real[], bonus float8, brand text,
	rank integer, score float8, probability float8) LANGUAGE sql AS $$
SELECT c.i, c.x, c.u, c.bonus, c.brand, d.rank, d.score, d.probability
FROM subject AS s,
     (SELECT array_agg(i) AS items, array_agg(x) AS xs, max(u) AS u,
             array_agg(bonuses * bonus) AS bonuses, array_agg(brand) AS brands
      FROM candidate WHERE name = which AND x IS NOT NULL AND candidate.i <= decide.items) AS a,
     LATERAL dlints_decide(dlints_set(model, exploration => explore), a.items, xs, k, a.u, draws,
                           epsilon, a.bonuses, NULL, brands, cap, all_items => true) AS d
     JOIN candidate AS c ON c.name = which AND c.i = d.item
WHERE s.name = which
$$;

CREATE FUNCTION recommended(which text, explore float8, k integer) RETURNS integer[]
LANGUAGE plpgsql AS $$
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

SELECT plan(119);

-- ---------- the result ----------

CREATE TEMP TABLE decision AS
SELECT s.name, d.* FROM subject AS s, decide(s.name, 1, 5, bonuses => 1) AS d;
CREATE TEMP TABLE summary AS
SELECT name, count(*) AS rows, count(score) AS scores, count(probability) AS probabilities,
       array_agg(rank ORDER BY score DESC) FILTER (WHERE rank > 0) AS ranks,
       min(score) FILTER (WHERE rank > 0) AS worst_taken,
       max(score) FILTER (WHERE rank IS NULL) AS best_left,
       sum(probability) AS total, min(probability) AS least, max(probability) AS most,
       min(probability) FILTER (WHERE rank > 0) AS least_taken
FROM decision GROUP BY name;
SELECT ok(holds, format('%s: %s', name, what))
FROM summary, LATERAL (VALUES
	('all_items returns each candidate with score and probability', rows = 63 AND scores = 63 AND probabilities = 63),
	('the items with the highest scores are chosen, best first', ranks = '{1,2,3,4,5}' AND worst_taken >= best_left),
	('probabilities sum to k', abs(total - 5) < 1e-9 AND least >= 0 AND most <= 1 AND least_taken >= 0.01))
	AS v (what, holds)
ORDER BY name, what;

-- Without exploration, scores can be computed from the model, for each way of computing them.  All of the 100 draws
-- have equal scores.
CREATE TEMP TABLE certain AS
SELECT s.name, d.* FROM subject AS s, decide(s.name, 0, 5) AS d;
SELECT ok(holds, format('%s, without exploration: %s', name, what))
FROM (SELECT name,
             max(abs(score - dlints_predict(model, x, u))) AS error,
             array_agg(i ORDER BY rank) FILTER (WHERE rank > 0) AS items,
             bool_and(probability = (rank IS NOT NULL)::integer) AS sure
      FROM certain JOIN subject USING (name) GROUP BY name) AS c,
     LATERAL (VALUES
	('the score is the expected reward', error < 1e-9),
	('dlints_recommend chooses the same items', items = recommended(name, 0, 5)),
	('probabilities are 0 or 1', sure)) AS v (what, holds)
ORDER BY name, what;

-- ucb and greedy choose the same items for any exploration
SELECT is(array_agg(d.i ORDER BY rank) FILTER (WHERE rank > 0), recommended(name, 2, 7),
          format('%s: dlints_recommend chooses the same items', name))
FROM subject, decide(name, 2, 7) AS d WHERE name ~ 'ucb|greedy' GROUP BY name ORDER BY name;

-- ---------- dlints_recommend chooses items with the logged probabilities ----------

-- 2,000 groups against 5,000 draws: the largest difference in standard deviations
CREATE FUNCTION surprise(which text, k integer) RETURNS float8 LANGUAGE sql AS $$
WITH few AS MATERIALIZED (
	SELECT i, x, u, model FROM candidate JOIN subject USING (name) WHERE name = which AND i <= 6),
list AS MATERIALIZED (
	SELECT dlints_recommend(model, i, x, k, u) AS items
	FROM few, generate_series(1, 2000) AS g GROUP BY g),
counted AS (
	SELECT probability AS p, avg((i = ANY (items))::integer) AS f
	FROM decide(which, 1, k, draws => 5000, items => 6), list GROUP BY i, probability)
SELECT max(abs(f - p) / sqrt((p * (1 - p) + 1e-3) * (1 / 2000.0 + 1 / 5000.0)))
FROM counted HAVING count(*) = 6
$$;
SELECT cmp_ok(surprise(name, k), '<', 6.2::float8,
              format('%s, %s of 6: dlints_recommend chooses with these probabilities', name, k))
FROM subject, unnest('{1,3}'::integer[]) AS k
WHERE name IN ('plain', 'projected', 'matched, long') ORDER BY name, k;

-- ---------- frequencies against logged probabilities ----------

-- Given its draws a decision has exactly the probability that is logged: over requests
-- the sum of chosen - p has mean 0 and variance sum p (1 - p).  In parts by item and by
-- probability, where the sum is nearly normal; false alarm below 1e-8.
CREATE TEMP TABLE setting (what, subject, items, requests, k, draws, epsilon, bonuses, cap) AS
VALUES
	('k = 1', 'plain', 6, 1500, 1, 100, 0::float8, 0::float8, NULL::integer),
	('k = 3', 'plain', 6, 1500, 3, 100, 0, 0, NULL),
	('k = 3, 19 draws, long', 'plain, long', 6, 1500, 3, 19, 0, 0, NULL),
	('k = 2, 30 draws, projected', 'projected', 6, 1500, 2, 30, 0, 0, NULL),
	('k = 1, epsilon', 'plain', 6, 1500, 1, 100, 0.2, 0, NULL),
	('k = 3, epsilon', 'plain', 6, 1500, 3, 20, 0.2, 0, NULL),
	('k = 3, bonus', 'plain', 6, 1500, 3, 50, 0, 5, NULL),
	('k = 4, cap', 'plain', 9, 1500, 4, 50, 0, 0, 1),
	('k = 4, cap and bonus', 'plain', 9, 1500, 4, 50, 0, 5, 2),
	('greedy, epsilon', 'greedy', 6, 1500, 2, 10, 0.3, 0, NULL),
	('ucb, epsilon', 'ucb', 6, 1500, 1, 10, 0.3, 0, NULL),
	('inverse propensities', 'plain', 6, 3000, 1, 100, 0.05, 0, NULL);
CREATE TEMP TABLE logged AS
SELECT what, request, i, (rank IS NOT NULL)::integer AS chosen, probability AS p
FROM setting AS s, generate_series(1, requests) AS request,
     LATERAL decide(s.subject, 1, s.k + 0 * request, s.epsilon, s.bonuses, s.cap, s.draws, s.items);
WITH part AS (
	SELECT what, sum(chosen - p) / sqrt(sum(p * (1 - p))) AS z
	FROM logged
	GROUP BY what, GROUPING SETS ((i), (width_bucket(p, 0, 1, 5)), (i, width_bucket(p, 0, 1, 3)))
	HAVING sum(p * (1 - p)) > 20)
SELECT ok(max(abs(z)) < 6.2 AND count(*) >= 5,
          format('%s: items are chosen as often as logged (%s parts)', what, count(*)))
FROM part GROUP BY what ORDER BY what;
SELECT is_empty(
	$$SELECT what, request FROM logged GROUP BY what, request
	  HAVING abs(sum(p) - sum(chosen)) > 1e-9 OR bool_or(chosen = 1 AND p <= 0)$$,
	'chosen items have positive probabilities, which sum to k');

-- The value of a known policy from such a log is unbiased with epsilon above 0.  The
-- policy: item i with probability i / 21; its reward is 10 - i.
SELECT cmp_ok((abs(avg(w) - 119 / 21.0) / (stddev(w) / sqrt(count(*))))::float8,
              '<', 6.2::float8, 'inverse propensity scoring is unbiased')
FROM (SELECT sum(chosen / p * i / 21 * (10 - i)) AS w FROM logged
      WHERE what = 'inverse propensities' GROUP BY request) AS t;
-- Importance weights have mean 1 for every policy, also for the policy that always chooses one item.
SELECT ok(count(z) = 6 AND max(z) < 6.2, 'importance weights have mean 1')
FROM (SELECT abs(avg(chosen / p) - 1) / nullif(stddev(chosen / p) / sqrt(count(*)), 0) AS z
      FROM logged WHERE what = 'inverse propensities' GROUP BY i) AS t;

-- ---------- epsilon, bonus, cap, ties ----------

SELECT ok(bool_and(abs(probability - 5 / 63.0) < 1e-12) AND count(rank) = 5, 'epsilon 1 chooses a random subset')
FROM decide('plain', 1, 5, epsilon => 1);
-- 2,000 requests: each of 4 items in each of 3 places, within 6.2 standard deviations
WITH place AS (
	SELECT i, rank, count(*) AS n
	FROM generate_series(1, 2000) AS g, LATERAL decide('plain', 1, 3 + 0 * g, 1, draws => 1, items => 4)
	WHERE rank > 0 GROUP BY 1, 2)
SELECT ok(count(*) = 12 AND max(abs(n - 500)) < 6.2 * sqrt(2000 * 3 / 16.0), 'epsilon 1 chooses a random order')
FROM place;
SELECT ok(bool_and(abs(probability - 0.1 * 5 / 63 - CASE WHEN place <= 5 THEN 0.9 ELSE 0 END)
                   < 1e-12), 'policy greedy with epsilon is epsilon-greedy')
FROM (SELECT *, row_number() OVER (ORDER BY score DESC) AS place FROM decide('greedy', 1, 5, epsilon => 0.1)) AS d;
SELECT ok(count(*) BETWEEN 300 AND 500, 'epsilon is the share of random lists')
FROM (SELECT FROM logged WHERE what = 'greedy, epsilon' GROUP BY request HAVING bool_or(chosen = 1 AND p < 0.5)) AS t;

-- a bonus is in units of the score
SELECT cmp_ok(max(abs(score - bonus - dlints_predict(model, x) - width * dlints_stddev(model, x))),
              '<', 1e-9::float8, format('%s: the bonus is added to the score', name))
FROM (VALUES ('greedy', 0), ('ucb', 2)) AS v (name, width) JOIN subject USING (name),
     decide(name, 2, 3, bonuses => 1) GROUP BY name ORDER BY name;

-- a cap: of each group the best are allowed, and of those the best k are chosen
CREATE FUNCTION capped(which text, k integer, most integer,
	OUT chosen integer[], OUT allowed integer[], OUT total float8) LANGUAGE sql AS $$
WITH decision AS MATERIALIZED (
	SELECT *, row_number() OVER (PARTITION BY brand ORDER BY score DESC) AS of_brand
	FROM decide(which, 1, k, bonuses => 1, cap => most)),
best AS (
	SELECT i, score FROM decision WHERE brand IS NULL OR of_brand <= most
	ORDER BY score DESC LIMIT k)
SELECT (SELECT array_agg(i ORDER BY rank) FROM decision WHERE rank > 0),
       (SELECT array_agg(i ORDER BY score DESC) FROM best),
       (SELECT sum(probability) FROM decision)
$$;
SELECT ok(chosen = allowed AND cardinality(chosen) = n AND abs(total - n) < 1e-9,
          format('%s, k %s: a cap of %s a group leaves %s items', which, k, most, n))
FROM (VALUES
	('plain', 8, 1, 8), ('plain', 8, 2, 8), ('plain', 30, 5, 29), ('ucb', 8, 1, 8),
	('greedy', 100, 3, 23), ('matched, long', 1, 1, 1), ('plain, long', 40, 100, 40))
	AS v (which, k, most, n), capped(which, k, most);

-- items with equal scores share the last position
SELECT ok(count(*) = 5 AND bool_and(CASE item WHEN 1 THEN probability = 1 WHEN 2 THEN probability = 0
                                    ELSE abs(probability - 1 / 3.0) < 6.2 * 0.48 / 100 END),
          'items with equal scores share the last place')
FROM dlints_decide(dlints_new(2, policy => 'greedy'), '{1,2,3,4,5}'::integer[],
                   '{{1,1},{1,2},{1,3},{1,4},{1,5}}', 2, draws => 10000, bonus => '{1,-1,0,0,0}',
                   all_items => true);

-- ---------- all_items ----------

SELECT is(array_agg(concat_ws(' ', item, rank) ORDER BY n), '{"5 1","4 2",1,2,3}',
          'all_items returns the chosen items best first, then the others in the order of the arrays')
FROM dlints_decide(dlints_new(1, policy => 'greedy'), '{1,2,3,4,5}'::integer[],
                   '{{1},{1},{1},{1},{1}}', 2, bonus => '{1,2,3,4,5}', all_items => true)
     WITH ORDINALITY AS d (item, rank, score, probability, n);
SELECT is(outcome($$SELECT dlints_decide(dlints_new(1), '{1}'::integer[], '{{1}}', all_items => NULL)$$),
          '22004: all_items must not be null', 'all_items NULL raises an error');
SELECT is(probability, 1::float8,
          'epsilon does not raise a certain choice above probability 1, for dlints_policy_value')
FROM dlints_decide(dlints_new(1), '{1}'::integer[], '{{1}}', draws => 10, epsilon => 0.08);

SELECT * FROM finish();
ROLLBACK;
