-- Find what the arguments of a recommender refer to: the relation, its key, and the types of items and users.  Texts
-- are tried under the search_path of the caller.
CREATE FUNCTION _dlints_resolve(a jsonb, texts text[], path name[]) RETURNS jsonb
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	users_path text := concat_ws(', ',
		(SELECT string_agg(quote_ident(s), ', ' ORDER BY n)
		 FROM   unnest(CASE WHEN 'pg_catalog' <> ALL (path) THEN 'pg_catalog'::name || path ELSE path END)
		            WITH ORDINALITY u (s, n)
		 WHERE  s !~ '^pg_temp'), 'pg_temp');
	-- under a user's path nothing is to be found but the user's
	to_users_path text := 'SET LOCAL search_path = ' || users_path;
	to_own_path text := 'SET LOCAL search_path = ' || current_setting('search_path');
	items regclass := (a ->> 'items')::oid;
	relation text := (SELECT relname FROM pg_class WHERE oid = items);
	key text := a ->> 'item_key';
	has text[] := ARRAY(SELECT attname::text FROM pg_attribute
	                    WHERE attrelid = items AND attnum > 0 AND NOT attisdropped ORDER BY attnum);
	missing text;
	item_type oid;
	item_collation oid;
	user_collation oid;
	user_type oid := (a ->> 'user_type')::oid;
	-- of domains the types below them: an unknown user is NULL
	below text := 'SELECT array_agg((WITH RECURSIVE t AS (SELECT u.type AS oid UNION ALL SELECT p.typbasetype'
		' FROM t JOIN pg_type p ON p.oid = t.oid WHERE p.typtype = ''d'') SELECT t.oid FROM t JOIN pg_type p'
		' ON p.oid = t.oid WHERE p.typtype <> ''d'') ORDER BY n) FROM unnest($1) WITH ORDINALITY u (type, n)';
	clicks text := rtrim(a ->> 'clicks', E' \t\n;');
	types oid[];
	request text;
	attempt record;
	test refcursor;
	typed text;
	has_types boolean;
	detail text;
	hint text;
BEGIN
	IF NOT has_table_privilege(items, 'SELECT') AND NOT has_any_column_privilege(items, 'SELECT') THEN
		RAISE 'permission denied for %', relation USING ERRCODE = 'insufficient_privilege',
			HINT = format('GRANT SELECT ON %s TO %I.', items, current_user);
	ELSIF (SELECT relpersistence = 't' FROM pg_class WHERE oid = items) THEN
		RAISE '% is a temporary table', relation USING ERRCODE = 'invalid_table_definition',
			HINT = 'A recommender stays, and with it what it reads.';
	ELSIF key IS NULL THEN
		SELECT t.attname INTO key
		FROM   pg_index i JOIN pg_attribute t ON t.attrelid = i.indrelid AND t.attnum = i.indkey[0]
		WHERE  i.indrelid = items AND i.indisprimary AND i.indnkeyatts = 1;
	END IF;
	SELECT string_agg(coalesce(quote_ident(c), 'NULL'), ', ') INTO missing
	FROM   unnest(CASE WHEN a ? 'vectors' THEN '{}'	-- by now columns may have other names
	              ELSE ARRAY(SELECT jsonb_array_elements_text(coalesce(a -> 'columns', '[]'))) END
	              || CASE WHEN key IS NOT NULL THEN ARRAY[key] ELSE '{}' END) c
	WHERE  c <> ALL (has) OR c IS NULL;
	IF missing IS NOT NULL THEN
		RAISE '% has no column %', relation, missing
			USING ERRCODE = 'undefined_column',
			HINT = format('It has %s.', (SELECT string_agg(quote_ident(c), ', ') FROM unnest(has) c));
	ELSIF key IS NULL THEN
		RAISE '% has no primary key of one column', relation
			USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Name a unique column: item_key => ''...''. For a key of several columns,'
				' make a view with a text of all of them.';
	END IF;
	SELECT atttypid, attcollation INTO item_type, item_collation
	FROM   pg_attribute WHERE attrelid = items AND attname = key;
	EXECUTE below INTO types USING ARRAY[item_type, user_type];
	item_type := types[1];
	user_type := types[2];
	types := NULL;
	request := format('FROM %s i, (SELECT NULL::%s AS user_id, NULL::pg_catalog.jsonb AS context) request',
	                  items, coalesce(user_type, 'int8'::regtype)::regtype);

	-- One expression or query, which closes nothing that it has not opened: it stands alone as
	-- well as in parentheses.  A cursor takes no more than one statement, and is closed before
	-- it has read a row.
	FOR attempt IN
		SELECT n, argument, format('in the argument "%s"', argument) AS place, statement FROM (VALUES
			(1, 'clicks', clicks),
			(2, 'clicks', E'SELECT user_id, item, at FROM (\n' || clicks || E'\n) c (user_id, item, at)'),
			(4, 'candidates', 'SELECT ' || (a ->> 'candidates') || E'\n{request}'),
			(5, 'candidates', 'SELECT {request} WHERE (' || (a ->> 'candidates') || E'\n)'),
			(6, 'bonus', 'SELECT ' || (a ->> 'bonus') || E'\n{request}'),
			(7, 'bonus', 'SELECT (' || (a ->> 'bonus') || E'\n)::pg_catalog.float8 {request}'),
			(8, 'cap_group', 'SELECT ' || (a ->> 'cap_group') || E'\n{request}'),
			(9, 'cap_group', 'SELECT (' || (a ->> 'cap_group') || E'\n)::pg_catalog.text {request}')
			) v (n, argument, statement)
		WHERE  statement IS NOT NULL AND argument = ANY (texts)
		UNION ALL
		SELECT s.n, 'constraints', format('in the constraint "%s"', p.name), s.statement
		FROM   jsonb_each(a -> 'constraints') p (name, value), LATERAL (VALUES
			(10, format(E'SELECT %s\nFROM %s i', p.value ->> 'of', items)),
			(11, format(E'SELECT i.%I, (%s\n) AS cost FROM %s i', key, p.value ->> 'of', items))) s (n, statement)
		WHERE  'constraints' = ANY (texts) AND p.value ? 'of' ORDER BY 1
	LOOP
		attempt.statement := replace(attempt.statement, '{request}', request);
		typed := format('SELECT ARRAY[%s]::pg_catalog.oid[] FROM (SELECT) one LEFT JOIN (%s LIMIT 0) q ON true',
			CASE attempt.n WHEN 11 THEN 'pg_catalog.pg_typeof(q.cost)'
			ELSE 'pg_catalog.pg_typeof(q.user_id), pg_catalog.pg_typeof(q.item), pg_catalog.pg_typeof(q.at)' END,
			attempt.statement);
		has_types := attempt.n IN (2, 11);
		BEGIN
			EXECUTE to_users_path;
			OPEN test FOR EXECUTE attempt.statement;
			CLOSE test;
			IF has_types THEN	-- what its columns are, without reading a row
				EXECUTE typed INTO types;
			END IF;
			EXECUTE to_own_path;
			IF attempt.n = 11 AND (SELECT typcategory NOT IN ('B', 'N') OR oid = 'money'::regtype FROM pg_type
			                       WHERE oid = types[1]) THEN
				RAISE 'it is of type %', types[1]::regtype
					USING ERRCODE = 'datatype_mismatch', HINT = 'It is a condition on i, or a number.';
			ELSIF attempt.n = 2 THEN
				EXECUTE below INTO types USING types;
				user_type := coalesce(user_type, types[1]);
				IF (SELECT typcollation <> 0 FROM pg_type WHERE oid = types[1]) THEN
					-- written before the path changes, since format() would be looked up there
					typed := format(
						'SELECT pg_catalog.pg_collation_for(q.user_id)::pg_catalog.regcollation FROM (SELECT) one'
						' LEFT JOIN (%s LIMIT 0) q ON true', attempt.statement);
					EXECUTE to_users_path;
					EXECUTE typed INTO user_collation;
					EXECUTE to_own_path;
				END IF;
				EXECUTE format('SELECT NULL::%s::%s, NULL::%s::%s, NULL::%s::timestamptz',
				               types[1]::regtype, user_type::regtype, types[2]::regtype, item_type::regtype,
				               types[3]::regtype);
				request := format('FROM %s i, (SELECT NULL::%s AS user_id, NULL::pg_catalog.jsonb AS context) request',
				                  items, user_type::regtype);
			END IF;
		EXCEPTION WHEN OTHERS THEN
			GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
			RAISE '%: %', attempt.place, concat_ws('. ', SQLERRM, nullif(detail, ''))
				USING ERRCODE = SQLSTATE, HINT = coalesce(nullif(hint, ''), CASE
					WHEN SQLSTATE LIKE '42%' AND SQLSTATE <> '42501' THEN CASE attempt.argument
					WHEN 'clicks'
					THEN '"clicks" is a query of user, item and time, and perhaps a weight, in this order.'
					WHEN 'constraints' THEN 'It is an expression of i.'
					ELSE 'It is an expression of i, user_id and context.' END
					ELSE 'It is read with the rights of who makes the recommender.' END);
		END;
	END LOOP;
	user_type := coalesce(user_type, 'int8'::regtype);
	FOR attempt IN VALUES ('items', item_type), ('users', user_type) LOOP
		BEGIN
			IF (SELECT typtype = 'c' OR typcategory = 'A' OR typarray = 0
			    OR typname LIKE 'reg%' AND typnamespace = 'pg_catalog'::regnamespace
			    FROM pg_type WHERE oid = attempt.column2) THEN
				RAISE undefined_function;
			END IF;
			EXECUTE format('SELECT DISTINCT x FROM (VALUES (NULL::%s)) v (x) ORDER BY x',
			               attempt.column2::regtype);
		EXCEPTION WHEN undefined_function THEN
			RAISE '% of type % cannot be compared', attempt.column1, attempt.column2::regtype
				USING ERRCODE = 'datatype_mismatch', HINT = 'A key has one value, and values have an order:'
				' make a view that has it as text.';
		END;
	END LOOP;

	RETURN a || jsonb_build_object('items', items::oid, 'item_key', key, 'item_type', item_type,
		'item_collation', item_collation, 'user_collation', user_collation,
		'user_type', user_type, 'clicks', clicks, 'path', users_path);
END
$$;
COMMENT ON FUNCTION _dlints_resolve(jsonb, text[], name[])
	IS 'what the arguments of a recommender refer to, or an error if that is not there';
