-- Administration --------------------------------------------------------------

-- A view runs with its owner's rights, a superuser's.  It reads catalogues that
-- are everybody's to read, and shows what its caller may see.  Names and
-- operators are qualified, since what is found for them here stays.
CREATE VIEW dlints_columns AS
WITH RECURSIVE model_type (oid) AS (
	SELECT 'dlints'::pg_catalog.regtype::pg_catalog.oid
	UNION ALL
	SELECT t.oid FROM pg_catalog.pg_type t JOIN model_type b ON t.typbasetype OPERATOR(pg_catalog.=) b.oid
)
SELECT
	c.oid::pg_catalog.regclass AS relation,
	a.attname,
	pg_catalog.format_type(a.atttypid, a.atttypmod) AS type,
	pg_catalog.pg_stat_get_live_tuples(c.oid) AS live_rows,
	pg_catalog.pg_stat_get_tuples_updated(c.oid) AS updated_rows,
	pg_catalog.pg_total_relation_size(c.oid) AS bytes,
	pg_catalog.pg_stat_get_dead_tuples(c.reltoastrelid) OPERATOR(pg_catalog.*)
		(pg_catalog.current_setting('block_size')::pg_catalog.int8 OPERATOR(pg_catalog./) 4::pg_catalog.int8) AS dead_bytes,
	GREATEST(pg_catalog.pg_stat_get_last_vacuum_time(c.reltoastrelid),
		pg_catalog.pg_stat_get_last_autovacuum_time(c.reltoastrelid)) AS last_vacuum
FROM pg_catalog.pg_attribute a
JOIN model_type m ON a.atttypid OPERATOR(pg_catalog.=) m.oid
JOIN pg_catalog.pg_class c ON a.attrelid OPERATOR(pg_catalog.=) c.oid
WHERE c.relkind OPERATOR(pg_catalog.=) ANY ('{r,m}'::pg_catalog."char"[])
	AND NOT a.attisdropped
	AND NOT pg_catalog.pg_is_other_temp_schema(c.relnamespace)
	AND pg_catalog.has_schema_privilege(c.relnamespace, 'USAGE')
	AND pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT');
GRANT SELECT ON dlints_columns TO PUBLIC;
COMMENT ON VIEW dlints_columns
	IS 'columns of models in tables and materialized views, how large these are and how busy';
