-- Shared contexts and the intercept: every form of every function, and every
-- wrong use.  Numbers are compared with each other, since they come from random
-- projections; test/pgtap computes them.
\pset format unaligned
\pset null NULL
CREATE TABLE shared_model AS
SELECT dlints_update(dlints_new(4, 3, 0.5, seed => 1, shared_dim => 2, intercept => true), ARRAY[1, 2, 3, 4]::real[], ARRAY[1, -1]::real[], 1) AS m;
CREATE TABLE candidate AS
SELECT i AS id, ARRAY[1, i, 3 - i, 0.5]::real[] AS x, ARRAY[0.5, i]::real[] AS u FROM generate_series(1, 5) AS i;

-- what is made
SELECT context_dim, reduced_dim, shared_dim, intercept, updates, bytes FROM shared_model, dlints_info(m);
SELECT m::jsonb -> 'shared_dim' AS shared_dim, m::jsonb -> 'intercept' AS intercept, jsonb_array_length(m::jsonb -> 'b') AS b, jsonb_array_length(m::jsonb -> 'G') AS g, jsonb_array_length(m::jsonb -> 'H') AS h FROM shared_model;
SELECT dlints_new(1, intercept => true), dlints_new(1, 2, 1, shared_dim => 1);
SELECT shared_dim, intercept FROM dlints_info(dlints_new(3));
-- up to the dimension of all interactions
SELECT reduced_dim, shared_dim FROM dlints_info(dlints_new(5, 30, shared_dim => 5));
SELECT bytes FROM dlints_info(dlints_new(65536, 1024, shared_dim => 65536, intercept => true));
SELECT bytes FROM dlints_info(dlints_new(1024, intercept => true));
-- other parameters, the same evidence
SELECT shared_dim, intercept, ridge, policy FROM shared_model, dlints_info(dlints_set(m, ridge => 3, policy => 'ucb'));
-- equality knows both
SELECT dlints_new(3, 2, shared_dim => 1) = dlints_new(3, 2, shared_dim => 2) AS shared_dim, dlints_new(3, 2, shared_dim => 1) = dlints_new(3, 2) AS none, dlints_new(3, 2) = dlints_new(3, 2, intercept => true) AS intercept;

-- one observation, a batch, evidence, a reduced context: real[] and double precision[]
SELECT dlints_update(m, x, u, 2) = dlints_update(m, x::float8[], u::float8[], 2) AS update,
       dlints_update(m, ARRAY[x, x], ARRAY[u, u], ARRAY[2, 3]::float8[]) = dlints_update(m, ARRAY[x, x]::float8[], ARRAY[u, u]::float8[], ARRAY[2, 3]::float8[]) AS batch,
       dlints_update_reduced(m, dlints_project(m, x, u), 2) = dlints_update(m, x, u, 2) AS reduced,
       (dlints_info(dlints_update(m, ARRAY[x, x], ARRAY[u, u], ARRAY[2, 3]::float8[]))).updates
FROM shared_model, candidate WHERE id = 2;
SELECT dlints_evidence(m, x, u, id ORDER BY id) = dlints_evidence(m, x::float8[], u::float8[], id ORDER BY id) AS evidence, (dlints_info(dlints_evidence(m, x, u, id))).updates,
       (dlints_info(dlints_evidence(m, x, u, id))).shared_dim, (dlints_info(dlints_evidence(m, x, u, id))).intercept FROM shared_model, candidate;
SELECT dlints_update(m, '{}'::real[], '{}'::real[], '{}'::float8[]) = m AS empty_batch FROM shared_model;

-- looking
SELECT cardinality(dlints_project(m, x, u)) AS z, (dlints_project(m, x, u))[4] AS last, cardinality(dlints_mean(m)) AS mean, cardinality(dlints_weights(m, u)) AS weights, array_dims(dlints_covariance(m)) AS covariance,
       cardinality(dlints_draw(m)) AS draw, cardinality(dlints_draw_weights(m, u)) AS draw_weights, (SELECT count(*) FROM dlints_coefficients(m)) AS coefficients
FROM shared_model, candidate WHERE id = 1;
SELECT dlints_project(m, x, u) = dlints_project(m, x::float8[], u::float8[]) AS project, dlints_predict(m, x, u) = dlints_predict(m, x::float8[], u::float8[]) AS predict, dlints_stddev(m, x, u) = dlints_stddev(m, x::float8[], u::float8[]) AS stddev,
       dlints_weights(m, u) = dlints_weights(m, u::float8[]) AS weights, dlints_draw_weights(m, u, 3) = dlints_draw_weights(m, u::float8[], 3) AS draw_weights, dlints_draw_weights(m, u) <> dlints_draw_weights(m, u) AS unseeded
FROM shared_model, candidate WHERE id = 1;

-- choosing
SELECT dlints_recommend(m, id, x, '{1,2}'::real[]) BETWEEN 1 AND 5 AS one, cardinality(dlints_recommend(m, id, x, '{1,2}'::real[], 3)) AS three, cardinality(dlints_recommend(m, id, x, '{1,2}'::real[], 9)) AS all_of_them,
       dlints_recommend(m, id, x::float8[], '{1,2}'::float8[]) BETWEEN 1 AND 5 AS one8, cardinality(dlints_recommend(m, id, x::float8[], '{1,2}'::float8[], 3)) AS three8 FROM shared_model, candidate;
SELECT policy, dlints_recommend(p, id, x, '{1,2}'::real[]) = (dlints_recommend(p, id, x, '{1,2}'::real[], 5))[1] AS first,
       dlints_recommend(p, id, x, '{1,2}'::real[], 5) = dlints_recommend(p, id, x::float8[], '{1,2}'::float8[], 5) AS float8
FROM shared_model, candidate, (VALUES ('greedy'), ('ucb')) AS v (policy), LATERAL dlints_set(m, policy => policy) AS p GROUP BY policy, p ORDER BY policy;

-- one of each type goes as double precision[]
SELECT dlints_predict(m, x, u::float8[]) = dlints_predict(m, x, u) AS predict, dlints_update(m, x::float8[], u, 1) = dlints_update(m, x, u, 1) AS update,
       dlints_update(m, ARRAY[x], ARRAY[u]::float8[], ARRAY[1]::float8[]) = dlints_update(m, x, u, 1) AS batch, dlints_weights(m, u::float8[]) = dlints_weights(m, u) AS weights FROM shared_model, candidate WHERE id = 2;
SELECT dlints_recommend(p, id, x, '{1,2}'::float8[], 5) = dlints_recommend(p, id, x::float8[], '{1,2}'::real[], 5) AS recommend, (dlints_info(dlints_evidence(m, x, u::float8[], id))).updates AS evidence
FROM shared_model, candidate, LATERAL dlints_set(m, policy => 'greedy') AS p;

-- NULL: no observation, no candidate, nothing to see
SELECT dlints_update(m, x, NULL::real[], 1) = m AS shared, dlints_update(m, NULL::float8[], u::float8[], 1) = m AS context, dlints_update(m, x, u, NULL::float8) = m AS reward,
       dlints_update(m, ARRAY[x], NULL::real[], ARRAY[1]::float8[]) = m AS batch, dlints_update(NULL::dlints, x, u, 1) IS NULL AS model FROM shared_model, candidate WHERE id = 1;
SELECT dlints_evidence(m, x, CASE WHEN id <> 3 THEN u END, id ORDER BY id) = dlints_evidence(m, x, u, id ORDER BY id) FILTER (WHERE id <> 3) AS skipped,
       dlints_evidence(m, x, NULL::real[], id) AS nothing FROM shared_model, candidate;
SELECT dlints_recommend(dlints_set(m, policy => 'greedy'), id, x, CASE WHEN id > 3 THEN '{1,2}'::real[] END, 5) <@ ARRAY[4, 5] AS skipped,
       dlints_recommend(m, id, x, NULL::real[]) AS nothing, dlints_recommend(m, id, x::float8[], NULL::float8[], 2) AS no_list FROM shared_model, candidate;
SELECT dlints_project(m, x, NULL::real[]) IS NULL AND dlints_predict(m, x, NULL::real[]) IS NULL AND dlints_stddev(m, x, NULL::real[]) IS NULL
   AND dlints_weights(m, NULL::real[]) IS NULL AND dlints_draw_weights(m, NULL::real[]) IS NULL AND dlints_draw_weights(m, NULL::float8[], 1) IS NULL AND dlints_draw_weights(NULL, u) IS NULL
   AND dlints_predict(m, NULL::real[], u) IS NULL AND dlints_weights(NULL, u) IS NULL AS strict FROM shared_model, candidate WHERE id = 1;

-- an intercept alone: x = 1 and x = 0, r = 2 each: G = [1 1; 1 2], b = (2, 4), with the ridge Z = [2 1; 1 3], the mean (0.4, 1.2)
SELECT round(mean[1]::numeric, 12) AS slope, round(mean[2]::numeric, 12) AS intercept, dlints_weights(m) = mean[1:1] AS weights, dlints_project(m, ARRAY[7]::real[]) AS z,
       m::jsonb -> 'G' AS g, m::jsonb -> 'b' AS b, round(dlints_predict(m, ARRAY[5]::real[])::numeric, 12) AS predict
FROM dlints_update(dlints_new(1, NULL, 1, 1, intercept => true), ARRAY[[1], [0]]::real[], ARRAY[2, 2]::float8[]) AS m, LATERAL dlints_mean(m) AS mean;

-- every wrong use: fails(statement) shows SQLSTATE, message and detail
CREATE FUNCTION pg_temp.fails(statement text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	more text;
BEGIN
	EXECUTE statement;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS more = PG_EXCEPTION_DETAIL;
	RETURN SQLSTATE || ': ' || SQLERRM || CASE WHEN more <> '' THEN ' (' || more || ')' ELSE '' END;
END
$$;
CREATE TABLE plain_model AS SELECT dlints_new(4, 3, 0.5, seed => 1) AS m;

-- missing and superfluous
SELECT statement, pg_temp.fails('SELECT ' || statement || ' FROM shared_model') FROM (VALUES
  (1, $$dlints_update(m, ARRAY[1, 2, 3, 4]::real[], 1)$$),
  (2, $$dlints_update(m, ARRAY[1, 2, 3, 4]::float8[], 1)$$),
  (3, $$dlints_update(m, ARRAY[[1, 2, 3, 4]]::real[], ARRAY[1]::float8[])$$),
  (4, $$dlints_evidence(m, ARRAY[1, 2, 3, 4]::real[], 1)$$),
  (5, $$dlints_recommend(m, 1, ARRAY[1, 2, 3, 4]::real[])$$),
  (6, $$dlints_recommend(m, 1, ARRAY[1, 2, 3, 4]::float8[], 2)$$),
  (7, $$dlints_project(m, ARRAY[1, 2, 3, 4]::real[])$$),
  (8, $$dlints_predict(m, ARRAY[1, 2, 3, 4]::real[])$$),
  (9, $$dlints_stddev(m, ARRAY[1, 2, 3, 4]::float8[])$$),
  (10, $$dlints_weights(m)$$),
  (11, $$dlints_draw_weights(m)$$),
  (12, $$dlints_draw_weights(m, 7)$$)
) AS v (no, statement) ORDER BY no;
SELECT statement, pg_temp.fails('SELECT ' || statement || ' FROM plain_model') FROM (VALUES
  (1, $$dlints_update(m, ARRAY[1, 2, 3, 4]::real[], ARRAY[1, 2]::real[], 1)$$),
  (2, $$dlints_update(m, ARRAY[1, 2, 3, 4]::float8[], '{}'::float8[], 1)$$),
  (3, $$dlints_update(m, ARRAY[[1, 2, 3, 4]]::real[], ARRAY[[1, 2]]::real[], ARRAY[1]::float8[])$$),
  (4, $$dlints_evidence(m, ARRAY[1, 2, 3, 4]::real[], ARRAY[1, 2]::real[], 1)$$),
  (5, $$dlints_recommend(m, 1, ARRAY[1, 2, 3, 4]::real[], ARRAY[1, 2]::real[])$$),
  (6, $$dlints_recommend(m, 1, ARRAY[1, 2, 3, 4]::float8[], ARRAY[1, 2]::float8[], 2)$$),
  (7, $$dlints_project(m, ARRAY[1, 2, 3, 4]::real[], ARRAY[1, 2]::real[])$$),
  (8, $$dlints_predict(m, ARRAY[1, 2, 3, 4]::real[], ARRAY[1, 2]::real[])$$),
  (9, $$dlints_stddev(m, ARRAY[1, 2, 3, 4]::float8[], ARRAY[1, 2]::float8[])$$),
  (10, $$dlints_weights(m, ARRAY[1, 2]::real[])$$),
  (11, $$dlints_draw_weights(m, ARRAY[1, 2]::real[])$$),
  (12, $$dlints_draw_weights(m, ARRAY[1, 2]::float8[], 7)$$)
) AS v (no, statement) ORDER BY no;

-- wrong length, NaN, NULL element, two dimensions
SELECT statement, shared, pg_temp.fails(format('SELECT %s FROM shared_model', replace(replace(statement, ':x', 'ARRAY[1, 2, 3, 4]::real[]'), ':u', format('%L::real[]', shared)))) FROM (VALUES
  (1, 'dlints_update(m, :x, :u, 1)'), (2, 'dlints_evidence(m, :x, :u, 1)'), (3, 'dlints_recommend(m, 1, :x, :u)'), (4, 'dlints_recommend(m, 1, :x, :u, 2)'), (5, 'dlints_project(m, :x, :u)'),
  (6, 'dlints_predict(m, :x, :u)'), (7, 'dlints_stddev(m, :x, :u)'), (8, 'dlints_weights(m, :u)'), (9, 'dlints_draw_weights(m, :u, 1)')
) AS f (no, statement), (VALUES
  (1, '{1}'), (2, '{1,2,3}'), (3, '{}'), (4, '{1,NaN}'), (5, '{-Infinity,1}'), (6, '{1,NULL}'), (7, '{{1,2}}')
) AS s (no, shared) ORDER BY f.no, s.no;
SELECT contexts, shareds, rewards, pg_temp.fails(format('SELECT dlints_update(m, %L::float8[], %L::float8[], %L::float8[]) FROM shared_model', contexts, shareds, rewards)) FROM (VALUES
  (1, '{{1,2,3,4},{5,6,7,8}}', '{{1,2}}', '{1,2}'),
  (2, '{{1,2,3,4}}', '{{1,2},{3,4}}', '{1}'),
  (3, '{{1,2,3,4}}', '{}', '{1}'),
  (4, '{}', '{{1,2}}', '{}'),
  (5, '{{1,2,3,4}}', '{{1}}', '{1}'),
  (6, '{{1,2,3,4}}', '{{1,2,3}}', '{1}'),
  (7, '{{1,2,3,4}}', '{1,2}', '{1}'),
  (8, '{{1,2,3,4}}', '{{{1,2}}}', '{1}'),
  (9, '{{1,2,3,4}}', '{{1,NULL}}', '{1}'),
  (10, '{{1,2,3,4}}', '{{1,NaN}}', '{1}'),
  (11, '{{1,2,3,4},{5,6,7,8}}', '{{1,2},{3,4}}', '{1}')
) AS v (no, contexts, shareds, rewards) ORDER BY no;

-- one shared context, and one model, for each group
SELECT pg_temp.fails($$SELECT dlints_recommend(m, id, x, u) FROM shared_model, candidate$$);
SELECT pg_temp.fails($$SELECT dlints_recommend(m, id, x::float8[], u::float8[], 2) FROM shared_model, candidate$$);
SELECT pg_temp.fails($$SELECT dlints_recommend(m, id, x, CASE WHEN id < 5 THEN '{1,2}'::real[] ELSE '{1,2.0000002}' END) FROM shared_model, candidate$$);
SELECT pg_temp.fails($$SELECT dlints_recommend(m, id, x, CASE WHEN id < 5 THEN '{1,2}'::real[] ELSE '{1,2,3}' END) FROM shared_model, candidate$$);
SELECT pg_temp.fails($$SELECT dlints_recommend(m, id, x, CASE WHEN id < 5 THEN '{1,2}'::real[] ELSE '{1,NaN}' END) FROM shared_model, candidate$$);
SELECT pg_temp.fails($$SELECT dlints_recommend(CASE WHEN id < 5 THEN m ELSE dlints_new(4, 3, 0.5, seed => 1, shared_dim => 2) END, id, x, '{1,2}'::real[]) FROM shared_model, candidate$$);
SELECT count(*), count(r) FROM (SELECT dlints_recommend(m, c.id, c.x, v.u, 2) AS r FROM shared_model, candidate AS c, candidate AS v GROUP BY v.id) AS s;

-- models that do not fit together
SELECT statement, pg_temp.fails('SELECT ' || statement || ' FROM shared_model') FROM (VALUES
  (1, $$m || dlints_new(4, 3, 0.5, seed => 1, shared_dim => 3, intercept => true)$$),
  (2, $$m || dlints_new(4, 3, 0.5, seed => 1, intercept => true)$$),
  (3, $$m || dlints_new(4, 3, 0.5, seed => 1, shared_dim => 2)$$),
  (4, $$dlints_new(4, 3, 0.5, seed => 1, shared_dim => 2) || m$$),
  (5, $$m || dlints_new(4, 4, 0.5, seed => 1, shared_dim => 2)$$),
  (6, $$(SELECT dlints_concat_agg(e) FROM (VALUES (m), (dlints_new(4, 3, 0.5, seed => 1, shared_dim => 3, intercept => true))) AS v (e))$$),
  (7, $$(SELECT dlints_concat_agg(e) FROM (VALUES (m), (dlints_new(4, 3, 0.5, seed => 1, shared_dim => 2))) AS v (e))$$),
  (8, $$(SELECT dlints_evidence(e, '{1,2,3,4}'::real[], '{1,2}'::real[], 1) FROM (VALUES (m), (dlints_new(4, 3, 0.5, seed => 1, shared_dim => 3, intercept => true))) AS v (e))$$),
  (9, $$(SELECT dlints_evidence(e, '{1,2,3,4}'::real[], '{1,2}'::real[], 1) FROM (VALUES (m), (dlints_new(4, 3, 0.5, seed => 1, shared_dim => 2))) AS v (e))$$),
  (10, $$dlints_update_reduced(m, ARRAY[1, 2, 3]::real[], 1)$$),
  (11, $$dlints_update_reduced(m, ARRAY[1, 2, 3, 2]::real[], 1)$$),
  (12, $$dlints_update_reduced(m, ARRAY[1, 2, 3, 0]::float8[], 1)$$),
  (13, $$dlints_update_reduced(m, ARRAY[1, 2, 3, 'NaN']::float8[], 1)$$)
) AS v (no, statement) ORDER BY no;
SELECT (dlints_info(m || dlints_set(m, ridge => 2, policy => 'ucb'))).updates FROM shared_model;

-- dlints_new refuses
SELECT statement, pg_temp.fails('SELECT ' || statement) FROM (VALUES
  (1, 'dlints_new(5, shared_dim => 3)'),
  (2, 'dlints_new(5, 3, shared_dim => -1)'),
  (3, 'dlints_new(5, 3, shared_dim => 65537)'),
  (4, 'dlints_new(5, 3, shared_dim => 2147483647)'),
  (5, 'dlints_new(5, 31, shared_dim => 5)'),
  (6, 'dlints_new(5, 6)'),
  (7, 'dlints_new(5000, 1025, shared_dim => 5)'),
  (8, 'dlints_new(1025, intercept => true)'),
  (9, 'dlints_new(5, 3, shared_dim => NULL)'),
  (10, 'dlints_new(5, 3, intercept => NULL)')
) AS v (no, statement) ORDER BY no;

-- sizes of columns
CREATE TABLE shared_sized (shared dlints(4, 3, 2), shared_intercept dlints(4, 3, 2, intercept), projected_intercept dlints(4, 3, intercept), plain_intercept dlints(4, intercept),
                           largest dlints(4096, 512, 256, intercept), largest_plain dlints(65536, 1024, intercept), smallest dlints(1, 1, 1));
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'shared_sized'::regclass AND attnum > 0 ORDER BY attnum;
INSERT INTO shared_sized VALUES (dlints_new(4, 3, shared_dim => 2), dlints_new(4, 3, shared_dim => 2, intercept => true), dlints_new(4, 3, intercept => true), dlints_new(4, intercept => true),
  dlints_new(4096, 512, shared_dim => 256, intercept => true), dlints_new(65536, 1024, intercept => true), dlints_new(1, 1, shared_dim => 1));
SELECT attname, model, pg_temp.fails(format('INSERT INTO shared_sized (%I) VALUES (%s)', attname, model)) AS result
FROM pg_attribute, (VALUES (1, 'dlints_new(4, 3, shared_dim => 2)'), (2, 'dlints_new(4, 3, shared_dim => 2, intercept => true)'), (3, 'dlints_new(4, 3, shared_dim => 1)'), (4, 'dlints_new(4, 2, shared_dim => 2)'),
  (5, 'dlints_new(5, 3, shared_dim => 2)'), (6, 'dlints_new(4, 3)'), (7, 'dlints_new(4, 3, intercept => true)'), (8, 'dlints_new(4)'), (9, 'dlints_new(4, intercept => true)')) AS v (no, model)
WHERE attrelid = 'shared_sized'::regclass AND attnum BETWEEN 1 AND 4 ORDER BY attnum, no;
SELECT pg_temp.fails(format('INSERT INTO shared_sized (shared) VALUES (%L)', dlints_new(4, 3, shared_dim => 3))) AS text;
SELECT type, pg_temp.fails(format('SELECT NULL::%s', type)) FROM (VALUES
  (1, 'dlints(5, 30, 5)'), (2, 'dlints(5, 31, 5)'), (3, 'dlints(5, 3, 0)'), (4, 'dlints(5, 3, -1)'), (5, 'dlints(5, 0, 3)'), (6, 'dlints(0, 3, 3)'), (7, 'dlints(5, 3, 65537)'),
  (8, 'dlints(4097, 512, 256)'), (9, 'dlints(4096, 513, 256)'), (10, 'dlints(4096, 512, 257)'), (11, 'dlints(5, 3, 2, 1)'), (12, 'dlints(5, 3, 2, 1, intercept)'), (13, 'dlints(intercept)'),
  (14, 'dlints(intercept, 5)'), (15, 'dlints(5, intercept, intercept)'), (16, 'dlints(5, 3, 2, offset_term)'), (17, 'dlints(1024, intercept)'), (18, 'dlints(1025, intercept)'), (19, 'dlints(5, INTERCEPT)')
) AS v (no, type) ORDER BY no;

DROP TABLE shared_model, plain_model, candidate, shared_sized;
