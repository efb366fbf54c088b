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
        array_fill(0::real, ARRAY[{factors}]) || {s}.encode_document(sensible) END;
END
$body$;

-- The mean of so many clicks, of their sum, which is known but for its length: that has a 1 behind
-- the features.  Of few clicks the mean is shrunk, as if five more had been of nothing.  PL/pgSQL keeps
-- the plans of these, which SQL would make at each page.
CREATE OR REPLACE FUNCTION {s}.shrink(sum real[], clicks float8) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN clicks / (clicks + 5) / sum[{liked} + 1];

CREATE OR REPLACE FUNCTION {s}.mean(sum real[], clicks float8) RETURNS real[]
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    times float8 := CASE WHEN clicks > 0 THEN {s}.shrink(sum, clicks) END;
BEGIN
    RETURN CASE WHEN clicks > 0 THEN ARRAY(
        SELECT CASE WHEN abs(n * times) > 1e-20 THEN (n * times)::real ELSE 0 END FROM unnest(sum[1:{liked}]) n) END;
END
$body$;

-- A person as the models see one: each block of what was clicked weighs what being alike in that is
-- worth, and to be popular is worth the same to everybody.
CREATE OR REPLACE FUNCTION {s}.profile_of(mean real[], scale real[], weights float8[]) RETURNS real[]
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
    RETURN coalesce(ARRAY(SELECT CASE WHEN abs(m) > 1e-20 THEN m * s ELSE 0 END FROM unnest(mean, scale) u (m, s)
                          WHERE m IS NOT NULL), '{}')
           || array_fill(0::real, ARRAY[CASE WHEN mean IS NULL THEN {liked} ELSE 0 END])
           || weights[{blocks} + 1]::real || array_fill(0::real, ARRAY[{aged}]);
END
$body$;

-- What a click counts after so many days
CREATE OR REPLACE FUNCTION {s}.faded(days float8, half_life float8) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN CASE WHEN half_life IS NULL THEN 1 ELSE 0.5::float8 ^ least(greatest(days, 0) / half_life, 300) END;

-- What a person clicked on the last lists, each looked up by its number, in its month
CREATE OR REPLACE FUNCTION {s}.own_click(person {person_type})
RETURNS TABLE (item {item_type}, at timestamptz) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT r.item, d.at
    FROM  (SELECT d.id, d.at, d.items FROM {s}.decision d WHERE d.person {same_person} own_click.person
           ORDER BY d.id DESC LIMIT 200) d,
           LATERAL (SELECT r.item FROM {s}.reward r WHERE r.decision = d.id AND r.value > 0 OFFSET 0) r
    WHERE  r.item {same_item} ANY (d.items);
END;

-- What was clicked in a session while nobody was known, among the last lists of it
CREATE OR REPLACE FUNCTION {s}.session_click(session text)
RETURNS TABLE (item {item_type}, at timestamptz) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT r.item, d.at
    FROM  (SELECT d.id, d.at, d.items, d.person FROM {s}.decision d
           WHERE  hashtextextended(d.session, 0) = hashtextextended(session_click.session, 0)
           AND    d.session = session_click.session
           ORDER  BY d.id DESC LIMIT 200) d,
           LATERAL (SELECT r.item FROM {s}.reward r WHERE r.decision = d.id AND r.value > 0 OFFSET 0) r
    WHERE  d.person IS NULL AND r.item {same_item} ANY (d.items);
END;

-- A person is the mean of what was clicked by this person, the older the less, and in the session, at these
-- times or now, and of what a request says that the person likes.  Who comes again after a long time is no
-- stranger: clicks fade against the person's latest one.
CREATE OR REPLACE FUNCTION {s}.taste(person {person_type}, recent {item_type}[], times timestamptz[], liked real[])
RETURNS TABLE (profile real[]) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH clicked AS (
        (SELECT c.item, c.at FROM {s}.click c
         WHERE  {has_log} AND c.person {same_person} taste.person AND isfinite(c.at)
         ORDER  BY c.at DESC LIMIT 500)
        UNION ALL
        SELECT o.item, o.at FROM {s}.own_click(taste.person) o
        UNION ALL
        SELECT r.item, coalesce(r.at, now()) FROM unnest(recent, times) r (item, at)),
    summed AS (
        SELECT {dlints}.dlints_profile((x.features || 1::real)::{vector}, x.weight) AS sum,
               sum(x.weight) AS clicks
        FROM  (SELECT v.features[1:{liked}] AS features,
                      {s}.faded((max(date_part('epoch', least(c.at, now()))) OVER () - date_part('epoch', c.at))
                                / 86400, l.half_life) AS weight
               FROM   {s}.likeness l, clicked c,    -- a few rows of many: by the index
                      LATERAL (SELECT v.features FROM {s}.item_vector v
                               WHERE v.item {same_item} c.item OFFSET 0) v
               UNION ALL
               SELECT liked, 5 WHERE liked IS NOT NULL) x)
    SELECT {s}.profile_of({s}.mean(t.sum, t.clicks), l.scale, l.weights)
    FROM   summed t, {s}.likeness l;
END;

-- Such a person as the models see one; {"like": {"column": "value"}} is in the context.
CREATE OR REPLACE FUNCTION {s}.profile(
    person {person_type}, recent {item_type}[] DEFAULT '{}', context jsonb DEFAULT '{}', session text DEFAULT NULL)
RETURNS real[] LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan AS $body$
DECLARE
    liked real[];
    items {item_type}[];
    times timestamptz[];
    taste real[];
BEGIN
    IF context ? 'like' THEN
        liked := {s}.likes(context -> 'like');
    END IF;
    IF profile.session <> '' THEN       -- what is told as well counts once
        SELECT array_agg(c.item), array_agg(c.at) INTO items, times
        FROM   {s}.session_click(profile.session) c
        WHERE  NOT EXISTS (SELECT FROM unnest(recent) r (item) WHERE r.item {same_item} c.item);
    END IF;
    items := items || ARRAY(SELECT unnest(recent));     -- of a query as its argument taste() is planned each time
    SELECT t.profile INTO taste FROM {s}.taste(profile.person, items, times, liked) t;
    RETURN taste;
EXCEPTION WHEN undefined_function THEN
    PERFORM {s}.say_dropped();
    RAISE;
END
$body$;

-- Who likes nothing but an item, and that as after twenty clicks, as the models see one.  A row that has no
-- vector yet is read; of what is not there nothing is known.
CREATE OR REPLACE FUNCTION {s}.profile_like(item {item_type}) RETURNS real[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    features real[] := (SELECT v.features[1:{liked}] FROM {s}.item_vector v WHERE v.item {same_item} profile_like.item);
BEGIN
    IF features IS NULL THEN
        features := (SELECT array_fill(0::real, ARRAY[{factors}]) || n.encoded
                     FROM   {s}.encoded_item n WHERE n.item {same_item} profile_like.item LIMIT 1);
    END IF;
    RETURN (SELECT {s}.profile_of({s}.mean(features || 1::real, CASE WHEN features IS NULL THEN 0 ELSE 20 END),
                                  l.scale, l.weights)
            FROM   {s}.likeness l);
END
$body$;
