-- How likely a place is looked at, the last one that was given for all after it
CREATE OR REPLACE FUNCTION {s}.looked_at(place integer) RETURNS float8
LANGUAGE sql IMMUTABLE
RETURN {looked_at};

-- All that each model has learned.  What is seldom looked at weighs less: it is learned as
-- reward / looked_at, with looked_at as its weight.  Of a list that is
-- learned by contrast "features" have the mean of the list taken off, and "whole" has not.
CREATE OR REPLACE VIEW {s}.learned AS
SELECT m.name AS model, s.decision, s.person, s.at, s.profile, s.item, s.learned_as AS features,
       coalesce(r.reward, 0) AS reward, {s}.looked_at(s.place) AS looked_at, s.features AS whole
FROM   {s}.model m
       CROSS JOIN {s}.listed s
       CROSS JOIN LATERAL (SELECT array_agg(r.item) AS items, array_agg(r.outcome <> {first}) AS later,
                                  array_agg(r.learned) AS learned
                           FROM   {s}.reward r WHERE r.decision = s.decision) t
       CROSS JOIN LATERAL (SELECT sum(r.learned) AS reward
                           FROM   unnest(t.items, t.later, t.learned) r (item, later, learned)
                           WHERE  r.item {same_item} s.item AND r.later = (m.name = 'later')) r
WHERE  m.learns
AND    s.decision >= (SELECT known_from FROM {s}.setting)
AND    NOT EXISTS (SELECT FROM {s}.due q WHERE q.decision = s.decision)
AND    NOT EXISTS (SELECT FROM {s}.set_aside a WHERE a.decision = s.decision AND NOT a.known);

-- Up to a thousand decisions that have waited
CREATE OR REPLACE FUNCTION {s}.take_due(wait interval) RETURNS bigint[] LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH taken AS (
        DELETE FROM {s}.due WHERE decision = ANY (ARRAY(
            SELECT q.decision FROM {s}.due q
            WHERE  q.decision < {s}.first_decision(now() - take_due.wait + interval '1 second')
            ORDER  BY q.decision LIMIT 1000))
        RETURNING decision)
    SELECT ARRAY(SELECT decision FROM taken);
END;

-- Learns every item that was shown, with what came of it or 0.  With OFFSET 0 each decision is
-- looked up by its number, in its month, however many there are; and each model reads them for itself,
-- since what is read is wide, and would be sorted by model.
CREATE OR REPLACE FUNCTION {s}.take_in(decisions bigint[]) RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH free AS MATERIALIZED (
        SELECT r.decision, r.item, r.outcome FROM {s}.reward r WHERE r.decision = ANY (decisions)
        FOR    UPDATE SKIP LOCKED),
    told AS (
        UPDATE {s}.reward r SET learned = r.value
        FROM   free f
        WHERE  r.decision = f.decision AND r.item {same_item} f.item AND r.outcome = f.outcome
        AND    r.decision = ANY (decisions)
        RETURNING r.decision, r.item, r.outcome <> {first} AS later, r.value),
    earned AS (
        SELECT t.decision, t.item, t.later, sum(t.value) AS value FROM told t GROUP BY 1, 2, 3)
    UPDATE {s}.model m SET state = {dlints}.dlints_concat(m.state, e.evidence)
    FROM   {s}.model p,
           LATERAL (SELECT {dlints}.dlints_evidence(p.state, s.learned_as::{vector}, coalesce(t.value, 0) / l.looked_at,
                                                    s.profile::{vector}, s.at, l.looked_at) AS evidence
                    FROM   unnest(decisions) b (decision)
                           CROSS JOIN LATERAL (SELECT * FROM {s}.listed s WHERE s.decision = b.decision OFFSET 0) s
                           CROSS JOIN LATERAL (SELECT {s}.looked_at(s.place) AS looked_at) l
                           LEFT JOIN earned t ON t.decision = s.decision AND t.item {same_item} s.item
                               AND t.later = (p.name = 'later')
                    WHERE  {dlints}.dlints_accepts(p.state, s.learned_as::{vector}, coalesce(t.value, 0) / l.looked_at,
                                                   s.profile::{vector}, s.at, l.looked_at)) e
    WHERE  m.name = p.name AND p.learns AND e.evidence IS NOT NULL;
END;

-- Up to a thousand decisions that were learned before all was told
CREATE OR REPLACE FUNCTION {s}.take_late() RETURNS bigint[] LANGUAGE sql STABLE
RETURN ARRAY(
    SELECT r.decision FROM {s}.reward r
    WHERE  r.learned IS DISTINCT FROM r.value
    AND    r.decision >= (SELECT known_from FROM {s}.setting)
    AND    EXISTS (SELECT FROM {s}.decision d WHERE d.id = r.decision OFFSET 0)
    AND    NOT EXISTS (SELECT FROM {s}.due q WHERE q.decision = r.decision OFFSET 0)
    AND    NOT EXISTS (SELECT FROM {s}.set_aside a WHERE a.decision = r.decision OFFSET 0)
    LIMIT  1000);

CREATE OR REPLACE FUNCTION {s}.correct(decisions bigint[]) RETURNS bigint LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH late AS MATERIALIZED (
        SELECT r.decision, r.item, r.outcome, r.learned
        FROM   {s}.reward r
        WHERE  r.learned IS DISTINCT FROM r.value
        AND    r.decision = ANY (decisions)
        FOR    UPDATE SKIP LOCKED),
    told AS (
        UPDATE {s}.reward r SET learned = r.value
        FROM   late l
        WHERE  r.decision = l.decision AND r.item {same_item} l.item AND r.outcome = l.outcome
        AND    r.decision = ANY (decisions)
        RETURNING r.decision, r.item, r.outcome <> {first} AS later,
                  r.value - coalesce(l.learned, 0) AS change),
    shown AS (
        SELECT p.name, p.state, s.learned_as::{vector} AS features, s.profile::{vector} AS profile, s.at,
               w.was / o.looked_at AS was, (w.was + t.change) / o.looked_at AS is_now, o.looked_at
        FROM  (SELECT t.decision, t.item, t.later, sum(t.change) AS change
               FROM   told t GROUP BY 1, 2, 3) t
               CROSS JOIN LATERAL (
                   SELECT * FROM {s}.listed s
                   WHERE  s.decision = t.decision AND s.item {same_item} t.item OFFSET 0) s
               CROSS JOIN LATERAL (SELECT {s}.looked_at(s.place) AS looked_at) o
               JOIN {s}.model p ON p.learns AND (p.name = 'later') = t.later,
               LATERAL (SELECT coalesce(sum(r.learned), 0) AS was FROM {s}.reward r
                        WHERE  r.decision = t.decision AND r.item {same_item} t.item
                        AND    (r.outcome <> {first}) = t.later) w),
    learn AS (
        UPDATE {s}.model m
        SET    state = {dlints}.dlints_concat({dlints}.dlints_retract(m.state, e.was), e.is_now)
        FROM  (SELECT s.name,
                      {dlints}.dlints_evidence(s.state, s.features, s.was, s.profile, s.at,
                                               s.looked_at) FILTER (
                          WHERE {dlints}.dlints_accepts(s.state, s.features, s.was, s.profile, s.at,
                                                        s.looked_at)) AS was,
                      {dlints}.dlints_evidence(s.state, s.features, s.is_now, s.profile, s.at,
                                               s.looked_at) FILTER (
                          WHERE {dlints}.dlints_accepts(s.state, s.features, s.is_now, s.profile, s.at,
                                                        s.looked_at)) AS is_now
               FROM   shown s GROUP BY s.name) e
        WHERE  m.name = e.name)
    SELECT count(*) FROM told;
END;

-- From now on the models are taken to know what was told of these.
CREATE OR REPLACE FUNCTION {s}.believe_told(decisions bigint[]) RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    UPDATE {s}.reward SET learned = value
    WHERE  decision = ANY (decisions) AND learned IS DISTINCT FROM value;
END;

CREATE OR REPLACE FUNCTION {s}.delete_log(decisions bigint[]) RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    DELETE FROM {s}.reward WHERE decision = ANY (decisions);
    DELETE FROM {s}.decision WHERE id = ANY (decisions);
END;

-- What nobody could know a day later
CREATE OR REPLACE FUNCTION {s}.tidy() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    DELETE FROM {s}.reward r
    WHERE  r.learned IS DISTINCT FROM r.value AND r.learned IS NULL AND r.at < now() - interval '1 day'
    AND    NOT EXISTS (SELECT FROM {s}.decision d WHERE d.id = r.decision);
END;
