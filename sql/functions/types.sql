-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION dlints" to load this file. \quit

-- COST is in units of cpu_operator_cost.  Functions that run once per row have a COST of at most 20, because the
-- planner assumes a thousand rows for a table without statistics.  With a higher COST, it would use JIT compilation to
-- choose among three items.

-- Models: the type dlints --------------------------------------------------------

CREATE TYPE dlints;

CREATE FUNCTION dlints_in(cstring, oid, integer) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION dlints_out(dlints) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_out(dlints)
	IS 'text output: JSON; text input restores the identical value';

CREATE FUNCTION dlints_recv(internal, oid, integer) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION dlints_send(dlints) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION dlints_typmod_in(cstring[]) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION dlints_typmod_out(integer) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE dlints (
	INPUT = dlints_in,
	OUTPUT = dlints_out,
	RECEIVE = dlints_recv,
	SEND = dlints_send,
	TYPMOD_IN = dlints_typmod_in,
	TYPMOD_OUT = dlints_typmod_out,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = external
);
COMMENT ON TYPE dlints
	IS 'contextual-bandit model: discounted linear Thompson sampling on features or on random projections of features';

CREATE FUNCTION dlints(dlints, integer, boolean) RETURNS dlints
	AS 'MODULE_PATHNAME', 'dlints_enforce_typmod' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints(dlints, integer, boolean)
	IS 'checks a model against the type modifier of a column';

CREATE CAST (dlints AS dlints)
	WITH FUNCTION dlints(dlints, integer, boolean) AS IMPLICIT;
COMMENT ON CAST (dlints AS dlints) IS 'checks a model against the type modifier of a column';

CREATE FUNCTION dlints_to_jsonb(dlints) RETURNS jsonb
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_to_jsonb(dlints)
	IS 'converts a model to jsonb: parameters, counts and the evidence of each memory';

CREATE FUNCTION dlints_from_jsonb(jsonb) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_from_jsonb(jsonb) IS 'converts jsonb to a model';

CREATE CAST (dlints AS jsonb) WITH FUNCTION dlints_to_jsonb(dlints);
COMMENT ON CAST (dlints AS jsonb) IS 'converts a model to jsonb';

CREATE CAST (jsonb AS dlints) WITH FUNCTION dlints_from_jsonb(jsonb);
COMMENT ON CAST (jsonb AS dlints) IS 'converts jsonb to a model';

CREATE FUNCTION dlints_eq(dlints, dlints) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_eq(dlints, dlints) IS 'implementation of = operator';

CREATE FUNCTION dlints_ne(dlints, dlints) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_ne(dlints, dlints) IS 'implementation of <> operator';

CREATE OPERATOR = (
	LEFTARG = dlints,
	RIGHTARG = dlints,
	FUNCTION = dlints_eq,
	COMMUTATOR = =,
	NEGATOR = <>,
	RESTRICT = eqsel,
	JOIN = eqjoinsel,
	HASHES
);
COMMENT ON OPERATOR = (dlints, dlints) IS 'equal parameters, counts and evidence';

CREATE OPERATOR <> (
	LEFTARG = dlints,
	RIGHTARG = dlints,
	FUNCTION = dlints_ne,
	COMMUTATOR = <>,
	NEGATOR = =,
	RESTRICT = neqsel,
	JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (dlints, dlints) IS 'different parameters, counts or evidence';

CREATE FUNCTION dlints_hash(dlints) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_hash(dlints) IS '32-bit hash';

CREATE OPERATOR CLASS dlints_ops DEFAULT FOR TYPE dlints USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 dlints_hash(dlints);
COMMENT ON OPERATOR FAMILY dlints_ops USING hash IS 'equality of models';
COMMENT ON OPERATOR CLASS dlints_ops USING hash IS 'equality of models';

-- Features and profiles: the type dlints_vector ------------------------------------
--
-- All arrays of numbers have an implicit cast to dlints_vector.  A single signature per function is then enough, and
-- literals and untyped parameters resolve to dlints_vector.

CREATE TYPE dlints_vector;

CREATE FUNCTION dlints_vector_in(cstring) RETURNS dlints_vector
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION dlints_vector_out(dlints_vector) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION dlints_vector_recv(internal) RETURNS dlints_vector
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION dlints_vector_send(dlints_vector) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE dlints_vector (
	INPUT = dlints_vector_in,
	OUTPUT = dlints_vector_out,
	RECEIVE = dlints_vector_recv,
	SEND = dlints_vector_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = extended
);
COMMENT ON TYPE dlints_vector
	IS 'features or a profile: an array of numbers, stored as real[] or double precision[]';

CREATE FUNCTION dlints_vector_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION dlints_vector(anyarray) RETURNS dlints_vector
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT dlints_vector_support;
COMMENT ON FUNCTION dlints_vector(anyarray) IS 'converts an array of numbers to features or a profile';

CREATE CAST (real[] AS dlints_vector) WITH FUNCTION dlints_vector(anyarray) AS IMPLICIT;
COMMENT ON CAST (real[] AS dlints_vector) IS 'converts an array of numbers to features or a profile';

CREATE CAST (double precision[] AS dlints_vector)
	WITH FUNCTION dlints_vector(anyarray) AS IMPLICIT;
COMMENT ON CAST (double precision[] AS dlints_vector)
	IS 'converts an array of numbers to features or a profile';

CREATE CAST (numeric[] AS dlints_vector) WITH FUNCTION dlints_vector(anyarray) AS IMPLICIT;
COMMENT ON CAST (numeric[] AS dlints_vector) IS 'converts an array of numbers to features or a profile';

CREATE CAST (smallint[] AS dlints_vector) WITH FUNCTION dlints_vector(anyarray) AS IMPLICIT;
COMMENT ON CAST (smallint[] AS dlints_vector) IS 'converts an array of numbers to features or a profile';

CREATE CAST (integer[] AS dlints_vector) WITH FUNCTION dlints_vector(anyarray) AS IMPLICIT;
COMMENT ON CAST (integer[] AS dlints_vector) IS 'converts an array of numbers to features or a profile';

CREATE CAST (bigint[] AS dlints_vector) WITH FUNCTION dlints_vector(anyarray) AS IMPLICIT;
COMMENT ON CAST (bigint[] AS dlints_vector) IS 'converts an array of numbers to features or a profile';
