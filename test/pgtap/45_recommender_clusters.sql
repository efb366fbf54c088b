-- Large catalogues: blocks contain similar items, and lists are searched for in those with the highest bounds.
-- Small blocks, and a row that counts as many of them, make 4,000 items a large catalogue.
\ir include/many_jobs.sql

SELECT plan(37);

SELECT dlints_create_recommender('fed', 'job', '{field,salary,posted}', control => 0, epsilon => 0, factors => 32,
  repeats => true, cap_group => '(i.id % 2)::text', cap => 6,
  clicks => 'SELECT who, job, at FROM visit', candidates => $$CASE context ->> 'only'
    WHEN 'few' THEN i.id % 300 = 7 WHEN 'late' THEN i.posted < now() - interval '85 days' ELSE true END$$) IS NOT NULL;
UPDATE fed.setting SET cap = NULL, cap_group = NULL;     -- until lists are capped
CREATE FUNCTION has_gap(gap float8) RETURNS boolean LANGUAGE sql AS $$ SELECT coalesce(abs(gap), 1) > 1e-6 $$;
CREATE FUNCTION items_in_blocks() RETURNS integer[] LANGUAGE sql AS $$
SELECT array_agg(u.item ORDER BY u.item) FROM fed.block b, unnest(b.items) u (item) $$;

SELECT is((SELECT count(*) FROM fed.centroid), 0::bigint, 'a small catalogue has no centroids');
SELECT is(count(*), 0::bigint, 'report() has no row on large catalogues for a small one')
FROM   fed.report() WHERE measure = 'score of the items found';
SELECT is(inside('fed', $$SELECT public._dlints_cluster_recall(p, 1)::text
  FROM fed.profile(1) p$$), NULL, 'a small catalogue is searched in all blocks');

-- ---------- groups of similar items ----------

UPDATE fed.setting SET block_slots = 16;
DELETE FROM fed.block;
SELECT inside('fed', 'SELECT public._dlints_group_items()');
SELECT is(items_in_blocks(), (SELECT array_agg(id ORDER BY id) FROM job), 'each item is in one group');
SELECT is(count(*) FILTER (WHERE cardinality(items) < 16), 0::bigint, 'all groups are full') FROM fed.block;
SELECT is(max(n), 249, 'groups are numbered without gaps') FROM fed.block;
-- a random pair of items has a field in common with probability .2
SELECT cmp_ok(avg((a.field = j.field)::int), '>', 0.9, 'the items of a group are similar')
FROM   fed.block b, unnest(b.items) i (item), unnest(b.items) o (item), job a, job j
WHERE  a.id = i.item AND j.id = o.item AND i.item < o.item;
CREATE TEMP TABLE grouped AS SELECT n, items FROM fed.block;
SELECT inside('fed', 'SELECT public._dlints_set_blocks()');
SELECT results_eq('SELECT n, items FROM fed.block ORDER BY n',
  'SELECT g.n, ARRAY(SELECT unnest(g.items) ORDER BY 1) FROM grouped g ORDER BY 1',
  'blocks are filled with the items of their group');
SELECT is((SELECT count(*) FROM fed.centroid), 0::bigint, 'set_blocks() writes no centroids in a small catalogue');

-- ---------- centroids ----------

SELECT inside('fed', 'SELECT public._dlints_set_centroids()');
-- means and spreads of the exact vectors of each block
CREATE FUNCTION expected_centroids() RETURNS TABLE (n integer, features real[], means real[], spreads real[])
  LANGUAGE sql AS $$
SELECT b.n, m.features, m.means, m.spreads
FROM   fed.block b, fed.setting s, LATERAL (
    SELECT array_agg(v.features) AS x,
           array_agg(ARRAY[v.popularity, v.effect] || v.dates) AS numbers
    FROM   fed.item_vector v WHERE v.item = ANY (b.items)) v,
    LATERAL (SELECT
        ARRAY(SELECT avg(v.x[i][j])::real FROM generate_subscripts(v.x, 1) i, generate_subscripts(v.x, 2) j GROUP BY j
              ORDER BY j) AS features,
        ARRAY(SELECT avg(v.numbers[i][j])::real FROM generate_subscripts(v.x, 1) i, generate_subscripts(v.numbers, 2) j
              GROUP BY j ORDER BY j) AS means,
        ARRAY(SELECT sqrt(avg(c.variance))::real FROM (
                  SELECT j > s.factors AS is_column, var_pop(v.x[i][j]) AS variance
                  FROM   generate_subscripts(v.x, 1) i, generate_subscripts(v.x, 2) j GROUP BY j) c GROUP BY is_column
              ORDER BY is_column)
        || ARRAY(SELECT max(abs(v.numbers[i][j] - a.mean))::real
                 FROM   generate_subscripts(v.x, 1) i, generate_subscripts(v.numbers, 2) j,
                        LATERAL (SELECT avg(v.numbers[k][j]) AS mean FROM generate_subscripts(v.x, 1) k) a GROUP BY j
                 ORDER BY j) AS spreads) m $$;
CREATE TEMP TABLE centroid AS SELECT c.n, m.* FROM fed.block c, fed.setting s,
  LATERAL _dlints_block_centroid(c.codes, c.numbers, s.factors, s.liked - s.factors) m;
-- features of a centroid's mean (0) or axis
CREATE FUNCTION decoded(codes bytea, vector integer) RETURNS float8[] LANGUAGE sql AS $$
SELECT array_agg((get_byte(codes, at + 8 + f) - 128) * ((number & 8388607) | 8388608) * 2.0 ^ ((number >> 23) - 150)
                 ORDER BY f)
FROM   fed.setting, generate_series(0, liked - 1) f, LATERAL (SELECT length(codes) / 3 * vector AS at) v,
       LATERAL (SELECT v.at + CASE WHEN f < factors THEN 0 ELSE 4 END AS s) scale,
       LATERAL (SELECT sum(get_byte(codes, s + b)::bigint << 8 * abs(b - least_byte))::bigint AS number
                FROM   generate_series(0, 3) b,      -- the scale 1, 0x3f800000, shows the order of bytes
                       (SELECT 4 - position('\x3f' IN _dlints_block_codes('{{127}}', 1)) AS least_byte) o) n $$;
CREATE FUNCTION norm2(vector float8[]) RETURNS float8 LANGUAGE sql AS $$ SELECT sum(x ^ 2) FROM unnest(vector) x $$;
SELECT ok(max(difference(decoded(c.codes, 0), e.features)) < 0.01
  AND max(difference(c.means[1:2], e.means[1:2])) < 1e-6 AND max(difference(c.spreads[3:4], e.spreads[3:4])) < 0.001
  AND max(abs(c.means[3] - e.means[3])) < 1000 AND max(abs(c.spreads[5] - e.spreads[5])) < 1000 AND count(*) = 250,
  'centroids are means of items, and spreads of numbers are distances from these')
FROM   centroid c JOIN expected_centroids() e USING (n);
SELECT ok(avg((along - expected) ^ 2) < 1e-5 * avg(expected ^ 2) AND avg(rest) < 0.3 * avg(expected),
  'axes and spreads account for the variance of all features, and axes for most of it')
FROM   centroid c JOIN expected_centroids() e USING (n), fed.setting s, LATERAL (
    SELECT s.factors * e.spreads[1] ^ 2 + (s.liked - s.factors) * e.spreads[2] ^ 2 AS expected,
           s.factors * c.spreads[1] ^ 2 + (s.liked - s.factors) * c.spreads[2] ^ 2 AS rest) v,
    LATERAL (SELECT rest + norm2(decoded(c.codes, 1)) + norm2(decoded(c.codes, 2)) AS along) a;
SELECT results_eq($$SELECT b.n, substr(c.codes, (length(c.codes) / array_length(c.blocks, 1) * (b.i - 1) + 1)::int,
                                       length(c.codes) / array_length(c.blocks, 1))
  FROM fed.centroid c, unnest(c.blocks[:][1:1]) WITH ORDINALITY b (n, i) ORDER BY 1$$,
  'SELECT n, codes FROM pg_temp.centroid ORDER BY 1', 'each block has one centroid, with its codes');
CREATE TEMP TABLE rows AS SELECT n, ctid AS tid FROM fed.centroid;
SELECT inside('fed', 'SELECT public._dlints_set_centroids()');
SELECT is(count(*), 0::bigint, 'unchanged centroids are not rewritten') FROM fed.centroid c JOIN rows r USING (n)
WHERE  c.ctid <> r.tid;
UPDATE fed.block SET numbers = (SELECT array_agg(ARRAY[1, 0, 0]::real[]) FROM unnest(items)) WHERE n = 3;
SELECT inside('fed', 'SELECT public._dlints_set_centroids()');
SELECT is(count(*), 1::bigint, 'centroids of changed blocks are rewritten, and no others')
FROM   fed.centroid c JOIN rows r USING (n) WHERE c.ctid <> r.tid;
UPDATE fed.block b SET numbers = v.numbers FROM (
  SELECT array_agg(_dlints_block_numbers(v.popularity, v.effect, v.costs, 0, v.dates) ORDER BY v.item) AS numbers
  FROM   fed.block b, fed.item_vector v WHERE b.n = 3 AND v.item = ANY (b.items)) v WHERE n = 3;
CREATE TEMP TABLE fitted AS SELECT weights FROM fed.similarity;
UPDATE fed.similarity SET weights[cardinality(weights) - 1] = 2 / click_value;      -- neighbours decide
SELECT inside('fed', 'SELECT public._dlints_set_prior()');
INSERT INTO fed.block VALUES (999, '{}', '', '{}');      -- 1,000 blocks of 16 items, as far as pages know
SELECT ok(NOT bool_or(has_gap(gap)) AND max(n_scored) < 1000, 'lists of 16,000 items contain the best neighbours')
FROM   generate_series(1, 20) p, listed('fed', p);
DELETE FROM fed.block WHERE n = 999;
UPDATE fed.similarity s SET weights = f.weights FROM fitted f;
SELECT inside('fed', 'SELECT public._dlints_set_prior()');
UPDATE fed.block SET n = 2399 WHERE n = 249;     -- 2,400 blocks of 16 items, as far as pages know: two per centroid
SELECT inside('fed', 'SELECT public._dlints_set_centroids()');
SELECT ok(count(*) = 126 AND max(abs(c.mean - e.mean)) < 1e-6, 'two blocks of a large catalogue have one centroid')
FROM  (SELECT c.blocks[i][1] AS first, c.blocks[i][2] AS last, c.numbers[i][1] AS mean
       FROM   fed.centroid c, generate_subscripts(c.blocks, 1) i) c
      JOIN (SELECT min(b.n) AS first, max(b.n) AS last, avg(v.popularity) AS mean
            FROM   fed.block b, unnest(b.items) u (item), fed.item_vector v WHERE v.item = u.item
            GROUP  BY b.n / 2) e USING (first, last);

-- ---------- lists ----------

CREATE FUNCTION recall(n integer) RETURNS TABLE (score float8, best float8) LANGUAGE sql AS $$
SELECT r[1], r[2] FROM generate_series(1, n) p, LATERAL (SELECT inside('fed', format(
  'SELECT public._dlints_cluster_recall(p, %s)::text FROM fed.profile(%1$s) p', p))::float8[]) x (r) $$;
SELECT ok(avg(score) > 0.99 AND avg(best) > 0.95 AND count(score) = 20 AND max(score) <= 1,
  'lists have nearly the best score of all items')
FROM   recall(20);
SELECT ok(value BETWEEN 0.99 AND 1 AND error >= 0 AND meaning ~ 'found by (9|100)',
  'report() says how good the items found are')
FROM   fed.report() WHERE measure = 'score of the items found';
-- 250 blocks have 500 rows, of the table and of its index
SELECT cmp_ok(max(rows_read(format('SELECT fed.recommend(%s)', p), 'fed', '^block')), '<', 300::bigint,
  'lists of a large catalogue do not read all blocks')
FROM   generate_series(1, 10) p;
CREATE TEMP TABLE list AS SELECT p, l.* FROM generate_series(1, 20) p, listed('fed', p) l;
SELECT ok(NOT bool_or(has_gap(gap)) AND max(n_scored) < 1000 AND count(DISTINCT items) > 5,
  'lists of a large catalogue contain the best items, with neighbour scores') FROM list;
SELECT ok(bool_and(has_right_probabilities('fed', decision)),
  'probabilities are shares of the draws in a large catalogue')
FROM   list WHERE p <= 8;
SELECT ok(NOT bool_or(has_gap(gap)) AND bool_and(n_scored < 200),
  'users without a profile get the best items of a large catalogue')
FROM   generate_series(1000, 1002) p, listed('fed', p);
UPDATE fed.setting SET control = 1;
SELECT ok(NOT has_gap(gap) AND n_scored = 40, 'the control contains the most popular items of a large catalogue')
FROM   listed('fed', 1);
UPDATE fed.setting SET control = 0;
SELECT ok(NOT bool_or(has_gap(gap)) AND bool_and(cardinality(items) = 10),
  'all blocks are searched if few items are candidates')
FROM   generate_series(1, 5) p, listed('fed', p, '{"only": "few"}');
SELECT ok(NOT bool_or(has_gap(gap)), 'all blocks are searched if most of the best items are no candidates')
FROM   generate_series(1, 5) p, listed('fed', p, '{"only": "late"}');
SELECT ok(NOT has_gap(gap) AND cardinality(items) = 100, 'all blocks are searched for a long list')
FROM   listed('fed', 1, k => 100);

UPDATE fed.setting SET cap = 6, cap_group = '(i.id % 2)::text';
SELECT ok(NOT bool_or(has_gap(gap)) AND bool_and(6 >= ALL (ARRAY(SELECT count(*) FROM unnest(items) i GROUP BY i % 2)))
  AND max(n_scored) < 1000, 'groups are capped in a large catalogue')
FROM   generate_series(1, 20) p, listed('fed', p);
UPDATE fed.setting SET cap = NULL, cap_group = NULL;
SELECT dlints_create_recommender('own', 'job', '{field,salary}', factors => 4, control => 0, epsilon => 0,
  cap_group => 'CASE WHEN i.id > 5000 THEN i.same END', cap => 1) IS NOT NULL;
INSERT INTO job SELECT 5000 + id, title, field, city_id, salary, '{}', '{}', true, now(), true, 'same'
FROM job WHERE id <= 1000;
CREATE TEMP TABLE capped AS SELECT r.* FROM generate_series(1, 20) p, own.recommend(p, 10) r;
SELECT ok(max(n) = 1 AND count(*) > 5 AND bool_and(n_scored > 0), 'new items without a vector are capped, too')
FROM  (SELECT count(*) AS n, min(d.n_scored) AS n_scored FROM capped c JOIN own.decision d ON d.id = c.decision
       WHERE  c.item > 5000 GROUP BY d.id) l;
DELETE FROM job WHERE id > 5000;

-- ---------- blocks without a centroid ----------

-- the best item for all users, in a block that was added later
UPDATE fed.item_vector SET popularity = 100 WHERE item = 4000;
INSERT INTO fed.block SELECT 600, ARRAY[v.item], _dlints_block_codes(ARRAY[v.features[1:s.liked]], s.factors),
  ARRAY[_dlints_block_numbers(v.popularity, v.effect, v.costs, 0, v.dates)] FROM fed.item_vector v, fed.setting s
  WHERE  v.item = 4000;
SELECT is(array_agg(item), '{4000}', 'a block without a centroid is always searched') FROM fed.recommend(1000, 1);
UPDATE fed.centroid SET spreads = '{}', numbers = '{}' WHERE n = 0;
UPDATE fed.centroid SET codes = '' WHERE n = 1;
SELECT ok(NOT bool_or(has_gap(gap)), 'blocks are searched if their centroids are malformed')
FROM   generate_series(1, 3) p, listed('fed', p);
DELETE FROM fed.block WHERE n >= 600;
SELECT inside('fed', 'SELECT public._dlints_set_blocks()');
SELECT is((SELECT count(*) FROM fed.centroid), 0::bigint, 'centroids are deleted from a small catalogue');

-- ---------- growth ----------

CREATE OR REPLACE FUNCTION public._dlints_min_grouped_items() RETURNS bigint LANGUAGE sql IMMUTABLE RETURN 3000;
SELECT inside('fed', 'SELECT public._dlints_set_blocks()');
SELECT is((SELECT array_agg(b.n ORDER BY b.n) FROM fed.centroid c, unnest(c.blocks[:][1:1]) b (n)),
  (SELECT array_agg(n ORDER BY n) FROM fed.block), 'items are grouped when a catalogue becomes large');
CREATE TEMP TABLE last AS SELECT max(n) AS n, count(*) FROM fed.centroid;
UPDATE fed.item_vector SET is_deleted = true WHERE item IN (
  SELECT u.item FROM fed.block b, unnest(b.items) u (item), fed.centroid c, last l
  WHERE  c.n = 1 AND b.n = ANY (c.blocks));
SELECT inside('fed', 'SELECT public._dlints_set_blocks()');
SELECT ok(NOT bool_or(c.n = 1) AND count(*) = max(l.count) - 1 AND max(c.n) = max(l.n),
  'centroids whose blocks are empty are deleted') FROM fed.centroid c, last l;
UPDATE fed.item_vector SET is_deleted = false;
SELECT inside('fed', 'SELECT public._dlints_set_blocks()');
SELECT is(items_in_blocks(), (SELECT array_agg(id ORDER BY id) FROM job), 'items that return are in blocks again');

-- ---------- items that differ in many directions ----------

-- A third of the items have one of 1,024 additional tastes, so that some items of each group score far above its mean.
CREATE FUNCTION taste(n bigint, factor integer) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN (hashint8extended(n * 64 + factor, 1) & 1023) / 1024.0 - 0.5;
UPDATE fed.item_vector v SET popularity = 0, effect = 0, features = ARRAY(
  SELECT CASE WHEN f > 32 THEN 0 WHEN v.item % 3 > 0 THEN taste(v.item % 40, f)
              ELSE taste(v.item % 40, f) + 1.2 * taste((hashint4(v.item) & 1023) + 100000, f) END
  FROM generate_subscripts(v.features, 1) f ORDER BY f);
DELETE FROM fed.block;
SELECT inside('fed', 'SELECT public._dlints_set_blocks()');
SELECT ok(avg(r[1]) > 0.99999 AND count(r) = 20, 'the best items of groups are found that differ in many directions')
FROM   generate_series(16, 320, 16) p, LATERAL (SELECT inside('fed', format(
  'SELECT public._dlints_cluster_recall(
     public._dlints_profile_of(v.features, l.scale, l.weights, s.liked, s.aged), 1)::text
   FROM item_vector v, setting s, similarity l WHERE v.item = %s', p))::float8[]) x (r);

-- ---------- equal items ----------

UPDATE fed.item_vector SET features = array_fill(0::real, ARRAY[cardinality(features)]), popularity = 0;
DELETE FROM fed.block;
SELECT inside('fed', 'SELECT public._dlints_group_items()');
SELECT is(items_in_blocks(), (SELECT array_agg(id ORDER BY id) FROM job),
  'items whose features are all 0 are in one group each');

-- ---------- constraints ----------

SELECT dlints_alter_recommender('fed', '{"constraints": {"cost": {"of": "i.id / 1e4", "max": 0.5}}}');
SELECT inside('fed', 'SELECT public._dlints_set_centroids()');
INSERT INTO fed.block VALUES (2399, '{}', '', '{}') ON CONFLICT DO NOTHING;
SELECT ok(count(*) = 1 AND bool_and(value BETWEEN 0.9 AND 1), 'report() measures a large catalogue under a constraint')
FROM   fed.report() WHERE measure = 'score of the items found';

SELECT * FROM finish();
ROLLBACK;
