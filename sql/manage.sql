-- Create, alter and grant recommenders and rankers ---------------------------------

-- Raise an error if another role has a function in the extension's schema with the name of one of ours, because
-- PostgreSQL could call that function.
CREATE FUNCTION _dlints_check_namesakes() RETURNS void
	AS 'MODULE_PATHNAME', 'dlints_check_namesakes' LANGUAGE C STABLE STRICT;

-- Create a recommender.  Names are looked up under the search_path of the caller.
CREATE FUNCTION _dlints_create_recommender(a jsonb, path name[]) RETURNS text
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET jit = off AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_namesakes();
	a := @extschema@._dlints_check_arguments('recommender'::text, jsonb_strip_nulls(a));
	a := @extschema@._dlints_resolve(a, '{clicks,candidates,bonus,cap_group,constraints}'::text[], path);
	a := @extschema@._dlints_derive(@extschema@._dlints_measure_columns(a));
	PERFORM @extschema@._dlints_make_recommender(a);
	RETURN format('Get a list: SELECT * FROM %1$I.recommend(user_id). Report a click: SELECT %1$I.reward(decision, item).'
		' Every minute, from cron: CALL %1$I.run(). Does it work: SELECT * FROM %1$I.report().', a ->> 'name');
END
$$;

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
	LANGUAGE sql VOLATILE SET extra_float_digits = 1
RETURN _dlints_create_recommender(pg_catalog.jsonb_build_object(
	'name', name, 'items', items::pg_catalog.oid, 'columns', columns, 'clicks', clicks,
	'candidates', coalesce(candidates, 'true'), 'outcomes', outcomes, 'item_key', item_key,
	'user_type', user_type::pg_catalog.oid, 'bonus', bonus,
	'cap_group', cap_group, 'cap', cap, 'repeats', repeats, 'factors', coalesce(factors, 64), 'half_life', half_life,
	'attribution_window', attribution_window, 'control', control, 'epsilon', epsilon, 'retention', retention,
	'examination', examination, 'value_limit', value_limit, 'exposure', exposure, 'diversity', diversity,
	'constraints', constraints), pg_catalog.current_schemas(false));
COMMENT ON FUNCTION dlints_create_recommender(text, regclass, text[], text, text, jsonb, name, regtype, text,
	text, integer, boolean, integer, interval, interval, double precision, double precision, interval, double precision[],
	double precision, double precision, double precision, jsonb)
	IS 'create a recommender: a schema with tables, views and functions that recommend the rows of a table';

-- Return an empty model of a ranker.  Its memories have a 25th of the half-life, a fifth, the half-life, and all
-- observations, because the best action may change within a day.  Draws have half of the posterior's standard
-- deviation: with a fourth, some rankers kept a worse action for days.
CREATE FUNCTION _dlints_ranker_model(half_life interval) RETURNS text
	LANGUAGE sql STABLE
RETURN dlints_new(192, half_life => half_life / 25::float8, memories => 4, exploration => 0.5::float8)::text;

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
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off
	SET extra_float_digits = 1 AS
$$
DECLARE
	a jsonb := jsonb_build_object(
		'name', name, 'attribution_window', attribution_window, 'default_reward', default_reward, 'repeated', repeated,
		'apprentice', apprentice, 'epsilon', epsilon, 'half_life', half_life, 'retention', retention,
		'vectors', vectors, 'constraints', constraints, 'value_limit', value_limit, 'user_key', user_key);
BEGIN
	PERFORM @extschema@._dlints_check_namesakes();
	a := @extschema@._dlints_check_arguments('ranker'::text, a - ARRAY(
		SELECT key FROM jsonb_each(a) WHERE value = 'null' AND key <> 'default_reward'));
	PERFORM @extschema@._dlints_create_schema(name);
	PERFORM @extschema@._dlints_execute_template(@extschema@._dlints_ranker_tables(), a);
	PERFORM @extschema@._dlints_execute_template(@extschema@._dlints_ranker_views(), a);
	PERFORM @extschema@._dlints_execute_template(@extschema@._dlints_ranker_wrappers(), a);
	EXECUTE format('REVOKE EXECUTE ON ALL ROUTINES IN SCHEMA %I FROM PUBLIC', name);
	PERFORM set_config('search_path', format('pg_catalog, %I, pg_temp', name), true);
	PERFORM @extschema@._dlints_write_settings(a || jsonb_build_object(
		'empty_model', @extschema@._dlints_ranker_model(half_life)));
	UPDATE setting s SET live_share = 0 WHERE s.apprentice; -- the ranker chooses no action before go_live()
	PERFORM @extschema@._dlints_write_constraints();
	PERFORM @extschema@._dlints_maintain_partitions();
	INSERT INTO model (name, learns, state)
	SELECT n.name, true, s.empty_model FROM setting s, unnest('{reward,imitation}'::text[]) n (name);
	RETURN format(
		'Rank actions: SELECT * FROM %1$I.rank(event, context, actions). Report the reward of the first action:'
		' SELECT %1$I.reward(event, value). Every minute, from cron: CALL %1$I.run(). Does it work:'
		' SELECT * FROM %1$I.report().', name);
END
$$;
COMMENT ON FUNCTION dlints_create_ranker(text, interval, double precision, text, boolean, double precision, interval,
	interval, jsonb, jsonb, double precision, text)
	IS 'create a ranker: a schema with tables, views and functions that rank the actions passed with each request';

-- Alter -----------------------------------------------------------------------------

-- Return the table "setting" of a recommender or ranker, or NULL if none has this name.  Only recommenders have the
-- table "item_vector".
CREATE FUNCTION _dlints_find_setting(kind text, name text) RETURNS oid
	LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS
$$
SELECT c.oid
FROM   pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'setting' AND c.relkind = 'r'
       JOIN pg_attribute t ON t.attrelid = c.oid AND t.attname = 'empty_model'
WHERE  n.nspname = _dlints_find_setting.name AND t.atttypid = '@extschema@.dlints'::regtype
AND   (_dlints_find_setting.kind = 'recommender') = EXISTS (
           SELECT FROM pg_class v WHERE v.relnamespace = n.oid AND v.relname = 'item_vector')
$$;

-- Lock the privileges on a recommender or ranker.  Concurrent changes of catalogs would fail with an internal error.
CREATE FUNCTION _dlints_lock_privileges(name text) RETURNS void
	LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
SELECT pg_advisory_xact_lock('pg_namespace'::regclass::bigint << 32 | quote_ident(name)::regnamespace::bigint)
$$;

-- Lock a recommender or ranker for a change, and return its table of settings.  The current user must own the schema
-- and its objects, because code of other users could run with the current user's rights.  We lock the table of
-- settings first, because sessions that wait for our row locks have already opened it.
CREATE FUNCTION _dlints_lock(kind text, name text, is_exclusive boolean) RETURNS regclass
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	setting CONSTANT oid := @extschema@._dlints_find_setting(kind, name);
	owner oid := (SELECT n.nspowner FROM pg_namespace n WHERE n.nspname = _dlints_lock.name);
BEGIN
	IF setting IS NULL THEN
		RAISE 'there is no % "%"', kind, name USING ERRCODE = 'undefined_object',
			HINT = CASE WHEN @extschema@._dlints_find_setting(CASE kind WHEN 'ranker' THEN 'recommender'
			                                                       ELSE 'ranker' END, name) IS NULL
			       THEN 'The view dlints_recommenders lists recommenders and rankers.'
			       ELSE format('"%s" is a %s.', name, CASE kind WHEN 'ranker' THEN 'recommender' ELSE 'ranker' END) END;
	ELSIF EXISTS (
		SELECT owner UNION SELECT c.relowner FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE  n.nspname = _dlints_lock.name AND c.relkind IN ('r', 'p', 'v')
		EXCEPT SELECT r.oid FROM pg_roles r WHERE r.rolname = current_user)
	THEN
		RAISE 'must be owner of schema "%" and of all objects in it', name USING ERRCODE = 'insufficient_privilege',
			HINT = CASE WHEN pg_get_userbyid(owner) <> current_user THEN format('SET ROLE %I.', pg_get_userbyid(owner))
			       ELSE 'ALTER SCHEMA ... OWNER TO does not change the owner of objects in the schema.'
			            ' Use REASSIGN OWNED.' END;
	END IF;
	IF is_exclusive THEN            -- dlints_grant() must not grant privileges on functions that are being replaced
		PERFORM @extschema@._dlints_lock_privileges(name);
	END IF;
	EXECUTE format('LOCK TABLE %I.setting IN %s MODE', name,
	               CASE WHEN is_exclusive THEN 'ACCESS EXCLUSIVE' ELSE 'ROW SHARE' END);
	-- lock rows in the same order as run() and learn(), to avoid deadlocks
	EXECUTE format('SELECT FROM %I.job WHERE name IN (''refresh'', ''refit'', ''items'') ORDER BY name DESC FOR UPDATE',
	               name);
	IF kind = 'recommender' THEN
		EXECUTE format('LOCK TABLE %1$I.item_vector, %1$I.warm_start_example IN SHARE ROW EXCLUSIVE MODE', name);
	END IF;
	EXECUTE format('SELECT FROM %I.model ORDER BY name FOR UPDATE', name);
	EXECUTE format('SELECT FROM %I.setting FOR UPDATE', name);
	RETURN setting;
END
$$;

-- Return the settings after a change, as jsonb.  Raises an error for a setting that cannot be changed.
CREATE FUNCTION _dlints_changed_settings(kind text, setting regclass, change jsonb) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	changeable CONSTANT text[] := CASE kind
		WHEN 'ranker'
		THEN '{attribution_window,default_reward,repeated,epsilon,half_life,retention,value_limit,user_key,'
			'vectors,constraints}'::text[]
		ELSE '{clicks,candidates,outcomes,bonus,cap_group,cap,repeats,diversity,half_life,attribution_window,control,'
			'epsilon,retention,examination,value_limit,exposure,constraints,items,item_key,item_type,user_type}' END;
	key text;
	a jsonb;
BEGIN
	EXECUTE format('SELECT to_jsonb(s.*) FROM %s s', setting) INTO a;
	IF a IS NULL THEN
		RAISE 'tables of the % are empty', kind USING ERRCODE = 'object_not_in_prerequisite_state',
			HINT = format('A dump without data was restored: restore the data, or drop and create the %s again.', kind);
	ELSIF jsonb_typeof(change) IS DISTINCT FROM 'object' THEN
		RAISE 'a change must be a JSON object of arguments and their new values'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'For example {"attribution_window": "1 hour"}.';
	END IF;
	FOR key IN SELECT jsonb_object_keys(change) LOOP
		IF key = 'name' THEN
			RAISE 'argument "name" of a % cannot be changed here', kind USING ERRCODE = 'feature_not_supported',
				HINT = 'ALTER SCHEMA ... RENAME TO renames it.';
		ELSIF kind = 'ranker' AND key = 'apprentice' THEN
			RAISE 'argument "apprentice" of a ranker cannot be changed here' USING ERRCODE = 'feature_not_supported',
				HINT = 'go_live(share) sets the share of events that the ranker decides.';
		ELSIF kind = 'recommender' AND key IN ('columns', 'factors') THEN
			RAISE 'argument "%" of a recommender cannot be changed', key USING ERRCODE = 'feature_not_supported',
				DETAIL = 'The models depend on the meaning of each feature.',
				HINT = 'Create another recommender beside it, and drop the old one once the new one is trained.';
		ELSIF key <> ALL (changeable) THEN
			RAISE 'a % has no argument "%" that can be changed', kind, key USING ERRCODE = 'invalid_parameter_value',
				HINT = format('Arguments that can be changed: %s.', array_to_string(changeable, ', '));
		END IF;
	END LOOP;
	PERFORM @extschema@._dlints_check_types(change);
	a := a || change;
	IF a -> 'candidates' = 'null' THEN      -- NULL stands for the default, as in dlints_create_recommender()
		a := a || '{"candidates": "true"}';
	END IF;
	RETURN a - ARRAY(SELECT j.key FROM jsonb_each(a) j WHERE j.value = 'null' AND j.key <> 'default_reward')
	         - '{name,items,item_key,item_type,user_type}'::text[];
END
$$;

-- Add the items' table and the current name of its key, as the recommender's views refer to them, to the settings.
CREATE FUNCTION _dlints_add_bindings(name text, a jsonb) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	bound record;
BEGIN
	SELECT k.attrelid AS items, k.attname AS key INTO bound
	FROM   pg_class v JOIN pg_rewrite r ON r.ev_class = v.oid
	       JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
	           AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> v.oid AND d.refobjsubid > 0
	       JOIN pg_attribute k ON k.attrelid = d.refobjid AND k.attnum = d.refobjsubid
	WHERE  v.oid = to_regclass(format('%I.item', name));
	IF NOT FOUND AND NOT a ? 'items' THEN
		RAISE 'the items of recommender "%" were dropped', name USING ERRCODE = 'object_not_in_prerequisite_state',
			HINT = 'Its log and models are kept. Pass the new table: dlints_alter_recommender(..., ''{"items": "name"}'').';
	END IF;
	RETURN a || jsonb_build_object('name', name, 'items', bound.items::oid, 'item_key', bound.key,
		'item_type', (SELECT t.atttypid FROM pg_attribute t
		              WHERE t.attrelid = to_regclass(format('%I.item_vector', name)) AND t.attname = 'item'),
		'user_type', (SELECT t.atttypid FROM pg_attribute t
		              WHERE t.attrelid = to_regclass(format('%I.decision', name)) AND t.attname = 'user_id'));
END
$$;

-- Raise an error if views or functions with the user's expressions were dropped, unless the change contains these
-- expressions.
CREATE FUNCTION _dlints_check_dropped_texts(name text, a jsonb, change jsonb) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	missing text := (
		SELECT string_agg(format('"%s"', t.argument), ', ')
		FROM   (VALUES ('clicks', 'click', true), ('candidates', 'allowed', true),
		               ('bonus', 'bonus', a ->> 'bonus' IS NOT NULL),
		               ('cap_group', 'cap_group', a ->> 'cap_group' IS NOT NULL),
		               ('constraints', 'cost_text', a -> 'constraints' <> '{}')) t (argument, object, is_used)
		WHERE  t.is_used AND NOT change ? t.argument AND to_regclass(format('%I.%I', name, t.object)) IS NULL
		AND    NOT EXISTS (SELECT FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
		                   WHERE n.nspname = name AND p.proname = t.object));
BEGIN
	IF missing IS NOT NULL THEN
		RAISE 'objects that recommender "%" reads were dropped', name
			USING ERRCODE = 'object_not_in_prerequisite_state',
			DETAIL = format('The view or function of %s was dropped with them.', missing),
			HINT = 'Pass the text again, as in dlints_alter_recommender(..., ''{"candidates": "i.in_stock"}'').';
	END IF;
END
$$;

-- Apply a change of settings to the models, item vectors and jobs of the recommender.
CREATE FUNCTION _dlints_apply_change(change jsonb) RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	PERFORM @extschema@._dlints_note_read_tables(ARRAY(SELECT jsonb_object_keys(change)));
	IF change ? 'constraints' THEN
		PERFORM @extschema@._dlints_write_constraints();
		PERFORM @extschema@._dlints_check_costs();
		UPDATE item_vector SET costs = NULL, outcome_rates = NULL WHERE costs IS NOT NULL OR outcome_rates IS NOT NULL;
		DELETE FROM block;
		PERFORM @extschema@._dlints_refresh_items();
	END IF;
	IF change ?| '{candidates,bonus,cap_group}' THEN
		PERFORM @extschema@._dlints_check_rules();
	END IF;
	IF change ? 'clicks' THEN
		PERFORM @extschema@._dlints_check_clicks();
		UPDATE setting s SET made_at = '-infinity' WHERE s.clicks IS NULL;
		PERFORM @extschema@._dlints_adopt_click_log();
		PERFORM @extschema@._dlints_find_latest_clicks();
	ELSIF change ? 'repeats' THEN
		PERFORM @extschema@._dlints_check_click_rows();
	END IF;
	IF change ?| '{clicks,exposure}' THEN
		UPDATE job SET done_at = '-infinity' WHERE name IN ('refresh', 'refit', 'warm_start');
	END IF;
	IF change ?| '{clicks,repeats}' THEN
		PERFORM @extschema@._dlints_find_repeats();
	END IF;
	IF change ?| '{half_life,outcomes}' THEN
		UPDATE model m
		SET    state = CASE m.name WHEN 'control' THEN @extschema@.dlints_set(s.empty_model, policy => 'greedy'::text)
		                           ELSE s.empty_model END,
		       learns = CASE m.name WHEN 'later' THEN (SELECT count(*) > 1 FROM jsonb_object_keys(s.outcomes))
		                            ELSE m.learns END
		FROM   setting s;
	END IF;
	IF change ?| '{half_life,outcomes,examination}' THEN
		PERFORM @extschema@._dlints_rebuild_models();
	END IF;
END
$$;

-- Change a recommender.  Names are looked up under the search_path of the caller.
CREATE FUNCTION _dlints_alter_recommender(name text, change jsonb, path name[]) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off
	SET extra_float_digits = 1 AS
$$
DECLARE
	rekeying CONSTANT text[] := '{items,item_key,item_type,user_type}';
	setting CONSTANT regclass := @extschema@._dlints_lock('recommender'::text, name, change ?| rekeying);
	texts text[];
	a jsonb;
BEGIN
	PERFORM @extschema@._dlints_check_namesakes();
	a := @extschema@._dlints_changed_settings('recommender'::text, setting, change);
	IF change ?| rekeying THEN
		PERFORM @extschema@._dlints_rekey_recommender(
			@extschema@._dlints_rekeyed_settings(name, a, change, path), path);
		change := change - rekeying;
		a := @extschema@._dlints_changed_settings('recommender'::text, setting, change);
	END IF;
	PERFORM @extschema@._dlints_check_dropped_texts(name, a, change);
	a := @extschema@._dlints_add_bindings(name, a);
	PERFORM @extschema@._dlints_check_arguments('recommender'::text, a);
	texts := ARRAY(SELECT unnest('{clicks,candidates,bonus,cap_group,constraints}'::text[])
	               INTERSECT SELECT jsonb_object_keys(change));
	a := @extschema@._dlints_derive(@extschema@._dlints_resolve(a, texts, path));
	IF 'clicks' = ANY (texts) THEN
		PERFORM @extschema@._dlints_bind_clicks(a);
	END IF;
	PERFORM @extschema@._dlints_bind_rules(a, texts);
	IF 'constraints' = ANY (texts) THEN
		PERFORM @extschema@._dlints_bind_costs(a);
	END IF;
	PERFORM @extschema@._dlints_enter(setting);
	PERFORM @extschema@._dlints_write_settings(a);
	PERFORM @extschema@._dlints_apply_change(change);
END
$$;

CREATE FUNCTION dlints_alter_recommender(name text, change jsonb) RETURNS void
	LANGUAGE sql VOLATILE
RETURN _dlints_alter_recommender(name, change, pg_catalog.current_schemas(false));
COMMENT ON FUNCTION dlints_alter_recommender(text, jsonb)
	IS 'change arguments of a recommender, given as a JSON object; keep its log, and train models again if needed';

-- Names of constraints, and the key of the user, are not features of a ranker's models.  The models are therefore
-- trained again when a constraint is added or removed, or the key of the user changes.
CREATE FUNCTION dlints_alter_ranker(name text, change jsonb) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off
	SET extra_float_digits = 1 AS
$$
DECLARE
	setting CONSTANT regclass := @extschema@._dlints_lock('ranker'::text, name, false);
	a jsonb;
	has_other_features boolean;
BEGIN
	PERFORM @extschema@._dlints_check_namesakes();
	a := @extschema@._dlints_changed_settings('ranker'::text, setting, change) || jsonb_build_object('name', name);
	PERFORM @extschema@._dlints_check_arguments('ranker'::text, a);
	PERFORM @extschema@._dlints_enter(setting);
	PERFORM @extschema@._dlints_write_settings(a || jsonb_build_object(
		'empty_model', @extschema@._dlints_ranker_model((a ->> 'half_life')::interval)));
	has_other_features := change ?| '{half_life,vectors,user_key}' OR ARRAY(
			SELECT p.name FROM constraint_price p ORDER BY p.name)
		<> ARRAY(SELECT k.k FROM setting s, jsonb_object_keys(s.constraints) k ORDER BY k.k);
	IF change ? 'constraints' THEN
		PERFORM @extschema@._dlints_write_constraints();
	END IF;
	IF has_other_features THEN
		UPDATE model SET state = s.empty_model FROM setting s;
	END IF;
	IF has_other_features OR change ? 'default_reward' THEN
		PERFORM @extschema@._dlints_rebuild_models();
	END IF;
END
$$;
COMMENT ON FUNCTION dlints_alter_ranker(text, jsonb)
	IS 'change arguments of a ranker, given as a JSON object; its log stays, and models are trained again where needed';

-- Grant and list ---------------------------------------------------------------------

CREATE FUNCTION dlints_grant(name text, role text) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	entry regprocedure;
BEGIN
	IF role IS NULL THEN
		RAISE 'argument "role" must not be null' USING ERRCODE = 'null_value_not_allowed';
	ELSIF role = '' THEN
		RAISE 'argument "role" must not be empty' USING ERRCODE = 'invalid_parameter_value';
	ELSIF coalesce(@extschema@._dlints_find_setting('recommender'::text, name),
	            @extschema@._dlints_find_setting('ranker'::text, name)) IS NULL THEN
		RAISE 'there is no recommender or ranker "%"', name
			USING ERRCODE = 'undefined_object', HINT = 'The view dlints_recommenders lists them.';
	END IF;
	PERFORM @extschema@._dlints_lock_privileges(name);
	EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', name, role);
	FOR entry IN
		SELECT p.oid FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
		WHERE  n.nspname = name AND p.prosecdef
		AND    p.proname IN ('recommend', 'more_like', 'next', 'trending', 'reward', 'explain', 'rank', 'activate')
	LOOP
		EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', entry, role);
	END LOOP;
END
$$;
COMMENT ON FUNCTION dlints_grant(text, text)
	IS 'grant a role the privileges on a recommender or a ranker that a web page needs';

-- List the recommenders and rankers of the database.  In schemas of other owners, only catalogs are read, because even
-- planning a query on a table could run the owner's code.
CREATE FUNCTION _dlints_list(OUT name text, OUT owner text, OUT kind text, OUT items bigint, OUT decisions bigint,
		OUT pending bigint, OUT last_run timestamptz) RETURNS SETOF record
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET row_security = off AS
$$
DECLARE
	schema record;
BEGIN
	FOR schema IN           -- pg_class has no index on relnamespace, so it is read once
		SELECT n.nspname, n.nspowner, me.oid = ALL (ARRAY[n.nspowner, r.first_owner, r.last_owner]) AS is_mine, r.*
		FROM  (SELECT c.relnamespace, min(c.relowner) AS first_owner, max(c.relowner) AS last_owner,
		              count(*) FILTER (WHERE c.relname = 'item_vector') > 0 AS is_recommender,
		              sum(pg_stat_get_live_tuples(c.oid)) FILTER (WHERE c.relname = 'item_vector') AS items,
		              sum(pg_stat_get_live_tuples(c.oid))
		                  FILTER (WHERE c.relname ~ '^decision_' AND c.relkind = 'r') AS decisions,
		              sum(pg_stat_get_live_tuples(c.oid)) FILTER (WHERE c.relname = 'pending') AS pending
		       FROM   pg_class c GROUP BY c.relnamespace) r
		       JOIN pg_namespace n ON n.oid = r.relnamespace
		       JOIN pg_roles me ON me.rolname = current_user
		       JOIN pg_class s ON s.relnamespace = n.oid AND s.relname = 'setting' AND s.relkind = 'r'
		       JOIN pg_attribute t ON t.attrelid = s.oid AND t.attname = 'empty_model'
		WHERE  t.atttypid = '@extschema@.dlints'::regtype AND has_schema_privilege(n.oid, 'USAGE')
		ORDER  BY n.nspname
	LOOP
		name := schema.nspname;
		owner := pg_get_userbyid(schema.nspowner);
		kind := CASE WHEN schema.is_recommender THEN 'recommender' ELSE 'ranker' END;
		items := schema.items;
		decisions := schema.decisions;
		pending := schema.pending;
		last_run := NULL;
		IF schema.is_mine THEN
			BEGIN
				EXECUTE format('SELECT max(done_at) FROM %I.job WHERE name = %L', name, 'run') INTO last_run;
			EXCEPTION WHEN OTHERS THEN
				NULL;	-- skip a damaged schema
			END;
		END IF;
		RETURN NEXT;
	END LOOP;
END
$$;

CREATE VIEW dlints_recommenders AS SELECT * FROM _dlints_list();
GRANT SELECT ON dlints_recommenders TO PUBLIC;
COMMENT ON VIEW dlints_recommenders
	IS 'recommenders and rankers of this database: owner, estimated numbers of rows, and time of the last run()';
