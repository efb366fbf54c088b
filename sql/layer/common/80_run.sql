-- All that is due, for cron: every minute, or every few of them.  It has its owner's rights, so that
-- cron needs none but to call it, and what it makes is its owner's.  One part that fails holds up no
-- other: a warning says so, and the report until it is mended.
CREATE OR REPLACE FUNCTION {s}.run() RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET row_security = off AS $body$
DECLARE
    fresh    text := '';
    said     text;
    problems text;
BEGIN
    BEGIN
        fresh := {s}.keep_fresh();
    EXCEPTION WHEN OTHERS THEN
        RAISE WARNING 'upkeep of %: %', {name}, SQLERRM;
        problems := SQLERRM;
        -- not at each run again
        UPDATE {s}.job SET done_at = now() - CASE name WHEN 'refit' THEN interval '6 days 23 hours' ELSE interval '0' END
        WHERE  name = 'refit' AND done_at < now() - interval '7 days'
        OR     name = 'refresh' AND done_at < now() - interval '1 hour';
    END;
    said := format('%s learned', {s}.learn()) || fresh;
    IF EXISTS (SELECT FROM {s}.models WHERE hint LIKE 'Rounding %') THEN
        PERFORM {s}.rebuild();
        said := said || ', models rebuilt';
    END IF;
    BEGIN
        PERFORM {s}.set_months();       -- late, since it locks out those that learn
        PERFORM {s}.tidy();
    EXCEPTION WHEN OTHERS THEN
        RAISE WARNING 'months of %: %', {name}, SQLERRM;
        problems := concat_ws('; ', problems, SQLERRM);
    END;
    UPDATE {s}.job SET done_at = now(), problem = problems WHERE name = 'run';
    RETURN said;
END
$body$;

REVOKE EXECUTE ON FUNCTION {s}.run FROM PUBLIC;
