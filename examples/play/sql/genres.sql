-- Genres of the latest 300 likes, and the number of likes of this visitor among them
SELECT genre, count(*) AS likes, count(*) FILTER (WHERE d.user_id = %(visitor)s) AS yours
FROM  (SELECT * FROM home.reward WHERE value > 0 ORDER BY at DESC LIMIT 300) r
       JOIN home.decision d ON d.id = r.decision
       JOIN film f ON f.id = r.item,
       unnest(f.genres) genre
GROUP  BY genre
ORDER  BY likes DESC, genre
LIMIT  10
