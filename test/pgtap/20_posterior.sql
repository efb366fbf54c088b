-- The posterior against its equations: Z mean = b and Z C Z = Z~.  With an intercept, rewards are relative to their
-- weighted mean, which is the intercept's.  11_stored_format.sql has evidence computed from the definitions.
\ir include/helpers.sql

CREATE TEMP TABLE trained AS
SELECT name, z AS size, batch(batch(empty, 1, 40, weighted), 41, 90, weighted) AS m
FROM learner;

SELECT plan(87);
SELECT cmp_ok(
    greatest(difference(times(z, plus(dlints_mean(m), -level(m), last)),
                        plus(numbers(e -> 'b'), -level(m), times(symmetric_matrix(e -> 'G', 0), last))),
             difference(product(z, product(dlints_covariance(m), z)), z_tilde_matrix(m))),
    '<=', 1e-9::float8, format('%s: mean and covariance', name))
FROM trained, z_matrix(m) AS z, memory_in_use(m) AS e, unit_vector(size, size) AS last ORDER BY name;

-- closed forms, by hand
CREATE TEMP TABLE hand AS
SELECT dlints_update_batch(one_memory(1, NULL, 1, 2), ARRAY[[1], [3], [2]], ARRAY[1, 2, -1]) AS one,
    dlints_update_batch(one_memory(1, NULL, 0.5, 2), ARRAY[[1], [3], [2]], ARRAY[1, 2, -1]) AS faded,
    dlints_update_batch(one_memory(2, NULL, 1), ARRAY[[1, 0], [1, 1], [0, 2]], ARRAY[1, 2, 3]) AS two;
SELECT cmp_ok(difference(have, want), '<', 1e-15::float8, what) FROM hand, LATERAL (VALUES
    -- G = 1 + 9 + 4, b = 1 + 6 - 2
    ('d 1: b / (G + ridge)', dlints_mean(one), ARRAY[5.0 / 16]::float8[]),
    ('d 1: variance 1 / (G + ridge)', dlints_covariance(one), ARRAY[[1.0 / 16]]),
    -- weights 1/4, 1/2, 1: G = 1/4 + 9/2 + 4, H = 1/16 + 9/4 + 4, b = 1/4 + 3 - 2
    ('d 1, discount 1/2: once in G and b', dlints_mean(faded), ARRAY[1.25 / 10.75]),
    ('d 1, discount 1/2: squared in H', dlints_covariance(faded), ARRAY[[8.3125 / 10.75 ^ 2]]),
    ('the sum of the weights', ARRAY[(dlints_info(faded)).effective_sample_size], ARRAY[1.75]),
    ('the mean reward', ARRAY[(dlints_info(faded)).mean_reward], ARRAY[(0.25 + 1 - 1) / 1.75]),
    -- G = [2 1; 1 5], Z = [3 1; 1 6], b = (3, 8), det Z = 17
    ('d 2: closed form', dlints_mean(two), ARRAY[10.0 / 17, 21.0 / 17]),
    ('d 2: inverse of Z', dlints_covariance(two),
     ARRAY[[6.0 / 17, -1.0 / 17], [-1.0 / 17, 3.0 / 17]])) AS v (what, have, want);

-- 1000 observations with a discount of 1/2 equal their last 60; the ridge is not discounted
SELECT ok(difference(dlints_mean(evidence(m, 1, 1000)), dlints_mean(evidence(m, 941, 1000)))
    < 1e-12,
    'old observations fade away') FROM one_memory(3, NULL, 0.5) AS m;
SELECT ok(difference(dlints_mean(m), ARRAY[0.5, 0]::float8[]) < 1e-15,
    'a direction that is never seen keeps the whole ridge')
FROM (SELECT dlints_evidence(one_memory(2, NULL, 0.5, 2), '{1,0}'::real[], 1) AS m FROM generate_series(1, 500)) AS f;

SELECT * FROM finish();
ROLLBACK;
