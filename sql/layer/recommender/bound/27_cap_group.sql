-- A list has so many rows of a group at most.
CREATE OR REPLACE FUNCTION {s}.cap_group(i {items}, person {person_type}, context pg_catalog.jsonb)
RETURNS TABLE (cap_group pg_catalog.text) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT {cap_group}::pg_catalog.text FROM (SELECT cap_group.person, cap_group.context) request;
END;
