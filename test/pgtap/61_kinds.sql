-- The kinds of models: z, weights and choices of each against their formulas in SQL;
-- strangers; what is refused.  That they learn alike in every way, 30_equivalence.sql says.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

-- P x and P' psi, by the projection of a plain model with the same parameters, which
-- 60_projection.sql looks at
CREATE FUNCTION plain(m dlints) RETURNS dlints IMMUTABLE LANGUAGE sql AS
$$
SELECT one_memory(context_dim, reduced_dim, seed => seed, projection_scale => projection_scale)
FROM dlints_info(m)
$$;
CREATE FUNCTION carried_back(m dlints, psi float8[]) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$
SELECT array_agg(dot(psi, dlints_project(plain(m), unit_vector(i, context_dim))) ORDER BY i)
FROM dlints_info(m), generate_series(1, context_dim) AS i
$$;

-- z by the formulas of the reference
CREATE FUNCTION z_of(m dlints, x float8[], u float8[]) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$
SELECT CASE coalesce(interactions, 'none')
           WHEN 'none' THEN px
           WHEN 'crossed' THEN x || ARRAY(
               SELECT a * b FROM unnest(x) WITH ORDINALITY AS p (a, i),
                   unnest(u) WITH ORDINALITY AS q (b, j)
               ORDER BY i, j)
           WHEN 'matched' THEN plus(zeros(cardinality(px)), 0.25, px)
               || CASE WHEN reduced_dim IS NULL
                       THEN ARRAY(SELECT a * b
                                  FROM unnest(x, u) WITH ORDINALITY AS p (a, b, i) ORDER BY i) END
               || 4 * dot(x, u) END
    || CASE WHEN intercept THEN ARRAY[1::float8] END
FROM dlints_info(m), dlints_project(plain(m), x) AS px
$$;
-- and the weights over x that a parameter means under u
CREATE FUNCTION w_of(m dlints, psi float8[], u float8[]) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$
SELECT array_agg(
    CASE WHEN interactions = 'matched' AND reduced_dim IS NULL
         THEN psi[i] / 4 + psi[n + i] * u[i] + 4 * psi[2 * n + 1] * u[i]
         WHEN interactions = 'matched' THEN back[i] / 4 + 4 * psi[reduced_dim + 1] * u[i]
         WHEN interactions = 'crossed'
         THEN psi[i] + (SELECT sum(psi[n + (i - 1) * shared_dim + j] * u[j])
                        FROM generate_series(1, shared_dim) AS j)
         WHEN reduced_dim IS NULL THEN psi[i] ELSE back[i] END ORDER BY i)
FROM dlints_info(m), LATERAL (SELECT context_dim AS n) AS c, generate_series(1, n) AS i,
    carried_back(m, psi[1:coalesce(reduced_dim, n)]) AS back
$$;

CREATE TEMP TABLE model AS
SELECT name, n, d, s, interactions, dim, empty, evidence(empty, 1, 60) AS m
FROM kind;
-- learned from z in SQL, and asked about z in SQL
CREATE TEMP TABLE oracle AS
SELECT name, level(m) AS level, dlints_mean(o) AS mean, dlints_covariance(o) AS covariance
FROM model, dlints_info(m),
    LATERAL (SELECT dlints_update_batch(one_memory(dim, NULL, discount, ridge, exploration),
                 array_agg(z_of(m, context(i, n), shared(i, s)) ORDER BY i),
                 array_agg(reward(i) - level(m) ORDER BY i)) AS o
             FROM generate_series(1, 60) AS i) AS l;
-- visitors, among whom is a stranger
CREATE TEMP TABLE pair AS
SELECT name, i, x, u, z_of(m, x, u) AS z
FROM model, generate_series(1, 8) AS i,
    LATERAL (SELECT context(i + 500, n), shared(i, s)) AS c (x, u);

SELECT plan(296);

-- what each is
SELECT ok(i.interactions IS NOT DISTINCT FROM k.interactions AND i.shared_dim = k.s
    AND i.context_dim = k.n
    AND i.reduced_dim IS NOT DISTINCT FROM k.d AND cardinality(dlints_mean(m)) = k.dim
    AND (i.projection_scale IS NULL) = (d IS NULL), format('%s: z has %s coordinates', name, dim))
FROM model AS k, dlints_info(m) AS i ORDER BY name;
SELECT cmp_ok(max(off), '<=', most, format('%s: %s', name, what))
FROM model JOIN oracle USING (name) JOIN pair USING (name), LATERAL (VALUES
    ('z', 1e-14::float8, difference(project_at(m, x, u), z)),
    ('weights of the mean', 1e-12, difference(weights_at(m, u), w_of(m, dlints_mean(m), u))),
    ('weights of a draw', 1e-12,
        difference(draw_weights_at(m, u, i), w_of(m, dlints_draw(m, i), u))),
    ('the mean', 1e-9, difference(plus(mean, level, unit_vector(dim, dim)), dlints_mean(m))),
    ('the covariance', 1e-10, difference(covariance, dlints_covariance(m))),
    ('what is expected', 1e-9, abs(predict_at(m, x, u) - dot(mean, z) - level)),
    ('how surely', 1e-9, abs(stddev_at(m, x, u) / sqrt(quadratic(covariance, z)) - 1)))
        AS v (what, most, off)
GROUP BY name, what, most ORDER BY name, what;

-- 30 candidates for some of them, by what is expected, and by ucb
CREATE TEMP TABLE candidate AS
SELECT name, i, c, m, x, u, dot(mean, z) AS score, sqrt(quadratic(covariance, z)) AS width, z,
    covariance
FROM model JOIN oracle USING (name), unnest(ARRAY[3, 7]) AS i, generate_series(1, 30) AS c,
    LATERAL (SELECT context(c + 300, n), shared(i, s)) AS p (x, u), z_of(m, x, u) AS z;
CREATE FUNCTION recommended(which text, visitor integer, explore float8, by text)
RETURNS integer[] LANGUAGE plpgsql AS
$$
BEGIN
	IF which ~ 'product|matched' THEN
		RETURN dlints_recommend(dlints_set(m, exploration => explore, policy => by), c, x, u, 30)
		FROM candidate WHERE name = which AND i = visitor;
	END IF;
	RETURN dlints_recommend(dlints_set(m, exploration => explore, policy => by), c, x, 30)
	FROM candidate WHERE name = which AND i = visitor;
END
$$;
SELECT ok(bool_and(recommended(name, i, 0, 'thompson') = expected
                   AND recommended(name, i, 2, 'ucb') = optimistic), format('%s: choices', name))
FROM (SELECT name, i, array_agg(c ORDER BY score DESC) AS expected,
          array_agg(c ORDER BY score + 2 * width DESC) AS optimistic
      FROM candidate GROUP BY name, i) AS s
GROUP BY name ORDER BY name;

-- Chosen with probabilities: a greedy one for sure; of two candidates the first as often as
-- its score under draws is the larger one, which is normal; 4,000 draws, 5.5 standard
-- deviations.
CREATE FUNCTION normal_below(x float8) RETURNS float8 IMMUTABLE LANGUAGE sql AS
$$
SELECT 0.5 + sum(exp(-0.5 * (x * (i - 0.5) / 2000) ^ 2)) * x / 2000 / sqrt(2 * pi())
FROM generate_series(1, 2000) AS i
$$;
SELECT ok(bool_and((choice).rank IS NOT DISTINCT FROM CASE WHEN place <= 3 THEN place END
    AND ((choice).rank IS NULL OR (choice).probability = 1)), format('%s: dlints_choose', name))
FROM (SELECT name, row_number() OVER (PARTITION BY name, i ORDER BY score DESC) AS place,
          dlints_choose(dlints_set(m, policy => 'greedy'), x, u, k => 3) OVER (PARTITION BY name, i)
              AS choice
      FROM candidate WHERE u IS NOT NULL) AS s
GROUP BY name ORDER BY name;
CREATE TEMP TABLE duel AS
SELECT *, dlints_choose(m, x, u, draws => 4000) OVER (PARTITION BY name, i, (c + 1) / 2) AS choice
FROM candidate WHERE u IS NOT NULL AND c <= 12;
SELECT cmp_ok(max(abs((a.choice).probability
    - normal_below((a.score - b.score) / 0.3 / sqrt(quadratic(a.covariance, apart))))),
    '<', 5.5 * 0.5 / sqrt(4000::float8), format('%s: probabilities', name))
FROM duel AS a JOIN duel AS b USING (name, i), plus(a.z, -1, b.z) AS apart
WHERE a.c % 2 = 1 AND b.c = a.c + 1 GROUP BY name ORDER BY name;

-- evidence by several workers
CREATE TABLE seen AS SELECT context(i, 4) AS x, shared(i, 4) AS u, reward(i) AS r, seen_at(i) AS at
FROM generate_series(1, 90) AS i;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
CREATE VIEW by_workers AS
SELECT dlints_evidence(dlints_new(4, interactions => 'matched', half_life => '5 days'), x, u, r, at)
    AS matched,
    dlints_evidence(dlints_new(4, shared_dim => 4, half_life => '5 days'), x, u, r, at) AS crossed
        FROM seen;
SELECT matches(plan_of('TABLE by_workers'), 'Gather(.|\n)*Partial Aggregate', 'a parallel plan');
SELECT ok(model_difference(matched,
    evidence(dlints_new(4, interactions => 'matched', half_life => '5 days'), 1, 90)) <= 1e-10
    AND model_difference(crossed,
        evidence(dlints_new(4, shared_dim => 4, half_life => '5 days'), 1, 90)) <= 1e-10,
    'by several workers') FROM by_workers;

-- strangers: an empty array stands for zeros where the shared context is one of the context's
-- space
CREATE TEMP TABLE stranger AS
SELECT name, n, d, m, dlints_set(m, policy => 'greedy') AS greedy, context(77, n) AS x,
    zeros(n) AS zeros, '{}'::float8[] AS none
FROM model WHERE name ~ '^matched.*discount 0.9';
SELECT each_holds($$
    dlints_project(m, x, none) = dlints_project(m, x, zeros)
    dlints_predict(m, x, none) = dlints_predict(m, x, zeros)
    dlints_stddev(m, x, none) = dlints_stddev(m, x, zeros)
    dlints_weights(m, none) = dlints_weights(m, zeros)
    dlints_draw_weights(m, none, 4) = dlints_draw_weights(m, zeros, 4)
    dlints_accepts(m, x, none) AND dlints_accepts(m, x, none, 1)
    same_bytes(dlints_update(m, x, none, 1), dlints_update(m, x, zeros, 1))
    same_bytes((SELECT dlints_evidence(m, x, CASE i WHEN 1 THEN none ELSE x END, i)
                FROM generate_series(1, 2) AS i),
        (SELECT dlints_evidence(m, x, CASE i WHEN 1 THEN zeros ELSE x END, i)
         FROM generate_series(1, 2) AS i))
    dlints_project(m, x::real[], '{}'::real[]) = dlints_project(m, x::real[], zeros::real[])
    dlints_project(m, x::numeric[], '{}'::numeric[])
        = dlints_project(m, x::numeric[], zeros::numeric[])
    difference(dlints_weights(m, none),
        plus(zeros, 0.25, CASE
            WHEN d IS NULL THEN (dlints_mean(m))[1:n]
                ELSE carried_back(m, (dlints_mean(m))[1:d]) END))
        <= 1e-13
    $$, 'FROM stranger');
-- strangers and others take turns, row by row and group by group
CREATE TEMP TABLE turn AS
SELECT name, greedy AS m, visitor, c, context(c + 300, n) AS x,
    CASE visitor % 3 WHEN 0 THEN none WHEN 1 THEN zeros ELSE context(visitor, n) END AS u,
    CASE visitor % 3 WHEN 2 THEN context(visitor, n) ELSE zeros END AS known
FROM stranger, generate_series(1, 6) AS visitor, generate_series(1, 10) AS c
ORDER BY name, c, visitor;
SELECT each_holds($$
    (dlints_predict(m, x, u), dlints_stddev(m, x, u), dlints_weights(m, u))
        = (dlints_predict(m, x, known), dlints_stddev(m, x, known), dlints_weights(m, known))
    $$, 'FROM turn');
SELECT ok(bool_and(given = meant AND best = meant[1]), 'strangers among visitors')
FROM (SELECT dlints_recommend(m, c, x, u, 10) AS given,
    dlints_recommend(m, c, x, known, 10) AS meant,
          dlints_recommend(m, c, x, u) AS best
      FROM turn GROUP BY name, visitor) AS g;
SELECT ok(bool_and(((a).rank, (a).probability) IS NOT DISTINCT FROM ((b).rank, (b).probability)),
    'strangers choose')
FROM (SELECT dlints_choose(m, x, u, k => 3) OVER w AS a,
    dlints_choose(m, x, known, k => 3) OVER w AS b
      FROM turn WINDOW w AS (PARTITION BY name, visitor)) AS c;
-- NULL is no observation, and no answer
SELECT each_holds($$
    same_bytes(dlints_update(m, x, NULL, 1), m)
    dlints_predict(m, x, NULL) IS NULL
    dlints_weights(m, NULL::real[]) IS NULL
    (SELECT dlints_evidence(m, x, u, 1) FROM (VALUES (NULL::float8[])) AS v (u)) IS NULL
    (SELECT dlints_recommend(m, i, x, u) FROM (VALUES (1, NULL::float8[]), (2, x)) AS v (i, u)) = 2
    dlints_accepts(m, x, NULL::float8[], 1) IS NULL
    $$, 'FROM stranger');

-- what is refused
SELECT is(outcome('SELECT '
    || replace(replace(call, 'MATCHED', $$3, interactions => 'matched'$$), 'X', 'ARRAY[1, 2, 3]')),
    result, call)
FROM (VALUES
    ($$dlints_project(dlints_new(3, shared_dim => 2), X, '{}')$$,
        '22000: expected 2 dimensions, not 0 '
        '(This is the length of the shared context; the model is dlints(3,0,2,intercept).)'),
    ($$dlints_accepts(dlints_new(3, shared_dim => 2), X::real[], '{}'::real[])$$, 'gives false'),
    ($$dlints_project(dlints_new(MATCHED), '{}', X)$$, '22000: expected 3 dimensions, not 0 '
        '(This is the length of the context; the model is dlints(3,matched,intercept).)'),
    ('dlints_project(dlints_new(MATCHED), X, ARRAY[1, 2])', '22000: expected 3 dimensions, not 2 '
        '(This is the length of the shared context; the model is dlints(3,matched,intercept).)'),
    ('dlints_project(dlints_new(MATCHED, reduced_dim => 2), X, ARRAY[1, 2, 3, 4])',
        '22000: expected 3 dimensions, not 4 '
        '(This is the length of the shared context; the model is dlints(3,2,matched,intercept).)'),
    ('dlints_project(dlints_new(MATCHED), X)', '22023: argument "shared" is missing '
        '(The model is dlints(3,matched,intercept), with a shared context of 3 dimensions.)'),
    ('dlints_project(dlints_new(MATCHED), X, ARRAY[1, NULL, 3])',
        '22004: array must not contain nulls '
        '(The shared context has one; the model is dlints(3,matched,intercept).)'),
    ('dlints_project(dlints_new(MATCHED), X, ARRAY[X])', '2202E: array must be one-dimensional '
        '(The shared context has 2 dimensions; the model is dlints(3,matched,intercept).)'),
    ($$dlints_update_batch(dlints_new(MATCHED), ARRAY[X], '{}', ARRAY[1])$$,
     '22000: expected as many shared contexts as contexts (Contexts: 1, shared contexts: 0.)'),
    ('dlints_update_batch(dlints_new(MATCHED), ARRAY[X], ARRAY[[1, 2]], ARRAY[1])',
        '22000: expected 3 dimensions, not 2 '
        '(This is the length of the rows of the array of shared contexts; the model is '
        'dlints(3,matched,intercept).)'),
    ('dlints_update_reduced(dlints_new(MATCHED), ARRAY[1, 2, 3, 1], 1)',
        '22000: expected 8 dimensions, not 4 '
        '(This is the length of the reduced context; the model is dlints(3,matched,intercept).)'))
    AS v (call, result);
SELECT ok(interactions = 'matched' AND shared_dim = 3 AND reduced_dim IS NOT DISTINCT FROM d
    AND policy = 'ucb',
    format('dlints_set keeps the kind, reduced_dim %s', d))
FROM (VALUES (NULL::integer), (2)) AS k (d),
    dlints_info(dlints_set(dlints_new(3, d, interactions => 'matched'), 2, 1, 0, 'ucb'));

-- different kinds are no histories of one another
SELECT is(outcome(format('SELECT dlints_new(%s) || dlints_new(%s)', a, b)),
    format('22023: dlints models with different %s do not fit together '
           '(The left model has %1$s %s, the right one %s.)', field, l, r),
               format('%s || %s', a, b))
FROM (VALUES
    ($$3, interactions => 'matched'$$, '3, shared_dim => 3', 'interactions', '"matched"',
        '"crossed"'),
    ('3', $$3, interactions => 'matched'$$, 'interactions', 'null', '"matched"'),
    ($$3, 2, interactions => 'matched', discount => 1$$, $$3, interactions => 'matched',
        discount => 1$$,
     'reduced_dim', '2', 'null'),
    ('3, shared_dim => 2, discount => 1', '3, shared_dim => 4, discount => 1', 'shared_dim',
        '2', '4'),
    ($$3, interactions => 'matched'$$, $$3, interactions => 'matched', intercept => false$$,
     'intercept', 'true', 'false')) AS v (a, b, field, l, r);
-- nor equal
CREATE TEMP TABLE several (m) AS VALUES
    (dlints_new(4, 3, discount => 1)), (dlints_new(4, 3, discount => 1, interactions => 'matched')),
    (dlints_new(4, discount => 1)), (dlints_new(4, discount => 1, shared_dim => 4)),
    (dlints_new(4, discount => 1, interactions => 'matched')),
    (dlints_new(4, discount => 1, interactions => 'matched', shared_dim => 4)),
    (dlints_new(4, discount => 1, interactions => 'matched', intercept => false));
SELECT ok((SELECT count(*) FROM several AS a JOIN several AS b ON a.m = b.m) = 9
    AND (SELECT count(*) FROM several AS a JOIN several AS b ON a.m <> b.m) = 40
    AND (SELECT count(DISTINCT dlints_hash_extended(m, 3)) FROM several) = 6,
        'seven models, of which two are equal');

-- what dlints_new refuses, and what helps
SELECT is(outcome(format('SELECT dlints_new(%s)', arguments)), result, arguments) FROM (VALUES
    ($$512, interactions => 'matched'$$, '54000: dlints cannot have more than 1024 dimensions '
        'without projection (This model, with matched interactions, would have 1025.)'),
    ($$2000, 1024, interactions => 'matched'$$,
        '54000: dlints cannot have more than 1024 dimensions '
        '(This model, with matched interactions, would have 1025.)'),
    ('64, shared_dim => 64', '54000: dlints cannot have more than 1024 dimensions '
        'without projection (This model, with crossed interactions, would have 4160.)'),
    ('65536, shared_dim => 65535', '54000: dlints cannot have more than 1024 dimensions '
        'without projection (This model, with crossed interactions, would have 4294967296.)'),
    ('3, 2, shared_dim => 2', '22023: reduced_dim must not be given with crossed interactions'),
    ($$3, interactions => 'crossed'$$, '22023: interactions need shared_dim'),
    ($$3, interactions => 'none'$$, '22023: unknown interactions "none"'),
    ($$3, shared_dim => 2, interactions => 'matched'$$, '22023: shared_dim must be context_dim '
        'with matched interactions (shared_dim is 2, context_dim is 3.)'),
    ($$3, 4, interactions => 'matched'$$,
     '22023: reduced_dim must not be greater than context_dim (reduced_dim is 4, context_dim is '
         '3.)'),
    ($$3, 2, shared_dim => -1, interactions => 'matched'$$,
     '22023: shared_dim must be at least 0 (The value is -1.)')) AS v (arguments, result);
SELECT is(hint_of('SELECT ' || call), hint, 'hint: ' || call) FROM (VALUES
    ($$dlints_new(512, interactions => 'matched')$$,
        'Give reduced_dim, to which contexts are then projected.'),
    ('dlints_new(64, shared_dim => 64)', 'Use matched interactions, or shorter contexts.'),
    ('dlints_new(3, 2, shared_dim => 2)', 'Products of random projections tell little of what '
        'they reduce. Use matched interactions, or shorter contexts.'),
    ($$dlints_predict(dlints_new(3, interactions => 'matched'), ARRAY[1, 2, 3])$$,
     'Give the profile behind the context; ''{}'' for somebody new.'),
    ('dlints_predict(dlints_new(3, shared_dim => 2), ARRAY[1, 2, 3])',
     'Behind the context, give what describes the user.'),
    ('dlints_new(3) || dlints_new(3, discount => 0.9)',
     'A model made with a discount has one memory if nothing else is said.'),
    ('dlints_new(3, memories => 2) || dlints_new(3)', ''),
    ('dlints_policy_value(1, 1e-300, 1) FROM generate_series(1, 2)',
     'Rewards are too large, or weights, target / logged: look at the smallest logged '
        'probability.'),
    ($$dlints_new(3, interactions => 'none')$$, 'Interactions are "crossed" or "matched".'))
        AS v (call, hint);
SELECT is(cardinality(dlints_mean(m)), dim, what) FROM (VALUES
    ('the largest matched', dlints_new(511, interactions => 'matched', memories => 1), 1024),
    ('and projected', dlints_new(65536, 1023, interactions => 'matched', memories => 1), 1025),
    ('the largest product', dlints_new(1, shared_dim => 1023, memories => 1), 1025),
    ('another', dlints_new(32, shared_dim => 31, memories => 1, intercept => false), 1024))
        AS v (what, m, dim);

-- columns take their own
CREATE TEMP TABLE state (
    matched dlints(3, matched), projected dlints(3, 2, matched, intercept),
        product dlints(3, 0, 2));
SELECT is(string_agg(format_type(atttypid, atttypmod), ' ' ORDER BY attnum),
    'dlints(3,matched) dlints(3,2,matched,intercept) dlints(3,0,2)', 'as they are written')
FROM pg_attribute WHERE attrelid = 'state'::regclass AND attnum > 0;
SELECT lives_ok($$
    INSERT INTO state VALUES (dlints_new(3, interactions => 'matched'),
        dlints_new(3, 2, interactions => 'matched'), dlints_new(3, shared_dim => 2))$$,
            'each its kind');
SELECT throws_ok('UPDATE state SET ' || change, '22000', message, change) FROM (VALUES
    ('matched = product', 'expected dlints(3,matched), not dlints(3,0,2,intercept)'),
    ('projected = product', 'expected dlints(3,2,matched,intercept), not dlints(3,0,2,intercept)'),
    ('product = projected', 'expected dlints(3,0,2), not dlints(3,2,matched,intercept)'),
    ($$projected = dlints_new(3, 2, interactions => 'matched', intercept => false)$$,
     'expected dlints(3,2,matched,intercept), not dlints(3,2,matched)'),
    ('product = dlints_new(3, shared_dim => 3)',
        'expected dlints(3,0,2), not dlints(3,0,3,intercept)'))
    AS v (change, message);

-- numbers as large as they may be
SELECT each_holds($$
    dlints_predict(m, x, u) IS NOT NULL AND dlints_stddev(m, x, u) IS NOT NULL
    dlints_weights(m, u) IS NOT NULL AND dlints_draw(m) IS NOT NULL
    same_bytes(m::text::dlints, m)
    $$, $$FROM kind, array_fill(1e50::float8, ARRAY[n]) AS x,
        array_fill(-1e50::float8, ARRAY[s]) AS u,
        dlints_update(dlints_update(empty, x, u, -1e50), context(3, n), u, 1e50) AS m
    WHERE name ~ '^(matched|product).*, discount 0.9'$$);
SELECT * FROM finish();
ROLLBACK;
