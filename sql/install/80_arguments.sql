-- Recommenders and rankers ----------------------------------------------------
--
-- Each is a schema of its user's own tables and functions, which the templates of
-- sql/layer make.  What is here checks the arguments, looks at the items, finds the
-- words that the templates leave open, and executes the statements.
--
-- No function here finds another one by its name, since a search_path would then
-- decide which one.  Functions in PL/pgSQL call none of ours; those that put them
-- together are bound when the extension is made.

-- The arguments of a recommender or a ranker, if they are good
CREATE FUNCTION _dlints_arguments(kind text, a jsonb) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	bad record;
BEGIN
	-- a change is JSON of any types
	FOR bad IN
		SELECT key, t.type, value #>> '{}' AS value,
		       t.type = 'interval' AND jsonb_typeof(value) <> 'string' AS is_bare	-- 30: of what?
		FROM   jsonb_each(a), LATERAL (SELECT CASE
		           WHEN key IN ('wait', 'keep', 'half_life') THEN 'interval'
		           WHEN key IN ('cap', 'factors', 'people') THEN 'integer'
		           WHEN key IN ('control', 'epsilon', 'exposure', 'value_limit', 'default_reward', 'diversity')
		           THEN 'double precision' END AS type) t
		WHERE  t.type IS NOT NULL AND value <> 'null'
	LOOP
		BEGIN
			IF bad.is_bare THEN
				RAISE invalid_parameter_value;
			END IF;
			EXECUTE format('SELECT %L::%s', bad.value, bad.type);
		EXCEPTION WHEN data_exception THEN
			RAISE '% must be %', bad.key, CASE bad.type
				WHEN 'interval' THEN 'an interval such as "2 days"' WHEN 'integer' THEN 'a whole number' ELSE 'a number' END
				USING ERRCODE = 'invalid_parameter_value', DETAIL = format('It is %s.', bad.value);
		END;
	END LOOP;
	FOR bad IN
		SELECT * FROM (VALUES
		('name', a ->> 'name' <> '' AND octet_length(a ->> 'name') < 64,
			format('the name of a %s has 1 to 63 bytes', kind),
			'It becomes the name of a schema.'),
		('items', a ->> 'items' IS NOT NULL,
			'items must not be NULL',
			'Name the table or view whose rows are to be recommended.'),
		('columns', (SELECT count(c) = count(DISTINCT c)
			FROM jsonb_array_elements_text(coalesce(a -> 'columns', '[]')) c),
			'columns must not name one twice', 'Each has numbers of its own.'),
		('columns', a ->> 'clicks' IS NOT NULL OR jsonb_array_length(coalesce(a -> 'columns', '[]')) > 0,
			'a recommender needs columns to go by, or clicks',
			'columns => ARRAY[...] names columns of the items.'),
		('control', (a ->> 'control')::float8 BETWEEN 0 AND 1,
			'control must be between 0 and 1',
			'It is the share of people who get the most popular items.'),
		('wait', (a ->> 'wait')::interval BETWEEN '0' AND '100 years',
			'wait must be an interval of at least 0',
			'It is how long after a decision its rewards are waited for; at most 100 years.'),
		('default_reward', coalesce(abs((a ->> 'default_reward')::float8) <= 1e50, true),
			'default_reward must be a finite number',
			'It is what an event is worth for which no reward comes; NULL: that is not known, and teaches nothing.'),
		('repeated', a ->> 'repeated' IN ('first', 'last', 'sum'),
			'repeated must be first, last or sum',
			'It says which reward counts if several are told for an event.'),
		('person_key', a ->> 'person_key' <> '',
			'person_key must be a name',
			'It is what contexts call the person, whom erase() forgets.'),
		('vectors', jsonb_typeof(a -> 'vectors') = 'object' AND NOT EXISTS (
			SELECT FROM jsonb_each(CASE jsonb_typeof(a -> 'vectors') WHEN 'object' THEN a -> 'vectors' END)
			WHERE  key IN ('', a ->> 'person_key') OR jsonb_typeof(value) <> 'number'
			OR     CASE jsonb_typeof(value) WHEN 'number' THEN value::numeric NOT BETWEEN 1 AND 16384
			       OR value::numeric <> trunc(value::numeric) END),
			'vectors must be an object of keys of the context and how many numbers each has, from 1 to 16384',
			'For example {"embedding": 25}.'),
		('apprentice', a ->> 'apprentice' IS NOT NULL,
			'apprentice must be true or false',
			'An apprentice leaves the choice to the caller until go_live is called.'),
		('epsilon', (a ->> 'epsilon')::float8 BETWEEN 0 AND 1,
			'epsilon must be between 0 and 1',
			'It is the share of decisions that is left to chance.'),
		('exposure', (a ->> 'exposure')::float8 BETWEEN 0 AND 1,
			'exposure must be between 0 and 1',
			'It is the power of the number of clicks that says how often an item was seen.'),
		('factors', (a ->> 'factors')::integer BETWEEN 0 AND 128,
			'factors must be between 0 and 128',
			'It is how many numbers of a vector come from clicks.'),
		('half_life', (a ->> 'half_life')::interval > '0' AND (a ->> 'half_life')::interval <= '100 years',
			'half_life must be an interval above 0',
			'Only models that forget by time can correct and erase; at most 100 years.'),
		('keep', (a ->> 'keep')::interval BETWEEN '1 day' AND '100 years',
			'keep must be an interval of a day to 100 years',
			'It is how long decisions are kept.'),
		('keep', coalesce((a ->> 'keep')::interval > (a ->> 'wait')::interval, true),
			'keep must be longer than wait',
			'What is no longer kept cannot be learned.'),
		('archive', jsonb_typeof(a -> 'archive') = 'boolean',
			'archive must be true or false',
			'It says whether the models remember what is no longer kept.'),
		('promises', jsonb_typeof(a -> 'promises') = 'object' AND (
			SELECT count(*) FROM jsonb_each(CASE jsonb_typeof(a -> 'promises') WHEN 'object' THEN a -> 'promises' END)) <= 8,
			'promises must be an object of up to 8 names and what is promised of each',
			CASE kind WHEN 'ranker' THEN 'For example {"usd": {"most": 0.002}}.'
			ELSE 'For example {"own": {"of": "i.own_brand", "most": 0.3}}.' END),
		('value_limit', (a ->> 'value_limit')::float8 BETWEEN 1 AND 1e9,
			'value_limit must be between 1 and 1e9',
			CASE kind WHEN 'ranker' THEN 'No reward may be larger.'
			ELSE 'The value of a reward is at most so many times what its outcome is worth.' END),
		('people', NOT a ? 'people' OR (a ->> 'people')::integer BETWEEN 2 AND 10000 AND a ->> 'clicks' IS NOT NULL,
			'a backtest needs clicks, and between 2 and 10000 people',
			'So many people are looked at, by chance, of those who clicked.'),
		('cap', (a ->> 'cap' IS NULL) = (a ->> 'cap_group' IS NULL) AND coalesce((a ->> 'cap')::integer, 1) > 0,
			'cap and cap_group go together, and cap is at least 1',
			'Of each cap_group at most cap items are recommended.'),
		('diversity', coalesce((a ->> 'diversity')::float8, 0) BETWEEN 0 AND 1,
			'diversity must be between 0 and 1',
			'It is the share of its worth that a second of a kind loses in a list.'),
		('places', a -> 'places' IS NULL OR jsonb_typeof(a -> 'places') = 'array' AND a -> 'places' <> '[]'
			AND NOT jsonb_path_exists(a -> 'places',
				'strict $[*] ? (@.type() != "number" || @ < 0.01 || @ > 1)', silent => true),
			'places must be an array of numbers from 0.01 to 1',
			'They say how likely each place is looked at, the first one 1.'),
		('outcomes', jsonb_typeof(a -> 'outcomes') = 'object' AND a -> 'outcomes' <> '{}' AND NOT EXISTS (
			SELECT FROM jsonb_each(a -> 'outcomes')
			WHERE jsonb_typeof(value) <> 'number' OR key = '' OR abs((value #>> '{}')::numeric) > 1e9),
			'outcomes must be an object of names and what each is worth',
			'For example {"click": 1, "purchase": 5}.')) v (argument, good, problem, hint)
		WHERE  good IS NOT TRUE AND argument = ANY (CASE kind WHEN 'ranker'
			THEN '{name,wait,default_reward,repeated,apprentice,epsilon,half_life,keep,archive,value_limit,'
				'person_key,vectors,promises}'::text[]
			ELSE '{name,items,columns,control,epsilon,factors,half_life,wait,keep,archive,value_limit,'
				'cap,diversity,places,outcomes,exposure,people,promises}' END)
	LOOP
		RAISE '%', bad.problem USING ERRCODE = 'invalid_parameter_value', HINT = bad.hint;
	END LOOP;
	FOR bad IN
		SELECT p.key, p.value, v.problem
		FROM   jsonb_each(coalesce(a -> 'promises', '{}')) p, LATERAL (SELECT CASE
			WHEN p.key = '' OR octet_length(p.key) > 63 OR p.key IN ('id', 'price', 'features')
			THEN 'cannot have this name'
			WHEN jsonb_typeof(p.value) <> 'object' OR p.value ? 'most' = p.value ? 'least'
			THEN 'must say either "most" or "least"'
			WHEN kind = 'ranker' AND p.value - '{most,least,per,hard}'::text[] <> '{}'
			THEN 'has nothing but most or least, per and hard'
			WHEN kind = 'recommender' AND p.value ? 'hard'
			THEN 'cannot be hard: only those of rankers can'
			WHEN kind = 'recommender' AND p.value - '{most,least,per,of,outcome}'::text[] <> '{}'
			THEN 'has nothing but of or outcome, most or least, and per'
			WHEN kind = 'recommender' AND p.value ? 'of' = p.value ? 'outcome'
			THEN 'must say of what, by an expression of i or the name of an outcome'
			WHEN kind = 'recommender' AND p.value ? 'of' AND jsonb_typeof(p.value -> 'of') <> 'string'
			THEN 'must say of what, by an expression of i'
			WHEN kind = 'recommender' AND p.value ? 'outcome' AND NOT coalesce(a -> 'outcomes' ? (p.value ->> 'outcome'), false)
			THEN 'is of an outcome that there is not'
			WHEN jsonb_typeof(coalesce(p.value -> 'most', p.value -> 'least')) <> 'number'
			THEN 'must be of a number'
			WHEN NOT coalesce(p.value -> 'most', p.value -> 'least')::float8 BETWEEN 1e-50 AND 1e50
			THEN 'must be of a number above 0'
			WHEN p.value ? 'outcome' AND NOT coalesce(p.value -> 'most', p.value -> 'least')::float8 BETWEEN 1e-9 AND 1
			THEN 'must be of a share of the places, from 1e-9 to 1'
			WHEN kind = 'ranker' AND coalesce(p.value ->> 'per', 'request') <> 'request'
			THEN 'can only be per "request"'
			WHEN kind = 'recommender' AND coalesce(p.value ->> 'per', 'place') <> 'place'
			THEN 'can only be per "place"'
			WHEN jsonb_typeof(coalesce(p.value -> 'hard', 'false')) <> 'boolean' OR p.value ? 'least' AND p.value ? 'hard'
			THEN 'can be hard, true or false, where it is at most so much' END AS problem) v
		WHERE  v.problem IS NOT NULL
	LOOP
		RAISE 'the promise "%" %', bad.key, bad.problem
			USING ERRCODE = 'invalid_parameter_value', DETAIL = format('It is %s.', bad.value),
			HINT = CASE kind WHEN 'ranker' THEN 'For example {"usd": {"most": 0.002}}.'
			ELSE 'For example {"own": {"of": "i.own_brand", "most": 0.3}}.' END;
	END LOOP;
	RETURN a;
END
$$;
COMMENT ON FUNCTION _dlints_arguments(text, jsonb)
	IS 'the arguments of a recommender or a ranker, or an error if one is out of range';

-- What the arguments of a recommender refer to: the relation, its key, the types of items and
-- people; and these texts, tried under the search_path that they are meant under.
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
	person_type oid := (a ->> 'person_type')::oid;
	-- of domains the types below them: an unknown person is NULL
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
			HINT = 'Name the column that tells items apart: item_key => ''...''. If it takes several,'
				' make a view that has one expression of them.';
	END IF;
	SELECT atttypid INTO item_type FROM pg_attribute WHERE attrelid = items AND attname = key;
	EXECUTE below INTO types USING ARRAY[item_type, person_type];
	item_type := types[1];
	person_type := types[2];
	types := NULL;
	request := format('FROM %s i, (SELECT NULL::%s AS person, NULL::pg_catalog.jsonb AS context) request',
	                  items, coalesce(person_type, 'int8'::regtype)::regtype);

	-- One expression or query, which closes nothing that it has not opened: it stands alone as
	-- well as in parentheses.  A cursor takes no more than one statement, and is closed before
	-- it has read a row.
	FOR attempt IN
		SELECT n, argument, format('in the argument "%s"', argument) AS place, statement FROM (VALUES
			(1, 'clicks', clicks),
			(2, 'clicks', E'SELECT person, item, at FROM (\n' || clicks || E'\n) c (person, item, at)'),
			(4, 'candidates', 'SELECT ' || (a ->> 'candidates') || E'\n{request}'),
			(5, 'candidates', 'SELECT {request} WHERE (' || (a ->> 'candidates') || E'\n)'),
			(6, 'bonus', 'SELECT ' || (a ->> 'bonus') || E'\n{request}'),
			(7, 'bonus', 'SELECT (' || (a ->> 'bonus') || E'\n)::pg_catalog.float8 {request}'),
			(8, 'cap_group', 'SELECT ' || (a ->> 'cap_group') || E'\n{request}'),
			(9, 'cap_group', 'SELECT (' || (a ->> 'cap_group') || E'\n)::pg_catalog.text {request}')
			) v (n, argument, statement)
		WHERE  statement IS NOT NULL AND argument = ANY (texts)
		UNION ALL
		SELECT s.n, 'promises', format('in the promise "%s"', p.promise), s.statement
		FROM   jsonb_each(a -> 'promises') p (promise, value), LATERAL (VALUES
			(10, format(E'SELECT %s\nFROM %s i', p.value ->> 'of', items)),
			(11, format(E'SELECT i.%I, (%s\n) AS cost FROM %s i', key, p.value ->> 'of', items))) s (n, statement)
		WHERE  'promises' = ANY (texts) AND p.value ? 'of' ORDER BY 1
	LOOP
		attempt.statement := replace(attempt.statement, '{request}', request);
		typed := format('SELECT ARRAY[%s]::pg_catalog.oid[] FROM (SELECT) one LEFT JOIN (%s LIMIT 0) q ON true',
			CASE attempt.n WHEN 11 THEN 'pg_catalog.pg_typeof(q.cost)'
			ELSE 'pg_catalog.pg_typeof(q.person), pg_catalog.pg_typeof(q.item), pg_catalog.pg_typeof(q.at)' END,
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
				person_type := coalesce(person_type, types[1]);
				EXECUTE format('SELECT NULL::%s::%s, NULL::%s::%s, NULL::%s::timestamptz',
				               types[1]::regtype, person_type::regtype, types[2]::regtype, item_type::regtype,
				               types[3]::regtype);
				request := format('FROM %s i, (SELECT NULL::%s AS person, NULL::pg_catalog.jsonb AS context) request',
				                  items, person_type::regtype);
			END IF;
		EXCEPTION WHEN OTHERS THEN
			GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
			RAISE '%: %', attempt.place, concat_ws('. ', SQLERRM, nullif(detail, ''))
				USING ERRCODE = SQLSTATE, HINT = coalesce(nullif(hint, ''), CASE
					WHEN SQLSTATE LIKE '42%' AND SQLSTATE <> '42501' THEN CASE attempt.argument
					WHEN 'clicks' THEN 'It is a query of person, item and time, in this order.'
					WHEN 'promises' THEN 'It is an expression of i.'
					ELSE 'It is an expression of i, person and context.' END
					ELSE 'It is read with the rights of who makes the recommender.' END);
		END;
	END LOOP;
	person_type := coalesce(person_type, 'int8'::regtype);
	FOR attempt IN VALUES ('items', item_type), ('people', person_type) LOOP
		BEGIN
			IF (SELECT typtype = 'c' OR typcategory = 'A' OR typarray = 0
			    OR typname LIKE 'reg%' AND typnamespace = 'pg_catalog'::regnamespace
			    FROM pg_type WHERE oid = attempt.column2) THEN
				RAISE undefined_function;
			END IF;
			EXECUTE format('SELECT DISTINCT x FROM (VALUES (NULL::%s)) v (x) ORDER BY x',
			               attempt.column2::regtype);
		EXCEPTION WHEN undefined_function THEN
			RAISE '% of type % cannot be told apart', attempt.column1, attempt.column2::regtype
				USING ERRCODE = 'datatype_mismatch', HINT = 'A key has one value, and values have an order:'
				' make a view that has it as text.';
		END;
	END LOOP;

	RETURN a || jsonb_build_object('items', items::oid, 'item_key', key, 'item_type', item_type,
		'person_type', person_type, 'clicks', clicks, 'path', users_path,
		'bound', coalesce(a -> 'bound', '{}') || coalesce((
			SELECT jsonb_object_agg(t, users_path) FROM unnest(texts) t WHERE a ? t), '{}'));
END
$$;
COMMENT ON FUNCTION _dlints_resolve(jsonb, text[], name[])
	IS 'what the arguments of a recommender refer to, or an error if that is not there';
