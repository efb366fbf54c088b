-- Report that the visitor likes a film of one of their pages; 0 takes a like back
SELECT home.reward(d.id, s.item, 'click', %(value)s)
FROM   home.decision d JOIN home.impression s ON s.decision = d.id
WHERE  d.id = %(decision)s AND d.user_id = %(visitor)s AND s.item = %(film)s
