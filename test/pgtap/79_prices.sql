-- Prices: the aggregate around what the unit tests of src/core hold to its definition.
\ir include/helpers.sql

SELECT plan(7 + 1 + 3 + 12);

-- Three requests with a cheap and a dear action: the dear one costs 10 more, and is better by .1, .2 and .3.
CREATE TEMPORARY TABLE request AS
SELECT n, ARRAY[0.5, 0.5 + n / 10.0]::float8[] AS scores, '{{1, 11}}'::float8[] AS costs
FROM   generate_series(1, 3) n;
CREATE FUNCTION priced(target float8, k bigint DEFAULT 1) RETURNS numeric[] LANGUAGE sql AS
$$
SELECT array_agg(round(p::numeric, 5) ORDER BY n)
FROM   unnest((SELECT dlints_prices(scores, costs, k, ARRAY[target]) FROM request)) WITH ORDINALITY u (p, n)
$$;
SELECT is(priced(target), result, 'a price for ' || target) FROM (VALUES
	(11, '{0.00000,11.00000}'::numeric[]), (8, '{0.01000,7.66667}'), (7.5, '{0.02000,4.33333}'),
	(1, '{0.03000,1.00000}'), (-5, '{0.03000,1.00000}')) AS v (target, result);
SELECT is(priced(6, 2), '{0.00000,6.00000}', 'two items of two are chosen at no price');
SELECT is(priced(1, 2), '{0.00000,6.00000}', 'no price is computed if all items are chosen');

-- At least half of what is chosen is new, and at most 2 are spent: the new one is a little worse.
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
	($$'{1,2}', '{1,2}', 1, '{1}'$$, '2202E: array must be two-dimensional (The number of dimensions of the costs is 1.)'),
	($$'{1,2}', '{{1,2}}', 1, '{1,1}'$$, '22000: expected a row of costs for each target (Rows of costs: 1, targets: 2.)'),
	($$'{1,2}', '{{1,2}}', n, '{1}'$$, '22023: k must be the same for all rows of a group'),
	($$'{1,2}', '{{1,2}}', 1, ARRAY[n]$$, '22023: targets must be the same for all rows of a group'))
	AS v (call, result);
SELECT * FROM finish();
ROLLBACK;
