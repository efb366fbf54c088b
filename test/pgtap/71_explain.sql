-- Contributions of parts of the features to an expected reward, for each kind of model, against formulas in SQL,
-- with and without names; errors
\ir include/helpers.sql

CREATE TEMP TABLE trained AS
SELECT name, n, z AS size, s, (dlints_info(empty)).intercept, evidence(empty, 1, 70) AS m FROM kind
UNION ALL
SELECT 'three memories', 5, 6, 0, true,
       (SELECT dlints_evidence(dlints_new(5), features(i, 5), reward(i) + 100) FROM generate_series(1, 70) AS i);
-- features 1, 4, ... are red, 2, 5, ... green, and the others blue
CREATE TEMP TABLE probe AS
SELECT t.*, features(1000, n) AS x, profile(1, s) AS u, dlints_mean(m) AS mean,
       dlints_covariance(m) AS covariance,
       ARRAY(SELECT ('{blue,red,green}'::text[])[i % 3 + 1] FROM generate_series(1, n) AS i) AS colours
FROM trained AS t;

-- z of the features with this name only, without the 1 of the intercept
CREATE FUNCTION z_alone(p probe, names text[], name text) RETURNS float8[] LANGUAGE sql AS $$
SELECT CASE WHEN p.intercept THEN z[:p.size - 1] || 0::float8 ELSE z END
FROM dlints_project(p.m, ARRAY(
	SELECT CASE WHEN v.name = z_alone.name THEN x ELSE 0 END
	FROM unnest(p.x, names) WITH ORDINALITY AS v (x, name, i) ORDER BY i), p.u) AS z
$$;
CREATE FUNCTION numbers(n integer) RETURNS text[] LANGUAGE sql AS
$$ SELECT array_agg(i::text ORDER BY i) FROM generate_series(1, n) AS i $$;
-- results for a probe, and expected results
CREATE FUNCTION compared(p probe, said text[], names text[])
RETURNS TABLE (place bigint, name text, contribution float8, stddev float8,
               expected float8, width float8) LANGUAGE sql AS $$
SELECT place, e.name, contribution, stddev, dot(p.mean, z), sqrt(quadratic(p.covariance, z))
FROM dlints_explain(p.m, p.x, p.u, said)
     WITH ORDINALITY AS e (name, contribution, stddev, place),
     LATERAL (SELECT CASE WHEN e.name = 'intercept' THEN unit_vector(p.size, p.size)
                     ELSE z_alone(p, names, e.name) END) AS v (z)
$$;
CREATE TEMP TABLE found AS
SELECT p.name AS model, named, predicted, intercept, names, c.*
FROM probe AS p, LATERAL (SELECT dlints_predict(m, x, u)) AS r (predicted),
     LATERAL (VALUES (false, NULL::text[], numbers(n)), (true, colours, colours)) AS v (named, said, names),
     LATERAL compared(p, said, names) AS c;

SELECT count(*) AS models FROM trained \gset
SELECT plan(2 * 3 * :models + 6 + 5);
SELECT cmp_ok(max(abs(contribution - expected)) + max(abs(stddev - width)), '<', 1e-9::float8,
              format('%s, names %s: contributions and their errors', model, named))
FROM found GROUP BY model, named ORDER BY model, named;
SELECT cmp_ok(abs(sum(contribution) - min(predicted)), '<', 1e-9::float8,
              format('%s, names %s: they add up to what is expected', model, named))
FROM found GROUP BY model, named ORDER BY model, named;
SELECT is(array_agg(name ORDER BY place),
          (SELECT array_agg(name ORDER BY place)
           FROM (SELECT name, min(i) AS place FROM unnest(names) WITH ORDINALITY AS v (name, i)
                 GROUP BY name) AS v) || CASE WHEN intercept THEN '{intercept}'::text[] END,
          format('%s, names %s: in the order of first appearance', model, named))
FROM found GROUP BY model, named, names, intercept ORDER BY model, named;

-- An untrained model predicts 0, with the standard error of its prior.
CREATE TEMP TABLE one AS
SELECT dlints_update(one_memory(2, discount => 1, intercept => true), ARRAY[1, 2], 1) AS m;
SELECT results_eq(
	$$SELECT name, contribution, round(stddev::numeric, 9) FROM dlints_explain(one_memory(2), '{3,-4}')$$,
	$$VALUES ('1', 0::float8, 3::numeric(12, 9)), ('2', 0, 4)$$, 'a model that is new');
SELECT results_eq($$SELECT name FROM one, dlints_explain(m, '{1,2}', names => '{ä,Ä}')$$,
                  $$VALUES ('ä'), ('Ä'), ('intercept')$$, 'names are what they are, byte by byte');
SELECT results_eq($$SELECT name FROM one, dlints_explain(m, '{1,2}', names => '{intercept,""}')$$,
                  $$VALUES ('intercept'), (''), ('intercept')$$, 'the intercept is the last row');
SELECT is_empty(format('SELECT * FROM one, dlints_explain(%s)', arguments), 'no rows: ' || arguments)
FROM (VALUES ('NULL, ''{1,2}'''), ('m, NULL'), ('m, ''{1,2}'', NULL')) AS v (arguments);

SELECT is(outcome('SELECT dlints_explain(m, ' || arguments || ') FROM one'), result, arguments)
FROM (VALUES
	($$'{1}'$$, '22000: expected 2 dimensions, not 1 '
	 '(Wrong length of the features; the model is dlints(2,intercept).)'),
	($$'{1,NaN}'$$, '22003: NaN not allowed in array '
	 '(Element 2 of the features; the model is dlints(2,intercept).)'),
	($$'{1,2}', names => '{a}'$$, '22000: expected 2 dimensions, not 1 '
	 '(Wrong length of the names; the model is dlints(2,intercept).)'),
	($$'{1,2}', names => '{a,NULL}'$$, '22004: array must not contain nulls '
	 '(A null was found in the names; the model is dlints(2,intercept).)'),
	($$'{1,2}', names => '{{a,b}}'$$, '2202E: array must be one-dimensional '
	 '(The number of dimensions of the names is 2; the model is dlints(2,intercept).)')) AS v (arguments, result);
SELECT * FROM finish();
ROLLBACK;
