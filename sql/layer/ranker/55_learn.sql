-- What a decision teaches: the reward of what was chosen, if it is known, and, of the present system, that
-- it chose this and not the others
CREATE OR REPLACE FUNCTION {s}.example(d {s}.decision, told float8)
RETURNS TABLE (model text, features real[], reward float8) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT 'reward' AS model, c.features, told AS reward
    FROM   {s}.action(d.context, jsonb_build_array(d.actions -> (d.ranking[1] - 1))) c
    WHERE  told IS NOT NULL
    UNION ALL
    SELECT 'imitation', a.features, CASE a.n WHEN 1 THEN 1 ELSE 0 END
    FROM   {s}.action(d.context, d.actions) a WHERE d.arm = 'present';
END;

-- All that each model has learned
CREATE OR REPLACE VIEW {s}.learned AS
SELECT x.model, d.id AS decision, d.event, d.at, '{}'::real[] AS profile, x.features, x.reward,
       1::float8 AS looked_at
FROM   {s}.decision d LEFT JOIN {s}.reward r ON r.event = d.event,
       LATERAL {s}.example(d, coalesce(r.learned, {default_reward})) x
WHERE  d.active
AND    d.id >= (SELECT known_from FROM {s}.setting)
AND    NOT EXISTS (SELECT FROM {s}.due q WHERE q.decision = d.id)
AND    NOT EXISTS (SELECT FROM {s}.set_aside a WHERE a.decision = d.id AND NOT a.known);

-- Up to a thousand decisions that have waited
CREATE OR REPLACE FUNCTION {s}.take_due(wait interval) RETURNS bigint[] LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH taken AS (
        DELETE FROM {s}.due WHERE decision = ANY (ARRAY(
            SELECT q.decision FROM {s}.due q WHERE q.since <= now() - take_due.wait
            ORDER  BY q.decision LIMIT 1000))
        RETURNING decision)
    SELECT ARRAY(SELECT decision FROM taken);
END;

-- Learns the rewards of decisions, or {default_reward} for those without
CREATE OR REPLACE FUNCTION {s}.take_in(decisions bigint[]) RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH free AS MATERIALIZED (
        SELECT r.event FROM {s}.reward r
        WHERE  r.event = ANY (ARRAY(SELECT d.event FROM {s}.decision d WHERE d.id = ANY (decisions)))
        FOR    UPDATE SKIP LOCKED),
    told AS (
        UPDATE {s}.reward r SET learned = r.value
        WHERE  r.event = ANY (ARRAY(SELECT f.event FROM free f))
        RETURNING r.event, r.value),
    example AS (
        SELECT x.model, x.features::{vector} AS features, x.reward, d.at
        FROM   {s}.decision d LEFT JOIN told t ON t.event = d.event,
               LATERAL {s}.example(d, coalesce(t.value, {default_reward})) x
        WHERE  d.id = ANY (decisions))
    UPDATE {s}.model m SET state = {dlints}.dlints_concat(m.state, e.evidence)
    FROM  (SELECT p.name,
                  {dlints}.dlints_evidence(p.state, x.features, x.reward, '{}'::{vector}, x.at) AS evidence
           FROM   {s}.model p JOIN example x ON x.model = p.name
           WHERE  {dlints}.dlints_accepts(p.state, x.features, x.reward, '{}'::{vector}, x.at)
           GROUP  BY p.name) e
    WHERE  m.name = e.name;
END;

-- Up to a thousand decisions that were learned before their reward was told
CREATE OR REPLACE FUNCTION {s}.take_late() RETURNS bigint[] LANGUAGE sql STABLE
RETURN ARRAY(
    SELECT l.id
    FROM   {s}.reward r,
           LATERAL (SELECT d.id FROM {s}.decision d
                    WHERE  d.event = r.event AND d.active
                    AND    d.id >= (SELECT known_from FROM {s}.setting)
                    AND    NOT EXISTS (SELECT FROM {s}.due q WHERE q.decision = d.id)
                    AND    NOT EXISTS (SELECT FROM {s}.set_aside a WHERE a.decision = d.id)
                    OFFSET 0) l
    WHERE  r.learned IS DISTINCT FROM r.value
    LIMIT  1000);

CREATE OR REPLACE FUNCTION {s}.correct(decisions bigint[]) RETURNS bigint LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH late AS MATERIALIZED (
        SELECT r.event, coalesce(r.learned, {default_reward}) AS was, d
        FROM   {s}.decision d,
               LATERAL (SELECT r.event, r.learned FROM {s}.reward r
                        WHERE  r.event = d.event AND r.learned IS DISTINCT FROM r.value OFFSET 0
                        FOR    UPDATE SKIP LOCKED) r
        WHERE  d.id = ANY (decisions)),
    told AS (
        UPDATE {s}.reward r SET learned = r.value FROM late l
        WHERE  r.event = l.event AND r.event = ANY (ARRAY(SELECT event FROM late))
        RETURNING l.d, l.was, r.value AS is_now),
    example AS (
        SELECT x.features::{vector} AS features, (t.d).at, t.was, t.is_now
        FROM   told t, LATERAL {s}.example(t.d, t.is_now) x WHERE x.model = 'reward'),
    learn AS (
        UPDATE {s}.model m
        SET    state = {dlints}.dlints_concat({dlints}.dlints_retract(m.state, e.was), e.is_now)
        FROM  (SELECT p.name,
                      {dlints}.dlints_evidence(p.state, x.features, x.was, '{}'::{vector}, x.at) FILTER (
                          WHERE {dlints}.dlints_accepts(p.state, x.features, x.was, '{}'::{vector},
                                                        x.at)) AS was,
                      {dlints}.dlints_evidence(p.state, x.features, x.is_now, '{}'::{vector}, x.at) FILTER (
                          WHERE {dlints}.dlints_accepts(p.state, x.features, x.is_now, '{}'::{vector},
                                                        x.at)) AS is_now
               FROM   {s}.model p, example x WHERE p.name = 'reward' GROUP BY p.name) e
        WHERE  m.name = e.name)
    SELECT count(*) FROM told;
END;

-- From now on the models are taken to know what was told of these.
CREATE OR REPLACE FUNCTION {s}.believe_told(decisions bigint[]) RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    UPDATE {s}.reward SET learned = value
    WHERE  event = ANY (ARRAY(SELECT d.event FROM {s}.decision d WHERE d.id = ANY (decisions)))
    AND    learned IS DISTINCT FROM value;
END;

CREATE OR REPLACE FUNCTION {s}.delete_log(decisions bigint[]) RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    DELETE FROM {s}.reward
    WHERE  event = ANY (ARRAY(SELECT d.event FROM {s}.decision d WHERE d.id = ANY (decisions)));
    DELETE FROM {s}.paid
    WHERE  event = ANY (ARRAY(SELECT d.event FROM {s}.decision d WHERE d.id = ANY (decisions)));
    DELETE FROM {s}.decision WHERE id = ANY (decisions);
END;

-- What is no longer kept.  A reward of an event that nobody knows goes after a day, unless it may
-- yet be activated.
CREATE OR REPLACE FUNCTION {s}.tidy() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    DELETE FROM {s}.reward r
    WHERE  r.learned IS NULL AND r.learned IS DISTINCT FROM r.value AND r.at < now() - interval '1 day'
    AND    NOT EXISTS (SELECT FROM {s}.decision d WHERE d.event = r.event);
    DELETE FROM {s}.reward r WHERE r.at < now() - {keep}::interval
    AND    NOT EXISTS (SELECT FROM {s}.decision d
                       WHERE d.event = r.event AND d.id >= (SELECT known_from FROM {s}.setting));
    DELETE FROM {s}.paid p WHERE p.at < now() - {keep}::interval - interval '1 day';
END;

-- Of a ranker nothing but prices is made anew from time to time.
CREATE OR REPLACE FUNCTION {s}.keep_fresh(part text) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off AS $body$
DECLARE
    told text;
BEGIN
    IF part = 'prices' AND {has_promises} THEN
        told := {s}.find_prices(1);
        UPDATE {s}.job SET done_at = now()          -- that it comes, but for where a page is at it
        WHERE  name = (SELECT j.name FROM {s}.job j WHERE j.name = 'prices' AND j.problem IS NULL
                       FOR UPDATE SKIP LOCKED);
    END IF;
    RETURN told;
END
$body$;

-- The share of events that it decides from now on.  The others get the caller's first action.
CREATE OR REPLACE FUNCTION {s}.go_live(share float8 DEFAULT 1) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
    IF share IS NULL OR NOT share BETWEEN 0 AND 1 THEN
        RAISE 'the share must be between 0 and 1' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    UPDATE {s}.setting SET live = share;
END
$body$;
