-- Entering the schema of a recommender or a ranker --------------------------------
--
-- Tables and views of a recommender or ranker are in a separate schema.  Functions in sql/common, sql/recommender and
-- sql/ranker use unqualified names, under the search_path that _dlints_enter() sets: pg_catalog, the schema, pg_temp.

CREATE FUNCTION _dlints_enter(setting regclass) RETURNS name
	AS 'MODULE_PATHNAME', 'dlints_enter' LANGUAGE C VOLATILE STRICT;

CREATE FUNCTION _dlints_check_entry() RETURNS name
	AS 'MODULE_PATHNAME', 'dlints_check_entry' LANGUAGE C STABLE STRICT;

CREATE PROCEDURE _dlints_run(setting regclass)
	AS 'MODULE_PATHNAME', 'dlints_run' LANGUAGE C;
