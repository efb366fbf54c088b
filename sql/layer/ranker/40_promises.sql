-- Promises: what answers cost, and the prices by which that is kept.  A price is found by making the last
-- decisions once more, under draws of the present model; so it is no step in a direction, and has no size to
-- be chosen.  What was spent too much, or is left, moves the target that it is found for.

-- What an action costs of each promise: what is told, as it turned out lately
CREATE OR REPLACE FUNCTION {s}.cost(action jsonb)
RETURNS TABLE (promise text, sign integer, price float8, cost float8) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT p.name, p.sign, p.price,
           least(greatest(coalesce(nullif((cost.action ->> p.name)::float8, 0) * coalesce(e.times, 1), e.cost, 0),
                          -1e50), 1e50)
    FROM   {s}.promise p
           LEFT JOIN {s}.estimate e ON e.promise = p.name
               AND e.action = coalesce(cost.action ->> 'id', cost.action #>> '{}');
END;

-- What the last decisions since the first promise cost of each: what was told that they did, or what was expected
CREATE OR REPLACE FUNCTION {s}.spent(most bigint)
RETURNS TABLE (decision bigint, promise text, cost float8) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH last AS MATERIALIZED (
        SELECT d.id, d.event, d.costs -> 0 AS costs FROM {s}.decision d
        WHERE  d.costs IS NOT NULL AND d.active
        AND    d.id >= (SELECT {s}.first_decision(min(p.since)) FROM {s}.promise p)
        ORDER  BY d.id DESC LIMIT most)
    SELECT l.id, p.name, coalesce((t.costs ->> p.name)::float8, (l.costs ->> p.name)::float8)
    FROM   last l CROSS JOIN {s}.promise p
           LEFT JOIN LATERAL (SELECT t.costs FROM {s}.paid t WHERE t.event = l.event OFFSET 0) t ON true
    WHERE  l.costs ? p.name AND l.id >= {s}.first_decision(p.since);
END;

-- What is left of each promise after the last decisions, so many; of what was left before no more than 75 of
-- them may take, or 30 of a hard one, so that what is kept is kept at all times
CREATE OR REPLACE FUNCTION {s}.balance(most bigint)
RETURNS TABLE (promise text, decisions bigint, ahead float8, target float8, hard boolean) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH summed AS (
        SELECT s.promise, s.decision, sum(p.sign * (p.target - s.cost)) OVER w AS ahead,
               CASE WHEN p.hard THEN 30 ELSE 75 END * p.target AS limit
        FROM   {s}.spent(most) s JOIN {s}.promise p ON p.name = s.promise
        WINDOW w AS (PARTITION BY s.promise ORDER BY s.decision)),
    total AS (
        SELECT s.promise, count(*) AS decisions,
               least(greatest((array_agg(s.ahead ORDER BY s.decision DESC))[1] - greatest(max(s.ahead - s.limit), 0),
                              -1e53), 1e53) AS ahead
        FROM   summed s GROUP BY s.promise)
    SELECT p.name, coalesce(t.decisions, 0), coalesce(t.ahead, 0), p.target, p.hard
    FROM   {s}.promise p LEFT JOIN total t ON t.promise = p.name;
END;

-- What actions turned out to cost, by the last 30 times that it was told
CREATE OR REPLACE FUNCTION {s}.set_estimates() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH paid AS (
        SELECT d.id, coalesce(a.value ->> 'id', a.value #>> '{}') AS action, a.value, p.costs
        FROM  (SELECT d.id, d.event, d.actions, d.ranking FROM {s}.decision d
               WHERE  d.costs IS NOT NULL AND d.active ORDER BY d.id DESC LIMIT 1000) d
               CROSS JOIN LATERAL (SELECT p.costs FROM {s}.paid p WHERE p.event = d.event OFFSET 0) p
               CROSS JOIN LATERAL (SELECT d.actions -> (d.ranking[1] - 1)) a (value)),
    latest AS (
        SELECT p.name, d.action, (d.value ->> p.name)::float8 AS told, (d.costs ->> p.name)::float8 AS cost,
               row_number() OVER (PARTITION BY p.name, d.action ORDER BY d.id DESC) AS n
        FROM   paid d JOIN {s}.promise p ON d.costs ? p.name)
    INSERT INTO {s}.estimate AS e (promise, action, times, cost)
    SELECT l.name, l.action, least(greatest(coalesce(
               sum(l.cost) FILTER (WHERE l.told <> 0) / nullif(sum(l.told), 0), 1), 1e-3), 1e3), avg(l.cost)
    FROM   latest l WHERE l.n <= 30 GROUP BY l.name, l.action
    ON     CONFLICT (promise, action) DO UPDATE SET times = excluded.times, cost = excluded.cost
    WHERE  e.times <> excluded.times OR e.cost <> excluded.cost;
END;

-- The last 100 decisions made five times more, or fewer more often, under draws of the model as it is now: what
-- each of their actions scores, and what it costs of each promise, in the order of their names
CREATE OR REPLACE FUNCTION {s}.replay() RETURNS TABLE (scores float8[], costs float8[], means float8[])
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH recent AS MATERIALIZED (
        SELECT d.id, d.context, d.actions, row_number() OVER (ORDER BY d.id) AS place,
               greatest(count(*) OVER () / 5, 1) AS apart
        FROM  (SELECT d.id, d.context, d.actions FROM {s}.decision d
               WHERE  d.costs IS NOT NULL AND d.active ORDER BY d.id DESC LIMIT 100) d),
    drawn AS MATERIALIZED (
        SELECT {dlints}.dlints_draw_weights(m.state, '{}'::float8[], (SELECT max(r.id) FROM recent r), 100) AS weights
        FROM   {s}.model m WHERE m.name = 'reward'),
    draw AS MATERIALIZED (
        SELECT n, ARRAY(SELECT unnest(d.weights[n:n])) AS weights FROM drawn d, generate_series(1, 100) n),
    action AS MATERIALIZED (
        SELECT r.place, r.apart, a.n, a.features, a.price, c.costs
        FROM   recent r, LATERAL {s}.action(r.context, r.actions) a,
               LATERAL (SELECT array_agg(c.sign * c.cost ORDER BY c.promise) AS costs
                        FROM {s}.cost(r.actions -> (a.n - 1)) c) c),
    cost AS (
        SELECT k.place, array_agg(k.costs ORDER BY k.n) AS costs, array_agg(k.mean ORDER BY k.n) AS means
        FROM  (SELECT a.place, u.n, array_agg(u.cost ORDER BY a.n) AS costs, avg(u.cost) AS mean
               FROM   action a, unnest(a.costs) WITH ORDINALITY u (cost, n) GROUP BY a.place, u.n) k
        GROUP  BY k.place)
    SELECT s.scores, c.costs, c.means
    FROM  (SELECT s.place, s.draw, array_agg(s.score ORDER BY s.n) AS scores
           FROM  (SELECT a.place, w.n AS draw, a.n,
                         {dlints}.dlints_dot(w.weights, a.features::{vector}) - a.price AS score
                  FROM   action a JOIN draw w ON w.n % a.apart = a.place % a.apart OFFSET 0) s    -- or all is sorted
           GROUP  BY s.place, s.draw) s
           JOIN cost c ON c.place = s.place;
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
           wanted = p.sign * a.targets[w.n], means = p.sign * f.prices[2][w.n]
    FROM   found f, asked a, wanted w WHERE w.name = p.name AND f.prices IS NOT NULL;
END;

-- What cannot be computed is not tried again at each page.
CREATE OR REPLACE FUNCTION {s}.solve_or_say_why() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
    UPDATE {s}.promise SET solved = (SELECT n.last_value FROM {s}.decision_number n);
    PERFORM {s}.set_estimates();
    PERFORM {s}.solve();
    UPDATE {s}.job SET problem = NULL WHERE name = 'prices' AND problem IS NOT NULL;
EXCEPTION WHEN data_exception THEN
    UPDATE {s}.promise SET solved = (SELECT n.last_value FROM {s}.decision_number n);
    UPDATE {s}.job SET problem = SQLERRM WHERE name = 'prices';
END
$body$;

-- Have there been so many decisions since prices were found?  Of few there are, each counts.
CREATE OR REPLACE FUNCTION {s}.is_to_solve() RETURNS TABLE (is_to_solve boolean) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT (n.last_value - min(p.solved) + 4194304) % 4194304 >= least(20, greatest(1, min(p.decisions) / 4))
    FROM   {s}.promise p, {s}.decision_number n GROUP BY n.last_value;
END;

-- The same where it is due, by one session at a time; the others go on with the prices that there are.  So
-- does a page where none can be found, and the report says so.
CREATE OR REPLACE FUNCTION {s}.set_prices() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET jit = off AS $body$
DECLARE
    due boolean;
BEGIN
    SELECT i.is_to_solve INTO due FROM {s}.is_to_solve() i;
    IF NOT due THEN
        RETURN;
    END IF;
    BEGIN
        PERFORM FROM {s}.job WHERE name = 'prices' FOR UPDATE SKIP LOCKED;
        IF FOUND THEN
            SELECT i.is_to_solve INTO due FROM {s}.is_to_solve() i;    -- another one may just have done it
            IF due THEN
                PERFORM {s}.solve_or_say_why();
            END IF;
        END IF;
    EXCEPTION WHEN serialization_failure THEN
        NULL;
    END;
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

-- Promises, as rows of the report; of very many decisions the last 100,000 count
CREATE OR REPLACE FUNCTION {s}.kept(first bigint)
RETURNS TABLE (measure text, value float8, error float8, meaning text) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH spent AS (
        SELECT s.promise, s.cost, avg(s.cost) OVER w AS mean, row_number() OVER w AS n
        FROM   {s}.spent(100000) s WHERE s.decision >= kept.first
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
                     AND p.sign * (p.means - p.target) > 0.02 * p.target     -- and not because much is owed
                THEN format('cannot be kept: at any price it is %s', round(p.means::numeric, 6))
                WHEN p.price = 0 THEN 'which is kept without a price'
                ELSE format('its price is %s, and keeping it costs %s of reward a decision', round(p.price::numeric, 4),
                            greatest(round((w.mean - a.mean)::numeric, 4), 0)) END)
    FROM   {s}.promise p LEFT JOIN kept k ON k.promise = p.name
           LEFT JOIN LATERAL {s}.scored_without(NULL) a ON p.price > 0
           LEFT JOIN LATERAL {s}.scored_without(p.name) w ON p.price > 0
    ORDER  BY p.name;
END;
