-- The last fifth of each person's clicks is hidden from a recommender that is tried on its log, and
-- nobody gets again what was clicked before.
CREATE UNLOGGED TABLE {s}.logged AS
SELECT c.person, c.item, c.at,
       c.person IS NOT NULL AND c.of > 1 AND c.n <= ceil(c.of / 5.0) AS is_last
FROM  (SELECT c.*, row_number() OVER (PARTITION BY c.person ORDER BY c.at DESC, c.item) AS n,
              count(*) OVER (PARTITION BY c.person) AS of
       FROM  (SELECT person, item, at FROM {s}.click WHERE at <= now() AND isfinite(at)
              ORDER BY at DESC LIMIT 1000000) c) c;

CREATE INDEX ON {s}.logged (person, at) WHERE NOT is_last;

CREATE INDEX ON {s}.logged (at) WHERE NOT is_last;

CREATE OR REPLACE VIEW {s}.click AS SELECT l.person, l.item, l.at FROM {s}.logged l WHERE NOT l.is_last;

CREATE OR REPLACE FUNCTION {s}.allowed(person {person_type}, context pg_catalog.jsonb)
RETURNS TABLE (item {item_type}) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT i.item FROM {s}.item i
    WHERE  NOT EXISTS (SELECT FROM {s}.click c
                       WHERE  c.person {same_person} allowed.person AND c.item {same_item} i.item);
END;

-- Some people, and what each of them clicked then
CREATE UNLOGGED TABLE {s}.hidden AS
SELECT l.person, array_agg(DISTINCT l.item) AS items
FROM   {s}.logged l JOIN {s}.item i ON i.item {same_item} l.item
WHERE  l.is_last AND NOT EXISTS (
    SELECT FROM {s}.click c WHERE c.person {same_person} l.person AND c.item {same_item} l.item)
GROUP  BY l.person ORDER BY random() LIMIT {people};

ANALYZE {s}.logged;

DO $body$
BEGIN
    IF NOT EXISTS (SELECT FROM {s}.hidden) THEN
        RAISE 'nobody clicked an item that was not clicked before' USING ERRCODE = 'no_data_found',
            HINT = 'Of each person the last fifth of the clicks is hidden, and looked for.';
    END IF;
    RAISE NOTICE '% clicks are hidden, and a recommender is made of the other %',
        (SELECT count(*) FROM {s}.logged WHERE is_last), (SELECT count(*) FROM {s}.click);
END
$body$;
