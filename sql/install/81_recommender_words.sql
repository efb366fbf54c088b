-- The words of a recommender: its arguments, checked and resolved -----------

-- The columns of a table or view that a recommender is to go by
CREATE FUNCTION dlints_recommender_need(items regclass, columns text[]) RETURNS void
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	has text[] := ARRAY(SELECT attname::text FROM pg_catalog.pg_attribute
	                    WHERE attrelid = items AND attnum > 0 AND NOT attisdropped ORDER BY attnum);
	missing text;
BEGIN
	SELECT string_agg(coalesce(quote_ident(c), 'NULL'), ', ') INTO missing
	FROM   unnest(columns) c WHERE c <> ALL (has) OR c IS NULL;
	IF missing IS NOT NULL THEN
		RAISE '% has no column %', items, missing
			USING ERRCODE = 'undefined_column',
			HINT = format('It has %s.', (SELECT string_agg(quote_ident(c), ', ') FROM unnest(has) c));
	END IF;
END
$$;
COMMENT ON FUNCTION dlints_recommender_need(regclass, text[])
	IS 'an error if a table has not these columns';

-- The column that tells items apart
CREATE FUNCTION dlints_recommender_key(items regclass, given text) RETURNS text
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	key text := given;
BEGIN
	IF key IS NULL THEN
		SELECT a.attname INTO key
		FROM   pg_catalog.pg_index i JOIN pg_catalog.pg_attribute a
		           ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
		WHERE  i.indrelid = items AND i.indisprimary AND i.indnkeyatts = 1;
	END IF;
	IF key IS NULL THEN
		RAISE '% has no primary key of one column', items
			USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Name the column that tells items apart: item_key => ''...''. If it takes several,'
				' make a view that has one expression of them.';
	END IF;
	PERFORM dlints_recommender_need(items, ARRAY[key]);
	RETURN key;
END
$$;
COMMENT ON FUNCTION dlints_recommender_key(regclass, text)
	IS 'the column that tells a recommender''s items apart';

CREATE FUNCTION dlints_recommender_require(good boolean, problem text, hint text) RETURNS void
	LANGUAGE plpgsql IMMUTABLE AS
$$
BEGIN
	IF good IS NOT TRUE THEN
		RAISE '%', problem USING ERRCODE = 'invalid_parameter_value', HINT = hint;
	END IF;
END
$$;
COMMENT ON FUNCTION dlints_recommender_require(boolean, text, text)
	IS 'an error if an argument of a recommender is not good';

-- What can be judged without the tables
CREATE FUNCTION dlints_recommender_sane(a jsonb) RETURNS void
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM dlints_recommender_require(good, problem, hint)
	FROM  (VALUES
		(a ->> 'name' <> '' AND octet_length(a ->> 'name') < 64,
			'the name of a recommender has 1 to 63 bytes',
			'It becomes the name of a schema.'),
		(a ->> 'items' IS NOT NULL,
			'items must not be NULL',
			'Name the table or view whose rows are to be recommended.'),
		(a ->> 'clicks' IS NOT NULL OR jsonb_array_length(coalesce(a -> 'columns', '[]')) > 0,
			'a recommender needs columns to go by, or clicks',
			'columns => ARRAY[...] names columns of the items.'),
		((a ->> 'control')::float8 BETWEEN 0 AND 1,
			'control must be between 0 and 1',
			'It is the share of people who get the most popular items.'),
		((a ->> 'epsilon')::float8 BETWEEN 0 AND 1,
			'epsilon must be between 0 and 1',
			'It is the share of decisions that is left to chance.'),
		((a ->> 'factors')::integer BETWEEN 0 AND 128,
			'factors must be between 0 and 128',
			'It is how many numbers of a vector come from clicks.'),
		((a ->> 'half_life')::interval > '0',
			'half_life must be an interval above 0',
			'Only models that forget by time can correct and erase.'),
		((a ->> 'wait')::interval >= '0',
			'wait must be an interval of at least 0',
			'It is how long after a decision its items are learned.'),
		((a ->> 'keep')::interval > '0',
			'keep must be an interval above 0',
			'It is how long decisions are kept.'),
		((a ->> 'cap' IS NULL) = (a ->> 'cap_group' IS NULL) AND coalesce((a ->> 'cap')::integer, 1) > 0,
			'cap and cap_group go together, and cap is at least 1',
			'Of each cap_group at most cap items are recommended.'),
		(a -> 'places' IS NULL OR jsonb_typeof(a -> 'places') = 'array' AND a -> 'places' <> '[]'
			AND NOT jsonb_path_exists(a -> 'places',
				'strict $[*] ? (@.type() != "number" || @ < 0.01 || @ > 1)', silent => true),
			'places must be an array of numbers from 0.01 to 1',
			'They say how likely each place is looked at, the first one 1.'),
		(jsonb_typeof(a -> 'outcomes') = 'object' AND a -> 'outcomes' <> '{}' AND NOT EXISTS (
			SELECT FROM jsonb_each(a -> 'outcomes') WHERE jsonb_typeof(value) <> 'number' OR key = ''),
			'outcomes must be an object of names and what each is worth',
			'For example {"click": 1, "purchase": 5}.')) v (good, problem, hint);
END
$$;
COMMENT ON FUNCTION dlints_recommender_sane(jsonb)
	IS 'an error if the arguments of a recommender are out of range';

-- The user's query of clicks as person, item, at, in the recommender's types
CREATE FUNCTION dlints_recommender_clicks(
	clicks text, key_type text, INOUT person_type text, OUT query text
)
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	types regtype[];
	alone text := rtrim(clicks, E' \t\n;');
BEGIN
	IF clicks IS NULL THEN
		person_type := coalesce(person_type, 'bigint');
		query := format('SELECT NULL::%s AS person, NULL::%s AS item, NULL::timestamptz AS at'
		                ' WHERE false', person_type, key_type);
		RETURN;
	END IF;
	query := format(E'(\n%s\n) c (person, item, at)', alone);
	PERFORM dlints_recommender_check('clicks', alone, 'SELECT person, item, at FROM ' || query);
	EXECUTE 'SELECT ARRAY[pg_typeof(q.person), pg_typeof(q.item), pg_typeof(q.at)]'
		' FROM (SELECT) one LEFT JOIN (SELECT * FROM ' || query || ' LIMIT 0) q ON true' INTO types;
	person_type := coalesce(person_type, dlints_recommender_type(types[1]));
	query := format('SELECT %s AS person, %s AS item, %s AS at FROM %s',
		CASE WHEN types[1] = person_type::regtype THEN 'person' ELSE 'person::' || person_type END,
		CASE WHEN types[2] = key_type::regtype THEN 'item' ELSE 'item::' || key_type END,
		CASE WHEN types[3] = 'timestamptz'::regtype THEN 'at' ELSE 'at::timestamptz' END, query);
	PERFORM dlints_recommender_check('clicks', query, query);
END
$$;
COMMENT ON FUNCTION dlints_recommender_clicks(text, text, text)
	IS 'the click log of a recommender as a query of person, item and time';

-- Person and item are easily swapped, and nobody would see it.
CREATE FUNCTION dlints_recommender_meet(query text, relation text, key text) RETURNS void
	LANGUAGE plpgsql STABLE STRICT AS
$$
DECLARE
	strange boolean;
BEGIN
	EXECUTE format('SELECT EXISTS (SELECT FROM (%1$s) c) AND EXISTS (SELECT FROM %2$s)'
		' AND NOT EXISTS (SELECT FROM (%1$s) c JOIN %2$s i ON i.%3$I = c.item)', query, relation, key)
	INTO strange;
	PERFORM dlints_recommender_require(NOT strange, 'no click is of an item of ' || relation,
		'clicks is a query of person, item and time, in this order.');
END
$$;
COMMENT ON FUNCTION dlints_recommender_meet(text, text, text)
	IS 'an error if a click log and a table of items have no item in common';

-- Which outcome is meant if none is named: the click, or the one worth least,
-- which is the most frequent one.
CREATE FUNCTION dlints_recommender_first(outcomes jsonb) RETURNS text
	LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$
BEGIN
	RETURN (SELECT key FROM jsonb_each_text(outcomes)
	        ORDER  BY key <> 'click', value::float8 <= 0, value::float8, key LIMIT 1);
END
$$;
COMMENT ON FUNCTION dlints_recommender_first(jsonb)
	IS 'the outcome that a recommender''s reward takes if none is named';

-- An expression of the row i, the person and the context of a request
CREATE FUNCTION dlints_recommender_expression(
	argument text, expression text, type text, request text
) RETURNS void
	LANGUAGE plpgsql VOLATILE STRICT AS
$$
BEGIN
	PERFORM dlints_recommender_check(argument, format(E'SELECT %s\n%s', expression, request),
		CASE type
		WHEN 'boolean' THEN format(E'SELECT %s WHERE (%s\n)', request, expression)
		WHEN 'float8' THEN format(E'SELECT coalesce((%s\n), 0::float8) %s', expression, request)
		ELSE format(E'SELECT (%s\n)::%s %s', expression, type, request) END);
END
$$;
COMMENT ON FUNCTION dlints_recommender_expression(text, text, text, text)
	IS 'an error if an argument of a recommender is no expression';

-- A comment at the end of a text ends with the line.
CREATE FUNCTION dlints_recommender_closed(expression text) RETURNS text
	LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$
BEGIN
	RETURN '(' || expression || CASE WHEN expression LIKE '%--%' THEN E'\n' ELSE '' END || ')';
END
$$;
COMMENT ON FUNCTION dlints_recommender_closed(text) IS 'an expression in parentheses';

-- The words.  "path" is the search_path under which the user's texts mean what
-- they mean; vectors that were measured before stay as they are.
CREATE FUNCTION dlints_recommender_words(a jsonb, path text, dlints text) RETURNS jsonb
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	items regclass := (a ->> 'items')::regclass;
	relation text := (SELECT format('%I.%I', n.nspname, c.relname) FROM pg_catalog.pg_class c
	                  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = items);
	columns text[] := ARRAY(SELECT jsonb_array_elements_text(coalesce(a -> 'columns', '[]')));
	key text;
	key_type text;
	clicks record;
	request text;
	vectors jsonb := a -> 'vectors';
BEGIN
	PERFORM dlints_recommender_sane(a);
	PERFORM dlints_recommender_need(items, columns);
	key := dlints_recommender_key(items, a ->> 'item_key');
	SELECT dlints_recommender_type(atttypid::regtype) INTO key_type
	FROM   pg_catalog.pg_attribute WHERE attrelid = items AND attname = key;
	clicks := dlints_recommender_clicks(a ->> 'clicks', key_type, a ->> 'person_type');
	IF vectors IS NULL THEN
		PERFORM dlints_recommender_meet(clicks.query, relation, key);
	END IF;
	request := format('FROM %s i, (SELECT NULL::%s AS person, NULL::jsonb AS context) request',
	                  relation, clicks.person_type);
	PERFORM dlints_recommender_expression('candidates', coalesce(a ->> 'candidates', 'true'), 'boolean',
		request);
	PERFORM dlints_recommender_expression('bonus', a ->> 'bonus', 'float8', request);
	PERFORM dlints_recommender_expression('cap_group', a ->> 'cap_group', 'text', request);
	IF vectors IS NULL THEN
		vectors := dlints_recommender_vectors(items, relation, columns, (a ->> 'factors')::integer,
		                                      dlints);
	END IF;
	RETURN vectors || jsonb_build_object(
		-- dlints may have moved since
		'encode', replace(vectors ->> 'encode', (vectors ->> 'made_with') || '.dlints_encode(',
		                  dlints || '.dlints_encode('),
		'known', (vectors ->> 'size')::integer - (vectors ->> 'aged')::integer,
		's', quote_ident(a ->> 'name'),
		'salt', quote_literal(a ->> 'name'),
		'sequence', quote_literal(quote_ident(a ->> 'name') || '.decision_number'),
		'partitioned', $w$('decision', 'id'), ('shown', 'decision'), ('reward', 'decision')$w$,
		'items', relation,
		'key', quote_ident(key),
		'key_type', key_type,
		'person_type', clicks.person_type,
		'clicks', clicks.query,
		'candidates', dlints_recommender_closed(coalesce(a ->> 'candidates', 'true')),
		'bonus', dlints_recommender_closed(coalesce(a ->> 'bonus', '0')),
		'cap_group', dlints_recommender_closed(coalesce(a ->> 'cap_group', 'NULL')),
		'cap', coalesce(a ->> 'cap', 'NULL::integer'),
		'log', quote_literal(format(
			'SELECT person, item FROM (SELECT * FROM %1$I.click ORDER BY at DESC LIMIT 1000000) c'
			' UNION ALL (SELECT d.person, r.item FROM %1$I.reward r JOIN %1$I.decision d ON d.id = r.decision'
			' WHERE r.value > 0 AND d.person IS NOT NULL ORDER BY r.decision DESC LIMIT 1000000)', a ->> 'name')),
		'outcome', format(
			E'SELECT d.id AS decision, d.person, d.arm, d.at, s.item, s.place, s.probability, s.expected,'
			'\n       r.clicked, r.reward'
			'\nFROM   %1$I.decision d'
			'\n       JOIN %1$I.shown s ON s.decision = d.id,'
			'\n       LATERAL (SELECT coalesce(bool_or(r.outcome = %2$L), false) AS clicked,'
			'\n                       coalesce(sum(r.value), 0) AS reward'
			'\n                FROM   %1$I.reward r WHERE r.decision = s.decision AND r.item = s.item) r',
			a ->> 'name', dlints_recommender_first(a -> 'outcomes')),
		'previous', quote_literal(format('SELECT item, factors FROM %I.item_vector', a ->> 'name')),
		'first', quote_literal(dlints_recommender_first(a -> 'outcomes')),
		'worths', (SELECT string_agg(format('WHEN %L THEN %s', o.key, o.value), ' ' ORDER BY o.key)
		           FROM jsonb_each_text(a -> 'outcomes') o),
		'looked_at', coalesce('(''' || translate(a ->> 'places', '[]', '{}') || '''::float8[])[least(place, '
			|| jsonb_array_length(a -> 'places') || ')]', '1::float8'),
		'many', ((SELECT count(*) FROM jsonb_object_keys(a -> 'outcomes')) > 1)::text,
		'names', quote_literal((SELECT string_agg(o, ', ') FROM jsonb_object_keys(a -> 'outcomes') o)),
		'half_life', quote_literal(a ->> 'half_life'),
		'wait', quote_literal(a ->> 'wait'),
		'keep', quote_literal(a ->> 'keep'),
		'control', a ->> 'control',
		'epsilon', a ->> 'epsilon',
		'dlints', dlints,
		'path', path,
		'arguments', quote_literal(a || jsonb_build_object('items', relation, 'item_key', key,
			'person_type', clicks.person_type, 'vectors', vectors)));
END
$$;
COMMENT ON FUNCTION dlints_recommender_words(jsonb, text, text)
	IS 'what the templates of a recommender''s statements leave open';
