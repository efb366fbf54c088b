-- Contexts come as arrays of any numbers, and as text that is numbers, as drivers
-- send them: the same numbers make the same model and the same answers, bit for bit.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

CREATE TEMP TABLE model AS
SELECT dlints_update(one_memory(2, discount => 0.9), ARRAY[0.3, -1], 0.5) AS m,
    dlints_update(one_memory(2, discount => 0.9, shared_dim => 2, intercept => true),
        ARRAY[0.3, -1],
        ARRAY[1, 0.7], 0.5) AS s;

-- every function that takes contexts, with :x for a context and :u for a shared one
CREATE TEMP TABLE call AS
SELECT statement FROM lines($$
    dlints_send(dlints_update(m, :x, 2))
    dlints_send(dlints_update(s, :x, :u, 2))
    dlints_send(dlints_update_batch(m, ARRAY[:x, :x], ARRAY[2, 3]))
    dlints_send(dlints_update_batch(s, ARRAY[:x, :x], ARRAY[:u, :u], ARRAY[2, 3]))
    dlints_send(dlints_update_reduced(m, :x, 2))
    dlints_draw_weights(s, :u, 3)
    dlints_dot(ARRAY[0.7, 1e-5], :x)
    dlints_project(m, :x)
    dlints_project(s, :x, :u)
    dlints_predict(m, :x)
    dlints_predict(s, :x, :u)
    dlints_stddev(m, :x)
    dlints_stddev(s, :x, :u)
    dlints_weights(s, :u)
    dlints_accepts(m, :x)
    dlints_accepts(m, :x, 2)
    dlints_accepts(s, :x, :u)
    dlints_accepts(s, :x, :u, 2)
    $$) AS statement;
CREATE FUNCTION answer(statement text, x text, u text) RETURNS text LANGUAGE sql AS
$$ SELECT outcome(format('SELECT %s FROM model', replace(replace(statement, ':x', x), ':u', u))) $$;

SELECT plan(45);

-- the numbers in each form, and what they are in double precision; a context and a shared
-- context of types of their own; literals that nobody gave a type, which are text[]
SELECT is(string_agg(statement || ': ' || have, E'\n')
    FILTER (WHERE have <> want OR want NOT LIKE 'gives %'),
    NULL, format('%s and %s in %s calls', x, u, count(*)))
FROM (VALUES
    ('ARRAY[0.1, 0.2]::real[]', NULL, 'ARRAY[0.1::real, 0.2::real]', NULL),
    ('ARRAY[0.1, 0.2]', NULL, 'ARRAY[0.1, 0.2]', NULL),
    ('ARRAY[1, -2]', NULL, 'ARRAY[1, -2]', NULL),
    ('ARRAY[32767, -32768]::smallint[]', NULL, 'ARRAY[32767, -32768]', NULL),
    ('ARRAY[9007199254740993, -2]', NULL, 'ARRAY[9007199254740993::bigint, -2]', NULL),
    ('ARRAY[true, false]', NULL, 'ARRAY[1, 0]', NULL),
    ('ARRAY[''0.1'', '' 2e-1 '']', NULL, 'ARRAY[0.1, 0.2]', NULL),
    ('ARRAY[1.00000000000000000000000000000001, 1e-320]', NULL,
        'ARRAY[1, ''1e-320''::float8]', NULL),
    ('''[0:1]={0.1,0.2}''::real[]', NULL, 'ARRAY[0.1::real, 0.2::real]', NULL),
    ('''[-7:-6]={0.1,0.2}''::numeric[]', NULL, 'ARRAY[0.1, 0.2]', NULL),
    ('(ARRAY[0.1, 0.2, NULL]::real[])[1:2]', NULL, 'ARRAY[0.1::real, 0.2::real]', NULL),
    ('ARRAY[0.5, 2]::real[]', 'ARRAY[0.1, 0.2]::float8[]', 'ARRAY[0.5, 2]', 'ARRAY[0.1, 0.2]'),
    ('ARRAY[0.5, 2]::float8[]', 'ARRAY[1, 3]', 'ARRAY[0.5, 2]', 'ARRAY[1, 3]'),
    ('ARRAY[1, 2]::smallint[]', 'ARRAY[0.1, 0.2]', 'ARRAY[1, 2]', 'ARRAY[0.1, 0.2]'),
    ('''{0.1,0.2}''', '''{1,-2}''', 'ARRAY[0.1, 0.2]', 'ARRAY[1, -2]')) AS v (x, u, nx, nu), call,
    LATERAL (SELECT answer(statement, x, coalesce(u, x)),
                 answer(statement, nx || '::float8[]', coalesce(nu, nx) || '::float8[]'))
                     AS a (have, want)
-- (what an untyped third argument of dlints_accepts is, has to be said, and so has a batch)
WHERE CASE WHEN u LIKE 'ARRAY%' THEN statement LIKE '%:x%:u%'
           WHEN u LIKE '''%' THEN statement !~ 'batch|accepts\(s, :x, :u\)' ELSE true END
GROUP BY x, u ORDER BY x;
SELECT is(answer($$dlints_send(dlints_update_batch(s, '{{0.1,0.2},{3,4}}', '{{1,-2},{0,1}}',
    '{2,3}'::float8[]))$$, '', ''),
    answer('dlints_send(dlints_update_batch(s, ARRAY[[0.1, 0.2], [3, 4]]::float8[], '
           'ARRAY[[1, -2], [0, 1]]::float8[], ARRAY[2, 3]))', '', ''),
    'an untyped batch, but for the rewards, which could be times');
PREPARE untyped AS
SELECT same_bytes(dlints_update(m, $1, $2), dlints_update(m, ARRAY[0.1, 0.2]::float8[], 2)),
    same_bytes(dlints_update(s, $1, $3, $2),
        dlints_update(s, ARRAY[0.1, 0.2]::float8[], ARRAY[1, -2]::float8[], 2)),
    same_bytes(dlints_update_batch(m, $4, $5),
        dlints_update_batch(m, ARRAY[[0.1, 0.2], [3, 4]]::float8[], ARRAY[2, 3])),
    dlints_predict(m, $1) = dlints_predict(m, ARRAY[0.1, 0.2]::float8[]),
    dlints_accepts(m, $1, reward => $2), dlints_accepts(s, $1, shared => $3)
FROM model;
SELECT results_eq($$EXECUTE untyped('{0.1,0.2}', 2, '{1,-2}', '{{0.1,0.2},{3,4}}', '{2,3}')$$,
    'VALUES (true, true, true, true, true, true)', 'untyped parameters');

-- what is no number
CREATE TEMP VIEW refused AS
SELECT code, left(outcome(format('SELECT %s FROM model', call)), 5) AS got, call
FROM (VALUES
    ('22003', $$
    dlints_update(m, ARRAY['0.1', 'NaN'], 1)
    dlints_update(m, ARRAY['0.1', '1e400'], 1)
    dlints_update(m, ARRAY[0.1, 'NaN']::numeric[], 1)
    dlints_update(m, ARRAY[1e400, 1], 1)
    dlints_update(m, '{inf,1}', 1)
    $$),
    ('42804', $$
    dlints_update(m, ARRAY[1, 2]::varchar[], 1)
    dlints_update(m, ARRAY[1, 2]::bpchar[], 1)
    dlints_update(m, ARRAY[now(), now()], 1)
    dlints_update(m, ARRAY[now() - now(), now() - now()], 1)
    dlints_update(m, ARRAY[gen_random_uuid(), gen_random_uuid()], 1)
    dlints_update(m, ARRAY[1, 2]::oid[], 1)
    dlints_update(m, ARRAY[1, 2]::money[], 1)
    dlints_update(m, ARRAY['a', 'b']::name[], 1)
    dlints_update(m, ARRAY['1', '2']::jsonb[], 1)
    dlints_update(m, ARRAY[row(1, 2), row(3, 4)], 1)
    dlints_update(m, ARRAY['1', '2']::bytea[], 1)
    dlints_update(s, ARRAY[1, 2]::varchar[], ARRAY[1, 2]::varchar[], 1)
    dlints_dot(ARRAY[1, 2], ARRAY[1, 2]::oid[])
    dlints_predict(m, '{}'::uuid[])
    dlints_update_batch(m, ARRAY[ARRAY[1, 2]::varchar[]], ARRAY[1])
    dlints_weights(s, ARRAY[1, 2]::oid[])
    $$)) AS v (code, calls), lines(calls) AS call;
SELECT is(got, code, call) FROM refused;
SELECT each_is(format('22P02: invalid input syntax for type double precision: "%s"', word),
    format('dlints_update(m, ARRAY[''0.1'', ''%s''], 1)', word), 'FROM model')
FROM unnest('{abc,"",0.2x,0.2 0.3}'::text[]) AS word;
-- there are no dimensions in '{}', and none is too few
SELECT throws_ok(format('SELECT dlints_predict(m, ''{}''%s) FROM model', type), '22000',
    'expected 2 dimensions, not 0', 'empty' || type)
FROM unnest('{"",::real[],::numeric[]}'::text[]) AS type;
SELECT * FROM finish();
ROLLBACK;
