-- Which models there are: what the view and the function show, to whom.
\set ON_ERROR_STOP 1
BEGIN;
\ir include/helpers.sql

SELECT plan(33);

-- nothing yet (a view of the helpers has a column of models, and holds none)
SELECT is_empty('SELECT * FROM dlints_columns', 'no columns in an empty database');
SELECT is_empty('SELECT * FROM dlints_models(NULL)', 'no models of no table');
SELECT is_empty($$SELECT * FROM dlints_models('pg_class')$$, 'no models in a table without such a column');

CREATE SCHEMA "The shop";
CREATE DOMAIN "The shop".small AS dlints(2);
CREATE DOMAIN "The shop".smaller AS "The shop".small;
CREATE TABLE "The shop"."Model" (id integer, gone dlints, "Name" text, "State" dlints, n integer, domain "The shop".smaller, PRIMARY KEY ("Name", id));
ALTER TABLE "The shop"."Model" DROP gone;
INSERT INTO "The shop"."Model" VALUES (1, 'home, sweet', dlints_update(dlints_new(6, 3, policy => 'ucb', half_life => '1 day'), context(1, 6), 5, '2026-01-01 12:00+00'), 0, dlints_new(2)),
  (2, 'hint', dlints_new(300, discount => 0.99), 0, NULL), (3, 'none', NULL, 0, NULL);

SELECT results_eq('SELECT relation, attname, type FROM dlints_columns ORDER BY attname',
  $$VALUES ('"The shop"."Model"'::regclass, 'State'::name, 'dlints'), ('"The shop"."Model"', 'domain', '"The shop".smaller')$$, 'columns of the type and of domains over it');
SELECT results_eq($$SELECT * FROM dlints_models('"The shop"."Model"', 'State')$$,
  $$SELECT 'State'::name, key, context_dim, reduced_dim, shared_dim, policy, updates, effective_sample_size, mean_reward, newest, NULL::timestamptz, bytes, hint, format_version
    FROM (VALUES ('(1,"home, sweet")', 1), ('(2,hint)', 2)) AS k (key, id) JOIN "The shop"."Model" USING (id), dlints_info("State")$$,
  'of each model its row and what dlints_info says, none of a NULL');
SELECT results_eq($$SELECT attname, key FROM dlints_models('"The shop"."Model"') ORDER BY attname, key COLLATE "C"$$,
  $$VALUES ('State'::name, '(1,"home, sweet")'), ('State', '(2,hint)'), ('domain', '(1,"home, sweet")')$$, 'of all columns');
SELECT results_eq('SELECT c.attname, m.context_dim FROM dlints_columns AS c, dlints_models(c.relation, c.attname) AS m ORDER BY 1, 2',
  $$VALUES ('State'::name, 6), ('State', 300), ('domain', 2)$$, 'of all tables');
SELECT is((SELECT bytes FROM dlints_columns WHERE attname = 'State'), pg_total_relation_size('"The shop"."Model"'), 'bytes of the table, its indexes and what is out of line');

-- one key column, and none
CREATE TABLE keyed (state dlints(2) NOT NULL, at date PRIMARY KEY);
INSERT INTO keyed VALUES (dlints_new(2), '2026-01-31');
SELECT is((SELECT type FROM dlints_columns WHERE relation = 'keyed'::regclass), 'dlints(2)', 'sizes are part of the type');
SELECT is((SELECT key FROM dlints_models('keyed')), '2026-01-31', 'a key of one column is that column');
CREATE VIEW seen AS SELECT 1 AS state, state AS t FROM keyed;
SELECT results_eq($$SELECT attname, key, bytes FROM dlints_models('seen')$$, $$VALUES ('t'::name, NULL, 144::bigint)$$, 'a view, without a key');
CREATE MATERIALIZED VIEW kept AS SELECT state FROM keyed;
SELECT results_eq($$SELECT attname FROM dlints_models('kept')$$, $$VALUES ('state'::name)$$, 'a materialized view');
SELECT results_eq($$SELECT relation FROM dlints_columns WHERE relation::text ~ 'seen|kept'$$, $$VALUES ('kept'::regclass)$$, 'is stored, a view is not');

-- partitions, and tables that inherit
CREATE TABLE parted (id integer PRIMARY KEY, state dlints) PARTITION BY RANGE (id);
CREATE TABLE part_one PARTITION OF parted FOR VALUES FROM (1) TO (10);
CREATE TABLE part_two (state dlints, id integer PRIMARY KEY);
ALTER TABLE parted ATTACH PARTITION part_two FOR VALUES FROM (10) TO (20);
INSERT INTO parted VALUES (1, dlints_new(1)), (10, dlints_new(10));
SELECT results_eq($$SELECT key, context_dim FROM dlints_models('parted') ORDER BY 2$$, $$VALUES ('1', 1), ('10', 10)$$, 'a partitioned table has the models of its partitions');
SELECT results_eq($$SELECT c.relation, m.key FROM dlints_columns AS c, dlints_models(c.relation, c.attname) AS m WHERE c.relation::text ~ 'part' ORDER BY 2$$,
  $$VALUES ('part_one'::regclass, '1'), ('part_two', '10')$$, 'and each is listed once, where it is stored');
CREATE TABLE heir () INHERITS (keyed);
INSERT INTO heir VALUES (dlints_new(2), '2026-02-28');
SELECT results_eq($$SELECT c.relation, m.key FROM dlints_columns AS c, dlints_models(c.relation, c.attname) AS m WHERE c.relation::text ~ '^(keyed|heir)' ORDER BY 2$$,
  $$VALUES ('keyed'::regclass, '2026-01-31'), ('heir', NULL)$$, 'as is one of a table that inherits');

-- names that are those of the query
CREATE TABLE t (t dlints, m dlints, i integer PRIMARY KEY, attname text, model jsonb);
INSERT INTO t VALUES (dlints_new(1), dlints_new(2), 3);
SELECT results_eq($$SELECT attname, key, context_dim FROM dlints_models('t') ORDER BY 3$$, $$VALUES ('t'::name, '3', 1), ('m', '3', 2)$$, 'any names of columns');

-- a search_path that leaves out tables and extension
SET LOCAL search_path = pg_catalog;
CREATE TEMP TABLE listed AS SELECT c.relation, m.context_dim FROM public.dlints_columns AS c, public.dlints_models(c.relation, c.attname) AS m;
RESET search_path;
SELECT is((SELECT context_dim FROM listed WHERE relation = 'keyed'::regclass), 2, 'without the extension in the search_path');

-- errors
SELECT throws_ok($$SELECT * FROM dlints_models('keyed', 'missing')$$, '42703', 'column "missing" of relation "keyed" does not exist');
SELECT throws_ok($$SELECT * FROM dlints_models('keyed', 'at')$$, '42804', 'column "at" of relation "keyed" is not of type dlints');
SELECT throws_ok($$SELECT * FROM dlints_models('keyed', 'xmin')$$, '42804', 'column "xmin" of relation "keyed" is not of type dlints');
SELECT throws_ok($$SELECT * FROM dlints_models('keyed_pkey')$$, '42809', '"keyed_pkey" is not a table or a view');
SELECT throws_ok($$SELECT * FROM dlints_models(1)$$, '42P01', 'relation with OID 1 does not exist');

-- who sees what
CREATE ROLE dlints_test_reader;
GRANT SELECT ON parted, part_one, seen TO dlints_test_reader;
GRANT SELECT ("State", "Name") ON "The shop"."Model" TO dlints_test_reader;
GRANT SELECT (at) ON keyed TO dlints_test_reader;
SET LOCAL ROLE dlints_test_reader;
SELECT results_eq('SELECT relation FROM dlints_columns', $$VALUES ('part_one'::regclass)$$, 'a role sees columns that it may read, in schemas that it may use');
SELECT throws_ok($$SELECT * FROM dlints_models('keyed')$$, '42501', 'permission denied for table keyed', 'no models without the right to read them');
SELECT throws_ok(format('SELECT * FROM dlints_models(%s)', (SELECT oid FROM pg_class WHERE relname = 'Model')), '42501', 'permission denied for schema The shop', 'nor without the right to use their schema');
SELECT results_eq($$SELECT context_dim FROM dlints_models('parted') ORDER BY 1$$, 'VALUES (1), (10)', 'what may be read through a parent');
SELECT results_eq($$SELECT context_dim FROM dlints_models('seen')$$, 'VALUES (2), (2)', 'and through a view');
RESET ROLE;
GRANT USAGE ON SCHEMA "The shop" TO dlints_test_reader;
SET LOCAL ROLE dlints_test_reader;
SELECT results_eq('SELECT attname FROM dlints_columns ORDER BY 1', $$VALUES ('State'::name), ('state')$$, 'one column of a table and not the other');
SELECT results_eq($$SELECT key, context_dim FROM dlints_models('"The shop"."Model"', 'State') ORDER BY 2$$, 'VALUES (NULL, 6), (NULL, 300)', 'no key without the right to read all of it');
SELECT throws_ok($$SELECT * FROM dlints_models('"The shop"."Model"')$$, '42501', 'permission denied for table Model', 'all columns take the right to all');
RESET ROLE;
ALTER TABLE part_one ENABLE ROW LEVEL SECURITY;
SET LOCAL ROLE dlints_test_reader;
SELECT is_empty($$SELECT * FROM dlints_models('part_one')$$, 'no models that a policy hides');
RESET ROLE;
CREATE POLICY own ON part_one USING (id = 1 AND current_user = 'dlints_test_reader');
SET LOCAL ROLE dlints_test_reader;
SELECT results_eq($$SELECT key FROM dlints_models('part_one')$$, $$VALUES ('1')$$, 'those that it shows');
RESET ROLE;

SELECT * FROM finish();
ROLLBACK;
