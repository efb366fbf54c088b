-- The functions of a recommender: vectors, partitions, cron -----------------

CREATE FUNCTION dlints_recommender_upkeep(words jsonb) RETURNS SETOF text
	LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS
$$
BEGIN
	RETURN QUERY SELECT dlints_recommender_fill(template, words) FROM unnest(ARRAY[
$t$
-- Vectors of new and of changed rows; those of deleted rows go, which is no loss: the log
-- keeps the features of what was shown.
CREATE OR REPLACE FUNCTION {s}.refresh() RETURNS bigint
LANGUAGE plpgsql SET search_path = {path} SET jit = off AS $body$
DECLARE
    changed bigint;
BEGIN
    UPDATE {s}.job SET done_at = now() WHERE name = 'refresh';
    LOCK TABLE {s}.item_vector IN SHARE ROW EXCLUSIVE MODE;     -- one that writes all at a time
    DELETE FROM {s}.item_vector v WHERE NOT EXISTS (SELECT FROM {items} i WHERE i.{key} = v.item);
    INSERT INTO {s}.item_vector AS v (item, encoded, ages)
    SELECT i.{key}, {s}.encode(i.*), {s}.ages(i.*, now()) FROM {items} i WHERE i.{key} IS NOT NULL
    ON CONFLICT (item) DO UPDATE SET encoded = excluded.encoded, ages = excluded.ages
    WHERE v.encoded <> excluded.encoded OR v.ages <> excluded.ages;
    GET DIAGNOSTICS changed = ROW_COUNT;
    PERFORM {s}.refresh_popularity();
    RETURN changed;
END
$body$
$t$,
$t$
-- How popular items are: the clicks of the last two weeks of the click log.  Where it has
-- none, clicks of what was recommended, for each time that it was shown.
CREATE OR REPLACE FUNCTION {s}.refresh_popularity() RETURNS void
LANGUAGE sql SET search_path = {path} SET jit = off AS $body$
WITH clicked AS (
    SELECT item, count(*)::float8 AS score FROM {s}.click
    WHERE  at <= now()
    AND    at > (SELECT max(at) FROM {s}.click WHERE at <= now()) - interval '14 days'
    GROUP  BY item),
earned AS (
    SELECT s.item, count(*) AS shown, count(*) FILTER (WHERE r.clicked) AS clicked
    FROM   {s}.shown s,
           LATERAL (SELECT count(*) > 0 AS clicked FROM {s}.reward r
                    WHERE  r.decision = s.decision AND r.item = s.item AND r.value > 0) r
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
              coalesce(round((s.score / nullif(max(s.score) OVER (), 0))::numeric, 2), 0)::real
              AS popularity
       FROM   {s}.item_vector v LEFT JOIN score s ON s.item = v.item) n
WHERE  n.item = v.item AND n.popularity <> v.popularity
$body$
$t$,
$t$
-- What the same people click.  New vectors are turned to meet the old ones, so that the
-- models go on.
CREATE OR REPLACE FUNCTION {s}.refit() RETURNS bigint
LANGUAGE plpgsql SET search_path = {path} SET jit = off AS $body$
DECLARE
    changed bigint := 0;
BEGIN
    UPDATE {s}.job SET done_at = now() WHERE name = 'refit';
    LOCK TABLE {s}.item_vector IN SHARE ROW EXCLUSIVE MODE;
    IF {factors} > 0 THEN
        UPDATE {s}.item_vector v SET factors = f.factors
        FROM   {dlints}.dlints_factors({log}, {factors}, previous => {previous})
               AS f (item {key_type}, factors real[])
        WHERE  f.item = v.item;
        GET DIAGNOSTICS changed = ROW_COUNT;
    END IF;
    RETURN changed;
END
$body$
$t$,
$t$
-- All that is due, for cron: every minute, or every few of them
CREATE OR REPLACE FUNCTION {s}.run() RETURNS text
LANGUAGE plpgsql SET search_path = {path} AS $body$
DECLARE
    said text := '';
BEGIN
    -- a run that finds another one at it goes on
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
    said := format('%s learned', {s}.learn()) || said;
    PERFORM {s}.set_months();       -- last, since it locks out those that learn
    RETURN said;
END
$body$
$t$]) template;
END
$$;
COMMENT ON FUNCTION dlints_recommender_upkeep(jsonb)
	IS 'the statements that make what keeps a recommender in order';
