-- Bounds of a mean: against their definition, and against logs that are known.
\ir include/helpers.sql

-- What bets on sixteen stakes have won against m, as the comment of core/value.h has it;
-- beyond the largest bound of a stake that bound stays.
CREATE FUNCTION won(mean float8, squares float8, n float8, m float8) RETURNS float8
LANGUAGE sql IMMUTABLE AS
$$
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

SELECT plan(18);

SELECT ok(bool_and(0 <= low AND low <= mean AND mean <= high AND high <= 1), 'about the mean')
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
SELECT ok(bool_and(c.low < b.low AND b.high < c.high), 'more confidence, wider')
FROM sample, dlints_bounds(mean, stderr, n) AS b,
     dlints_bounds(mean, stderr, n, confidence => 0.99) AS c WHERE b.low > 0 AND b.high < 1;
SELECT ok(bool_and(high - low < before), 'more observations, narrower')
FROM (SELECT n, low, high, lag(high - low) OVER (ORDER BY n) AS before
      FROM generate_series(100, 5000, 100) AS n, dlints_bounds(0.01, 0.09 / sqrt(n), n)) AS s
WHERE before IS NOT NULL;
SELECT cmp_ok(high, '<', 1e-9::float8, 'ten milliards without a click')
FROM dlints_bounds(0, 0, 10000000000);

-- 400 logs of rare clicks, each looked at 20 times: less than one in twenty is ever outside
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

-- what is no sample
SELECT each_is('22023: mean must be from lowest to highest (The value is 1.5.)',
	'dlints_bounds(1.5, 0.1, 10)');
SELECT each_is('22023: numbers between 0 and 1 cannot have this mean and standard error',
	'dlints_bounds(0.5, 0.2, 10)');
SELECT each_is('22023: highest must be above lowest (The value is 0.)', 'dlints_bounds(0, 0, 10, 0, 0)');
SELECT each_is('22023: confidence must be between 0 and 1 (The value is 1.)',
	'dlints_bounds(0, 0, 10, confidence => 1)');
SELECT each_is('22023: observations must be at least 1 (The value is 0.)', 'dlints_bounds(0, 0, 0)');
SELECT * FROM finish();
ROLLBACK;
