-- Rows of the report on the health of logs, rewards, clicks and expressions -------------

-- Return the report's rows about rewards that no model is trained on: of unknown decisions or items, or reported too
-- late.
CREATE FUNCTION _dlints_report_log(first bigint) RETURNS SETOF @extschema@._dlints_report_row
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN QUERY
	SELECT 'rewards of unknown decisions', count(*)::float8, NULL::float8,
	       'reported more than an hour ago; if there are many, check the application'
	FROM   reward r WHERE r.applied IS NULL AND r.at < now() - interval '1 hour'
	AND    NOT EXISTS (SELECT FROM decision d WHERE d.id = r.decision);
	RETURN QUERY
	SELECT 'rewards of items that were not shown', count(*)::float8, NULL::float8,
	       'the models ignore them; if there are many, check the application'
	FROM   reward r JOIN decision d ON d.id = r.decision
	WHERE  r.decision >= first AND d.id >= first
	AND    NOT EXISTS (SELECT FROM unnest(d.items) i (item) WHERE same_item(i.item, r.item));
END
$$;

-- Return the row of the report about decisions that wait for training.
CREATE FUNCTION _dlints_report_pending() RETURNS SETOF @extschema@._dlints_report_row
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN QUERY
	SELECT 'pending decisions', q.n::float8, NULL::float8, CASE
	       WHEN q.minutes > 60 + date_part('epoch', s.attribution_window) / 60
	       THEN format('the oldest one was made %s minutes ago: have cron call run()', q.minutes)
	       ELSE 'past their attribution window; the next run() trains the models on them' END
	FROM   setting s, LATERAL (
	           SELECT count(*) AS n, round(date_part('epoch', now() - min(d.at)) / 60) AS minutes
	           FROM   pending p JOIN decision d ON d.id = p.decision
	           WHERE  p.decision < @extschema@._dlints_first_decision(now() - s.attribution_window)) q;
END
$$;

-- Return the report's rows on whether the application still reports rewards.  Lists since the last reward, or of the
-- last day if that is longer, are compared with lists of the four weeks before.  A list counts after the time in which
-- 19 of 20 rewards arrive.  A difference of more than three standard errors, clustered by user, gives a warning.
CREATE FUNCTION _dlints_report_reward_rate() RETURNS SETOF @extschema@._dlints_report_row
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	last_at timestamptz := (      -- "decision" may contain decisions with a future time, made while the clock was wrong
		SELECT max(least(r.at, now()))
		FROM  (SELECT x.at FROM reward x WHERE x.decision < @extschema@._dlints_first_decision(now() + interval '1 minute')
		       ORDER  BY x.decision DESC LIMIT 1000) r);
	lag_seconds float8 := (
		SELECT greatest(percentile_disc(0.95) WITHIN GROUP (ORDER BY r.seconds),
		                date_part('epoch', s.attribution_window))
		FROM   setting s LEFT JOIN LATERAL (
		           SELECT date_part('epoch', x.at) - 1577836800 - (x.decision >> 22) AS seconds
		           FROM reward x ORDER BY x.decision DESC LIMIT 10000) r ON true
		GROUP  BY s.attribution_window);
	complete bigint := @extschema@._dlints_first_decision(now() - make_interval(secs => lag_seconds));
	recent_since timestamptz := least(last_at, now() - make_interval(secs => lag_seconds + 86400));
	recent bigint := @extschema@._dlints_first_decision(recent_since);
	before bigint := @extschema@._dlints_first_decision(recent_since - interval '28 days');
	lists_since bigint := (
		SELECT count(*) FROM decision d
		WHERE  d.id >= @extschema@._dlints_first_decision(last_at) AND d.at > last_at);
	usual record;
	now_rate record;
	z float8;
BEGIN
	IF last_at IS NULL THEN
		RETURN QUERY SELECT 'hours since the last reward', NULL::float8, NULL::float8,
			format('no reward was ever reported, and %s lists were shown: call reward() for clicks on recommended items',
			       (SELECT count(*) FROM decision));
		RETURN;
	END IF;
	SELECT m.* INTO usual FROM @extschema@._dlints_reward_share(before, recent) m;
	SELECT m.* INTO now_rate FROM @extschema@._dlints_reward_share(recent, complete) m;
	z := (usual.mean - now_rate.mean)
	     / nullif(sqrt(greatest(usual.mean * (1 - usual.mean) / nullif(usual.n, 0), usual.stderr ^ 2)
	                   * (1 + usual.n::float8 / nullif(now_rate.n, 0))), 0);
	RETURN QUERY VALUES
		('hours since the last reward', date_part('epoch', now() - last_at) / 3600, NULL::float8, CASE
			WHEN z > 3
			THEN format('WARNING: %s of %s lists have a reward since %s, but %s %% of the lists before: check'
				' that the application still calls reward()', now_rate.mean * now_rate.n, now_rate.n,
				to_char(recent_since, 'YYYY-MM-DD HH24:MI'), round(100 * usual.mean::numeric, 1))
			ELSE 'rewards are reported as usual' END),
		('lists since the last reward', lists_since::float8, NULL, 'lists shown since then');
END
$$;

-- Return the share of lists with a reward, among the last 10,000 lists in a range of decisions.
CREATE FUNCTION _dlints_reward_share(first bigint, until bigint,
	OUT n bigint, OUT mean float8, OUT stderr float8, OUT users bigint)
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	SELECT m.n, m.mean, m.stderr, m.users INTO n, mean, stderr, users
	FROM  (SELECT array_agg(u.lists) AS lists, array_agg(u.rewarded) AS rewarded
	       FROM  (SELECT count(*)::float8 AS lists, sum(l.has_reward::integer)::float8 AS rewarded
	              FROM  (SELECT d.user_id, d.session, d.id,
	                            EXISTS (SELECT FROM reward r WHERE r.decision = d.id AND r.value <> 0) AS has_reward
	                     FROM   decision d WHERE d.id >= first AND d.id < until
	                     ORDER  BY d.id DESC LIMIT 10000) l
	              GROUP  BY l.user_id, CASE WHEN l.user_id IS NULL THEN coalesce(l.session, l.id::text) END) u) a,
	       LATERAL @extschema@._dlints_cluster_mean(a.lists, a.rewarded) m;
END
$$;

-- Count clicks that have no effect among the newest 100,000: without item, user or time, in the future, of unknown
-- items, or with an invalid weight.  "age" is the age of the newest click in hours, except clicks in the future.  User
-- and item are considered swapped if most items are unknown, and more users than items are keys of items.
CREATE FUNCTION _dlints_click_health(OUT n bigint, OUT no_item bigint, OUT no_user bigint, OUT no_time bigint,
	OUT incomplete bigint, OUT future bigint, OUT unknown bigint, OUT weightless bigint, OUT positive bigint,
	OUT age float8, OUT is_swapped boolean)
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	WITH newest AS MATERIALIZED (
		SELECT k.item, k.user_id, nullif(k.at, '-infinity') AS at, k.weight FROM click k
		WHERE  k.at >= coalesce((SELECT s.newest_from FROM similarity s), '-infinity')
		       OR k.at IS NULL OR k.at = '-infinity'
		ORDER  BY nullif(k.at, '-infinity') DESC LIMIT 100000),
	counted AS (
		SELECT count(*) AS n, count(*) FILTER (WHERE c.item IS NULL) AS no_item,
		       count(*) FILTER (WHERE c.user_id IS NULL) AS no_user, count(*) FILTER (WHERE c.at IS NULL) AS no_time,
		       count(*) FILTER (WHERE c.item IS NULL OR c.user_id IS NULL OR c.at IS NULL) AS incomplete,
		       count(*) FILTER (WHERE c.at > now()) AS future,
		       count(*) FILTER (WHERE c.item IS NOT NULL
		                        AND NOT EXISTS (SELECT FROM item i WHERE same_item(i.item, c.item))) AS unknown,
		       count(*) FILTER (WHERE c.weight = 0) AS weightless, count(*) FILTER (WHERE c.weight > 1e-12) AS positive,
		       date_part('epoch', now() - max(c.at) FILTER (WHERE c.at <= now())) / 3600 AS age
		FROM   newest c)
	SELECT c.*, c.unknown > c.n / 2 AND c.n - c.no_item - c.unknown < (
	           SELECT count(*) FROM newest k WHERE k.user_id::text COLLATE "C" IN (SELECT i.item::text FROM item i))
	INTO   n, no_item, no_user, no_time, incomplete, future, unknown, weightless, positive, age, is_swapped
	FROM   counted c;
END
$$;

-- Can an index find the clicks of a user?  NULL if another server stores the click log.
CREATE FUNCTION _dlints_has_click_index() RETURNS boolean
	LANGUAGE plpgsql VOLATILE SET enable_seqscan = off AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) SELECT FROM (SELECT d.user_id FROM decision d LIMIT 1) d'
		' JOIN click c ON same_user(c.user_id, d.user_id)' INTO plan;
	RETURN CASE WHEN plan::text !~ '"Foreign Scan"' THEN plan::text ~ '"Index Cond"' END;
END
$$;

-- Raise a notice if clicks of the log are invalid.
CREATE FUNCTION _dlints_notice_clicks() RETURNS void
	LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	health record;
BEGIN
	IF (SELECT s.clicks IS NULL FROM setting s) THEN
		RETURN;
	END IF;
	SELECT * INTO health FROM @extschema@._dlints_click_health();
	IF health.incomplete > 0 OR health.future > 0 OR health.unknown > health.n / 2 THEN
		RAISE NOTICE 'of the newest % clicks, % have no item, % no user, % no time, % are in the future, % on unknown items',
			health.n, health.no_item, health.no_user, health.no_time, health.future, health.unknown
			USING HINT = 'These clicks do not count, or not for a user. Check the argument "clicks".';
	END IF;
	IF health.n > 0 AND health.positive = 0 THEN
		RAISE NOTICE 'no click has a weight above 1e-12, so that no item is popular'
			USING HINT = 'Check the fourth column of the argument "clicks".';
	ELSIF health.weightless > health.n / 2 THEN
		RAISE NOTICE '% of the newest % clicks have a weight of 0, NULL or NaN, and do not count',
			health.weightless, health.n USING HINT = 'Check the fourth column of the argument "clicks".';
	END IF;
	IF health.is_swapped THEN
		RAISE NOTICE 'more clicks have the key of an item as user than as item'
			USING HINT = 'The argument "clicks" is a query of user, item and time, in this order.';
	END IF;
	IF health.n >= 10000 AND NOT @extschema@._dlints_has_click_index() THEN
		RAISE NOTICE 'each call of recommend() for a user reads the complete click log'
			USING HINT = 'Create an index of the click log on its columns of users and times.';
	END IF;
END
$$;

-- Return the rows of the report on the health of the click log.
CREATE FUNCTION _dlints_report_clicks() RETURNS SETOF @extschema@._dlints_report_row
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	IF (SELECT s.clicks IS NULL FROM setting s) OR @extschema@._dlints_missing_objects() IS NOT NULL THEN
		RETURN;
	END IF;
	RETURN QUERY
	SELECT m.measure, m.value, NULL::float8, m.meaning
	FROM   @extschema@._dlints_click_health() c, LATERAL (VALUES
	       ('clicks without item, user or time', c.incomplete::float8,
	        format('of the newest %s clicks: %s without item, %s without user, %s without time',
	               c.n, c.no_item, c.no_user, c.no_time)),
	       ('clicks in the future', c.future::float8, CASE
	           WHEN c.future = 0 THEN 'clicks count once their time has come'
	           ELSE 'they do not count yet: check the time of the argument "clicks", and its unit' END),
	       ('clicks of weight 0', c.weightless::float8, CASE
	           WHEN c.weightless > c.n / 2 THEN 'more than half: check the fourth column of the argument "clicks"'
	           ELSE 'or NULL, or NaN: they do not count' END),
	       ('clicks of positive weight', c.positive::float8,
	        'no weight is above 1e-12, so that no item is popular: check the fourth column of the argument "clicks"'),
	       ('clicks of unknown items', c.unknown::float8, CASE
	           WHEN c.is_swapped
	           THEN 'more clicks have the key of an item as user than as item: check that the argument'
	                ' "clicks" has user, item and time, in this order'
	           WHEN c.unknown > c.n / 2
	           THEN 'more than half: unless most items were deleted, the argument "clicks" has other keys than the items'
	           ELSE 'for example of deleted items' END),
	       ('hours since the newest click', c.age, CASE
	           WHEN c.age IS NULL THEN 'the click log has no click up to now'
	           WHEN c.age > 168 THEN 'no click for a week: check that the click log is still written'
	           ELSE 'age of the newest click' END)) m (measure, value, meaning)
	WHERE  CASE m.measure WHEN 'clicks of weight 0' THEN m.value > 0
	                      WHEN 'clicks of positive weight' THEN m.value = 0 AND c.n > 0 ELSE true END;
END
$$;

-- Return the report's rows on users who click items again, in the click log and on the last 1000 personal lists.
CREATE FUNCTION _dlints_report_repeats(first bigint) RETURNS SETOF @extschema@._dlints_report_row
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	IF @extschema@._dlints_missing_objects() IS NOT NULL THEN
		RETURN;
	END IF;
	RETURN QUERY
	SELECT 'repeated clicks', s.repeat_share, NULL::float8,
	       format('share of clicks on items of an earlier visit; lists %s items that their user has clicked',
	              CASE WHEN s.repeat_after IS NULL THEN 'may contain' ELSE 'leave out' END)
	FROM   setting s;
	RETURN QUERY
	WITH shown AS MATERIALIZED (
		SELECT d.user_id, d.at, u.item
		FROM  (SELECT x.user_id, x.items, x.at FROM decision x
		       WHERE  x.id >= first AND x.treatment = 'personal' AND x.user_id IS NOT NULL
		       ORDER  BY x.id DESC LIMIT 1000) d, unnest(d.items) u (item)),
	first_click AS (
		SELECT c.user_id, c.item, min(c.at) AS at
		FROM  (SELECT DISTINCT s.user_id FROM shown s) s JOIN click c ON same_user(c.user_id, s.user_id)
		GROUP  BY c.user_id, c.item)
	SELECT 'impressions of clicked items', avg(coalesce(f.at < s.at, false)::integer)::float8, NULL::float8,
	       'share of positions of personal lists with an item that the user had clicked before'
	FROM   shown s LEFT JOIN first_click f ON same_user(f.user_id, s.user_id) AND same_item(f.item, s.item);
END
$$;

-- Return the report's row on expressions that fail for some items, for an unknown user and an empty context.
CREATE FUNCTION _dlints_report_rules() RETURNS SETOF @extschema@._dlints_report_row
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
BEGIN
	IF @extschema@._dlints_missing_objects() IS NOT NULL THEN
		RETURN;
	END IF;
	RETURN QUERY
	SELECT 'items for which an expression fails', t.n_failing::float8, NULL::float8,
	       format('lists leave them out, for example "%s": %s', left(t.example, 100), left(t.problem, 200))
	FROM   setting s LEFT JOIN decision d ON false,
	       LATERAL @extschema@._dlints_try_rules(d.user_id, '{}'::jsonb) t
	WHERE (s.candidates <> 'true' OR s.bonus IS NOT NULL OR s.cap_group IS NOT NULL) AND t.n_failing > 0;
EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN
	IF NOT @extschema@._dlints_is_row_error(SQLSTATE) THEN
		RAISE;
	END IF;
	RETURN QUERY SELECT 'items for which an expression fails', (SELECT count(*) FROM item)::float8, NULL::float8,
		'pages of unknown users raise an error: ' || left(SQLERRM, 200);
END
$$;
