-- How far its dates are from a moment, in steps of about a day, a week and a month
CREATE OR REPLACE FUNCTION {s}.ages(i {items}, at timestamptz) RETURNS real[] LANGUAGE sql STABLE
RETURN {ages};
