-- dlints_decide with diversity: lists are filled position by position, and items similar to chosen ones lose score.
\ir include/helpers.sql

-- ---------- by hand ----------

CREATE FUNCTION cosine(a float8[], b float8[]) RETURNS float8 IMMUTABLE LANGUAGE sql AS
$$ SELECT greatest(coalesce(dot(a, b) / nullif(sqrt(dot(a, a)) * sqrt(dot(b, b)), 0), 0), 0) $$;

-- Choose at most k candidates with these scores, similarities and groups: each step considers all remaining ones.
CREATE FUNCTION varied(scores float8[], alike float8[], k integer, diversity float8, groups text[], cap integer)
RETURNS integer[] LANGUAGE plpgsql AS $$
DECLARE
	chosen integer[] := '{}';
	closest float8[] := zeros(cardinality(scores));
	next integer;
BEGIN
	FOR place IN 1 .. k LOOP
		SELECT i INTO next FROM generate_subscripts(scores, 1) AS i
		WHERE i <> ALL (chosen)
		AND   (cap IS NULL OR groups[i] IS NULL
		       OR cap > (SELECT count(*) FROM unnest(chosen) AS c WHERE groups[c] = groups[i]))
		ORDER BY scores[i] * CASE WHEN scores[i] > 0 THEN 1 - diversity * closest[i] ELSE 1 END DESC LIMIT 1;
		EXIT WHEN next IS NULL;
		chosen := chosen || next;
		closest := ARRAY(SELECT greatest(closest[i], alike[i][next])
		                 FROM generate_subscripts(scores, 1) AS i ORDER BY i);
	END LOOP;
	RETURN chosen;
END
$$;

-- Models without an intercept, so that scores are those of the draw; unrelated vectors, some of them zero; and
-- groups, some of them NULL
CREATE TEMP TABLE subject AS
SELECT name, n, (SELECT dlints_set(dlints_evidence(e, features(i, n), number(i, 1), profile(i, s)), exploration => 1)
                 FROM generate_series(1, 30) AS i) AS model, profile(3, s) AS u
FROM (VALUES ('plain', 5, 0, dlints_new(5, intercept => false, ridge => 1)),
             ('projected', 30, 0, dlints_new(30, 4, intercept => false, ridge => 1)),
             ('long', 150, 0, dlints_new(150, intercept => false, ridge => 1)),
             ('matched', 4, 4, dlints_new(4, interactions => 'matched', intercept => false, ridge => 1)),
             ('greedy', 6, 0, dlints_new(6, policy => 'greedy', intercept => false, ridge => 1))) AS v (name, n, s, e);
CREATE TEMP TABLE list AS
SELECT s.name, s.model, s.u, l.*
FROM subject AS s, LATERAL (
	SELECT array_agg(i ORDER BY i) AS items, array_agg(features(i, n)::real[] ORDER BY i) AS xs,
	       array_agg(number(i, 5) / 4 ORDER BY i) AS bonuses,
	       array_agg(nullif(i % 5, 0)::text ORDER BY i) AS groups,
	       array_agg(CASE WHEN i % 17 = 0 THEN '{0,0,0}'
	                      ELSE ARRAY[number(i % 29, 7), number(i % 31, 8), number(i, 9) / 4] END::real[]
	                        ORDER BY i) AS vs
	FROM generate_series(1, 45) AS i) AS l;
CREATE TEMP TABLE similarity AS
SELECT array_agg(row ORDER BY i) AS matrix
FROM (SELECT i, array_agg(cosine(ARRAY(SELECT unnest(vs[i:i])), ARRAY(SELECT unnest(vs[j:j]))) ORDER BY j) AS row
      FROM list, generate_subscripts(vs, 1) AS i, generate_subscripts(vs, 1) AS j WHERE name = 'plain' GROUP BY i) AS r;

-- Choices of each draw under a seed
CREATE FUNCTION lists(l list, k integer, draws integer, seed bigint, diversity float8, cap integer)
RETURNS TABLE (draw integer, chosen integer[]) LANGUAGE sql AS $$
WITH weights AS MATERIALIZED (
	SELECT CASE WHEN l.name = 'greedy' THEN (SELECT array_agg(dlints_weights(l.model, l.u))
	                                         FROM   generate_series(1, draws))
	            ELSE dlints_draw_weights(l.model, l.u, seed, draws) END AS w)
SELECT d, varied(ARRAY(SELECT dot(ARRAY(SELECT unnest(w[d:d])), ARRAY(SELECT unnest(l.xs[i:i]))) + l.bonuses[i]
                       FROM generate_subscripts(l.xs, 1) AS i ORDER BY i),
                 matrix, k, diversity, l.groups, cap)
FROM weights, similarity, generate_series(1, draws) AS d
$$;
CREATE TEMP TABLE setting (k, draws, diversity, cap) AS VALUES
	(7, 9, 0.5::float8, NULL::integer), (1, 9, 1, NULL), (20, 4, 1, 1), (12, 9, 0.7, 2), (80, 2, 0.3, NULL);

SELECT plan(27 + 5 + 5 + 10 + 22);

CREATE TEMP TABLE compared AS
WITH by_hand AS MATERIALIZED (
	SELECT l.name, s.k, h.* FROM list AS l, setting AS s, lists(l, s.k, s.draws, 42, s.diversity, s.cap) AS h)
SELECT l.name, s.*, d.*, (SELECT chosen FROM by_hand AS h WHERE h.name = l.name AND h.k = s.k AND draw = 1) AS first,
       (SELECT array_agg((SELECT count(*) FROM by_hand AS h WHERE h.name = l.name AND h.k = s.k AND i = ANY (chosen))
                         / draws::float8 ORDER BY n)
        FROM unnest(d.items) WITH ORDINALITY AS u (i, n)) AS shares
FROM list AS l, setting AS s,
     LATERAL (SELECT array_agg(item ORDER BY rank) AS items, array_agg(probability ORDER BY rank) AS probabilities,
                     array_agg(score ORDER BY rank) AS scores
              FROM dlints_decide(l.model, l.items, l.xs, s.k, l.u, s.draws, bonus => l.bonuses, cap_group => l.groups,
                                 cap => s.cap, similar_by => l.vs, diversity => s.diversity, seed => 42)) AS d;
SELECT ok(items = first AND difference(probabilities, shares) < 1e-12,
          format('%s: %s of 45, diversity %s, cap %s: as by hand', name, k, diversity, cap))
FROM compared ORDER BY name, k;
SELECT is(array_agg(DISTINCT cardinality(items) ORDER BY cardinality(items)), '{1,7,12,13,45}',
          'lists have the length that k, caps and candidates allow') FROM compared;
SELECT ok(bool_or(scores <> (SELECT array_agg(s ORDER BY s DESC) FROM unnest(scores) AS s)),
          'a score is that of the draw, before the deduction for similarity') FROM compared WHERE k = 7;

-- ---------- ignored vectors ----------

CREATE FUNCTION decided(l list, arguments text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT string_agg(concat_ws('':'', d.item, d.score, d.probability), '' '' ORDER BY d.rank)
	                FROM dlints_decide($1, $2, $3, 8, $4, seed => 5, %s) AS d', arguments)
	INTO result USING l.model, l.items, l.xs, l.u;
	RETURN result;
END
$$;
SELECT is(decided(l, arguments), decided(l, 'draws => 100'), 'changes nothing: ' || arguments)
FROM list AS l, unnest(ARRAY[
	'similar_by => $3', 'similar_by => $3, diversity => 0', 'similar_by => NULL, diversity => 0',
	'diversity => NULL', 'similar_by => ''{1}''::real[]']) AS arguments WHERE l.name = 'plain';

-- ---------- scores include the intercept ----------

-- Models with an expected reward of almost 5, or -5, for all candidates: the common part counts under each draw. If
-- a similar item is worth half, no two items of a pair are chosen; if all scores are negative, no item loses score.
CREATE TEMP TABLE common AS
SELECT reward, (SELECT dlints_set(dlints_evidence(dlints_new(4, ridge => 1), features(i, 4),
                                                  reward + number(i, 1) / 100), exploration => 1)
                FROM generate_series(1, 300) AS i) AS model
FROM (VALUES (5), (-5)) AS v (reward);
CREATE FUNCTION twins(m dlints, diversity float8) RETURNS TABLE (pairs bigint, lists bigint) LANGUAGE sql AS $$
WITH pair AS (
	SELECT array_agg(i ORDER BY i) AS items, array_agg(features(i / 2, 4)::real[] ORDER BY i) AS xs,
	       array_agg(unit_vector(i / 2, 20)::real[] ORDER BY i) AS vs FROM generate_series(2, 41) AS i),
list AS (
	SELECT g, d.item / 2 AS pair, count(*) AS n
	FROM pair, generate_series(1, 20) AS g,
	     dlints_decide(m, items, xs, 10, similar_by => vs, diversity => twins.diversity, seed => g) AS d
	GROUP BY g, pair)
SELECT sum(n - 1)::bigint, count(DISTINCT g) FROM list
$$;
SELECT is((t.pairs = 0) || ' ' || t.lists, expected || ' 20',
          format('rewards of %s, diversity %s: no pair of twins', reward, diversity))
FROM (VALUES (5, 0, 'false'), (5, 0.5, 'true'), (5, 1, 'true'), (-5, 1, 'false')) AS v (earns, diversity, expected)
JOIN common ON reward = earns, LATERAL twins(model, diversity) AS t ORDER BY reward, diversity;
-- Also under the other draws: 20 items with a score of 5, a similar item of each with a lower score, and 10 items
-- with 4
SELECT is(array_agg(d.item ORDER BY d.item) || min(d.probability)::integer,
          (SELECT array_agg(i ORDER BY i) FROM generate_series(1, 50) AS i WHERE i NOT BETWEEN 21 AND 40) || 1,
          'a twin with reward 5 is ranked after an item with reward 4, under each draw')
FROM (SELECT array_agg(i ORDER BY i) AS items, array_agg(features(i, 4)::real[] ORDER BY i) AS xs,
             array_agg(unit_vector(CASE WHEN i > 20 THEN i - 20 ELSE i END, 30)::real[] ORDER BY i) AS vs,
             array_agg(CASE WHEN i > 40 THEN -1 WHEN i > 20 THEN -0.1 END::float8 ORDER BY i) AS bonuses
      FROM generate_series(1, 50) AS i) AS c,
     common, LATERAL dlints_decide(model, items, xs, 30, bonus => bonuses, similar_by => vs, diversity => 0.5) AS d
WHERE reward = 5;

-- ---------- equal scores ----------

-- Four similar items and four others, with equal scores: one of five positions has a similar item, each with equal
-- probability, within 6.2 standard deviations of 100 decisions of 100 draws.
CREATE TEMP TABLE equal AS
SELECT array_agg(i ORDER BY i) AS items, array_agg('{1}'::real[]) AS xs, array_agg(1::float8) AS bonuses,
       array_agg(unit_vector(greatest(i - 3, 1), 5)::real[] ORDER BY i) AS vs FROM generate_series(1, 8) AS i;
SELECT ok(count(*) = 500 AND bool_and(probability = 1 OR item <= 4) AND count(DISTINCT item) = 8
          AND max(abs(probability - 0.25)) FILTER (WHERE item <= 4) < 6.2 * sqrt(0.25 * 0.75 / 100),
          'one of four twins is chosen with equal probabilities, with all other items')
FROM equal, generate_series(1, 100) AS g,
     LATERAL dlints_decide(dlints_new(1, exploration => 0), items, xs, 5 + 0 * g, bonus => bonuses, similar_by => vs,
                           diversity => 0.2) AS d;
SELECT ok(count(*) = 800 AND bool_and(item <= 4 OR rank <= 5) AND bool_and(probability = 1),
          'twins follow if no other item is left')
FROM equal, generate_series(1, 100) AS g,
     LATERAL dlints_decide(dlints_new(1, exploration => 0), items, xs, 9 + 0 * g, bonus => bonuses, similar_by => vs,
                           diversity => 1) AS d;

-- two collinear vectors, one of half the length; two others; the opposite of the first, and zeros
SELECT is((SELECT array_agg(d.item ORDER BY d.rank)
           FROM dlints_decide(dlints_new(1, policy => 'greedy'), '{1,2,3,4,5,6}'::integer[],
                              '{{1},{1},{1},{1},{1},{1}}', k, bonus => bonuses, cap_group => groups, cap => cap,
                              similar_by => '{{2,0},{1,0},{0,1},{0.6,0.8},{-1,0},{0,0}}'::real[],
                              diversity => diversity) AS d), expected::integer[], what)
FROM (VALUES
	('a twin loses a share', 6, '{5,4.9,3,1,0.3,0.2}'::float8[], 0.5::float8, NULL::text[], NULL::integer,
	 '{1,3,2,4,5,6}'),
	('or all', 6, '{5,4.9,3,2,0.3,0.2}', 1, NULL, NULL, '{1,3,4,5,6,2}'),
	('what is worth less than nothing loses nothing', 6, '{5,-4.9,-3,2,1,-1}', 1, NULL, NULL, '{1,5,4,6,3,2}'),
	('a cap holds as well', 6, '{5,4.9,3,2,1,-1}', 0.5, '{a,b,a,b,b,a}', 1, '{1,2}'),
	('what has no group is under no cap', 5, '{5,4.9,3,2,1,-1}', 0.5, '{a,NULL,a,NULL,b,b}', 1, '{1,2,4,5}'))
	AS v (what, k, bonuses, diversity, groups, cap, expected);
SELECT is((SELECT array_agg(d.item ORDER BY d.rank)
           FROM dlints_decide(dlints_new(1, policy => 'greedy'), '{1,2,3}'::integer[], '{{1},{1},{1}}', 3,
                              bonus => '{3,2.9,2}', similar_by => vs::dlints_vector, diversity => 0.5) AS d),
          '{1,3,2}'::integer[], 'vectors as ' || vs)
FROM (VALUES ('{{1e30,0},{3e30,0},{0,1}}'), ('{{1e-40,0},{1e-40,0},{0,1}}'),
             ('{{1e-300,0},{1e-300,1e-310},{0,1e-320}}')) AS t (vs);

-- ---------- errors ----------

CREATE FUNCTION answers(arguments text) RETURNS text LANGUAGE sql AS $$
SELECT regexp_replace(outcome(format('SELECT count(*) FROM list AS l, dlints_decide(model, items, xs, %s)
                                      WHERE name = ''plain''', arguments)), ' \(.*', '')
$$;
SELECT is(answers(arguments), expected, arguments) FROM (VALUES
	('diversity => 0.5', '22023: diversity needs similar_by'),
	('similar_by => NULL, diversity => 1e-300', '22023: diversity needs similar_by'),
	('similar_by => xs, diversity => -0.1', '22023: diversity must be between 0 and 1'),
	('similar_by => xs, diversity => 1.1', '22023: diversity must be between 0 and 1'),
	('similar_by => xs, diversity => ''NaN''', '22023: diversity must be between 0 and 1'),
	('similar_by => xs, diversity => 1e-300', 'gives 1'),
	('similar_by => xs, diversity => 0.5, epsilon => 0.1', '22023: epsilon must be 0 with diversity'),
	('similar_by => xs, diversity => 0, epsilon => 0.1', 'gives 1'),
	('similar_by => xs[2:], diversity => 0.5', '22000: expected as many rows of similar_by as rows of features'),
	('similar_by => items, diversity => 0.5', '2202E: array must be two-dimensional'),
	('similar_by => ARRAY[xs], diversity => 0.5', '2202E: array must be two-dimensional'),
	('similar_by => (SELECT array_agg(ARRAY[NULL::real]) FROM unnest(items)), diversity => 0.5',
	 '22004: array must not contain nulls'),
	('similar_by => xs[1:44] || ARRAY[ARRAY[0, 0, 0, 0, ''NaN'']]::real[], diversity => 0.5',
	 '22003: NaN not allowed in array'),
	('similar_by => xs[1:44] || ARRAY[ARRAY[0, 0, 0, ''-infinity'', 0]]::real[], diversity => 0.5, draws => 1',
	 '22003: infinity not allowed in array'),
	('similar_by => xs[1:44]::float8[] || ARRAY[ARRAY[0, 0, 0, 1e60::float8, 0]], diversity => 0.5',
	 '22003: numbers beyond 1e+50 not allowed in array'),
	('similar_by => xs[1:44] || ARRAY[ARRAY[0, 0, 0, ''-infinity'', 0]]::real[], diversity => 0', 'gives 1'),
	('similar_by => xs, diversity => 0.5, bonus => array_fill(1e50::float8, ARRAY[45])', 'gives 1'),
	('similar_by => xs, diversity => 0.5, bonus => array_fill(-1e50::float8, ARRAY[45])', 'gives 1'),
	('similar_by => xs::numeric[], diversity => 0.5, k => 4611686018427387904', 'gives 45')) AS v (arguments, expected);
SELECT is(hint_of(format('SELECT dlints_decide(dlints_new(1), ''{1}''::integer[], ''{{1}}''::real[], %s)', arguments)),
          hint, 'hint: ' || arguments)
FROM (VALUES ('diversity => 1', 'Pass a vector for each candidate, as in similar_by => features.'),
             ('epsilon => 0.1, similar_by => ''{{1}}'', diversity => 1',
              'Raise the model''s exploration, or make some of the decisions with epsilon => 1 and no diversity.'))
     AS v (arguments, hint);
SELECT is(outcome('SELECT count(*)
                   FROM dlints_decide(dlints_new(1), ''{}''::integer[], ''{}''::real[], diversity => 1)'), 'gives 0',
          'dlints_decide without candidates returns nothing and raises no error');

SELECT * FROM finish();
ROLLBACK;
