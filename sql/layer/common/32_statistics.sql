-- How many standard errors hold a mean of so many people in 95 of 100 cases: Student's t, by the
-- expansion of Cornish and Fisher, to 1 % from four people on
CREATE OR REPLACE FUNCTION {s}.errors_of(people float8) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN CASE WHEN people >= 2 THEN
    1.96 + 2.372 / (people - 1) + 2.822 / (people - 1) ^ 2 + 2.556 / (people - 1) ^ 3
    + 1.586 / (people - 1) ^ 4 END;

-- The mean of what people have several of each, with a standard error that knows that they come again
CREATE OR REPLACE FUNCTION {s}.mean_of(
    counts float8[], sums float8[], OUT n bigint, OUT mean float8, OUT stderr float8, OUT people bigint)
LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    WITH person AS (
        SELECT u.n, u.sum FROM unnest(counts, sums) u (n, sum)),
    total AS (
        SELECT sum(p.n) AS n, sum(p.sum) / sum(p.n) AS mean, count(*) AS people FROM person p)
    SELECT coalesce(max(t.n), 0)::bigint, max(t.mean),
           sqrt(sum((p.sum - p.n * t.mean) ^ 2) * max(t.people) / nullif(max(t.people) - 1, 0)) / max(t.n),
           coalesce(max(t.people), 0)
    FROM   person p, total t;
END;

-- What stands aside, and what run() could not do, as rows of the report
CREATE OR REPLACE FUNCTION {s}.troubles()
RETURNS TABLE (measure text, value float8, error float8, meaning text) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT 'decisions set aside' AS measure, count(*)::float8 AS value, NULL::float8 AS error, CASE count(*)
           WHEN 0 THEN 'all that was told could be learned'
           ELSE format('could not be learned as told, such as %s (%s): rebuild() takes the log''s word',
                       min(a.decision), (array_agg(a.problem ORDER BY a.decision))[1]) END AS meaning
    FROM   {s}.set_aside a
    UNION ALL
    SELECT 'upkeep that failed' AS measure, 1::float8 AS value, NULL::float8 AS error,
           format('%s: %s', j.name, j.problem) AS meaning
    FROM   {s}.job j WHERE j.problem IS NOT NULL;
END;
