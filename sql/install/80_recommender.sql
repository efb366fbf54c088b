-- Recommenders --------------------------------------------------------------
--
-- A recommender is a schema of its user's own tables and functions.  What is
-- here writes the statements that make one.  A recommender's arguments are a
-- document; from them come the words that the templates of the next two parts
-- leave open.

CREATE FUNCTION dlints_recommender_fill(template text, words jsonb) RETURNS text
	LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$
BEGIN
	IF words::text LIKE '%$body$%' THEN
		RAISE 'names and texts of a recommender cannot contain $body$'
			USING ERRCODE = 'invalid_parameter_value';
	END IF;
	-- In one pass: what a word brings along is not looked at.
	RETURN (SELECT string_agg(p.part || CASE WHEN w.word IS NULL THEN ''
	                          ELSE coalesce(words ->> w.word[1], '{' || w.word[1] || '}') END,
	                          '' ORDER BY n)
	        FROM   regexp_split_to_table(btrim(template, E'\n'), '\{[a-z_]+\}')
	                   WITH ORDINALITY p (part, n)
	               LEFT JOIN regexp_matches(template, '\{([a-z_]+)\}', 'g')
	                   WITH ORDINALITY w (word, n) USING (n));
END
$$;
COMMENT ON FUNCTION dlints_recommender_fill(text, jsonb)
	IS 'a template of a recommender''s statement with its words filled in';

-- The text is to be one expression or query, which closes nothing that it has
-- not opened: it stands alone as well as in parentheses.  A cursor takes no more
-- than one statement, and is closed before it has read a row.
CREATE FUNCTION dlints_recommender_check(argument text, alone text, used text) RETURNS void
	LANGUAGE plpgsql VOLATILE STRICT AS
$$
DECLARE
	statement text;
	test refcursor;
	detail text;
	hint text;
BEGIN
	FOREACH statement IN ARRAY ARRAY[alone, used] LOOP
		OPEN test FOR EXECUTE statement;
		CLOSE test;
	END LOOP;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RAISE 'in the argument "%": %', argument, concat_ws('. ', SQLERRM, nullif(detail, ''))
		USING ERRCODE = SQLSTATE, HINT = coalesce(nullif(hint, ''),
			'clicks is a query; others are expressions of i, person and context.');
END
$$;
COMMENT ON FUNCTION dlints_recommender_check(text, text, text)
	IS 'an error if a text that a user gave is no expression or query of its own';

CREATE FUNCTION dlints_recommender_type(type regtype) RETURNS text
	LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS
$$
BEGIN
	RETURN (SELECT CASE n.nspname WHEN 'pg_catalog' THEN format_type(t.oid, NULL)
	                              ELSE format('%I.%I', n.nspname, t.typname) END
	        FROM   pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
	        WHERE  t.oid = type);
END
$$;
COMMENT ON FUNCTION dlints_recommender_type(regtype)
	IS 'the name of a type, the same under any search_path';

-- Vectors of items ----------------------------------------------------------

-- What is in a column: in how many rows, how many values, NULL among them or
-- not, of what length, which ones if they are few, and bounds between numbers.
CREATE FUNCTION dlints_recommender_look(
	sample text, column_name text, kind text,
	OUT rows bigint, OUT different bigint, OUT kinds bigint, OUT length double precision,
	OUT few text[], OUT bounds double precision[]
)
	LANGUAGE plpgsql STABLE STRICT AS
$$
DECLARE
	source text := CASE kind
		WHEN 'tags' THEN format('%s LEFT JOIN LATERAL unnest(i.%I::text[]) x ON true',
		                        sample, column_name)
		ELSE format('%s, LATERAL (SELECT i.%I::text) l (x)', sample, column_name) END;
BEGIN
	EXECUTE 'SELECT count(*), count(DISTINCT x), count(DISTINCT x) + max((x IS NULL)::integer),'
		' avg(length(x)) FROM ' || source
	INTO rows, different, kinds, length;
	IF different BETWEEN 1 AND 16 THEN
		EXECUTE 'SELECT array_agg(DISTINCT x ORDER BY x) FILTER (WHERE x IS NOT NULL) FROM ' || source
		INTO few;
	END IF;
	IF kind = 'number' AND different > 1 THEN
		EXECUTE format(
			'WITH value AS (
			     SELECT i.%1$I::float8 AS x FROM %2$s
			     WHERE i.%1$I::float8 NOT IN (''NaN'', ''Infinity'', ''-Infinity'')),
			 least AS (SELECT min(x) AS x FROM value),
			 cut AS (SELECT DISTINCT b
			         FROM   unnest((SELECT percentile_disc(''{.125,.25,.375,.5,.625,.75,.875}''::float8[])
			                                   WITHIN GROUP (ORDER BY x) FROM value)) b
			         WHERE  b > (SELECT x FROM least))
			 SELECT coalesce((SELECT array_agg(b ORDER BY b) FROM cut),
			                 (SELECT ARRAY[min(x)] FROM value WHERE x > (SELECT x FROM least)))',
			column_name, sample)
		INTO bounds;
	END IF;
END
$$;
COMMENT ON FUNCTION dlints_recommender_look(text, text, text)
	IS 'what is in a column of a recommender''s items';

-- What a column is taken for, by its type and by what it refers to
CREATE FUNCTION dlints_recommender_kind(items regclass, column_name text) RETURNS text
	LANGUAGE plpgsql STABLE STRICT AS
$$
DECLARE
	type pg_catalog.pg_type;
	refers boolean;
BEGIN
	SELECT t.* INTO type
	FROM   pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
	WHERE  a.attrelid = items AND a.attname = column_name;
	SELECT column_name ~ '_id$' OR count(*) > 0 INTO refers
	FROM   pg_catalog.pg_constraint c
	       JOIN pg_catalog.pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
	WHERE  c.conrelid = items AND c.contype = 'f' AND a.attname = column_name;
	WHILE type.typtype = 'd' LOOP
		SELECT t.* INTO type FROM pg_catalog.pg_type t WHERE t.oid = type.typbasetype;
	END LOOP;
	RETURN CASE
		WHEN type.typcategory = 'B' THEN 'flag'
		WHEN type.typcategory = 'N' AND type.typname LIKE 'reg%' THEN 'category'
		WHEN type.typcategory = 'N' AND refers THEN 'category'
		WHEN type.typname IN ('int2', 'int4', 'int8', 'numeric', 'float4', 'float8') THEN 'number'
		WHEN type.typname IN ('json', 'jsonb') THEN 'document'
		WHEN type.typname IN ('date', 'timestamp', 'timestamptz') THEN 'age'
		WHEN type.typcategory = 'A' THEN 'tags'
		WHEN type.typcategory IN ('S', 'E', 'I') OR type.typname IN ('uuid', 'citext') THEN 'category'
	END;
END
$$;
COMMENT ON FUNCTION dlints_recommender_kind(regclass, text)
	IS 'what a column of a recommender''s items is taken for';

-- One of a few names as a number for each; one that comes later is spread over all.
CREATE FUNCTION dlints_recommender_few(value text, few text[], encode text) RETURNS text
	LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$
BEGIN
	RETURN (
		SELECT format(E'(CASE %s\n%s\n              ELSE %s%s) END)::real[]', value,
		              string_agg(format('              WHEN %L THEN ''{%s}''', v, unit), E'\n'
		                         ORDER BY v),
		              encode, value)
		FROM   unnest(few) v,
		       LATERAL (SELECT string_agg((o = v)::integer::text, ',' ORDER BY o)
		                FROM unnest(few) o) u (unit));
END
$$;
COMMENT ON FUNCTION dlints_recommender_few(text, text[], text)
	IS 'the expression that makes numbers of one of a few names';

-- How a column of the row i becomes numbers: as it was looked at, of a width
CREATE FUNCTION dlints_recommender_column(c jsonb, width integer, dlints text) RETURNS text
	LANGUAGE plpgsql IMMUTABLE AS
$$
DECLARE
	value text := format('i.%I', c ->> 'column');
	encode text := format('%s.dlints_encode(%s, %L, ', dlints, width, c ->> 'column');
	few text[] := ARRAY(SELECT jsonb_array_elements_text(nullif(c -> 'few', 'null')));
	bounds text := translate(nullif(c ->> 'bounds', 'null'), '[] ', '{}');
	-- no date, and one without end, is long ago
	days text := format('least(abs(date_part(''epoch'', %s) - date_part(''epoch'', at)) / 86400, 1e9)',
	                    value);
BEGIN
	RETURN CASE c ->> 'kind'
		WHEN 'flag' THEN
			format('ARRAY[coalesce(%s::integer, 0)]::real[]', value)
		WHEN 'category' THEN
			CASE WHEN cardinality(few) BETWEEN 1 AND width
			     THEN dlints_recommender_few(value || '::text', few, encode)
			     ELSE encode || value || '::text)' END
		WHEN 'words' THEN
			encode || format('regexp_split_to_array(lower(left(%s, 2000)), ''[^[:alnum:]]+''))', value)
		WHEN 'tags' THEN
			encode || value || '::text[])'
		WHEN 'document' THEN		-- a number in it is a name, not an amount
			encode || format('(
           SELECT jsonb_object_agg(key, CASE jsonb_typeof(value) WHEN ''number''
                                        THEN to_jsonb(value #>> ''{}'') ELSE value END)
           FROM   jsonb_each(CASE jsonb_typeof(%s::jsonb) WHEN ''object''
                             THEN %1$s::jsonb END)))', value)
		WHEN 'number' THEN
			CASE WHEN bounds IS NULL
			     THEN encode || format('(sign(%s) * round(2 * ln(1 + abs(%1$s))))::text)',
			                           value || '::float8')
			     ELSE dlints_recommender_few(
			              format('width_bucket(%s::float8, %L::float8[])::text', value, bounds),
			              ARRAY(SELECT generate_series(0, cardinality(bounds::float8[]))::text),
			              encode) END
		WHEN 'age' THEN
			format('ARRAY[round(100 / (1 + %s)) / 100,
             round(100 / (1 + %1$s / 7)) / 100,
             round(100 / (1 + %1$s / 30)) / 100]::real[]', days)
	END;
END
$$;
COMMENT ON FUNCTION dlints_recommender_column(jsonb, integer, text)
	IS 'the expression that makes numbers of a column of a recommender''s items';

-- What each column is, and how many numbers it had best have
CREATE FUNCTION dlints_recommender_columns(items regclass, relation text, columns text[])
	RETURNS SETOF jsonb
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	sample text;
	column_name text;
	kind text;
	look record;
BEGIN
	SELECT format('%s i TABLESAMPLE SYSTEM (%s) REPEATABLE (1)', relation, 5e6 / reltuples)
	INTO   sample
	FROM   pg_catalog.pg_class
	WHERE  oid = items AND relkind IN ('r', 'm') AND reltuples > 50000;
	sample := coalesce(sample, relation || ' i');
	FOREACH column_name IN ARRAY columns LOOP
		kind := dlints_recommender_kind(items, column_name);
		IF kind IS NULL THEN
			RAISE 'column "%" is of a type that a recommender makes no numbers of', column_name
				USING ERRCODE = 'datatype_mismatch',
				HINT = 'Leave it out, or make a view that has it as text or as a number.';
		END IF;
		look := dlints_recommender_look(sample, column_name, kind);
		IF look.kinds < 2 AND kind <> 'age' THEN
			RAISE NOTICE 'column "%" is the same in all rows and left out', column_name;
			CONTINUE;
		END IF;
		IF kind = 'number' AND look.different BETWEEN 1 AND 8 THEN
			kind := 'category';
		ELSIF kind = 'number' AND look.bounds IS NULL THEN
			RAISE NOTICE 'column "%" has no values yet to take its bands from', column_name
				USING HINT = 'To have bands that fit, make the recommender anew once there are items.';
		ELSIF kind = 'category' AND look.length > 40 THEN
			kind := 'words';
		END IF;
		RETURN NEXT jsonb_build_object(
			'column', column_name, 'kind', kind, 'few', look.few, 'bounds', look.bounds,
			'wish', CASE WHEN kind = 'age' THEN 3
			             WHEN kind = 'flag' THEN 1
			             WHEN kind = 'words' THEN 32
			             WHEN kind = 'number' THEN coalesce(cardinality(look.bounds) + 1, 8)
			             WHEN kind = 'category' AND look.few IS NOT NULL THEN cardinality(look.few)
			             WHEN look.different BETWEEN 1 AND 8 THEN 8
			             WHEN kind = 'document' OR look.different <= 200 THEN 16
			             ELSE 32 END);
	END LOOP;
END
$$;
COMMENT ON FUNCTION dlints_recommender_columns(regclass, text, text[])
	IS 'what the columns of a recommender''s items are';

-- The expressions of all columns, and how many numbers they make.  Widths shrink
-- until the vector is one that a model learns from quickly.
CREATE FUNCTION dlints_recommender_vectors(
	items regclass, relation text, columns text[], factors integer, dlints text
) RETURNS jsonb
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	found jsonb := coalesce((SELECT jsonb_agg(c)
	                         FROM dlints_recommender_columns(items, relation, columns) c), '[]');
	most integer := 64;
	size integer;
	parts text[];
BEGIN
	LOOP
		most := most / 2;
		SELECT factors + 1 + coalesce(sum(least((c ->> 'wish')::integer, most)), 0) INTO size
		FROM   jsonb_array_elements(found) c;
		EXIT WHEN size <= 120 OR most = 8;
	END LOOP;
	IF size > 511 THEN
		RAISE 'these columns make vectors of % numbers, and 511 is the most', size
			USING ERRCODE = 'program_limit_exceeded', HINT = 'Name the columns that matter.';
	END IF;
	parts := ARRAY(
		SELECT p.name
		FROM  (SELECT 1, 0, '(clicks)', factors
		       UNION ALL
		       SELECT CASE c ->> 'kind' WHEN 'age' THEN 4 ELSE 2 END, n, c ->> 'column',
		              least((c ->> 'wish')::integer, most)
		       FROM   jsonb_array_elements(found) WITH ORDINALITY f (c, n)
		       UNION ALL
		       SELECT 3, 0, '(popularity)', 1) p (place, n, name, width),
		       generate_series(1, p.width)
		ORDER  BY p.place, p.n);
	RETURN (
		SELECT jsonb_build_object(
			'encode', coalesce(string_agg(expression, E'\n       || ' ORDER BY n)
			                       FILTER (WHERE NOT aged), '''{}''::real[]'),
			'ages', coalesce(string_agg(expression, E'\n       || ' ORDER BY n)
			                     FILTER (WHERE aged), '''{}''::real[]'),
			'aged', 3 * count(*) FILTER (WHERE aged),
			'parts', quote_literal(parts) || '::text[]',
			'factors', factors, 'size', size, 'made_with', dlints)
		FROM   jsonb_array_elements(found) WITH ORDINALITY f (c, n),
		       LATERAL (SELECT least((c ->> 'wish')::integer, most) AS width) w,
		       LATERAL (SELECT c ->> 'kind' = 'age' AS aged,
		                       dlints_recommender_column(c, width, dlints) AS expression) e);
END
$$;
COMMENT ON FUNCTION dlints_recommender_vectors(regclass, text, text[], integer, text)
	IS 'how the columns of a recommender''s items become numbers';
