-- The extension's objects in the catalogs
\pset format unaligned
\pset null NULL
CREATE TEMP VIEW member AS SELECT d.classid, d.objid FROM pg_depend AS d
  JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'dlints' AND d.deptype = 'e'
-- since PostgreSQL 17 array types and row types of views, which PostgreSQL makes, are members
AND NOT (d.classid = 'pg_type'::regclass
  AND EXISTS (SELECT FROM pg_type AS t LEFT JOIN pg_class AS c ON c.oid = t.typrelid
  WHERE t.typarray = d.objid OR t.oid = d.objid AND c.relkind = 'v'));

-- every object for users has a comment: not internal functions, and those of types and aggregates
SELECT pg_describe_object(classid, objid, 0) AS without_comment FROM member
WHERE obj_description(objid, classid::regclass::name) IS NULL
  AND (pg_identify_object(classid, objid, 0)).identity
      !~ '\m_dlints_|_(transfn|combinefn|finalfn|in|out|recv|send|support)\(' ORDER BY 1;
SELECT classid::regclass AS catalogue, count(*) FROM member GROUP BY 1
  ORDER BY classid::regclass::text COLLATE "C";

-- functions and aggregates: kind, volatility, parallel safety, strictness, set-returning
SELECT p.oid::regprocedure AS function, prokind AS kind, provolatile AS volatile,
  proparallel AS parallel, proisstrict AS strict, proretset AS set,
  pg_get_function_result(p.oid) AS result
FROM member JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND objid = p.oid
WHERE proname !~ '^_'
  ORDER BY p.oid::regprocedure::text COLLATE "C";

-- functions that draw random numbers or whose result depends on a setting are volatile
SELECT p.oid::regprocedure AS draws_yet_not_volatile FROM member
  JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND objid = p.oid
WHERE (proname ~ '^dlints_draw' OR proname ~ '^dlints_recommend.*_transfn$') AND provolatile <> 'v';
-- functions that draw random numbers are restricted to the leader of a parallel query
SELECT p.oid::regprocedure AS draws_yet_parallel_safe FROM member
  JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND objid = p.oid
WHERE (proname ~ '^dlints_(draw|choose)' OR (proname = 'dlints_recommend' AND prokind = 'a'))
  AND proparallel <> 'r';

-- Functions in SQL are bound when made or have a safe search_path; functions in PL/pgSQL have a safe search_path or
-- check that a schema was entered.  Their variables take precedence over columns that users add to tables.  Functions
-- run with their caller's rights, and no privilege is granted.
SELECT p.oid::regprocedure AS not_safe FROM member
  JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND objid = p.oid
  JOIN pg_language AS l ON l.oid = prolang
WHERE prokind <> 'a' AND CASE lanname
      WHEN 'c' THEN proconfig IS NOT NULL
      WHEN 'sql' THEN pg_get_function_sqlbody(p.oid) IS NULL
        AND NOT coalesce(proconfig, '{}') @> '{"search_path=pg_catalog, pg_temp"}'
      ELSE NOT coalesce(proconfig, '{}') @> '{"search_path=pg_catalog, pg_temp"}'
        AND (prosrc !~ ('^#variable_conflict use_variable\s+'
               '(DECLARE\s+own CONSTANT pg_catalog\.name :=|BEGIN\s+PERFORM) \w+\._dlints_check_entry\(\);')
             OR prosrc ~ '^\s*BEGIN.*\nEXCEPTION') END     -- a handler would run under any path
  OR lanname = 'plpgsql' AND prosrc !~ '^#variable_conflict use_variable'
  OR lanname <> 'c' AND prokind <> 'a' AND proname !~ '^_dlints_|^dlints_(create|alter|backtest|grant|winner)'
  OR prosecdef OR proacl IS NOT NULL;
SELECT typname AS granted FROM member
  JOIN pg_type AS t ON classid = 'pg_type'::regclass AND objid = t.oid WHERE typacl IS NOT NULL;

-- aggregates: state types, and which can be computed in parts
SELECT aggfnoid::regprocedure AS aggregate, aggtranstype::regtype AS state,
  aggcombinefn <> 0 AS combines, aggserialfn <> 0 AS serialises, aggfinalmodify AS final_modifies
FROM member JOIN pg_aggregate ON classid = 'pg_proc'::regclass AND objid = aggfnoid
  ORDER BY aggfnoid::regprocedure::text COLLATE "C";

-- casts and operators
SELECT castsource::regtype, casttarget::regtype, castcontext FROM member
  JOIN pg_cast AS c ON classid = 'pg_cast'::regclass AND objid = c.oid
  ORDER BY castsource::regtype::text COLLATE "C", casttarget::regtype::text COLLATE "C";
SELECT o.oid::regoperator FROM member
  JOIN pg_operator AS o ON classid = 'pg_operator'::regclass AND objid = o.oid
  ORDER BY o.oid::regoperator::text COLLATE "C";

-- names of arguments and their defaults are part of the contract
SELECT proname, pg_get_function_arguments(p.oid) AS arguments FROM member
  JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND objid = p.oid
WHERE proname !~ '(fn|_in|_out|_recv|_send|jsonb)$|^_'
  ORDER BY proname COLLATE "C", pg_get_function_arguments(p.oid) COLLATE "C";

-- views, which PUBLIC may read
SELECT c.oid::regclass AS view, relkind, array_to_string(relacl, ' ') LIKE '%=r/%' AS granted
  FROM member JOIN pg_class AS c ON classid = 'pg_class'::regclass AND objid = c.oid
  ORDER BY c.oid::regclass::text COLLATE "C";

-- the extension works in any schema, in or out of the search_path, and cannot be moved
SELECT extrelocatable FROM pg_extension WHERE extname = 'dlints';
CREATE SCHEMA elsewhere;
ALTER EXTENSION dlints SET SCHEMA elsewhere;
DROP EXTENSION dlints;
CREATE EXTENSION dlints SCHEMA elsewhere;
SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'dlints';
SET search_path = pg_catalog;
SELECT i.updates
  FROM elsewhere.dlints_info((SELECT elsewhere.dlints_concat_agg(e OPERATOR(elsewhere.||) e) FROM
  (SELECT elsewhere.dlints_evidence(elsewhere.dlints_new(2, 1), ARRAY[1, 2]::real[], 1)
    FROM generate_series(1, 3) AS g) AS s (e))) AS i;
SELECT sum(elsewhere.dlints_dot(elsewhere.dlints_weights(elsewhere.dlints_new(1)), ARRAY[g]::real[]))
  FROM generate_series(1, 3) AS g;
SELECT count(*) FROM elsewhere.dlints_recommenders;
SELECT pg_typeof(elsewhere.dlints_new(2)::text::elsewhere.dlints(2,
  intercept)::jsonb::elsewhere.dlints);
RESET search_path;
DROP EXTENSION dlints;
DROP SCHEMA elsewhere;
CREATE EXTENSION dlints;

-- DROP EXTENSION drops all objects, and dependent ones only with CASCADE
CREATE TABLE keeper (m dlints);
\set VERBOSITY terse
DROP EXTENSION dlints;
DROP EXTENSION dlints CASCADE;
SELECT attname FROM pg_attribute
  WHERE attrelid = 'keeper'::regclass AND attnum > 0 AND NOT attisdropped;
SELECT count(*) FROM pg_proc WHERE proname LIKE 'dlints%';
DROP TABLE keeper;
DROP FUNCTION fails;
