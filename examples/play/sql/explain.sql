-- Explain a page: expected reward of each film with its standard error, the contribution of each part, and
-- the most similar film among the visitor's likes (cosine).  Before the first reward there is no error.
WITH part AS (
    SELECT item, json_agg(json_build_object('part', part, 'contribution', contribution)
                          ORDER BY abs(contribution) DESC) AS parts
    FROM   home.explain(%(decision)s) GROUP BY item)
SELECT f.id, f.title, f.genres, d.treatment, s.probability, s.expected,
       CASE WHEN i.updates > 0 THEN dlints_stddev(m.state, s.features, d.profile) END AS error,
       coalesce(r.value, 0) > 0 AS liked, near.title AS nearest, near.cosine,
       part.parts
FROM   home.decision d
       JOIN home.model m ON m.name = 'personal'
       CROSS JOIN dlints_info(m.state) i
       JOIN home.impression s ON s.decision = d.id
       JOIN film f ON f.id = s.item
       JOIN part ON part.item = s.item
       LEFT JOIN home.reward r ON r.decision = s.decision AND r.item = s.item
       LEFT JOIN LATERAL (
           SELECT g.title, dlints_dot(s.features::float8[], o.features)
                           / sqrt(dlints_dot(s.features::float8[], s.features)
                                  * dlints_dot(o.features::float8[], o.features)) AS cosine
           FROM   home.outcome l
                  JOIN home.impression o ON o.decision = l.decision AND o.item = l.item
                  JOIN film g ON g.id = l.item
           WHERE  l.user_id = d.user_id AND l.reward > 0 AND l.at < d.at
           ORDER  BY cosine DESC LIMIT 1) near ON true
WHERE  d.id = %(decision)s
ORDER  BY s.position
