-- A row's columns, apart from each other, so that a model can tell which matter
CREATE OR REPLACE FUNCTION {s}.encode(i {items}) RETURNS real[] LANGUAGE sql STABLE
RETURN {encode};
