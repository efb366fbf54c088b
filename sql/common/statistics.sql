-- Statistics of reports -------------------------------------------------------------

-- Return the half-width of a 95 % confidence interval of a mean, in standard errors, for a number of users.  Student's
-- t is approximated by the Cornish-Fisher expansion, within 1 % from four users on.  NULL for fewer than two users.
CREATE FUNCTION _dlints_t_quantile(users float8) RETURNS float8
	LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS
$$
SELECT CASE WHEN users >= 2 THEN
	1.96 + 2.372 / (users - 1) + 2.822 / (users - 1) ^ 2 + 2.556 / (users - 1) ^ 3 + 1.586 / (users - 1) ^ 4 END
$$;

-- Return the mean of observations, with a standard error that is robust to clusters by user.  The arrays have the
-- number and the sum of each user's observations.
CREATE FUNCTION _dlints_cluster_mean(counts float8[], sums float8[],
	OUT n bigint, OUT mean float8, OUT stderr float8, OUT users bigint)
	LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS
$$
WITH cluster AS (
	SELECT u.n, u.sum FROM unnest(counts, sums) u (n, sum)),
total AS (
	SELECT sum(c.n) AS n, sum(c.sum) / nullif(sum(c.n), 0) AS mean, count(*) AS users FROM cluster c)
SELECT coalesce(max(t.n), 0)::bigint, max(t.mean),
       sqrt(sum((c.sum - c.n * t.mean) ^ 2) * max(t.users) / nullif(max(t.users) - 1, 0)) / nullif(max(t.n), 0),
       coalesce(max(t.users), 0)
FROM   cluster c, total t
$$;

-- Row of a report.  "error" is a standard error.
CREATE TYPE _dlints_report_row AS (measure text, value float8, error float8, meaning text);

-- Return the report of a recommender or ranker since a time.  If a part of the report fails, its row has the error
-- message.  Statements about differences have a confidence of 95 %.
CREATE FUNCTION _dlints_report(setting regclass, since timestamptz) RETURNS SETOF @extschema@._dlints_report_row
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_enter(setting);
	first CONSTANT bigint := @extschema@._dlints_first_decision(since);
	part text;
BEGIN
	FOREACH part IN ARRAY CASE (SELECT s.kind FROM setting s)
		WHEN 'ranker' THEN ARRAY[
			'report_baseline($1, $2)', 'report_exploration($1)', 'constraint_report($1)', 'report_costs()',
			'report_training($1)']
		ELSE ARRAY[
			'report_rewards($2)', 'report_empty_requests($1)', 'report_calibration($1)', 'report_reward_rate()',
			'report_pending()', 'constraint_report($1)', 'problem_report()', 'report_log($1)', 'report_clicks()',
			'report_repeats($1)', 'report_lists($1)', 'report_rules()', 'report_new_items($1)', 'report_columns()',
			'report_models()'] END
	LOOP
		BEGIN
			RETURN QUERY EXECUTE format('SELECT * FROM @extschema@._dlints_%s', part) USING first, since;
		EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN
			RETURN QUERY VALUES ('failed part of the report', NULL::float8, NULL::float8,
				format('%s: %s', substring(part FROM '^(?:report_)?([a-z_]+)'), SQLERRM));
		END;
	END LOOP;
END
$$;

-- Return the rows of the report about quarantined decisions and failed maintenance.
CREATE FUNCTION _dlints_problem_report() RETURNS SETOF @extschema@._dlints_report_row
	LANGUAGE plpgsql STABLE AS
$$
BEGIN
	PERFORM @extschema@._dlints_check_entry();
	RETURN QUERY
	SELECT 'quarantined decisions', count(*)::float8, NULL::float8, CASE count(*)
	       WHEN 0 THEN 'all reported rewards can be applied'
	       ELSE format('the models could not be trained on them, for example on %s: %s; rebuild() trains on the log'
	                   ' as it is', min(q.decision), (array_agg(q.problem ORDER BY q.decision))[1]) END
	FROM   quarantine q;
	RETURN QUERY
	SELECT 'failed maintenance', 1::float8, NULL::float8,
	       format('%s: %s', j.name, j.problem) || coalesce(format(' (since %s)', j.since::timestamptz(0)), '')
	FROM   job j WHERE j.problem IS NOT NULL AND j.name NOT IN ('encoding', 'changed') ORDER BY j.name;
	RETURN QUERY
	SELECT 'unfinished maintenance', 1::float8, NULL::float8,
	       'run() has not completed for an hour; have cron call it without a statement_timeout'
	FROM   job r WHERE r.name = 'run' AND r.done_at < now() - interval '1 hour'
	AND    EXISTS (SELECT FROM job j WHERE j.name = 'refresh' AND j.done_at > r.done_at + interval '50 minutes');
END
$$;
