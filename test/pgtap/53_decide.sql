-- dlints_decide: candidates as arrays of any type, their order, NULL and errors.
\ir include/helpers.sql
\ir include/candidates.sql

-- the candidates of each subject as arrays, in arbitrary order
CREATE TEMP TABLE list AS
SELECT name, max(u) AS u, array_agg(i ORDER BY i % 13, i) AS items,
       array_agg(x ORDER BY i % 13, i) AS xs, array_agg(bonus ORDER BY i % 13, i) AS bonuses,
       array_agg(brand ORDER BY i % 13, i) AS brands
FROM candidate WHERE x IS NOT NULL GROUP BY name;

SELECT plan(27 + 6 + 35);

-- ---------- candidates ----------

CREATE TEMP TABLE arm AS
SELECT model, dlints_set(model, exploration => 0) AS sure, items, xs, xs::float8[] AS doubles,
       xs::numeric[] AS numerics, (SELECT array_agg('x' || i ORDER BY n)
                                   FROM unnest(items) WITH ORDINALITY AS a (i, n)) AS texts,
       (SELECT array_agg(md5(i::text)::uuid ORDER BY n) FROM unnest(items) WITH ORDINALITY AS a (i, n)) AS uuids
FROM subject JOIN list USING (name) WHERE name = 'plain';
CREATE FUNCTION best(arguments text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT string_agg(coalesce(d.item::text, ''-''), '' '' ORDER BY d.rank)
	                FROM arm, LATERAL dlints_decide(sure, %s) AS d', arguments) INTO result;
	RETURN result;
END
$$;
CREATE TEMP TABLE expected AS
SELECT string_agg(item, ' ' ORDER BY rank) AS items,
       string_agg(md5(item)::uuid::text, ' ' ORDER BY rank) AS uuids,
       string_agg('x' || item, ' ' ORDER BY rank) AS texts,
       'NULL, ' || string_agg(item, ', ') AS list
FROM (SELECT i::text AS item, rank() OVER (ORDER BY dlints_predict(sure, x) DESC)
      FROM arm, candidate WHERE name = 'plain' AND x IS NOT NULL) AS d WHERE rank <= 3;
SELECT is(best(arguments), given, what) FROM expected, LATERAL (VALUES
	('items, xs, 3', items, 'real'),
	('items, doubles, 3', items, 'double precision'),
	('items, doubles, 3, draws => 1', items, 'double precision, one draw'),
	('items, numerics, 3', items, 'numeric'),
	('items::bigint[], xs, 3', items, 'bigint'),
	('texts, xs, 3', texts, 'text'),
	('uuids, xs, 3', uuids, 'uuid'),
	('(''[-3:59]='' || items::text)::integer[], (''[0:62][2:6]='' || xs::text)::real[], 3',
	 items, 'wherever subscripts begin'),
	('NULL::integer || items[2:], xs, bonus => 99::float8 || array_fill(NULL::float8, ARRAY[62])',
	 '-', 'an item that is NULL is chosen like any other')) AS v (arguments, given, what);
SELECT ok(count(*) = 63 AND count(DISTINCT item) = 63 AND bool_and(probability = 1)
          AND max(rank) = 63 AND min(rank) = 1, 'all of fewer than k candidates are chosen')
FROM arm, dlints_decide(model, items, xs, 100);
-- more draws than one pass over the candidates scores
SELECT ok(count(*) = 1100 AND count(DISTINCT item) = 1100 AND bool_and(probability = 1),
          'all of 1,100 candidates are chosen')
FROM (SELECT array_agg(i) AS items, array_agg(features(i, 5)::real[]) AS xs
      FROM generate_series(1, 1100) AS i) AS c, arm,
LATERAL dlints_decide(model, c.items, c.xs, 1100, draws => 2000);

-- ---------- bonus_stddev ----------

-- goldens of test_random.c: normals of the first two candidates under the first draw of seed 42
SELECT ok(max(abs(d.score - g.normal)) < 1e-12, format('the normals of bonus_stddev are pinned, with %s draws', n))
FROM (VALUES (1), (20)) AS v (n),
     LATERAL dlints_decide(dlints_new(1, exploration => 0, intercept => false), '{1,2}'::integer[], '{{1},{1}}', 2,
                           draws => n, bonus_stddev => '{1,1}', seed => 42) AS d
     JOIN (VALUES (1, 0.22687553933678881008), (2, -0.97007856070170694561)) AS g (item, normal) USING (item)
GROUP BY n;
SELECT ok(bool_and(abs(w.score - (p.score + 0.3 * g.normal)) < 1e-12),
          'the normals are added to the scores of the model''s draw, whose normals do not change')
FROM arm, LATERAL dlints_decide(model, items, xs, seed => 42, all_items => true) AS p,
     LATERAL dlints_decide(model, items, xs, seed => 42, all_items => true, bonus_stddev =>
                           ARRAY[0.3, 0.3] || array_fill(NULL::float8, ARRAY[61])) AS w
     JOIN (SELECT items[1] AS item, 0.22687553933678881008 AS normal FROM arm
           UNION ALL SELECT items[2], -0.97007856070170694561 FROM arm
           UNION ALL SELECT unnest(items[3:]), 0 FROM arm) AS g USING (item)
WHERE p.item = w.item;
SELECT ok(count(*) = 5 AND bool_and(probability = (item < 3)::integer),
  format('policy %s ignores bonus_stddev', policy))
FROM (VALUES ('greedy'), ('ucb')) AS v (policy),
     LATERAL dlints_decide(dlints_new(1, policy => policy), '{1,2,3,4,5}'::integer[], '{{1},{1},{1},{1},{1}}', 2,
                           bonus => '{2,2,1,1,1}', bonus_stddev => '{9,9,9,9,9}', all_items => true)
GROUP BY policy;
-- P(N(0, 1) > 0.5) = 0.30854, within 6.2 standard deviations
SELECT ok(abs(probability - 0.30854) < 6.2 * 0.46188 / 100, 'probabilities are shares of draws with these normals')
FROM dlints_decide(dlints_new(1, exploration => 0), '{1,2}'::integer[], '{{1},{1}}', draws => 10000,
                   bonus => '{0.5,0}', bonus_stddev => '{0,1}', all_items => true) WHERE item = 2;

-- each call is a separate decision, and each user has one
SELECT cmp_ok(count(DISTINCT item), '>', 3::bigint, 'calls draw for themselves')
FROM arm, generate_series(1, 200) AS g, LATERAL dlints_decide(model, items, xs, 1 + 0 * g);
SELECT ok(count(*) = 40 AND count(DISTINCT g) = 20, 'dlints_decide works for users in FROM')
FROM (SELECT model, items, xs FROM subject JOIN list USING (name) WHERE name = 'matched') AS c,
     generate_series(1, 20) AS g,
     LATERAL dlints_decide(model, items, xs, 2, profile(g, 4)::real[]);
SELECT is((SELECT array_agg((d).rank) FROM (
	SELECT dlints_decide(model, items, xs, 3) AS d FROM arm) AS s), '{1,2,3}',
	'dlints_decide works in the select list');
SELECT is((SELECT count(*) FROM arm, dlints_decide(model, items, xs)), 1::bigint, 'the default of k is 1');

-- items with equal scores share the positions: 2 of 4 are chosen, within 6.2 standard deviations
SELECT ok(max(abs(probability - 0.5)) < 6.2 * 0.5 / sqrt(2000)
          AND count(DISTINCT (item, rank)) = 8, format('%s: equal scores share the places', policy))
FROM unnest('{thompson,ucb,greedy}'::text[]) AS policy, generate_series(1, 50) AS g,
     LATERAL dlints_decide(dlints_new(2, policy => policy, exploration => 0), '{1,2,3,4}'::integer[],
                           '{{1,2},{1,2},{1,2},{1,2}}', 2 + 0 * g, draws => 2000)
GROUP BY policy ORDER BY policy;
SELECT ok(abs(avg(probability) - 2 / 63.0) < 1e-12 AND count(DISTINCT item) > 40
          AND count(*) = 200, 'epsilon => 1 chooses a random subset')
FROM arm, generate_series(1, 100) AS g,
     LATERAL dlints_decide(model, items, xs, 2 + 0 * g, epsilon => 1);
SELECT is((SELECT array_agg(item || coalesce(brands[item], '-') ORDER BY rank)
           FROM (SELECT '{a,a,b,NULL,NULL,b}'::text[] AS brands) AS b,
           LATERAL dlints_decide(dlints_new(1, policy => 'greedy'), '{1,2,3,4,5,6}'::integer[],
                                 '{{1},{1},{1},{1},{1},{1}}', 4, bonus => '{6,5,4,3,2,NULL}',
                                 cap_group => brands, cap => 1)),
          '{1a,3b,4-,5-}', 'cap => 1 chooses at most one item of a group');
-- Scores are those of one draw, including its intercept, even if draws are made in portions.  The models have a
-- precise sum of intercept and coefficients, but neither of them alone.
SELECT cmp_ok(max(abs(score - dlints_predict(model, x)) / dlints_stddev(model, x)), '<', 6::float8,
              format('%s: with the intercept of the draw', name))
FROM (VALUES ('plain', 8, dlints_new(8, ridge => 1, noise => 1, exploration => 1)),
             ('projected', 20000, dlints_new(20000, 2, ridge => 1, noise => 1, exploration => 1)))
     AS m (name, n, fresh),
     LATERAL (SELECT unit_vector(1, n) AS x, 1e6::float8 * dlints_update(fresh, unit_vector(1, n), 1) AS model) AS t,
     generate_series(1, 20) AS g,
     LATERAL dlints_decide(model, ARRAY[g], ARRAY[x], draws => 10000) AS d
GROUP BY name ORDER BY name;

SELECT is(outcome(format('SELECT count(*) FROM arm, dlints_decide(%s)', what)), 'gives 0',
          'dlints_decide returns no rows: ' || what)
FROM (VALUES
	('NULL::dlints, items, xs'), ('model, NULL::integer[], xs'), ('model, items, NULL::real[]'),
	('model, items, xs, profile => NULL'), ('model, ''{}''::integer[], ''{}''::real[]')) AS v (what);

-- ---------- errors ----------

CREATE FUNCTION answers(arguments text) RETURNS text LANGUAGE sql AS $$
SELECT regexp_replace(outcome(format('SELECT count(*) FROM arm, dlints_decide(%s)', arguments)),
                      ' \(.*', '')
$$;
SELECT is(answers(arguments), expected, format('dlints_decide(%s)', arguments)) FROM (VALUES
	('model, items, xs, 0', '22023: k must be at least 1'),
	('model, items, xs, NULL', '22004: k must not be null'),
	('model, items, xs, 4611686018427387904', 'gives 63'),
	('model, items, xs, draws => 0', '22023: draws must be between 1 and 10000'),
	('model, items, xs, draws => 10001', '22023: draws must be between 1 and 10000'),
	('model, items, xs, draws => NULL', '22004: draws must not be null'),
	('model, items, xs, epsilon => -0.1', '22023: epsilon must be between 0 and 1'),
	('model, items, xs, epsilon => NULL', '22004: epsilon must not be null'),
	('model, items, xs, cap => 0', '22023: cap must be at least 1'),
	('model, items, xs, cap => 2', '22023: cap needs cap_group'),
	('model, items, xs, epsilon => 0.1, cap_group => ''{a}'', cap => 1', '22023: epsilon must be 0 with a cap'),
	('model, items, xs, bonus => ''{1}''', '22000: expected as many bonuses as rows of features'),
	('model, items, xs, bonus => ''{{1}}''', '2202E: array must be one-dimensional'),
	('model, items, xs, cap_group => ''{a}'', cap => 1', '22000: expected as many groups as rows of features'),
	('model, items, xs, bonus => array_fill(''NaN''::float8, ARRAY[63])', '22003: NaN not allowed in bonus'),
	('model, items, xs, bonus => array_fill(1.1e50::float8, ARRAY[63])',
	 '22003: numbers beyond 1e+50 not allowed in bonus'),
	('model, items, xs, bonus_stddev => ''{1}''',
	 '22000: expected as many standard deviations of bonuses as rows of features'),
	('model, items, xs, bonus_stddev => array_fill(''NaN''::float8, ARRAY[63])',
	 '22003: NaN not allowed in bonus_stddev'),
	('model, items, xs, bonus_stddev => array_fill(''infinity''::float8, ARRAY[63])',
	 '22003: infinity not allowed in bonus_stddev'),
	('model, items, xs, bonus_stddev => array_fill(-1::float8, ARRAY[63])', '22023: bonus_stddev must not be negative'),
	('dlints_set(model, policy => ''greedy''), items, xs, bonus_stddev => array_fill(-1::float8, ARRAY[63])',
	 '22023: bonus_stddev must not be negative'),
	('model, items, xs, bonus_stddev => array_fill(1.1e50::float8, ARRAY[63])',
	 '22003: numbers beyond 1e+50 not allowed in bonus_stddev'),
	('model, items, xs, bonus_stddev => array_fill(NULL::float8, ARRAY[63])', 'gives 1'),
	('model, items[2:], xs', '22000: expected as many items as rows of features'),
	('model, ARRAY[items], xs', '2202E: array must be one-dimensional'),
	('model, items, xs[1:1]', '22000: expected as many items as rows of features'),
	('model, items, items', '2202E: array must be two-dimensional'),
	('model, items, ARRAY[xs]', '2202E: array must be two-dimensional'),
	('model, ''{1}''::integer[], ''{{1,2,3,4}}''', '22000: expected 5 dimensions, not 4'),
	('model, ''{1}''::integer[], ''{{1,2,3,4,NULL}}''', '22004: array must not contain nulls'),
	('model, ''{1}''::integer[], ''{{1,2,3,4,NaN}}''', '22003: NaN not allowed in array'),
	('model, ''{1}''::integer[], ''{{1,2,3,4,-infinity}}''::real[], draws => 1',
	 '22003: infinity not allowed in array'),
	('dlints_set(model, policy => ''ucb''), ''{1}''::integer[], ''{{1,2,3,4,NaN}}''',
	 '22003: NaN not allowed in array'),
	('model, items, xs, profile => ''{1}''', '22023: argument "profile" must not be given'),
	('dlints_new(1), ''{1,2}''::integer[], ''{{1},{1}}'', 2, bonus => ''{1e50,-1e50}''', 'gives 2'))
	AS v (arguments, expected);

SELECT * FROM finish();
ROLLBACK;
