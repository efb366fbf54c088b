-- How the columns of items become features -----------------------------------------
--
-- When a recommender is created, each column is measured: its kind, its values, and the number of its features.  The
-- measurements are kept in setting.vectors.  Each column has a separate block of features, so that a model can
-- estimate its weight.
--
--     kind       features
--     flag       one, 0 or 1
--     number     one per band; until there are numbers, hashed
--     category   one per value, or hashed; also numbers with at most eight values
--     words      hashed words of texts
--     document   hashed keys and values of JSON
--     tags       hashed elements of arrays
--     vector     the numbers of an embedding, projected if there are many
--     age        three ages of a date (AGES_PER_DATE in core/ages.h), computed when items are scored
--
-- A kind has a case in _dlints_column_kind(), by type alone, and in _dlints_column_expression(), which encodes a value.
-- Unless the texts of its values are hashed, it may also need cases in _dlints_column_values(), to count values;
-- _dlints_measure_column(), with its number of features; and _dlints_widths(), for the notice.  A column does not have
-- both ages and stored features.  Values that come later are in later_values.sql.  sql/dlints_encoding.sql tests kinds.

-- Return how a column is encoded, judging by its type.
CREATE FUNCTION _dlints_column_kind(items oid, column_name text) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	type pg_type;
	element pg_type;
	is_reference boolean;
	kind text;
BEGIN
	SELECT t.* INTO type
	FROM   pg_attribute a JOIN pg_type t ON t.oid = @extschema@._dlints_base_type(a.atttypid)
	WHERE  a.attrelid = items AND a.attname = column_name;
	SELECT t.* INTO element FROM pg_type t WHERE t.oid = @extschema@._dlints_base_type(type.typelem);
	SELECT column_name ~ '(^id|_id|[a-z]I[dD])$' OR count(*) > 0 INTO is_reference
	FROM   pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
	WHERE  c.conrelid = items AND c.contype = 'f' AND a.attname = column_name;
	kind := CASE                            -- the first condition that is true decides
		WHEN type.typcategory = 'B' THEN 'flag'
		WHEN type.typcategory = 'N' AND (type.typname LIKE 'reg%' OR is_reference) THEN 'category'
		WHEN type.typname IN ('int2', 'int4', 'int8', 'numeric', 'float4', 'float8') THEN 'number'
		WHEN type.typname IN ('json', 'jsonb') THEN 'document'
		WHEN type.typname IN ('date', 'timestamp', 'timestamptz') THEN 'age'
		WHEN type.oid IN ('float4[]'::regtype, 'float8[]'::regtype) THEN 'vector'
		WHEN type.typname IN ('vector', 'halfvec') AND EXISTS (
		    SELECT FROM pg_cast WHERE castsource = type.oid AND casttarget = 'float4[]'::regtype) THEN 'vector'
		-- texts of other elements, such as dates, depend on settings of the session
		WHEN type.typcategory = 'A' AND (
		    element.typcategory IN ('S', 'E', 'I', 'B', 'N') AND element.typname NOT IN ('money', 'float4', 'float8')
		    OR element.typname IN ('uuid', 'citext', 'json', 'jsonb')) THEN 'tags'
		WHEN type.typcategory IN ('S', 'E', 'I') OR type.typname IN ('uuid', 'citext') THEN 'category'
	END;
	IF kind IS NULL THEN
		RAISE 'column "%" has type %, which cannot be encoded', column_name, type.oid::regtype
			USING ERRCODE = 'datatype_mismatch',
			HINT = 'Leave the column out, or create a view that casts it to text or to a number.';
	END IF;
	RETURN kind;
END
$$;

-- Return the expression of a column's value as text, given a reference to the column.  Equal numbers, such as 1 and
-- 1.0, have equal texts.
CREATE FUNCTION _dlints_column_text(value text, is_number boolean) RETURNS text
	LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS
$$
SELECT format(CASE WHEN is_number THEN '@extschema@._dlints_column_number(%s)::numeric::text'
                   ELSE '%s::text' END, value)
$$;

-- Return the expression of an embedding as an array of numbers, given a reference to the column.
CREATE FUNCTION _dlints_column_array(value text, type text) RETURNS text
	LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS
$$
SELECT CASE WHEN type ~ '[.]_float.$' THEN value ELSE value || '::real[]' END
$$;

-- Return a query of the values of a column as text, with a single column "v".
CREATE FUNCTION _dlints_column_values(sample text, column_name text, kind text) RETURNS text
	LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS
$$
SELECT format(CASE kind
	WHEN 'vector' THEN '(SELECT hashtext(%s::text)::text AS v FROM %s) s'
	WHEN 'tags' THEN '(SELECT l.v FROM %2$s LEFT JOIN LATERAL unnest(%1$s::text[]) l (v) ON true) s'
	ELSE '(SELECT %3$s AS v FROM %2$s) s' END, value, sample, @extschema@._dlints_column_text(value, kind = 'number'))
FROM   format('"i".%I', column_name) value
$$;

-- Return the octiles of a numeric column as bounds of at most eight bands.  NULL without two different numbers.
CREATE FUNCTION _dlints_column_bounds(sample text, column_name text) RETURNS float8[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	bounds float8[];
BEGIN
	EXECUTE format(
		'WITH value AS (SELECT @extschema@._dlints_column_number("i".%I) AS v FROM %s),
		 lowest AS (SELECT min(v) AS v FROM value),
		 cut AS (SELECT DISTINCT b
		         FROM   unnest((SELECT percentile_disc(''{.125,.25,.375,.5,.625,.75,.875}''::float8[])
		                                   WITHIN GROUP (ORDER BY v) FROM value)) b
		         WHERE  b > (SELECT v FROM lowest))
		 SELECT coalesce((SELECT array_agg(b ORDER BY b) FROM cut),
		                 (SELECT array_agg(v) FROM (SELECT min(v) AS v FROM value WHERE v > (SELECT v FROM lowest)) m
		                  WHERE v IS NOT NULL))', column_name, sample)
	INTO bounds;
	RETURN bounds;
END
$$;

-- Return the length and the median norm of a column's embeddings.  "others" is true if some have another length.
CREATE FUNCTION _dlints_column_norm(sample text, column_name text, type text, OUT length integer, OUT norm float8,
                                    OUT others boolean)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
BEGIN
	EXECUTE format('SELECT cardinality(v), count(*) < sum(count(*)) OVER (), sqrt(percentile_disc(0.5)'
	               ' WITHIN GROUP (ORDER BY ('
	               'SELECT sum(x ^ 2) FROM unnest(v) x WHERE abs(x) BETWEEN 1e-100 AND 1e100)))'
	               ' FROM (SELECT %s::float8[] AS v FROM %s) s WHERE cardinality(v) > 0'
	               ' GROUP BY 1 ORDER BY count(*) DESC LIMIT 1',
	               @extschema@._dlints_column_array(format('"i".%I', column_name), type), sample)
	INTO length, others, norm;
	norm := CASE WHEN norm BETWEEN 1e-30 AND 1e30 THEN norm ELSE 1 END;
	IF length > 16000 THEN
		RAISE 'column "%" has vectors of % elements', column_name, length
			USING ERRCODE = 'program_limit_exceeded', HINT = 'The maximum is 16000: create a view with shorter vectors.';
	END IF;
END
$$;

-- Can a column be read for at least one of 1,000 items?
CREATE FUNCTION _dlints_column_is_readable(items oid, item_key text, column_name text) RETURNS boolean
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	item record;
BEGIN
	FOR item IN EXECUTE format(
		'SELECT i.%1$I::text AS key FROM %2$s i WHERE i.%1$I IS NOT NULL LIMIT 1000', item_key, items::regclass) LOOP
		BEGIN
			EXECUTE format('SELECT i.%I FROM %s i WHERE i.%I::text = $1', column_name, items::regclass, item_key)
			USING item.key;
			RETURN true;
		EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN
			IF NOT @extschema@._dlints_is_row_error(SQLSTATE) THEN
				RAISE;
			END IF;
		END;
	END LOOP;
	RETURN false;
END
$$;

-- Measure a column.  Returns an object:
--
--     column, kind, type  name, kind, and type without domains
--     is_number           the type is "number", also if the kind is "category"
--     few                 values with a feature each; null if all are hashed
--     bounds              lower bounds of all bands but the first; null without bands
--     length, norm        of vectors: number of elements, and median norm
--     different           number of distinct values
--     preferred_width     number of features, unless the columns have too many together
--     is_constant         true, without the other keys: the column has the same value in all rows
--
-- NULL: the column is left out, with a notice.
CREATE FUNCTION _dlints_measure_column(items oid, item_key text, column_name text) RETURNS jsonb
	LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	kind text := @extschema@._dlints_column_kind(items, column_name);
	sample text := coalesce((
		SELECT format('%s "i" TABLESAMPLE SYSTEM (%s) REPEATABLE (1)', items::regclass, 5e6 / c.reltuples)
		FROM   pg_class c WHERE c.oid = items AND c.relkind IN ('r', 'm') AND c.reltuples > 50000),
		                    format('%s "i"', items::regclass));
	source text := @extschema@._dlints_column_values(sample, column_name, kind);
	type text := (SELECT @extschema@._dlints_type_name(@extschema@._dlints_base_type(a.atttypid))
	              FROM pg_attribute a WHERE a.attrelid = items AND a.attname = column_name);
	bounds float8[];
	few text[];
	vector_length integer;
	vector_norm float8;
	has_other_lengths boolean;
	counts record;
	has_own_values boolean;
BEGIN
	EXECUTE 'SELECT count(DISTINCT v) AS different, count(DISTINCT v) + max((v IS NULL)::integer) AS different_or_null,'
		' avg(length(v)) AS length, count(v) AS filled,'
		' count(*) FILTER (WHERE v COLLATE "C" LIKE ''_% %_'') AS spaced FROM '
		|| source INTO counts;
	has_own_values := counts.different > 160 AND counts.different > 0.9 * counts.filled;
	IF counts.different_or_null < 2 AND kind <> 'age' THEN
		RETURN jsonb_build_object('column', column_name, 'is_constant', true);
	END IF;
	IF kind = 'number' AND counts.different > 8 THEN
		bounds := @extschema@._dlints_column_bounds(sample, column_name);
	ELSIF kind = 'number' AND counts.different > 0 THEN
		kind := 'category';
	ELSIF kind = 'number' THEN
		RAISE NOTICE 'column "%" has no values yet from which bands could be computed', column_name
			USING HINT = 'Create the recommender again when the table has items.';
	ELSIF kind = 'vector' THEN
		SELECT n.length, n.norm, n.others INTO vector_length, vector_norm, has_other_lengths
		FROM   @extschema@._dlints_column_norm(sample, column_name, type) n;
		IF vector_length IS NULL THEN
			RAISE NOTICE 'column "%" is left out: it has no vectors yet', column_name
				USING HINT = 'Create the recommender again when the table has items.';
			RETURN NULL;
		ELSIF has_other_lengths THEN
			RAISE NOTICE 'column "%" has vectors of several lengths', column_name
				USING HINT = format('Vectors of other than %s elements count as zeros.', vector_length);
		END IF;
	END IF;
	IF kind = 'category' AND counts.length <= 40 AND counts.different BETWEEN 1 AND 160 THEN
		EXECUTE 'SELECT array_agg(DISTINCT v ORDER BY v) FILTER (WHERE v IS NOT NULL) FROM ' || source INTO few;
	ELSIF kind = 'category' AND (counts.length > 40 OR has_own_values AND counts.spaced > 0.5 * counts.filled) THEN
		kind := 'words';	-- long texts, and texts of several words
	ELSIF kind = 'category' AND has_own_values THEN
		RAISE NOTICE 'column "%" has a different value in nearly each row', column_name
			USING HINT = 'A key does not describe an item: leave the column out.';
	END IF;
	RETURN jsonb_build_object(
		'column', column_name, 'kind', kind, 'few', few, 'bounds', bounds, 'different', counts.different,
		'norm', vector_norm, 'length', vector_length,
		'is_number', @extschema@._dlints_column_kind(items, column_name) = 'number',
		'type', type,
		'preferred_width', CASE WHEN kind = 'age' THEN 3
		             WHEN kind = 'flag' THEN 1
		             WHEN kind = 'vector' THEN CASE WHEN vector_length <= 128 THEN vector_length ELSE 64 END
		             WHEN kind = 'words' THEN 32
		             WHEN kind = 'number' THEN coalesce(cardinality(bounds) + 1, 8)
		             WHEN kind = 'category' AND few IS NOT NULL THEN cardinality(few) + 16	-- 16 for later values
		             WHEN kind = 'document' THEN 24
		             ELSE greatest(24, least(2 * counts.different, 160)) END);
EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN    -- the items are a view, and an expression of the view fails for a row
	IF NOT @extschema@._dlints_is_row_error(SQLSTATE) OR @extschema@._dlints_is_object_error(SQLSTATE)
	   AND NOT @extschema@._dlints_column_is_readable(items, item_key, column_name)
	THEN
		RAISE;
	END IF;
	RAISE NOTICE 'column "%" is left out: %', column_name, SQLERRM
		USING HINT = 'Let the view return NULL for such rows, and create the recommender again.';
	RETURN NULL;
END
$$;

-- Return the base type of a domain.
CREATE FUNCTION _dlints_base_type(type oid) RETURNS oid
	LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS
$$
WITH RECURSIVE below AS (
	SELECT t.oid, t.typtype, t.typbasetype FROM pg_type t WHERE t.oid = type
	UNION ALL
	SELECT t.oid, t.typtype, t.typbasetype FROM below b JOIN pg_type t ON b.typtype = 'd' AND t.oid = b.typbasetype)
SELECT b.oid FROM below b WHERE b.typtype <> 'd'
$$;

-- Return the expression of the features of a column with few values.  Each value has a feature; later values are
-- hashed to the remaining features.
CREATE FUNCTION _dlints_few_values(value text, few text[], width integer, column_name text) RETURNS text
	LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS
$$
SELECT format(E'(CASE %s\n%s\n              ELSE %s END)', value,
              string_agg(format('              WHEN %L THEN %L::real[]', v, unit || later.zeros), E'\n' ORDER BY v),
              CASE WHEN later.n > 0
                   THEN format('%L::real[] || @extschema@._dlints_encode_column(%s, %L, %s)',
                               array_fill(0, ARRAY[cardinality(few)]), later.n, column_name, value)
                   ELSE format('%L::real[]', array_fill(0, ARRAY[width])) END)
FROM   unnest(few) v,
       LATERAL (SELECT array_agg((o = v)::integer ORDER BY n) FROM unnest(few) WITH ORDINALITY o (o, n)) u (unit),
       (SELECT width - cardinality(few) AS n, CASE WHEN width > cardinality(few)
            THEN array_fill(0, ARRAY[width - cardinality(few)]) ELSE '{}' END AS zeros) later
GROUP  BY later.n, later.zeros
$$;

-- Return the expression that encodes a measured column with its "width", given a reference to the column.  The
-- expression raises no error: values that cannot be read count as missing.  Dates are encoded as seconds.
CREATE FUNCTION _dlints_column_expression(c jsonb, value text) RETURNS text
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	name CONSTANT text := c ->> 'column';
	width CONSTANT integer := c -> 'width';
	number CONSTANT text := format('@extschema@._dlints_column_number(%s)', value);
	encode CONSTANT text := format('@extschema@._dlints_encode_column(%s, %L, ', width, name);
	few CONSTANT text[] := ARRAY(SELECT jsonb_array_elements_text(nullif(c -> 'few', 'null')));
	bounds CONSTANT text := translate(nullif(c ->> 'bounds', 'null'), '[] ', '{}');
	as_text CONSTANT text := @extschema@._dlints_column_text(value, (c ->> 'is_number')::boolean);
BEGIN
	IF c ->> 'kind' = 'number' AND bounds IS NOT NULL THEN
		RETURN @extschema@._dlints_few_values(format('width_bucket(%s, %L::float8[])::text', number, bounds),
			ARRAY(SELECT generate_series(0, cardinality(bounds::float8[]))::text), width, name);
	ELSIF c ->> 'kind' = 'category' AND cardinality(few) BETWEEN 1 AND width THEN
		RETURN @extschema@._dlints_few_values(as_text, few, width, name);
	END IF;
	RETURN CASE c ->> 'kind'
		WHEN 'flag' THEN format('ARRAY[coalesce(%s::integer, 0)]::real[]', value)
		WHEN 'category' THEN encode || as_text || ')'
		WHEN 'words' THEN
			encode || format('regexp_split_to_array(lower(left(%s::text, 2000) COLLATE "default"), ''[^[:alnum:]]+''))',
			                 value)
		WHEN 'vector' THEN
			CASE WHEN (c ->> 'length')::integer > width
			     THEN format('@extschema@.dlints_project(@extschema@.dlints_new(%s, %s, intercept => false), ',
			                 c ->> 'length', width)
			     ELSE '' END
			|| format('@extschema@._dlints_column_vector(%s, %s, %s)',
			          @extschema@._dlints_column_array(value, c ->> 'type'), c ->> 'length', c ->> 'norm')
			|| CASE WHEN (c ->> 'length')::integer > width
			        THEN '::@extschema@.dlints_vector, ''{}''::@extschema@.dlints_vector)::real[]' ELSE '' END
		WHEN 'tags' THEN encode || value || '::text[])'
		WHEN 'document' THEN	-- a number at the top level is encoded as a name, a number at a deeper level as an amount
			encode || format('(
           SELECT jsonb_object_agg(key, CASE jsonb_typeof(value) WHEN ''number''
                                        THEN to_jsonb(value #>> ''{}'') ELSE value END)
           FROM   jsonb_each(CASE jsonb_typeof(%s::jsonb) WHEN ''object''
                             THEN %1$s::jsonb END)))', value)
		WHEN 'number' THEN encode || format('(sign(%s) * round(2 * ln(1 + abs(%1$s))))::text)', number)
		WHEN 'age' THEN format('extract(epoch FROM %s)::float8', value)
	END;
END
$$;

-- Choose the number of features of each column, at most 183 together, so that models are trained quickly.  The widest
-- columns are reduced, and constant columns are left out.  "size" also counts factors, popularity and neighbour score.
CREATE FUNCTION _dlints_widths(columns jsonb[], factors integer) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	size integer;
	with_widths jsonb;
	description text;
	left_out text[] := ARRAY(SELECT (c -> 'column')::text FROM unnest(columns) c WHERE c ? 'is_constant');
BEGIN
	IF left_out <> '{}' THEN
		RAISE NOTICE 'columns with the same value in all rows are left out: %', array_to_string(left_out[:10], ', ')
			|| CASE WHEN cardinality(left_out) > 10 THEN format(', and %s more', cardinality(left_out) - 10) ELSE '' END;
	END IF;
	FOR max_width IN REVERSE 176 .. 16 LOOP
		SELECT factors + 2 + coalesce(sum(w.width), 0),
		       coalesce(jsonb_agg(c || jsonb_build_object('width', w.width) ORDER BY n), '[]'),
		       string_agg(format('%s (%s)', c ->> 'column', CASE
		           WHEN c ->> 'kind' = 'flag' THEN 'yes or no'
		           WHEN c ->> 'kind' = 'age' THEN 'age'
		           WHEN c ->> 'kind' = 'words' THEN format('words, hashed to %s features', w.width)
		           WHEN c ->> 'kind' = 'vector' AND (c ->> 'length')::integer > w.width
		           THEN format('vectors of %s elements, projected to %s features', c ->> 'length', w.width)
		           WHEN c ->> 'kind' = 'vector' THEN format('vectors of %s elements', w.width)
		           WHEN c ->> 'kind' = 'number' AND c ->> 'bounds' IS NOT NULL THEN format('%s bands', w.width)
		           WHEN c ->> 'kind' = 'category' AND jsonb_array_length(nullif(c -> 'few', 'null')) <= w.width
		           THEN format('%s values', c ->> 'different')
		           ELSE format('%s values, hashed to %s features', c ->> 'different', w.width) END), '; ' ORDER BY n)
		INTO   size, with_widths, description
		FROM   unnest(columns) WITH ORDINALITY f (c, n),
		       LATERAL (SELECT CASE WHEN c ->> 'kind' = 'vector' THEN (c ->> 'preferred_width')::integer
		                            ELSE least((c ->> 'preferred_width')::integer, max_width) END AS width) w
		WHERE  NOT c ? 'is_constant';
		EXIT WHEN size - factors <= 185;
	END LOOP;
	IF size > 511 THEN
		RAISE 'columns have % features, and the maximum is 511', size
			USING ERRCODE = 'program_limit_exceeded', HINT = 'Pass only columns that influence what users click.';
	END IF;
	IF description IS NOT NULL THEN
		RAISE NOTICE 'columns are encoded as: %', description;
	END IF;
	RETURN jsonb_build_object('size', size, 'factors', factors, 'columns', with_widths);
END
$$;
