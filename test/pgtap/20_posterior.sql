-- The evidence of a model against sums over the observations with their decayed weights, and the posterior against
-- its equations: Z mean = b and Z C Z = Z~.  With an intercept, rewards are relative to their weighted mean, which
-- is the intercept's.
\ir include/helpers.sql

-- Memory j of a model after the first observations.  The weight of an observation at t is 2^(-(T - t) / h), and
-- that of the k-th before the last discount^k.  From one memory to the next, h or 1 / (1 - discount) grows by a
-- factor of five; the last of several memories forgets nothing.
CREATE FUNCTION by_definition(m dlints, j integer, count integer, weighted boolean)
RETURNS jsonb LANGUAGE sql AS $$
WITH o AS MATERIALIZED (
    SELECT reward(i) AS r, dlints_project(m, features(i, dim), profile(i, profile_dim)) AS z,
        CASE WHEN weighted THEN weight(i) ELSE 1 END
        * CASE WHEN j = memories AND j > 1 THEN 1
               WHEN half_life IS NULL THEN (1 - (1 - discount) / 5.0 ^ (j - 1)) ^ (count - i)
               ELSE 0.5 ^ (extract(epoch FROM last - seen_at(i))::float8
                           / extract(epoch FROM half_life)::float8 / 5 ^ (j - 1)) END AS w
    FROM dlints_info(m), generate_series(1, count) AS i,
        (SELECT max(seen_at(i)) AS last FROM generate_series(1, count) AS i) AS n),
cell AS (
    SELECT a, c, sum(w * z[a] * z[c]) AS g, sum(w * w * z[a] * z[c]) AS h
    FROM o, generate_subscripts(z, 1) AS a, generate_series(1, a) AS c GROUP BY a, c),
line AS (
    SELECT a, jsonb_agg(g ORDER BY c) AS g, jsonb_agg(h ORDER BY c) AS h FROM cell GROUP BY a),
moment AS (
    SELECT a, sum(w * r * z[a]) AS b FROM o, generate_subscripts(z, 1) AS a GROUP BY a)
SELECT jsonb_build_object(
    'weight_sum', sum(w), 'reward_sum', sum(w * r), 'reward_square_sum', sum(w * r * r),
    'b', (SELECT jsonb_agg(b ORDER BY a) FROM moment),
    'G', (SELECT jsonb_agg(g ORDER BY a) FROM line),
    'H', (SELECT CASE WHEN memories = 1 AND discount IS DISTINCT FROM 1
                      THEN (SELECT jsonb_agg(h ORDER BY a) FROM line) END FROM dlints_info(m)),
    'weight_square_sum', (SELECT CASE WHEN j < memories THEN sum(w * w) END
                          FROM dlints_info(m)))
FROM o
$$;

CREATE FUNCTION off_definition(m dlints, count integer, weighted boolean)
RETURNS float8 LANGUAGE sql AS $$
SELECT max(greatest(memory_difference(e, d),
                    difference(reward_sums((m::jsonb -> 'reference_reward')::float8, e),
                               reward_sums(0, d))))
FROM jsonb_array_elements(m::jsonb -> 'evidence') WITH ORDINALITY AS u (e, j),
    by_definition(m, j::integer, count, weighted) AS d
$$;

CREATE TEMP TABLE trained AS
SELECT name, weighted, z AS size, batch(batch(empty, 1, 40, weighted), 41, 90, weighted) AS m
FROM learner;

SELECT plan(164);
SELECT cmp_ok(off_definition(m, 90, weighted), '<=', 1e-11::float8, format('%s: evidence', name))
FROM trained WHERE (dlints_info(m)).updates = 90 ORDER BY name;
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
