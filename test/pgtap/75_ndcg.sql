-- NDCG@k against its definition in plain SQL.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

SELECT plan(16);

-- 100 cases of 1 to 40 rows and k from 1 to 12; five levels of relevance and
-- of score, so that there are many ties
CREATE TEMP TABLE test_case AS
SELECT c, 1 + (hashint8extended(c, 1) & 1023) % 40 AS size, (1 + (hashint8extended(c, 2) & 1023) % 12)::integer AS k
FROM generate_series(1, 100) AS c;

CREATE TEMP TABLE judged AS
SELECT c, k, position, ((hashint8extended(c * 100 + position, 3) & 1023) % 5)::float8 / 2 AS relevance,
       ((hashint8extended(c * 100 + position, 4) & 1023) % 5)::float8 AS score
FROM test_case, generate_series(1, size) AS position;

CREATE TEMP TABLE ranked AS
SELECT c, k, relevance, row_number() OVER (PARTITION BY c ORDER BY score DESC, position) AS place,
       row_number() OVER (PARTITION BY c ORDER BY relevance DESC) AS ideal_place
FROM judged;

CREATE TEMP TABLE by_definition AS
SELECT c, sum(relevance / (ln(place + 1) / ln(2))) FILTER (WHERE place <= k) /
          nullif(sum(relevance / (ln(ideal_place + 1) / ln(2))) FILTER (WHERE ideal_place <= k), 0) AS ndcg
FROM ranked GROUP BY c;

CREATE TEMP TABLE computed AS
SELECT c, dlints_ndcg(relevance, score, k ORDER BY position) AS ndcg FROM judged GROUP BY c;

SELECT is(count(*), 100::bigint, '100 cases equal the definition')
FROM computed JOIN by_definition AS d USING (c)
WHERE computed.ndcg IS NOT DISTINCT FROM d.ndcg OR abs(computed.ndcg - d.ndcg) < 1e-12;
SELECT cmp_ok(count(*), '>', 80::bigint, 'most of them are neither NULL nor 1') FROM by_definition WHERE ndcg < 1;

SELECT is(dlints_ndcg(r, s, 3 ORDER BY s), 1::float8, 'the best order') FROM (VALUES (0, 1), (1, 2), (2, 3)) AS v (r, s);
SELECT is(round(dlints_ndcg(r, s, 5 ORDER BY s)::numeric, 12), round((1 / (ln(3) / ln(2)))::numeric, 12), 'one relevant row in second place')
FROM (VALUES (0, 2), (1, 1)) AS v (r, s);
SELECT is(dlints_ndcg(r, s, 1 ORDER BY p), 0::float8, 'among equal scores the first row ranks first')
FROM (VALUES (1, 0, 7), (2, 1, 7)) AS v (p, r, s);
SELECT is(dlints_ndcg(r, 1, 5), NULL::float8, 'no relevant row') FROM generate_series(0, 0) AS r;
SELECT is(dlints_ndcg(1, 1, 5), NULL::float8, 'no row') WHERE false;
SELECT is(dlints_ndcg(r, s, 2), 1::float8, 'rows with a NULL are skipped')
FROM (VALUES (1, 2), (NULL, 9), (5, NULL), (0, 1)) AS v (r, s);
SELECT is(dlints_ndcg(r, r, 9000000000000000000), 1::float8, 'k beyond the rows') FROM generate_series(1, 10) AS r;
SELECT results_eq($$SELECT dlints_ndcg(r, -r, 2) OVER (ORDER BY r) = 1 FROM generate_series(1, 3) AS r$$,
                  ARRAY[true, false, false], 'as a window function, over a growing frame');

SELECT throws_ok($$SELECT dlints_ndcg(-1, 1, 5)$$, '22023', 'relevance must not be negative', 'negative relevance');
SELECT throws_ok($$SELECT dlints_ndcg('NaN'::float8, 1, 5)$$, '22003', 'NaN not allowed in relevance', 'relevance NaN');
SELECT throws_ok($$SELECT dlints_ndcg(1, 'Infinity'::float8, 5)$$, '22003', 'infinity not allowed in score', 'score infinite');
SELECT throws_ok($$SELECT dlints_ndcg(1, 1, 0)$$, '22023', 'k must be at least 1', 'k 0');
SELECT throws_ok($$SELECT dlints_ndcg(1, 1, NULL)$$, '22004', 'k must not be null', 'k NULL');
SELECT throws_ok($$SELECT dlints_ndcg(1, 1, k) FROM generate_series(1, 2) AS k$$, '22023', 'k must be the same for all rows of a group', 'k changes');

SELECT * FROM finish();
ROLLBACK;
