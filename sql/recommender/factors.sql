-- Latent factors and neighbours ---------------------------------------------------------

CREATE FUNCTION _dlints_fit_items(query text, factors bigint, previous text) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'dlints_fit_items' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 40000;

-- Return the type of the keys of items or users, given the column's name ("item" or "user_id").  "hashed" is the type
-- as which dlints_factors() reads keys, and "to_hashed" the cast to it.
CREATE FUNCTION _dlints_key_type(key text, OUT type text, OUT hashed text, OUT to_hashed text)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
BEGIN
	SELECT n.name, h.type, CASE h.type WHEN 'pg_catalog.text' THEN '::pg_catalog.text' ELSE '' END
	                       || @extschema@._dlints_collate_clause(a.attcollation)
	INTO   type, hashed, to_hashed
	FROM   pg_attribute a JOIN pg_type t ON t.oid = a.atttypid,
	       LATERAL (SELECT @extschema@._dlints_type_name(t.oid) AS name) n,
	       LATERAL (SELECT CASE WHEN t.typcategory IN ('A', 'E', 'R', 'S', 'C') OR EXISTS (
	                    SELECT FROM pg_opclass c JOIN pg_am m ON m.oid = c.opcmethod
	                    WHERE  m.amname = 'hash' AND c.opcdefault AND c.opcintype = t.oid)
	                THEN n.name ELSE 'pg_catalog.text' END AS type) h
	WHERE  a.attrelid = format('%I.%I', own, CASE key WHEN 'item' THEN 'item_vector' ELSE 'decision' END)::regclass
	AND    a.attname = key;
END
$$;

-- Return a query of the latest clicks, about a million.  All fits use this query, which reads the table latest_click
-- if it exists.
CREATE FUNCTION _dlints_latest_clicks() RETURNS text
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
BEGIN
	RETURN CASE WHEN to_regclass(format('%I.latest_click', own)) IS NOT NULL
	            THEN 'SELECT k.user_id, k.item, k.at, k.weight FROM latest_click k'
	            ELSE 'SELECT k.user_id, k.item, k.at, k.weight FROM click k'
	                 ' WHERE k.at >= coalesce((SELECT s.latest_from FROM similarity s), ''-infinity'') AND k.at <= now()'
	                 ' AND isfinite(k.at) AND k.item IS NOT NULL AND k.weight > 0' END;
END
$$;

-- Return a query of the latest 100,000 clicks of users on known items.
CREATE FUNCTION _dlints_newest_clicks() RETURNS text
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
BEGIN
	RETURN CASE WHEN to_regclass(format('%I.newest_click', own)) IS NOT NULL
	            THEN 'SELECT k.user_id, k.item, k.at FROM newest_click k'
	            ELSE 'SELECT k.user_id, k.item, k.at FROM (' || @extschema@._dlints_latest_clicks() || ') k'
	                 ' WHERE k.at >= coalesce((SELECT s.newest_from FROM similarity s), ''-infinity'')' END;
END
$$;

-- Create the tables latest_click, if the log has more clicks, and newest_click, so that a fit reads the log only once.
-- "is_ours" says that the user clicked the item on one of our lists.  _dlints_fit_prior() drops the tables.
CREATE FUNCTION _dlints_write_latest_clicks() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
BEGIN
	IF EXISTS (SELECT FROM similarity s WHERE s.latest_from IS NOT NULL)
	   AND to_regclass(format('%I.latest_click', own)) IS NULL THEN
		EXECUTE format('CREATE UNLOGGED TABLE %I.latest_click AS %s', own, @extschema@._dlints_latest_clicks());
		ANALYZE latest_click;
	END IF;
	IF to_regclass(format('%I.newest_click', own)) IS NULL THEN
		EXECUTE format('
			CREATE UNLOGGED TABLE %I.newest_click AS
			SELECT k.user_id, k.item, k.at, o.item IS NOT NULL AS is_ours
			FROM  (%s) k
			       LEFT JOIN (SELECT DISTINCT d.user_id, r.item
			                  FROM   setting s CROSS JOIN reward r JOIN decision d ON d.id = r.decision
			                  WHERE  s.clicks IS NOT NULL AND r.value > 0) o
			       ON same_item(o.item, k.item) AND same_user(o.user_id, k.user_id)',
			own, @extschema@._dlints_newest_clicks());
		ANALYZE newest_click;
	END IF;
END
$$;

-- Find the times since which the log has a million clicks, and 100,000 clicks of users on known items.  The times are
-- estimated from one click in 32, selected by a hash, so that no query has to sort the log.  They are kept until the
-- log has 1,100,000 or 125,000 clicks since then.  If few of the million clicks are on known items, both times are
-- equal.
CREATE FUNCTION _dlints_find_latest_clicks() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	item_type CONSTANT text := (SELECT k.type FROM @extschema@._dlints_key_type('item'::text) k);
	n record;
	is_moved boolean;
	sample record;
	since timestamptz;
BEGIN
	EXECUTE format('
		SELECT count(*) AS latest, count(*) FILTER (
		           WHERE c.user_id IS NOT NULL AND c.at >= coalesce((SELECT s.newest_from FROM similarity s), ''-infinity''))
		           AS newest
		FROM  (%s LIMIT 1100001) c', @extschema@._dlints_latest_clicks()) INTO n;
	is_moved := n.latest > 1100000;
	IF n.latest < 1000000 THEN
		UPDATE similarity SET latest_from = NULL WHERE latest_from IS NOT NULL;
		is_moved := FOUND;
	END IF;
	IF is_moved OR n.newest > 125000
	   OR (n.newest < 100000 AND EXISTS (SELECT FROM similarity s WHERE s.newest_from IS NOT NULL)) THEN
		EXECUTE format('
			SELECT count(*) AS n, min(s.at) AS since, array_agg(ROW(s.user_id IS NOT NULL, s.item::%s, s.at)) AS clicks
			FROM  (SELECT k.user_id, k.item, k.at FROM (%s) k
			       WHERE  @extschema@._dlints_digest(k.user_id, k.item, k.at) & 31 = 0
			       ORDER  BY k.at DESC LIMIT 1050000 / 32) s', item_type, @extschema@._dlints_latest_clicks())
		INTO sample;
		-- separate, because a query that calls same_item() is not parallel
		EXECUTE format('
			SELECT u.at FROM unnest($1) u (has_user boolean, item %s, at timestamptz)
			WHERE  u.has_user AND EXISTS (SELECT FROM item_vector v WHERE same_item(v.item, u.item))
			ORDER  BY u.at DESC LIMIT 1 OFFSET 110000 / 32', item_type) INTO since USING sample.clicks;
		UPDATE similarity SET latest_from = CASE WHEN sample.n = 1050000 / 32 THEN sample.since END WHERE is_moved;
		UPDATE similarity SET newest_from = coalesce(since, latest_from);
	END IF;
END
$$;

-- Return a query of the latest clicks for _dlints_fit_items().  "left_out" (0 to 7) omits an eighth of the log, and
-- "until" omits clicks after this time.
CREATE FUNCTION _dlints_log_query(left_out integer DEFAULT NULL, until timestamptz DEFAULT NULL)
	RETURNS text
	LANGUAGE plpgsql STABLE SET datestyle = 'ISO' AS     -- other date styles write ambiguous names of time zones
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
BEGIN
	RETURN (
		SELECT format('SELECT c.user_id%s, c.item%s, c.weight FROM (%s) c WHERE c.user_id IS NOT NULL%s%s',
		              u.to_hashed, i.to_hashed, @extschema@._dlints_latest_clicks(),
		              CASE WHEN left_out IS NOT NULL THEN format(
		                  ' AND hashtextextended(c.user_id::text, hashtextextended(c.item::text, 0)) & 7'
		                  ' <> %s', left_out) END,
		              ' AND c.at <= ' || quote_literal(until::text) || '::timestamptz')
		FROM   @extschema@._dlints_key_type('item'::text) i, @extschema@._dlints_key_type('user_id'::text) u);
END
$$;

-- Return text for the FROM clause that fits factors and neighbours to the click log.  An item has a row with factors,
-- unless "n_factors" is 0, and a row with neighbours.  If all clicks are read ("left_out" is NULL), factors are aligned
-- with the current factors.
CREATE FUNCTION _dlints_fit_call(n_factors integer, left_out integer DEFAULT NULL, until timestamptz DEFAULT NULL)
	RETURNS text
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN (
		SELECT format(
			'(SELECT f.item::%1$s AS item, f.factors, f.neighbours::%1$s[] AS neighbours, f.weights'
			' FROM @extschema@._dlints_fit_items(%2$L::text, %3$s::bigint, %4$s::text)'
			' f (item %5$s, factors real[], neighbours %5$s[], weights real[]))',
			i.type, @extschema@._dlints_log_query(left_out, until), n_factors,
			CASE WHEN left_out IS NULL AND EXISTS (SELECT FROM block)
			     THEN quote_literal(format('SELECT v.item%s, v.features[1:%s] FROM item_vector v', i.to_hashed,
			                               n_factors))
			     ELSE 'NULL' END, i.hashed)
		FROM   @extschema@._dlints_key_type('item'::text) i);
END
$$;

-- Compute the neighbours of all items from the click log, and their factors unless "n_factors" is 0.  Factors are
-- aligned with the current ones, so that models stay valid.  With "with_popularity", popularities are written in the
-- same update.  Locks are taken after the computation.  Returns the number of item vectors written.
CREATE FUNCTION _dlints_write_fit(n_factors integer, with_popularity boolean DEFAULT false) RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	n_changed bigint;
BEGIN
	EXECUTE format('
		WITH fitted AS MATERIALIZED (SELECT f.* FROM %s f),
		locked AS MATERIALIZED (
			SELECT @extschema@._dlints_lock_item_vectors() FROM (SELECT count(*) AS n FROM fitted OFFSET 0) c),
		deleted AS (
			DELETE FROM neighbour o USING locked
			WHERE  NOT EXISTS (SELECT FROM fitted f WHERE f.weights IS NOT NULL AND same_item(f.item, o.item))),
		related AS (
			INSERT INTO neighbour AS o (item, neighbours, weights)
			SELECT f.item, f.neighbours, f.weights FROM locked, fitted f WHERE f.weights IS NOT NULL
			ON CONFLICT (item) DO UPDATE SET neighbours = excluded.neighbours, weights = excluded.weights
			WHERE  o.neighbours <> excluded.neighbours OR o.weights <> excluded.weights)
		UPDATE item_vector v
		SET    features = coalesce(n.factors, v.features[1:s.factors]) || v.features[s.factors + 1:],
		       popularity = coalesce(n.popularity, v.popularity), version = DEFAULT
		FROM   setting s, locked, (%s) n WHERE same_item(n.item, v.item)', @extschema@._dlints_fit_call(n_factors),
		CASE WHEN with_popularity
		     THEN 'SELECT p.item, p.popularity, f.factors FROM (' || @extschema@._dlints_popularity_query() || ') p'
		          ' LEFT JOIN fitted f ON f.factors IS NOT NULL AND same_item(f.item, p.item)'
		          ' WHERE f.factors IS NOT NULL OR p.popularity <> 0'
		     ELSE 'SELECT f.item, NULL::real AS popularity, f.factors FROM fitted f WHERE f.factors IS NOT NULL' END);
	GET DIAGNOSTICS n_changed = ROW_COUNT;
	UPDATE job j SET done_at = now() WHERE j.name = 'neighbours';
	RETURN n_changed;
END
$$;

-- Compute the factors and neighbours of all items, and write blocks.  Returns the number of items with factors.
CREATE FUNCTION _dlints_refit_factors() RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	n_changed bigint;
BEGIN
	PERFORM @extschema@._dlints_notice_step('fitting the latent factors of items'::text);
	PERFORM @extschema@._dlints_drop_versions();
	n_changed := @extschema@._dlints_write_fit((SELECT s.factors FROM setting s));
	IF n_changed > 0 THEN
		DELETE FROM block WHERE EXISTS (SELECT FROM centroid);      -- similar items are then grouped again
		PERFORM @extschema@._dlints_set_blocks();
	END IF;
	UPDATE job j SET done_at = now(), problem = NULL WHERE j.name = 'refit';
	RETURN n_changed;
END
$$;
