-- Draws are normal with mean psi-hat and covariance (xi sigma)^2 Z^-1 Z~ Z^-1.
--
-- 20,000 draws with the seeds 1 to 20000, d = 6.  Both expectations are
-- computed here from the evidence.  If the law is right,
--   N (mean - psi-hat)' C^-1 (mean - psi-hat) is chi-square with 6 degrees of
--     freedom: below 38.3, its 1 - 1e-6 quantile;
--   an entry (i, j) of the sample covariance has the standard deviation
--     sqrt((C_ii C_jj + C_ij^2) / N): all 21 within 5.5 of them (normal
--     approximation, probability of a miss below 1e-6);
--   the squared Mahalanobis distance of one draw is chi-square with 6 degrees
--     of freedom: its mean 6 and variance 12, so that the average of N is
--     within 5.5 sqrt(12 / N); the share below the median 5.348121 is within
--     5.5 sqrt(1/4 / N) of 1/2.
-- The seeds make the outcome always the same one.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

CREATE TEMP TABLE trained AS
SELECT name, dlints_update_batch(one_memory(9, 6, discount, 0.5, 0.3, 11), array_agg(context(i, 9) ORDER BY i), array_agg(number(i, 77) ORDER BY i)) AS model
FROM (VALUES ('discount 0.95', 0.95::float8), ('discount 1', 1)) AS s (name, discount), generate_series(1, 80) AS i
GROUP BY name, discount
-- the noise not known
UNION ALL SELECT 'noise estimated', dlints_update_batch(dlints_new(9, 6, ridge => 0.5, exploration => 0.3, seed => 11, intercept => false), array_agg(context(i, 9) ORDER BY i), array_agg(number(i, 77) ORDER BY i)) FROM generate_series(1, 80) AS i;

CREATE TEMP TABLE law AS
SELECT name, flat(solve(z_matrix(model), column_of(centred_b(model)))) AS mean,
       c.covariance, solve(c.covariance, identity.m) AS inverse
FROM trained,
     LATERAL (SELECT covariance_of(z_matrix(model), z_tilde_matrix(model))) AS k (m),
     LATERAL (SELECT array_agg(r ORDER BY i) FROM
              (SELECT i, array_agg((0.3 * (dlints_info(model)).sigma) ^ 2 * k.m[i][j] ORDER BY j) AS r FROM generate_series(1, 6) AS i, generate_series(1, 6) AS j GROUP BY i) AS s) AS c (covariance),
     LATERAL (SELECT array_agg(unit_vector(i, 6) ORDER BY i) FROM generate_series(1, 6) AS i) AS identity (m);

CREATE TEMP TABLE sample AS
SELECT name, seed, dlints_draw(model, seed) AS draw FROM trained, generate_series(1, 20000) AS seed;

CREATE TEMP TABLE centred AS
SELECT name, seed, ARRAY[draw[1] - mean[1], draw[2] - mean[2], draw[3] - mean[3],
                         draw[4] - mean[4], draw[5] - mean[5], draw[6] - mean[6]] AS v
FROM sample JOIN law USING (name);

CREATE TEMP TABLE average AS
SELECT name, ARRAY[avg(v[1]), avg(v[2]), avg(v[3]), avg(v[4]), avg(v[5]), avg(v[6])] AS v FROM centred GROUP BY name;

SELECT plan(3 * 6 + 14);

SELECT cmp_ok(20000 * quadratic(inverse, v), '<', 38.3::float8, format('%s: mean', name))
FROM average JOIN law USING (name) ORDER BY name;

SELECT cmp_ok(max(deviation), '<', 5.5::float8, format('%s: covariance', name)) FROM
  (SELECT name, i, j, abs(sum(v[i] * v[j]) / 20000 - covariance[i][j]) / sqrt((covariance[i][i] * covariance[j][j] + covariance[i][j] ^ 2) / 20000) AS deviation
   FROM centred JOIN law USING (name), generate_series(1, 6) AS i, generate_series(1, i) AS j GROUP BY name, covariance, i, j) AS e
GROUP BY name ORDER BY name;

CREATE TEMP TABLE distance AS
SELECT name, sum(v[i] * inverse[i][j] * v[j]) AS squared
FROM centred JOIN law USING (name), generate_series(1, 6) AS i, generate_series(1, 6) AS j GROUP BY name, seed;
SELECT cmp_ok(abs(avg(squared) - 6), '<', 5.5 * sqrt(12.0::float8 / 20000), format('%s: average distance', name)) FROM distance GROUP BY name ORDER BY name;
SELECT cmp_ok(abs(avg((squared < 5.348121)::integer) - 0.5)::float8, '<', 5.5 * sqrt(0.25::float8 / 20000), format('%s: median distance', name))
FROM distance GROUP BY name ORDER BY name;

-- draws of neighbouring seeds have nothing to do with each other: a sum of N
-- products has the standard deviation C_ii sqrt(N)
SELECT cmp_ok(max(correlation), '<', 5.5 / sqrt(20000.0::float8), format('%s: neighbouring seeds', name)) FROM
  (SELECT a.name, i, abs(sum(a.v[i] * b.v[i]) / 20000 / covariance[i][i]) AS correlation
   FROM centred AS a JOIN centred AS b ON a.name = b.name AND a.seed = b.seed + 1 JOIN law ON law.name = a.name, generate_series(1, 6) AS i
   GROUP BY a.name, i, covariance) AS c
GROUP BY name ORDER BY name;
SELECT is(count(DISTINCT draw), 20000::bigint, format('%s: no two seeds give the same draw', name)) FROM sample GROUP BY name ORDER BY name;

-- seeds
SELECT is(dlints_draw(model, -7), dlints_draw(model, -7), 'a seed repeats a draw') FROM trained ORDER BY name LIMIT 1;
SELECT is(dlints_draw(model::text::dlints, 3), dlints_draw(model, 3), 'for the same state, wherever it comes from') FROM trained ORDER BY name LIMIT 1;
SELECT isnt(dlints_draw(model, 3), dlints_draw(dlints_update(model, context(1, 9), 1), 3), 'not for another one') FROM trained ORDER BY name LIMIT 1;
-- two of 1000 unseeded draws are the same with a probability far below 1e-6 (53 random bits in each of six numbers)
SELECT is(count(DISTINCT dlints_draw(model)), 1000::bigint, 'without a seed each draw is its own') FROM trained, generate_series(1, 1000) WHERE name = 'discount 1';
SELECT ok(dlints_draw(model, NULL) <> dlints_draw(model, NULL), 'a NULL seed is none') FROM trained WHERE name = 'discount 1';
SELECT is(count(DISTINCT dlints_draw_weights(model)), 1000::bigint, 'and so with weights') FROM trained, generate_series(1, 1000) WHERE name = 'discount 1';

-- unseeded draws have the same law: 5,000 of them, the same chi-square bound, false alarm 1e-6
SELECT cmp_ok(5000 * quadratic(inverse, ARRAY[avg(u[1]) - mean[1], avg(u[2]) - mean[2], avg(u[3]) - mean[3],
                                              avg(u[4]) - mean[4], avg(u[5]) - mean[5], avg(u[6]) - mean[6]]), '<', 38.3::float8, 'mean of unseeded draws')
FROM (SELECT name, dlints_draw(model) AS u FROM trained, generate_series(1, 5000) WHERE name = 'discount 0.95') AS d JOIN law USING (name)
GROUP BY inverse, mean;

-- the perturbation is proportional to the exploration
SELECT ok(difference(dlints_draw(dlints_set(model, exploration => 0), 5), dlints_mean(model)) < 1e-12, format('%s: no exploration, no perturbation', name))
FROM trained ORDER BY name;
SELECT ok(difference(ARRAY(SELECT 10 * (a - m) FROM unnest(dlints_draw(model, 5), dlints_mean(model)) AS u (a, m)),
                     ARRAY(SELECT a - m FROM unnest(dlints_draw(dlints_set(model, exploration => 3), 5), dlints_mean(model)) AS u (a, m))) < 1e-12,
          format('%s: ten times the exploration', name))
FROM trained ORDER BY name;

SELECT ok(dlints_draw(NULL) IS NULL AND dlints_draw(NULL, 1) IS NULL AND dlints_draw_weights(NULL) IS NULL, 'a NULL model draws nothing');

SELECT * FROM finish();
ROLLBACK;
