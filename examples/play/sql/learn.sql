-- learn the page that was seen: 1 for what was liked, 0 for the rest
WITH due AS (
    UPDATE shown s
    SET    learned = coalesce((SELECT r.reward FROM reward r
                               WHERE  r.decision_id = s.decision_id AND r.movie_id = s.movie_id), 0)
    FROM   decision d
    WHERE  d.id = s.decision_id AND s.learned IS NULL AND d.visitor_id = %(visitor)s
    RETURNING d.model, d.profile, s.movie_id, s.learned)
UPDATE model o SET state = o.state || e.evidence
FROM  (SELECT p.name, dlints_evidence(p.state, m.features, l.profile, l.learned) AS evidence
       FROM   due l JOIN model p ON p.name = l.model JOIN movie m ON m.id = l.movie_id
       GROUP  BY p.name) e
WHERE  o.name = e.name
