-- How popular items are: by the clicks of the click log, the older the less.  Where it has none, by
-- clicks of the last two weeks on what was recommended, for each time that it was shown.
CREATE OR REPLACE FUNCTION {s}.refresh_popularity() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH clicked AS (
        SELECT c.item, sum({s}.faded((date_part('epoch', t.latest) - date_part('epoch', c.at)) / 86400,
                                     l.popular_half_life)) AS score
        FROM   {s}.click c, {s}.likeness l,
              (SELECT max(at) AS latest FROM {s}.click WHERE at <= now()) t
        WHERE  c.at <= now() AND isfinite(c.at)
        AND    c.at >= coalesce(t.latest - make_interval(secs => 864000 * l.popular_half_life), '-infinity')
        GROUP  BY c.item),
    earned AS (
        SELECT s.item, count(*) AS shown, count(*) FILTER (WHERE r.clicked) AS clicked
        FROM   {s}.shown s,
               LATERAL (SELECT count(*) > 0 AS clicked FROM {s}.reward r
                        WHERE  r.decision = s.decision AND r.item {same_item} s.item AND r.value > 0) r
        WHERE  s.decision >= {s}.first_decision(now() - interval '14 days')
        AND    NOT EXISTS (SELECT FROM clicked)
        GROUP  BY s.item),
    score AS (
        SELECT item, score FROM clicked
        UNION ALL
        SELECT item, (clicked + 10 * sum(clicked) OVER () / sum(shown) OVER ()) / (shown + 10)
        FROM   earned)
    UPDATE {s}.item_vector v SET popularity = n.popularity
    FROM  (SELECT v.item,
                  coalesce(round((ln(1 + s.score) / nullif(ln(1 + max(s.score) OVER ()), 0))::numeric, 3), 0)::real
                  AS popularity
           FROM   {s}.item_vector v LEFT JOIN score s ON s.item {same_item} v.item) n
    WHERE  n.item {same_item} v.item AND n.popularity <> v.popularity;
END;

-- Vectors of new and of changed rows; those of deleted rows go, which is no loss: the log
-- keeps the features of what was shown.  More than half of them never go at once.
CREATE OR REPLACE FUNCTION {s}.refresh() RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
DECLARE
    changed bigint;
    gone    bigint;
    twice   text;
BEGIN
    UPDATE {s}.job SET done_at = now() WHERE name = 'refresh';
    LOCK TABLE {s}.item_vector IN SHARE ROW EXCLUSIVE MODE;     -- one that writes all at a time
    SELECT count(*) INTO gone FROM {s}.item_vector v
    WHERE  NOT EXISTS (SELECT FROM {s}.item i WHERE i.item {same_item} v.item);
    IF 2 * gone > (SELECT count(*) FROM {s}.item_vector) THEN
        RAISE WARNING '% of the items of % have gone, and their vectors are kept', gone, {name}
            USING HINT = format('If that is right: DELETE FROM %I.item_vector.', {name});
    ELSIF gone > 0 THEN
        DELETE FROM {s}.item_vector v
        WHERE  NOT EXISTS (SELECT FROM {s}.item i WHERE i.item {same_item} v.item);
    END IF;
    INSERT INTO {s}.item_vector AS v (item, encoded, ages)
    SELECT i.item, i.encoded, {s}.ages(i.dates, now()) FROM {s}.encoded_item i WHERE i.item IS NOT NULL
    ON CONFLICT (item) DO UPDATE SET encoded = excluded.encoded, ages = excluded.ages
    WHERE v.encoded <> excluded.encoded OR v.ages <> excluded.ages;
    GET DIAGNOSTICS changed = ROW_COUNT;
    PERFORM {s}.refresh_popularity();
    RETURN changed;
EXCEPTION WHEN cardinality_violation THEN
    SELECT min(i.item::text) INTO twice
    FROM  (SELECT i.item FROM {s}.item i WHERE i.item IS NOT NULL GROUP BY i.item HAVING count(*) > 1) i;
    RAISE 'several items have the key %', twice
        USING ERRCODE = 'unique_violation', HINT = 'A key names one row: make a view that has each once.';
END
$body$;

-- What was clicked, by whom: the click log, and clicks on what was shown
CREATE OR REPLACE FUNCTION {s}.fitted() RETURNS TABLE (item {item_type}, factors real[])
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT f.item::{item_type}, f.factors
    FROM   {dlints}.dlints_factors({log}::text, {factors}::bigint, {previous}::text, 0::bigint)
           f (item {hashed_type}, factors real[]);
END;

-- What the same people click.  New vectors are turned to meet the old ones, so that the
-- models go on.
CREATE OR REPLACE FUNCTION {s}.refit() RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
DECLARE
    changed bigint := 0;
BEGIN
    UPDATE {s}.job SET done_at = now() WHERE name = 'refit';
    LOCK TABLE {s}.item_vector IN SHARE ROW EXCLUSIVE MODE;
    IF {factors} > 0 THEN
        UPDATE {s}.item_vector v SET factors = f.factors
        FROM   {s}.fitted() f
        WHERE  f.item {same_item} v.item;
        GET DIAGNOSTICS changed = ROW_COUNT;
    END IF;
    RETURN changed;
END
$body$;

-- What is not due at each run; a run that finds another one at it goes on.
CREATE OR REPLACE FUNCTION {s}.keep_fresh() RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    said text := '';
BEGIN
    PERFORM FROM {s}.job
    WHERE  name = 'refit' AND done_at < now() - interval '7 days' FOR UPDATE SKIP LOCKED;
    IF FOUND THEN
        said := format(', %s vectors fitted', {s}.refit());
    END IF;
    PERFORM FROM {s}.job
    WHERE  name = 'refresh' AND done_at < now() - interval '1 hour' FOR UPDATE SKIP LOCKED;
    IF FOUND THEN
        said := said || format(', %s vectors refreshed', {s}.refresh());
    END IF;
    RETURN said;
END
$body$;
