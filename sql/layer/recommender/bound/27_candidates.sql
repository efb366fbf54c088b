-- Which rows a request may be answered with
CREATE OR REPLACE FUNCTION {s}.allowed(person {person_type}, context pg_catalog.jsonb)
RETURNS TABLE (item {item_type}) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT i.{key}
    FROM   {items} i CROSS JOIN (SELECT allowed.person, allowed.context) request
    WHERE  {candidates};
END;
