-- Forgetting by time: what a model knows depends on what was seen when, not on
-- the order in which it arrived.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

-- Observations over eight weeks, some at the same time, some weighed.
CREATE TEMP TABLE observation AS
SELECT i, context(i, 5) AS x, shared(i, 2) AS u, reward(i) + 3 AS r, '2026-01-01 00:00+00'::timestamptz + (number(i, 700) + 1) * interval '28 days' AS at, CASE WHEN i % 3 = 0 THEN 1 + abs(number(i, 701)) * 4 END AS weight
FROM generate_series(1, 120) AS i;
UPDATE observation AS o SET at = (SELECT at FROM observation WHERE i = o.i - 1) WHERE i % 10 = 0;

CREATE TEMP TABLE model AS
SELECT * FROM (VALUES ('one memory', dlints_new(5, half_life => '5 days', intercept => false)), ('three', dlints_new(5, half_life => '60 hours', memories => 3)), ('projected', dlints_new(5, 3, half_life => '1 month', memories => 2, seed => 3)),
  ('shared', dlints_new(5, 4, half_life => '3 days 1 hour', memories => 2, shared_dim => 2))) AS v (name, empty);

-- Memory j of a model, by direct sums: what was seen at t weighs w 2^(-(T - t) / h), h five times as long as for the memory before, and the last of several forgets nothing.
CREATE FUNCTION direct(m dlints, j integer) RETURNS jsonb LANGUAGE sql AS
$$ WITH z AS MATERIALIZED (SELECT i, r, coalesce(o.weight, 1) * CASE WHEN j = memories AND j > 1 THEN 1 ELSE 2 ^ (-extract(epoch FROM max(at) OVER () - at)::float8 / (extract(epoch FROM half_life)::float8 * 5 ^ (j - 1))) END AS w,
                       CASE WHEN shared_dim > 0 THEN dlints_project(m, x, u) ELSE dlints_project(m, x) END AS z FROM observation AS o, dlints_info(m)),
   d AS (SELECT generate_subscripts(z, 1) AS a FROM z WHERE i = 1)
   SELECT jsonb_build_object('weight_sum', (SELECT sum(w) FROM z), 'reward_sum', (SELECT sum(w * r) FROM z), 'reward_square_sum', (SELECT sum(w * r * r) FROM z),
            'b', (SELECT jsonb_agg(s ORDER BY a) FROM (SELECT a, sum(w * r * z[a]) AS s FROM z, d GROUP BY a) AS t),
            'G', (SELECT jsonb_agg(s ORDER BY a) FROM (SELECT a, jsonb_agg(s ORDER BY c) AS s FROM (SELECT a, c, sum(w * z[a] * z[c]) AS s FROM z, d, LATERAL (SELECT a AS c FROM d AS e WHERE e.a <= d.a) AS e GROUP BY a, c) AS t GROUP BY a) AS t),
            'H', CASE WHEN NOT (j > 1 AND j = memories) THEN (SELECT jsonb_agg(s ORDER BY a) FROM (SELECT a, jsonb_agg(s ORDER BY c) AS s FROM (SELECT a, c, sum(w * w * z[a] * z[c]) AS s FROM z, d, LATERAL (SELECT a AS c FROM d AS e WHERE e.a <= d.a) AS e GROUP BY a, c) AS t GROUP BY a) AS t) END)
   FROM dlints_info(m) $$;
CREATE TEMP TABLE sums AS SELECT name, j, direct(empty, j) AS memory FROM model, generate_series(1, 3) AS j WHERE j <= (dlints_info(empty)).memories;

-- how far a model is from the direct sums; an H of JSON is null where there is none
CREATE FUNCTION far_off(which text, m dlints) RETURNS float8 LANGUAGE sql AS
$$ SELECT max(greatest(memory_difference(e, memory), difference(reward_sums((f ->> 'reference_reward')::float8, e), reward_sums(0, memory)), CASE WHEN (f ->> 'updates')::integer = 120 THEN 0 ELSE 'infinity'::float8 END))
   FROM (SELECT m::jsonb) AS j (f), sums, LATERAL (SELECT f -> 'evidence' -> (j - 1)) AS e (e) WHERE name = which $$;

-- an observation more, a batch of them, and what some of them say, in an order of their own
CREATE FUNCTION learn(m dlints, o observation) RETURNS dlints LANGUAGE sql AS
$$ SELECT CASE WHEN (dlints_info(m)).shared_dim > 0 THEN dlints_update(m, o.x, o.u, o.r, o.at, o.weight) ELSE dlints_update(m, o.x, o.r, o.at, o.weight) END $$;
CREATE FUNCTION learn_all(m dlints, salt bigint) RETURNS dlints LANGUAGE plpgsql AS
$$
DECLARE
	o observation;
BEGIN
	FOR o IN SELECT * FROM observation ORDER BY hashint8extended(i, salt) LOOP
		m := learn(m, o);
	END LOOP;
	RETURN m;
END
$$;
CREATE FUNCTION learn_batch(m dlints, salt bigint) RETURNS dlints LANGUAGE sql AS
$$ SELECT CASE WHEN (dlints_info(m)).shared_dim > 0 THEN dlints_update_batch(m, xs, us, rs, ats, ws) ELSE dlints_update_batch(m, xs, rs, ats, ws) END FROM
   (SELECT array_agg(x ORDER BY o), array_agg(u ORDER BY o), array_agg(r ORDER BY o), array_agg(at ORDER BY o), array_agg(coalesce(weight, 1) ORDER BY o) FROM observation, hashint8extended(i, salt) AS o) AS a (xs, us, rs, ats, ws) $$;
CREATE FUNCTION says(m dlints, salt bigint, part integer, parts integer) RETURNS dlints LANGUAGE plpgsql AS
$$
BEGIN
	IF (dlints_info(m)).shared_dim > 0 THEN
		RETURN dlints_evidence(m, x, u, r, at, weight ORDER BY hashint8extended(i, salt)) FROM observation WHERE i % parts = part;
	END IF;
	RETURN dlints_evidence(m, x, r, at, weight ORDER BY hashint8extended(i, salt)) FROM observation WHERE i % parts = part;
END
$$;
CREATE FUNCTION together(m dlints, salt bigint, parts integer) RETURNS dlints LANGUAGE sql AS
$$ SELECT dlints_concat_agg(says(m, salt, part, parts) ORDER BY hashint8extended(part, salt)) FROM generate_series(0, parts - 1) AS part $$;

SELECT plan(4 * 9 + 4 + 2 + 4 + 3 + 9 + 12 + 9 + 5 + 3);
SELECT cmp_ok(far_off(name, m), '<=', 1e-12::float8, format('%s: %s', name, way)) FROM model, LATERAL (VALUES
  ('one by one', learn_all(empty, 1)), ('one by one, in another order', learn_all(empty, 2)), ('batch', learn_batch(empty, 3)), ('evidence', says(empty, 4, 0, 1)), ('in two parts', together(empty, 5, 2)), ('in thirty, some of one', together(empty, 6, 100)),
  ('parts of parts', says(empty, 7, 2, 3) || (says(empty, 8, 0, 3) || says(empty, 9, 1, 3))),
  ('one twice, and taken back', together(empty, 10, 3) || says(empty, 11, 1, 3) - says(empty, 12, 1, 3)), ('another one, and taken back', dlints_retract(dlints_concat(learn_batch(empty, 13), 5 * says(empty, 14, 3, 7)), 5 * says(empty, 15, 3, 7)))) AS v (way, m)
ORDER BY name, way;

-- a || b = b || a, to the bit
SELECT ok(same_bytes(a || b, b || a) AND a || b = b || a AND NOT a = b, format('%s: a || b = b || a', name)) FROM model, LATERAL (SELECT says(empty, 1, 0, 2), says(empty, 1, 1, 2) OFFSET 0) AS p (a, b) ORDER BY name;
SELECT ok(same_bytes(a || b, b || a), 'a || b = b || a, first rewards of 1 and -1') FROM (SELECT dlints_new(1, half_life => '1 day')) AS n (e), LATERAL (SELECT dlints_update(e, ARRAY[1], 1, '2026-01-01'), dlints_update(e, ARRAY[2], -1, '2026-01-02')) AS p (a, b);
SELECT ok(same_bytes(a || b, b || a), 'a || b = b || a, where not every update makes a choice') FROM (SELECT dlints_new(24, half_life => '1 day', memories => 3, intercept => false)) AS n (e),
  LATERAL (SELECT dlints_update_batch(e, array_agg(context(i, 24) ORDER BY i), array_agg(reward(i) ORDER BY i), array_agg('2026-01-01'::timestamptz + i * interval '1 hour' ORDER BY i)), dlints_update(e, context(0, 24), 1, '2026-01-05') FROM generate_series(1, 200) AS i) AS p (a, b);
-- posterior, newest, memory in use and sigma with it
SELECT ok(model_difference(a, b) <= 1e-9 AND i.memory = o.memory AND abs(i.sigma / o.sigma - 1) < 1e-9 AND i.newest = o.newest AND i.newest = (SELECT max(at) FROM observation), format('%s: the same posterior', name))
FROM model, LATERAL (SELECT learn_all(empty, 20), together(empty, 21, 11) OFFSET 0) AS p (a, b), dlints_info(a) AS i, dlints_info(b) AS o ORDER BY name;

-- without an order asked for, by several workers
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
CREATE TABLE seen_by_workers AS SELECT * FROM observation;
ALTER TABLE seen_by_workers SET (parallel_workers = 2);
CREATE TEMP TABLE explained (line text);
DO $$ DECLARE line text; BEGIN FOR line IN EXPLAIN SELECT dlints_evidence(dlints_new(5, half_life => '60 hours', memories => 3), x, r, at, weight) FROM seen_by_workers LOOP INSERT INTO explained VALUES (line); END LOOP; END $$;
SELECT ok(bool_or(line ~ 'Partial Aggregate'), 'evidence by time is gathered from workers') FROM explained;
SELECT cmp_ok(far_off('three', m), '<=', 1e-12::float8, 'and is the same') FROM (SELECT dlints_evidence(dlints_new(5, half_life => '60 hours', memories => 3), x, r, at, weight) AS m FROM seen_by_workers) AS w;
SELECT ok(same_bytes(a, b), 'of real or double precision') FROM (SELECT dlints_evidence(dlints_new(5, half_life => '60 hours'), x::real[], r, at, weight ORDER BY i), dlints_evidence(dlints_new(5, half_life => '60 hours'), x::real[]::float8[], r, at, weight ORDER BY i) FROM observation) AS w (a, b);

-- by hand: a half-life of an hour, observations of 1 at 12, 11 and 10 o'clock
CREATE TEMP TABLE hand AS SELECT dlints_update_batch(empty, ARRAY[[1], [1], [1]], ARRAY[4, 2, 8], ARRAY['2026-01-01 12:00+00', '2026-01-01 10:00+00', '2026-01-01 11:00+00']::timestamptz[]) AS m FROM (SELECT dlints_new(1, half_life => '1 hour', intercept => false, noise => 1)) AS e (empty);
SELECT cmp_ok(abs(have / want - 1), '<', 1e-15::float8, what) FROM hand, dlints_info(m) AS i, dlints_info(dlints_at(m, '2026-01-01 14:00+00')) AS o, LATERAL (VALUES
  ('weights', i.effective_sample_size, 1.75::float8), ('mean reward', i.mean_reward, 8.5 / 1.75::float8), ('two hours later, weights', o.effective_sample_size, 1.75 / 4), ('two hours later, mean reward', o.mean_reward, 8.5 / 1.75),
  ('two hours later, H', (dlints_at(m, '2026-01-01 14:00+00')::jsonb #>> '{evidence,0,H,0,0}')::float8, (1 + 1 / 4.0 + 1 / 16.0) / 16), ('H', (m::jsonb #>> '{evidence,0,H,0,0}')::float8, 1 + 1 / 4.0 + 1 / 16.0)) AS v (what, have, want) ORDER BY what;
SELECT ok(same_bytes(dlints_at(dlints_at(m, '2026-01-01 13:00+00'), '2026-01-01 14:00+00'), dlints_at(m, '2026-01-01 14:00+00')) AND same_bytes(dlints_at(m, '2026-01-01 12:00+00'), m) AND (dlints_info(dlints_at(m, '2026-01-01 14:00+00'))).newest = '2026-01-01 14:00+00'
          AND (dlints_info(dlints_at(m, '2026-01-01 14:00+00'))).updates = 3, 'dlints_at ages in steps, or not at all') FROM hand;
SELECT ok(same_bytes(dlints_at(m, '2026-01-01 14:00+00') || l, dlints_at(m || l, '2026-01-01 14:00+00')) AND (dlints_info(m || l)).newest = '2026-01-01 12:00+00', 'one that comes late is as old as it is')
FROM hand, dlints_update(dlints_new(1, half_life => '1 hour', intercept => false, noise => 1), ARRAY[1], 1, '2026-01-01 09:00+00') AS l;
SELECT ok(dlints_predict(m, ARRAY[1]) = 8.5 / 2.75 AND abs(dlints_predict(dlints_at(m, '2026-01-01 14:00+00'), ARRAY[1]) - (8.5 / 4) / (1.75 / 4 + 1)) < 1e-15, 'reading does not look at the clock, an aged model knows less') FROM hand;

-- errors, and what is none
CREATE TEMP VIEW say AS SELECT dlints_new(1, half_life => '1 hour', memories => 2) AS t, dlints_new(1, discount => 0.5) AS c;
SELECT is(outcome(format('SELECT %s FROM say', statement)), result, statement) FROM (VALUES
  ('dlints_update(t, ARRAY[1], 1)', '22004: a model that forgets by time needs the time of an observation'), ('dlints_update(t, ARRAY[1], 1, NULL)', '22004: a model that forgets by time needs the time of an observation'),
  ('dlints_update_batch(t, ARRAY[[1]], ARRAY[1])', '22004: a model that forgets by time needs the time of an observation'), ('dlints_update_batch(t, ARRAY[[1], [2]], ARRAY[1, 2], ARRAY[now(), NULL])', '22004: array must not contain nulls (The array of times has one; the model is dlints(1,intercept).)'),
  ('dlints_update_reduced(t, ARRAY[1, 1], 1)', '22004: a model that forgets by time needs the time of an observation'), ('(SELECT dlints_evidence(t, ARRAY[1]::real[], 1))', '22004: a model that forgets by time needs the time of an observation'),
  ('(SELECT dlints_evidence(t, ARRAY[1]::real[], 1, NULL, 2))', '22004: a model that forgets by time needs the time of an observation'), ('dlints_update(t, ARRAY[1], 1, ''infinity'')', '22008: the time of an observation must be finite'),
  ('dlints_update(t, ARRAY[1], 1, ''-infinity'')', '22008: the time of an observation must be finite'), ('dlints_update_batch(t, ARRAY[[1], [2]], ARRAY[1, 2], ARRAY[now(), ''infinity''])', '22008: the time of an observation must be finite'),
  ('dlints_update_batch(t, ARRAY[[1], [2]], ARRAY[1, 2], ARRAY[now()])', '22000: expected as many times as contexts (Contexts: 2, times: 1.)'),
  ('dlints_at(dlints_update(t, ARRAY[1], 1, ''2026-01-02 00:00+00''), ''2026-01-01 00:00+00'')', format('22023: a model cannot be made younger (Its newest observation is of %s.)', '2026-01-02 00:00+00'::timestamptz::text))) AS v (statement, result)
ORDER BY statement;
-- times of models by count are nobody's business; dlints_at neither; nor of those that have seen nothing; NULL is no observation without a time
SELECT ok(same_bytes(have, want), what) FROM say, LATERAL (VALUES
  ('at of a model by count', dlints_update(c, ARRAY[1], 1, '2026-01-01'), dlints_update(c, ARRAY[1], 1)), ('infinity of a model by count', dlints_update(c, ARRAY[1], 1, 'infinity'), dlints_update(c, ARRAY[1], 1)),
  ('batch of a model by count', dlints_update_batch(c, ARRAY[[1], [2]], ARRAY[1, 2], ARRAY['2027-01-01', '2026-01-01']::timestamptz[]), dlints_update_batch(c, ARRAY[[1], [2]], ARRAY[1, 2])),
  ('evidence of a model by count', (SELECT dlints_evidence(c, ARRAY[1]::real[], one, now(), 1) FROM generate_series(1, 1) AS one), dlints_update(c, ARRAY[1], 1)),
  ('dlints_at of a model by count', dlints_at(dlints_update(c, ARRAY[1], 1), '2026-01-01'), dlints_update(c, ARRAY[1], 1)), ('dlints_at of nothing', dlints_at(t, '2026-01-01'), t),
  ('no reward, no time', dlints_update(t, ARRAY[1], NULL), t), ('nothing learned beside it', t || dlints_update(t, ARRAY[1], 1, '2026-01-01'), dlints_update(t, ARRAY[1], 1, '2026-01-01')),
  ('nothing learned behind it', dlints_update(t, ARRAY[1], 1, '2026-01-01') || t, dlints_update(t, ARRAY[1], 1, '2026-01-01'))) AS v (what, have, want) ORDER BY what;

-- from one end of time to the other: what is that old has no weight, in a memory that forgets
SELECT ok(e #>> '{0,weight_sum}' = '1' AND e #>> '{1,weight_sum}' = '2' AND e #> '{0,b}' = '[2, 1]' AND e #> '{0,G}' = '[[4], [2, 1]]' AND same_bytes(m::text::dlints, m) AND dlints_mean(m) IS NOT NULL, what)
FROM say, LATERAL (VALUES ('old, then new', dlints_update(dlints_update(t, ARRAY[1], 5, '4713-01-02 00:00+00 BC'), ARRAY[2], 1, '294276-12-31 00:00+00')), ('new, then old', dlints_update(dlints_update(t, ARRAY[2], 1, '294276-12-31 00:00+00'), ARRAY[1], 5, '4713-01-02 00:00+00 BC')),
  ('at once', dlints_update_batch(t, ARRAY[[2], [1]], ARRAY[1, 5], ARRAY['294276-12-31 00:00+00', '4713-01-02 00:00+00 BC']::timestamptz[]))) AS v (what, m), LATERAL (SELECT m::jsonb -> 'evidence') AS f (e) ORDER BY what;
SELECT ok(i.updates = 1 AND i.effective_sample_size = 0 AND i.mean_reward IS NULL AND dlints_mean(m) = '{0}' AND same_bytes(m::text::dlints, m), 'all forgotten') FROM
  (SELECT dlints_at(dlints_update(dlints_new(1, half_life => '0.001 seconds', intercept => false), ARRAY[2], 1, '2026-01-01'), '2126-01-01')) AS a (m), dlints_info(m) AS i;
SELECT ok((dlints_info(m || dlints_update(empty, ARRAY[1], 2, '2126-01-02'))).effective_sample_size = 1 AND abs(dlints_predict(m || dlints_update(empty, ARRAY[1], 2, '2126-01-02'), ARRAY[1]) - 1) < 1e-15, 'and something learned after it') FROM
  (SELECT dlints_new(1, half_life => '0.001 seconds', intercept => false)) AS e (empty), LATERAL (SELECT dlints_at(dlints_update(empty, ARRAY[2], 1, '2026-01-01'), '2126-01-01')) AS a (m);

-- microseconds count, zones do not
SELECT isnt(dlints_update(t, ARRAY[1], 1, '2026-01-01 00:00:00.000001+00')::text, dlints_update(t, ARRAY[1], 1, '2026-01-01 00:00:00+00')::text, 'a microsecond') FROM say;
SELECT is(dlints_update(t, ARRAY[1], 1, '2026-01-01 05:30:00+05:30')::text, dlints_update(t, ARRAY[1], 1, '2026-01-01 00:00:00+00')::text, 'a zone') FROM say;
SELECT is((dlints_info(dlints_update(t, ARRAY[1], 1, '1969-07-20 20:17:40.25+00'))).newest, '1969-07-20 20:17:40.25+00'::timestamptz, 'before 2000') FROM say;
SELECT * FROM finish();
ROLLBACK;
