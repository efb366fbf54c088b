-- on second thoughts, not
DELETE FROM reward r
USING  shown s JOIN decision d ON d.id = s.decision_id
WHERE  d.id = %(decision)s AND d.visitor_id = %(visitor)s AND s.movie_id = %(movie)s AND s.learned IS NULL
AND    r.decision_id = s.decision_id AND r.movie_id = s.movie_id
