-- The kinds of models: z, weights, draws and choices of each against their
-- formulas in SQL, learned in every way; strangers; what is refused.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

-- P' psi, by its definition: the projection of a plain model with the same
-- parameters, which 60_projection.sql looks at
CREATE FUNCTION plain(m dlints) RETURNS dlints IMMUTABLE LANGUAGE sql AS
$$ SELECT one_memory(context_dim, reduced_dim, seed => seed, projection_scale => projection_scale) FROM dlints_info(m) $$;
CREATE FUNCTION carried_back(m dlints, psi float8[]) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT array_agg(dot(psi, dlints_project(plain(m), unit_vector(i, context_dim))) ORDER BY i) FROM dlints_info(m), generate_series(1, context_dim) AS i $$;

-- z by the formulas of the reference, but for the projected crossed kind
CREATE FUNCTION z_of(m dlints, x float8[], u float8[]) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT CASE interactions
     WHEN 'matched' THEN ARRAY(SELECT e / 2 FROM unnest(CASE WHEN reduced_dim IS NULL THEN x ELSE dlints_project(plain(m), x) END) WITH ORDINALITY AS b (e, i) ORDER BY i)
       || CASE WHEN reduced_dim IS NULL THEN ARRAY(SELECT a * b FROM unnest(x, u) WITH ORDINALITY AS p (a, b, i) ORDER BY i) END || 2 * dot(x, u)
     WHEN 'crossed' THEN x || ARRAY(SELECT a * b FROM unnest(x) WITH ORDINALITY AS p (a, i), unnest(u) WITH ORDINALITY AS q (b, j) ORDER BY i, j)
     ELSE CASE WHEN reduced_dim IS NULL THEN x ELSE dlints_project(plain(m), x) END END || CASE WHEN intercept THEN ARRAY[1::float8] END
   FROM dlints_info(m) $$;
-- and the weights over x that a parameter means under u
CREATE FUNCTION w_of(m dlints, psi float8[], u float8[]) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT CASE
     WHEN interactions = 'matched' AND reduced_dim IS NULL THEN (SELECT array_agg(psi[i] / 2 + psi[n + i] * u[i] + 2 * psi[2 * n + 1] * u[i] ORDER BY i) FROM generate_series(1, n) AS i)
     WHEN interactions = 'matched' THEN (SELECT array_agg(e / 2 + 2 * psi[reduced_dim + 1] * u[i] ORDER BY i) FROM unnest(carried_back(m, psi[1:reduced_dim])) WITH ORDINALITY AS b (e, i))
     WHEN interactions = 'crossed' THEN (SELECT array_agg(psi[i] + (SELECT sum(psi[n + (i - 1) * shared_dim + j] * u[j]) FROM generate_series(1, shared_dim) AS j) ORDER BY i) FROM generate_series(1, n) AS i)
     WHEN reduced_dim IS NULL THEN psi[1:n]
     ELSE carried_back(m, psi[1:reduced_dim]) END
   FROM dlints_info(m), LATERAL (SELECT context_dim AS n) AS c $$;

CREATE TEMP TABLE model AS
SELECT name, n, d, s, interactions, dim, empty, evidence(empty, 1, 60) AS m, (dlints_info(empty)).intercept FROM kind WHERE interactions IS DISTINCT FROM 'crossed' OR d IS NULL;
-- visitors among whom is a stranger
CREATE TEMP TABLE pair AS SELECT name, i, context(i + 500, n) AS x, shared(i, s) AS u FROM model, generate_series(1, 8) AS i;

SELECT plan(22 * 8 + 12 * 2 + 12 * 8 + 6 + 6 + 4 + 4 + 4 + 3 * 4 + 12 + 4 + 2 + 6 + 1 + 9 + 3 + 4 + 7 + 5 + 6);

-- what each is
SELECT ok(i.interactions IS NOT DISTINCT FROM k.interactions AND i.shared_dim = k.s AND i.context_dim = k.n AND i.reduced_dim IS NOT DISTINCT FROM k.d AND cardinality(dlints_mean(m)) = k.dim
          AND (i.projection_scale IS NULL) = (d IS NULL), format('%s: z has %s coordinates', name, dim)) FROM model AS k, dlints_info(m) AS i ORDER BY name;
SELECT cmp_ok(max(difference(project_at(m, x, u), z_of(m, x, u))), '<=', 1e-14::float8, format('%s: z', name)) FROM model JOIN pair USING (name) GROUP BY name ORDER BY name;
SELECT cmp_ok(greatest(max(difference(weights_at(m, u), w_of(m, dlints_mean(m), u))), max(difference(draw_weights_at(m, u, i), w_of(m, dlints_draw(m, i), u)))), '<=', 1e-12::float8, format('%s: weights of the mean and of draws', name))
FROM model JOIN pair USING (name) GROUP BY name ORDER BY name;
-- learned from z in SQL, and asked about z in SQL
CREATE TEMP TABLE oracle AS
SELECT name, (SELECT dlints_mean(o)) AS mean, dlints_covariance(o) AS covariance, o FROM model, LATERAL (SELECT dlints_update_batch(one_memory(dim, NULL, discount, ridge, exploration), array_agg(z ORDER BY i), array_agg(r ORDER BY i)) AS o FROM
  (SELECT i, reward(i) - level(m) AS r, z_of(m, context(i, n), shared(i, s)) AS z FROM generate_series(1, 60) AS i) AS z, dlints_info(m) GROUP BY dim, discount, ridge, exploration) AS l;
SELECT cmp_ok(difference(CASE WHEN intercept THEN mean[1:dim - 1] || mean[dim] + level(m) ELSE mean END, dlints_mean(m)), '<=', 1e-9::float8, format('%s: the mean', name)) FROM model JOIN oracle USING (name) ORDER BY name;
SELECT cmp_ok(difference(covariance, dlints_covariance(m)), '<=', 1e-10::float8, format('%s: the covariance', name)) FROM model JOIN oracle USING (name) ORDER BY name;
CREATE TEMP TABLE answer AS
SELECT name, i, x, u, predict_at(m, x, u) AS predict, stddev_at(m, x, u) AS stddev, dot(mean, z) + level(m) AS expected, sqrt(quadratic(covariance, z)) AS width
FROM model JOIN oracle USING (name) JOIN pair USING (name), LATERAL (SELECT z_of(m, x, u) AS z) AS z;
SELECT cmp_ok(greatest(max(abs(predict - expected)), max(abs(stddev / width - 1))), '<=', 1e-9::float8, format('%s: what is expected, and how surely', name)) FROM answer GROUP BY name ORDER BY name;
-- candidates for one visitor, best first
CREATE FUNCTION recommended(m dlints, u float8[], n integer) RETURNS integer[] LANGUAGE plpgsql AS
$$
BEGIN
	IF u IS NULL THEN
		RETURN dlints_recommend(m, i, context(i + 300, n), 30) FROM generate_series(1, 30) AS i;
	END IF;
	RETURN dlints_recommend(m, i, context(i + 300, n), u, 30) FROM generate_series(1, 30) AS i;
END
$$;
SELECT ok(bool_and(recommended(dlints_set(m, exploration => 0), u, n) = (SELECT array_agg(i ORDER BY dot(mean, z_of(m, context(i + 300, n), u)) DESC) FROM generate_series(1, 30) AS i)), format('%s: a choice by what is expected', name))
FROM model JOIN oracle USING (name) JOIN pair USING (name) WHERE pair.i IN (3, 7) AND n > 1 OR n = 1 AND pair.i = 3 GROUP BY name ORDER BY name;
SELECT ok(bool_and(recommended(dlints_set(m, policy => 'ucb', exploration => 2), u, n)
          = (SELECT array_agg(i ORDER BY dot(mean, z) + 2 * sqrt(quadratic(covariance, z)) DESC) FROM generate_series(1, 30) AS i, LATERAL (SELECT z_of(m, context(i + 300, n), u) AS z) AS z)), format('%s: and by ucb', name))
FROM model JOIN oracle USING (name) JOIN pair USING (name) WHERE pair.i IN (3, 7) GROUP BY name ORDER BY name;

-- Chosen with probabilities: a greedy one for sure; of two candidates the first as
-- often as its score under draws is the larger one, which is normal; 4,000 draws,
-- 5.5 standard deviations.
CREATE FUNCTION normal_below(x float8) RETURNS float8 IMMUTABLE LANGUAGE sql AS
$$ SELECT 0.5 + sum(exp(-0.5 * (x * (i - 0.5) / 2000) ^ 2)) * x / 2000 / sqrt(2 * pi()) FROM generate_series(1, 2000) AS i $$;
CREATE TEMP TABLE candidate AS SELECT name, p.i, u, c, context(c + 300, n) AS x FROM model JOIN pair AS p USING (name), generate_series(1, 12) AS c WHERE interactions IS NOT NULL AND p.i IN (3, 7);
CREATE TEMP TABLE chosen AS
SELECT name, i, c, (choice).rank, (choice).probability, dot(mean, z_of(m, x, u)) AS score
FROM (SELECT name, i, c, x, u, m, dlints_choose(dlints_set(m, exploration => 0, policy => 'greedy'), x, u, k => 3) OVER (PARTITION BY name, i) AS choice FROM candidate JOIN model USING (name)) AS choice JOIN oracle USING (name);
SELECT ok(bool_and(rank IS NOT DISTINCT FROM CASE WHEN place <= 3 THEN place END AND (rank IS NULL OR probability = 1)), format('%s: dlints_choose', name))
FROM (SELECT *, row_number() OVER (PARTITION BY name, i ORDER BY score DESC) AS place FROM chosen) AS p GROUP BY name ORDER BY name;
CREATE TEMP TABLE duel AS
SELECT name, i, c, dot(mean, z) AS score, z, covariance, dlints_probability(m, x, u, draws => 4000) OVER (PARTITION BY name, i, (c + 1) / 2) AS probability
FROM candidate JOIN model USING (name) JOIN oracle USING (name), LATERAL (SELECT z_of(m, x, u) AS z) AS z;
SELECT cmp_ok(max(abs(a.probability - normal_below((a.score - b.score) / 0.3 / sqrt(quadratic(a.covariance, apart))))), '<', 5.5 * 0.5 / sqrt(4000::float8), format('%s: dlints_probability', name))
FROM duel AS a JOIN duel AS b USING (name, i), LATERAL (SELECT array_agg(p - q ORDER BY k) AS apart FROM unnest(a.z, b.z) WITH ORDINALITY AS d (p, q, k)) AS d WHERE a.c % 2 = 1 AND b.c = a.c + 1 GROUP BY name ORDER BY name;

-- Learned in every way, by time and by count, with weights.  These are all kinds with shared contexts.
CREATE TEMP TABLE personal AS
SELECT format('%s, %s', split_part(name, ', discount', 1), by) AS name, n, s, empty FROM
  (SELECT k.name, n, s, by, dlints_new(n, d, half_life => v.half_life, discount => rate, memories => 2, ridge => 0.7, shared_dim => s, interactions => k.interactions, intercept => i.intercept, seed => 6) AS empty
   FROM kind AS k, dlints_info(k.empty) AS i, (VALUES ('time', '5 days'::interval, NULL::float8), ('count', NULL, 0.9)) AS v (by, half_life, rate)
   WHERE k.discount = 1 AND (k.name LIKE 'product%' OR k.name LIKE 'matched%')) AS e;
CREATE TABLE seen AS
SELECT name, i, context(i, n) AS x, shared(i, s) AS u, reward(i) + 2 AS r, '2026-03-01 00:00+00'::timestamptz + (number(i, 700) + 1) * interval '10 days' AS at, (1 + i % 3)::float8 AS weight FROM personal, generate_series(1, 90) AS i;
CREATE FUNCTION one_by_one(which text, m dlints) RETURNS dlints LANGUAGE plpgsql AS
$$
DECLARE
	o seen;
BEGIN
	FOR o IN SELECT * FROM seen WHERE name = which ORDER BY i LOOP
		m := dlints_update(m, o.x, o.u, o.r, o.at, o.weight);
	END LOOP;
	RETURN m;
END
$$;
CREATE FUNCTION by_reduced(which text, m dlints) RETURNS dlints LANGUAGE plpgsql AS
$$
DECLARE
	o seen;
BEGIN
	FOR o IN SELECT * FROM seen WHERE name = which ORDER BY i LOOP
		m := dlints_update_reduced(m, z_of(m, o.x, o.u), o.r, o.at, o.weight);
	END LOOP;
	RETURN m;
END
$$;
CREATE FUNCTION learned_from(which text, m dlints, first integer, last integer) RETURNS dlints LANGUAGE sql AS
$$ SELECT dlints_evidence(m, x, u, r, at, weight ORDER BY i) FROM seen WHERE name = which AND i BETWEEN first AND last $$;
CREATE TEMP TABLE taught AS SELECT name, n, s, empty, one_by_one(name, empty) AS m FROM personal;
SELECT cmp_ok(model_difference(m, other), '<=', 1e-10::float8, format('%s: %s', name, way)) FROM taught, LATERAL (VALUES
  ('evidence', learned_from(name, empty, 1, 90)),
  ('a batch', (SELECT dlints_update_batch(empty, array_agg(x ORDER BY i), array_agg(u ORDER BY i), array_agg(r ORDER BY i), array_agg(at ORDER BY i), array_agg(weight ORDER BY i)) FROM seen WHERE seen.name = taught.name)),
  ('reduced contexts', by_reduced(name, empty)),
  ('histories', (learned_from(name, empty, 1, 30) || learned_from(name, empty, 31, 31)) || learned_from(name, empty, 32, 90)),
  ('dlints_concat_agg', (SELECT dlints_concat_agg(learned_from(name, empty, p * 30 + 1, p * 30 + 30) ORDER BY p) FROM generate_series(0, 2) AS p)),
  ('text, and on', (learned_from(name, empty, 1, 45)::text::dlints::jsonb::dlints) || receive(dlints_send(learned_from(name, empty, 46, 90)))),
  ('weighed and put right', 0.25 * (4 * m)), ('other parameters and back', dlints_set(dlints_set(m, ridge => 3, policy => 'ucb', noise => 2), ridge => 0.7, policy => 'thompson', noise => 0))) AS v (way, other) ORDER BY name, way;
-- by time in any order, taken back, and at another time; nothing forgotten taken back, too
SELECT ok(model_difference(m, (SELECT dlints_evidence(empty, x, u, r, at, weight ORDER BY i % 7, i) FROM seen WHERE seen.name = taught.name)) <= 1e-10
          AND evidence_difference(dlints_at(m - learned_from(name, empty, 1, 20), newest), dlints_at(learned_from(name, empty, 21, 90), newest)) <= 1e-9
          AND evidence_difference(dlints_at(m, newest + interval '5 days') || empty, dlints_at(m, newest + interval '5 days')) = 0, format('%s: any order, and back', name))
FROM taught, LATERAL (SELECT newest FROM dlints_info(m)) AS t WHERE name LIKE '%time' ORDER BY name;
SELECT cmp_ok(evidence_difference((evidence(empty, 1, 40) || evidence(empty, 41, 60)) - evidence(empty, 41, 60), evidence(empty, 1, 40)), '<=', 1e-9::float8, format('%s: taken back', name))
FROM kind WHERE name ~ '^(matched|product).*, discount 1$' ORDER BY name;
-- in a parallel plan
ANALYZE seen;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
CREATE FUNCTION plan_of(statement text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	line text;
	result text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || statement LOOP
		result := result || line || E'\n';
	END LOOP;
	RETURN result;
END
$$;
CREATE FUNCTION in_parallel(which text, m dlints, OUT evidence dlints, OUT parallel boolean) LANGUAGE plpgsql AS
$$
DECLARE
	statement text := format('SELECT dlints_evidence(%L::dlints, x, u, r, at, weight) FROM seen WHERE name = %L', m, which);
BEGIN
	parallel := plan_of(statement) ~ 'Gather(.|\n)*Partial Aggregate';
	EXECUTE statement INTO evidence;
END
$$;
SELECT ok(parallel AND model_difference(evidence, m) <= 1e-10, format('%s: by several workers', name)) FROM taught, in_parallel(name, empty) WHERE name ~ '^(product|matched, projected|matched), time$|^matched, intercept, time$' ORDER BY name;

-- strangers: an empty array stands for zeros where the shared context is one of the context's space
CREATE TEMP TABLE stranger AS
SELECT name, n, m, context(77, n) AS x, array_fill(0::float8, ARRAY[n]) AS zeros, none FROM model, (VALUES ('{}'::float8[])) AS v (none) WHERE name ~ '^matched.*discount 0.9';
SELECT ok(dlints_project(m, x, none) = dlints_project(m, x, zeros) AND dlints_predict(m, x, none) = dlints_predict(m, x, zeros) AND dlints_stddev(m, x, none) = dlints_stddev(m, x, zeros) AND dlints_weights(m, none) = dlints_weights(m, zeros)
          AND dlints_draw_weights(m, none, 4) = dlints_draw_weights(m, zeros, 4) AND dlints_accepts(m, x, none) AND dlints_accepts(m, x, none, 1) AND same_bytes(dlints_update(m, x, none, 1), dlints_update(m, x, zeros, 1))
          AND same_bytes((SELECT dlints_evidence(m, x, u, 1) FROM unnest(ARRAY[1, 2]) AS i, LATERAL (SELECT CASE i WHEN 1 THEN none ELSE x END) AS v (u)), (SELECT dlints_evidence(m, x, u, 1) FROM unnest(ARRAY[1, 2]) AS i, LATERAL (SELECT CASE i WHEN 1 THEN zeros ELSE x END) AS v (u)))
          AND dlints_project(m, x::real[], '{}'::real[]) = dlints_project(m, x::real[], zeros::real[]) AND dlints_project(m, x::numeric[], '{}'::numeric[]) = dlints_project(m, x::numeric[], zeros::numeric[])
          AND (SELECT dlints_recommend(dlints_set(m, policy => 'ucb'), i, context(i, n), none, 20) = dlints_recommend(dlints_set(m, policy => 'ucb'), i, context(i, n), zeros, 20) FROM generate_series(1, 20) AS i), format('%s: a stranger', name)) FROM stranger ORDER BY name;
-- to whom all that is shown is what everybody likes
SELECT cmp_ok(difference(dlints_weights(m, none), ARRAY(SELECT e / 2 FROM unnest(CASE WHEN d IS NULL THEN (dlints_mean(m))[1:n] ELSE carried_back(m, (dlints_mean(m))[1:d]) END) WITH ORDINALITY AS b (e, i) ORDER BY i)), '<=', 1e-13::float8, format('%s: and what is for all', name))
FROM stranger JOIN (SELECT name, d FROM model) AS k USING (name) ORDER BY name;
-- strangers and others take turns, row by row and group by group
CREATE TEMP TABLE turn AS
SELECT name, dlints_set(m, policy => 'greedy') AS m, visitor, c, context(c + 300, n) AS x, CASE visitor % 3 WHEN 0 THEN none WHEN 1 THEN zeros ELSE context(visitor, n) END AS u, CASE visitor % 3 WHEN 2 THEN context(visitor, n) ELSE zeros END AS known
FROM stranger, generate_series(1, 6) AS visitor, generate_series(1, 10) AS c ORDER BY name, c, visitor;
SELECT ok(NOT bool_or((dlints_predict(m, x, u), dlints_stddev(m, x, u), dlints_weights(m, u)) IS DISTINCT FROM (dlints_predict(m, x, known), dlints_stddev(m, x, known), dlints_weights(m, known))), format('%s: strangers in turn', name)) FROM turn GROUP BY name ORDER BY name;
SELECT ok(bool_and(given = meant AND best = meant[1]), format('%s: strangers among visitors', name)) FROM
  (SELECT name, dlints_recommend(m, c, x, u, 10) AS given, dlints_recommend(m, c, x, known, 10) AS meant, dlints_recommend(m, c, x, u) AS best FROM turn GROUP BY name, visitor) AS g GROUP BY name ORDER BY name;
SELECT ok(bool_and((a).rank IS NOT DISTINCT FROM (b).rank AND (a).probability IS NOT DISTINCT FROM (b).probability), format('%s: strangers choose', name)) FROM
  (SELECT name, dlints_choose(m, x, u, k => 3) OVER w AS a, dlints_choose(m, x, known, k => 3) OVER w AS b FROM turn WINDOW w AS (PARTITION BY name, visitor)) AS c GROUP BY name ORDER BY name;
SELECT is(outcome('SELECT ' || statement), result, statement) FROM (VALUES
  ('dlints_project(dlints_new(3, shared_dim => 2), ARRAY[1, 2, 3], ''{}'')', '22000: expected 2 dimensions, not 0 (This is the length of the shared context; the model is dlints(3,0,2,intercept).)'),
  ('dlints_project(dlints_new(3, 2, shared_dim => 2), ARRAY[1, 2, 3], ''{}'')', '22000: expected 2 dimensions, not 0 (This is the length of the shared context; the model is dlints(3,2,2,intercept).)'),
  ('dlints_accepts(dlints_new(3, shared_dim => 2), ARRAY[1, 2, 3]::real[], ''{}''::real[])', 'gives false'),
  ('dlints_project(dlints_new(3, interactions => ''matched''), ''{}'', ARRAY[1, 2, 3])', '22000: expected 3 dimensions, not 0 (This is the length of the context; the model is dlints(3,matched,intercept).)'),
  ('dlints_project(dlints_new(3, interactions => ''matched''), ARRAY[1, 2, 3], ARRAY[1, 2])', '22000: expected 3 dimensions, not 2 (This is the length of the shared context; the model is dlints(3,matched,intercept).)'),
  ('dlints_project(dlints_new(3, 2, interactions => ''matched''), ARRAY[1, 2, 3], ARRAY[1, 2, 3, 4])', '22000: expected 3 dimensions, not 4 (This is the length of the shared context; the model is dlints(3,2,matched,intercept).)'),
  ('dlints_project(dlints_new(3, interactions => ''matched''), ARRAY[1, 2, 3])', '22023: argument "shared" is missing (The model is dlints(3,matched,intercept), with a shared context of 3 dimensions.)'),
  ('dlints_project(dlints_new(3, interactions => ''matched''), ARRAY[1, 2, 3], ARRAY[1, NULL, 3])', '22004: array must not contain nulls (The shared context has one; the model is dlints(3,matched,intercept).)'),
  ('dlints_project(dlints_new(3, interactions => ''matched''), ARRAY[1, 2, 3], ARRAY[[1, 2, 3]])', '2202E: array must be one-dimensional (The shared context has 2 dimensions; the model is dlints(3,matched,intercept).)'),
  ('dlints_update_batch(dlints_new(3, interactions => ''matched''), ARRAY[[1, 2, 3]], ''{}'', ARRAY[1])', '22000: expected as many shared contexts as contexts (Contexts: 1, shared contexts: 0.)'),
  ('dlints_update_batch(dlints_new(3, interactions => ''matched''), ARRAY[[1, 2, 3]], ARRAY[[1, 2]], ARRAY[1])', '22000: expected 3 dimensions, not 2 (This is the length of the rows of the array of shared contexts; the model is dlints(3,matched,intercept).)'),
  ('dlints_update_reduced(dlints_new(3, interactions => ''matched''), ARRAY[1, 2, 3, 1], 1)', '22000: expected 8 dimensions, not 4 (This is the length of the reduced context; the model is dlints(3,matched,intercept).)')) AS v (statement, result) ORDER BY statement;
-- NULL is no observation, and no answer
SELECT ok(same_bytes(dlints_update(m, x, NULL, 1), m) AND dlints_predict(m, x, NULL) IS NULL AND dlints_weights(m, NULL::real[]) IS NULL AND (SELECT dlints_evidence(m, x, u, 1) FROM (VALUES (NULL::float8[])) AS v (u)) IS NULL
          AND (SELECT dlints_recommend(m, i, x, u) FROM (VALUES (1, NULL::float8[]), (2, x)) AS v (i, u)) = 2 AND same_bytes(dlints_set(m), m) AND dlints_accepts(m, x, NULL::float8[], 1) IS NULL, format('%s: NULL', name)) FROM stranger ORDER BY name;
SELECT ok(i.interactions = 'matched' AND i.shared_dim = 3 AND i.reduced_dim IS NOT DISTINCT FROM k.d AND i.policy = 'ucb', format('dlints_set keeps the kind, reduced_dim %s', k.d))
FROM (VALUES (NULL::integer), (2)) AS k (d), dlints_info(dlints_set(dlints_new(3, d, interactions => 'matched'), 2, 1, 0, 'ucb')) AS i;

-- different kinds are no histories of one another
SELECT is(outcome(format('SELECT %s || %s', l, r)), '22023: dlints models with different ' || result, format('%s || %s', l, r)) FROM (VALUES
  ('dlints_new(3, interactions => ''matched'')', 'dlints_new(3, shared_dim => 3)', 'interactions do not fit together (The left model has interactions "matched", the right one "crossed".)'),
  ('dlints_new(3)', 'dlints_new(3, interactions => ''matched'')', 'interactions do not fit together (The left model has interactions null, the right one "matched".)'),
  ('dlints_new(3, 2, interactions => ''matched'')', 'dlints_new(3, 2, shared_dim => 3)', 'interactions do not fit together (The left model has interactions "matched", the right one "crossed".)'),
  ('dlints_new(3, 2, interactions => ''matched'', discount => 1)', 'dlints_new(3, interactions => ''matched'', discount => 1)', 'reduced_dim do not fit together (The left model has reduced_dim 2, the right one null.)'),
  ('dlints_new(3, shared_dim => 2, discount => 1)', 'dlints_new(3, shared_dim => 4, discount => 1)', 'shared_dim do not fit together (The left model has shared_dim 2, the right one 4.)'),
  ('dlints_new(3, interactions => ''matched'')', 'dlints_new(3, interactions => ''matched'', intercept => false)', 'intercept do not fit together (The left model has intercept true, the right one false.)')) AS v (l, r, result);
-- nor equal
CREATE TEMP TABLE eight AS SELECT * FROM (VALUES
  (dlints_new(4, 3, discount => 1)), (dlints_new(4, 3, discount => 1, shared_dim => 4)), (dlints_new(4, 3, discount => 1, interactions => 'matched')), (dlints_new(4, discount => 1)), (dlints_new(4, discount => 1, shared_dim => 4)),
  (dlints_new(4, discount => 1, interactions => 'matched')), (dlints_new(4, discount => 1, interactions => 'matched', shared_dim => 4)), (dlints_new(4, discount => 1, interactions => 'matched', intercept => false))) AS v (m);
SELECT ok((SELECT count(*) FROM eight AS a JOIN eight AS b ON a.m = b.m) = 10 AND (SELECT count(*) FROM eight AS a JOIN eight AS b ON a.m <> b.m) = 54 AND (SELECT count(DISTINCT dlints_hash_extended(m, 3)) FROM eight) = 7,
          'eight models, of which two are equal');

-- what dlints_new refuses, and what helps
CREATE FUNCTION hint_of(statement text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	hint text;
BEGIN
	EXECUTE statement;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN hint;
END
$$;
SELECT is(outcome('SELECT ' || statement), result, statement) FROM (VALUES
  ('dlints_new(512, interactions => ''matched'')', '54000: dlints cannot have more than 1024 dimensions without projection (This model, with matched interactions, would have 1025.)'),
  ('dlints_new(2000, 1024, interactions => ''matched'')', '54000: dlints cannot have more than 1024 dimensions (This model, with matched interactions, would have 1025.)'),
  ('dlints_new(64, shared_dim => 64)', '54000: dlints cannot have more than 1024 dimensions without projection (This model, with crossed interactions, would have 4160.)'),
  ('dlints_new(65536, shared_dim => 65535)', '54000: dlints cannot have more than 1024 dimensions without projection (This model, with crossed interactions, would have 4294967296.)'),
  ('dlints_new(3, interactions => ''crossed'')', '22023: interactions need shared_dim'), ('dlints_new(3, interactions => ''none'')', '22023: unknown interactions "none"'),
  ('dlints_new(3, shared_dim => 2, interactions => ''matched'')', '22023: shared_dim must be context_dim with matched interactions (shared_dim is 2, context_dim is 3.)'),
  ('dlints_new(3, 4, interactions => ''matched'')', '22023: reduced_dim must not be greater than context_dim (reduced_dim is 4, context_dim is 3.)'),
  ('dlints_new(3, 2, shared_dim => -1, interactions => ''matched'')', '22023: shared_dim must be at least 0 (The value is -1.)')) AS v (statement, result) ORDER BY statement;
SELECT is(hint_of('SELECT ' || statement), hint, 'hint: ' || statement) FROM (VALUES ('dlints_new(512, interactions => ''matched'')', 'Give reduced_dim, to which contexts are then projected.'), ('dlints_new(64, shared_dim => 64)', 'Give reduced_dim, to which contexts are then projected.'),
  ('dlints_predict(dlints_new(3, interactions => ''matched''), ARRAY[1, 2, 3])', 'Give the profile behind the context; ''{}'' for somebody new.'), ('dlints_predict(dlints_new(3, shared_dim => 2), ARRAY[1, 2, 3])', 'Behind the context, give what describes the user.'),
  ('dlints_new(3) || dlints_new(3, half_life => ''1 day'')', 'A model made with a half_life or a discount has one memory if nothing else is said.'), ('dlints_new(3, memories => 2) || dlints_new(3)', ''),
  ('dlints_policy_value(1, 1e-300, 1) FROM generate_series(1, 2)', 'Rewards are too large, or weights, target / logged: look at the smallest logged probability.'),
  ('dlints_new(3, interactions => ''none'')', 'Interactions are "crossed" or "matched".')) AS v (statement, hint) ORDER BY statement;
SELECT is(cardinality(dlints_mean(m)), dim, what) FROM (VALUES ('the largest matched', dlints_new(511, interactions => 'matched', memories => 1), 1024), ('the largest matched and projected', dlints_new(65536, 1023, interactions => 'matched', memories => 1), 1025),
  ('the largest product', dlints_new(1, shared_dim => 1023, memories => 1), 1025), ('another', dlints_new(32, shared_dim => 31, memories => 1, intercept => false), 1024)) AS v (what, m, dim) ORDER BY what;

-- columns take their own
CREATE TEMP TABLE state (matched dlints(3, matched), projected dlints(3, 2, matched, intercept), product dlints(3, 0, 2), sketch dlints(3, 2, 3));
SELECT is(string_agg(format_type(atttypid, atttypmod), ' ' ORDER BY attnum), 'dlints(3,matched) dlints(3,2,matched,intercept) dlints(3,0,2) dlints(3,2,3)', 'as they are written') FROM pg_attribute WHERE attrelid = 'state'::regclass AND attnum > 0;
SELECT lives_ok($$INSERT INTO state VALUES (dlints_new(3, interactions => 'matched'), dlints_new(3, 2, interactions => 'matched'), dlints_new(3, shared_dim => 2), dlints_new(3, 2, shared_dim => 3))$$, 'each its kind');
SELECT throws_ok(statement, '22000', message, statement) FROM (VALUES ('UPDATE state SET matched = product', 'expected dlints(3,matched), not dlints(3,0,2,intercept)'), ('UPDATE state SET projected = sketch', 'expected dlints(3,2,matched,intercept), not dlints(3,2,3,intercept)'),
  ('UPDATE state SET sketch = projected', 'expected dlints(3,2,3), not dlints(3,2,matched,intercept)'), ('UPDATE state SET projected = dlints_new(3, 2, interactions => ''matched'', intercept => false)', 'expected dlints(3,2,matched,intercept), not dlints(3,2,matched)'),
  ('UPDATE state SET product = dlints_new(3, shared_dim => 3)', 'expected dlints(3,0,2), not dlints(3,0,3,intercept)')) AS v (statement, message);

-- numbers as large as they may be
SELECT ok(dlints_predict(m, x, u) IS NOT NULL AND dlints_stddev(m, x, u) IS NOT NULL AND dlints_weights(m, u) IS NOT NULL AND dlints_draw(m) IS NOT NULL AND same_bytes(m::text::dlints, m), format('%s: 1e50', name)) FROM
  (SELECT name, x, u, dlints_update(dlints_update(empty, x, u, -1e50), context(3, n), u, 1e50) AS m FROM kind, LATERAL (SELECT array_fill(1e50::float8, ARRAY[n]), array_fill(-1e50::float8, ARRAY[s])) AS v (x, u) WHERE name ~ '^(matched|product).*, discount 0.9') AS e ORDER BY name;
SELECT * FROM finish();
ROLLBACK;
