-- How popular items are: by the latest clicks of the click log, the older the less.  Where that is of the
-- lists themselves, by the clicks of two weeks for each time that an item was shown, each as if ten
-- more had been like all.  Little that has changed is left as it is.
CREATE OR REPLACE FUNCTION {s}.refresh_popularity() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH clicked AS (
        SELECT c.item, sum({s}.faded((date_part('epoch', t.latest) - date_part('epoch', c.at)) / 86400,
                                     l.popular_half_life)) AS score
        FROM  (SELECT c.item, c.at FROM {s}.click c WHERE {has_log} AND c.at <= now() AND isfinite(c.at)
               ORDER BY c.at DESC LIMIT 1000000) c,
               {s}.likeness l, (SELECT max(at) AS latest FROM {s}.click WHERE at <= now()) t
        GROUP  BY c.item),
    shown AS (
        SELECT i.item, count(*) AS shown
        FROM   {s}.decision d, unnest(d.items) i (item)
        WHERE  NOT {has_log} AND d.id >= {s}.first_decision(now() - interval '14 days')
        GROUP  BY i.item),
    rewarded AS (                       -- each list looked up by its number, in its month
        SELECT r.item, count(*) AS clicked
        FROM  (SELECT DISTINCT r.decision, r.item FROM {s}.reward r
               WHERE  NOT {has_log} AND r.value > 0
               AND    r.decision >= {s}.first_decision(now() - interval '14 days')) r,
               LATERAL (SELECT FROM {s}.decision d
                        WHERE d.id = r.decision AND r.item {same_item} ANY (d.items) OFFSET 0) d
        GROUP  BY r.item),
    mean AS (
        SELECT (SELECT sum(r.clicked) FROM rewarded r)::float8 / sum(s.shown) AS rate FROM shown s),
    score AS (
        SELECT v.item,
               coalesce(c.score, (coalesce(r.clicked, 0) + 10 * m.rate) / (coalesce(s.shown, 0) + 10), 0) AS score
        FROM   {s}.item_vector v CROSS JOIN mean m
               LEFT JOIN clicked c ON c.item {same_item} v.item
               LEFT JOIN shown s ON s.item {same_item} v.item
               LEFT JOIN rewarded r ON r.item {same_item} v.item)
    UPDATE {s}.item_vector v SET popularity = n.popularity
    FROM  (SELECT s.item, coalesce(round((ln(1 + s.score) / nullif(ln(1 + max(s.score) OVER ()), 0))::numeric, 3),
                                   0)::real AS popularity
           FROM   score s) n
    WHERE  n.item {same_item} v.item AND n.popularity <> v.popularity
    AND    (abs(n.popularity - v.popularity) > 0.003 OR n.popularity IN (0, 1) OR v.popularity IN (0, 1));
END;

-- What trends: clicks that count half after a day, for those that an item would have if its share of them were
-- that of clicks that count half after two weeks, each as if five more had come as expected.  Where that is
-- less than twice as many it is how popular the item is.  A million clicks that came in less than eight weeks
-- count half sooner, since what trends then does so sooner, too.
CREATE OR REPLACE FUNCTION {s}.refresh_trend() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH clicked AS MATERIALIZED (
        (SELECT c.item, c.at FROM {s}.click c WHERE {has_log} AND c.at <= now() AND isfinite(c.at)
         ORDER BY c.at DESC LIMIT 1000000)
        UNION ALL
        SELECT r.item, d.at
        FROM  (SELECT DISTINCT r.decision, r.item FROM {s}.reward r
               WHERE  NOT {has_log} AND r.value > 0
               AND    r.decision >= {s}.first_decision(now() - interval '60 days')
               ORDER  BY r.decision DESC, r.item LIMIT 1000000) r,
               LATERAL (SELECT d.at FROM {s}.decision d     -- looked up by its number, in its month
                        WHERE d.id = r.decision AND r.item {same_item} ANY (d.items) OFFSET 0) d),
    log AS MATERIALIZED (
        SELECT max(at) AS latest, CASE WHEN count(*) < 1000000 THEN 14
                                       ELSE least(14, date_part('epoch', max(at) - min(at)) / 86400 / 4)
                                  END AS half_life
        FROM   clicked),
    counted AS (
        SELECT c.item, sum({s}.faded(14 * t.ago, l.half_life)) AS lately, sum({s}.faded(t.ago, l.half_life)) AS usual
        FROM   clicked c, log l, LATERAL (SELECT date_part('epoch', l.latest - c.at) / 86400 AS ago) t
        WHERE  l.half_life > 0
        GROUP  BY c.item),
    lift AS (
        SELECT c.item, (c.lately + 5) / (c.usual * sum(c.lately) OVER () / sum(c.usual) OVER () + 5) AS times
        FROM   counted c),
    best AS MATERIALIZED (
        SELECT v.item, (CASE WHEN l.times >= 2 THEN l.times ELSE v.popularity END)::real AS score
        FROM   {s}.item_vector v LEFT JOIN lift l ON l.item {same_item} v.item
        ORDER  BY score DESC, v.item LIMIT 1000),
    gone AS (
        DELETE FROM {s}.trend t WHERE NOT EXISTS (SELECT FROM best b WHERE b.item {same_item} t.item))
    INSERT INTO {s}.trend AS t (item, score) SELECT b.item, b.score FROM best b
    ON CONFLICT (item) DO UPDATE SET score = excluded.score WHERE t.score <> excluded.score;
END;

-- What items cost of what is promised, each by itself where not all can be computed: the report says why
CREATE OR REPLACE FUNCTION {s}.refresh_costs() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
BEGIN
    IF NOT {has_promises} THEN
        UPDATE {s}.job SET problem = NULL WHERE name = 'costs' AND problem IS NOT NULL;
        RETURN;
    END IF;
    IF EXISTS (SELECT FROM {s}.promise p WHERE p.outcome IS NOT NULL) THEN
        PERFORM {s}.refresh_rates();
    END IF;
    UPDATE {s}.item_vector v SET promised = c.costs
    FROM   {s}.item_cost c
    WHERE  c.item {same_item} v.item AND v.promised IS DISTINCT FROM c.costs;
    UPDATE {s}.job SET problem = NULL WHERE name = 'costs' AND problem IS NOT NULL;
EXCEPTION WHEN data_exception OR cardinality_violation THEN
    UPDATE {s}.job SET problem = SQLERRM WHERE name = 'costs';
    UPDATE {s}.item_vector v SET promised = c.costs
    FROM  (SELECT v.item, {s}.cost_of(v.item) AS costs FROM {s}.item_vector v OFFSET 0) c
    WHERE  c.item {same_item} v.item AND v.promised IS DISTINCT FROM c.costs;
END
$body$;

-- Vectors of deleted rows go, which is no loss: the log keeps the features of what was shown.
CREATE OR REPLACE FUNCTION {s}.forget_gone() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
BEGIN
    LOCK TABLE {s}.item_vector IN SHARE ROW EXCLUSIVE MODE;
    DELETE FROM {s}.item_vector v WHERE NOT EXISTS (SELECT FROM {s}.item i WHERE i.item {same_item} v.item);
    DELETE FROM {s}.job WHERE name = 'gone';
END
$body$;

-- Where more than half of the rows have gone, which may be a mistake, their vectors stay for a day after that
-- was seen, and the report says so.
CREATE OR REPLACE FUNCTION {s}.forget_or_wait() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
DECLARE
    gone    bigint := (SELECT count(*) FROM {s}.item_vector v
                       WHERE NOT EXISTS (SELECT FROM {s}.item i WHERE i.item {same_item} v.item));
    seen_at timestamptz;
    said    text;
BEGIN
    IF 2 * gone <= (SELECT count(*) FROM {s}.item_vector) THEN
        PERFORM {s}.forget_gone();
        RETURN;
    END IF;
    said := format('%s of the items of %s have gone, and their vectors are kept for a day', gone, {name});
    INSERT INTO {s}.job AS j (name, done_at, problem) VALUES ('gone', now(), said)
    ON CONFLICT (name) DO UPDATE SET problem = excluded.problem
    RETURNING j.done_at INTO seen_at;
    IF seen_at < now() - interval '1 day' THEN
        PERFORM {s}.forget_gone();
    ELSE
        RAISE WARNING '%', said USING HINT = format('If they are not to come back: SELECT %I.forget_gone().', {name});
    END IF;
END
$body$;

-- Vectors of new and of changed rows, and no more of rows that are gone.
CREATE OR REPLACE FUNCTION {s}.refresh() RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
DECLARE
    changed bigint;
    twice   text;
BEGIN
    UPDATE {s}.job SET done_at = now(), problem = NULL WHERE name = 'refresh';
    LOCK TABLE {s}.item_vector IN SHARE ROW EXCLUSIVE MODE;     -- one that writes all at a time
    IF NOT {has_key} THEN
        SELECT min(i.item::text) INTO twice
        FROM  (SELECT i.item FROM {s}.item i WHERE i.item IS NOT NULL GROUP BY i.item HAVING count(*) > 1) i;
        IF twice IS NOT NULL THEN
            RAISE 'several items have the key %', twice
                USING ERRCODE = 'unique_violation', HINT = 'A key names one row: make a view that has each once.';
        END IF;
    END IF;
    PERFORM {s}.forget_or_wait();
    INSERT INTO {s}.item_vector AS v (item, encoded, ages)
    SELECT i.item, i.encoded, {s}.ages(i.dates, now()) FROM {s}.encoded_item i WHERE i.item IS NOT NULL
    ON CONFLICT (item) DO UPDATE SET encoded = excluded.encoded, ages = excluded.ages
    WHERE v.encoded <> excluded.encoded OR v.ages <> excluded.ages;
    GET DIAGNOSTICS changed = ROW_COUNT;
    PERFORM {s}.refresh_costs();
    PERFORM {s}.refresh_popularity();
    PERFORM {s}.refresh_trend();
    PERFORM {s}.set_blocks();
    RETURN changed;
END
$body$;

-- Vectors and blocks of new rows
CREATE OR REPLACE FUNCTION {s}.add_items() RETURNS bigint LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH added AS (
        INSERT INTO {s}.item_vector (item, encoded, ages, promised)
        SELECT i.item, i.encoded, {s}.ages(i.dates, now()), CASE WHEN {has_promises} THEN {s}.cost_of(i.item) END
        FROM   {s}.encoded_item i
        WHERE  i.item IS NOT NULL AND NOT EXISTS (SELECT FROM {s}.item_vector v WHERE v.item {same_item} i.item)
        ON CONFLICT DO NOTHING
        RETURNING item, features || promised AS features),
    numbered AS (
        SELECT a.item, a.features, l.n + (row_number() OVER () - 1) / {slots} AS n
        FROM   added a, (SELECT max(n) + 1 AS n FROM {s}.block) l),
    blocks AS (
        INSERT INTO {s}.block (n, items, vectors)
        SELECT n, array_agg(item), array_agg(features) FROM numbered WHERE n IS NOT NULL GROUP BY n)
    SELECT count(*) FROM added;
END;

-- Blocks of the item vectors as they are now: what has not changed is not written.  Popular items are
-- together, since what changes is often theirs.  Where too many are not full all are made anew.  There
-- are none where rows are not found by their key: to look at all is faster then.
CREATE OR REPLACE FUNCTION {s}.set_blocks() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
DECLARE
    items bigint := (SELECT count(*) FROM {s}.item_vector);
BEGIN
    LOCK TABLE {s}.item_vector IN SHARE ROW EXCLUSIVE MODE;
    IF items < {least_items} OR NOT {s}.has_index() THEN
        DELETE FROM {s}.block;
        UPDATE {s}.job SET problem = NULL WHERE name = 'items' AND problem IS NOT NULL;
        RETURN;
    ELSIF (SELECT max(n) + 1 FROM {s}.block) > 1.2 * items / {slots} + 8 THEN
        DELETE FROM {s}.block;
    END IF;
    WITH known AS MATERIALIZED (
        SELECT DISTINCT ON (i.item) i.item, b.n FROM {s}.block b, unnest(b.items) i (item) ORDER BY i.item, b.n),
    placed AS (
        SELECT v.item, v.features || CASE cardinality(v.promised) WHEN {promise_count} THEN v.promised
                                     ELSE array_fill(0::real, ARRAY[{promise_count}]) END AS features,
               coalesce(k.n, l.n + (row_number() OVER (PARTITION BY k.n IS NULL ORDER BY v.popularity DESC, v.item)
                                    - 1) / {slots}) AS n
        FROM   {s}.item_vector v LEFT JOIN known k ON k.item {same_item} v.item,
               (SELECT coalesce(max(n), -1) + 1 AS n FROM known) l),
    gone AS (
        DELETE FROM {s}.block b
        WHERE  NOT EXISTS (SELECT FROM known k JOIN {s}.item_vector v ON v.item {same_item} k.item WHERE k.n = b.n))
    INSERT INTO {s}.block (n, items, vectors)
    SELECT p.n, p.items, p.vectors
    FROM  (SELECT n, array_agg(item ORDER BY item) AS items, array_agg(features ORDER BY item) AS vectors
           FROM placed GROUP BY n) p LEFT JOIN {s}.block b ON b.n = p.n
    WHERE  b.n IS NULL OR b.items <> p.items OR b.vectors <> p.vectors
    ON     CONFLICT (n) DO UPDATE SET items = excluded.items, vectors = excluded.vectors;
END
$body$;

-- What the same people click, by the whole log
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
    UPDATE {s}.job SET done_at = now(), problem = NULL WHERE name = 'refit';
    LOCK TABLE {s}.item_vector IN SHARE ROW EXCLUSIVE MODE;
    IF {factors} > 0 THEN
        UPDATE {s}.item_vector v SET factors = f.factors
        FROM   {s}.fitted() f
        WHERE  f.item {same_item} v.item;
        GET DIAGNOSTICS changed = ROW_COUNT;
        PERFORM {s}.set_blocks();
    END IF;
    RETURN changed;
END
$body$;

-- What is not learning; a run that finds another one at it goes on.  New items are added at each run, and
-- refreshed is every hour, and at once where what dropped() says is over.
CREATE OR REPLACE FUNCTION {s}.keep_fresh(part text) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
DECLARE
    changed bigint;
BEGIN
    IF part = 'prices' THEN
        RETURN {s}.set_prices();
    ELSIF part = 'rebuild' THEN         -- once an hour: where this run() has refreshed
        RETURN CASE WHEN EXISTS (SELECT FROM {s}.job WHERE name = 'refresh' AND done_at = now() AND problem IS NULL)
                         AND {s}.turn_contrast() THEN part END;
    ELSIF part = 'refresh' THEN         -- at each run, so that it is noticed
        PERFORM {s}.say_dropped();
    ELSIF part = 'items' AND {s}.dropped() IS NOT NULL THEN
        RETURN NULL;                    -- which "refresh" has said
    END IF;
    PERFORM FROM {s}.job
    WHERE  CASE part WHEN 'refit' THEN name = 'refit' AND done_at < now() - interval '7 days'
                     WHEN 'refresh' THEN name = 'refresh' AND (done_at < now() - interval '1 hour'
                                                               OR starts_with(problem, 'what it reads was dropped'))
                     ELSE name = 'refresh' END
    FOR    UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN NULL;
    ELSIF part = 'items' THEN           -- beside no refresh, which adds them as well
        SELECT a.n INTO changed FROM {s}.add_items() a (n);
        IF changed > 0 AND NOT EXISTS (SELECT FROM {s}.block) THEN
            PERFORM {s}.set_blocks();   -- are there many now?
        END IF;
        RETURN CASE WHEN changed > 0 THEN format('%s vectors added', changed) ELSE '' END;
    ELSIF part = 'refresh' THEN
        RETURN format('%s vectors refreshed', {s}.refresh());
    END IF;
    changed := {s}.refit();
    PERFORM {s}.set_beginning();
    RETURN format('%s vectors fitted', changed);
END
$body$;
