-- Thompson sampling: one draw scores all candidates of a group, and ties are broken at random.
\ir include/helpers.sql

-- standard normal distribution function
CREATE FUNCTION normal_cdf(x float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
SELECT 0.5 + sign(x) * sum(exp(-t * t / 2)) * abs(x) / 2000 / sqrt(2 * pi())
FROM generate_series(0.5, 1999.5) AS i, LATERAL (SELECT i * abs(x) / 2000) AS l (t)
$$;

-- each feature vector twice, with and without a profile; the copies are far apart
CREATE TEMP TABLE trained AS
SELECT shape, dlints_set(evidence(empty, 1, 40), exploration => 1, noise => 1) AS model
FROM learner WHERE shape IN ('projected', 'matched, projected') AND forgets = 'by count';
CREATE TEMP TABLE pair AS
SELECT shape, copy * 100 + i AS item, features(i, n)::real[] AS x, u
FROM (VALUES ('projected', 20, '{}'::real[]), ('matched, projected', 6, '{1,-0.5,2,0,0,1}')) AS v (shape, n, u),
    generate_series(0, 1) AS copy,
    generate_series(1, 50) AS i;
CREATE FUNCTION ranked(which text, m dlints, most integer, k integer) RETURNS integer[]
LANGUAGE sql AS $$
SELECT dlints_recommend(m, item, x, k, u ORDER BY item) FROM pair
WHERE shape = which AND item <= most
$$;
CREATE TEMP TABLE ranking AS
SELECT shape, g, ranked(shape, model, 150, 100) AS items FROM trained, generate_series(1, 200) AS g;

SELECT plan(66);

SELECT is(count(*), 200::bigint, format('%s: each ranking has all items once', shape))
FROM ranking, LATERAL (SELECT count(DISTINCT i) AS items FROM unnest(items) AS i) AS d
WHERE d.items = 100 AND cardinality(ranking.items) = 100 GROUP BY shape ORDER BY shape;
SELECT is(count(*), 200::bigint, format('%s: equal features score the same, so that copies are neighbours', shape))
FROM ranking
WHERE (SELECT bool_and(items[2 * p] % 100 = items[2 * p - 1] % 100) FROM generate_series(1, 50) AS p)
GROUP BY shape ORDER BY shape;
-- 10,000 pairs: 6.2 standard deviations of a binomial, false alarm below 1e-9
SELECT cmp_ok(abs(avg((items[2 * p] > items[2 * p - 1])::integer) - 0.5), '<', 6.2 * 0.5 / 100,
    format('%s: and either comes first as often', shape))
FROM ranking, generate_series(1, 50) AS p GROUP BY shape ORDER BY shape;
-- in a trial with 50 candidates and four dimensions, 2,000 rankings (two million pairs) were all different
SELECT cmp_ok(count(DISTINCT classes), '>', 180::bigint, format('%s: another draw for each group', shape))
FROM (SELECT shape, ARRAY(SELECT item % 100 FROM unnest(items) AS item) AS classes FROM ranking) AS r
GROUP BY shape ORDER BY shape;

-- Collinear features: the scores of x, 2x, 3x and -x move together, so that only two orders are possible.  A draw
-- per row would give other orders in almost every call.  Only one order in 300 calls has probability 2^-299.
SELECT set_eq($$
    SELECT dlints_recommend(one_memory(8, 4), f, ARRAY[f, 2 * f, 0, 0, -f, 0, 0, f]::real[], 4)
    FROM unnest(ARRAY[1, 2, 3, -1]) AS f, generate_series(1, 300) AS g GROUP BY g$$,
    $$VALUES ('{-1,1,2,3}'::integer[]), ('{3,2,1,-1}')$$, 'scores of collinear features have correlation 1');
SELECT set_eq($$
    SELECT dlints_recommend(dlints_new(2, interactions => 'matched', intercept => false), f,
                            ARRAY[f, 2 * f]::real[], 4, '{0.5,-2}')
    FROM unnest(ARRAY[1, 2, 3, -1]) AS f, generate_series(1, 300) AS g GROUP BY g$$,
    $$VALUES ('{-1,1,2,3}'::integer[]), ('{3,2,1,-1}')$$,
      'scores of collinear features have correlation 1 under a profile');

-- two arms under a trained model: the first wins with probability Phi((mean score
-- difference) / (its standard deviation)).  4,000 groups; the share is within 6.2 standard
-- deviations of a binomial.
CREATE TEMP TABLE arm (item, x) AS VALUES ('a', ARRAY[1, 0, 0.3]::real[]),
    ('b', ARRAY[0, 1, -0.2]::real[]);
CREATE TEMP TABLE duel AS
SELECT discount, model, normal_cdf(dlints_dot(dlints_mean(model), c.x)
                                   / (0.4 * sqrt(quadratic(dlints_covariance(model), c.x)))) AS p
FROM (VALUES (0.9::float8), (1)) AS v (discount),
    batch(one_memory(3, NULL, discount, 1, 0.4), 1, 15) AS model,
    (SELECT plus(a.x::float8[], -1, b.x::float8[]) AS x FROM arm AS a, arm AS b
     WHERE (a.item, b.item) = ('a', 'b')) AS c;
SELECT ok(p BETWEEN 0.05 AND 0.95, format('discount %s: both arms have a chance', discount))
FROM duel ORDER BY discount;
CREATE TEMP VIEW drawn AS
SELECT discount, g, dlints_draw_weights(model, seed => g) AS seeded,
    dlints_draw_weights(model) AS unseeded
FROM duel, generate_series(1, 4000) AS g OFFSET 0;
CREATE TEMP TABLE won AS
SELECT discount, g, dlints_recommend(model, item, x) AS one,
    (dlints_recommend(model, item, x, 2))[1] AS first
FROM duel, arm, generate_series(1, 4000) AS g GROUP BY discount, g;
CREATE TEMP TABLE won_by_weights AS
SELECT discount, g, (array_agg(item ORDER BY dlints_dot(seeded, x) DESC))[1] AS seeded,
    (array_agg(item ORDER BY dlints_dot(unseeded, x) DESC))[1] AS unseeded
FROM drawn, arm GROUP BY discount, g;
SELECT cmp_ok(abs(avg((choice = 'a')::integer)::float8 - p), '<', 6.2 * sqrt(p * (1 - p) / 4000),
    format('discount %s: how often %s takes the first arm', discount, way))
FROM won JOIN won_by_weights USING (discount, g) JOIN duel USING (discount),
    LATERAL (VALUES ('dlints_recommend', one), ('dlints_recommend with k', first),
                    ('a drawn weight vector', seeded), ('an unseeded one', unseeded)) AS v (way, choice)
GROUP BY discount, p, way ORDER BY discount, way;
SELECT is(count(DISTINCT unseeded), 4000::bigint, 'draws without a seed differ') FROM drawn WHERE discount = 1;
SELECT is(count(DISTINCT dlints_draw_weights(model)), 1::bigint, 'dlints.seed repeats the draws')
FROM duel, LATERAL (SELECT set_config('dlints.seed', '0', true) FROM generate_series(1, 9) OFFSET 0) s
WHERE discount = 1;

-- without exploration, the item with the best expected reward is always chosen
SELECT is(ranked(shape, dlints_set(model, exploration => 0), 50, 7),
    (SELECT (array_agg(item ORDER BY dlints_predict(model, x, u) DESC))[1:7]
     FROM pair WHERE pair.shape = trained.shape AND item <= 50),
    format('%s, exploration 0: the best seven', shape)) FROM trained ORDER BY shape;
SELECT ok(dlints_recommend(m, item, x) = (array_agg(item ORDER BY dlints_dot(w, x) DESC))[1]
    AND dlints_recommend(m, item, x::float8[], 50) = dlints_recommend(m, item, x, 50),
    'exploration 0 recommends the item with the best expected reward, for both types of features')
FROM (SELECT dlints_set(model, exploration => 0) AS m, dlints_weights(model) AS w
      FROM trained WHERE shape = 'projected') AS t, pair WHERE shape = 'projected' AND item <= 50;

-- Random tie-breaking of dlints_recommend: all possible lists of items with equal scores are equally frequent.  The
-- sum of (count - expected)^2 / expected over these lists is below the 1 - 1e-9 quantile of chi-square.  ("g" keeps
-- PostgreSQL from computing a list once for all.)
CREATE TEMP TABLE equals AS SELECT i AS id, ARRAY[0.3, -1, 2]::real[] AS x
FROM generate_series(1, 6) AS i;
CREATE TEMP TABLE learned AS
SELECT one_memory(3) AS m, one_memory(3, policy => 'greedy') AS greedy,
    one_memory(3, policy => 'ucb') AS ucb,
    dlints_new(3, interactions => 'matched') AS matched,
    dlints_update(one_memory(3, policy => 'greedy'), ARRAY[1, 1, 1], 1) AS better;
CREATE FUNCTION are_equally_frequent(list text, lists integer, quantile float8, call text, rows text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	chi_square float8;
	found integer;
BEGIN
	EXECUTE format('
		SELECT sum((n - 6000.0 / $1) ^ 2 / (6000.0 / $1)), count(*)
		FROM (SELECT r, count(*) AS n
		      FROM generate_series(1, 6000) AS g,
		          LATERAL (SELECT %s AS r FROM learned, equals WHERE g > 0 AND %s GROUP BY g) AS c
		      GROUP BY r) AS s', call, rows) INTO chi_square, found USING lists;
	RETURN ok(found = lists AND chi_square < quantile,
	          format('%s: all %s lists of items that tie are equally frequent', list, lists));
END
$$;
SELECT are_equally_frequent(list, lists, quantile, call, rows) FROM (VALUES
    ('thompson: 1 of 3', 3, 41.5::float8, 'dlints_recommend(m, id, x)', 'id <= 3'),
    ('greedy, without observations: 1 of 6, in descending order', 6, 50.7,
     'dlints_recommend(greedy, id, x::float8[] ORDER BY id DESC)', 'true'),
    ('ucb: 2 of 3', 6, 50.7, 'dlints_recommend(ucb, id, x, 2)', 'id <= 3'),
    ('thompson: 3 of 3', 6, 50.7, 'dlints_recommend(m, id, x, 3)', 'id <= 3'),
    ('k above the number of items: 3 of 3', 6, 50.7, 'dlints_recommend(m, id, x, 1000000000000)', 'id <= 3'),
    ('thompson: 2 of 5', 20, 81.6, 'dlints_recommend(m, id, x, 2)', 'id <= 5'),
    ('matched: 2 of 4', 12, 65.2, 'dlints_recommend(matched, id, x, 2, x)', 'id <= 4'),
    ('a better item after 4 that tie', 12, 65.2,
     $$(dlints_recommend(better, id, CASE id WHEN 5 THEN '{9,9,9}' ELSE x END,
         3 ORDER BY id))[2:3]$$, 'id <= 5'),
    ('two better items before 4 that tie', 4, 44.9,
     '(dlints_recommend(better, id, CASE WHEN id <= 2 THEN ARRAY[id, 9, 9]::real[] ELSE x END, 3 '
        'ORDER BY id))[3:3]',
     'true')) AS v (list, lists, quantile, call, rows);
-- Ten of 100 items with equal scores: each is in a tenth of 3,000 lists, within 6.8 standard deviations (false alarm
-- 100 times 1e-11)
SELECT ok(count(*) = 100 AND max(abs(n - 300)) < 6.8 * sqrt(3000 * 0.1 * 0.9),
  'dlints_recommend returns ten of a hundred items that tie equally often')
FROM (SELECT id, count(*) AS n
      FROM (SELECT unnest(dlints_recommend(one_memory(1), i, ARRAY[1]::real[], 10)) AS id
            FROM generate_series(1, 100) AS i, generate_series(1, 3000) AS g GROUP BY g) AS s GROUP BY id) AS c;
-- Equal features in another form have equal scores: -0 and 0
SELECT cmp_ok(abs(avg((best = 1)::integer) - 0.5)::float8, '<', 6.2 * 0.5 / sqrt(1000), '0 and -0 are equal scores')
FROM (SELECT dlints_recommend(better, i, x) AS best
      FROM learned, (VALUES (1, '{0,0,0}'::real[]), (2, '{-0,-0,-0}')) AS v (i, x),
          generate_series(1, 1000) AS g GROUP BY g) AS s;

-- Ties: a shortlist and a decision use the same tie-break keys, and logged probabilities are those over random
-- tie-breaks.

-- 700 items with seven different vectors
CREATE TEMP TABLE world AS
SELECT array_agg(i ORDER BY i) AS items, array_agg(ARRAY(SELECT (i % 7 = j)::int::real
  FROM generate_series(0, 6) j) ORDER BY i)::dlints_vector AS features
FROM   generate_series(1, 700) i;
CREATE FUNCTION pages(model dlints, draws integer, count integer, size integer DEFAULT 40) RETURNS TABLE (seed bigint,
  item integer, probability float8)
	LANGUAGE sql AS $$
SELECT p.seed, d.item, d.probability
FROM  (SELECT s::bigint AS seed,
              (SELECT dlints_shortlist(w.items, w.features, CASE draws
                   WHEN 1 THEN ARRAY[dlints_weights(model)] ELSE dlints_draw_weights(model, '{}', s, draws) END,
                   size, s)
                     FROM world w) AS items
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
SELECT ok(count(*) = 700 AND max(abs(w - 1)) < 1,
  'each of 700 items that tie is chosen, and the mean of its 1 / probability is about 1')
FROM  (SELECT sum(1 / probability) / 20000 AS w FROM greedy GROUP BY item) p;
SELECT ok(avg(probability) BETWEEN 0.013 AND 0.016, 'the probability of one of 700 items that tie is about 10 / 700')
  FROM greedy;

-- Each draw prefers one of seven groups of 100 items.
SELECT ok(abs(avg(w) - 1) < 4 * stddev(w) / sqrt(count(*)),
  'the mean of 1 / probability is 1 for groups of items that tie')
FROM  (SELECT sum(1 / probability) / 700 AS w FROM pages(dlints_new(7), 50, 500) GROUP BY seed) p;
SELECT ok(abs(avg(w) - 1) < 4 * stddev(w) / sqrt(count(*)), 'a shortlist with 8 items more than the list is enough')
FROM  (SELECT sum(1 / probability) / 700 AS w FROM pages(dlints_new(7, policy => 'greedy'), 1, 1000, 18)
       GROUP BY seed) p;

-- Without a shortlist the probability is exact.
SELECT ok(bool_and(d.probability = 10 / 700.0::float8), 'candidates that all tie have equal probabilities')
FROM   world w, LATERAL dlints_decide(dlints_new(7, policy => 'greedy'), w.items, w.features, 10, draws => 1) d;

SELECT ok(max(d.probability) < 0.5, 'tie-break keys do not make the choice certain under a cap')
FROM   world w, LATERAL dlints_decide(dlints_new(7, policy => 'greedy'), w.items, w.features, 10,
           draws => 100, seed => 9, tie_keys => dlints_tie_keys(w.items, 9), cap_group => w.items::text[], cap => 1) d;

-- The shortlist has the lowest keys of all items that tie.
SELECT is((SELECT array_agg(i ORDER BY i) FROM unnest(dlints_shortlist(w.items, w.features,
  '{{0,0,0,0,0,0,0}}', 5, 9)) i),
	(SELECT array_agg(i ORDER BY i) FROM (SELECT i FROM unnest(w.items, dlints_tie_keys(w.items, 9)) u (i, k) ORDER BY k
		LIMIT 5) l), 'a shortlist keeps the items with the lowest keys')
FROM   world w GROUP BY w.items, w.features::text;
SELECT is(outcome('SELECT dlints_decide(dlints_new(1), ''{1}''::int[], ''{{1}}'', tie_keys => ''{1}'')'),
	'22023: tie_keys must be between 0 and 1', 'dlints_decide refuses keys out of range');

-- ---------- arms: dlints_recommend_arms, policies, an independent draw for each, and intercepts ----------

DROP TABLE arm, duel CASCADE;
-- models of all kinds over four features, some with profiles of four numbers, by three policies
CREATE TEMP TABLE arm AS
SELECT row_number() OVER () AS id, kind, policy,
       dlints_set(empty || (SELECT dlints_evidence(empty, features(100 * kind + i, 4),
                                                   number(kind, i) + kind / 10.0,
                                                   CASE WHEN personal THEN features(i, 4)
                                                        ELSE '{}'::float8[] END)
                            FROM generate_series(1, 30) AS i),
                  policy => policy, exploration => 0.8) AS model, personal
FROM (VALUES (1, dlints_new(4), false), (2, dlints_new(4, 2, seed => 3), false),
             (3, dlints_new(4, discount => 0.9), false),
             (4, dlints_new(4, intercept => false), false),
             (5, dlints_new(4, interactions => 'matched'), true),
             (6, dlints_new(4, 2, seed => 5, interactions => 'matched'), true)) AS v (kind, empty, personal),
     unnest(ARRAY['thompson', 'ucb', 'greedy']) AS policy;
CREATE TEMP VIEW scored AS
SELECT policy, personal, id, model, x, u, g, dlints_predict(model, x, u)
       + CASE policy WHEN 'ucb' THEN 0.8 * dlints_stddev(model, x, u) ELSE 0 END AS score
FROM arm, generate_series(1, 25) AS g, features(g, 4) AS x,
     LATERAL (SELECT CASE WHEN personal THEN features(-g, 4) ELSE '{}' END) AS l (u);

SELECT is(array_agg(dlints), array_agg(expected), format('%s: as predict and stddev say', policy))
FROM (SELECT policy, dlints_recommend_arms(model, id, x) AS dlints,
             (array_agg(id ORDER BY score DESC))[1] AS expected
      FROM scored WHERE NOT personal AND policy <> 'thompson' GROUP BY policy, g) AS r
GROUP BY policy ORDER BY policy;
SELECT is(array_agg(dlints), array_agg(expected), format('%s, with profiles of four', policy))
FROM (SELECT policy, dlints_recommend_arms(model, id, x, 2, u) AS dlints,
             (array_agg(id ORDER BY score DESC))[1:2] AS expected
      FROM scored WHERE personal AND policy <> 'thompson' GROUP BY policy, g) AS r
GROUP BY policy ORDER BY policy;
SELECT cmp_ok(count(DISTINCT id), '>', 3::bigint, 'the best ones differ')
FROM (SELECT (array_agg(id ORDER BY score DESC))[1] AS id FROM scored WHERE policy = 'ucb' GROUP BY g) AS b;
SELECT is(dlints_recommend_arms(model, id, x, 100) @> array_agg(id), true, 'all, where k allows')
FROM scored WHERE g = 1 AND NOT personal;

-- Two arms that score as independent normals: how often one wins is known.  5.5 standard
-- deviations of a binomial, false alarm below 1e-7.
CREATE TEMP TABLE duel AS
SELECT what, a, b, xa, xb,
       normal_cdf((dlints_predict(a, xa) - dlints_predict(b, xb))
                  / (0.8 * sqrt(dlints_stddev(a, xa) ^ 2 + dlints_stddev(b, xb) ^ 2))) AS expected
FROM (SELECT 'two models' AS what, m.model AS a, n.model AS b,
             features(5, 4) AS xa, plus(zeros(4), 0.2, features(5, 4)) AS xb
      FROM arm AS m JOIN arm AS n USING (policy)
      WHERE m.kind = 1 AND n.kind = 3 AND policy = 'thompson'
      UNION ALL
      SELECT 'one model twice, with other features', m.model, m.model,
             features(3, 4), plus(features(3, 4), 0.3, unit_vector(1, 4))
      FROM arm AS m WHERE kind = 1 AND policy = 'thompson') AS v;
SELECT ok(expected BETWEEN 0.1 AND 0.9, format('%s: a close race, %s', what, round(expected::numeric, 2)))
FROM duel ORDER BY what;
SELECT cmp_ok(abs(avg((winner = 'a')::integer) - expected), '<', 5.5 * 0.5 / sqrt(4000),
              format('%s: it wins as often as it should', what))
FROM (SELECT what, expected, g, dlints_recommend_arms(m, name, x) AS winner
      FROM duel, generate_series(1, 4000) AS g,
           LATERAL (VALUES ('a', a, xa), ('b', b, xb)) AS v (name, m, x)
      GROUP BY what, expected, g) AS w GROUP BY what, expected ORDER BY what;
-- as dlints_recommend does not: one draw moves both
SELECT cmp_ok(abs(avg((winner = 'a')::integer) - expected), '>', 5.5 * 0.5 / sqrt(4000),
              'one draw for both is something else')
FROM (SELECT expected, g, dlints_recommend(m, name, x) AS winner
      FROM duel, generate_series(1, 4000) AS g,
           LATERAL (VALUES ('a', a, xa), ('b', b, xb)) AS v (name, m, x)
      WHERE what LIKE 'one%' GROUP BY expected, g) AS w GROUP BY expected;

-- the intercept alone tells these apart
SELECT is(dlints_recommend_arms(dlints_set(model, policy => 'greedy'), name, zeros(4)), 'good', 'intercepts count')
FROM (VALUES ('bad', 0.0), ('good', 1.0), ('middling', 0.5)) AS v (name, r),
     LATERAL (SELECT dlints_update(dlints_update(dlints_new(4), zeros(4), r), zeros(4), r)) AS l (model);
-- fresh arms are equal under greedy, and each is as likely: 5.5 standard deviations
SELECT cmp_ok(max(abs(count - 600.0)), '<', 5.5 * sqrt(3000 * 0.2 * 0.8), 'lots decide among equals')
FROM (SELECT count(*) FROM (
          SELECT dlints_recommend_arms(dlints_new(4, policy => 'greedy'), i, zeros(4)) AS i
          FROM generate_series(1, 3000) AS g, generate_series(1, 5) AS i GROUP BY g) AS r GROUP BY i) AS c;

-- what is no arm
SELECT is(dlints_recommend_arms(m, name, x), 'this', 'arms with NULL are skipped')
FROM (VALUES ('no model', NULL, zeros(4)), ('no features', dlints_new(4), NULL),
             ('this', dlints_new(4), zeros(4))) AS v (name, m, x);
SELECT is(dlints_recommend_arms(m, name, zeros(4), 5, u), ARRAY['that'], 'arms without a profile are skipped')
FROM dlints_new(4, interactions => 'matched') AS m,
     (VALUES ('this', NULL), ('that', zeros(4))) AS v (name, u);
SELECT is(dlints_recommend_arms(dlints_new(4), 1, zeros(4)) FILTER (WHERE false), NULL, 'no arms give NULL');
SELECT is(dlints_recommend_arms(dlints_new(4), NULL::integer, zeros(4)), NULL, 'an arm without a name gives NULL');

SELECT each_is('22000: expected 4 dimensions, not 3 (Wrong length of the features; '
	'the model is dlints(4,intercept).)', 'dlints_recommend_arms(dlints_new(4), 1, zeros(3))');
SELECT is(outcome($$SELECT dlints_recommend_arms(dlints_new(4), i, zeros(4), i)
                    FROM generate_series(1, 2) AS i$$),
          '22023: k must be the same for all rows of a group', 'k is one number');
SELECT each_is('22023: k must be at least 1 (The value is 0.)', 'dlints_recommend_arms(dlints_new(4), 1, zeros(4), 0)');
SELECT is(hint_of($$SELECT dlints_recommend(model, id, zeros(4)) FROM arm WHERE NOT personal$$),
          'Use GROUP BY to recommend from several models, or dlints_recommend_arms '
          'where each row has a model of its own.', 'dlints_recommend says where to go');
SELECT * FROM finish();
ROLLBACK;
