-- choose films by what the visitor liked and did not, log them, and return them
WITH seen AS (
    SELECT s.movie_id, m.features, r.reward
    FROM   decision d
           JOIN shown s ON s.decision_id = d.id
           JOIN movie m ON m.id = s.movie_id
           LEFT JOIN reward r ON r.decision_id = d.id AND r.movie_id = m.id
    WHERE  d.visitor_id = %(visitor)s),
person AS MATERIALIZED (
    SELECT dlints_profile(features, coalesce(reward, -0.1)) AS profile FROM seen),
candidate AS (
    SELECT m.id, dlints_choose(o.state, m.features, p.profile, k => %(films)s) OVER () AS choice
    FROM   visitor v JOIN model o ON o.name = v.model, person p, movie m
    WHERE  v.id = %(visitor)s AND m.id NOT IN (SELECT movie_id FROM seen)),
made AS (
    INSERT INTO decision (model, visitor_id, profile)
    SELECT v.model, v.id, p.profile FROM visitor v, person p WHERE v.id = %(visitor)s
    RETURNING id)
INSERT INTO shown (decision_id, movie_id, rank, probability)
SELECT made.id, c.id, (c.choice).rank, (c.choice).probability
FROM   made, candidate c
WHERE  (c.choice).rank IS NOT NULL
ORDER  BY (c.choice).rank
RETURNING decision_id, movie_id, rank, probability
