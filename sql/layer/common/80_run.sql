-- All that is due, for cron: every minute, or every few of them
CREATE OR REPLACE FUNCTION {s}.run() RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off AS $body$
DECLARE
    said text := {s}.keep_fresh();
BEGIN
    said := format('%s learned', {s}.learn()) || said;
    IF EXISTS (SELECT FROM {s}.models WHERE hint LIKE 'Rounding %') THEN
        PERFORM {s}.rebuild();
        said := said || ', models rebuilt';
    END IF;
    PERFORM {s}.set_months();           -- late, since it locks out those that learn
    PERFORM {s}.tidy();
    UPDATE {s}.job SET done_at = now() WHERE name = 'run';
    RETURN said;
END
$body$;
