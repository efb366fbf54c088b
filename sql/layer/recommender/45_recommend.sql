-- The k items of a shortlist that are chosen for a profile, in the way of an arm or in that of a
-- stranger.  What follows a click adds what is expected of it: it is too rare to be explored.  A list by
-- chance is under no cap and has no bonus, and neither it nor the control's, nor what trends, is varied; others
-- are, by what it is worth to be alike in.  Where a click log says what strangers like they get what is expected
-- to be best: others tell better what that lacks.  Prices of what is promised are taken off, and are returned with
-- what a place costs of each on average; they are no matter of chance, nor of the control or of what trends.
CREATE OR REPLACE FUNCTION {s}.choice(
    person {person_type}, context jsonb, profile real[], way text, k integer, seed bigint,
    shortlist {item_type}[])
RETURNS TABLE (items {item_type}[], probabilities float8[], expected float8[], features bytea, profile_packed bytea,
               prices jsonb, costs jsonb)
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH charge AS MATERIALIZED (
        SELECT * FROM {s}.charges() p WHERE {has_promises}),
    candidate AS (
        SELECT array_agg(c.item) AS items, array_agg(c.features) AS features,
               array_agg(CASE WHEN way = 'control' THEN c.popularity
                              WHEN way = 'trending' THEN coalesce(
                                  (SELECT t.score FROM {s}.trend t WHERE t.item {same_item} c.item), c.popularity)
                              ELSE c.bonus - CASE WHEN {has_promises} THEN coalesce({dlints}.dlints_dot(
                                       (SELECT p.charges FROM charge p), c.costs::{vector}), 0) ELSE 0 END
                                   + coalesce({dlints}.dlints_predict(
                                       l.state, c.features::{vector}, choice.profile::{vector}), 0)
                                   + CASE WHEN way = 'stranger' THEN {dlints}.dlints_predict(
                                       s.state, c.features::{vector}, choice.profile::{vector}) ELSE 0 END
                         END) FILTER (WHERE way <> 'chance') AS bonus,
               array_agg(c.cap_group) FILTER (WHERE {cap} IS NOT NULL) AS cap_group,
               array_agg(c.costs) FILTER (WHERE {has_promises}) AS costs
        FROM   {s}.candidate_of(choice.person, choice.context, shortlist) c
               LEFT JOIN {s}.model l ON l.name = 'later' AND {dlints}.dlints_ne(l.state, {s}.empty())
               CROSS JOIN {s}.model s
        WHERE  c.features IS NOT NULL AND s.name = 'personal'),
    chosen AS (
        SELECT c.items[d.item] AS item, d.rank AS place, d.probability,
               ARRAY(SELECT unnest(c.features[d.item:d.item])) AS features,
               CASE WHEN {has_promises} THEN ARRAY(SELECT unnest(c.costs[d.item:d.item])) END AS costs
        FROM   candidate c, {s}.model m,
               {dlints}.dlints_decide(m.state, ARRAY(SELECT generate_subscripts(c.items, 1)),
                   c.features::{vector}, choice.k::bigint, choice.profile::{vector},
                   draws => CASE WHEN shortlist IS NULL THEN 50 ELSE {draws} END,
                   epsilon => CASE way WHEN 'chance' THEN 1 ELSE 0 END,
                   bonus => c.bonus, cap_group => c.cap_group,
                   cap => CASE WHEN way <> 'chance' THEN {cap} END,
                   similar_by => CASE WHEN {diversity} IS NOT NULL THEN
                       (SELECT l.scale || array_fill(0::real, ARRAY[1 + {aged}]) FROM {s}.likeness l) END::{vector},
                   diversity => CASE WHEN way NOT IN ('chance', 'control', 'trending') THEN {diversity} END,
                   seed => choice.seed) d
        WHERE  m.name = CASE way WHEN 'personal' THEN 'personal' ELSE 'control' END)
    SELECT c.items, c.probabilities,
           (SELECT array_agg({dlints}.dlints_predict(m.state, t.features::{vector}, p.profile::{vector})
                             + {dlints}.dlints_predict(l.state, t.features::{vector}, p.profile::{vector})
                             ORDER BY t.n)
            FROM  (SELECT n, CASE WHEN b.is_on THEN {dlints}.dlints_contrast(c.features, n, {places})
                                  ELSE {dlints}.dlints_unpack(c.features, n) END AS features
                   FROM   generate_subscripts(c.items, 1) n
                          LEFT JOIN {s}.contrast b ON true OFFSET 0) t),
           c.features, p.packed,
           CASE WHEN {has_promises} AND way IN ('personal', 'stranger') THEN (SELECT p.prices FROM charge p) END,
           CASE WHEN {has_promises} AND way IN ('personal', 'stranger', 'chance') THEN
               (SELECT jsonb_object_agg(u.name, m.cost)
                FROM   charge p, unnest(p.names) WITH ORDINALITY u (name, n),
                       LATERAL (SELECT avg(o.costs[u.n]) AS cost FROM chosen o) m) END
    FROM  (SELECT array_agg(c.item ORDER BY c.place) AS items,
                  array_agg(c.probability ORDER BY c.place) AS probabilities,
                  {dlints}.dlints_pack(array_agg(c.features ORDER BY c.place)::{vector}, 8) AS features
           FROM   chosen c) c, {s}.model m, {s}.model l,
          (SELECT packed, {dlints}.dlints_unpack(packed) AS profile   -- as the log has it, and why() reads it
           FROM   {dlints}.dlints_pack(choice.profile::{vector}, 8) packed OFFSET 0) p
    WHERE  m.name = 'personal' AND l.name = 'later';
END;

-- Of which arm a list is.  One share of the people gets the most popular items, for good, to compare with; a
-- session tells whose list it is where nobody is known.  A small share of all other lists is left to chance, to
-- judge by.
CREATE OR REPLACE FUNCTION {s}.arm_of(person {person_type}, session text) RETURNS text
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    bucket float8 := coalesce(('x' || left(md5({name} || coalesce(person::text, session)), 8))::bit(32)::bigint
                              / 4294967296.0, random());
BEGIN
    RETURN CASE WHEN bucket < {control} THEN 'control'
                WHEN random() < {epsilon} THEN 'chance' ELSE 'personal' END;
END
$body$;

-- An error that names the argument, if one of the user's texts cannot be computed for a request
CREATE OR REPLACE FUNCTION {s}.try_texts(person {person_type}, context jsonb) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $body$
DECLARE
    argument text := 'candidates';
BEGIN
    PERFORM count(*) FROM {s}.allowed(person, context);
    argument := 'bonus';
    PERFORM max(b.bonus) FROM {s}.allowed(person, context) a, LATERAL {s}.bonus(a.item, person, context) b;
    argument := 'cap_group';
    PERFORM max(g.cap_group) FROM {s}.allowed(person, context) a, LATERAL {s}.cap_group(a.item, person, context) g;
EXCEPTION WHEN data_exception OR cardinality_violation THEN
    RAISE 'in the argument "%": %', argument, SQLERRM
        USING ERRCODE = SQLSTATE, HINT = 'It is asked of each item, with person and context, which may be NULL.';
END
$body$;

-- Chooses, logs and returns k items for a profile, in the way of an arm.  Of the context "left_out" is not logged.
CREATE OR REPLACE FUNCTION {s}.page(
    person {person_type}, k integer, context jsonb, session text, profile real[], arm text)
RETURNS TABLE (decision bigint, item {item_type}, place integer, probability float8, expected float8)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
    made bigint := {s}.new_decision();
    way  text := arm;
    seed bigint := ('x' || left(md5(gen_random_uuid()::text), 16))::bit(64)::bigint;
    list record;
    chosen record;
BEGIN
    IF k > 1000 THEN                    -- what is logged is learned as having been seen
        RAISE 'k must be at most 1000, not %', k USING ERRCODE = 'invalid_parameter_value';
    ELSIF k < 1 OR k IS NULL THEN
        RAISE 'k must be at least 1, not %', coalesce(k::text, 'NULL')
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF arm = 'personal' AND profile[1:{liked}] = array_fill(0::real, ARRAY[{liked}])
       AND {liked} > 0 AND EXISTS (SELECT FROM {s}.beginning) THEN
        way := 'stranger';
    END IF;
    BEGIN                               -- nothing is written here, so that it takes no transaction's number
        SELECT * INTO list FROM {s}.shortlist(page.person, page.context, profile, way, k, seed);
        SELECT * INTO chosen FROM {s}.choice(page.person, page.context, profile, way, k, seed, list.items);
    EXCEPTION WHEN data_exception OR cardinality_violation THEN
        PERFORM {s}.try_texts(page.person, page.context);
        RAISE;
    WHEN undefined_function THEN
        PERFORM {s}.say_dropped();
        RAISE;
    END;
    IF chosen.items IS NULL THEN
        PERFORM {s}.check_rows();
        RETURN;
    END IF;
    INSERT INTO {s}.decision (id, at, seed, weighed, person, arm, session, context, profile, items, probabilities,
                              expected, features, prices, costs)
    VALUES (made, now(), seed, CASE page.arm WHEN 'chance' THEN NULL ELSE cardinality(list.items) END,
            page.person, page.arm, page.session,
            CASE WHEN page.context -> 'left_out' IS NULL THEN page.context ELSE page.context - 'left_out' END,
            chosen.profile_packed, chosen.items, ARRAY(SELECT p * list.share FROM unnest(chosen.probabilities) p),
            chosen.expected, chosen.features, chosen.prices, chosen.costs);
    INSERT INTO {s}.due (decision) VALUES (made);
    RETURN QUERY
    SELECT made, u.item, u.place::integer, u.probability * list.share, u.expected
    FROM   unnest(chosen.items, chosen.probabilities, chosen.expected)
               WITH ORDINALITY u (item, probability, expected, place)
    ORDER  BY u.place;
END
$body$;

-- What a request says, without what only a box says
CREATE OR REPLACE FUNCTION {s}.said(context jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
    IF context = 'null' THEN
        RETURN '{}';
    ELSIF jsonb_typeof(context) <> 'object' THEN
        RAISE 'a context must be an object' USING ERRCODE = 'invalid_parameter_value',
            DETAIL = format('It is %s.', left(context::text, 200));
    END IF;
    RETURN coalesce(context - '{more_like,trending,after,left_out}'::text[], '{}');
END
$body$;

-- A list for a person, or for a session where nobody is known.  It writes: a hot standby cannot run it.  It has
-- its owner's rights, so that a page needs none but to call it.
CREATE OR REPLACE FUNCTION {s}.recommend(
    person {person_type}, k integer DEFAULT 10, recent {item_type}[] DEFAULT '{}',
    context jsonb DEFAULT '{}', session text DEFAULT NULL)
RETURNS TABLE (decision bigint, item {item_type}, place integer, probability float8, expected float8)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan AS $body$
#variable_conflict use_column
DECLARE
    said jsonb := {s}.said(context);
BEGIN
    RETURN QUERY
    SELECT * FROM {s}.page(recommend.person, k, said, recommend.session,
                           {s}.profile(recommend.person, recent, said, recommend.session),
                           {s}.arm_of(recommend.person, recommend.session));
END
$body$;

REVOKE EXECUTE ON FUNCTION {s}.recommend FROM PUBLIC;
