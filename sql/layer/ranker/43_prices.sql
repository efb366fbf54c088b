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

-- The same where so many have been decided since, by one session at a time; the others go on with the prices that
-- there are.  So does a page where none can be found, and the report says so.
CREATE OR REPLACE FUNCTION {s}.find_prices(many bigint) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET jit = off AS $body$
BEGIN
    IF (SELECT h.has_decided FROM {s}.has_decided(many) h) IS NOT TRUE THEN
        RETURN NULL;
    END IF;
    BEGIN
        PERFORM FROM {s}.job WHERE name = 'prices' FOR UPDATE SKIP LOCKED;
        -- another one may just have done it
        IF NOT FOUND OR (SELECT h.has_decided FROM {s}.has_decided(many) h) IS NOT TRUE THEN
            RETURN NULL;
        END IF;
        PERFORM {s}.solve_or_say_why();
        RETURN (SELECT CASE WHEN j.problem IS NULL THEN 'prices found' END FROM {s}.job j WHERE j.name = 'prices');
    EXCEPTION WHEN serialization_failure THEN
        RETURN NULL;
    END;
END
$body$;

-- By a page, which is slow then: every 20 decisions, or 60 where run() comes and finds them for all since
CREATE OR REPLACE FUNCTION {s}.set_prices() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
    PERFORM {s}.find_prices(CASE WHEN (SELECT j.done_at > now() - interval '3 minutes'
                                       FROM {s}.job j WHERE j.name = 'prices') THEN 60 ELSE 20 END);
END
$body$;

-- What each price costs in reward, now
CREATE OR REPLACE FUNCTION {s}.lost() RETURNS TABLE (promise text, lost float8) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT l.promise, l.lost FROM {s}.reward_lost() l;
END;
