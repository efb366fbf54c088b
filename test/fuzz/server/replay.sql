-- Run the tests of the module dlints_fuzz, and print their results as TAP: the kept inputs are read, and each support
-- function is called with arguments that no aggregate passes.  Run this script at the top of the source tree; the
-- variable "module" is the path of dlints_fuzz.  The name of an input may contain the expected result.
\ir setup.sql
\pset format unaligned
\pset tuples_only on
CREATE TABLE input (name text, digits text);
\copy input FROM test/fuzz/inputs WITH (DELIMITER ' ')

CREATE FUNCTION dlints_call_alone(regprocedure) RETURNS boolean AS :'module' LANGUAGE C;
CREATE FUNCTION dlints_call_as_aggregate(regprocedure) RETURNS boolean AS :'module' LANGUAGE C;

\ir ../../pgtap/include/outcome.sql

-- Statements, each with a pattern that its result must match
CREATE TABLE test (number serial, name text, statement text, expected text);
INSERT INTO test (name, statement, expected)
SELECT name, format('SELECT dlints_read_inputs(ARRAY[decode(%L, %L)])', digits, 'hex'),
    format('^gives \{%s\}$', CASE WHEN name ~ '/accepted-' THEN 't'
                                  WHEN name ~ '/refused-' THEN 'f' ELSE '[tf]' END)
FROM input WHERE name ~ '^readers/' ORDER BY name COLLATE "C";

-- A support function without work may return NULL; a strict one must check its context first.  If the state has an
-- SQL type, the result of a NULL state may be a value.
INSERT INTO test (name, statement, expected)
SELECT DISTINCT p.oid::regprocedure || c.how, format('SELECT %s(%L)', c.call, p.oid::regprocedure),
    c.expected
FROM pg_aggregate AS a
JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = a.aggfnoid AND d.deptype = 'e'
JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
    AND e.extname = 'dlints',
LATERAL (VALUES (a.aggtransfn), (a.aggfinalfn), (a.aggcombinefn), (a.aggserialfn),
                (a.aggdeserialfn), (a.aggmtransfn), (a.aggminvtransfn), (a.aggmfinalfn))
    AS s (function)
JOIN pg_proc AS p ON s.function = p.oid,
LATERAL (VALUES (CASE WHEN a.aggtranstype = 'internal'::regtype THEN 'true'
                      ELSE '(true|false)' END)) AS g (gives),
LATERAL (VALUES
    (' alone', 'dlints_call_alone',
     CASE WHEN p.proisstrict THEN '' ELSE format('^gives %s$|', gives) END
         || '^42809: aggregate support function called in non-aggregate context$'),
    (' without arguments', CASE WHEN NOT p.proisstrict THEN 'dlints_call_as_aggregate' END,
        format('^gives %s$|^22004: ', gives))) AS c (how, call, expected)
WHERE c.call IS NOT NULL;

SELECT '1..' || count(*) FROM test;
SELECT format(CASE WHEN outcome ~ expected THEN 'ok %s - %s: %s'
    ELSE E'not ok %s - %s\n# have: %s' END, number, name, outcome)
FROM (SELECT *, outcome(statement) FROM test OFFSET 0) AS t ORDER BY number;
