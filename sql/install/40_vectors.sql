-- Vectors ---------------------------------------------------------------------

CREATE FUNCTION dlints_encode(n integer, VARIADIC names_and_values "any") RETURNS real[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_encode(integer, VARIADIC "any")
	IS 'names and values in turns as a vector of n numbers and length 1';

CREATE FUNCTION dlints_encode(n integer, document jsonb) RETURNS real[]
	AS 'MODULE_PATHNAME', 'dlints_encode_jsonb' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_encode(integer, jsonb)
	IS 'the keys and values of a document as a vector of n numbers and length 1';

CREATE FUNCTION dlints_profile_transfn(
	double precision[], dlints_vector) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_profile_transfn(double precision[], dlints_vector)
	IS 'transition function of dlints_profile';

CREATE FUNCTION dlints_profile_transfn(
	double precision[], dlints_vector, double precision) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_profile_transfn(double precision[], dlints_vector, double precision)
	IS 'transition function of dlints_profile with weights';

CREATE FUNCTION dlints_profile_combinefn(
	double precision[], double precision[]) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_profile_combinefn(double precision[], double precision[])
	IS 'combine function of dlints_profile';

CREATE FUNCTION dlints_profile_finalfn(double precision[]) RETURNS real[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_profile_finalfn(double precision[])
	IS 'final function of dlints_profile';

CREATE AGGREGATE dlints_profile(features dlints_vector) (
	SFUNC = dlints_profile_transfn,
	STYPE = double precision[],
	SSPACE = 1024,
	FINALFUNC = dlints_profile_finalfn,
	COMBINEFUNC = dlints_profile_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_profile(dlints_vector)
	IS 'the sum of feature vectors, scaled to length 1';

CREATE AGGREGATE dlints_profile(features dlints_vector, weight double precision) (
	SFUNC = dlints_profile_transfn,
	STYPE = double precision[],
	SSPACE = 1024,
	FINALFUNC = dlints_profile_finalfn,
	COMBINEFUNC = dlints_profile_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_profile(dlints_vector, double precision)
	IS 'the sum of feature vectors, each times its weight, scaled to length 1';

CREATE FUNCTION dlints_factors(
	query text,
	k bigint,
	previous text DEFAULT NULL,
	seed bigint DEFAULT 0
) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 1000;
COMMENT ON FUNCTION dlints_factors(text, bigint, text, bigint)
	IS 'vectors of k numbers for the items of a click log, given by a query';
