-- Type ------------------------------------------------------------------------

CREATE TYPE dlints;

CREATE FUNCTION dlints_in(cstring, oid, integer) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_in(cstring, oid, integer) IS 'text input: the JSON form of a model';

CREATE FUNCTION dlints_out(dlints) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_out(dlints)
	IS 'text output: JSON that reads back to the identical value';

CREATE FUNCTION dlints_recv(internal, oid, integer) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_recv(internal, oid, integer) IS 'binary input';

CREATE FUNCTION dlints_send(dlints) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_send(dlints) IS 'binary output';

CREATE FUNCTION dlints_typmod_in(cstring[]) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_typmod_in(cstring[])
	IS 'dlints(dim), dlints(dim, reduced_dim), dlints(dim, matched), dlints(dim, reduced_dim, matched), each perhaps with intercept';

CREATE FUNCTION dlints_typmod_out(integer) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_typmod_out(integer) IS 'type modifier as text';

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
	IS 'contextual-bandit model: discounted linear Thompson sampling over features or random projections of them';

CREATE FUNCTION dlints(dlints, integer, boolean) RETURNS dlints
	AS 'MODULE_PATHNAME', 'dlints_enforce_typmod' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints(dlints, integer, boolean)
	IS 'check a model against the sizes of a column';

CREATE CAST (dlints AS dlints)
	WITH FUNCTION dlints(dlints, integer, boolean) AS IMPLICIT;
COMMENT ON CAST (dlints AS dlints) IS 'check a model against the sizes of a column';

CREATE FUNCTION dlints_to_jsonb(dlints) RETURNS jsonb
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_to_jsonb(dlints)
	IS 'a model as jsonb: parameters, counts and, memory by memory, the evidence';

CREATE FUNCTION dlints_from_jsonb(jsonb) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_from_jsonb(jsonb) IS 'a model from its jsonb form';

CREATE CAST (dlints AS jsonb) WITH FUNCTION dlints_to_jsonb(dlints);
COMMENT ON CAST (dlints AS jsonb) IS 'a model as jsonb';

CREATE CAST (jsonb AS dlints) WITH FUNCTION dlints_from_jsonb(jsonb);
COMMENT ON CAST (jsonb AS dlints) IS 'a model from its jsonb form';

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
COMMENT ON OPERATOR = (dlints, dlints) IS 'same parameters, counts and evidence';

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
COMMENT ON FUNCTION dlints_hash(dlints) IS 'hash';

CREATE FUNCTION dlints_hash_extended(dlints, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_hash_extended(dlints, bigint) IS 'hash with a salt';

CREATE OPERATOR CLASS dlints_ops DEFAULT FOR TYPE dlints USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 dlints_hash(dlints),
	FUNCTION 2 dlints_hash_extended(dlints, bigint);
COMMENT ON OPERATOR FAMILY dlints_ops USING hash IS 'equality of models';
COMMENT ON OPERATOR CLASS dlints_ops USING hash IS 'equality of models';
