-- Of each event in which all these actions could be chosen, and of each action: what it cost, and its
-- weight and reward if it was chosen.  A part of the log in time (a block) counts by the worst known of
-- the actions, for all of them; and within a block each event counts alike, however probable the choice
-- was there.  So all are judged over the same times and contexts.  Probabilities of the same context
-- are averaged: they follow draws.
CREATE OR REPLACE FUNCTION {s}.weighed(first bigint, actions text[])
RETURNS TABLE (action text, counts float8, price float8, weight float8, reward float8)
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH event AS (
        SELECT d.*, o.reward, ntile(20) OVER (ORDER BY d.id) AS block
        FROM   {s}.outcome o JOIN {s}.decision d ON d.id = o.decision
        WHERE  o.arm = 'live' AND o.reward IS NOT NULL AND o.decision >= weighed.first
        AND    weighed.actions <@ ARRAY(SELECT coalesce(a ->> 'id', a #>> '{}')
                                        FROM jsonb_array_elements(d.actions) a)),
    option AS (
        SELECT e.block, a.action, a.price, r.place = 1 AS is_chosen, e.reward,
               greatest(avg(r.probability) OVER (PARTITION BY e.block, e.context, a.document), 0.001) AS probability
        FROM   event e,
               LATERAL unnest(e.ranking, e.probabilities) WITH ORDINALITY r (n, probability, place),
               LATERAL (SELECT e.actions -> (r.n - 1)) g (given),
               LATERAL (SELECT coalesce(given ->> 'id', given #>> '{}') AS action,
                               coalesce((given ->> 'price')::float8, 0) AS price,
                               CASE jsonb_typeof(given) WHEN 'object' THEN given - {no_features}
                                                        ELSE given END AS document) a
        WHERE  a.action = ANY (weighed.actions)),
    block AS (
        SELECT p.block, 1 / sum(p.one_in) AS counts
        FROM  (SELECT o.block, avg(1 / o.probability) AS one_in FROM option o GROUP BY o.block, o.action) p
        GROUP  BY p.block)
    SELECT o.action, b.counts, o.price,
           CASE WHEN o.is_chosen THEN b.counts / o.probability END, CASE WHEN o.is_chosen THEN o.reward END
    FROM   option o JOIN block b ON b.block = o.block;
END;

-- What is known of each action.  Rewards of one differ as much as all do, at least: what earned nothing in
-- a few events would look as if it never could.  To what one earns belongs one more event, as good as all
-- are on average; to all one more, in the middle of what a reward can be.  "whole" is how many events of
-- the largest weight would make the same sum.
CREATE OR REPLACE FUNCTION {s}.known(first bigint, actions text[], lowest float8, highest float8)
RETURNS TABLE (place bigint, action text, events bigint, mean float8, price float8, bottom float8, top float8,
               whole bigint, squares float8, expected float8, error float8)
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH weighed AS MATERIALIZED (
        SELECT w.*, sum(w.weight * w.reward) OVER a / sum(w.weight) OVER a AS mean
        FROM   {s}.weighed(known.first, known.actions) w WINDOW a AS (PARTITION BY w.action)),
    total AS (
        SELECT t.bottom, t.top, (t.n * t.mean + (t.bottom + t.top) / 2) / (t.n + 1) AS mean,
               (t.n * t.variance + t.n / (t.n + 1) * (t.mean - (t.bottom + t.top) / 2) ^ 2) / (t.n + 1) AS variance
        FROM  (SELECT count(w.reward)::float8 AS n, avg(w.reward) AS mean, var_pop(w.reward) AS variance,
                      least(known.lowest, min(w.reward)) AS bottom, greatest(known.highest, max(w.reward)) AS top
               FROM   weighed w) t),
    arm AS (
        SELECT w.action, count(w.weight) AS events, max(w.mean) AS mean,
               sum(w.counts * w.price) / sum(w.counts) AS price,
               sum(w.weight) ^ 2 / sum(w.weight ^ 2) AS n, floor(sum(w.weight) / max(w.weight)) AS whole,
               sum(w.weight * (w.reward - w.mean) ^ 2) / sum(w.weight) AS variance,
               sum((w.weight * (w.reward - w.mean)) ^ 2) / max(w.weight) ^ 2 AS squares
        FROM   weighed w GROUP BY w.action)
    SELECT a.n, a.action, coalesce(m.events, 0), c.mean, m.price, t.bottom, t.top, m.whole::bigint,
           least(m.squares, m.whole * (c.mean - t.bottom) * (t.top - c.mean)),
           (coalesce(m.n * c.mean, 0) + t.mean) / (coalesce(m.n, 0) + 1) - m.price,
           sqrt(nullif(greatest(t.variance, m.variance), 0) / (coalesce(m.n, 0) + 1))
    FROM   unnest(known.actions) WITH ORDINALITY a (action, n)
           LEFT JOIN arm m ON m.action = a.action CROSS JOIN total t,
           LATERAL (SELECT CASE WHEN m.mean IS NOT NULL     -- which rounding may put beside all of its rewards
                                THEN least(greatest(m.mean, t.bottom), t.top) END AS mean) c;
END;

-- Which is the best.  For the chance each reward counts as half a one, since it is looked at again and again.
CREATE OR REPLACE FUNCTION {s}.compared(first bigint, actions text[], lowest float8, highest float8)
RETURNS TABLE (action text, events bigint, earns float8, low float8, high float8,
               chance_best float8, could_gain float8, verdict text)
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH known AS MATERIALIZED (
        SELECT k.*, CASE WHEN k.events = 0 THEN nullif(k.bottom, k.top) ELSE b.low END - k.price AS low,
               CASE WHEN k.events = 0 THEN nullif(k.top, k.bottom) ELSE b.high END - k.price AS high
        FROM   {s}.known(compared.first, compared.actions, compared.lowest, compared.highest) k,
               LATERAL {dlints}.dlints_bounds(
                   k.mean, sqrt(k.squares / greatest(k.whole * (k.whole - 1), 1)), k.whole, k.bottom,
                   nullif(k.top, k.bottom), 1 - 0.05 / cardinality(compared.actions)) b),
    best AS (
        SELECT b.*
        FROM  (SELECT array_agg(k.expected ORDER BY k.place) AS means,
                      array_agg(sqrt(2) * k.error ORDER BY k.place) AS errors FROM known k) a,
               LATERAL {dlints}._dlints_best(a.means, a.errors) b)
    SELECT k.action, k.events, k.mean - k.price, k.low, k.high, b.chance_best, b.could_gain,
           CASE WHEN k.low > max(k.high) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
                                               EXCLUDE CURRENT ROW) THEN 'proven'
                WHEN b.chance_best >= 0.99 AND cardinality(compared.actions) > 1 THEN 'likely' ELSE 'open' END
    FROM   known k JOIN best b ON b.n = k.place
    ORDER  BY b.chance_best DESC NULLS LAST, k.mean - k.price DESC NULLS LAST, k.place;
END;

-- Which action would earn most if it were always chosen?  Compared are these, by default those of the
-- newest event, in the events since then in which all of them could be chosen, the ranker decided, and no
-- reward is waited for any more.  A reward is between lowest and highest, and what was seen.
CREATE OR REPLACE FUNCTION {s}.winner(
    since timestamptz DEFAULT '-infinity', actions text[] DEFAULT NULL,
    lowest float8 DEFAULT NULL, highest float8 DEFAULT NULL)
RETURNS TABLE (action text, events bigint, earns float8, low float8, high float8,
               chance_best float8, could_gain float8, verdict text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
#variable_conflict use_column
DECLARE
    first    bigint := greatest({s}.first_decision(since), (SELECT known_from FROM {s}.setting));
    compared text[] := coalesce(actions, ARRAY(
        SELECT r.action
        FROM   {s}.ranked r
        WHERE  r.decision = (SELECT d.id FROM {s}.decision d WHERE d.active AND d.arm = 'live' AND d.id >= first
                             ORDER BY d.id DESC LIMIT 1)
        ORDER  BY r.action));
    total    bigint := 0;
    unknown  text;
BEGIN
    IF cardinality(actions) = 0 OR array_ndims(actions) > 1
       OR cardinality(actions) > (SELECT count(DISTINCT a) FROM unnest(actions) a) THEN
        RAISE 'actions must be ids of actions, each once' USING ERRCODE = 'invalid_parameter_value';
    ELSIF lowest IN ('NaN', 'Infinity', '-Infinity') OR highest IN ('NaN', 'Infinity', '-Infinity') THEN
        RAISE 'lowest and highest must be finite' USING ERRCODE = 'numeric_value_out_of_range';
    ELSIF lowest >= highest THEN
        RAISE 'highest must be above lowest' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    FOR action, events, earns, low, high, chance_best, could_gain, verdict IN
        SELECT c.* FROM {s}.compared(first, compared, lowest, highest) c WHERE compared <> '{}'
    LOOP
        total := total + events;
        RETURN NEXT;
    END LOOP;
    IF total = 0 THEN
        SELECT a INTO unknown
        FROM   unnest(actions) a
        WHERE  NOT EXISTS (SELECT FROM {s}.ranked r WHERE r.decision >= first AND r.action = a) LIMIT 1;
        IF FOUND THEN
            RAISE NOTICE 'no event since then had an action "%"', left(unknown, 100);
        END IF;
    END IF;
END
$body$;
