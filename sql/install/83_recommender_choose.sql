-- The functions of a recommender: vectors, candidates, decisions, rewards ---

CREATE FUNCTION dlints_recommender_choosing(words jsonb) RETURNS SETOF text
	LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$
BEGIN
	RETURN QUERY SELECT dlints_recommender_fill(template, words) FROM unnest(ARRAY[
$t$
-- Who clicked what, and when
CREATE OR REPLACE VIEW {s}.click AS
{clicks}
$t$,
$t$
-- A row's columns, apart from each other, so that a model can tell which matter
CREATE OR REPLACE FUNCTION {s}.encode(i {items}) RETURNS real[]
LANGUAGE sql STABLE AS $body$
SELECT {encode}
$body$
$t$,
$t$
-- How far its dates are from a moment, in steps of about a day, a week and a month
CREATE OR REPLACE FUNCTION {s}.ages(i {items}, at timestamptz) RETURNS real[]
LANGUAGE sql STABLE AS $body$
SELECT {ages}
$body$
$t$,
$t$
-- Who may be recommended what: the candidates, with what is added to their scores, and
-- the groups of which a list has so many at most.  A new row is a candidate at once.
CREATE OR REPLACE FUNCTION {s}.candidate(person {person_type}, context jsonb)
RETURNS TABLE (item {key_type}, features real[], popularity real, bonus float8, cap_group text)
LANGUAGE sql STABLE AS $body$
SELECT i.{key},
       coalesce(v.features, (SELECT array_fill(0::real, ARRAY[{factors}]) || {s}.encode(n.*)
                                    || 0::real || {s}.ages(n.*, now())
                             FROM {items} n WHERE n.{key} = i.{key})),
       coalesce(v.popularity, 0),
       {bonus}::float8,
       {cap_group}::text
FROM   {items} i LEFT JOIN {s}.item_vector v ON v.item = i.{key}
       CROSS JOIN (SELECT candidate.person, candidate.context) request
WHERE  {candidates}
$body$
$t$,
$t$
-- A person is the sum of what was clicked by this person, the older the less, and in the session,
-- and of what a request says that the person likes: {"like": {"column": "value"}}.
CREATE OR REPLACE FUNCTION {s}.profile(
    person {person_type}, recent {key_type}[] DEFAULT '{}', context jsonb DEFAULT '{}')
RETURNS real[] LANGUAGE plpgsql STABLE
SET search_path = {path} SET jit = off SET plan_cache_mode = force_generic_plan AS $body$
#variable_conflict use_column
DECLARE
    liked {items} := jsonb_populate_record(NULL::{items},
        CASE jsonb_typeof(context -> 'like') WHEN 'object' THEN context -> 'like' END);
    sum real[];
BEGIN
    WITH clicked AS (
        (SELECT item, at FROM {s}.click WHERE person = profile.person ORDER BY at DESC LIMIT 50)
        UNION ALL
        SELECT r.item, d.at
        FROM  (SELECT id, at FROM {s}.decision WHERE person = profile.person
               ORDER BY id DESC LIMIT 200) d
               JOIN {s}.reward r ON r.decision = d.id AND r.value > 0
        UNION ALL
        SELECT unnest(recent), now())
    SELECT {dlints}.dlints_profile(x.features, x.weight) INTO sum
    FROM  (SELECT v.features[1:{known}] AS features, 0.5 ^ least(greatest(
               (date_part('epoch', now()) - date_part('epoch', c.at)) / 86400 / 14, 0), 300) AS weight
           FROM   clicked c,            -- a few rows of many: by the index
                  LATERAL (SELECT features FROM {s}.item_vector WHERE item = c.item OFFSET 0) v
           UNION ALL
           SELECT array_fill(0::real, ARRAY[{factors}]) || {s}.encode(liked) || 0::real, 5
           WHERE  jsonb_typeof(context -> 'like') = 'object') x;
    RETURN CASE WHEN sum <> '{}' THEN sum || array_fill(0::real, ARRAY[{aged}]) ELSE '{}' END;
END
$body$
$t$,
$t$
-- Chooses, logs and returns k items.  It writes: a hot standby cannot run it.
-- One share of the people gets the most popular items, for good, to compare with.  A small
-- share of all other decisions is left to chance, under no cap and without a bonus, to judge by.
-- What follows a click adds what is expected of it: it is too rare to be explored.
CREATE OR REPLACE FUNCTION {s}.recommend(
    person {person_type}, k integer DEFAULT 10, recent {key_type}[] DEFAULT '{}',
    context jsonb DEFAULT '{}')
RETURNS TABLE (decision bigint, item {key_type}, place integer, probability float8, expected float8)
LANGUAGE plpgsql
SET search_path = {path} SET jit = off SET plan_cache_mode = force_generic_plan AS $body$
#variable_conflict use_column
DECLARE
    made    bigint := {s}.first_decision(now()) + nextval({sequence});
    bucket  float8 := coalesce(('x' || left(md5({salt} || person::text), 8))::bit(32)::bigint
                               / 4294967296.0, random());
    arm     text := CASE WHEN bucket < {control} THEN 'control'
                         WHEN random() < {epsilon} THEN 'chance' ELSE 'personal' END;
    model   text := CASE arm WHEN 'personal' THEN 'personal' ELSE 'control' END;
    said    jsonb := coalesce(context, '{}');
    profile real[] := {s}.profile(person, recent, said);
BEGIN
    IF k > 1000 THEN                    -- what is logged is learned as having been seen
        RAISE 'k must be at most 1000, not %', k USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN QUERY
    WITH candidate AS (
        SELECT array_agg(c.item) AS items, array_agg(c.features) AS features,
               array_agg(CASE arm WHEN 'control' THEN c.popularity
                                  ELSE c.bonus + coalesce(
                                      {dlints}.dlints_predict(l.state, c.features, profile), 0)
                         END) FILTER (WHERE arm <> 'chance') AS bonus,
               array_agg(c.cap_group) FILTER (WHERE {cap} IS NOT NULL) AS cap_group
        FROM   {s}.candidate(person, said) c
               LEFT JOIN {s}.model l ON l.name = 'later' AND l.state <> {s}.empty()
        WHERE  c.item IS NOT NULL AND c.features IS NOT NULL),
    choice AS (
        SELECT c.items[d.item] AS item, d.rank AS place, d.probability,
               ARRAY(SELECT unnest(c.features[d.item:d.item])) AS features
        FROM   candidate c, {s}.model m,
               {dlints}.dlints_decide(m.state, ARRAY(SELECT generate_subscripts(c.items, 1)),
                   c.features, k, profile, draws => 50,
                   epsilon => CASE arm WHEN 'chance' THEN 1 ELSE 0 END,
                   bonus => c.bonus, cap_group => c.cap_group,
                   cap => CASE WHEN arm <> 'chance' THEN {cap} END) d
        WHERE  m.name = model),
    chosen AS (
        SELECT c.item, c.place, c.probability,
               {dlints}.dlints_predict(m.state, c.features, profile)
               + {dlints}.dlints_predict(l.state, c.features, profile) AS expected, c.features
        FROM   choice c, {s}.model m, {s}.model l
        WHERE  m.name = 'personal' AND l.name = 'later'),
    logged AS (
        INSERT INTO {s}.shown (decision, item, place, probability, expected, features)
        SELECT made, c.* FROM chosen c
        RETURNING decision, item, place, probability, expected),
    decided AS (
        INSERT INTO {s}.decision (id, person, arm, at, profile, context)
        SELECT made, recommend.person, arm, now(), profile, said
        WHERE  EXISTS (SELECT FROM logged)),
    queued AS (
        INSERT INTO {s}.due (decision) SELECT made WHERE EXISTS (SELECT FROM logged))
    SELECT decision, item, place, probability, expected FROM logged ORDER BY place;
END
$body$
$t$,
$t$
-- What came of an item that was shown.  Any order will do, also before the decision; what
-- is told twice counts once, and another value replaces the first one.
CREATE OR REPLACE FUNCTION {s}.reward(
    decision bigint, item {key_type}, outcome text DEFAULT {first}, value float8 DEFAULT NULL)
RETURNS void LANGUAGE plpgsql SET search_path = {path} AS $body$
#variable_conflict use_column
DECLARE
    worth float8 := CASE outcome {worths} END;
BEGIN
    IF worth IS NULL THEN
        RAISE 'unknown outcome "%"', outcome
            USING ERRCODE = 'invalid_parameter_value', HINT = 'The outcomes are ' || {names} || '.';
    ELSIF decision IS NULL OR item IS NULL THEN
        RAISE 'a reward is of a decision and of an item that it showed'
            USING ERRCODE = 'null_value_not_allowed';
    ELSIF abs(value) > 1e50 THEN        -- NaN is, too
        RAISE 'the value of a reward must be finite'
            USING ERRCODE = 'numeric_value_out_of_range';
    END IF;
    INSERT INTO {s}.reward AS r (decision, item, outcome, value)
    VALUES (reward.decision, reward.item, reward.outcome, coalesce(reward.value, worth))
    ON CONFLICT (decision, item, outcome) DO UPDATE SET value = excluded.value
    WHERE r.value <> excluded.value;
END
$body$
$t$]) template;
END
$$;
COMMENT ON FUNCTION dlints_recommender_choosing(jsonb)
	IS 'the statements that make what a recommender chooses and logs by';
