-- Values that come after a recommender was created ---------------------------------------------
--
-- A value with a separate feature keeps it, so that models and vectors stay valid.  Later values share hashed
-- features.  If a later value becomes frequent, one of these features is reserved for it.  Bands of numbers are
-- computed again only when most numbers are outside of the old ones.  In both cases, features change their meaning:
-- affected items are encoded again, and the models are trained again on the log.  Profiles in the log, and vectors of
-- deleted items, lose these features.

-- Measure a column of items again.  Returns its new measurements, or NULL without changes.  "changed" is the number of
-- the column's features before the first feature that changes.  "n" is the position of the column.
CREATE FUNCTION _dlints_remeasure_column(c jsonb, n bigint) RETURNS jsonb
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	min_items CONSTANT integer := 3;        -- minimum number of items with a value that gets a feature
	shared CONSTANT integer := 4;           -- number of features that remain for all other later values
	few CONSTANT text[] := ARRAY(SELECT jsonb_array_elements_text(nullif(c -> 'few', 'null')));
	bounds CONSTANT float8[] := translate(nullif(c ->> 'bounds', 'null'), '[] ', '{}')::float8[];
	width CONSTANT integer := c -> 'width';
	later text[];
	new_bounds float8[];
	outside record;
BEGIN
	IF c ->> 'kind' = 'category' AND cardinality(few) BETWEEN 1 AND width - shared - 1 THEN
		EXECUTE format('SELECT array_agg(x.v) FROM (SELECT k.v FROM (SELECT %s AS v FROM item_column i) k'
		               ' WHERE k.v <> ALL ($1) GROUP BY k.v HAVING count(*) >= $2'
		               ' ORDER BY count(*) DESC, k.v LIMIT $3) x',
		               @extschema@._dlints_column_text(format('i.c%s', n), (c ->> 'is_number')::boolean))
		INTO later USING few, min_items, width - shared - cardinality(few);
		IF later IS NOT NULL THEN
			RETURN c || jsonb_build_object('few', few || later, 'changed', cardinality(few));
		END IF;
	ELSIF c ->> 'kind' = 'number' AND cardinality(bounds) > 1 THEN
		new_bounds := (@extschema@._dlints_column_bounds(format('%I.item_column "i"', own), format('c%s', n)))[1:width - 1];
		EXECUTE format('SELECT avg((width_bucket(v, $1) IN (0, cardinality($1)))::integer) AS share,'
		               ' avg((width_bucket(v, $2) IN (0, cardinality($2)))::integer) AS new_share'
		               ' FROM (SELECT @extschema@._dlints_column_number(i.c%s) AS v FROM item_column i) x', n)
		INTO outside USING bounds, new_bounds;
		IF cardinality(new_bounds) > 1 AND outside.share > 0.5 AND outside.new_share < 0.75 * outside.share THEN
			RETURN c || jsonb_build_object('bounds', new_bounds, 'changed', 0);
		END IF;
	END IF;
	RETURN NULL;
END
$$;

-- Replace ranges of features by those of another vector.  NULL as the other vector changes nothing.
CREATE FUNCTION _dlints_replace_features(features real[], by real[], ranges int4range[]) RETURNS real[]
	LANGUAGE sql IMMUTABLE
RETURN CASE WHEN by IS NULL THEN features ELSE ARRAY(
	SELECT CASE WHEN u.n::pg_catalog.int4 OPERATOR(pg_catalog.<@) ANY (ranges) THEN coalesce(by[u.n], 0::real)
	            ELSE u.x END
	FROM   pg_catalog.unnest(features) WITH ORDINALITY u (x, n) ORDER BY u.n) END;

-- Give each frequent later value a feature, and numbers new bands if most are outside of the current ones.  Returns
-- true if features changed their meaning.  Requests do not wait for the change.
CREATE FUNCTION _dlints_adopt_values() RETURNS boolean
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	new_columns jsonb;
	ranges int4range[];
	names text;
	a jsonb;
BEGIN
	IF to_regclass(format('%I.item_column', own)) IS NULL THEN
		RETURN false;
	END IF;
	SELECT jsonb_agg(coalesce(m.c, m.was) - 'changed'::text ORDER BY m.n),
	       array_agg(int4range(m.first + (m.c ->> 'changed')::integer, m.first + m.width))
	           FILTER (WHERE m.c IS NOT NULL),
	       string_agg(format('"%s"', m.was ->> 'column'), ', ' ORDER BY m.n) FILTER (WHERE m.c IS NOT NULL)
	INTO   new_columns, ranges, names
	FROM  (SELECT w.n, w.was, (w.was ->> 'width')::integer AS width,
	              @extschema@._dlints_remeasure_column(w.was, w.n) AS c,
	              s.factors + 1 + coalesce(sum((w.was ->> 'width')::integer) FILTER (WHERE w.was ->> 'kind' <> 'age')
	                  OVER (ORDER BY w.n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::integer AS first
	       FROM   setting s, jsonb_array_elements(s.vectors -> 'columns') WITH ORDINALITY w (was, n)) m;
	IF ranges IS NULL THEN
		RETURN false;
	END IF;
	RAISE NOTICE 'encoding items again for new values in %', names;
	PERFORM @extschema@._dlints_lock_item_vectors();
	PERFORM FROM model ORDER BY name FOR UPDATE;
	PERFORM @extschema@._dlints_encode_items(false, @extschema@._dlints_write_digests());
	UPDATE setting s SET vectors = s.vectors || jsonb_build_object('columns', new_columns);
	a := (SELECT jsonb_build_object('name', own, 'vectors', s.vectors) FROM setting s);
	PERFORM @extschema@._dlints_bind_encoded_view(a, 'encoded_item_next'::text);
	EXECUTE format($statement$
		WITH changed AS (
			UPDATE item_vector v SET features = v.features[1:s.factors] || n.encoded, version = DEFAULT
			FROM   setting s CROSS JOIN (
			           SELECT e.item, e.encoded FROM %I.encoded_item_next e
			           UNION ALL
			           SELECT w.item,
			                  (@extschema@._dlints_replace_features(w.features, '{}'::real[], $1))[t.factors + 1:]
			           FROM   setting t, item_vector w WHERE w.is_deleted) n
			WHERE  same_item(n.item, v.item) AND v.features[s.factors + 1:] <> n.encoded
			RETURNING v.item, v.features),
		shown AS (
			SELECT DISTINCT d.id FROM decision d, unnest(d.items) u (item), changed c WHERE same_item(c.item, u.item)),
		recoded AS (
			UPDATE item_version n
			SET    features = @extschema@.dlints_pack(@extschema@._dlints_replace_features(
			           @extschema@.dlints_unpack(n.features), c.features, $1)::@extschema@.dlints_vector, 16::bigint)
			FROM   changed c WHERE same_item(c.item, n.item))
		UPDATE decision d
		SET    profile = @extschema@.dlints_pack(@extschema@._dlints_replace_features(
		           @extschema@.dlints_unpack(d.profile), '{}'::real[], $1)::@extschema@.dlints_vector, 8::bigint)
		FROM   shown s WHERE d.id = s.id
		$statement$, own)
	USING ranges;
	PERFORM @extschema@._dlints_rebuild_models();
	PERFORM @extschema@._dlints_set_blocks();
	EXECUTE format('DROP VIEW %I.encoded_item_next', own);
	PERFORM @extschema@._dlints_bind_encoding(a);
	RETURN true;
EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN    -- an expression of a view fails for a row: the fit continues
	IF NOT @extschema@._dlints_is_item_error(SQLSTATE) THEN
		RAISE;
	END IF;
	RAISE WARNING 'argument "items": later values of columns get no features: %', SQLERRM;
	RETURN false;
END
$$;

-- Return the report's rows about columns: items whose value has no feature, vectors of another length, and columns
-- that are always NULL.
CREATE FUNCTION _dlints_report_columns() RETURNS SETOF @extschema@._dlints_report_row
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	has_items boolean;
	item_column record;
	share record;
BEGIN
	IF to_regclass(format('%I.item_column', own)) IS NULL OR @extschema@._dlints_missing_objects() IS NOT NULL THEN
		RETURN;
	END IF;
	has_items := EXISTS (SELECT FROM item);
	FOR item_column IN
		SELECT c.c, c.n, c.c ->> 'column' AS name,
		       ARRAY(SELECT jsonb_array_elements_text(nullif(c.c -> 'few', 'null'))) AS few
		FROM   setting s, jsonb_array_elements(s.vectors -> 'columns') WITH ORDINALITY c (c, n) ORDER BY c.n
	LOOP
		IF item_column.c ->> 'kind' = 'category' AND cardinality(item_column.few) > 0 THEN
			EXECUTE format('SELECT avg((x.v <> ALL ($1))::integer)::float8 AS shared,'
			               ' count(DISTINCT x.v) FILTER (WHERE x.v <> ALL ($1)) AS n'
			               ' FROM (SELECT %s AS v FROM item_column i) x',
			               @extschema@._dlints_column_text(format('i.c%s', item_column.n),
			                                               (item_column.c ->> 'is_number')::boolean))
			INTO share USING item_column.few;
			RETURN QUERY VALUES (format('items with shared features of "%s"', item_column.name),
				coalesce(share.shared, 0), NULL::float8,
				CASE WHEN share.n > 0
				     THEN format('share of items; %s values came later, and share features with others until'
				                 ' the weekly fit gives frequent ones a feature each', share.n)
				     ELSE 'every value has a feature to itself' END);
		END IF;
		IF item_column.c ->> 'kind' = 'vector' THEN
			EXECUTE format('SELECT avg((cardinality(x.v) <> %s)::integer)::float8 AS other'
			               ' FROM (SELECT %s AS v FROM item_column i WHERE i.c%s IS NOT NULL LIMIT 10000) x',
			               item_column.c ->> 'length', @extschema@._dlints_column_array(
			                   format('i.c%s', item_column.n), item_column.c ->> 'type'), item_column.n) INTO share;
			IF share.other > 0 THEN
				RETURN QUERY VALUES (format('vectors of another length in "%s"', item_column.name),
					share.other, NULL::float8, format('share of items; vectors of other than %s elements count as'
						' zeros: make another recommender for them', item_column.c ->> 'length'));
			END IF;
		END IF;
		EXECUTE format('SELECT NOT EXISTS (SELECT FROM item_column i WHERE i.c%s IS NOT NULL) AS is_empty',
		               item_column.n) INTO share;
		IF share.is_empty AND has_items THEN
			RETURN QUERY VALUES (format('column "%s" is NULL', item_column.name), 1::float8, NULL::float8,
				'in all items: it describes none of them; check that it is still written');
		END IF;
	END LOOP;
	RETURN QUERY
	SELECT 'items with long keys', count(*)::float8, NULL::float8,
	       format('lists leave them out, for example "%s...": keys have at most 1,000 bytes',
	              left(min(i.item::text), 20))
	FROM   item i WHERE NOT @extschema@._dlints_fits_index(i.item) HAVING count(*) > 0;
	RETURN QUERY
	SELECT 'items that changed at once', substring(j.problem FROM '[0-9.]+')::float8, NULL::float8,
	       format('share of items whose columns changed in one refresh, at %s: check that the items were not replaced',
	              j.done_at)
	FROM   job j WHERE j.name = 'changed' AND j.problem IS NOT NULL;
	RETURN QUERY SELECT * FROM @extschema@._dlints_report_renamed_tables();
EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN
	IF NOT @extschema@._dlints_is_row_error(SQLSTATE) THEN
		RAISE;
	END IF;                             -- the item cannot be encoded, which another row reports
END
$$;
