-- Shortlist -------------------------------------------------------------------

CREATE FUNCTION dlints_shortlist_transfn(
	internal, anyarray, dlints_vector, double precision[], bigint) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_shortlist_transfn(internal, anyarray, dlints_vector, double precision[], bigint)
	IS 'transition function of dlints_shortlist';

CREATE FUNCTION dlints_shortlist_finalfn(
	internal, anyarray, "any", double precision[], bigint) RETURNS anyarray
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_shortlist_finalfn(internal, anyarray, "any", double precision[], bigint)
	IS 'final function of dlints_shortlist';

CREATE AGGREGATE dlints_shortlist(
	items anyarray, features dlints_vector, weights double precision[], k bigint) (
	SFUNC = dlints_shortlist_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = dlints_shortlist_finalfn,
	FINALFUNC_EXTRA,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dlints_shortlist(anyarray, dlints_vector, double precision[], bigint)
	IS 'of blocks of items those that are among the k best under any of the weight vectors, those of the first one first';
