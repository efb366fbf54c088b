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
    UPDATE {s}.promise SET solved = (SELECT n.last_value FROM {s}.decision_number n), lost = 0;
    UPDATE {s}.promise p SET lost = l.lost FROM {s}.reward_lost() l WHERE l.promise = p.name;
    RETURN 'prices found';
END
$body$;

-- What each price cost in reward, when it was found: who reads the report may not read the items.
CREATE OR REPLACE FUNCTION {s}.lost() RETURNS TABLE (promise text, lost float8) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT p.name, p.lost FROM {s}.promise p;
END;
