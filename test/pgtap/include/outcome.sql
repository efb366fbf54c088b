-- Result of a statement, or the SQLSTATE, message and detail of its error
CREATE FUNCTION outcome(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE statement INTO result;
	RETURN 'gives ' || coalesce(result, 'NULL');
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS result = PG_EXCEPTION_DETAIL;
	-- the additions of PostgreSQL for unknown functions differ between versions
	RETURN SQLSTATE || ': ' || SQLERRM ||
		CASE WHEN result <> '' AND SQLSTATE <> '42883' THEN ' (' || result || ')' ELSE '' END;
END
$$;
