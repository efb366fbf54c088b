-- Views and functions bound to the user's own texts and types -------------------------
--
-- These views and inlinable functions are in the recommender's schema.  They are parsed once, under the search_path of
-- the user who creates or alters the recommender.  The argument "a" has the recommender's arguments, completed by
-- _dlints_resolve() and _dlints_derive().

-- Return the qualified equality operator of a type, which may be in the schema of any extension.
CREATE FUNCTION _dlints_equality(type oid) RETURNS text
	LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS
$$
SELECT coalesce((
	SELECT format('OPERATOR(%I.%s)', s.nspname, o.oprname)
	FROM   pg_opclass c JOIN pg_amop m ON m.amopfamily = c.opcfamily AND m.amopstrategy = 3
	           AND m.amoplefttype = c.opcintype AND m.amoprighttype = c.opcintype
	       JOIN pg_operator o ON o.oid = m.amopopr
	       JOIN pg_namespace s ON s.oid = o.oprnamespace
	WHERE  c.opcmethod = 403 AND c.opcdefault AND c.opcintype = type), 'OPERATOR(pg_catalog.=)')
$$;

-- Return the qualified name of a type.
CREATE FUNCTION _dlints_type_name(type oid) RETURNS text
	LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS
$$
SELECT format('%I.%I', n.nspname, t.typname) FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
WHERE  t.oid = type
$$;

CREATE FUNCTION _dlints_fits_index(key "any") RETURNS boolean
	AS 'MODULE_PATHNAME', 'dlints_fits_index' LANGUAGE C STABLE STRICT PARALLEL SAFE;

-- Return the COLLATE clause of a nondeterministic collation, such as a case-insensitive one, or an empty text for
-- others.
CREATE FUNCTION _dlints_collate_clause(collation_id oid) RETURNS text
	LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS
$$
SELECT coalesce((SELECT format(' COLLATE %I.%I', n.nspname, c.collname)
                 FROM   pg_collation c JOIN pg_namespace n ON n.oid = c.collnamespace
                 WHERE  c.oid = collation_id AND NOT c.collisdeterministic), '')
$$;

-- Create the functions same_item() and same_user(), which compare keys.  The planner inlines them, so that it can use
-- indexes and hash joins.  Key columns of the tables get the collations of keys in the items and the click log.
CREATE FUNCTION _dlints_bind_keys(a jsonb) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	key_of text;
	type text;
	collate_clause text;
	operator text;
	key_column record;
BEGIN
	FOR key_of, type, collate_clause, operator IN
		SELECT k.key_of, @extschema@._dlints_type_name(k.type), @extschema@._dlints_collate_clause(k.collation_id),
		       @extschema@._dlints_equality(k.type)
		FROM  (VALUES ('item', (a ->> 'item_type')::oid, (a ->> 'item_collation')::oid),
		              ('user', (a ->> 'user_type')::oid, (a ->> 'user_collation')::oid)) k (key_of, type, collation_id)
	LOOP
		EXECUTE format(
			'CREATE FUNCTION %I.same_%s(a %s, b %3$s) RETURNS bool LANGUAGE sql IMMUTABLE RETURN a%s %s b%4$s',
			a ->> 'name', key_of, type, collate_clause, operator);
		FOR key_column IN
			SELECT c.relname, t.attname, format_type(t.atttypid, t.atttypmod) AS type
			FROM   pg_class c JOIN pg_attribute t ON t.attrelid = c.oid
			WHERE  c.relnamespace = to_regnamespace(quote_ident(a ->> 'name')) AND c.relkind IN ('r', 'p')
			AND    NOT c.relispartition
			AND    t.attname = ANY (CASE key_of WHEN 'item' THEN '{item,items}'::name[] ELSE '{user_id}' END)
			AND    t.attcollation <> 0 AND collate_clause <> ''
		LOOP
			EXECUTE format('ALTER TABLE %I.%I ALTER %I TYPE %s%s', a ->> 'name', key_column.relname, key_column.attname,
			               key_column.type, collate_clause);
		END LOOP;
	END LOOP;
END
$$;

-- Revoke the functions of a recommender from PUBLIC, except the comparisons of keys, which views of the log call with
-- the rights of their reader.
CREATE FUNCTION _dlints_revoke_functions(name text) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
BEGIN
	EXECUTE format('REVOKE EXECUTE ON ALL ROUTINES IN SCHEMA %I FROM PUBLIC', name);
	EXECUTE format('GRANT EXECUTE ON FUNCTION %1$I.same_item, %1$I.same_user TO PUBLIC', name);
END
$$;

-- Return the current names of the encoded columns.  The definition of the view "item_column" has the new name of a
-- renamed column; since PostgreSQL 16, it omits the alias "i".  If the view is missing, returns the names at creation.
CREATE FUNCTION _dlints_present_columns(a jsonb) RETURNS text[]
	LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS
$$
SELECT ARRAY(
	SELECT coalesce((parse_ident(substring(
	           pg_get_viewdef(to_regclass(format('%I.item_column', a ->> 'name')))
	           FROM format('(?:^|[^[:alnum:]_$"])(?:i[.])?("(?:[^"]|"")+"|[a-z0-9_$]+) AS c%s[,[:space:]]', c.n)),
	                             false))[1],
	                c.c ->> 'column')
	FROM   jsonb_array_elements(a -> 'vectors' -> 'columns') WITH ORDINALITY c (c, n) ORDER BY c.n)
$$;

-- Return the expressions of features and dates of all encoded columns, and the list of these columns with their types.
-- "reference" is the format of a reference to a column, given its name and position.
CREATE FUNCTION _dlints_encoding(a jsonb, reference text, OUT encoded text, OUT dates text, OUT columns text)
	LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS
$$
SELECT coalesce(string_agg(e.code, E'\n       || ' ORDER BY c.n) FILTER (WHERE NOT e.is_age), '''{}''::real[]'),
       format('ARRAY[%s]::real[]', string_agg(e.code, ', ' ORDER BY c.n) FILTER (WHERE e.is_age)),
       coalesce(string_agg(format('%I %s', c.c ->> 'column', (
           SELECT @extschema@._dlints_type_name(@extschema@._dlints_base_type(t.atttypid)) FROM pg_attribute t
           WHERE  t.attrelid = to_regclass(format('%I.item_column', a ->> 'name')) AND t.attname = format('c%s', c.n))),
                           ', ' ORDER BY c.n) FILTER (WHERE NOT e.is_age), '"-" text')
FROM   jsonb_array_elements(a -> 'vectors' -> 'columns') WITH ORDINALITY c (c, n),
       LATERAL (SELECT c.c ->> 'kind' = 'age' AS is_age, @extschema@._dlints_column_expression(
                           c.c, format(reference, c.c ->> 'column', c.n)) AS code) e
$$;

-- Create a view of the features, dates and digests of items.
CREATE FUNCTION _dlints_bind_encoded_view(a jsonb, view_name text) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	of_item record;
BEGIN
	SELECT e.encoded, e.dates INTO of_item FROM @extschema@._dlints_encoding(a, 'i.c%2$s'::text) e;
	EXECUTE format(
		E'CREATE OR REPLACE VIEW %1$I.%4$I AS\nSELECT i.item,\n       %2$s AS encoded,\n       %3$s AS dates,\n'
		'       @extschema@._dlints_digest(i.item%5$s) AS digest\nFROM   %1$I.item_column i',
		a ->> 'name', of_item.encoded, of_item.dates, view_name,
		(SELECT string_agg(g.digest, '')        -- digests of 90 columns each, because functions have at most 100 arguments
		 FROM  (SELECT format(', @extschema@._dlints_digest(%s)', string_agg(format('i.c%s', n), ', ' ORDER BY n)) AS digest
		        FROM   jsonb_array_elements(a -> 'vectors' -> 'columns') WITH ORDINALITY c (c, n)
		        GROUP  BY n / 90 ORDER BY n / 90) g));
END
$$;

-- Create the view "encoded_item" of features and dates, and encode_document(), which encodes a JSON object of columns.
CREATE FUNCTION _dlints_bind_encoding(a jsonb) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	name CONSTANT text := a ->> 'name';
	of_document record;
BEGIN
	SELECT * INTO of_document FROM @extschema@._dlints_encoding(a, 'i.%1$I'::text);
	PERFORM @extschema@._dlints_bind_encoded_view(a, 'encoded_item'::text);
	EXECUTE format('CREATE OR REPLACE FUNCTION %I.encode_document(document jsonb) RETURNS real[] LANGUAGE sql STABLE'
	               ' BEGIN ATOMIC SELECT %s FROM jsonb_to_record(document) i (%s); END',
	               name, of_document.encoded, of_document.columns);
END
$$;

-- Create the views of keys and of encoded columns, and the view and the function that encode columns.  No function has
-- a row of the items as argument, because PostgreSQL would then refuse to add columns to the table.
CREATE FUNCTION _dlints_bind_items(a jsonb) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	items text := (a ->> 'items')::oid::regclass;
	columns text := (SELECT string_agg(format(', i.%I AS c%s', c.name, c.n), '' ORDER BY c.n)
	                 FROM   jsonb_array_elements_text(coalesce(
	                            a -> 'present_columns', to_jsonb(@extschema@._dlints_present_columns(a))))
	                            WITH ORDINALITY c (name, n));
BEGIN
	EXECUTE format('CREATE VIEW %I.item AS SELECT i.%I AS item FROM %s i', a ->> 'name', a ->> 'item_key', items);
	EXECUTE format('CREATE VIEW %I.item_column AS SELECT i.%I AS item%s FROM %s i',
	               a ->> 'name', a ->> 'item_key', columns, items);
	PERFORM @extschema@._dlints_bind_encoding(a);
END
$$;

-- Execute a statement with the text of an argument under another search_path.  Errors name the argument.
CREATE FUNCTION _dlints_execute_under(path text, argument text, statement text) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	detail text;
	hint text;
BEGIN
	PERFORM set_config('search_path', path, true);
	EXECUTE statement;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	PERFORM @extschema@._dlints_raise_in(format('in the argument "%s"', argument), SQLSTATE, SQLERRM, detail, hint);
END
$$;

CREATE FUNCTION _dlints_try_cast(value text, type anyelement) RETURNS anyelement
	AS 'MODULE_PATHNAME', 'dlints_try_cast' LANGUAGE C STABLE PARALLEL SAFE COST 5;

-- Return an expression that converts a column of the click log to another type.  Invalid values become NULL, so that
-- an invalid click does not affect the others.
CREATE FUNCTION _dlints_safe_cast(expression text, source oid, target oid) RETURNS text
	LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS
$$
SELECT CASE
	WHEN source = target OR t.typcategory = 'S' AND t.typnamespace = 'pg_catalog'::regnamespace
	     OR source IN ('int2'::regtype, 'int4'::regtype) AND target IN ('int4'::regtype, 'int8'::regtype)
	     OR source IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype) AND target = 'numeric'::regtype
	THEN format('%s::%s', expression, name)
	WHEN source IN ('int4'::regtype, 'int8'::regtype) AND target IN ('int2'::regtype, 'int4'::regtype)
	     OR source IN ('float4'::regtype, 'float8'::regtype, 'numeric'::regtype)
	        AND target IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype)
	THEN format(
		'CASE WHEN %1$s::%2$s OPERATOR(pg_catalog.>=) %3$L::%2$s AND %1$s::%2$s OPERATOR(pg_catalog.<=) %4$L::%2$s'
		' THEN %1$s::%5$s END', expression,
		CASE WHEN source IN ('int4'::regtype, 'int8'::regtype) THEN 'pg_catalog.int8' ELSE 'pg_catalog.numeric' END,
		- (2::numeric ^ (8 * t.typlen - 1))::numeric(20),
		(2::numeric ^ (8 * t.typlen - 1))::numeric(20) - 1, name)
	ELSE format('@extschema@._dlints_try_cast(%s::pg_catalog.text, NULL::%s)', expression, name) END
FROM   pg_type t, LATERAL (SELECT @extschema@._dlints_type_name(t.oid) AS name) n
WHERE  t.oid = target
$$;

-- Return an expression that converts times of the click log to timestamptz.  Times without a zone are in the zone of
-- the session that creates the recommender, which is appended to texts.  If appending fails because the text has a
-- zone, the text is read alone.  Times near the limits of the type become NULL, because a zone could move them beyond
-- these limits.  Zones without a name, as after SET TIME ZONE -3, are appended as an offset.
CREATE FUNCTION _dlints_time_cast(expression text, source oid) RETURNS text
	LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS
$$
SELECT CASE
	WHEN source = 'timestamptz'::regtype THEN expression
	WHEN source IN ('timestamp'::regtype, 'date'::regtype) THEN format(
		'CASE WHEN %1$s OPERATOR(pg_catalog.>=) %2$L::%3$s AND %1$s OPERATOR(pg_catalog.<) %4$L::%3$s'
		' OR NOT pg_catalog.isfinite(%1$s) THEN %1$s::pg_catalog.timestamp AT TIME ZONE %5$L END',
		expression, '4713-01-01 BC', @extschema@._dlints_type_name(source), '294276-01-01', current_setting('TimeZone'))
	ELSE format('COALESCE(@extschema@._dlints_try_cast(%1$s::pg_catalog.text OPERATOR(pg_catalog.||) %2$L,'
		' NULL::pg_catalog.timestamptz), @extschema@._dlints_try_cast(%1$s::pg_catalog.text,'
		' NULL::pg_catalog.timestamptz))', expression, CASE
			WHEN @extschema@._dlints_try_cast('2000-01-01 ' || current_setting('TimeZone'), NULL::timestamptz) IS NOT NULL
			THEN ' ' || current_setting('TimeZone') ELSE to_char(now(), ' TZH:TZM') END) END
$$;

-- Return the types of the columns user, item, time and (optional) weight of the query "clicks", with base types for
-- domains.
CREATE FUNCTION _dlints_click_types(a jsonb) RETURNS oid[]
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	types oid[];
BEGIN
	PERFORM @extschema@._dlints_execute_under(a ->> 'path', 'clicks'::text, format(
		E'CREATE VIEW %I.logged_click AS SELECT * FROM (\n%s\n) c (user_id, item, at)', a ->> 'name', a ->> 'clicks'));
	WITH RECURSIVE below AS (
		SELECT c.attnum, c.atttypid AS type FROM pg_attribute c
		WHERE  c.attrelid = format('%I.logged_click', a ->> 'name')::regclass AND c.attnum > 0
		UNION ALL
		SELECT b.attnum, t.typbasetype FROM below b JOIN pg_type t ON t.oid = b.type WHERE t.typtype = 'd')
	SELECT array_agg(b.type ORDER BY b.attnum) INTO types
	FROM   below b JOIN pg_type t ON t.oid = b.type WHERE t.typtype <> 'd';
	EXECUTE format('DROP VIEW %I.logged_click', a ->> 'name');
	IF cardinality(types) > 4 OR cardinality(types) = 4 AND NOT EXISTS (
		SELECT FROM pg_type t
		WHERE  t.oid = types[4] AND t.typcategory = 'N' AND t.typnamespace = 'pg_catalog'::regnamespace
		AND t.typname IN ('int2', 'int4', 'int8', 'numeric', 'float4', 'float8'))
	THEN
		RAISE 'in the argument "clicks": a fourth column must be a number, and the last one'
			USING ERRCODE = 'invalid_parameter_value',
			HINT = 'The argument is a query of user, item, time and optionally the weight of a click.';
	END IF;
	RETURN types;
END
$$;

-- Create the view "click".  Without a click log, the view has the rewards of the recommender's own lists.
CREATE FUNCTION _dlints_bind_clicks(a jsonb) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	types oid[];
	user_cast text;
	item_cast text;
BEGIN
	IF a ->> 'clicks' IS NULL THEN
		EXECUTE format('CREATE OR REPLACE VIEW %1$I.click AS
			SELECT d.user_id, r.item, d.at, 1::float8 AS weight
			FROM   %1$I.decision d JOIN %1$I.reward r ON r.decision = d.id
			           AND EXISTS (SELECT FROM unnest(d.items) i (item) WHERE %1$I.same_item(i.item, r.item))
			WHERE  r.value > 0', a ->> 'name');
		RETURN;
	END IF;
	types := @extschema@._dlints_click_types(a);
	user_cast := @extschema@._dlints_safe_cast('c.user_id'::text, types[1], (a ->> 'user_type')::oid);
	IF types[1] <> (a ->> 'user_type')::oid THEN
		RAISE NOTICE 'users have type % in the click log and type % in the recommender',
			types[1]::regtype, (a ->> 'user_type')::oid::regtype
			USING DETAIL = 'An index of the click log on its column of users cannot be used.',
			HINT = CASE WHEN user_cast ~ '^c.user_id::' THEN format(
			           'Give both the same type, or make an index on the users as (%s), and their times.',
			           replace(user_cast, 'c.user_id', '...'))
			       ELSE 'Give both the same type: dlints_create_recommender() takes that of the click log by default.' END;
	END IF;
	IF types[3] <> 'timestamptz'::regtype THEN
		RAISE NOTICE 'times of clicks without a time zone are read in the zone of this session, "%"',
			current_setting('TimeZone')
			USING HINT = CASE WHEN types[3] IN ('timestamp'::regtype, 'date'::regtype) THEN format(
				'To find the latest clicks fast, let the query return (...::timestamp AT TIME ZONE %L), and create an index'
				' on this expression.', current_setting('TimeZone'))
				ELSE 'An index on times of type timestamptz would make it fast to find the latest clicks.' END;
	END IF;
	item_cast := @extschema@._dlints_safe_cast('c.item'::text, types[2], (a ->> 'item_type')::oid);
	-- if a key is too long, the view returns no item; CASE around the user would prevent index scans of the log
	item_cast := coalesce((
		SELECT format('CASE WHEN %s THEN %s END', string_agg(format(
		           '@extschema@._dlints_fits_index(c.%s) IS NOT FALSE', k.name), ' AND '), item_cast)
		FROM  (VALUES ('user_id', (a ->> 'user_type')::oid), ('item', (a ->> 'item_type')::oid)) k (name, type)
		       JOIN pg_type t ON t.oid = k.type
		WHERE  t.typlen = -1 HAVING count(*) > 0), item_cast);
	-- CREATE OR REPLACE VIEW keeps the collations of columns
	SELECT user_cast || coalesce(string_agg(k.clause, '') FILTER (WHERE k.attname = 'user_id'), ''),
	       item_cast || coalesce(string_agg(k.clause, '') FILTER (WHERE k.attname = 'item'), '')
	INTO   user_cast, item_cast
	FROM  (SELECT t.attname, format(' COLLATE %I.%I', n.nspname, c.collname) AS clause
	       FROM   pg_attribute t JOIN pg_collation c ON c.oid = t.attcollation
	              JOIN pg_namespace n ON n.oid = c.collnamespace
	       WHERE  t.attrelid = to_regclass(format('%I.click', a ->> 'name'))) k;
	PERFORM @extschema@._dlints_execute_under(a ->> 'path', 'clicks'::text, format(
		E'CREATE OR REPLACE VIEW %I.click AS\nSELECT %s AS user_id, %s AS item, %s AS at,\n       %s AS weight\n'
		'FROM (\n%s\n) c (%s)',
		a ->> 'name', user_cast, item_cast,
		@extschema@._dlints_time_cast('c.at'::text, types[3]),
		CASE cardinality(types) WHEN 4 THEN '@extschema@._dlints_click_weight(c.weight)'
		     ELSE '1::pg_catalog.float8' END,
		a ->> 'clicks', CASE cardinality(types) WHEN 4 THEN 'user_id, item, at, weight' ELSE 'user_id, item, at' END));
END
$$;

-- Return an expression of "cap_group" that is equal for equal values, such as 1.0 and 1.00, or texts under a
-- case-insensitive collation.  Hashes are equal where texts differ.  Types without a 64-bit hash function use their
-- texts.
CREATE FUNCTION _dlints_group_expression(a jsonb, request text) RETURNS text
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	types CONSTANT oid[] := @extschema@._dlints_try_query(a ->> 'path', format(E'SELECT (%s\n) AS cap_group %s',
		a ->> 'cap_group', request), 'pg_catalog.pg_typeof(q.cap_group),'
		' pg_catalog.pg_collation_for(q.cap_group::pg_catalog.text)::pg_catalog.regcollation'::text);
BEGIN
	RETURN (
		SELECT CASE WHEN t.oid = ANY ('{numeric,float4,float8,interval}'::regtype[]) OR c.oid IS NOT NULL OR (
		           t.typtype = 'b' AND t.typcategory = 'S' AND t.typnamespace <> 'pg_catalog'::regnamespace
		           AND EXISTS (SELECT FROM pg_opclass o JOIN pg_am m ON m.oid = o.opcmethod
		                              JOIN pg_amproc p ON p.amprocfamily = o.opcfamily AND p.amproclefttype = t.oid
		                       WHERE  m.amname = 'hash' AND p.amprocnum = 2 AND o.opcdefault AND o.opcintype = t.oid))
		       THEN format(E'NULLIF(pg_catalog.hash_record_extended(ROW(%s\n), 1::pg_catalog.int8),'
		                   ' 0::pg_catalog.int8)', a ->> 'cap_group')
		       ELSE a ->> 'cap_group' END
		FROM   pg_type t LEFT JOIN pg_collation c ON c.oid = types[2] AND NOT c.collisdeterministic
		WHERE  t.oid = @extschema@._dlints_base_type(types[1]));
END
$$;

-- Create functions for the expressions "candidates", "bonus" and "cap_group" named in "texts".  The functions for
-- "bonus" and "cap_group" exist only with an expression of the user.
CREATE FUNCTION _dlints_bind_rules(a jsonb, texts text[]) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	items text := (a ->> 'items')::oid::regclass;
	item_type text := @extschema@._dlints_type_name((a ->> 'item_type')::oid);
	user_type text := @extschema@._dlints_type_name((a ->> 'user_type')::oid);
	rule text;
	result text;
	read_by text;
	relation text;
BEGIN
	IF 'candidates' = ANY (texts) THEN
		PERFORM @extschema@._dlints_execute_under(a ->> 'path', 'candidates'::text, format(
			E'CREATE OR REPLACE FUNCTION %I.allowed(user_id %s, context pg_catalog.jsonb) RETURNS TABLE (item %s)'
			' LANGUAGE sql STABLE\nBEGIN ATOMIC\n    SELECT i.%I\n'
			'    FROM   %s i CROSS JOIN (SELECT allowed.user_id, allowed.context) request\n    WHERE  (%s\n);\nEND',
			a ->> 'name', user_type, item_type, a ->> 'item_key', items, a ->> 'candidates'));
	END IF;
	IF a ->> 'cap_group' IS NOT NULL AND 'cap_group' = ANY (texts) THEN
		a := a || jsonb_build_object('cap_group', @extschema@._dlints_group_expression(a, format(
			'FROM %s i, (SELECT NULL::%s AS user_id, NULL::pg_catalog.jsonb AS context) request', items, user_type)));
	END IF;
	FOR rule, result IN VALUES ('bonus', 'float8'), ('cap_group', 'text') LOOP
		CONTINUE WHEN rule <> ALL (texts);
		IF a ->> rule IS NULL THEN
			IF to_regprocedure(format('%I.%I(%s, %s, jsonb)', a ->> 'name', rule, item_type, user_type)) IS NOT NULL
			THEN
				EXECUTE format('DROP FUNCTION %I.%I(%s, %s, jsonb)', a ->> 'name', rule, item_type, user_type);
			END IF;
		ELSE
			PERFORM @extschema@._dlints_execute_under(a ->> 'path', rule, format(
				E'CREATE OR REPLACE FUNCTION %I.%I(of_item %s, user_id %s, context pg_catalog.jsonb)'
				' RETURNS TABLE (%2$I pg_catalog.%5$s) LANGUAGE sql STABLE\n'
				'BEGIN ATOMIC\n    SELECT (%6$s\n)::pg_catalog.%5$s\n'
				'    FROM   %7$s i CROSS JOIN (SELECT %2$I.user_id, %2$I.context) request\n'
				'    WHERE  i.%8$I %9$s %2$I.of_item;\nEND',
				a ->> 'name', rule, item_type, user_type, result, a ->> rule, items, a ->> 'item_key',
				@extschema@._dlints_equality((a ->> 'item_type')::oid)));
		END IF;
	END LOOP;
	-- at the end of a session, PostgreSQL drops temporary tables together with the functions that read them
	SELECT CASE f.proname WHEN 'allowed' THEN 'candidates' ELSE f.proname END, c.relname INTO read_by, relation
	FROM   pg_proc f JOIN pg_namespace n ON n.oid = f.pronamespace
	       JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = f.oid
	       JOIN pg_class c ON d.refclassid = 'pg_class'::regclass AND c.oid = d.refobjid
	WHERE  n.nspname = a ->> 'name' AND f.proname IN ('allowed', 'bonus', 'cap_group') AND c.relpersistence = 't'
	LIMIT  1;
	IF FOUND THEN
		RAISE 'argument "%" reads the temporary table "%"', read_by, relation
			USING ERRCODE = 'invalid_table_definition',
			HINT = 'PostgreSQL would drop the function of the expression with the table, at the end of the session.';
	END IF;
END
$$;

-- Create the view "cost_text": the costs of each item as text, in the order of constraint names; NULL for a constraint
-- on an outcome.  Part 0 of the view computes all expressions, and part n the n-th one alone.  The view stays when the
-- last constraint is removed, because concurrent requests may read it.
CREATE FUNCTION _dlints_bind_costs(a jsonb) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	costs text := (
		SELECT string_agg(format(E'CASE WHEN p._dlints_part OPERATOR(pg_catalog.=) ANY (%L::pg_catalog.int4[])'
		                         ' THEN (SELECT (%s\n)::pg_catalog.text) END',
		                         ARRAY[0, n], coalesce(value ->> 'of', 'NULL')), ', ' ORDER BY n)
		FROM  (SELECT c.value, row_number() OVER (ORDER BY c.key COLLATE "C") AS n
		       FROM   jsonb_each(a -> 'constraints') c) c);
BEGIN
	IF costs IS NOT NULL OR to_regclass(format('%I.cost_text', a ->> 'name')) IS NOT NULL THEN
		PERFORM @extschema@._dlints_execute_under(a ->> 'path', 'constraints'::text, format(
			'CREATE OR REPLACE VIEW %I.cost_text AS SELECT i.%I AS item, p._dlints_part AS part,'
			' ARRAY[%s]::pg_catalog.text[] AS costs FROM %s i,'
			' (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8)) p (_dlints_part)',
			a ->> 'name', a ->> 'item_key', costs, (a ->> 'items')::oid::regclass));
	END IF;
END
$$;
