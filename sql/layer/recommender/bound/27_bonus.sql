-- What is added to a row's score
CREATE OR REPLACE FUNCTION {s}.bonus(of_item {item_type}, person {person_type}, context pg_catalog.jsonb)
RETURNS TABLE (bonus pg_catalog.float8) LANGUAGE sql STABLE
BEGIN ATOMIC
    {bonus};
END;
