-- Draw from the posterior, choose items, log probabilities ----------------------

CREATE FUNCTION dlints_draw(model dlints, seed bigint DEFAULT NULL) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 100;
COMMENT ON FUNCTION dlints_draw(dlints, bigint)
	IS 'draws a parameter vector from the posterior; the same seed gives the same draw';

CREATE FUNCTION dlints_draw_weights(
	model dlints,
	profile dlints_vector DEFAULT '{}',
	seed bigint DEFAULT NULL,
	draws integer DEFAULT 1
) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 100;
COMMENT ON FUNCTION dlints_draw_weights(dlints, dlints_vector, bigint, integer)
	IS 'draws weights in feature space from the posterior, whose dot product with features is a score; one row per draw '
	   'if "draws" is not 1';

CREATE FUNCTION dlints_dot(
	weights double precision[], features dlints_vector) RETURNS double precision
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_dot(double precision[], dlints_vector)
	IS 'computes the score of features: the dot product with weights';

-- Final functions infer the type of the result from the type of the item.  PostgreSQL passes NULL for all arguments
-- but the state.
CREATE FUNCTION dlints_recommend_finalfn(internal, dlints, anyelement, "any") RETURNS anyelement
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION dlints_recommend_k_finalfn(
	internal, dlints, anyelement, "any", bigint) RETURNS anyarray
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION dlints_recommend_k_finalfn(
	internal, dlints, anyelement, "any", bigint, "any") RETURNS anyarray
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

-- The C function distinguishes these signatures by their number of arguments.
CREATE FUNCTION dlints_recommend_transfn(internal, dlints, anyelement, dlints_vector)
	RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 10;

CREATE FUNCTION dlints_recommend_transfn(internal, dlints, anyelement, dlints_vector, bigint)
	RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 10;

CREATE FUNCTION dlints_recommend_transfn(
	internal, dlints, anyelement, dlints_vector, bigint, dlints_vector) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 10;

CREATE AGGREGATE dlints_recommend(model dlints, item anyelement, features dlints_vector) (
	SFUNC = dlints_recommend_transfn,
	STYPE = internal,
	SSPACE = 2048,
	FINALFUNC = dlints_recommend_finalfn,
	FINALFUNC_EXTRA,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dlints_recommend(dlints, anyelement, dlints_vector)
	IS 'chooses the item with the highest score under the model''s policy; '
		'policy thompson makes one draw for the group; ties are broken at random';

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
	IS 'chooses the k items with the highest scores under the model''s policy, best first; '
		'policy thompson makes one draw for the group; ties are broken at random';

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
	IS 'chooses the k items with the highest scores for a profile under the model''s policy, best first; '
		'policy thompson makes one draw for the group; ties are broken at random';

CREATE FUNCTION dlints_recommend_arms_transfn(
	internal, dlints, anyelement, dlints_vector) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 20;

CREATE FUNCTION dlints_recommend_arms_transfn(
	internal, dlints, anyelement, dlints_vector, bigint) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 20;

CREATE FUNCTION dlints_recommend_arms_transfn(
	internal, dlints, anyelement, dlints_vector, bigint, dlints_vector) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 20;

CREATE AGGREGATE dlints_recommend_arms(
	model dlints, arm anyelement, features dlints_vector) (
	SFUNC = dlints_recommend_arms_transfn,
	STYPE = internal,
	SSPACE = 512,
	FINALFUNC = dlints_recommend_finalfn,
	FINALFUNC_EXTRA,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dlints_recommend_arms(dlints, anyelement, dlints_vector)
	IS 'chooses the arm whose model gives the highest score under its policy; '
		'policy thompson makes an independent draw for each arm; ties are broken at random';

CREATE AGGREGATE dlints_recommend_arms(
	model dlints, arm anyelement, features dlints_vector, k bigint) (
	SFUNC = dlints_recommend_arms_transfn,
	STYPE = internal,
	SSPACE = 512,
	FINALFUNC = dlints_recommend_k_finalfn,
	FINALFUNC_EXTRA,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dlints_recommend_arms(dlints, anyelement, dlints_vector, bigint)
	IS 'chooses the k arms whose models give the highest scores under their policies, best first; '
		'policy thompson makes an independent draw for each arm; ties are broken at random';

CREATE AGGREGATE dlints_recommend_arms(
	model dlints, arm anyelement, features dlints_vector, k bigint, profile dlints_vector) (
	SFUNC = dlints_recommend_arms_transfn,
	STYPE = internal,
	SSPACE = 512,
	FINALFUNC = dlints_recommend_k_finalfn,
	FINALFUNC_EXTRA,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dlints_recommend_arms(dlints, anyelement, dlints_vector, bigint, dlints_vector)
	IS 'chooses the k arms whose models give the highest scores for a profile, best first; '
		'policy thompson makes an independent draw for each arm; ties are broken at random';

CREATE FUNCTION dlints_decide(
	model dlints,
	items anyarray,
	features dlints_vector,
	k bigint DEFAULT 1,
	profile dlints_vector DEFAULT '{}',
	draws integer DEFAULT 100,
	epsilon double precision DEFAULT 0,
	bonus double precision[] DEFAULT NULL,
	bonus_stddev double precision[] DEFAULT NULL,
	cap_group text[] DEFAULT NULL,
	cap integer DEFAULT NULL,
	similar_by dlints_vector DEFAULT NULL,
	diversity double precision DEFAULT NULL,
	seed bigint DEFAULT NULL,
	all_items boolean DEFAULT false,
	tie_keys double precision[] DEFAULT NULL,
	OUT item anyelement,
	OUT rank integer,
	OUT score double precision,
	OUT probability double precision
) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION dlints_decide(
	dlints, anyarray, dlints_vector, bigint, dlints_vector, integer,
	double precision, double precision[], double precision[], text[], integer, dlints_vector, double precision, bigint,
	boolean, double precision[])
	IS 'chooses k items by the model''s policy and returns them, best first, with their probabilities; '
	   'all_items also returns the other items, with rank NULL';

CREATE FUNCTION dlints_shortlist_transfn(
	internal, anyarray, dlints_vector, double precision[], bigint) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 100;

CREATE FUNCTION dlints_shortlist_finalfn(
	internal, anyarray, "any", double precision[], bigint) RETURNS anyarray
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

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
	IS 'selects candidates from blocks of items: the k best under each weight vector, the first vector''s items first';

CREATE FUNCTION dlints_shortlist_transfn(
	internal, anyarray, dlints_vector, double precision[], bigint, bigint) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 100;
CREATE FUNCTION dlints_shortlist_finalfn(
	internal, anyarray, "any", double precision[], bigint, bigint) RETURNS anyarray
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE AGGREGATE dlints_shortlist(
	items anyarray, features dlints_vector, weights double precision[], k bigint, seed bigint) (
	SFUNC = dlints_shortlist_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = dlints_shortlist_finalfn,
	FINALFUNC_EXTRA,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dlints_shortlist(anyarray, dlints_vector, double precision[], bigint, bigint)
	IS 'selects candidates as dlints_shortlist does without a seed, and breaks ties by dlints_tie_keys(items, seed)';

CREATE FUNCTION dlints_tie_keys(items anyarray, seed bigint) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_tie_keys(anyarray, bigint)
	IS 'keys by which dlints_shortlist breaks ties under a seed, uniform between 0 and 1; an argument of dlints_decide';


CREATE FUNCTION dlints_prices_transfn(
	internal, double precision[], double precision[], bigint, double precision[]) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION dlints_prices_finalfn(internal) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE dlints_prices(
	scores double precision[], costs double precision[], k bigint, targets double precision[]) (
	SFUNC = dlints_prices_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = dlints_prices_finalfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_prices(double precision[], double precision[], bigint, double precision[])
	IS 'computes the lowest dual price for each kind of cost at which replayed decisions meet their targets, '
	   'followed by the resulting costs';
