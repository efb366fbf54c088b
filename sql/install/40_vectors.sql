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

CREATE FUNCTION dlints_pack(features dlints_vector) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_pack(dlints_vector)
	IS 'a vector, or the rows of a matrix, in few bytes: to 11 bits, and nothing for zeros';

CREATE FUNCTION dlints_pack(features dlints_vector, bits bigint) RETURNS bytea
	AS 'MODULE_PATHNAME', 'dlints_pack_bits' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_pack(dlints_vector, bigint)
	IS 'the same, each number in 8 bits, a sign and the root, or in 16, as without bits';

CREATE FUNCTION dlints_unpack(packed bytea, n bigint DEFAULT 1) RETURNS real[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_unpack(bytea, bigint)
	IS 'vector n of what dlints_pack made; NULL if there are fewer';

CREATE FUNCTION dlints_contrast(
	packed bytea,
	n bigint,
	weights double precision[] DEFAULT '{1}'
) RETURNS real[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_contrast(bytea, bigint, double precision[])
	IS 'vector n of what dlints_pack made, less the weighted mean of all: what tells it from the others';

CREATE FUNCTION dlints_vector(packed bytea) RETURNS dlints_vector
	AS 'MODULE_PATHNAME', 'dlints_vector_packed' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_vector(bytea) IS 'what dlints_pack made, as features or a profile';

CREATE CAST (bytea AS dlints_vector) WITH FUNCTION dlints_vector(bytea) AS IMPLICIT;
COMMENT ON CAST (bytea AS dlints_vector) IS 'what dlints_pack made, as features or a profile';
