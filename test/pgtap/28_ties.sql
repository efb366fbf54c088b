-- Ties: a shortlist and a decision break them alike, and logged probabilities are those over random tie-breaks.
\ir include/helpers.sql

SELECT plan(7);

-- 700 items with seven different vectors
CREATE TEMP TABLE world AS
SELECT array_agg(i ORDER BY i) AS items, array_agg(ARRAY(SELECT (i % 7 = j)::int::real FROM generate_series(0, 6) j) ORDER BY i)::dlints_vector AS features
FROM   generate_series(1, 700) i;
CREATE FUNCTION pages(model dlints, draws integer, count integer) RETURNS TABLE (seed bigint, item integer, probability float8)
	LANGUAGE sql AS
$$
SELECT p.seed, d.item, d.probability
FROM  (SELECT s::bigint AS seed,
              (SELECT dlints_shortlist(w.items, w.features, CASE draws
                   WHEN 1 THEN ARRAY[dlints_weights(model)] ELSE dlints_draw_weights(model, '{}', s, draws) END, 40, s) FROM world w) AS items
       FROM generate_series(1, count) s OFFSET 0) p,
       LATERAL dlints_decide(model, p.items,
           (SELECT array_agg(ARRAY(SELECT (i % 7 = j)::int::real FROM generate_series(0, 6) j) ORDER BY n)
            FROM unnest(p.items) WITH ORDINALITY u (i, n))::dlints_vector,
           10, draws => draws, seed => p.seed, tie_keys => dlints_tie_keys(p.items, p.seed)) d
$$;

-- A list shows 10 of 700 items, all of which tie in a model without observations.
CREATE TEMP TABLE greedy AS SELECT * FROM pages(dlints_new(7, policy => 'greedy'), 1, 20000);
SELECT ok(abs(avg(w) - 1) < 4 * stddev(w) / sqrt(count(*)), 'the mean of 1 / probability is 1 for items that all tie')
FROM  (SELECT sum(1 / probability) / 700 AS w FROM greedy GROUP BY seed) p;
SELECT ok(max(abs(w - 1)) < 1, 'the mean of 1 / probability is about 1 for each item')
FROM  (SELECT sum(1 / probability) / 20000 AS w FROM greedy GROUP BY item) p;
SELECT ok(avg(probability) BETWEEN 0.013 AND 0.016, 'the probability of one of 700 items that tie is about 10 / 700') FROM greedy;

-- Each draw prefers one of seven groups of 100 items.
SELECT ok(abs(avg(w) - 1) < 4 * stddev(w) / sqrt(count(*)), 'the mean of 1 / probability is 1 for groups of items that tie')
FROM  (SELECT sum(1 / probability) / 700 AS w FROM pages(dlints_new(7), 50, 500) GROUP BY seed) p;

-- Without a shortlist the probability is exact.
SELECT ok(bool_and(d.probability = 10 / 700.0::float8), 'candidates that all tie have equal probabilities')
FROM   world w, LATERAL dlints_decide(dlints_new(7, policy => 'greedy'), w.items, w.features, 10, draws => 1) d;

-- The shortlist has the lowest keys of all items that tie.
SELECT is((SELECT array_agg(i ORDER BY i) FROM unnest(dlints_shortlist(w.items, w.features, '{{0,0,0,0,0,0,0}}', 5, 9)) i),
	(SELECT array_agg(i ORDER BY i) FROM (SELECT i FROM unnest(w.items, dlints_tie_keys(w.items, 9)) u (i, k) ORDER BY k LIMIT 5) l),
	'a shortlist keeps the items with the lowest keys')
FROM   world w GROUP BY w.items, w.features::text;
SELECT is(outcome('SELECT dlints_decide(dlints_new(1), ''{1}''::int[], ''{{1}}'', tie_keys => ''{1}'')'),
	'22023: tie_keys must be between 0 and 1', 'dlints_decide refuses keys out of range');
SELECT * FROM finish();
ROLLBACK;
