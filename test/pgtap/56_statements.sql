-- How statements share draws, groups and models.
\ir include/helpers.sql

SELECT plan(10 + 8 * 7 + 6 * 7 + 7);

CREATE TEMP TABLE item AS
SELECT i AS id, i % 2 AS category, features(i, 6)::real[] AS features
FROM generate_series(1, 40) AS i;
CREATE TEMP TABLE visitor AS
SELECT i AS id, i % 2 AS category FROM generate_series(1, 300) AS i;
CREATE TEMP TABLE model AS
SELECT k AS name, one_memory(6, 4, exploration => 1, seed => k) AS state
FROM generate_series(1, 2) AS k;
ANALYZE item, visitor, model;

-- With an untrained model a draw ranks 40 (or 20) candidates at random: the probability that 300 draws have one or
-- two first items is far below 1e-9.
SELECT cmp_ok(count(DISTINCT r), '>', 2::bigint, 'GROUP BY draws for each user')
FROM (SELECT dlints_recommend(m.state, i.id, i.features) AS r
      FROM visitor AS u, model AS m, item AS i WHERE m.name = 1 GROUP BY u.id) AS s;
SELECT cmp_ok(count(DISTINCT r), '>', 2::bigint, 'a lateral subquery that refers to the key draws for each user')
FROM visitor AS u, LATERAL (
	SELECT dlints_recommend(m.state, i.id, i.features) AS r
	FROM model AS m, item AS i
	WHERE m.name = 1 AND i.category = u.category AND u.id IS NOT NULL) AS s;
SELECT cmp_ok(count(DISTINCT r), '>', 2::bigint, 'a scalar subquery that refers to the row draws for each row')
FROM (SELECT (SELECT dlints_recommend(m.state, i.id, i.features)
              FROM model AS m, item AS i
              WHERE m.name = 1 AND i.category = u.category) AS r
      FROM visitor AS u) AS s;

-- equal models in several rows form one group
CREATE TEMP TABLE copied AS SELECT c, state FROM model, generate_series(1, 2) AS c WHERE name = 1;
SELECT is(count(*), 1::bigint, 'GROUP BY works on models')
FROM (SELECT dlints_recommend(state, id, features, 3)
      FROM item, (SELECT (SELECT state FROM model WHERE name = 1) AS state FROM generate_series(1, 2)) AS m
      GROUP BY state) AS s;
SELECT is(count(*), 1::bigint, 'copies of one model form one group')
FROM (SELECT dlints_recommend(state, id, features, 3) FROM copied, item GROUP BY state) AS s;
SELECT throws_ok('SELECT dlints_recommend(state, id, features) FROM model, item', '22023',
                 'dlints_recommend needs the same model for all rows of a group',
                 'a group of different models is rejected');

-- groups spilled to disk
SET LOCAL work_mem = '64kB';
SET LOCAL enable_sort = off;
CREATE TEMP TABLE trained AS
SELECT dlints_update(state, features(name, 6), 1) AS state FROM model WHERE name = 1;
SELECT is(count(*), 3000::bigint, 'evidence of 3,000 groups is that of each group')
FROM (SELECT dlints_evidence((SELECT state FROM trained), features, 1) AS e
      FROM item, generate_series(1, 3000) AS g WHERE id <= 3 GROUP BY g) AS s
WHERE e = (SELECT dlints_evidence(state, features, 1) FROM trained, item WHERE id <= 3);
SELECT is(count(*), 3000::bigint, 'greedy choices of 3,000 groups are those of each group')
FROM (SELECT dlints_recommend((SELECT dlints_set(state, policy => 'greedy') FROM trained),
                              id, features) AS r
      FROM item, generate_series(1, 3000) AS g GROUP BY g) AS s
WHERE r = (SELECT id FROM item, trained ORDER BY dlints_predict(state, features) DESC LIMIT 1);

-- a prepared statement uses the current model
CREATE FUNCTION learn_and_look() RETURNS SETOF float8 LANGUAGE plpgsql AS $$
DECLARE
	x float8[] := unit_vector(1, 6);
BEGIN
	FOR i IN 1..50 LOOP
		UPDATE trained SET state = dlints_update(state, features(i, 6), i);
		RETURN NEXT (SELECT dlints_predict(state, x) - dlints_dot(dlints_weights(state), x)
		             FROM trained);
	END LOOP;
END
$$;
SELECT is(count(*), 50::bigint, 'a prepared statement reads the current model at each execution')
FROM learn_and_look() AS d WHERE d = 0;
SELECT is((dlints_info(state)).updates, 51::bigint, 'the model is trained at each execution') FROM trained;

-- Many models at one call site with interleaved rows: each gives the same results as alone, whatever its storage
-- and whatever the backend caches.

-- Models out of line in a table, each in two rows; in line; header only; the value of an expression; with profiles
CREATE TEMP TABLE source AS
SELECT kind, id, n, s, state FROM generate_series(1, 50) AS id, LATERAL (VALUES
	('stored', 40, 0, dlints_update(one_memory(40, seed => id % 2), features(id, 40), id)),
	('stored twice', 40, 0, dlints_update(one_memory(40), features(id / 2, 40), id / 2 + 1)),
	('in line', 2, 0, dlints_update(dlints_update(
		one_memory(2, intercept => id % 2 = 0), features(id, 2), id), features(-id, 2), 0)),
	('nothing learned', 4, 0, one_memory(4, 2, ridge => id)),
	('matched', 6, 6, dlints_update(
		one_memory(6, interactions => 'matched', ridge => id % 3 + 1),
		features(id, 6), id, profile(id, 6))),
	('matched, projected', 6, 6, dlints_update(one_memory(6, 2, ridge => id % 3 + 1,
		interactions => 'matched'), features(id, 6), id, profile(id, 6))),
	('computed', 40, 0, dlints_update(one_memory(40, seed => id % 2), features(id, 40), id))) AS v (kind, n, s, state);
-- Models with equal headers that differ in one number of the evidence: of b, of G or of H
INSERT INTO source
SELECT 'one number apart', 2 * dense_rank() OVER (ORDER BY path) - other, 4, 0,
       jsonb_set(m::jsonb, path, to_jsonb((m::jsonb #>> path)::float8 + 0.001 * other))::dlints
FROM generate_series(0, 1) AS other,
     dlints_update_batch(one_memory(4), ARRAY[[1, 2, 3, 4], [4, 3, 2, 1]], ARRAY[1, 2]) AS m,
     (SELECT format('{evidence,0,b,%s}', i)::text[] FROM generate_series(0, 3) AS i
      UNION ALL
      SELECT format('{evidence,0,%s,%s,%s}', part, i, j)::text[]
      FROM unnest('{G,H}'::text[]) AS part, generate_series(0, 3) AS i, generate_series(0, i) AS j) AS p (path);

-- results of each model for twelve candidates
CREATE TEMP VIEW pair AS
SELECT kind, id, s, c, features(c, n) AS x, profile(c, s) AS u, reward(c) AS r,
       CASE kind WHEN 'computed' THEN dlints_set(state) ELSE state END AS state
FROM source, generate_series(1, 12) AS c;
CREATE TEMP TABLE answer (way text, kind text, id integer, c integer, predict float8, stddev float8, draw float8[]);
CREATE TEMP TABLE choice (way text, kind text, id integer, greedy integer[], ucb integer[], evidence bytea);

-- Models of a kind in sequence, row by row and group by group.  Repeated models are recognized in different ways,
-- depending on the length of runs.
CREATE FUNCTION ask(which text, first integer, last integer, way text) RETURNS void
LANGUAGE sql AS $$
WITH rows AS MATERIALIZED (
	SELECT * FROM pair WHERE kind = which AND id BETWEEN first AND last
	ORDER BY CASE WHEN way LIKE '%shuffled' THEN md5(c || ' ' || id) END, c, id)
INSERT INTO answer
SELECT way, which, id, c,
       dlints_predict(state, x, u), dlints_stddev(state, x, u), dlints_draw(state, c)
FROM rows;
WITH rows AS MATERIALIZED (
	SELECT *, dlints_set(state, policy => 'greedy') AS greedy,
	       dlints_set(state, policy => 'ucb') AS ucb
	FROM pair WHERE kind = which AND id BETWEEN first AND last AND s = 0
	ORDER BY CASE WHEN way LIKE '%shuffled' THEN md5(c || ' ' || id) END, c, id)
INSERT INTO choice
SELECT way, which, id,
       CASE WHEN which <> 'nothing learned' THEN dlints_recommend(greedy, c, x, 12) END,
       dlints_recommend(ucb, c, x, 12), dlints_send(dlints_evidence(state, x, r ORDER BY c))
FROM rows GROUP BY id
$$;
CREATE FUNCTION ask_together(models integer, how text DEFAULT '') RETURNS void LANGUAGE sql AS $$
SELECT ask(kind, 1, models, format('%s together%s', models, how))
FROM (SELECT DISTINCT kind FROM source) AS k
$$;
SET LOCAL enable_sort = off;
SELECT ask(kind, id, id, 'alone') FROM source;
SELECT ask_together(models) FROM unnest('{1,2,9,50}'::integer[]) AS models;
SELECT ask_together(2, ', shuffled');
-- with a cache for no model, and for a few
SELECT set_config('dlints.model_cache_size', min_val, true)
FROM pg_settings WHERE name = 'dlints.model_cache_size';
SELECT ask_together(50, ', nothing kept');
SET LOCAL dlints.model_cache_size = '100kB';
SELECT ask_together(50, ', few kept');
-- The model that a call site used last stays in the cache, with its parts, while another call site needs space.
CREATE TEMP TABLE steady AS
WITH turn AS MATERIALIZED (
	SELECT row, a.id, a.state AS steady, b.state AS other, features(1, 40) AS x
	FROM generate_series(1, 200) AS row
	JOIN source AS a ON a.id = CASE row WHEN 2 THEN 2 ELSE 1 END
	JOIN source AS b ON b.id = row % 50 + 1
	WHERE a.kind = 'stored' AND b.kind = 'stored' ORDER BY row)
SELECT row, id, dlints_stddev(steady, x) AS stddev, dlints_stddev(other, x) AS other FROM turn;
RESET dlints.model_cache_size;

SELECT is(count(*) FILTER (WHERE (a.predict, a.stddev, a.draw)
                                 IS DISTINCT FROM (b.predict, b.stddev, b.draw)), 0::bigint,
          format('%s, %s: %s predictions, widths and draws', b.kind, b.way, count(*)))
FROM answer AS a JOIN answer AS b USING (kind, id, c)
WHERE a.way = 'alone' AND b.way <> 'alone' GROUP BY b.kind, b.way ORDER BY b.kind, b.way;
SELECT is(count(*) FILTER (WHERE (a.greedy, a.ucb, a.evidence)
                                 IS DISTINCT FROM (b.greedy, b.ucb, b.evidence)), 0::bigint,
          format('%s, %s: %s rankings and evidences', b.kind, b.way, count(*)))
FROM choice AS a JOIN choice AS b USING (kind, id)
WHERE a.way = 'alone' AND b.way <> 'alone' GROUP BY b.kind, b.way ORDER BY b.kind, b.way;
SELECT is(count(*), 12 * (7 * (1 + 2 + 2 + 9 + 3 * 50) + 1 + 2 + 2 + 9 + 3 * 48)::bigint,
          'the test compares all answers') FROM answer WHERE way <> 'alone';
SELECT is(count(DISTINCT stddev), 1::bigint, 'a model gives the same answer between calls for other models')
FROM steady WHERE id = 1;
SELECT ok(max(pg_column_size(state)) FILTER (WHERE kind = 'stored') > 8000
          AND max(pg_column_size(state)) FILTER (WHERE kind = 'nothing learned') = 192,
          'large models are stored out of line, empty models are not') FROM source;

-- 24 unchanged models and 24 others, compared one by one and by a hash join
CREATE TEMP TABLE apart AS SELECT id, state FROM source WHERE kind = 'one number apart';
SELECT is(count(DISTINCT (predict, stddev)), 12 * 25::bigint, 'models that differ in one number give different answers')
FROM answer WHERE kind = 'one number apart' AND way = 'alone';
SELECT is(ARRAY[count(*) FILTER (WHERE a.state = b.state),
                count(*) FILTER (WHERE NOT a.state <> b.state)],
          ARRAY[24 * 24 + 24, 24 * 24 + 24]::bigint[], 'models that differ in one number are not equal')
FROM apart AS a, apart AS b;
SELECT is(count(*), 24 * 24 + 24::bigint, 'models that differ in one number are not joined')
FROM apart AS a JOIN apart AS b USING (state);
SELECT throws_ok(
	$$SELECT dlints_recommend(state, 1, '{1,2,3,4}'::real[]) FROM apart WHERE id IN (1, 48)$$,
	'22023', 'dlints_recommend needs the same model for all rows of a group',
		'models that differ in one number are not one group');

SELECT * FROM finish();
ROLLBACK;
