-- The random projection: entries, and independence of the cache.  test/core/test_random.c tests their distribution.
\ir include/helpers.sql

SELECT plan(2 * 7 + 2 + 2 * 3 + 1 + 4 + 1);

-- Entries of P at scale 1 for seed, row and column, computed outside of this
-- code from the definition: Philox4x32-10 with the seed's two halves as key
-- and the counter (column / 2, 0, row, 1), two uniform numbers in (0, 1] of 53
-- bits each, Box-Muller with the cosine for even columns and the sine for odd
-- ones (rows and columns from 0; below from 1).  Part of the stored format.
-- Each seed has the entries at (1, 1), (1, 2), (3, 5) and (2, 4).
CREATE TEMP TABLE golden (seed, entries) AS VALUES
	(0::bigint, '{-1.505176051948169,-1.704750901810572,0.3779643397303462,0.14593256451957126}'::float8[]),
	(1, '{2.005620549900246,0.5140879916633853,-0.07022422823681163,1.1373302724744778}'),
	(42, '{0.22313596012364353,-0.9961924740241721,0.14044639313718588,-2.162398753876745}'),
	(-1, '{0.5164499087657658,-1.7083846583200655,0.25457978397440767,0.1301059783096496}'),
	(1099511627783, '{-0.26905233721076094,-0.591184244964296,1.1377661740231129,-0.5749997630521646}'),
	(-9223372036854775808, '{0.5499493928987076,1.2102368651639124,-0.6753663356163947,0.9067557995162263}'),
	(9223372036854775807, '{0.4657204998556141,-0.37230504807988174,0.8169426090863148,-0.42504677962738896}');
CREATE FUNCTION entries(m dlints) RETURNS float8[] LANGUAGE sql AS $$
SELECT array_agg((dlints_project(m, unit_vector(j, dim)))[i] ORDER BY place)
FROM dlints_info(m), unnest('{1,1,3,2}'::integer[], '{1,2,5,4}'::integer[])
     WITH ORDINALITY AS v (i, j, place)
$$;
SELECT cmp_ok(difference(entries(one_memory(5, 3, seed => seed, projection_scale => 1)), entries),
              '<', 1e-14::float8, format('golden values of seed %s', seed)) FROM golden;
SELECT cmp_ok(difference(plus(zeros(4), 2, entries(one_memory(6, 4, seed => seed))), entries),
              '<', 1e-14::float8, format('seed %s: other sizes, the same entries, at the default scale', seed))
FROM golden;

-- an intercept adds an exact 1
SELECT ok(bool_and(dlints_project(one_memory(8, d, intercept => true), x)
                   = dlints_project(one_memory(8, d), x) || 1::float8),
          format('an intercept is one coordinate more, reduced_dim %s', d))
FROM unnest('{3,NULL}'::integer[]) AS d, generate_series(1, 20) AS i, features(i, 8) AS x GROUP BY d ORDER BY d;

-- Results do not depend on the cache.  200 by 1000 numbers take two pieces.
CREATE FUNCTION large(s integer, seed bigint DEFAULT 8) RETURNS dlints LANGUAGE sql AS $$
SELECT dlints_update(one_memory(1000, 200, 0.9, seed => seed,
                                interactions => CASE WHEN s > 0 THEN 'matched' END),
                     features(1, 1000), 1, profile(1, s))
$$;
CREATE TEMP TABLE kept AS
SELECT s, m, x, u, dlints_project(m, x, u) AS z, dlints_draw_weights(m, u, 4) AS w,
       dlints_weights(m, u) AS mean_w
FROM unnest(ARRAY[0, 1000]) AS s, large(s) AS m, features(2, 1000) AS x, profile(9, s) AS u;
SELECT ok((SELECT count(DISTINCT e) FROM unnest(z) AS e) = cardinality(z) AND cardinality(z) >= 200,
          format('profile_dim %s: rows of different pieces are different', s)) FROM kept ORDER BY s;
SELECT cmp_ok(abs(dlints_dot(w, x) / dot(dlints_draw(m, 4), z) - 1), '<=', 1e-12::float8,
              format('profile_dim %s: all pieces are in the weights', s)) FROM kept ORDER BY s;
SET LOCAL dlints.projection_cache_size = 0;
SELECT cmp_ok(greatest(difference(dlints_project(m, x, u), z),
                       difference(dlints_draw_weights(m, u, 4), w),
                       difference(dlints_weights(m, u), mean_w), evidence_difference(large(s), m)),
              '<=', 1e-12::float8, format('profile_dim %s: no cache', s)) FROM kept ORDER BY s;
-- The cache has space for one of two matrices, which alternate.
SET LOCAL dlints.projection_cache_size = '2MB';
CREATE TEMP TABLE turn AS
SELECT seed, dlints_project(large(0, seed), x) AS z
FROM unnest('{8,9,8,9}'::bigint[]) AS seed, kept WHERE s = 0;
SELECT ok(max(difference(turn.z, kept.z)) FILTER (WHERE seed = 8) <= 1e-12
          AND min(difference(turn.z, kept.z)) FILTER (WHERE seed = 9) > 0.1
          AND count(DISTINCT turn.z) = 2, 'two models that take turns in a cache for one matrix keep their projections')
FROM turn, kept WHERE s = 0;
RESET dlints.projection_cache_size;

-- models with the same seed, sizes and scale share reduced features, others do not
CREATE TEMP TABLE reduced AS
SELECT x, dlints_project(one_memory(9, 4, seed => 77), x) AS z FROM features(1, 9) AS x;
SELECT is(dlints_project(one_memory(9, 4, 0.5, 7, 2, 77), x), z, 'reduced features depend on sizes and seed alone')
FROM reduced;
SELECT isnt(dlints_project(one_memory(9, 4, seed => 78), x), z, 'reduced features differ between seeds') FROM reduced;
SELECT cmp_ok(difference(dlints_project(one_memory(9, 4, seed => 77, projection_scale => 1), x),
                         plus(z, 1, z)), '<', 1e-14::float8, 'reduced features are proportional to projection_scale')
FROM reduced;
SELECT is(dlints_project(one_memory(9, seed => 77), x), x, 'features without projection are not reduced') FROM reduced;

-- The session keeps the projections that were used last, if not all fit into the cache.

-- matrices of 1.6 MB, .8 MB, and 1.6 MB again; another one of .8 MB replaces the least recently used one
SET LOCAL dlints.projection_cache_size = '2600kB';
CREATE FUNCTION use(seed bigint, d integer) RETURNS integer LANGUAGE sql AS
$$ SELECT cardinality(dlints_project(one_memory(1000, d, seed => seed),
    array_fill(1, ARRAY[1000]))) $$;
SELECT use(1, 200), use(2, 100), use(1, 200), use(3, 100) \gset used
SELECT is(array_agg(total_bytes > 1500000 ORDER BY total_bytes), '{false,true}', 'the one used longest ago goes')
FROM pg_backend_memory_contexts WHERE name = 'dlints projection';

SELECT * FROM finish();
ROLLBACK;
