-- The page: ten products in stock that the customer has not bought, at most three of a brand,
-- those of a campaign preferred; chosen, logged and returned by one statement.
ALTER TABLE product ADD boost float8 NOT NULL DEFAULT 0;    -- of a campaign, in clicks
CREATE FUNCTION page(customer integer) RETURNS TABLE (decision_id bigint, product_id integer) LANGUAGE sql AS $$
WITH visit AS MATERIALIZED (
    SELECT m.name AS model, m.state, profile(c.id) AS profile,
           ARRAY(SELECT id FROM product WHERE stock = 0 UNION
                 SELECT e.product_id FROM event e WHERE e.customer_id = c.id AND e.kind = 'purchase') AS excluded
    FROM   customer c JOIN arm a ON a.buckets @> c.bucket JOIN model m ON m.name = a.model WHERE c.id = customer),
candidate AS (
    SELECT p.id, p.features, dlints_choose(v.state, p.features, v.profile, k => 10, draws => 50,
               bonus => CASE v.model WHEN 'bestseller' THEN p.sold ELSE p.boost END, cap_group => p.brand, cap => 3)
               OVER () AS choice
    FROM   visit v, product p WHERE p.id <> ALL (v.excluded)),
made AS (INSERT INTO decision (customer_id, model, profile, excluded)
         SELECT customer, model, profile, excluded FROM visit RETURNING id)
INSERT INTO shown (decision_id, product_id, place, probability, expected, features)
SELECT made.id, c.id, (choice).rank, (choice).probability, dlints_predict(v.state, c.features, v.profile), c.features
FROM   made, visit v, candidate c WHERE (choice).rank IS NOT NULL
ORDER  BY (choice).rank RETURNING shown.decision_id, shown.product_id
$$;
