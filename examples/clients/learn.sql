-- Every few minutes: learn what was shown an hour ago, 0 where nothing came of it.
WITH due AS (
    UPDATE shown s
    SET    learned = coalesce((SELECT r.reward FROM reward r
                               WHERE  r.decision_id = s.decision_id
                               AND    r.product_id = s.product_id), 0)
    FROM   decision d
    WHERE  d.id = s.decision_id AND s.learned IS NULL AND d.made_at < now() - interval '1 hour'
    RETURNING d.model, d.profile, d.made_at, s.product_id, s.learned)
UPDATE model m SET state = m.state || e.evidence
FROM  (SELECT o.name, dlints_evidence(o.state, p.features, l.learned, l.profile, l.made_at)
                      AS evidence
       FROM   due l JOIN model o ON o.name = l.model JOIN product p ON p.id = l.product_id
       GROUP  BY o.name) e
WHERE  m.name = e.name;
