-- Compute, compress and decompress feature vectors ------------------------------

CREATE FUNCTION dlints_encode(n integer, VARIADIC names_and_values "any") RETURNS real[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_encode(integer, VARIADIC "any")
	IS 'hashes alternating names and values into a vector of n numbers and length 1; zeros if all values are NULL';

CREATE FUNCTION dlints_encode(n integer, document jsonb) RETURNS real[]
	AS 'MODULE_PATHNAME', 'dlints_encode_jsonb' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_encode(integer, jsonb)
	IS 'hashes the keys and values of a document into a unit vector of n numbers';

CREATE FUNCTION dlints_profile_transfn(
	double precision[], dlints_vector) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;

CREATE FUNCTION dlints_profile_transfn(
	double precision[], dlints_vector, double precision) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;

CREATE FUNCTION dlints_profile_combinefn(
	double precision[], double precision[]) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;

CREATE FUNCTION dlints_profile_finalfn(double precision[]) RETURNS real[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;

CREATE AGGREGATE dlints_profile(features dlints_vector) (
	SFUNC = dlints_profile_transfn,
	STYPE = double precision[],
	SSPACE = 1024,
	FINALFUNC = dlints_profile_finalfn,
	COMBINEFUNC = dlints_profile_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_profile(dlints_vector)
	IS 'computes a user profile: sums feature vectors and scales the sum to length 1';

CREATE AGGREGATE dlints_profile(features dlints_vector, weight double precision) (
	SFUNC = dlints_profile_transfn,
	STYPE = double precision[],
	SSPACE = 1024,
	FINALFUNC = dlints_profile_finalfn,
	COMBINEFUNC = dlints_profile_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_profile(dlints_vector, double precision)
	IS 'computes a user profile: sums weighted feature vectors and scales the sum to length 1';

CREATE FUNCTION dlints_factors(
	query text,
	k bigint,
	previous text DEFAULT NULL,
	seed bigint DEFAULT 0
) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 20000;
COMMENT ON FUNCTION dlints_factors(text, bigint, text, bigint)
	IS 'computes an embedding of k numbers for each item of a click log; query returns users, items and '
	   'optional weights, previous returns earlier embeddings to align with';

CREATE FUNCTION dlints_neighbours(query text, k bigint DEFAULT 50) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 20000;
COMMENT ON FUNCTION dlints_neighbours(text, bigint)
	IS 'computes for each item of a click log the items that a click on it predicts, with weights of ridge '
	   'regressions on k neighbours; query returns users, items and optional weights';

CREATE FUNCTION dlints_pack(features dlints_vector, bits bigint DEFAULT 16) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_pack(dlints_vector, bigint)
	IS 'compresses a vector, or the rows of a matrix, to 16 bits a number, 11 of them significant, or to 8 bits '
	   '(sign and square root); a zero takes one bit';

CREATE FUNCTION dlints_unpack(packed bytea, n bigint DEFAULT 1) RETURNS real[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_unpack(bytea, bigint)
	IS 'decompresses vector n of a packed value; NULL if n exceeds the number of vectors';

CREATE FUNCTION dlints_contrast(
	packed bytea,
	n bigint,
	weights double precision[] DEFAULT '{1}'
) RETURNS real[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_contrast(bytea, bigint, double precision[])
	IS 'decompresses vector n of a packed value and subtracts the weighted mean of all its vectors';

CREATE FUNCTION dlints_vector(packed bytea) RETURNS dlints_vector
	AS 'MODULE_PATHNAME', 'dlints_vector_packed' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_vector(bytea) IS 'converts a packed value to features or a profile';

CREATE CAST (bytea AS dlints_vector) WITH FUNCTION dlints_vector(bytea) AS IMPLICIT;
COMMENT ON CAST (bytea AS dlints_vector) IS 'converts a packed value to features or a profile';

CREATE FUNCTION dlints_fourier(
	features dlints_vector,
	k integer,
	seed bigint DEFAULT 0,
	scale double precision DEFAULT 1
) RETURNS real[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION dlints_fourier(dlints_vector, integer, bigint, double precision)
	IS 'computes k random Fourier features, with which a linear model fits nonlinear functions';

-- Columns of a recommender's items ---------------------------------------------------

CREATE FUNCTION _dlints_encode_column(n integer, name text, value "any") RETURNS real[]
	AS 'MODULE_PATHNAME', 'dlints_encode_column' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;

CREATE FUNCTION _dlints_column_number(value "any") RETURNS double precision
	AS 'MODULE_PATHNAME', 'dlints_column_number' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION _dlints_column_vector(value "any", length integer, norm double precision) RETURNS real[]
	AS 'MODULE_PATHNAME', 'dlints_column_vector' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;

CREATE FUNCTION _dlints_click_weight(weight "any") RETURNS double precision
	AS 'MODULE_PATHNAME', 'dlints_click_weight' LANGUAGE C IMMUTABLE PARALLEL SAFE;
