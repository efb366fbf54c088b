-- NDCG@k against its definition in plain SQL.
\ir include/helpers.sql

SELECT plan(16);

-- 100 cases of 1 to 40 rows and k from 1 to 12; five levels of relevance and
-- of score, so that there are many ties
CREATE FUNCTION below(n integer, i bigint, j bigint) RETURNS integer IMMUTABLE LANGUAGE sql AS
$$ SELECT ((hashint8extended(i, j) & 1023) % n)::integer $$;
CREATE TEMP TABLE judged AS
SELECT c, 1 + below(12, c, 2) AS k, position, below(5, c * 100 + position, 3) / 2.0::float8
       AS relevance, below(5, c * 100 + position, 4)::float8 AS score
FROM generate_series(1, 100) AS c, generate_series(1, 1 + below(40, c, 1)) AS position;

CREATE TEMP TABLE by_definition AS
WITH ranked AS (
	SELECT c, k, relevance,
	       row_number() OVER (PARTITION BY c ORDER BY score DESC, position) AS place,
	       row_number() OVER (PARTITION BY c ORDER BY relevance DESC) AS ideal_place
	FROM judged)
SELECT c, sum(relevance / (ln(place + 1) / ln(2))) FILTER (WHERE place <= k)
          / nullif(sum(relevance / (ln(ideal_place + 1) / ln(2)))
                   FILTER (WHERE ideal_place <= k), 0) AS ndcg
FROM ranked GROUP BY c;
CREATE TEMP TABLE computed AS
SELECT c, dlints_ndcg(relevance, score, k ORDER BY position) AS ndcg FROM judged GROUP BY c;

SELECT is(count(*), 100::bigint, '100 cases equal the definition')
FROM computed JOIN by_definition AS d USING (c)
WHERE computed.ndcg IS NOT DISTINCT FROM d.ndcg OR abs(computed.ndcg - d.ndcg) < 1e-12;
SELECT cmp_ok(count(*), '>', 80::bigint, 'most of them are neither NULL nor 1')
FROM by_definition WHERE ndcg < 1;

SELECT is(dlints_ndcg(r, s, 3 ORDER BY s), 1::float8, 'the best order')
FROM (VALUES (0, 1), (1, 2), (2, 3)) AS v (r, s);
SELECT is(round(dlints_ndcg(r, s, 5 ORDER BY s)::numeric, 12),
          round((1 / (ln(3) / ln(2)))::numeric, 12), 'one relevant row in second place')
FROM (VALUES (0, 2), (1, 1)) AS v (r, s);
SELECT is(dlints_ndcg(r, s, 1 ORDER BY p), 0::float8,
          'among equal scores the first row ranks first')
FROM (VALUES (1, 0, 7), (2, 1, 7)) AS v (p, r, s);
SELECT is(dlints_ndcg(r, 1, 5), NULL::float8, 'no relevant row') FROM generate_series(0, 0) AS r;
SELECT is(dlints_ndcg(1, 1, 5), NULL::float8, 'no row') WHERE false;
SELECT is(dlints_ndcg(r, s, 2), 1::float8, 'rows with a NULL are skipped')
FROM (VALUES (1, 2), (NULL, 9), (5, NULL), (0, 1)) AS v (r, s);
SELECT is(dlints_ndcg(r, r, 9000000000000000000), 1::float8, 'dlints_ndcg accepts a k beyond the number of rows')
FROM generate_series(1, 10) AS r;
SELECT results_eq(
	'SELECT dlints_ndcg(r, -r, 2) OVER (ORDER BY r) = 1 FROM generate_series(1, 3) AS r',
	ARRAY[true, false, false], 'dlints_ndcg works as a window function over a growing frame');

SELECT throws_ok(format('SELECT dlints_ndcg(%s) FROM generate_series(1, 2) AS i', arguments),
                 code, message, arguments) FROM (VALUES
	('-1, 1, 5', '22023', 'relevance must not be negative'),
	('''NaN'', 1, 5', '22003', 'NaN not allowed in relevance'),
	('1, ''Infinity'', 5', '22003', 'infinity not allowed in score'),
	('1, 1, 0', '22023', 'k must be at least 1'),
	('1, 1, NULL', '22004', 'k must not be null'),
	('1, 1, i', '22023', 'k must be the same for all rows of a group'))
	AS v (arguments, code, message);

SELECT * FROM finish();
ROLLBACK;
