-- Shared contexts: z = P x + (Q x) o (R u), what is learned from it, and what
-- the looking functions make of that, against sums computed here.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

CREATE FUNCTION shared(i bigint, m integer) RETURNS float8[] IMMUTABLE LANGUAGE sql AS $$ SELECT context(i + 7000, m) $$;

CREATE FUNCTION zeros(n integer) RETURNS float8[] IMMUTABLE LANGUAGE sql AS $$ SELECT array_fill(0::float8, ARRAY[n]) $$;

-- a x + b y
CREATE FUNCTION combined(a float8, x float8[], b float8, y float8[]) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT array_agg(a * v + b * w ORDER BY k) FROM ROWS FROM (unnest(x), unnest(y)) WITH ORDINALITY AS e (v, w, k) $$;

CREATE TEMP TABLE shape AS
SELECT name, n, d, m, c AS intercept, kappa, discount, dlints_new(n, d, discount, 0.7, 0.3, 17, kappa, shared_dim => m, intercept => c) AS empty
FROM (VALUES ('d 4', 6, 4, 3, false, NULL::float8), ('d 4, intercept', 6, 4, 3, true, 0.8), ('d above n', 3, 7, 4, true, NULL)) AS s (name, n, d, m, c, kappa),
     (VALUES (1.0::float8), (0.9)) AS g (discount);

CREATE TEMP TABLE observation AS
SELECT n, m, i, context(i, n) AS x, shared(i % 7, m) AS u, number(i, 100000) AS r
FROM (SELECT DISTINCT n, m FROM shape) AS s, generate_series(1, 200) AS i;

SELECT plan(5 + 6 + 2 + 6 * 8 + 6 * 2 + 6 * 6 + 6 + 4);

-- The interactions by their entries: Q_ij R_il is what e_l adds to e_j's z.
CREATE TEMP TABLE product AS
SELECT name, j, l, i, q_r
FROM shape, generate_series(1, n) AS j, generate_series(1, m) AS l,
     unnest(combined(1, dlints_project(empty, unit_vector(j, n), unit_vector(l, m)), -1, dlints_project(empty, unit_vector(j, n), zeros(m)))) WITH ORDINALITY AS e (q_r, i)
WHERE discount = 1 AND i <= d;
SELECT is(count(*), 0::bigint, 'the interactions of a coordinate are a product of rows: Q_ij R_il Q_i1 R_i1 = Q_ij R_i1 Q_i1 R_il')
FROM product AS a JOIN product AS b USING (name, i) JOIN product AS c USING (name, i) JOIN product AS e USING (name, i)
WHERE b.j = 1 AND b.l = 1 AND c.j = a.j AND c.l = 1 AND e.j = 1 AND e.l = a.l AND abs(a.q_r * b.q_r - c.q_r * e.q_r) > 1e-13;
SELECT cmp_ok(count(DISTINCT q_r::numeric(30, 12)), '=', count(*), format('%s: and no two of them are the same', name)) FROM product GROUP BY name ORDER BY name;
SELECT is(count(*), 0::bigint, 'none of them is 0') FROM product WHERE q_r = 0;

-- z by hand: P's columns from the model without shared context where it has as many dimensions, the rest from the entries
SELECT cmp_ok(max(difference(dlints_project(empty, x, u), (SELECT array_agg(z ORDER BY i) || CASE WHEN intercept THEN ARRAY[1]::float8[] ELSE '{}' END FROM
    (SELECT i, sum(CASE l WHEN 1 THEN p[i] * x[j] ELSE 0 END) + sum(q_r * x[j] * u[l]) AS z
     FROM product, LATERAL (SELECT CASE WHEN d <= n THEN dlints_project(dlints_new(n, d, seed => 17, projection_scale => kappa), unit_vector(j, n)) ELSE dlints_project(empty, unit_vector(j, n), zeros(m)) END) AS c (p)
     WHERE product.name = shape.name GROUP BY i) AS s))), '<', 1e-13::float8, format('%s, discount %s: z = P x + (Q x) o (R u), and 1', name, discount))
FROM shape JOIN (SELECT * FROM observation WHERE i <= 10) AS o USING (n, m) GROUP BY name, discount ORDER BY name, discount;

-- u = 0 leaves P x, to the last bit; the scale is that of P and of R
SELECT ok(bool_and((dlints_project(empty, x, zeros(m)))[1:d] = dlints_project(dlints_new(n, d, seed => 17, projection_scale => kappa), x)), format('%s: no shared context, no interaction', name))
FROM shape JOIN observation USING (n, m) WHERE d <= n AND discount = 1 GROUP BY name ORDER BY name;

-- All ways to learn 200 observations under 7 shared contexts.
CREATE FUNCTION learn_singly(model dlints, first integer, last integer) RETURNS dlints LANGUAGE plpgsql AS
$$
DECLARE
	o observation;
BEGIN
	FOR o IN SELECT t.* FROM observation AS t, dlints_info(model) AS f WHERE n = context_dim AND m = shared_dim AND i BETWEEN first AND last ORDER BY i LOOP
		model := dlints_update(model, o.x, o.u, o.r);
	END LOOP;
	RETURN model;
END
$$;
CREATE FUNCTION learn_reduced(model dlints, first integer, last integer) RETURNS dlints LANGUAGE plpgsql AS
$$
DECLARE
	o observation;
BEGIN
	FOR o IN SELECT t.* FROM observation AS t, dlints_info(model) AS f WHERE n = context_dim AND m = shared_dim AND i BETWEEN first AND last ORDER BY i LOOP
		model := dlints_update_reduced(model, dlints_project(model, o.x, o.u), o.r);
	END LOOP;
	RETURN model;
END
$$;
CREATE FUNCTION learn_batch(model dlints, first integer, last integer) RETURNS dlints LANGUAGE sql AS
$$ SELECT dlints_update(model, array_agg(x ORDER BY i), array_agg(u ORDER BY i), array_agg(r ORDER BY i)) FROM observation, dlints_info(model) AS f
   WHERE n = context_dim AND m = shared_dim AND i BETWEEN first AND last $$;
CREATE FUNCTION evidence(model dlints, first integer, last integer) RETURNS dlints LANGUAGE sql AS
$$ SELECT dlints_evidence(model, x, u, r ORDER BY i) FROM observation, dlints_info(model) AS f
   WHERE n = context_dim AND m = shared_dim AND i BETWEEN first AND last $$;

CREATE TEMP TABLE trained AS SELECT s.*, learn_singly(empty, 1, 200) AS model FROM shape AS s;

SELECT cmp_ok(model_difference(model, learn_batch(empty, 1, 200)), '<=', 1e-10::float8, format('%s, discount %s: batch = one by one', name, discount)) FROM trained ORDER BY name, discount;
SELECT cmp_ok(model_difference(model, learn_batch(learn_batch(empty, 1, 70), 71, 200)), '<=', 1e-10::float8, format('%s, discount %s: batch after batch', name, discount)) FROM trained ORDER BY name, discount;
SELECT cmp_ok(model_difference(model, learn_reduced(empty, 1, 200)), '<=', 1e-10::float8, format('%s, discount %s: reduced contexts = contexts', name, discount)) FROM trained ORDER BY name, discount;
-- 200 are three full blocks and a part, 64 and 63 are one block, full or not
SELECT cmp_ok(model_difference(model, evidence(empty, 1, 200)), '<=', 1e-10::float8, format('%s, discount %s: evidence = one by one', name, discount)) FROM trained ORDER BY name, discount;
SELECT cmp_ok(greatest(model_difference(learn_singly(empty, 1, 64), evidence(empty, 1, 64)), model_difference(learn_singly(empty, 1, 63), evidence(empty, 1, 63)),
                       model_difference(learn_singly(empty, 1, 1), evidence(empty, 1, 1))), '<=', 1e-10::float8, format('%s, discount %s: evidence of blocks', name, discount)) FROM trained ORDER BY name, discount;
SELECT cmp_ok(model_difference(model, learn_batch(empty, 1, 77) || evidence(empty, 78, 200)), '<=', 1e-10::float8, format('%s, discount %s: m || e = learning e after m', name, discount)) FROM trained ORDER BY name, discount;
SELECT cmp_ok(model_difference(model, (SELECT dlints_concat_agg(evidence(empty, p * 20 + 1, p * 20 + 20) ORDER BY p) FROM generate_series(0, 9) AS p)), '<=', 1e-10::float8,
              format('%s, discount %s: dlints_concat_agg in order', name, discount)) FROM trained ORDER BY name, discount;
SELECT cmp_ok(model_difference((SELECT dlints_evidence(empty, x::real[], u::real[], r ORDER BY i) FROM observation WHERE n = t.n AND m = t.m),
                               (SELECT dlints_update(empty, array_agg(x::real[]::float8[] ORDER BY i), array_agg(u::real[]::float8[] ORDER BY i), array_agg(r ORDER BY i)) FROM observation WHERE n = t.n AND m = t.m)),
              '<=', 1e-10::float8, format('%s, discount %s: real[] = double precision[]', name, discount)) FROM trained AS t ORDER BY name, discount;

-- Algorithm 1 on z: sums weighted by discount^age
CREATE TEMP TABLE reduced AS
SELECT name, discount, i, dlints_project(empty, x, u) AS z, r FROM shape JOIN observation USING (n, m);
CREATE FUNCTION gram(of_name text, of_discount float8, power integer) RETURNS float8[] LANGUAGE sql AS
$$ SELECT array_agg(v ORDER BY j) FROM
   (SELECT j, array_agg(s ORDER BY k) AS v FROM
    (SELECT j, k, sum(discount ^ (power * (200 - i)) * z[j] * z[k]) + CASE WHEN j = k THEN 0.7 ELSE 0 END AS s
     FROM reduced, generate_subscripts(z, 1) AS j, generate_subscripts(z, 1) AS k WHERE name = of_name AND discount = of_discount GROUP BY j, k) AS e
    GROUP BY j) AS w $$;
CREATE TEMP TABLE oracle AS
SELECT t.*, gram(name, discount, 1) AS z, gram(name, discount, 2) AS z_tilde,
       (SELECT array_agg(s ORDER BY j) FROM (SELECT j, sum(discount ^ (200 - i) * q.z[j] * r) AS s FROM reduced AS q, generate_subscripts(q.z, 1) AS j
                                              WHERE q.name = t.name AND q.discount = t.discount GROUP BY j) AS e) AS b
FROM trained AS t;
SELECT ok(difference(z, z_matrix(model)) <= 1e-10 AND difference(z_tilde, z_tilde_matrix(model)) <= 1e-10 AND difference(b, numbers(model::jsonb -> 'b')) <= 1e-10,
          format('%s, discount %s: Z, Z~ and b', name, discount)) FROM oracle ORDER BY name, discount;
SELECT ok(difference(flat(solve(z, column_of(b))), dlints_mean(model)) <= 1e-9 AND difference(covariance_of(z, z_tilde), dlints_covariance(model)) <= 1e-9,
          format('%s, discount %s: mean and covariance', name, discount)) FROM oracle ORDER BY name, discount;

-- Looking, at other contexts under shared contexts that come and go in one
-- call site and differ in a single number, each in its turn
CREATE TEMP TABLE probe AS
SELECT n, m, i, context(i + 500, n) AS x, combined(1, shared(50, m), 1, unit_vector(i::integer % 5, m)) AS u FROM (SELECT DISTINCT n, m FROM shape) AS s, generate_series(1, 20) AS i;
SELECT cmp_ok(max(abs(dlints_predict(model, x, u) - dot(dlints_mean(model), dlints_project(model, x, u)))), '<', 1e-9::float8, format('%s, discount %s: predict = mean . z', name, discount))
FROM trained JOIN probe USING (n, m) GROUP BY name, discount ORDER BY name, discount;
SELECT cmp_ok(max(abs(dlints_predict(model, x, u) - dlints_dot(dlints_weights(model, u), x) - CASE WHEN intercept THEN (dlints_mean(model))[d + 1] ELSE 0 END)), '<', 1e-9::float8,
              format('%s, discount %s: predict = weights . x, and the intercept', name, discount))
FROM trained JOIN probe USING (n, m) GROUP BY name, discount ORDER BY name, discount;
SELECT cmp_ok(max(abs(dlints_stddev(model, x, u) / sqrt(quadratic(dlints_covariance(model), dlints_project(model, x, u))) - 1)), '<', 1e-9::float8,
              format('%s, discount %s: stddev^2 = z'' covariance z', name, discount))
FROM trained JOIN probe USING (n, m) GROUP BY name, discount ORDER BY name, discount;
SELECT cmp_ok(max(abs(dlints_dot(dlints_draw_weights(model, u, i), x) + CASE WHEN intercept THEN (dlints_draw(model, i))[d + 1] ELSE 0 END - dot(dlints_draw(model, i), dlints_project(model, x, u)))), '<', 1e-9::float8,
              format('%s, discount %s: a draw''s weights score as the draw', name, discount))
FROM trained JOIN probe USING (n, m) GROUP BY name, discount ORDER BY name, discount;
SELECT ok(bool_and(cardinality(dlints_weights(model, u)) = n AND cardinality(dlints_mean(model)) = cardinality(dlints_project(model, x, u)) AND (SELECT bool_and(c.mean = (dlints_mean(model))[c.index]) AND count(*) = cardinality(dlints_mean(model)) FROM dlints_coefficients(model) AS c)),
          format('%s, discount %s: lengths, coefficients', name, discount)) FROM trained JOIN probe USING (n, m) GROUP BY name, discount ORDER BY name, discount;
SELECT ok(model::text::dlints = model AND model::jsonb::dlints = model AND receive(dlints_send(model)) = model AND dlints_hash(model::text::dlints) = dlints_hash(model) AND model <> empty,
          format('%s, discount %s: text, jsonb and binary read back', name, discount)) FROM trained ORDER BY name, discount;

-- z.z' estimates x.x' (1 + u.u') over seeds: 10,000 of them, 5.5 deviations of their average
CREATE TEMP TABLE estimate AS
SELECT v.name, (1 + dot(u, w)) * dot(x, y) AS truth, dot(dlints_project(p, x, u), dlints_project(p, y, w)) AS product
FROM (VALUES ('unrelated', context(1, 6), shared(1, 3), context(2, 6), shared(2, 3)), ('one user', context(3, 6), shared(3, 3), context(4, 6), shared(3, 3)),
             ('one item', context(5, 6), shared(4, 3), context(5, 6), shared(5, 3)), ('squared length', context(6, 6), shared(6, 3), context(6, 6), shared(6, 3)),
             ('opposite users', context(7, 6), shared(7, 3), context(8, 6), combined(-1, shared(7, 3), 0, shared(7, 3))), ('nobody', context(9, 6), zeros(3), context(9, 6), zeros(3))) AS v (name, x, u, y, w),
     (SELECT dlints_new(6, 5, seed => s, shared_dim => 3) FROM generate_series(1, 10000) AS s) AS g (p);
SELECT cmp_ok(abs(avg(product) - truth), '<', 5.5 * stddev_samp(product) / 100, format('inner product kept in expectation: %s', name)) FROM estimate GROUP BY name, truth ORDER BY name;

-- Three matrices of 200 rows take several pieces, whether they are kept or not.
CREATE TEMP TABLE large AS
SELECT dlints_update(e, ARRAY[x, context(2, 1000)], ARRAY[u, shared(2, 50)], ARRAY[1, 2]::float8[]) AS model, e AS empty, x, u
FROM (SELECT dlints_new(1000, 200, 0.9, seed => 8, shared_dim => 50, intercept => true), context(1, 1000), shared(1, 50)) AS v (e, x, u);
CREATE TEMP TABLE kept AS SELECT dlints_project(model, x, u) AS z, dlints_weights(model, u) AS w, dlints_draw_weights(model, u, 4) AS draw FROM large;
SELECT cmp_ok(abs(dlints_predict(model, x, u) - dot(dlints_mean(model), z)), '<', 1e-9::float8, 'all pieces are in z and in the weights') FROM large, kept;
SET LOCAL dlints.projection_cache_size = 0;
SELECT cmp_ok(greatest(difference(dlints_project(model, x, u), z), difference(dlints_weights(model, u), w), difference(dlints_draw_weights(model, u, 4), draw)), '<=', 1e-12::float8, 'no cache') FROM large, kept;
SELECT cmp_ok(evidence_difference(dlints_update(empty, ARRAY[x, context(2, 1000)], ARRAY[u, shared(2, 50)], ARRAY[1, 2]::float8[]), model), '<=', 1e-12::float8, 'learning without cache') FROM large;
RESET dlints.projection_cache_size;
-- kept matrices of other models, with the same seed and fewer or more shared numbers, are not taken for this one's
SELECT cmp_ok(max(difference(dlints_project(dlints_new(1000, 200, seed => 8, shared_dim => s), x, shared(9, s)),
                             (dlints_project(dlints_new(1000, 200, seed => 8, shared_dim => 60), x, shared(9, s) || zeros(60 - s))))), '<', 1e-12::float8, 'the length of a shared context matters to the cache')
FROM large, (VALUES (49), (51), (50)) AS v (s);

SELECT * FROM finish();
ROLLBACK;
