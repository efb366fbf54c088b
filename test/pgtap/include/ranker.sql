-- What tests of rankers share.

-- Relative difference between a ranker's models and those that rebuild() trains; the models stay as they are
CREATE FUNCTION difference_from_log(schema text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	difference float8;
BEGIN
	EXECUTE format('CREATE TEMP TABLE was ON COMMIT DROP AS SELECT * FROM %I.model', schema);
	EXECUTE format('SELECT %I.rebuild()', schema);
	EXECUTE format('SELECT max(CASE WHEN (dlints_info(w.state)).updates = (dlints_info(m.state)).updates
		THEN difference(dlints_mean(w.state), dlints_mean(m.state)) ELSE ''infinity'' END)
		FROM was w JOIN %I.model m USING (name)', schema) INTO difference;
	EXECUTE format('UPDATE %I.model m SET state = w.state FROM was w WHERE w.name = m.name', schema);
	DROP TABLE was;
	RETURN coalesce(difference, 'infinity');
END $$;

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
