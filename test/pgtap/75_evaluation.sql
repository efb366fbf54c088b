-- Evaluation: NDCG@k, confidence bounds and prices against their definitions in plain SQL.
\ir include/helpers.sql

SELECT plan(16 + 18 + 7 + 1 + 3 + 12);

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
          / nullif(sum(relevance / (ln(ideal_place + 1) / ln(2))) FILTER (WHERE ideal_place <= k), 0) AS ndcg
FROM ranked GROUP BY c;
CREATE TEMP TABLE computed AS
SELECT c, dlints_ndcg(relevance, score, k ORDER BY position) AS ndcg FROM judged GROUP BY c;

SELECT is(count(*), 100::bigint, '100 cases equal the definition')
FROM computed JOIN by_definition AS d USING (c)
WHERE computed.ndcg IS NOT DISTINCT FROM d.ndcg OR abs(computed.ndcg - d.ndcg) < 1e-12;
SELECT cmp_ok(count(*), '>', 80::bigint, 'most of them are neither NULL nor 1')
FROM by_definition WHERE ndcg < 1;

SELECT is(dlints_ndcg(r, s, 3 ORDER BY s), 1::float8, 'the best order has NDCG 1')
FROM (VALUES (0, 1), (1, 2), (2, 3)) AS v (r, s);
SELECT is(round(dlints_ndcg(r, s, 5 ORDER BY s)::numeric, 12),
          round((1 / (ln(3) / ln(2)))::numeric, 12), 'one relevant row at position 2 has NDCG 1 / log2(3)')
FROM (VALUES (0, 2), (1, 1)) AS v (r, s);
SELECT is(dlints_ndcg(r, s, 1 ORDER BY p), 0::float8, 'among equal scores the first row ranks first')
FROM (VALUES (1, 0, 7), (2, 1, 7)) AS v (p, r, s);
SELECT is(dlints_ndcg(r, 1, 5), NULL::float8, 'dlints_ndcg is NULL if no row is relevant')
  FROM generate_series(0, 0) AS r;
SELECT is(dlints_ndcg(1, 1, 5), NULL::float8, 'dlints_ndcg of no row is NULL') WHERE false;
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
	('1e51, 1, 5', '22003', 'numbers beyond 1e+50 not allowed in relevance'),
	('1, ''Infinity'', 5', '22003', 'infinity not allowed in score'),
	('1, 1, 0', '22023', 'k must be at least 1'),
	('1, 1, NULL', '22004', 'k must not be null'),
	('1, 1, i', '22023', 'k must be the same for all rows of a group')) AS v (arguments, code, message);

-- Bounds of a mean, against their definition and on simulated logs

-- Wealth of bets with sixteen stakes against the mean m, as defined in core/value.h.  The logarithm of the wealth of
-- stake s is largest at a deviation d of s / (2 g); larger deviations count as this one.
CREATE FUNCTION won(mean float8, squares float8, n float8, m float8) RETURNS float8
LANGUAGE sql IMMUTABLE AS $$
SELECT avg(exp(greatest(s * n * d - g * (squares + n * d * d), -600)))
FROM generate_series(0, 15) AS i, LATERAL (SELECT 0.97 / 2 ^ i) AS v (s),
     LATERAL (SELECT -ln(1 - s) - s) AS w (g),
     LATERAL (SELECT least(abs(m - mean), s / 2 / g)) AS x (d)
$$;
CREATE TEMP TABLE sample AS
SELECT n, mean, share * mean * (1 - mean) * n AS squares,
       sqrt(share * mean * (1 - mean) / (n - 1)) AS stderr
FROM unnest(ARRAY[2, 30, 1000, 200000]) AS n, unnest(ARRAY[0, 0.001, 0.3, 0.95, 1]) AS mean,
     unnest(ARRAY[0, 0.4, 1]) AS share;

SELECT ok(bool_and(0 <= low AND low <= mean AND mean <= high AND high <= 1), 'bounds contain the mean')
FROM sample, dlints_bounds(mean, stderr, n);
SELECT cmp_ok(max(abs(won(mean, squares, n, low) / 40 - 1)), '<', 1e-6::float8,
              'bets against the lower bound have won the factor 40')
FROM sample, dlints_bounds(mean, stderr, n) WHERE low > 0;
SELECT cmp_ok(max(abs(won(mean, squares, n, high) / 40 - 1)), '<', 1e-6::float8,
              'bets against the upper bound have won the factor 40')
FROM sample, dlints_bounds(mean, stderr, n) WHERE high < 1;
SELECT ok(bool_and((low > 0 OR won(mean, squares, n, 0) <= 40 + 1e-4)
                   AND (high < 1 OR won(mean, squares, n, 1) <= 40 + 1e-4)),
          'bets against a missing bound have won less than the factor 40')
FROM sample, dlints_bounds(mean, stderr, n);
SELECT cmp_ok(count(*), '>', 10::bigint, 'more than ten samples have both bounds')
FROM sample, dlints_bounds(mean, stderr, n) WHERE low > 0 AND high < 1;
SELECT cmp_ok(max(greatest(abs(b.low * 7 - 3 - c.low), abs(b.high * 7 - 3 - c.high))), '<', 1e-9::float8,
              'other numbers are scaled')
FROM sample, dlints_bounds(mean, stderr, n) AS b,
     dlints_bounds(mean * 7 - 3, stderr * 7, n, -3, 4) AS c;
SELECT ok(bool_and(c.low < b.low AND b.high < c.high), 'bounds with more confidence are wider')
FROM sample, dlints_bounds(mean, stderr, n) AS b,
     dlints_bounds(mean, stderr, n, confidence => 0.99) AS c WHERE b.low > 0 AND b.high < 1;
SELECT ok(bool_and(high - low < before), 'bounds of more observations are narrower')
FROM (SELECT n, low, high, lag(high - low) OVER (ORDER BY n) AS before
      FROM generate_series(100, 5000, 100) AS n, dlints_bounds(0.01, 0.09 / sqrt(n), n)) AS s
WHERE before IS NOT NULL;
SELECT cmp_ok(high, '<', 1e-9::float8, '10^10 observations without a click have an upper bound below 1e-9')
FROM dlints_bounds(0, 0, 10000000000);

-- 400 logs of rare clicks, each checked 20 times: less than one in twenty is ever outside the bounds
CREATE TEMP TABLE looked AS
SELECT chance, log, n, sum(clicks) OVER (PARTITION BY chance, log ORDER BY n) / n AS mean
FROM (SELECT chance, log, 100 * (i / 100 + 1) AS n,
             sum((number(i, log) < 2 * chance - 1)::integer)::float8 AS clicks
      FROM unnest(ARRAY[0.003, 0.02]::float8[]) AS chance, generate_series(1, 400) AS log,
           generate_series(0, 1999) AS i GROUP BY chance, log, i / 100) AS s;
SELECT cmp_ok(avg((outside > 0)::integer), '<', 0.05, format('%s: within at all times', chance))
FROM (SELECT chance, log, sum((chance NOT BETWEEN low AND high)::integer) AS outside
      FROM looked, dlints_bounds(mean, sqrt(mean * (1 - mean) / (n - 1)), n)
      GROUP BY chance, log) AS s GROUP BY chance ORDER BY chance;
SELECT cmp_ok(avg((outside > 0)::integer), '>', 0.2, format('%s: 1.96 errors are not', chance))
FROM (SELECT chance, log,
             sum((abs(mean - chance) > 1.96 * sqrt(mean * (1 - mean) / (n - 1)))::integer) AS outside
      FROM looked GROUP BY chance, log) AS s GROUP BY chance ORDER BY chance;

-- impossible samples
SELECT each_is('22023: mean must be from lowest to highest (The value is 1.5.)', 'dlints_bounds(1.5, 0.1, 10)');
SELECT each_is('22023: numbers between 0 and 1 cannot have this mean and standard error',
	'dlints_bounds(0.5, 0.2, 10)');
SELECT each_is('22023: highest must be above lowest (The value is 0.)', 'dlints_bounds(0, 0, 10, 0, 0)');
SELECT each_is('22023: confidence must be above 0 and below 1 (The value is 1.)',
	'dlints_bounds(0, 0, 10, confidence => 1)');
SELECT each_is('22023: observations must be at least 1 (The value is 0.)', 'dlints_bounds(0, 0, 0)');

-- Prices: the aggregate; unit tests of src/core test the computation.

-- Three requests with a cheap and an expensive action; the latter costs 10 more, and its score is higher by .1, .2
-- and .3.
CREATE TEMPORARY TABLE request AS
SELECT n, ARRAY[0.5, 0.5 + n / 10.0]::float8[] AS scores, '{{1, 11}}'::float8[] AS costs
FROM   generate_series(1, 3) n;
CREATE FUNCTION priced(target float8, k bigint DEFAULT 1) RETURNS numeric[] LANGUAGE sql AS $$
SELECT array_agg(round(p::numeric, 5) ORDER BY n)
FROM   unnest((SELECT dlints_prices(scores, costs, k, ARRAY[target]) FROM request)) WITH ORDINALITY u (p, n)
$$;
SELECT is(priced(target), result, 'a price for ' || target) FROM (VALUES
	(11, '{0.00000,11.00000}'::numeric[]), (8, '{0.01000,7.66667}'), (7.5, '{0.02000,4.33333}'),
	(1, '{0.03000,1.00000}'), (-5, '{0.03000,1.00000}')) AS v (target, result);
SELECT is(priced(6, 2), '{0.00000,6.00000}', 'two items of two are chosen at no price');
SELECT is(priced(1, 2), '{0.00000,6.00000}', 'no price is computed if all items are chosen');

-- At least half of the chosen items are new, and mean costs are at most 2; the score of the new item is slightly
-- lower.
SELECT is((SELECT array_agg(round(p::numeric, 4) ORDER BY n) FROM unnest(r) WITH ORDINALITY u (p, n)),
	'{0.0000,0.1000,2.0000,-0.5000}', 'a minimum is a maximum of negative costs')
FROM  (SELECT dlints_prices(ARRAY[0.5, 0.4 + n / 10.0 - 0.1], '{{2,2},{0,-1}}', 1, '{2,-0.5}') AS r
       FROM generate_series(0, 1) n) t;

SELECT is(dlints_prices(s, c, 1, t), NULL, 'nothing is told of nothing') FROM (VALUES
	(NULL::float8[], '{{1}}'::float8[], '{1}'::float8[]), ('{1}', NULL, '{1}'), ('{1}', '{{1}}', NULL)) v (s, c, t)
GROUP BY s, c, t;
SELECT is(outcome(format('SELECT dlints_prices(%s) FROM generate_series(1, 2) n', call)), result, call) FROM (VALUES
	($$'{}', '{}', 1, '{1}'$$, 'gives {{0},{0}}'),
	($$'{1}', '{{1}}', NULL, '{1}'$$, '22004: k must not be null'),
	($$'{1}', '{{1}}', 0, '{1}'$$, '22023: k must be at least 1 (The value is 0.)'),
	($$'{1}', '{{1}}', 1, '{}'$$, '22023: there must be 1 to 16 targets (There are 0.)'),
	($$'{1}', '{{1}}', 1, array_fill(1::float8, ARRAY[17])$$, '22023: there must be 1 to 16 targets (There are 17.)'),
	($$'{1}', '{{1}}', 1, '{NULL}'$$, '22004: array must not contain nulls (A null was found in the targets.)'),
	($$'{1,NaN}', '{{1,2}}', 1, '{1}'$$, '22003: NaN not allowed in array (Element 2 of the scores.)'),
	($$'{1,2}', '{{1,Infinity}}', 1, '{1}'$$, '22003: infinity not allowed in array (Element 2 of the costs.)'),
	($$'{1,2}', '{1,2}', 1, '{1}'$$,
	 '2202E: array must be two-dimensional (The number of dimensions of the costs is 1.)'),
	($$'{1,2}', '{{1,2}}', 1, '{1,1}'$$,
	 '22000: expected a row of costs for each target (Rows of costs: 1, targets: 2.)'),
	($$'{1,2}', '{{1,2}}', n, '{1}'$$, '22023: k must be the same for all rows of a group'),
	($$'{1,2}', '{{1,2}}', 1, ARRAY[n]$$, '22023: targets must be the same for all rows of a group'))
	AS v (call, result);

SELECT * FROM finish();
ROLLBACK;
