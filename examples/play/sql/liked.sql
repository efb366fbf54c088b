-- what the visitor liked, the latest first
SELECT m.title
FROM   decision d JOIN reward r ON r.decision_id = d.id JOIN movie m ON m.id = r.movie_id
WHERE  d.visitor_id = %(visitor)s
ORDER  BY r.given_at DESC, m.id
