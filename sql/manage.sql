-- Create, alter and grant recommenders and rankers ---------------------------------

-- A name for a schema; 42P06 if there is one of that name
CREATE FUNCTION _dlints_unused_name(name text) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
BEGIN
	IF EXISTS (SELECT FROM pg_namespace n WHERE n.nspname = _dlints_unused_name.name) THEN
		RAISE 'schema "%" already exists', name USING ERRCODE = 'duplicate_schema',
			HINT = 'A recommender or ranker is a schema. DROP SCHEMA ... CASCADE removes it.';
	END IF;
	RETURN name;
END
$$;
COMMENT ON FUNCTION _dlints_unused_name(text) IS 'a name for a schema; 42P06 if there is one of that name';

-- Raise an error if somebody has put a function of the name of one of ours beside the extension: it could be
-- called in place of ours.
CREATE FUNCTION _dlints_check_namesakes() RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	namesake regprocedure;
BEGIN
	SELECT f.oid INTO namesake
	FROM   pg_extension e JOIN pg_proc f ON f.pronamespace = e.extnamespace AND f.proname ~ '^_?dlints_'
	WHERE  e.extname = 'dlints'
	AND    EXISTS (SELECT FROM pg_proc o JOIN pg_depend d ON d.objid = o.oid
	                   AND d.classid = 'pg_proc'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
	               WHERE o.proname = f.proname)
	AND    NOT EXISTS (SELECT FROM pg_depend d
	                   WHERE d.classid = 'pg_proc'::regclass AND d.objid = f.oid AND d.refobjid = e.oid
	                   AND d.deptype = 'e') LIMIT 1;
	IF namesake IS NOT NULL THEN
		RAISE 'function % does not belong to dlints', namesake USING ERRCODE = 'duplicate_function',
			HINT = 'It could be called in place of a function of dlints. Drop or rename it.';
	END IF;
END
$$;
COMMENT ON FUNCTION _dlints_check_namesakes() IS 'raise an error if a function beside the extension has the name of one of its own';

CREATE FUNCTION _dlints_create_recommender(a jsonb, path name[]) RETURNS text
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET jit = off AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_namesakes();
	a := @extschema@._dlints_check_arguments('recommender'::text, jsonb_strip_nulls(a));
	a := @extschema@._dlints_resolve(a, '{clicks,candidates,bonus,cap_group,constraints}'::text[], path);
	a := @extschema@._dlints_derive(@extschema@._dlints_measure(a));
	PERFORM @extschema@._dlints_unused_name(a ->> 'name');
	PERFORM @extschema@._dlints_make_recommender(a);
	RETURN format('SELECT * FROM %1$I.recommend(user_id) recommends, %1$I.reward(decision, item) reports a click,'
		' CALL %1$I.run() is for cron, and %1$I.report() says whether it works.', a ->> 'name');
END
$$;
COMMENT ON FUNCTION _dlints_create_recommender(jsonb, name[]) IS 'make a recommender, under the search_path of the caller';

CREATE FUNCTION dlints_create_recommender(
	name text,
	items regclass,
	columns text[],
	clicks text DEFAULT NULL,
	candidates text DEFAULT 'true',
	outcomes jsonb DEFAULT '{"click": 1}',
	item_key name DEFAULT NULL,
	user_type regtype DEFAULT NULL,
	bonus text DEFAULT NULL,
	cap_group text DEFAULT NULL,
	cap integer DEFAULT NULL,
	repeats boolean DEFAULT NULL,
	factors integer DEFAULT 64,
	half_life interval DEFAULT '7 days',
	attribution_window interval DEFAULT '30 minutes',
	control double precision DEFAULT 0.1,
	epsilon double precision DEFAULT 0.02,
	retention interval DEFAULT '1 year',
	examination double precision[] DEFAULT NULL,
	value_limit double precision DEFAULT 1000,
	exposure double precision DEFAULT 0.6,
	diversity double precision DEFAULT 0,
	constraints jsonb DEFAULT '{}'
) RETURNS text
	LANGUAGE sql VOLATILE
RETURN _dlints_create_recommender(pg_catalog.jsonb_build_object(
	'name', name, 'items', items::pg_catalog.oid, 'columns', columns, 'clicks', clicks, 'candidates', candidates,
	'outcomes', outcomes, 'item_key', item_key, 'user_type', user_type::pg_catalog.oid, 'bonus', bonus,
	'cap_group', cap_group, 'cap', cap, 'repeats', repeats, 'factors', coalesce(factors, 64), 'half_life', half_life,
	'attribution_window', attribution_window, 'control', control, 'epsilon', epsilon, 'retention', retention,
	'examination', examination, 'value_limit', value_limit, 'exposure', exposure, 'diversity', diversity,
	'constraints', constraints), pg_catalog.current_schemas(false));
COMMENT ON FUNCTION dlints_create_recommender(text, regclass, text[], text, text, jsonb, name, regtype, text, text, integer,
	boolean, integer, interval, interval, double precision, double precision, interval, double precision[],
	double precision, double precision, double precision, jsonb)
	IS 'make a recommender: a schema with tables, views and functions that recommend the rows of a table';

CREATE FUNCTION _dlints_create_ranker(a jsonb) RETURNS text
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET jit = off AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_namesakes();
	a := @extschema@._dlints_check_arguments('ranker'::text, a - ARRAY(
		SELECT key FROM jsonb_each(a) WHERE value = 'null' AND key <> 'default_reward'));
	PERFORM @extschema@._dlints_unused_name(a ->> 'name');
	PERFORM @extschema@._dlints_make_ranker(a);
	RETURN format('%1$I.rank(event, context, actions) ranks actions, %1$I.reward(event, value) reports the reward of the'
		' first one, CALL %1$I.run() is for cron, and %1$I.report() says whether it works.', a ->> 'name');
END
$$;
COMMENT ON FUNCTION _dlints_create_ranker(jsonb) IS 'make a ranker';

CREATE FUNCTION dlints_create_ranker(
	name text,
	attribution_window interval DEFAULT '10 minutes',
	default_reward double precision DEFAULT 0,
	repeated text DEFAULT 'first',
	apprentice boolean DEFAULT false,
	epsilon double precision DEFAULT 0.02,
	half_life interval DEFAULT '30 days',
	retention interval DEFAULT '1 year',
	vectors jsonb DEFAULT '{}',
	constraints jsonb DEFAULT '{}',
	value_limit double precision DEFAULT 1000,
	user_key text DEFAULT 'user_id'
) RETURNS text
	LANGUAGE sql VOLATILE
RETURN _dlints_create_ranker(pg_catalog.jsonb_build_object(
	'name', name, 'attribution_window', attribution_window, 'default_reward', default_reward, 'repeated', repeated,
	'apprentice', apprentice, 'epsilon', epsilon, 'half_life', half_life, 'retention', retention, 'vectors', vectors,
	'constraints', constraints, 'value_limit', value_limit, 'user_key', user_key));
COMMENT ON FUNCTION dlints_create_ranker(text, interval, double precision, text, boolean, double precision, interval,
	interval, jsonb, jsonb, double precision, text)
	IS 'make a ranker: a schema with tables, views and functions that rank the actions passed with each request';
