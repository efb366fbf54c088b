-- Arrays of numbers -----------------------------------------------------------
--
-- Functions take features and profiles as this type, to which all arrays of numbers
-- lead: a real[] or double precision[] is one as it is, under another name.  So each
-- function has one form, and a literal or parameter without a type is one, too.

CREATE TYPE dlints_vector;

CREATE FUNCTION dlints_vector_in(cstring) RETURNS dlints_vector
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_vector_in(cstring) IS 'text input: as double precision[]';

CREATE FUNCTION dlints_vector_out(dlints_vector) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_vector_out(dlints_vector) IS 'text output: as double precision[]';

CREATE FUNCTION dlints_vector_recv(internal) RETURNS dlints_vector
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_vector_recv(internal) IS 'binary input: as double precision[]';

CREATE FUNCTION dlints_vector_send(dlints_vector) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_vector_send(dlints_vector) IS 'binary output: as double precision[]';

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
	IS 'features or a profile, as an array of numbers; a real[] or double precision[] inside';

CREATE FUNCTION dlints_vector_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_vector_support(internal)
	IS 'planner support of dlints_vector: a real[] or double precision[] is one already';

CREATE FUNCTION dlints_vector(anyarray) RETURNS dlints_vector
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT dlints_vector_support;
COMMENT ON FUNCTION dlints_vector(anyarray) IS 'an array of numbers as features or a profile';

CREATE CAST (real[] AS dlints_vector) WITH FUNCTION dlints_vector(anyarray) AS IMPLICIT;
COMMENT ON CAST (real[] AS dlints_vector) IS 'an array of numbers as features or a profile';

CREATE CAST (double precision[] AS dlints_vector)
	WITH FUNCTION dlints_vector(anyarray) AS IMPLICIT;
COMMENT ON CAST (double precision[] AS dlints_vector)
	IS 'an array of numbers as features or a profile';

CREATE CAST (numeric[] AS dlints_vector) WITH FUNCTION dlints_vector(anyarray) AS IMPLICIT;
COMMENT ON CAST (numeric[] AS dlints_vector) IS 'an array of numbers as features or a profile';

CREATE CAST (smallint[] AS dlints_vector) WITH FUNCTION dlints_vector(anyarray) AS IMPLICIT;
COMMENT ON CAST (smallint[] AS dlints_vector) IS 'an array of numbers as features or a profile';

CREATE CAST (integer[] AS dlints_vector) WITH FUNCTION dlints_vector(anyarray) AS IMPLICIT;
COMMENT ON CAST (integer[] AS dlints_vector) IS 'an array of numbers as features or a profile';

CREATE CAST (bigint[] AS dlints_vector) WITH FUNCTION dlints_vector(anyarray) AS IMPLICIT;
COMMENT ON CAST (bigint[] AS dlints_vector) IS 'an array of numbers as features or a profile';
