-- The value of another policy, against its definition in plain SQL
\ir include/helpers.sql

-- 30 logs of 2 to 90 decisions: reward, logged probability, target probability, predicted and expected reward
CREATE TEMP TABLE log AS
SELECT c, i, number(i, c) * 3 + c - 15 AS r, 0.05 + 0.95 * abs(number(i, c + 100)) AS p,
       CASE WHEN i % 4 = 3 THEN 0 ELSE abs(number(i, c + 200)) END AS t,
       number(i, c + 300) + c - 15 AS q, number(i, c + 400) + c - 15 AS e
FROM generate_series(1, 30) AS c, generate_series(1, 3 * c) AS i;
DELETE FROM log WHERE c = 1 AND i = 3;
-- in decimal arithmetic
CREATE FUNCTION by_definition(source regclass) RETURNS SETOF float8[] LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format(
		'WITH l AS (
			SELECT c, r::numeric, t::numeric / p::numeric AS w, q::numeric, e::numeric FROM %s),
		 m AS (
			SELECT *, sum(w * r) OVER a / nullif(sum(w) OVER a, 0) AS s, e + w * (r - q) AS dr
			FROM l WINDOW a AS (PARTITION BY c))
		 SELECT ARRAY[
			count(*), avg(r), stddev_samp(r) / sqrt(count(*)),
			avg(w * r), stddev_samp(w * r) / sqrt(count(*)),
			sum(w * r) / nullif(sum(w), 0),
			sqrt(sum((w * (r - s)) ^ 2) / nullif(count(*) - 1, 0) / count(*)) / avg(w),
			avg(dr), stddev_samp(dr) / sqrt(count(*)),
			avg(w), stddev_samp(w) / sqrt(count(*)),
			sum(w) ^ 2 / nullif(sum(w ^ 2), 0), max(w)]::float8[]
		 FROM m GROUP BY c ORDER BY c', source);
END
$$;
CREATE FUNCTION numbers(v dlints_policy_estimate) RETURNS float8[] LANGUAGE sql AS $$
SELECT ARRAY[(v).observations, (v).mean_reward, (v).mean_reward_stderr, (v).ips, (v).ips_stderr,
             (v).snips, (v).snips_stderr, (v).dr, (v).dr_stderr, (v).mean_weight,
             (v).mean_weight_stderr, (v).effective_sample_size, (v).max_weight]
$$;
CREATE TEMP TABLE defined AS SELECT row_number() OVER () AS c, d FROM by_definition('log') AS d;

SELECT plan(4 + 7 + 2 + 3 + 4 + 14 + 16 + 3 + 11 + 4 + 3 + 11);

SELECT is(count(*), 30::bigint, 'the test has 30 logs') FROM defined;
SELECT cmp_ok(max(element_difference(numbers(v), d)), '<', 1e-11::float8, 'dlints_policy_value follows its definition')
FROM defined JOIN (SELECT c, dlints_policy_value(r, p, t, q, e) AS v FROM log GROUP BY c) AS l
     USING (c);
SELECT cmp_ok(max(element_difference(numbers(v), d[:7] || '{NULL, NULL}' || d[10:])),
              '<', 1e-11::float8, 'dlints_policy_value without predictions has all estimates except dr')
FROM defined JOIN (SELECT c, dlints_policy_value(r, p, t) AS v FROM log GROUP BY c) AS l USING (c);
SELECT is((dlints_policy_value(CASE WHEN i <> 1 THEN r END, CASE WHEN i <> 2 THEN p END,
                               CASE WHEN i <> 3 THEN t END, CASE WHEN i <> 4 THEN q END,
                               CASE WHEN i <> 5 THEN e END)).observations,
          5::bigint, 'rows with a NULL are skipped') FROM log WHERE c = 5 AND i <= 10;

-- exact values: observations; mean reward, ips, snips and dr, each with its standard error; mean weight with its
-- standard error; effective sample size; largest weight
SELECT is(numbers(value), expected::float8[], what)
FROM (SELECT dlints_policy_value(r, p, t, q, e) FILTER (WHERE false) AS none,
             dlints_policy_value(NULL, p, t) AS nulls FROM log) AS a,
     (SELECT dlints_policy_value(3, 0.5, 0.25) AS one, dlints_policy_value(3, 0.5, 0.25, 1, 10) AS modelled) AS b,
     (SELECT dlints_policy_value(i, 0.5, 0) AS never, dlints_policy_value(i, 0.5, 0.5) AS same
      FROM unnest('{1, 3}'::float8[]) AS i) AS c,
     (SELECT dlints_policy_value(i, 0.5, (i = 5)::integer) AS last FROM unnest('{1, 1, 1, 5}'::float8[]) AS i) AS d,
     LATERAL (VALUES
	('no row', none, '{0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}'),
	('no row without a NULL', nulls, '{0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL}'),
	('one row', one, '{1,3,NULL,1.5,NULL,3,NULL,NULL,NULL,0.5,NULL,1,0.5}'),
	('one row with a model', modelled, '{1,3,NULL,1.5,NULL,3,NULL,11,NULL,0.5,NULL,1,0.5}'),
	('a policy that would have done none of it', never, '{2,2,1,0,0,NULL,NULL,NULL,NULL,0,0,0,0}'),
	('a policy that would have done the last of it', last, '{4,2,1,2.5,2.5,5,0,NULL,NULL,0.5,0.5,1,2}'),
	('the policy of the log', same, '{2,2,1,2,1,2,1,NULL,NULL,1,0,2,1}')) AS v (what, value, expected);

-- Rewards of 1e9 with small differences have the errors of these differences.
SELECT cmp_ok(max(abs(apart / near - 1)), '<', 1e-6::float8, 'large rewards keep their variance')
FROM (SELECT dlints_policy_value(r, p, t, q, e) AS small,
             dlints_policy_value(r + 1e9, p, t, q + 1e9, e + 1e9) AS large FROM log GROUP BY c) AS l,
     LATERAL (VALUES ((small).mean_reward_stderr, (large).mean_reward_stderr),
                     ((small).snips_stderr, (large).snips_stderr),
                     ((small).dr_stderr, (large).dr_stderr)) AS v (near, apart);
SELECT is((dlints_policy_value(1e9 + 0.125, 0.1 + i / 1000.0, 0.5)).snips_stderr, 0::float8,
          'rewards that are all the same') FROM generate_series(1, 100) AS i;

-- one decision with a dominating weight
CREATE TEMP TABLE heavy AS
SELECT 1 AS c, number(i, 7) AS r, CASE WHEN i = 500 THEN 1e-12 ELSE 0.5 END AS p, 1::float8 AS t,
       number(i, 8) AS q, number(i, 9) AS e
FROM generate_series(1, 1000) AS i;
SELECT cmp_ok(element_difference(n[:6] || n[8:], d[:6] || d[8:])
              + element_difference(n[7:7], d[7:7]) * 1e-6, '<', 1e-11::float8,
              'a weight of 1e12; what its reward is from snips has few digits')
FROM (SELECT dlints_policy_value(r, p, t, q, e) AS v FROM heavy) AS l,
     numbers(v) AS n, by_definition('heavy') AS d;
SELECT is(round((dlints_policy_value(r, p, t, q, e)).effective_sample_size::numeric, 6),
          1::numeric, 'one large weight gives one effective sample') FROM heavy;
SELECT is((dlints_policy_value(1, 1, t)).effective_sample_size, 2::float8, 'weights whose squares are next to nothing')
FROM unnest('{1e-150, 1e-150}'::float8[]) AS t;

-- over a growing frame: the final function runs repeatedly, and does not modify the state
SELECT cmp_ok(max(element_difference(numbers(v), numbers(w))), '<', 1e-14::float8,
              'dlints_policy_value works as a window function')
FROM (SELECT i, dlints_policy_value(r, p, t, q, e) OVER (ORDER BY i) AS v FROM log WHERE c = 9) AS l,
     LATERAL (SELECT dlints_policy_value(r, p, t, q, e) AS w FROM log AS o WHERE c = 9 AND o.i <= l.i) AS a;
-- user-defined aggregates with invalid states
CREATE FUNCTION made_up(initial text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE AGGREGATE made_up(float8, float8, float8) (
		SFUNC = dlints_policy_value_transfn, STYPE = float8[], INITCOND = %L)', initial);
	PERFORM made_up(1, 1, 1);
END
$$;
SELECT throws_ok(format('SELECT made_up(%L)', initial), '22023', message, what) FROM (VALUES
	('{1, 2}', 'unexpected state of dlints_policy_value', 'a state of another length'),
	('{1, 2, 0, 1, 0, 2, 0, 2, 1, 2, 0, 1, 0, 0}', 'states of dlints_policy_value have different lengths',
	 'the state of the other form'),
	('{1, 2, 0, 1, 0, 2, 0, 2, 1, 2, 0, NULL}', 'unexpected state of dlints_policy_value',
	 'a state with a NULL')) AS v (initial, message, what);

SELECT throws_ok(format('SELECT dlints_policy_value(%s)', arguments), code, message, arguments)
FROM (VALUES
	('1, 0, 0.5', '22023', 'logged must be a probability, greater than 0 and at most 1'),
	('1, 1.5, 0.5', '22023', 'logged must be a probability, greater than 0 and at most 1'),
	('1, ''NaN'', 0.5', '22023', 'logged must be a probability, greater than 0 and at most 1'),
	('1, 0.5, -0.5', '22023', 'target must be a probability, from 0 to 1'),
	('1, 0.5, 1.5', '22023', 'target must be a probability, from 0 to 1'),
	('1, 0.5, ''NaN''', '22023', 'target must be a probability, from 0 to 1'),
	('''NaN'', 0.5, 0.5', '22003', 'NaN not allowed in reward'),
	('-1e51, 0.5, 0.5, 1, 1', '22003', 'numbers beyond 1e+50 not allowed in reward'),
	('1, 0.5, 0.5, ''NaN'', 1', '22003', 'NaN not allowed in predicted'),
	('1, 0.5, 0.5, 1, ''Infinity''', '22003', 'infinity not allowed in expected'),
	('1, 1e-310, 1', '22003', 'dlints result out of range')) AS v (arguments, code, message);
SELECT throws_ok('SELECT dlints_policy_value(i * 1e40, 1e-200, 1) FROM generate_series(1, 2) AS i',
                 '22003', 'dlints result out of range', 'dlints_policy_value rejects weights whose squares overflow');
SELECT throws_ok('SELECT dlints_policy_value_transfn(NULL, 1, 1, 1)', '42809',
                 'aggregate support function called in non-aggregate context', 'a call of a support function');
CREATE AGGREGATE pg_temp.merged(double precision[]) (SFUNC = dlints_policy_value_combinefn,
	STYPE = double precision[], FINALFUNC = dlints_policy_value_finalfn);
SELECT throws_ok($$SELECT pg_temp.merged('{NaN,1,1,1,1,1,1,1,1,1,1,1}')$$, '22023',
                 'unexpected state of dlints_policy_value', 'a state with NaN decisions is refused');

-- Predictions before training: dlints_predict before each dlints_update.

-- 150 observations of two drifting kinds: some without a reward or features, some at equal times, some out of
-- order, some with weights, some with empty profiles
CREATE TEMP TABLE observation AS
SELECT i, i % 17 = 0 AS hidden, i % 19 = 0 AS stranger,
       '2026-01-01 00:00+00'::timestamptz
       + (i / 2 * 3 - CASE WHEN i % 11 = 0 THEN 20 ELSE 0 END) * interval '1 hour' AS at,
       CASE WHEN i % 13 <> 0 THEN reward(i) + 5 * number(i, 3) * sign(75 - i) + 3 END AS r,
       CASE WHEN i % 3 = 0 THEN 1 + abs(number(i, 701)) * 4 END AS weight
FROM generate_series(1, 150) AS i;
CREATE FUNCTION x(o observation, n integer) RETURNS float8[] LANGUAGE sql AS
$$ SELECT CASE WHEN NOT (o).hidden THEN features((o).i, n) END $$;
CREATE FUNCTION u(o observation, m integer) RETURNS float8[] LANGUAGE sql AS
$$ SELECT CASE WHEN m = 0 THEN '{}' WHEN NOT (o).stranger THEN features((o).i % 7 + 7000, m) END $$;

CREATE TEMP TABLE model AS
SELECT name, n, m, empty || evidence(empty, 1, learned) AS state
FROM (VALUES
	('default', 5, 0, 0, dlints_new(5)),
	('default, wide', 40, 0, 0, dlints_new(40)),
	('default, trained', 5, 0, 90, dlints_new(5)),
	('no choice after each', 20, 0, 40, dlints_new(20, memories => 2)),
	('paper', 6, 0, 0, one_memory(6)),
	('paper, projected', 30, 0, 0, one_memory(30, 12, 0.9)),
	('forgets nothing', 7, 0, 0, dlints_new(7, discount => 1)),
	('noise given', 7, 0, 0, dlints_new(7, noise => 2, memories => 4, discount => 0.8)),
	('small ridge', 8, 0, 0, dlints_new(8, ridge => 1e-6, intercept => false)),
	('projected', 60, 0, 20, dlints_new(60, 25)),
	('matched, trained', 9, 9, 30, dlints_new(9, interactions => 'matched', intercept => false)),
	('matched', 6, 6, 0, dlints_new(6, interactions => 'matched')),
	('matched, projected', 20, 20, 0, dlints_new(20, 8, interactions => 'matched')),
	('by time', 5, 0, 0, dlints_new(5, half_life => '5 days')),
	('by time, one memory', 12, 0, 0, dlints_new(12, half_life => '2 days', memories => 1, intercept => false)),
	('by time, matched', 5, 5, 0, dlints_new(5, interactions => 'matched', half_life => '3 days 1 hour')))
	AS v (name, n, m, learned, empty);

-- prediction and training, one by one
CREATE FUNCTION step_by_step(m dlints, n integer, s integer) RETURNS TABLE (i integer, p float8)
LANGUAGE plpgsql AS $$
DECLARE
	o observation;
BEGIN
	FOR o IN SELECT * FROM observation ORDER BY observation.i LOOP
		i := o.i;
		p := dlints_predict(m, x(o, n), u(o, s));
		m := dlints_update(m, x(o, n), o.r, u(o, s), o.at, o.weight);
		RETURN NEXT;
	END LOOP;
END
$$;
CREATE TEMP TABLE expected AS SELECT name, s.i, p FROM model, step_by_step(state, n, m) AS s;
-- all models in one statement; window frames make no difference
CREATE TEMP TABLE predicted AS
SELECT name, i, dlints_progressive(state, x(o, n), r, u(o, m), at, weight)
       OVER (PARTITION BY name ORDER BY i ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING) AS p
FROM observation AS o, model;

SELECT cmp_ok(max(CASE WHEN (e.p IS NULL) <> (q.p IS NULL) THEN 'infinity'
                       ELSE coalesce(abs(e.p - q.p), 0) END) / max(abs(e.p)), '<=', 1e-10::float8,
              format('%s: as one by one', name))
FROM expected AS e FULL JOIN predicted AS q USING (name, i) GROUP BY name ORDER BY name;

SELECT is(count(DISTINCT (name, i)), 16 * 150::bigint, 'there is a row for each of each')
FROM predicted;
SELECT is(count(p), count(*) FILTER (WHERE i % 17 <> 0), 'a prediction wherever there are features')
FROM predicted JOIN model USING (name) WHERE m = 0;
-- changing rewards, for which the choice of a memory matters
SELECT cmp_ok(count(DISTINCT (dlints_info(s)).memory), '>', 1::bigint, 'another memory comes into use on the way')
FROM generate_series(10, 150, 7) AS last, LATERAL (
	SELECT dlints_evidence(dlints_new(5), x(o, 5), r, '{}', at, weight ORDER BY i)
	FROM observation AS o WHERE i <= last) AS l (s);

-- ---------- statements ----------

CREATE TEMP TABLE seen AS
SELECT i, features(i, 3)::real[] AS x, reward(i) AS r FROM generate_series(1, 40) AS i;
CREATE TEMP TABLE plain AS
SELECT i, dlints_progressive(dlints_new(3), x, r) OVER (ORDER BY i) AS p FROM seen;
CREATE FUNCTION error_of(arguments text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	error float8;
BEGIN
	EXECUTE format(
		'SELECT max(CASE WHEN (q IS NULL) <> (p IS NULL) THEN ''infinity'' ELSE abs(p - q) END)
		 FROM (SELECT i, dlints_progressive(%s) OVER (ORDER BY i) AS q FROM seen) AS s
		 JOIN plain USING (i)', arguments) INTO error;
	RETURN error;
END
$$;
SELECT cmp_ok(error_of(arguments), '<=', most::float8, what) FROM (VALUES
	('arguments by name', 0, 'model => dlints_new(3), features => x, weight => 1, reward => r'),
	('features in double precision', 0, 'dlints_new(3), x::float8[], r'),
	('numeric, and a model from a subquery', 1e-12,
	 '(SELECT dlints_new(3)), x::float8[]::numeric[], r::float8::numeric'),
	('times, for a model by count', 0, 'dlints_new(3), x, r, at => now()')) AS v (what, most, arguments);
SELECT is(dlints_progressive(dlints_new(3), x, r) OVER (ORDER BY i), 0::float8,
          'dlints_progressive predicts the first row of a partition without rewards') FROM seen WHERE i = 7;
SELECT is(count(p), 0::bigint, 'dlints_progressive without a model returns NULL')
FROM (SELECT dlints_progressive(NULL, x, r) OVER (ORDER BY i) AS p FROM seen) AS s;
CREATE TEMP TABLE kept AS
SELECT m, dlints_send(m) AS bytes
FROM (SELECT dlints_evidence(dlints_new(3, memories => 8), x, r ORDER BY i) AS m FROM seen) AS s;
SELECT is(max(abs(p - dlints_predict(m, x))), 0::float8,
  'dlints_progressive without rewards predicts by the given model')
FROM (SELECT m, x, dlints_progressive(m, x, NULL) OVER (ORDER BY i) AS p FROM seen, kept) AS s;
SELECT is(count(p), 40::bigint, 'dlints_progressive takes a model from a table')
FROM (SELECT dlints_progressive(m, x, r) OVER (ORDER BY i) AS p FROM seen, kept) AS s;
SELECT is(dlints_send(m), bytes, 'dlints_progressive does not change a stored model') FROM kept;
-- executed again for each row of another table, the partition begins again
SELECT is(count(DISTINCT total), 1::bigint,
  'a subquery with dlints_progressive gives the same result at each execution')
FROM generate_series(1, 3) AS g, LATERAL (
	SELECT sum(p) FROM (SELECT dlints_progressive(dlints_new(3), x, r) OVER (ORDER BY i) AS p
	                    FROM seen WHERE g > 0) AS s) AS t (total);
SELECT is(max(abs(p - q)), 0::float8, 'a stranger, who has no profile')
FROM (SELECT dlints_progressive(m, x, r) OVER w AS p,
             dlints_progressive(m, x, r, '{0, 0, 0}'::float8[]) OVER w AS q
      FROM seen, dlints_new(3, interactions => 'matched') AS m WINDOW w AS (ORDER BY i)) AS s;

-- a grid in one statement: the memories in use and sigma are those of a loop
CREATE TEMP TABLE grid AS
SELECT discount, ridge, i, x, p,
       dlints_new(3, discount => discount, ridge => ridge) AS empty
FROM (SELECT *, dlints_progressive(dlints_new(3, discount => discount, ridge => ridge), x, r)
             OVER (PARTITION BY discount, ridge ORDER BY i) AS p
      FROM seen, unnest('{0.9,1}'::float8[]) AS discount, unnest('{1,10}'::float8[]) AS ridge) AS s;
SELECT cmp_ok(abs(p - dlints_predict(
                  (SELECT dlints_evidence(empty, seen.x, r ORDER BY i) FROM seen WHERE i < 40), x)),
              '<=', 1e-10::float8, format('discount %s, ridge %s', discount, ridge))
FROM grid WHERE i = 40 ORDER BY discount, ridge;

-- ---------- many coordinates ----------

-- Beyond 128 coordinates and the intercept, predictions may use a mean that lags by a few rows: at most this
-- number, and a sixteenth of the history.
CREATE TEMP TABLE wide AS SELECT i, features(i, 230) AS x, reward(i) AS r
FROM generate_series(1, 90) AS i;
-- when another memory is chosen, its mean is computed immediately
CREATE TEMP TABLE turning AS
SELECT i, features(i, 2) || zeros(228) AS x,
       number(i, 1) * CASE WHEN i / 27 % 2 = 0 THEN 5 ELSE -5 END + number(i, 9) AS r
FROM generate_series(1, 150) AS i;
CREATE FUNCTION behind(m dlints, size integer, source regclass)
RETURNS TABLE (i integer, p float8, changes integer) LANGUAGE plpgsql AS $$
DECLARE
	o wide;
	old dlints := m;
	is_now record;
	was record;
BEGIN
	changes := 0;
	FOR o IN EXECUTE format('SELECT * FROM %s ORDER BY i', source) LOOP
		is_now := dlints_info(m);
		was := dlints_info(old);
		changes := changes + (is_now.memory <> was.memory)::integer;
		IF is_now.memory <> was.memory
			OR is_now.updates - was.updates > least(size * size / (129 * 129), is_now.updates / 16)
		THEN
			old := m;
		END IF;
		i := o.i;
		p := dlints_predict(old, o.x);
		RETURN NEXT;
		m := dlints_update(m, o.x, o.r);
	END LOOP;
END
$$;
SELECT cmp_ok(max(abs(b.p - s.p)), '<=', 1e-10::float8,
              'predictions of 230 coordinates and an intercept differ as little as documented')
FROM (SELECT i, dlints_progressive(dlints_new(230), x, r) OVER (ORDER BY i) AS p FROM wide) AS s
JOIN behind(dlints_new(230), 231, 'wide') AS b USING (i);
SELECT ok(max(abs(b.p - s.p)) <= 1e-10 AND max(changes) > 1,
          'predictions are those of single updates across changes of the memory in use')
FROM (SELECT i, m, dlints_progressive(m, x, r) OVER (ORDER BY i) AS p
      FROM turning, dlints_new(230, discount => 0.9, memories => 2) AS m) AS s
JOIN behind(dlints_new(230, discount => 0.9, memories => 2), 231, 'turning') AS b USING (i);
SELECT cmp_ok(max(abs(s.p - dlints_predict(before, x))), '<=', 1e-10::float8,
              'predictions equal dlints_predict with 128 coordinates and an intercept')
FROM (SELECT i, x[:128] AS x, dlints_progressive(dlints_new(128), x[:128], r) OVER (ORDER BY i) AS p FROM wide) AS s,
     LATERAL (SELECT dlints_evidence(dlints_new(128), e.x[:128], r ORDER BY e.i) AS before
              FROM wide AS e WHERE e.i < s.i) AS l
WHERE i IN (2, 17, 40, 90);

-- ---------- one model, and errors ----------

CREATE TEMP TABLE copies AS
SELECT i, one_memory(40) || evidence(one_memory(40), 1, 3) AS m FROM generate_series(1, 2) AS i;
SELECT is(count(p), 2::bigint, 'another stored copy of it will do')
FROM (SELECT dlints_progressive(m, zeros(40), 1) OVER (ORDER BY i) AS p FROM copies) AS s;
SELECT is(count(p), 40::bigint, 'a partition may have one of its own')
FROM (SELECT dlints_progressive(dlints_new(3, ridge => i), x, r) OVER (PARTITION BY i) AS p FROM seen) AS s;
SELECT throws_ok(format('SELECT dlints_progressive(%s) OVER (ORDER BY i) FROM seen', arguments),
                 code, message, arguments) FROM (VALUES
	('dlints_new(3, ridge => i), x, r', '22023', 'dlints_progressive needs the same model for all rows of a partition'),
	('dlints_new(3, half_life => ''1 day''), x, r', '22004',
	 'an observation for a model that forgets by time must have a time'),
	('dlints_new(3, half_life => ''1 day''), x, r, at => ''infinity''', '22008',
	 'the time of an observation must be finite'),
	('dlints_new(3), x, r, weight => 0', '22023', 'weight must be greater than 0 and at most 1e+10'),
	('dlints_new(3), x, ''NaN''', '22003', 'NaN not allowed in reward'),
	('dlints_new(4), x, r', '22000', 'expected 4 dimensions, not 3'),
	('dlints_new(3), ARRAY[1, NULL, 2], r', '22004', 'array must not contain nulls'),
	('dlints_new(3), ARRAY[1, ''Infinity'', 2]::real[], r', '22003', 'infinity not allowed in array'),
	('dlints_new(3), x, r, x', '22023', 'argument "profile" must not be given')) AS v (arguments, code, message);

SELECT * FROM finish();
ROLLBACK;
