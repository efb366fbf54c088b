-- Item vectors --------------------------------------------------------------------------

-- Encode one item.  If its columns cannot be encoded, the item has zeros and no dates, and "problem" has the error
-- message.
CREATE FUNCTION _dlints_encode_item(key anyelement, OUT encoded real[], OUT dates real[], OUT problem text)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
BEGIN
	SELECT e.encoded, e.dates INTO encoded, dates FROM encoded_item e WHERE same_item(e.item, key) LIMIT 1;
EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN
	IF NOT @extschema@._dlints_concerns_one_item(SQLSTATE) THEN
		RAISE;
	END IF;
	problem := SQLERRM;
	SELECT array_fill(0::real, ARRAY[s.liked - s.factors]), array_fill(NULL::real, ARRAY[s.aged / 3])
	INTO   encoded, dates FROM setting s;
END
$$;

-- Did the data of some rows cause an error that was raised while items were read?  If the error code may also mean
-- that an object is missing or forbidden, at least one item must be readable.
CREATE FUNCTION _dlints_is_item_error(code text) RETURNS boolean
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN @extschema@._dlints_is_row_error(code)
	   AND (NOT @extschema@._dlints_is_object_error(code)
	        OR EXISTS (SELECT FROM item i, LATERAL @extschema@._dlints_encode_item(i.item) e WHERE e.problem IS NULL));
END
$$;

-- Record for a week that the columns of more than half of the items changed at once, for example because the table was
-- loaded again.
CREATE FUNCTION _dlints_note_changed_items(share float8) RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	IF share > 0.5 THEN
		INSERT INTO job AS j (name, done_at, problem) VALUES ('changed', now(), round(share::numeric, 3))
		ON CONFLICT (name) DO UPDATE SET done_at = excluded.done_at, problem = excluded.problem;
	ELSE
		DELETE FROM job j WHERE j.name = 'changed' AND j.done_at < now() - interval '7 days';
	END IF;
END
$$;

CREATE FUNCTION _dlints_digest(VARIADIC columns "any") RETURNS bigint
	AS 'MODULE_PATHNAME', 'dlints_digest' LANGUAGE C STABLE PARALLEL SAFE;

-- Write the digests of items, in 16,384 buckets by the hash of the key.  Returns the buckets in which items were
-- added, changed or deleted.  If a row of the items cannot be read, the result is NULL, and no digest is stored.
CREATE FUNCTION _dlints_write_digests() RETURNS integer[]
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	changed integer[];
BEGIN
	WITH present AS MATERIALIZED (
		SELECT (@extschema@._dlints_digest(e.item) & 16383)::integer AS bucket, bit_xor(e.digest) AS digest
		FROM   encoded_item e WHERE e.item IS NOT NULL GROUP BY 1),
	emptied AS (
		DELETE FROM item_digest d
		WHERE  d.bucket >= 0 AND NOT EXISTS (SELECT FROM present p WHERE p.bucket = d.bucket)
		RETURNING d.bucket),
	written AS (
		INSERT INTO item_digest AS d (bucket, digest)
		SELECT p.bucket, p.digest FROM present p
		WHERE  NOT EXISTS (SELECT FROM item_digest w WHERE w.bucket = p.bucket AND w.digest = p.digest)
		ON CONFLICT (bucket) DO UPDATE SET digest = excluded.digest
		RETURNING d.bucket)
	SELECT coalesce(array_agg(c.bucket), '{}') INTO changed
	FROM  (SELECT e.bucket FROM emptied e UNION ALL SELECT w.bucket FROM written w) c;
	RETURN changed;
EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN
	IF NOT @extschema@._dlints_is_item_error(SQLSTATE) THEN
		RAISE;
	END IF;
	DELETE FROM item_digest;
	RETURN NULL;
END
$$;

-- Write the vectors of the items in some buckets, or of new items only.  Returns the number of rows that changed.  If
-- the rows cannot be encoded together, or "buckets" is NULL, each item is encoded separately, and the job "items" has
-- the number of failures.
CREATE FUNCTION _dlints_encode_items(only_new boolean, buckets integer[] DEFAULT NULL) RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	n_factors CONSTANT integer := (SELECT s.factors FROM setting s);
	no_factors CONSTANT real[] := array_fill(0::real, ARRAY[n_factors]);
	n_changed bigint;
	n_failed bigint;
	share_changed float8;
	example text;
	reason text;
BEGIN
	BEGIN
		IF only_new THEN
			INSERT INTO item_vector AS v (item, features, dates)
			SELECT i.item, no_factors || i.encoded, i.dates
			FROM   encoded_item i
			WHERE  @extschema@._dlints_fits_index(i.item)
			AND    NOT EXISTS (SELECT FROM item_vector w WHERE same_item(w.item, i.item) AND NOT w.is_deleted)
			ON CONFLICT (item) DO UPDATE
			SET    features = v.features[1:n_factors] || excluded.features[n_factors + 1:], version = excluded.version,
			       dates = excluded.dates, is_deleted = false
			WHERE  v.is_deleted;
			GET DIAGNOSTICS n_changed = ROW_COUNT;
		ELSIF buckets IS NULL THEN
			RAISE data_exception;           -- row by row, below
		ELSE
			-- ON CONFLICT would lock all existing rows, which writes WAL
			WITH repeated AS MATERIALIZED (
				SELECT k.item FROM item k
				WHERE  (SELECT NOT s.has_unique_key FROM setting s) AND k.item IS NOT NULL
				GROUP  BY k.item HAVING count(*) > 1),
			encoded AS MATERIALIZED (
				SELECT i.item, i.encoded, i.dates, v.encoded <> i.encoded AND NOT v.is_deleted AS is_changed,
				       v.item IS NULL OR v.is_deleted OR v.encoded <> i.encoded OR v.dates <> i.dates AS is_written
				FROM   unnest(buckets) b (n)
				       JOIN encoded_item i ON (@extschema@._dlints_digest(i.item) & 16383)::integer = b.n
				       LEFT JOIN LATERAL (SELECT w.item, w.features[n_factors + 1:] AS encoded, w.dates, w.is_deleted
				                          FROM item_vector w WHERE same_item(w.item, i.item) OFFSET 0) v ON true
				WHERE  @extschema@._dlints_fits_index(i.item)
				AND    NOT EXISTS (SELECT FROM repeated r WHERE same_item(r.item, i.item))),
			written AS (
				INSERT INTO item_vector AS v (item, features, dates)
				SELECT e.item, no_factors || e.encoded, e.dates FROM encoded e WHERE e.is_written
				ON CONFLICT (item) DO UPDATE
				SET    features = v.features[1:n_factors] || excluded.features[n_factors + 1:], version = excluded.version,
				       dates = excluded.dates, is_deleted = false
				RETURNING 1)
			SELECT (SELECT count(*) FROM written), count(*) FILTER (WHERE e.is_changed)::float8
			       / nullif((SELECT count(*) FROM item_vector v WHERE NOT v.is_deleted), 0)
			INTO   n_changed, share_changed
			FROM   encoded e;
			PERFORM @extschema@._dlints_note_changed_items(share_changed);
			DELETE FROM job j WHERE j.name = 'encoding';
		END IF;
		RETURN n_changed;
	EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN
		IF NOT @extschema@._dlints_is_item_error(SQLSTATE) THEN
			RAISE;
		END IF;
		DELETE FROM item_digest;        -- encode row by row below, until all rows can be encoded
	END;
	WITH encoded AS MATERIALIZED (
		SELECT i.item, e.encoded, e.dates, e.problem
		FROM  (SELECT DISTINCT k.item FROM item k WHERE @extschema@._dlints_fits_index(k.item)
		       AND (NOT only_new OR NOT EXISTS (
		           SELECT FROM item_vector w WHERE same_item(w.item, k.item) AND NOT w.is_deleted))) i,
		       LATERAL @extschema@._dlints_encode_item(i.item) e),
	written AS (
		INSERT INTO item_vector AS v (item, features, dates)
		SELECT e.item, no_factors || e.encoded, e.dates FROM encoded e
		WHERE  NOT EXISTS (SELECT FROM item_vector w WHERE same_item(w.item, e.item) AND NOT w.is_deleted
		                   AND w.features[n_factors + 1:] = e.encoded AND w.dates = e.dates)
		ON CONFLICT (item) DO UPDATE
		SET    features = v.features[1:n_factors] || excluded.features[n_factors + 1:], version = excluded.version,
		       dates = excluded.dates, is_deleted = false
		RETURNING 1)
	SELECT (SELECT count(*) FROM written), count(e.problem), min(e.item::text) FILTER (WHERE e.problem IS NOT NULL),
	       min(e.problem)
	INTO   n_changed, n_failed, example, reason
	FROM   encoded e;
	IF NOT only_new OR NOT EXISTS (SELECT FROM job j WHERE j.name = 'encoding') THEN
		PERFORM @extschema@._dlints_note_problem('encoding'::text, format(
			'items that cannot be encoded have features of 0 (number: %s, for example "%s"): %s',
			n_failed, left(example, 100), reason));
	END IF;
	RETURN n_changed;
END
$$;

-- Delete the vectors of deleted items.  Vectors of clicked items are marked as deleted, and kept as long as user
-- profiles need them.  If more than half of all items were deleted, which may be a mistake, their vectors are kept for
-- a day.
CREATE FUNCTION _dlints_purge_deleted_items() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	n_items bigint;
	n_deleted bigint;
	n_marked bigint;
	message text;
	seen_at timestamptz;
BEGIN
	SELECT count(*) FILTER (WHERE NOT v.is_deleted), count(*) FILTER (WHERE NOT v.is_deleted AND v.is_gone),
	       count(*) FILTER (WHERE v.is_deleted)
	INTO   n_items, n_deleted, n_marked
	FROM  (SELECT w.is_deleted, i.item IS NULL AS is_gone
	       FROM   item_vector w LEFT JOIN item i ON same_item(i.item, w.item)) v;
	message := format('%s of the items of %s were deleted; their vectors are kept for 1 day', n_deleted, own);
	IF 2 * n_deleted > n_items THEN
		INSERT INTO job AS j (name, done_at, problem) VALUES ('deleted', now(), message)
		ON CONFLICT (name) DO UPDATE SET problem = excluded.problem
		RETURNING j.done_at INTO seen_at;
		IF seen_at >= now() - interval '1 day' THEN
			RAISE WARNING '%', message
				USING HINT = format('To delete them now: DELETE FROM %1$I.item_vector v WHERE NOT EXISTS'
					' (SELECT FROM %1$I.item i WHERE %1$I.same_item(i.item, v.item)).', own);
			RETURN;
		END IF;
	END IF;
	IF n_deleted > 0 THEN
		UPDATE item_vector v SET is_deleted = true, popularity = 0, costs = NULL, outcome_rates = NULL
		WHERE  NOT v.is_deleted AND NOT EXISTS (SELECT FROM item i WHERE same_item(i.item, v.item));
	END IF;
	IF n_deleted + n_marked > 0 THEN
		BEGIN
			DELETE FROM item_vector v
			WHERE  v.is_deleted
			AND    NOT EXISTS (SELECT FROM item i WHERE same_item(i.item, v.item))
			AND    NOT EXISTS (SELECT FROM setting s, LATERAL (
			                       SELECT k.item FROM click k WHERE k.at > now() - s.retention AND k.weight <> 0
			                       ORDER  BY k.at DESC LIMIT 1000000) c WHERE same_item(c.item, v.item))
			AND    NOT EXISTS (SELECT FROM reward r WHERE r.value <> 0 AND same_item(r.item, v.item));
		EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN    -- an expression of the click log may fail
			IF NOT @extschema@._dlints_is_row_error(SQLSTATE) THEN
				RAISE;
			END IF;
			RAISE WARNING 'vectors of deleted items are kept until the next refresh: %', SQLERRM USING ERRCODE = SQLSTATE;
		END;
	END IF;
	DELETE FROM job j WHERE j.name = 'deleted';
END
$$;

-- Return a key that several items have, or NULL. Raises an error if the items are a view that fails to compute a key.
CREATE FUNCTION _dlints_repeated_key() RETURNS text
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
BEGIN
	RETURN (
		SELECT min(k.item::text)
		FROM  (SELECT i.item FROM item i
		       WHERE  (SELECT NOT s.has_unique_key FROM setting s) AND i.item IS NOT NULL
		       GROUP  BY i.item HAVING count(*) > 1) k);
EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN
	PERFORM @extschema@._dlints_raise_in('in the argument "items"'::text, SQLSTATE, SQLERRM, NULL::text, NULL::text);
END
$$;

-- Write the vectors and costs of new and changed items, and delete those of deleted items.  Returns the number of
-- vectors whose columns or dates changed, and whether any row may have been written.
CREATE FUNCTION _dlints_refresh_vectors(OUT n_changed bigint, OUT is_written boolean)
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	changed integer[];
	are_vectors_kept boolean := EXISTS (SELECT FROM job j WHERE j.name = 'deleted');    -- vectors of deleted items
BEGIN
	n_changed := 0;
	PERFORM @extschema@._dlints_notice_step('encoding items'::text);
	UPDATE job j SET done_at = now(), problem = NULL WHERE j.name = 'refresh';
	PERFORM @extschema@._dlints_note_problem('keys'::text, 'several items have the key "'
		|| left(@extschema@._dlints_repeated_key(), 100) || '", and keep their vectors: create a view that returns'
		' each key once');
	PERFORM @extschema@._dlints_lock_item_vectors();
	changed := @extschema@._dlints_write_digests();
	IF changed IS DISTINCT FROM '{}' OR are_vectors_kept OR EXISTS (SELECT FROM item_vector v WHERE v.is_deleted) THEN
		PERFORM @extschema@._dlints_purge_deleted_items();
	END IF;
	IF changed IS DISTINCT FROM '{}' THEN
		-- if all items are new, they are inserted without a comparison
		n_changed := @extschema@._dlints_encode_items(
			NOT EXISTS (SELECT FROM item_vector v WHERE NOT v.is_deleted), changed);
	ELSE
		PERFORM @extschema@._dlints_note_changed_items(0::float8);
	END IF;
	is_written := @extschema@._dlints_refresh_costs() > 0 OR changed IS DISTINCT FROM '{}' OR are_vectors_kept;
END
$$;

-- Add the vectors and costs of new items, and append the items to the blocks.  Returns the number of new vectors.
CREATE FUNCTION _dlints_add_items() RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	n_constraints integer := (SELECT count(*) FROM constraint_price);
	n_added bigint := @extschema@._dlints_encode_items(true);
BEGIN
	IF n_added = 0 THEN
		RETURN 0;
	END IF;
	IF n_constraints > 0 THEN
		UPDATE item_vector v SET costs = (@extschema@._dlints_cost_of(v.item)).costs
		WHERE  v.costs IS NULL AND NOT v.is_deleted;
	END IF;
	PERFORM @extschema@._dlints_add_versions();
	WITH known AS MATERIALIZED (
		SELECT i.item FROM block b, unnest(b.items) i (item)),
	added AS (
		SELECT v.item, v.features,
		       @extschema@._dlints_block_numbers(v.popularity, v.effect, v.costs, n_constraints, v.dates) AS numbers,
		       row_number() OVER () - 1 AS n
		FROM   item_vector v
		WHERE  NOT v.is_deleted AND NOT EXISTS (SELECT FROM known k WHERE same_item(k.item, v.item)))
	INSERT INTO block (n, items, codes, numbers)
	SELECT l.n + a.n / s.block_slots, array_agg(a.item),
	       @extschema@._dlints_block_codes(array_agg(a.features), s.factors), array_agg(a.numbers)
	FROM   added a, setting s, (SELECT coalesce(max(b.n), -1) + 1 AS n FROM block b) l
	GROUP  BY l.n + a.n / s.block_slots, s.factors;
	RETURN n_added;
END
$$;
