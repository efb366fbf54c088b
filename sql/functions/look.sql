-- Inspect models ----------------------------------------------------------------

CREATE FUNCTION dlints_project(
	model dlints,
	features dlints_vector,
	profile dlints_vector DEFAULT '{}'
) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION dlints_project(dlints, dlints_vector, dlints_vector)
	IS 'computes the reduced features z from features and a profile';

CREATE FUNCTION dlints_mean(model dlints) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_mean(dlints)
	IS 'returns the posterior mean, one number for each reduced feature, the intercept last';

CREATE FUNCTION dlints_weights(
	model dlints,
	profile dlints_vector DEFAULT '{}'
) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_weights(dlints, dlints_vector)
	IS 'returns the posterior mean as weights over the features, given a profile: dim numbers';

CREATE FUNCTION dlints_covariance(model dlints) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_covariance(dlints)
	IS 'returns the posterior covariance without the exploration factor: sigma^2 Z^-1 Z~ Z^-1';

CREATE FUNCTION dlints_predict(
	model dlints,
	features dlints_vector,
	profile dlints_vector DEFAULT '{}'
) RETURNS double precision
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_predict(dlints, dlints_vector, dlints_vector)
	IS 'predicts the expected reward of features';

CREATE FUNCTION dlints_stddev(
	model dlints,
	features dlints_vector,
	profile dlints_vector DEFAULT '{}'
) RETURNS double precision
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION dlints_stddev(dlints, dlints_vector, dlints_vector)
	IS 'returns the standard error of a prediction; multiplied by exploration it is the standard deviation of '
	   'the score under a draw';

CREATE FUNCTION dlints_info(
	model dlints,
	OUT policy text,
	OUT intercept boolean,
	OUT memories integer,
	OUT memory integer,
	OUT interactions text,
	OUT dim integer,
	OUT reduced_dim integer,
	OUT profile_dim integer,
	OUT discount double precision,
	OUT half_life interval,
	OUT ridge double precision,
	OUT lambda double precision,
	OUT exploration double precision,
	OUT noise double precision,
	OUT prior_weight double precision,
	OUT projection_scale double precision,
	OUT seed bigint,
	OUT updates bigint,
	OUT newest timestamp with time zone,
	OUT sigma double precision,
	OUT effective_sample_size double precision,
	OUT prior_sample_size double precision,
	OUT mean_reward double precision,
	OUT windows double precision[],
	OUT hint text,
	OUT bytes bigint,
	OUT format_version integer
) RETURNS record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_info(dlints) IS 'returns the parameters, memories and counts of a model in one row';

CREATE FUNCTION dlints_explain(
	model dlints,
	features dlints_vector,
	profile dlints_vector DEFAULT '{}',
	names text[] DEFAULT NULL,
	OUT name text,
	OUT contribution double precision,
	OUT stddev double precision
) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100 ROWS 100;
COMMENT ON FUNCTION dlints_explain(dlints, dlints_vector, dlints_vector, text[])
	IS 'returns the contribution of each feature, or of each named block of features, to the expected reward, '
	   'with its standard error';

-- Columns of models ------------------------------------------------------------

-- The view runs with the privileges of the extension's owner, reads catalogs that are public, and lists only
-- columns on which the caller has SELECT.  Names and operators are qualified, since the search_path at
-- CREATE EXTENSION is the user's.
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
		(pg_catalog.current_setting('block_size')::pg_catalog.int8
		 OPERATOR(pg_catalog./) 4::pg_catalog.int8) AS dead_bytes,
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
	IS 'columns of type dlints in tables and materialized views, with the size and activity of each relation';
