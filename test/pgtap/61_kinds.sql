-- The kinds of models: z and weights against formulas in SQL, empty profiles, and errors.
-- 30_equivalence.sql tests equal training in all ways.
\ir include/helpers.sql

-- P x and P' psi, from a plain model with the same parameters, which 60_projection.sql tests
CREATE FUNCTION plain(m dlints) RETURNS dlints IMMUTABLE LANGUAGE sql AS $$
SELECT one_memory(dim, reduced_dim, seed => seed, projection_scale => projection_scale)
FROM dlints_info(m)
$$;
CREATE FUNCTION carried_back(m dlints, psi float8[]) RETURNS float8[] IMMUTABLE LANGUAGE sql AS $$
SELECT array_agg(dot(psi, dlints_project(plain(m), unit_vector(i, dim))) ORDER BY i)
FROM dlints_info(m), generate_series(1, dim) AS i
$$;

-- z by the formulas of the reference
CREATE FUNCTION z_of(m dlints, x float8[], u float8[]) RETURNS float8[] IMMUTABLE LANGUAGE sql AS $$
SELECT CASE coalesce(interactions, 'none')
           WHEN 'none' THEN px
           WHEN 'matched' THEN plus(zeros(cardinality(px)), 0.25, px)
               || CASE WHEN reduced_dim IS NULL
                       THEN ARRAY(SELECT a * b
                                  FROM unnest(x, u) WITH ORDINALITY AS p (a, b, i) ORDER BY i) END
               || 4 * dot(x, u) END
    || CASE WHEN intercept THEN ARRAY[1::float8] END
FROM dlints_info(m), dlints_project(plain(m), x) AS px
$$;
-- weights over x of a parameter, given u
CREATE FUNCTION w_of(m dlints, psi float8[], u float8[]) RETURNS float8[] IMMUTABLE LANGUAGE sql AS $$
SELECT array_agg(
    CASE WHEN interactions = 'matched' AND reduced_dim IS NULL
         THEN psi[i] / 4 + psi[n + i] * u[i] + 4 * psi[2 * n + 1] * u[i]
         WHEN interactions = 'matched' THEN back[i] / 4 + 4 * psi[reduced_dim + 1] * u[i]
         WHEN reduced_dim IS NULL THEN psi[i] ELSE back[i] END ORDER BY i)
FROM dlints_info(m), LATERAL (SELECT dim AS n) AS c, generate_series(1, n) AS i,
    carried_back(m, psi[1:coalesce(reduced_dim, n)]) AS back
$$;

CREATE TEMP TABLE model AS
SELECT name, n, d, s, interactions, z AS size, empty, evidence(empty, 1, 60) AS m
FROM kind;
-- models trained on z computed in SQL, and predictions from z
CREATE TEMP TABLE oracle AS
SELECT name, level(m) AS level, dlints_mean(o) AS mean, dlints_covariance(o) AS covariance
FROM model, dlints_info(m),
    LATERAL (SELECT dlints_update_batch(one_memory(size, NULL, discount, ridge, exploration),
                 array_agg(z_of(m, features(i, n), profile(i, s)) ORDER BY i),
                 array_agg(reward(i) - level(m) ORDER BY i)) AS o
             FROM generate_series(1, 60) AS i) AS l;
-- visitors, one with an empty profile
CREATE TEMP TABLE pair AS
SELECT name, i, x, u, z_of(m, x, u) AS z
FROM model, generate_series(1, 8) AS i,
    LATERAL (SELECT features(i + 500, n), profile(i, s)) AS c (x, u);

SELECT plan(226);

-- z and weights of each kind
SELECT ok(i.interactions IS NOT DISTINCT FROM k.interactions AND i.profile_dim = k.s
    AND i.dim = k.n
    AND i.reduced_dim IS NOT DISTINCT FROM k.d AND cardinality(dlints_mean(m)) = size
    AND (i.projection_scale IS NULL) = (d IS NULL), format('%s: z has %s coordinates', name, size))
FROM model AS k, dlints_info(m) AS i ORDER BY name;
SELECT cmp_ok(max(off), '<=', most, format('%s: %s', name, what))
FROM model JOIN oracle USING (name) JOIN pair USING (name), LATERAL (VALUES
    ('z', 1e-14::float8, difference(dlints_project(m, x, u), z)),
    ('weights of the mean', 1e-12, difference(dlints_weights(m, u), w_of(m, dlints_mean(m), u))),
    ('weights of a draw', 1e-12, difference(dlints_draw_weights(m, u, i), w_of(m, dlints_draw(m, i), u))),
    ('the mean', 1e-9, difference(plus(mean, level, unit_vector(size, size)), dlints_mean(m))),
    ('the covariance', 1e-10, difference(covariance, dlints_covariance(m))),
    ('what is expected', 1e-9, abs(dlints_predict(m, x, u) - dot(mean, z) - level)),
    ('how surely', 1e-9, abs(dlints_stddev(m, x, u) / sqrt(quadratic(covariance, z)) - 1))) AS v (what, most, off)
GROUP BY name, what, most ORDER BY name, what;

-- an empty profile stands for zeros with matched interactions
CREATE TEMP TABLE stranger AS
SELECT name, n, d, m, dlints_set(m, policy => 'greedy') AS greedy, features(77, n) AS x,
    zeros(n) AS zeros, '{}'::float8[] AS none
FROM model WHERE name ~ '^matched.*discount 0.9';
SELECT each_holds($$
    dlints_project(m, x, none) = dlints_project(m, x, zeros)
    dlints_predict(m, x, none) = dlints_predict(m, x, zeros)
    dlints_stddev(m, x, none) = dlints_stddev(m, x, zeros)
    dlints_weights(m, none) = dlints_weights(m, zeros)
    dlints_draw_weights(m, none, 4) = dlints_draw_weights(m, zeros, 4)
    dlints_accepts(m, x, 1, none) AND dlints_accepts(m, x)
    same_bytes(dlints_update(m, x, 1, none), dlints_update(m, x, 1, zeros))
    same_bytes((SELECT dlints_evidence(m, x, i, CASE i WHEN 1 THEN none ELSE x END)
                FROM generate_series(1, 2) AS i),
        (SELECT dlints_evidence(m, x, i, CASE i WHEN 1 THEN zeros ELSE x END)
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
-- empty and other profiles alternate, row by row and group by group
CREATE TEMP TABLE turn AS
SELECT name, greedy AS m, visitor, c, features(c + 300, n) AS x,
    CASE visitor % 3 WHEN 0 THEN none WHEN 1 THEN zeros ELSE features(visitor, n) END AS u,
    CASE visitor % 3 WHEN 2 THEN features(visitor, n) ELSE zeros END AS known
FROM stranger, generate_series(1, 6) AS visitor, generate_series(1, 10) AS c ORDER BY name, c, visitor;
SELECT each_holds($$
    (dlints_predict(m, x, u), dlints_stddev(m, x, u), dlints_weights(m, u))
        = (dlints_predict(m, x, known), dlints_stddev(m, x, known), dlints_weights(m, known))
    $$, 'FROM turn');
SELECT ok(bool_and(given = meant AND best = meant[1:1]), 'an empty profile equals a profile of zeros among others')
FROM (SELECT dlints_recommend(m, c, x, 10, u) AS given,
          dlints_recommend(m, c, x, 10, known) AS meant,
          dlints_recommend(m, c, x, 1, u) AS best
      FROM turn GROUP BY name, visitor) AS g;
-- NULL is neither an observation nor a result
SELECT each_holds($$
    same_bytes(dlints_update(m, x, 1, NULL), m)
    dlints_predict(m, x, NULL) IS NULL
    dlints_weights(m, NULL::real[]) IS NULL
    (SELECT dlints_evidence(m, x, 1, u) FROM (VALUES (NULL::float8[])) AS v (u)) IS NULL
    (SELECT dlints_recommend(m, i, x, 2, u) FROM (VALUES (1, NULL::float8[]), (2, x)) AS v (i, u))
        = '{2}'
    dlints_accepts(m, x, 1, NULL) IS NULL
    $$, 'FROM stranger');

SELECT ok(interactions = 'matched' AND profile_dim = 3 AND reduced_dim IS NOT DISTINCT FROM d
    AND policy = 'ucb', format('dlints_set keeps the kind, reduced_dim %s', d))
FROM (VALUES (NULL::integer), (2)) AS k (d),
    dlints_info(dlints_set(dlints_new(3, d, interactions => 'matched'), 2, 1, 0, 'ucb'));

-- a model without profiles accepts an empty profile, and refuses others
CREATE TEMP TABLE asked AS
SELECT call FROM lines($$
    dlints_update(m, x, 1, PROFILE)
    dlints_update_batch(m, ARRAY[x], ARRAY[1], PROFILE)
    dlints_accepts(m, x, 1, PROFILE)
    dlints_predict(m, x, PROFILE)
    dlints_stddev(m, x, PROFILE)
    dlints_project(m, x, PROFILE)
    dlints_weights(m, PROFILE)
    dlints_draw_weights(m, PROFILE, 3)
    (SELECT dlints_evidence(m, x, 1, PROFILE))
    (SELECT dlints_recommend(m, i, x, 1, PROFILE) FROM generate_series(1, 1) AS i)
    (SELECT dlints_decide(m, '{1}'::integer[], ARRAY[x], 1, PROFILE))
    (SELECT dlints_progressive(m, x, 1, PROFILE) OVER ())
    $$) AS call;
CREATE FUNCTION asked_with(call text, profile text) RETURNS text LANGUAGE sql AS $$
SELECT outcome(format(
    'SELECT %s FROM dlints_new(3, policy => ''greedy'') AS m,
        (SELECT ''{1,2,3}''::real[] AS x) AS v', replace(call, 'PROFILE', profile)))
$$;
SELECT is(string_agg(format('%s: %s', call, empty), E'\n')
          FILTER (WHERE empty NOT LIKE 'gives _%' OR empty <> asked_with(call, type)), NULL,
          format('a model without profiles takes %s', type))
FROM unnest(ARRAY['''{}''::real[]', '''{}''::float8[]', '''{}''::numeric[]']) AS type, asked,
    asked_with(call, '''{}''::real[]') AS empty GROUP BY type ORDER BY type;
SELECT is(asked_with(call, 'x'), CASE WHEN call LIKE 'dlints_accepts%' THEN 'gives false'
    ELSE format('22023: argument "%s" must not be given (The model is dlints(3,intercept), '
        'without profiles.)', CASE WHEN call ~ 'batch' THEN 'profiles' ELSE 'profile' END) END,
    format('a model without profiles rejects a profile: %s', call)) FROM asked ORDER BY call;

-- models of different kinds cannot be concatenated
SELECT is(outcome(format('SELECT dlints_new(%s) || dlints_new(%s)', a, b)),
    format('22023: cannot combine dlints models with different %s '
           '(The left model has %1$s %s, the right one %s.)', field, l, r), format('%s || %s', a, b))
FROM (VALUES
    ('3', $$3, interactions => 'matched'$$, 'interactions', 'null', '"matched"'),
    ($$3, 2, interactions => 'matched', discount => 1$$, $$3, interactions => 'matched',
        discount => 1$$,
     'reduced_dim', '2', 'null'),
    ($$3, interactions => 'matched'$$, $$3, interactions => 'matched', intercept => false$$,
     'intercept', 'true', 'false')) AS v (a, b, field, l, r);
-- models of different kinds are not equal
CREATE TEMP TABLE several (m) AS VALUES
    (dlints_new(4, 3, discount => 1)), (dlints_new(4, 3, discount => 1, interactions => 'matched')),
    (dlints_new(4, discount => 1)),
    (dlints_new(4, discount => 1, interactions => 'matched')),
    (dlints_new(4, NULL, 'matched', discount => 1)),
    (dlints_new(4, discount => 1, interactions => 'matched', intercept => false));
SELECT ok((SELECT count(*) FROM several AS a JOIN several AS b ON a.m = b.m) = 8
    AND (SELECT count(*) FROM several AS a JOIN several AS b ON a.m <> b.m) = 28
    AND (SELECT count(DISTINCT dlints_hash(m)) FROM several) = 5, 'six models, of which two are equal');

-- hints
SELECT is(hint_of('SELECT ' || call), hint, 'hint: ' || call) FROM (VALUES
    ($$dlints_new(512, interactions => 'matched')$$, 'Specify reduced_dim to project the features.'),
    ('dlints_new(3) || dlints_new(3, discount => 0.9)',
     'A model created with a discount has one memory unless "memories" is given.'),
    ('dlints_new(3, memories => 2) || dlints_new(3)', ''),
    ('dlints_policy_value(1, 1e-300, 1) FROM generate_series(1, 2)',
     'Rewards or importance weights (target / logged) are too large; check the smallest '
        'logged probability.'),
    ($$dlints_new(3, interactions => 'none')$$, 'Interactions are "matched", or NULL for none.')) AS v (call, hint);
SELECT is(cardinality(dlints_mean(m)), dim, what) FROM (VALUES
    ('the largest matched model', dlints_new(511, interactions => 'matched', memories => 1), 1024),
    ('the largest matched and projected model', dlints_new(65536, 1023, interactions => 'matched', memories => 1),
     1025)) AS v (what, m, dim);

-- the largest valid numbers
SELECT each_holds($$
    dlints_predict(m, x, u) IS NOT NULL AND dlints_stddev(m, x, u) IS NOT NULL
    dlints_weights(m, u) IS NOT NULL AND dlints_draw(m) IS NOT NULL
    same_bytes(m::text::dlints, m)
    $$, $$FROM kind, array_fill(1e50::float8, ARRAY[n]) AS x,
        array_fill(-1e50::float8, ARRAY[s]) AS u,
        dlints_update(dlints_update(empty, x, -1e50, u), features(3, n), 1e50, u) AS m
    WHERE name ~ '^matched.*, discount 0.9'$$);
SELECT * FROM finish();
ROLLBACK;
