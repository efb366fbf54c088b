-- Every support function called by hand, which PostgreSQL is to refuse, and
-- every other function with NULL wherever there can be one.  Which functions
-- there are, the catalogue says.  (What the support functions themselves make
-- of such calls, test/fuzz/server/replay.sql asks.)
\set ON_ERROR_STOP 1
BEGIN;

-- something of each type that an argument has; NULL where SQL can write nothing else
CREATE TEMP TABLE sample (type regtype, value text);
INSERT INTO sample VALUES
    ('dlints', 'dlints_update(dlints_new(2), ARRAY[1, 2]::real[], 1)'), ('jsonb', 'dlints_new(2)::jsonb'),
    ('real[]', 'ARRAY[1, 2]'), ('double precision[]', 'ARRAY[1, 2]'), ('double precision', '1'), ('integer', '2'), ('bigint', '7'),
    ('boolean', 'true'), ('text', '''ucb'''), ('oid', '0'), ('cstring', '''{}'''), ('cstring[]', '''{2}'''),
    ('bytea', 'dlints_send(dlints_new(2))'), ('anyelement', '1::integer'), ('internal', 'NULL');

CREATE TEMP TABLE member AS
SELECT p.* FROM pg_proc AS p
JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'dlints';

CREATE FUNCTION pg_temp.argument(type regtype, value text) RETURNS text LANGUAGE sql AS
$$ SELECT CASE WHEN type = 'anyelement'::regtype THEN coalesce(value, 'NULL::integer')
               WHEN type = 'internal'::regtype THEN coalesce(value, 'NULL')
               ELSE format('(%s)::%s', coalesce(value, 'NULL'), type) END $$;

-- A call of a function: a sample for each argument, but "instead" for those
-- whose position is in "places"
CREATE FUNCTION pg_temp.call(function oid, instead text, places integer[]) RETURNS text LANGUAGE sql AS
$$ SELECT format('SELECT %s(%s)::text', p.oid::regproc,
                 string_agg(pg_temp.argument(a.type, CASE WHEN a.place = ANY (places) THEN instead ELSE s.value END), ', ' ORDER BY a.place))
   FROM member AS p, unnest(p.proargtypes::oid[]::regtype[]) WITH ORDINALITY AS a (type, place) LEFT JOIN sample AS s USING (type)
   WHERE p.oid = function GROUP BY p.oid $$;

CREATE FUNCTION pg_temp.places(function oid, wanted regtype) RETURNS integer[] LANGUAGE sql AS
$$ SELECT array_agg(place::integer) FROM member AS p, unnest(p.proargtypes::oid[]::regtype[]) WITH ORDINALITY AS a (type, place)
   WHERE p.oid = function AND (wanted IS NULL OR type = wanted) $$;

-- SQLSTATE and message, or what the call gives
CREATE FUNCTION pg_temp.outcome(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE statement INTO result;
    RETURN coalesce('gives ' || result, 'gives NULL');
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ': ' || SQLERRM;
END
$$;

-- what every aggregate is made of
CREATE TEMP TABLE support AS
SELECT DISTINCT s.function AS oid, 'internal'::regtype = ANY (p.proargtypes::oid[]::regtype[]) AS is_internal
FROM pg_aggregate AS a
JOIN member AS m ON a.aggfnoid = m.oid,
LATERAL (VALUES (a.aggtransfn), (a.aggfinalfn), (a.aggcombinefn), (a.aggserialfn), (a.aggdeserialfn),
                (a.aggmtransfn), (a.aggminvtransfn), (a.aggmfinalfn)) AS s (function)
JOIN pg_proc AS p ON s.function = p.oid;

CREATE TEMP TABLE called AS
SELECT s.oid, s.oid::regprocedure::text AS name,
       pg_temp.outcome(pg_temp.call(s.oid, NULL, pg_temp.places(s.oid, NULL))) AS all_null,
       pg_temp.outcome(pg_temp.call(s.oid, NULL, pg_temp.places(s.oid, 'internal'))) AS no_state,
       pg_temp.outcome(pg_temp.call(s.oid, '''\x00''::internal', pg_temp.places(s.oid, 'internal'))) AS made_up_state
FROM support AS s WHERE s.is_internal;

-- every function with no argument NULL, with each in turn, and with all of them
CREATE TEMP VIEW calls AS
SELECT p.oid, p.oid::regprocedure::text AS name, n.places, pg_temp.outcome(pg_temp.call(p.oid, NULL, n.places)) AS outcome
FROM member AS p, LATERAL (SELECT '{}' AS places
                           UNION ALL SELECT ARRAY[i] FROM generate_series(1, p.pronargs) AS i
                           UNION ALL SELECT pg_temp.places(p.oid, NULL)) AS n
WHERE p.prokind = 'f' AND 'internal'::regtype <> ALL (p.proargtypes::oid[]::regtype[]);

-- of a model without a shared context, and of one with it and an intercept
CREATE TEMP TABLE nulls AS SELECT * FROM calls;
UPDATE sample SET value = 'dlints_update(dlints_new(2, 1, shared_dim => 2, intercept => true), ARRAY[1, 2]::real[], ARRAY[3, 4]::real[], 1)'
WHERE type = 'dlints'::regtype;
INSERT INTO nulls SELECT * FROM calls;

SELECT plan(((SELECT 3 * count(*) FROM called) + (SELECT count(DISTINCT oid) FROM nulls) + 5)::integer);

-- nothing has been left out
SELECT cmp_ok((SELECT count(*) FROM called), '>=', 20::bigint, 'support functions were found');
SELECT is_empty('SELECT DISTINCT type FROM member, unnest(proargtypes::oid[]::regtype[]) AS a (type) EXCEPT SELECT type FROM sample',
                'there is a sample for every type of argument');
SELECT set_eq('SELECT s.oid::regprocedure::text FROM support AS s WHERE NOT is_internal', ARRAY['dlints_concat(dlints,dlints)'],
              'one support function is meant to be called by hand, too');
SELECT is_empty($$SELECT oid::regprocedure FROM member WHERE prokind = 'f' AND 'internal'::regtype = ANY (proargtypes::oid[]::regtype[])
                  AND oid NOT IN (SELECT oid FROM support) AND oid <> 'dlints_recv(internal, oid, integer)'::regprocedure$$,
                'what takes an internal value belongs to an aggregate, or receives');
SELECT set_eq($$SELECT name FROM nulls EXCEPT SELECT name FROM nulls WHERE places = '{}' AND outcome ~ '^gives '$$,
              ARRAY['dlints(dlints,integer,boolean)', 'dlints_in(cstring,oid,integer)', 'dlints_update(dlints,real[],double precision[])',
                    'dlints_update(dlints,double precision[],double precision[])', 'dlints_update(dlints,real[],real[],double precision[])',
                    'dlints_update(dlints,double precision[],double precision[],double precision[])'],
              'calls of other functions made in the same way succeed, but where no sample has that form');

-- what takes an internal value cannot be called at all, not even without one:
-- there is no such function, or, for PostgreSQL 13, no such value
\set refused '^(42883: |0A000: cannot accept a value of type internal$)'
SELECT matches(all_null, :'refused', name || ' of NULLs') FROM called ORDER BY name;
SELECT matches(no_state, :'refused', name || ' without a state') FROM called ORDER BY name;
SELECT matches(made_up_state, '^(42846|0A000): ', name || ' of a state that was made up') FROM called ORDER BY name;

-- no function falls over a NULL
SELECT is(string_agg(places::text || ' ' || outcome, E'\n'), NULL, name || ' takes NULLs or refuses them')
FROM (SELECT name, places, CASE WHEN outcome !~ '^gives |^22' THEN outcome END AS outcome FROM nulls) AS n
GROUP BY name ORDER BY name;
SELECT * FROM finish();
ROLLBACK;
