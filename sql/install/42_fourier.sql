CREATE FUNCTION dlints_fourier(
	features dlints_vector,
	k integer,
	seed bigint DEFAULT 0,
	scale double precision DEFAULT 1
) RETURNS real[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION dlints_fourier(dlints_vector, integer, bigint, double precision)
	IS 'k random Fourier features, which let a model learn curves';
