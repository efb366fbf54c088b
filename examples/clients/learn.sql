-- Train the model on the impressions of an hour ago and before, every few minutes.  An impression without a
-- reported reward has the reward 0.
WITH example AS (
    UPDATE impression s
    SET    trained = coalesce((SELECT r.reward FROM reward r
                               WHERE  r.decision_id = s.decision_id
                               AND    r.product_id = s.product_id), 0)
    FROM   decision d
    WHERE  d.id = s.decision_id AND s.trained IS NULL AND d.made_at < now() - interval '1 hour'
    RETURNING d.model, d.profile, d.made_at, s.product_id, s.trained)
UPDATE model m SET state = m.state || e.evidence
FROM  (SELECT o.name, dlints_evidence(o.state, p.features, x.trained, x.profile, x.made_at)
                      AS evidence
       FROM   example x JOIN model o ON o.name = x.model JOIN product p ON p.id = x.product_id
       GROUP  BY o.name) e
WHERE  m.name = e.name;
