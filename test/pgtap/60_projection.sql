-- The random projection: entries, moments, and that it does not depend on
-- where and how it is kept.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

SELECT plan(14 + 4 + 4 + 7 + 4 + 10 + 2);

-- Entries of P at scale 1 for seed, row and column, computed outside of this
-- code from the definition: Philox4x32-10 with the seed's two halves as key
-- and the counter (column / 2, 0, row, 1), two uniform numbers in (0, 1] of 53
-- bits each, Box-Muller with the cosine for even columns and the sine for odd
-- ones (rows and columns from 0; below from 1).  Part of the stored format.
CREATE TEMP TABLE golden (seed, i, j, entry) AS VALUES
(0::bigint, 1, 1, -1.505176051948169::float8), (0, 1, 2, -1.704750901810572), (0, 3, 5, 0.3779643397303462), (0, 2, 4, 0.14593256451957126),
(1, 1, 1, 2.005620549900246), (1, 1, 2, 0.5140879916633853), (1, 3, 5, -0.07022422823681163), (1, 2, 4, 1.1373302724744778),
(42, 1, 1, 0.22313596012364353), (42, 1, 2, -0.9961924740241721), (42, 3, 5, 0.14044639313718588), (42, 2, 4, -2.162398753876745),
(-1, 1, 1, 0.5164499087657658), (-1, 1, 2, -1.7083846583200655), (-1, 3, 5, 0.25457978397440767), (-1, 2, 4, 0.1301059783096496),
(1099511627783, 1, 1, -0.26905233721076094), (1099511627783, 1, 2, -0.591184244964296), (1099511627783, 3, 5, 1.1377661740231129), (1099511627783, 2, 4, -0.5749997630521646),
(-9223372036854775808, 1, 1, 0.5499493928987076), (-9223372036854775808, 1, 2, 1.2102368651639124), (-9223372036854775808, 3, 5, -0.6753663356163947), (-9223372036854775808, 2, 4, 0.9067557995162263),
(9223372036854775807, 1, 1, 0.4657204998556141), (9223372036854775807, 1, 2, -0.37230504807988174), (9223372036854775807, 3, 5, 0.8169426090863148), (9223372036854775807, 2, 4, -0.42504677962738896);
SELECT ok(bool_and(abs((dlints_project(one_memory(5, 3, seed => seed, projection_scale => 1), unit_vector(j, 5)))[i] - entry) < 1e-14), format('golden values of seed %s', seed))
FROM golden GROUP BY seed ORDER BY seed;
SELECT ok(bool_and(abs((dlints_project(one_memory(6, 4, seed => seed), unit_vector(j, 6)))[i] - entry / 2) < 1e-14), format('seed %s: other sizes, the same entries, at the default scale', seed))
FROM golden GROUP BY seed ORDER BY seed;

-- Moments of the 20,000 entries of a 100 by 200 matrix at scale 1.  Standard
-- deviations of the sample mean, variance, third and fourth moment of normals:
-- sqrt(1/N), sqrt(2/N), sqrt(15/N), sqrt(96/N); 5.5 of each allowed.
CREATE TEMP TABLE entry AS
SELECT j, i, e FROM generate_series(1, 200) AS j,
       unnest(dlints_project(one_memory(200, 100, seed => 99, projection_scale => 1), unit_vector(j::integer, 200))) WITH ORDINALITY AS u (e, i);
SELECT cmp_ok(abs(avg(e)), '<', 5.5 * sqrt(1 / 20000.0::float8), 'mean of entries') FROM entry;
SELECT cmp_ok(abs(avg(e * e) - 1), '<', 5.5 * sqrt(2 / 20000.0::float8), 'variance of entries') FROM entry;
SELECT cmp_ok(abs(avg(e ^ 3)), '<', 5.5 * sqrt(15 / 20000.0::float8), 'third moment of entries') FROM entry;
SELECT cmp_ok(abs(avg(e ^ 4) - 3), '<', 5.5 * sqrt(96 / 20000.0::float8), 'fourth moment of entries') FROM entry;

-- Neighbours in a row, in a column and across seeds have nothing to do with
-- each other: an average of M products has the standard deviation sqrt(1/M).
SELECT cmp_ok(abs(avg(a.e * b.e)), '<', 5.5 * sqrt(1 / 19900.0::float8), 'neighbouring columns') FROM entry AS a JOIN entry AS b ON a.i = b.i AND a.j + 1 = b.j;
SELECT cmp_ok(abs(avg(a.e * b.e)), '<', 5.5 * sqrt(1 / 19800.0::float8), 'neighbouring rows') FROM entry AS a JOIN entry AS b ON a.i + 1 = b.i AND a.j = b.j;
SELECT cmp_ok(abs(avg(a.e * b.e)), '<', 5.5 * sqrt(1 / 20000.0::float8), 'neighbouring seeds') FROM entry AS a JOIN
  (SELECT j, i, e FROM generate_series(1, 200) AS j,
          unnest(dlints_project(one_memory(200, 100, seed => 100, projection_scale => 1), unit_vector(j::integer, 200))) WITH ORDINALITY AS u (e, i)) AS b USING (i, j);
SELECT is(count(DISTINCT e), 20000::bigint, 'no entry comes twice') FROM entry;

-- Inner products are kept in expectation at the default scale.  Over seeds, z.z'
-- has the mean x.x' and the variance (|x|^2 |x'|^2 + (x.x')^2) / d; 400 seeds, d = 10,
-- 5.5 standard deviations of the average.  Under shared contexts its mean is
-- x.x' (1 + u.u'); 10,000 seeds, and their own deviation.
CREATE TEMP TABLE inner_product AS
SELECT name, dot(x, y) AS truth, avg(dot(dlints_project(m, x), dlints_project(m, y))) AS estimate, sqrt((dot(x, x) * dot(y, y) + dot(x, y) ^ 2) / 10 / 400) AS deviation
FROM (VALUES ('unrelated', context(1, 50), context(2, 50)), ('squared length', context(5, 50), context(5, 50)), ('orthogonal', unit_vector(1, 50), unit_vector(50, 50))) AS v (name, x, y),
     (SELECT one_memory(50, 10, seed => s) FROM generate_series(1, 400) AS s) AS p (m)
GROUP BY name, x, y
UNION ALL
SELECT name, truth, avg(product), stddev_samp(product) / 100 FROM
  (SELECT name, (1 + dot(u, w)) * dot(x, y) AS truth, dot(dlints_project(m, x, u), dlints_project(m, y, w)) AS product
   FROM (VALUES ('unrelated pairs', context(1, 6), shared(1, 3), context(2, 6), shared(2, 3)), ('one user', context(3, 6), shared(3, 3), context(4, 6), shared(3, 3)),
                ('one item', context(5, 6), shared(4, 3), context(5, 6), shared(5, 3)), ('squared length of a pair', context(6, 6), shared(6, 3), context(6, 6), shared(6, 3))) AS v (name, x, u, y, w),
        (SELECT one_memory(6, 5, seed => s, shared_dim => 3) FROM generate_series(1, 10000) AS s) AS g (m)) AS p
GROUP BY name, truth;
SELECT cmp_ok(abs(estimate - truth), '<', 5.5 * deviation, format('inner product kept in expectation: %s', name)) FROM inner_product ORDER BY name;

-- a shared context of 0 leaves P x, and an intercept adds a 1, to the last bit
SELECT ok(bool_and((dlints_project(empty, x, array_fill(0::float8, ARRAY[s])))[1:d] = dlints_project(one_memory(n, d, seed => -17, projection_scale => scale), x)), format('%s: no shared context, no interaction', name))
FROM kind, LATERAL (SELECT projection_scale AS scale FROM dlints_info(empty)) AS f, LATERAL (SELECT context(i, n) AS x FROM generate_series(1, 10) AS i) AS c WHERE interactions = 'crossed' AND d <= n AND discount = 1 GROUP BY name ORDER BY name;
SELECT ok(bool_and(dlints_project(one_memory(8, 3, seed => 31, shared_dim => 2, intercept => true), x, u) = dlints_project(one_memory(8, 3, seed => 31, shared_dim => 2), x, u) || 1::float8
                   AND dlints_project(one_memory(8, 3, intercept => true), x) = dlints_project(one_memory(8, 3), x) || 1::float8), 'an intercept is one coordinate more')
FROM (SELECT context(i, 8) AS x, context(i, 2) AS u FROM generate_series(1, 20) AS i) AS v;
SELECT is(dlints_project(one_memory(8, intercept => true), context(1, 8)), context(1, 8) || 1::float8, 'without projection, too');

-- The cache changes nothing but speed.  200 by 1000 numbers take two pieces.
CREATE TEMP TABLE large AS
SELECT s, update_at(one_memory(1000, 200, 0.9, seed => 8, shared_dim => s), context(1, 1000), shared(1, s), 1) AS m, context(2, 1000) AS x, shared(9, s) AS u FROM unnest(ARRAY[0, 50]) AS s;
CREATE TEMP TABLE kept AS SELECT s, project_at(m, x, u) AS z, draw_weights_at(m, u, 4) AS w, weights_at(m, u) AS mean_w FROM large;
SELECT is((SELECT count(DISTINCT e) FROM unnest(z) AS e), 200::bigint, format('shared_dim %s: rows of different pieces are different', s)) FROM kept ORDER BY s;
SELECT cmp_ok(abs(dlints_dot(w, x) / dot(dlints_draw(m, 4), z) - 1), '<=', 1e-12::float8, format('shared_dim %s: all pieces are in the weights', s)) FROM large JOIN kept USING (s) ORDER BY s;
SET LOCAL dlints.projection_cache_size = 0;
SELECT cmp_ok(greatest(difference(project_at(m, x, u), z), difference(draw_weights_at(m, u, 4), w), difference(weights_at(m, u), mean_w),
                       evidence_difference(update_at(one_memory(1000, 200, 0.9, seed => 8, shared_dim => s), context(1, 1000), shared(1, s), 1), m)), '<=', 1e-12::float8, format('shared_dim %s: no cache', s))
FROM large JOIN kept USING (s) ORDER BY s;
-- room for one matrix of this size and not for two
SET LOCAL dlints.projection_cache_size = '2MB';
SELECT cmp_ok(max(difference(dlints_project(m, x), z)), '<=', 1e-12::float8, 'a cache with room for one, used by two') FROM
  (SELECT m, x, z FROM large JOIN kept USING (s) WHERE s = 0 UNION ALL
   SELECT one_memory(1000, 200, seed => 9), x, (SELECT dlints_project(one_memory(1000, 200, seed => 9), x) FROM large WHERE s = 0) FROM large WHERE s = 0 UNION ALL
   SELECT m, x, z FROM large JOIN kept USING (s) WHERE s = 0) AS u;
RESET dlints.projection_cache_size;
-- kept matrices of other models, with the same seed and fewer or more shared numbers, are not taken for this one's
SELECT cmp_ok(difference(dlints_project(one_memory(1000, 200, seed => 8, shared_dim => len), x, shared(9, len)), dlints_project(one_memory(1000, 200, seed => 8, shared_dim => 60), x, shared(9, len) || array_fill(0::float8, ARRAY[60 - len]))),
              '<', 1e-12::float8, format('%s shared numbers', len)) FROM large, unnest(ARRAY[49, 51, 50]) AS len WHERE s = 50 ORDER BY len;

-- models with the same seed, sizes and scale share reduced contexts, others do not
SELECT is(dlints_project(one_memory(9, 4, 0.5, 7, 2, 77), context(1, 9)), dlints_project(one_memory(9, 4, seed => 77), context(1, 9)), 'reduced contexts can be shared');
SELECT ok(dlints_project(one_memory(9, 4, seed => 78), context(1, 9)) <> dlints_project(one_memory(9, 4, seed => 77), context(1, 9))
          AND difference(dlints_project(one_memory(9, 4, seed => 77, projection_scale => 1), context(1, 9)),
                         ARRAY(SELECT 2 * e FROM unnest(dlints_project(one_memory(9, 4, seed => 77), context(1, 9))) AS e)) < 1e-14
          AND dlints_project(one_memory(9, seed => 77), context(1, 9)) = context(1, 9), 'not between seeds, and by its factor between scales');

SELECT * FROM finish();
ROLLBACK;
