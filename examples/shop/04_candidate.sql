-- A candidate is a model with other parameters.  Train it on the log before a given time ...
CREATE FUNCTION trained(empty dlints, until timestamptz) RETURNS dlints LANGUAGE sql STABLE AS $$
SELECT empty || dlints_evidence(empty, features, reward, profile, at)
FROM   home.training_example WHERE model = 'personal' AND at < until
$$;
-- ... compute the probabilities of its slates on the personal pages after that time, as these were ...
CREATE FUNCTION would_show(candidate dlints, since timestamptz)
RETURNS TABLE (decision bigint, item integer, probability float8, predicted float8) LANGUAGE sql AS $$
SELECT d.id, s.item, s.probability, dlints_predict(candidate, v.features, d.profile)
FROM   home.model l, home.decision d,
       LATERAL (SELECT array_agg(i.id) AS ids, array_agg(v.features) AS features, array_agg(i.brand) AS brands,
                       array_agg(i.boost + dlints_predict(l.state, v.features, d.profile)) AS bonuses
                FROM   product i JOIN home.item_features v ON v.item = i.id
                WHERE  i.added_at <= d.at
                AND    NOT EXISTS (SELECT FROM event e WHERE e.customer_id = d.user_id AND e.product_id = i.id
                                   AND e.kind = 'purchase' AND e.at <= d.at)) c,
       LATERAL dlints_decide(candidate, c.ids, c.features, 10, d.profile, draws => 50, bonus => c.bonuses,
                             cap_group => c.brands, cap => 3, all_items => true) s
       JOIN home.item_features v ON v.item = s.item
WHERE  l.name = 'later' AND d.treatment = 'personal' AND d.at >= would_show.since AND s.probability > 0
$$;
-- ... and estimate the clicks per position that it would have received.
CREATE FUNCTION value(candidate dlints, since timestamptz) RETURNS dlints_policy_estimate LANGUAGE sql AS $$
WITH slate AS (SELECT * FROM would_show(candidate, since)),
page AS (SELECT decision, sum(probability * predicted) / 10 AS expected FROM slate GROUP BY 1)
SELECT dlints_policy_value(o.clicked::int, o.probability, coalesce(s.probability, 0),
                           coalesce(s.predicted, 0), p.expected)
FROM   page p JOIN home.outcome o USING (decision) LEFT JOIN slate s USING (decision, item)
$$;
-- Give the live model these parameters:
-- UPDATE home.model SET state = dlints_set(state, exploration => 0.1) WHERE name = 'personal';
