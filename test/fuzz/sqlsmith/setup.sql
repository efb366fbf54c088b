-- Tables for sqlsmith, and its role
\set ON_ERROR_STOP 1
CREATE EXTENSION dlints;
CREATE TABLE model (name text, state dlints, fixed dlints(3, 2, intercept),
    personal dlints(3, matched, intercept));
INSERT INTO model VALUES
    ('plain', dlints_update(dlints_new(3), ARRAY[1, 2, 3]::real[], 1), NULL, NULL),
    ('projected', dlints_update(dlints_new(3, 2, seed => 5), ARRAY[1, 2, 3]::real[], 1),
        dlints_new(3, 2), NULL),
    ('lasting', dlints_new(3, discount => 1, policy => 'greedy'), NULL, NULL),
    ('ucb', dlints_update(dlints_new(60, 20, policy => 'ucb'), array_fill(0.5::real, ARRAY[60]), 1),
        NULL, NULL),
    ('matched', dlints_update(dlints_new(3, interactions => 'matched'),
        ARRAY[1, 2, 3]::real[], 1, ARRAY[1, 0, 1]::real[]), NULL,
     dlints_new(3, interactions => 'matched')),
    ('intercept', dlints_update(dlints_new(3, policy => 'ucb', intercept => true),
        ARRAY[1, 2, 3]::real[], 1), NULL, NULL),
    ('by time', dlints_update(dlints_new(3, half_life => '1 day', memories => 2),
        ARRAY[1, 2, 3]::real[], 1, at => now()), NULL, NULL),
    (NULL, NULL, NULL, NULL);
CREATE TABLE customer (id integer, features real[], wide double precision[], several real[],
    state dlints);
INSERT INTO customer
SELECT i, ARRAY[i, 1, 0], ARRAY[0.25, i, 1], ARRAY[[i, 1, 0], [1, 1, 1]],
       dlints_update(dlints_new(3, interactions => 'matched',
               intercept => i % 2 = 0),
           ARRAY[1, 2, 3]::real[], 1, ARRAY[i, 1, 0]::real[])
FROM generate_series(1, 10) AS i;
CREATE TABLE item (id integer, features real[], wide double precision[], several real[],
    rewards double precision[], reward double precision, count integer, seed bigint, at timestamptz,
    ats timestamptz[], half_life interval, document jsonb, state dlints);
INSERT INTO item
SELECT i, ARRAY[i, 1, 0.5], ARRAY[i, 2, -1], ARRAY[[i, 1, 2], [3, 4, 5]], ARRAY[1, 0], cos(i), i, i,
    now(), ARRAY[now(), now()], '1 day', dlints_new(3)::jsonb,
       dlints_update(dlints_new(3), ARRAY[i, 1, 0.5]::real[], 1)
FROM generate_series(1, 20) AS i;
INSERT INTO item (id) VALUES (NULL);
INSERT INTO item VALUES (0, '{}', '{NULL}', '{}', '{}', 'NaN', -1, 0, 'infinity', '{NULL}',
    '-1 day', '{}', NULL);
ANALYZE;
CREATE ROLE smith LOGIN;
GRANT ALL ON SCHEMA public TO smith;
GRANT ALL ON model, item, customer TO smith;

-- sqlsmith reads the functions from the catalogs, by unqualified names.  This view shows only those of the
-- extension.
CREATE SCHEMA smith;
CREATE VIEW smith.pg_proc AS SELECT * FROM pg_catalog.pg_proc
WHERE proname ~ '^dlints' AND 'internal'::regtype <> ALL (proargtypes::oid[]::regtype[]);
GRANT USAGE ON SCHEMA smith TO smith;
GRANT SELECT ON smith.pg_proc TO smith;
ALTER ROLE smith SET search_path = smith, pg_catalog, public;
-- It reads operators with the schema; those of polymorphic types would only lead to meaningless queries.
DELETE FROM pg_operator
    WHERE (SELECT bool_or(typtype = 'p') FROM pg_type AS t WHERE t.oid IN (oprleft, oprright));

ALTER SYSTEM SET log_line_prefix = '%e ';
ALTER SYSTEM SET track_functions = 'all';
SELECT pg_reload_conf();
