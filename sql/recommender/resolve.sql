-- Find the objects to which the arguments of a recommender refer, and try its expressions.

-- Raise an error that names the user's expression which raised it.  "place" is text such as 'in the argument
-- "clicks"'.  Errors with other causes, such as a lock timeout or a full disk, are raised unchanged.
CREATE FUNCTION _dlints_raise_in(place text, code text, message text, detail text, hint text) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
BEGIN
	IF code LIKE '53%' OR NOT @extschema@._dlints_is_row_error(code) THEN
		RAISE '%', concat_ws('. ', message, nullif(detail, '')) USING ERRCODE = code;
	END IF;
	RAISE '%: %', place, CASE WHEN code = '42P11' AND place = 'in the argument "clicks"'
		THEN 'the text must be a single query' WHEN code = '42P11' THEN 'the text must be a single expression'
		ELSE concat_ws('. ', message, nullif(detail, '')) END
		USING ERRCODE = CASE code WHEN '42P11' THEN '42601' ELSE code END, HINT = coalesce(nullif(hint, ''), CASE
			WHEN code = '42501' THEN 'The argument is evaluated with the rights of the role that creates the recommender.'
			WHEN code = '42P16' THEN 'The argument is read by a view: pseudo-types and temporary tables are not allowed.'
			WHEN code = '55000' THEN 'A materialized view that it reads may need REFRESH MATERIALIZED VIEW.'
			WHEN code = '0A000' AND message LIKE 'set-returning%' THEN 'The expression is computed once for each item.'
			WHEN code = '0A000' THEN 'The argument is part of queries, which neither write nor lock rows.'
			WHEN place = 'in the argument "clicks"' AND code !~ '^42'
			THEN 'The query must return every row without an error. It may return keys as stored: the recommender'
				' converts them, and ignores those that cannot be converted.'
			WHEN place = 'in the argument "items"' AND code !~ '^42'
			THEN 'The view must return a key for each row, or NULL, which leaves the row out.'
			WHEN place = 'in the argument "items"'
			THEN 'A table, column or function that it reads was dropped or renamed, perhaps on a foreign server.'
			WHEN place = 'in the argument "clicks"'
			THEN 'The argument is a query of user, item, time and optionally a weight, in this order. For Unix'
				' times write to_timestamp(seconds).'
			WHEN code = '42702'     -- the table of items has a column of this name
			THEN 'Write request.user_id or request.context for the argument of the request, and i.user_id or'
				' i.context for the column of the item.'
			WHEN place = 'in the argument "candidates"' THEN 'The argument is a condition on i, user_id and context.'
			WHEN place = 'in the argument "bonus"' THEN 'The argument is a number computed from i, user_id and context.'
			WHEN place = 'in the argument "cap_group"' THEN 'The argument is computed from i, user_id and context.'
			ELSE 'The expression is a condition on i, or a number computed from i.' END);
END
$$;

-- Try a query under another search_path, without reading a row.  Returns the values, of type oid, of expressions over
-- the columns of the query.  A cursor accepts only one statement, and functions that are not volatile accept no
-- statement that writes.
CREATE FUNCTION _dlints_try_query(path text, statement text, expressions text) RETURNS oid[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	test refcursor;
	described CONSTANT text := format(
		'SELECT ARRAY[%s]::pg_catalog.oid[] FROM (SELECT) one LEFT JOIN (%s LIMIT 0) q ON true', expressions, statement);
	result oid[];
BEGIN
	PERFORM set_config('search_path', path, true);
	OPEN test FOR EXECUTE statement;
	CLOSE test;
	IF expressions IS NOT NULL THEN
		EXECUTE described INTO result;
	END IF;
	RETURN result;
END
$$;

-- Raise an error unless a recommender can have these items.
CREATE FUNCTION _dlints_check_items(a jsonb) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	items regclass := (a ->> 'items')::oid;
	relation pg_class;
BEGIN
	SELECT * INTO relation FROM pg_class WHERE oid = items;
	IF relation.relkind IS NULL OR relation.relkind NOT IN ('r', 'p', 'v', 'm', 'f') THEN
		RAISE 'argument "items": % is neither a table nor a view', coalesce(relation.relname, a ->> 'items')
			USING ERRCODE = 'wrong_object_type';
	ELSIF NOT has_table_privilege(items, 'SELECT') AND NOT has_any_column_privilege(items, 'SELECT') THEN
		RAISE 'permission denied for %', relation.relname USING ERRCODE = 'insufficient_privilege',
			HINT = format('GRANT SELECT ON %s TO %I.', items, current_user);
	ELSIF relation.relpersistence = 't' THEN
		RAISE '% is a temporary table', relation.relname USING ERRCODE = 'invalid_table_definition',
			HINT = 'A recommender outlives the session: keep its items in a permanent table.';
	ELSIF NOT relation.relispopulated THEN
		RAISE 'argument "items": materialized view % has not been populated', relation.relname
			USING ERRCODE = 'object_not_in_prerequisite_state', HINT = format('REFRESH MATERIALIZED VIEW %s.', items);
	ELSIF NOT a ? 'vectors' AND row_security_active(items) THEN
		RAISE 'argument "items": row-level security applies to % for role %', relation.relname, current_user
			USING ERRCODE = 'insufficient_privilege',
			HINT = 'A recommender reads all rows of its items: it needs a role with BYPASSRLS, or a view of another owner.';
	END IF;
END
$$;

-- Return the name of the key column of items: the argument "item_key", or the primary key.  Raises an error if this
-- column or an encoded one does not exist.
CREATE FUNCTION _dlints_find_item_key(a jsonb) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	items regclass := (a ->> 'items')::oid;
	relation text := (SELECT relname FROM pg_class WHERE oid = items);
	has text[] := ARRAY(SELECT attname::text FROM pg_attribute
	                    WHERE attrelid = items AND attnum > 0 AND NOT attisdropped ORDER BY attnum);
	key text := coalesce(a ->> 'item_key', (
		SELECT t.attname FROM pg_index i JOIN pg_attribute t ON t.attrelid = i.indrelid AND t.attnum = i.indkey[0]
		WHERE  i.indrelid = items AND i.indisprimary AND i.indnkeyatts = 1));
	missing record;
BEGIN
	SELECT n.argument, string_agg(coalesce(quote_ident(n.name), 'NULL'), ', ') AS columns INTO missing
	FROM  (SELECT CASE WHEN a ? 'vectors' THEN 'items' ELSE 'columns' END AS argument, jsonb_array_elements_text(CASE
	                  WHEN a ? 'vectors'	-- columns may have been renamed since
	                  THEN coalesce(a -> 'present_columns', '[]') ELSE coalesce(a -> 'columns', '[]') END) AS name
	       UNION ALL SELECT 'item_key', key WHERE key IS NOT NULL) n
	WHERE  n.name <> ALL (has) OR n.name IS NULL GROUP BY n.argument ORDER BY n.argument LIMIT 1;
	IF missing.columns IS NOT NULL THEN
		RAISE 'argument "%": % has no column %', missing.argument, relation, missing.columns
			USING ERRCODE = 'undefined_column',
			HINT = format('It has %s.', (SELECT string_agg(quote_ident(c), ', ') FROM unnest(has) c));
	ELSIF key IS NULL THEN
		RAISE '% has no primary key of one column', relation
			USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Pass a unique column as item_key. If the key has several columns, create a view that'
				' combines them into one text column.';
	END IF;
	RETURN key;
END
$$;

-- Raise an error unless keys of a type can be compared.  "what" are the rows with these keys.
CREATE FUNCTION _dlints_check_key_type(what text, type oid) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
BEGIN
	IF (SELECT t.typtype IN ('c', 'p') OR t.typcategory = 'A' OR t.typarray = 0
	        OR t.typname LIKE 'reg%' AND t.typnamespace = 'pg_catalog'::regnamespace
	    FROM pg_type t WHERE t.oid = type) THEN
		RAISE undefined_function;
	END IF;
	EXECUTE format('SELECT DISTINCT x FROM (VALUES (NULL::%s)) v (x) ORDER BY x', type::regtype);
EXCEPTION WHEN undefined_function THEN
	RAISE '% of type % cannot be compared', what, type::regtype
		USING ERRCODE = 'datatype_mismatch', HINT = 'Keys must be scalars that can be ordered:'
		' create a view that casts the key to text.';
END
$$;

-- Try the user's expressions in the arguments "texts", under the search_path a ->> 'path'.  Returns the arguments with
-- the type and collation of users in the click log.  Each argument must be a single expression or query with balanced
-- parentheses, valid alone and in parentheses.  An expression must be valid in WHERE, where PostgreSQL rejects
-- aggregates, window functions and sets of rows.
CREATE FUNCTION _dlints_try_texts(a jsonb, texts text[]) RETURNS jsonb
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	items CONSTANT regclass := (a ->> 'items')::oid;
	path CONSTANT text := a ->> 'path';
	user_type oid := a ->> 'user_type';
	user_collation oid;
	types oid[];
	attempt record;
	statement text;
	detail text;
	hint text;
BEGIN
	FOR attempt IN
		SELECT n, argument, format('in the argument "%s"', argument) AS place, text, pattern FROM (VALUES
			(1, 'clicks', a ->> 'clicks', '%s'),
			(2, 'clicks', a ->> 'clicks', E'SELECT user_id, item, at FROM (\n%s\n) c (user_id, item, at)'),
			(4, 'candidates', a ->> 'candidates', E'SELECT %s\n%s'),
			(5, 'candidates', a ->> 'candidates', E'SELECT %2$s WHERE (%1$s\n)'),
			(6, 'bonus', a ->> 'bonus', E'SELECT %s\n%s'),
			(7, 'bonus', a ->> 'bonus', E'SELECT %2$s WHERE (%1$s\n)::pg_catalog.float8 IS NOT NULL'),
			(8, 'cap_group', a ->> 'cap_group', E'SELECT %s\n%s'),
			(9, 'cap_group', a ->> 'cap_group', E'SELECT %2$s WHERE (%1$s\n)::pg_catalog.text IS NOT NULL')
			) v (n, argument, text, pattern)
		WHERE  text IS NOT NULL AND argument = ANY (texts)
		UNION ALL
		SELECT v.n, 'constraints', format('in the constraint "%s"', p.name), p.value ->> 'of', v.pattern
		FROM   jsonb_each(a -> 'constraints') p (name, value), (VALUES
			(10, E'SELECT %s\nFROM %3$s i'),
			(11, E'SELECT i.%4$I, (%1$s\n) AS cost FROM %3$s i WHERE (%1$s\n) IS NOT NULL')) v (n, pattern)
		WHERE  'constraints' = ANY (texts) AND p.value ? 'of' ORDER BY 1
	LOOP
		statement := format(attempt.pattern, attempt.text, format(
			'FROM %s i, (SELECT NULL::%s AS user_id, NULL::pg_catalog.jsonb AS context) request',
			items, coalesce(user_type, 'int8'::regtype)::regtype), items, a ->> 'item_key');
		BEGIN
			IF btrim(attempt.text, E' \t\r\n') = '' THEN
				RAISE 'the text is empty' USING ERRCODE = 'syntax_error';
			END IF;
			types := @extschema@._dlints_try_query(path, statement, CASE attempt.n
				WHEN 2 THEN 'pg_catalog.pg_typeof(q.user_id), pg_catalog.pg_typeof(q.item), pg_catalog.pg_typeof(q.at)'
				WHEN 11 THEN 'pg_catalog.pg_typeof(q.cost)' END);
			IF attempt.n = 11 AND (SELECT typcategory NOT IN ('B', 'N') OR oid = 'money'::regtype FROM pg_type
			                       WHERE oid = types[1]) THEN
				RAISE 'the expression is of type %', types[1]::regtype USING ERRCODE = 'datatype_mismatch';
			ELSIF attempt.n = 2 THEN
				types := ARRAY(SELECT @extschema@._dlints_base_type(u.type)
				               FROM unnest(types) WITH ORDINALITY u (type, n) ORDER BY u.n);
				user_type := coalesce(user_type, types[1]);
				IF (SELECT typcollation <> 0 FROM pg_type WHERE oid = types[1]) THEN
					user_collation := (@extschema@._dlints_try_query(path, statement,
						'pg_catalog.pg_collation_for(q.user_id)::pg_catalog.regcollation'::text))[1];
				END IF;
				EXECUTE format('SELECT NULL::%s::%s, NULL::%s::%s, NULL::%s::timestamptz',
				               types[1]::regtype, user_type::regtype, types[2]::regtype,
				               (a ->> 'item_type')::oid::regtype, types[3]::regtype);
			END IF;
		EXCEPTION WHEN OTHERS THEN
			GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
			PERFORM @extschema@._dlints_raise_in(attempt.place, SQLSTATE, SQLERRM, detail, hint);
		END;
	END LOOP;
	RETURN a || jsonb_build_object('user_type', user_type, 'user_collation', user_collation);
END
$$;

-- Find the objects to which the arguments of a recommender refer: the relation, its key, and the types of items and
-- users.  Base types replace domains, which may reject NULL, the id of an unknown user.
CREATE FUNCTION _dlints_resolve(a jsonb, texts text[], path name[]) RETURNS jsonb
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	users_path text := concat_ws(', ',
		(SELECT string_agg(quote_ident(s), ', ' ORDER BY n)
		 FROM   unnest(CASE WHEN 'pg_catalog' <> ALL (path) THEN 'pg_catalog'::name || path ELSE path END)
		            WITH ORDINALITY u (s, n)
		 WHERE  s !~ '^pg_temp'), 'pg_temp');
	key text;
	user_type oid := a ->> 'user_type';
BEGIN
	PERFORM @extschema@._dlints_check_items(a);
	IF NOT EXISTS (SELECT FROM pg_type WHERE oid = user_type) AND user_type IS NOT NULL THEN
		RAISE 'argument "user_type" is not the name of a type' USING ERRCODE = 'undefined_object';
	END IF;
	key := @extschema@._dlints_find_item_key(a);
	SELECT a || jsonb_build_object(
		       'item_key', key, 'item_type', @extschema@._dlints_base_type(t.atttypid),
		       'item_collation', t.attcollation, 'user_type', @extschema@._dlints_base_type(user_type),
		       'clicks', rtrim(a ->> 'clicks', E' \t\n;'), 'path', users_path)
	INTO   a FROM pg_attribute t WHERE t.attrelid = (a ->> 'items')::oid AND t.attname = key;
	a := @extschema@._dlints_try_texts(a, texts);
	user_type := coalesce((a ->> 'user_type')::oid, 'int8'::regtype);
	PERFORM @extschema@._dlints_check_key_type('items'::text, (a ->> 'item_type')::oid);
	PERFORM @extschema@._dlints_check_key_type('users'::text, user_type);
	RETURN a || jsonb_build_object('items', (a ->> 'items')::oid, 'user_type', user_type);
END
$$;
