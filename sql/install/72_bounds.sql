-- Bounds of a mean -------------------------------------------------------------

CREATE FUNCTION dlints_bounds(
	mean double precision,
	stderr double precision,
	observations bigint,
	lowest double precision DEFAULT 0,
	highest double precision DEFAULT 1,
	confidence double precision DEFAULT 0.95,
	OUT low double precision,
	OUT high double precision
) AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_bounds(
	double precision, double precision, bigint, double precision, double precision, double precision)
	IS 'between which bounds an expectation lies, whenever one looks: from a mean and its standard error, of so many numbers from lowest to highest';
