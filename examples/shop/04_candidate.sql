-- A candidate is a model with other parameters.  It learns from the log up to a moment ...
CREATE FUNCTION trained(empty dlints, until timestamptz) RETURNS dlints LANGUAGE sql STABLE AS $$
SELECT empty || dlints_evidence(empty, features, reward, profile, at)
FROM   home.learned WHERE model = 'personal' AND at < until
$$;
-- ... would have shown this on the personal pages that came after ...
CREATE FUNCTION would(candidate dlints, since timestamptz)
RETURNS TABLE (decision bigint, item integer, probability float8, predicted float8)
LANGUAGE sql STABLE AS $$
SELECT d.id, w.item, w.probability, dlints_predict(candidate, v.features, d.profile)
FROM   home.decision d,
       LATERAL (
           SELECT array_agg(i.id) AS ids, array_agg(v.features) AS features, array_agg(i.brand) AS brands,
                  array_agg(i.boost + dlints_predict(l.state, v.features, d.profile)) AS bonuses
           FROM   home.model l, product i JOIN home.item_vector v ON v.item = i.id
           WHERE  l.name = 'later' AND i.added_at <= d.at
           AND    NOT EXISTS (SELECT FROM event e WHERE e.customer_id = d.person AND e.product_id = i.id
                              AND e.kind = 'purchase' AND e.at <= d.at)) c,
       LATERAL dlints_decide(candidate, c.ids, c.features, 10, d.profile, draws => 50, bonus => c.bonuses,
                             cap_group => c.brands, cap => 3, all_items => true) w
       JOIN home.item_vector v ON v.item = w.item
WHERE  d.arm = 'personal' AND d.at >= since
$$;
-- ... and would have earned so many clicks for each of ten places.
CREATE FUNCTION value(candidate dlints, since timestamptz) RETURNS dlints_policy_estimate
LANGUAGE sql STABLE AS $$
SELECT dlints_policy_value(o.clicked::int, o.probability, w.probability, w.predicted, w.expected)
FROM  (SELECT *, sum(probability * predicted) OVER (PARTITION BY decision) / 10 AS expected
       FROM would(candidate, since)) w JOIN home.outcome o USING (decision, item)
$$;
-- It goes live:
-- UPDATE home.model SET state = dlints_set(state, exploration => 0.1) WHERE name = 'personal';
