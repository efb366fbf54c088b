CREATE FUNCTION dlints_explain(
	model dlints,
	features dlints_vector,
	profile dlints_vector DEFAULT '{}',
	names text[] DEFAULT NULL,
	OUT name text,
	OUT contribution double precision,
	OUT stddev double precision
) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100 ROWS 100;
COMMENT ON FUNCTION dlints_explain(dlints, dlints_vector, dlints_vector, text[])
	IS 'what each feature, or each named part of them, adds to the expected reward, with its standard error';
