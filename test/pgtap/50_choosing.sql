-- Thompson sampling: one draw scores all candidates of a group, and among equal
-- scores chance decides.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

-- standard normal distribution function by its series around 0
CREATE FUNCTION normal_cdf(x float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS
$$
DECLARE
	term float8 := x;
	total float8 := x;
BEGIN
	FOR i IN 1..100 LOOP
		term := term * x * x / (2 * i + 1);
		total := total + term;
	END LOOP;
	RETURN 0.5 + total * exp(-x * x / 2) / sqrt(2 * pi());
END
$$;

-- every context twice, with and without a shared context; the copies come far apart
CREATE TEMP TABLE trained AS SELECT s, dlints_set(evidence(empty, 1, 40), exploration => 1) AS model FROM kind WHERE name IN ('projected, discount 0.9', 'shared, discount 0.9');
CREATE TEMP TABLE pair AS
SELECT s, copy * 100 + i AS item, context(i, n)::real[] AS x, '{1,-0.5,2}'::real[] AS u FROM (VALUES (0, 20), (3, 6)) AS v (s, n), generate_series(0, 1) AS copy, generate_series(1, 50) AS i;
CREATE TEMP TABLE ranking AS
SELECT 0 AS s, g, dlints_recommend(model, item, x, 100 ORDER BY item) AS items FROM trained JOIN pair USING (s), generate_series(1, 200) AS g WHERE s = 0 GROUP BY g
UNION ALL SELECT 3, g, dlints_recommend(model, item, x, u, 100 ORDER BY item) FROM trained JOIN pair USING (s), generate_series(1, 200) AS g WHERE s = 3 GROUP BY g;

SELECT plan(2 * 4 + 1 + 2 + 2 + 2 * 4 + 4 + 9 + 2);

SELECT is(count(*), 200::bigint, format('shared_dim %s: each ranking has all items once', s)) FROM ranking WHERE cardinality(items) = 100 AND (SELECT count(DISTINCT i) FROM unnest(items) AS i) = 100 GROUP BY s ORDER BY s;
SELECT is(count(*), 200::bigint, format('shared_dim %s: the same context twice scores the same, so that copies are neighbours', s))
FROM ranking WHERE (SELECT bool_and(items[2 * p] % 100 = items[2 * p - 1] % 100) FROM generate_series(1, 50) AS p) GROUP BY s ORDER BY s;
-- 10,000 pairs: 6.2 standard deviations of a binomial, false alarm below 1e-9
SELECT cmp_ok(abs(avg((items[2 * p] > items[2 * p - 1])::integer) - 0.5)::float8, '<', (6.2 * 0.5 / 100)::float8, format('shared_dim %s: and either comes first as often', s)) FROM ranking, generate_series(1, 50) AS p GROUP BY s ORDER BY s;
-- in a trial with 50 contexts under a four-dimensional draw no two of 2,000 rankings (two million pairs) were the same
SELECT cmp_ok(count(DISTINCT classes), '>', 180::bigint, format('shared_dim %s: another draw for each group', s)) FROM (SELECT s, ARRAY(SELECT item % 100 FROM unnest(items) AS item) AS classes FROM ranking) AS r GROUP BY s ORDER BY s;
-- (all of 20 pairs alike by chance: 1e-5 to the twentieth power)
SELECT cmp_ok(count(*), '>', 0::bigint, 'another draw for each of two equal calls in a SELECT') FROM
  (SELECT dlints_recommend(model, item, x, 50) AS a, dlints_recommend(model, item, x, 50) AS b FROM trained JOIN pair USING (s), generate_series(1, 20) AS g WHERE s = 0 AND item <= 50 GROUP BY g) AS c WHERE a <> b;

-- collinear contexts: x, 2x, 3x and -x move together, so that there are two orders and no other.
-- A draw for each row would give others in almost every call.  One order alone in 300 calls: 2^-299.
SELECT results_eq(format($$SELECT DISTINCT r FROM
  (SELECT dlints_recommend(one_memory(8, 4, shared_dim => %s), f, ARRAY[f, 2 * f, 0, 0, -f, 0, 0, f]::real[], %s 4) AS r
   FROM unnest(ARRAY[1, 2, 3, -1]) AS f, generate_series(1, 300) AS g GROUP BY g) AS s ORDER BY r$$, s, CASE WHEN s > 0 THEN $$'{0.5,-2}'::real[],$$ END),
  $$VALUES ('{-1,1,2,3}'::integer[]), ('{3,2,1,-1}')$$, 'scores of collinear contexts have correlation 1') FROM unnest(ARRAY[0, 2]) AS s ORDER BY s;

-- two arms under a trained model: the first wins with probability
-- Phi((mean score difference) / (its standard deviation)).  4,000 groups; the
-- share is within 6.2 standard deviations of a binomial.
CREATE TEMP TABLE arm AS SELECT * FROM (VALUES ('a', ARRAY[1, 0, 0.3]::real[]), ('b', ARRAY[0, 1, -0.2]::real[])) AS v (item, x);
CREATE TEMP TABLE duel AS
SELECT discount, dlints_update_batch(one_memory(3, NULL, discount, 1, 0.4), array_agg(context(i, 3) ORDER BY i), array_agg(number(i, 1) * 0.3 ORDER BY i)) AS model
FROM (VALUES (0.9::float8), (1)) AS g (discount), generate_series(1, 15) AS i GROUP BY discount;
CREATE TEMP TABLE odds AS
SELECT discount, normal_cdf(dlints_dot(dlints_mean(model), x) / (0.4 * sqrt(quadratic(covariance_of(z_matrix(model), z_tilde_matrix(model)), x)))) AS p
FROM duel, (SELECT ARRAY[1, -1, 0.3::real::float8 + 0.2::real::float8]) AS c (x);
SELECT ok(p BETWEEN 0.05 AND 0.95, format('discount %s: both arms have a chance', discount)) FROM odds ORDER BY discount;
SELECT cmp_ok(abs(avg((choice = 'a')::integer)::float8 - p), '<', 6.2 * sqrt(p * (1 - p) / 4000), format('discount %s: how often %s takes the first arm', discount, way))
FROM (SELECT discount, 'dlints_recommend' AS way, g, dlints_recommend(model, item, x) AS choice FROM duel, arm, generate_series(1, 4000) AS g GROUP BY discount, g
      UNION ALL SELECT discount, 'dlints_recommend with k', g, (dlints_recommend(model, item, x, 2))[1] FROM duel, arm, generate_series(1, 4000) AS g GROUP BY discount, g
      UNION ALL SELECT discount, 'a drawn weight vector', g, dlints_argmax(item, dlints_dot(w, x)) FROM (SELECT discount, g, dlints_draw_weights(model, g) AS w FROM duel, generate_series(1, 4000) AS g) AS d, arm GROUP BY discount, g
      UNION ALL SELECT discount, 'an unseeded one', g, dlints_argmax(item, dlints_dot(w, x)) FROM (SELECT discount, g, dlints_draw_weights(model) AS w FROM duel, generate_series(1, 4000) AS g) AS d, arm GROUP BY discount, g) AS c
JOIN odds USING (discount) GROUP BY discount, way, p ORDER BY discount, way;

-- without exploration the choice is the best expected reward, always
SELECT is(items, expected, format('shared_dim %s, exploration 0: the best seven', s)) FROM
  (SELECT s, dlints_recommend(dlints_set(model, exploration => 0), item, x, 7) AS items, dlints_top(item, dlints_predict(model, x), 7) AS expected FROM trained JOIN pair USING (s) WHERE s = 0 AND item <= 50 GROUP BY s
   UNION ALL SELECT s, dlints_recommend(dlints_set(model, exploration => 0), item, x, u, 7), dlints_top(item, dlints_predict(model, x, u), 7) FROM trained JOIN pair USING (s) WHERE s = 3 AND item <= 50 GROUP BY s) AS r ORDER BY s;
SELECT is(items, expected, format('exploration 0: %s', what)) FROM
  (SELECT dlints_set(model, exploration => 0) AS m FROM trained WHERE s = 0 OFFSET 0) AS g, LATERAL (VALUES
  ('one item', ARRAY[(SELECT dlints_recommend(m, item, x) FROM pair WHERE s = 0 AND item <= 50)], ARRAY[(SELECT dlints_argmax(item, dlints_dot(dlints_weights(m), x)) FROM pair WHERE s = 0 AND item <= 50)]),
  ('double precision', (SELECT dlints_recommend(m, item, x::float8[], 50) FROM pair WHERE s = 0 AND item <= 50), (SELECT dlints_recommend(m, item, x, 50) FROM pair WHERE s = 0 AND item <= 50))) AS v (what, items, expected) ORDER BY what;

-- Ties.  Of all ways to put the k best of a group in a row that a fair choice
-- has, each comes about as often: the sum of (count - expected)^2 / expected over
-- them is below the 1 - 1e-9 quantile of chi-square.
CREATE TEMP TABLE equals AS SELECT i AS id, ARRAY[0.3, -1, 2]::real[] AS x FROM generate_series(1, 6) AS i;
CREATE TEMP TABLE better AS SELECT dlints_update(one_memory(3, policy => 'greedy'), ARRAY[1, 1, 1], 1) AS m;
CREATE TEMP TABLE choice AS
SELECT what, r FROM generate_series(1, 6000) AS g, LATERAL (VALUES  -- "g" in each keeps them from being computed once
  ('thompson: 1 of 3', (SELECT ARRAY[dlints_recommend(one_memory(3), id, x)] FROM equals WHERE id <= 3 AND g > 0)),
  ('greedy, nothing learned: 1 of 6, last first', (SELECT ARRAY[dlints_recommend(one_memory(3, policy => 'greedy'), id, x::float8[] ORDER BY id DESC)] FROM equals WHERE g > 0)),
  ('ucb: 2 of 3', (SELECT dlints_recommend(one_memory(3, policy => 'ucb'), id, x, 2) FROM equals WHERE id <= 3 AND g > 0)),
  ('thompson: 3 of 3', (SELECT dlints_recommend(one_memory(3), id, x, 3) FROM equals WHERE id <= 3 AND g > 0)),
  ('with k above all: 3 of 3', (SELECT dlints_recommend(one_memory(3), id, x, 1000000000000) FROM equals WHERE id <= 3 AND g > 0)),
  ('thompson: 2 of 5', (SELECT dlints_recommend(one_memory(3), id, x, 2) FROM equals WHERE id <= 5 AND g > 0)),
  ('shared: 2 of 4', (SELECT dlints_recommend(one_memory(3, 2, shared_dim => 1), id, x, '{1}'::real[], 2) FROM equals WHERE id <= 4 AND g > 0)),
  ('the best comes last: 2 of 4 for the rest', (SELECT (dlints_recommend(m, id, CASE id WHEN 5 THEN '{9,9,9}' ELSE x END, 3 ORDER BY id))[2:3] FROM better, equals WHERE id <= 5 AND g > 0)),
  ('the best come first: 1 of 4 for the rest', (SELECT (dlints_recommend(m, id, CASE WHEN id <= 2 THEN ARRAY[id, 9, 9]::real[] ELSE x END, 3 ORDER BY id))[3:3] FROM better, equals WHERE g > 0))) AS v (what, r);
SELECT cmp_ok(sum((n - 6000.0 / ways) ^ 2 / (6000.0 / ways)) + max(6000.0 / ways) * abs(max(ways) - count(*)), '<', max(quantile), what)
FROM (SELECT what, r, count(*) AS n FROM choice GROUP BY what, r) AS c
JOIN (VALUES ('thompson: 1 of 3', 3, 41.5), ('greedy, nothing learned: 1 of 6, last first', 6, 50.7), ('ucb: 2 of 3', 6, 50.7), ('thompson: 3 of 3', 6, 50.7), ('with k above all: 3 of 3', 6, 50.7), ('thompson: 2 of 5', 20, 81.6),
             ('shared: 2 of 4', 12, 65.2), ('the best comes last: 2 of 4 for the rest', 12, 65.2), ('the best come first: 1 of 4 for the rest', 4, 44.9)) AS f (what, ways, quantile) USING (what) GROUP BY what ORDER BY what;
-- 100 of equal scores, ten wanted: each is among them in a tenth of 3,000 calls, within 6.8 deviations (false alarm 100 times 1e-11)
SELECT cmp_ok(max(abs(coalesce(n, 0) - 300)::float8), '<', 6.8 * sqrt(3000 * 0.1 * 0.9::float8), 'ten of a hundred') FROM generate_series(1, 100) AS id LEFT JOIN
  (SELECT id, count(*) AS n FROM (SELECT unnest(dlints_recommend(one_memory(1), i, ARRAY[1]::real[], 10)) AS id FROM generate_series(1, 100) AS i, generate_series(1, 3000) AS g GROUP BY g) AS s GROUP BY id) AS c USING (id);
-- what is as good in another form ties, too: -0 and 0
SELECT cmp_ok(abs(avg((dlints_recommend = 1)::integer) - 0.5)::float8, '<', 6.2 * 0.5 / sqrt(1000), '0 and -0 are equal scores') FROM
  (SELECT dlints_recommend((SELECT m FROM better), i, x) FROM (VALUES (1, '{0,0,0}'::real[]), (2, '{-0,-0,-0}')) AS v (i, x), generate_series(1, 1000) AS g GROUP BY g) AS s;
SELECT * FROM finish();
ROLLBACK;
