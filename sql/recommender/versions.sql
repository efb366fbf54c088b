-- Versions of item vectors --------------------------------------------------------
--
-- The log must keep the features that items had when they were shown.  Features of factors and columns seldom change.
-- Therefore, the table "item_version" stores them once per change, and a decision stores the ids of its items'
-- versions.  Decisions store popularity, ages and neighbour scores.

-- Concatenate packed vectors of equal length to a packed matrix; NULL if one of them is NULL.
CREATE FUNCTION _dlints_stack_packed(vectors bytea[]) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dlints_stack_packed' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

-- Return the features of the n-th item of a list, from the packed features of its version and the other packed
-- features in the log.  NULL if a version is missing.
CREATE FUNCTION _dlints_logged_features(versions bytea, other bytea, n bigint) RETURNS real[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN versions IS NOT NULL
            THEN dlints_unpack(versions, n) OPERATOR(pg_catalog.||) dlints_unpack(other, n) END;

-- Return the features of the n-th item of a list, minus the weighted means of all items of the list.
CREATE FUNCTION _dlints_centered_features(versions bytea, other bytea, n bigint, weights float8[]) RETURNS real[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN versions IS NOT NULL
            THEN dlints_contrast(versions, n, weights) OPERATOR(pg_catalog.||) dlints_contrast(other, n, weights) END;

-- Add the features of new and changed item vectors to item_version.
CREATE FUNCTION _dlints_add_versions() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	INSERT INTO item_version (id, item, features)
	SELECT v.version, v.item, @extschema@.dlints_pack(v.features::@extschema@.dlints_vector, 16::bigint)
	FROM   item_vector v
	WHERE  NOT v.is_deleted AND NOT EXISTS (SELECT FROM item_version n WHERE n.id = v.version);
END
$$;

-- Delete versions that are neither current nor in the log.  First mark the versions of decisions since a week before
-- the last call, because transactions may commit decisions late.  Versions that were current at the last call are
-- kept, because a transaction may still log them.  If a transaction that wrote to the log is older than the last call,
-- all versions are kept.  A version also stays as long as the log has decisions of the day when it was last shown.
CREATE FUNCTION _dlints_drop_versions() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	last_call CONSTANT timestamptz := (SELECT j.done_at FROM job j WHERE j.name = 'versions');
	-- one day earlier, because the date depends on the session's time zone
	oldest CONSTANT date := (SELECT d.at::date - 1 FROM decision d ORDER BY d.id LIMIT 1);
BEGIN
	-- a transaction that wrote to the log, perhaps a prepared one, before the last call
	IF EXISTS (
		SELECT FROM pg_locks r JOIN pg_locks x ON x.virtualtransaction = r.virtualtransaction, job j
		WHERE  r.relation = format('%I.decision', own)::regclass AND r.mode = 'RowExclusiveLock'
		AND    r.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
		AND    r.pid IS DISTINCT FROM pg_backend_pid()
		AND    x.locktype = 'transactionid' AND x.mode = 'ExclusiveLock'
		AND    j.name = 'versions' AND age(x.transactionid) > age(j.xmin))
	THEN
		RETURN;
	END IF;
	UPDATE item_version n SET shown_on = shown.on_day
	FROM  (SELECT u.id, max(d.at)::date AS on_day
	       FROM   decision d, unnest(d.versions) u (id)
	       WHERE  d.id >= @extschema@._dlints_first_decision(last_call - interval '7 days')
	       GROUP  BY u.id) shown
	WHERE  n.id = shown.id AND n.shown_on IS DISTINCT FROM shown.on_day;
	DELETE FROM item_version n
	USING (SELECT o.id, o.item, max(o.id) FILTER (WHERE o.made_at < last_call) OVER (PARTITION BY o.item) AS latest
	       FROM   item_version o) k
	      LEFT JOIN item_vector v ON same_item(v.item, k.item)
	WHERE  n.id = k.id AND n.made_at < last_call
	AND   (n.shown_on >= oldest) IS NOT TRUE
	AND   (v.item IS NULL OR (v.version <> n.id AND n.id < k.latest));
	UPDATE job j SET done_at = now() WHERE j.name = 'versions';
END
$$;
