-- Thompson sampling: one draw scores all candidates of a group.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

CREATE TEMP TABLE trained AS
SELECT dlints_update(dlints_new(8, 4, 0.9, 1, 1, 3), array_agg(context(i, 8) ORDER BY i), array_agg(number(i, 55) ORDER BY i)) AS model
FROM generate_series(1, 40) AS i;

-- every context twice; the copies come far apart
CREATE TEMP TABLE pair AS
SELECT copy * 100 + i AS item, i AS class, context(i, 8)::real[] AS context FROM generate_series(0, 1) AS copy, generate_series(1, 50) AS i;

CREATE TEMP TABLE ranking AS
SELECT g, (SELECT dlints_recommend(model, item, context, 100 + 0 * g ORDER BY item) FROM trained, pair) AS items
FROM generate_series(1, 200) AS g;

SELECT plan(20);

SELECT is(count(*), 200::bigint, 'the same context twice scores the same: copies are neighbours, the first one first')
FROM ranking WHERE (SELECT bool_and(items[2 * p] = items[2 * p - 1] + 100) FROM generate_series(1, 50) AS p);
SELECT is(count(*), 200::bigint, 'each ranking has all items once')
FROM ranking WHERE cardinality(items) = 100 AND (SELECT count(DISTINCT i) FROM unnest(items) AS i) = 100;
-- In a trial with 50 contexts under a four-dimensional draw no two of 2,000
-- rankings (two million pairs) were the same.
SELECT cmp_ok(count(DISTINCT items), '>', 180::bigint, 'another draw for each call') FROM ranking;
-- ten draws that all give the same ranking: the chance of one pair, below 1e-5, to the ninth power
SELECT cmp_ok(count(DISTINCT r), '>', 1::bigint, 'another draw for each group of a statement') FROM
  (SELECT dlints_recommend(model, item, context, 100 ORDER BY item) AS r FROM trained, pair, generate_series(1, 10) AS g GROUP BY g) AS s;

-- two calls in one SELECT are two draws (all of 20 pairs alike by chance: 1e-5 to the twentieth power)
SELECT cmp_ok(count(*), '>', 0::bigint, 'another draw for each of two equal calls in a SELECT') FROM
  (SELECT dlints_recommend(model, item, context, 100 ORDER BY item) AS a, dlints_recommend(model, item, context, 100 ORDER BY item) AS b
   FROM trained, pair, generate_series(1, 20) AS g GROUP BY g) AS s WHERE a <> b;

-- collinear contexts: x, 2x, 3x and -x move together, so that there are two orders and no other.
-- A draw for each row would give others in almost every call.  One order alone in 300 calls: 2^-299.
SELECT results_eq($$SELECT DISTINCT r FROM
  (SELECT dlints_recommend(dlints_new(8, 4), f, ARRAY[f, 2 * f, 0, 0, -f, 0, 0, f]::float8[], 4) AS r
   FROM unnest(ARRAY[1, 2, 3, -1]) AS f, generate_series(1, 300) AS g GROUP BY g) AS s ORDER BY r$$,
  $$VALUES ('{-1,1,2,3}'::integer[]), ('{3,2,1,-1}')$$, 'scores of collinear contexts have correlation 1');

-- two arms under a trained model: the first wins with probability
-- Phi((mean score difference) / (its standard deviation)).  4,000 groups; the
-- share is within 5.5 standard deviations of a binomial (false alarm 4e-8).
CREATE TEMP TABLE arm AS
SELECT * FROM (VALUES ('a', ARRAY[1, 0, 0.3]::real[]), ('b', ARRAY[0, 1, -0.2]::real[])) AS v (item, context);
CREATE TEMP TABLE duel AS
SELECT discount, dlints_update(dlints_new(3, NULL, discount, 1, 0.4), array_agg(context(i, 3) ORDER BY i), array_agg(number(i, 1) * 0.3 ORDER BY i)) AS model
FROM (VALUES (0.9::float8), (1)) AS g (discount), generate_series(1, 15) AS i GROUP BY discount;
CREATE TEMP TABLE odds AS
SELECT discount, normal_cdf(dlints_dot(dlints_mean(model), x) / (0.4 * sqrt(quadratic(covariance_of(z_matrix(model), z_tilde_matrix(model)), x)))) AS p
FROM duel, (SELECT ARRAY[1, -1, 0.3::real::float8 + 0.2::real::float8]) AS c (x);
SELECT ok(p BETWEEN 0.05 AND 0.95, format('discount %s: both arms have a chance', discount)) FROM odds ORDER BY discount;
SELECT cmp_ok(abs(avg((choice = 'a')::integer)::float8 - p), '<', 5.5 * sqrt(p * (1 - p) / 4000), format('discount %s: how often dlints_recommend takes the first arm', discount))
FROM (SELECT discount, g, dlints_recommend(model, item, context) AS choice FROM duel, arm, generate_series(1, 4000) AS g GROUP BY discount, g) AS c JOIN odds USING (discount)
GROUP BY discount, p ORDER BY discount;
SELECT cmp_ok(abs(avg((choice[1] = 'a')::integer)::float8 - p), '<', 5.5 * sqrt(p * (1 - p) / 4000), format('discount %s: and with k', discount))
FROM (SELECT discount, g, dlints_recommend(model, item, context, 2) AS choice FROM duel, arm, generate_series(1, 4000) AS g GROUP BY discount, g) AS c JOIN odds USING (discount)
GROUP BY discount, p ORDER BY discount;
SELECT cmp_ok(abs(avg((choice = 'a')::integer)::float8 - p), '<', 5.5 * sqrt(p * (1 - p) / 4000), format('discount %s: and by a drawn weight vector', discount))
FROM (SELECT discount, g, dlints_argmax(item, dlints_dot(w, context)) AS choice
      FROM (SELECT discount, g, dlints_draw_weights(model, g) AS w FROM duel, generate_series(1, 4000) AS g) AS d, arm GROUP BY discount, g) AS c JOIN odds USING (discount)
GROUP BY discount, p ORDER BY discount;

-- without exploration the choice is the best expected reward, always
CREATE TEMP TABLE greedy AS
SELECT (SELECT item FROM pair WHERE item < 100 ORDER BY dlints_predict(model, context) DESC LIMIT 1) AS best, dlints_set(model, exploration => 0) AS model FROM trained;
SELECT is(dlints_recommend(model, item, context), best, 'exploration 0: one item') FROM greedy, pair WHERE item < 100 GROUP BY best;
SELECT is(dlints_recommend(model, item, context, 7),
          ARRAY(SELECT item FROM greedy, pair WHERE item < 100 ORDER BY dlints_predict(model, context) DESC LIMIT 7), 'exploration 0: the best seven')
FROM greedy, pair WHERE item < 100;
SELECT is(dlints_top(item, dlints_dot(dlints_weights(model), context), 7), dlints_recommend(model, item, context, 7), 'as dlints_top with the mean''s weights')
FROM greedy, pair WHERE item < 100;
SELECT is(dlints_recommend(model, item, context), dlints_recommend(model, item, context::float8[]), 'real[] and double precision[] alike') FROM greedy, pair WHERE item < 100;

-- a model that has learned what is good recommends it
CREATE TEMP TABLE eager AS
SELECT dlints_update(dlints_new(2, NULL, 1, 1, 0.01), array_agg(CASE i % 2 WHEN 0 THEN ARRAY[1, 0] ELSE ARRAY[0, 1] END::float8[] ORDER BY i),
                     array_agg((i % 2)::float8 ORDER BY i)) AS model FROM generate_series(1, 200) AS i;
-- the difference of the scores is 1 with a standard deviation of 0.0014
SELECT is(array_agg(DISTINCT choice), ARRAY['good'], 'what is known to be good is chosen') FROM
  (SELECT dlints_recommend(model, item, context) AS choice FROM eager, (VALUES ('bad', ARRAY[1, 0]::real[]), ('good', ARRAY[0, 1])) AS v (item, context), generate_series(1, 500) AS g GROUP BY g) AS c;

SELECT cmp_ok(count(DISTINCT choice), '=', 2::bigint, 'what is not known is tried: both of two unknown arms in 200 calls (2^-199)') FROM
  (SELECT dlints_recommend(dlints_new(2), item, context) AS choice FROM (VALUES ('x', ARRAY[1, 0]::real[]), ('y', ARRAY[0, 1])) AS v (item, context), generate_series(1, 200) AS g GROUP BY g) AS c;

SELECT * FROM finish();
ROLLBACK;
