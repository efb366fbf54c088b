-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION dlints_pgvector" to load this file. \quit

-- pgvector's types as features and profiles ------------------------------------
--
-- PostgreSQL does not combine two casts, so vector needs a direct cast to dlints_vector.  Types are found as members
-- of their extension, because other types may have the same names.  Old versions of pgvector lack halfvec.
DO $do$
DECLARE
	source record;
BEGIN
	FOR source IN
		WITH member AS (
			SELECT e.extname, t.typname, t.oid::pg_catalog.regtype AS type
			FROM   pg_catalog.pg_extension e
			JOIN   pg_catalog.pg_depend d
				ON d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass
				AND d.refobjid OPERATOR(pg_catalog.=) e.oid
			JOIN   pg_catalog.pg_type t
				ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass
				AND d.objid OPERATOR(pg_catalog.=) t.oid
			-- only superusers create base types, but the owner of an extension can add other types to it
			WHERE  t.typtype OPERATOR(pg_catalog.=) 'b' AND t.typlen OPERATOR(pg_catalog.=) -1)
		SELECT v.typname AS name, v.type, f.type AS features
		FROM   member v, member f
		WHERE  v.extname OPERATOR(pg_catalog.=) 'vector'
		AND    v.typname OPERATOR(pg_catalog.=) ANY ('{vector,halfvec}')
		AND    f.extname OPERATOR(pg_catalog.=) 'dlints'
		AND    f.typname OPERATOR(pg_catalog.=) 'dlints_vector'
	LOOP
		EXECUTE pg_catalog.format($create$
			CREATE FUNCTION dlints_from_%1$s(%2$s) RETURNS %3$s
				AS 'MODULE_PATHNAME', 'dlints_from_%1$s' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
			COMMENT ON FUNCTION dlints_from_%1$s(%2$s) IS 'a %1$s of pgvector as features or a profile';
			CREATE CAST (%2$s AS %3$s) WITH FUNCTION dlints_from_%1$s(%2$s) AS IMPLICIT;
			COMMENT ON CAST (%2$s AS %3$s) IS 'a %1$s of pgvector as features or a profile';

			CREATE FUNCTION dlints_from_%1$s(%2$s[]) RETURNS %3$s
				AS 'MODULE_PATHNAME', 'dlints_from_%1$ss' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
			COMMENT ON FUNCTION dlints_from_%1$s(%2$s[]) IS 'an array of %1$s of pgvector as features, a row each';
			CREATE CAST (%2$s[] AS %3$s) WITH FUNCTION dlints_from_%1$s(%2$s[]) AS IMPLICIT;
			COMMENT ON CAST (%2$s[] AS %3$s) IS 'an array of %1$s of pgvector as features, a row each';
		$create$, source.name, source.type, source.features);
	END LOOP;
END
$do$;
