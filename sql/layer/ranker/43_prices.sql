-- What cannot be computed is not tried again at each page.
CREATE OR REPLACE FUNCTION {s}.solve_or_say_why() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
    UPDATE {s}.promise SET solved = (SELECT n.last_value FROM {s}.decision_number n);
    PERFORM {s}.set_estimates();
    PERFORM {s}.solve();
    UPDATE {s}.job SET problem = NULL WHERE name = 'prices' AND problem IS NOT NULL;
EXCEPTION WHEN data_exception THEN
    UPDATE {s}.promise SET solved = (SELECT n.last_value FROM {s}.decision_number n);
    UPDATE {s}.job SET problem = SQLERRM WHERE name = 'prices';
END
$body$;

-- The same where it is due, by one session at a time; the others go on with the prices that there are.  So
-- does a page where none can be found, and the report says so.  A page is slow then, so run() does it for all
-- decisions since, and pages only what comes in between: every 20 decisions, or 60 where run() comes.
CREATE OR REPLACE FUNCTION {s}.find_prices(is_run boolean) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET jit = off AS $body$
DECLARE
    many bigint := CASE WHEN is_run THEN 1
                        WHEN (SELECT j.done_at > now() - interval '3 minutes' FROM {s}.job j WHERE j.name = 'prices')
                        THEN 60 ELSE 20 END;
    due  boolean;
BEGIN
    SELECT h.has_decided INTO due FROM {s}.has_decided(many) h;
    IF NOT due AND NOT is_run THEN
        RETURN NULL;
    END IF;
    BEGIN
        PERFORM FROM {s}.job WHERE name = 'prices' FOR UPDATE SKIP LOCKED;
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
        SELECT h.has_decided INTO due FROM {s}.has_decided(many) h;    -- another one may just have done it
        IF due THEN
            PERFORM {s}.solve_or_say_why();
        END IF;
        IF is_run THEN
            UPDATE {s}.job SET done_at = now() WHERE name = 'prices' AND problem IS NULL;
        END IF;
        RETURN (SELECT CASE WHEN due AND j.problem IS NULL THEN 'prices found' END
                FROM   {s}.job j WHERE j.name = 'prices');
    EXCEPTION WHEN serialization_failure THEN
        NULL;
    END;
    RETURN NULL;
END
$body$;

CREATE OR REPLACE FUNCTION {s}.set_prices() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
    PERFORM {s}.find_prices(false);
END
$body$;

-- What each price costs in reward, now
CREATE OR REPLACE FUNCTION {s}.lost() RETURNS TABLE (promise text, lost float8) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT l.promise, l.lost FROM {s}.reward_lost() l;
END;
