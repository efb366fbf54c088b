-- The view dlints_columns: columns of models, and who can see them
\ir include/helpers.sql

SELECT plan(9);

-- no rows yet (views of the helpers have columns of models, but store none)
SELECT is_empty('TABLE dlints_columns', 'dlints_columns is empty without tables with models');

CREATE SCHEMA "The shop";
CREATE DOMAIN "The shop".small AS dlints(2);
CREATE DOMAIN "The shop".smaller AS "The shop".small;
CREATE TABLE "The shop"."Model" (
	"Name" text PRIMARY KEY, gone dlints, "State" dlints, n integer, domain "The shop".smaller);
ALTER TABLE "The shop"."Model" DROP gone;
CREATE TABLE keyed (state dlints(2) NOT NULL, at date PRIMARY KEY);
INSERT INTO keyed VALUES (dlints_new(2), '2026-01-31');
CREATE VIEW seen AS SELECT state FROM keyed;
CREATE MATERIALIZED VIEW kept AS TABLE seen;
-- partitions, and a table that inherits
CREATE TABLE parted (id integer PRIMARY KEY, state dlints) PARTITION BY RANGE (id);
CREATE TABLE part_one PARTITION OF parted FOR VALUES FROM (1) TO (10);
CREATE TABLE part_two (state dlints, id integer PRIMARY KEY);
ALTER TABLE parted ATTACH PARTITION part_two FOR VALUES FROM (10) TO (20);
CREATE TABLE heir () INHERITS (keyed);
CREATE TEMP TABLE ours AS SELECT dlints_new(2) AS state;

SELECT set_eq('SELECT relation::text, attname, type FROM dlints_columns', $$VALUES
	('"The shop"."Model"', 'State'::name, 'dlints'),
	('"The shop"."Model"', 'domain', '"The shop".smaller'),
	('heir', 'state', 'dlints(2)'), ('kept', 'state', 'dlints(2)'),
	('keyed', 'state', 'dlints(2)'), ('ours', 'state', 'dlints'),
	('part_one', 'state', 'dlints'), ('part_two', 'state', 'dlints')$$,
	'columns of the type and of domains over it, each once, where it is stored');
SELECT is(bytes, pg_total_relation_size('keyed'), 'bytes of the table, its indexes and what is out of line')
FROM dlints_columns WHERE relation = 'keyed'::regclass;
SELECT is(dead_bytes, 0::bigint, 'the change of a column rewrites no values out of line')
FROM dlints_columns WHERE relation = 'keyed'::regclass;

-- a search_path without the schemas of tables and extension
SET LOCAL search_path = pg_catalog;
CREATE TEMP TABLE listed AS SELECT relation, type FROM public.dlints_columns;
RESET search_path;
SELECT is(type, 'public.dlints(2)', 'dlints_columns works without the extension in the search_path')
FROM listed WHERE relation = 'keyed'::regclass;

-- ---------- privileges ----------

CREATE ROLE dlints_test_reader;
GRANT SELECT ON parted, part_one, seen TO dlints_test_reader;
GRANT SELECT ("State", "Name") ON "The shop"."Model" TO dlints_test_reader;
GRANT SELECT (at) ON keyed TO dlints_test_reader;
SET LOCAL ROLE dlints_test_reader;
SELECT set_eq('SELECT relation FROM dlints_columns', $$VALUES ('part_one'::regclass)$$,
              'a role sees columns that it may read, in schemas that it may use');
SELECT throws_ok('SELECT state FROM keyed', '42501', NULL, 'others it cannot read');
RESET ROLE;
GRANT USAGE ON SCHEMA "The shop" TO dlints_test_reader;
SET LOCAL ROLE dlints_test_reader;
SELECT set_eq('SELECT attname FROM dlints_columns', $$VALUES ('State'::name), ('state')$$,
              'dlints_columns lists the columns of a table that a role may read, and no others');
SELECT throws_ok('DELETE FROM dlints_columns', '55000', NULL, 'there is nothing to change in it');
RESET ROLE;

SELECT * FROM finish();
ROLLBACK;
