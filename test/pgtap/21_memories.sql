-- Several memories in a model: each holds what a model of that one memory would,
-- by every way of learning, and answers as that one does while it is in use.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

-- each kind with three memories, and what it is made of
CREATE TEMP VIEW several AS
SELECT split_part(name, ', discount', 1) AS name, dlints_new(n, d, 0.6, memories => 3, ridge => 0.7, exploration => 0.3, noise => 2, shared_dim => s, interactions => kind.interactions, intercept => intercept, seed => -17, projection_scale => projection_scale) AS empty
FROM kind, dlints_info(kind.empty) WHERE kind.discount = 1;

-- the model with memory j alone, none of which has anything to choose
CREATE FUNCTION alone(m dlints, j integer) RETURNS dlints LANGUAGE sql AS
$$ SELECT dlints_new(context_dim, reduced_dim, CASE WHEN j = memories THEN 1 ELSE 1 - (1 - discount) / 5.0 ^ (j - 1) END, NULL, 1, ridge, exploration, noise, policy, shared_dim, interactions, intercept, seed, projection_scale)
   FROM dlints_info(m) $$;

CREATE TEMP TABLE trained AS SELECT name, empty, singly(empty, 1, 150) AS model FROM several;
CREATE TEMP TABLE single AS SELECT name, j, singly(alone(empty, j), 1, 150) AS model FROM several, generate_series(1, 3) AS j;

-- memory j and the only memory of another model, one relative to the other
CREATE FUNCTION difference_in(m dlints, j integer, other dlints) RETURNS float8 LANGUAGE sql AS
$$ SELECT greatest(memory_difference(a -> 'evidence' -> (j - 1), b -> 'evidence' -> 0),
                   difference(reward_sums((a ->> 'reference_reward')::float8, a -> 'evidence' -> (j - 1)), reward_sums((b ->> 'reference_reward')::float8, b -> 'evidence' -> 0)),
                   CASE WHEN a -> 'updates' = b -> 'updates' AND jsonb_array_length(a -> 'evidence') = 3 AND jsonb_array_length(b -> 'evidence') = 1 THEN 0 ELSE 'infinity'::float8 END)
   FROM (SELECT m::jsonb, other::jsonb) AS f (a, b) $$;

SELECT plan(14 * 7 + 14 * 3 + 3 + 8 + 9 + 12 + 10 + 5 + 3);

SELECT cmp_ok((SELECT max(difference_in(other, j, model)) FROM single WHERE single.name = trained.name), '<=', 1e-10::float8, format('%s: %s', name, way))
FROM trained, LATERAL (VALUES
  ('one by one', model), ('batch', batch(empty, 1, 150)), ('batch after batch', batch(batch(empty, 1, 70), 71, 150)), ('evidence', evidence(empty, 1, 150)), ('reduced contexts', reduced(empty, 1, 150)),
  ('histories', singly(empty, 1, 40) || (evidence(empty, 41, 90) || batch(empty, 91, 150))),
  ('dlints_concat_agg', (SELECT dlints_concat_agg(evidence(empty, p * 15 + 1, p * 15 + 15) ORDER BY p) FROM generate_series(0, 9) AS p))) AS v (way, other)
ORDER BY name, way;

-- whichever is in use, the answers are those of that memory
SELECT ok(difference(dlints_mean(m), dlints_mean(s.model)) <= 1e-10 AND difference(dlints_covariance(m), dlints_covariance(s.model)) <= 1e-10 AND difference(dlints_draw(m, 3), dlints_draw(s.model, 3)) <= 1e-9
          AND abs(i.effective_sample_size / o.effective_sample_size - 1) <= 1e-12 AND abs(i.mean_reward / o.mean_reward - 1) <= 1e-10 AND i.memory = j, format('%s: memory %s in use', name, j))
FROM single AS s JOIN trained AS t USING (name), LATERAL (SELECT (t.model::jsonb || jsonb_build_object('memory', j))::dlints OFFSET 0) AS f (m), dlints_info(m) AS i, dlints_info(s.model) AS o ORDER BY name, j;
-- and from a table, out of line, of which no more is read
CREATE TEMP TABLE wide AS
SELECT j, (batch(dlints_new(60, discount => 0.9, memories => 3, noise => 1), 1, 100)::jsonb || jsonb_build_object('memory', j))::dlints AS m, dlints_mean(batch(alone(dlints_new(60, discount => 0.9, memories => 3, noise => 1), j), 1, 100)) AS mean FROM generate_series(1, 3) AS j;
SELECT cmp_ok(difference(dlints_mean(m), mean), '<=', 1e-9::float8, format('out of line, memory %s of a value of %s bytes', j, pg_column_size(m))) FROM wide ORDER BY j;

-- how many there are, and their windows
CREATE FUNCTION same_windows(have float8[], want float8[]) RETURNS boolean LANGUAGE sql AS
$$ SELECT cardinality(have) = cardinality(want) AND bool_and(h IS NULL AND w IS NULL OR h / w BETWEEN 1 - 1e-9 AND 1 + 1e-9) FROM unnest(have, want) AS u (h, w) $$;
SELECT ok(memories = cardinality(want) AND memory = memories AND updates = 0 AND same_windows(windows, want) AND hint IS NULL AND noise IS NULL AND half_life IS NULL AND exploration = 0.25 AND sigma = 1, format('%s: %s', what, want))
FROM (VALUES ('D = 1', dlints_new(1, intercept => false), ARRAY[2, 10, NULL]::float8[]), ('D = 2', dlints_new(1), ARRAY[4, 20, NULL]), ('D = 50', dlints_new(49), ARRAY[100, 500, NULL]), ('D = 100', dlints_new(300, 99), ARRAY[200, 1000, NULL]),
  ('D = 101', dlints_new(300, 100), ARRAY[202, NULL]), ('D = 1024', dlints_new(1024, intercept => false), ARRAY[2048, NULL]), ('D = 1025', dlints_new(65536, 1024, shared_dim => 3), ARRAY[2050, NULL]),
  ('D = 8, five of them', dlints_new(7, memories => 5), ARRAY[16, 80, 400, 2000, NULL])) AS v (what, m, want), dlints_info(m) ORDER BY what;
SELECT ok(i.memories = j AND same_windows(i.windows, ARRAY(SELECT CASE WHEN k < j OR j = 1 THEN 2 * 5 ^ (k - 1) END FROM generate_series(1, j) AS k)) AND t.memories = j AND t.half_life = '1 day' AND t.discount IS NULL AND t.windows = array_fill(NULL::float8, ARRAY[j]),
          format('%s of them', j)) FROM generate_series(1, 8) AS j, dlints_info(dlints_new(3, discount => 0.5, memories => j)) AS i, dlints_info(dlints_new(3, half_life => '1 day', memories => j)) AS t ORDER BY j;
SELECT ok(i.memories = 1 AND i.discount = 1 AND i.windows = ARRAY[NULL]::float8[], 'one, and no discount, forgets nothing') FROM dlints_info(dlints_new(3, memories => 1)) AS i;

-- errors, which tell what is wrong
SELECT is(outcome('SELECT ' || statement), result, statement) FROM (VALUES
  ('dlints_new(2, memories => 0)', '22023: memories must be between 1 and 8 (The value is 0.)'), ('dlints_new(2, memories => 9)', '22023: memories must be between 1 and 8 (The value is 9.)'),
  ('dlints_new(2, discount => 1, memories => 2)', '22023: discount must be less than 1 for several memories (With a discount of 1 the first one forgets nothing.)'),
  ('dlints_new(2, discount => 0.5, half_life => ''1 day'')', '22023: a model has either a discount or a half_life'),
  ('dlints_new(2, half_life => ''-1 day'', memories => 3)', '22023: half_life must be between 0.001 and 1e+12 (The value is -86400.)'),
  ('dlints_new(2) || dlints_new(2, memories => 2)', '22023: dlints models with different memories do not fit together (The left model has memories 3, the right one 2.)'),
  ('dlints_new(2, discount => 0.5) || dlints_new(2, discount => 0.75)', '22023: dlints models with different discount do not fit together (The left model has discount 0.5, the right one 0.75.)'),
  ('dlints_new(2, half_life => ''1 day'') || dlints_new(2, half_life => ''2 days'')', '22023: dlints models with different half_life do not fit together (The left model has half_life 86400, the right one 172800.)'),
  ('dlints_new(2, discount => 0.5) || dlints_new(2, half_life => ''1 day'')', '22023: dlints models with different discount do not fit together (The left model has discount 0.5, the right one null.)'),
  ('dlints_new(2, intercept => false) || dlints_new(2)', '22023: dlints models with different intercept do not fit together (The left model has intercept false, the right one true.)'),
  ('dlints_new(2, noise => -0.5)', '22023: noise must be between 1e-100 and 1e+100 (The value is -0.5.)'),
  ('dlints_new(2, shared_dim => 2, reduced_dim => 2, interactions => ''none'')', '22023: unknown interactions "none"')) AS v (statement, result) ORDER BY statement;

-- what a model looks like
SELECT is((dlints_info(dlints_update(m, array_fill(1, ARRAY[4]), 1, now()))).bytes, bytes::bigint, what) FROM (VALUES
  ('three memories of D = 5: 3 (3 + 5) and five matrices', dlints_new(4), 144 + 8 * (24 + 5 * 15)), ('eight of D = 4', dlints_new(4, memories => 8, intercept => false), 144 + 8 * (8 * 7 + 15 * 10)),
  ('one that forgets', dlints_new(4, discount => 0.9), 144 + 8 * (8 + 30)), ('one that does not', dlints_new(4, discount => 1), 144 + 8 * (8 + 15)),
  ('by time', dlints_new(4, half_life => '1 day'), 144 + 8 * (8 + 30)), ('two by time', dlints_new(4, half_life => '1 day', memories => 2), 144 + 8 * (16 + 45))) AS v (what, m, bytes) ORDER BY what;
SELECT ok(same_bytes(m::text::dlints, m) AND same_bytes(m::jsonb::dlints, m) AND same_bytes(receive(dlints_send(m)), m) AND m = m::text::dlints AND m <> empty, format('%s: reads back', what))
FROM (VALUES ('eight memories', dlints_new(3, memories => 8)), ('eight by time', dlints_new(3, half_life => '0.001 seconds', memories => 8)), ('by time, the longest', dlints_new(3, 5, half_life => '31000 years', shared_dim => 2)), ('the least noise', dlints_new(3, noise => 1e-100))) AS v (what, empty),
     LATERAL (SELECT (dlints_info(empty)).shared_dim) AS s (s), LATERAL (SELECT CASE WHEN s = 0 THEN dlints_update_batch(empty, ARRAY[[1, 2, 3], [2, 3, 1]], ARRAY[1e6, 1e6 + 1], ARRAY['2026-01-01', '1999-01-01']::timestamptz[])
                                                                               ELSE dlints_update_batch(empty, ARRAY[[1, 2, 3], [2, 3, 1]], ARRAY[[1, 2], [2, 1]], ARRAY[1e6, 1e6 + 1], ARRAY['2026-01-01', '1999-01-01']::timestamptz[]) END) AS u (m) ORDER BY what;

-- a hint where the longest memory is shorter than what there is to learn, and only there
SELECT is(hint, want, what) FROM (VALUES
  ('shorter', dlints_new(30, discount => 0.95), 'The model remembers 20 observations and has 31 coordinates to learn from them: raise discount, or leave it out.'),
  ('longer', dlints_new(18, discount => 0.95), NULL), ('forgetting nothing', dlints_new(30, discount => 1), NULL), ('with a longer one', dlints_new(30, discount => 0.5, memories => 2), NULL), ('by time', dlints_new(30, half_life => '1 second'), NULL)) AS v (what, m, want), dlints_info(m) ORDER BY what;

-- other parameters make another choice, and nothing learned stays nothing
SELECT ok(same_bytes(dlints_set(dlints_new(3), ridge => 2), dlints_new(3, ridge => 2)) AND same_bytes(dlints_set(dlints_new(3), noise => 2), dlints_new(3, noise => 2)) AND same_bytes(dlints_set(dlints_new(3, noise => 2), noise => 0), dlints_new(3))
          AND same_bytes(dlints_set(dlints_new(3), exploration => 2), dlints_new(3, exploration => 2)), 'dlints_set of a model that has learned nothing');
SELECT ok(same_bytes(dlints_set(dlints_set(model, noise => 7), noise => 2), model) AND (dlints_info(dlints_set(model, noise => 7))).sigma = 7 AND (dlints_info(dlints_set(model, noise => 0))).noise IS NULL AND (dlints_info(dlints_set(model, noise => 0))).sigma <> 2,
          'the noise, given and taken away') FROM trained WHERE name = 'intercept';
SELECT ok(model_difference(dlints_set(model, ridge => 3), again) < 1e-10 AND (dlints_info(dlints_set(model, ridge => 3))).memory = (dlints_info(again)).memory, 'a ridge, given before and after')
FROM trained, LATERAL (SELECT singly(dlints_set(empty, ridge => 3), 1, 150) OFFSET 0) AS a (again) WHERE name = 'intercept';
SELECT * FROM finish();
ROLLBACK;
