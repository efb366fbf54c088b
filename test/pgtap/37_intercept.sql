-- A model with an intercept is one whose contexts end in a constant 1 that is
-- not projected; without a projection that is a plain model of one dimension more.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

CREATE TEMP TABLE shape AS
SELECT discount, dlints_new(5, NULL, discount, 0.7, 0.3, intercept => true) AS empty, dlints_new(6, NULL, discount, 0.7, 0.3) AS longer
FROM (VALUES (1.0::float8), (0.9)) AS g (discount);
CREATE TEMP TABLE observation AS SELECT i, context(i, 5) AS x, context(i, 5) || 1::float8 AS x1, number(i, 88) + 2 AS r FROM generate_series(1, 150) AS i;
CREATE TEMP TABLE trained AS
SELECT discount, empty, longer, (SELECT dlints_evidence(empty, x, r ORDER BY i) FROM observation) AS m, (SELECT dlints_evidence(longer, x1, r ORDER BY i) FROM observation) AS twin FROM shape;
CREATE TEMP TABLE probe AS SELECT i, context(i + 500, 5) AS x, context(i + 500, 5) || 1::float8 AS x1 FROM generate_series(1, 20) AS i;

SELECT plan(2 * 12 + 4 + 6 + 3);

SELECT cmp_ok(model_difference(m, twin), '<=', 1e-12::float8, format('discount %s: evidence, mean and covariance', discount)) FROM trained ORDER BY discount;
SELECT cmp_ok(max(difference(ARRAY[dlints_predict(m, x), dlints_stddev(m, x)], ARRAY[dlints_predict(twin, x1), dlints_stddev(twin, x1)])), '<=', 1e-12::float8, format('discount %s: predict and stddev', discount))
FROM trained, probe GROUP BY discount ORDER BY discount;
SELECT cmp_ok(max(difference(dlints_draw(m, i), dlints_draw(twin, i))), '<=', 1e-12::float8, format('discount %s: seeded draws', discount)) FROM trained, probe GROUP BY discount ORDER BY discount;
SELECT cmp_ok(max(difference(dlints_draw_weights(m, i) || (dlints_draw(m, i))[6], dlints_draw_weights(twin, i))), '<=', 1e-12::float8, format('discount %s: drawn weights are those of the context', discount))
FROM trained, probe GROUP BY discount ORDER BY discount;
SELECT ok(dlints_weights(m) = (dlints_mean(m))[1:5] AND difference(dlints_weights(m) || (dlints_mean(m))[6], dlints_weights(twin)) <= 1e-12, format('discount %s: weights', discount)) FROM trained ORDER BY discount;
SELECT ok(bool_and(dlints_project(m, x) = x1), format('discount %s: a reduced context ends in 1', discount)) FROM trained, probe GROUP BY discount ORDER BY discount;
SELECT ok((SELECT bool_and(difference(ARRAY[a.mean, a.stddev], ARRAY[b.mean, b.stddev]) <= 1e-12) AND count(*) = 6 FROM dlints_coefficients(m) AS a JOIN dlints_coefficients(twin) AS b USING (index)), format('discount %s: coefficients', discount))
FROM trained ORDER BY discount;
SELECT cmp_ok(model_difference((SELECT dlints_update(empty, array_agg(x ORDER BY i), array_agg(r ORDER BY i)) FROM observation), m), '<=', 1e-12::float8, format('discount %s: a batch', discount)) FROM trained ORDER BY discount;
SELECT cmp_ok(model_difference((SELECT dlints_evidence(empty, x, r ORDER BY i) FROM observation WHERE i <= 70) || (SELECT dlints_evidence(empty, x, r ORDER BY i) FROM observation WHERE i > 70), m), '<=', 1e-12::float8,
              format('discount %s: two histories', discount)) FROM trained ORDER BY discount;
SELECT cmp_ok(model_difference(dlints_update_reduced(m, dlints_project(m, x), 3), dlints_update(twin, x1, 3::float8)), '<=', 1e-12::float8, format('discount %s: a reduced context', discount)) FROM trained, probe WHERE i = 1 ORDER BY discount;
SELECT ok(bool_and(dlints_recommend = dlints_top), format('discount %s: ucb', discount)) FROM
  (SELECT discount, g, dlints_recommend(dlints_set(m, policy => 'ucb'), i, x, 10), dlints_top(i, dlints_predict(twin, x1) + 0.3 * dlints_stddev(twin, x1), 10)
   FROM trained, probe, generate_series(1, 3) AS g GROUP BY discount, g) AS s GROUP BY discount ORDER BY discount;
SELECT is(dlints_recommend(dlints_set(m, policy => 'greedy'), i, x, 20), dlints_recommend(dlints_set(twin, policy => 'greedy'), i, x1, 20), format('discount %s: greedy', discount)) FROM trained, probe GROUP BY discount ORDER BY discount;

-- with a projection: the other coordinates are those of the model without it, and so are their evidence
CREATE TEMP TABLE projected AS
SELECT s, dlints_new(8, 3, 0.9, 1, 0.2, 31, shared_dim => s) AS without, dlints_new(8, 3, 0.9, 1, 0.2, 31, shared_dim => s, intercept => true) AS with
FROM (VALUES (0), (2)) AS v (s);
SELECT ok(bool_and(CASE s WHEN 0 THEN dlints_project(p.with, x) = dlints_project(without, x) || 1::float8
                          ELSE dlints_project(p.with, x, u) = dlints_project(without, x, u) || 1::float8 END), format('shared_dim %s: the same coordinates, and 1', s))
FROM projected AS p, (SELECT context(i, 8) AS x, context(i + 50, 2) AS u FROM generate_series(1, 20) AS i) AS v GROUP BY s ORDER BY s;
CREATE FUNCTION learned(m dlints) RETURNS dlints LANGUAGE sql AS
$$ SELECT CASE (dlints_info(m)).shared_dim
          WHEN 0 THEN (SELECT dlints_evidence(m, context(i, 8), number(i, 3) ORDER BY i) FROM generate_series(1, 100) AS i)
          ELSE (SELECT dlints_evidence(m, context(i, 8), context(i + 50, 2), number(i, 3) ORDER BY i) FROM generate_series(1, 100) AS i) END $$;
SELECT ok(difference((numbers(w -> 'b'))[1:3], numbers(o -> 'b')) <= 1e-14 AND (SELECT bool_and(difference(numbers(w -> 'G' -> k), numbers(o -> 'G' -> k)) <= 1e-14 AND difference(numbers(w -> 'H' -> k), numbers(o -> 'H' -> k)) <= 1e-14) FROM generate_series(0, 2) AS k)
          AND abs((numbers(w -> 'G' -> 3))[4] - (w -> 'weight_sum')::float8) <= 1e-12 AND abs((numbers(w -> 'b'))[4] - (w -> 'reward_sum')::float8) <= 1e-12,
          format('shared_dim %s: their evidence, and the sums of weights and rewards', s))
FROM (SELECT s, learned(p.with)::jsonb AS w, learned(without)::jsonb AS o FROM projected AS p) AS e ORDER BY s;

-- what it is for: rewards around a constant that items do not explain
CREATE TEMP TABLE constant AS
SELECT name, (SELECT dlints_evidence(empty, x, 5 + 0.1 * number(i, 6) + 0.2 * x[1] ORDER BY i) FROM observation) AS m
FROM (VALUES ('with', dlints_new(5, NULL, 1, 0.1, intercept => true)), ('without', dlints_new(5, NULL, 1, 0.1))) AS v (name, empty);
-- standard error of a coefficient: 0.06 / sqrt(150 / 3), of the intercept: 0.06 / sqrt(150); 10 of each
SELECT cmp_ok(abs((dlints_mean(m))[6] - 5), '<', 0.05::float8, 'the intercept takes the average') FROM constant WHERE name = 'with';
SELECT cmp_ok(abs((dlints_mean(m))[1] - 0.2), '<', 0.1::float8, 'and leaves the slope') FROM constant WHERE name = 'with';
SELECT cmp_ok(max(abs(w)), '<', 0.1::float8, 'and 0 for the others') FROM constant, unnest((dlints_mean(m))[2:5]) AS w WHERE name = 'with';
SELECT cmp_ok(abs(dlints_predict(m, array_fill(0::float8, ARRAY[5])) - 5), '<', 0.05::float8, 'it is what a context of 0 is expected to bring') FROM constant WHERE name = 'with';
SELECT is(dlints_predict(m, array_fill(0::float8, ARRAY[5])), 0::float8, 'which is nothing without it') FROM constant WHERE name = 'without';
SELECT cmp_ok(dlints_stddev(m, array_fill(0::float8, ARRAY[5])), '>', 0::float8, 'and not certain') FROM constant WHERE name = 'with';

-- closed forms for a context of 0
SELECT cmp_ok(abs(dlints_stddev(m, ARRAY[0, 0]::real[]) - 0.5), '<', 1e-14::float8, 'the width of a new intercept is 1 / sqrt(ridge)') FROM dlints_new(2, NULL, 1, 4, intercept => true) AS m;
CREATE TEMP TABLE nine AS
SELECT dlints_update(dlints_new(2, NULL, 1, 4, intercept => true), (SELECT array_agg(ARRAY[0, 0]::real[]) FROM generate_series(1, 9)), array_fill(1::float8, ARRAY[9])) AS m;
SELECT cmp_ok(abs((dlints_covariance(m))[3][3] - 1 / 13.0::float8), '<', 1e-14::float8, 'and then 1 / (ridge + observations)') FROM nine;
SELECT cmp_ok(abs((dlints_mean(m))[3] - 9 / 13.0::float8), '<', 1e-14::float8, 'and its mean shrinks like any other') FROM nine;

SELECT * FROM finish();
ROLLBACK;
