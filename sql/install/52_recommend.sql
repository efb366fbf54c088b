-- Recommend -------------------------------------------------------------------

-- A final function knows the result's type by that of the item, and is given no
-- features.
CREATE FUNCTION dlints_recommend_finalfn(internal, dlints, anyelement, "any") RETURNS anyelement
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_recommend_finalfn(internal, dlints, anyelement, "any")
	IS 'final function of dlints_recommend';

CREATE FUNCTION dlints_recommend_k_finalfn(
	internal, dlints, anyelement, "any", bigint) RETURNS anyarray
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_recommend_k_finalfn(internal, dlints, anyelement, "any", bigint)
	IS 'final function of dlints_recommend with k';

CREATE FUNCTION dlints_recommend_k_finalfn(
	internal, dlints, anyelement, "any", bigint, "any") RETURNS anyarray
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_recommend_k_finalfn(internal, dlints, anyelement, "any", bigint, "any")
	IS 'final function of dlints_recommend with k and a profile';

-- The number of arguments says what they are.
CREATE FUNCTION dlints_recommend_transfn(internal, dlints, anyelement, dlints_vector)
	RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_recommend_transfn(internal, dlints, anyelement, dlints_vector)
	IS 'transition function of dlints_recommend';

CREATE FUNCTION dlints_recommend_transfn(internal, dlints, anyelement, dlints_vector, bigint)
	RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_recommend_transfn(internal, dlints, anyelement, dlints_vector, bigint)
	IS 'transition function of dlints_recommend with k';

CREATE FUNCTION dlints_recommend_transfn(
	internal, dlints, anyelement, dlints_vector, bigint, dlints_vector) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_recommend_transfn(
	internal, dlints, anyelement, dlints_vector, bigint, dlints_vector)
	IS 'transition function of dlints_recommend with k and a profile';

CREATE AGGREGATE dlints_recommend(model dlints, item anyelement, features dlints_vector) (
	SFUNC = dlints_recommend_transfn,
	STYPE = internal,
	SSPACE = 2048,
	FINALFUNC = dlints_recommend_finalfn,
	FINALFUNC_EXTRA,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dlints_recommend(dlints, anyelement, dlints_vector)
	IS 'the item that scores best by the model''s policy: '
		'for thompson under one draw for the group; chance decides among equal scores';

CREATE AGGREGATE dlints_recommend(
	model dlints, item anyelement, features dlints_vector, k bigint) (
	SFUNC = dlints_recommend_transfn,
	STYPE = internal,
	SSPACE = 4096,
	FINALFUNC = dlints_recommend_k_finalfn,
	FINALFUNC_EXTRA,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dlints_recommend(dlints, anyelement, dlints_vector, bigint)
	IS 'the k items that score best by the model''s policy, best first: '
		'for thompson under one draw for the group; chance decides among equal scores';

CREATE AGGREGATE dlints_recommend(
	model dlints, item anyelement, features dlints_vector, k bigint, profile dlints_vector) (
	SFUNC = dlints_recommend_transfn,
	STYPE = internal,
	SSPACE = 4096,
	FINALFUNC = dlints_recommend_k_finalfn,
	FINALFUNC_EXTRA,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dlints_recommend(dlints, anyelement, dlints_vector, bigint, dlints_vector)
	IS 'the k items that score best by the model''s policy for somebody of this profile, best first: '
		'for thompson under one draw for the group; chance decides among equal scores';
