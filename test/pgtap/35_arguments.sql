-- Features can be arrays of any numeric type: equal numbers give equal models and results, bit by bit.
\ir include/helpers.sql

CREATE TEMP TABLE model AS
SELECT dlints_update(one_memory(2, discount => 0.9), ARRAY[0.3, -1], 0.5) AS m,
    dlints_update(one_memory(2, discount => 0.9, interactions => 'matched',
        intercept => true), ARRAY[0.3, -1], 0.5, ARRAY[1, 0.7]) AS s;

-- every function that takes features, with :x for them and :u for a profile
CREATE TEMP TABLE call AS
SELECT statement FROM lines($$
    dlints_send(dlints_update(m, :x, 2))
    dlints_send(dlints_update(s, :x, 2, :u))
    dlints_send(dlints_update_batch(m, ARRAY[:x, :x], ARRAY[2, 3]))
    dlints_send(dlints_update_batch(s, ARRAY[:x, :x], ARRAY[2, 3], ARRAY[:u, :u]))
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
    dlints_accepts(s, :x, 2, :u)
    $$) AS statement;
-- (columns have their types; a literal gets the type that the call requires)
CREATE FUNCTION answer(statement text, x text, u text) RETURNS text LANGUAGE sql AS $$
SELECT outcome(format('SELECT %s FROM model, (SELECT %s AS x, %s AS u OFFSET 0) AS v',
    replace(replace(statement, ':x', 'x'), ':u', 'u'), x, u))
$$;

SELECT plan(52);

-- the numbers in each form, and their values in double precision; domains as types of features and profile
SELECT is(string_agg(statement || ': ' || have, E'\n')
    FILTER (WHERE have <> want OR want NOT LIKE 'gives %'),
    NULL, format('%s and %s in %s calls', x, u, count(*)))
FROM (VALUES
    ('ARRAY[0.1, 0.2]::real[]', NULL, 'ARRAY[0.1::real, 0.2::real]', NULL),
    ('ARRAY[0.1, 0.2]', NULL, 'ARRAY[0.1, 0.2]', NULL),
    ('ARRAY[1, -2]', NULL, 'ARRAY[1, -2]', NULL),
    ('ARRAY[32767, -32768]::smallint[]', NULL, 'ARRAY[32767, -32768]', NULL),
    ('ARRAY[9007199254740993, -2]', NULL, 'ARRAY[9007199254740993::bigint, -2]', NULL),
    ('ARRAY[1.00000000000000000000000000000001, 1e-320]', NULL, 'ARRAY[1, ''1e-320''::float8]', NULL),
    ('''[0:1]={0.1,0.2}''::real[]', NULL, 'ARRAY[0.1::real, 0.2::real]', NULL),
    ('''[-7:-6]={0.1,0.2}''::numeric[]', NULL, 'ARRAY[0.1, 0.2]', NULL),
    ('(ARRAY[0.1, 0.2, NULL]::real[])[1:2]', NULL, 'ARRAY[0.1::real, 0.2::real]', NULL),
    ('ARRAY[0.5, 2]::real[]', 'ARRAY[0.1, 0.2]::float8[]', 'ARRAY[0.5, 2]', 'ARRAY[0.1, 0.2]'),
    ('ARRAY[0.5, 2]::float8[]', 'ARRAY[1, 3]', 'ARRAY[0.5, 2]', 'ARRAY[1, 3]'),
    ('ARRAY[1, 2]::smallint[]', 'ARRAY[0.1, 0.2]', 'ARRAY[1, 2]', 'ARRAY[0.1, 0.2]')) AS v (x, u, nx, nu), call,
    LATERAL (SELECT answer(statement, x, coalesce(u, x)),
                 answer(statement, nx || '::float8[]', coalesce(nu, nx) || '::float8[]')) AS a (have, want)
WHERE u IS NULL OR statement LIKE '%:x%:u%' GROUP BY x, u ORDER BY x;

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
    dlints_update(s, ARRAY[1, 2]::varchar[], 1, ARRAY[1, 2]::varchar[])
    dlints_update(s, ARRAY[1, 2]::oid[], 1, ARRAY[1, 2]::oid[])
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

-- Arrays of numbers lead to dlints_vector by casts.  Whatever others write about arrays
-- resolves with the extension as without it, to the same function and type.
-- what helps here stays, what is about models goes, and the extension
DROP EXTENSION dlints CASCADE;

-- ---------- what others have ----------

CREATE DOMAIN counts AS integer[] CHECK (cardinality(VALUE) < 9);
CREATE DOMAIN fraction AS float8;
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TEMP TABLE mine (i integer[], r real[], d float8[], n numeric[], t text[], c counts, m mood[]);
INSERT INTO mine VALUES ('{1,2}', '{1.5,2}', '{1.5,2}', '{1.5,2}', '{a,b}', '{1}', '{ok}');

-- overloads: for each set of these types functions of that name, which tell who was called
CREATE TEMP TABLE type (type text, letter text);
INSERT INTO type VALUES ('integer[]', 'i'), ('text[]', 't'), ('float8[]', 'd'), ('real[]', 'r'),
	('numeric[]', 'n'), ('anyarray', 'a'), ('anycompatiblearray', 'c'), ('text', 's'),
	('jsonb', 'j');
CREATE TEMP TABLE overload AS
WITH RECURSIVE chosen (name, types, last) AS (
	SELECT 'of_', '{}'::text[], ''
	UNION ALL
	SELECT name || letter, types || type, letter FROM chosen, type
	WHERE letter > last AND cardinality(types) < 3)
SELECT name, types FROM chosen WHERE types <> '{}';
SELECT format('CREATE FUNCTION %s(%s) RETURNS text LANGUAGE sql AS %L', name, type,
	format('SELECT %L', type)) FROM overload, unnest(types) AS type \gexec
SELECT format('CREATE FUNCTION two_%s(%s, %s) RETURNS text LANGUAGE sql AS %L', name, a, b,
	format('SELECT %L', a || ', ' || b))
FROM overload, unnest(types) AS a, unnest(types) AS b WHERE name ~ '^of_[dirnt]{2}$' \gexec

-- polymorphic ones, such with a default, variadic ones, aggregates, operators
CREATE FUNCTION same_array(anyarray) RETURNS anyarray LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION element_of(anyarray) RETURNS anyelement LANGUAGE sql AS 'SELECT $1[1]';
CREATE FUNCTION array_of(anyelement, anyelement) RETURNS anyarray LANGUAGE sql
	AS 'SELECT ARRAY[$1, $2]';
CREATE FUNCTION put(anyarray, anyelement) RETURNS anyarray LANGUAGE sql AS 'SELECT $1 || $2';
CREATE FUNCTION either(anycompatiblearray, anycompatiblearray DEFAULT '{}'::text[])
	RETURNS anycompatiblearray LANGUAGE sql AS 'SELECT coalesce($1, $2)';
CREATE FUNCTION put_compatible(anycompatiblearray, anycompatible) RETURNS anycompatiblearray
	LANGUAGE sql AS 'SELECT $1 || $2';
CREATE FUNCTION all_of(VARIADIC anyarray) RETURNS anyarray LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION fractions(VARIADIC float8[]) RETURNS float8[] LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION both_of(anycompatiblearray, anycompatiblearray) RETURNS anycompatiblearray
	LANGUAGE sql AS 'SELECT $1 || $2';
CREATE AGGREGATE joined(anycompatiblearray) (SFUNC = both_of, STYPE = anycompatiblearray, INITCOND = '{}');
CREATE FUNCTION plus_int(integer[], integer[]) RETURNS text LANGUAGE sql
	AS $$ SELECT 'integer[]' $$;
CREATE FUNCTION plus_float(float8[], float8[]) RETURNS text LANGUAGE sql
	AS $$ SELECT 'float8[]' $$;
CREATE OPERATOR |+| (FUNCTION = plus_int, LEFTARG = integer[], RIGHTARG = integer[]);
CREATE OPERATOR |+| (FUNCTION = plus_float, LEFTARG = float8[], RIGHTARG = float8[]);

-- ---------- what they write ----------

CREATE TEMP TABLE operand AS SELECT operand FROM lines($$
    '{1,2}'
    NULL
    ARRAY[1, 2]
    ARRAY[1.5, 2]
    ARRAY['1', '2']
    ARRAY[NULL]
    ARRAY[[1, 2], [3, 4]]
    ARRAY[]::smallint[]
    ARRAY[1, 2]::bigint[]
    ARRAY[1, 2]::fraction[]
    ARRAY[now(), NULL]
    '{1,2}'::varchar[]
    '1 2'::int2vector
    7
    '7'::text
    i
    r
    d
    n
    t
    c
    m
    $$) AS operand;
CREATE TEMP TABLE expression AS
-- each function with each operand, each operator with each two
SELECT format('%s(%s)', name, operand) AS expression FROM overload, operand
UNION ALL
SELECT format('two_%s(%s, %s)', name, a.operand, b.operand)
FROM overload, operand AS a, operand AS b WHERE name ~ '^of_[dirnt]{2}$'
AND (a.operand IN ('NULL', '''{1,2}''') OR b.operand IN ('NULL', '''{1,2}'''))
UNION ALL
SELECT format('%s %s %s', a.operand, operator, b.operand)
FROM operand AS a, operand AS b,
	unnest('{=,<>,<,>=,@>,<@,&&,||,|+|,"= ANY","<> ALL","IS DISTINCT FROM"}'::text[]) AS operator
UNION ALL
SELECT format(form, a.operand, b.operand) FROM operand AS a, operand AS b, lines($$
    array_append(%s, %s)
    array_prepend(%s, %s)
    array_cat(%s, %s)
    array_remove(%s, %s)
    array_position(%s, %s)
    array_replace(%s, %s, NULL)
    array_to_string(%s, %s)
    put(%s, %s)
    either(%s, %s)
    put_compatible(%s, %s)
    array_of(%s, %s)
    CASE WHEN true THEN %s ELSE %s END
    COALESCE(%s, %s)
    GREATEST(%s, %s)
    NULLIF(%s, %s)
    ARRAY[%s, %s]
    concat(%s, %s)
    (SELECT v FROM (VALUES (%s), (%s)) AS v (v) LIMIT 1)
    (SELECT %s UNION ALL SELECT %s LIMIT 1)
    %s IN (%s)
    format('%%s', %s) || %s
    $$) AS form
UNION ALL
SELECT format(form, operand) FROM operand, lines($$
    same_array(%s)
    element_of(%s)
    all_of(%s, %1$s)
    all_of(VARIADIC %s)
    fractions(VARIADIC %s)
    fractions(%s)
    either(%s)
    (SELECT joined(%s))
    (SELECT array_agg(%s))
    (SELECT min(%s))
    (SELECT count(u) FROM unnest(%s) AS u)
    array_length(%s, 1)
    cardinality(%s)
    array_dims(%s)
    array_ndims(%s)
    to_jsonb(%s)
    jsonb_build_array(%s)
    num_nulls(VARIADIC %s)
    concat(%s)
    (%s)[1]
    (%s)[1:1]
    %s::text
    %s::float8[]
    %s::integer[]
    hashtext(%s::text)
    width_bucket(1.5, %s)
    percentile_cont(%s) WITHIN GROUP (ORDER BY 1.5)
    string_to_array('1,2', %s)
    tsvector_to_array(array_to_tsvector(%s))
    $$) AS form;
-- and parameters without a type: what PostgreSQL takes them for
CREATE TEMP TABLE parameter AS
SELECT format('%s($1)', name) AS expression FROM overload
UNION ALL
SELECT format('%s %s $1', operand, operator)
FROM operand, unnest('{=,<@,&&,||,|+|,"= ANY"}'::text[]) AS operator
UNION ALL
SELECT format(form, operand) FROM operand, unnest('{"either($1, %s)","either(%s, $1)",
	"array_cat($1, %s)","array_append($1, %s)","COALESCE($1, %s)","ARRAY[$1, %s]",either($1),
	same_array($1),all_of($1),fractions($1),"fractions(VARIADIC $1)"}'::text[]) AS form;

-- the type of an expression and its value, or the error
CREATE FUNCTION found(expression text) RETURNS text LANGUAGE sql AS $$
SELECT outcome(format('SELECT pg_typeof(v) || '' '' || coalesce(v::text, ''NULL'')
	FROM (SELECT %s FROM mine) AS q (v)', expression))
$$;
CREATE FUNCTION taken_for(expression text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	DEALLOCATE ALL;
	EXECUTE format('PREPARE asked AS SELECT %s FROM mine', expression);
	RETURN (SELECT parameter_types::text FROM pg_prepared_statements WHERE name = 'asked');
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ': ' || SQLERRM;
END
$$;
CREATE TEMP VIEW resolution AS
SELECT expression, found(expression) AS found FROM expression
UNION ALL SELECT expression, taken_for(expression) FROM parameter;
CREATE TEMP VIEW taken AS
SELECT oid::regoperator AS operator FROM pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace;
CREATE TEMP TABLE before AS TABLE resolution;
CREATE TEMP TABLE operators_before AS TABLE taken;

CREATE EXTENSION dlints;

SELECT is(string_agg(format('%s: %s, was %s', expression, r.found, b.found), E'\n'), NULL,
          format('%s expressions resolve as before', (SELECT count(*) FROM before)))
FROM before AS b FULL JOIN resolution AS r USING (expression)
WHERE r.found IS DISTINCT FROM b.found;
SELECT cmp_ok(count(*) FILTER (WHERE found ~ '^(gives|{)'), '>', 3000::bigint, 'more than 3,000 expressions resolve')
FROM before;
SELECT cmp_ok(count(DISTINCT substring(found FROM '^gives (.*?\[\]) ')), '>', 8::bigint,
              'expressions resolve to arrays of more than eight types') FROM before;
SELECT is_empty('SELECT typname FROM pg_type WHERE typcategory = ''A'' AND typispreferred',
                'no array type is preferred');
SELECT is_empty('TABLE taken EXCEPT TABLE operators_before', 'the extension adds no operators to those of arrays');
SELECT is_empty('SELECT oid::regoperator FROM pg_operator
	WHERE ''dlints_vector''::regtype IN (oprleft, oprright)', 'none takes it, nor the arrays of it');

SELECT * FROM finish();
ROLLBACK;
