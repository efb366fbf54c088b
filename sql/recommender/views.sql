-- Views of a recommender --------------------------------------------------------
--
-- A template, executed after the tables and the objects that contain the user's expressions.

CREATE FUNCTION _dlints_recommender_views() RETURNS text LANGUAGE sql IMMUTABLE
RETURN $views$
-- Impressions with their user.  The features of an item come from its version and from the decision.  With OFFSET 0,
-- versions are read once per list, and only by queries that use features.
CREATE VIEW impression_user AS
SELECT d.id AS decision, d.user_id, d.session, d.treatment, d.at,
       @extschema@.dlints_unpack(d.profile) AS profile, i.item, i."position"::integer,
       i.probability::float8, i.expected::float8,
       @extschema@._dlints_logged_features(v.features, d.features, i."position") AS features,
       d.context,
       CASE WHEN s.is_centered
            THEN @extschema@._dlints_centered_features(v.features, d.features, i."position",
                                                       coalesce(s.examination, '{1}'))
            ELSE @extschema@._dlints_logged_features(v.features, d.features, i."position") END AS training_features,
       coalesce(s.examination[least(i."position", cardinality(s.examination))], 1) AS examination, i.effect
FROM   setting s, decision d,
       LATERAL (SELECT @extschema@._dlints_stack_packed(ARRAY(
                    SELECT (SELECT n.features FROM item_version n WHERE n.id = u.id)
                    FROM   unnest(d.versions) WITH ORDINALITY u (id, n) ORDER BY u.n)) AS features OFFSET 0) v,
       LATERAL unnest(d.items, d.probabilities, d.expected, d.effects)
           WITH ORDINALITY i (item, probability, expected, effect, "position");

CREATE VIEW impression AS
SELECT i.decision, i.item, i."position", i.probability, i.expected, i.features, i.effect FROM impression_user i;

-- Impressions with the rewards reported for them
CREATE VIEW outcome AS
SELECT l.decision, l.user_id, l.treatment, l.at, l.item, l."position", l.probability, l.expected,
       r.clicked, r.reward, l.session, l.context
FROM   impression_user l
       CROSS JOIN setting s
       CROSS JOIN LATERAL (
           SELECT array_agg(r.item) AS items, array_agg(r.outcome) AS outcomes, array_agg(r.value) AS values
           FROM   reward r WHERE r.decision = l.decision) t
       CROSS JOIN LATERAL (
           SELECT coalesce(bool_or(r.outcome = s.first_outcome
                                   AND (r.value <> 0 OR (s.outcomes ->> r.outcome)::float8 = 0)), false) AS clicked,
                  coalesce(sum(r.value), 0) AS reward
           FROM   unnest(t.items, t.outcomes, t.values) r (item, outcome, value)
           WHERE  same_item(r.item, l.item)) r;

-- Training examples of each model.  Models are trained on reward / examination, with the weight "examination".
CREATE VIEW training_example AS
SELECT m.name AS model, l.decision, l.user_id, l.at, l.profile, l.item, l.training_features AS features,
       coalesce(r.reward, 0) AS reward, l.examination, l.features AS item_features
FROM   model m
       CROSS JOIN impression_user l
       CROSS JOIN setting s
       CROSS JOIN LATERAL (
           SELECT array_agg(r.item) AS items, array_agg(r.outcome <> s.first_outcome) AS later,
                  array_agg(r.applied) AS applied
           FROM   reward r WHERE r.decision = l.decision) t
       CROSS JOIN LATERAL (
           SELECT sum(r.applied) AS reward
           FROM   unnest(t.items, t.later, t.applied) r (item, later, applied)
           WHERE  same_item(r.item, l.item) AND r.later = (m.name = 'later')) r
WHERE  m.learns
AND    l.decision >= s.trained_from
AND    NOT EXISTS (SELECT FROM pending p WHERE p.decision = l.decision)
AND    NOT EXISTS (SELECT FROM quarantine q WHERE q.decision = l.decision AND NOT q.is_applied);

-- The features of items at the current time, as models are trained on them.  The last feature, the neighbour score,
-- depends on the user.
CREATE VIEW item_features AS
SELECT v.item, v.features || v.popularity || @extschema@._dlints_ages(v.dates, now()) || 0::real AS features
FROM   item_vector v WHERE NOT v.is_deleted;

COMMENT ON VIEW impression IS 'log of lists, a row per item';
COMMENT ON VIEW impression_user IS 'log of lists with their user, a row per item';
COMMENT ON VIEW outcome IS 'impressions with the rewards reported for them';
COMMENT ON VIEW training_example IS 'examples that the models contain';
COMMENT ON VIEW item_features IS 'features of items at the current time, as models are trained on them';
$views$;
