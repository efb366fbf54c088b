-- dlints_recommend_arms: policies, an independent draw for each arm, and intercepts.
\ir include/helpers.sql

-- standard normal distribution function
CREATE FUNCTION normal_cdf(x float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$
SELECT 0.5 + sign(x) * sum(exp(-t * t / 2)) * abs(x) / 2000 / sqrt(2 * pi())
FROM generate_series(0.5, 1999.5) AS i, LATERAL (SELECT i * abs(x) / 2000) AS l (t)
$$;

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
             (6, dlints_new(4, 2, seed => 5, interactions => 'matched'), true))
     AS v (kind, empty, personal),
     unnest(ARRAY['thompson', 'ucb', 'greedy']) AS policy;
CREATE TEMP VIEW scored AS
SELECT policy, personal, id, model, x, u, g, dlints_predict(model, x, u)
       + CASE policy WHEN 'ucb' THEN 0.8 * dlints_stddev(model, x, u) ELSE 0 END AS score
FROM arm, generate_series(1, 25) AS g, features(g, 4) AS x,
     LATERAL (SELECT CASE WHEN personal THEN features(-g, 4) ELSE '{}' END) AS l (u);

SELECT plan(21);

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
SELECT is(dlints_recommend_arms(dlints_set(model, policy => 'greedy'), name, zeros(4)), 'good',
          'intercepts count')
FROM (VALUES ('bad', 0.0), ('good', 1.0), ('middling', 0.5)) AS v (name, r),
     LATERAL (SELECT dlints_update(dlints_update(dlints_new(4), zeros(4), r), zeros(4), r)) AS l (model);
-- fresh arms are equal under greedy, and each is as likely: 5.5 standard deviations
SELECT cmp_ok(max(abs(count - 600.0)), '<', 5.5 * sqrt(3000 * 0.2 * 0.8), 'lots decide among equals')
FROM (SELECT count(*) FROM (
          SELECT dlints_recommend_arms(dlints_new(4, policy => 'greedy'), i, zeros(4)) AS i
          FROM generate_series(1, 3000) AS g, generate_series(1, 5) AS i GROUP BY g) AS r
      GROUP BY i) AS c;

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
	'the model is dlints(4,intercept).)',
	'dlints_recommend_arms(dlints_new(4), 1, zeros(3))');
SELECT is(outcome($$SELECT dlints_recommend_arms(dlints_new(4), i, zeros(4), i)
                    FROM generate_series(1, 2) AS i$$),
          '22023: k must be the same for all rows of a group', 'k is one number');
SELECT each_is('22023: k must be at least 1 (The value is 0.)',
	'dlints_recommend_arms(dlints_new(4), 1, zeros(4), 0)');
SELECT is(hint_of($$SELECT dlints_recommend(model, id, zeros(4)) FROM arm WHERE NOT personal$$),
          'Use GROUP BY to recommend from several models, or dlints_recommend_arms '
          'where each row has a model of its own.',
          'dlints_recommend says where to go');
SELECT * FROM finish();
ROLLBACK;
