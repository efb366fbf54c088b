-- Choosing under shared contexts: what the policies take for each user, one
-- draw for each, and that it serves what it is for.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

CREATE TEMP TABLE item AS SELECT i AS id, context(i, 6)::real[] AS x FROM generate_series(1, 40) AS i;
CREATE TEMP TABLE visitor AS SELECT i AS id, context(i + 7000, 3)::real[] AS u FROM generate_series(1, 30) AS i;

CREATE TEMP TABLE trained AS
SELECT name, policy, c AS intercept,
       dlints_set(dlints_update(dlints_new(6, 5, 0.95, 0.5, 0.4, 23, shared_dim => 3, intercept => c), array_agg(context(i, 6) ORDER BY i), array_agg(context(i % 9 + 7000, 3) ORDER BY i),
                                array_agg(number(i, 55) + 0.5 ORDER BY i)), policy => policy) AS model
FROM (VALUES ('no intercept', false), ('intercept', true)) AS v (name, c), (VALUES ('greedy'), ('ucb'), ('thompson')) AS p (policy), generate_series(1, 60) AS i GROUP BY name, policy, c;

-- the score of each pair by each policy that has one
CREATE TEMP TABLE expected AS
SELECT t.name, policy, v.id AS visitor, dlints_top(i.id, dlints_predict(model, x, u) + CASE policy WHEN 'ucb' THEN 0.4 * dlints_stddev(model, x, u) ELSE 0 END, 7) AS best
FROM trained AS t, item AS i, visitor AS v WHERE policy <> 'thompson' GROUP BY t.name, policy, v.id;

-- rows of the groups one after the other, and interleaved
CREATE TEMP TABLE together AS SELECT i.id, x, v.id AS visitor, u FROM item AS i, visitor AS v ORDER BY v.id, i.id;
CREATE TEMP TABLE interleaved AS SELECT * FROM together ORDER BY id, visitor;
ANALYZE together;
ANALYZE interleaved;

SELECT plan(4 * 4 + 3 + 3 + 5 + 4 + 6 + 1 + 4);

SET LOCAL enable_hashagg = off;
CREATE TEMP TABLE sorted AS SELECT name, policy, visitor, dlints_recommend(model, id, x, u, 7) AS best, dlints_recommend(model, id, x, u) AS first FROM trained, together GROUP BY name, policy, visitor;
RESET enable_hashagg;
SET LOCAL enable_sort = off;
CREATE TEMP TABLE hashed AS SELECT name, policy, visitor, dlints_recommend(model, id, x, u, 7) AS best, dlints_recommend(model, id, x, u) AS first FROM trained, interleaved GROUP BY name, policy, visitor;
CREATE TEMP TABLE hashed_wide AS SELECT name, policy, visitor, dlints_recommend(model, id, x::float8[], u::float8[], 7) AS best FROM trained, interleaved GROUP BY name, policy, visitor;
RESET enable_sort;

SELECT ok(bool_and(e.best = s.best AND s.best[1] = s.first) AND count(*) = 30, format('%s, %s: each user''s list is that of the scores', e.name, e.policy))
FROM expected AS e JOIN sorted AS s USING (name, policy, visitor) GROUP BY e.name, e.policy ORDER BY e.name, e.policy;
SELECT ok(bool_and(e.best = h.best AND h.best[1] = h.first) AND count(*) = 30, format('%s, %s: and with the users'' rows interleaved', e.name, e.policy))
FROM expected AS e JOIN hashed AS h USING (name, policy, visitor) GROUP BY e.name, e.policy ORDER BY e.name, e.policy;
SELECT ok(bool_and(e.best = h.best) AND count(*) = 30, format('%s, %s: and in double precision', e.name, e.policy))
FROM expected AS e JOIN hashed_wide AS h USING (name, policy, visitor) GROUP BY e.name, e.policy ORDER BY e.name, e.policy;
SELECT cmp_ok(count(DISTINCT best), '>', 20::bigint, format('%s, %s: users have lists of their own', name, policy)) FROM expected GROUP BY name, policy ORDER BY name, policy;

-- without interactions nothing personalises: the user's numbers beside the item's
CREATE TEMP TABLE plain AS
SELECT dlints_update(dlints_new(9, NULL, 0.95, 0.5, 0), array_agg(context(i, 6) || context(i % 9 + 7000, 3) ORDER BY i), array_agg(number(i, 55) + 0.5 ORDER BY i)) AS model FROM generate_series(1, 60) AS i;
SELECT is(count(DISTINCT best), 1::bigint, 'a linear model over item and user has one list for all users')
FROM (SELECT visitor, dlints_recommend(model, id, x || u, 40) AS best FROM plain, together GROUP BY visitor) AS s;
SELECT is(count(DISTINCT best), 1::bigint, 'a shared context of 0 has one list, too')
FROM (SELECT visitor, dlints_recommend(model, id, x, '{0,0,0}'::real[], 40) AS best FROM trained, together WHERE name = 'intercept' AND policy = 'greedy' GROUP BY visitor) AS s;
SELECT is(best, (SELECT dlints_top(id, dlints_predict(dlints_new(6, 5, 0.95, 0.5, 0.4, 23, shared_dim => 3), x, '{1,2,3}'::real[]), 3) FROM item), 'what has learned nothing prefers nothing')
FROM (SELECT dlints_recommend(dlints_new(6, 5, 0.95, 0.5, 0.4, 23, policy => 'greedy', shared_dim => 3), id, x, '{1,2,3}'::real[], 3) AS best FROM item) AS s;

-- One draw for each group: two items with the same context come one after the
-- other, and collinear ones in one of two orders.  (All 300 in one: 2^-299.)
CREATE TEMP TABLE pair AS SELECT copy * 100 + id AS id, x FROM item, generate_series(0, 1) AS copy;
SELECT is(count(*), 60::bigint, 'the same context twice scores the same under the same user')
FROM (SELECT v.id, g, dlints_recommend(model, p.id, x, u, 80 ORDER BY p.id) AS best FROM trained, pair AS p, visitor AS v, generate_series(1, 2) AS g WHERE name = 'intercept' AND policy = 'thompson' GROUP BY v.id, g) AS s
WHERE (SELECT bool_and(best[2 * k] = best[2 * k - 1] + 100) FROM generate_series(1, 40) AS k);
SELECT results_eq($$SELECT DISTINCT r FROM
  (SELECT dlints_recommend(dlints_new(3, 2, shared_dim => 2, intercept => true), f, ARRAY[f, 2 * f, -f]::real[], '{0.5,-2}'::real[], 4) AS r
   FROM unnest(ARRAY[1, 2, 3, -1]) AS f, generate_series(1, 300) AS g GROUP BY g) AS s ORDER BY r$$,
  $$VALUES ('{-1,1,2,3}'::integer[]), ('{3,2,1,-1}')$$, 'scores of collinear contexts have correlation 1');
SELECT cmp_ok(count(DISTINCT best), '>', 50::bigint, 'another draw for each group')
FROM (SELECT g, dlints_recommend(model, id, x, '{1,-1,0.5}'::real[], 40) AS best FROM trained, item, generate_series(1, 100) AS g WHERE name = 'intercept' AND policy = 'thompson' GROUP BY g) AS s;

-- How often thompson takes which of five items, against the weights of seeded
-- draws: 4,000 of each, the two-sample chi-square with at most 4 degrees of
-- freedom (items that hardly anybody gets are left out) below 33.4, the 1 - 1e-6
-- quantile for 4.
CREATE TEMP TABLE choice AS
SELECT name, visitor, 'recommend' AS way, choice FROM
  (SELECT name, visitor, g, dlints_recommend(model, id, x, u) AS choice FROM trained, together, generate_series(1, 4000) AS g WHERE policy = 'thompson' AND id <= 5 AND visitor <= 2 GROUP BY name, visitor, g) AS s
UNION ALL
SELECT name, visitor, 'draw', choice FROM
  (SELECT name, visitor, g, dlints_argmax(i.id, dlints_dot(w, x)) AS choice
   FROM (SELECT name, v.id AS visitor, g, dlints_draw_weights(model, u, g) AS w FROM trained, visitor AS v, generate_series(1, 4000) AS g WHERE policy = 'thompson' AND v.id <= 2) AS d, item AS i WHERE i.id <= 5 GROUP BY name, visitor, g) AS s;
CREATE TEMP TABLE frequency AS
SELECT name, visitor, id, count(*) FILTER (WHERE way = 'recommend') AS a, count(*) FILTER (WHERE way = 'draw') AS b FROM choice JOIN item ON id = choice GROUP BY name, visitor, id;
SELECT cmp_ok(sum((a - b)::float8 ^ 2 / (a + b)), '<', 33.4::float8, format('%s, user %s: choices are as frequent as under drawn weights', name, visitor)) FROM frequency WHERE a + b >= 20 GROUP BY name, visitor ORDER BY name, visitor;
SELECT cmp_ok(max(abs(a.a - b.a)), '>', 400::bigint, 'and not the same for both users') FROM frequency AS a JOIN frequency AS b USING (name, id) WHERE a.visitor = 1 AND b.visitor = 2;

-- Scores under 10,000 seeded draws: mean predict, deviation exploration times
-- stddev; the intercept's coordinate, which weights leave out, added.
CREATE TEMP TABLE score AS
SELECT name, i.id, dlints_dot(dlints_draw_weights(model, u, s), x) + CASE WHEN intercept THEN (dlints_draw(model, s))[6] ELSE 0 END AS score,
       dlints_predict(model, x, u) AS mean, 0.4 * dlints_stddev(model, x, u) AS deviation
FROM trained, item AS i, visitor AS v, generate_series(1, 10000) AS s WHERE policy = 'thompson' AND i.id = 3 AND v.id = 5;
SELECT cmp_ok(abs(avg(score) - mean), '<', 5.5 * deviation / 100, format('%s: the mean of scores', name)) FROM score GROUP BY name, mean, deviation ORDER BY name;
SELECT cmp_ok(abs(var_pop(score) / deviation ^ 2 - 1), '<', 5.5 * sqrt(2.0::float8 / 10000), format('%s: the variance of scores', name)) FROM score GROUP BY name, deviation ORDER BY name;

-- A shared context that looks different within a group: in line with a short
-- or a long header, compressed, out of line in two places, an expression
CREATE TEMP TABLE look (no serial, kind text, u float8[]);
ALTER TABLE look ALTER u SET STORAGE EXTERNAL;
INSERT INTO look (kind, u) SELECT 'long', context(1, 400) FROM generate_series(1, 2);
INSERT INTO look (kind, u) SELECT 'flat', array_fill(0.5::float8, ARRAY[400]);
ALTER TABLE look ALTER u SET STORAGE EXTENDED;
INSERT INTO look (kind, u) SELECT 'flat', array_fill(0.5::float8, ARRAY[400]);
INSERT INTO look (kind, u) SELECT 'short', ARRAY[0.5, 0, -1];
INSERT INTO look (kind, u) SELECT 'short', ARRAY[0.5, '-0', -1]::float8[];
SELECT ok((SELECT min(pg_column_size(u)) < 1000 AND max(pg_column_size(u)) > 3000 FROM look WHERE kind = 'flat'), 'one is compressed, one is not');
CREATE TEMP TABLE varied AS SELECT kind, no, u FROM look UNION ALL SELECT kind, 0, CASE kind WHEN 'long' THEN context(1, 400) WHEN 'flat' THEN array_fill(0.5::float8, ARRAY[400]) ELSE ARRAY[0.5, 0, -1] END FROM look GROUP BY kind;
CREATE FUNCTION looked(of_kind text, policy text) RETURNS TABLE (mixed integer[], uniform integer[]) LANGUAGE sql AS
$$ WITH m AS MATERIALIZED (SELECT dlints_update(dlints_new(6, 5, seed => 4, policy => policy, shared_dim => cardinality(max(u))), array_agg(context(i, 6) ORDER BY i), array_agg(u ORDER BY i), array_agg(number(i, 9) ORDER BY i)) AS model
                           FROM (SELECT u FROM varied WHERE kind = of_kind LIMIT 1) AS s, generate_series(1, 50) AS i)
   SELECT dlints_recommend(model, i.id, x::float8[], l.u, 40 ORDER BY i.id),
          dlints_recommend(model, i.id, x::float8[], (SELECT u FROM varied WHERE kind = of_kind ORDER BY no LIMIT 1), 40 ORDER BY i.id)
   FROM m, item AS i JOIN (SELECT u, row_number() OVER (ORDER BY no) - 1 AS turn, count(*) OVER () AS turns FROM (SELECT no, u FROM look WHERE kind = of_kind UNION ALL SELECT no, u FROM varied WHERE kind = of_kind AND no = 0) AS w) AS l ON i.id % l.turns = l.turn $$;
SELECT is(mixed, uniform, format('the same shared context in different looks, %s, %s', k, p))
FROM (VALUES ('long', 'greedy'), ('flat', 'ucb'), ('short', 'greedy'), ('short', 'ucb')) AS v (k, p), LATERAL looked(k, p) ORDER BY k, p;
SELECT throws_ok($$SELECT dlints_recommend(dlints_new(6, 5, shared_dim => 400), 1, context(1, 6), u) FROM (SELECT u FROM look WHERE kind = 'long' LIMIT 1) AS l, generate_series(1, 3)
  UNION ALL SELECT dlints_recommend(dlints_new(6, 5, shared_dim => 400), 1, context(1, 6), u) FROM (SELECT u FROM look WHERE kind = 'long' UNION ALL SELECT u[1:399] || (u[400] + 1e-9) FROM look WHERE no = 1) AS l$$,
  '22023', 'dlints_recommend needs the same shared context for all rows of a group', 'one that differs in its last number is another one');

-- many groups, each with a user of its own, several models at once
SELECT is(count(*) FILTER (WHERE s.best = dlints_top), 3000::bigint, 'many groups') FROM
  (SELECT g, name, dlints_recommend(model, id, x, u, 3) AS best, dlints_top(id, dlints_predict(model, x, u), 3)
   FROM trained, item, (SELECT g, context(g + 20000, 3)::real[] AS u FROM generate_series(1, 1500) AS g) AS v WHERE policy = 'greedy' AND id <= 10 GROUP BY g, name) AS s;

-- What it is for: rewards x' B u.  Greedy choices for 40 users, after 2,000
-- rewards of random pairs; regret is what the best item of each would bring more.
CREATE FUNCTION truth(x float8[], u float8[]) RETURNS float8 IMMUTABLE LANGUAGE sql AS
$$ SELECT sum(x[j] * number(j, 333 + l) * u[l]) FROM generate_subscripts(x, 1) AS j, generate_subscripts(u, 1) AS l $$;
CREATE TEMP TABLE log AS
SELECT i, context(i + 900, 6) AS x, context(i + 7700, 4) AS u, truth(context(i + 900, 6), context(i + 7700, 4)) + 0.3 * number(i, 44) AS r FROM generate_series(1, 2000) AS i;
CREATE TEMP TABLE learned AS
SELECT dlints_evidence(dlints_new(6, 30, 1, policy => 'greedy', seed => 2, shared_dim => 4), x, u, r ORDER BY i) AS full_size, dlints_evidence(dlints_new(6, 12, 1, policy => 'greedy', seed => 2, shared_dim => 4), x, u, r ORDER BY i) AS sketch,
       dlints_evidence(dlints_new(10, NULL, 1, policy => 'greedy'), x || u, r ORDER BY i) AS plain FROM log;
CREATE TEMP TABLE regret AS
SELECT sum(best - truth(x1, u)) AS full_size, sum(best - truth(x2, u)) AS sketch, sum(best - truth(x3, u)) AS plain, sum(best - mean) AS random FROM
  (SELECT g, u, max(truth(x, u)) AS best, avg(truth(x, u)) AS mean, (dlints_recommend(full_size, id, x, u)) AS one, (dlints_recommend(sketch, id, x, u)) AS two, (dlints_recommend(plain, id, x || u)) AS three
   FROM learned, (SELECT id, x::float8[] FROM item) AS i, (SELECT g, context(g + 8000, 4) AS u FROM generate_series(1, 40) AS g) AS v GROUP BY g, u) AS c,
  LATERAL (SELECT (SELECT x::float8[] FROM item WHERE id = one), (SELECT x::float8[] FROM item WHERE id = two), (SELECT x::float8[] FROM item WHERE id = three)) AS chosen (x1, x2, x3);
SELECT cmp_ok(full_size, '<', 0.05 * plain, 'with all interactions nearly no regret') FROM regret;
SELECT cmp_ok(sketch, '<', 0.7 * plain, 'with a sketch of them, less than without') FROM regret;
SELECT cmp_ok(plain, '>', 0.5 * random, 'and without them little better than at random') FROM regret;
SELECT ok(plain > 1 AND random > 1, 'there is something to regret') FROM regret;

SELECT * FROM finish();
ROLLBACK;
