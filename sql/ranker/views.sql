-- Views of a ranker ----------------------------------------------------------------
--
-- A template, executed after the tables.

CREATE FUNCTION _dlints_ranker_views() RETURNS text LANGUAGE sql IMMUTABLE
RETURN $views$
-- All rankings, one action per row
CREATE VIEW ranked AS
SELECT d.id AS decision, d.event, d.treatment, d.at, r."position"::integer,
       @extschema@._dlints_action_id(a.value) AS action,
       coalesce(@extschema@._dlints_announced_cost(a.value, 'price'::text), 0) AS price, r.probability, r.expected
FROM   decision d,
       LATERAL (SELECT r.*, a.value
                FROM   unnest(d.ranking, d.probabilities, d.expected)
                           WITH ORDINALITY r (n, probability, expected, "position")
                       JOIN jsonb_array_elements(d.actions) WITH ORDINALITY a (value, n) ON a.n = r.n) r,
       LATERAL (SELECT r.value) a;

-- Chosen actions with their rewards.  A reward is NULL until the attribution window has passed, because earlier
-- rewards are a biased sample.  "earned" is the reward minus the price.
CREATE VIEW outcome AS
SELECT d.id AS decision, d.event, d.treatment, d.at, d.context, c.action, c.price,
       d.probabilities[1] AS probability, d.expected[1] AS expected, cardinality(d.ranking) AS candidates,
       d.imitated, o.reward, o.reward - c.price AS earned
FROM   setting s
       CROSS JOIN decision d
       CROSS JOIN LATERAL (SELECT d.actions -> (d.ranking[1] - 1) AS document) a
       CROSS JOIN LATERAL (
           SELECT @extschema@._dlints_action_id(a.document) AS action,
                  coalesce(@extschema@._dlints_announced_cost(a.document, 'price'::text), 0) AS price) c
       LEFT JOIN reward r ON r.event = d.event
       CROSS JOIN LATERAL (
           SELECT CASE WHEN coalesce(d.activated_at, d.at) <= now() - s.attribution_window
                            AND NOT EXISTS (SELECT FROM pending p WHERE p.decision = d.id)
                       THEN coalesce(r.value, s.default_reward) END AS reward) o
WHERE  d.active;

-- Training examples of each model
CREATE VIEW training_example AS
SELECT x.model, d.id AS decision, d.event, d.at, '{}'::real[] AS profile, x.features, x.reward,
       1::float8 AS examination
FROM   setting s
       CROSS JOIN (SELECT coalesce(array_agg(p.name), '{}') AS constraint_names FROM constraint_price p) c
       CROSS JOIN decision d
       LEFT JOIN reward r ON r.event = d.event
       CROSS JOIN LATERAL @extschema@._dlints_ranker_examples(
           d.context - s.user_key, d.actions, d.ranking[1], d.treatment, coalesce(r.applied, s.default_reward),
           s.vectors, c.constraint_names) x
WHERE  d.active
AND    d.id >= s.trained_from
AND    NOT EXISTS (SELECT FROM pending p WHERE p.decision = d.id)
AND    NOT EXISTS (SELECT FROM quarantine q WHERE q.decision = d.id AND NOT q.is_applied);

COMMENT ON TABLE setting IS 'arguments of the ranker, and constants derived from them';
COMMENT ON TABLE decision IS 'log of decisions, a month per partition';
COMMENT ON TABLE event IS 'the decision of each event';
COMMENT ON TABLE reward IS 'rewards of events';
COMMENT ON TABLE event_cost IS 'reported costs of events, by name of the constraint';
COMMENT ON TABLE action_cost IS 'reported costs of actions, relative to the costs passed to rank()';
COMMENT ON TABLE pending IS 'decisions that the models have not been trained on yet';
COMMENT ON TABLE model IS 'models; the view "models" has their counts';
COMMENT ON VIEW ranked IS 'all answers, an action per row';
COMMENT ON VIEW outcome IS 'chosen actions with their rewards';
COMMENT ON VIEW training_example IS 'examples that the models have been trained on';
$views$;
