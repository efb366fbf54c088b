-- Arms: a model in each row ----------------------------------------------------

CREATE FUNCTION dlints_recommend_arms_transfn(
	internal, dlints, anyelement, dlints_vector) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION dlints_recommend_arms_transfn(
	internal, dlints, anyelement, dlints_vector)
	IS 'transition function of dlints_recommend_arms';

CREATE FUNCTION dlints_recommend_arms_transfn(
	internal, dlints, anyelement, dlints_vector, bigint) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION dlints_recommend_arms_transfn(
	internal, dlints, anyelement, dlints_vector, bigint)
	IS 'transition function of dlints_recommend_arms with k';

CREATE FUNCTION dlints_recommend_arms_transfn(
	internal, dlints, anyelement, dlints_vector, bigint, dlints_vector) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION dlints_recommend_arms_transfn(
	internal, dlints, anyelement, dlints_vector, bigint, dlints_vector)
	IS 'transition function of dlints_recommend_arms with k and a profile';

CREATE FUNCTION dlints_recommend_arms_finalfn(internal, dlints, anyelement, "any")
	RETURNS anyelement
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_recommend_arms_finalfn(internal, dlints, anyelement, "any")
	IS 'final function of dlints_recommend_arms';

CREATE FUNCTION dlints_recommend_arms_finalfn(internal, dlints, anyelement, "any", bigint)
	RETURNS anyarray
	AS 'MODULE_PATHNAME', 'dlints_top_finalfn' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_recommend_arms_finalfn(internal, dlints, anyelement, "any", bigint)
	IS 'final function of dlints_recommend_arms with k';

CREATE FUNCTION dlints_recommend_arms_finalfn(internal, dlints, anyelement, "any", bigint, "any")
	RETURNS anyarray
	AS 'MODULE_PATHNAME', 'dlints_top_finalfn' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_recommend_arms_finalfn(internal, dlints, anyelement, "any", bigint, "any")
	IS 'final function of dlints_recommend_arms with k and a profile';

CREATE AGGREGATE dlints_recommend_arms(
	model dlints, arm anyelement, features dlints_vector) (
	SFUNC = dlints_recommend_arms_transfn,
	STYPE = internal,
	SSPACE = 512,
	FINALFUNC = dlints_recommend_arms_finalfn,
	FINALFUNC_EXTRA,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dlints_recommend_arms(dlints, anyelement, dlints_vector)
	IS 'the arm whose own model scores best by its policy: '
		'for thompson under a draw of its own for each arm; chance decides among equal scores';

CREATE AGGREGATE dlints_recommend_arms(
	model dlints, arm anyelement, features dlints_vector, k bigint) (
	SFUNC = dlints_recommend_arms_transfn,
	STYPE = internal,
	SSPACE = 512,
	FINALFUNC = dlints_recommend_arms_finalfn,
	FINALFUNC_EXTRA,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dlints_recommend_arms(dlints, anyelement, dlints_vector, bigint)
	IS 'the k arms whose own models score best by their policies, best first: '
		'for thompson under a draw of its own for each arm; chance decides among equal scores';

CREATE AGGREGATE dlints_recommend_arms(
	model dlints, arm anyelement, features dlints_vector, k bigint, profile dlints_vector) (
	SFUNC = dlints_recommend_arms_transfn,
	STYPE = internal,
	SSPACE = 512,
	FINALFUNC = dlints_recommend_arms_finalfn,
	FINALFUNC_EXTRA,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dlints_recommend_arms(dlints, anyelement, dlints_vector, bigint, dlints_vector)
	IS 'the k arms whose own models score best by their policies for somebody of this profile, best first: '
		'for thompson under a draw of its own for each arm; chance decides among equal scores';
