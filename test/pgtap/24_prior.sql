-- The prior and the posterior against their equations, the prior's weight, and the algebra with a prior
\ir include/helpers.sql

-- The prior of a history: the longest memory's G - s s' / N and b - (R / N) s, where s is the column of an
-- intercept; rewards are relative to 0.  The diagonal may contain rounding errors.
CREATE FUNCTION prior_of(k dlints) RETURNS jsonb LANGUAGE sql AS $$
SELECT CASE WHEN intercept THEN jsonb_build_object('weight_sum', n,
           'b', to_jsonb(plus(numbers(e -> 'b'), -sums[1] / n, s)),
           'G', (SELECT jsonb_agg((SELECT jsonb_agg(
                                       g * CASE WHEN i = j AND i < last THEN 1 + 1e-9 ELSE 1 END
                                       - s[i + 1] * s[j + 1] / n ORDER BY j)
                                   FROM generate_series(0, i) AS j,
                                       LATERAL (SELECT (e -> 'G' -> i -> j)::float8) AS v (g)) ORDER BY i)
                 FROM (SELECT cardinality(s) - 1) AS d (last), generate_series(0, last) AS i))
       ELSE jsonb_build_object('weight_sum', n, 'b', e -> 'b', 'G', e -> 'G') END
FROM dlints_info(k), LATERAL (SELECT k::jsonb #> '{evidence,-1}' AS e) AS l,
    LATERAL (SELECT (e -> 'weight_sum')::float8, numbers(e #> '{G,-1}'),
                 reward_sums((k::jsonb -> 'reference_reward')::float8, e)) AS o (n, s, sums)
$$;
CREATE TEMP TABLE learned AS
SELECT name, shape, forgets, z AS size, empty AS e, k, m, dlints_with_prior(m, k, 0.3) AS p
FROM learner, evidence(empty, 201, 260, weighted) AS k, batch(empty, 1, 90, weighted) AS m;
-- the prior counts w times in the longest memory, which is in use in all cases
CREATE TEMP TABLE counted AS
SELECT name, size, m, k, p, i.prior_sample_size, p::jsonb -> 'prior' AS prior,
    0.3 * 10 * size / (10 * size + (m::jsonb -> 'weight_total')::float8) AS w
FROM learned, dlints_info(p) AS i;

SELECT plan(242);

SELECT cmp_ok(memory_difference(prior, prior_of(k)), '<=', 1e-11::float8, format('%s: prior', name))
FROM counted ORDER BY name;
SELECT cmp_ok(
    greatest(difference(times(z, plus(dlints_mean(p), -level(m), last)),
                        plus(plus(numbers(e -> 'b'), -level(m), times(symmetric_matrix(e -> 'G', 0),
                                                                      last)),
                             w, numbers(prior -> 'b'))),
             difference(product(z, product(dlints_covariance(p), z)), added(z_tilde_matrix(m), known)),
             abs(prior_sample_size - w * (prior -> 'weight_sum')::float8)),
    '<=', 1e-9::float8, format('%s: mean, covariance and size', name))
FROM counted, symmetric_matrix(prior -> 'G', 0, w) AS known, added(z_matrix(m), known) AS z,
    memory_in_use(m) AS e, unit_vector(size, size) AS last
ORDER BY name;
-- the prior does not count if a shorter memory is in use, after rewards have changed
SELECT ok(memory < 3 AND prior_sample_size = 0 AND dlints_mean(p) = dlints_mean(m)
    AND dlints_covariance(dlints_set(p, noise => 1)) = dlints_covariance(dlints_set(m, noise => 1)),
    'a prior applies with a shorter memory in use')
FROM dlints_new(3) AS e, LATERAL (
         SELECT dlints_evidence(e, features(i, 3)::real[],
                    CASE WHEN i <= 200 THEN 2 ELSE -2 END * number(i, 1) ORDER BY i)
         FROM generate_series(1, 240) AS i) AS l (m),
    dlints_with_prior(m, evidence(e, 1, 50), 5) AS p, dlints_info(p);

-- the choice of a memory, a given noise and the time do not depend on the prior
SELECT ok(bool_and((i.memory, i.sigma) = (o.memory, o.sigma)
    AND aged.prior_sample_size IN (0, i.prior_sample_size)),
      'a prior changes neither the memory in use nor the given noise nor the newest time')
FROM learned, dlints_info(p) AS i, dlints_info(m) AS o,
    dlints_info(dlints_at(p, '2027-01-01')) AS aged;

SELECT cmp_ok(abs(i.sigma ^ 2 / ((n * o.sigma ^ 2 + 10 * s ^ 2) / (n + 10)) - 1), '<', 1e-9::float8,
    'the prior''s noise counts as ten observations beside those of the longest memory')
FROM dlints_new(3) AS e, evidence(e, 201, 260) AS k, batch(e, 1, 90) AS m, dlints_with_prior(m, k, 0.3) AS p,
    dlints_info(p) AS i, dlints_info(m) AS o,
    LATERAL (SELECT (m::jsonb #>> '{evidence,-1,weight_sum}')::float8,
                    (p::jsonb #>> '{prior,sigma}')::float8) AS c (n, s);

SELECT is(string_agg(what, ', ' ORDER BY what) FILTER (WHERE same_bytes(have, want) IS NOT TRUE),
    NULL, format('algebra: %s', forgets))
FROM learned, evidence(e, 91, 120) AS more, LATERAL (VALUES
    ('first known, then learned', dlints_with_prior(e, k, 0.3) || m, p),
    ('removed', dlints_with_prior(p, 0 * p), m),
    ('replaced', dlints_with_prior(dlints_with_prior(m, more), k, 0.3), p),
    ('of a model with a prior', dlints_with_prior(m, dlints_with_prior(k, more), 0.3), p),
    ('the left side''s', p || more, dlints_with_prior(m || more, k, 0.3)),
    ('not the right side''s', m || dlints_with_prior(more, k), m || more),
    ('taken back', CASE WHEN forgets ~ 'nothing|time' THEN (p || more) - more END,
     CASE WHEN forgets ~ 'nothing|time' THEN dlints_with_prior((m || more) - more, k, 0.3) END),
    ('all taken back', CASE WHEN forgets ~ 'nothing|time' THEN p - m ELSE m END,
     CASE WHEN forgets ~ 'nothing|time' THEN dlints_with_prior(e, k, 0.3) ELSE m END),
    ('weighed', 2 * p, dlints_with_prior(2 * m, k, 0.3)),
    ('by nothing', 0 * p, e),
    ('at a time', dlints_at(p, '2026-05-01'), dlints_with_prior(dlints_at(m, '2026-05-01'), k, 0.3)),
    ('evidence has none', evidence(p, 91, 120), more),
    ('no weight is 1', dlints_with_prior(m, k), dlints_with_prior(m, k, 1)),
    ('nor is NULL', dlints_with_prior(m, k, NULL), dlints_with_prior(m, k, 1)),
    ('NULL is nothing new', dlints_with_prior(p, NULL, 5), p),
    ('other parameters stay', dlints_set(p, exploration => 2),
     dlints_with_prior(dlints_set(m, exploration => 2), k, 0.3))) AS v (what, have, want)
WHERE shape = 'intercept' AND (what <> 'taken back' OR have IS NOT NULL) GROUP BY forgets ORDER BY forgets;
SELECT ok(reads_back(p) AND reads_back(dlints_with_prior(e, k)) AND p <> m
    AND dlints_hash(p) <> dlints_hash(m), format('%s: reads back', name))
FROM learned WHERE name ~ '^(plain|projected, intercept|matched),' ORDER BY name;

-- by hand: a log of 1 at 1 and 0 at 0 has G - s s' / N = 1/2 and b - (R / N) s = 1/2; in two
-- coordinates half of it is left after 20 observations
CREATE TEMP TABLE hand AS
SELECT e, k, dlints_with_prior(e, k, 4) AS p, zeros
FROM dlints_new(1, discount => 1, ridge => 3) AS e,
    dlints_update_batch(e, '{{1},{0}}', '{1,0}') AS k,
    (SELECT array_agg(ARRAY[0]) FROM generate_series(1, 20)) AS z (zeros);
SELECT each_holds($$
    difference(cells(p::jsonb #> '{prior,G}'), '{0.500000001,0,0}') < 1e-14
    cells(p::jsonb #> '{prior,b}') = '{0.5,0}' AND p::jsonb #>> '{prior,weight_sum}' = '2'
    abs(dlints_predict(p, '{1}') - 2 / (2 + 3.0)) < 1e-8
    (dlints_info(p)).prior_sample_size = 8
    (dlints_info(p)).updates = 0
    (dlints_info(p)).sigma = 0.5
    (dlints_info(dlints_update_batch(p, zeros, array_fill(0, ARRAY[20])))).sigma = 0.5 * sqrt(10 / 30.0)
    abs((dlints_info(dlints_update_batch(p, '{{1},{0},{1}}',
      '{3,1,1}'))).sigma ^ 2 - (3 * (dlints_info(dlints_update_batch(e, '{{1},{0},{1}}',
      '{3,1,1}'))).sigma ^ 2 + 10 * 0.5 ^ 2) / 13) < 1e-12
    (SELECT prior_sample_size = 4 AND prior_weight = 4
        FROM dlints_info(dlints_update_batch(p, zeros, array_fill(0, ARRAY[20]))))
    abs(dlints_predict(dlints_update_batch(p, zeros, array_fill(0, ARRAY[20])), '{1}')
        - 1 / (1 + 3.0)) < 1e-8
    (dlints_info(e)).prior_sample_size IS NULL AND (dlints_info(e)).prior_weight IS NULL
    dlints_with_prior(NULL, k, 1) IS NULL
    dlints_with_prior(NULL, NULL) IS NULL
    (dlints_info(dlints_with_prior(e, k, 5e-324))).prior_weight = 5e-324
    same_bytes(dlints_with_prior(e, 1e-200 * (1e-200 * k)), e)
    $$, 'FROM hand');

SELECT is(outcome(format('SELECT %s FROM hand', call)), result, call) FROM (VALUES
    ('dlints_with_prior(p, k, 0)', '22023: weight must be greater than 0 and at most 1e+10 (The value is 0.)'),
    ('dlints_with_prior(p, k, -1)', '22023: weight must be greater than 0 and at most 1e+10 (The value is -1.)'),
    ($$dlints_with_prior(p, k, 'NaN')$$, '22023: weight must be greater than 0 and at most 1e+10 (The value is NaN.)'),
    ('dlints_with_prior(p, k, 1.1e10)',
     '22023: weight must be greater than 0 and at most 1e+10 (The value is 11000000000.)'),
    ('dlints_with_prior(p, dlints_new(2, discount => 1))', '22023: cannot combine dlints models with '
     'different dim (The left model has dim 1, the right one 2.)'),
    ('dlints_with_prior(p, dlints_new(1))', '22023: cannot combine dlints models with '
     'different memories (The left model has memories 1, the right one 3.)')) AS v (call, result);

-- The reference reward of a model is its first one, so sums are about 5 here and about 0 after the retraction.
WITH prior AS (
    SELECT dlints_evidence(e, ARRAY[i % 7, i % 11], (i % 50 = 0)::integer, '{}', '2026-02-01') AS log
    FROM   dlints_new(2, half_life => '1 day') e, generate_series(1, 500) i),
model AS (
    SELECT dlints_update(dlints_with_prior(e, log), '{1,0}', 5, at => '2026-03-01') AS five,
           dlints_update(e, '{0,1}', 0, at => '2026-03-01') AS zero
    FROM   prior, dlints_new(2, half_life => '1 day') e)
SELECT ok(abs((dlints_info((five || zero) - zero)).sigma / (dlints_info(five)).sigma - 1) < 1e-9,
          'retracting an observation restores the noise of a model with a prior')
FROM model;
SELECT * FROM finish();
ROLLBACK;
