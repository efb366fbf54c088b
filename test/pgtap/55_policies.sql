-- What dlints_recommend takes by the policies ucb and greedy, and for whom,
-- against the functions that look into a model.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

-- 40 candidates for each of 12 visitors, whose numbers are the shared context of
-- the models that have one
CREATE TEMP TABLE model AS
SELECT name, n, s, policy, dlints_set(evidence(empty, 1, 60), exploration => 0.7, policy => policy) AS state FROM kind, unnest(ARRAY['greedy', 'ucb']) AS policy WHERE n > 1;
CREATE TEMP TABLE pair AS
SELECT name, visitor, item, context(1000 + item, n) AS x, shared(visitor, s) AS u FROM kind, generate_series(1, 12) AS visitor, generate_series(1, 40) AS item WHERE n > 1 AND (s > 0 OR visitor = 1) ORDER BY item, visitor;
CREATE TEMP TABLE expected AS
SELECT name, policy, visitor, dlints_top(item, predict_at(state, x, u) + CASE policy WHEN 'ucb' THEN 0.7 * stddev_at(state, x, u) ELSE 0 END, 40) AS items FROM model JOIN pair USING (name) GROUP BY name, policy, visitor;
ANALYZE pair;

-- the groups one after the other, and all at once with their rows interleaved
CREATE TEMP TABLE chosen (way text, name text, policy text, visitor integer, items integer[], best integer);
SET LOCAL enable_hashagg = off;
INSERT INTO chosen SELECT 'sorted', name, policy, visitor, dlints_recommend(state, item, x, 40), dlints_recommend(state, item, x) FROM model JOIN pair USING (name) WHERE s = 0 GROUP BY name, policy, visitor
         UNION ALL SELECT 'sorted', name, policy, visitor, dlints_recommend(state, item, x, u, 40), dlints_recommend(state, item, x, u) FROM model JOIN pair USING (name) WHERE s > 0 GROUP BY name, policy, visitor;
RESET enable_hashagg;
SET LOCAL enable_sort = off;
INSERT INTO chosen SELECT 'hashed', name, policy, visitor, dlints_recommend(state, item, x, 40), dlints_recommend(state, item, x) FROM model JOIN pair USING (name) WHERE s = 0 GROUP BY name, policy, visitor
         UNION ALL SELECT 'hashed', name, policy, visitor, dlints_recommend(state, item, x, u, 40), dlints_recommend(state, item, x, u) FROM model JOIN pair USING (name) WHERE s > 0 GROUP BY name, policy, visitor;
RESET enable_sort;

SELECT plan(52 * 2 + 32 + 3 + 4 + 5);
SELECT ok(bool_and(c.items = e.items AND c.best = e.items[1]) AND count(*) = max(CASE WHEN name ~ '^(shared|d above n|product|matched)' THEN 12 ELSE 1 END), format('%s, %s, %s: the ranking is that of the scores', name, policy, way))
FROM chosen AS c JOIN expected AS e USING (name, policy, visitor) GROUP BY name, policy, way ORDER BY name, policy, way;
SELECT cmp_ok(count(DISTINCT items), '>', 5::bigint, format('%s, %s: visitors have rankings of their own', name, policy)) FROM expected GROUP BY name, policy HAVING count(*) > 1 AND name NOT LIKE 'shared, disc%' ORDER BY name, policy;

SELECT isnt(a.items, b.items, format('%s: the width matters', name))
FROM expected AS a JOIN expected AS b USING (name, visitor) WHERE a.policy = 'greedy' AND b.policy = 'ucb' AND name IN ('plain, discount 1', 'projected, discount 0.9', 'intercept, discount 1') ORDER BY name;
SELECT is(dlints_recommend(dlints_set(state, exploration => 0), item, x, 40), e.items, 'ucb without exploration is greedy')
FROM model AS m JOIN pair USING (name) JOIN expected AS e USING (name) WHERE m.name = 'projected, discount 0.9' AND m.policy = 'ucb' AND e.policy = 'greedy' GROUP BY e.items;
SELECT is(dlints_recommend(state, item, x) FILTER (WHERE false), NULL, 'ucb without candidates') FROM model JOIN pair USING (name) WHERE name = 'projected, discount 0.9' AND policy = 'ucb';
SELECT is(dlints_draw(dlints_set(state, policy => 'thompson'), 5), dlints_draw(state, 5), 'a draw is the same whatever the policy') FROM model WHERE name = 'projected, discount 0.9' AND policy = 'ucb';
-- without interactions nothing personalises
SELECT is(count(DISTINCT items), 1::bigint, 'a shared context of 0 has one ranking') FROM
  (SELECT visitor, dlints_recommend(state, item, x, '{0,0,0}'::float8[], 40) AS items FROM model JOIN pair USING (name) WHERE name = 'shared, discount 1' AND policy = 'greedy' GROUP BY visitor) AS r;

-- A shared context that looks different within a group: in line with a short or a
-- long header, compressed, out of line in two places, an expression; -0 and 0
CREATE TEMP TABLE look (no serial, kind text, u float8[]);
ALTER TABLE look ALTER u SET STORAGE EXTERNAL;
INSERT INTO look (kind, u) SELECT 'long', context(1, 400) FROM generate_series(1, 2);
INSERT INTO look (kind, u) SELECT 'flat', array_fill(0.5::float8, ARRAY[400]);
ALTER TABLE look ALTER u SET STORAGE EXTENDED;
INSERT INTO look (kind, u) SELECT 'flat', array_fill(0.5::float8, ARRAY[400]);
INSERT INTO look (kind, u) SELECT 'short', ARRAY[0.5, 0, -1];
INSERT INTO look (kind, u) SELECT 'short', ARRAY[0.5, '-0', -1]::float8[];
CREATE FUNCTION looked(of_kind text, policy text, OUT mixed integer[], OUT uniform integer[]) LANGUAGE sql AS
$$ WITH turn AS MATERIALIZED (SELECT row_number() OVER (ORDER BY no) - 1 AS turn, count(*) OVER () AS turns, w.u FROM
                 (SELECT no, u FROM look WHERE kind = of_kind UNION ALL (SELECT 0, array_agg(e ORDER BY i) FROM look, unnest(u) WITH ORDINALITY AS a (e, i) WHERE kind = of_kind GROUP BY no ORDER BY no LIMIT 1)) AS w),
        m AS MATERIALIZED (SELECT dlints_update_batch(one_memory(6, 5, seed => 4, policy => policy, shared_dim => cardinality(max(u))), array_agg(context(i, 6) ORDER BY i), array_agg(u ORDER BY i), array_agg(number(i, 9) ORDER BY i)) AS model
                           FROM (SELECT u FROM turn WHERE turn = 0) AS s, generate_series(1, 50) AS i)
   SELECT dlints_recommend(model, i, context(i, 6), t.u, 40), dlints_recommend(model, i, context(i, 6), (SELECT u FROM turn WHERE turn = 0), 40)
   FROM m, generate_series(1, 40) AS i JOIN turn AS t ON i % t.turns = t.turn $$;
SELECT ok(min(pg_column_size(u)) < 1000 AND max(pg_column_size(u)) > 3000, 'one is compressed, one is not') FROM look WHERE kind = 'flat';
SELECT is(mixed, uniform, format('the same shared context in different looks, %s, %s', k, p)) FROM (VALUES ('long', 'greedy'), ('flat', 'ucb'), ('short', 'ucb')) AS v (k, p), LATERAL looked(k, p) ORDER BY k, p;
SELECT throws_ok($$SELECT dlints_recommend(one_memory(6, 5, shared_dim => 400), 1, context(1, 6), u) FROM (SELECT u FROM look WHERE kind = 'long' UNION ALL SELECT u[1:399] || (u[400] + 1e-9) FROM look WHERE no = 1) AS l$$,
  '22023', 'dlints_recommend needs the same shared context for all rows of a group', 'one that differs in its last number is another one');
SELECT * FROM finish();
ROLLBACK;
