-- The posterior against ridge regression computed here: Gauss-Jordan
-- elimination on sums over the observations, each weighted by discount^age.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

CREATE TEMP TABLE observation AS
SELECT d, i, context(i, d) AS x, number(i, 999) + 0.7 * number(i, 1) AS r
FROM (VALUES (1), (2), (3), (8)) AS s (d), generate_series(1, 90) AS i;

CREATE TEMP TABLE trained AS
SELECT d, discount, ridge,
       dlints_new(d, NULL, discount, ridge) || (SELECT dlints_evidence(dlints_new(d, NULL, discount, ridge), x, r ORDER BY i)
                                                FROM observation AS o WHERE o.d = s.d) AS model
FROM (VALUES (1), (2), (3), (8)) AS s (d), (VALUES (1.0::float8), (0.97), (0.5)) AS g (discount), (VALUES (0.01::float8), (3)) AS l (ridge);

-- sum of discount^age x x' (power 1) or of discount^(2 age) x x' (power 2), plus the ridge
CREATE FUNCTION weighted_gram(dim integer, discount float8, power integer, ridge float8) RETURNS float8[] LANGUAGE sql AS
$$ SELECT array_agg(v ORDER BY j) FROM
   (SELECT j, array_agg(s ORDER BY k) AS v FROM
    (SELECT j, k, sum(discount ^ (power * (90 - i)) * x[j] * x[k]) + CASE WHEN j = k THEN ridge ELSE 0 END AS s
     FROM observation, generate_series(1, dim) AS j, generate_series(1, dim) AS k WHERE d = dim GROUP BY j, k) AS e
    GROUP BY j) AS r $$;

CREATE FUNCTION weighted_moment(dim integer, discount float8) RETURNS float8[] LANGUAGE sql AS
$$ SELECT array_agg(s ORDER BY j) FROM
   (SELECT j, sum(discount ^ (90 - i) * x[j] * r) AS s
    FROM observation, generate_series(1, dim) AS j WHERE d = dim GROUP BY j) AS e $$;

CREATE TEMP TABLE oracle AS
SELECT t.*, weighted_gram(d, discount, 1, ridge) AS z, weighted_gram(d, discount, 2, ridge) AS z_tilde,
       weighted_moment(d, discount) AS b
FROM trained AS t;

SELECT plan(4 * 6 + 12);

SELECT ok(difference(flat(solve(z, column_of(b))), dlints_mean(model)) <= 1e-10
          AND difference(z, z_matrix(model)) <= 1e-10 AND difference(z_tilde, z_tilde_matrix(model)) <= 1e-10
          AND difference(covariance_of(z, z_tilde), dlints_covariance(model)) <= 1e-9,
          format('d %s, discount %s, ridge %s: weighted ridge regression and its covariance', d, discount, ridge))
FROM oracle ORDER BY d, discount, ridge;

-- closed forms, by hand
CREATE TEMP TABLE hand AS
SELECT dlints_update(dlints_new(1, NULL, 1, 2), ARRAY[[1], [3], [2]]::float8[], ARRAY[1, 2, -1]::float8[]) AS one,
       dlints_update(dlints_new(1, NULL, 0.5, 2), ARRAY[[1], [3], [2]]::float8[], ARRAY[1, 2, -1]::float8[]) AS faded,
       dlints_update(dlints_new(2, NULL, 1, 1), ARRAY[[1, 0], [1, 1], [0, 2]]::float8[], ARRAY[1, 2, 3]::float8[]) AS two;

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

-- what has not been seen
SELECT is(dlints_mean(dlints_new(4)), ARRAY[0, 0, 0, 0]::float8[], 'a new model expects nothing');
SELECT ok(difference(dlints_covariance(dlints_new(2, NULL, 0.9, 4)), ARRAY[[0.25, 0], [0, 0.25]]::float8[]) < 1e-15,
          'and is 1 / ridge unsure');

-- 1000 observations at discount 1/2 leave what the last 60 say; the ridge does not fade
SELECT ok(difference(dlints_mean(long), dlints_mean(short)) < 1e-12, 'old observations fade away') FROM
  (SELECT dlints_evidence(dlints_new(3, NULL, 0.5), context(i, 3), number(i, 7) ORDER BY i) AS long,
          dlints_evidence(dlints_new(3, NULL, 0.5), context(i, 3), number(i, 7) ORDER BY i) FILTER (WHERE i > 940) AS short
   FROM generate_series(1, 1000) AS i) AS f;
SELECT ok(difference(dlints_mean(m), ARRAY[0.5, 0]::float8[]) < 1e-15, 'a direction that is never seen keeps the whole ridge') FROM
  (SELECT dlints_update(dlints_new(2, NULL, 0.5, 2), array_agg(ARRAY[1, 0]::float8[]), array_agg(1.0::float8)) AS m
   FROM generate_series(1, 500)) AS f;

SELECT * FROM finish();
ROLLBACK;
