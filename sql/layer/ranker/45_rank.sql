-- What was answered, an action a row
CREATE OR REPLACE VIEW {s}.ranked AS
SELECT d.id AS decision, d.event, d.arm, d.at, r.place::integer,
       coalesce(a.value ->> 'id', a.value #>> '{}') AS action,
       coalesce((a.value ->> 'price')::float8, 0) AS price, r.probability, r.expected
FROM   {s}.decision d,
       LATERAL unnest(d.ranking, d.probabilities, d.expected)
           WITH ORDINALITY r (n, probability, expected, place),
       LATERAL (SELECT d.actions -> (r.n - 1)) a (value);

-- What a model expects of each action, and how the policy ranks them.  A price is known, and taken
-- off what is expected; so are prices of what is promised, "charged".  What costs more than is left of a
-- hard promise comes last, unless all do: then what costs least is chosen.
CREATE OR REPLACE FUNCTION {s}.scored(context jsonb, actions jsonb)
RETURNS TABLE (n integer, expected float8, place integer, score float8, probability float8, costs jsonb, prices jsonb)
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH remains AS MATERIALIZED (
        SELECT b.promise, b.ahead + b.target AS remains, b.target FROM {s}.balance(300) b
        WHERE  b.hard AND {has_promises}),
    weighed AS (
        SELECT a.n, {dlints}.dlints_predict(m.state, a.features::{vector}, '{}'::{vector}) AS expected,
               m.state, a.features, a.price, coalesce(c.charged, 0) AS charged, c.costs, c.prices,
               rank() OVER (ORDER BY coalesce(c.beyond, 0)) = 1 AS allowed
        FROM   {s}.model m, {s}.action(scored.context, scored.actions) a
               LEFT JOIN LATERAL (
                   SELECT sum(c.sign * c.price * c.cost) AS charged, jsonb_object_agg(c.promise, c.cost) AS costs,
                          jsonb_object_agg(c.promise, c.price) AS prices,
                          max(greatest(c.cost - r.remains, 0) / r.target) AS beyond
                   FROM   {s}.cost(scored.actions -> (a.n - 1)) c
                          LEFT JOIN remains r ON r.promise = c.promise) c ON {has_promises}
        WHERE  m.name = 'reward'),
    chosen AS MATERIALIZED (
        SELECT w.n, {dlints}.dlints_choose(w.state, w.features::{vector}, draws => 50, epsilon => {epsilon},
                                           bonus => -w.price - w.charged) OVER () AS choice
        FROM   weighed w WHERE w.allowed)
    SELECT w.n, w.expected, coalesce((c.choice).rank, CASE WHEN w.allowed THEN 2 ELSE 3 END),
           coalesce((c.choice).score, w.expected - w.price - w.charged), coalesce((c.choice).probability, 0), w.costs,
           w.prices
    FROM   weighed w LEFT JOIN chosen c ON c.n = w.n;
END;

-- Which action the present system would take, by what was learned of it; among equals the last one
CREATE OR REPLACE FUNCTION {s}.imitated(context jsonb, actions jsonb) RETURNS integer
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT a.n
    FROM   {s}.model m, {s}.action(imitated.context, imitated.actions) a
    WHERE  m.name = 'imitation'
    ORDER  BY {dlints}.dlints_predict(m.state, a.features::{vector}, '{}'::{vector}) DESC, a.n DESC
    LIMIT  1;
END;

-- Ranks actions for an event, best first, logs that and returns it.  An event that was ranked
-- before gets the same answer.  A deferred event counts once it is activated.  It writes: a hot
-- standby cannot run it.  It has its owner's rights, so that a page needs none but to call it.
CREATE OR REPLACE FUNCTION {s}.rank(event text, context jsonb, actions jsonb, deferred boolean DEFAULT false)
RETURNS TABLE (event_id text, action text, place integer, probability float8, expected float8)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan AS $body$
#variable_conflict use_column
DECLARE
    made    bigint := {s}.new_decision();
    called  text := coalesce(event, made::text);
    asked   jsonb := coalesce(nullif(context, 'null'), '{}');
    is_live boolean := random() < (SELECT live FROM {s}.setting);
    before  bigint;
BEGIN
    PERFORM {s}.check_actions(actions);
    PERFORM {s}.check_context(asked);
    IF is_live IS NULL THEN
        PERFORM {s}.check_rows();
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended({name} || ' ' || called, 0));
    SELECT d.id INTO before FROM {s}.decision d WHERE d.event = called;
    IF before IS NULL THEN
        IF is_live THEN
            {then_price};
        END IF;
        WITH ranked AS (
            SELECT s.n, s.expected, s.costs, s.prices,
                   CASE WHEN is_live THEN s.probability WHEN s.n = 1 THEN 1 ELSE 0 END AS probability,
                   CASE WHEN is_live THEN row_number() OVER (ORDER BY s.place, s.score DESC)
                        ELSE s.n END AS place
            FROM   {s}.scored(asked, actions) s)
        INSERT INTO {s}.decision (id, event, arm, at, active, context, actions,
                                  ranking, probabilities, expected, imitated, prices, costs)
        SELECT made, called, CASE WHEN is_live THEN 'live' ELSE 'present' END, now(), NOT deferred,
               asked, actions, array_agg(n ORDER BY place), array_agg(probability ORDER BY place),
               array_agg(expected ORDER BY place),
               CASE WHEN NOT is_live THEN {s}.imitated(asked, actions) = 1 END,
               (array_agg(prices) FILTER (WHERE is_live))[1],
               jsonb_agg(costs ORDER BY place) FILTER (WHERE is_live AND {has_promises})
        FROM   ranked;
        IF NOT deferred THEN
            INSERT INTO {s}.due (decision, since) VALUES (made, now());
        END IF;
    END IF;
    RETURN QUERY
    SELECT called, r.action, r.place, r.probability, r.expected
    FROM   {s}.ranked r WHERE r.decision = coalesce(before, made) ORDER BY r.place;
END
$body$;

REVOKE EXECUTE ON FUNCTION {s}.rank FROM PUBLIC;
