-- Each function of the extension accepts NULL for each argument, or raises an error for it.
\ir include/helpers.sql

-- a value of each argument type
CREATE TEMP TABLE sample (type regtype, value text);
INSERT INTO sample VALUES
	('dlints', '(SELECT dlints_with_prior(m, m)
	             FROM dlints_update(one_memory(2, discount => 1), ARRAY[1, 2], 1) AS m)'),
	('jsonb', 'one_memory(2)::jsonb'),
	('double precision[]', 'ARRAY[1, 2]'),
	('dlints_vector', '''{1,2}'''), ('double precision', '1'),
	('integer', '2'), ('bigint', '1'), ('boolean', 'true'), ('text', '''ucb'''), ('oid', '0'),
	('bytea', 'dlints_pack(''{1,2}'')'),
	('text[]', '''{a,b}'''),
	('cstring', '''{}'''), ('cstring[]', '''{2}'''), ('"any"', '''name'''),
	('interval', '''1 day'''), ('timestamptz', '''2026-01-01'''),
	('timestamptz[]', '''{2026-01-01,2026-01-02}''');

CREATE TEMP TABLE member AS
SELECT p.oid::regprocedure::text AS name, p.oid, prokind, proname, pronargs,
       proargtypes::oid[]::regtype[] AS types, lanname
FROM pg_proc AS p JOIN pg_language AS l ON l.oid = prolang
JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'dlints';
-- Functions with internal arguments cannot be called directly, and support functions of aggregates refuse direct
-- calls.  Casts cover the functions of arrays.  Other tests cover functions with queries and names of columns
-- (27_factors.sql, 27_neighbours.sql), functions that write statements (45_recommender_hostile.sql) and
-- dlints_decide (53_decide.sql).
CREATE TEMP TABLE callable AS
SELECT * FROM member
WHERE prokind = 'f' AND lanname = 'c' AND proname !~ '^_|(transfn|combinefn|finalfn|_factors|_neighbours)$'
AND NOT types && '{internal,anyarray}';

-- Internal functions, with NULL for all arguments
CREATE TEMP TABLE internal_call AS
SELECT m.name, outcome(format('SELECT %s(%s)::text', m.oid::regproc, (
           SELECT string_agg(format('NULL::%s', CASE WHEN type IN ('"any"'::regtype, 'anyelement'::regtype,
                                                                   'anycompatible'::regtype) THEN 'integer'
                                                     WHEN type IN ('anyarray'::regtype) THEN 'integer[]'
                                                     ELSE type::text END), ', ' ORDER BY place)
           FROM unnest(m.types) WITH ORDINALITY a (type, place)))) AS outcome
FROM   member m WHERE m.prokind = 'f' AND m.proname ~ '^_' AND cardinality(m.types) > 0;

-- a value of a type as SQL text; NULL has any type
CREATE FUNCTION value_of(type regtype, value text) RETURNS text LANGUAGE sql AS $$
SELECT format('(%s)::%s', coalesce(value, 'NULL'),
              CASE type WHEN '"any"'::regtype THEN 'text' ELSE type END)
$$;
-- each function without NULLs, with each argument NULL, and with all NULL
CREATE FUNCTION tried(m oid, nulls integer[]) RETURNS text LANGUAGE sql AS $$
SELECT outcome(format('SELECT %s(%s)::text', oid::regproc, (
	SELECT string_agg(value_of(type, CASE WHEN place <> ALL (nulls) THEN value END),
	                  ', ' ORDER BY place)
	FROM unnest(types) WITH ORDINALITY AS a (type, place) LEFT JOIN sample USING (type))))
FROM callable WHERE oid = m
$$;
CREATE TEMP VIEW call AS
SELECT name, nulls, tried(oid, nulls) AS outcome
FROM callable, LATERAL (
	SELECT '{}'::integer[] AS nulls
	UNION SELECT ARRAY[i] FROM generate_series(1, pronargs) AS i
	UNION SELECT array_agg(i) FROM generate_series(1, pronargs) AS i) AS n;

-- for a plain model with a prior, one with a profile and an intercept, and one with a half-life
CREATE TEMP TABLE result AS SELECT 'plain' AS model, * FROM call;
UPDATE sample SET value = 'dlints_update(one_memory(2, discount => 1,
	interactions => ''matched'', intercept => true),
	ARRAY[1, 2], 1, ARRAY[3, 4])' WHERE type = 'dlints'::regtype;
INSERT INTO result SELECT 'matched', * FROM call;
UPDATE sample SET value = 'dlints_update(dlints_new(2, half_life => ''1 day'', memories => 3),
	ARRAY[1, 2], 1, at => ''2026-01-01'')' WHERE type = 'dlints'::regtype;
INSERT INTO result SELECT 'by time', * FROM call;

-- window functions, called with NULLs only; the meaning of IGNORE NULLS for them is undefined
CREATE TEMP TABLE over_window AS
SELECT name, format('SELECT %s(%s) IGNORE NULLS OVER ()', oid::regproc, (
	SELECT string_agg(value_of(type, NULL), ', ' ORDER BY place)
	FROM unnest(types) WITH ORDINALITY AS a (type, place))) AS call
FROM member WHERE prokind = 'w';

SELECT plan((SELECT 5 + count(*) FROM callable)::integer + (SELECT count(*) FROM over_window)::integer);
SELECT is_empty('SELECT unnest(types) FROM callable EXCEPT SELECT type FROM sample',
                'there is a sample for every type of argument');
SELECT is_empty($$SELECT type FROM sample EXCEPT SELECT unnest(types) FROM callable$$,
                'every sample is of a type of an argument');
SELECT set_eq(
	$$SELECT name FROM result
	  EXCEPT SELECT name FROM result WHERE nulls = '{}' AND outcome ~ '^gives '$$,
	$$SELECT name FROM callable
	  WHERE name IN ('dlints(dlints,integer,boolean)', 'dlints_encode(integer,"any")',
	                 'dlints_in(cstring,oid,integer)', 'dlints_pack(dlints_vector,bigint)')
	  OR proname IN ('dlints_update_batch', 'dlints_new', 'dlints_bounds')$$,
	'calls without NULL succeed, but where no sample has that form');
SELECT is(string_agg(concat_ws(' ', model, nulls, outcome), E'\n')
          FILTER (WHERE outcome !~ '^gives |^22'), NULL, name || ' takes NULLs or refuses them')
FROM result GROUP BY name ORDER BY name;
SELECT isnt_empty('TABLE over_window', 'there are window functions');
SELECT is(string_agg(concat_ws(' ', name, outcome), E'\n'), NULL,
          'internal functions accept NULL for all arguments, or raise an error that is no internal one')
FROM   internal_call WHERE outcome ~ '^XX' OR outcome !~ '^(gives |[0-9A-Z]{5}: )';
SELECT throws_ok(call, CASE WHEN current_setting('server_version_num')::integer >= 190000
                            THEN '0A000' ELSE '42601' END, NULL,
                 name || ' refuses IGNORE NULLS, which older servers do not know')
FROM over_window ORDER BY name;
SELECT * FROM finish();
ROLLBACK;
