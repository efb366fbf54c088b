-- Text that is no model, where PostgreSQL asks instead of failing (16 and later).
\ir include/helpers.sql
SELECT current_setting('server_version_num')::integer >= 160000 AS asks,
    current_setting('server_version_num')::integer >= 170000 AS copies \gset
SELECT plan(9);
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
    ('a parameter out of range', 'dlints', '"ridge": 1', '"ridge": 1e300'))
        AS v (what, type, was, text_in);
\if :asks
-- the same that fails without being asked
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
SELECT results_eq('TABLE copied', 'SELECT one_memory(2, discount => 1)',
    'COPY goes on behind bad lines');
\else
SELECT skip('PostgreSQL 16 and earlier stop at a bad line', 1);
\endif
SELECT * FROM finish();
ROLLBACK;
