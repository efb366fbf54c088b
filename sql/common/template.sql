-- Templates and settings ----------------------------------------------------------

-- For CHECK constraints on arrays in the tables of recommenders: are all elements finite?
CREATE FUNCTION _dlints_are_finite(numbers real[], length integer DEFAULT NULL) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dlints_are_finite' LANGUAGE C IMMUTABLE PARALLEL SAFE;

-- Create the schema of a recommender or ranker, in which only the owner may create objects, even under default
-- privileges.
CREATE FUNCTION _dlints_create_schema(name text) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	grantee text;
BEGIN
	BEGIN
		EXECUTE format('CREATE SCHEMA %I', name);
	EXCEPTION WHEN duplicate_schema OR unique_violation THEN        -- another session may have created it meanwhile
		RAISE 'schema "%" already exists', name USING ERRCODE = 'duplicate_schema',
			HINT = 'Choose another name. DROP SCHEMA ... CASCADE removes a recommender or ranker.';
	END;
	-- PostgreSQL rejects the database's default tablespace by name for partitioned tables
	PERFORM set_config('default_tablespace', '', true)
	FROM    pg_database d JOIN pg_tablespace t ON t.oid = d.dattablespace
	WHERE   d.datname = current_database() AND t.spcname = current_setting('default_tablespace');
	FOR grantee IN
		SELECT CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(g.grantee)) END
		FROM   pg_namespace n, LATERAL aclexplode(n.nspacl) g
		WHERE  n.nspname = _dlints_create_schema.name AND g.privilege_type = 'CREATE' AND g.grantee <> n.nspowner
	LOOP
		EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM %s', name, grantee);
	END LOOP;
END
$$;

-- Return the expression that converts an argument to the type of keys, with a check of the range if keys are narrower.
CREATE FUNCTION _dlints_key_expression(argument text, name text, type text, arg_type text) RETURNS text
	LANGUAGE sql IMMUTABLE
RETURN CASE WHEN type = arg_type THEN pg_catalog.format('%s::%s', argument, type)
       ELSE pg_catalog.format('@extschema@._dlints_key_argument(%s, %L::pg_catalog.text, NULL::%s)',
                              argument, name, type) END;

-- Execute a template of tables, views or functions in a schema.
CREATE FUNCTION _dlints_execute_template(template text, a jsonb) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET client_min_messages = warning AS
$$
DECLARE
	-- literals of any integer type resolve to an argument of type bigint
	arg_type CONSTANT jsonb := '{"pg_catalog.int2": "pg_catalog.int8", "pg_catalog.int4": "pg_catalog.int8"}';
	item_type text := @extschema@._dlints_type_name((a ->> 'item_type')::oid);
	user_type text := @extschema@._dlints_type_name((a ->> 'user_type')::oid);
	item_arg text := coalesce(arg_type ->> item_type, item_type);
	user_arg text := coalesce(arg_type ->> user_type, user_type);
	word record;
BEGIN
	FOR word IN
		SELECT w.* FROM (VALUES
			('{item_type}', item_type), ('{item_arg}', item_arg), ('{user_type}', user_type), ('{user_arg}', user_arg),
			('{user_key}', @extschema@._dlints_key_expression('user_id'::text, 'user_id'::text, user_type, user_arg)),
			('{item_key}', @extschema@._dlints_key_expression('item'::text, 'item'::text, item_type, item_arg)),
			('{first_item_key}', @extschema@._dlints_key_expression('$1'::text, 'item'::text, item_type, item_arg)),
			('{recent_keys}', @extschema@._dlints_key_expression(
				'recent'::text, 'recent'::text, item_type || '[]', item_arg || '[]')),
			('{size}', a ->> 'size'), ('{factors}', a ->> 'factors'), ('{liked}', a ->> 'liked'),
			('{n_weights}', (jsonb_array_length(a -> 'feature_blocks') + 3)::text),
			('{block_bytes}', (current_setting('block_size')::integer - 32)::text)) w (name, value)
		WHERE  w.value IS NOT NULL
	LOOP
		template := replace(template, word.name, word.value);
	END LOOP;
	PERFORM set_config('search_path', format('%I, pg_catalog, pg_temp', a ->> 'name'), true);
	EXECUTE template;
END
$$;

-- Write the row of the table "setting", except for columns that maintenance changes.
CREATE FUNCTION _dlints_write_settings(a jsonb) RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	columns text := (
		SELECT string_agg(quote_ident(t.attname::text), ', ' ORDER BY t.attnum)
		FROM   pg_attribute t
		WHERE  t.attrelid = 'setting'::regclass AND t.attnum > 0 AND NOT t.attisdropped
		AND    t.attname::text <> ALL ('{single,kind,repeat_after,repeat_share,repeat_lift,is_centered,centered_since,
		           live_share,made_at,read_tables,has_item_index,effect_stddev,n_on_trial,trained_from,seed,
		           secret}'::text[]));
BEGIN
	IF EXISTS (SELECT FROM setting) THEN
		EXECUTE format('UPDATE setting SET (%1$s) = (SELECT %1$s FROM jsonb_populate_record(NULL::setting, $1))',
		               columns)
		USING a;
	ELSE
		EXECUTE format('INSERT INTO setting (%1$s) SELECT %1$s FROM jsonb_populate_record(NULL::setting, $1)', columns)
		USING a;
	END IF;
END
$$;
