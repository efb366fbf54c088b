-- why these: what the model expects of each, the standard error of that, and what
-- the visitor liked that is most like it (cosine)
SELECT m.id, m.title, m.genres, s.probability, r.reward IS NOT NULL AS liked,
       dlints_predict(o.state, m.features, d.profile) AS expected,
       dlints_stddev(o.state, m.features, d.profile) AS error,
       near.title AS nearest, near.cosine
FROM   decision d
       JOIN model o ON o.name = d.model
       JOIN shown s ON s.decision_id = d.id
       JOIN movie m ON m.id = s.movie_id
       LEFT JOIN reward r ON r.decision_id = d.id AND r.movie_id = m.id
       LEFT JOIN LATERAL (
           SELECT q.title, dlints_dot(m.features::float8[], q.features)
                           / sqrt(dlints_dot(m.features::float8[], m.features)
                                  * dlints_dot(q.features::float8[], q.features)) AS cosine
           FROM   decision b JOIN reward k ON k.decision_id = b.id JOIN movie q ON q.id = k.movie_id
           WHERE  b.visitor_id = d.visitor_id AND b.id < d.id
           ORDER  BY cosine DESC LIMIT 1) near ON true
WHERE  d.id = %(decision)s
ORDER  BY s.rank
