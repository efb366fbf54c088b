-- What web servers report goes into a queue that refuses nothing: a click and a purchase are 1
-- each, a cancelled purchase is -1.  What is shown and not clicked earns 0, and says it itself.
CREATE TABLE queue (decision_id bigint, product_id integer, kind text, reward float8, at timestamptz DEFAULT now());
CREATE TABLE misfit (LIKE queue);
CREATE TABLE feedback (LIKE queue, PRIMARY KEY (decision_id, product_id, kind),
    FOREIGN KEY (decision_id, product_id) REFERENCES shown ON DELETE CASCADE);

-- Every few minutes take in what was reported.  What fits no list that was shown, or no model,
-- is set aside; what is reported twice counts once.
CREATE FUNCTION take_in() RETURNS void LANGUAGE sql AS $$
WITH batch AS (DELETE FROM queue RETURNING *),
checked AS (
    SELECT b.*, b.kind IS NOT NULL
           AND dlints_accepts(m.state, s.features, d.profile, b.reward, d.made_at) IS TRUE AS fits
    FROM   batch b LEFT JOIN shown s USING (decision_id, product_id)
           LEFT JOIN decision d ON d.id = decision_id LEFT JOIN model m ON m.name = 'personal'),
aside AS (INSERT INTO misfit SELECT decision_id, product_id, kind, reward, at FROM checked WHERE NOT fits),
new AS (INSERT INTO feedback SELECT decision_id, product_id, kind, reward, at FROM checked WHERE fits
        ON CONFLICT DO NOTHING RETURNING *)
UPDATE shown s SET reward = s.reward + n.reward
FROM  (SELECT decision_id, product_id, sum(reward) AS reward FROM new GROUP BY 1, 2) n
WHERE  s.decision_id = n.decision_id AND s.product_id = n.product_id
$$;

-- ... and learn it, half an hour after it was shown.  What comes later is a correction: what
-- was learned is taken back, and what is right is learned, as of the moment of the page.
CREATE FUNCTION learn() RETURNS void LANGUAGE sql AS $$
WITH due AS (
    UPDATE shown s SET learned = s.reward FROM shown old JOIN decision d ON d.id = old.decision_id
    WHERE  s.decision_id = old.decision_id AND s.product_id = old.product_id
    AND    s.learned IS DISTINCT FROM s.reward AND s.learned IS NOT DISTINCT FROM old.learned
    AND    old.learned IS DISTINCT FROM old.reward AND d.made_at < now() - interval '30 minutes'
    RETURNING d.made_at, d.profile, s.features, old.learned AS was, s.learned AS is_now)
UPDATE model m SET state = (m.state - e.was) || e.is_now
FROM  (SELECT p.name, dlints_evidence(p.state, l.features, l.profile, l.was, l.made_at) AS was,
              dlints_evidence(p.state, l.features, l.profile, l.is_now, l.made_at) AS is_now
       FROM   due l, model p WHERE p.learns GROUP BY p.name) e WHERE m.name = e.name
$$;
