-- Wider keys, and the items' table again ---------------------------------------------------
--
-- The views and functions of a recommender depend on its key types.  They are dropped, the keys in its tables are
-- converted, and the views and functions are created again.  If the types do not change, only views and functions that
-- read the items are created again, so that waiting requests do not fail.  Log, models and item vectors remain.

-- Raise an error unless a type has all values of another type, as bigint has those of integer.
CREATE FUNCTION _dlints_check_wider(key_of text, was oid, becomes oid) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
BEGIN
	IF becomes IS NULL THEN
		RAISE 'argument "%_type" is not the name of a type', rtrim(key_of, 's') USING ERRCODE = 'undefined_object';
	ELSIF was <> becomes AND (
		becomes IN ('float4'::regtype, 'float8'::regtype)
		OR NOT EXISTS (SELECT FROM pg_cast c
		               WHERE  c.castsource = was AND c.casttarget = becomes AND c.castcontext = 'i'))
	THEN
		RAISE 'keys of % cannot be converted from % to %', key_of, was::regtype, becomes::regtype
			USING ERRCODE = 'feature_not_supported',
			HINT = 'A key can become wider, as integer becomes bigint. Create another recommender for other types.';
	END IF;
END
$$;

-- Return the names of the views and functions that depend on the expressions or key types of a recommender.
CREATE FUNCTION _dlints_bound_names() RETURNS name[]
	LANGUAGE sql IMMUTABLE
RETURN '{impression,impression_user,outcome,training_example,item_features,models,item,encoded_item,item_column,'
	'click,cost_text,recommend,more_like,next,trending,reward,explain,profile,learn,run_part,'
	'run,report,backtest,position_bias,erase,rebuild,refresh,refit,warm_start,allowed,bonus,cap_group,'
	'encode_document,same_item,same_user}'::pg_catalog.name[];

-- Return GRANT statements that restore the privileges on the views, their columns and the functions of a
-- recommender.
CREATE FUNCTION _dlints_grants(name text) RETURNS text[]
	LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS
$$
SELECT coalesce(array_agg(format('GRANT %s%s ON %s %I.%I TO %s%s', g.privilege_type, o.columns, o.kind,
                                 _dlints_grants.name, o.name,
                                 coalesce(quote_ident(r.rolname), 'PUBLIC'),
                                 CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)), '{}')
FROM  (SELECT c.relname AS name, 'TABLE' AS kind, '' AS columns, c.relacl AS acl, c.relowner AS owner
       FROM   pg_class c WHERE c.relnamespace = to_regnamespace(quote_ident(_dlints_grants.name)) AND c.relkind = 'v'
       UNION ALL
       SELECT c.relname, 'TABLE', format(' (%I)', t.attname), t.attacl, c.relowner
       FROM   pg_class c JOIN pg_attribute t ON t.attrelid = c.oid AND t.attacl IS NOT NULL
       WHERE  c.relnamespace = to_regnamespace(quote_ident(_dlints_grants.name)) AND c.relkind = 'v'
       UNION ALL
       SELECT p.proname, 'ROUTINE', '', p.proacl, p.proowner
       FROM   pg_proc p WHERE p.pronamespace = to_regnamespace(quote_ident(_dlints_grants.name))) o,
       LATERAL aclexplode(o.acl) g LEFT JOIN pg_roles r ON r.oid = g.grantee
WHERE  o.name = ANY (@extschema@._dlints_bound_names())
AND    g.grantee <> o.owner AND (g.grantee = 0 OR r.rolname IS NOT NULL)
$$;

-- Drop views and functions of a recommender.  Raises an error that names views of other schemas that read them.
CREATE FUNCTION _dlints_drop_bindings(name text, names name[]) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET client_min_messages = warning AS
$$
DECLARE
	schema CONSTANT oid := to_regnamespace(quote_ident(name));
	dropped text;
BEGIN
	SELECT string_agg(c.oid::regclass::text, ', ') INTO dropped
	FROM   pg_class c
	WHERE  c.relnamespace = schema AND c.relkind = 'v'
	AND    c.relname = ANY (names);
	IF dropped IS NOT NULL THEN
		EXECUTE 'DROP VIEW ' || dropped;
	END IF;
	SELECT string_agg(p.oid::regprocedure::text, ', ') INTO dropped
	FROM   pg_proc p
	WHERE  p.pronamespace = schema
	AND    p.proname = ANY (names);
	IF dropped IS NOT NULL THEN
		EXECUTE 'DROP ROUTINE ' || dropped;
	END IF;
END
$$;

-- Convert the key columns in the tables of a recommender.  Columns of other types are the user's own.
CREATE FUNCTION _dlints_convert_keys(name text, item_type oid, user_type oid) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	change record;
BEGIN
	FOR change IN
		SELECT c.relname, string_agg(format('ALTER %I TYPE %s', t.attname, k.type), ', ') AS columns
		FROM   pg_class c JOIN pg_attribute t ON t.attrelid = c.oid
		       JOIN (VALUES ('item', 'item_vector', item_type, ''), ('items', 'block', item_type, '[]'),
		                    ('neighbours', 'neighbour', item_type, '[]'), ('user_id', 'decision', user_type, '')
		            ) v (key, relation, becomes, suffix) ON v.key = t.attname
		       JOIN pg_attribute w ON w.attrelid = to_regclass(format('%I.%I', name, v.relation)) AND w.attname = v.key,
		       LATERAL (SELECT @extschema@._dlints_type_name(v.becomes) || v.suffix AS type) k
		WHERE  c.relnamespace = to_regnamespace(quote_ident(name)) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
		AND    t.atttypid = w.atttypid AND t.atttypid <> to_regtype(k.type)
		GROUP  BY c.relname ORDER BY c.relname
	LOOP
		RAISE NOTICE 'converting the keys in table "%"', change.relname;
		EXECUTE format('ALTER TABLE %I.%I %s', name, change.relname, change.columns);
	END LOOP;
END
$$;

-- Convert the key of the items' table to a wider type.  If the items are a view, its query determines the type.
CREATE FUNCTION _dlints_convert_items(items oid, item_key text, item_type oid) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	key_type CONSTANT oid := (SELECT @extschema@._dlints_base_type(t.atttypid)
	                          FROM pg_attribute t WHERE t.attrelid = items AND t.attname = item_key);
	problem text;
BEGIN
	IF key_type = item_type THEN
		RETURN;
	ELSIF (SELECT c.relkind NOT IN ('r', 'p') FROM pg_class c WHERE c.oid = items) THEN
		RAISE 'column "%" of % has type %, expected %', item_key, items::regclass, key_type::regtype,
				item_type::regtype
			USING ERRCODE = 'object_not_in_prerequisite_state',
			HINT = 'In one transaction, drop the view with DROP VIEW ... CASCADE, create it with wider keys, and call'
				' dlints_alter_recommender(..., ''{"items": "name of the view"}'').';
	END IF;
	RAISE NOTICE 'converting column "%" of %', item_key, items::regclass;
	EXECUTE format('ALTER TABLE %s ALTER %I TYPE %s', items::regclass, item_key,
	               @extschema@._dlints_type_name(item_type));
EXCEPTION WHEN feature_not_supported THEN
	GET STACKED DIAGNOSTICS problem = PG_EXCEPTION_DETAIL;
	RAISE 'column "%" of %: %', item_key, items::regclass, SQLERRM
		USING ERRCODE = 'feature_not_supported', DETAIL = problem,
		HINT = 'If another recommender has the same items, give it a copy of the table meanwhile:'
			' dlints_alter_recommender(..., ''{"items": "name of the copy"}'').';
END
$$;

-- Find a type or a relation by its name under a search_path.  Returns NULL if the name is invalid or does not exist.
CREATE FUNCTION _dlints_find_name(function_name text, object_name text, path name[]) RETURNS oid
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	statement CONSTANT text := format('SELECT pg_catalog.%I($1)::pg_catalog.oid', function_name);
	found oid;
BEGIN
	PERFORM set_config('search_path', coalesce((SELECT string_agg(quote_ident(p), ', ' ORDER BY n)
	                                            FROM unnest(path) WITH ORDINALITY u (p, n)), ''), true);
	EXECUTE statement INTO found USING object_name;	-- nothing else is looked up under the caller's path
	RETURN found;
EXCEPTION WHEN syntax_error OR invalid_name OR feature_not_supported THEN
	RETURN NULL;
END
$$;

-- Return the settings of a recommender after a change of user_type, item_type, items or item_key.  The type of items
-- follows the key of a new table.
CREATE FUNCTION _dlints_rekeyed_settings(name text, was jsonb, change jsonb, path name[]) RETURNS jsonb
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	a jsonb := @extschema@._dlints_add_bindings(name, jsonb_strip_nulls(was || CASE WHEN change ? 'items'
		THEN '{"items": true}'::jsonb ELSE '{}' END));
	item_type oid := a ->> 'item_type';
	user_type oid := a ->> 'user_type';
	new_user_type oid := user_type;
	new_item_type oid := item_type;
BEGIN
	IF change ? 'user_type' THEN
		new_user_type := @extschema@._dlints_find_name('to_regtype'::text, change ->> 'user_type', path);
	END IF;
	IF change ? 'item_type' THEN
		new_item_type := @extschema@._dlints_find_name('to_regtype'::text, change ->> 'item_type', path);
	END IF;
	IF change ? 'items' THEN
		a := a || jsonb_build_object('item_key', NULL,
			'items', @extschema@._dlints_find_name('to_regclass'::text, change ->> 'items', path));
		IF a ->> 'items' IS NULL THEN
			RAISE 'argument "items" is not the name of a relation' USING ERRCODE = 'undefined_table',
				DETAIL = format('The name is "%s".', change ->> 'items');
		END IF;
	END IF;
	IF change ? 'item_key' THEN
		a := a || jsonb_build_object('item_key', change -> 'item_key');
	END IF;
	PERFORM @extschema@._dlints_check_wider('users'::text, user_type, new_user_type);
	PERFORM @extschema@._dlints_check_wider('items'::text, item_type, new_item_type);
	RETURN jsonb_strip_nulls(a) || jsonb_build_object('user_type', new_user_type, 'item_type', new_item_type,
		'converts_items', change ? 'item_type', 'present_columns', @extschema@._dlints_present_columns(a));
END
$$;

-- Do the tables of a recommender have the key types and collations of its current settings?
CREATE FUNCTION _dlints_keeps_types(a jsonb) RETURNS boolean
	LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS
$$
SELECT bool_and(t.atttypid = (a ->> (k.key_of || '_type'))::oid
                AND @extschema@._dlints_collate_clause(t.attcollation)
                    = @extschema@._dlints_collate_clause((a ->> (k.key_of || '_collation'))::oid))
FROM  (VALUES ('item', 'item_vector', 'item'), ('user', 'decision', 'user_id')) k (key_of, relation, key)
       JOIN pg_attribute t ON t.attrelid = format('%I.%I', a ->> 'name', k.relation)::regclass AND t.attname = k.key
$$;

-- Create the views and functions of a recommender again, for settings from _dlints_rekeyed_settings().  Requests wait
-- until the end of the transaction.
CREATE FUNCTION _dlints_rekey_recommender(a jsonb, path name[]) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS
$$
DECLARE
	name CONSTANT text := a ->> 'name';
	texts CONSTANT text[] := '{clicks,candidates,bonus,cap_group,constraints}';
	grants CONSTANT text[] := @extschema@._dlints_grants(name);
	key_type CONSTANT oid := a ->> 'item_type';
	keeps_types boolean := false;
	permission text;
BEGIN
	IF a -> 'converts_items' = 'true' THEN
		PERFORM @extschema@._dlints_drop_bindings(name, @extschema@._dlints_bound_names());
		PERFORM @extschema@._dlints_convert_items((a ->> 'items')::oid, @extschema@._dlints_find_item_key(a), key_type);
	END IF;
	a := @extschema@._dlints_resolve(a, texts, path);
	PERFORM @extschema@._dlints_check_wider('items'::text, key_type, (a ->> 'item_type')::oid);
	a := @extschema@._dlints_derive(a);
	IF a -> 'converts_items' <> 'true' THEN
		keeps_types := @extschema@._dlints_keeps_types(a);
		PERFORM @extschema@._dlints_drop_bindings(name, CASE WHEN keeps_types
			THEN '{item,encoded_item,item_column,encode_document,allowed,bonus,cap_group,cost_text}'
			ELSE @extschema@._dlints_bound_names() END);
	END IF;
	IF NOT keeps_types THEN
		PERFORM @extschema@._dlints_convert_keys(name, (a ->> 'item_type')::oid, (a ->> 'user_type')::oid);
		PERFORM @extschema@._dlints_bind_keys(a);
	END IF;
	PERFORM @extschema@._dlints_bind_clicks(a);
	BEGIN
		PERFORM @extschema@._dlints_bind_items(a);
	EXCEPTION WHEN syntax_error_or_access_rule_violation THEN
		PERFORM @extschema@._dlints_raise_in('in the argument "items"'::text, SQLSTATE, SQLERRM, NULL::text,
			CASE WHEN SQLSTATE <> '42501' THEN format('Its columns need these types, or similar ones: %s.', (
				SELECT string_agg(format('%I %s', c ->> 'column', coalesce(to_regtype(c ->> 'type')::text, c ->> 'type')),
				                  ', ' ORDER BY n)
				FROM   jsonb_array_elements(a -> 'vectors' -> 'columns') WITH ORDINALITY v (c, n))) END);
	END;
	PERFORM @extschema@._dlints_bind_rules(a, '{candidates,bonus,cap_group}'::text[]);
	PERFORM @extschema@._dlints_bind_costs(a);
	IF NOT keeps_types THEN
		PERFORM @extschema@._dlints_execute_template(@extschema@._dlints_recommender_views(), a);
		PERFORM @extschema@._dlints_execute_template(@extschema@._dlints_recommender_wrappers(), a);
	END IF;
	PERFORM @extschema@._dlints_revoke_functions(name);
	FOREACH permission IN ARRAY grants LOOP
		EXECUTE permission;
	END LOOP;
	EXECUTE format('UPDATE %I.setting SET relation = $1, has_unique_key = $2, has_ordered_key = $3', name)
	USING a ->> 'relation', (a ->> 'has_unique_key')::boolean, (a ->> 'has_ordered_key')::boolean;
	EXECUTE format('DELETE FROM %I.block', name);	-- fewer items may fit into a page now
	EXECUTE format('UPDATE %I.setting SET block_slots = $1', name) USING (a ->> 'block_slots')::integer;
	EXECUTE format('UPDATE %I.job SET problem = NULL, done_at = ''-infinity'' WHERE name = ''refresh'''
	               ' AND problem IS NOT NULL', name);	-- the next run() refreshes items
	PERFORM @extschema@._dlints_enter(format('%I.setting', name)::regclass);
	PERFORM @extschema@._dlints_note_read_tables('{items,clicks,candidates,bonus,cap_group,constraints}'::text[]);
	PERFORM @extschema@._dlints_set_blocks();
END
$$;
