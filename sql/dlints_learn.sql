-- Training.  Small integers and a discount of 1/4 make all results exact in
-- binary, whatever the order of operations.
\pset format unaligned
CREATE FUNCTION pg_temp.shown(m dlints) RETURNS text LANGUAGE sql AS
$$
SELECT format('%s, %s', updates, string_agg(
  format('weights %s, rewards %s, squares %s, b %s, G %s, H %s', n, r + n * c,
         s + 2 * c * r + n * c * c, e -> 'b', e -> 'G', e -> 'H'), '; ' ORDER BY i))
FROM jsonb_to_record(m::jsonb) AS m (updates bigint, reference_reward float8, evidence jsonb),
     jsonb_array_elements(evidence) WITH ORDINALITY AS a (e, i),
     LATERAL (SELECT reference_reward, (e -> 'weight_sum')::float8, (e -> 'reward_sum')::float8,
                     (e -> 'reward_square_sum')::float8) AS v (c, n, r, s)
GROUP BY updates
$$;

CREATE TABLE observation (id integer, x real[], r float8);
INSERT INTO observation VALUES (1, '{1,0}', 1), (2, '{0,2}', -1), (3, '{1,1}', 2), (4, '{2,1}', 0);
CREATE TABLE model (name text PRIMARY KEY, state dlints);
INSERT INTO model VALUES ('faded', one_memory(2, NULL, 0.25)),
  ('plain', one_memory(2, NULL, 1)),
  ('intercept', one_memory(2, NULL, 0.25, intercept => true)),
  ('two memories', dlints_new(2, discount => 0.25, memories => 2, intercept => false));

-- one observation, two, and all ways to train on four
SELECT name, pg_temp.shown(dlints_update(state, ARRAY[1, 0], 1)) FROM model ORDER BY name;
SELECT name, pg_temp.shown(dlints_update(dlints_update(state, ARRAY[1, 0], 1), ARRAY[0, 2], -1))
  FROM model ORDER BY name;
SELECT name, count(*) AS ways, pg_temp.shown(m) FROM model, LATERAL (VALUES
  (dlints_update(dlints_update(dlints_update(dlints_update(state, ARRAY[1, 0], 1), ARRAY[0, 2], -1),
    ARRAY[1, 1], 2), ARRAY[2, 1], 0)),
  (dlints_update_batch(dlints_update_batch(state, ARRAY[[1, 0], [0, 2]], ARRAY[1, -1]),
    ARRAY[[1, 1], [2, 1]], ARRAY[2, 0])),
  ((SELECT dlints_evidence(state, x, r ORDER BY id) FROM observation)),
  ((SELECT dlints_evidence(state, x::float8[], r ORDER BY id) FROM observation)),
  ((SELECT dlints_evidence(state, x, r ORDER BY id) FROM observation WHERE id <= 3)
    || (SELECT dlints_evidence(state, x, r) FROM observation WHERE id = 4)),
  ((SELECT dlints_concat_agg(e ORDER BY id)
    FROM (SELECT id, dlints_evidence(state, x, r) AS e FROM observation GROUP BY id) AS s)))
    AS v (m) GROUP BY name, m ORDER BY name;

-- forgetting by time, in any order of observations: weights fall to a quarter per day, so that
-- the second observation counts 4 and the third 16
ALTER TABLE observation ADD at timestamptz, ADD weight float8;
UPDATE observation SET at = '2026-01-01 00:00+00'::timestamptz + (id - 1) * interval '1 day',
  weight = CASE id WHEN 2 THEN 4 WHEN 3 THEN 16 END;
INSERT INTO model VALUES ('by time', dlints_new(2, half_life => '12 hours', memories => 1,
  intercept => false));
SELECT count(*) AS ways, pg_temp.shown(m),
  (dlints_info(m)).newest = '2026-01-04 00:00+00' AS newest FROM model, LATERAL (VALUES
  (dlints_update(dlints_update(dlints_update(dlints_update(
    state, ARRAY[1, 1], 2, '{}', '2026-01-03 00:00+00', 16), ARRAY[0, 2], -1, '{}', '2026-01-02 00:00+00', 4),
    ARRAY[2, 1], 0, '{}', '2026-01-04 00:00+00'), ARRAY[1, 0], 1, '{}', '2026-01-01 00:00+00')),
  (dlints_update_batch(state, ARRAY[[2, 1], [1, 0], [1, 1], [0, 2]], ARRAY[0, 1, 2, -1], '{}',
    ARRAY['2026-01-04 00:00+00', '2026-01-01 00:00+00', '2026-01-03 00:00+00',
    '2026-01-02 00:00+00']::timestamptz[], ARRAY[1, 1, 16, 4])),
  ((SELECT dlints_evidence(state, x, r, '{}', at, weight) FROM observation)),
  ((SELECT dlints_evidence(state, x::float8[], r, '{}', at, weight ORDER BY at DESC) FROM observation)),
  ((SELECT dlints_concat_agg(e ORDER BY id DESC)
    FROM (SELECT id, dlints_evidence(state, x, r, '{}', at, weight) AS e FROM observation GROUP BY id)
    AS s))) AS v (m) WHERE name = 'by time' GROUP BY m;
-- retracting the third observation; a day later; with a weight
SELECT pg_temp.shown(m - dlints_update(state, ARRAY[1, 1], 2, '{}', '2026-01-03 00:00+00', 16))
  AS without_the_third, pg_temp.shown(dlints_at(m, '2026-01-05 00:00+00')) AS a_day_later,
  pg_temp.shown(0.5 * m) AS half
FROM (SELECT state, dlints_evidence(state, x, r, '{}', at, weight) AS m FROM model, observation
  WHERE name = 'by time' GROUP BY name) AS s;

-- aggregates modify neither their input rows nor a state that a window still needs
CREATE TABLE part AS SELECT id, dlints_evidence(one_memory(2, NULL, 0.25), x, r) AS e
  FROM observation GROUP BY id;
SELECT id, pg_temp.shown(dlints_concat_agg(e) OVER (ORDER BY id)) FROM part ORDER BY id;
SELECT id, pg_temp.shown(e || e) FROM part ORDER BY id;
SELECT id, pg_temp.shown(e) FROM part ORDER BY id;

DROP TABLE observation, model, part;
