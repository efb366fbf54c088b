-- What a request says that a person likes, as numbers.  A page says that, and gets its list in any
-- case: what makes no sense is left out, and a warning says so in the server's log.
CREATE OR REPLACE FUNCTION {s}.likes(liked jsonb) RETURNS real[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    sensible jsonb := '{}';
    said     record;
    encoded  real[];
BEGIN
    IF jsonb_typeof(liked) IS DISTINCT FROM 'object' OR liked = '{}' THEN
        RETURN NULL;
    END IF;
    FOR said IN SELECT key, value FROM jsonb_each(liked) LOOP
        IF said.key <> ALL ({column_names}) THEN
            RAISE WARNING 'there is no column "%" to like', left(said.key, 100);
            CONTINUE;
        END IF;
        BEGIN
            encoded := {s}.encode_document(jsonb_build_object(said.key, said.value));
            sensible := sensible || jsonb_build_object(said.key, said.value);
        EXCEPTION WHEN data_exception THEN
            RAISE WARNING 'column "%" has no such value to like: %', said.key, SQLERRM;
        END;
    END LOOP;
    RETURN CASE WHEN sensible <> '{}' THEN
        array_fill(0::real, ARRAY[{factors}]) || {s}.encode_document(sensible) || 0::real END;
END
$body$;

-- A person is the sum of what was clicked by this person, the older the less, and in the session,
-- and of what a request says that the person likes.
CREATE OR REPLACE FUNCTION {s}.taste(person {person_type}, recent {item_type}[], liked real[])
RETURNS TABLE (profile real[]) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH clicked AS (
        (SELECT c.item, c.at FROM {s}.click c WHERE c.person {same_person} taste.person
         ORDER BY c.at DESC LIMIT 50)
        UNION ALL
        SELECT r.item, d.at
        FROM  (SELECT d.id, d.at FROM {s}.decision d WHERE d.person {same_person} taste.person
               ORDER BY d.id DESC LIMIT 200) d
               JOIN {s}.shown s ON s.decision = d.id
               JOIN {s}.reward r ON r.decision = d.id AND r.item {same_item} s.item AND r.value > 0
        UNION ALL
        SELECT unnest(recent), now())
    SELECT {dlints}.dlints_profile(x.features::{vector}, x.weight)
    FROM  (SELECT v.features[1:{known}] AS features, 0.5::float8 ^ least(greatest(
               (date_part('epoch', now()) - date_part('epoch', c.at)) / 86400 / 14, 0), 300) AS weight
           FROM   clicked c,            -- a few rows of many: by the index
                  LATERAL (SELECT v.features FROM {s}.item_vector v
                           WHERE v.item {same_item} c.item OFFSET 0) v
           UNION ALL
           SELECT liked, 5 WHERE liked IS NOT NULL) x;
END;

-- Such a person as the models see one; {"like": {"column": "value"}} is in the context.
CREATE OR REPLACE FUNCTION {s}.profile(
    person {person_type}, recent {item_type}[] DEFAULT '{}', context jsonb DEFAULT '{}')
RETURNS real[] LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan AS $body$
DECLARE
    liked real[];
    sum   real[];
BEGIN
    IF context ? 'like' THEN
        liked := {s}.likes(context -> 'like');
    END IF;
    SELECT t.profile INTO sum FROM {s}.taste(profile.person, recent, liked) t;
    RETURN CASE WHEN sum <> '{}' THEN sum || array_fill(0::real, ARRAY[{aged}]) ELSE '{}' END;
END
$body$;
