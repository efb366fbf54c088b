-- Observations and histories that count more, or less, than once.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

CREATE TEMP TABLE observation AS SELECT i, context(i, 4) AS x, shared(i, 2) AS u, reward(i) + 3 AS r, '2026-03-01 00:00+00'::timestamptz + (number(i, 700) + 1) * interval '10 days' AS at, (1 + i % 5)::float8 AS weight FROM generate_series(1, 140) AS i;
CREATE TEMP TABLE model AS
SELECT *, (dlints_info(empty)).shared_dim > 0 AS is_shared FROM (VALUES ('paper', dlints_new(4, discount => 0.97, intercept => false, noise => 1)), ('three memories', dlints_new(4)), ('nothing forgotten', dlints_new(4, discount => 1)),
  ('by time', dlints_new(4, half_life => '3 days', memories => 2)), ('shared', dlints_new(4, 5, discount => 0.9, memories => 2, shared_dim => 2)), ('shared by time', dlints_new(4, 3, half_life => '3 days', shared_dim => 2, intercept => false))) AS v (name, empty);

-- ways to learn the weighted ones from first to last
CREATE FUNCTION one_by_one(m dlints, first integer, last integer) RETURNS dlints LANGUAGE plpgsql AS
$$
DECLARE
	o observation;
BEGIN
	FOR o IN SELECT * FROM observation WHERE i BETWEEN first AND last ORDER BY i LOOP
		m := CASE WHEN (dlints_info(m)).shared_dim > 0 THEN dlints_update(m, o.x, o.u, o.r, o.at, o.weight) ELSE dlints_update(m, o.x, o.r, o.at, o.weight) END;
	END LOOP;
	RETURN m;
END
$$;
CREATE FUNCTION by_reduced(m dlints, first integer, last integer) RETURNS dlints LANGUAGE plpgsql AS
$$
DECLARE
	o observation;
BEGIN
	FOR o IN SELECT * FROM observation WHERE i BETWEEN first AND last ORDER BY i LOOP
		m := dlints_update_reduced(m, CASE WHEN (dlints_info(m)).shared_dim > 0 THEN dlints_project(m, o.x, o.u) ELSE dlints_project(m, o.x) END, o.r, at => o.at, weight => o.weight);
	END LOOP;
	RETURN m;
END
$$;
CREATE FUNCTION by_batch(m dlints, first integer, last integer) RETURNS dlints LANGUAGE sql AS
$$ SELECT CASE WHEN (dlints_info(m)).shared_dim > 0 THEN dlints_update_batch(m, xs, us, rs, ats, ws) ELSE dlints_update_batch(m, xs, rs, ats, ws) END FROM
   (SELECT array_agg(x ORDER BY i), array_agg(u ORDER BY i), array_agg(r ORDER BY i), array_agg(at ORDER BY i), array_agg(weight ORDER BY i) FROM observation WHERE i BETWEEN first AND last) AS a (xs, us, rs, ats, ws) $$;
CREATE FUNCTION by_evidence(m dlints, first integer, last integer) RETURNS dlints LANGUAGE plpgsql AS
$$
BEGIN
	IF (dlints_info(m)).shared_dim > 0 THEN
		RETURN dlints_evidence(m, x, u, r, at, weight ORDER BY i) FROM observation WHERE i BETWEEN first AND last;
	END IF;
	RETURN dlints_evidence(m, x, r, at, weight ORDER BY i) FROM observation WHERE i BETWEEN first AND last;
END
$$;

-- Memory j by direct sums of w z z' and w^2 z z', w being the weight times what is left of it
CREATE FUNCTION direct(m dlints, j integer) RETURNS jsonb LANGUAGE sql AS
$$ WITH z AS MATERIALIZED (SELECT i, r, weight * CASE WHEN j = memories AND j > 1 THEN 1 WHEN discount IS NULL THEN 2 ^ (-extract(epoch FROM max(at) OVER () - at)::float8 / (extract(epoch FROM half_life)::float8 * 5 ^ (j - 1)))
                                                  ELSE (1 - (1 - discount) / 5.0 ^ (j - 1)) ^ (140 - i) END AS w,
                       CASE WHEN shared_dim > 0 THEN dlints_project(m, x, u) ELSE dlints_project(m, x) END AS z FROM observation, dlints_info(m)),
   d AS (SELECT generate_subscripts(z, 1) AS a FROM z WHERE i = 1),
   t AS MATERIALIZED (SELECT a, c, sum(w * z[a] * z[c]) AS g, sum(w * w * z[a] * z[c]) AS h FROM z, d, LATERAL (SELECT a AS c FROM d AS e WHERE e.a <= d.a) AS e GROUP BY a, c),
   rows AS (SELECT a, jsonb_agg(g ORDER BY c) AS g, jsonb_agg(h ORDER BY c) AS h FROM t GROUP BY a)
   SELECT jsonb_build_object('weight_sum', (SELECT sum(w) FROM z), 'reward_sum', (SELECT sum(w * r) FROM z), 'reward_square_sum', (SELECT sum(w * r * r) FROM z),
            'b', (SELECT jsonb_agg(s ORDER BY a) FROM (SELECT a, sum(w * r * z[a]) AS s FROM z, d GROUP BY a) AS t),
            'G', (SELECT jsonb_agg(g ORDER BY a) FROM rows), 'H', CASE WHEN NOT (j > 1 AND j = memories) AND discount IS DISTINCT FROM 1 THEN (SELECT jsonb_agg(h ORDER BY a) FROM rows) END)
   FROM dlints_info(m) $$;
CREATE TEMP TABLE sums AS SELECT name, j, direct(empty, j) AS memory FROM model, generate_series(1, 3) AS j WHERE j <= (dlints_info(empty)).memories;
CREATE FUNCTION far_off(which text, m dlints) RETURNS float8 LANGUAGE sql AS
$$ SELECT max(greatest(memory_difference(e, memory), difference(reward_sums((f ->> 'reference_reward')::float8, e), reward_sums(0, memory)), CASE WHEN (f ->> 'updates')::integer = 140 THEN 0 ELSE 'infinity'::float8 END))
   FROM (SELECT m::jsonb) AS j (f), sums, LATERAL (SELECT f -> 'evidence' -> (j - 1)) AS e (e) WHERE name = which $$;
-- the numbers of a matrix
CREATE FUNCTION cells(j jsonb) RETURNS float8[] LANGUAGE sql AS $$ SELECT numbers(jsonb_path_query_array(j, '$[*][*]')) $$;

SELECT plan(6 * 6 + 6 + 6 + 6 + 2 + 3 + 5 + 14 + 3 + 1);
SELECT cmp_ok(far_off(name, m), '<=', 1e-11::float8, format('%s: %s', name, way)) FROM model, LATERAL (VALUES
  ('one by one', one_by_one(empty, 1, 140)), ('batch', by_batch(empty, 1, 140)), ('reduced contexts', by_reduced(empty, 1, 140)), ('evidence', by_evidence(empty, 1, 140)), ('batch after batch', by_batch(by_batch(empty, 1, 33), 34, 140)),
  ('histories', one_by_one(empty, 1, 20) || (by_evidence(empty, 21, 100) || by_batch(empty, 101, 140)))) AS v (way, m) ORDER BY name, way;

-- a history as often as a number says: everything once, H twice, and updates stay
SELECT cmp_ok(max(greatest(
    difference(numbers(p -> 'b'), ARRAY(SELECT 0.3 * v FROM unnest(numbers(q -> 'b')) AS v)), difference(cells(p -> 'G'), ARRAY(SELECT 0.3 * v FROM unnest(cells(q -> 'G')) AS v)),
    CASE WHEN q -> 'H' <> 'null' THEN difference(cells(p -> 'H'), ARRAY(SELECT 0.3 * 0.3 * v FROM unnest(cells(q -> 'H')) AS v)) WHEN p -> 'H' <> 'null' THEN 1 ELSE 0 END,
    difference(ARRAY[p ->> 'weight_sum', p ->> 'reward_sum', p ->> 'reward_square_sum']::float8[], ARRAY(SELECT 0.3 * v::float8 FROM unnest(ARRAY[q ->> 'weight_sum', q ->> 'reward_sum', q ->> 'reward_square_sum']) AS v)),
    CASE WHEN (i.updates, i.newest) IS NOT DISTINCT FROM (140::bigint, o.newest) THEN 0 ELSE 'infinity'::float8 END)), '<=', 1e-14::float8, format('%s: 0.3 * model', name))
FROM (SELECT name, m, 0.3 * m FROM model, LATERAL (SELECT by_batch(empty, 1, 140) OFFSET 0) AS l (m)) AS v (name, m, w), dlints_info(w) AS i, dlints_info(m) AS o,
     LATERAL ROWS FROM (jsonb_array_elements(w::jsonb -> 'evidence'), jsonb_array_elements(m::jsonb -> 'evidence')) AS e (p, q) GROUP BY name ORDER BY name;

-- 0.1 * everyone || mine: as if everyone's observations had counted a tenth
SELECT cmp_ok(model_difference(0.1 * everyone || mine, want), '<=', 1e-10::float8, format('%s: 0.1 * everyone || mine', name)) FROM
  (SELECT name, by_batch(empty, 1, 100) AS everyone, by_batch(empty, 101, 140) AS mine, CASE WHEN is_shared THEN dlints_update_batch(empty, xs, us, rs, ats, ws) ELSE dlints_update_batch(empty, xs, rs, ats, ws) END AS want
   FROM model, (SELECT array_agg(x ORDER BY i), array_agg(u ORDER BY i), array_agg(r ORDER BY i), array_agg(at ORDER BY i), array_agg(CASE WHEN i <= 100 THEN 0.1 ELSE 1 END * weight ORDER BY i) FROM observation) AS a (xs, us, rs, ats, ws)) AS v ORDER BY name;
SELECT ok(same_bytes(1 * m, m) AND same_bytes(0.5 * (4 * m), 2 * m) AND same_bytes(dlints_scale(2, m), 2 * m) AND same_bytes(2 * (m || m), 2 * m || 2 * m) AND same_bytes(3 * empty, empty) AND same_bytes(NULL * m, m) AND same_bytes(0 * m, empty) AND same_bytes(0 * empty, empty) AND 2 * NULL::dlints IS NULL
          AND same_bytes(2.0 * m, 2::integer * m), format('%s: arithmetic', name)) FROM model, LATERAL (SELECT by_batch(empty, 1, 50) OFFSET 0) AS l (m) ORDER BY name;

-- where nothing is forgotten a weight is how often; and sampled non-clicks are put right
CREATE TEMP TABLE sampled AS SELECT dlints_new(4, discount => 1, noise => 1) AS empty;
SELECT cmp_ok(greatest(difference(dlints_mean(w), dlints_mean(n)), difference(dlints_covariance(w), dlints_covariance(n)), memory_difference(memory_in_use(w), memory_in_use(n)), abs(i.mean_reward / o.mean_reward - 1), abs(i.effective_sample_size / o.effective_sample_size - 1)),
              '<=', 1e-12::float8, 'a weight of 1 to 5 is 1 to 5 observations') FROM
  (SELECT by_evidence(empty, 1, 140), (SELECT dlints_evidence(empty, x, r) FROM observation, generate_series(1, weight::integer)) FROM sampled) AS v (w, n), dlints_info(w) AS i, dlints_info(n) AS o;
SELECT ok(i.updates = 140 AND o.updates = (SELECT sum(weight) FROM observation), 'but counts once') FROM
  (SELECT by_evidence(empty, 1, 140), (SELECT dlints_evidence(empty, x, r) FROM observation, generate_series(1, weight::integer)) FROM sampled) AS v (w, n), dlints_info(w) AS i, dlints_info(n) AS o;
-- by hand: H is the square
SELECT is(m::jsonb #> '{evidence,0}', want::jsonb, what) FROM dlints_new(1, discount => 0.5, intercept => false) AS e, LATERAL (VALUES
  ('a weight', dlints_update(e, ARRAY[3], 2, NULL, 4), '{"weight_sum": 4, "reward_sum": 8, "reward_square_sum": 16, "b": [24], "G": [[36]], "H": [[144]]}'),
  ('after another', dlints_update(dlints_update(e, ARRAY[3], 2, NULL, 4), ARRAY[1], 2), '{"weight_sum": 3, "reward_sum": 6, "reward_square_sum": 12, "b": [14], "G": [[19]], "H": [[37]]}'),
  ('a model', 4 * dlints_update(e, ARRAY[3], 2), '{"weight_sum": 4, "reward_sum": 8, "reward_square_sum": 16, "b": [24], "G": [[36]], "H": [[144]]}')) AS v (what, m, want) ORDER BY what;
-- no weight is 1
SELECT ok(same_bytes(m, dlints_update(empty, ARRAY[1, 2, 3, 4], 5)), what) FROM sampled, LATERAL (VALUES
  ('update', dlints_update(empty, ARRAY[1, 2, 3, 4], 5, NULL, NULL)), ('reduced', dlints_update_reduced(empty, ARRAY[1, 2, 3, 4, 1], 5, weight => NULL)), ('batch', dlints_update_batch(empty, ARRAY[[1, 2, 3, 4]], ARRAY[5], weights => NULL)),
  ('a weight of 1', dlints_update(empty, ARRAY[1, 2, 3, 4], 5, weight => 1)), ('evidence', (SELECT dlints_evidence(empty, ARRAY[1, 2, 3, 4]::real[], five, NULL, NULL) FROM generate_series(5, 5) AS five))) AS v (what, m) ORDER BY what;

-- bounds
SELECT is(outcome(format('SELECT %s FROM (SELECT dlints_new(1), dlints_update(dlints_new(1), ARRAY[1], 1)) AS s (e, m)', statement)), result, statement) FROM (VALUES
  ('dlints_update(e, ARRAY[1], 1, weight => 0)', '22023: weight must be greater than 0 and at most 1e+10 (The value is 0.)'), ('dlints_update(e, ARRAY[1], 1, weight => -1)', '22023: weight must be greater than 0 and at most 1e+10 (The value is -1.)'),
  ('dlints_update(e, ARRAY[1], 1, weight => ''NaN'')', '22023: weight must be greater than 0 and at most 1e+10 (The value is NaN.)'), ('dlints_update(e, ARRAY[1], 1, weight => 1.1e10)', '22023: weight must be greater than 0 and at most 1e+10 (The value is 11000000000.)'),
  ('dlints_update_reduced(e, ARRAY[1, 1], 1, weight => 0)', '22023: weight must be greater than 0 and at most 1e+10 (The value is 0.)'), ('dlints_update_batch(e, ARRAY[[1], [2]], ARRAY[1, 2], weights => ARRAY[1, 0])', '22023: weight must be greater than 0 and at most 1e+10 (The value is 0.)'),
  ('dlints_update_batch(e, ARRAY[[1], [2]], ARRAY[1, 2], weights => ARRAY[1])', '22000: expected as many weights as contexts (Contexts: 2, weights: 1.)'), ('dlints_update_batch(e, ARRAY[[1], [2]], ARRAY[1, 2], weights => ARRAY[1, NULL])', '22004: array must not contain nulls (The array of weights has one.)'),
  ('dlints_update_batch(e, ARRAY[[1], [2]], ARRAY[1, 2], weights => ARRAY[[1, 2]])', '2202E: array must be one-dimensional (The array of weights has 2 dimensions.)'), ('(SELECT dlints_evidence(e, ARRAY[1]::real[], 1, NULL, ''-Infinity''))', '22023: weight must be greater than 0 and at most 1e+10 (The value is -Infinity.)'),
  ('-1 * m', '22023: weight must be greater than 0 and at most 1e+10 (The value is -1.)'), ('''Infinity'' * m', '22023: weight must be greater than 0 and at most 1e+10 (The value is Infinity.)'),
  ('1.1e10 * e', '22023: weight must be greater than 0 and at most 1e+10 (The value is 11000000000.)'), ('m * 2.0', '42883: operator does not exist: dlints * numeric')) AS v (statement, result) ORDER BY statement;
SELECT ok(same_bytes(m::text::dlints, m) AND dlints_mean(m) IS NOT NULL AND (dlints_info(m)).effective_sample_size = n AND (dlints_info(m)).updates = 1, what) FROM (VALUES
  ('the largest', dlints_update(dlints_new(1), ARRAY[1], 1, weight => 1e10), 1e10::float8), ('a small one, H of which is nothing', dlints_update(dlints_new(1), ARRAY[1], 1, weight => 1e-200), 1e-200), ('one that is nothing', 1e-200 * (1e-200 * dlints_update(dlints_new(1), ARRAY[1], 1)), 0)) AS v (what, m, n) ORDER BY what;
-- H, of squared weights, loses a ridge long before G does, of which alone the mean is
SELECT ok(bool_and(least(predict, mean[1] - mean[2], (ucb).score, (greedy).score, progressive) > 2.999 AND greatest(predict, mean[1] - mean[2], (ucb).score, (greedy).score, progressive) < 3.001), 'what a heavy observation leaves of others is the same for all who look')
FROM (SELECT dlints_predict(m, x) AS predict, (SELECT array_agg(c.mean ORDER BY index) FROM dlints_coefficients(m) AS c) AS mean, dlints_choose(dlints_set(m, policy => 'ucb', exploration => 0), x) OVER () AS ucb,
             dlints_choose(dlints_set(m, policy => 'greedy'), x) OVER () AS greedy, dlints_progressive(m, x, NULL) OVER () AS progressive
      FROM (SELECT dlints_update_batch(dlints_new(2, discount => 0.9, intercept => false), ARRAY[[1, 1], [1, 0]], ARRAY[1, 5], weights => ARRAY[1e9, 1]) AS m, ARRAY[1, -1] AS x) AS s) AS s;
SELECT * FROM finish();
ROLLBACK;
