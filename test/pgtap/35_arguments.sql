-- Features can be arrays of any numeric type, with the same numbers.  36_calls.sql tests each function with each type.
\ir include/helpers.sql

CREATE TEMP TABLE model AS
SELECT dlints_update(one_memory(2, discount => 0.9), ARRAY[0.3, -1], 0.5) AS m,
    dlints_update(one_memory(2, discount => 0.9, interactions => 'matched',
        intercept => true), ARRAY[0.3, -1], 0.5, ARRAY[1, 0.7]) AS s;

SELECT plan(37);

-- without a projection, the reduced features are the features in double precision
SELECT each_holds($$
    dlints_project(m, ARRAY[0.1, 0.2]::real[]) = ARRAY[0.1::real, 0.2::real]::float8[]
    dlints_project(m, ARRAY[0.1, 0.2]) = ARRAY[0.1, 0.2]::float8[]
    dlints_project(m, ARRAY[1, -2]) = '{1,-2}'
    dlints_project(m, ARRAY[32767, -32768]::smallint[]) = '{32767,-32768}'
    dlints_project(m, ARRAY[9007199254740993, -2]) = '{9007199254740992,-2}'
    dlints_project(m, ARRAY[1.00000000000000000000000000000001, 1e-320]) = '{1,1e-320}'
    dlints_project(m, '[0:1]={0.1,0.2}'::real[]) = ARRAY[0.1::real, 0.2::real]::float8[]
    dlints_project(m, '[-7:-6]={0.1,0.2}'::numeric[]) = ARRAY[0.1, 0.2]::float8[]
    dlints_project(m, (ARRAY[0.1, 0.2, NULL]::real[])[1:2]) = ARRAY[0.1::real, 0.2::real]::float8[]
    $$, 'FROM model');

-- arrays without numbers
CREATE TEMP VIEW refused AS
SELECT code, left(outcome(format('SELECT %s FROM model', call)), 5) AS got, call
FROM (VALUES
    ('22003', $$
    dlints_update(m, '{0.1,NaN}', 1)
    dlints_update(m, '{0.1,1e400}', 1)
    dlints_update(m, ARRAY[0.1, 'NaN']::numeric[], 1)
    dlints_update(m, ARRAY[1e400, 1], 1)
    dlints_update(m, '{inf,1}', 1)
    $$),
    ('42883', $$
    dlints_update(m, ARRAY[1, 2]::varchar[], 1)
    dlints_update(m, ARRAY[now(), now()], 1)
    dlints_update(m, ARRAY[1, 2]::oid[], 1)
    dlints_update(m, ARRAY['1', '2']::jsonb[], 1)
    dlints_update(m, ARRAY[row(1, 2), row(3, 4)], 1)
    dlints_predict(m, '{}'::uuid[])
    dlints_update_batch(m, ARRAY[ARRAY[1, 2]::varchar[]], ARRAY[1])
    dlints_dot(ARRAY[1, 2], ARRAY[1, 2]::oid[])
    dlints_weights(s, ARRAY[1, 2]::oid[])
    $$)) AS v (code, calls), lines(calls) AS call;
SELECT is(got, code, call) FROM refused;
-- '{}' has no dimensions, which is an error for features
SELECT throws_ok(format('SELECT dlints_predict(m, ''{}''%s) FROM model', type), '22000',
    'expected 2 dimensions, not 0', 'empty' || type)
FROM unnest('{"",::real[],::numeric[]}'::text[]) AS type;

-- Invalid text, with soft errors (PostgreSQL 16 and later)

SELECT current_setting('server_version_num')::integer >= 160000 AS asks,
    current_setting('server_version_num')::integer >= 170000 AS copies \gset
CREATE TEMP TABLE literal AS
SELECT what, type, CASE WHEN was IS NULL THEN text ELSE replace(text, was, text_in) END AS text
FROM (SELECT dlints_update(one_memory(2, discount => 0.5), ARRAY[1, -2], 1)::text) AS t (text),
    (VALUES
    ('a model', 'dlints', NULL, ''),
    ('of the sizes asked for', 'dlints(2)', NULL, ''),
    ('of other sizes', 'dlints(3)', NULL, ''),
    ('no JSON', 'dlints', '}', ''),
    ('another version', 'dlints', '"format": 1', '"format": 2'),
    ('a number that is none', 'dlints', '"b": [1', '"b": ["x"'),
    ('a number out of range', 'dlints', '"b": [1', '"b": [1e400'),
    ('a parameter out of range', 'dlints', '"ridge": 1', '"ridge": 1e300')) AS v (what, type, was, text_in);
\if :asks
-- the same text, with an error
SELECT is(CASE WHEN pg_input_is_valid(text, type) THEN 'gives ' || text
               ELSE concat(i.sql_error_code, ': ', i.message, ' (' || i.detail || ')') END,
    outcome(format('SELECT %L::%s', text, type)), what)
FROM literal, LATERAL pg_input_error_info(text, type) AS i;
\else
SELECT skip('PostgreSQL 15 and earlier do not ask', 8);
\endif
\if :copies
CREATE TEMP TABLE copied (m dlints(2));
SELECT format($$COPY copied FROM PROGRAM %L WITH (ON_ERROR ignore)$$,
    format($$printf '%%s\n' '{"format": 1}' 'x' '%s'$$, one_memory(2, discount => 1)::text)) \gexec
SELECT results_eq('TABLE copied', 'SELECT one_memory(2, discount => 1)', 'COPY goes on behind bad lines');
\else
SELECT skip('PostgreSQL 16 and earlier stop at a bad line', 1);
\endif

-- ---------- resolution of calls ----------

-- Expressions on arrays resolve as without the extension.  dlints_catalog has its casts, functions and operators.
SELECT is_empty('SELECT typname FROM pg_type WHERE typcategory = ''A'' AND typispreferred',
                'no array type is preferred');
SELECT is_empty('SELECT oid::regoperator FROM pg_operator
	WHERE oprleft = ANY (''{dlints_vector,dlints_vector[]}''::regtype[])
	OR oprright = ANY (''{dlints_vector,dlints_vector[]}''::regtype[])',
	'no operator takes a dlints_vector or an array of it');

SELECT * FROM finish();
ROLLBACK;
