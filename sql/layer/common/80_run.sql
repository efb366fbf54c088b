-- An error if a dump of definitions alone was restored
CREATE OR REPLACE FUNCTION {s}.check_rows() RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
    IF NOT EXISTS (SELECT FROM {s}.setting) THEN
        RAISE 'the tables of "%" have no rows', {name} USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'A dump of definitions alone has none: restore their data, too, or create another one.';
    END IF;
END
$body$;

-- A part of what is due; NULL: it is not.
CREATE OR REPLACE FUNCTION {s}.do_part(part text) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off AS $body$
BEGIN
    CASE part
        WHEN 'learn' THEN
            RETURN format('%s learned', {s}.learn());
        WHEN 'rebuild' THEN
            IF {s}.keep_fresh(part) IS NOT NULL OR EXISTS (SELECT FROM {s}.models WHERE hint LIKE 'Rounding %') THEN
                PERFORM {s}.rebuild();
                RETURN 'models rebuilt';
            END IF;
            RETURN '';
        WHEN 'months' THEN
            PERFORM {s}.set_months();   -- last, since it locks out pages
            PERFORM {s}.tidy();
            RETURN '';
        ELSE
            RETURN {s}.keep_fresh(part);
    END CASE;
END
$body$;

-- All that is due, for cron: every minute, or every few of them.  It has its owner's rights, so that
-- cron needs none but to call it, and what it makes is its owner's.  One part that fails holds up no
-- other: a warning says so, and the report until that part is done.  What is not due at each run is
-- tried again an hour later.
CREATE OR REPLACE FUNCTION {s}.run() RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
DECLARE
    said   text[] := '{}';
    part   text;
    result text;
BEGIN
    PERFORM {s}.check_rows();
    -- who alters takes the rows of refresh, which is that of items, too, and of refit before the models
    FOREACH part IN ARRAY '{refresh,items,refit,learn,rebuild,prices,months}'::text[] LOOP
        BEGIN
            result := {s}.do_part(part);
            said := CASE part WHEN 'learn' THEN result || said ELSE said || result END;
            UPDATE {s}.job SET problem = NULL WHERE name = part AND problem IS NOT NULL AND result IS NOT NULL;
        EXCEPTION WHEN OTHERS THEN
            RAISE WARNING '"%" of %: %', part, {name}, SQLERRM;
            UPDATE {s}.job
            SET    problem = SQLERRM,
                   done_at = now() - CASE part WHEN 'refit' THEN interval '6 days 23 hours' ELSE interval '0' END
            WHERE  name = part;
        END;
    END LOOP;
    UPDATE {s}.job SET done_at = now() WHERE name = 'run';
    RETURN array_to_string(array_remove(said, ''), ', ');
END
$body$;

REVOKE EXECUTE ON FUNCTION {s}.run FROM PUBLIC;
