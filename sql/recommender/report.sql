-- The report of a recommender ----------------------------------------------------------
--
-- Errors are standard errors.  Statements about differences hold at a confidence of 95 %.

-- Estimate the mean reward of a list of a treatment, with the rewards of its next pages.  Users and sessions are
-- the clusters of the standard error.
CREATE FUNCTION _dlints_reward_per_list(treatment text, since timestamptz,
	OUT lists bigint, OUT mean float8, OUT stderr float8, OUT users bigint)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	SELECT m.n, m.mean, m.stderr, m.users INTO lists, mean, stderr, users
	FROM  (SELECT array_agg(u.lists::float8) AS lists, array_agg(u.reward::float8) AS rewards
	       FROM  (SELECT count(DISTINCT o.decision) FILTER (WHERE NOT o.context ? 'after') AS lists,
	                     sum(o.reward) AS reward
	              FROM   outcome o
	              WHERE  o.decision >= @extschema@._dlints_first_decision(since)
	              AND    o.treatment = _dlints_reward_per_list.treatment
	              GROUP  BY o.user_id, CASE WHEN o.user_id IS NULL
	                                        THEN coalesce(o.session, o.decision::text) END) u) a,
	       LATERAL @extschema@._dlints_cluster_mean(a.lists, a.rewards) m;
END
$$;
COMMENT ON FUNCTION _dlints_reward_per_list(text, timestamptz)
	IS 'mean reward of a list of a treatment, with its standard error';

-- Row of the report on requests that returned no list.  Next pages are not counted: every list has an end.
CREATE FUNCTION _dlints_report_empty_requests(first bigint)
	RETURNS TABLE (measure text, value float8, error float8, meaning text)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	RETURN QUERY
	SELECT 'requests without a list', e.n::float8 / nullif(e.n + l.n, 0), NULL::float8, CASE
	       WHEN e.n = 0 THEN 'every request returned items'
	       ELSE format(
	           '%s of %s requests returned nothing: no item passed "candidates", or all that passed were left out',
	        e.n, e.n + l.n) END
	FROM   (SELECT count(*) AS n FROM empty_request r WHERE r.id >= first) e,
	       (SELECT count(*) AS n FROM decision d WHERE d.id >= first AND NOT d.context ? 'after') l;
END
$$;
COMMENT ON FUNCTION _dlints_report_empty_requests(bigint) IS 'row of the report on requests that returned no list';

-- Rows of the report about users, lists and the rewards of treatments
CREATE FUNCTION _dlints_report_rewards(since timestamptz)
	RETURNS TABLE (measure text, value float8, error float8, meaning text)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	personal record;
	control record;
	of_random record;
	trending record;
	ratio float8;
	log_error float8;	-- standard error of the logarithm of the ratio, which is nearly normal
	factor float8;
	range text;
BEGIN
	SELECT * INTO personal FROM @extschema@._dlints_reward_per_list('personal'::text, since);
	SELECT * INTO control FROM @extschema@._dlints_reward_per_list('control'::text, since);
	SELECT * INTO of_random FROM @extschema@._dlints_reward_per_list('random'::text, since);
	SELECT * INTO trending FROM @extschema@._dlints_reward_per_list('trending'::text, since);
	ratio := personal.mean / nullif(control.mean, 0);
	log_error := sqrt((personal.stderr / nullif(personal.mean, 0)) ^ 2
	                  + (control.stderr / nullif(control.mean, 0)) ^ 2);
	factor := @extschema@._dlints_t_quantile(least(control.users, personal.users)::float8) * log_error;
	factor := exp(CASE WHEN factor > 100 THEN 100 ELSE factor END);
	range := format('between %s and %s, by %s users of the control group',
	                round((ratio / factor)::numeric, 2), round((ratio * factor)::numeric, 2), control.users);
	RETURN QUERY
	SELECT m.measure, m.value, NULL::float8, m.meaning
	FROM  (SELECT count(*)::float8 AS users, coalesce(sum(d.lists), 0)::float8 AS lists
	       FROM  (SELECT count(*) AS lists FROM decision x
	              WHERE  x.id >= @extschema@._dlints_first_decision(since)
	              GROUP  BY x.user_id, CASE WHEN x.user_id IS NULL THEN coalesce(x.session, x.id::text) END) d) t,
	       LATERAL (VALUES
	           ('users', t.users, 'users, and sessions of unknown users, since ' || since::date),
	           ('decisions', t.lists, 'lists shown')) m (measure, value, meaning);
	RETURN QUERY VALUES
		('reward per list, personal', personal.mean, personal.stderr,
		 format('mean reward of a personal list; there were %s', personal.lists)),
		('reward per list, control', control.mean, control.stderr,
		 format('mean reward of a list of the most popular items; there were %s', control.lists)),
		('reward per list, random', of_random.mean, of_random.stderr,
		 format('mean reward of a random list; there were %s', of_random.lists)),
		('ratio to control', ratio, ratio * log_error, CASE
			WHEN factor IS NULL OR NOT log_error > 0 OR least(personal.mean, control.mean) < 0
			THEN 'unknown: lists of both kinds need rewards'
			WHEN control.users < 30 THEN 'unknown until 30 users of the control group have come; now ' || range
			WHEN ratio / factor > 1 THEN 'personal lists are better, statistically significant (95 %): ' || range
			WHEN ratio * factor < 1 THEN 'personal lists are worse, statistically significant (95 %): ' || range
			                             || '; name columns that matter'
			ELSE 'no statistically significant difference: ' || range END);
	IF trending.lists > 0 THEN
		RETURN QUERY VALUES ('reward per list, trending', trending.mean, trending.stderr,
			format('mean reward of a list of trending items; there were %s', trending.lists));
	END IF;
END
$$;
COMMENT ON FUNCTION _dlints_report_rewards(timestamptz) IS 'rows of the report about users, lists and rewards';

-- Row of the report on whether the reported rewards are those that the models expected.  Value and error are NULL
-- until the standard error is at most 0.5.  Lists from before centering was switched are left out.
CREATE FUNCTION _dlints_report_calibration(first bigint)
	RETURNS TABLE (measure text, value float8, error float8, meaning text)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	RETURN QUERY
	WITH impression AS (
		SELECT o.reward,
		       o.expected * coalesce(s.examination[least(o."position", cardinality(s.examination))], 1) AS expected
		FROM   setting s, outcome o
		WHERE  o.decision >= greatest(first, @extschema@._dlints_first_decision(s.centered_since))
		AND    o.treatment = 'personal'),
	fit AS (
		SELECT regr_slope(i.reward, i.expected) AS slope,
		       sqrt(greatest(0, regr_syy(i.reward, i.expected)
		                        - regr_sxy(i.reward, i.expected) ^ 2 / nullif(regr_sxx(i.reward, i.expected), 0))
		            / nullif(greatest(count(*) - 2, 0), 0) / nullif(regr_sxx(i.reward, i.expected), 0)) AS stderr
		FROM   impression i),
	known AS (
		SELECT f.slope, f.stderr, f.slope - 2 * f.stderr AS low, f.slope + 2 * f.stderr AS high
		FROM   fit f WHERE f.slope <> 0 AND f.stderr <= 0.5)
	SELECT 'calibration', k.slope, k.stderr, CASE
	       WHEN k.slope IS NULL THEN 'unknown: too few rewards'
	       WHEN k.high < 0.5
	       THEN 'the models expect too much, as is usual in the first days; later, name fewer columns'
	       WHEN k.low > 1.5 THEN 'the models expect too little of the items that they prefer'
	       WHEN k.low > 0.5 AND k.high < 1.5
	       THEN 'rewards are as expected: 1 is exact, and a little less is usual'
	       ELSE format('unknown: between %s and %s; 1 is exact', round(k.low::numeric, 2),
	                   round(k.high::numeric, 2)) END
	FROM   (SELECT) one LEFT JOIN known k ON true;
END
$$;
COMMENT ON FUNCTION _dlints_report_calibration(bigint)
	IS 'row of the report on whether rewards are as expected';

-- Row of the report about what lists of a large catalogue lose because only the blocks with the highest bounds are
-- searched.  Twenty items stand for users who clicked nothing else; their choice is the same until items change.
CREATE FUNCTION _dlints_report_clusters()
	RETURNS TABLE (measure text, value float8, error float8, meaning text)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	RETURN QUERY
	SELECT 'score of the items found', avg(c.recall[1]), stddev_samp(c.recall[1]) / sqrt(count(*)), format(
	       'part of the score of the best ten items; the best item is found by %s %% of draws',
	       round(100 * avg(c.recall[2])::numeric, 1))
	FROM  (SELECT @extschema@._dlints_cluster_recall(@extschema@._dlints_ranking_weights(
	                  @extschema@._dlints_profile_of(v.features[1:s.liked], l.scale, l.weights, s.liked, s.aged),
	                  'personal'::text, v.n)) AS recall
	       FROM  (SELECT v.features, row_number() OVER () AS n
	              FROM  (SELECT v.features FROM item_vector v WHERE NOT v.is_deleted AND EXISTS (SELECT FROM centroid)
	                     ORDER BY hashtextextended(v.item::text, 51) LIMIT 20) v) v, setting s, similarity l) c
	WHERE  c.recall IS NOT NULL
	HAVING count(*) > 0;
END
$$;
COMMENT ON FUNCTION _dlints_report_clusters()
	IS 'row of the report about the items that lists of a large catalogue find';

-- Rows of the report about the choice of lists and about item vectors
CREATE FUNCTION _dlints_report_lists(first bigint)
	RETURNS TABLE (measure text, value float8, error float8, meaning text)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	missing text := @extschema@._dlints_missing_objects();
	has_blocks boolean := EXISTS (SELECT FROM block);
	n_items bigint;
BEGIN
	RETURN QUERY
	SELECT 'exploration', avg(1 - p.probability::float8), NULL::float8,
	       'mean probability that another draw would have chosen another item; it falls with training'
	FROM   decision d, unnest(d.probabilities) p (probability)
	WHERE  d.id >= first AND d.treatment = 'personal';
	IF missing IS NOT NULL THEN
		RETURN QUERY VALUES ('coverage', NULL::float8, NULL::float8, 'unknown: objects were ' || missing);
		RETURN;
	END IF;
	n_items := (SELECT count(DISTINCT i.item) FROM item i);
	RETURN QUERY
	SELECT 'coverage', count(*)::float8 / nullif(n_items, 0), NULL::float8, 'share of all items that were shown'
	FROM  (SELECT DISTINCT u.item FROM decision d, unnest(d.items) u (item) WHERE d.id >= first) s
	WHERE  EXISTS (SELECT FROM item i WHERE same_item(i.item, s.item));
	RETURN QUERY
	SELECT 'items scored per list', avg(coalesce(d.n_scored, n_items))::float8, NULL::float8, CASE
	       WHEN NOT has_blocks THEN 'all items: there are few, or their key has no index'
	       WHEN s.bonus IS NOT NULL THEN 'all items: a bonus can lift any of them'
	       ELSE format('of %s: the best by the expected reward and by 15 draws', n_items) END
	FROM   setting s LEFT JOIN decision d ON d.id >= first AND d.treatment = 'personal'
	GROUP  BY s.bonus;
	RETURN QUERY
	SELECT * FROM @extschema@._dlints_report_clusters();
	RETURN QUERY
	SELECT 'items without a vector', count(*)::float8, NULL::float8, CASE
	       WHEN has_blocks THEN 'run() makes their vectors; until then lists contain few of them'
	       ELSE 'each request encodes them until run() makes their vectors' END
	FROM   item i WHERE NOT EXISTS (SELECT FROM item_vector v WHERE same_item(v.item, i.item));
	RETURN QUERY
	SELECT 'items that cannot be encoded', coalesce(substring(j.problem FROM 'number: ([0-9]+)')::float8, 0),
	       NULL::float8,
	       coalesce(j.problem, 'all items have features')
	FROM   (SELECT) one LEFT JOIN job j ON j.name = 'encoding' AND j.problem IS NOT NULL;
END
$$;
COMMENT ON FUNCTION _dlints_report_lists(bigint)
	IS 'rows of the report about the choice of lists and about item vectors';

-- Rows of the report about new items: those whose vectors were added within seven days, after the recommender was
-- made.  Impressions are those of personal lists.
CREATE FUNCTION _dlints_report_new_items(first bigint)
	RETURNS TABLE (measure text, value float8, error float8, meaning text)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	n_new bigint;
	catalogue_share float8;
	position_share float8;
	new_reward float8;
	new_stderr float8;
	other_reward float8;
BEGIN
	SELECT count(*) FILTER (WHERE v.since > greatest(s.made_at, now() - interval '7 days')),
	       avg((v.since > greatest(s.made_at, now() - interval '7 days'))::integer)
	INTO   n_new, catalogue_share
	FROM   setting s, item_vector v;
	RETURN QUERY VALUES ('items added within 7 days', n_new::float8, NULL::float8,
		format('%s %% of the catalogue', round(coalesce(100 * catalogue_share, 0)::numeric, 1)));
	IF n_new > 0 THEN
		SELECT avg(i.is_new::integer), avg(i.reward) FILTER (WHERE i.is_new),
		       stddev_samp(i.reward) FILTER (WHERE i.is_new) / sqrt(nullif(count(*) FILTER (WHERE i.is_new), 0)),
		       avg(i.reward) FILTER (WHERE NOT i.is_new)
		INTO   position_share, new_reward, new_stderr, other_reward
		FROM  (SELECT o.reward::float8 AS reward, v.item IS NOT NULL AS is_new
		       FROM   setting s CROSS JOIN outcome o
		              LEFT JOIN item_vector v ON same_item(v.item, o.item)
		                  AND v.since > greatest(s.made_at, now() - interval '7 days')
		       WHERE  o.decision >= first AND o.treatment = 'personal') i;
		RETURN QUERY VALUES
			('share of positions, new items', position_share, NULL::float8, 'of the positions of personal lists'),
			('reward per impression, new items', new_reward, new_stderr, CASE
			 WHEN new_reward IS NULL THEN 'unknown: personal lists contained none'
			 ELSE format('other items of personal lists: %s', round(other_reward::numeric, 4)) END);
	END IF;
	RETURN QUERY
	SELECT 'items on trial', s.n_on_trial::float8, NULL::float8, CASE
	       WHEN s.effect_stddev IS NULL THEN 'effects of items are estimated after the first rewards'
	       ELSE format('personal lists explore their effects; effects of items have a standard deviation of %s',
	                   round(s.effect_stddev::numeric, 4)) END
	FROM   setting s;
END
$$;
COMMENT ON FUNCTION _dlints_report_new_items(bigint) IS 'rows of the report about new items and items on trial';

-- Rows of the report about the models
CREATE FUNCTION _dlints_report_models() RETURNS TABLE (measure text, value float8, error float8, meaning text)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	RETURN QUERY
	SELECT 'days since the vectors were fitted', date_part('epoch', now() - j.fitted_at) / 86400, NULL::float8, CASE
	       WHEN j.fitted_at IS NULL THEN 'the next run() fits them, since their definition was changed'
	       WHEN j.fitted_at < now() - interval '8 days' THEN 'overdue: have cron call run()'
	       ELSE 'run() fits them every week' END
	FROM  (SELECT CASE WHEN isfinite(x.done_at) THEN x.done_at END AS fitted_at FROM job x WHERE x.name = 'refit') j;
	RETURN QUERY
	SELECT v.measure, v.value, NULL::float8, v.meaning
	FROM   similarity l, LATERAL (VALUES
		('half-life of a user''s clicks', l.half_life,
		 'days after which a click counts half in the user''s profile; NULL: clicks of all ages count the same'),
		('half-life of popularity', l.popularity_half_life,
		 'days after which a click counts half in the popularity of its item; NULL: clicks of all ages count the same')) v (measure, value, meaning);
	RETURN QUERY
	SELECT 'observations in memory', i.effective_sample_size, NULL::float8,
	       concat_ws('. ', format('effective sample size, of %s observations; memory %s of %s, 1 being the shortest,'
	                              ' is in use', i.updates, i.memory, i.memories), i.hint)
	FROM   models i WHERE i.name = 'personal';
END
$$;
COMMENT ON FUNCTION _dlints_report_models() IS 'rows of the report about the models';

-- Rows of the report about the queue of decisions and about rewards that train nothing
CREATE FUNCTION _dlints_report_log(first bigint)
	RETURNS TABLE (measure text, value float8, error float8, meaning text)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
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
COMMENT ON FUNCTION _dlints_report_log(bigint) IS 'rows of the report about rewards that train nothing';

-- Row of the report about decisions that wait for training
CREATE FUNCTION _dlints_report_pending() RETURNS TABLE (measure text, value float8, error float8, meaning text)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
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
COMMENT ON FUNCTION _dlints_report_pending() IS 'row of the report about decisions that wait for training';

-- Rows of the report on whether the application still reports rewards.  The lists since the last reward, or of the
-- last day if that is longer, are compared with up to 10,000 lists of the four weeks before.  Lists count once
-- 19 of 20 rewards have arrived.  A warning follows if the share of lists with a reward is lower by more than three
-- standard errors, which allow for users who come again.
CREATE FUNCTION _dlints_report_reward_rate() RETURNS TABLE (measure text, value float8, error float8, meaning text)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
	last_at timestamptz := (SELECT max(r.at) FROM (SELECT x.at FROM reward x ORDER BY x.decision DESC LIMIT 1000) r);
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
COMMENT ON FUNCTION _dlints_report_reward_rate()
	IS 'rows of the report on whether the application still reports rewards';

-- Estimate the share of lists with a reward, of at most the last 10,000 lists from a decision up to another one.
CREATE FUNCTION _dlints_reward_share(first bigint, until bigint,
	OUT n bigint, OUT mean float8, OUT stderr float8, OUT users bigint)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
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
COMMENT ON FUNCTION _dlints_reward_share(bigint, bigint) IS 'share of lists with a reward, with its standard error';

-- Count what is wrong with the newest 100,000 clicks: clicks without item, user or time, in the future, and of unknown
-- items.  "age" is that of the newest click up to now, in hours.  User and item are swapped if more clicks have the
-- key of an item as user than as item.
CREATE FUNCTION _dlints_click_health(OUT n bigint, OUT no_item bigint, OUT no_user bigint, OUT no_time bigint,
	OUT incomplete bigint, OUT future bigint, OUT unknown bigint, OUT age float8, OUT is_swapped boolean)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	SELECT count(*), count(*) FILTER (WHERE c.item IS NULL), count(*) FILTER (WHERE c.user_id IS NULL),
	       count(*) FILTER (WHERE c.at IS NULL),
	       count(*) FILTER (WHERE c.item IS NULL OR c.user_id IS NULL OR c.at IS NULL),
	       count(*) FILTER (WHERE c.at > now()),
	       count(*)
	           FILTER (WHERE c.item IS NOT NULL AND NOT EXISTS (SELECT FROM item i WHERE same_item(i.item, c.item))),
	       date_part('epoch', now() - max(c.at) FILTER (WHERE c.at <= now() AND isfinite(c.at))) / 3600
	INTO   n, no_item, no_user, no_time, incomplete, future, unknown, age
	FROM  (SELECT k.item, k.user_id, k.at FROM click k ORDER BY k.at DESC LIMIT 100000) c;
	is_swapped := unknown > 0 AND n - no_item - unknown < (
		SELECT count(*) FROM (SELECT k.user_id FROM click k ORDER BY k.at DESC LIMIT 100000) c
		WHERE  c.user_id::text IN (SELECT i.item::text FROM item i));
END
$$;
COMMENT ON FUNCTION _dlints_click_health() IS 'what is wrong with the newest 100,000 clicks';

-- Raise a notice if clicks of the click log do not count.
CREATE FUNCTION _dlints_notice_clicks() RETURNS void
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
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
	IF health.is_swapped THEN
		RAISE NOTICE 'more clicks have the key of an item as user than as item'
			USING HINT = 'The argument "clicks" is a query of user, item and time, in this order.';
	END IF;
END
$$;
COMMENT ON FUNCTION _dlints_notice_clicks() IS 'raise a notice if clicks of the click log do not count';

-- Rows of the report on the health of the click log
CREATE FUNCTION _dlints_report_clicks() RETURNS TABLE (measure text, value float8, error float8, meaning text)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
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
	       ('clicks of unknown items', c.unknown::float8, CASE
	           WHEN c.is_swapped
	           THEN 'more clicks have the key of an item as user than as item: check that the argument'
	                ' "clicks" has user, item and time, in this order'
	           WHEN c.unknown > c.n / 2 THEN 'more than half: check that the argument "clicks" has the key of the items'
	           ELSE 'for example of deleted items' END),
	       ('hours since the newest click', c.age, CASE
	           WHEN c.age IS NULL THEN 'the click log has no click up to now'
	           WHEN c.age > 168 THEN 'no click for a week: check that the click log is still written'
	           ELSE 'age of the newest click' END)) m (measure, value, meaning);
END
$$;
COMMENT ON FUNCTION _dlints_report_clicks() IS 'rows of the report on the health of the click log';

-- Rows of the report on users who come back to items: in the click log, and in the last 1000 personal lists
CREATE FUNCTION _dlints_report_repeats(first bigint)
	RETURNS TABLE (measure text, value float8, error float8, meaning text)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	IF @extschema@._dlints_missing_objects() IS NOT NULL THEN
		RETURN;
	END IF;
	RETURN QUERY
	SELECT 'repeated clicks', s.repeat_share, NULL::float8,
	       format('share of clicks on items of an earlier visit; lists %s items that their user has clicked',
	              CASE WHEN s.repeat_after IS NULL THEN 'may contain' ELSE 'leave out' END)
	FROM   setting s;
	RETURN QUERY
	SELECT 'impressions of clicked items', avg(i.is_known::integer)::float8, NULL::float8,
	       'share of positions of personal lists with an item that the user had clicked before'
	FROM  (SELECT EXISTS (SELECT FROM click c
	                      WHERE  same_user(c.user_id, d.user_id) AND same_item(c.item, u.item)
	                      AND    c.at < d.at) AS is_known
	       FROM  (SELECT x.user_id, x.items, x.at FROM decision x
	              WHERE  x.id >= first AND x.treatment = 'personal' AND x.user_id IS NOT NULL
	              ORDER  BY x.id DESC LIMIT 1000) d, unnest(d.items) u (item)) i;
END
$$;
COMMENT ON FUNCTION _dlints_report_repeats(bigint) IS 'rows of the report on users who come back to items';

-- An expression that fails for an item, an unknown user and an empty context
CREATE FUNCTION _dlints_report_rules()
	RETURNS TABLE (measure text, value float8, error float8, meaning text)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_schema();
BEGIN
	IF @extschema@._dlints_missing_objects() IS NULL AND EXISTS (
		SELECT FROM setting s WHERE s.candidates <> 'true' OR s.bonus IS NOT NULL OR s.cap_group IS NOT NULL)
	THEN
		PERFORM @extschema@._dlints_try_rules(d.user_id, '{}'::jsonb)
		FROM   (SELECT) unknown_user LEFT JOIN decision d ON false;
	END IF;
EXCEPTION WHEN data_exception OR cardinality_violation THEN
	RETURN QUERY VALUES ('expression that fails', NULL::float8, NULL::float8,
	                     'pages leave out the items for which it fails: ' || left(SQLERRM, 200));
END
$$;
COMMENT ON FUNCTION _dlints_report_rules()
	IS 'report on candidates, bonus and cap_group, if one of them fails for an item';

-- Report on a recommender since a moment.  Rows: measure, value, standard error, and their meaning.
CREATE FUNCTION _dlints_recommender_report(setting regclass, since timestamptz)
	RETURNS TABLE (measure text, value float8, error float8, meaning text)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_enter(setting);
	first bigint := @extschema@._dlints_first_decision(since);
BEGIN
	RETURN QUERY SELECT * FROM @extschema@._dlints_report_parts(ARRAY[
		format('report_rewards(%L::timestamptz)', since), format('report_empty_requests(%L::bigint)', first),
		format('report_calibration(%L::bigint)', first), 'report_reward_rate()', 'report_pending()',
		format('constraint_report(%L::bigint)', first), 'problem_report()', format('report_log(%L::bigint)', first),
		'report_clicks()', format('report_repeats(%L::bigint)', first), format('report_lists(%L::bigint)', first),
		'report_rules()',
		format('report_new_items(%L::bigint)', first), 'report_columns()', 'report_models()']);
END
$$;
COMMENT ON FUNCTION _dlints_recommender_report(regclass, timestamptz)
	IS 'report on a recommender since a moment: rewards of treatments, health of logs, constraints, maintenance';

-- Estimate the examination probability of each position, relative to the first one, from clicks on random lists, in
-- which each item is equally likely at each position.  We assume that it does not increase with the position:
-- pooled click rates are made monotone, as the minimum over earlier starts of the maximum over later ends.  Next
-- pages, similar items and trending lists are left out.
CREATE FUNCTION _dlints_position_bias(setting regclass, since timestamptz)
	RETURNS TABLE ("position" integer, shown bigint, clicked bigint, examination float8, stderr float8)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS
$$
#variable_conflict use_column
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_enter(setting);
BEGIN
	RETURN QUERY
	WITH seen AS (
		SELECT o."position", count(*) AS shown, count(*) FILTER (WHERE o.clicked) AS clicked
		FROM   outcome o
		WHERE  o.decision >= @extschema@._dlints_first_decision(since)
		AND    o.treatment = 'random' AND NOT o.context ?| '{more_like,trending,after}'
		GROUP  BY o."position"),
	upto AS (
		SELECT s.*, sum(s.shown) OVER w AS all_shown, sum(s.clicked) OVER w AS all_clicked
		FROM   seen s WINDOW w AS (ORDER BY s."position")),
	best AS (
		SELECT b."position", max((b.all_clicked - a.all_clicked + a.clicked) / (b.all_shown - a.all_shown + a.shown))
		                         OVER (PARTITION BY a."position" ORDER BY b."position" DESC) AS mean
		FROM   upto a JOIN upto b ON a."position" <= b."position"),
	fitted AS (
		SELECT b."position", min(b.mean)::float8 AS mean, nullif(max(min(b.mean)) OVER (), 0)::float8 AS first
		FROM   best b GROUP BY b."position")
	SELECT s."position", s.shown, s.clicked, greatest(f.mean, 0.01 * f.first) / f.first,
	       CASE WHEN s."position" > 1
	            THEN sqrt(c.mean * (1 - c.mean) / s.shown
	                      + f.mean ^ 2 * (1 - f.first) / f.first / max(s.shown) OVER ()) / f.first
	            ELSE 0 * f.first END
	FROM   seen s JOIN fitted f ON f."position" = s."position",
	       LATERAL (SELECT greatest(f.mean, 0.5 / s.shown) AS mean) c	-- no click counts as half a click
	ORDER  BY s."position";
END
$$;
COMMENT ON FUNCTION _dlints_position_bias(regclass, timestamptz)
	IS 'examination probability of each position relative to the first, from random lists, with its standard error';
