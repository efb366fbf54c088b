-- What a model predicts before it learns: dlints_predict before each dlints_update.
\ir include/helpers.sql

-- 150 observations of two drifting kinds: some without a reward or features, some at the
-- same time, some out of order, some weighed, some of strangers
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
	('matched, trained', 9, 9, 30,
	 dlints_new(9, interactions => 'matched', intercept => false)),
	('matched', 6, 6, 0, dlints_new(6, interactions => 'matched')),
	('matched, projected', 20, 20, 0, dlints_new(20, 8, interactions => 'matched')),
	('by time', 5, 0, 0, dlints_new(5, half_life => '5 days')),
	('by time, one memory', 12, 0, 0,
	 dlints_new(12, half_life => '2 days', memories => 1, intercept => false)),
	('by time, matched', 5, 5, 0,
	 dlints_new(5, interactions => 'matched', half_life => '3 days 1 hour')))
	AS v (name, n, m, learned, empty);

-- the same one by one
CREATE FUNCTION step_by_step(m dlints, n integer, s integer) RETURNS TABLE (i integer, p float8)
LANGUAGE plpgsql AS
$$
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
-- all models in one statement; frames do not matter
CREATE TEMP TABLE predicted AS
SELECT name, i, dlints_progressive(state, x(o, n), r, u(o, m), at, weight)
       OVER (PARTITION BY name ORDER BY i ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING) AS p
FROM observation AS o, model;

SELECT plan(16 + 3 + 11 + 4 + 3 + 11);
SELECT cmp_ok(max(CASE WHEN (e.p IS NULL) <> (q.p IS NULL) THEN 'infinity'
                       ELSE coalesce(abs(e.p - q.p), 0) END) / max(abs(e.p)), '<=', 1e-10::float8,
              format('%s: as one by one', name))
FROM expected AS e FULL JOIN predicted AS q USING (name, i) GROUP BY name ORDER BY name;

SELECT is(count(DISTINCT (name, i)), 16 * 150::bigint, 'there is a row for each of each')
FROM predicted;
SELECT is(count(p), count(*) FILTER (WHERE i % 17 <> 0),
          'a prediction wherever there are features')
FROM predicted JOIN model USING (name) WHERE m = 0;
-- the case that the choice of the memory in use is for
SELECT cmp_ok(count(DISTINCT (dlints_info(s)).memory), '>', 1::bigint,
              'another memory comes into use on the way')
FROM generate_series(10, 150, 7) AS last, LATERAL (
	SELECT dlints_evidence(dlints_new(5), x(o, 5), r, '{}', at, weight ORDER BY i)
	FROM observation AS o WHERE i <= last) AS l (s);

-- ---------- how it is called ----------

CREATE TEMP TABLE seen AS
SELECT i, features(i, 3)::real[] AS x, reward(i) AS r FROM generate_series(1, 40) AS i;
CREATE TEMP TABLE plain AS
SELECT i, dlints_progressive(dlints_new(3), x, r) OVER (ORDER BY i) AS p FROM seen;
CREATE FUNCTION error_of(arguments text) RETURNS float8 LANGUAGE plpgsql AS
$$
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
	('times, for a model by count', 0, 'dlints_new(3), x, r, at => now()'))
	AS v (what, most, arguments);
SELECT is(dlints_progressive(dlints_new(3), x, r) OVER (ORDER BY i), 0::float8,
          'the first of its partition') FROM seen WHERE i = 7;
SELECT is(count(p), 0::bigint, 'dlints_progressive without a model returns NULL')
FROM (SELECT dlints_progressive(NULL, x, r) OVER (ORDER BY i) AS p FROM seen) AS s;
CREATE TEMP TABLE kept AS
SELECT m, dlints_send(m) AS bytes
FROM (SELECT dlints_evidence(dlints_new(3, memories => 8), x, r ORDER BY i) AS m FROM seen) AS s;
SELECT is(max(abs(p - dlints_predict(m, x))), 0::float8, 'dlints_progressive without rewards predicts by the given model')
FROM (SELECT m, x, dlints_progressive(m, x, NULL) OVER (ORDER BY i) AS p FROM seen, kept) AS s;
SELECT is(count(p), 40::bigint, 'dlints_progressive takes a model from a table')
FROM (SELECT dlints_progressive(m, x, r) OVER (ORDER BY i) AS p FROM seen, kept) AS s;
SELECT is(dlints_send(m), bytes, 'dlints_progressive does not change a stored model') FROM kept;
-- run again for each row of another table, the partition starts anew
SELECT is(count(DISTINCT total), 1::bigint, 'a subquery with dlints_progressive gives the same result at each execution')
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

-- Beyond 128 coordinates and the intercept the state that predicts may be a few rows old:
-- by as many as this, and a sixteenth of its history at most.
CREATE TEMP TABLE wide AS SELECT i, features(i, 230) AS x, reward(i) AS r
FROM generate_series(1, 90) AS i;
-- when another memory comes into use, what it says is computed at once
CREATE TEMP TABLE turning AS
SELECT i, features(i, 2) || zeros(228) AS x,
       number(i, 1) * CASE WHEN i / 27 % 2 = 0 THEN 5 ELSE -5 END + number(i, 9) AS r
FROM generate_series(1, 150) AS i;
CREATE FUNCTION behind(m dlints, size integer, source regclass)
RETURNS TABLE (i integer, p float8, changes integer) LANGUAGE plpgsql AS
$$
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
              '128 coordinates and an intercept, exactly')
FROM (SELECT i, x[:128] AS x, dlints_progressive(dlints_new(128), x[:128], r) OVER (ORDER BY i) AS p
      FROM wide) AS s,
     LATERAL (SELECT dlints_evidence(dlints_new(128), e.x[:128], r ORDER BY e.i) AS before
              FROM wide AS e WHERE e.i < s.i) AS l
WHERE i IN (2, 17, 40, 90);

-- ---------- one model, and errors ----------

CREATE TEMP TABLE copies AS
SELECT i, one_memory(40) || evidence(one_memory(40), 1, 3) AS m FROM generate_series(1, 2) AS i;
SELECT is(count(p), 2::bigint, 'another stored copy of it will do')
FROM (SELECT dlints_progressive(m, zeros(40), 1) OVER (ORDER BY i) AS p FROM copies) AS s;
SELECT is(count(p), 40::bigint, 'a partition may have one of its own')
FROM (SELECT dlints_progressive(dlints_new(3, ridge => i), x, r) OVER (PARTITION BY i) AS p
      FROM seen) AS s;
SELECT throws_ok(format('SELECT dlints_progressive(%s) OVER (ORDER BY i) FROM seen', arguments),
                 code, message, arguments) FROM (VALUES
	('dlints_new(3, ridge => i), x, r', '22023',
	 'dlints_progressive needs the same model for all rows of a partition'),
	('dlints_new(3, half_life => ''1 day''), x, r', '22004',
	 'an observation for a model that forgets by time must have a time'),
	('dlints_new(3, half_life => ''1 day''), x, r, at => ''infinity''', '22008',
	 'the time of an observation must be finite'),
	('dlints_new(3), x, r, weight => 0', '22023',
	 'weight must be greater than 0 and at most 1e+10'),
	('dlints_new(3), x, ''NaN''', '22003', 'NaN not allowed in reward'),
	('dlints_new(4), x, r', '22000', 'expected 4 dimensions, not 3'),
	('dlints_new(3), ARRAY[1, NULL, 2], r', '22004', 'array must not contain nulls'),
	('dlints_new(3), ARRAY[1, ''Infinity'', 2]::real[], r', '22003',
	 'infinity not allowed in array'),
	('dlints_new(3), x, r, x', '22023', 'argument "profile" must not be given'))
	AS v (arguments, code, message);

SELECT * FROM finish();
ROLLBACK;
