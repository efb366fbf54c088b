-- Rows of the report of a recommender --------------------------------------------------

-- Estimate the mean reward of a treatment's lists, with the rewards of next pages.  The standard error is clustered by
-- user and session.
CREATE FUNCTION _dlints_reward_per_list(treatment text, since timestamptz,
	OUT lists bigint, OUT mean float8, OUT stderr float8, OUT users bigint)
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	SELECT m.n, m.mean, m.stderr, m.users INTO lists, mean, stderr, users
	FROM  (SELECT array_agg(u.lists::float8) AS lists, array_agg(u.reward::float8) AS rewards
	       FROM  (SELECT count(*) FILTER (WHERE NOT d.context ? 'after') AS lists, coalesce(sum(r.reward), 0) AS reward
	              FROM   decision d
	                     LEFT JOIN (SELECT x.decision, sum(x.value) AS reward
	                                FROM   reward x JOIN decision l ON l.id = x.decision
	                                WHERE  x.decision >= @extschema@._dlints_first_decision(since)
	                                AND    l.treatment = _dlints_reward_per_list.treatment
	                                AND    EXISTS (SELECT FROM unnest(l.items) i (item) WHERE same_item(i.item, x.item))
	                                GROUP  BY x.decision) r ON r.decision = d.id
	              WHERE  d.id >= @extschema@._dlints_first_decision(since)
	              AND    d.treatment = _dlints_reward_per_list.treatment
	              GROUP  BY d.user_id, CASE WHEN d.user_id IS NULL THEN coalesce(d.session, d.id::text) END) u) a,
	       LATERAL @extschema@._dlints_cluster_mean(a.lists, a.rewards) m;
END
$$;

-- Return the report's row on requests that returned no list.  Next pages do not count, because every list ends.
CREATE FUNCTION _dlints_report_empty_requests(first bigint) RETURNS SETOF @extschema@._dlints_report_row
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN QUERY
	SELECT 'requests without a list', e.n::float8 / nullif(e.n + l.n, 0), NULL::float8, CASE
	       WHEN e.n = 0 THEN 'every request returned items'
	       ELSE format(
	           '%s of %s requests returned nothing: no item passed "candidates" without an error, or all were left out',
	        e.n, e.n + l.n) END
	FROM   (SELECT count(*) AS n FROM empty_request r WHERE r.id >= first) e,
	       (SELECT count(*) AS n FROM decision d WHERE d.id >= first AND NOT d.context ? 'after') l;
END
$$;

-- Return the rows of the report about users, lists and the rewards of treatments.
CREATE FUNCTION _dlints_report_rewards(since timestamptz) RETURNS SETOF @extschema@._dlints_report_row
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
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
	           ('users', t.users,
	            'users, and sessions of unknown users, since ' || coalesce(since, '-infinity')::date::text),
	           ('decisions', t.lists, 'lists shown')) m (measure, value, meaning);
	RETURN QUERY VALUES
		('reward per list, personal', personal.mean, personal.stderr,
		 format('mean reward of %s personal lists', personal.lists)),
		('reward per list, control', control.mean, control.stderr,
		 format('mean reward of %s lists of the most popular items', control.lists)),
		('reward per list, random', of_random.mean, of_random.stderr,
		 format('mean reward of %s random lists', of_random.lists)),
		('ratio to control', ratio, ratio * log_error, CASE
			WHEN factor IS NULL OR NOT log_error > 0 OR least(personal.mean, control.mean) < 0
			THEN 'unknown: personal and control lists need rewards that differ, with a mean above 0'
			WHEN control.users < 30 THEN 'unknown until 30 users of the control group have come; now ' || range
			WHEN ratio / factor > 1 THEN 'personal lists are better, statistically significant (95 %): ' || range
			WHEN ratio * factor < 1 THEN 'personal lists are worse, statistically significant (95 %): ' || range
			                             || '; pass columns that influence what users click'
			ELSE 'no statistically significant difference: ' || range END);
	IF trending.lists > 0 THEN
		RETURN QUERY VALUES ('reward per list, trending', trending.mean, trending.stderr,
			format('mean reward of %s lists of trending items', trending.lists));
	END IF;
END
$$;

-- Return the report's row on whether rewards are as the models expected.  Value and error are NULL until the standard
-- error is at most 0.5.  Lists from before the last switch of centering are omitted.
CREATE FUNCTION _dlints_report_calibration(first bigint) RETURNS SETOF @extschema@._dlints_report_row
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
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
	       THEN 'rewards differ less between items than expected, as is usual in the first days; later, pass fewer columns'
	       WHEN k.low > 1.5 THEN 'rewards differ more between items than expected'
	       WHEN k.low > 0.5 AND k.high < 1.5
	       THEN 'rewards are as expected: 1 is exact, and a little less is usual'
	       ELSE format('unknown: between %s and %s; 1 is exact', round(k.low::numeric, 2),
	                   round(k.high::numeric, 2)) END
	FROM   (SELECT) one LEFT JOIN known k ON true;
END
$$;

-- Return the report's rows about the choice of lists and about item vectors.  In a large catalogue, requests search
-- only promising blocks of items.  Their recall is measured for twenty users who clicked one item each.
CREATE FUNCTION _dlints_report_lists(first bigint) RETURNS SETOF @extschema@._dlints_report_row
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	missing text := @extschema@._dlints_missing_objects();
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
	RETURN QUERY
	SELECT 'coverage', count(*)::float8 / nullif((SELECT count(DISTINCT i.item) FROM item i), 0), NULL::float8,
	       'share of all items that were shown'
	FROM  (SELECT DISTINCT u.item FROM decision d, unnest(d.items) u (item) WHERE d.id >= first) s
	WHERE  EXISTS (SELECT FROM item i WHERE same_item(i.item, s.item));
	RETURN QUERY
	SELECT 'score of the items found', avg(c.recall[1]), stddev_samp(c.recall[1]) / sqrt(count(*)), format(
	       'part of the score of the best ten items; the best item is found by %s %% of draws',
	       round(100 * avg(c.recall[2])::numeric, 1))
	FROM  (SELECT @extschema@._dlints_cluster_recall(
	                  @extschema@._dlints_profile_of(v.features, l.scale, l.weights, s.liked, s.aged),
	                  v.n) AS recall
	       FROM  (SELECT v.features, row_number() OVER () AS n
	              FROM  (SELECT v.features FROM item_vector v WHERE NOT v.is_deleted AND EXISTS (SELECT FROM centroid)
	                     ORDER BY hashtextextended(v.item::text, 51) LIMIT 20) v) v, setting s, similarity l) c
	WHERE  c.recall IS NOT NULL
	HAVING count(*) > 0;
	RETURN QUERY
	SELECT 'items without a vector', count(*)::float8, NULL::float8, CASE
	       WHEN EXISTS (SELECT FROM block) THEN 'run() makes their vectors; until then lists contain few of them'
	       ELSE 'each request encodes them until run() makes their vectors' END
	FROM   item i
	WHERE  @extschema@._dlints_fits_index(i.item)
	AND    NOT EXISTS (SELECT FROM item_vector v WHERE same_item(v.item, i.item));
	RETURN QUERY
	SELECT 'items that cannot be encoded', coalesce(substring(j.problem FROM 'number: ([0-9]+)')::float8, 0),
	       NULL::float8,
	       coalesce(j.problem, 'all items have features')
	FROM   (SELECT) one LEFT JOIN job j ON j.name = 'encoding' AND j.problem IS NOT NULL;
END
$$;

-- Return the report's rows about new items, which were added within seven days and after the creation of the
-- recommender.  Only impressions on personal lists count.
CREATE FUNCTION _dlints_report_new_items(first bigint) RETURNS SETOF @extschema@._dlints_report_row
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
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
			 ELSE format('other items of personal lists: %s', coalesce(round(other_reward::numeric, 4)::text, 'none')) END);
	END IF;
	RETURN QUERY
	SELECT 'items on trial', s.n_on_trial::float8, NULL::float8, CASE
	       WHEN s.effect_stddev IS NULL
	       THEN 'new items that lists try out; the effect of an item is estimated after the first rewards'
	       ELSE format('new items that lists try out; effects of items have a standard deviation of %s',
	                   round(s.effect_stddev::numeric, 4)) END
	FROM   setting s;
END
$$;

-- Return the rows of the report about the models.
CREATE FUNCTION _dlints_report_models() RETURNS SETOF @extschema@._dlints_report_row
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN QUERY
	SELECT 'days since the vectors were fitted', date_part('epoch', now() - j.fitted_at) / 86400, NULL::float8, CASE
	       WHEN j.fitted_at IS NULL THEN 'the next run() fits them, since their definition was changed'
	       WHEN j.fitted_at < now() - interval '8 days' THEN 'overdue: have cron call run()'
	       ELSE 'run() fits them every week' END
	FROM  (SELECT CASE WHEN isfinite(x.done_at) THEN x.done_at END AS fitted_at FROM job x WHERE x.name = 'refit') j;
	RETURN QUERY
	SELECT 'observations in memory', i.effective_sample_size, NULL::float8,
	       concat_ws('. ', format('effective sample size of %s observations; memory %s of %s is in use (1 is the'
	                              ' shortest)', i.updates, i.memory, i.memories), i.hint)
	FROM   models i WHERE i.name = 'personal';
END
$$;

-- Estimate the examination probability of each position, relative to the first one, from clicks on random lists, where
-- each item is equally likely at each position.  Isotonic regression makes the probabilities decrease with the
-- position.  Next pages, similar items and trending lists are omitted.
CREATE FUNCTION _dlints_position_bias(setting regclass, since timestamptz)
	RETURNS TABLE ("position" integer, shown bigint, clicked bigint, examination float8, stderr float8)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS
$$
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
	       LATERAL (SELECT greatest(f.mean, 0.5 / s.shown) AS mean) c	-- without clicks, count half a click
	ORDER  BY s."position";
END
$$;
