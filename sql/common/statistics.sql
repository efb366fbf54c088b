-- Statistics of reports -------------------------------------------------------------

-- Compute the half-width of a 95 % confidence interval of a mean, in standard errors, for this many users.  This is
-- Student's t by the Cornish-Fisher expansion, within 1 % from four users on.  NULL for less than two users.
CREATE FUNCTION _dlints_t_quantile(users float8) RETURNS float8
	LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS
$$
SELECT CASE WHEN users >= 2 THEN
	1.96 + 2.372 / (users - 1) + 2.822 / (users - 1) ^ 2 + 2.556 / (users - 1) ^ 3 + 1.586 / (users - 1) ^ 4 END
$$;
COMMENT ON FUNCTION _dlints_t_quantile(float8)
	IS 'half-width of a 95 % confidence interval in standard errors, for a mean over this many users';

-- Compute the mean of observations that are clustered by user, with a cluster-robust standard error.  The arrays
-- have an element per user: number and sum of the user's observations.
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
COMMENT ON FUNCTION _dlints_cluster_mean(float8[], float8[])
	IS 'mean of observations that are clustered by user, with its standard error';

-- Collect the rows of a report from several functions, named with their arguments.  If a function fails, for
-- example because SELECT on the click log was revoked, its row has the error message; the other rows follow.
CREATE FUNCTION _dlints_report_parts(calls text[])
	RETURNS TABLE (measure text, value float8, error float8, meaning text)
	LANGUAGE plpgsql STABLE AS
$$
DECLARE
	own CONSTANT pg_catalog.name := @extschema@._dlints_check_entry();
	call text;
BEGIN
	FOREACH call IN ARRAY calls LOOP
		BEGIN
			RETURN QUERY EXECUTE format('SELECT r.measure, r.value, r.error, r.meaning FROM @extschema@._dlints_%s r',
			                            call);
		EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN
			RETURN QUERY VALUES ('failed part of the report', NULL::float8, NULL::float8,
				format('%s: %s', substring(call FROM '^(?:report_)?([a-z_]+)'), SQLERRM));
		END;
	END LOOP;
END
$$;
COMMENT ON FUNCTION _dlints_report_parts(text[])
	IS 'rows of a report from several functions; a function that fails becomes a row with the error';

-- Return the rows of the report about quarantined decisions and failed maintenance.
CREATE FUNCTION _dlints_problem_report() RETURNS TABLE (measure text, value float8, error float8, meaning text)
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
	SELECT 'failed maintenance', 1::float8, NULL::float8, format('%s: %s', j.name, j.problem)
	FROM   job j WHERE j.problem IS NOT NULL AND j.name NOT IN ('encoding', 'changed') ORDER BY j.name;
END
$$;
COMMENT ON FUNCTION _dlints_problem_report()
	IS 'rows of the report about quarantined decisions and failed maintenance';
