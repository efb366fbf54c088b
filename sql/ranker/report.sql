-- Rows of the report of a ranker ---------------------------------------------------------

-- Return the mean of reward minus price per event of a treatment, from a decision on, with a standard error clustered
-- by user.
CREATE FUNCTION _dlints_ranker_earned(of_treatment text, first bigint,
	OUT events bigint, OUT mean float8, OUT stderr float8, OUT users bigint)
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	SELECT m.n, m.mean, m.stderr, m.users INTO events, mean, stderr, users
	FROM  (SELECT array_agg(u.events::float8) AS events, array_agg(u.earned) AS earned
	       FROM  (SELECT count(*) AS events, sum(o.earned) AS earned
	              FROM   setting s CROSS JOIN outcome o
	              WHERE  o.treatment = of_treatment AND o.decision >= first AND o.earned IS NOT NULL
	              GROUP  BY coalesce(@extschema@._dlints_action_id(o.context -> s.user_key), o.decision::text)) u) a,
	       LATERAL @extschema@._dlints_cluster_mean(a.events, a.earned) m;
END
$$;

-- Return the report's rows about events, and the comparison of the ranker with the baseline.
CREATE FUNCTION _dlints_report_baseline(first bigint, since timestamptz) RETURNS SETOF @extschema@._dlints_report_row
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	live record;
	baseline record;
	imitation record;
	difference float8;
	stderr float8;
	half_width float8;
BEGIN
	SELECT * INTO live FROM @extschema@._dlints_ranker_earned('live'::text, first);
	SELECT * INTO baseline FROM @extschema@._dlints_ranker_earned('baseline'::text, first);
	SELECT i.n, i.share, sqrt(i.share * (1 - i.share) / i.n) AS stderr INTO imitation
	FROM  (SELECT count(*) AS n, avg(o.imitated::integer) AS share
	       FROM outcome o WHERE o.treatment = 'baseline' AND o.decision >= first) i;
	difference := live.mean - baseline.mean;
	stderr := sqrt(live.stderr ^ 2 + baseline.stderr ^ 2);
	half_width := @extschema@._dlints_t_quantile(least(live.users, baseline.users)::float8) * stderr;
	RETURN QUERY
	SELECT 'live share', s.live_share, NULL::float8, 'share of events that the ranker decides; go_live() sets it'
	FROM   setting s
	UNION ALL
	SELECT 'events', count(*)::float8, NULL::float8, concat_ws(' since ', 'ranked events', since::date)
	FROM   outcome o WHERE o.decision >= first;
	RETURN QUERY VALUES
		('earned by the ranker', live.mean, live.stderr, 'mean reward minus price per event that the ranker decided'),
		('earned by the baseline', baseline.mean, baseline.stderr,
			'mean reward minus price per event that kept the caller''s first action'),
		('ranker minus baseline', difference, stderr, CASE
			WHEN half_width IS NULL OR NOT half_width > 0
			THEN 'unknown: this needs events of both treatments, with different rewards'
			WHEN least(live.users, baseline.users) < 30
			THEN format('unknown below 30 users per treatment; 95 %% confidence interval from %s to %s',
			            round((difference - half_width)::numeric, 3), round((difference + half_width)::numeric, 3))
			WHEN difference > half_width THEN 'the ranker earns more: statistically significant (95 %)'
			WHEN difference < -half_width
			THEN 'the ranker earns less: statistically significant (95 %); does it have all features of the baseline?'
			ELSE 'no statistically significant difference (95 %): more events narrow the interval' END),
		('baseline imitated', imitation.share, imitation.stderr, CASE
			WHEN imitation.n < 100 THEN 'unknown: this needs 100 events that the baseline decided'
			WHEN imitation.share + 2 * imitation.stderr < 0.6
			THEN 'the features do not explain the choices of the baseline, or there are too few events yet'
			WHEN imitation.share - 2 * imitation.stderr > 0.6
			THEN 'the features explain the choices of the baseline: go_live() with a small share is possible'
			ELSE 'unknown whether the features explain the choices of the baseline: more events are needed' END);
END
$$;

-- Return the report's rows about exploration.  The reward of random choices is estimated by inverse-propensity
-- weights, unless few events would determine it.  With constraints, it is omitted, because random choices cost more.
CREATE FUNCTION _dlints_report_exploration(first bigint) RETURNS SETOF @extschema@._dlints_report_row
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN QUERY
	SELECT 'earned at random', e.snips, e.snips_stderr, CASE WHEN e.snips IS NULL
	       THEN 'unknown: this needs an effective sample size of 30 events, with an "epsilon" above 0'
	       ELSE 'mean reward minus price per event of random choices, estimated from events that the ranker decided' END
	FROM  (SELECT @extschema@.dlints_policy_value(o.earned, o.probability, 1 / o.candidates::float8) AS estimate
	       FROM   outcome o
	       WHERE  o.treatment = 'live' AND o.earned IS NOT NULL AND o.decision >= first) v
	       LEFT JOIN LATERAL (SELECT (v.estimate).*) e ON e.effective_sample_size >= 30 AND NOT EXISTS (
	           SELECT FROM decision d WHERE d.treatment = 'live' AND d.id >= first AND 0 = ANY (d.probabilities))
	WHERE  NOT EXISTS (SELECT FROM constraint_price);
	RETURN QUERY
	WITH chosen AS (
		SELECT avg(o.expected - o.reward) AS surplus,
		       stddev_samp(o.expected - o.reward) / sqrt(nullif(count(o.reward), 0)) AS stderr,
		       avg(1 - o.probability) AS exploration
		FROM   outcome o WHERE o.treatment = 'live' AND o.decision >= first)
	SELECT r.* FROM chosen c, LATERAL (VALUES
		('expected minus earned', c.surplus, c.stderr, CASE WHEN c.stderr IS NULL THEN 'unknown: too few events'
			ELSE 'mean overestimate of the reward of a choice; near 0 is good' END),
		('exploration', c.exploration, NULL,
			'mean probability that another draw would have chosen another action; it falls with training')) r;
END
$$;

-- Return the report's rows for constraints without any cost, and for invalid costs, in the last 1000 decisions.
CREATE FUNCTION _dlints_report_costs() RETURNS SETOF @extschema@._dlints_report_row
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN QUERY
	WITH announced AS (
		SELECT p.name, count(c.value) FILTER (WHERE jsonb_typeof(c.value) <> 'null') AS named,
		       count(c.value) FILTER (WHERE jsonb_typeof(c.value) <> 'null'
		                              AND @extschema@._dlints_announced_cost(a.value, p.name) IS NULL) AS invalid
		FROM   constraint_price p
		       CROSS JOIN (SELECT d.actions FROM decision d ORDER BY d.id DESC LIMIT 1000) d
		       CROSS JOIN LATERAL jsonb_array_elements(d.actions) a
		       CROSS JOIN LATERAL (
		           SELECT CASE jsonb_typeof(a.value) WHEN 'object' THEN a.value -> p.name END AS value) c
		GROUP  BY p.name)
	SELECT format('actions without a cost "%s"', a.name), NULL::float8, NULL::float8,
	       'no action has this cost, and none is reported: the constraint may be misspelt'
	FROM   announced a
	WHERE  a.named = 0 AND NOT EXISTS (SELECT FROM action_cost c WHERE c.constraint_name = a.name)
	UNION ALL
	SELECT format('actions with an invalid cost "%s"', a.name), a.invalid::float8, NULL::float8,
	       'actions of the log whose value is no number; they count as cost 0'
	FROM   announced a WHERE a.invalid > 0;
END
$$;

-- Return the rows of the report about training.
CREATE FUNCTION _dlints_report_training(first bigint) RETURNS SETOF @extschema@._dlints_report_row
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN QUERY
	SELECT 'events inside the attribution window', count(*)::float8, NULL::float8,
	       'events whose reward may still come; they do not count above'
	FROM   setting s CROSS JOIN decision d
	WHERE  d.active AND d.id >= first AND coalesce(d.activated_at, d.at) > now() - s.attribution_window;
	RETURN QUERY
	SELECT 'pending decisions', count(*)::float8, NULL::float8,
	       CASE WHEN min(p.since + s.attribution_window) < now() - interval '1 hour'
	            THEN 'not trained on for an hour: have cron call run()'
	            ELSE 'decisions after the attribution window that the models are not trained on yet' END
	FROM   setting s CROSS JOIN pending p WHERE p.since < now() - s.attribution_window;
	RETURN QUERY SELECT * FROM @extschema@._dlints_problem_report();
	RETURN QUERY
	SELECT 'rewards of unknown events', count(*)::float8, NULL::float8,
	       'reported an hour ago or earlier, for events that were never ranked or never activated'
	FROM   reward r
	WHERE  r.applied IS NULL AND r.at < now() - interval '1 hour'
	AND    NOT EXISTS (SELECT FROM event e JOIN decision d ON d.id = e.decision WHERE e.event = r.event AND d.active);
	RETURN QUERY
	SELECT 'observations in memory', m.effective_sample_size, NULL::float8,
	       concat_ws('. ', format('effective sample size of %s observations; memory %s of %s is in use (1 is the'
	                              ' shortest)', m.updates, m.memory, m.memories), m.hint)
	FROM   models m WHERE m.name = 'reward';
END
$$;
