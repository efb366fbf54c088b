-- Vectors of items ----------------------------------------------------------

-- What a column is taken for, by its type and by what it refers to; what is in it: how many values,
-- of what length, which ones if they are few, and bounds between numbers; and how many numbers it
-- had best have
CREATE FUNCTION _dlints_look(items oid, column_name text) RETURNS jsonb
	LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	type pg_type;
	refers boolean;
	kind text;
	sample text := items::regclass || ' "i"';
	source text;
	bounds float8[];
	few text[];
	length integer;
	others boolean;
	is_own boolean;
	norm float8;
	look record;
BEGIN
	SELECT t.* INTO type
	FROM   pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
	WHERE  a.attrelid = items AND a.attname = column_name;
	WHILE type.typtype = 'd' LOOP
		SELECT t.* INTO type FROM pg_type t WHERE t.oid = type.typbasetype;
	END LOOP;
	SELECT column_name ~ '(^id|_id|[a-z]I[dD])$' OR count(*) > 0 INTO refers
	FROM   pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
	WHERE  c.conrelid = items AND c.contype = 'f' AND a.attname = column_name;
	kind := CASE
		WHEN type.typcategory = 'B' THEN 'flag'
		WHEN type.typcategory = 'N' AND type.typname LIKE 'reg%' THEN 'category'
		WHEN type.typcategory = 'N' AND refers THEN 'category'
		WHEN type.typname IN ('int2', 'int4', 'int8', 'numeric', 'float4', 'float8') THEN 'number'
		WHEN type.typname IN ('json', 'jsonb') THEN 'document'
		WHEN type.typname IN ('date', 'timestamp', 'timestamptz') THEN 'age'
		WHEN type.oid IN ('float4[]'::regtype, 'float8[]'::regtype) THEN 'vector'
		WHEN type.typname IN ('vector', 'halfvec') AND EXISTS (
		    SELECT FROM pg_cast WHERE castsource = type.oid AND casttarget = 'float4[]'::regtype) THEN 'vector'
		WHEN type.typcategory = 'A' THEN 'tags'
		WHEN type.typcategory IN ('S', 'E', 'I') OR type.typname IN ('uuid', 'citext') THEN 'category'
	END;
	IF kind IS NULL THEN
		RAISE 'column "%" is of a type that a recommender makes no numbers of', column_name
			USING ERRCODE = 'datatype_mismatch',
			HINT = 'Leave it out, or make a view that has it as text or as a number.';
	END IF;

	SELECT format('%s "i" TABLESAMPLE SYSTEM (%s) REPEATABLE (1)', items::regclass, 5e6 / reltuples)
	INTO   source
	FROM   pg_class WHERE oid = items AND relkind IN ('r', 'm') AND reltuples > 50000;
	sample := coalesce(source, sample);
	source := CASE kind
		WHEN 'vector' THEN format('(SELECT hashtext("i".%I::text)::text AS v FROM %s) s', column_name, sample)
		WHEN 'tags' THEN format('(SELECT l.v FROM %s LEFT JOIN LATERAL unnest("i".%I::text[]) l (v) ON true) s',
		                        sample, column_name)
		ELSE format('(SELECT "i".%I::text AS v FROM %s) s', column_name, sample) END;
	EXECUTE 'SELECT count(DISTINCT v) AS different, count(DISTINCT v) + max((v IS NULL)::integer) AS kinds,'
		' avg(length(v)) AS length, count(v) AS filled, count(*) FILTER (WHERE v LIKE ''_% %_'') AS spaced FROM ' || source
	INTO look;
	IF kind = 'category' AND look.length <= 40 AND look.different BETWEEN 1 AND 160
			OR kind = 'number' AND look.different BETWEEN 1 AND 8 THEN
		EXECUTE 'SELECT array_agg(DISTINCT v ORDER BY v) FILTER (WHERE v IS NOT NULL) FROM ' || source
		INTO few;
	END IF;
	IF kind = 'number' AND look.different > 1 THEN
		EXECUTE format(
			'WITH value AS (
			     SELECT "i".%1$I::float8 AS v FROM %2$s
			     WHERE "i".%1$I::float8 NOT IN (''NaN'', ''Infinity'', ''-Infinity'')),
			 least AS (SELECT min(v) AS v FROM value),
			 cut AS (SELECT DISTINCT b
			         FROM   unnest((SELECT percentile_disc(''{.125,.25,.375,.5,.625,.75,.875}''::float8[])
			                                   WITHIN GROUP (ORDER BY v) FROM value)) b
			         WHERE  b > (SELECT v FROM least))
			 SELECT coalesce((SELECT array_agg(b ORDER BY b) FROM cut),
			                 (SELECT ARRAY[min(v)] FROM value WHERE v > (SELECT v FROM least)))',
			column_name, sample)
		INTO bounds;
	END IF;
	IF kind = 'vector' THEN		-- scaled: of the usual length half are longer than 1
		EXECUTE format('SELECT cardinality(v), count(*) < sum(count(*)) OVER (), sqrt(percentile_disc(0.5)'
		               ' WITHIN GROUP (ORDER BY (SELECT sum(x ^ 2) FROM unnest(v) x WHERE abs(x) BETWEEN 1e-100 AND 1e100)))'
		               ' FROM (SELECT "i".%I::%s::float8[] AS v FROM %s) s WHERE cardinality(v) > 0'
		               ' GROUP BY 1 ORDER BY count(*) DESC LIMIT 1',
		               column_name, CASE type.typname WHEN '_float8' THEN 'float8[]' ELSE 'real[]' END, sample)
		INTO length, others, norm;
		IF length > 16000 THEN
			RAISE 'column "%" has vectors of % numbers', column_name, length
				USING ERRCODE = 'program_limit_exceeded', HINT = '16000 are the most: make a view that has fewer.';
		ELSIF others THEN
			RAISE NOTICE 'column "%" has vectors of several lengths', column_name
				USING HINT = format('Those that have not %s numbers say nothing.', length);
		END IF;
	END IF;
	is_own := look.different > 160 AND look.different > 0.9 * look.filled;
	IF look.kinds < 2 AND kind <> 'age' THEN
		RAISE NOTICE 'column "%" is the same in all rows and left out', column_name;
		RETURN NULL;
	ELSIF kind = 'number' AND look.different BETWEEN 1 AND 8 THEN
		kind := 'category';
	ELSIF kind = 'vector' AND length IS NULL THEN
		RAISE NOTICE 'column "%" has no vectors yet and is left out', column_name
			USING HINT = 'To have it read, make the recommender anew once there are items.';
		RETURN NULL;
	ELSIF kind = 'number' AND bounds IS NULL THEN
		RAISE NOTICE 'column "%" has no values yet to take its bands from', column_name
			USING HINT = 'To have bands that fit, make the recommender anew once there are items.';
	ELSIF kind = 'category' AND (look.length > 40 OR is_own AND look.spaced > 0.5 * look.filled) THEN
		kind := 'words';		-- a text, or short ones of which each row has its own: titles
	ELSIF kind = 'category' AND is_own THEN
		RAISE NOTICE 'column "%" has a value of its own in nearly each row', column_name
			USING HINT = 'A key says nothing of what an item is like: leave it out.';
	END IF;
	RETURN jsonb_build_object(
		'column', column_name, 'kind', kind, 'few', few, 'bounds', bounds, 'different', look.different,
		'norm', CASE WHEN norm BETWEEN 1e-30 AND 1e30 THEN norm ELSE 1 END, 'length', length,
		'type', (SELECT format('%I.%I', n.nspname, type.typname)
		         FROM pg_namespace n WHERE n.oid = type.typnamespace),
		'wish', CASE WHEN kind = 'age' THEN 3
		             WHEN kind = 'flag' THEN 1
		             WHEN kind = 'vector' THEN CASE WHEN length <= 128 THEN length ELSE 64 END
		             WHEN kind = 'words' THEN 32
		             WHEN kind = 'number' THEN coalesce(cardinality(bounds) + 1, 8)
		             WHEN kind = 'category' AND few IS NOT NULL THEN cardinality(few)
		             WHEN look.different BETWEEN 1 AND 8 THEN 8
		             WHEN kind = 'document' THEN 16
		             ELSE greatest(16, least(2 * look.different, 160)) END);
END
$$;
COMMENT ON FUNCTION _dlints_look(oid, text)
	IS 'what a column of a recommender''s items is taken for, and what is in it';

-- How a column of the row i becomes numbers: as it was looked at, of a width.  A date becomes the
-- seconds of which its age is made.
CREATE FUNCTION _dlints_column(c jsonb, width integer) RETURNS text
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	value text := format('i.%I', c ->> 'column');
	encode text := format('@extschema@.dlints_encode(%s, %L, ', width, c ->> 'column');
	few text[] := ARRAY(SELECT jsonb_array_elements_text(nullif(c -> 'few', 'null')));
	bounds text := translate(nullif(c ->> 'bounds', 'null'), '[] ', '{}');
BEGIN
	-- Numbers fall into bands, which are a few names.
	IF c ->> 'kind' = 'number' AND bounds IS NOT NULL THEN
		value := format('width_bucket(%s::float8, %L::float8[])', value, bounds);
		few := ARRAY(SELECT generate_series(0, cardinality(bounds::float8[]))::text);
	ELSIF c ->> 'kind' <> 'category' OR cardinality(few) NOT BETWEEN 1 AND width THEN
		few := NULL;
	END IF;
	-- One of a few names is a number for each; one that comes later is spread over all.
	IF few IS NOT NULL THEN
		RETURN (
			SELECT format(E'(CASE %s::text\n%s\n              ELSE %s%s::text) END)::real[]', value,
			              string_agg(format('              WHEN %L THEN ''{%s}''', v, unit), E'\n' ORDER BY v),
			              encode, value)
			FROM   unnest(few) v,
			       LATERAL (SELECT string_agg((o = v)::integer::text, ',' ORDER BY o)
			                FROM unnest(few) o) u (unit));
	END IF;
	RETURN CASE c ->> 'kind'
		WHEN 'flag' THEN
			format('ARRAY[coalesce(%s::integer, 0)]::real[]', value)
		WHEN 'category' THEN
			encode || value || '::text)'
		WHEN 'words' THEN
			encode || format('regexp_split_to_array(lower(left(%s::text, 2000)), ''[^[:alnum:]]+''))', value)
		WHEN 'vector' THEN		-- one of another length says nothing; a long one is projected
			format('(CASE WHEN cardinality(%1$s) = %2$s THEN %6$sARRAY(
           SELECT CASE WHEN abs(x) BETWEEN %4$L::float8 AND %5$L::float8 THEN (x / %3$L::float8)::real ELSE 0 END
           FROM   unnest(%1$s::float8[]) WITH ORDINALITY u (x, n)
           ORDER  BY n)%7$s ELSE array_fill(0::real, ARRAY[%8$s]) END)',
			       value || CASE WHEN c ->> 'type' LIKE '%.\_float8' THEN '' ELSE '::real[]' END, c ->> 'length',
			       c ->> 'norm', (c ->> 'norm')::float8 * 1e-20, (c ->> 'norm')::float8 * 1e20,
			       CASE WHEN (c ->> 'length')::integer > width THEN format(
			           '@extschema@.dlints_project(@extschema@.dlints_new(%s, %s, intercept => false), ', c ->> 'length', width) END,
			       CASE WHEN (c ->> 'length')::integer > width
			           THEN '::@extschema@.dlints_vector, ''{}''::@extschema@.dlints_vector)::real[]' END, width)
		WHEN 'tags' THEN
			encode || value || '::text[])'
		WHEN 'document' THEN		-- a number in it is a name, not an amount
			encode || format('(
           SELECT jsonb_object_agg(key, CASE jsonb_typeof(value) WHEN ''number''
                                        THEN to_jsonb(value #>> ''{}'') ELSE value END)
           FROM   jsonb_each(CASE jsonb_typeof(%s::jsonb) WHEN ''object''
                             THEN %1$s::jsonb END)))', value)
		WHEN 'number' THEN
			encode || format('(sign(%s) * round(2 * ln(1 + abs(%1$s))))::text)', value || '::float8')
		WHEN 'age' THEN
			format('date_part(''epoch'', %s)', value)
	END;
END
$$;
COMMENT ON FUNCTION _dlints_column(jsonb, integer)
	IS 'the expression that makes numbers of a column of a recommender''s items';

-- How wide each column that was looked at becomes, and what is said of that.  The widest shrink until the
-- vector is one that a model learns from quickly.
CREATE FUNCTION _dlints_widths(looks jsonb[], factors integer) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	size integer;
	columns jsonb;
	said text;
BEGIN
	FOR most IN REVERSE 160 .. 16 LOOP
		SELECT factors + 1 + coalesce(sum(w.width), 0),
		       coalesce(jsonb_agg(c || jsonb_build_object('width', w.width) ORDER BY n), '[]'),
		       string_agg(format('%s %s', c ->> 'column', CASE
		           WHEN c ->> 'kind' = 'flag' THEN 'yes or no'
		           WHEN c ->> 'kind' = 'age' THEN 'how long ago'
		           WHEN c ->> 'kind' = 'words' THEN format('its words, hashed to %s numbers', w.width)
		           WHEN c ->> 'kind' = 'vector' AND (c ->> 'length')::integer > w.width
		           THEN format('vectors of %s numbers, projected to %s', c ->> 'length', w.width)
		           WHEN c ->> 'kind' = 'vector' THEN format('vectors of %s numbers', w.width)
		           WHEN c ->> 'kind' = 'number' AND c ->> 'bounds' IS NOT NULL THEN format('%s bands', w.width)
		           WHEN c ->> 'kind' = 'category' AND jsonb_array_length(nullif(c -> 'few', 'null')) <= w.width
		           THEN format('%s values', c ->> 'different')
		           ELSE format('%s values, hashed to %s numbers', c ->> 'different', w.width) END), '; ' ORDER BY n)
		INTO   size, columns, said
		FROM   unnest(looks) WITH ORDINALITY f (c, n),
		       LATERAL (SELECT CASE WHEN c ->> 'kind' = 'vector' THEN (c ->> 'wish')::integer
		                            ELSE least((c ->> 'wish')::integer, most) END AS width) w;
		EXIT WHEN size - factors <= 184;
	END LOOP;
	IF size > 511 THEN
		RAISE 'these columns make vectors of % numbers, and 511 is the most', size
			USING ERRCODE = 'program_limit_exceeded', HINT = 'Name the columns that matter.';
	END IF;
	IF said IS NOT NULL THEN
		RAISE NOTICE 'columns are read as: %', said;
	END IF;
	RETURN jsonb_build_object('size', size, 'factors', factors, 'columns', columns);
END
$$;
COMMENT ON FUNCTION _dlints_widths(jsonb[], integer)
	IS 'how many numbers the columns of a recommender''s items become';
