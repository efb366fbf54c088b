-- the page that the visitor has before them, not learned yet
SELECT max(d.id) FROM decision d JOIN shown s ON s.decision_id = d.id
WHERE  d.visitor_id = %(visitor)s AND s.learned IS NULL
