-- what the visitor liked, the latest first
SELECT f.title
FROM   home.decision d
       JOIN home.reward r ON r.decision = d.id AND r.value > 0
       JOIN film f ON f.id = r.item
WHERE  d.person = %(visitor)s
ORDER  BY r.at DESC, f.id
