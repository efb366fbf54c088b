-- The visitor's likes, newest first
SELECT f.title
FROM   home.decision d
       JOIN home.reward r ON r.decision = d.id AND r.value > 0
       JOIN film f ON f.id = r.item
WHERE  d.user_id = %(visitor)s
ORDER  BY r.at DESC, f.id
