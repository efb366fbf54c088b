-- Observations and histories that count more, or less, than once.
\ir include/helpers.sql

SELECT plan(55);

-- a history as often as a number says: everything once, H and N2 twice, and updates stay
CREATE TEMP TABLE learned AS
SELECT shape, forgets, empty, batch(empty, 1, 60, true) AS m FROM learner
WHERE forgets ~ 'weighted|three';
CREATE FUNCTION off_scale(e jsonb, by float8, m jsonb, part text) RETURNS float8 LANGUAGE sql AS
$$ SELECT difference(cells(e -> part), plus(cells(m -> part), by - 1, cells(m -> part))) $$;
SELECT cmp_ok(
    max(greatest(off_scale(p, 0.3, q, 'b'), off_scale(p, 0.3, q, 'G'),
        off_scale(p, 0.3 * 0.3, q, 'H'), off_scale(p, 0.3 * 0.3, q, 'weight_square_sum'),
                 off_scale(p, 0.3, q, 'weight_sum'), off_scale(p, 0.3, q, 'reward_sum'),
                 off_scale(p, 0.3, q, 'reward_square_sum'),
                 CASE WHEN (i.updates, i.newest) IS NOT DISTINCT FROM (o.updates, o.newest) THEN 0
                      ELSE 'infinity'::float8 END)),
    '<=', 1e-14::float8, format('%s: 0.3 * model', shape))
FROM learned, dlints_scale(0.3, m) AS w, dlints_info(w) AS i, dlints_info(m) AS o,
    LATERAL ROWS FROM (jsonb_array_elements(w::jsonb -> 'evidence'),
                       jsonb_array_elements(m::jsonb -> 'evidence')) AS e (p, q)
GROUP BY shape ORDER BY shape;
SELECT each_holds($$
    same_bytes(1 * m, m)
    same_bytes(0.5 * (4 * m), 2 * m)
    same_bytes(dlints_scale(2, m), 2 * m)
    same_bytes(2 * (m || m), 2 * m || 2 * m)
    same_bytes(3 * empty, empty)
    same_bytes(NULL * m, m)
    same_bytes(0 * m, empty)
    same_bytes(0 * empty, empty)
    same_bytes(2.0 * m, 2::integer * m)
    2 * NULL::dlints IS NULL
    $$, 'FROM learned');

-- 0.1 * everyone || mine: as if everyone's observations had counted a tenth
CREATE TEMP TABLE tenth AS
SELECT m, batch(m, 1, 100, true) AS everyone, batch(m, 101, 140, true) AS mine,
    (SELECT dlints_evidence(m, features(i, 4), reward(i), '{}', seen_at(i),
                            weight(i) * CASE WHEN i <= 100 THEN 0.1 ELSE 1 END ORDER BY i)
     FROM generate_series(1, 140) AS i) AS want
FROM (VALUES (dlints_new(4)), (dlints_new(4, half_life => '3 days', memories => 2))) AS v (m);
SELECT cmp_ok(max(model_difference(0.1 * everyone || mine, want)), '<=', 1e-10::float8,
    '0.1 * everyone || mine')
FROM tenth;

-- where nothing is forgotten a weight is how often, though it counts once; and sampled
-- non-clicks are put right
CREATE TEMP TABLE often AS
SELECT batch(m, 1, 140, true) AS w,
    (SELECT dlints_evidence(m, features(i, 4), reward(i))
     FROM generate_series(1, 140) AS i, generate_series(1, weight(i)::integer)) AS n
FROM dlints_new(4, discount => 1, noise => 1) AS m;
SELECT each_holds($$
    difference(dlints_mean(w), dlints_mean(n)) <= 1e-12
    difference(dlints_covariance(w), dlints_covariance(n)) <= 1e-12
    memory_difference(memory_in_use(w), memory_in_use(n)) <= 1e-12
    abs((dlints_info(w)).mean_reward / (dlints_info(n)).mean_reward - 1) <= 1e-12
    (dlints_info(w)).updates = 140
    (dlints_info(n)).updates = (SELECT sum(weight(i)) FROM generate_series(1, 140) AS i)
    $$, 'FROM often');
-- by hand: H is the square
SELECT is(memory_in_use(m),
    jsonb_build_object('weight_sum', v[1], 'weight_square_sum', NULL, 'reward_sum', v[2],
        'reward_square_sum', v[3], 'b', v[4:4], 'G', ARRAY[v[5:5]], 'H', ARRAY[v[6:6]]), what)
FROM dlints_new(1, discount => 0.5, intercept => false) AS e, LATERAL (VALUES
    ('a weight', dlints_update(e, ARRAY[3], 2, weight => 4), '{4,8,16,24,36,144}'::integer[]),
    ('after another', dlints_update(dlints_update(e, ARRAY[3], 2, weight => 4), ARRAY[1], 2),
     '{3,6,12,14,19,37}'),
    ('a model', 4 * dlints_update(e, ARRAY[3], 2), '{4,8,16,24,36,144}')) AS v (what, m, v);
-- no weight is 1
SELECT each_holds($$
    same_bytes(dlints_update(e, ARRAY[3], 5, '{}', NULL, NULL), m)
    same_bytes(dlints_update_batch(e, ARRAY[[3]], ARRAY[5], weights => NULL), m)
    same_bytes(dlints_update(e, ARRAY[3], 5, weight => 1), m)
    same_bytes((SELECT dlints_evidence(e, ARRAY[3]::real[], r, '{}', NULL, NULL)
                FROM generate_series(5, 5) AS r), m)
    $$, 'FROM dlints_new(1, discount => 1) AS e, dlints_update(e, ARRAY[3], 5) AS m');

-- bounds
CREATE TEMP VIEW say AS SELECT e, dlints_update(e, ARRAY[1], 1) AS m FROM dlints_new(1) AS e;
SELECT is(outcome(format('SELECT %s FROM say', replace(call, 'W', weight))),
    format('22023: weight must be greater than 0 and at most 1e+10 (The value is %s.)', said),
    format('%s, W = %s', call, said))
FROM (VALUES
    ('dlints_update(e, ARRAY[1], 1, weight => W)', '0', '0'),
    ('dlints_update(e, ARRAY[1], 1, weight => W)', '-1', '-1'),
    ('dlints_update(e, ARRAY[1], 1, weight => W)', $$'NaN'$$, 'NaN'),
    ('dlints_update(e, ARRAY[1], 1, weight => W)', '1.1e10', '11000000000'),
    ('dlints_update_batch(e, ARRAY[[1], [2]], ARRAY[1, 2], weights => ARRAY[1, W])', '0', '0'),
    ($$(SELECT dlints_evidence(e, ARRAY[1]::real[], 1, '{}', NULL, W))$$, $$'-Infinity'$$,
        '-Infinity'),
    ('W * m', '-1', '-1'),
    ('W * m', $$'Infinity'$$, 'Infinity'),
    ('W * e', '1.1e10', '11000000000')) AS v (call, weight, said);
SELECT each_is(result,
    format('dlints_update_batch(e, ARRAY[[1], [2]], ARRAY[1, 2], weights => %s)', weights),
    'FROM say')
FROM (VALUES
    ('ARRAY[1]', '22000: expected as many weights as rows of features '
        '(Rows of features: 2, weights: 1.)'),
    ('ARRAY[1, NULL]', '22004: array must not contain nulls '
        '(A null was found in the array of weights.)'),
    ('ARRAY[[1, 2]]', '2202E: array must be one-dimensional '
        '(The number of dimensions of the array of weights is 2.)')) AS v (weights, result);
SELECT each_is('42883: operator does not exist: dlints * numeric', 'm * 2.0', 'FROM say');
SELECT ok(same_bytes(m::text::dlints, m) AND dlints_mean(m) IS NOT NULL
    AND i.effective_sample_size = n
    AND i.updates = 1, what)
FROM (VALUES
    ('the largest', dlints_update(dlints_new(1), ARRAY[1], 1, weight => 1e10), 1e10::float8),
    ('one whose H is nothing', dlints_update(dlints_new(1), ARRAY[1], 1, weight => 1e-200), 1e-200),
    ('one that is nothing', 1e-200 * (1e-200 * dlints_update(dlints_new(1), ARRAY[1], 1)), 0))
    AS v (what, m, n), dlints_info(m) AS i;

-- H, of squared weights, loses a ridge long before G does, of which alone the mean is: what
-- a heavy observation leaves of others is the same for all who look
CREATE TEMP TABLE heavy AS
SELECT m, ARRAY[1, -1] AS x
FROM dlints_update_batch(dlints_new(2, discount => 0.9, ridge => 1, intercept => false),
    ARRAY[[1, 1], [1, 0]], ARRAY[1, 5], weights => ARRAY[1e9, 1]) AS m;
SELECT each_holds($$
    dlints_predict(m, x) BETWEEN 2.999 AND 3.001
    (SELECT score FROM dlints_decide(dlints_set(m, policy => 'ucb', exploration => 0), '{1}'::integer[], ARRAY[x])) BETWEEN 2.999 AND 3.001
    (SELECT score FROM dlints_decide(dlints_set(m, policy => 'greedy'), '{1}'::integer[], ARRAY[x])) BETWEEN 2.999 AND 3.001
    (SELECT dlints_progressive(m, x, NULL) OVER ()) BETWEEN 2.999 AND 3.001
    $$, 'FROM heavy');
SELECT * FROM finish();
ROLLBACK;
