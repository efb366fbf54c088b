-- Choices of dlints_recommend under the policies ucb and greedy, with and without profiles, against the inspection
-- functions.
\ir include/helpers.sql

-- 40 candidates for each of 12 visitors; their numbers are the profile of models that have one
CREATE TEMP TABLE model AS
SELECT name, n, s, policy,
       dlints_set(evidence(empty, 1, 60), exploration => 0.7, policy => policy) AS state
FROM kind, unnest(ARRAY['greedy', 'ucb']) AS policy WHERE n > 1;
CREATE TEMP TABLE pair AS
SELECT name, visitor, item, features(1000 + item, n) AS x, profile(visitor, s) AS u
FROM kind, generate_series(1, 12) AS visitor, generate_series(1, 40) AS item
WHERE n > 1 AND (s > 0 OR visitor = 1) ORDER BY item, visitor;
CREATE TEMP TABLE expected AS
SELECT name, policy, visitor, (array_agg(item ORDER BY score DESC))[1:40] AS items
FROM model JOIN pair USING (name), LATERAL (
	SELECT dlints_predict(state, x, u)
	       + CASE policy WHEN 'ucb' THEN 0.7 * dlints_stddev(state, x, u) ELSE 0 END) AS l (score)
GROUP BY name, policy, visitor;
ANALYZE pair;

-- groups in sequence, and with interleaved rows
CREATE TEMP VIEW choice AS
SELECT name, policy, visitor, dlints_recommend(state, item, x, 40) AS items,
       dlints_recommend(state, item, x) AS best
FROM model JOIN pair USING (name) WHERE s = 0 GROUP BY name, policy, visitor
UNION ALL
SELECT name, policy, visitor, dlints_recommend(state, item, x, 40, u),
       (dlints_recommend(state, item, x, 1, u))[1]
FROM model JOIN pair USING (name) WHERE s > 0 GROUP BY name, policy, visitor;
SET LOCAL enable_hashagg = off;
CREATE TEMP TABLE sorted AS TABLE choice;
RESET enable_hashagg;
SET LOCAL enable_sort = off;
CREATE TEMP TABLE hashed AS TABLE choice;
RESET enable_sort;

SELECT count(*) AS models, count(*) FILTER (WHERE s > 0) AS personal FROM model \gset
SELECT plan(2 * :models + :personal + 12);
SELECT ok(bool_and(c.items = e.items AND c.best = e.items[1])
          AND count(*) = CASE WHEN s > 0 THEN 12 ELSE 1 END,
          format('%s, %s, %s: the ranking is that of the scores', name, policy, way))
FROM (SELECT 'sorted' AS way, * FROM sorted UNION ALL SELECT 'hashed', * FROM hashed) AS c
JOIN expected AS e USING (name, policy, visitor) JOIN model USING (name, policy)
GROUP BY name, s, policy, way ORDER BY name, policy, way;
SELECT cmp_ok(count(DISTINCT items), '>', 5::bigint,
              format('%s, %s: visitors have rankings of their own', name, policy))
FROM expected GROUP BY name, policy HAVING count(*) > 1 ORDER BY name, policy;

SELECT isnt(a.items, b.items, format('%s: the width matters', name))
FROM expected AS a JOIN expected AS b USING (name, visitor)
WHERE a.policy = 'greedy' AND b.policy = 'ucb'
AND name IN ('plain, discount 1', 'projected, discount 0.9', 'intercept, discount 1') ORDER BY name;
CREATE TEMP TABLE wide AS
SELECT state, item, x, items
FROM model AS m JOIN pair USING (name) JOIN expected AS e USING (name)
WHERE name = 'projected, discount 0.9' AND m.policy = 'ucb' AND e.policy = 'greedy';
SELECT is(dlints_recommend(dlints_set(state, exploration => 0), item, x, 40), items,
          'ucb without exploration is greedy') FROM wide GROUP BY items;
SELECT is(dlints_recommend(state, item, x) FILTER (WHERE false), NULL, 'ucb returns NULL without candidates')
FROM wide;
SELECT is(dlints_draw(dlints_set(state, policy => 'thompson'), 5), dlints_draw(state, 5),
          'a draw is the same whatever the policy') FROM wide WHERE item = 1;
-- models without interactions recommend the same items to all users
SELECT is(count(DISTINCT items), 1::bigint, 'a profile of 0 has one ranking')
FROM (SELECT dlints_recommend(state, item, x, 40, zeros(s)) AS items
      FROM model JOIN pair USING (name) WHERE name = 'matched, discount 1' AND policy = 'greedy' GROUP BY visitor) AS r;

-- ---------- stored forms of a profile ----------

-- In line with a short or long header, compressed, out of line twice, an expression; -0 and 0
CREATE TEMP TABLE look (no serial, kind text, u float8[]);
ALTER TABLE look ALTER u SET STORAGE EXTERNAL;
INSERT INTO look (kind, u) VALUES
	('long', features(1, 400)), ('long', features(1, 400)),
	('flat', array_fill(0.5::float8, ARRAY[400]));
ALTER TABLE look ALTER u SET STORAGE EXTENDED;
INSERT INTO look (kind, u) VALUES
	('flat', array_fill(0.5::float8, ARRAY[400])),
	('short', '{0.5,0,-1}'), ('short', '{0.5,-0,-1}');
-- candidates with a different form each, and with the same form
CREATE FUNCTION looked(of_kind text, policy text, OUT mixed integer[], OUT alike integer[])
LANGUAGE plpgsql AS $$
DECLARE
	same float8[] := (SELECT u FROM look WHERE kind = of_kind ORDER BY no LIMIT 1);
	m dlints := one_memory(cardinality(same), 2, policy => policy,
		interactions => 'matched');
BEGIN
	m := dlints_update_batch(m, array_agg(features(i, cardinality(same))), array_agg(number(i, 9)),
		array_agg(same))
	     FROM generate_series(1, 50) AS i;
	WITH turn AS (
		SELECT row_number() OVER (ORDER BY no) AS turn, count(*) OVER () AS turns, u
		FROM (SELECT no, u FROM look WHERE kind = of_kind
		      UNION ALL SELECT 0, array_agg(e) FROM unnest(same) AS e) AS w)
	SELECT dlints_recommend(m, i, features(i, cardinality(same)), 40, u),
	       dlints_recommend(m, i, features(i, cardinality(same)), 40, same) INTO mixed, alike
	FROM generate_series(1, 40) AS i JOIN turn ON i % turns = turn - 1;
END
$$;
SELECT ok(min(pg_column_size(u)) < 1000 AND max(pg_column_size(u)) > 3000,
          'one is compressed, one is not') FROM look WHERE kind = 'flat';
SELECT is(mixed, alike, format('the same profile in different looks, %s, %s', k, p))
FROM (VALUES ('long', 'greedy'), ('flat', 'ucb'), ('short', 'ucb')) AS v (k, p), looked(k, p) ORDER BY k, p;
SELECT throws_ok(
	$$SELECT (dlints_recommend(one_memory(400, 2, interactions => 'matched'), 1,
	                         features(1, 400), 1, u))[1]
	  FROM (SELECT u FROM look WHERE kind = 'long'
	        UNION ALL SELECT u[1:399] || (u[400] + 1e-9) FROM look WHERE no = 1) AS l$$,
	'22023', 'dlints_recommend needs the same profile for all rows of a group',
	'one that differs in its last number is another one');
SELECT * FROM finish();
ROLLBACK;
