-- Several memories in a model: it answers as the one in use does; how many there are,
-- their windows, and what a model of them looks like.
\ir include/helpers.sql

-- the model with memory j alone, which has an H of its own
CREATE FUNCTION alone(m dlints, j integer) RETURNS dlints LANGUAGE sql AS
$$
SELECT dlints_new(dim, reduced_dim, interactions, NULL,
    CASE WHEN j = memories THEN 1 ELSE 1 - (1 - discount) / 5.0 ^ (j - 1) END, 1, ridge,
    exploration, noise, policy, intercept, seed, projection_scale)
FROM dlints_info(m)
$$;
-- and with memory j in use
CREATE FUNCTION used(m dlints, j integer) RETURNS dlints LANGUAGE sql AS
$$ SELECT (m::jsonb || jsonb_build_object('memory', j))::dlints $$;

SELECT plan(88);

SELECT ok(difference(dlints_mean(m), dlints_mean(o)) <= 1e-10
    AND difference(product(matrix, product(dlints_covariance(m), matrix)), z_tilde_matrix(m))
        <= 1e-10
    AND (difference(dlints_draw(m, 3), dlints_draw(o, 3)) <= 1e-9 OR j < 3)
    AND abs(i.effective_sample_size / n.effective_sample_size - 1) <= 1e-12
    AND abs(i.mean_reward / n.mean_reward - 1) <= 1e-10 AND i.memory = j,
    format('%s: memory %s in use', name, j))
FROM learner, generate_series(1, 3) AS j, used(batch(empty, 1, 150), j) AS m,
    dlints_info(m) AS i,
    z_matrix(m) AS matrix, batch(alone(empty, j), 1, 150) AS o, dlints_info(o) AS n
WHERE forgets = 'three memories' ORDER BY name, j;
-- and from a table, out of line, of which no more is read
CREATE TEMP TABLE wide AS
SELECT j, used(batch(empty, 1, 100), j) AS m, dlints_mean(batch(alone(empty, j), 1, 100)) AS mean
FROM dlints_new(60, discount => 0.9, memories => 3, ridge => 1, noise => 1) AS empty,
    generate_series(1, 3) AS j;
SELECT cmp_ok(difference(dlints_mean(m), mean), '<=', 1e-9::float8,
    format('out of line, memory %s of a value of %s bytes', j, pg_column_size(m)))
FROM wide ORDER BY j;

-- how many there are, and their windows
CREATE FUNCTION same_windows(have float8[], want float8[]) RETURNS boolean LANGUAGE sql AS
$$
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
    'one, and no discount, forgets nothing') FROM dlints_info(dlints_new(3, memories => 1));

-- errors, which tell what is wrong
SELECT is(outcome('SELECT ' || call), result, call) FROM (VALUES
    ('dlints_new(2, memories => 0)', '22023: memories must be between 1 and 8 (The value is 0.)'),
    ('dlints_new(2, memories => 9)', '22023: memories must be between 1 and 8 (The value is 9.)'),
    ('dlints_new(2, discount => 1, memories => 2)', '22023: discount must be less than 1 '
        'for several memories (With a discount of 1 the shortest memory would not forget.)'),
    ($$dlints_new(2, discount => 0.5, half_life => '1 day')$$,
     '22023: a model has either a discount or a half_life'),
    ($$dlints_new(2, half_life => '-1 day', memories => 3)$$,
     '22023: half_life in seconds must be between 0.001 and 1e+12 (The value is -86400.)'),
    ('dlints_new(2, noise => -0.5)',
        '22023: noise must be between 1e-100 and 1e+100 (The value is -0.5.)'),
    ($$dlints_new(2, reduced_dim => 2, interactions => 'none')$$,
     '22023: unknown interactions "none"')) AS v (call, result);
SELECT is(outcome(format('SELECT dlints_new(2, %s) || dlints_new(2, %s)', a, b)),
    format('22023: cannot combine dlints models with different %s '
           '(The left model has %1$s %s, the right one %s.)', field, l, r),
               format('%s || %s', a, b))
FROM (VALUES
    ('memories => 3', 'memories => 2', 'memories', '3', '2'),
    ('discount => 0.5', 'discount => 0.75', 'discount', '0.5', '0.75'),
    ($$half_life => '1 day'$$, $$half_life => '2 days'$$, 'half_life', '86400', '172800'),
    ('discount => 0.5', $$half_life => '1 day', memories => 1$$, 'discount', '0.5', 'null'),
    ('intercept => false', 'intercept => true', 'intercept', 'false', 'true'))
        AS v (a, b, field, l, r);

-- what a model looks like: a header, then for each memory N, R, S, b and G, and N2 for each
-- that forgets, or H for the only one
SELECT is((dlints_info(dlints_update(m, array_fill(1, ARRAY[4]), 1, at => now()))).bytes,
    192 + 8 * numbers::bigint, what)
FROM (VALUES
    ('three memories of D = 5', dlints_new(4), 3 * (3 + 5 + 15) + 2),
    ('eight of D = 4', dlints_new(4, memories => 8, intercept => false), 8 * (3 + 4 + 10) + 7),
    ('one that forgets', dlints_new(4, discount => 0.9), 8 + 2 * 15),
    ('one that does not', dlints_new(4, discount => 1), 8 + 15),
    ('by time', dlints_new(4, half_life => '1 day'), 3 * (3 + 5 + 15) + 2),
    ('two by time', dlints_new(4, half_life => '1 day', memories => 2), 2 * (8 + 15) + 1))
    AS v (what, m, numbers);
SELECT ok(reads_back(m) AND m <> empty, format('%s: reads back', what))
FROM (VALUES
    ('eight memories', dlints_new(3, memories => 8)),
    ('eight by time', dlints_new(3, half_life => '0.001 seconds', memories => 8)),
    ('by time, the longest', dlints_new(3, half_life => '31000 years')),
    ('the least noise', dlints_new(3, noise => 1e-100))) AS v (what, empty),
    dlints_update_batch(empty, ARRAY[[1, 2, 3], [2, 3, 1]], ARRAY[1e6, 1e6 + 1],
        ats => ARRAY['2026-01-01', '1999-01-01']::timestamptz[]) AS m;

-- a hint where the longest memory is shorter than what there is to learn, and only there
SELECT is(hint, want, what) FROM (VALUES
    ('shorter', dlints_new(30, discount => 1 - 1 / 20.0),
        'The longest memory has a window of 20 observations for 31 coordinates; '
        'increase discount, or omit it.'),
    ('as long', dlints_new(19, discount => 1 - 1 / 20.0), NULL),
    ('forgetting nothing', dlints_new(30, discount => 1), NULL),
    ('with a longer one', dlints_new(30, discount => 0.5, memories => 2), NULL),
    ('by time', dlints_new(30, half_life => '1 second'), NULL)) AS v (what, m, want),
        dlints_info(m);

-- other parameters make another choice, and nothing learned stays nothing
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
SELECT * FROM finish();
ROLLBACK;
