-- What was learned can be taken back, exactly; what was not learned cannot.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

-- users whose feedback there is
CREATE TEMP TABLE log AS SELECT i AS id, i % 6 AS user_id, context(i, 4) AS x, shared(i, 2) AS u, reward(i) + 100 AS r, '2026-03-01 00:00+00'::timestamptz + (number(i, 700) + 1) * interval '10 days' AS at, 1 + i % 4 * 0.75 AS weight FROM generate_series(1, 90) AS i;
CREATE TEMP TABLE model AS
SELECT * FROM (VALUES ('by time', dlints_new(4, half_life => '5 days', intercept => false)), ('three by time', dlints_new(4, half_life => '1 day', memories => 3)), ('nothing forgotten', dlints_new(4, discount => 1)),
  ('nothing forgotten, no intercept', dlints_new(4, 3, discount => 1, intercept => false, noise => 2)), ('shared', dlints_new(4, 3, half_life => '5 days', memories => 2, shared_dim => 2))) AS v (name, empty);

-- what some of them said
CREATE FUNCTION said(m dlints, users integer[]) RETURNS dlints LANGUAGE plpgsql AS
$$
BEGIN
	IF (dlints_info(m)).shared_dim > 0 THEN
		RETURN dlints_evidence(m, x, u, r, at, weight ORDER BY id) FROM log WHERE user_id = ANY (users);
	END IF;
	RETURN dlints_evidence(m, x, r, at, weight ORDER BY id) FROM log WHERE user_id = ANY (users);
END
$$;
CREATE TEMP TABLE known AS SELECT name, empty, said(empty, '{0,1,2,3,4,5}') AS everyone, said(empty, '{0,1,3,4,5}') AS others, said(empty, '{2}') AS two FROM model;
-- evidence at a time, as the newest may have gone
CREATE FUNCTION at_end(m dlints) RETURNS dlints LANGUAGE sql AS $$ SELECT dlints_at(m, '2026-04-01') $$;
-- sums that were large leave roundings of their size: everything relative to what there was, in J
CREATE FUNCTION far(a dlints, b dlints, whole dlints) RETURNS float8 LANGUAGE sql AS
$$ SELECT CASE WHEN x -> 'updates' <> y -> 'updates' OR (dlints_info(a)).newest <> (dlints_info(b)).newest THEN 'infinity' ELSE (SELECT max(greatest(
     away(numbers(p -> 'b'), numbers(q -> 'b'), numbers(w -> 'b')), away(flat_matrix(p -> 'G'), flat_matrix(q -> 'G'), flat_matrix(w -> 'G')), away(flat_matrix(p -> 'H'), flat_matrix(q -> 'H'), flat_matrix(w -> 'H')),
     abs((p ->> 'weight_sum')::float8 - (q ->> 'weight_sum')::float8) / (w ->> 'weight_sum')::float8,
     away(reward_sums((x -> 'reference_reward')::float8, p), reward_sums((y -> 'reference_reward')::float8, q), reward_sums((z -> 'reference_reward')::float8, w))))
     FROM ROWS FROM (jsonb_array_elements(x -> 'evidence'), jsonb_array_elements(y -> 'evidence'), jsonb_array_elements(z -> 'evidence')) AS e (p, q, w)) END
   FROM (SELECT a::jsonb, b::jsonb, whole::jsonb) AS j (x, y, z) $$;
CREATE FUNCTION flat_matrix(j jsonb) RETURNS float8[] LANGUAGE sql AS $$ SELECT numbers(jsonb_path_query_array(j, 'lax $[*][*] ? (@ != null)')) $$;
CREATE FUNCTION away(a float8[], b float8[], whole float8[]) RETURNS float8 LANGUAGE sql AS
$$ SELECT coalesce(max(abs(x - y)) / max(abs(w)), 0) FROM unnest(a, b, whole) AS u (x, y, w) $$;

SELECT plan(5 * 6 + 3 + 9 + 3 + 14 + 6 + 3 + 1);

SELECT cmp_ok(far(at_end(have), at_end(want), at_end(everyone)), '<=', 1e-12::float8, format('%s: %s', name, what)) FROM known, LATERAL (VALUES
  ('a user''s feedback', everyone - two, others), ('dlints_retract', dlints_retract(everyone, two), others), ('one after the other', everyone - said(empty, '{0,1}') - said(empty, '{3,4,5}'), two),
  ('learned again', everyone - two || two, everyone), ('twice as much', 2 * everyone - 2 * two, 2 * others)) AS v (what, have, want) ORDER BY name, what;
SELECT ok(same_bytes(everyone - everyone, empty) AND same_bytes(everyone - others - two, empty) AND same_bytes(everyone - empty, everyone) AND same_bytes(empty - empty, empty), format('%s: all of it, and nothing', name)) FROM known ORDER BY name;
-- a correction in one statement: what had no reward has one
SELECT cmp_ok(far(corrected, want, want), '<=', 1e-12::float8, format('%s: a correction', name))
FROM known, LATERAL (SELECT dlints_update(everyone - dlints_update(empty, x, r, at, weight), x, 1, at, weight) FROM log WHERE id = 17) AS c (corrected),
     LATERAL (SELECT dlints_evidence(empty, x, CASE id WHEN 17 THEN 1 ELSE r END, at, weight ORDER BY id) FROM log) AS w (want) WHERE name IN ('by time', 'three by time', 'nothing forgotten') ORDER BY name;

-- in a table
CREATE TEMP TABLE place (name text, state dlints);
INSERT INTO place SELECT name, everyone FROM known WHERE name = 'three by time';
UPDATE place AS p SET state = state - (SELECT dlints_evidence(p.state, x, r, at, weight) FROM log WHERE user_id = 2);
SELECT cmp_ok(far(state, dlints_at(others, (dlints_info(everyone)).newest), everyone), '<=', 1e-12::float8, 'one user, by UPDATE') FROM place JOIN known USING (name);
SELECT ok(difference(dlints_mean(state), dlints_mean(dlints_at(others, (dlints_info(everyone)).newest))) < 1e-9 AND i.memory = o.memory AND abs(i.sigma / o.sigma - 1) < 1e-9, 'and with it mean, memory in use and sigma') FROM place JOIN known USING (name), dlints_info(state) AS i, dlints_info(dlints_at(others, (dlints_info(everyone)).newest)) AS o;
-- a user who said nothing: NULL, which takes nothing back
UPDATE place AS p SET state = state - (SELECT dlints_evidence(p.state, x, r, at, weight) FROM log WHERE user_id = 42);
SELECT cmp_ok(far(state, dlints_at(others, (dlints_info(everyone)).newest), everyone), '<=', 1e-12::float8, 'nobody') FROM place JOIN known USING (name);
SELECT ok(same_bytes(everyone - NULL, everyone) AND (NULL - everyone) IS NULL AND (NULL::dlints - NULL::dlints) IS NULL AND dlints_retract(NULL, everyone) IS NULL AND same_bytes(dlints_retract(everyone, NULL), everyone), format('%s: NULL', name))
FROM known WHERE name IN ('by time', 'nothing forgotten') ORDER BY name;
-- parameters are the model's
SELECT ok(i.ridge = 5 AND i.policy = 'ucb' AND i.exploration = 3 AND i.noise IS NOT DISTINCT FROM n.noise, format('%s: ridge, policy and exploration stay', name))
FROM known, dlints_info(everyone) AS n, dlints_info(dlints_set(everyone, 5, 3, NULL, 'ucb') - dlints_set(two, 7, 1, 0.5, 'greedy')) AS i WHERE name IN ('by time', 'nothing forgotten', 'shared') ORDER BY name;
SELECT ok(i.ridge = 5 AND i.updates = 0 AND i.newest IS NULL, 'and of an empty one') FROM known, dlints_info(dlints_set(everyone, ridge => 5) - everyone) AS i WHERE name = 'by time';
-- what happens in between makes no difference
SELECT cmp_ok(far(have, want, want), '<=', 1e-12::float8, what) FROM known, LATERAL (VALUES
  ('aged in between', dlints_at(everyone, '2026-05-01') - two, dlints_at(others, '2026-05-01')), ('evidence aged, to be taken back', dlints_at(everyone, '2026-05-01') - dlints_at(two, '2026-04-15'), dlints_at(others, '2026-05-01')),
  ('learned in between', (two || others) - two, dlints_at(others, (dlints_info(everyone)).newest))) AS v (what, have, want) WHERE name = 'three by time' ORDER BY what;

-- never learned, as far as it shows; and the model is as it was
CREATE TEMP VIEW say AS SELECT m, n, t, one FROM dlints_update_batch(dlints_new(2, half_life => '1 day', intercept => false), ARRAY[[1, 0], [0, 1], [1, 1]], ARRAY[1, 2, 3], ARRAY['2026-01-01', '2026-01-02', '2026-01-03']::timestamptz[]) AS m,
  dlints_update_batch(dlints_new(2, discount => 1, intercept => false), ARRAY[[1, 0], [0, 1], [1, 1]], ARRAY[1, 2, 3]) AS n, dlints_new(2, half_life => '1 day', intercept => false) AS t, dlints_new(2, discount => 1, intercept => false) AS one;
SELECT is(outcome(format('SELECT %s FROM say', statement)), '22023: evidence to be taken back was never learned (What would be left is the evidence of no history.)', statement) FROM unnest(ARRAY[
  'm - (m || m)', 'm - dlints_update(t, ARRAY[1, 0], 1, ''2026-01-04'')', 'm - dlints_update(t, ARRAY[0.125, 0], 0.125, ''2026-01-03 00:00:01'', 0.001)', 'm - dlints_update(t, ARRAY[9, 0], 1, ''2026-01-02'')', 'n - dlints_update(one, ARRAY[3, 0], 1)',
  -- in no coordinate too much, but in a direction
  'n - dlints_update(one, ARRAY[1, -1], 0)', 'n - dlints_update(one, ARRAY[1, 0], 1, NULL, 5)', 'n - dlints_update(one, ARRAY[0, 0], 10)', 'one - dlints_update(one, ARRAY[0, 0], 0)',
  -- more than there are, or as many and something left, however little they weigh
  'n - 0.001 * (n || n)', 'm - 0.001 * (m || m)', 'n - 0.5 * n', 'm - 0.5 * m',
  -- as many as there are, but others
  'n - dlints_update_batch(one, ARRAY[[1, 0], [0, 1], [0, 1]], ARRAY[1, 2, 3])']) AS statement ORDER BY statement;
SELECT is(outcome('SELECT dlints_retract(m, e) FROM ' || v), result, what) FROM (VALUES
  ('by count', '(SELECT dlints_update(dlints_new(2), ARRAY[1, 2], 3)) AS d (m), LATERAL (SELECT m) AS e (e)', '22023: observations cannot be taken back from a model that forgets by count (What an observation weighs depends on how many came after it.)'),
  ('by count, one memory', '(SELECT dlints_update(dlints_new(2, discount => 0.99), ARRAY[1, 2], 3)) AS d (m), LATERAL (SELECT m) AS e (e)', '22023: observations cannot be taken back from a model that forgets by count (What an observation weighs depends on how many came after it.)'),
  ('by count, though nothing', 'dlints_new(2) AS m, dlints_new(2) AS e', '22023: observations cannot be taken back from a model that forgets by count (What an observation weighs depends on how many came after it.)'),
  ('other sizes', 'dlints_new(2, discount => 1) AS m, dlints_new(3, discount => 1) AS e', '22023: dlints models with different context_dim do not fit together (The left model has context_dim 2, the right one 3.)'),
  ('another half-life', 'dlints_new(2, half_life => ''1 day'') AS m, dlints_new(2, half_life => ''1 hour'') AS e', '22023: dlints models with different half_life do not fit together (The left model has half_life 86400, the right one 3600.)'),
  ('by time from by count', 'dlints_new(2, discount => 1) AS m, dlints_new(2, half_life => ''1 hour'') AS e', '22023: dlints models with different discount do not fit together (The left model has discount 1, the right one null.)')) AS v (what, v, result) ORDER BY what;
CREATE FUNCTION hint_of(statement text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	hint text;
BEGIN
	EXECUTE statement;
	RETURN NULL;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN hint;
END
$$;
SELECT is(hint_of('SELECT dlints_new(2) - dlints_new(2)'), 'Use a model that forgets by time (half_life), or nothing (discount => 1).', 'a hint');
CREATE TEMP TABLE before AS SELECT * FROM place;
SELECT throws_ok('UPDATE place SET state = state - 2 * state', '22023', 'evidence to be taken back was never learned', 'twice what there is');
SELECT ok(same_bytes(place.state, before.state), 'is refused and changes nothing') FROM place, before;

-- there and back a thousand times: no drift
CREATE FUNCTION back_and_forth(m dlints, rounds integer) RETURNS dlints LANGUAGE plpgsql AS
$$
DECLARE
	e dlints;
BEGIN
	FOR i IN 1..rounds LOOP
		e := dlints_update(dlints_new(4, half_life => '1 day', memories => 3), context(i + 9000, 4), reward(i), '2026-03-10 00:00+00'::timestamptz + i * interval '1 minute');
		m := m || e;
		m := m - e;
	END LOOP;
	RETURN m;
END
$$;
SELECT cmp_ok(far(back_and_forth(everyone, 1000), dlints_at(everyone, greatest((dlints_info(everyone)).newest, '2026-03-10 16:40+00')), everyone), '<=', 1e-12::float8, 'a thousand times') FROM known WHERE name = 'three by time';
SELECT * FROM finish();
ROLLBACK;
