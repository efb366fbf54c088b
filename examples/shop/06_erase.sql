-- A person is erased: the models forget what they learned from this person, to rounding as if
-- they had never seen it; trials are over; and the rest goes with the customer's row.
CREATE FUNCTION erase(customer integer) RETURNS void LANGUAGE sql AS $$
UPDATE model m SET state = m.state - e.evidence
FROM  (SELECT p.name, dlints_evidence(p.state, s.features, d.profile, s.learned, d.made_at) AS evidence
       FROM   decision d JOIN shown s ON s.decision_id = d.id, model p
       WHERE  d.customer_id = customer AND p.learns GROUP BY p.name) e WHERE m.name = e.name;
DELETE FROM model m WHERE NOT learns AND NOT EXISTS (SELECT FROM arm WHERE model = m.name);
DELETE FROM customer c WHERE c.id = customer
$$;
