-- No function falls over a NULL, wherever there can be one.  Which functions there
-- are, the catalogue says.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

-- something of each type that an argument has
CREATE TEMP TABLE sample (type regtype, value text);
INSERT INTO sample VALUES
    ('dlints', 'dlints_update(one_memory(2, discount => 1), ARRAY[1, 2], 1)'), ('jsonb', 'one_memory(2)::jsonb'), ('anycompatiblearray', 'ARRAY[1, 2]::real[]'),
    ('real[]', 'ARRAY[1, 2]'), ('double precision[]', 'ARRAY[1, 2]'), ('double precision', '1'), ('integer', '2'), ('bigint', '7'),
    ('boolean', 'true'), ('text', '''ucb'''), ('oid', '0'), ('regclass', '''kind'''), ('name', '''empty'''), ('cstring', '''{}'''), ('cstring[]', '''{2}'''),
    ('"any"', '''name'''), ('interval', '''1 day'''), ('timestamptz', '''2026-01-01'''), ('timestamptz[]', '''{2026-01-01,2026-01-02}''');

CREATE TEMP TABLE member AS
SELECT p.oid::regprocedure::text AS name, p.oid, p.pronargs, p.proargtypes::oid[]::regtype[] AS types FROM pg_proc AS p
JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
-- what takes an internal value cannot be called by hand, and an aggregate's functions refuse to be;
-- 27_factors.sql calls the one that wants queries and names of columns
WHERE e.extname = 'dlints' AND p.prokind = 'f' AND p.proname !~ '(transfn|combinefn|finalfn|_factors)$' AND 'internal'::regtype <> ALL (p.proargtypes::oid[]::regtype[]);

-- every function with no argument NULL, with each in turn, and with all of them
CREATE TEMP VIEW call AS
SELECT name, nulls, outcome(format('SELECT %s(%s)::text', oid::regproc, (SELECT string_agg(format('(%s)::%s', CASE WHEN place = ANY (nulls) THEN 'NULL' ELSE value END,
                                                                                  CASE type WHEN 'anycompatiblearray'::regtype THEN 'real[]'::regtype WHEN '"any"'::regtype THEN 'text' ELSE type END), ', ' ORDER BY place)
                                                                  FROM unnest(types) WITH ORDINALITY AS a (type, place) LEFT JOIN sample USING (type)))) AS outcome
FROM member, LATERAL (SELECT '{}'::integer[] AS nulls UNION ALL SELECT ARRAY[i] FROM generate_series(1, pronargs) AS i UNION ALL SELECT array_agg(i) FROM generate_series(1, pronargs) AS i) AS n;

-- of a model without a shared context, and of one with it and an intercept
CREATE TEMP TABLE result AS SELECT * FROM call;
UPDATE sample SET value = 'dlints_update(one_memory(2, 1, 1, shared_dim => 2, intercept => true), ARRAY[1, 2], ARRAY[3, 4], 1)' WHERE type = 'dlints'::regtype;
INSERT INTO result SELECT * FROM call;
-- and of one by time, with several memories
UPDATE sample SET value = 'dlints_update(dlints_new(2, half_life => ''1 day'', memories => 3), ARRAY[1, 2], 1, ''2026-01-01'')' WHERE type = 'dlints'::regtype;
INSERT INTO result SELECT * FROM call;

-- the window functions, called with NULLs only; what IGNORE NULLS would leave out of them is not clear
CREATE TEMP TABLE over_window AS
SELECT p.oid::regprocedure::text AS name, format('SELECT %s(%s) IGNORE NULLS OVER ()', p.oid::regproc,
	(SELECT string_agg(format('NULL::%s', CASE type WHEN 'anycompatiblearray'::regtype THEN 'real[]'::regtype ELSE type END), ', ' ORDER BY place)
	 FROM unnest(p.proargtypes::oid[]::regtype[]) WITH ORDINALITY AS a (type, place))) AS call
FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'dlints' AND p.prokind = 'w';

SELECT plan((SELECT 3 + count(*) FROM member)::integer + (SELECT count(*) FROM over_window)::integer);
SELECT is_empty('SELECT unnest(types) FROM member EXCEPT SELECT type FROM sample', 'there is a sample for every type of argument');
SELECT set_eq($$SELECT name FROM result EXCEPT SELECT name FROM result WHERE nulls = '{}' AND outcome ~ '^gives '$$,
              ARRAY['dlints(dlints,integer,boolean)', 'dlints_encode(integer,"any")', 'dlints_in(cstring,oid,integer)', 'dlints_update_batch(dlints,anycompatiblearray,double precision[],timestamp with time zone[],double precision[])',
                    'dlints_update_batch(dlints,anycompatiblearray,anycompatiblearray,double precision[],timestamp with time zone[],double precision[])',
                    'dlints_new(integer,integer,double precision,interval,integer,double precision,double precision,double precision,text,integer,text,boolean,bigint,double precision)'],
              'calls without NULL succeed, but where no sample has that form');
SELECT is(string_agg(nulls::text || ' ' || outcome, E'\n') FILTER (WHERE outcome !~ '^gives |^22'), NULL, name || ' takes NULLs or refuses them') FROM result GROUP BY name ORDER BY name;
SELECT isnt_empty('TABLE over_window', 'there are window functions');
SELECT throws_ok(call, CASE WHEN current_setting('server_version_num')::integer >= 190000 THEN '0A000' ELSE '42601' END,
                 NULL, name || ' refuses IGNORE NULLS, which older servers do not know') FROM over_window ORDER BY name;
SELECT * FROM finish();
ROLLBACK;
