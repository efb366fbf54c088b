-- Functions for tests of rankers
\ir models.sql

-- Execute a query under the search_path of a ranker's schema, and return its rows
CREATE FUNCTION inside(schema text, query text) RETURNS SETOF jsonb LANGUAGE plpgsql AS $$
DECLARE
	was text := current_setting('search_path');
BEGIN
	PERFORM set_config('search_path', format('pg_catalog, %I, pg_temp', schema), true);
	RETURN QUERY EXECUTE format('SELECT to_jsonb(q) FROM (%s) q', query);
	PERFORM set_config('search_path', was, true);
END $$;

-- Features of an action in a context, as a ranker with these vectors computes them
CREATE FUNCTION encoded(vectors jsonb, context jsonb, action jsonb DEFAULT '"a"') RETURNS real[] LANGUAGE sql AS $$
SELECT features FROM public._dlints_ranker_actions(context, jsonb_build_array(action), vectors, '{}') $$;
