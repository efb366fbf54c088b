-- Prices anew where that is due, by one session at a time; NULL: it is not.
CREATE OR REPLACE FUNCTION {s}.set_prices() RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET jit = off AS $body$
DECLARE
    due boolean;
BEGIN
    SELECT i.is_to_solve INTO due FROM {s}.is_to_solve() i;
    IF NOT FOUND OR NOT due THEN
        RETURN NULL;
    END IF;
    PERFORM FROM {s}.job WHERE name = 'prices' FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    PERFORM {s}.solve();
    UPDATE {s}.promise SET solved = (SELECT n.last_value FROM {s}.decision_number n);
    RETURN 'prices found';
END
$body$;
