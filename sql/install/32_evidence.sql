-- Evidence of many rows -------------------------------------------------------

-- The number of arguments says what they are.
DO $do$
DECLARE
	rest text;
	arguments text;
BEGIN
	FOREACH rest IN ARRAY ARRAY[
		'',
		', profile dlints_vector',
		', profile dlints_vector, at timestamptz',
		', profile dlints_vector, at timestamptz, weight double precision'] LOOP
		arguments := pg_catalog.concat(
			'model dlints, features dlints_vector, reward double precision', rest);
		EXECUTE pg_catalog.format($create$
			CREATE FUNCTION dlints_evidence_transfn(dlints, %1$s) RETURNS dlints
				AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
			COMMENT ON FUNCTION dlints_evidence_transfn(dlints, %1$s)
				IS 'transition function of dlints_evidence';
			CREATE AGGREGATE dlints_evidence(%1$s) (
				SFUNC = dlints_evidence_transfn,
				STYPE = dlints,
				SSPACE = 65536,
				COMBINEFUNC = dlints_concat,
				PARALLEL = SAFE
			);
			COMMENT ON AGGREGATE dlints_evidence(%1$s)
				IS 'what the rows say under the model''s parameters, its own evidence left out; to be appended with ||'
		$create$, arguments);
	END LOOP;
END
$do$;
