-- Items that a user has already clicked --------------------------------------------------
--
-- Users of some catalogues, as of songs and groceries, click items again.  In other catalogues, recommending clicked
-- items is useless.

-- Decide whether lists exclude items that the user has clicked.  If the argument "repeats" is NULL, the log decides:
-- such items stay if their share of the newest 100,000 clicks is at least 10 %, and 1.2 times the share expected by
-- chance.  They also stay if fewer than 300 clicks are of users with earlier clicks.  Clicks on an item within an hour
-- belong to one visit.
--
-- "repeat_lift" is the ratio of two odds: of a repeated click, and of the items of other users' clicks, 10, 20, 30, 40
-- and 50 clicks earlier, being known to the user.  The second odds measure repetition due to popularity.  NULL if less
-- than 5 % of clicks are repeated, or if lists exclude clicked items.
--
-- The planner may expect very few clicks, and nested loops would then compare all clicks with each other.
CREATE FUNCTION _dlints_find_repeats() RETURNS void
	LANGUAGE plpgsql VOLATILE SET enable_nestloop = off AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	argument CONSTANT text := (SELECT s.repeats FROM setting s);
	shares record;
	leaves_out boolean;
BEGIN
	EXECUTE format($statement$
	WITH clicked AS MATERIALIZED (
		SELECT c.user_id, c.item, c.at, row_number() OVER (ORDER BY c.at) AS n,
		       c.at - lag(c.at) OVER (PARTITION BY c.user_id, c.item ORDER BY c.at) AS since
		FROM  (SELECT c.user_id, c.item, c.at FROM (%s) c WHERE c.user_id IS NOT NULL
		       ORDER  BY c.at DESC LIMIT 100000) c),
	first_click AS (SELECT c.user_id, c.item, min(c.at) AS at FROM clicked c GROUP BY c.user_id, c.item),
	visited AS MATERIALIZED (
		SELECT v.user_id, v.at, v.n, v.since IS NOT NULL AS is_repeated,
		       count(*) FILTER (WHERE v.since IS NULL) OVER (PARTITION BY v.user_id ORDER BY v.at
		                                                     ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS known
		FROM   clicked v WHERE v.since IS NULL OR v.since > interval '1 hour'),
	compared AS (
		SELECT 1.0::float8 + count(f.at) AS known, 1.0::float8 + count(*) FILTER (WHERE f.at IS NULL) AS unknown
		FROM   visited v CROSS JOIN generate_series(10, 50, 10) s (before)
		       JOIN clicked o ON o.n = v.n - s.before AND NOT same_user(o.user_id, v.user_id)
		       LEFT JOIN first_click f ON same_user(f.user_id, v.user_id) AND same_item(f.item, o.item) AND f.at < v.at
		WHERE  v.known > 0)
	SELECT avg(v.is_repeated::integer) AS observed,
	       avg(v.known::float8 / (SELECT greatest(count(*), 1) FROM item_vector x WHERE NOT x.is_deleted)) AS random,
	       count(*) AS clicks, (SELECT c.known FROM compared c) AS known, (SELECT c.unknown FROM compared c) AS unknown
	FROM   visited v
	WHERE  v.known > 0$statement$, @extschema@._dlints_newest_clicks()) INTO shares;
	leaves_out := CASE WHEN argument IS NOT NULL THEN argument <> 'true'
	                   WHEN shares.clicks < 300 THEN false
	                   ELSE shares.observed < greatest(0.1, 1.2 * shares.random) END;
	UPDATE setting s
	SET    repeat_after = CASE WHEN NOT leaves_out THEN NULL WHEN argument <> 'false' THEN argument::interval
	                           ELSE interval '100 years' END,
	       repeat_share = shares.observed,
	       repeat_lift = CASE WHEN shares.observed >= 0.05 AND (NOT leaves_out OR argument <> 'false')
	                          THEN least(shares.observed / nullif(1 - shares.observed, 0) * shares.unknown / shares.known,
	                                     1e9) END;
	IF argument IS NULL AND shares.clicks >= 300 THEN
		RAISE NOTICE 'lists % items that the user clicked: % %% of clicks are on items of an earlier visit',
			CASE WHEN leaves_out THEN 'leave out' ELSE 'may contain' END, round(100 * shares.observed::numeric, 1)
			USING HINT = format('To change this, set the argument "repeats" to %s.', leaves_out::text);
	END IF;
END
$$;
