-- The memory in use and the noise, against the equations written out here, on the
-- evidence that a model shows; and what the choice is for.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

CREATE FUNCTION times(m float8[], v float8[]) RETURNS float8[] IMMUTABLE LANGUAGE sql AS
$$ SELECT array_agg(s ORDER BY r) FROM (SELECT r, sum(m[r][k] * v[k]) AS s FROM generate_subscripts(m, 1) AS r, generate_subscripts(m, 2) AS k GROUP BY r) AS t $$;

-- a variance of which only roundings are left says nothing
CREATE FUNCTION settled(variance float8, mean_square float8) RETURNS float8 IMMUTABLE LANGUAGE sql AS
$$ SELECT coalesce(nullif(CASE WHEN variance < 1e-12 * mean_square THEN mean_square ELSE variance END, 0), 1) $$;

-- What is in use, and sigma, of a model that has learned something: with Z = G + ridge,
-- psi = Z^-1 b, RSS = S - b'psi and k = tr Z^-1 H of each memory.  The variance v of the last
-- is RSS / (N - k), or RSS / N unless N > 2 k; that of the others is the larger one of
-- (RSS + 4 k v_last) / (N + 3 k) and, if N > 2 k, RSS / (N - k).  A memory is contradicted by
-- a faster one where q = e' Z^-1 e, of the e that its psi leaves there, is above v (k +
-- 1.5 sqrt(2 k)), v and k being the faster one's.  sigma^2 is v of the memory in use, unless
-- noise is given.
CREATE FUNCTION equations(m dlints, OUT memory integer, OUT sigma float8) LANGUAGE plpgsql AS
$$
DECLARE
	f record := dlints_info(m);
	j jsonb := m;
	reference float8 := j -> 'reference_reward';
	e jsonb;
	count integer := f.memories;
	n float8[]; s float8[]; k float8[]; rss float8[]; level float8[];
	b jsonb := '[]'; psi jsonb := '[]'; g jsonb := '[]';
	z float8[]; centred float8[]; estimate float8[]; sums float8[]; spread float8[];
	v float8[]; mean_square float8;
	q float8; good boolean;
BEGIN
	FOR i IN 1..count LOOP
		e := j -> 'evidence' -> (i - 1);
		n[i] := e -> 'weight_sum';
		sums := reward_sums(reference, e);
		level[i] := CASE WHEN f.intercept THEN reference + (e -> 'reward_sum')::float8 / n[i] ELSE 0 END;
		s[i] := CASE WHEN f.intercept THEN greatest(0, (e -> 'reward_square_sum')::float8 - (e -> 'reward_sum')::float8 ^ 2 / n[i]) ELSE sums[2] END;
		z := symmetric_matrix(e -> 'G', f.ridge);
		spread := symmetric_matrix(coalesce(nullif(e -> 'H', 'null'), e -> 'G'), 0);
		centred := ARRAY(SELECT x - level[i] * CASE WHEN f.intercept THEN (e -> 'G' -> -1 -> (o - 1)::integer)::float8 ELSE 0 END FROM unnest(numbers(e -> 'b')) WITH ORDINALITY AS u (x, o) ORDER BY o);
		estimate := flat(solve(z, column_of(centred)));
		rss[i] := greatest(0, s[i] - dot(centred, estimate));
		spread := solve(z, spread);
		k[i] := (SELECT sum(spread[r][r]) FROM generate_subscripts(spread, 1) AS r);
		b := b || jsonb_build_array(numbers(e -> 'b'));
		psi := psi || jsonb_build_array(estimate);
	END LOOP;
	mean_square := s[count] / n[count];
	v[count] := rss[count] / CASE WHEN n[count] > 2 * k[count] THEN n[count] - k[count] ELSE n[count] END;
	FOR i IN 1..count - 1 LOOP
		v[i] := settled(greatest((rss[i] + 4 * k[i] * v[count]) / (n[i] + 3 * k[i]), CASE WHEN n[i] > 2 * k[i] THEN rss[i] / (n[i] - k[i]) END), mean_square);
	END LOOP;
	v[count] := settled(v[count], mean_square);
	FOR slow IN REVERSE count..1 LOOP
		sigma := coalesce(f.noise, sqrt(v[slow]));
		good := true;
		FOR fast IN 1..slow - 1 LOOP
			z := symmetric_matrix(j -> 'evidence' -> (fast - 1) -> 'G', 0);
			centred := ARRAY(SELECT x - y - level[slow] * CASE WHEN f.intercept THEN z[f_d][o] ELSE 0 END
			                 FROM unnest(numbers(b -> (fast - 1)), times(z, numbers(psi -> (slow - 1)))) WITH ORDINALITY AS u (x, y, o), array_length(z, 1) AS f_d ORDER BY o);
			q := dot(centred, flat(solve(symmetric_matrix(j -> 'evidence' -> (fast - 1) -> 'G', f.ridge), column_of(centred))));
			good := good AND q <= v[fast] * (k[fast] + 1.5 * sqrt(2 * k[fast]));
		END LOOP;
		IF good THEN memory := slow; RETURN; END IF;
	END LOOP;
END
$$;

-- Histories of contexts in four dimensions.  The noise is even over an interval, of standard deviation 0.5.
CREATE FUNCTION expected(story text, i bigint, x float8[]) RETURNS float8 LANGUAGE sql AS
$$ SELECT CASE story WHEN 'stationary' THEN 2 * x[1] - x[2] WHEN 'abrupt' THEN CASE WHEN i <= 60 THEN 2 ELSE -2 END * x[1] - x[2] WHEN 'slow' THEN 2 * cos(i / 40.0) * x[1] + 2 * sin(i / 40.0) * x[2]
                      WHEN 'changes' THEN CASE WHEN i / 25 % 2 = 0 THEN 1.5 ELSE -1.5 END * x[3] WHEN 'nothing' THEN 0 WHEN 'level' THEN CASE WHEN i <= 60 THEN 3 ELSE -3 END END $$;
CREATE TEMP TABLE history AS
SELECT story, i, x, expected(story, i, x) + 0.5 * sqrt(3) * number(i, 500) AS r FROM unnest(ARRAY['stationary', 'abrupt', 'slow', 'changes', 'nothing', 'level']) AS story, generate_series(1, 1000) AS i, LATERAL (SELECT context(i, 4) OFFSET 0) AS c (x);

CREATE TEMP TABLE model AS
SELECT * FROM (VALUES ('three memories', dlints_new(4)), ('no intercept', dlints_new(4, intercept => false)), ('five', dlints_new(4, discount => 0.8, memories => 5, ridge => 0.3)), ('one', dlints_new(4, discount => 0.95)),
  ('projected', dlints_new(4, 3, seed => 5)), ('by time', dlints_new(4, half_life => '8 hours', memories => 3)), ('noise given', dlints_new(4, noise => 0.5))) AS v (kind, empty);
-- all there was to see on the way, an hour apart
CREATE FUNCTION path(empty dlints, which text, steps integer) RETURNS TABLE (step integer, m dlints) LANGUAGE plpgsql AS
$$
DECLARE
	o record;
BEGIN
	m := empty;
	FOR o IN SELECT * FROM history WHERE story = which AND i <= steps ORDER BY i LOOP
		step := o.i;
		m := dlints_update(m, o.x, o.r, '2026-01-01'::timestamptz + o.i * interval '1 hour');
		RETURN NEXT;
	END LOOP;
END
$$;
CREATE TEMP TABLE seen AS
SELECT kind, story, p.step, i.memory, i.memories, i.sigma, e.memory AS expected_memory, e.sigma AS expected_sigma
FROM model, unnest(ARRAY['stationary', 'abrupt', 'slow', 'changes', 'nothing', 'level']) AS story, LATERAL path(empty, story, CASE kind WHEN 'three memories' THEN 150 ELSE 90 END) AS p, dlints_info(p.m) AS i, equations(p.m) AS e
WHERE kind = 'three memories' OR p.step IN (1, 2, 3, 5, 8) OR p.step % 10 = 0;

SELECT plan(7 * 6 + 1 + 5 + 6 + 7 * 2 + 3 + 7 + 6);
SELECT is(string_agg(format('after %s: memory %s for %s, sigma %s for %s', step, memory, expected_memory, sigma, expected_sigma), E'\n' ORDER BY step)
            FILTER (WHERE memory <> expected_memory OR abs(sigma / expected_sigma - 1) > 1e-9), NULL, format('%s, %s: choice and sigma of %s histories', kind, story, count(*))) FROM seen GROUP BY kind, story ORDER BY kind, story;
SELECT set_eq($$SELECT DISTINCT memory FROM seen WHERE kind = 'three memories'$$, ARRAY[1, 2, 3], 'in which each memory is in use at times');

-- what it is for
SELECT ok(count(*) FILTER (WHERE memory = 3) >= 140, format('%s: everything is remembered', story)) FROM seen WHERE kind = 'three memories' AND story IN ('stationary', 'nothing') GROUP BY story ORDER BY story;
SELECT ok(count(*) FILTER (WHERE memory = 3 AND step <= 60) = 60 AND count(*) FILTER (WHERE memory = 3 AND step > 75) = 0 AND count(*) FILTER (WHERE memory = 1 AND step BETWEEN 61 AND 90) >= 10, format('%s: what was before it is forgotten', story))
FROM seen WHERE kind = 'three memories' AND story IN ('abrupt', 'level') GROUP BY story ORDER BY story;
SELECT ok(count(*) FILTER (WHERE memory < 3 AND step > 100) >= 45, 'slow: only the recent counts') FROM seen WHERE kind = 'three memories' AND story = 'slow';
-- (more than the noise: the ridge keeps something back, most of it from short memories, what follows a change comes late, and the longest memory, which knows both sides of it, is heard)
CREATE TEMP TABLE whole AS SELECT story, dlints_evidence(dlints_new(4), x, r ORDER BY i) AS m FROM history GROUP BY story;
SELECT cmp_ok(abs(sigma / 0.5 - 1), '<', CASE WHEN story IN ('slow', 'changes') THEN 1.2 WHEN story IN ('abrupt', 'level') THEN 0.6 ELSE 0.1 END::float8, format('%s: sigma is %s for 0.5', story, round(sigma::numeric, 3))) FROM whole, dlints_info(m) ORDER BY story;

-- Rewards of 0 and 1 on other scales: the same choice, sigma in their units, and the same ranking.
CREATE TEMP TABLE click AS SELECT i, x, (number(i, 600) < x[1] - 0.5)::integer AS r FROM history WHERE story = 'stationary';
INSERT INTO click SELECT i + 1000, x, (number(i, 601) < x[2] - 0.5)::integer FROM click WHERE i <= 200;
CREATE TEMP TABLE scaled AS
SELECT low, high, dlints_evidence(dlints_new(4), x, low + (high - low) * r ORDER BY i) AS m, (SELECT dlints_concat_agg(e ORDER BY part) FROM (SELECT i / 150 AS part, dlints_evidence(dlints_new(4), x, low + (high - low) * r ORDER BY i) AS e FROM click GROUP BY part) AS p) AS parts
FROM (VALUES (0::float8, 1::float8), (0, 1000), (-1000, -999), (99, 101), (1e6, 1e6 + 1), (1e9, 1e9 + 1), (0.001, 0)) AS v (low, high), click GROUP BY low, high;
CREATE FUNCTION ranking(m dlints, sign float8) RETURNS bigint[] LANGUAGE sql AS $$ SELECT dlints_top(i, sign * dlints_predict(m, context(i + 5000, 4)), 200) FROM generate_series(1, 200) AS i $$;
SELECT ok(i.memory = u.memory AND abs(i.sigma / (abs(high - low) * u.sigma) - 1) < CASE WHEN abs(low) > 1e8 THEN 1e-5 ELSE 1e-8 END AND ranking(scaled.m, high - low) = ranking(unit.m, 1)
          AND ranking(scaled.m, 1) = dlints_recommend_of, format('rewards of %s and %s', low, high))
FROM scaled, (SELECT m FROM scaled WHERE (low, high) = (0, 1)) AS unit, dlints_info(scaled.m) AS i, dlints_info(unit.m) AS u,
     LATERAL (SELECT dlints_recommend(dlints_set(scaled.m, policy => 'greedy'), c, context(c + 5000, 4), 200) FROM generate_series(1, 200::bigint) AS c) AS g (dlints_recommend_of) ORDER BY low, high;
SELECT ok(i.memory = p.memory AND abs(i.sigma / p.sigma - 1) < CASE WHEN abs(low) > 1e8 THEN 1e-5 ELSE 1e-8 END AND ranking(scaled.m, 1) = ranking(parts, 1), format('rewards of %s and %s, in parts', low, high))
FROM scaled, dlints_info(m) AS i, dlints_info(parts) AS p ORDER BY low, high;
-- draws, too: exploration is in units of the noise
SELECT ok(difference(ARRAY(SELECT (a - b) / 1000 FROM unnest(dlints_draw(k.m, 7), dlints_mean(k.m)) AS v (a, b)), ARRAY(SELECT a - b FROM unnest(dlints_draw(u.m, 7), dlints_mean(u.m)) AS v (a, b))) < 1e-8, 'a thousand times the rewards, a thousand times the exploration')
FROM scaled AS k, scaled AS u WHERE k.high = 1000 AND u.high = 1;
SELECT ok(abs(dlints_stddev(k.m, ARRAY[1, 2, 3, 4]) / (2 * dlints_stddev(u.m, ARRAY[1, 2, 3, 4])) - 1) < 1e-8, 'and a standard error twice as large for rewards twice as far apart') FROM scaled AS k, scaled AS u WHERE k.high = 101 AND u.high = 1;
-- without an intercept nothing is centred
SELECT ok((dlints_info(m)).sigma > 0.45 AND NOT abs((dlints_mean(m))[1] - 10) > 1e-9, 'rewards about 10 without an intercept: 10 for a context of 1')
FROM dlints_update_batch(dlints_new(1, discount => 1, ridge => 1e-50, intercept => false), array_fill(1, ARRAY[40, 1]), ARRAY(SELECT 10 + (i % 2) - 0.5::float8 FROM generate_series(1, 40) AS i)) AS m;

-- what noise is where there is none, or nothing to tell it from
SELECT cmp_ok(abs((dlints_info(m)).sigma / want - 1), '<', 1e-9::float8, what) FROM (VALUES
  ('always the same reward', dlints_update_batch(dlints_new(1), ARRAY[[1], [2], [3], [5]], ARRAY[3, 3, 3, 3]), 1::float8), ('always none', dlints_update_batch(dlints_new(1, intercept => false), ARRAY[[1], [2], [3], [5]], ARRAY[0, 0, 0, 0]), 1),
  ('contexts of nothing', dlints_update_batch(dlints_new(1, intercept => false), ARRAY[[0], [0], [0], [0]], ARRAY[2, -2, 2, -2]), 2),
  -- S / N = (1 + 4 + 9 + 25) 4 / 4
  ('no error at all', dlints_update_batch(dlints_new(1, ridge => 1e-50, intercept => false), ARRAY[[1], [2], [3], [5]], ARRAY[2, 4, 6, 10]), sqrt(39)),
  -- one observation of 3 at 2: RSS = 9 - 6^2 / 5, k = 4 / 5
  ('one observation', dlints_update(dlints_new(1, intercept => false), ARRAY[2], 3), sqrt(1.8)), ('one, with an intercept', dlints_update(dlints_new(1), ARRAY[1], 3), 1),
  -- N = 10, k = 10 / 11: RSS / (N - k) where half of the rewards are 1 and half -1
  ('ten observations', dlints_update_batch(dlints_new(1, discount => 1, intercept => false), array_fill(1, ARRAY[10, 1]), ARRAY[1, -1, 1, -1, 1, -1, 1, -1, 1, -1]), sqrt(10 / (10 - 10 / 11.0)))) AS v (what, m, want) ORDER BY what;

-- how often: always up to 12 coordinates, then after so many observations
CREATE TEMP TABLE often AS SELECT d, step, m FROM (VALUES (11), (12), (24)) AS v (d), LATERAL (SELECT dlints_new(d, intercept => false) AS empty) AS e, LATERAL (SELECT step, batch(singly(empty, 1, step - 1), step, step) AS m FROM generate_series(1, 60) AS step) AS s;
SELECT is(max((m::jsonb ->> 'updates')::integer - (m::jsonb ->> 'chosen')::integer), CASE d WHEN 24 THEN 3 ELSE 0 END, format('%s coordinates', d)) FROM often GROUP BY d ORDER BY d;
SELECT is(string_agg(step::text, ' ' ORDER BY step) FILTER (WHERE m::jsonb -> 'chosen' = m::jsonb -> 'updates' AND step < 40), '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 18 20 22 24 27 30 33 37', '24 coordinates: an eighth of a short history, four at most') FROM often WHERE d = 24;
SELECT ok(bool_and((dlints_set(m, ridge => 2))::jsonb -> 'chosen' = m::jsonb -> 'updates' AND (2 * m)::jsonb -> 'chosen' = m::jsonb -> 'updates' AND (dlints_set(m, policy => 'ucb'))::jsonb -> 'chosen' = m::jsonb -> 'chosen'), 'at once with another ridge or weight') FROM often WHERE d = 24;
SELECT ok(bool_and(e.memory = i.memory AND abs(e.sigma / i.sigma - 1) < 1e-9), 'and right when it is') FROM often, equations(m) AS e, dlints_info(m) AS i WHERE d = 24 AND m::jsonb -> 'chosen' = m::jsonb -> 'updates' AND step % 10 = 0;
SELECT * FROM finish();
ROLLBACK;
