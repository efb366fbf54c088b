-- the visitor likes a film of a page that was shown to this visitor, or, 0, not any more
SELECT home.reward(d.id, s.item, 'click', %(value)s)
FROM   home.decision d JOIN home.shown s ON s.decision = d.id
WHERE  d.id = %(decision)s AND d.person = %(visitor)s AND s.item = %(film)s
