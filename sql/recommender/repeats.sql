-- Items that a user has already clicked --------------------------------------------------
--
-- In some catalogues, as of songs and groceries, users click items again.  In others an item that the user has
-- clicked is useless on further lists.

-- Decide whether lists leave out items that the user clicked.  If the argument "repeats" is NULL, the log decides:
-- lists contain such items if their share of the newest 100,000 clicks is at least 10 %, and 1.2 times the share if
-- users chose at random.  Clicks on an item within an hour belong to one visit.  With fewer than 300 clicks by users
-- with a history, lists contain such items.
CREATE FUNCTION _dlints_find_repeats() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	argument CONSTANT text := (SELECT s.repeats FROM setting s);
	shares record;
	leaves_out boolean;
BEGIN
	EXECUTE format($statement$
	WITH clicked AS (
		SELECT c.user_id, c.item, c.at,
		       c.at - lag(c.at) OVER (PARTITION BY c.user_id, c.item ORDER BY c.at) AS since
		FROM  (SELECT c.user_id, c.item, c.at FROM (%s) c WHERE c.user_id IS NOT NULL
		       ORDER  BY c.at DESC LIMIT 100000) c),
	visited AS (
		SELECT v.user_id, v.since IS NOT NULL AS is_repeated,
		       count(*) FILTER (WHERE v.since IS NULL) OVER (PARTITION BY v.user_id ORDER BY v.at
		                                                     ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS known
		FROM   clicked v WHERE v.since IS NULL OR v.since > interval '1 hour')
	SELECT avg(v.is_repeated::integer) AS observed, avg(v.known::float8 / i.items) AS random, count(*) AS clicks
	FROM   visited v, (SELECT greatest(count(*), 1) AS items FROM item_vector x WHERE NOT x.is_deleted) i
	WHERE  v.known > 0$statement$, @extschema@._dlints_newest_clicks()) INTO shares;
	leaves_out := CASE WHEN argument IS NOT NULL THEN argument <> 'true'
	                   WHEN shares.clicks < 300 THEN false
	                   ELSE shares.observed < greatest(0.1, 1.2 * shares.random) END;
	UPDATE setting s
	SET    repeat_after = CASE WHEN NOT leaves_out THEN NULL WHEN argument <> 'false' THEN argument::interval
	                           ELSE interval '100 years' END,
	       repeat_share = shares.observed, repeat_lift = least(shares.observed / nullif(shares.random, 0), 1e9);
	IF argument IS NULL AND shares.clicks >= 300 THEN
		RAISE NOTICE 'lists % items that the user clicked: % %% of clicks are on items of an earlier visit',
			CASE WHEN leaves_out THEN 'leave out' ELSE 'may contain' END, round(100 * shares.observed::numeric, 1)
			USING HINT = format('To change this, set the argument "repeats" to %s.', leaves_out::text);
	END IF;
END
$$;
