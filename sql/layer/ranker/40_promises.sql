-- Promises: what answers cost, and the prices by which that is kept.  A price is found by making the last
-- decisions once more, under the draws that they were made under; so it is no step in a direction, and has
-- no size to be chosen.  What was spent too much, or is left, moves the target that it is found for.

-- What an action costs of each promise: what is told, as it turned out lately
CREATE OR REPLACE FUNCTION {s}.cost(action jsonb)
RETURNS TABLE (promise text, price float8, cost float8) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT p.name, p.sign * p.price,
           coalesce((cost.action ->> p.name)::float8 * coalesce(e.times, 1), e.cost, 0)
    FROM   {s}.promise p
           LEFT JOIN {s}.estimate e ON e.promise = p.name
               AND e.action = coalesce(cost.action ->> 'id', cost.action #>> '{}');
END;

-- What decisions from a number on cost of each promise: what was told that they did, or what was expected
CREATE OR REPLACE FUNCTION {s}.spent(first bigint)
RETURNS TABLE (decision bigint, promise text, cost float8) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT d.id, p.name, coalesce((t.costs ->> p.name)::float8, (d.costs -> 0 ->> p.name)::float8)
    FROM   {s}.decision d LEFT JOIN {s}.paid t ON t.event = d.event CROSS JOIN {s}.promise p
    WHERE  d.id >= greatest(spent.first, {s}.first_decision(p.since)) AND d.arm = 'live' AND d.active
    AND    d.costs -> 0 ? p.name;
END;

-- What is left of each promise after the last decisions, so many; of what was left before no more than 75 of
-- them may take, or 30 of a hard one, so that what is kept is kept at all times
CREATE OR REPLACE FUNCTION {s}.balance(most bigint)
RETURNS TABLE (promise text, decisions bigint, ahead float8, target float8, hard boolean) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH last AS (
        SELECT min(d.id) AS id
        FROM  (SELECT d.id FROM {s}.decision d WHERE d.arm = 'live' AND d.active ORDER BY d.id DESC LIMIT most) d),
    summed AS (
        SELECT s.promise, s.decision, sum(p.sign * (p.target - s.cost)) OVER w AS ahead,
               CASE WHEN p.hard THEN 30 ELSE 75 END * p.target AS limit
        FROM   last l, LATERAL {s}.spent(l.id) s JOIN {s}.promise p ON p.name = s.promise
        WINDOW w AS (PARTITION BY s.promise ORDER BY s.decision)),
    total AS (
        SELECT s.promise, count(*) AS decisions,
               (array_agg(s.ahead ORDER BY s.decision DESC))[1] - greatest(max(s.ahead - s.limit), 0) AS ahead
        FROM   summed s GROUP BY s.promise)
    SELECT p.name, coalesce(t.decisions, 0), coalesce(t.ahead, 0), p.target, p.hard
    FROM   {s}.promise p LEFT JOIN total t ON t.promise = p.name;
END;

-- What actions turned out to cost, by the last 30 times that it was told
CREATE OR REPLACE FUNCTION {s}.set_estimates() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH paid AS (
        SELECT d.id, coalesce(a.value ->> 'id', a.value #>> '{}') AS action, a.value, p.costs
        FROM  (SELECT * FROM {s}.decision d WHERE d.arm = 'live' AND d.active ORDER BY d.id DESC LIMIT 1000) d
               JOIN {s}.paid p ON p.event = d.event,
               LATERAL (SELECT d.actions -> (d.ranking[1] - 1)) a (value)),
    latest AS (
        SELECT p.name, d.action, (d.value ->> p.name)::float8 AS told, (d.costs ->> p.name)::float8 AS cost,
               row_number() OVER (PARTITION BY p.name, d.action ORDER BY d.id DESC) AS n
        FROM   paid d JOIN {s}.promise p ON d.costs ? p.name)
    INSERT INTO {s}.estimate AS e (promise, action, times, cost)
    SELECT l.name, l.action, coalesce(sum(l.cost) FILTER (WHERE l.told <> 0) / nullif(sum(l.told), 0), 1), avg(l.cost)
    FROM   latest l WHERE l.n <= 30 GROUP BY l.name, l.action
    ON     CONFLICT (promise, action) DO UPDATE SET times = excluded.times, cost = excluded.cost
    WHERE  e.times <> excluded.times OR e.cost <> excluded.cost;
END;

-- The last 500 decisions, with what each of their actions scored under the draw and was to cost of each
-- promise, in the order of their names
CREATE OR REPLACE FUNCTION {s}.replay()
RETURNS TABLE (decision bigint, scores float8[], costs float8[], means float8[]) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT d.id, d.scores, c.costs, c.means
    FROM  (SELECT d.id, d.scores, d.costs FROM {s}.decision d
           WHERE  d.arm = 'live' AND d.active AND d.scores IS NOT NULL ORDER BY d.id DESC LIMIT 500) d,
           LATERAL (SELECT array_agg(a.costs ORDER BY p.name) AS costs, array_agg(a.mean ORDER BY p.name) AS means
                    FROM   {s}.promise p,
                           LATERAL (SELECT array_agg(p.sign * coalesce((a.costs ->> p.name)::float8, 0) ORDER BY a.n)
                                           AS costs, avg(p.sign * coalesce((a.costs ->> p.name)::float8, 0)) AS mean
                                    FROM jsonb_array_elements(d.costs) WITH ORDINALITY a (costs, n)) a) c;
END;

-- Finds prices anew.  What is left is to be used within 150 decisions, and what is missing saved; what is
-- left to chance has its share of the costs.
CREATE OR REPLACE FUNCTION {s}.solve() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH wanted AS MATERIALIZED (
        SELECT p.name, p.sign, b.decisions, b.ahead, p.sign * p.target
               * least(greatest(1 + p.sign * b.ahead / (150 * abs(p.target)), 0.05), 3) AS target,
               row_number() OVER (ORDER BY p.name) AS n
        FROM   {s}.promise p JOIN {s}.balance(2000) b ON b.promise = p.name),
    decision AS MATERIALIZED (
        SELECT * FROM {s}.replay()),
    mean AS (
        SELECT u.n, avg(u.mean) AS mean FROM decision d, unnest(d.means) WITH ORDINALITY u (mean, n) GROUP BY u.n),
    asked AS MATERIALIZED (
        SELECT array_agg((w.target - {epsilon} * m.mean) / greatest(1 - {epsilon}, 0.01) ORDER BY w.n) AS targets
        FROM   wanted w JOIN mean m ON m.n = w.n),
    found AS (
        SELECT {dlints}.dlints_prices(d.scores, d.costs, 1::bigint, a.targets) AS prices
        FROM   decision d, asked a)
    UPDATE {s}.promise p
    SET    price = f.prices[1][w.n], decisions = w.decisions, ahead = w.ahead,
           wanted = p.sign * a.targets[w.n], means = p.sign * f.prices[2][w.n],
           solved = (SELECT n.last_value FROM {s}.decision_number n)
    FROM   found f, asked a, wanted w WHERE w.name = p.name AND f.prices IS NOT NULL;
END;

-- Have there been so many decisions since prices were found?  Of few there are, each counts.
CREATE OR REPLACE FUNCTION {s}.is_to_solve() RETURNS TABLE (is_to_solve boolean) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT (n.last_value - min(p.solved) + 4194304) % 4194304 >= least(20, greatest(1, min(p.decisions) / 4))
    FROM   {s}.promise p, {s}.decision_number n GROUP BY n.last_value;
END;

-- The same where it is due, by one session at a time; the others go on with the prices that there are.
CREATE OR REPLACE FUNCTION {s}.set_prices() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET jit = off AS $body$
DECLARE
    due boolean;
BEGIN
    SELECT i.is_to_solve INTO due FROM {s}.is_to_solve() i;
    IF due THEN
        PERFORM FROM {s}.promise ORDER BY name FOR UPDATE SKIP LOCKED;
        IF FOUND THEN
            PERFORM {s}.set_estimates();
            PERFORM {s}.solve();
        END IF;
    END IF;
EXCEPTION WHEN serialization_failure THEN
    NULL;                               -- another session has just done it
END
$body$;

-- What the last decisions would score, made once more under all prices but one
CREATE OR REPLACE FUNCTION {s}.scored_without(promise text) RETURNS TABLE (mean float8) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH price AS MATERIALIZED (
        SELECT p.price * (p.name IS DISTINCT FROM scored_without.promise)::integer AS price,
               row_number() OVER (ORDER BY p.name) AS n
        FROM   {s}.promise p)
    SELECT avg(c.score)
    FROM   {s}.replay() d,
           LATERAL (SELECT u.score FROM unnest(d.scores) WITH ORDINALITY u (score, i)
                    ORDER BY u.score - (SELECT sum(p.price * d.costs[p.n][u.i]) FROM price p) DESC LIMIT 1) c;
END;

-- Promises, as rows of the report
CREATE OR REPLACE FUNCTION {s}.kept(first bigint)
RETURNS TABLE (measure text, value float8, error float8, meaning text) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH spent AS (
        SELECT s.promise, s.cost, avg(s.cost) OVER w AS mean, row_number() OVER w AS n
        FROM   {s}.spent(kept.first) s
        WINDOW w AS (PARTITION BY s.promise ORDER BY s.decision ROWS 999 PRECEDING)),
    kept AS (
        SELECT s.promise, avg(s.cost) AS mean, stddev_samp(s.cost) / sqrt(count(*)) AS stderr,
               min(s.mean) FILTER (WHERE s.n >= 1000) AS lowest, max(s.mean) FILTER (WHERE s.n >= 1000) AS highest
        FROM   spent s GROUP BY s.promise)
    SELECT 'promise "' || p.name || '"', k.mean, k.stderr, concat_ws('; ',
           format('at %s %s a decision', CASE p.sign WHEN 1 THEN 'most' ELSE 'least' END, p.target),
           'of a thousand in a row at ' || CASE p.sign WHEN 1 THEN 'most ' ELSE 'least ' END
               || round((CASE p.sign WHEN 1 THEN k.highest ELSE k.lowest END)::numeric, 6),
           CASE WHEN k.mean IS NULL THEN 'nothing is decided yet'
                WHEN p.sign * (p.means - p.wanted) > 0.02 * p.target AND p.decisions >= 100
                THEN format('cannot be kept: at any price it is %s', round(p.means::numeric, 6))
                WHEN p.price = 0 THEN 'which is kept without a price'
                ELSE format('its price is %s, and keeping it costs %s of reward a decision', round(p.price::numeric, 4),
                            round((w.mean - a.mean)::numeric, 4)) END)
    FROM   {s}.promise p LEFT JOIN kept k ON k.promise = p.name
           LEFT JOIN LATERAL {s}.scored_without(NULL) a ON p.price > 0
           LEFT JOIN LATERAL {s}.scored_without(p.name) w ON p.price > 0
    ORDER  BY p.name;
END;
