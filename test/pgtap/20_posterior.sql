-- The posterior against ridge regression computed here: Gauss-Jordan
-- elimination on sums over the observations, each weighted by discount^age.  With
-- an intercept rewards count from their weighted mean, which is the intercept's.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

CREATE TEMP TABLE trained AS SELECT name, discount, empty, n, s, evidence(empty, 1, 90) AS model FROM kind;
CREATE TEMP TABLE observation AS
SELECT name, discount, discount ^ (90 - i) AS weight, project_at(empty, context(i, n), shared(i, s)) AS z, reward(i) AS r FROM trained, generate_series(1, 90) AS i;

CREATE TEMP TABLE level AS
SELECT name, CASE WHEN intercept THEN sum(weight * r) / sum(weight) ELSE 0 END AS level FROM observation JOIN trained USING (name), LATERAL (SELECT intercept FROM dlints_info(empty)) AS i GROUP BY name, intercept;

-- sums of weight z z' and of weight^2 z z', each with the ridge on the diagonal, and of weight r z, centred and not
CREATE TEMP TABLE sums AS
SELECT name, array_agg(g ORDER BY j) AS z, array_agg(h ORDER BY j) AS z_tilde, array_agg(b ORDER BY j) AS b, array_agg(centred ORDER BY j) AS centred FROM
  (SELECT name, j, array_agg(g ORDER BY k) AS g, array_agg(h ORDER BY k) AS h, min(b) AS b, min(centred) AS centred FROM
   (SELECT name, j, k, sum(weight * z[j] * z[k]) + ridge AS g, sum(weight ^ 2 * z[j] * z[k]) + ridge AS h, sum(weight * r * z[j]) AS b, sum(weight * (r - level) * z[j]) AS centred
    FROM observation JOIN level USING (name), generate_subscripts(z, 1) AS j, generate_subscripts(z, 1) AS k, LATERAL (SELECT CASE WHEN j = k THEN 0.7 ELSE 0 END) AS l (ridge) GROUP BY name, j, k, ridge) AS e
   GROUP BY name, j) AS v
GROUP BY name;

SELECT plan(28 * 2 + 8 + 2);
SELECT ok(difference(z, z_matrix(model)) <= 1e-10 AND difference(z_tilde, z_tilde_matrix(model)) <= 1e-10 AND difference(b, numbers(memory_in_use(model) -> 'b')) <= 1e-10, format('%s: Z, Z~ and b', name))
FROM sums JOIN trained USING (name) ORDER BY name;
SELECT ok(difference((SELECT array_agg(psi + CASE WHEN i = cardinality(b) THEN level ELSE 0 END ORDER BY i) FROM unnest(flat(solve(z, column_of(centred)))) WITH ORDINALITY AS u (psi, i)), dlints_mean(model)) <= 1e-9 AND difference(covariance_of(z, z_tilde), dlints_covariance(model)) <= 1e-9, format('%s: mean and covariance', name))
FROM sums JOIN level USING (name) JOIN trained USING (name) ORDER BY name;

-- closed forms, by hand
CREATE TEMP TABLE hand AS
SELECT dlints_update_batch(one_memory(1, NULL, 1, 2), ARRAY[[1], [3], [2]], ARRAY[1, 2, -1]) AS one,
       dlints_update_batch(one_memory(1, NULL, 0.5, 2), ARRAY[[1], [3], [2]], ARRAY[1, 2, -1]) AS faded,
       dlints_update_batch(one_memory(2, NULL, 1, 1), ARRAY[[1, 0], [1, 1], [0, 2]], ARRAY[1, 2, 3]) AS two;

-- d = 1: G = 1 + 9 + 4, b = 1 + 6 - 2
SELECT ok(abs((dlints_mean(one))[1] - 5.0 / 16) < 1e-15, 'd 1: b / (G + ridge)') FROM hand;
SELECT ok(abs((dlints_covariance(one))[1][1] - 1.0 / 16) < 1e-15, 'd 1: variance 1 / (G + ridge)') FROM hand;
-- weights 1/4, 1/2, 1: G = 1/4 + 9/2 + 4, H = 1/16 + 9/4 + 4, b = 1/4 + 3 - 2
SELECT ok(abs((dlints_mean(faded))[1] - 1.25 / 10.75) < 1e-15, 'd 1, discount 1/2: once per observation in G and b') FROM hand;
SELECT ok(abs((dlints_covariance(faded))[1][1] - 8.3125 / 10.75 ^ 2) < 1e-15, 'd 1, discount 1/2: squared in H') FROM hand;
SELECT is((dlints_info(faded)).effective_sample_size, 1.75::float8, 'the effective sample size is the sum of the weights') FROM hand;
SELECT is((dlints_info(faded)).mean_reward, ((0.25 + 1 - 1) / 1.75)::float8, 'the mean reward is weighted alike') FROM hand;
-- d = 2: G = [2 1; 1 5], Z = [3 1; 1 6], b = (3, 8), det Z = 17
SELECT ok(difference(dlints_mean(two), ARRAY[10.0 / 17, 21.0 / 17]) < 1e-15, 'd 2: closed form') FROM hand;
SELECT ok(difference(dlints_covariance(two), ARRAY[[6.0 / 17, -1.0 / 17], [-1.0 / 17, 3.0 / 17]]) < 1e-15, 'd 2: inverse of Z') FROM hand;

-- 1000 observations at discount 1/2 leave what the last 60 say; the ridge does not fade
SELECT ok(difference(dlints_mean(long), dlints_mean(short)) < 1e-12, 'old observations fade away') FROM
  (SELECT dlints_evidence(one_memory(3, NULL, 0.5), context(i, 3), number(i, 7) ORDER BY i) AS long,
          dlints_evidence(one_memory(3, NULL, 0.5), context(i, 3), number(i, 7) ORDER BY i) FILTER (WHERE i > 940) AS short
   FROM generate_series(1, 1000) AS i) AS f;
SELECT ok(difference(dlints_mean(m), ARRAY[0.5, 0]::float8[]) < 1e-15, 'a direction that is never seen keeps the whole ridge') FROM
  (SELECT dlints_update_batch(one_memory(2, NULL, 0.5, 2), array_agg(ARRAY[1, 0]), array_agg(1.0::float8)) AS m FROM generate_series(1, 500)) AS f;

SELECT * FROM finish();
ROLLBACK;
