-- A list has so many rows of a group at most.
CREATE OR REPLACE FUNCTION {s}.cap_group(of_item {item_type}, person {person_type}, context pg_catalog.jsonb)
RETURNS TABLE (cap_group pg_catalog.text) LANGUAGE sql STABLE
BEGIN ATOMIC
    {cap_group};
END;
