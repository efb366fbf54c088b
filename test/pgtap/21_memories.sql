-- Several memories in a model: the memory in use determines all results.  Number, windows and stored form of
-- memories.
\ir include/helpers.sql

-- the model with memory j only, which stores H
CREATE FUNCTION alone(m dlints, j integer) RETURNS dlints LANGUAGE sql AS $$
SELECT dlints_new(dim, reduced_dim, interactions, NULL,
    CASE WHEN j = memories THEN 1 ELSE 1 - (1 - discount) / 5.0 ^ (j - 1) END, 1, ridge,
    exploration, noise, policy, intercept, seed, projection_scale)
FROM dlints_info(m)
$$;
-- the model with memory j in use
CREATE FUNCTION used(m dlints, j integer) RETURNS dlints LANGUAGE sql AS
$$ SELECT (m::jsonb || jsonb_build_object('memory', j))::dlints $$;

SELECT plan(76 + 53);

SELECT ok(difference(dlints_mean(m), dlints_mean(o)) <= 1e-10
    AND difference(product(matrix, product(dlints_covariance(m), matrix)), z_tilde_matrix(m))
        <= 1e-10
    AND (difference(dlints_draw(m, 3), dlints_draw(o, 3)) <= 1e-9 OR j < 3)
    AND abs(i.effective_sample_size / n.effective_sample_size - 1) <= 1e-12
    AND abs(i.mean_reward / n.mean_reward - 1) <= 1e-10 AND i.memory = j, format('%s: memory %s in use', name, j))
FROM learner, generate_series(1, 3) AS j, used(batch(empty, 1, 150), j) AS m,
    dlints_info(m) AS i,
    z_matrix(m) AS matrix, batch(alone(empty, j), 1, 150) AS o, dlints_info(o) AS n
WHERE forgets = 'three memories' ORDER BY name, j;
-- a value stored out of line, of which other memories are not read
CREATE TEMP TABLE wide AS
SELECT j, used(batch(empty, 1, 100), j) AS m, dlints_mean(batch(alone(empty, j), 1, 100)) AS mean
FROM dlints_new(60, discount => 0.9, memories => 3, ridge => 1, noise => 1) AS empty,
    generate_series(1, 3) AS j;
SELECT cmp_ok(difference(dlints_mean(m), mean), '<=', 1e-9::float8,
    format('out of line, memory %s of a value of %s bytes', j, pg_column_size(m)))
FROM wide ORDER BY j;

-- number of memories, and their windows
CREATE FUNCTION same_windows(have float8[], want float8[]) RETURNS boolean LANGUAGE sql AS $$
SELECT cardinality(have) = cardinality(want)
    AND bool_and(h IS NULL AND w IS NULL OR h / w BETWEEN 1 - 1e-9 AND 1 + 1e-9)
FROM unnest(have, want) AS u (h, w)
$$;
SELECT ok(memories = cardinality(want) AND memory = memories AND updates = 0
    AND same_windows(windows, want) AND hint IS NULL AND noise IS NULL AND half_life IS NULL
    AND exploration = 0.25 AND sigma = 1, format('%s: %s', what, want))
FROM (VALUES
    ('D = 1', dlints_new(1, intercept => false), ARRAY[2, 10, NULL]::float8[]),
    ('D = 2', dlints_new(1), ARRAY[4, 20, NULL]),
    ('D = 50', dlints_new(49), ARRAY[100, 500, NULL]),
    ('D = 100', dlints_new(300, 99), ARRAY[200, 1000, NULL]),
    ('D = 101', dlints_new(300, 100), ARRAY[202, NULL]),
    ('D = 1024', dlints_new(1024, intercept => false), ARRAY[2048, NULL]),
    ('D = 1025', dlints_new(65536, 1024), ARRAY[2050, NULL]),
    ('D = 8, five of them', dlints_new(7, memories => 5), ARRAY[16, 80, 400, 2000, NULL]))
    AS v (what, m, want), dlints_info(m) ORDER BY what;
SELECT ok(i.memories = j AND same_windows(i.windows, want) AND t.memories = j
    AND t.half_life = '1 day'
    AND t.discount IS NULL
        AND t.windows = array_fill(NULL::float8, ARRAY[j]), format('%s of them', j))
FROM generate_series(1, 8) AS j, dlints_info(dlints_new(3, discount => 0.5, memories => j)) AS i,
    dlints_info(dlints_new(3, half_life => '1 day', memories => j)) AS t,
    LATERAL (SELECT array_agg(CASE WHEN k < j OR j = 1 THEN 2 * 5 ^ (k - 1) END ORDER BY k)
             FROM generate_series(1, j) AS k) AS w (want) ORDER BY j;
SELECT ok(memories = 1 AND discount = 1 AND windows = ARRAY[NULL]::float8[],
    'one memory without a discount forgets nothing') FROM dlints_info(dlints_new(3, memories => 1));

-- stored form: a header, then for each memory N, R, S, b and G, and N2 for each of several that forgets, or H for
-- the only one
SELECT is((dlints_info(dlints_update(m, array_fill(1, ARRAY[4]), 1, at => now()))).bytes,
    192 + 8 * numbers::bigint, what)
FROM (VALUES
    ('three memories of D = 5', dlints_new(4), 3 * (3 + 5 + 15) + 2),
    ('eight of D = 4', dlints_new(4, memories => 8, intercept => false), 8 * (3 + 4 + 10) + 7),
    ('one that forgets', dlints_new(4, discount => 0.9), 8 + 2 * 15),
    ('one that does not', dlints_new(4, discount => 1), 8 + 15),
    ('by time', dlints_new(4, half_life => '1 day'), 3 * (3 + 5 + 15) + 2),
    ('two by time', dlints_new(4, half_life => '1 day', memories => 2), 2 * (8 + 15) + 1)) AS v (what, m, numbers);
SELECT ok(reads_back(m) AND m <> empty, format('%s: reads back', what))
FROM (VALUES
    ('eight memories', dlints_new(3, memories => 8)),
    ('eight by time', dlints_new(3, half_life => '0.001 seconds', memories => 8)),
    ('by time, the longest', dlints_new(3, half_life => '31000 years')),
    ('the least noise', dlints_new(3, noise => 1e-100))) AS v (what, empty),
    dlints_update_batch(empty, ARRAY[[1, 2, 3], [2, 3, 1]], ARRAY[1e6, 1e6 + 1],
        ats => ARRAY['2026-01-01', '1999-01-01']::timestamptz[]) AS m;

-- dlints_info has a hint if the longest memory is shorter than the number of coefficients, and only then
SELECT is(hint, want, what) FROM (VALUES
    ('shorter', dlints_new(30, discount => 1 - 1 / 20.0),
        'The longest memory has a window of 20 observations for 31 coefficients; '
        'increase discount, or omit it.'),
    ('as long', dlints_new(19, discount => 1 - 1 / 20.0), NULL),
    ('forgetting nothing', dlints_new(30, discount => 1), NULL),
    ('with a longer one', dlints_new(30, discount => 0.5, memories => 2), NULL),
    ('by time', dlints_new(30, half_life => '1 second'), NULL)) AS v (what, m, want),
        dlints_info(m);

-- other parameters lead to another choice, and an untrained model stays untrained
CREATE TEMP TABLE set AS
SELECT e, m, singly(dlints_set(e, ridge => 3), 1, 150) AS again, dlints_set(m, ridge => 3) AS ridge
FROM dlints_new(5, noise => 2) AS e, singly(e, 1, 150) AS m;
SELECT each_holds($$
    same_bytes(dlints_set(dlints_new(3), ridge => 2), dlints_new(3, ridge => 2))
    same_bytes(dlints_set(dlints_new(3), exploration => 2), dlints_new(3, exploration => 2))
    same_bytes(dlints_set(dlints_new(3, noise => 2), noise => 0), dlints_new(3))
    same_bytes(dlints_set(dlints_set(m, noise => 7), noise => 2), m)
    (dlints_info(dlints_set(m, noise => 7))).sigma = 7
    (SELECT noise IS NULL AND sigma <> 2 FROM dlints_info(dlints_set(m, noise => 0)))
    model_difference(ridge, again) < 1e-10
    (dlints_info(ridge)).memory = (dlints_info(again)).memory
    $$, 'FROM set');

-- The choice of the memory in use, and of the noise: purpose, invariance under scaling, and time of the choice.
-- test/core/test_memory.c tests the equations.

-- Histories of features in four dimensions; the noise is even over an interval, of
-- standard deviation 0.5.
CREATE FUNCTION expected(story text, i bigint, x float8[]) RETURNS float8 LANGUAGE sql AS $$
SELECT CASE story
    WHEN 'stationary' THEN 2 * x[1] - x[2]
    WHEN 'abrupt' THEN CASE WHEN i <= 60 THEN 2 ELSE -2 END * x[1] - x[2]
    WHEN 'slow' THEN 2 * cos(i / 40.0) * x[1] + 2 * sin(i / 40.0) * x[2]
    WHEN 'changes' THEN CASE WHEN i / 25 % 2 = 0 THEN 1.5 ELSE -1.5 END * x[3]
    WHEN 'nothing' THEN 0
    WHEN 'level' THEN CASE WHEN i <= 60 THEN 3 ELSE -3 END END
$$;
CREATE TEMP TABLE history AS
SELECT story, i, x, expected(story, i, x) + 0.5 * sqrt(3) * number(i, 500) AS r
FROM unnest('{stationary,abrupt,slow,changes,nothing,level}'::text[]) AS story,
    generate_series(1, 1000) AS i, LATERAL (SELECT features(i, 4) OFFSET 0) AS c (x);
-- memory and ridge in use after each of the first 150 observations
CREATE FUNCTION path(m dlints, which text) RETURNS TABLE (step integer, memory integer, lambda float8)
LANGUAGE plpgsql AS $$
DECLARE
	o history;
BEGIN
	FOR o IN SELECT * FROM history WHERE story = which AND i <= 150 ORDER BY i LOOP
		m := dlints_update(m, o.x, o.r);
		step := o.i;
		SELECT i.memory, i.lambda INTO memory, lambda FROM dlints_info(m) i;
		RETURN NEXT;
	END LOOP;
END
$$;
CREATE TEMP TABLE seen AS
SELECT story, path.* FROM (SELECT DISTINCT story FROM history) AS s, path(dlints_new(4), story);

SELECT set_eq('SELECT DISTINCT memory FROM seen', ARRAY[1, 2, 3], 'each memory is in use at times');
SELECT ok(bool_and(lambda = 0.1) FILTER (WHERE memory < 3) AND bool_or(lambda <> 0.1) FILTER (WHERE memory = 3),
    'the ridge is estimated only if the longest memory is in use') FROM seen;

-- purpose of several memories
SELECT ok(count(*) FILTER (WHERE memory = 3) >= 140, format('%s: everything is remembered', story))
FROM seen WHERE story IN ('stationary', 'nothing') GROUP BY story ORDER BY story;
SELECT ok(bool_and(memory = 3) FILTER (WHERE step <= 60)
    AND bool_and(memory < 3) FILTER (WHERE step > 75)
    AND count(*) FILTER (WHERE memory = 1 AND step BETWEEN 61 AND 90) >= 10,
    format('%s: what was before it is forgotten', story))
FROM seen WHERE story IN ('abrupt', 'level') GROUP BY story ORDER BY story;
SELECT cmp_ok(count(*), '>=', 45::bigint, 'slow: only the recent counts')
FROM seen WHERE story = 'slow' AND memory < 3 AND step > 100;
-- Rewards that change by more than the noise.  The ridge reduces estimates, most of all those of short memories;
-- short memories detect a change late; and the longest memory, which contains both sides of the change, has weight
-- in the noise.
CREATE TEMP TABLE whole AS
SELECT story, dlints_evidence(dlints_new(4), x, r ORDER BY i) AS m FROM history GROUP BY story;
SELECT cmp_ok(abs(sigma / 0.5 - 1), '<', most, format('%s: sigma is %s for 0.5', story, round(sigma::numeric, 3)))
FROM (VALUES ('stationary', 0.1::float8), ('nothing', 0.1), ('abrupt', 0.6), ('level', 0.6),
             ('slow', 1.2), ('changes', 1.2)) AS v (story, most) JOIN whole USING (story),
    dlints_info(m) ORDER BY story;

-- Rewards of 0 and 1 in other units: the choice and the ranking are equal, and sigma is in these units, in one
-- history or in parts.
CREATE TEMP TABLE click AS
SELECT i, x, (number(i, 600) < x[1] - 0.5)::integer AS r FROM history WHERE story = 'stationary';
INSERT INTO click
SELECT i + 1000, x, (number(i, 601) < x[2] - 0.5)::integer FROM click WHERE i <= 200;
CREATE TEMP TABLE part AS
SELECT low, high, i / 150 AS no,
    dlints_evidence(dlints_new(4), x, low + (high - low) * r ORDER BY i) AS e
FROM (VALUES (0::float8, 1::float8), (0, 1000), (-1000, -999), (99, 101), (1e6, 1e6 + 1),
             (1e9, 1e9 + 1), (0.001, 0)) AS v (low, high), click GROUP BY low, high, no;
CREATE TEMP TABLE scaled AS
SELECT low, high, m, parts, CASE WHEN abs(low) > 1e8 THEN 1e-5 ELSE 1e-8 END AS close
FROM (SELECT low, high, dlints_concat_agg(e ORDER BY no) AS parts FROM part GROUP BY low, high) AS p,
    LATERAL (SELECT dlints_evidence(dlints_new(4), x, low + (high - low) * r ORDER BY i) AS m FROM click) AS c;
CREATE FUNCTION ranking(m dlints, sign float8) RETURNS bigint[] LANGUAGE sql AS $$
SELECT (array_agg(i ORDER BY sign * dlints_predict(m, features(i + 5000, 4)) DESC))[1:200]
FROM generate_series(1, 200) AS i
$$;
SELECT ok(i.memory = u.memory AND abs(i.sigma / (abs(high - low) * u.sigma) - 1) < close
    AND ranking(m, high - low) = unit_ranking AND ranking(m, 1) = recommended,
    format('rewards of %s and %s', low, high))
FROM scaled, dlints_info(m) AS i,
    (SELECT m, ranking(m, 1) FROM scaled WHERE (low, high) = (0, 1)) AS unit (unit, unit_ranking),
    dlints_info(unit) AS u,
    LATERAL (SELECT dlints_recommend(greedy, c, features(c + 5000, 4), 200)
             FROM dlints_set(m, policy => 'greedy') AS greedy,
                 generate_series(1, 200::bigint) AS c) AS g (recommended)
ORDER BY low, high;
SELECT ok(i.memory = p.memory AND abs(i.sigma / p.sigma - 1) < close
    AND ranking(m, 1) = ranking(parts, 1), format('rewards of %s and %s, in parts', low, high))
FROM scaled, dlints_info(m) AS i, dlints_info(parts) AS p ORDER BY low, high;
-- exploration and standard errors are in units of the noise; without an intercept nothing is centered; a given
-- noise is sigma, and does not change the choice
SELECT each_holds($$
    difference(plus(dlints_draw(k.m, 7), -1, dlints_mean(k.m)),
        plus(zeros(5), 1000, plus(dlints_draw(u.m, 7), -1, dlints_mean(u.m)))) < 1e-8
    abs(dlints_stddev(k.m, ARRAY[1, 2, 3, 4]) / (1000 * dlints_stddev(u.m, ARRAY[1, 2, 3, 4])) - 1)
        < 1e-8
    $$, 'FROM scaled AS k, scaled AS u WHERE k.high = 1000 AND u.high = 1');
SELECT each_holds($$
    (dlints_info(m)).sigma > 0.45
    abs((dlints_mean(m))[1] - 10) < 1e-9
    $$, $$FROM (SELECT dlints_evidence(m, '{1}'::real[], 10 + i % 2 - 0.5) AS m
                FROM dlints_new(1, discount => 1, ridge => 1e-50, intercept => false) AS m,
                    generate_series(1, 40) AS i) AS e$$);
SELECT ok(bool_and(i.memory = o.memory AND o.sigma = 7), 'a noise that is given')
FROM whole, dlints_info(m) AS i, dlints_info(dlints_set(m, noise => 7)) AS o;

-- the noise without residuals, or with too few observations to estimate it
CREATE FUNCTION sigma_of(m dlints, xs float8[], rs float8[]) RETURNS float8 LANGUAGE sql AS $$
SELECT sigma FROM (SELECT array_agg(ARRAY[x]) AS features FROM unnest(xs) AS x) AS c,
    dlints_info(dlints_update_batch(m, features, rs))
$$;
SELECT cmp_ok(abs(sigma_of(m, xs, rs) / want - 1), '<', 1e-9::float8, what)
FROM dlints_new(1, ridge => 1) AS one,
    dlints_new(1, ridge => 1, intercept => false) AS plain, LATERAL (VALUES
    ('always the same reward', one, '{1,2,3,5}'::float8[], '{3,3,3,3}'::float8[], 1::float8),
    ('always none', plain, '{1,2,3,5}', '{0,0,0,0}', 1),
    ('features of nothing', plain, '{0,0,0,0}', '{2,-2,2,-2}', 2),
    -- S / N = (1 + 4 + 9 + 25) 4 / 4
    ('no error at all', dlints_set(plain, ridge => 1e-50), '{1,2,3,5}', '{2,4,6,10}', sqrt(39)),
    -- one observation of 3 at 2: RSS = 9 - 6^2 / 5, k = 4 / 5
    ('one observation', plain, '{2}', '{3}', sqrt(1.8)),
    ('one, with an intercept', one, '{1}', '{3}', 1),
    -- N = 10, k = 10 / 11: RSS / (N - k) where half of the rewards are 1 and half -1
    ('ten observations', dlints_new(1, discount => 1, ridge => 1, intercept => false),
     array_fill(1, ARRAY[10]),
     '{1,-1,1,-1,1,-1,1,-1,1,-1}', sqrt(10 / (10 - 10 / 11.0)))) AS v (what, m, xs, rs, want);
-- the first reward, the reference of the sums, may be an outlier: a memory that forgets estimates the noise of
-- later rewards, and sigma is never below the smallest noise observed
CREATE TEMP TABLE odd AS
SELECT singly(dlints_update(m, ARRAY[1], 1e9), 1, 200) AS one_by_one,
    batch(dlints_update(m, ARRAY[1], 1e9), 1, 200) AS batch, batch(m, 1, 200) AS others
FROM dlints_new(1, discount => 0.5) AS m;
CREATE FUNCTION spread(m dlints) RETURNS float8 LANGUAGE sql AS $$
SELECT s / n - (r / n) ^ 2
FROM jsonb_to_record(memory_in_use(m)) AS e (weight_sum float8, reward_sum float8,
         reward_square_sum float8),
    LATERAL (SELECT weight_sum, reward_sum, reward_square_sum) AS t (n, r, s)
$$;
SELECT each_holds($$
    abs(spread(one_by_one) / spread(others) - 1) < 1e-6
    abs(spread(batch) / spread(others) - 1) < 1e-6
    abs((dlints_info(batch)).sigma / (dlints_info(one_by_one)).sigma - 1) < 1e-6
    (dlints_info(batch)).sigma BETWEEN 1e7 AND 1e8
    $$, 'FROM odd');

-- a memory is chosen after each update of a model with up to 12 coordinates, and after several updates of a larger one
CREATE TEMP TABLE often AS
SELECT d, step, m, (m::jsonb -> 'chosen')::bigint AS chosen
FROM (VALUES (11), (12), (24)) AS v (d), generate_series(1, 60) AS step,
    dlints_new(d, intercept => false) AS e,
    LATERAL (SELECT batch(singly(e, 1, step - 1), step, step)) AS l (m);
SELECT is(max(step - chosen), CASE d WHEN 24 THEN 3 ELSE 0 END::bigint, format('%s coordinates', d))
FROM often GROUP BY d ORDER BY d;
SELECT is(string_agg(step::text, ' ' ORDER BY step), '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 18 20 22 24 27 30 33 37',
    'with 24 coordinates the memory is chosen after each eighth of a short history, or four observations')
FROM often WHERE d = 24 AND chosen = step AND step < 40;
-- a batch makes its last choice where single updates would
SELECT is(string_agg(format('%s %s', step, (batch(m, first + 1, step)::jsonb -> 'chosen')), ', ' ORDER BY step),
    string_agg(format('%s %s', step, chosen), ', ' ORDER BY step), format('a batch behind %s observations', first))
FROM (VALUES (0), (5), (17)) AS f (first), dlints_new(24, intercept => false) AS e,
    LATERAL (SELECT singly(e, 1, first)) AS s (m), often AS o (d, step, other, chosen)
WHERE d = 24 AND step > first GROUP BY first ORDER BY first;
-- also near the maximum count
CREATE TEMP TABLE last AS
SELECT jsonb_set(jsonb_set(m::jsonb, '{updates}', n), '{chosen}', n)::dlints AS m
FROM often, to_jsonb(9223372036854775800) AS n WHERE d = 24 AND step = 40;
SELECT is((batch(m, 1, 7)::jsonb ->> 'updates'), '9223372036854775807', 'updates are counted up to the largest bigint')
FROM last;
SELECT throws_ok('SELECT batch(m, 1, 8) FROM last', '22003', NULL, 'an update beyond the largest bigint is rejected');
-- immediately with another ridge or weight; and the stored choice equals a new choice
SELECT ok(bool_and((dlints_set(m, ridge => 2)::jsonb -> 'chosen')::bigint = step
    AND ((2 * m)::jsonb -> 'chosen')::bigint = step
    AND (dlints_set(m, policy => 'ucb')::jsonb -> 'chosen')::bigint = chosen
    AND (chosen < step OR same_bytes(dlints_set(dlints_set(m, ridge => 2), ridge => 0), m))),
    'the memory is chosen again at once if the ridge or the weights change') FROM often WHERE d = 24;

SELECT * FROM finish();
ROLLBACK;
