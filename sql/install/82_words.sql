-- What the templates leave open --------------------------------------------------

-- Words of both kinds:
--   s, name          the schema, and its name as a literal
--   kind, version, written    of what is made, and of the dlints that makes it, and both as a comment
--   arguments, path  what it is made with, and the search_path of the user's texts
--   dlints, vector   the schema of dlints, and its type of arrays of numbers
--   sequence         the name of the sequence of decisions
--   partitioned      the tables of the log, with their keys
--   model_type       the type of the models
--   erased           the arguments of erase()
--   is_theirs        the condition that a decision d is of these
--   erase_first, erase_more, then_begin, first_model    what else erase() and rebuild() do
--   wait, keep, archive, half_life, epsilon, value_limit    arguments
--   has_promises, promised, promises    is anything promised? names of it; and a query of name, sign,
--                    target, whether it is hard, and what it is of
--   choice           what a promise is for each of
CREATE FUNCTION _dlints_common_words(kind text, a jsonb, is_local boolean) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	dlints text;
	version text;
	foreigner regprocedure;
BEGIN
	SELECT quote_ident(n.nspname), e.extversion INTO dlints, version
	FROM   pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'dlints';
	-- What somebody put beside ours could be taken for it.
	SELECT f.oid INTO foreigner
	FROM   pg_extension e JOIN pg_proc f ON f.pronamespace = e.extnamespace AND f.proname ~ '^_?dlints_'
	WHERE  e.extname = 'dlints'
	AND    EXISTS (SELECT FROM pg_proc o JOIN pg_depend d ON d.objid = o.oid
	                   AND d.classid = 'pg_proc'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
	               WHERE o.proname = f.proname)
	AND    NOT EXISTS (SELECT FROM pg_depend d
	                   WHERE d.classid = 'pg_proc'::regclass AND d.objid = f.oid AND d.refobjid = e.oid
	                   AND d.deptype = 'e') LIMIT 1;
	IF foreigner IS NOT NULL THEN
		RAISE 'function % is not of dlints', foreigner USING ERRCODE = 'duplicate_function',
			HINT = 'It would be taken for a function of dlints. Drop or rename it.';
	END IF;
	RETURN jsonb_build_object(
		's', quote_ident(a ->> 'name'),
		'name', quote_literal(a ->> 'name'),
		'kind', quote_literal(kind),
		'version', quote_literal(version),
		'written', quote_literal(format('dlints %s: %s', version, kind)),
		'dlints', dlints,
		'vector', dlints || '.dlints_vector',
		'sequence', quote_literal(quote_ident(a ->> 'name') || '.decision_number'),
		'path', quote_literal(coalesce(a ->> 'path', '')),
		'is_local', is_local::text,
		'wait', quote_literal(a ->> 'wait'),
		'keep', quote_literal(a ->> 'keep'),
		'archive', (a ->> 'archive')::boolean,
		'half_life', quote_literal(a ->> 'half_life'),
		'epsilon', (a ->> 'epsilon')::float8,
		'value_limit', (a ->> 'value_limit')::float8,
		'has_promises', (coalesce(a -> 'promises', '{}') <> '{}')::text,
		'promised', format('%L::text[]', ARRAY(SELECT jsonb_object_keys(coalesce(a -> 'promises', '{}')))),
		'promises', coalesce((
			SELECT string_agg(format('SELECT %L::text, %s, %L::float8, %s, %L::text, %L::text', key,
			           CASE WHEN value ? 'most' THEN 1 ELSE -1 END,
			           coalesce(value ->> 'most', value ->> 'least'), coalesce(value ->> 'hard', 'false'),
			           value ->> 'of', value ->> 'outcome'), ' UNION ALL ' ORDER BY key)
			FROM jsonb_each(a -> 'promises')),
			'SELECT NULL::text, 1, 0::float8, false, NULL::text, NULL::text WHERE false'));
END
$$;
COMMENT ON FUNCTION _dlints_common_words(text, jsonb, boolean)
	IS 'what the templates of recommenders and rankers leave open';

-- Words of a recommender:
--   items, relation, key   the relation, its name as a literal, and the column that tells its rows apart
--   item_type, person_type, same_item, same_person    of keys and people, and what compares them
--   clicks, candidates, bonus, cap_group, cap         the user's texts
--   encode, dates, ages    expressions of a row; and one of its dates
--   columns, column_names  a row's columns with their types, and their names
--   size, factors, liked, aged    how many numbers a vector has: all; from clicks; from clicks and
--                          columns; from dates.  One more says how popular an item is.
--   blocks, alike, spread  how many of these belong together; products by block; and a number for
--                          each block as one for each feature
--   parts                  what each number of a vector is of
--   has_log                are there clicks but those on its own lists?
--   has_key, once          has the key a unique index? else what keeps one row of each
--   has_order, is_newer    are keys numbers or times, with an index? the condition that a row came after
--                          the newest one that has a vector
--   promise_count, promised_texts    how much is promised; and what that is of, in the order of names
--   has_bonus, draws       is there a bonus? by how many draws is a list chosen of a shortlist?
--   diversity              what a second of a kind loses, or NULL
--   row_room, slots, least_items    how long a row of the table "block" may be, how many vectors that
--                          holds, and how many items have to be there for it
--   log, previous, hashed_type    queries for dlints_factors, and the type of items in them
--   every_click            a query for a backtest
--   first, outcome_names, worths, most_values, many   outcomes; is there more than one?
--   looked_at, places, control, exposure    how likely a place, and each of the first ones, is looked at; two arguments
--   people, tried          how many people a backtest looks at; the recommender that it is of
CREATE FUNCTION _dlints_recommender_words(a jsonb, encode text[], dlints text) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	relation text := (a ->> 'items')::oid::regclass;
	vectors jsonb := a -> 'vectors';
	factors integer := vectors ->> 'factors';
	columns jsonb := vectors -> 'columns';
	first text := (SELECT key FROM jsonb_each_text(a -> 'outcomes')
	               ORDER BY key <> 'click', value::float8 <= 0, value::float8, key LIMIT 1);
	-- by column, so that one CASE compares them all
	item_type jsonb;
	person_type jsonb;
	most float8 := (SELECT max(abs(value::float8)) FROM jsonb_each_text(a -> 'outcomes'));
	promises integer := (SELECT count(*) FROM jsonb_object_keys(coalesce(a -> 'promises', '{}')));
	is_unique boolean := EXISTS (
		SELECT FROM pg_index i JOIN pg_attribute t ON t.attrelid = i.indrelid AND t.attnum = i.indkey[0]
		WHERE  i.indrelid = (a ->> 'items')::oid AND i.indisunique AND i.indimmediate AND i.indnkeyatts = 1
		AND    i.indpred IS NULL AND t.attname = a ->> 'item_key');
	closed jsonb;
	-- features that belong together: those from clicks, and those of each column but dates
	blocks int4range[] := ARRAY(
		SELECT int4range(before::integer, (before + width)::integer)
		FROM  (SELECT n, width, 1 + coalesce(sum(width) OVER (ORDER BY n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
		              AS before
		       FROM  (SELECT 0::bigint AS n, factors AS width
		              UNION ALL
		              SELECT n, (c ->> 'width')::integer FROM jsonb_array_elements(columns) WITH ORDINALITY f (c, n)
		              WHERE  c ->> 'kind' <> 'age') w) b
		WHERE  width > 0 ORDER BY n);
BEGIN
	IF columns = '[]' AND a ->> 'clicks' IS NULL THEN
		RAISE 'a recommender needs columns to go by, or clicks' USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Of the columns that are named none tells items apart.';
	END IF;
	-- Of a type: its name, what compares its values, and what makes a hashable one of them
	SELECT jsonb_agg(jsonb_build_object('name', format('%I.%I', n.nspname, t.typname),
	           'grows', base.typcategory IN ('N', 'D') AND base.typnamespace = 'pg_catalog'::regnamespace,
	           'same', coalesce((
	               SELECT format('OPERATOR(%I.%s)', s.nspname, o.oprname)
	               FROM   pg_opclass c JOIN pg_amop m ON m.amopfamily = c.opcfamily AND m.amopstrategy = 3
	                          AND m.amoplefttype = c.opcintype AND m.amoprighttype = c.opcintype
	                      JOIN pg_operator o ON o.oid = m.amopopr
	                      JOIN pg_namespace s ON s.oid = o.oprnamespace
	               WHERE  c.opcmethod = 403 AND c.opcdefault AND c.opcintype = base.oid
	               AND    s.nspname <> 'pg_catalog'), '='),
	           'hashed', CASE WHEN base.typcategory IN ('A', 'E', 'R', 'S', 'C') OR EXISTS (
	               SELECT FROM pg_opclass c WHERE c.opcmethod = 405 AND c.opcdefault AND c.opcintype = base.oid)
	               THEN '' ELSE '::text' END) ORDER BY u.n)
	INTO   item_type
	FROM   unnest(ARRAY[(a ->> 'item_type')::oid, (a ->> 'person_type')::oid]) WITH ORDINALITY u (type, n)
	       JOIN pg_type t ON t.oid = u.type
	       JOIN pg_namespace n ON n.oid = t.typnamespace,
	       LATERAL (WITH RECURSIVE up AS (
	                    SELECT t.oid, t.typbasetype
	                    UNION ALL
	                    SELECT b.oid, b.typbasetype FROM up JOIN pg_type b ON b.oid = up.typbasetype)
	                SELECT b.oid, b.typcategory, b.typnamespace FROM up JOIN pg_type b ON b.oid = up.oid
	                WHERE  b.typtype <> 'd') base;
	person_type := item_type -> 1;
	item_type := item_type -> 0;
	-- Texts are closed: a comment at the end of one ends with the line.  What is the same for all rows
	-- reads no row.
	SELECT jsonb_object_agg(key, CASE
		WHEN key = 'candidates' THEN value
		WHEN a ->> key IS NULL THEN format('SELECT %s::pg_catalog.%s', value, type)
		ELSE format(E'SELECT %s::pg_catalog.%s\n'
			'    FROM   %s i CROSS JOIN (SELECT %s.person, %4$s.context) request\n'
			'    WHERE  i.%I %s %4$s.of_item', value, type, relation, key, a ->> 'item_key',
			CASE item_type ->> 'same' WHEN '=' THEN 'OPERATOR(pg_catalog.=)' ELSE item_type ->> 'same' END) END)
	INTO   closed
	FROM  (SELECT key, type, '(' || coalesce(a ->> key, value)
	              || CASE WHEN a ->> key LIKE '%--%' THEN E'\n' ELSE '' END || ')'
	       FROM (VALUES ('candidates', 'true', 'bool'), ('bonus', '0', 'float8'), ('cap_group', 'NULL', 'text'))
	            t (key, value, type)) t (key, type, value);
	RETURN closed || jsonb_build_object(
		'has_order', (is_unique AND item_type ->> 'grows' = 'true')::text,
		'is_newer', CASE item_type ->> 'grows' WHEN 'true' THEN 'a.item > newest' ELSE 'false' END,
		'promise_count', promises,
		'promised_texts', coalesce((
			SELECT string_agg(format(E'(SELECT (%s\n)::pg_catalog.text)', coalesce(value ->> 'of', 'NULL')), E',\n             '
			                  ORDER BY key COLLATE "C")
			FROM jsonb_each(a -> 'promises')), ''),
		'choice', 'place',
		'has_bonus', (a ->> 'bonus' IS NOT NULL)::text,
		'draws', 15,
		'diversity', coalesce(nullif((a ->> 'diversity')::float8, 0)::text, 'NULL') || '::float8',
		'row_room', current_setting('block_size')::integer - 32,
		'slots', greatest(4, least(64, (current_setting('block_size')::integer - 300)
		                               / (4 * ((vectors ->> 'size')::integer + promises)
		                                  + CASE item_type ->> 'grows' WHEN 'true' THEN 16 ELSE 40 END))),
		'least_items', 2000)
		|| jsonb_build_object(
		'items', relation,
		'relation', quote_literal(relation),
		'key', quote_ident(a ->> 'item_key'),
		'item_type', item_type ->> 'name',
		'person_type', person_type ->> 'name',
		'same_item', item_type ->> 'same',
		'same_person', person_type ->> 'same',
		'clicks', CASE WHEN a ->> 'clicks' IS NULL
			THEN format(E'SELECT d.person, r.item, d.at'
			            '\nFROM   %1$I.decision d JOIN %1$I.reward r ON r.decision OPERATOR(pg_catalog.=) d.id'
			            '\n           AND r.item %2$s ANY (d.items)'
			            '\nWHERE  r.value OPERATOR(pg_catalog.>) 0::pg_catalog.float8', a ->> 'name',
			            CASE item_type ->> 'same' WHEN '=' THEN 'OPERATOR(pg_catalog.=)' ELSE item_type ->> 'same' END)
			ELSE format(E'SELECT person%s AS person, item%s AS item, at%s AS at\nFROM (\n%s\n) c (person, item, at)',
			            '::' || (person_type ->> 'name'), '::' || (item_type ->> 'name'), '::pg_catalog.timestamptz',
			            a ->> 'clicks') END,
		'cap', coalesce(((a ->> 'cap')::integer)::text, 'NULL::integer'),
		'encode', (SELECT coalesce(string_agg(encode[n], E'\n       || ' ORDER BY n), '''{}''::real[]')
		           FROM jsonb_array_elements(columns) WITH ORDINALITY f (c, n) WHERE c ->> 'kind' <> 'age'),
		'dates', (SELECT format('ARRAY[%s]', string_agg(encode[n], ', ' ORDER BY n))
		          FROM jsonb_array_elements(columns) WITH ORDINALITY f (c, n) WHERE c ->> 'kind' = 'age'),
		-- no date, and one without end, is long ago
		'ages', (SELECT format('ARRAY[%s]::real[]', string_agg(format(
		             'round(100 / (1 + least(abs(dates[%s] - date_part(''epoch'', at)) / 86400, 1e9) / %s)) / 100',
		             n, days), E',\n             ' ORDER BY n, days))
		         FROM generate_series(1, (SELECT count(*) FROM jsonb_array_elements(columns) c
		                                  WHERE c ->> 'kind' = 'age')) n, unnest('{1,7,30}'::integer[]) days),
		'columns', (SELECT coalesce(string_agg(format('%I %s', c ->> 'column', c ->> 'type'), ', ' ORDER BY n),
		                            '"-" text')
		            FROM jsonb_array_elements(columns) WITH ORDINALITY f (c, n) WHERE c ->> 'kind' <> 'age'),
		'column_names', (SELECT coalesce(quote_literal(array_agg(c ->> 'column' ORDER BY n)), '''{}''')
		                 FROM jsonb_array_elements(columns) WITH ORDINALITY f (c, n)
		                 WHERE c ->> 'kind' <> 'age') || '::text[]',
		'size', vectors ->> 'size',
		'factors', factors,
		'aged', (SELECT 3 * count(*) FROM jsonb_array_elements(columns) c WHERE c ->> 'kind' = 'age'),
		'liked', (vectors ->> 'size')::integer - 1
		         - (SELECT 3 * count(*) FROM jsonb_array_elements(columns) c WHERE c ->> 'kind' = 'age'),
		'blocks', cardinality(blocks),
		'alike', format('ARRAY[%s]::float8[]', (
			SELECT string_agg(format('%s.dlints_dot(sum[%s:%s]::float8[], features[%2$s:%3$s]::%1$s.dlints_vector)'
			                         ' * %4$I.shrink(sum, clicks)', dlints, lower(b), upper(b) - 1, a ->> 'name'),
			                  E',\n             ' ORDER BY n)
			FROM   unnest(blocks) WITH ORDINALITY u (b, n))),
		'spread', format('(%s)::real[]', coalesce((
			SELECT string_agg(format('array_fill(weights[%s], ARRAY[%s])', n, upper(b) - lower(b)), ' || ' ORDER BY n)
			FROM   unnest(blocks) WITH ORDINALITY u (b, n)), '''{}''')),
		'parts', (SELECT quote_literal(array_agg(p.name ORDER BY p.place, p.n)) || '::text[]'
		          FROM  (SELECT 1, 0, '(clicks)', factors
		                 UNION ALL
		                 SELECT CASE c ->> 'kind' WHEN 'age' THEN 4 ELSE 2 END, n, c ->> 'column',
		                        (c ->> 'width')::integer
		                 FROM   jsonb_array_elements(columns) WITH ORDINALITY f (c, n)
		                 UNION ALL
		                 SELECT 3, 0, '(popularity)', 1) p (place, n, name, width),
		                generate_series(1, p.width)),
		'has_log', (a ->> 'clicks' IS NOT NULL)::text,
		'has_key', is_unique::text,
		'once', CASE WHEN is_unique THEN '' ELSE 'DISTINCT ON (a.item)' END,
		'log', quote_literal(format(
			'SELECT person%2$s, item%3$s FROM (SELECT * FROM %1$I.click WHERE at <= now() AND isfinite(at)'
			' ORDER BY at DESC LIMIT 1000000) c', a ->> 'name',
			person_type ->> 'hashed', item_type ->> 'hashed')),
		'every_click', quote_literal(format('SELECT person, item, at FROM %I.click', a ->> 'name')),
		'previous', quote_literal(format('SELECT item%2$s, factors FROM %1$I.item_vector', a ->> 'name',
		                                 item_type ->> 'hashed')),
		'hashed_type', CASE item_type ->> 'hashed' WHEN '' THEN item_type ->> 'name' ELSE 'text' END,
		'first', quote_literal(first),
		'worths', (SELECT string_agg(format('WHEN %L THEN %s', key, value), ' ' ORDER BY key)
		           FROM jsonb_each_text(a -> 'outcomes')),
		'most_values', (SELECT string_agg(format('WHEN %L THEN %s::float8', key, (a ->> 'value_limit')::float8
		                           * coalesce(nullif(abs(value::float8), 0), nullif(most, 0), 1)), ' ' ORDER BY key)
		                FROM jsonb_each_text(a -> 'outcomes')),
		'outcome_names', quote_literal((SELECT string_agg(o, ', ') FROM jsonb_object_keys(a -> 'outcomes') o)),
		'many', ((SELECT count(*) FROM jsonb_object_keys(a -> 'outcomes')) > 1)::text,
		'looked_at', coalesce('(''' || translate(a ->> 'places', '[]', '{}') || '''::float8[])[least(place, '
			|| jsonb_array_length(a -> 'places') || ')]', '1::float8'),
		'places', '''' || coalesce(translate(a ->> 'places', '[]', '{}'), '{1}') || '''::float8[]',
		'control', (a ->> 'control')::float8,
		'exposure', (a ->> 'exposure')::float8,
		'people', coalesce(a ->> 'people', 'NULL'),
		'tried', coalesce(quote_ident(a ->> 'tried'), ''),
		'partitioned', $w$('decision', 'id'), ('reward', 'decision')$w$,
		'model_type', format('%s.dlints(%s, matched)', dlints, vectors ->> 'size'),
		'erased', format('person %s, session text DEFAULT NULL', person_type ->> 'name'),
		'is_theirs', format('d.person %s erase.person OR hashtextextended(d.session, 0) = '
			'hashtextextended(erase.session, 0) AND d.session = erase.session', person_type ->> 'same'),
		'erase_first', format('LOCK TABLE %I.beginning IN ROW EXCLUSIVE MODE;', a ->> 'name'),
		'erase_more', format(E'DELETE FROM %1$I.beginning b WHERE b.person %2$s erase.person;\n'
			'    IF FOUND THEN\n        PERFORM %1$I.set_prior();\n    END IF;', a ->> 'name', person_type ->> 'same'),
		'then_begin', format('PERFORM %I.set_prior()', a ->> 'name'),
		'first_model', '''personal''',
		'arguments', quote_literal(a - 'people' - 'path'
			|| jsonb_build_object('items', relation, 'item_type', item_type ->> 'name',
			                      'person_type', person_type ->> 'name')));
END
$$;
COMMENT ON FUNCTION _dlints_recommender_words(jsonb, text[], text)
	IS 'what the templates of a recommender leave open';

-- Words of a ranker:
--   dim                    how many numbers a vector has
--   live                   the share of events that it decides at first
--   person_key             what contexts call the person
--   default_reward         what an event is worth for which no reward comes; NULL: it teaches nothing
--   again, again_said      what to do with one more reward of an event, and how to say that
--   vectors, told          the vectors of a context; the setting that says that a session was told of another one
--   named                  what of a context becomes names
--   and_vectors, vectors_read    what its vectors add to the features, and what reads them; empty without
--   no_features            the keys of an action that are numbers and no features
--   then_price             what rank() does before it decides
CREATE FUNCTION _dlints_ranker_words(a jsonb, dlints text) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	keys text := (SELECT quote_literal(array_agg(k ORDER BY k)) || '::text[]' FROM jsonb_object_keys(a -> 'vectors') k);
BEGIN
	RETURN jsonb_build_object(
		'dim', 192,
		'vectors', quote_literal(a -> 'vectors') || '::jsonb',
		'told', quote_literal('ranker.told_' || md5(a ->> 'name')),
		'named', CASE WHEN keys IS NULL THEN 'context'
			ELSE format('CASE jsonb_typeof(context) WHEN ''object'' THEN context - %s ELSE context END', keys) END,
		'and_vectors', CASE WHEN keys IS NULL THEN ''
			ELSE E',\n               coalesce(a.value ->> ''id'', a.value #>> ''{}''), v.numbers' END,
		'vectors_read', CASE WHEN keys IS NULL THEN ''
			ELSE format(E',\n           LATERAL %I.vectors(context) v', a ->> 'name') END,
		'live', CASE WHEN (a ->> 'apprentice')::boolean THEN '0' ELSE '1' END,
		'person_key', quote_literal(a ->> 'person_key'),
		'choice', 'decision',
		'default_reward', format('(%s)::float8', coalesce(((a ->> 'default_reward')::float8)::text, 'NULL')),
		'no_features', format('%L::text[]', '{price}'::text[] || ARRAY(
			SELECT jsonb_object_keys(coalesce(a -> 'promises', '{}')))),
		'then_price', CASE WHEN a -> 'promises' <> '{}' THEN format('PERFORM %I.set_prices()', a ->> 'name') ELSE 'NULL' END,
		'again', CASE a ->> 'repeated'
			WHEN 'first' THEN 'NOTHING'
			WHEN 'last' THEN 'UPDATE SET value = excluded.value WHERE r.value <> excluded.value'
			ELSE 'UPDATE SET value = r.value + excluded.value' END,
		'again_said', CASE a ->> 'repeated'
			WHEN 'first' THEN 'of several the first one counts'
			WHEN 'last' THEN 'of several the last one counts'
			ELSE 'several are added up, so that none is to be told twice' END,
		'partitioned', $w$('decision', 'id')$w$,
		'model_type', dlints || '.dlints(192)',
		'erased', 'person text',
		'is_theirs', format('d.context ->> %L = erase.person', a ->> 'person_key'),
		'erase_first', '',
		'erase_more', '',
		'then_begin', 'NULL',
		'first_model', '''reward''',
		-- what is not there is completed, and NULL is an answer
		'arguments', quote_literal(a || jsonb_build_object('default_reward', a -> 'default_reward')));
END
$$;
COMMENT ON FUNCTION _dlints_ranker_words(jsonb, text) IS 'what the templates of a ranker leave open';
