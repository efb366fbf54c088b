-- Rank by a given score -------------------------------------------------------

CREATE FUNCTION dlints_top_transfn(internal, anyelement, double precision, bigint) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_top_transfn(internal, anyelement, double precision, bigint)
	IS 'transition function of dlints_top';

CREATE FUNCTION dlints_top_finalfn(internal, anyelement, double precision, bigint) RETURNS anyarray
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_top_finalfn(internal, anyelement, double precision, bigint)
	IS 'final function of dlints_top';

CREATE FUNCTION dlints_top_combinefn(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_top_combinefn(internal, internal)
	IS 'combine function of dlints_top';

CREATE FUNCTION dlints_top_serialfn(internal) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_top_serialfn(internal)
	IS 'serialisation function of dlints_top';

CREATE FUNCTION dlints_top_deserialfn(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_top_deserialfn(bytea, internal)
	IS 'deserialisation function of dlints_top';

CREATE AGGREGATE dlints_top(item anyelement, score double precision, k bigint) (
	SFUNC = dlints_top_transfn,
	STYPE = internal,
	SSPACE = 512,
	FINALFUNC = dlints_top_finalfn,
	FINALFUNC_EXTRA,
	COMBINEFUNC = dlints_top_combinefn,
	SERIALFUNC = dlints_top_serialfn,
	DESERIALFUNC = dlints_top_deserialfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_top(anyelement, double precision, bigint)
	IS 'the k items with the highest scores, best first; among equal scores those that come first';
