-- Contexts come as arrays of any numbers, and as text that is numbers, as drivers
-- send them: the same numbers make the same model and the same answers, bit for bit.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

CREATE TEMP TABLE model AS
SELECT dlints_update(one_memory(2, discount => 0.9), ARRAY[0.3, -1]::float8[], 0.5) AS m, dlints_update(one_memory(2, 3, 0.9, shared_dim => 2, intercept => true), ARRAY[0.3, -1]::float8[], ARRAY[1, 0.7]::float8[], 0.5) AS s;

-- every function that takes contexts, with :x for a context and :u for a shared one
CREATE TEMP TABLE call (no serial, statement text);
INSERT INTO call (statement) VALUES
  ('dlints_update(m, :x, 2)'), ('dlints_update(s, :x, :u, 2)'), ('dlints_update_batch(m, ARRAY[:x, :x], ARRAY[2, 3])'), ('dlints_update_batch(s, ARRAY[:x, :x], ARRAY[:u, :u], ARRAY[2, 3])'),
  ('dlints_update_reduced(m, :x, 2)'), ('dlints_draw_weights(s, :u, 3)'), ('dlints_dot(ARRAY[0.7, 1e-5], :x)'), ('dlints_project(m, :x)'), ('dlints_project(s, :x, :u)'),
  ('dlints_predict(m, :x)'), ('dlints_predict(s, :x, :u)'), ('dlints_stddev(m, :x)'), ('dlints_stddev(s, :x, :u)'), ('dlints_weights(s, :u)'),
  ('dlints_accepts(m, :x)'), ('dlints_accepts(m, :x, 2)'), ('dlints_accepts(s, :x, :u)'), ('dlints_accepts(s, :x, :u, 2)');

-- the numbers in each form, and what they are in double precision
CREATE TEMP TABLE form (form text, x text, numbers text);
INSERT INTO form VALUES
  ('real[]', 'ARRAY[0.1, 0.2]::real[]', 'ARRAY[0.1::real, 0.2::real]::float8[]'), ('numeric[]', 'ARRAY[0.1, 0.2]', 'ARRAY[0.1, 0.2]::float8[]'),
  ('integer[]', 'ARRAY[1, -2]', 'ARRAY[1, -2]::float8[]'), ('smallint[]', 'ARRAY[32767, -32768]::smallint[]', 'ARRAY[32767, -32768]::float8[]'),
  ('bigint[]', 'ARRAY[9007199254740993, -2]', 'ARRAY[9007199254740993::bigint::float8, -2]'), ('boolean[]', 'ARRAY[true, false]', 'ARRAY[1, 0]::float8[]'),
  ('text[]', 'ARRAY[''0.1'', '' 2e-1 '']', 'ARRAY[0.1, 0.2]::float8[]'), ('long numeric[]', 'ARRAY[1.00000000000000000000000000000001, 1e-320]', 'ARRAY[1, ''1e-320''::float8]'),
  ('lower bounds', '''[0:1]={0.1,0.2}''::real[]', 'ARRAY[0.1::real, 0.2::real]::float8[]'), ('lower bounds of numeric[]', '''[-7:-6]={0.1,0.2}''::numeric[]', 'ARRAY[0.1, 0.2]::float8[]'),
  ('with room for NULLs', '(ARRAY[0.1, 0.2, NULL]::real[])[1:2]', 'ARRAY[0.1::real, 0.2::real]::float8[]');

-- A model is compared by its bytes.
CREATE FUNCTION answer(statement text, x text, u text) RETURNS text LANGUAGE sql AS
$$ SELECT outcome(format(CASE WHEN statement LIKE 'dlints_update%' THEN 'SELECT dlints_send(%s) FROM model' ELSE 'SELECT %s FROM model' END, replace(replace(statement, ':x', x), ':u', u))) $$;

SELECT plan(11 + 3 + 2 + 1 + 4 + 5 + 11 + 5 + 3);
SELECT is(string_agg(statement || ': ' || have, E'\n') FILTER (WHERE have <> want OR want NOT LIKE 'gives %'), NULL, format('%s, in %s calls', form, count(*)))
FROM form, call, LATERAL (VALUES (answer(statement, x, x), answer(statement, numbers, numbers))) AS v (have, want) GROUP BY form ORDER BY form;

-- a context and a shared context of types of their own
SELECT is(string_agg(statement || ': ' || have, E'\n') FILTER (WHERE have <> want OR want NOT LIKE 'gives %'), NULL, format('%s and %s', x, u))
FROM call, (VALUES ('ARRAY[0.5, 2]::real[]', 'ARRAY[0.1, 0.2]::float8[]'), ('ARRAY[0.5, 2]::float8[]', 'ARRAY[1, 3]'), ('ARRAY[1, 2]::smallint[]', 'ARRAY[0.1, 0.2]')) AS f (x, u),
     LATERAL (VALUES (answer(statement, x, u), answer(statement, format('(%s)::float8[]', x), format('(%s)::float8[]', u)))) AS v (have, want)
WHERE statement LIKE '%:x%:u%' GROUP BY x, u ORDER BY x;

-- literals and parameters that nobody gave a type, which PostgreSQL takes for text[]
SELECT is(string_agg(statement || ': ' || have, E'\n') FILTER (WHERE have <> want OR want NOT LIKE 'gives %'), NULL, 'untyped literals')
FROM call, LATERAL (VALUES (answer(statement, '''{0.1,0.2}''', '''{1,-2}'''), answer(statement, 'ARRAY[0.1, 0.2]::float8[]', 'ARRAY[1, -2]::float8[]'))) AS v (have, want)
-- (what an untyped third argument of dlints_accepts is, has to be said)
WHERE statement NOT LIKE '%batch%' AND statement <> 'dlints_accepts(s, :x, :u)';
SELECT is(answer('dlints_update_batch(s, ''{{0.1,0.2},{3,4}}'', ''{{1,-2},{0,1}}'', ''{2,3}''::float8[])', '', ''),
          answer('dlints_update_batch(s, ARRAY[[0.1, 0.2], [3, 4]]::float8[], ARRAY[[1, -2], [0, 1]]::float8[], ARRAY[2, 3])', '', ''), 'an untyped batch, but for the rewards, which could be times');
PREPARE untyped AS SELECT same_bytes(dlints_update(m, $1, $2), dlints_update(m, ARRAY[0.1, 0.2]::float8[], 2)) AND same_bytes(dlints_update(s, $1, $3, $2), dlints_update(s, ARRAY[0.1, 0.2]::float8[], ARRAY[1, -2]::float8[], 2))
  AND same_bytes(dlints_update_batch(m, $4, $5), dlints_update_batch(m, ARRAY[[0.1, 0.2], [3, 4]]::float8[], ARRAY[2, 3])) AND dlints_predict(m, $1) = dlints_predict(m, ARRAY[0.1, 0.2]::float8[])
  AND dlints_accepts(m, $1, reward => $2) AND dlints_accepts(s, $1, shared => $3) FROM model;
SELECT results_eq($$EXECUTE untyped('{0.1,0.2}', 2, '{1,-2}', '{{0.1,0.2},{3,4}}', '{2,3}')$$, ARRAY[true], 'untyped parameters');

-- what is no number
SELECT is(answer('dlints_update(m, :x, 1)', x, ''), result, x) FROM (VALUES
  ('ARRAY[''0.1'', ''abc'']', '22P02: invalid input syntax for type double precision: "abc"'), ('ARRAY[''0.1'', '''']', '22P02: invalid input syntax for type double precision: ""'),
  ('ARRAY[''0.1'', ''0.2x'']', '22P02: invalid input syntax for type double precision: "0.2x"'), ('ARRAY[''0.1'', ''0.2 0.3'']', '22P02: invalid input syntax for type double precision: "0.2 0.3"')) AS v (x, result) ORDER BY x;
SELECT throws_ok(format('SELECT dlints_update(m, %s, 1) FROM model', x), '22003', NULL, x) FROM unnest(ARRAY['ARRAY[''0.1'', ''NaN'']', 'ARRAY[''0.1'', ''1e400'']', 'ARRAY[0.1, ''NaN'']::numeric[]', 'ARRAY[1e400, 1]', '''{inf,1}''']) AS x ORDER BY x;
SELECT throws_ok(format('SELECT dlints_update(m, %s, 1) FROM model', x), '42804', NULL, x) FROM unnest(ARRAY['ARRAY[1, 2]::varchar[]', 'ARRAY[1, 2]::bpchar[]', 'ARRAY[now(), now()]', 'ARRAY[now() - now(), now() - now()]',
  'ARRAY[gen_random_uuid(), gen_random_uuid()]', 'ARRAY[1, 2]::oid[]', 'ARRAY[1, 2]::money[]', 'ARRAY[''a'', ''b'']::name[]', 'ARRAY[''1'', ''2'']::jsonb[]', 'ARRAY[row(1, 2), row(3, 4)]', 'ARRAY[''1'', ''2'']::bytea[]']) AS x ORDER BY x;
-- nor is one in another argument, of another function, or where the array is empty
SELECT throws_ok(format('SELECT %s FROM model', x), '42804', NULL, x) FROM unnest(ARRAY['dlints_update(s, ARRAY[1, 2]::varchar[], ARRAY[1, 2]::varchar[], 1)', 'dlints_dot(ARRAY[1, 2], ARRAY[1, 2]::oid[])',
  'dlints_predict(m, ''{}''::uuid[])', 'dlints_update_batch(m, ARRAY[ARRAY[1, 2]::varchar[]], ARRAY[1])', 'dlints_weights(s, ARRAY[1, 2]::oid[])']) AS x ORDER BY x;
-- there are no dimensions in '{}', and none is too few
SELECT throws_ok(format('SELECT dlints_predict(m, %s) FROM model', x), '22000', 'expected 2 dimensions, not 0', x) FROM unnest(ARRAY['''{}''', '''{}''::real[]', '''{}''::numeric[]']) AS x ORDER BY x;
SELECT * FROM finish();
ROLLBACK;
