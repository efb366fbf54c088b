-- How often an outcome comes of an item, where that is promised.

-- What came of items.  A value of 0 takes an outcome back, unless it is worth nothing itself.
CREATE OR REPLACE VIEW {s}.happened AS
SELECT r.decision, r.item, r.outcome, r.at
FROM   {s}.reward r
WHERE  r.value <> 0 OR CASE r.outcome {worths} END = 0;

-- Within what time 19 of 20 of the outcomes came that are promised, of the decisions of 60 days; they are not
-- learned before "wait"
CREATE OR REPLACE FUNCTION {s}.refresh_lags() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH taken AS (
        SELECT h.outcome, percentile_disc(0.95) WITHIN GROUP (
                   ORDER BY date_part('epoch', h.at) - 1577836800 - (h.decision >> 22)) AS seconds
        FROM   {s}.happened h
        WHERE  h.decision >= {s}.first_decision(now() - interval '60 days')
        AND    h.outcome IN (SELECT p.outcome FROM {s}.promise p)
        GROUP  BY h.outcome)
    UPDATE {s}.promise p
    SET    lag = greatest({wait}::interval, make_interval(secs => coalesce(
               (SELECT t.seconds FROM taken t WHERE t.outcome = p.outcome), 0)))
    WHERE  p.outcome IS NOT NULL;
END;

-- How often each outcome comes of a place: of all, as if one more had come at the rate that is promised; and of
-- an item as of all with such features, and the more by what came of itself the more items differ otherwise.
-- Coefficients of features are fitted as if they were about half the mean.  Of lists within 90 days, the last
-- 200,000, and what had time to come.
CREATE OR REPLACE FUNCTION {s}.outcome_rates()
RETURNS TABLE (promise text, mean float8, items {item_type}[], rates float8[]) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH promise AS MATERIALIZED (
        SELECT p.name, p.outcome, p.target, {s}.first_decision(now() - p.lag) AS until FROM {s}.promise p
        WHERE  p.outcome IS NOT NULL),
    list AS MATERIALIZED (
        SELECT d.id, d.items FROM {s}.decision d
        WHERE  d.id >= {s}.first_decision(now() - interval '90 days')
        AND    d.id < (SELECT max(p.until) FROM promise p)
        ORDER  BY d.id DESC LIMIT 200000),
    shown AS (
        SELECT p.name, i.item, count(*) AS shown
        FROM   promise p JOIN list l ON l.id < p.until CROSS JOIN unnest(l.items) i (item) GROUP BY p.name, i.item),
    came AS (
        SELECT p.name, h.item, count(*) AS came
        FROM   promise p JOIN {s}.happened h ON h.outcome = p.outcome AND h.decision < p.until
               JOIN list l ON l.id = h.decision AND h.item {same_item} ANY (l.items)
        GROUP  BY p.name, h.item),
    item AS MATERIALIZED (
        SELECT p.name, v.item, v.features, coalesce(s.shown, 0) AS shown, coalesce(c.came, 0) AS came
        FROM   promise p CROSS JOIN {s}.item_vector v
               LEFT JOIN shown s ON s.name = p.name AND s.item {same_item} v.item
               LEFT JOIN came c ON c.name = p.name AND c.item {same_item} v.item),
    mean AS MATERIALIZED (
        SELECT p.name, (1 + coalesce(sum(i.came), 0)) / (1 / p.target + coalesce(sum(i.shown), 0)) AS rate
        FROM   promise p LEFT JOIN item i ON i.name = p.name GROUP BY p.name, p.target),
    fitted AS MATERIALIZED (
        SELECT m.name, m.rate, {dlints}.dlints_concat(f.empty, (
                   SELECT {dlints}.dlints_evidence(
                              f.empty, i.features::{vector}, i.came::float8 / i.shown - m.rate, '{}'::{vector},
                              NULL::timestamptz, i.shown)
                   FROM   item i WHERE i.name = m.name AND i.shown > 0)) AS state
        FROM   mean m CROSS JOIN LATERAL (
                   SELECT {dlints}.dlints_new({size}, discount => 1, ridge => 4 / m.rate) AS empty OFFSET 0) f),
    expected AS MATERIALIZED (
        SELECT f.name, f.rate AS mean, i.item, i.shown, i.came, least(1, f.rate * least(greatest(
                   1 + coalesce({dlints}.dlints_predict(f.state, i.features::{vector}), 0) / f.rate, 0.2), 5)) AS rate
        FROM   fitted f JOIN item i ON i.name = f.name),
    -- in how many places an item tells as much as its features: by how far items are from what is expected of
    -- them, beyond chance
    differing AS (
        SELECT e.name, e.mean / greatest(
                   sum((e.came - e.shown * e.rate) ^ 2 / e.shown - e.rate * (1 - e.rate)) FILTER (WHERE e.shown > 0)
                   / sum(e.shown),
                   1e-4 * e.mean ^ 2) AS places
        FROM   expected e GROUP BY e.name, e.mean)
    SELECT e.name, e.mean, array_agg(e.item),
           array_agg((e.came + e.rate * coalesce(d.places, 1)) / (e.shown + coalesce(d.places, 1)))
    FROM   expected e JOIN differing d ON d.name = e.name GROUP BY e.name, e.mean;
END;

-- Finds them anew; what has changed little is left as it is.
CREATE OR REPLACE FUNCTION {s}.refresh_rates() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
BEGIN
    PERFORM {s}.refresh_lags();
    WITH found AS MATERIALIZED (
        SELECT * FROM {s}.outcome_rates()),
    mean AS (
        UPDATE {s}.promise p SET rate = f.mean FROM found f WHERE f.promise = p.name),
    one AS (
        SELECT p.name, u.item, u.rate
        FROM   {s}.promise p LEFT JOIN found f ON f.promise = p.name
               LEFT JOIN LATERAL unnest(f.items, f.rates) u (item, rate) ON true),
    known AS (
        SELECT v.item, array_agg(o.rate ORDER BY p.name COLLATE "C")::real[] AS rates
        FROM   {s}.item_vector v CROSS JOIN {s}.promise p
               LEFT JOIN one o ON o.name = p.name AND o.item {same_item} v.item
        GROUP  BY v.item)
    UPDATE {s}.item_vector v SET rates = k.rates
    FROM   known k
    WHERE  k.item {same_item} v.item
    AND   (v.rates IS NULL OR EXISTS (SELECT FROM unnest(v.rates, k.rates) u (was, is_now)
                                      WHERE  abs(u.was - u.is_now) > 0.03 * u.was
                                      OR     (u.was IS NULL) <> (u.is_now IS NULL)));
END
$body$;
