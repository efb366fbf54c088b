-- Create, scaffold, alter ---------------------------------------------------

-- The schema of dlints, and the search_path under which the functions of a
-- recommender run: that of now, on which dlints is.
CREATE FUNCTION dlints_recommender_path(OUT dlints text, OUT path text)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	schemas name[] := current_schemas(false);
BEGIN
	SELECT quote_ident(n.nspname) INTO dlints
	FROM   pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
	WHERE  e.extname = 'dlints';
	IF 'pg_catalog' <> ALL (schemas) THEN
		schemas := 'pg_catalog'::name || schemas;
	END IF;
	SELECT string_agg(quote_ident(s), ', ' ORDER BY n) || ', pg_temp' INTO path
	FROM   unnest(schemas) WITH ORDINALITY u (s, n) WHERE s !~ '^pg_temp';
END
$$;
COMMENT ON FUNCTION dlints_recommender_path()
	IS 'the schema of dlints, and the search_path of a recommender made now';

-- The statements that make all but the tables, which may be there
CREATE FUNCTION dlints_recommender_functions(words jsonb) RETURNS SETOF text
	LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$
BEGIN
	RETURN QUERY SELECT dlints_recommender_log(words);
	RETURN QUERY SELECT dlints_recommender_choosing(words);
	RETURN QUERY SELECT dlints_recommender_learning(words);
	RETURN QUERY SELECT dlints_recommender_upkeep(words);
	RETURN QUERY SELECT dlints_recommender_report(words);
END
$$;
COMMENT ON FUNCTION dlints_recommender_functions(jsonb)
	IS 'the statements that make a recommender''s views and functions';

CREATE FUNCTION dlints_scaffold(
	name text,
	items regclass,
	columns text[],
	clicks text DEFAULT NULL,
	candidates text DEFAULT 'true',
	outcomes jsonb DEFAULT '{"click": 1}',
	item_key name DEFAULT NULL,
	person_type regtype DEFAULT NULL,
	bonus text DEFAULT NULL,
	cap_group text DEFAULT NULL,
	cap integer DEFAULT NULL,
	factors integer DEFAULT 8,
	half_life interval DEFAULT '7 days',
	wait interval DEFAULT '30 minutes',
	control double precision DEFAULT 0.1,
	epsilon double precision DEFAULT 0.02,
	keep interval DEFAULT '1 year',
	places double precision[] DEFAULT NULL
) RETURNS SETOF text
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	callers text := current_setting('search_path');
	p record;
	words jsonb;
BEGIN
	PERFORM set_config('search_path', concat_ws(', ', nullif(callers, ''),
		(SELECT extnamespace::regnamespace::text FROM pg_catalog.pg_extension
		 WHERE extname = 'dlints')), true);
	p := dlints_recommender_path();
	words := dlints_recommender_words(jsonb_strip_nulls(jsonb_build_object(
		'name', name, 'items', items::text, 'columns', columns, 'clicks', clicks,
		'candidates', candidates, 'outcomes', outcomes, 'item_key', item_key,
		'person_type', dlints_recommender_type(person_type), 'bonus', bonus,
		'cap_group', cap_group, 'cap', cap, 'factors', coalesce(factors, 8), 'half_life', half_life,
		'wait', wait, 'control', control, 'epsilon', epsilon, 'keep', keep,
		'places', places)), p.path, p.dlints);
	RETURN QUERY SELECT dlints_recommender_tables(words);
	RETURN QUERY SELECT dlints_recommender_functions(words);
	RETURN QUERY SELECT dlints_recommender_fill(s, words) FROM unnest(ARRAY[
		'SELECT {s}.set_months()',
		'INSERT INTO {s}.model VALUES (''personal'', true, {s}.empty()), '
			'(''later'', {many}, {s}.empty()), '
			'(''control'', false, {dlints}.dlints_set({s}.empty(), policy => ''greedy''))',
		'SELECT {s}.refresh()',
		'SELECT {s}.refit()',
		'ANALYZE {s}.item_vector',
		'SELECT {s}.set_beginning()']) s;
	PERFORM set_config('search_path', callers, true);
END
$$;
COMMENT ON FUNCTION dlints_scaffold(
	text, regclass, text[], text, text, jsonb, name, regtype, text, text, integer, integer, interval,
	interval, double precision, double precision, interval, double precision[])
	IS 'the statements that make a recommender, one a row, for \gexec or a migration';

CREATE FUNCTION dlints_create_recommender(
	name text,
	items regclass,
	columns text[],
	clicks text DEFAULT NULL,
	candidates text DEFAULT 'true',
	outcomes jsonb DEFAULT '{"click": 1}',
	item_key name DEFAULT NULL,
	person_type regtype DEFAULT NULL,
	bonus text DEFAULT NULL,
	cap_group text DEFAULT NULL,
	cap integer DEFAULT NULL,
	factors integer DEFAULT 8,
	half_life interval DEFAULT '7 days',
	wait interval DEFAULT '30 minutes',
	control double precision DEFAULT 0.1,
	epsilon double precision DEFAULT 0.02,
	keep interval DEFAULT '1 year',
	places double precision[] DEFAULT NULL
) RETURNS text
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	callers text := current_setting('search_path');
	statement text;
BEGIN
	PERFORM set_config('search_path', concat_ws(', ', nullif(callers, ''),
		(SELECT extnamespace::regnamespace::text FROM pg_catalog.pg_extension
		 WHERE extname = 'dlints')), true);
	IF to_regnamespace(quote_ident(name)) IS NOT NULL THEN
		RAISE 'schema "%" exists already', name USING ERRCODE = 'duplicate_schema',
			HINT = 'A recommender is a schema of its own. dlints_alter_recommender changes one,'
				' DROP SCHEMA ... CASCADE removes it.';
	END IF;
	FOR statement IN SELECT dlints_scaffold(name, items, columns, clicks, candidates, outcomes,
		item_key, person_type, bonus, cap_group, cap, factors, half_life, wait, control, epsilon, keep,
		places)
	LOOP
		EXECUTE statement;
	END LOOP;
	PERFORM set_config('search_path', callers, true);
	RETURN format('SELECT * FROM %1$I.recommend(person) recommends, %1$I.reward(decision, item) tells'
	              ' of a click, %1$I.run() is for cron, %1$I.report() says whether it works.', name);
END
$$;
COMMENT ON FUNCTION dlints_create_recommender(
	text, regclass, text[], text, text, jsonb, name, regtype, text, text, integer, integer, interval,
	interval, double precision, double precision, interval, double precision[])
	IS 'make a recommender: a schema of the caller''s own with what recommends the rows of a table';

CREATE FUNCTION dlints_alter_recommender(name text, change jsonb) RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	callers text := current_setting('search_path');
	p record;
	was jsonb;
	words jsonb;
	statement text;
	key text;
	changes text[] := '{clicks,candidates,outcomes,bonus,cap_group,cap,'
		'half_life,wait,control,epsilon,keep,places}';
BEGIN
	PERFORM set_config('search_path', concat_ws(', ', nullif(callers, ''),
		(SELECT extnamespace::regnamespace::text FROM pg_catalog.pg_extension
		 WHERE extname = 'dlints')), true);
	IF to_regclass(format('%I.setting', name)) IS NULL THEN
		RAISE 'there is no recommender "%"', name USING ERRCODE = 'undefined_object';
	END IF;
	EXECUTE format('SELECT arguments FROM %I.setting', name) INTO was;
	FOR key IN SELECT jsonb_object_keys(change) LOOP
		IF key IN ('name', 'items', 'columns', 'item_key', 'person_type', 'factors') THEN
			RAISE '% of a recommender cannot be changed', key USING ERRCODE = 'feature_not_supported',
				DETAIL = 'Its models know the numbers of a vector by their places.',
				HINT = 'Create another recommender beside it, and drop this one when that one has learned.';
		ELSIF key <> ALL (changes) THEN
			RAISE 'a recommender has no argument "%"', key USING ERRCODE = 'invalid_parameter_value',
				HINT = 'What can be changed is ' || array_to_string(changes, ', ') || '.';
		END IF;
	END LOOP;
	p := dlints_recommender_path();
	words := dlints_recommender_words(jsonb_strip_nulls(was || change), p.path, p.dlints);
	FOR statement IN SELECT dlints_recommender_functions(words) LOOP
		EXECUTE statement;
	END LOOP;
	EXECUTE dlints_recommender_fill('UPDATE {s}.setting SET arguments = {arguments}', words);
	IF change ?| '{half_life,outcomes}' THEN
		EXECUTE dlints_recommender_fill('UPDATE {s}.model SET learns = {many}, state = {s}.empty()'
			' WHERE name = ''later''', words);
		EXECUTE dlints_recommender_fill('UPDATE {s}.model SET state = {s}.empty()'
			' WHERE name = ''personal''', words);
		EXECUTE dlints_recommender_fill('UPDATE {s}.model SET state = {dlints}.dlints_set({s}.empty(),'
			' policy => ''greedy'') WHERE name = ''control''', words);
	END IF;
	IF change ?| '{half_life,outcomes,places}' THEN
		EXECUTE dlints_recommender_fill('SELECT {s}.rebuild()', words);
	END IF;
	IF change ? 'clicks' THEN
		EXECUTE dlints_recommender_fill('SELECT {s}.refresh(), {s}.refit(), {s}.set_beginning()', words);
	END IF;
	PERFORM set_config('search_path', callers, true);
END
$$;
COMMENT ON FUNCTION dlints_alter_recommender(text, jsonb)
	IS 'change arguments of a recommender: its tables stay, its functions are made anew';
