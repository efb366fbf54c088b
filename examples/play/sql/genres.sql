-- the genres of the latest 300 likes of all visitors, and how many are this visitor's
SELECT genre, count(*) AS likes, count(*) FILTER (WHERE d.visitor_id = %(visitor)s) AS yours
FROM  (SELECT * FROM reward ORDER BY given_at DESC LIMIT 300) r
       JOIN decision d ON d.id = r.decision_id
       JOIN movie m ON m.id = r.movie_id,
       unnest(m.genres) genre
GROUP  BY genre
ORDER  BY likes DESC, genre
LIMIT  10
