-- Rankers: tables, features, ranking ----------------------------------------
--
-- A ranker is a schema of its user's own tables and functions, as a recommender
-- is.  Its candidates come with each request, described by documents.  Functions
-- and views are made OR REPLACE, so that they can be made anew.

CREATE FUNCTION dlints_ranker_tables(words jsonb) RETURNS SETOF text
	LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$
BEGIN
	RETURN QUERY SELECT dlints_recommender_fill(template, words) FROM unnest(ARRAY[
$t$
CREATE SCHEMA {s}
$t$,
$t$
-- What it was made with, and the share of events that it decides; go_live sets that.
CREATE TABLE {s}.setting (
    single    boolean PRIMARY KEY DEFAULT true CHECK (single),
    arguments jsonb NOT NULL,
    live      float8 NOT NULL CHECK (live BETWEEN 0 AND 1))
$t$,
$t$
INSERT INTO {s}.setting (arguments, live) VALUES ({arguments}, {live})
$t$,
$t$
-- What was learned: rewards, and what the caller's present system chooses.  A state is
-- large: look at the view "models" instead.
CREATE TABLE {s}.model (
    name  text PRIMARY KEY,
    state {dlints}.dlints({dim}) NOT NULL)
$t$,
$t$
INSERT INTO {s}.model
SELECT name, {dlints}.dlints_new({dim}, half_life => {half_life})
FROM   unnest(ARRAY['reward', 'imitation']) AS name
$t$,
$t$
CREATE OR REPLACE VIEW {s}.models AS
SELECT m.name, i.updates, i.newest, i.memory, i.memories, i.effective_sample_size,
       i.mean_reward, i.sigma, i.bytes, i.hint
FROM   {s}.model m, {dlints}.dlints_info(m.state) i
$t$,
$t$
-- Decisions are numbered by their time, so that a decision's number says in which
-- partition it is.
CREATE SEQUENCE {s}.decision_number MINVALUE 0 MAXVALUE 4194303 START 0 CYCLE
$t$,
$t$
-- What was asked and answered.  The arrays are in the order of the ranking.
CREATE TABLE {s}.decision (
    id            bigint PRIMARY KEY,
    event         text NOT NULL,
    arm           text NOT NULL,            -- live, or present: the caller's first action
    at            timestamptz NOT NULL,
    active        boolean NOT NULL,         -- false until it is activated
    context       jsonb NOT NULL,
    actions       jsonb NOT NULL,           -- as they were given
    ranking       integer[] NOT NULL,       -- their places among those given; the first is chosen
    probabilities float8[] NOT NULL,        -- of being the first, under the decision's arm
    expected      float8[] NOT NULL,        -- rewards
    imitated      boolean                   -- did the imitation choose as the present system?
) PARTITION BY RANGE (id)
$t$,
$t$
CREATE TABLE {s}.decision_rest PARTITION OF {s}.decision DEFAULT
$t$,
$t$
-- Months are made like it: an event has one answer, whatever a transaction sees.
CREATE UNIQUE INDEX ON {s}.decision_rest (event)
$t$,
$t$
-- Rewards refer to nothing, so that they can come in any order.
CREATE TABLE {s}.reward (
    event   text PRIMARY KEY,
    value   float8 NOT NULL,
    at      timestamptz NOT NULL DEFAULT now(),
    learned float8)                         -- what the model knows of it
$t$,
$t$
CREATE INDEX ON {s}.reward (event) WHERE learned IS DISTINCT FROM value
$t$,
$t$
CREATE INDEX ON {s}.reward (at)
$t$,
$t$
-- Decisions that are not learned yet, and since when a reward is waited for
CREATE TABLE {s}.due (decision bigint PRIMARY KEY, since timestamptz NOT NULL)
$t$]) template;
END
$$;
COMMENT ON FUNCTION dlints_ranker_tables(jsonb) IS 'the statements that make a ranker''s tables';

CREATE FUNCTION dlints_ranker_ranking(words jsonb) RETURNS SETOF text
	LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$
BEGIN
	RETURN QUERY SELECT dlints_recommender_fill(template, words) FROM unnest(ARRAY[
$t$
-- A number as a word: whole ones below 32 (hours, weekdays, counts) stand for themselves,
-- others fall into bands, two for each doubling.  To have years apart, write them as text.
CREATE OR REPLACE FUNCTION {s}.band(x numeric) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $body$
BEGIN
    RETURN CASE WHEN abs(x) < 32 AND x = trunc(x) THEN trunc(x)::text
                ELSE CASE WHEN x < 0 THEN '-2^' ELSE '2^' END
                     || round(2 * ln(greatest(least(abs(x), 1e300), 1e-300)::float8)
                              / ln(2::float8)) / 2 END;
END
$body$
$t$,
$t$
-- The names in documents: every value in one is a name, below the keys that lead to it
CREATE OR REPLACE FUNCTION {s}.names(documents jsonb) RETURNS TABLE (n integer, names text[])
LANGUAGE plpgsql IMMUTABLE AS $body$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH RECURSIVE part (n, path, value) AS (
        SELECT d.n::integer, '', d.value
        FROM   jsonb_array_elements(documents) WITH ORDINALITY d (value, n)
        UNION ALL
        SELECT p.n, e.path, e.value
        FROM   part p,
               LATERAL (SELECT p.path || '.' || key, value
                        FROM   jsonb_each(CASE jsonb_typeof(p.value) WHEN 'object' THEN p.value END)
                        UNION ALL
                        SELECT p.path, value
                        FROM   jsonb_array_elements(CASE jsonb_typeof(p.value) WHEN 'array' THEN p.value END)
                       ) e (path, value)
        WHERE  jsonb_typeof(p.value) IN ('object', 'array'))
    SELECT n, array_agg(path || '=' || CASE jsonb_typeof(value)
               WHEN 'number' THEN {s}.band(value::numeric) ELSE value #>> '{}' END)
    FROM   part WHERE jsonb_typeof(value) IN ('string', 'number', 'boolean')
    GROUP  BY n;
END
$body$
$t$,
$t$
-- The actions of a request: what they are called, what they cost, and what they are.  A context
-- is the same for all of them and ranks nothing by itself.  So each of its names makes a pair
-- with each name of an action, and a model learns what the two are worth together.
CREATE OR REPLACE FUNCTION {s}.action(context jsonb, actions jsonb)
RETURNS TABLE (n integer, id text, price float8, features real[])
LANGUAGE sql IMMUTABLE AS $body$
SELECT a.n::integer, coalesce(a.value ->> 'id', a.value #>> '{}'),
       coalesce((a.value ->> 'price')::float8, 0),
       {dlints}.dlints_encode({dim}, '', f.names || ARRAY(
           SELECT f.name || ' ' || c.name
           FROM   {s}.names(jsonb_build_array(context)) w,
                  unnest(w.names) c (name), unnest(f.names) f (name)))
FROM   jsonb_array_elements(actions) WITH ORDINALITY a (value, n)
       JOIN {s}.names((
           SELECT jsonb_agg(CASE jsonb_typeof(value) WHEN 'object' THEN value - 'price' ELSE value END)
           FROM   jsonb_array_elements(actions))) f ON f.n = a.n
$body$
$t$,
$t$
-- An error if these are no actions
CREATE OR REPLACE FUNCTION {s}.check_actions(actions jsonb) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = {path} AS $body$
DECLARE
    action jsonb;
    ids    text[];
BEGIN
    IF jsonb_typeof(actions) IS DISTINCT FROM 'array' OR actions = '[]' THEN
        RAISE 'actions must be an array of at least one'
            USING ERRCODE = 'invalid_parameter_value',
            HINT = 'For example [{"id": "a", "features": {"size": "large"}}, {"id": "b"}].';
    END IF;
    FOR action IN SELECT value FROM jsonb_array_elements(actions) LOOP
        ids := ids || coalesce(action ->> 'id',
                               CASE jsonb_typeof(action) WHEN 'string' THEN action #>> '{}' END, '');
        IF ids[cardinality(ids)] = '' THEN
            RAISE 'an action has no id'
                USING ERRCODE = 'invalid_parameter_value', DETAIL = left(action::text, 200);
        ELSIF jsonb_typeof(action -> 'price') NOT IN ('number', 'null')
              OR abs((action ->> 'price')::numeric) > 1e50 THEN
            RAISE 'the price of an action must be a number up to 1e50'
                USING ERRCODE = 'invalid_parameter_value', DETAIL = left(action::text, 200);
        END IF;
    END LOOP;
    IF (SELECT count(DISTINCT id) FROM unnest(ids) id) < cardinality(ids) THEN
        RAISE 'two actions have the same id' USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$body$
$t$,
$t$
-- Ranks actions for an event, best first, logs that and returns it.  An event that was ranked
-- before gets the same answer.  A price is known, and taken off what the model expects.  A
-- deferred event counts once it is activated.  It writes: a hot standby cannot run it.
CREATE OR REPLACE FUNCTION {s}.rank(event text, context jsonb, actions jsonb, deferred boolean DEFAULT false)
RETURNS TABLE (event_id text, action text, place integer, probability float8, expected float8)
LANGUAGE plpgsql SET search_path = {path} SET jit = off AS $body$
#variable_conflict use_column
DECLARE
    made    bigint := {s}.first_decision(now()) + nextval({sequence});
    called  text := coalesce(event, made::text);
    asked   jsonb := coalesce(context, '{}');
    is_live boolean := random() < (SELECT live FROM {s}.setting);
    before  bigint;
BEGIN
    PERFORM {s}.check_actions(actions);
    PERFORM pg_advisory_xact_lock(hashtextextended({salt} || ' ' || called, 0));
    SELECT d.id INTO before FROM {s}.decision d WHERE d.event = called;
    IF before IS NULL THEN
        WITH action AS MATERIALIZED (
            SELECT * FROM {s}.action(asked, actions)),
        scored AS (
            SELECT a.n, {dlints}.dlints_predict(m.state, a.features) AS expected,
                   {dlints}.dlints_choose(m.state, a.features, draws => 50, epsilon => {epsilon},
                                          bonus => -a.price) OVER () AS choice
            FROM   {s}.model m, action a WHERE m.name = 'reward'),
        ranked AS (
            SELECT n, expected,
                   CASE WHEN is_live THEN (choice).probability
                        WHEN n = 1 THEN 1 ELSE 0 END AS probability,
                   CASE WHEN is_live THEN row_number() OVER (ORDER BY (choice).rank, (choice).score DESC)
                        ELSE n END AS place
            FROM   scored)
        INSERT INTO {s}.decision (id, event, arm, at, active, context, actions,
                                  ranking, probabilities, expected, imitated)
        SELECT made, called, CASE WHEN is_live THEN 'live' ELSE 'present' END, now(), NOT deferred,
               asked, actions, array_agg(n ORDER BY place), array_agg(probability ORDER BY place),
               array_agg(expected ORDER BY place),
               CASE WHEN NOT is_live THEN       -- among equals it is the last one
                   (SELECT {dlints}.dlints_argmax(a.n, {dlints}.dlints_predict(m.state, a.features)
                                                  ORDER BY a.n DESC) = 1
                    FROM   {s}.model m, action a WHERE m.name = 'imitation') END
        FROM   ranked;
        IF NOT deferred THEN
            INSERT INTO {s}.due (decision, since) VALUES (made, now());
        END IF;
    END IF;
    RETURN QUERY
    SELECT called, r.action, r.place, r.probability, r.expected
    FROM   {s}.ranked r WHERE r.decision = coalesce(before, made) ORDER BY r.place;
END
$body$
$t$]) template;
END
$$;
COMMENT ON FUNCTION dlints_ranker_ranking(jsonb)
	IS 'the statements that make what a ranker ranks and logs by';
