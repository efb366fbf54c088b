-- Rankers: rewards, learning, correcting, cron ------------------------------

CREATE FUNCTION dlints_ranker_learning(words jsonb) RETURNS SETOF text
	LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$
BEGIN
	RETURN QUERY SELECT dlints_recommender_fill(template, words) FROM unnest(ARRAY[
$t$
-- What was answered, an action a row
CREATE OR REPLACE VIEW {s}.ranked AS
SELECT d.id AS decision, d.event, d.arm, d.at, r.place::integer,
       coalesce(a.value ->> 'id', a.value #>> '{}') AS action,
       coalesce((a.value ->> 'price')::float8, 0) AS price, r.probability, r.expected
FROM   {s}.decision d,
       LATERAL unnest(d.ranking, d.probabilities, d.expected)
           WITH ORDINALITY r (n, probability, expected, place),
       LATERAL (SELECT d.actions -> (r.n - 1)) a (value)
$t$,
$t$
-- What a decision teaches: the reward of what was chosen and, of the present system, that it
-- chose this and not the others
CREATE OR REPLACE FUNCTION {s}.example(d {s}.decision, told float8)
RETURNS TABLE (model text, features real[], reward float8) LANGUAGE sql STABLE AS $body$
SELECT 'reward', c.features, told
FROM   {s}.action(d.context, jsonb_build_array(d.actions -> (d.ranking[1] - 1))) c
UNION ALL
SELECT 'imitation', a.features, CASE a.n WHEN 1 THEN 1 ELSE 0 END
FROM   {s}.action(d.context, d.actions) a WHERE d.arm = 'present'
$body$
$t$,
$t$
-- How good what was chosen for an event turned out to be.  Any order will do, also before the
-- event is ranked; {again_said}.
CREATE OR REPLACE FUNCTION {s}.reward(event text, value float8) RETURNS void
LANGUAGE plpgsql SET search_path = {path} AS $body$
#variable_conflict use_column
BEGIN
    IF event IS NULL OR value IS NULL THEN
        RAISE 'a reward is a number for an event' USING ERRCODE = 'null_value_not_allowed';
    ELSIF abs(value) > 1e50 THEN        -- NaN is, too
        RAISE 'the value of a reward must be finite' USING ERRCODE = 'numeric_value_out_of_range';
    END IF;
    INSERT INTO {s}.reward AS r (event, value) VALUES (reward.event, reward.value)
    ON CONFLICT (event) DO {again};
END
$body$
$t$,
$t$
-- A deferred event was shown after all: from now on its reward is waited for.  False if there
-- is none such.
CREATE OR REPLACE FUNCTION {s}.activate(event text) RETURNS boolean
LANGUAGE plpgsql SET search_path = {path} AS $body$
#variable_conflict use_column
BEGIN
    WITH shown AS (
        UPDATE {s}.decision d SET active = true
        WHERE  d.event = activate.event AND NOT d.active RETURNING d.id)
    INSERT INTO {s}.due (decision, since) SELECT id, now() FROM shown;
    RETURN FOUND;
END
$body$
$t$,
$t$
-- Takes in what has waited long enough, with its reward or {default_reward}.  What comes later is a
-- correction: what was learned is taken back, and what is right is learned, as of the moment of the
-- decision.  Sessions that learn at once wait for each other at the models' rows; what a statement
-- reads after the wait is what the other one has left.  All is looked up by indexes and, with OFFSET 0,
-- one by one: no statistics say that few rewards are late.
CREATE OR REPLACE FUNCTION {s}.learn(wait interval DEFAULT {wait}) RETURNS bigint
LANGUAGE plpgsql SET search_path = {path} SET jit = off SET enable_seqscan = off AS $body$
DECLARE
    learned bigint := 0;
    batch   bigint[];
    n       bigint;
    events  text[];
BEGIN
    PERFORM FROM {s}.model ORDER BY name FOR UPDATE;
    LOOP
        WITH taken AS (
            DELETE FROM {s}.due WHERE decision = ANY (ARRAY(
                SELECT decision FROM {s}.due WHERE since <= now() - wait ORDER BY decision LIMIT 1000))
            RETURNING decision)
        SELECT array_agg(decision), count(*) INTO batch, n FROM taken;
        EXIT WHEN n = 0;
        events := ARRAY(SELECT event FROM {s}.decision WHERE id = ANY (batch));
        WITH made AS (
            SELECT d FROM {s}.decision d WHERE d.id = ANY (batch)),
        told AS (
            UPDATE {s}.reward r SET learned = r.value WHERE r.event = ANY (events)
            RETURNING r.event, r.value),
        example AS (
            SELECT x.*, (m.d).at
            FROM   made m LEFT JOIN told t ON t.event = (m.d).event,
                   LATERAL {s}.example(m.d, coalesce(t.value, {default_reward})) x),
        learn AS (
            UPDATE {s}.model m SET state = m.state || e.evidence
            FROM  (SELECT p.name,
                          {dlints}.dlints_evidence(p.state, x.features, x.reward, '{}', x.at) AS evidence
                   FROM   {s}.model p JOIN example x ON x.model = p.name
                   WHERE  {dlints}.dlints_accepts(p.state, x.features, x.reward, '{}', x.at)
                   GROUP  BY p.name) e
            WHERE  m.name = e.name)
        SELECT learned + n INTO learned;
        EXIT WHEN n < 1000;
    END LOOP;
    LOOP
        WITH late AS MATERIALIZED (
            SELECT r.event, coalesce(r.learned, {default_reward}) AS was, l.d
            FROM   {s}.reward r,
                   LATERAL (SELECT d FROM {s}.decision d WHERE d.event = r.event AND d.active
                            AND NOT EXISTS (SELECT FROM {s}.due q WHERE q.decision = d.id)
                            OFFSET 0) l
            WHERE  r.learned IS DISTINCT FROM r.value
            LIMIT  1000),
        told AS (
            UPDATE {s}.reward r SET learned = r.value FROM late l
            WHERE  r.event = l.event AND r.event = ANY (ARRAY(SELECT event FROM late))
            RETURNING l.d, l.was, r.value AS is_now),
        example AS (
            SELECT x.features, (t.d).at, t.was, t.is_now
            FROM   told t, LATERAL {s}.example(t.d, t.is_now) x WHERE x.model = 'reward'),
        learn AS (
            UPDATE {s}.model m SET state = (m.state - e.was) || e.is_now
            FROM  (SELECT p.name,
                          {dlints}.dlints_evidence(p.state, x.features, x.was, '{}', x.at)
                              FILTER (WHERE {dlints}.dlints_accepts(p.state, x.features, x.was, '{}',
                                                                    x.at)) AS was,
                          {dlints}.dlints_evidence(p.state, x.features, x.is_now, '{}', x.at)
                              FILTER (WHERE {dlints}.dlints_accepts(p.state, x.features, x.is_now, '{}',
                                                                    x.at)) AS is_now
                   FROM   {s}.model p, example x WHERE p.name = 'reward' GROUP BY p.name) e
            WHERE  m.name = e.name)
        SELECT count(*) INTO n FROM told;
        learned := learned + n;
        EXIT WHEN n < 1000;
    END LOOP;
    RETURN learned;
END
$body$
$t$,
$t$
-- The models anew, from what the log says that was learned
CREATE OR REPLACE FUNCTION {s}.rebuild() RETURNS void
LANGUAGE plpgsql SET search_path = {path} SET jit = off AS $body$
BEGIN
    PERFORM FROM {s}.model ORDER BY name FOR UPDATE;
    UPDATE {s}.model m SET state = {dlints}.dlints_scale(0, m.state) || e.evidence
    FROM  (WITH example AS (
               SELECT x.*, d.at
               FROM   {s}.decision d LEFT JOIN {s}.reward r ON r.event = d.event,
                      LATERAL {s}.example(d, coalesce(r.learned, {default_reward})) x
               WHERE  d.active AND NOT EXISTS (SELECT FROM {s}.due q WHERE q.decision = d.id))
           SELECT p.name,
                  {dlints}.dlints_evidence(p.state, x.features, x.reward, '{}', x.at) AS evidence
           FROM   {s}.model p LEFT JOIN example x ON x.model = p.name
                      AND {dlints}.dlints_accepts(p.state, x.features, x.reward, '{}', x.at)
           GROUP  BY p.name) e
    WHERE  m.name = e.name;
END
$body$
$t$,
$t$
-- The share of events that it decides from now on.  The others get the caller's first action.
CREATE OR REPLACE FUNCTION {s}.go_live(share float8 DEFAULT 1) RETURNS void
LANGUAGE plpgsql SET search_path = {path} AS $body$
BEGIN
    IF share IS NULL OR NOT share BETWEEN 0 AND 1 THEN
        RAISE 'the share must be between 0 and 1' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    UPDATE {s}.setting SET live = share;
END
$body$
$t$,
$t$
-- All that is due, for cron: every minute, or every few of them
CREATE OR REPLACE FUNCTION {s}.run() RETURNS text
LANGUAGE plpgsql SET search_path = {path} AS $body$
DECLARE
    learned bigint := {s}.learn();
BEGIN
    DELETE FROM {s}.reward WHERE at < now() - interval {keep};
    DELETE FROM {s}.due WHERE decision < {s}.first_decision(now() - interval {keep});
    PERFORM {s}.set_months();       -- last, since it locks out those that learn
    RETURN format('%s learned', learned);
END
$body$
$t$]) template;
END
$$;
COMMENT ON FUNCTION dlints_ranker_learning(jsonb)
	IS 'the statements that make what a ranker learns by and is kept in order by';
