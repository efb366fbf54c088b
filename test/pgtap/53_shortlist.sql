-- dlints_shortlist: the best items of blocks under each of several weight vectors, and the draw with which
-- dlints_decide then decides
\ir include/helpers.sql

-- items of three numbers in blocks of lengths around that of a strip, and an empty one
CREATE TEMP TABLE item AS
SELECT i AS id, ARRAY[sin(i), cos(i * 1.7), sin(i * i)]::real[] AS x, n
FROM  (SELECT n, generate_series(first, first + size - 1) AS i
       FROM (VALUES (1, 1, 1), (2, 2, 31), (3, 33, 32), (4, 65, 33), (5, 98, 70), (6, 168, 64))
            b (n, first, size)) s;
CREATE TEMP TABLE block AS
SELECT n, array_agg(id ORDER BY id) AS ids, array_agg(x ORDER BY id) AS xs FROM item GROUP BY n;
INSERT INTO block VALUES (0, '{}', '{}');

CREATE FUNCTION weights(n integer) RETURNS float8[] LANGUAGE sql IMMUTABLE AS $$
SELECT array_agg(ARRAY[cos(i), sin(i * 3), cos(i * 7)]) FROM generate_series(1, n) i $$;
CREATE FUNCTION sorted(anyarray) RETURNS anyarray LANGUAGE sql IMMUTABLE AS $$
SELECT array_agg(i ORDER BY i) FROM unnest($1) i $$;
-- the expected result
CREATE FUNCTION expected(rankings integer, k integer) RETURNS integer[] LANGUAGE sql AS $$
SELECT array_agg(DISTINCT id ORDER BY id)
FROM   generate_series(1, rankings) w, LATERAL (
	SELECT unnest(
		(array_agg(id ORDER BY dlints_dot(ARRAY(SELECT unnest((weights(rankings))[w:w])), x) DESC))[1:k]) AS id
		FROM item) t
$$;

SELECT plan(8 + 6 + 24 + 8 + 7 + 12);

-- ---------- the best under each ----------

SELECT is(sorted(dlints_shortlist(ids, xs, weights(w), k)), expected(w, k), format('%s weight vectors, k = %s', w, k))
FROM   block, (VALUES (1, 1), (1, 10), (2, 10), (8, 3), (9, 5), (17, 2), (3, 231), (3, 1000)) c (w, k)
GROUP  BY w, k ORDER BY w, k;

-- ---------- types of items and features ----------

SELECT is(dlints_shortlist(ids::text[], xs, weights(1), 5) @> ARRAY[id::text], true,
  'dlints_shortlist takes items of type text')
FROM   block, (SELECT (array_agg(id ORDER BY dlints_dot(ARRAY(SELECT unnest(weights(1))), x) DESC))[1] AS id
  FROM item) b
GROUP  BY id;
SELECT is(sorted(dlints_shortlist(ids, xs::float8[], weights(3), 9)), expected(3, 9),
  'dlints_shortlist takes features of double precision')
FROM block;
SELECT is(sorted(dlints_shortlist(ids, xs::numeric[]::dlints_vector, weights(3), 9)), expected(3, 9),
  'dlints_shortlist takes numbers of any type') FROM block;
SELECT is(pg_typeof(dlints_shortlist(ARRAY[ROW(1, NULL, NULL)::block], '{{1}}', '{{1}}', 1))::text, 'block[]',
  'dlints_shortlist takes composite items');
SELECT is(array_agg(cardinality(s) ORDER BY n), '{1,10,10,10,10,10}'::int[],
  'dlints_shortlist works for each group of rows')
FROM  (SELECT n, dlints_shortlist(ids, xs, weights(1), 10) AS s FROM block WHERE n > 0 GROUP BY n) g;
SELECT is(dlints_shortlist(ids, xs, weights(1), 10), NULL, 'the shortlist of no rows is NULL') FROM block WHERE n > 6;

-- ---------- errors ----------

SELECT is(outcome('SELECT dlints_shortlist(' || call || ')'), result, call) FROM (VALUES
	('NULL::int[], ''{{1}}'', ''{{1}}'', 1', 'gives NULL'),
	('''{1}''::int[], NULL, ''{{1}}'', 1', 'gives NULL'),
	('''{1}''::int[], ''{{1}}'', NULL, 1', 'gives NULL'),
	('''{}''::int[], ''{}'', ''{{1}}'', 1', 'gives {}'),
	('''{1}''::int[], ''{{1}}'', ''{{1}}'', 9223372036854775807', 'gives {1}'),
	('''{1}''::int[], ''{{1}}'', ''{{1}}'', NULL', '22004: k must not be null'),
	('''{1}''::int[], ''{{1}}'', ''{{1}}'', 0', '22023: k must be at least 1 (The value is 0.)'),
	('''{1}''::int[], ''{{1}}'', ''{}'', 1',
	 '22023: the number of weight vectors must be between 1 and 10000 (The value is 0.)'),
	('''{1}''::int[], ''{{1}}'', ''{1}'', 1',
	 '2202E: array must be two-dimensional (The number of dimensions of the array of weights is 1.)'),
	('''{1}''::int[], ''{{1}}'', ''{{NULL}}'', 1',
	 '22004: array must not contain nulls (A null was found in the array of weights.)'),
	('''{1}''::int[], ''{{1}}'', ''{{NaN}}'', 1',
	 '22003: NaN not allowed in array (Element 1 of the array of weights.)'),
	('''{1}''::int[], ''{{1,2}}'', ''{{1}}'', 1',
	 '22000: expected 1 dimensions, not 2 (Wrong length of the rows of the array of features.)'),
	('''{1}''::int[], ''{1}'', ''{{1}}'', 1',
	 '2202E: array must be two-dimensional (The number of dimensions of the array of features is 1.)'),
	('''{1}''::int[], ''{{Infinity}}'', ''{{1}}'', 1',
	 '22003: infinity not allowed in array (Element 1 of the array of features.)'),
	('''{1,2,3}''::int[], ''{{1,1},{1,NaN},{NaN,1}}''::real[], ''{{1,1}}'', 1',
	 '22003: NaN not allowed in array (Element 4 of the array of features.)'),
	('''{1,2}''::int[], ''{{1,1},{1,-Infinity}}''::real[], ''{{1,0}}'', 1',
	 '22003: infinity not allowed in array (Element 4 of the array of features.)'),
	('''{1,2}''::int[], ''{{1,1},{1,NaN}}''::float8[], ''{{1,0}}'', 1',
	 '22003: NaN not allowed in array (Element 4 of the array of features.)'),
	('''{1,2}''::int[], ''{{1,1},{1,1e60}}''::float8[], ''{{1,0}}'', 1',
	 '22003: numbers beyond 1e+50 not allowed in array (Element 4 of the array of features.)'),
	('ids, ARRAY(SELECT ARRAY[-i, CASE WHEN i < 60 THEN 1 ELSE ''NaN''::real END]::real[]'
	 ' FROM generate_subscripts(ids, 1) i), '
	 '(SELECT array_agg(ARRAY[1, 0]) FROM generate_series(1, 20))::float8[], 1) FROM block WHERE (n = 6',
	 '22003: NaN not allowed in array (Element 120 of the array of features.)'),
	('''{1,2}''::int[], ''{{1}}'', ''{{1}}'', 1',
	 '22000: expected as many items as rows of features (Rows of features: 1, items: 2.)'),
	('''{{1}}''::int[], ''{{1}}'', ''{{1}}'', 1',
	 '2202E: array must be one-dimensional (The number of dimensions of the array of items is 2.)'),
	('''{NULL}''::int[], ''{{1}}'', ''{{1}}'', 1',
	 '22004: array must not contain nulls (A null was found in the array of items.)'),
	('ids, xs, weights(n), 1) FROM (SELECT * FROM block ORDER BY n) b WHERE n BETWEEN 1 AND 2 AND (true',
	 '22023: weights must be the same for all rows of a group'),
	('ids, xs, weights(1), n) FROM (SELECT * FROM block ORDER BY n) b WHERE n BETWEEN 1 AND 2 AND (true',
	 '22023: k must be the same for all rows of a group')) c (call, result);

-- ---------- equal scores, and the form of the weights ----------

SELECT ok(count(DISTINCT s) > 1 AND bool_and(cardinality(s) = 3), 'equal scores are chosen at random')
FROM  (SELECT dlints_shortlist(ids, ARRAY(SELECT ARRAY[0, 0, 0] FROM unnest(ids)), '{{1,1,1}}', 3) AS s
       FROM block, generate_series(1, 20) g WHERE n = 5 GROUP BY g) t;
SELECT is(cardinality(dlints_shortlist(ids, ARRAY(SELECT ARRAY[0, 0, 0] FROM unnest(ids)), '{{1,1,1},{2,2,2}}', 3)), 3,
  'equal weight vectors choose the same items') FROM block WHERE n = 5;
-- stored weights are not fetched for each row
CREATE TEMP TABLE stored AS SELECT weights(200) AS w;
SELECT ok(sorted(dlints_shortlist(ids, xs, w, 2)) = expected(200, 2), 'compressed weights give the same shortlist')
FROM block, stored;
CREATE FUNCTION by_variable() RETURNS integer[] LANGUAGE plpgsql AS $$
DECLARE
	w float8[] := weights(2);
BEGIN
	w[1][1] := 0.25;	-- from here on, the weights are an expanded value
	RETURN (SELECT sorted(dlints_shortlist(ids, xs, w, 4)) FROM block);
END $$;
SELECT ok(cardinality(by_variable()) BETWEEN 4 AND 8, 'weights of a PL/pgSQL variable are accepted');
CREATE FUNCTION grown(n integer) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
	w float8[] := '{{1,1,1}}';
BEGIN
	w[1][2] := n;
	RETURN w;
END $$;
SELECT is(outcome('SELECT dlints_shortlist(ids, xs, grown(n), 2) FROM block WHERE n > 0'),
  '22023: weights must be the same for all rows of a group', 'other weights in the same memory are others');
SELECT is(outcome('SELECT cardinality(dlints_shortlist(ids, xs, grown(7), 2)) FROM block WHERE n > 0'), 'gives 2',
  'equal weights at another address are recognized');
CREATE TEMP TABLE twice AS SELECT n, (SELECT weights(400)) AS w FROM block;
SELECT is(sorted(dlints_shortlist(ids, xs, w, 1)), expected(400, 1), 'weights stored out of line are recognized')
FROM   block JOIN twice USING (n);
-- the first ranking's items come first
SELECT is((dlints_shortlist(ids, xs, weights(9), 6))[1:6], (SELECT (array_agg(id ORDER BY dlints_dot(ARRAY(
  SELECT unnest(weights(1))), x) DESC))[1:6] FROM item), 'items of the first weight vector come first') FROM block;

-- ---------- extreme numbers ----------

CREATE FUNCTION listed(features anyarray, weights float8[], k bigint) RETURNS integer[] LANGUAGE sql AS $$
SELECT sorted(dlints_shortlist(ARRAY(SELECT generate_subscripts(features, 1)), features, weights, k)) $$;
-- whatever the neighbouring rows are
SELECT is(count(DISTINCT s), 2::bigint, format('%s: equal features have equal scores', x))
FROM  (SELECT x, dlints_shortlist(ids, ARRAY[x, y]::real[], '{{0.3,0.7,0.9}}', 1) AS s
       FROM   (VALUES ('{1,2}'::int[], '{0,0,0}'::real[]), ('{3,4}', '{-3e38,-3e38,-3e38}')) v (ids, y),
              (VALUES ('{0.1,0.7,0.3}'::real[]), ('{3e38,3e38,3e38}')) u (x), generate_series(1, 30) g
       GROUP  BY x, g) t
GROUP  BY x ORDER BY x;
SELECT is(listed('{{1,2},{2,1},{3,0},{1,1}}'::real[], w, 1), result, 'weights ' || w::text)
FROM  (VALUES ('{{1e50,1e49}}'::float8[], '{3}'::int[]), ('{{1e-300,2e-300}}', '{1}'),
  ('{{-1e-40,5e-41},{1e45,0}}', '{1,3}'))
      v (w, result);
SELECT is(listed('{{1},{1.000000000001},{0.9}}'::float8[], '{{1}}', 1), '{2}', 'scores have double precision');
SELECT is(dlints_shortlist(ids, xs, '{{1}}', 2), '{4,2}',
  'dlints_shortlist takes blocks of real and double precision in one query')
FROM  (VALUES ('{1,2}'::int[], '{{1},{2}}'::real[]::dlints_vector), ('{3,4}', '{{0.5},{3}}'::float8[]::dlints_vector),
              ('{5}', '{{1.5}}'::real[]::dlints_vector)) v (ids, xs);

-- ---------- the draw that acts ----------

CREATE TEMP TABLE made AS
SELECT dlints_concat(e, dlints_evidence(e, x, sin(id), p)) AS m, i, p
FROM   item, (VALUES ('plain', dlints_new(3), '{}'::float8[]),
                     ('matched', dlints_new(3, interactions => 'matched'), '{0.5,1,-1}')) v (i, e, p)
WHERE  id < 40 GROUP BY i, p, e;
SELECT is((SELECT array_agg(d.item ORDER BY d.rank)
           FROM (SELECT array_agg(id) AS ids, array_agg(x) AS xs FROM item) a,
                LATERAL dlints_decide(m, ids, xs, 7, p, seed => 42) d),
          (SELECT (array_agg(id ORDER BY dlints_dot((SELECT dlints_draw_weights(m, p, 42)), x) DESC))[1:7] FROM item),
          'dlints_decide chooses by the draw of its seed: ' || i)
FROM   made ORDER BY i;
SELECT is((SELECT array_agg(d.item ORDER BY d.rank)
           FROM (SELECT dlints_shortlist(ids, xs, ARRAY[dlints_draw_weights(m, p, 42)], 10) AS list
                 FROM block WHERE n > 0) s,
                LATERAL (SELECT array_agg(id) AS ids, array_agg(x) AS xs FROM item WHERE id = ANY (list)) a,
                LATERAL dlints_decide(m, ids, xs, 7, p, seed => 42) d),
          (SELECT array_agg(d.item ORDER BY d.rank)
           FROM (SELECT array_agg(id) AS ids, array_agg(x) AS xs FROM item) a,
                LATERAL dlints_decide(m, ids, xs, 7, p, seed => 42) d),
          'dlints_decide chooses the same from a shortlist of that draw: ' || i)
FROM   made ORDER BY i;
SELECT is(array_agg(difference(ARRAY(SELECT unnest(w[n:n])), dlints_draw_weights(m, p, 42)) < 1e-12),
          '{true,false,false,false}',
          'the first of several draws is that of the seed: ' || i)
FROM   made, LATERAL dlints_draw_weights(m, p, 42, 4) w, generate_series(1, 4) n GROUP BY i ORDER BY i;
SELECT ok(bool_and(abs(d.probability - s.share) < 1e-12) AND count(*) = 7 AND min(s.share) < 1,
          'probabilities are the shares of the draws of the seed: ' || i)
FROM   made, LATERAL (SELECT array_agg(id) AS ids, array_agg(x) AS xs FROM item) a,
       LATERAL dlints_decide(dlints_set(m, exploration => 2), ids, xs, 7, p, 12, seed => 42) d,
       LATERAL dlints_draw_weights(dlints_set(m, exploration => 2), p, 42, 12) w,
       LATERAL (SELECT avg((d.item = ANY (best))::int) AS share
                FROM generate_series(1, 12) j, LATERAL (
                    SELECT (array_agg(id ORDER BY dlints_dot(ARRAY(SELECT unnest(w[j:j])), x) DESC))[1:7] AS best
                      FROM item) t) s
GROUP  BY i ORDER BY i;
SELECT is(outcome('SELECT dlints_draw_weights(dlints_new(2), ''{}'', 1, ' || d || ')'), result, 'draws: ' || d)
FROM  (VALUES ('0', '22023: draws must be between 1 and 1000 (The value is 0.)'),
              ('NULL', '22004: draws must not be null')) v (d, result);
SELECT cmp_ok(count(DISTINCT first), '>', 1::bigint, 'decisions without a seed use different draws')
FROM   made, (SELECT array_agg(id) AS ids, array_agg(x) AS xs FROM item) a, generate_series(1, 30) g,
       LATERAL (SELECT d.item AS first FROM dlints_decide(dlints_set(m, exploration => 1), ids, xs, 1, p, g) d) f
WHERE  i = 'plain';
SELECT is(dlints_tie_keys('{}'::integer[], 1), '{}', 'the tie-break keys of an empty array are an empty array');

SELECT * FROM finish();
ROLLBACK;
