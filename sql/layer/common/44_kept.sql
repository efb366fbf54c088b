-- Promises, as rows of the report; of very many decisions the last 100,000 count
CREATE OR REPLACE FUNCTION {s}.kept(first bigint)
RETURNS TABLE (measure text, value float8, error float8, meaning text) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH summed AS (
        SELECT s.promise, s.cost, s.choices, sum(s.cost * s.choices) OVER w AS costs, sum(s.choices) OVER w AS places,
               row_number() OVER w AS n
        FROM   {s}.spent(100000) s WHERE s.decision >= kept.first
        WINDOW w AS (PARTITION BY s.promise ORDER BY s.decision)),
    spent AS (
        SELECT s.promise, s.cost, s.choices, s.n, (s.costs - lag(s.costs, 1000, 0::float8) OVER w)
                   / (s.places - lag(s.places, 1000, 0::numeric) OVER w)::float8 AS mean
        FROM   summed s WINDOW w AS (PARTITION BY s.promise ORDER BY s.n)),
    kept AS (
        SELECT s.promise, sum(s.cost * s.choices) / sum(s.choices) AS mean,
               stddev_samp(s.cost) / sqrt(count(*)) AS stderr,
               min(s.mean) FILTER (WHERE s.n >= 1000) AS lowest, max(s.mean) FILTER (WHERE s.n >= 1000) AS highest
        FROM   spent s GROUP BY s.promise)
    SELECT 'promise "' || p.name || '"', k.mean, k.stderr, concat_ws('; ',
           format('at %s %s a {choice}', CASE p.sign WHEN 1 THEN 'most' ELSE 'least' END, p.target),
           'of a thousand in a row at ' || CASE p.sign WHEN 1 THEN 'most ' ELSE 'least ' END
               || round((CASE p.sign WHEN 1 THEN k.highest ELSE k.lowest END)::numeric, 6),
           CASE WHEN k.mean IS NULL THEN 'nothing is decided yet'
                WHEN p.outcome IS NOT NULL AND coalesce(abs(p.rate - p.target) < 1e-9 * p.target, true)
                THEN 'nothing that was shown is old enough to tell, and counts as promised'
                WHEN (p.sign * (p.means - p.wanted) > 0.02 * p.target OR p.outcome IS NOT NULL AND p.ahead < 0)
                     AND p.decisions >= 100
                     AND p.sign * (p.means - p.target) > 0.02 * p.target     -- and not because much is owed
                THEN format('cannot be kept: %s it is %s', CASE WHEN p.outcome IS NULL THEN 'at any price'
                            ELSE 'of what is known of items' END, round(p.means::numeric, 6))
                WHEN p.price = 0 THEN 'which is kept without a price'
                ELSE format('its price is %s, and keeping it costs %s of reward a {choice}', round(p.price::numeric, 4),
                            greatest(round(l.lost::numeric, 4), 0)) END)
    FROM   {s}.promise p LEFT JOIN kept k ON k.promise = p.name
           LEFT JOIN {s}.lost() l ON l.promise = p.name
    ORDER  BY p.name;
END;
