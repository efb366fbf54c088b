-- Popularity and trends -----------------------------------------------------------------

CREATE FUNCTION _dlints_decayed_clicks(query text, half_lives float8[], periods float8[]) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'dlints_decayed_clicks' LANGUAGE C STABLE STRICT PARALLEL UNSAFE COST 1000000 ROWS 100000;

-- Return text for the FROM clause that computes sums of decayed clicks per item.  "clicks" is a query of user_id,
-- item, at and weight.  Ages of clicks are relative to the newest click.
CREATE FUNCTION _dlints_decayed_call(clicks text, half_lives float8[], periods float8[]) RETURNS text
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN (
		SELECT format('(SELECT d.item::%s AS item, d.sums FROM @extschema@._dlints_decayed_clicks('
		              '%L::text, %L::float8[], %L::float8[]) d (item %s, sums float8[]))',
		              i.type,
		              format('SELECT c.user_id%s, c.item%s, date_part(''epoch'', c.at) / 86400, c.weight::float8'
		                     ' FROM (%s) c',
		                     u.to_hashed, i.to_hashed, clicks), half_lives, periods, i.hashed)
		FROM   @extschema@._dlints_key_type('item'::text) i, @extschema@._dlints_key_type('user_id'::text) u);
END
$$;

-- Begin to compute popularity from a click log that was empty when the recommender was created, for example after an
-- import.  Most of its clicks must not be on our lists: it has 300 clicks more than twice the number of rewards.
CREATE FUNCTION _dlints_adopt_click_log() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	IF (SELECT s.made_at = '-infinity' AND s.clicks IS NOT NULL FROM setting s) THEN
		UPDATE setting s SET made_at = now()
		WHERE  EXISTS (SELECT FROM click OFFSET 299 + 2 * (SELECT count(*) FROM reward r WHERE r.value > 0));
	END IF;
END
$$;

-- Write a digest of the data for popularities and trends: click log, half-life and number of new items.  Returns false
-- if the digest is unchanged.  Without a click log, or if it was empty when the recommender was created, the result is
-- true, because popularities change with time.
CREATE FUNCTION _dlints_write_click_digest() RETURNS boolean
	LANGUAGE plpgsql VOLATILE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	IF (SELECT s.made_at = '-infinity' FROM setting s) THEN
		DELETE FROM item_digest d WHERE d.bucket = -1;
		RETURN true;
	END IF;
	INSERT INTO item_digest AS d (bucket, digest)
	SELECT -1, @extschema@._dlints_digest(c.n, c.digest, s.popularity_half_life, (
	               SELECT count(*) FROM item_vector v, setting t
	               WHERE  NOT v.is_deleted AND v.since > greatest(t.made_at, now() - interval '7 days')))
	FROM   similarity s, LATERAL (
	           SELECT count(*) AS n, bit_xor(@extschema@._dlints_digest(k.user_id, k.item, k.at, k.weight)) AS digest
	           FROM   click k WHERE k.at <= now()) c
	ON CONFLICT (bucket) DO UPDATE SET digest = excluded.digest WHERE d.digest <> excluded.digest;
	RETURN FOUND;
END
$$;

-- Return a query of the popularity scores of items.  With a click log, a score sums the latest million clicks, which
-- decay with age; a user's clicks on an item count once per half-life.  Without a click log, or if the log was empty
-- when the recommender was created, a score is the click rate of two weeks' lists per user, smoothed by ten impressions
-- at the mean rate: clicks on our lists depend on how often an item was shown.
CREATE FUNCTION _dlints_click_scores() RETURNS text
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	half_life CONSTANT float8 := (SELECT coalesce(s.popularity_half_life, 1e12) FROM similarity s);
BEGIN
	IF (SELECT s.made_at > '-infinity' FROM setting s) THEN
		RETURN 'SELECT d.item, d.sums[1] AS score FROM ' || @extschema@._dlints_decayed_call(
			@extschema@._dlints_latest_clicks(), ARRAY[half_life], ARRAY[half_life]) || ' d';
	END IF;
	RETURN '
		WITH list AS MATERIALIZED (
			SELECT d.id, d.items, d.user_id,
			       CASE WHEN d.user_id IS NULL THEN coalesce(d.session, d.id::text) END AS visitor
			FROM   decision d WHERE d.id >= @extschema@._dlints_first_decision(now() - interval ''14 days'')),
		shown AS (
			SELECT u.item, count(*) AS shown
			FROM  (SELECT DISTINCT i.item, l.user_id, l.visitor FROM list l, unnest(l.items) i (item)) u
			GROUP  BY u.item),
		rewarded AS (
			SELECT u.item, count(*) AS clicked
			FROM  (SELECT DISTINCT r.item, l.user_id, l.visitor
			       FROM   reward r JOIN list l ON l.id = r.decision
			       WHERE  r.value > 0 AND r.decision >= @extschema@._dlints_first_decision(now() - interval ''14 days'')
			       AND    EXISTS (SELECT FROM unnest(l.items) i (item) WHERE same_item(i.item, r.item))) u
			GROUP  BY u.item),
		mean AS (
			SELECT (SELECT sum(r.clicked) FROM rewarded r)::float8 / sum(s.shown) AS rate FROM shown s)
		SELECT v.item, (coalesce(r.clicked, 0) + 10 * m.rate) / (coalesce(s.shown, 0) + 10) AS score
		FROM   item_vector v CROSS JOIN mean m
		       LEFT JOIN shown s ON same_item(s.item, v.item)
		       LEFT JOIN rewarded r ON same_item(r.item, v.item)
		WHERE  NOT v.is_deleted';
END
$$;

-- Return a query of the popularity of items, from 0 to 1.  With a click log, items added within seven days have at
-- least the mean popularity.
CREATE FUNCTION _dlints_popularity_query() RETURNS text
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN format('
		WITH score AS MATERIALIZED (%s),
		present AS MATERIALIZED (
			SELECT w.item, w.popularity AS was,
			       t.made_at > ''-infinity'' AND w.since > greatest(t.made_at, now() - interval ''7 days'') AS is_new,
			       coalesce(round((ln(1 + coalesce(s.score, 0)) / nullif(ln(1 + max(s.score) OVER ()), 0))::numeric, 3),
			                0) AS popularity
			FROM   setting t CROSS JOIN item_vector w LEFT JOIN score s ON same_item(s.item, w.item)
			WHERE  NOT w.is_deleted)
		SELECT p.item, p.was,
		       (CASE WHEN p.is_new THEN greatest(p.popularity, round(avg(p.popularity) OVER (), 3))
		             ELSE p.popularity END)::real AS popularity
		FROM   present p', @extschema@._dlints_click_scores());
END
$$;

-- Write the popularity of items, except small changes.  Returns the number of rows that changed.
CREATE FUNCTION _dlints_refresh_popularity() RETURNS bigint
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	n_changed bigint;
BEGIN
	PERFORM @extschema@._dlints_notice_step('computing the popularity of items'::text);
	PERFORM @extschema@._dlints_lock_item_vectors();
	EXECUTE format('
		UPDATE item_vector v SET popularity = n.popularity
		FROM  (%s) n
		WHERE  same_item(n.item, v.item) AND n.popularity <> n.was
		AND   (abs(n.popularity - n.was) > 0.003 OR n.popularity IN (0, 1) OR n.was IN (0, 1))',
		@extschema@._dlints_popularity_query());
	GET DIAGNOSTICS n_changed = ROW_COUNT;
	RETURN n_changed;
END
$$;

-- Compute the thousand items that trend most.  The score is the sum of recent clicks (half-life of a day), relative to
-- the sum expected from a half-life of two weeks, smoothed by five clicks.  A user's clicks on an item count once a
-- day.  Other items are scored by popularity, below 1.  If a million clicks cover less than eight weeks, both
-- half-lives are shorter.
CREATE FUNCTION _dlints_refresh_trend() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	clicks text := 'SELECT d.user_id, r.item, d.at, 1 AS weight
		FROM  (SELECT DISTINCT r.decision, r.item FROM reward r
		       WHERE  r.value > 0 AND r.decision >= @extschema@._dlints_first_decision(now() - interval ''60 days'')
		       ORDER  BY r.decision DESC, r.item LIMIT 1000000) r,
		       LATERAL (SELECT d.user_id, d.at FROM decision d     -- OFFSET 0: use the primary key of the partition
		                WHERE  d.id = r.decision
		                AND    EXISTS (SELECT FROM unnest(d.items) i (item) WHERE same_item(i.item, r.item))
		                OFFSET 0) d';
	days float8 := 14;
BEGIN
	PERFORM @extschema@._dlints_notice_step('computing trends'::text);
	IF (SELECT s.clicks IS NOT NULL FROM setting s) THEN
		clicks := format('SELECT l.user_id, l.item, l.at, 1 AS weight FROM (%s) l',
		                 @extschema@._dlints_latest_clicks());
		EXECUTE format('
			SELECT greatest(1e-5, date_part(''epoch'', max(c.at) - s.latest_from) / 86400 / 4)
			FROM   similarity s, (%s) c WHERE s.latest_from IS NOT NULL GROUP BY s.latest_from', clicks) INTO days;
		days := least(14, days);        -- NULL if the log has fewer clicks
	END IF;
	EXECUTE format('
		WITH lift AS (
			SELECT c.item, (c.sums[1] + 5) / (c.sums[2] * sum(c.sums[1]) OVER () / sum(c.sums[2]) OVER () + 5) AS ratio
			FROM   %s c),
		best AS MATERIALIZED (
			SELECT v.item, (CASE WHEN l.ratio >= 2 THEN l.ratio ELSE v.popularity END)::real AS score
			FROM   item_vector v LEFT JOIN lift l ON same_item(l.item, v.item)
			WHERE  NOT v.is_deleted
			ORDER  BY score DESC, v.item LIMIT 1000),
		removed AS (
			DELETE FROM trend t WHERE NOT EXISTS (SELECT FROM best b WHERE same_item(b.item, t.item)))
		INSERT INTO trend AS t (item, score)
		SELECT b.item, b.score FROM best b
		WHERE  NOT EXISTS (SELECT FROM trend o WHERE same_item(o.item, b.item) AND o.score = b.score)
		ON CONFLICT (item) DO UPDATE SET score = excluded.score',
		@extschema@._dlints_decayed_call(clicks, ARRAY[days / 14, days], ARRAY[days / 14, days / 14]));
END
$$;
