-- What is left is to be used within so many choices, and is counted over so many decisions.
CREATE OR REPLACE FUNCTION {s}.horizon() RETURNS TABLE (choices float8, decisions bigint) LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT 150::float8, 2000::bigint;
END;

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
RETURNS TABLE (decision bigint, promise text, cost float8, choices bigint) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH last AS MATERIALIZED (
        SELECT d.id, d.event, d.costs -> 0 AS costs FROM {s}.decision d
        WHERE  d.costs IS NOT NULL AND d.active
        AND    d.id >= (SELECT {s}.first_decision(min(p.since)) FROM {s}.promise p)
        ORDER  BY d.id DESC LIMIT most)
    SELECT l.id, p.name, coalesce((t.costs ->> p.name)::float8, (l.costs ->> p.name)::float8), 1::bigint
    FROM   last l CROSS JOIN {s}.promise p
           LEFT JOIN LATERAL (SELECT t.costs FROM {s}.paid t WHERE t.event = l.event OFFSET 0) t ON true
    WHERE  l.costs ? p.name AND l.id >= {s}.first_decision(p.since);
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
-- each of their actions scores, and what it costs of each promise, in the order of their names.  Of many actions
-- it is ten decisions at least, and fewer draws.
CREATE OR REPLACE FUNCTION {s}.replay() RETURNS TABLE (scores float8[], costs float8[], means float8[], k bigint)
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH last AS (
        SELECT d.id, d.context, d.actions, jsonb_array_length(d.actions) AS many FROM {s}.decision d
        WHERE  d.costs IS NOT NULL AND d.active ORDER BY d.id DESC LIMIT 100),
    recent AS MATERIALIZED (
        SELECT l.id, l.context, l.actions, row_number() OVER (ORDER BY l.id) AS place,
               greatest(count(*) OVER () / 5, sum(l.many) OVER () / 250, 1) AS apart
        FROM  (SELECT l.*, row_number() OVER w AS n, sum(l.many) OVER w AS sum
               FROM last l WINDOW w AS (ORDER BY l.id DESC)) l
        WHERE  l.n <= 10 OR l.sum <= 2000),
    drawn AS MATERIALIZED (
        SELECT {dlints}.dlints_draw_weights(m.state, '{}'::float8[], (SELECT max(r.id) FROM recent r), 100) AS weights
        FROM   {s}.model m WHERE m.name = 'reward'),
    draw AS MATERIALIZED (
        SELECT n, ARRAY(SELECT unnest(d.weights[n:n])) AS weights FROM drawn d, generate_series(1, 100) n),
    action AS MATERIALIZED (
        SELECT r.place, r.apart, a.n, a.features, a.price, c.costs
        FROM   recent r, LATERAL {s}.action(r.context, r.actions) a,
               LATERAL (SELECT array_agg(c.sign * c.cost ORDER BY c.promise COLLATE "C") AS costs
                        FROM {s}.cost(r.actions -> (a.n - 1)) c) c),
    cost AS (
        SELECT k.place, array_agg(k.costs ORDER BY k.n) AS costs, array_agg(k.mean ORDER BY k.n) AS means
        FROM  (SELECT a.place, u.n, array_agg(u.cost ORDER BY a.n) AS costs, avg(u.cost) AS mean
               FROM   action a, unnest(a.costs) WITH ORDINALITY u (cost, n) GROUP BY a.place, u.n) k
        GROUP  BY k.place)
    SELECT s.scores, c.costs, c.means, 1::bigint
    FROM  (SELECT s.place, s.draw, array_agg(s.score ORDER BY s.n) AS scores
           FROM  (SELECT a.place, w.n AS draw, a.n,
                         {dlints}.dlints_dot(w.weights, a.features::{vector}) - a.price AS score
                  FROM   action a JOIN draw w ON w.n % a.apart = a.place % a.apart OFFSET 0) s    -- or all is sorted
           GROUP  BY s.place, s.draw) s
           JOIN cost c ON c.place = s.place;
END;
