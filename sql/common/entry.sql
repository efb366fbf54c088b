-- Entering the schema of a recommender or a ranker --------------------------------
--
-- Tables and views of a recommender or ranker are in a schema of its own.  The functions in sql/common,
-- sql/recommender and sql/ranker name them without a schema, and run under the search_path that
-- _dlints_enter() sets: pg_catalog, the schema, pg_temp.

CREATE FUNCTION _dlints_enter(setting regclass) RETURNS name
	AS 'MODULE_PATHNAME', 'dlints_enter' LANGUAGE C VOLATILE STRICT;
COMMENT ON FUNCTION _dlints_enter(regclass)
	IS 'set the search_path to the schema of a recommender or ranker, if its owner runs the function; 42501 if not';

CREATE FUNCTION _dlints_check_entry() RETURNS name
	AS 'MODULE_PATHNAME', 'dlints_check_entry' LANGUAGE C STABLE STRICT;
COMMENT ON FUNCTION _dlints_check_entry()
	IS 'raise 55000 unless _dlints_enter() has entered a schema; returns its name';

CREATE PROCEDURE _dlints_run(setting regclass)
	AS 'MODULE_PATHNAME', 'dlints_run' LANGUAGE C;
COMMENT ON PROCEDURE _dlints_run(regclass)
	IS 'call run_part() of a recommender or ranker for each part of the maintenance, and commit after each';
