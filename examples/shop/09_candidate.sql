-- A candidate is a model with other parameters.  It learns from the log up to a moment ...
CREATE FUNCTION train(candidate text, empty dlints, until timestamptz) RETURNS void LANGUAGE sql AS $$
INSERT INTO model
SELECT candidate, false, empty || dlints_evidence(empty, s.features, d.profile, s.learned, d.made_at)
FROM   decision d JOIN shown s ON s.decision_id = d.id WHERE d.made_at < until
ON CONFLICT (name) DO UPDATE SET state = excluded.state
$$;
-- ... what came after says what it would have earned: clicks for each of ten places ...
CREATE FUNCTION value(candidate text, since timestamptz) RETURNS dlints_value LANGUAGE sql STABLE AS $$
SELECT dlints_policy_value((s.reward > 0)::int, s.probability, t.probability, t.predicted, t.expected)
FROM  (SELECT d.id, c.*, sum(c.probability * c.predicted) OVER (PARTITION BY d.id) / 10 AS expected
       FROM   model m, decision d,
              LATERAL (SELECT p.id AS product_id, dlints_predict(m.state, p.features, d.profile) AS predicted,
                              (dlints_choose(m.state, p.features, d.profile, k => 10, draws => 50, bonus => p.boost,
                                  cap_group => p.brand, cap => 3) OVER (PARTITION BY d.id)).probability AS probability
                       FROM   product p WHERE p.id <> ALL (d.excluded) AND p.added_at <= d.made_at) c
       WHERE  m.name = candidate AND d.model = 'personal' AND d.made_at >= since) t
JOIN   shown s ON s.decision_id = t.id AND s.product_id = t.product_id
$$;
-- ... and it goes live: with all of the log it gets an arm, and learns on like the others.
CREATE FUNCTION go_live(candidate text, empty dlints, its_arm text) RETURNS void LANGUAGE sql AS $$
LOCK TABLE shown IN SHARE MODE;
SELECT train(candidate, empty, 'infinity');
UPDATE model SET learns = true WHERE name = candidate;
UPDATE arm SET model = candidate WHERE name = its_arm
$$;
