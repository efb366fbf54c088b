-- The other boxes of a page: chosen, logged and learned from as recommend()'s lists are

-- What is like an item, without that one, whoever looks at it.  The log says whose list it is, and the context
-- of which item.
CREATE OR REPLACE FUNCTION {s}.more_like(
    of_item {item_type}, k integer DEFAULT 10, person {person_type} DEFAULT NULL,
    context jsonb DEFAULT '{}', session text DEFAULT NULL)
RETURNS TABLE (decision bigint, item {item_type}, place integer, probability float8, expected float8)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan AS $body$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT p.*
    FROM   {s}.page(more_like.person, k,
                    {s}.said(context) || jsonb_build_object('more_like', of_item, 'left_out', ARRAY[of_item::text]),
                    more_like.session, {s}.profile_like(of_item),
                    {s}.arm_of(more_like.person, more_like.session)) p;
END
$body$;

REVOKE EXECUTE ON FUNCTION {s}.more_like FROM PUBLIC;

-- What trends, the same for all who have the same candidates.  A small share is left to chance.
CREATE OR REPLACE FUNCTION {s}.trending(
    k integer DEFAULT 10, person {person_type} DEFAULT NULL, context jsonb DEFAULT '{}', session text DEFAULT NULL)
RETURNS TABLE (decision bigint, item {item_type}, place integer, probability float8, expected float8)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan AS $body$
#variable_conflict use_column
DECLARE
    said jsonb := {s}.said(context) || '{"trending": true}';
BEGIN
    RETURN QUERY
    SELECT p.*
    FROM   {s}.page(trending.person, k, said, trending.session,
                    {s}.profile(trending.person, '{}', said, trending.session),
                    CASE WHEN random() < {epsilon} THEN 'chance' ELSE 'trending' END) p;
END
$body$;

REVOKE EXECUTE ON FUNCTION {s}.trending FROM PUBLIC;

-- A list, and what it and up to a hundred lists before it have shown
CREATE OR REPLACE FUNCTION {s}.shown_until(decision bigint)
RETURNS TABLE (person {person_type}, session text, arm text, context jsonb, profile real[], items text[])
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH RECURSIVE page AS (
        SELECT 1 AS n, d.person, d.context, d.items FROM {s}.decision d WHERE d.id = shown_until.decision
        UNION ALL
        SELECT p.n + 1, p.person, d.context, d.items
        FROM   page p,                  -- each looked up by its number, in its month
               LATERAL (SELECT d.person, d.context, d.items FROM {s}.decision d
                        WHERE  d.id = CASE WHEN p.context ->> 'after' ~ '^[0-9]{1,18}$'
                                           THEN (p.context ->> 'after')::bigint END OFFSET 0) d
        WHERE  p.n < 100 AND (d.person {same_person} p.person OR d.person IS NULL))
    SELECT d.person, d.session, d.arm, d.context, {dlints}.dlints_unpack(d.profile),
           ARRAY(SELECT i.item::text FROM page p, unnest(p.items) i (item))
    FROM   {s}.decision d WHERE d.id = shown_until.decision;
END;

-- The next page of a list: for the same person, in the same way, without what was shown.  Probabilities are
-- those after the pages before.  Told with a person, or a session, it is taken for decisions of these only;
-- who has logged in since brings the session's.
CREATE OR REPLACE FUNCTION {s}.next(
    after bigint, k integer DEFAULT 10, person {person_type} DEFAULT NULL, session text DEFAULT NULL)
RETURNS TABLE (decision bigint, item {item_type}, place integer, probability float8, expected float8)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan AS $body$
#variable_conflict use_column
DECLARE
    last record;
    kind {item_type};
BEGIN
    SELECT s.* INTO last FROM {s}.shown_until(after) s;
    IF NOT FOUND THEN
        RAISE 'there is no decision %', coalesce(after::text, 'NULL') USING ERRCODE = 'invalid_parameter_value';
    ELSIF (next.person IS NOT NULL OR next.session IS NOT NULL)
          AND (last.person {same_person} next.person) IS NOT TRUE
          AND (last.person IS NULL AND last.session = next.session) IS NOT TRUE THEN
        RAISE 'decision % is not of this %', after, CASE WHEN next.person IS NULL THEN 'session' ELSE 'person' END
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF last.context ? 'more_like' THEN
        BEGIN
            kind := last.context ->> 'more_like';
        EXCEPTION WHEN data_exception OR integrity_constraint_violation THEN
            NULL;                       -- not of a box: a request said so before there were any
        END;
    END IF;
    RETURN QUERY
    SELECT p.*
    FROM   {s}.page(coalesce(last.person, next.person), k,
                    last.context || jsonb_build_object('after', after, 'left_out', last.items || kind::text),
                    last.session, last.profile, last.arm) p;
END
$body$;

REVOKE EXECUTE ON FUNCTION {s}.next FROM PUBLIC;
