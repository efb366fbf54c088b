-- What is added to a row's score
CREATE OR REPLACE FUNCTION {s}.bonus(i {items}, person {person_type}, context pg_catalog.jsonb)
RETURNS TABLE (bonus pg_catalog.float8) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT {bonus}::pg_catalog.float8 FROM (SELECT bonus.person, bonus.context) request;
END;
