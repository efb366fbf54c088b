-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION dlints" to load this file. \quit

-- COST is what a call takes in units of cpu_operator_cost, but for functions of
-- many rows no more than 20: of a table that nobody has analyzed the planner
-- expects a thousand rows, of the product of two of them a million, and would have
-- a choice among three items compiled first.
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
-- Models ----------------------------------------------------------------------

CREATE FUNCTION dlints_new(
	dim integer,
	reduced_dim integer DEFAULT NULL,
	interactions text DEFAULT NULL,
	half_life interval DEFAULT NULL,
	discount double precision DEFAULT NULL,
	memories integer DEFAULT NULL,
	ridge double precision DEFAULT NULL,
	exploration double precision DEFAULT 0.25,
	noise double precision DEFAULT NULL,
	policy text DEFAULT 'thompson',
	intercept boolean DEFAULT true,
	seed bigint DEFAULT 0,
	projection_scale double precision DEFAULT NULL
) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_new(
	integer, integer, text, interval, double precision, integer, double precision, double precision,
	double precision, text, boolean, bigint, double precision)
	IS 'a model that has seen nothing; dim 1 to 65536, reduced_dim 1 to 1024 or NULL for no projection, interactions matched or NULL for none, half_life at least a millisecond, discount 1e-100 to 1, memories 1 to 8, ridge 1e-100 to 1e100 or NULL to find it, exploration 0 to 1e100, noise NULL to estimate it, projection_scale 1e-10 to 1e10';

CREATE FUNCTION dlints_set(
	model dlints,
	ridge double precision DEFAULT NULL,
	exploration double precision DEFAULT NULL,
	noise double precision DEFAULT NULL,
	policy text DEFAULT NULL,
	prior_weight double precision DEFAULT NULL
) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_set(
	dlints, double precision, double precision, double precision, text, double precision)
	IS 'the model with other parameters and the same evidence; NULL keeps a parameter, a ridge of 0 has it found, a noise of 0 estimated, a prior_weight of 0 removes the prior';
-- Learn -----------------------------------------------------------------------

CREATE FUNCTION dlints_update(
	model dlints,
	features dlints_vector,
	reward double precision,
	profile dlints_vector DEFAULT '{}',
	at timestamp with time zone DEFAULT NULL,
	weight double precision DEFAULT NULL
) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_update(
	dlints, dlints_vector, double precision, dlints_vector, timestamp with time zone,
	double precision)
	IS 'the model after one more observation; NULL features, a NULL reward or a NULL profile is no observation';

CREATE FUNCTION dlints_update_batch(
	model dlints,
	features dlints_vector,
	rewards double precision[],
	profiles dlints_vector DEFAULT '{}',
	ats timestamp with time zone[] DEFAULT NULL,
	weights double precision[] DEFAULT NULL
) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION dlints_update_batch(
	dlints, dlints_vector, double precision[], dlints_vector,
	timestamp with time zone[], double precision[])
	IS 'the model after a batch of observations, oldest first; features and profiles have one row for each reward';

CREATE FUNCTION dlints_update_reduced(
	model dlints,
	reduced dlints_vector,
	reward double precision,
	at timestamp with time zone DEFAULT NULL,
	weight double precision DEFAULT NULL
) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_update_reduced(
	dlints, dlints_vector, double precision, timestamp with time zone, double precision)
	IS 'the model after an observation whose reduced features were logged';

CREATE FUNCTION dlints_accepts(
	model dlints,
	features dlints_vector,
	reward double precision DEFAULT 0,
	profile dlints_vector DEFAULT '{}',
	at timestamp with time zone DEFAULT NULL,
	weight double precision DEFAULT NULL
) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_accepts(
	dlints, dlints_vector, double precision, dlints_vector, timestamp with time zone,
	double precision)
	IS 'would dlints_update learn this observation, never an error';

CREATE FUNCTION dlints_concat(dlints, dlints) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_concat(dlints, dlints) IS 'implementation of || operator';

CREATE OPERATOR || (
	LEFTARG = dlints,
	RIGHTARG = dlints,
	FUNCTION = dlints_concat
);
COMMENT ON OPERATOR || (dlints, dlints)
	IS 'the left history followed by the right one; ridge, exploration, noise, policy and prior are the left side''s';

CREATE AGGREGATE dlints_concat_agg(dlints) (
	SFUNC = dlints_concat,
	STYPE = dlints,
	SSPACE = 8192,
	COMBINEFUNC = dlints_concat,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_concat_agg(dlints)
	IS 'histories one after the other, in the order of ORDER BY';

CREATE FUNCTION dlints_retract(model dlints, evidence dlints) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_retract(dlints, dlints)
	IS 'the model without what the evidence says; the reverse of ||, for models that forget by time or nothing';

CREATE FUNCTION dlints_with_prior(
	model dlints,
	evidence dlints,
	weight double precision DEFAULT 1
) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_with_prior(dlints, dlints, double precision)
	IS 'the model with evidence known beforehand, weighed and kept apart; it fades with what is learned';

CREATE FUNCTION dlints_scale(weight double precision, model dlints) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_scale(double precision, dlints)
	IS 'the model as if each observation had counted so many times what it did; 0 leaves the parameters alone';

CREATE FUNCTION dlints_at(model dlints, at timestamp with time zone) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_at(dlints, timestamp with time zone)
	IS 'a model that forgets by time as it is at a moment';

CREATE OPERATOR - (
	LEFTARG = dlints,
	RIGHTARG = dlints,
	FUNCTION = dlints_retract
);
COMMENT ON OPERATOR - (dlints, dlints) IS 'take back what evidence says';

CREATE OPERATOR * (
	LEFTARG = double precision,
	RIGHTARG = dlints,
	FUNCTION = dlints_scale
);
COMMENT ON OPERATOR * (double precision, dlints) IS 'weigh a history';
-- Evidence of many rows -------------------------------------------------------

-- The number of arguments says what they are.
DO $do$
DECLARE
	rest text;
	arguments text;
BEGIN
	FOREACH rest IN ARRAY ARRAY[
		'',
		', profile dlints_vector',
		', profile dlints_vector, at timestamptz',
		', profile dlints_vector, at timestamptz, weight double precision'] LOOP
		arguments := pg_catalog.concat(
			'model dlints, features dlints_vector, reward double precision', rest);
		EXECUTE pg_catalog.format($create$
			CREATE FUNCTION dlints_evidence_transfn(dlints, %1$s) RETURNS dlints
				AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
			COMMENT ON FUNCTION dlints_evidence_transfn(dlints, %1$s)
				IS 'transition function of dlints_evidence';
			CREATE AGGREGATE dlints_evidence(%1$s) (
				SFUNC = dlints_evidence_transfn,
				STYPE = dlints,
				SSPACE = 65536,
				COMBINEFUNC = dlints_concat,
				PARALLEL = SAFE
			);
			COMMENT ON AGGREGATE dlints_evidence(%1$s)
				IS 'what the rows say under the model''s parameters, its own evidence left out; to be appended with ||'
		$create$, arguments);
	END LOOP;
END
$do$;
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

CREATE FUNCTION dlints_unpack(packed bytea, n bigint DEFAULT 1) RETURNS real[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_unpack(bytea, bigint)
	IS 'vector n of what dlints_pack made; NULL if there are fewer';

CREATE FUNCTION dlints_vector(packed bytea) RETURNS dlints_vector
	AS 'MODULE_PATHNAME', 'dlints_vector_packed' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_vector(bytea) IS 'what dlints_pack made, as features or a profile';

CREATE CAST (bytea AS dlints_vector) WITH FUNCTION dlints_vector(bytea) AS IMPLICIT;
COMMENT ON CAST (bytea AS dlints_vector) IS 'what dlints_pack made, as features or a profile';
CREATE FUNCTION dlints_fourier(
	features dlints_vector,
	k integer,
	seed bigint DEFAULT 0,
	scale double precision DEFAULT 1
) RETURNS real[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION dlints_fourier(dlints_vector, integer, bigint, double precision)
	IS 'k random Fourier features, which let a model learn curves';
-- Draw ------------------------------------------------------------------------

CREATE FUNCTION dlints_draw(model dlints, seed bigint DEFAULT NULL) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 100;
COMMENT ON FUNCTION dlints_draw(dlints, bigint)
	IS 'one perturbed estimate from the posterior, as many numbers as dlints_mean has; with a seed a repeatable one';

CREATE FUNCTION dlints_draw_weights(
	model dlints,
	profile dlints_vector DEFAULT '{}',
	seed bigint DEFAULT NULL
) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 100;
COMMENT ON FUNCTION dlints_draw_weights(dlints, dlints_vector, bigint)
	IS 'a draw carried back to feature space: its dot product with features is the score';

CREATE FUNCTION dlints_draw_weights(
	model dlints,
	profile dlints_vector,
	seed bigint,
	draws integer
) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 1000;
COMMENT ON FUNCTION dlints_draw_weights(dlints, dlints_vector, bigint, integer)
	IS 'so many draws carried back to feature space, a row each: those by which dlints_decide decides under the seed';

CREATE FUNCTION dlints_dot(
	weights double precision[], features dlints_vector) RETURNS double precision
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_dot(double precision[], dlints_vector)
	IS 'score of features under a weight vector';
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
-- Choose ----------------------------------------------------------------------

CREATE TYPE dlints_choice AS (
	rank integer,
	score double precision,
	probability double precision
);
COMMENT ON TYPE dlints_choice
	IS 'what dlints_choose says of a candidate: its place among the chosen ones, its score, and the probability that it is chosen';

CREATE FUNCTION dlints_choose(
	model dlints,
	features dlints_vector,
	k bigint DEFAULT 1,
	profile dlints_vector DEFAULT '{}',
	draws integer DEFAULT 100,
	epsilon double precision DEFAULT 0,
	bonus double precision DEFAULT 0,
	cap_group text DEFAULT NULL,
	cap integer DEFAULT NULL
) RETURNS dlints_choice
	AS 'MODULE_PATHNAME' LANGUAGE C WINDOW STABLE PARALLEL RESTRICTED COST 10;
COMMENT ON FUNCTION dlints_choose(
	dlints, dlints_vector, bigint, dlints_vector, integer, double precision,
	double precision, text, integer)
	IS 'choose k candidates of a partition by the model''s policy, each with its probability';

CREATE FUNCTION dlints_decide(
	model dlints,
	items anyarray,
	features dlints_vector,
	k bigint DEFAULT 1,
	profile dlints_vector DEFAULT '{}',
	draws integer DEFAULT 100,
	epsilon double precision DEFAULT 0,
	bonus double precision[] DEFAULT NULL,
	cap_group text[] DEFAULT NULL,
	cap integer DEFAULT NULL,
	similar_by dlints_vector DEFAULT NULL,
	diversity double precision DEFAULT NULL,
	seed bigint DEFAULT NULL,
	OUT item anyelement,
	OUT rank integer,
	OUT score double precision,
	OUT probability double precision
) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION dlints_decide(
	dlints, anyarray, dlints_vector, bigint, dlints_vector, integer,
	double precision, double precision[], text[], integer, dlints_vector, double precision, bigint)
	IS 'choose k of the items by the model''s policy, with variety if wanted, and return them, best first, each with its probability';

CREATE FUNCTION dlints_choose_arms(
	model dlints,
	features dlints_vector,
	k bigint DEFAULT 1,
	profile dlints_vector DEFAULT '{}',
	draws integer DEFAULT 100,
	epsilon double precision DEFAULT 0,
	bonus double precision DEFAULT 0,
	cap_group text DEFAULT NULL,
	cap integer DEFAULT NULL
) RETURNS dlints_choice
	AS 'MODULE_PATHNAME' LANGUAGE C WINDOW STABLE PARALLEL RESTRICTED COST 20;
COMMENT ON FUNCTION dlints_choose_arms(
	dlints, dlints_vector, bigint, dlints_vector, integer, double precision,
	double precision, text, integer)
	IS 'choose k arms of a partition, each by the policy of its own model, with their probabilities';
-- Prices ----------------------------------------------------------------------

CREATE FUNCTION dlints_prices_transfn(
	internal, double precision[], double precision[], bigint, double precision[]) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_prices_transfn(internal, double precision[], double precision[], bigint, double precision[])
	IS 'transition function of dlints_prices';

CREATE FUNCTION dlints_prices_finalfn(internal) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_prices_finalfn(internal) IS 'final function of dlints_prices';

CREATE AGGREGATE dlints_prices(
	scores double precision[], costs double precision[], k bigint, targets double precision[]) (
	SFUNC = dlints_prices_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = dlints_prices_finalfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_prices(double precision[], double precision[], bigint, double precision[])
	IS 'the least prices of costs, of each kind one, under which decisions, made once more, cost no more than their targets; and what a choice then costs';
-- Look ------------------------------------------------------------------------

CREATE FUNCTION dlints_project(
	model dlints,
	features dlints_vector,
	profile dlints_vector DEFAULT '{}'
) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION dlints_project(dlints, dlints_vector, dlints_vector)
	IS 'the reduced features that the model makes of features and a profile';

CREATE FUNCTION dlints_mean(model dlints) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_mean(dlints)
	IS 'posterior mean, one number for each coordinate of reduced features, the intercept''s last';

CREATE FUNCTION dlints_weights(
	model dlints,
	profile dlints_vector DEFAULT '{}'
) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_weights(dlints, dlints_vector)
	IS 'posterior mean carried back to feature space, dim numbers';

CREATE FUNCTION dlints_covariance(model dlints) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_covariance(dlints)
	IS 'posterior covariance without the exploration factor: sigma^2 Z^-1 Z~ Z^-1';

CREATE FUNCTION dlints_predict(
	model dlints,
	features dlints_vector,
	profile dlints_vector DEFAULT '{}'
) RETURNS double precision
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_predict(dlints, dlints_vector, dlints_vector)
	IS 'expected reward of features';

CREATE FUNCTION dlints_stddev(
	model dlints,
	features dlints_vector,
	profile dlints_vector DEFAULT '{}'
) RETURNS double precision
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION dlints_stddev(dlints, dlints_vector, dlints_vector)
	IS 'standard error of what is expected of features: exploration times this is the standard deviation of their score under a draw';

CREATE FUNCTION dlints_info(
	model dlints,
	OUT policy text,
	OUT intercept boolean,
	OUT memories integer,
	OUT memory integer,
	OUT interactions text,
	OUT dim integer,
	OUT reduced_dim integer,
	OUT profile_dim integer,
	OUT discount double precision,
	OUT half_life interval,
	OUT ridge double precision,
	OUT lambda double precision,
	OUT exploration double precision,
	OUT noise double precision,
	OUT prior_weight double precision,
	OUT projection_scale double precision,
	OUT seed bigint,
	OUT updates bigint,
	OUT newest timestamp with time zone,
	OUT sigma double precision,
	OUT effective_sample_size double precision,
	OUT prior_sample_size double precision,
	OUT mean_reward double precision,
	OUT windows double precision[],
	OUT hint text,
	OUT bytes bigint,
	OUT format_version integer
) RETURNS record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_info(dlints) IS 'parameters, memories and counts of a model in one row';

CREATE FUNCTION dlints_coefficients(
	model dlints,
	OUT index integer,
	OUT mean double precision,
	OUT stddev double precision
) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 100;
COMMENT ON FUNCTION dlints_coefficients(dlints)
	IS 'posterior mean and standard deviation of each reduced coordinate';
CREATE FUNCTION dlints_explain(
	model dlints,
	features dlints_vector,
	profile dlints_vector DEFAULT '{}',
	names text[] DEFAULT NULL,
	OUT name text,
	OUT contribution double precision,
	OUT stddev double precision
) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100 ROWS 100;
COMMENT ON FUNCTION dlints_explain(dlints, dlints_vector, dlints_vector, text[])
	IS 'what each feature, or each named part of them, adds to the expected reward, with its standard error';
-- Judge -----------------------------------------------------------------------

CREATE FUNCTION dlints_ndcg_transfn(
	internal, double precision, double precision, bigint) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_ndcg_transfn(internal, double precision, double precision, bigint)
	IS 'transition function of dlints_ndcg';

CREATE FUNCTION dlints_ndcg_finalfn(internal) RETURNS double precision
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_ndcg_finalfn(internal) IS 'final function of dlints_ndcg';

CREATE AGGREGATE dlints_ndcg(relevance double precision, score double precision, k bigint) (
	SFUNC = dlints_ndcg_transfn,
	STYPE = internal,
	SSPACE = 1024,
	FINALFUNC = dlints_ndcg_finalfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_ndcg(double precision, double precision, bigint)
	IS 'NDCG@k of the ranking by score: relevance / log2(rank + 1), over the same in the best order';

CREATE TYPE dlints_policy_estimate AS (
	observations bigint,
	mean_reward double precision,
	mean_reward_stderr double precision,
	ips double precision,
	ips_stderr double precision,
	snips double precision,
	snips_stderr double precision,
	dr double precision,
	dr_stderr double precision,
	mean_weight double precision,
	mean_weight_stderr double precision,
	effective_sample_size double precision,
	max_weight double precision
);
COMMENT ON TYPE dlints_policy_estimate
	IS 'what a log says of another policy: estimates of its mean reward with standard errors, and how far to trust them';

CREATE FUNCTION dlints_policy_value_transfn(
	double precision[], double precision, double precision, double precision) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_policy_value_transfn(
	double precision[], double precision, double precision, double precision)
	IS 'transition function of dlints_policy_value';

CREATE FUNCTION dlints_policy_value_transfn(
	double precision[], double precision, double precision, double precision, double precision,
	double precision) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_policy_value_transfn(
	double precision[], double precision, double precision, double precision, double precision,
	double precision)
	IS 'transition function of dlints_policy_value with predictions';

CREATE FUNCTION dlints_policy_value_combinefn(
	double precision[], double precision[]) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_policy_value_combinefn(double precision[], double precision[])
	IS 'combine function of dlints_policy_value';

CREATE FUNCTION dlints_policy_value_finalfn(double precision[]) RETURNS dlints_policy_estimate
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_policy_value_finalfn(double precision[])
	IS 'final function of dlints_policy_value';

CREATE AGGREGATE dlints_policy_value(
	reward double precision, logged double precision, target double precision) (
	SFUNC = dlints_policy_value_transfn,
	STYPE = double precision[],
	FINALFUNC = dlints_policy_value_finalfn,
	COMBINEFUNC = dlints_policy_value_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_policy_value(double precision, double precision, double precision)
	IS 'what a policy would have earned, from the log of another: reward, '
		'the probability with which the log decided so, and that with which the policy would have';

CREATE AGGREGATE dlints_policy_value(
	reward double precision, logged double precision, target double precision,
	predicted double precision, expected double precision) (
	SFUNC = dlints_policy_value_transfn,
	STYPE = double precision[],
	FINALFUNC = dlints_policy_value_finalfn,
	COMBINEFUNC = dlints_policy_value_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_policy_value(
	double precision, double precision, double precision, double precision, double precision)
	IS 'the same, doubly robust: with the reward that a model predicts of the decision, '
		'and the one that it expects of the policy';

CREATE FUNCTION dlints_progressive(
	model dlints,
	features dlints_vector,
	reward double precision,
	profile dlints_vector DEFAULT '{}',
	at timestamp with time zone DEFAULT NULL,
	weight double precision DEFAULT NULL
) RETURNS double precision
	AS 'MODULE_PATHNAME' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION dlints_progressive(
	dlints, dlints_vector, double precision, dlints_vector, timestamp with time zone,
	double precision)
	IS 'the reward that the model expects of each row after it has learned those before it';
-- Bounds of a mean -------------------------------------------------------------

CREATE FUNCTION dlints_bounds(
	mean double precision,
	stderr double precision,
	observations bigint,
	lowest double precision DEFAULT 0,
	highest double precision DEFAULT 1,
	confidence double precision DEFAULT 0.95,
	OUT low double precision,
	OUT high double precision
) AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_bounds(
	double precision, double precision, bigint, double precision, double precision, double precision)
	IS 'between which bounds an expectation lies, whenever one looks: from a mean and its standard error, of so many numbers from lowest to highest';
-- Which one won ------------------------------------------------------------------

-- Of each of several, of which a normal distribution with a mean and an error is believed: the share
-- of 10,000 draws in which it is the best, and what is lost on average by taking it.  The draws are the
-- same at each call.
CREATE FUNCTION _dlints_best(means double precision[], errors double precision[])
	RETURNS TABLE (n bigint, chance_best double precision, could_gain double precision)
	LANGUAGE sql STABLE
BEGIN ATOMIC
	WITH guess AS (
		SELECT b.n, s, (z.i - 1::bigint) / pg_catalog.cardinality(means)::bigint AS draw, b.mean + b.error * z.z AS guess
		FROM   pg_catalog.generate_series(1::bigint, 10::bigint) s,
		       LATERAL pg_catalog.unnest(dlints_draw_weights(
		           dlints_new(pg_catalog.cardinality(means), ridge => 1::double precision, noise => 1::double precision,
		                      exploration => 1::double precision, intercept => false),
		           '{}'::double precision[], s, 1000)) WITH ORDINALITY z (z, i)
		       JOIN ROWS FROM (pg_catalog.unnest(means), pg_catalog.unnest(errors)) WITH ORDINALITY b (mean, error, n)
		            ON b.n = 1::bigint + (z.i - 1::bigint) % pg_catalog.cardinality(means)::bigint),
	best AS (
		SELECT g.n, g.guess, g.s, g.draw, max(g.guess) OVER (PARTITION BY g.s, g.draw) AS best FROM guess g),
	equal AS (
		SELECT b.n, b.best - b.guess AS less, pg_catalog.count(*) FILTER (WHERE b.guess = b.best)
		           OVER (PARTITION BY b.s, b.draw) AS equals
		FROM   best b)
	SELECT e.n, avg(CASE WHEN e.less = 0::double precision THEN 1::double precision / e.equals::double precision
	                     WHEN e.less > 0::double precision THEN 0::double precision END), avg(e.less)
	FROM   equal e GROUP BY e.n;
END;
COMMENT ON FUNCTION _dlints_best(double precision[], double precision[])
	IS 'the chance that each of several is the best, and what is lost by taking it';

-- Arms with their models, of which there are as many
CREATE FUNCTION _dlints_arms(arms text[], models dlints[])
	RETURNS TABLE (action text, model dlints, n bigint)
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS
$$
BEGIN
	IF cardinality(arms) <> cardinality(models) THEN
		RAISE 'there must be as many arms as models' USING ERRCODE = 'invalid_parameter_value',
			DETAIL = format('There are %s arms and %s models.', cardinality(arms), cardinality(models));
	END IF;
	RETURN QUERY SELECT * FROM ROWS FROM (unnest(arms), unnest(models)) WITH ORDINALITY;
END
$$;
COMMENT ON FUNCTION _dlints_arms(text[], dlints[]) IS 'arms with their models, of which there are as many';

-- As "known" and "compared" of a ranker (sql/layer/ranker/76_winner.sql) say: an arm's rewards differ as
-- much as all do, at least, and each counts as half a one.
CREATE FUNCTION dlints_winner(
	arms text[],
	models dlints[],
	features dlints_vector DEFAULT '{1}',
	profile dlints_vector DEFAULT '{}',
	lowest double precision DEFAULT 0,
	highest double precision DEFAULT 1
) RETURNS TABLE (
	action text, events double precision, earns double precision, low double precision, high double precision,
	chance_best double precision, could_gain double precision, verdict text
) LANGUAGE sql STABLE
BEGIN ATOMIC
	WITH arm AS MATERIALIZED (
		SELECT a.n, a.action, i.effective_sample_size AS events, i.mean_reward, i.sigma ^ 2::double precision AS variance,
		       dlints_predict(a.model, features, profile) AS earns,
		       (i.sigma / dlints_stddev(a.model, features, profile)) ^ 2::double precision AS counts
		FROM   _dlints_arms(arms, models) a, LATERAL dlints_info(a.model) i
		WHERE  a.action IS NOT NULL AND a.model IS NOT NULL),
	mean AS (
		SELECT sum(a.events) AS n, (lowest + highest) / 2::double precision AS middle, coalesce(
		           sum(a.events * a.mean_reward) / nullif(sum(a.events), 0::double precision), avg(a.earns)) AS mean,
		       pg_catalog.count(*)::double precision AS arms
		FROM   arm a),
	total AS (
		SELECT max(m.arms) AS arms, max((m.n * m.mean + m.middle) / (m.n + 1::double precision)) AS mean,
		       (sum(a.events * (a.variance + (a.mean_reward - m.mean) ^ 2::double precision))
		        + max(m.n / (m.n + 1::double precision) * (m.mean - m.middle) ^ 2::double precision))
		       / max(m.n + 1::double precision) AS variance
		FROM   arm a CROSS JOIN mean m),
	known AS MATERIALIZED (
		SELECT pg_catalog.row_number() OVER (ORDER BY a.n) AS place, a.action, a.events, a.earns, t.arms, b.low, b.high,
		       (a.counts * a.earns + t.mean) / (a.counts + 1::double precision) AS expected,
		       sqrt(2::double precision * greatest(a.variance, t.variance) / (a.counts + 1::double precision)) AS error
		FROM   arm a CROSS JOIN total t,
		       LATERAL (SELECT least(greatest(a.earns, lowest), highest) AS mean, greatest(floor(a.counts), 1::double precision) AS n) c,
		       LATERAL dlints_bounds(
		           c.mean, sqrt(least(a.variance, (c.mean - lowest) * (highest - c.mean))
		                        / greatest(c.n - 1::double precision, 1::double precision)),
		           c.n::bigint, lowest, highest, 1::double precision - 0.05::double precision / t.arms) b),
	best AS (
		SELECT b.*
		FROM  (SELECT pg_catalog.array_agg(k.expected ORDER BY k.place) AS means,
		              pg_catalog.array_agg(k.error ORDER BY k.place) AS errors FROM known k) a,
		       LATERAL _dlints_best(a.means, a.errors) b)
	SELECT k.action, k.events, k.earns, k.low, k.high, b.chance_best, b.could_gain,
	       CASE WHEN k.low > max(k.high) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
	                                           EXCLUDE CURRENT ROW) THEN 'proven'::pg_catalog.text
	            WHEN b.chance_best >= 0.99::double precision AND k.arms > 1::double precision THEN 'likely'::pg_catalog.text
	            ELSE 'open'::pg_catalog.text END
	FROM   known k JOIN best b ON b.n = k.place
	ORDER  BY b.chance_best DESC, k.earns DESC, k.place;
END;
COMMENT ON FUNCTION dlints_winner(
	text[], dlints[], dlints_vector, dlints_vector, double precision, double precision)
	IS 'which arm would earn most if it were always chosen, of arms with a model each';
-- Recommenders and rankers ----------------------------------------------------
--
-- Each is a schema of its user's own tables and functions, which the templates of
-- sql/layer make.  What is here checks the arguments, looks at the items, finds the
-- words that the templates leave open, and executes the statements.
--
-- No function here finds another one by its name, since a search_path would then
-- decide which one.  Functions in PL/pgSQL call none of ours; those that put them
-- together are bound when the extension is made.

-- The arguments of a recommender or a ranker, if they are good
CREATE FUNCTION _dlints_arguments(kind text, a jsonb) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	bad record;
BEGIN
	-- a change is JSON of any types
	FOR bad IN
		SELECT key, t.type, value #>> '{}' AS value,
		       t.type = 'interval' AND jsonb_typeof(value) <> 'string' AS is_bare	-- 30: of what?
		FROM   jsonb_each(a), LATERAL (SELECT CASE
		           WHEN key IN ('wait', 'keep', 'half_life') THEN 'interval'
		           WHEN key IN ('cap', 'factors', 'people') THEN 'integer'
		           WHEN key IN ('control', 'epsilon', 'exposure', 'value_limit', 'default_reward', 'diversity')
		           THEN 'double precision' END AS type) t
		WHERE  t.type IS NOT NULL AND value <> 'null'
	LOOP
		BEGIN
			IF bad.is_bare THEN
				RAISE invalid_parameter_value;
			END IF;
			EXECUTE format('SELECT %L::%s', bad.value, bad.type);
		EXCEPTION WHEN data_exception THEN
			RAISE '% must be %', bad.key, CASE bad.type
				WHEN 'interval' THEN 'an interval such as "2 days"' WHEN 'integer' THEN 'a whole number' ELSE 'a number' END
				USING ERRCODE = 'invalid_parameter_value', DETAIL = format('It is %s.', bad.value);
		END;
	END LOOP;
	FOR bad IN
		SELECT * FROM (VALUES
		('name', a ->> 'name' <> '' AND octet_length(a ->> 'name') < 64,
			format('the name of a %s has 1 to 63 bytes', kind),
			'It becomes the name of a schema.'),
		('items', a ->> 'items' IS NOT NULL,
			'items must not be NULL',
			'Name the table or view whose rows are to be recommended.'),
		('columns', (SELECT count(c) = count(DISTINCT c)
			FROM jsonb_array_elements_text(coalesce(a -> 'columns', '[]')) c),
			'columns must not name one twice', 'Each has numbers of its own.'),
		('columns', a ->> 'clicks' IS NOT NULL OR jsonb_array_length(coalesce(a -> 'columns', '[]')) > 0,
			'a recommender needs columns to go by, or clicks',
			'columns => ARRAY[...] names columns of the items.'),
		('control', (a ->> 'control')::float8 BETWEEN 0 AND 1,
			'control must be between 0 and 1',
			'It is the share of people who get the most popular items.'),
		('wait', (a ->> 'wait')::interval BETWEEN '0' AND '100 years',
			'wait must be an interval of at least 0',
			'It is how long after a decision its rewards are waited for; at most 100 years.'),
		('default_reward', abs((a ->> 'default_reward')::float8) <= 1e50,
			'default_reward must be a finite number',
			'It is what an event is worth for which no reward comes.'),
		('repeated', a ->> 'repeated' IN ('first', 'last', 'sum'),
			'repeated must be first, last or sum',
			'It says which reward counts if several are told for an event.'),
		('person_key', a ->> 'person_key' <> '',
			'person_key must be a name',
			'It is what contexts call the person, whom erase() forgets.'),
		('vectors', jsonb_typeof(a -> 'vectors') = 'object' AND NOT EXISTS (
			SELECT FROM jsonb_each(CASE jsonb_typeof(a -> 'vectors') WHEN 'object' THEN a -> 'vectors' END)
			WHERE  key IN ('', a ->> 'person_key') OR jsonb_typeof(value) <> 'number'
			OR     CASE jsonb_typeof(value) WHEN 'number' THEN value::numeric NOT BETWEEN 1 AND 16384
			       OR value::numeric <> trunc(value::numeric) END),
			'vectors must be an object of keys of the context and how many numbers each has, from 1 to 16384',
			'For example {"embedding": 25}.'),
		('apprentice', a ->> 'apprentice' IS NOT NULL,
			'apprentice must be true or false',
			'An apprentice leaves the choice to the caller until go_live is called.'),
		('epsilon', (a ->> 'epsilon')::float8 BETWEEN 0 AND 1,
			'epsilon must be between 0 and 1',
			'It is the share of decisions that is left to chance.'),
		('exposure', (a ->> 'exposure')::float8 BETWEEN 0 AND 1,
			'exposure must be between 0 and 1',
			'It is the power of the number of clicks that says how often an item was seen.'),
		('factors', (a ->> 'factors')::integer BETWEEN 0 AND 128,
			'factors must be between 0 and 128',
			'It is how many numbers of a vector come from clicks.'),
		('half_life', (a ->> 'half_life')::interval > '0' AND (a ->> 'half_life')::interval <= '100 years',
			'half_life must be an interval above 0',
			'Only models that forget by time can correct and erase; at most 100 years.'),
		('keep', (a ->> 'keep')::interval BETWEEN '1 day' AND '100 years',
			'keep must be an interval of a day to 100 years',
			'It is how long decisions are kept.'),
		('keep', coalesce((a ->> 'keep')::interval > (a ->> 'wait')::interval, true),
			'keep must be longer than wait',
			'What is no longer kept cannot be learned.'),
		('archive', jsonb_typeof(a -> 'archive') = 'boolean',
			'archive must be true or false',
			'It says whether the models remember what is no longer kept.'),
		('promises', jsonb_typeof(a -> 'promises') = 'object' AND (
			SELECT count(*) FROM jsonb_each(CASE jsonb_typeof(a -> 'promises') WHEN 'object' THEN a -> 'promises' END)) <= 8,
			'promises must be an object of up to 8 names and what is promised of each',
			CASE kind WHEN 'ranker' THEN 'For example {"usd": {"most": 0.002}}.'
			ELSE 'For example {"own": {"of": "i.own_brand", "most": 0.3}}.' END),
		('value_limit', (a ->> 'value_limit')::float8 BETWEEN 1 AND 1e9,
			'value_limit must be between 1 and 1e9',
			CASE kind WHEN 'ranker' THEN 'No reward may be larger.'
			ELSE 'The value of a reward is at most so many times what its outcome is worth.' END),
		('people', NOT a ? 'people' OR (a ->> 'people')::integer BETWEEN 2 AND 10000 AND a ->> 'clicks' IS NOT NULL,
			'a backtest needs clicks, and between 2 and 10000 people',
			'So many people are looked at, by chance, of those who clicked.'),
		('cap', (a ->> 'cap' IS NULL) = (a ->> 'cap_group' IS NULL) AND coalesce((a ->> 'cap')::integer, 1) > 0,
			'cap and cap_group go together, and cap is at least 1',
			'Of each cap_group at most cap items are recommended.'),
		('diversity', coalesce((a ->> 'diversity')::float8, 0) BETWEEN 0 AND 1,
			'diversity must be between 0 and 1',
			'It is the share of its worth that a second of a kind loses in a list.'),
		('places', a -> 'places' IS NULL OR jsonb_typeof(a -> 'places') = 'array' AND a -> 'places' <> '[]'
			AND NOT jsonb_path_exists(a -> 'places',
				'strict $[*] ? (@.type() != "number" || @ < 0.01 || @ > 1)', silent => true),
			'places must be an array of numbers from 0.01 to 1',
			'They say how likely each place is looked at, the first one 1.'),
		('outcomes', jsonb_typeof(a -> 'outcomes') = 'object' AND a -> 'outcomes' <> '{}' AND NOT EXISTS (
			SELECT FROM jsonb_each(a -> 'outcomes')
			WHERE jsonb_typeof(value) <> 'number' OR key = '' OR abs((value #>> '{}')::numeric) > 1e9),
			'outcomes must be an object of names and what each is worth',
			'For example {"click": 1, "purchase": 5}.')) v (argument, good, problem, hint)
		WHERE  good IS NOT TRUE AND argument = ANY (CASE kind WHEN 'ranker'
			THEN '{name,wait,default_reward,repeated,apprentice,epsilon,half_life,keep,archive,value_limit,'
				'person_key,vectors,promises}'::text[]
			ELSE '{name,items,columns,control,epsilon,factors,half_life,wait,keep,archive,value_limit,'
				'cap,diversity,places,outcomes,exposure,people,promises}' END)
	LOOP
		RAISE '%', bad.problem USING ERRCODE = 'invalid_parameter_value', HINT = bad.hint;
	END LOOP;
	FOR bad IN
		SELECT p.key, p.value, v.problem
		FROM   jsonb_each(coalesce(a -> 'promises', '{}')) p, LATERAL (SELECT CASE
			WHEN p.key = '' OR octet_length(p.key) > 63 OR p.key IN ('id', 'price', 'features')
			THEN 'cannot have this name'
			WHEN jsonb_typeof(p.value) <> 'object' OR p.value ? 'most' = p.value ? 'least'
			THEN 'must say either "most" or "least"'
			WHEN kind = 'ranker' AND p.value - '{most,least,per,hard}'::text[] <> '{}'
			THEN 'has nothing but most or least, per and hard'
			WHEN kind = 'recommender' AND p.value ? 'hard'
			THEN 'cannot be hard: only those of rankers can'
			WHEN kind = 'recommender' AND p.value - '{most,least,per,of,outcome}'::text[] <> '{}'
			THEN 'has nothing but of or outcome, most or least, and per'
			WHEN kind = 'recommender' AND p.value ? 'of' = p.value ? 'outcome'
			THEN 'must say of what, by an expression of i or the name of an outcome'
			WHEN kind = 'recommender' AND p.value ? 'of' AND jsonb_typeof(p.value -> 'of') <> 'string'
			THEN 'must say of what, by an expression of i'
			WHEN kind = 'recommender' AND p.value ? 'outcome' AND NOT coalesce(a -> 'outcomes' ? (p.value ->> 'outcome'), false)
			THEN 'is of an outcome that there is not'
			WHEN jsonb_typeof(coalesce(p.value -> 'most', p.value -> 'least')) <> 'number'
			THEN 'must be of a number'
			WHEN NOT coalesce(p.value -> 'most', p.value -> 'least')::float8 BETWEEN 1e-50 AND 1e50
			THEN 'must be of a number above 0'
			WHEN p.value ? 'outcome' AND NOT coalesce(p.value -> 'most', p.value -> 'least')::float8 BETWEEN 1e-9 AND 1
			THEN 'must be of a share of the places, from 1e-9 to 1'
			WHEN kind = 'ranker' AND coalesce(p.value ->> 'per', 'request') <> 'request'
			THEN 'is for each request'
			WHEN kind = 'recommender' AND coalesce(p.value ->> 'per', 'place') <> 'place'
			THEN 'is for each place of a list'
			WHEN jsonb_typeof(coalesce(p.value -> 'hard', 'false')) <> 'boolean' OR p.value ? 'least' AND p.value ? 'hard'
			THEN 'can be hard, true or false, where it is at most so much' END AS problem) v
		WHERE  v.problem IS NOT NULL
	LOOP
		RAISE 'the promise "%" %', bad.key, bad.problem
			USING ERRCODE = 'invalid_parameter_value', DETAIL = format('It is %s.', bad.value),
			HINT = CASE kind WHEN 'ranker' THEN 'For example {"usd": {"most": 0.002}}.'
			ELSE 'For example {"own": {"of": "i.own_brand", "most": 0.3}}.' END;
	END LOOP;
	RETURN a;
END
$$;
COMMENT ON FUNCTION _dlints_arguments(text, jsonb)
	IS 'the arguments of a recommender or a ranker, or an error if one is out of range';

-- What the arguments of a recommender refer to: the relation, its key, the types of items and
-- people; and these texts, tried under the search_path that they are meant under.
CREATE FUNCTION _dlints_resolve(a jsonb, texts text[], path name[]) RETURNS jsonb
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	users_path text := concat_ws(', ',
		(SELECT string_agg(quote_ident(s), ', ' ORDER BY n)
		 FROM   unnest(CASE WHEN 'pg_catalog' <> ALL (path) THEN 'pg_catalog'::name || path ELSE path END)
		            WITH ORDINALITY u (s, n)
		 WHERE  s !~ '^pg_temp'), 'pg_temp');
	-- under a user's path nothing is to be found but the user's
	to_users_path text := 'SET LOCAL search_path = ' || users_path;
	to_own_path text := 'SET LOCAL search_path = ' || current_setting('search_path');
	items regclass := (a ->> 'items')::oid;
	relation text := (SELECT relname FROM pg_class WHERE oid = items);
	key text := a ->> 'item_key';
	has text[] := ARRAY(SELECT attname::text FROM pg_attribute
	                    WHERE attrelid = items AND attnum > 0 AND NOT attisdropped ORDER BY attnum);
	missing text;
	item_type oid;
	person_type oid := (a ->> 'person_type')::oid;
	-- of domains the types below them: an unknown person is NULL
	below text := 'SELECT array_agg((WITH RECURSIVE t AS (SELECT u.type AS oid UNION ALL SELECT p.typbasetype'
		' FROM t JOIN pg_type p ON p.oid = t.oid WHERE p.typtype = ''d'') SELECT t.oid FROM t JOIN pg_type p'
		' ON p.oid = t.oid WHERE p.typtype <> ''d'') ORDER BY n) FROM unnest($1) WITH ORDINALITY u (type, n)';
	clicks text := rtrim(a ->> 'clicks', E' \t\n;');
	types oid[];
	request text;
	attempt record;
	test refcursor;
	typed text;
	has_types boolean;
	detail text;
	hint text;
BEGIN
	IF NOT has_table_privilege(items, 'SELECT') AND NOT has_any_column_privilege(items, 'SELECT') THEN
		RAISE 'permission denied for %', relation USING ERRCODE = 'insufficient_privilege',
			HINT = format('GRANT SELECT ON %s TO %I.', items, current_user);
	ELSIF (SELECT relpersistence = 't' FROM pg_class WHERE oid = items) THEN
		RAISE '% is a temporary table', relation USING ERRCODE = 'invalid_table_definition',
			HINT = 'A recommender stays, and with it what it reads.';
	ELSIF key IS NULL THEN
		SELECT t.attname INTO key
		FROM   pg_index i JOIN pg_attribute t ON t.attrelid = i.indrelid AND t.attnum = i.indkey[0]
		WHERE  i.indrelid = items AND i.indisprimary AND i.indnkeyatts = 1;
	END IF;
	SELECT string_agg(coalesce(quote_ident(c), 'NULL'), ', ') INTO missing
	FROM   unnest(CASE WHEN a ? 'vectors' THEN '{}'	-- by now columns may have other names
	              ELSE ARRAY(SELECT jsonb_array_elements_text(coalesce(a -> 'columns', '[]'))) END
	              || CASE WHEN key IS NOT NULL THEN ARRAY[key] ELSE '{}' END) c
	WHERE  c <> ALL (has) OR c IS NULL;
	IF missing IS NOT NULL THEN
		RAISE '% has no column %', relation, missing
			USING ERRCODE = 'undefined_column',
			HINT = format('It has %s.', (SELECT string_agg(quote_ident(c), ', ') FROM unnest(has) c));
	ELSIF key IS NULL THEN
		RAISE '% has no primary key of one column', relation
			USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Name the column that tells items apart: item_key => ''...''. If it takes several,'
				' make a view that has one expression of them.';
	END IF;
	SELECT atttypid INTO item_type FROM pg_attribute WHERE attrelid = items AND attname = key;
	EXECUTE below INTO types USING ARRAY[item_type, person_type];
	item_type := types[1];
	person_type := types[2];
	types := NULL;
	request := format('FROM %s i, (SELECT NULL::%s AS person, NULL::pg_catalog.jsonb AS context) request',
	                  items, coalesce(person_type, 'int8'::regtype)::regtype);

	-- One expression or query, which closes nothing that it has not opened: it stands alone as
	-- well as in parentheses.  A cursor takes no more than one statement, and is closed before
	-- it has read a row.
	FOR attempt IN
		SELECT n, argument, format('in the argument "%s"', argument) AS place, statement FROM (VALUES
			(1, 'clicks', clicks),
			(2, 'clicks', E'SELECT person, item, at FROM (\n' || clicks || E'\n) c (person, item, at)'),
			(4, 'candidates', 'SELECT ' || (a ->> 'candidates') || E'\n{request}'),
			(5, 'candidates', 'SELECT {request} WHERE (' || (a ->> 'candidates') || E'\n)'),
			(6, 'bonus', 'SELECT ' || (a ->> 'bonus') || E'\n{request}'),
			(7, 'bonus', 'SELECT (' || (a ->> 'bonus') || E'\n)::pg_catalog.float8 {request}'),
			(8, 'cap_group', 'SELECT ' || (a ->> 'cap_group') || E'\n{request}'),
			(9, 'cap_group', 'SELECT (' || (a ->> 'cap_group') || E'\n)::pg_catalog.text {request}')
			) v (n, argument, statement)
		WHERE  statement IS NOT NULL AND argument = ANY (texts)
		UNION ALL
		SELECT s.n, 'promises', format('in the promise "%s"', p.promise), s.statement
		FROM   jsonb_each(a -> 'promises') p (promise, value), LATERAL (VALUES
			(10, format(E'SELECT %s\nFROM %s i', p.value ->> 'of', items)),
			(11, format(E'SELECT i.%I, (%s\n) AS cost FROM %s i', key, p.value ->> 'of', items))) s (n, statement)
		WHERE  'promises' = ANY (texts) AND p.value ? 'of' ORDER BY 1
	LOOP
		attempt.statement := replace(attempt.statement, '{request}', request);
		typed := format('SELECT ARRAY[%s]::pg_catalog.oid[] FROM (SELECT) one LEFT JOIN (%s LIMIT 0) q ON true',
			CASE attempt.n WHEN 11 THEN 'pg_catalog.pg_typeof(q.cost)'
			ELSE 'pg_catalog.pg_typeof(q.person), pg_catalog.pg_typeof(q.item), pg_catalog.pg_typeof(q.at)' END,
			attempt.statement);
		has_types := attempt.n IN (2, 11);
		BEGIN
			EXECUTE to_users_path;
			OPEN test FOR EXECUTE attempt.statement;
			CLOSE test;
			IF has_types THEN	-- what its columns are, without reading a row
				EXECUTE typed INTO types;
			END IF;
			EXECUTE to_own_path;
			IF attempt.n = 11 AND (SELECT typcategory NOT IN ('B', 'N') OR oid = 'money'::regtype FROM pg_type
			                       WHERE oid = types[1]) THEN
				RAISE 'it is of type %', types[1]::regtype
					USING ERRCODE = 'datatype_mismatch', HINT = 'It is a condition on i, or a number.';
			ELSIF attempt.n = 2 THEN
				EXECUTE below INTO types USING types;
				person_type := coalesce(person_type, types[1]);
				EXECUTE format('SELECT NULL::%s::%s, NULL::%s::%s, NULL::%s::timestamptz',
				               types[1]::regtype, person_type::regtype, types[2]::regtype, item_type::regtype,
				               types[3]::regtype);
				request := format('FROM %s i, (SELECT NULL::%s AS person, NULL::pg_catalog.jsonb AS context) request',
				                  items, person_type::regtype);
			END IF;
		EXCEPTION WHEN OTHERS THEN
			GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
			RAISE '%: %', attempt.place, concat_ws('. ', SQLERRM, nullif(detail, ''))
				USING ERRCODE = SQLSTATE, HINT = coalesce(nullif(hint, ''), CASE
					WHEN SQLSTATE LIKE '42%' AND SQLSTATE <> '42501' THEN CASE attempt.argument
					WHEN 'clicks' THEN 'It is a query of person, item and time, in this order.'
					WHEN 'promises' THEN 'It is an expression of i.'
					ELSE 'It is an expression of i, person and context.' END
					ELSE 'It is read with the rights of who makes the recommender.' END);
		END;
	END LOOP;
	person_type := coalesce(person_type, 'int8'::regtype);
	FOR attempt IN VALUES ('items', item_type), ('people', person_type) LOOP
		BEGIN
			IF (SELECT typtype = 'c' OR typcategory = 'A' OR typarray = 0
			    OR typname LIKE 'reg%' AND typnamespace = 'pg_catalog'::regnamespace
			    FROM pg_type WHERE oid = attempt.column2) THEN
				RAISE undefined_function;
			END IF;
			EXECUTE format('SELECT DISTINCT x FROM (VALUES (NULL::%s)) v (x) ORDER BY x',
			               attempt.column2::regtype);
		EXCEPTION WHEN undefined_function THEN
			RAISE '% of type % cannot be told apart', attempt.column1, attempt.column2::regtype
				USING ERRCODE = 'datatype_mismatch', HINT = 'A key has one value, and values have an order:'
				' make a view that has it as text.';
		END;
	END LOOP;

	RETURN a || jsonb_build_object('items', items::oid, 'item_key', key, 'item_type', item_type,
		'person_type', person_type, 'clicks', clicks, 'path', users_path,
		'bound', coalesce(a -> 'bound', '{}') || coalesce((
			SELECT jsonb_object_agg(t, users_path) FROM unnest(texts) t WHERE a ? t), '{}'));
END
$$;
COMMENT ON FUNCTION _dlints_resolve(jsonb, text[], name[])
	IS 'what the arguments of a recommender refer to, or an error if that is not there';
-- Vectors of items ----------------------------------------------------------

-- What a column is taken for, by its type and by what it refers to; what is in it: how many values,
-- of what length, which ones if they are few, and bounds between numbers; and how many numbers it
-- had best have
CREATE FUNCTION _dlints_look(items oid, column_name text) RETURNS jsonb
	LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	type pg_type;
	refers boolean;
	kind text;
	sample text := items::regclass || ' "i"';
	source text;
	bounds float8[];
	few text[];
	length integer;
	others boolean;
	is_own boolean;
	norm float8;
	look record;
BEGIN
	SELECT t.* INTO type
	FROM   pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
	WHERE  a.attrelid = items AND a.attname = column_name;
	WHILE type.typtype = 'd' LOOP
		SELECT t.* INTO type FROM pg_type t WHERE t.oid = type.typbasetype;
	END LOOP;
	SELECT column_name ~ '(^id|_id|[a-z]I[dD])$' OR count(*) > 0 INTO refers
	FROM   pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
	WHERE  c.conrelid = items AND c.contype = 'f' AND a.attname = column_name;
	kind := CASE
		WHEN type.typcategory = 'B' THEN 'flag'
		WHEN type.typcategory = 'N' AND type.typname LIKE 'reg%' THEN 'category'
		WHEN type.typcategory = 'N' AND refers THEN 'category'
		WHEN type.typname IN ('int2', 'int4', 'int8', 'numeric', 'float4', 'float8') THEN 'number'
		WHEN type.typname IN ('json', 'jsonb') THEN 'document'
		WHEN type.typname IN ('date', 'timestamp', 'timestamptz') THEN 'age'
		WHEN type.oid IN ('float4[]'::regtype, 'float8[]'::regtype) THEN 'vector'
		WHEN type.typname IN ('vector', 'halfvec') AND EXISTS (
		    SELECT FROM pg_cast WHERE castsource = type.oid AND casttarget = 'float4[]'::regtype) THEN 'vector'
		WHEN type.typcategory = 'A' THEN 'tags'
		WHEN type.typcategory IN ('S', 'E', 'I') OR type.typname IN ('uuid', 'citext') THEN 'category'
	END;
	IF kind IS NULL THEN
		RAISE 'column "%" is of a type that a recommender makes no numbers of', column_name
			USING ERRCODE = 'datatype_mismatch',
			HINT = 'Leave it out, or make a view that has it as text or as a number.';
	END IF;

	SELECT format('%s "i" TABLESAMPLE SYSTEM (%s) REPEATABLE (1)', items::regclass, 5e6 / reltuples)
	INTO   source
	FROM   pg_class WHERE oid = items AND relkind IN ('r', 'm') AND reltuples > 50000;
	sample := coalesce(source, sample);
	source := CASE kind
		WHEN 'vector' THEN format('(SELECT hashtext("i".%I::text)::text AS v FROM %s) s', column_name, sample)
		WHEN 'tags' THEN format('(SELECT l.v FROM %s LEFT JOIN LATERAL unnest("i".%I::text[]) l (v) ON true) s',
		                        sample, column_name)
		ELSE format('(SELECT "i".%I::text AS v FROM %s) s', column_name, sample) END;
	EXECUTE 'SELECT count(DISTINCT v) AS different, count(DISTINCT v) + max((v IS NULL)::integer) AS kinds,'
		' avg(length(v)) AS length, count(v) AS filled, count(*) FILTER (WHERE v LIKE ''_% %_'') AS spaced FROM ' || source
	INTO look;
	IF kind = 'category' AND look.length <= 40 AND look.different BETWEEN 1 AND 160
			OR kind = 'number' AND look.different BETWEEN 1 AND 8 THEN
		EXECUTE 'SELECT array_agg(DISTINCT v ORDER BY v) FILTER (WHERE v IS NOT NULL) FROM ' || source
		INTO few;
	END IF;
	IF kind = 'number' AND look.different > 1 THEN
		EXECUTE format(
			'WITH value AS (
			     SELECT "i".%1$I::float8 AS v FROM %2$s
			     WHERE "i".%1$I::float8 NOT IN (''NaN'', ''Infinity'', ''-Infinity'')),
			 least AS (SELECT min(v) AS v FROM value),
			 cut AS (SELECT DISTINCT b
			         FROM   unnest((SELECT percentile_disc(''{.125,.25,.375,.5,.625,.75,.875}''::float8[])
			                                   WITHIN GROUP (ORDER BY v) FROM value)) b
			         WHERE  b > (SELECT v FROM least))
			 SELECT coalesce((SELECT array_agg(b ORDER BY b) FROM cut),
			                 (SELECT ARRAY[min(v)] FROM value WHERE v > (SELECT v FROM least)))',
			column_name, sample)
		INTO bounds;
	END IF;
	IF kind = 'vector' THEN		-- scaled: of the usual length half are longer than 1
		EXECUTE format('SELECT cardinality(v), count(*) < sum(count(*)) OVER (), sqrt(percentile_disc(0.5)'
		               ' WITHIN GROUP (ORDER BY (SELECT sum(x ^ 2) FROM unnest(v) x WHERE abs(x) BETWEEN 1e-100 AND 1e100)))'
		               ' FROM (SELECT "i".%I::%s::float8[] AS v FROM %s) s WHERE cardinality(v) > 0'
		               ' GROUP BY 1 ORDER BY count(*) DESC LIMIT 1',
		               column_name, CASE type.typname WHEN '_float8' THEN 'float8[]' ELSE 'real[]' END, sample)
		INTO length, others, norm;
		IF length > 16000 THEN
			RAISE 'column "%" has vectors of % numbers', column_name, length
				USING ERRCODE = 'program_limit_exceeded', HINT = '16000 are the most: make a view that has fewer.';
		ELSIF others THEN
			RAISE NOTICE 'column "%" has vectors of several lengths', column_name
				USING HINT = format('Those that have not %s numbers say nothing.', length);
		END IF;
	END IF;
	is_own := look.different > 160 AND look.different > 0.9 * look.filled;
	IF look.kinds < 2 AND kind <> 'age' THEN
		RAISE NOTICE 'column "%" is the same in all rows and left out', column_name;
		RETURN NULL;
	ELSIF kind = 'number' AND look.different BETWEEN 1 AND 8 THEN
		kind := 'category';
	ELSIF kind = 'vector' AND length IS NULL THEN
		RAISE NOTICE 'column "%" has no vectors yet and is left out', column_name
			USING HINT = 'To have it read, make the recommender anew once there are items.';
		RETURN NULL;
	ELSIF kind = 'number' AND bounds IS NULL THEN
		RAISE NOTICE 'column "%" has no values yet to take its bands from', column_name
			USING HINT = 'To have bands that fit, make the recommender anew once there are items.';
	ELSIF kind = 'category' AND (look.length > 40 OR is_own AND look.spaced > 0.5 * look.filled) THEN
		kind := 'words';		-- a text, or short ones of which each row has its own: titles
	ELSIF kind = 'category' AND is_own THEN
		RAISE NOTICE 'column "%" has a value of its own in nearly each row', column_name
			USING HINT = 'A key says nothing of what an item is like: leave it out.';
	END IF;
	RETURN jsonb_build_object(
		'column', column_name, 'kind', kind, 'few', few, 'bounds', bounds, 'different', look.different,
		'norm', CASE WHEN norm BETWEEN 1e-30 AND 1e30 THEN norm ELSE 1 END, 'length', length,
		'type', (SELECT format('%I.%I', n.nspname, type.typname)
		         FROM pg_namespace n WHERE n.oid = type.typnamespace),
		'wish', CASE WHEN kind = 'age' THEN 3
		             WHEN kind = 'flag' THEN 1
		             WHEN kind = 'vector' THEN CASE WHEN length <= 128 THEN length ELSE 64 END
		             WHEN kind = 'words' THEN 32
		             WHEN kind = 'number' THEN coalesce(cardinality(bounds) + 1, 8)
		             WHEN kind = 'category' AND few IS NOT NULL THEN cardinality(few)
		             WHEN look.different BETWEEN 1 AND 8 THEN 8
		             WHEN kind = 'document' THEN 16
		             ELSE greatest(16, least(2 * look.different, 160)) END);
END
$$;
COMMENT ON FUNCTION _dlints_look(oid, text)
	IS 'what a column of a recommender''s items is taken for, and what is in it';

-- How a column of the row i becomes numbers: as it was looked at, of a width.  A date becomes the
-- seconds of which its age is made.
CREATE FUNCTION _dlints_column(c jsonb, width integer, dlints text) RETURNS text
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	value text := format('i.%I', c ->> 'column');
	encode text := format('%s.dlints_encode(%s, %L, ', dlints, width, c ->> 'column');
	few text[] := ARRAY(SELECT jsonb_array_elements_text(nullif(c -> 'few', 'null')));
	bounds text := translate(nullif(c ->> 'bounds', 'null'), '[] ', '{}');
BEGIN
	-- Numbers fall into bands, which are a few names.
	IF c ->> 'kind' = 'number' AND bounds IS NOT NULL THEN
		value := format('width_bucket(%s::float8, %L::float8[])', value, bounds);
		few := ARRAY(SELECT generate_series(0, cardinality(bounds::float8[]))::text);
	ELSIF c ->> 'kind' <> 'category' OR cardinality(few) NOT BETWEEN 1 AND width THEN
		few := NULL;
	END IF;
	-- One of a few names is a number for each; one that comes later is spread over all.
	IF few IS NOT NULL THEN
		RETURN (
			SELECT format(E'(CASE %s::text\n%s\n              ELSE %s%s::text) END)::real[]', value,
			              string_agg(format('              WHEN %L THEN ''{%s}''', v, unit), E'\n' ORDER BY v),
			              encode, value)
			FROM   unnest(few) v,
			       LATERAL (SELECT string_agg((o = v)::integer::text, ',' ORDER BY o)
			                FROM unnest(few) o) u (unit));
	END IF;
	RETURN CASE c ->> 'kind'
		WHEN 'flag' THEN
			format('ARRAY[coalesce(%s::integer, 0)]::real[]', value)
		WHEN 'category' THEN
			encode || value || '::text)'
		WHEN 'words' THEN
			encode || format('regexp_split_to_array(lower(left(%s::text, 2000)), ''[^[:alnum:]]+''))', value)
		WHEN 'vector' THEN		-- one of another length says nothing; a long one is projected
			format('(CASE WHEN cardinality(%1$s) = %2$s THEN %6$sARRAY(
           SELECT CASE WHEN abs(x) BETWEEN %4$L::float8 AND %5$L::float8 THEN (x / %3$L::float8)::real ELSE 0 END
           FROM   unnest(%1$s::float8[]) WITH ORDINALITY u (x, n)
           ORDER  BY n)%7$s ELSE array_fill(0::real, ARRAY[%8$s]) END)',
			       value || CASE WHEN c ->> 'type' LIKE '%.\_float8' THEN '' ELSE '::real[]' END, c ->> 'length',
			       c ->> 'norm', (c ->> 'norm')::float8 * 1e-20, (c ->> 'norm')::float8 * 1e20,
			       CASE WHEN (c ->> 'length')::integer > width THEN format(
			           '%1$s.dlints_project(%1$s.dlints_new(%2$s, %3$s, intercept => false), ', dlints, c ->> 'length', width) END,
			       CASE WHEN (c ->> 'length')::integer > width
			           THEN format('::%s.dlints_vector, ''{}''::%1$s.dlints_vector)::real[]', dlints) END, width)
		WHEN 'tags' THEN
			encode || value || '::text[])'
		WHEN 'document' THEN		-- a number in it is a name, not an amount
			encode || format('(
           SELECT jsonb_object_agg(key, CASE jsonb_typeof(value) WHEN ''number''
                                        THEN to_jsonb(value #>> ''{}'') ELSE value END)
           FROM   jsonb_each(CASE jsonb_typeof(%s::jsonb) WHEN ''object''
                             THEN %1$s::jsonb END)))', value)
		WHEN 'number' THEN
			encode || format('(sign(%s) * round(2 * ln(1 + abs(%1$s))))::text)', value || '::float8')
		WHEN 'age' THEN
			format('date_part(''epoch'', %s)', value)
	END;
END
$$;
COMMENT ON FUNCTION _dlints_column(jsonb, integer, text)
	IS 'the expression that makes numbers of a column of a recommender''s items';

-- How wide each column that was looked at becomes, and what is said of that.  The widest shrink until the
-- vector is one that a model learns from quickly.
CREATE FUNCTION _dlints_widths(looks jsonb[], factors integer) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	size integer;
	columns jsonb;
	said text;
BEGIN
	FOR most IN REVERSE 160 .. 16 LOOP
		SELECT factors + 1 + coalesce(sum(w.width), 0),
		       coalesce(jsonb_agg(c || jsonb_build_object('width', w.width) ORDER BY n), '[]'),
		       string_agg(format('%s %s', c ->> 'column', CASE
		           WHEN c ->> 'kind' = 'flag' THEN 'yes or no'
		           WHEN c ->> 'kind' = 'age' THEN 'how long ago'
		           WHEN c ->> 'kind' = 'words' THEN format('its words, hashed to %s numbers', w.width)
		           WHEN c ->> 'kind' = 'vector' AND (c ->> 'length')::integer > w.width
		           THEN format('vectors of %s numbers, projected to %s', c ->> 'length', w.width)
		           WHEN c ->> 'kind' = 'vector' THEN format('vectors of %s numbers', w.width)
		           WHEN c ->> 'kind' = 'number' AND c ->> 'bounds' IS NOT NULL THEN format('%s bands', w.width)
		           WHEN c ->> 'kind' = 'category' AND jsonb_array_length(nullif(c -> 'few', 'null')) <= w.width
		           THEN format('%s values', c ->> 'different')
		           ELSE format('%s values, hashed to %s numbers', c ->> 'different', w.width) END), '; ' ORDER BY n)
		INTO   size, columns, said
		FROM   unnest(looks) WITH ORDINALITY f (c, n),
		       LATERAL (SELECT CASE WHEN c ->> 'kind' = 'vector' THEN (c ->> 'wish')::integer
		                            ELSE least((c ->> 'wish')::integer, most) END AS width) w;
		EXIT WHEN size - factors <= 184;
	END LOOP;
	IF size > 511 THEN
		RAISE 'these columns make vectors of % numbers, and 511 is the most', size
			USING ERRCODE = 'program_limit_exceeded', HINT = 'Name the columns that matter.';
	END IF;
	IF said IS NOT NULL THEN
		RAISE NOTICE 'columns are read as: %', said;
	END IF;
	RETURN jsonb_build_object('size', size, 'factors', factors, 'columns', columns);
END
$$;
COMMENT ON FUNCTION _dlints_widths(jsonb[], integer)
	IS 'how many numbers the columns of a recommender''s items become';
-- What the templates leave open --------------------------------------------------

-- Words of both kinds:
--   s, name          the schema, and its name as a literal
--   kind, version, written    of what is made, and of the dlints that makes it, and both as a comment
--   arguments, path  what it is made with, and the search_path of the user's texts
--   dlints, vector   the schema of dlints, and its type of arrays of numbers
--   sequence         the name of the sequence of decisions
--   partitioned      the tables of the log, with their keys
--   model_type       the type of the models
--   erased           the arguments of erase()
--   is_theirs        the condition that a decision d is of these
--   erase_first, erase_more, then_begin, first_model    what else erase() and rebuild() do
--   wait, keep, archive, half_life, epsilon, value_limit    arguments
--   has_promises, promised, promises    is anything promised? names of it; and a query of name, sign,
--                    target, whether it is hard, and what it is of
--   choice           what a promise is for each of
CREATE FUNCTION _dlints_common_words(kind text, a jsonb, is_local boolean) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	dlints text;
	version text;
	foreigner regprocedure;
BEGIN
	SELECT quote_ident(n.nspname), e.extversion INTO dlints, version
	FROM   pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'dlints';
	-- What somebody put beside ours could be taken for it.
	SELECT f.oid INTO foreigner
	FROM   pg_extension e JOIN pg_proc f ON f.pronamespace = e.extnamespace AND f.proname ~ '^_?dlints_'
	WHERE  e.extname = 'dlints'
	AND    EXISTS (SELECT FROM pg_proc o JOIN pg_depend d ON d.objid = o.oid
	                   AND d.classid = 'pg_proc'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
	               WHERE o.proname = f.proname)
	AND    NOT EXISTS (SELECT FROM pg_depend d
	                   WHERE d.classid = 'pg_proc'::regclass AND d.objid = f.oid AND d.refobjid = e.oid
	                   AND d.deptype = 'e') LIMIT 1;
	IF foreigner IS NOT NULL THEN
		RAISE 'function % is not of dlints', foreigner USING ERRCODE = 'duplicate_function',
			HINT = 'It would be taken for a function of dlints. Drop or rename it.';
	END IF;
	RETURN jsonb_build_object(
		's', quote_ident(a ->> 'name'),
		'name', quote_literal(a ->> 'name'),
		'kind', quote_literal(kind),
		'version', quote_literal(version),
		'written', quote_literal(format('dlints %s: %s', version, kind)),
		'dlints', dlints,
		'vector', dlints || '.dlints_vector',
		'sequence', quote_literal(quote_ident(a ->> 'name') || '.decision_number'),
		'path', quote_literal(coalesce(a ->> 'path', '')),
		'is_local', is_local::text,
		'wait', quote_literal(a ->> 'wait'),
		'keep', quote_literal(a ->> 'keep'),
		'archive', (a ->> 'archive')::boolean,
		'half_life', quote_literal(a ->> 'half_life'),
		'epsilon', (a ->> 'epsilon')::float8,
		'value_limit', (a ->> 'value_limit')::float8,
		'has_promises', (coalesce(a -> 'promises', '{}') <> '{}')::text,
		'promised', format('%L::text[]', ARRAY(SELECT jsonb_object_keys(coalesce(a -> 'promises', '{}')))),
		'promises', coalesce((
			SELECT string_agg(format('SELECT %L::text, %s, %L::float8, %s, %L::text, %L::text', key,
			           CASE WHEN value ? 'most' THEN 1 ELSE -1 END,
			           coalesce(value ->> 'most', value ->> 'least'), coalesce(value ->> 'hard', 'false'),
			           value ->> 'of', value ->> 'outcome'), ' UNION ALL ' ORDER BY key)
			FROM jsonb_each(a -> 'promises')),
			'SELECT NULL::text, 1, 0::float8, false, NULL::text, NULL::text WHERE false'));
END
$$;
COMMENT ON FUNCTION _dlints_common_words(text, jsonb, boolean)
	IS 'what the templates of recommenders and rankers leave open';

-- Words of a recommender:
--   items, relation, key   the relation, its name as a literal, and the column that tells its rows apart
--   item_type, person_type, same_item, same_person    of keys and people, and what compares them
--   clicks, candidates, bonus, cap_group, cap         the user's texts
--   encode, dates, ages    expressions of a row; and one of its dates
--   columns, column_names  a row's columns with their types, and their names
--   size, factors, liked, aged    how many numbers a vector has: all; from clicks; from clicks and
--                          columns; from dates.  One more says how popular an item is.
--   blocks, alike, spread  how many of these belong together; products by block; and a number for
--                          each block as one for each feature
--   parts                  what each number of a vector is of
--   has_log                are there clicks but those on its own lists?
--   has_key, once          has the key a unique index? else what keeps one row of each
--   has_order, is_newer    are keys numbers or times, with an index? the condition that a row came after
--                          the newest one that has a vector
--   promise_count, promised_texts    how much is promised; and what that is of, in the order of names
--   has_bonus, draws       is there a bonus? by how many draws is a list chosen of a shortlist?
--   diversity              what a second of a kind loses, or NULL
--   row_room, slots, least_items    how long a row of the table "block" may be, how many vectors that
--                          holds, and how many items have to be there for it
--   log, previous, hashed_type    queries for dlints_factors, and the type of items in them
--   every_click            a query for a backtest
--   first, outcome_names, worths, most_values, many   outcomes; is there more than one?
--   looked_at, control, exposure    how likely a place is looked at; two arguments
--   people, tried          how many people a backtest looks at; the recommender that it is of
CREATE FUNCTION _dlints_recommender_words(a jsonb, encode text[], dlints text) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	relation text := (a ->> 'items')::oid::regclass;
	vectors jsonb := a -> 'vectors';
	factors integer := vectors ->> 'factors';
	columns jsonb := vectors -> 'columns';
	first text := (SELECT key FROM jsonb_each_text(a -> 'outcomes')
	               ORDER BY key <> 'click', value::float8 <= 0, value::float8, key LIMIT 1);
	-- by column, so that one CASE compares them all
	item_type jsonb;
	person_type jsonb;
	most float8 := (SELECT max(abs(value::float8)) FROM jsonb_each_text(a -> 'outcomes'));
	promises integer := (SELECT count(*) FROM jsonb_object_keys(coalesce(a -> 'promises', '{}')));
	is_unique boolean := EXISTS (
		SELECT FROM pg_index i JOIN pg_attribute t ON t.attrelid = i.indrelid AND t.attnum = i.indkey[0]
		WHERE  i.indrelid = (a ->> 'items')::oid AND i.indisunique AND i.indimmediate AND i.indnkeyatts = 1
		AND    i.indpred IS NULL AND t.attname = a ->> 'item_key');
	closed jsonb;
	-- features that belong together: those from clicks, and those of each column but dates
	blocks int4range[] := ARRAY(
		SELECT int4range(before::integer, (before + width)::integer)
		FROM  (SELECT n, width, 1 + coalesce(sum(width) OVER (ORDER BY n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
		              AS before
		       FROM  (SELECT 0::bigint AS n, factors AS width
		              UNION ALL
		              SELECT n, (c ->> 'width')::integer FROM jsonb_array_elements(columns) WITH ORDINALITY f (c, n)
		              WHERE  c ->> 'kind' <> 'age') w) b
		WHERE  width > 0 ORDER BY n);
BEGIN
	IF columns = '[]' AND a ->> 'clicks' IS NULL THEN
		RAISE 'a recommender needs columns to go by, or clicks' USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Of the columns that are named none tells items apart.';
	END IF;
	-- Of a type: its name, what compares its values, and what makes a hashable one of them
	SELECT jsonb_agg(jsonb_build_object('name', format('%I.%I', n.nspname, t.typname),
	           'grows', base.typcategory IN ('N', 'D') AND base.typnamespace = 'pg_catalog'::regnamespace,
	           'same', coalesce((
	               SELECT format('OPERATOR(%I.%s)', s.nspname, o.oprname)
	               FROM   pg_opclass c JOIN pg_amop m ON m.amopfamily = c.opcfamily AND m.amopstrategy = 3
	                          AND m.amoplefttype = c.opcintype AND m.amoprighttype = c.opcintype
	                      JOIN pg_operator o ON o.oid = m.amopopr
	                      JOIN pg_namespace s ON s.oid = o.oprnamespace
	               WHERE  c.opcmethod = 403 AND c.opcdefault AND c.opcintype = base.oid
	               AND    s.nspname <> 'pg_catalog'), '='),
	           'hashed', CASE WHEN base.typcategory IN ('A', 'E', 'R', 'S', 'C') OR EXISTS (
	               SELECT FROM pg_opclass c WHERE c.opcmethod = 405 AND c.opcdefault AND c.opcintype = base.oid)
	               THEN '' ELSE '::text' END) ORDER BY u.n)
	INTO   item_type
	FROM   unnest(ARRAY[(a ->> 'item_type')::oid, (a ->> 'person_type')::oid]) WITH ORDINALITY u (type, n)
	       JOIN pg_type t ON t.oid = u.type
	       JOIN pg_namespace n ON n.oid = t.typnamespace,
	       LATERAL (WITH RECURSIVE up AS (
	                    SELECT t.oid, t.typbasetype
	                    UNION ALL
	                    SELECT b.oid, b.typbasetype FROM up JOIN pg_type b ON b.oid = up.typbasetype)
	                SELECT b.oid, b.typcategory, b.typnamespace FROM up JOIN pg_type b ON b.oid = up.oid
	                WHERE  b.typtype <> 'd') base;
	person_type := item_type -> 1;
	item_type := item_type -> 0;
	-- Texts are closed: a comment at the end of one ends with the line.  What is the same for all rows
	-- reads no row.
	SELECT jsonb_object_agg(key, CASE
		WHEN key = 'candidates' THEN value
		WHEN a ->> key IS NULL THEN format('SELECT %s::pg_catalog.%s', value, type)
		ELSE format(E'SELECT %s::pg_catalog.%s\n'
			'    FROM   %s i CROSS JOIN (SELECT %s.person, %4$s.context) request\n'
			'    WHERE  i.%I %s %4$s.of_item', value, type, relation, key, a ->> 'item_key',
			CASE item_type ->> 'same' WHEN '=' THEN 'OPERATOR(pg_catalog.=)' ELSE item_type ->> 'same' END) END)
	INTO   closed
	FROM  (SELECT key, type, '(' || coalesce(a ->> key, value)
	              || CASE WHEN a ->> key LIKE '%--%' THEN E'\n' ELSE '' END || ')'
	       FROM (VALUES ('candidates', 'true', 'bool'), ('bonus', '0', 'float8'), ('cap_group', 'NULL', 'text'))
	            t (key, value, type)) t (key, type, value);
	RETURN closed || jsonb_build_object(
		'has_order', (is_unique AND item_type ->> 'grows' = 'true')::text,
		'is_newer', CASE item_type ->> 'grows' WHEN 'true' THEN 'a.item > newest' ELSE 'false' END,
		'promise_count', promises,
		'promised_texts', coalesce((
			SELECT string_agg(format(E'(SELECT (%s\n)::pg_catalog.text)', coalesce(value ->> 'of', 'NULL')), E',\n             '
			                  ORDER BY key COLLATE "C")
			FROM jsonb_each(a -> 'promises')), ''),
		'choice', 'place',
		'has_bonus', (a ->> 'bonus' IS NOT NULL)::text,
		'draws', 15,
		'diversity', coalesce(nullif((a ->> 'diversity')::float8, 0)::text, 'NULL') || '::float8',
		'row_room', current_setting('block_size')::integer - 32,
		'slots', greatest(4, least(64, (current_setting('block_size')::integer - 300)
		                               / (4 * ((vectors ->> 'size')::integer + promises)
		                                  + CASE item_type ->> 'grows' WHEN 'true' THEN 16 ELSE 40 END))),
		'least_items', 2000)
		|| jsonb_build_object(
		'items', relation,
		'relation', quote_literal(relation),
		'key', quote_ident(a ->> 'item_key'),
		'item_type', item_type ->> 'name',
		'person_type', person_type ->> 'name',
		'same_item', item_type ->> 'same',
		'same_person', person_type ->> 'same',
		'clicks', CASE WHEN a ->> 'clicks' IS NULL
			THEN format(E'SELECT d.person, r.item, d.at'
			            '\nFROM   %1$I.decision d JOIN %1$I.reward r ON r.decision OPERATOR(pg_catalog.=) d.id'
			            '\n           AND r.item %2$s ANY (d.items)'
			            '\nWHERE  r.value OPERATOR(pg_catalog.>) 0::pg_catalog.float8', a ->> 'name',
			            CASE item_type ->> 'same' WHEN '=' THEN 'OPERATOR(pg_catalog.=)' ELSE item_type ->> 'same' END)
			ELSE format(E'SELECT person%s AS person, item%s AS item, at%s AS at\nFROM (\n%s\n) c (person, item, at)',
			            '::' || (person_type ->> 'name'), '::' || (item_type ->> 'name'), '::pg_catalog.timestamptz',
			            a ->> 'clicks') END,
		'cap', coalesce(((a ->> 'cap')::integer)::text, 'NULL::integer'),
		'encode', (SELECT coalesce(string_agg(encode[n], E'\n       || ' ORDER BY n), '''{}''::real[]')
		           FROM jsonb_array_elements(columns) WITH ORDINALITY f (c, n) WHERE c ->> 'kind' <> 'age'),
		'dates', (SELECT format('ARRAY[%s]', string_agg(encode[n], ', ' ORDER BY n))
		          FROM jsonb_array_elements(columns) WITH ORDINALITY f (c, n) WHERE c ->> 'kind' = 'age'),
		-- no date, and one without end, is long ago
		'ages', (SELECT format('ARRAY[%s]::real[]', string_agg(format(
		             'round(100 / (1 + least(abs(dates[%s] - date_part(''epoch'', at)) / 86400, 1e9) / %s)) / 100',
		             n, days), E',\n             ' ORDER BY n, days))
		         FROM generate_series(1, (SELECT count(*) FROM jsonb_array_elements(columns) c
		                                  WHERE c ->> 'kind' = 'age')) n, unnest('{1,7,30}'::integer[]) days),
		'columns', (SELECT coalesce(string_agg(format('%I %s', c ->> 'column', c ->> 'type'), ', ' ORDER BY n),
		                            '"-" text')
		            FROM jsonb_array_elements(columns) WITH ORDINALITY f (c, n) WHERE c ->> 'kind' <> 'age'),
		'column_names', (SELECT coalesce(quote_literal(array_agg(c ->> 'column' ORDER BY n)), '''{}''')
		                 FROM jsonb_array_elements(columns) WITH ORDINALITY f (c, n)
		                 WHERE c ->> 'kind' <> 'age') || '::text[]',
		'size', vectors ->> 'size',
		'factors', factors,
		'aged', (SELECT 3 * count(*) FROM jsonb_array_elements(columns) c WHERE c ->> 'kind' = 'age'),
		'liked', (vectors ->> 'size')::integer - 1
		         - (SELECT 3 * count(*) FROM jsonb_array_elements(columns) c WHERE c ->> 'kind' = 'age'),
		'blocks', cardinality(blocks),
		'alike', format('ARRAY[%s]::float8[]', (
			SELECT string_agg(format('%s.dlints_dot(sum[%s:%s]::float8[], features[%2$s:%3$s]::%1$s.dlints_vector)'
			                         ' * %4$I.shrink(sum, clicks)', dlints, lower(b), upper(b) - 1, a ->> 'name'),
			                  E',\n             ' ORDER BY n)
			FROM   unnest(blocks) WITH ORDINALITY u (b, n))),
		'spread', format('(%s)::real[]', coalesce((
			SELECT string_agg(format('array_fill(weights[%s], ARRAY[%s])', n, upper(b) - lower(b)), ' || ' ORDER BY n)
			FROM   unnest(blocks) WITH ORDINALITY u (b, n)), '''{}''')),
		'parts', (SELECT quote_literal(array_agg(p.name ORDER BY p.place, p.n)) || '::text[]'
		          FROM  (SELECT 1, 0, '(clicks)', factors
		                 UNION ALL
		                 SELECT CASE c ->> 'kind' WHEN 'age' THEN 4 ELSE 2 END, n, c ->> 'column',
		                        (c ->> 'width')::integer
		                 FROM   jsonb_array_elements(columns) WITH ORDINALITY f (c, n)
		                 UNION ALL
		                 SELECT 3, 0, '(popularity)', 1) p (place, n, name, width),
		                generate_series(1, p.width)),
		'has_log', (a ->> 'clicks' IS NOT NULL)::text,
		'has_key', is_unique::text,
		'once', CASE WHEN is_unique THEN '' ELSE 'DISTINCT ON (a.item)' END,
		'log', quote_literal(format(
			'SELECT person%2$s, item%3$s FROM (SELECT * FROM %1$I.click WHERE at <= now() AND isfinite(at)'
			' ORDER BY at DESC LIMIT 1000000) c', a ->> 'name',
			person_type ->> 'hashed', item_type ->> 'hashed')),
		'every_click', quote_literal(format('SELECT person, item, at FROM %I.click', a ->> 'name')),
		'previous', quote_literal(format('SELECT item%2$s, factors FROM %1$I.item_vector', a ->> 'name',
		                                 item_type ->> 'hashed')),
		'hashed_type', CASE item_type ->> 'hashed' WHEN '' THEN item_type ->> 'name' ELSE 'text' END,
		'first', quote_literal(first),
		'worths', (SELECT string_agg(format('WHEN %L THEN %s', key, value), ' ' ORDER BY key)
		           FROM jsonb_each_text(a -> 'outcomes')),
		'most_values', (SELECT string_agg(format('WHEN %L THEN %s::float8', key, (a ->> 'value_limit')::float8
		                           * coalesce(nullif(abs(value::float8), 0), nullif(most, 0), 1)), ' ' ORDER BY key)
		                FROM jsonb_each_text(a -> 'outcomes')),
		'outcome_names', quote_literal((SELECT string_agg(o, ', ') FROM jsonb_object_keys(a -> 'outcomes') o)),
		'many', ((SELECT count(*) FROM jsonb_object_keys(a -> 'outcomes')) > 1)::text,
		'looked_at', coalesce('(''' || translate(a ->> 'places', '[]', '{}') || '''::float8[])[least(place, '
			|| jsonb_array_length(a -> 'places') || ')]', '1::float8'),
		'control', (a ->> 'control')::float8,
		'exposure', (a ->> 'exposure')::float8,
		'people', coalesce(a ->> 'people', 'NULL'),
		'tried', coalesce(quote_ident(a ->> 'tried'), ''),
		'partitioned', $w$('decision', 'id'), ('reward', 'decision')$w$,
		'model_type', format('%s.dlints(%s, matched)', dlints, vectors ->> 'size'),
		'erased', format('person %s, session text DEFAULT NULL', person_type ->> 'name'),
		'is_theirs', format('d.person %s erase.person OR hashtextextended(d.session, 0) = '
			'hashtextextended(erase.session, 0) AND d.session = erase.session', person_type ->> 'same'),
		'erase_first', format('LOCK TABLE %I.beginning IN ROW EXCLUSIVE MODE;', a ->> 'name'),
		'erase_more', format(E'DELETE FROM %1$I.beginning b WHERE b.person %2$s erase.person;\n'
			'    IF FOUND THEN\n        PERFORM %1$I.set_prior();\n    END IF;', a ->> 'name', person_type ->> 'same'),
		'then_begin', format('PERFORM %I.set_prior()', a ->> 'name'),
		'first_model', '''personal''',
		'arguments', quote_literal(a - 'people' - 'path'
			|| jsonb_build_object('items', relation, 'item_type', item_type ->> 'name',
			                      'person_type', person_type ->> 'name')));
END
$$;
COMMENT ON FUNCTION _dlints_recommender_words(jsonb, text[], text)
	IS 'what the templates of a recommender leave open';

-- Words of a ranker:
--   dim                    how many numbers a vector has
--   live                   the share of events that it decides at first
--   person_key             what contexts call the person
--   default_reward         what an event is worth for which no reward comes
--   again, again_said      what to do with one more reward of an event, and how to say that
--   vectors, told          the vectors of a context; the setting that says that a session was told of another one
--   named                  what of a context becomes names
--   and_vectors, vectors_read    what its vectors add to the features, and what reads them; empty without
--   no_features            the keys of an action that are numbers and no features
--   then_price             what rank() does before it decides
CREATE FUNCTION _dlints_ranker_words(a jsonb, dlints text) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	keys text := (SELECT quote_literal(array_agg(k ORDER BY k)) || '::text[]' FROM jsonb_object_keys(a -> 'vectors') k);
BEGIN
	RETURN jsonb_build_object(
		'dim', 192,
		'vectors', quote_literal(a -> 'vectors') || '::jsonb',
		'told', quote_literal('ranker.told_' || md5(a ->> 'name')),
		'named', CASE WHEN keys IS NULL THEN 'context'
			ELSE format('CASE jsonb_typeof(context) WHEN ''object'' THEN context - %s ELSE context END', keys) END,
		'and_vectors', CASE WHEN keys IS NULL THEN ''
			ELSE E',\n               coalesce(a.value ->> ''id'', a.value #>> ''{}''), v.numbers' END,
		'vectors_read', CASE WHEN keys IS NULL THEN ''
			ELSE format(E',\n           LATERAL %I.vectors(context) v', a ->> 'name') END,
		'live', CASE WHEN (a ->> 'apprentice')::boolean THEN '0' ELSE '1' END,
		'person_key', quote_literal(a ->> 'person_key'),
		'choice', 'decision',
		'default_reward', format('(%s)::float8', (a ->> 'default_reward')::float8),
		'no_features', format('%L::text[]', '{price}'::text[] || ARRAY(
			SELECT jsonb_object_keys(coalesce(a -> 'promises', '{}')))),
		'then_price', CASE WHEN a -> 'promises' <> '{}' THEN format('PERFORM %I.set_prices()', a ->> 'name') ELSE 'NULL' END,
		'again', CASE a ->> 'repeated'
			WHEN 'first' THEN 'NOTHING'
			WHEN 'last' THEN 'UPDATE SET value = excluded.value WHERE r.value <> excluded.value'
			ELSE 'UPDATE SET value = r.value + excluded.value' END,
		'again_said', CASE a ->> 'repeated'
			WHEN 'first' THEN 'of several the first one counts'
			WHEN 'last' THEN 'of several the last one counts'
			ELSE 'several are added up, so that none is to be told twice' END,
		'partitioned', $w$('decision', 'id')$w$,
		'model_type', dlints || '.dlints(192)',
		'erased', 'person text',
		'is_theirs', format('d.context ->> %L = erase.person', a ->> 'person_key'),
		'erase_first', '',
		'erase_more', '',
		'then_begin', 'NULL',
		'first_model', '''reward''',
		'arguments', quote_literal(a));
END
$$;
COMMENT ON FUNCTION _dlints_ranker_words(jsonb, text) IS 'what the templates of a ranker leave open';
-- The statements of a schema: the templates of sql/layer with the words filled in, in the order of
-- their files' numbers.  "parts" is a pattern of the names of those that are wanted; what has a
-- user's text in it is bound under the user's search_path, all else under PostgreSQL's own.
CREATE FUNCTION _dlints_statements(kind text, parts text, words jsonb) RETURNS SETOF text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$layer$
DECLARE
	own_path text := format('SELECT pg_catalog.set_config(''search_path'', ''pg_catalog, pg_temp'', %s);',
	                        words ->> 'is_local');
	template record;
	filled text;
	unknown text;
BEGIN
	IF words::text LIKE '%$body$%' THEN
		RAISE 'names and texts of a % cannot contain $body$', kind
			USING ERRCODE = 'invalid_parameter_value';
	END IF;
	IF words ->> 'is_local' = 'false' THEN	-- else it ends with the function that executes them
		RETURN NEXT 'SELECT pg_catalog.set_config(''scaffold.search_path'', pg_catalog.current_setting(''search_path''), false);';
	END IF;
	RETURN NEXT own_path;
	FOR template IN
		SELECT * FROM (VALUES
		('common/10_schema', 1, $t$CREATE SCHEMA {s};$t$),
		('common/10_schema', 2, $t$-- What it was made with, and by which version of dlints: dlints_renew reads it.  Decisions before
-- "known_from" are older than is kept: the models know nothing of them any more.  Decisions are
-- numbered under the secret, so that nobody can tell the number of another one.
CREATE TABLE {s}.setting (
    single     boolean PRIMARY KEY DEFAULT true CHECK (single),
    kind       text NOT NULL,
    version    text NOT NULL,
    arguments  jsonb NOT NULL,          -- "bound": the search_path under which each text was bound
    known_from bigint NOT NULL DEFAULT 0,
    secret     bigint NOT NULL DEFAULT ('x' || left(md5(gen_random_uuid()::text), 16))::bit(64)::bigint);$t$),
		('common/10_schema', 3, $t$INSERT INTO {s}.setting (kind, version, arguments) VALUES ({kind}, {version}, {arguments});$t$),
		('common/10_schema', 4, $t$COMMENT ON TABLE {s}.setting IS {written};$t$),
		('common/10_schema', 5, $t$-- When run() was last called, and last did each of its parts that are not due at each call; and why it
-- could not
CREATE TABLE {s}.job (name text PRIMARY KEY, done_at timestamptz NOT NULL, problem text);$t$),
		('common/10_schema', 6, $t$INSERT INTO {s}.job (name, done_at)
SELECT unnest(ARRAY['run', 'refresh', 'items', 'refit', 'learn', 'rebuild', 'months']), now();$t$),
		('common/10_schema', 7, $t$-- A number within a second; 4,194,304 of them
CREATE SEQUENCE {s}.decision_number MINVALUE 0 MAXVALUE 4194303 START 0 CYCLE;$t$),
		('common/10_schema', 8, $t$-- What could not be learned, or not be corrected ("known": the models know it as it was before)
CREATE TABLE {s}.set_aside (
    decision bigint PRIMARY KEY,
    known    boolean NOT NULL,
    problem  text NOT NULL,
    at       timestamptz NOT NULL DEFAULT now());$t$),
		('common/10_schema', 9, $t$-- With "archive" it has what the models learned from decisions that are no longer kept
CREATE TABLE {s}.archive (
    name  text PRIMARY KEY,
    state {dlints}.dlints NOT NULL);$t$),
		('common/10_schema', 10, $t$-- What was learned.  A state is large: look at the view "models".
CREATE TABLE {s}.model (
    name   text PRIMARY KEY,
    learns boolean NOT NULL,
    state  {model_type} NOT NULL);$t$),
		('common/15_promises', 1, $t$-- What is promised: on average at most, or at least, so much of a cost.  A price keeps it, which was found
-- of so many decisions, when the latest had the number "solved".
DO $body$
BEGIN
    IF to_regclass(format('%I.promise', {name})) IS NULL THEN
        CREATE TABLE {s}.promise (
            name      text PRIMARY KEY,
            of        text,                     -- what costs, of an item: an expression
            outcome   text,                     -- or what comes of it
            sign      integer NOT NULL,         -- of what costs: -1 where it is to be at least so much
            target    float8 NOT NULL,
            hard      boolean NOT NULL,         -- is what costs more than is left never chosen?
            since     timestamptz NOT NULL DEFAULT now(),
            price     float8 NOT NULL DEFAULT 0,
            decisions bigint NOT NULL DEFAULT 0,
            solved    bigint NOT NULL DEFAULT 0,
            ahead     float8 NOT NULL DEFAULT 0,    -- what was left then of what is promised
            wanted    float8 NOT NULL DEFAULT 0,    -- what a choice was to cost then, chance apart
            means     float8 NOT NULL DEFAULT 0,    -- what it does at this price
            lost      float8 NOT NULL DEFAULT 0,    -- and, of a recommender, what that takes off its reward
            rate      float8,                   -- of a place of the lists, how often that outcome comes of it
            lag       interval);                -- within which most have come
    END IF;
END
$body$;$t$),
		('common/15_promises', 2, $t$-- one that was made before there were any
INSERT INTO {s}.job (name, done_at) VALUES ('prices', now()) ON CONFLICT DO NOTHING;$t$),
		('common/30_log', 1, $t$-- The number of the first decision of a moment from 2020 to 2088: the time, and room for
-- 4,194,304 a second.  It fits into the numbers of JSON.
CREATE OR REPLACE FUNCTION {s}.first_decision(at timestamptz) RETURNS bigint
LANGUAGE sql STABLE
RETURN (floor(least(greatest(date_part('epoch', at), 1577836800), 3725320447))::bigint
        - 1577836800) << 22;$t$),
		('common/30_log', 2, $t$-- The number of a decision of now, in order of time to a 128th of a second, and within that the
-- next one under the secret: shuffled by a Feistel network of four rounds over 14 bits, so that no
-- number comes twice and none tells the next one.  A transaction that goes on for long, which may
-- number many more of its one moment, takes numbers of a kind of their own.
CREATE OR REPLACE FUNCTION {s}.new_decision() RETURNS bigint
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    secret bigint := (SELECT s.secret FROM {s}.setting s);
    number bigint;
    base   bigint;
    high   bigint;
    low    bigint;
    was    bigint;
BEGIN
    IF current_setting('transaction_read_only') = 'on' THEN
        RAISE 'a decision cannot be logged in a read-only transaction' USING ERRCODE = 'read_only_sql_transaction',
            HINT = 'What is shown is logged at once: ask the primary, in a transaction that may write.';
    END IF;
    number := nextval({sequence});
    base := {s}.first_decision(now())
            + CASE WHEN clock_timestamp() < now() + interval '50 milliseconds'
                   THEN (date_part('microseconds', now())::bigint % 1000000 * 128 / 1000000) << 15
                   ELSE ((number >> 14) & 127) << 15 | 16384 END;
    high := (number >> 7) & 127;
    low := number & 127;
    FOR round IN 1 .. 4 LOOP
        was := low;
        low := high # (hashint8extended(base + low, secret # round) & 127);
        high := was;
    END LOOP;
    RETURN base + (high << 7) + low;
END
$body$;$t$),
		('common/30_log', 3, $t$-- Takes back what decisions taught that are older than is kept, a portion at each call.  The
-- models then know what the log holds, and can be corrected, erased from and rebuilt exactly.
CREATE OR REPLACE FUNCTION {s}.forget(most integer DEFAULT 20000) RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off SET enable_seqscan = off AS $body$
DECLARE
    until     bigint := {s}.first_decision(now() - {keep}::interval);
    forgotten bigint := 0;
    batch     bigint[];
BEGIN
    IF NOT EXISTS (SELECT FROM {s}.decision d
                   WHERE  d.id >= (SELECT s.known_from FROM {s}.setting s) AND d.id < until) THEN
        RETURN 0;
    END IF;
    PERFORM FROM {s}.model ORDER BY name FOR UPDATE;
    LOOP
        batch := ARRAY(SELECT d.id FROM {s}.decision d
                       WHERE  d.id >= (SELECT s.known_from FROM {s}.setting s) AND d.id < until
                       ORDER  BY d.id LIMIT 1000);
        EXIT WHEN batch = '{}' OR forgotten >= most;
        IF {archive} THEN
            PERFORM {s}.put_away(batch);
        ELSE
            BEGIN
                PERFORM {s}.take_back(batch);
            EXCEPTION WHEN data_exception THEN
                -- rounding, or a log that says what was never learned: from what is left, then
                UPDATE {s}.setting SET known_from = batch[cardinality(batch)] + 1;
                PERFORM {s}.rebuild();
            END;
        END IF;
        UPDATE {s}.setting SET known_from = batch[cardinality(batch)] + 1;
        DELETE FROM {s}.due WHERE decision = ANY (batch);
        DELETE FROM {s}.set_aside WHERE decision = ANY (batch);
        forgotten := forgotten + cardinality(batch);
    END LOOP;
    RETURN forgotten;
END
$body$;$t$),
		('common/30_log', 4, $t$-- Partitions for this month and three more; those whose decisions are all older than is kept go,
-- once the models have forgotten them.  If nobody calls this, decisions go to the partitions named
-- "rest", and come from there later.  A transaction that uses the log for long is not waited for,
-- since both could then wait for each other: the next call does it.  Whoever calls it, they are the
-- owner's.
CREATE OR REPLACE FUNCTION {s}.set_months() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET row_security = off
SET lock_timeout = '900ms' AS $body$
DECLARE
    month  timestamp;
    parent text;
    key    text;
    name   text;
    low    bigint;
    high   bigint;
BEGIN
    PERFORM {s}.forget();
    FOR month, parent, key IN
        SELECT m, p.*
        FROM   generate_series(date_trunc('month', now() AT TIME ZONE 'UTC'),
                               now() AT TIME ZONE 'UTC' + interval '3 months', '1 month') m,
               (VALUES {partitioned}) p
    LOOP
        name := parent || to_char(month, '_YYYY_MM');
        CONTINUE WHEN to_regclass(format('%I.%I', {name}, name)) IS NOT NULL;
        -- another session may be at it
        LOCK TABLE ONLY {s}.decision IN SHARE UPDATE EXCLUSIVE MODE;
        CONTINUE WHEN to_regclass(format('%I.%I', {name}, name)) IS NOT NULL;
        low := {s}.first_decision(month AT TIME ZONE 'UTC');
        high := {s}.first_decision((month + interval '1 month') AT TIME ZONE 'UTC');
        EXECUTE format('CREATE TABLE %I.%I (LIKE %1$I.%3$I INCLUDING ALL)',
                       {name}, name, parent || '_rest');
        -- nothing comes in between what is moved and the partition that takes it
        EXECUTE format('LOCK TABLE %I.%I IN ACCESS EXCLUSIVE MODE', {name}, parent || '_rest');
        EXECUTE format('WITH moved AS (
                            DELETE FROM %1$I.%2$I WHERE %3$I >= %4$s AND %3$I < %5$s RETURNING *)
                        INSERT INTO %1$I.%6$I SELECT * FROM moved',
                       {name}, parent || '_rest', key, low, high, name);
        EXECUTE format('ALTER TABLE %1$I.%2$I ATTACH PARTITION %1$I.%3$I
                        FOR VALUES FROM (%4$s) TO (%5$s)',
                       {name}, parent, name, low, high);
    END LOOP;
    SELECT coalesce(min(d.id), {s}.first_decision(now() - {keep}::interval)) INTO low
    FROM   {s}.decision d               -- which the next call is to forget
    WHERE  d.id >= (SELECT s.known_from FROM {s}.setting s)
    AND    d.id < {s}.first_decision(now() - {keep}::interval);
    FOR parent, key IN VALUES {partitioned} LOOP
        FOR name IN
            SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE  i.inhparent = to_regclass(format('%I.%I', {name}, parent))
            AND    c.relname ~ '_\d{4}_\d\d$'
            AND    {s}.first_decision((to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month')
                                      AT TIME ZONE 'UTC') <= low
        LOOP
            EXECUTE format('DROP TABLE IF EXISTS %I.%I', {name}, name);
        END LOOP;
        EXECUTE format('DELETE FROM %I.%I WHERE %I < %s', {name}, parent || '_rest', key, low);
    END LOOP;
EXCEPTION WHEN lock_not_available THEN
    RAISE NOTICE 'the log is in use: its months are set by the next call';
END
$body$;$t$),
		('common/30_log', 5, $t$REVOKE EXECUTE ON FUNCTION {s}.set_months FROM PUBLIC;$t$),
		('common/32_statistics', 1, $t$-- How many standard errors hold a mean of so many people in 95 of 100 cases: Student's t, by the
-- expansion of Cornish and Fisher, to 1 % from four people on
CREATE OR REPLACE FUNCTION {s}.errors_of(people float8) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN CASE WHEN people >= 2 THEN
    1.96 + 2.372 / (people - 1) + 2.822 / (people - 1) ^ 2 + 2.556 / (people - 1) ^ 3
    + 1.586 / (people - 1) ^ 4 END;$t$),
		('common/32_statistics', 2, $t$-- The mean of what people have several of each, with a standard error that knows that they come again
CREATE OR REPLACE FUNCTION {s}.mean_of(
    counts float8[], sums float8[], OUT n bigint, OUT mean float8, OUT stderr float8, OUT people bigint)
LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    WITH person AS (
        SELECT u.n, u.sum FROM unnest(counts, sums) u (n, sum)),
    total AS (
        SELECT sum(p.n) AS n, sum(p.sum) / sum(p.n) AS mean, count(*) AS people FROM person p)
    SELECT coalesce(max(t.n), 0)::bigint, max(t.mean),
           sqrt(sum((p.sum - p.n * t.mean) ^ 2) * max(t.people) / nullif(max(t.people) - 1, 0)) / max(t.n),
           coalesce(max(t.people), 0)
    FROM   person p, total t;
END;$t$),
		('common/32_statistics', 3, $t$-- What stands aside, and what run() could not do, as rows of the report
CREATE OR REPLACE FUNCTION {s}.troubles()
RETURNS TABLE (measure text, value float8, error float8, meaning text) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT 'decisions set aside' AS measure, count(*)::float8 AS value, NULL::float8 AS error, CASE count(*)
           WHEN 0 THEN 'all that was told could be learned'
           ELSE format('could not be learned as told, such as %s (%s): rebuild() takes the log''s word',
                       min(a.decision), (array_agg(a.problem ORDER BY a.decision))[1]) END AS meaning
    FROM   {s}.set_aside a
    UNION ALL
    SELECT 'upkeep that failed' AS measure, 1::float8 AS value, NULL::float8 AS error,
           format('%s: %s', j.name, j.problem) AS meaning
    FROM   {s}.job j WHERE j.problem IS NOT NULL;
END;$t$),
		('common/33_models', 1, $t$CREATE OR REPLACE VIEW {s}.models AS
SELECT m.name, m.learns, i.updates, i.newest, i.memory, i.memories, i.effective_sample_size,
       i.prior_sample_size, i.mean_reward, i.sigma, i.bytes, i.hint
FROM   {s}.model m, {dlints}.dlints_info(m.state) i;$t$),
		('common/42_promises', 1, $t$-- Promises: what choices cost, and the prices by which that is kept.  A price is found by making the last
-- decisions once more, under draws of the present model; so it is no step in a direction, and has no size to
-- be chosen.  What was spent too much, or is left, moves the target that it is found for.

-- What is left of each promise after the last decisions, so many; of what was left before no more may take
-- than that of half the horizon, or of 30 decisions if it is hard, so that what is kept is kept at all times
CREATE OR REPLACE FUNCTION {s}.balance(most bigint)
RETURNS TABLE (promise text, decisions bigint, ahead float8, target float8, hard boolean) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH summed AS (
        SELECT s.promise, s.decision, sum(p.sign * (p.target - s.cost) * s.choices) OVER w AS ahead,
               CASE WHEN p.hard THEN 30 ELSE h.choices / 2 END * p.target AS limit
        FROM   {s}.horizon() h, {s}.spent(most) s JOIN {s}.promise p ON p.name = s.promise
        WINDOW w AS (PARTITION BY s.promise ORDER BY s.decision)),
    total AS (
        SELECT s.promise, count(*) AS decisions,
               least(greatest((array_agg(s.ahead ORDER BY s.decision DESC))[1] - greatest(max(s.ahead - s.limit), 0),
                              -1e53), 1e53) AS ahead
        FROM   summed s GROUP BY s.promise)
    SELECT p.name, coalesce(t.decisions, 0), coalesce(t.ahead, 0), p.target, p.hard
    FROM   {s}.promise p LEFT JOIN total t ON t.promise = p.name;
END;$t$),
		('common/42_promises', 2, $t$-- Finds prices anew.  What is left is to be used within the horizon, and what is missing saved; what is
-- left to chance has its share of the costs.  What can be kept is never to cost the least that is possible,
-- which would count more than all else.  Of what is only expected to cost three quarters of what could be saved
-- are asked for at most, or what the promise needs and a fifth of the way from it to the least, and never the
-- last twentieth.  Of promises that nothing can keep prices end somewhere.
CREATE OR REPLACE FUNCTION {s}.solve() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH wanted AS MATERIALIZED (
        SELECT p.name, p.sign, p.sign * p.target AS promised, p.outcome IS NOT NULL AS is_expected,
               b.decisions, b.ahead, p.sign * p.target
               * least(greatest(1 + p.sign * b.ahead / (h.choices * abs(p.target)), 0.05), 3) AS target,
               row_number() OVER (ORDER BY p.name COLLATE "C") AS n
        FROM   {s}.horizon() h, LATERAL {s}.balance(h.decisions) b JOIN {s}.promise p ON p.name = b.promise),
    decision AS MATERIALIZED (
        SELECT * FROM {s}.replay()),
    mean AS (
        SELECT u.n, avg(u.mean) AS mean FROM decision d, unnest(d.means) WITH ORDINALITY u (mean, n) GROUP BY u.n),
    bound AS (
        SELECT w.n, avg(l.cost) AS least, avg(f.cost) AS free
        FROM   decision d CROSS JOIN wanted w
               CROSS JOIN LATERAL (
                   SELECT avg(c.cost) AS cost
                   FROM  (SELECT c.cost FROM unnest(d.costs[w.n:w.n]) c (cost) ORDER BY c.cost LIMIT d.k) c) l
               CROSS JOIN LATERAL (
                   SELECT avg(c.cost) AS cost
                   FROM  (SELECT c.cost FROM unnest(d.scores, d.costs[w.n:w.n]) c (score, cost)
                          ORDER BY c.score DESC LIMIT d.k) c) f
        GROUP  BY w.n),
    asked AS MATERIALIZED (
        SELECT array_agg(greatest((w.target - {epsilon} * m.mean) / greatest(1 - {epsilon}, 0.01),
                                  CASE WHEN w.is_expected
                                       THEN b.least + greatest(
                                           0.05 * (b.free - b.least),
                                           least(0.25 * (b.free - b.least), CASE WHEN b.least < w.promised
                                                 THEN 0.8 * (w.promised - b.least) END))
                                       WHEN b.least < w.promised
                                       THEN b.least + 0.05 * (w.promised - b.least) END) ORDER BY w.n) AS targets
        FROM   wanted w JOIN mean m ON m.n = w.n JOIN bound b ON b.n = w.n),
    found AS (
        SELECT {dlints}.dlints_prices(d.scores, d.costs, d.k, a.targets) AS prices
        FROM   decision d, asked a)
    UPDATE {s}.promise p
    SET    price = least(f.prices[1][w.n], 1e15 * greatest(1, 1 / abs(p.target)), 1e45),
           decisions = w.decisions, ahead = w.ahead, wanted = p.sign * a.targets[w.n], means = p.sign * f.prices[2][w.n]
    FROM   found f, asked a, wanted w WHERE w.name = p.name AND f.prices IS NOT NULL;
END;$t$),
		('common/42_promises', 3, $t$-- Have there been so many decisions since prices were found?  Of few there are, each counts.
CREATE OR REPLACE FUNCTION {s}.is_to_solve() RETURNS TABLE (is_to_solve boolean) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT (n.last_value - min(p.solved) + 4194304) % 4194304 >= least(20, greatest(1, min(p.decisions) / 4))
    FROM   {s}.promise p, {s}.decision_number n GROUP BY n.last_value;
END;$t$),
		('common/42_promises', 4, $t$-- What each price takes off the reward of a choice: what some of the last decisions would score, made once more
-- under all prices but this one, and under all
CREATE OR REPLACE FUNCTION {s}.reward_lost() RETURNS TABLE (promise text, lost float8) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH price AS MATERIALIZED (
        SELECT p.name, p.price, row_number() OVER (ORDER BY p.name COLLATE "C") AS n FROM {s}.promise p),
    decision AS MATERIALIZED (
        SELECT d.scores, d.costs, d.k, ARRAY(
                   SELECT sum(p.price * d.costs[p.n][i])
                   FROM   generate_subscripts(d.scores, 1) i CROSS JOIN price p GROUP BY i ORDER BY i) AS charges
        FROM  (SELECT d.* FROM {s}.replay() d WHERE EXISTS (SELECT FROM price p WHERE p.price > 0) LIMIT 100) d),
    left_out AS (
        SELECT p.name, p.n, p.price FROM price p WHERE p.price > 0
        UNION ALL
        SELECT NULL AS name, 1 AS n, 0 AS price),
    scored AS (
        SELECT l.name, avg(c.score) AS mean
        FROM   left_out l CROSS JOIN decision d,
               LATERAL (SELECT u.score FROM unnest(d.scores, d.charges) WITH ORDINALITY u (score, charge, i)
                        ORDER BY u.score - u.charge + l.price * d.costs[l.n][u.i] DESC LIMIT d.k) c
        GROUP  BY l.name)
    SELECT w.name, w.mean - a.mean FROM scored w, scored a WHERE w.name IS NOT NULL AND a.name IS NULL;
END;$t$),
		('common/44_kept', 1, $t$-- Promises, as rows of the report; of very many decisions the last 100,000 count
CREATE OR REPLACE FUNCTION {s}.kept(first bigint)
RETURNS TABLE (measure text, value float8, error float8, meaning text) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH summed AS (
        SELECT s.promise, s.cost, s.choices, sum(s.cost * s.choices) OVER w AS costs, sum(s.choices) OVER w AS places,
               row_number() OVER w AS n
        FROM   {s}.spent(100000) s WHERE s.decision >= kept.first
        WINDOW w AS (PARTITION BY s.promise ORDER BY s.decision)),
    spent AS (
        SELECT s.promise, s.cost, s.choices, s.n, (s.costs - lag(s.costs, 1000, 0::float8) OVER w)
                   / (s.places - lag(s.places, 1000, 0::numeric) OVER w)::float8 AS mean
        FROM   summed s WINDOW w AS (PARTITION BY s.promise ORDER BY s.n)),
    kept AS (
        SELECT s.promise, sum(s.cost * s.choices) / sum(s.choices) AS mean,
               stddev_samp(s.cost) / sqrt(count(*)) AS stderr,
               min(s.mean) FILTER (WHERE s.n >= 1000) AS lowest, max(s.mean) FILTER (WHERE s.n >= 1000) AS highest
        FROM   spent s GROUP BY s.promise)
    SELECT 'promise "' || p.name || '"', k.mean, k.stderr, concat_ws('; ',
           format('at %s %s a {choice}', CASE p.sign WHEN 1 THEN 'most' ELSE 'least' END, p.target),
           'of a thousand in a row at ' || CASE p.sign WHEN 1 THEN 'most ' ELSE 'least ' END
               || round((CASE p.sign WHEN 1 THEN k.highest ELSE k.lowest END)::numeric, 6),
           CASE WHEN k.mean IS NULL THEN 'nothing is decided yet'
                WHEN p.outcome IS NOT NULL AND coalesce(abs(p.rate - p.target) < 1e-9 * p.target, true)
                THEN 'nothing that was shown is old enough to tell, and counts as promised'
                WHEN (p.sign * (p.means - p.wanted) > 0.02 * p.target OR p.outcome IS NOT NULL AND p.ahead < 0)
                     AND p.decisions >= 100
                     AND p.sign * (p.means - p.target) > 0.02 * p.target     -- and not because much is owed
                THEN format('cannot be kept: %s it is %s', CASE WHEN p.outcome IS NULL THEN 'at any price'
                            ELSE 'of what is known of items' END, round(p.means::numeric, 6))
                WHEN p.price = 0 THEN 'which is kept without a price'
                ELSE format('its price is %s, and keeping it costs %s of reward a {choice}', round(p.price::numeric, 4),
                            greatest(round(l.lost::numeric, 4), 0)) END)
    FROM   {s}.promise p LEFT JOIN kept k ON k.promise = p.name
           LEFT JOIN {s}.lost() l ON l.promise = p.name
    ORDER  BY p.name;
END;$t$),
		('common/60_learn', 1, $t$-- What these decisions taught each model, as the models know it.  Each reads them for itself: what is
-- read is wide, and would be sorted by model.
CREATE OR REPLACE FUNCTION {s}.taught(decisions bigint[])
RETURNS TABLE (name text, evidence {dlints}.dlints) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT p.name, e.evidence
    FROM   {s}.model p,
           LATERAL (SELECT {dlints}.dlints_evidence(p.state, l.features::{vector}, l.reward / l.looked_at,
                                                    l.profile::{vector}, l.at, l.looked_at) AS evidence
                    FROM  (SELECT * FROM {s}.learned l
                           WHERE  l.model = p.name AND l.decision = ANY (decisions) OFFSET 0) l
                    WHERE  {dlints}.dlints_accepts(p.state, l.features::{vector}, l.reward / l.looked_at,
                                                   l.profile::{vector}, l.at, l.looked_at)) e
    WHERE  e.evidence IS NOT NULL;
END;$t$),
		('common/60_learn', 2, $t$-- ... and without it
CREATE OR REPLACE FUNCTION {s}.take_back(decisions bigint[]) RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    UPDATE {s}.model m SET state = {dlints}.dlints_retract(m.state, t.evidence)
    FROM   {s}.taught(decisions) t
    WHERE  m.name = t.name;
END;$t$),
		('common/60_learn', 3, $t$-- What they taught stays for good, and nobody can say any more whose it was.
CREATE OR REPLACE FUNCTION {s}.put_away(decisions bigint[]) RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    INSERT INTO {s}.archive AS a (name, state) SELECT t.name, t.evidence FROM {s}.taught(decisions) t
    ON CONFLICT (name) DO UPDATE SET state = {dlints}.dlints_concat(a.state, excluded.state);
END;$t$),
		('common/60_learn', 4, $t$-- Takes in what is older than the wait, with what came of it.  What comes later is a correction:
-- what was learned is taken back, and what is right is learned, as of the moment of the decision.
-- Sessions that learn at once wait for each other at the models' rows; what a statement reads after
-- the wait is what the other one has left.  What cannot be learned, or not be corrected, is set
-- aside, so that it holds up nothing else.
CREATE OR REPLACE FUNCTION {s}.learn(wait interval DEFAULT {wait}) RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off SET enable_seqscan = off AS $body$
DECLARE
    learned bigint := 0;
    batch   bigint[];
    one     bigint;
    n       bigint;
BEGIN
    -- what is assigned by SELECT INTO is planned at each call: months may go meanwhile
    PERFORM FROM {s}.model ORDER BY name FOR UPDATE;
    LOOP
        SELECT t.batch INTO batch FROM {s}.take_due(wait) t (batch);
        EXIT WHEN batch = '{}';
        BEGIN
            PERFORM {s}.take_in(batch);
        EXCEPTION WHEN data_exception THEN
            FOREACH one IN ARRAY batch LOOP
                BEGIN
                    PERFORM {s}.take_in(ARRAY[one]);
                EXCEPTION WHEN data_exception THEN
                    INSERT INTO {s}.set_aside (decision, known, problem)
                    VALUES (one, false, SQLERRM) ON CONFLICT DO NOTHING;
                END;
            END LOOP;
        END;
        learned := learned + cardinality(batch);
    END LOOP;
    LOOP
        SELECT t.batch INTO batch FROM {s}.take_late() t (batch);
        EXIT WHEN batch = '{}';
        BEGIN
            SELECT c.n INTO n FROM {s}.correct(batch) c (n);
            learned := learned + n;
        EXCEPTION WHEN data_exception THEN
            FOREACH one IN ARRAY batch LOOP
                BEGIN
                    SELECT c.n INTO n FROM {s}.correct(ARRAY[one]) c (n);
                    learned := learned + n;
                EXCEPTION WHEN data_exception THEN
                    INSERT INTO {s}.set_aside (decision, known, problem)
                    VALUES (one, true, SQLERRM) ON CONFLICT DO NOTHING;
                END;
            END LOOP;
        END;
        EXIT WHEN cardinality(batch) < 1000;
    END LOOP;
    RETURN learned;
END
$body$;$t$),
		('common/60_learn', 5, $t$-- The models anew: the beginning, what is archived, and what the log says that was learned
CREATE OR REPLACE FUNCTION {s}.build() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    UPDATE {s}.model m
    SET    state = {dlints}.dlints_concat({dlints}.dlints_concat(
                       {dlints}.dlints_scale(0::float8, m.state), a.state), e.evidence)
    FROM   {s}.model p LEFT JOIN {s}.archive a ON a.name = p.name,
           LATERAL (SELECT {dlints}.dlints_evidence(p.state, l.features::{vector}, l.reward / l.looked_at,
                                                    l.profile::{vector}, l.at, l.looked_at) AS evidence
                    FROM  (SELECT * FROM {s}.learned l WHERE l.model = p.name OFFSET 0) l
                    WHERE  {dlints}.dlints_accepts(p.state, l.features::{vector}, l.reward / l.looked_at,
                                                   l.profile::{vector}, l.at, l.looked_at)) e
    WHERE  m.name = p.name AND m.learns;
END;$t$),
		('common/60_learn', 6, $t$-- The same, and with what was set aside before as it is told now
CREATE OR REPLACE FUNCTION {s}.rebuild() RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
BEGIN
    PERFORM FROM {s}.model ORDER BY name FOR UPDATE;
    PERFORM {s}.believe_told(ARRAY(SELECT a.decision FROM {s}.set_aside a));
    DELETE FROM {s}.set_aside;
    PERFORM {s}.build();
    {then_begin};
    RETURN (SELECT updates FROM {s}.models WHERE name = {first_model});
END
$body$;$t$),
		('common/60_learn', 7, $t$-- A person is erased, of a recommender a session as well: the models forget what they learned from these, to
-- rounding as if they had never seen it, and the log loses the rows.  What is archived is nobody's any more.
CREATE OR REPLACE FUNCTION {s}.erase({erased}) RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
DECLARE
    erased  bigint[];
    rebuild boolean := false;
BEGIN
    {erase_first}
    PERFORM FROM {s}.model ORDER BY name FOR UPDATE;
    erased := ARRAY(SELECT d.id FROM {s}.decision d WHERE {is_theirs});
    BEGIN
        PERFORM {s}.take_back(erased);
    EXCEPTION WHEN data_exception THEN
        rebuild := true;                -- the log says what was never learned
    END;
    PERFORM {s}.delete_log(erased);
    DELETE FROM {s}.due WHERE decision = ANY (erased);
    DELETE FROM {s}.set_aside WHERE decision = ANY (erased);
    {erase_more}
    IF rebuild THEN
        PERFORM {s}.rebuild();
    END IF;
    IF EXISTS (SELECT FROM {s}.archive) THEN
        RAISE NOTICE 'what was learned from decisions that are no longer kept is archived, and stays'
            USING HINT = 'Nobody can say whose it was. "archive": false discards it.';
    END IF;
    RETURN cardinality(erased);
END
$body$;$t$),
		('common/80_run', 1, $t$-- A part of what is due; NULL: it is not.
CREATE OR REPLACE FUNCTION {s}.do_part(part text) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off AS $body$
BEGIN
    CASE part
        WHEN 'learn' THEN
            RETURN format('%s learned', {s}.learn());
        WHEN 'rebuild' THEN
            IF EXISTS (SELECT FROM {s}.models WHERE hint LIKE 'Rounding %') THEN
                PERFORM {s}.rebuild();
                RETURN 'models rebuilt';
            END IF;
            RETURN '';
        WHEN 'months' THEN
            PERFORM {s}.set_months();   -- last, since it locks out pages
            PERFORM {s}.tidy();
            RETURN '';
        ELSE
            RETURN {s}.keep_fresh(part);
    END CASE;
END
$body$;$t$),
		('common/80_run', 2, $t$-- All that is due, for cron: every minute, or every few of them.  It has its owner's rights, so that
-- cron needs none but to call it, and what it makes is its owner's.  One part that fails holds up no
-- other: a warning says so, and the report until that part is done.  What is not due at each run is
-- tried again an hour later.
CREATE OR REPLACE FUNCTION {s}.run() RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
DECLARE
    said   text[] := '{}';
    part   text;
    result text;
BEGIN
    -- who alters takes the rows of refresh, which is that of items, too, and of refit before the models
    FOREACH part IN ARRAY '{refresh,items,refit,learn,rebuild,prices,months}'::text[] LOOP
        BEGIN
            result := {s}.do_part(part);
            said := CASE part WHEN 'learn' THEN result || said ELSE said || result END;
            UPDATE {s}.job SET problem = NULL WHERE name = part AND problem IS NOT NULL AND result IS NOT NULL;
        EXCEPTION WHEN OTHERS THEN
            RAISE WARNING '"%" of %: %', part, {name}, SQLERRM;
            UPDATE {s}.job
            SET    problem = SQLERRM,
                   done_at = now() - CASE part WHEN 'refit' THEN interval '6 days 23 hours' ELSE interval '0' END
            WHERE  name = part;
        END;
    END LOOP;
    UPDATE {s}.job SET done_at = now() WHERE name = 'run';
    RETURN array_to_string(array_remove(said, ''), ', ');
END
$body$;$t$),
		('common/80_run', 3, $t$REVOKE EXECUTE ON FUNCTION {s}.run FROM PUBLIC;$t$),
		('common/90_promises', 1, $t$-- What is promised from now on.  Prices of what stays are as they were; what is promised otherwise is counted
-- from now on.  Who finds prices has this row, too.
SELECT FROM {s}.job WHERE name = 'prices' FOR UPDATE;$t$),
		('common/90_promises', 2, $t$DELETE FROM {s}.promise p
WHERE  p.name <> ALL (ARRAY(SELECT w.name FROM ({promises}) w (name, sign, target, hard, of, outcome)));$t$),
		('common/90_promises', 3, $t$INSERT INTO {s}.promise AS p (name, sign, target, hard, of, outcome, solved)
SELECT w.name, w.sign, w.target, w.hard, w.of, w.outcome, (SELECT n.last_value FROM {s}.decision_number n)
FROM   ({promises}) w (name, sign, target, hard, of, outcome)
ON CONFLICT (name) DO UPDATE SET sign = excluded.sign, target = excluded.target, hard = excluded.hard, of = excluded.of,
    outcome = excluded.outcome, rate = NULL, lag = NULL,
    price = CASE WHEN p.sign = excluded.sign THEN p.price ELSE 0 END, since = now(), decisions = 0, ahead = 0
WHERE (p.sign, p.target, p.hard, p.of, p.outcome)
      IS DISTINCT FROM (excluded.sign, excluded.target, excluded.hard, excluded.of, excluded.outcome);$t$),
		('common/91_setting', 1, $t$UPDATE {s}.setting SET arguments = {arguments}, version = {version};$t$),
		('common/91_setting', 2, $t$COMMENT ON TABLE {s}.setting IS {written};$t$),
		('common/92_archive', 1, $t$DELETE FROM {s}.archive;$t$),
		('common/93_rebuild', 1, $t$SELECT {s}.rebuild();$t$),
		('common/99_comments', 1, $t$-- What is for callers; the other functions are parts of these, and may change with any version.
COMMENT ON FUNCTION {s}.learn IS 'learns from what was shown before the wait, and corrects what was told later; how '
    'many decisions it took; any number of sessions at once';$t$),
		('common/99_comments', 2, $t$COMMENT ON FUNCTION {s}.run IS 'all that is due, for cron: learn, refresh, forget, months of the log, prices of '
    'promises; what it did; what fails is a warning, and in report()';$t$),
		('common/99_comments', 3, $t$COMMENT ON FUNCTION {s}.rebuild IS 'the models anew from the log and the archive; how many observations the first '
    'one has';$t$),
		('common/99_comments', 4, $t$COMMENT ON FUNCTION {s}.forget IS 'takes back what decisions older than "keep" taught, so many at a time; how many '
    'it took';$t$),
		('common/99_comments', 5, $t$COMMENT ON FUNCTION {s}.set_months IS 'makes the months of the log to come, and drops those older than "keep"';$t$),
		('common/99_comments', 6, $t$COMMENT ON FUNCTION {s}.report IS 'is it working? what each arm earned since then with its standard error, promises, '
    'and what holds up learning';$t$),
		('common/99_comments', 7, $t$COMMENT ON FUNCTION {s}.earned IS 'what a decision of an arm earned on average since then, with its standard error';$t$),
		('common/99_comments', 8, $t$COMMENT ON VIEW {s}.outcome IS 'what was shown, and what came of it';$t$),
		('common/99_comments', 9, $t$COMMENT ON VIEW {s}.learned IS 'what was learned, as it was learned';$t$),
		('common/99_comments', 10, $t$COMMENT ON VIEW {s}.models IS 'models without megabytes of numbers';$t$),
		('common/99_comments', 11, $t$COMMENT ON TABLE {s}.model IS 'what was learned; look at it with the view "models"';$t$),
		('common/99_comments', 12, $t$COMMENT ON TABLE {s}.decision IS 'the log of what was shown, a decision a row, a month a partition';$t$),
		('common/99_comments', 13, $t$COMMENT ON TABLE {s}.reward IS 'the log of what was told of decisions';$t$),
		('common/99_comments', 14, $t$COMMENT ON TABLE {s}.due IS 'decisions to be learned from';$t$),
		('common/99_comments', 15, $t$COMMENT ON TABLE {s}.promise IS 'promises with their prices';$t$),
		('common/99_comments', 16, $t$COMMENT ON TABLE {s}.archive IS 'what decisions taught that the log has no more';$t$),
		('common/99_comments', 17, $t$COMMENT ON TABLE {s}.set_aside IS 'decisions that could not be learned as told';$t$),
		('common/99_comments', 18, $t$COMMENT ON TABLE {s}.job IS 'when each part of run() was done';$t$),
		('ranker/20_tables', 1, $t$-- The share of events that it decides; go_live sets it.
ALTER TABLE {s}.setting ADD live float8 NOT NULL DEFAULT {live} CHECK (live BETWEEN 0 AND 1);$t$),
		('ranker/20_tables', 2, $t$-- What was asked and answered.  The arrays are in the order of the ranking.
CREATE TABLE {s}.decision (
    id            bigint PRIMARY KEY,
    event         text NOT NULL,
    arm           text NOT NULL,            -- live, or present: the caller's first action
    at            timestamptz NOT NULL,
    active        boolean NOT NULL,         -- false until it is activated
    context       jsonb NOT NULL,
    actions       jsonb NOT NULL,           -- as they were given
    ranking       integer[] NOT NULL,       -- their places among those given; the first is chosen
    probabilities float8[] NOT NULL,        -- of being the first, under the decision's arm
    expected      float8[] NOT NULL,        -- rewards
    imitated      boolean,                  -- did the imitation choose as the present system?
    prices        jsonb,                    -- of promises, then
    costs         jsonb                     -- what each action was to cost of them
) PARTITION BY RANGE (id);$t$),
		('ranker/20_tables', 3, $t$CREATE TABLE {s}.decision_rest PARTITION OF {s}.decision DEFAULT;$t$),
		('ranker/20_tables', 4, $t$-- Months are made like it: an event has one answer, whatever a transaction sees.
CREATE UNIQUE INDEX ON {s}.decision_rest (event);$t$),
		('ranker/20_tables', 5, $t$-- those that promises are kept in, which may be few
CREATE INDEX ON {s}.decision_rest (id) WHERE costs IS NOT NULL;$t$),
		('ranker/20_tables', 6, $t$-- Rewards refer to nothing, so that they can come in any order.
CREATE TABLE {s}.reward (
    event   text PRIMARY KEY,
    value   float8 NOT NULL CHECK (abs(value) <= 1e50),
    at      timestamptz NOT NULL DEFAULT now(),
    learned float8);                        -- what the model knows of it$t$),
		('ranker/20_tables', 7, $t$CREATE INDEX ON {s}.reward (event) WHERE learned IS DISTINCT FROM value;$t$),
		('ranker/20_tables', 8, $t$CREATE INDEX ON {s}.reward (at);$t$),
		('ranker/20_tables', 9, $t$-- What events really cost, of what is promised
CREATE TABLE {s}.paid (
    event text PRIMARY KEY,
    costs jsonb NOT NULL,
    at    timestamptz NOT NULL DEFAULT now());$t$),
		('ranker/20_tables', 10, $t$CREATE INDEX ON {s}.paid (at);$t$),
		('ranker/20_tables', 11, $t$-- What an action costs of a promise for what was told of it, as it turned out lately: so many times that,
-- or, of one of which nothing is told, so much
CREATE TABLE {s}.estimate (
    promise text REFERENCES {s}.promise ON DELETE CASCADE,
    action  text,
    times   float8 NOT NULL,
    cost    float8 NOT NULL,
    PRIMARY KEY (promise, action));$t$),
		('ranker/20_tables', 12, $t$-- Decisions that are not learned yet, and since when a reward is waited for
CREATE TABLE {s}.due (decision bigint PRIMARY KEY, since timestamptz NOT NULL);$t$),
		('ranker/34_vectors', 1, $t$-- Is this an array of so many numbers?
CREATE OR REPLACE FUNCTION {s}.is_vector(given jsonb, length integer) RETURNS boolean LANGUAGE sql IMMUTABLE
RETURN CASE WHEN jsonb_typeof(given) = 'array' AND jsonb_array_length(given) = length
            THEN NOT jsonb_path_exists(given, 'strict $[*] ? (@.type() != "number" || @ > 1e50 || @ < -1e50)')
            ELSE false END;$t$),
		('ranker/34_vectors', 2, $t$-- The vectors of a context as numbers to be encoded.  Each has length 1 and then the weight of two
-- names; one of more than 64 numbers is projected to as many.  What is missing counts as zeros.  So
-- does what is no such vector: rank() refuses it.
CREATE OR REPLACE FUNCTION {s}.vectors(context jsonb) RETURNS TABLE (numbers jsonb) LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT jsonb_object_agg(v.key || ' ' || x.n, (x.value * sqrt(2::float8))::numeric)
    FROM  (SELECT d.key, {dlints}.dlints_profile(u.numbers::{vector}) AS numbers
           FROM   jsonb_each_text({vectors}) d (key, length),
                  LATERAL (SELECT array_agg(round(e.value::numeric, 60)::float8 ORDER BY e.n) AS numbers
                           FROM   jsonb_array_elements_text(
                                      CASE WHEN {s}.is_vector(context -> d.key, d.length::integer)
                                           THEN context -> d.key END) WITH ORDINALITY e (value, n)) u
           GROUP  BY d.key) v,
           LATERAL unnest(CASE WHEN cardinality(v.numbers) > 64 THEN {dlints}.dlints_project(
                              {dlints}.dlints_new(cardinality(v.numbers), 64, intercept => false),
                              v.numbers::{vector})::real[]
                          ELSE v.numbers END) WITH ORDINALITY x (value, n);
END;$t$),
		('ranker/34_vectors', 3, $t$-- An error if a vector of a context is none.  An array of numbers that is not declared is read as words;
-- that is said once in a session, which a setting remembers.
CREATE OR REPLACE FUNCTION {s}.check_context(context jsonb) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    many CONSTANT jsonpath := 'strict $.* ? (@.type() == "array" && @.size() > 8'
                              ' && !exists(@[*] ? (@.type() != "number")))';
    declared CONSTANT jsonb := {vectors};
    others jsonb;
    key    text;
    length integer;
    given  jsonb;
BEGIN
    IF jsonb_typeof(context) <> 'object' THEN
        RETURN;
    END IF;
    FOR key, length IN SELECT * FROM jsonb_each_text(declared) LOOP
        given := context -> key;
        IF jsonb_typeof(given) <> 'null' AND NOT {s}.is_vector(given, length) THEN
            RAISE '"%" of a context must be an array of % numbers up to 1e50', key, length
                USING ERRCODE = 'invalid_parameter_value',
                DETAIL = CASE jsonb_typeof(given)
                    WHEN 'array' THEN format('It has %s elements: %s', jsonb_array_length(given),
                                             left(given::text, 200))
                    ELSE format('It is %s.', left(given::text, 200)) END,
                HINT = 'It was declared as a vector when the ranker was made.';
        END IF;
    END LOOP;
    others := context - ARRAY(SELECT jsonb_object_keys(declared));
    IF jsonb_path_exists(others, many) AND current_setting({told}, true) IS DISTINCT FROM 'on' THEN
        SELECT e.key, jsonb_array_length(e.value) INTO key, length
        FROM   jsonb_each(others) e WHERE jsonb_path_exists(jsonb_build_object('', e.value), many) LIMIT 1;
        RAISE NOTICE 'the % numbers of "%" in the context are read as words, in any order', length, key
            USING HINT = format('With vectors => %L they are a vector: dlints_alter_ranker declares it.',
                                declared || jsonb_build_object(key, length));
        PERFORM set_config({told}, 'on', false);
    END IF;
END
$body$;$t$),
		('ranker/35_actions', 1, $t$-- A number as a word: whole ones below 32 (hours, weekdays, counts) stand for themselves,
-- others fall into bands, two for each doubling.  To have years apart, write them as text.
CREATE OR REPLACE FUNCTION {s}.band(x numeric) RETURNS text LANGUAGE sql IMMUTABLE
RETURN CASE WHEN abs(x) < 32 AND x = trunc(x) THEN trunc(x)::text
            ELSE CASE WHEN x < 0 THEN '-2^' ELSE '2^' END
                 || round(2 * ln(greatest(least(abs(x), 1e300), 1e-300)::float8) / ln(2::float8)) / 2 END;$t$),
		('ranker/35_actions', 2, $t$-- The names in documents: every value in one is a name, below the keys that lead to it
CREATE OR REPLACE FUNCTION {s}.names(documents jsonb) RETURNS TABLE (n integer, names text[])
LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    WITH RECURSIVE part (n, path, value) AS (
        SELECT d.n::integer, '', d.value
        FROM   jsonb_array_elements(documents) WITH ORDINALITY d (value, n)
        UNION ALL
        SELECT p.n, e.path, e.value
        FROM   part p,
               LATERAL (SELECT p.path || '.' || key, value
                        FROM   jsonb_each(CASE jsonb_typeof(p.value) WHEN 'object' THEN p.value END)
                        UNION ALL
                        SELECT p.path, value
                        FROM   jsonb_array_elements(CASE jsonb_typeof(p.value) WHEN 'array' THEN p.value END)
                       ) e (path, value)
        WHERE  jsonb_typeof(p.value) IN ('object', 'array'))
    SELECT p.n, array_agg(p.path || '=' || CASE jsonb_typeof(p.value)
               WHEN 'number' THEN {s}.band(p.value::numeric) ELSE p.value #>> '{}' END)
    FROM   part p WHERE jsonb_typeof(p.value) IN ('string', 'number', 'boolean')
    GROUP  BY p.n;
END;$t$),
		('ranker/35_actions', 3, $t$-- The actions of a request: what they are called, what they cost, and what they are.  A context
-- is the same for all of them and ranks nothing by itself.  So each of its names makes a pair
-- with each name of an action, and a model learns what the two are worth together.
-- The vectors of a context make pairs with the id alone: numbers of its own for each action.
CREATE OR REPLACE FUNCTION {s}.action(context jsonb, actions jsonb)
RETURNS TABLE (n integer, id text, price float8, features real[]) LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT a.n::integer, coalesce(a.value ->> 'id', a.value #>> '{}'),
           coalesce((a.value ->> 'price')::float8, 0),
           {dlints}.dlints_encode({dim}, '', p.names{and_vectors})
    FROM   jsonb_array_elements(actions) WITH ORDINALITY a (value, n)
           JOIN {s}.names((
               SELECT jsonb_agg(CASE jsonb_typeof(e.value) WHEN 'object' THEN e.value - {no_features} ELSE e.value END)
               FROM   jsonb_array_elements(actions) e)) f ON f.n = a.n
           CROSS JOIN (SELECT (SELECT w.names FROM {s}.names(jsonb_build_array({named})) w) AS names OFFSET 0) w,
           LATERAL (SELECT f.names || ARRAY(
               SELECT f.name || ' ' || c.name
               FROM   unnest(w.names) c (name), unnest(f.names) f (name)) AS names) p{vectors_read};
END;$t$),
		('ranker/35_actions', 4, $t$-- An error if these are no actions
CREATE OR REPLACE FUNCTION {s}.check_actions(actions jsonb) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    action jsonb;
    name   text;
    ids    text[];
BEGIN
    IF jsonb_typeof(actions) IS DISTINCT FROM 'array' OR actions = '[]' THEN
        RAISE 'actions must be an array of at least one'
            USING ERRCODE = 'invalid_parameter_value',
            HINT = 'For example [{"id": "a", "features": {"size": "large"}}, {"id": "b"}].';
    END IF;
    FOR action IN SELECT value FROM jsonb_array_elements(actions) LOOP
        ids := ids || coalesce(action ->> 'id',
                               CASE jsonb_typeof(action) WHEN 'string' THEN action #>> '{}' END, '');
        IF ids[cardinality(ids)] = '' THEN
            RAISE 'an action has no id'
                USING ERRCODE = 'invalid_parameter_value', DETAIL = left(action::text, 200);
        END IF;
        FOREACH name IN ARRAY {no_features} LOOP
            IF jsonb_typeof(action -> name) NOT IN ('number', 'null') OR abs((action ->> name)::numeric) > 1e50
               OR abs((action ->> name)::numeric) < 1e-50 AND (action ->> name)::numeric <> 0 THEN
                RAISE 'the % of an action must be a number up to 1e50', name
                    USING ERRCODE = 'invalid_parameter_value', DETAIL = left(action::text, 200);
            END IF;
        END LOOP;
    END LOOP;
    IF (SELECT count(DISTINCT id) FROM unnest(ids) id) < cardinality(ids) THEN
        RAISE 'two actions have the same id' USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$body$;$t$),
		('ranker/40_promises', 1, $t$-- What is left is to be used within so many choices, and is counted over so many decisions.
CREATE OR REPLACE FUNCTION {s}.horizon() RETURNS TABLE (choices float8, decisions bigint) LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    SELECT 150::float8, 2000::bigint;
END;$t$),
		('ranker/40_promises', 2, $t$-- What an action costs of each promise: what is told, as it turned out lately
CREATE OR REPLACE FUNCTION {s}.cost(action jsonb)
RETURNS TABLE (promise text, sign integer, price float8, cost float8) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT p.name, p.sign, p.price,
           least(greatest(coalesce(nullif((cost.action ->> p.name)::float8, 0) * coalesce(e.times, 1), e.cost, 0),
                          -1e50), 1e50)
    FROM   {s}.promise p
           LEFT JOIN {s}.estimate e ON e.promise = p.name
               AND e.action = coalesce(cost.action ->> 'id', cost.action #>> '{}');
END;$t$),
		('ranker/40_promises', 3, $t$-- What the last decisions since the first promise cost of each: what was told that they did, or what was expected
CREATE OR REPLACE FUNCTION {s}.spent(most bigint)
RETURNS TABLE (decision bigint, promise text, cost float8, choices bigint) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH last AS MATERIALIZED (
        SELECT d.id, d.event, d.costs -> 0 AS costs FROM {s}.decision d
        WHERE  d.costs IS NOT NULL AND d.active
        AND    d.id >= (SELECT {s}.first_decision(min(p.since)) FROM {s}.promise p)
        ORDER  BY d.id DESC LIMIT most)
    SELECT l.id, p.name, coalesce((t.costs ->> p.name)::float8, (l.costs ->> p.name)::float8), 1::bigint
    FROM   last l CROSS JOIN {s}.promise p
           LEFT JOIN LATERAL (SELECT t.costs FROM {s}.paid t WHERE t.event = l.event OFFSET 0) t ON true
    WHERE  l.costs ? p.name AND l.id >= {s}.first_decision(p.since);
END;$t$),
		('ranker/40_promises', 4, $t$-- What actions turned out to cost, by the last 30 times that it was told
CREATE OR REPLACE FUNCTION {s}.set_estimates() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH paid AS (
        SELECT d.id, coalesce(a.value ->> 'id', a.value #>> '{}') AS action, a.value, p.costs
        FROM  (SELECT d.id, d.event, d.actions, d.ranking FROM {s}.decision d
               WHERE  d.costs IS NOT NULL AND d.active ORDER BY d.id DESC LIMIT 1000) d
               CROSS JOIN LATERAL (SELECT p.costs FROM {s}.paid p WHERE p.event = d.event OFFSET 0) p
               CROSS JOIN LATERAL (SELECT d.actions -> (d.ranking[1] - 1)) a (value)),
    latest AS (
        SELECT p.name, d.action, (d.value ->> p.name)::float8 AS told, (d.costs ->> p.name)::float8 AS cost,
               row_number() OVER (PARTITION BY p.name, d.action ORDER BY d.id DESC) AS n
        FROM   paid d JOIN {s}.promise p ON d.costs ? p.name)
    INSERT INTO {s}.estimate AS e (promise, action, times, cost)
    SELECT l.name, l.action, least(greatest(coalesce(
               sum(l.cost) FILTER (WHERE l.told <> 0) / nullif(sum(l.told), 0), 1), 1e-3), 1e3), avg(l.cost)
    FROM   latest l WHERE l.n <= 30 GROUP BY l.name, l.action
    ON     CONFLICT (promise, action) DO UPDATE SET times = excluded.times, cost = excluded.cost
    WHERE  e.times <> excluded.times OR e.cost <> excluded.cost;
END;$t$),
		('ranker/40_promises', 5, $t$-- The last 100 decisions made five times more, or fewer more often, under draws of the model as it is now: what
-- each of their actions scores, and what it costs of each promise, in the order of their names
CREATE OR REPLACE FUNCTION {s}.replay() RETURNS TABLE (scores float8[], costs float8[], means float8[], k bigint)
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH recent AS MATERIALIZED (
        SELECT d.id, d.context, d.actions, row_number() OVER (ORDER BY d.id) AS place,
               greatest(count(*) OVER () / 5, 1) AS apart
        FROM  (SELECT d.id, d.context, d.actions FROM {s}.decision d
               WHERE  d.costs IS NOT NULL AND d.active ORDER BY d.id DESC LIMIT 100) d),
    drawn AS MATERIALIZED (
        SELECT {dlints}.dlints_draw_weights(m.state, '{}'::float8[], (SELECT max(r.id) FROM recent r), 100) AS weights
        FROM   {s}.model m WHERE m.name = 'reward'),
    draw AS MATERIALIZED (
        SELECT n, ARRAY(SELECT unnest(d.weights[n:n])) AS weights FROM drawn d, generate_series(1, 100) n),
    action AS MATERIALIZED (
        SELECT r.place, r.apart, a.n, a.features, a.price, c.costs
        FROM   recent r, LATERAL {s}.action(r.context, r.actions) a,
               LATERAL (SELECT array_agg(c.sign * c.cost ORDER BY c.promise COLLATE "C") AS costs
                        FROM {s}.cost(r.actions -> (a.n - 1)) c) c),
    cost AS (
        SELECT k.place, array_agg(k.costs ORDER BY k.n) AS costs, array_agg(k.mean ORDER BY k.n) AS means
        FROM  (SELECT a.place, u.n, array_agg(u.cost ORDER BY a.n) AS costs, avg(u.cost) AS mean
               FROM   action a, unnest(a.costs) WITH ORDINALITY u (cost, n) GROUP BY a.place, u.n) k
        GROUP  BY k.place)
    SELECT s.scores, c.costs, c.means, 1::bigint
    FROM  (SELECT s.place, s.draw, array_agg(s.score ORDER BY s.n) AS scores
           FROM  (SELECT a.place, w.n AS draw, a.n,
                         {dlints}.dlints_dot(w.weights, a.features::{vector}) - a.price AS score
                  FROM   action a JOIN draw w ON w.n % a.apart = a.place % a.apart OFFSET 0) s    -- or all is sorted
           GROUP  BY s.place, s.draw) s
           JOIN cost c ON c.place = s.place;
END;$t$),
		('ranker/43_prices', 1, $t$-- What cannot be computed is not tried again at each page.
CREATE OR REPLACE FUNCTION {s}.solve_or_say_why() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
    UPDATE {s}.promise SET solved = (SELECT n.last_value FROM {s}.decision_number n);
    PERFORM {s}.set_estimates();
    PERFORM {s}.solve();
    UPDATE {s}.job SET problem = NULL WHERE name = 'prices' AND problem IS NOT NULL;
EXCEPTION WHEN data_exception THEN
    UPDATE {s}.promise SET solved = (SELECT n.last_value FROM {s}.decision_number n);
    UPDATE {s}.job SET problem = SQLERRM WHERE name = 'prices';
END
$body$;$t$),
		('ranker/43_prices', 2, $t$-- The same where it is due, by one session at a time; the others go on with the prices that there are.  So
-- does a page where none can be found, and the report says so.
CREATE OR REPLACE FUNCTION {s}.set_prices() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET jit = off AS $body$
DECLARE
    due boolean;
BEGIN
    SELECT i.is_to_solve INTO due FROM {s}.is_to_solve() i;
    IF NOT due THEN
        RETURN;
    END IF;
    BEGIN
        PERFORM FROM {s}.job WHERE name = 'prices' FOR UPDATE SKIP LOCKED;
        IF FOUND THEN
            SELECT i.is_to_solve INTO due FROM {s}.is_to_solve() i;    -- another one may just have done it
            IF due THEN
                PERFORM {s}.solve_or_say_why();
            END IF;
        END IF;
    EXCEPTION WHEN serialization_failure THEN
        NULL;
    END;
END
$body$;$t$),
		('ranker/43_prices', 3, $t$-- What each price costs in reward, now
CREATE OR REPLACE FUNCTION {s}.lost() RETURNS TABLE (promise text, lost float8) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT l.promise, l.lost FROM {s}.reward_lost() l;
END;$t$),
		('ranker/45_rank', 1, $t$-- What was answered, an action a row
CREATE OR REPLACE VIEW {s}.ranked AS
SELECT d.id AS decision, d.event, d.arm, d.at, r.place::integer,
       coalesce(a.value ->> 'id', a.value #>> '{}') AS action,
       coalesce((a.value ->> 'price')::float8, 0) AS price, r.probability, r.expected
FROM   {s}.decision d,
       LATERAL unnest(d.ranking, d.probabilities, d.expected)
           WITH ORDINALITY r (n, probability, expected, place),
       LATERAL (SELECT d.actions -> (r.n - 1)) a (value);$t$),
		('ranker/45_rank', 2, $t$-- What a model expects of each action, and how the policy ranks them.  A price is known, and taken
-- off what is expected; so are prices of what is promised, "charged".  What costs more than is left of a
-- hard promise comes last, unless all do: then what costs least is chosen.
CREATE OR REPLACE FUNCTION {s}.scored(context jsonb, actions jsonb)
RETURNS TABLE (n integer, expected float8, place integer, score float8, probability float8, costs jsonb, prices jsonb)
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH remains AS MATERIALIZED (
        SELECT b.promise, b.ahead + b.target AS remains, b.target FROM {s}.balance(300) b
        WHERE  b.hard AND {has_promises}),
    weighed AS (
        SELECT a.n, {dlints}.dlints_predict(m.state, a.features::{vector}, '{}'::{vector}) AS expected,
               m.state, a.features, a.price, coalesce(c.charged, 0) AS charged, c.costs, c.prices,
               rank() OVER (ORDER BY coalesce(c.beyond, 0)) = 1 AS allowed
        FROM   {s}.model m, {s}.action(scored.context, scored.actions) a
               LEFT JOIN LATERAL (
                   SELECT sum(c.sign * c.price * c.cost) AS charged, jsonb_object_agg(c.promise, c.cost) AS costs,
                          jsonb_object_agg(c.promise, c.price) AS prices,
                          max(greatest(c.cost - r.remains, 0) / r.target) AS beyond
                   FROM   {s}.cost(scored.actions -> (a.n - 1)) c
                          LEFT JOIN remains r ON r.promise = c.promise) c ON {has_promises}
        WHERE  m.name = 'reward'),
    chosen AS MATERIALIZED (
        SELECT w.n, {dlints}.dlints_choose(w.state, w.features::{vector}, draws => 50, epsilon => {epsilon},
                                           bonus => -w.price - w.charged) OVER () AS choice
        FROM   weighed w WHERE w.allowed)
    SELECT w.n, w.expected, coalesce((c.choice).rank, CASE WHEN w.allowed THEN 2 ELSE 3 END),
           coalesce((c.choice).score, w.expected - w.price - w.charged), coalesce((c.choice).probability, 0), w.costs,
           w.prices
    FROM   weighed w LEFT JOIN chosen c ON c.n = w.n;
END;$t$),
		('ranker/45_rank', 3, $t$-- Which action the present system would take, by what was learned of it; among equals the last one
CREATE OR REPLACE FUNCTION {s}.imitated(context jsonb, actions jsonb) RETURNS integer
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT a.n
    FROM   {s}.model m, {s}.action(imitated.context, imitated.actions) a
    WHERE  m.name = 'imitation'
    ORDER  BY {dlints}.dlints_predict(m.state, a.features::{vector}, '{}'::{vector}) DESC, a.n DESC
    LIMIT  1;
END;$t$),
		('ranker/45_rank', 4, $t$-- Ranks actions for an event, best first, logs that and returns it.  An event that was ranked
-- before gets the same answer.  A deferred event counts once it is activated.  It writes: a hot
-- standby cannot run it.  It has its owner's rights, so that a page needs none but to call it.
CREATE OR REPLACE FUNCTION {s}.rank(event text, context jsonb, actions jsonb, deferred boolean DEFAULT false)
RETURNS TABLE (event_id text, action text, place integer, probability float8, expected float8)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan AS $body$
#variable_conflict use_column
DECLARE
    made    bigint := {s}.new_decision();
    called  text := coalesce(event, made::text);
    asked   jsonb := coalesce(context, '{}');
    is_live boolean := random() < (SELECT live FROM {s}.setting);
    before  bigint;
BEGIN
    PERFORM {s}.check_actions(actions);
    PERFORM {s}.check_context(asked);
    PERFORM pg_advisory_xact_lock(hashtextextended({name} || ' ' || called, 0));
    SELECT d.id INTO before FROM {s}.decision d WHERE d.event = called;
    IF before IS NULL THEN
        IF is_live THEN
            {then_price};
        END IF;
        WITH ranked AS (
            SELECT s.n, s.expected, s.costs, s.prices,
                   CASE WHEN is_live THEN s.probability WHEN s.n = 1 THEN 1 ELSE 0 END AS probability,
                   CASE WHEN is_live THEN row_number() OVER (ORDER BY s.place, s.score DESC)
                        ELSE s.n END AS place
            FROM   {s}.scored(asked, actions) s)
        INSERT INTO {s}.decision (id, event, arm, at, active, context, actions,
                                  ranking, probabilities, expected, imitated, prices, costs)
        SELECT made, called, CASE WHEN is_live THEN 'live' ELSE 'present' END, now(), NOT deferred,
               asked, actions, array_agg(n ORDER BY place), array_agg(probability ORDER BY place),
               array_agg(expected ORDER BY place),
               CASE WHEN NOT is_live THEN {s}.imitated(asked, actions) = 1 END,
               (array_agg(prices) FILTER (WHERE is_live))[1],
               jsonb_agg(costs ORDER BY place) FILTER (WHERE is_live AND {has_promises})
        FROM   ranked;
        IF NOT deferred THEN
            INSERT INTO {s}.due (decision, since) VALUES (made, now());
        END IF;
    END IF;
    RETURN QUERY
    SELECT called, r.action, r.place, r.probability, r.expected
    FROM   {s}.ranked r WHERE r.decision = coalesce(before, made) ORDER BY r.place;
END
$body$;$t$),
		('ranker/45_rank', 5, $t$REVOKE EXECUTE ON FUNCTION {s}.rank FROM PUBLIC;$t$),
		('ranker/50_reward', 1, $t$-- How good what was chosen for an event turned out to be.  Any order will do, also before the
-- event is ranked; {again_said}.  "costs" are what it really cost, of what is promised: the last that is
-- told counts, and a reward need not be told with it.
CREATE OR REPLACE FUNCTION {s}.reward(event text, value float8, costs jsonb DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
    cost record;
BEGIN
    FOR cost IN SELECT key, value FROM jsonb_each(CASE jsonb_typeof(costs) WHEN 'object' THEN costs END) LOOP
        IF cost.key <> ALL ({promised}) THEN
            RAISE 'there is no promise "%"', left(cost.key, 100) USING ERRCODE = 'invalid_parameter_value';
        ELSIF jsonb_typeof(cost.value) <> 'number'
              OR abs((cost.value #>> '{}')::numeric) NOT BETWEEN 1e-50 AND 1e50 AND cost.value <> '0' THEN
            RAISE 'a cost must be 0, or a number from 1e-50 to 1e50'
                USING ERRCODE = 'invalid_parameter_value', DETAIL = format('It is %s.', left(cost.value::text, 100));
        END IF;
    END LOOP;
    IF jsonb_typeof(costs) NOT IN ('object', 'null') THEN
        RAISE 'costs must be an object of promises and what an event cost of each'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'For example {"usd": 0.002}.';
    ELSIF event IS NULL OR value IS NULL AND coalesce(costs, '{}') IN ('{}', 'null') THEN
        RAISE 'a reward is a number for an event' USING ERRCODE = 'null_value_not_allowed';
    ELSIF value IN ('NaN', 'Infinity', '-Infinity') THEN
        RAISE 'the value of a reward must be finite' USING ERRCODE = 'numeric_value_out_of_range';
    ELSIF abs(value) > {value_limit} THEN
        RAISE 'the value of a reward must be between -% and %', {value_limit}, {value_limit}
            USING ERRCODE = 'numeric_value_out_of_range', HINT = 'The ranker''s value_limit says so.';
    END IF;
    IF value IS NOT NULL THEN
        INSERT INTO {s}.reward AS r (event, value) VALUES (reward.event, reward.value)
        ON CONFLICT (event) DO {again};
    END IF;
    IF coalesce(costs, '{}') NOT IN ('{}', 'null') THEN
        INSERT INTO {s}.paid AS p (event, costs) VALUES (reward.event, reward.costs)
        ON CONFLICT (event) DO UPDATE SET costs = p.costs || excluded.costs WHERE NOT p.costs @> excluded.costs;
    END IF;
END
$body$;$t$),
		('ranker/50_reward', 2, $t$REVOKE EXECUTE ON FUNCTION {s}.reward FROM PUBLIC;$t$),
		('ranker/50_reward', 3, $t$-- A deferred event was shown after all: from now on its reward is waited for.  False if there
-- is none such.
CREATE OR REPLACE FUNCTION {s}.activate(event text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
BEGIN
    WITH shown AS (
        UPDATE {s}.decision d SET active = true
        WHERE  d.event = activate.event AND NOT d.active RETURNING d.id)
    INSERT INTO {s}.due (decision, since) SELECT id, now() FROM shown;
    RETURN FOUND;
END
$body$;$t$),
		('ranker/50_reward', 4, $t$REVOKE EXECUTE ON FUNCTION {s}.activate FROM PUBLIC;$t$),
		('ranker/55_learn', 1, $t$-- What a decision teaches: the reward of what was chosen and, of the present system, that it
-- chose this and not the others
CREATE OR REPLACE FUNCTION {s}.example(d {s}.decision, told float8)
RETURNS TABLE (model text, features real[], reward float8) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT 'reward' AS model, c.features, told AS reward
    FROM   {s}.action(d.context, jsonb_build_array(d.actions -> (d.ranking[1] - 1))) c
    UNION ALL
    SELECT 'imitation', a.features, CASE a.n WHEN 1 THEN 1 ELSE 0 END
    FROM   {s}.action(d.context, d.actions) a WHERE d.arm = 'present';
END;$t$),
		('ranker/55_learn', 2, $t$-- All that each model has learned
CREATE OR REPLACE VIEW {s}.learned AS
SELECT x.model, d.id AS decision, d.event, d.at, '{}'::real[] AS profile, x.features, x.reward,
       1::float8 AS looked_at
FROM   {s}.decision d LEFT JOIN {s}.reward r ON r.event = d.event,
       LATERAL {s}.example(d, coalesce(r.learned, {default_reward})) x
WHERE  d.active
AND    d.id >= (SELECT known_from FROM {s}.setting)
AND    NOT EXISTS (SELECT FROM {s}.due q WHERE q.decision = d.id)
AND    NOT EXISTS (SELECT FROM {s}.set_aside a WHERE a.decision = d.id AND NOT a.known);$t$),
		('ranker/55_learn', 3, $t$-- Up to a thousand decisions that have waited
CREATE OR REPLACE FUNCTION {s}.take_due(wait interval) RETURNS bigint[] LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH taken AS (
        DELETE FROM {s}.due WHERE decision = ANY (ARRAY(
            SELECT q.decision FROM {s}.due q WHERE q.since <= now() - take_due.wait
            ORDER  BY q.decision LIMIT 1000))
        RETURNING decision)
    SELECT ARRAY(SELECT decision FROM taken);
END;$t$),
		('ranker/55_learn', 4, $t$-- Learns the rewards of decisions, or {default_reward} for those without
CREATE OR REPLACE FUNCTION {s}.take_in(decisions bigint[]) RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH told AS (
        UPDATE {s}.reward r SET learned = r.value
        WHERE  r.event = ANY (ARRAY(SELECT d.event FROM {s}.decision d WHERE d.id = ANY (decisions)))
        RETURNING r.event, r.value),
    example AS (
        SELECT x.model, x.features::{vector} AS features, x.reward, d.at
        FROM   {s}.decision d LEFT JOIN told t ON t.event = d.event,
               LATERAL {s}.example(d, coalesce(t.value, {default_reward})) x
        WHERE  d.id = ANY (decisions))
    UPDATE {s}.model m SET state = {dlints}.dlints_concat(m.state, e.evidence)
    FROM  (SELECT p.name,
                  {dlints}.dlints_evidence(p.state, x.features, x.reward, '{}'::{vector}, x.at) AS evidence
           FROM   {s}.model p JOIN example x ON x.model = p.name
           WHERE  {dlints}.dlints_accepts(p.state, x.features, x.reward, '{}'::{vector}, x.at)
           GROUP  BY p.name) e
    WHERE  m.name = e.name;
END;$t$),
		('ranker/55_learn', 5, $t$-- Up to a thousand decisions that were learned before their reward was told
CREATE OR REPLACE FUNCTION {s}.take_late() RETURNS bigint[] LANGUAGE sql STABLE
RETURN ARRAY(
    SELECT l.id
    FROM   {s}.reward r,
           LATERAL (SELECT d.id FROM {s}.decision d
                    WHERE  d.event = r.event AND d.active
                    AND    d.id >= (SELECT known_from FROM {s}.setting)
                    AND    NOT EXISTS (SELECT FROM {s}.due q WHERE q.decision = d.id)
                    AND    NOT EXISTS (SELECT FROM {s}.set_aside a WHERE a.decision = d.id)
                    OFFSET 0) l
    WHERE  r.learned IS DISTINCT FROM r.value
    LIMIT  1000);$t$),
		('ranker/55_learn', 6, $t$CREATE OR REPLACE FUNCTION {s}.correct(decisions bigint[]) RETURNS bigint LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH late AS MATERIALIZED (
        SELECT r.event, coalesce(r.learned, {default_reward}) AS was, d
        FROM   {s}.decision d,
               LATERAL (SELECT r.event, r.learned FROM {s}.reward r
                        WHERE  r.event = d.event AND r.learned IS DISTINCT FROM r.value OFFSET 0) r
        WHERE  d.id = ANY (decisions)),
    told AS (
        UPDATE {s}.reward r SET learned = r.value FROM late l
        WHERE  r.event = l.event AND r.event = ANY (ARRAY(SELECT event FROM late))
        RETURNING l.d, l.was, r.value AS is_now),
    example AS (
        SELECT x.features::{vector} AS features, (t.d).at, t.was, t.is_now
        FROM   told t, LATERAL {s}.example(t.d, t.is_now) x WHERE x.model = 'reward'),
    learn AS (
        UPDATE {s}.model m
        SET    state = {dlints}.dlints_concat({dlints}.dlints_retract(m.state, e.was), e.is_now)
        FROM  (SELECT p.name,
                      {dlints}.dlints_evidence(p.state, x.features, x.was, '{}'::{vector}, x.at) FILTER (
                          WHERE {dlints}.dlints_accepts(p.state, x.features, x.was, '{}'::{vector},
                                                        x.at)) AS was,
                      {dlints}.dlints_evidence(p.state, x.features, x.is_now, '{}'::{vector}, x.at) FILTER (
                          WHERE {dlints}.dlints_accepts(p.state, x.features, x.is_now, '{}'::{vector},
                                                        x.at)) AS is_now
               FROM   {s}.model p, example x WHERE p.name = 'reward' GROUP BY p.name) e
        WHERE  m.name = e.name)
    SELECT count(*) FROM told;
END;$t$),
		('ranker/55_learn', 7, $t$-- From now on the models are taken to know what was told of these.
CREATE OR REPLACE FUNCTION {s}.believe_told(decisions bigint[]) RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    UPDATE {s}.reward SET learned = value
    WHERE  event = ANY (ARRAY(SELECT d.event FROM {s}.decision d WHERE d.id = ANY (decisions)))
    AND    learned IS DISTINCT FROM value;
END;$t$),
		('ranker/55_learn', 8, $t$CREATE OR REPLACE FUNCTION {s}.delete_log(decisions bigint[]) RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    DELETE FROM {s}.reward
    WHERE  event = ANY (ARRAY(SELECT d.event FROM {s}.decision d WHERE d.id = ANY (decisions)));
    DELETE FROM {s}.paid
    WHERE  event = ANY (ARRAY(SELECT d.event FROM {s}.decision d WHERE d.id = ANY (decisions)));
    DELETE FROM {s}.decision WHERE id = ANY (decisions);
END;$t$),
		('ranker/55_learn', 9, $t$-- What is no longer kept.  A reward of an event that nobody knows goes after a day, unless it may
-- yet be activated.
CREATE OR REPLACE FUNCTION {s}.tidy() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    DELETE FROM {s}.reward r
    WHERE  r.learned IS NULL AND r.learned IS DISTINCT FROM r.value AND r.at < now() - interval '1 day'
    AND    NOT EXISTS (SELECT FROM {s}.decision d WHERE d.event = r.event);
    DELETE FROM {s}.reward r WHERE r.at < now() - {keep}::interval
    AND    NOT EXISTS (SELECT FROM {s}.decision d
                       WHERE d.event = r.event AND d.id >= (SELECT known_from FROM {s}.setting));
    DELETE FROM {s}.paid p WHERE p.at < now() - {keep}::interval - interval '1 day';
END;$t$),
		('ranker/55_learn', 10, $t$-- Nothing of a ranker is made anew from time to time.
CREATE OR REPLACE FUNCTION {s}.keep_fresh(part text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN NULL::text;$t$),
		('ranker/55_learn', 11, $t$-- The share of events that it decides from now on.  The others get the caller's first action.
CREATE OR REPLACE FUNCTION {s}.go_live(share float8 DEFAULT 1) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
    IF share IS NULL OR NOT share BETWEEN 0 AND 1 THEN
        RAISE 'the share must be between 0 and 1' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    UPDATE {s}.setting SET live = share;
END
$body$;$t$),
		('ranker/75_report', 1, $t$-- What was chosen, and what came of it: NULL while a reward may still come.  "earned" is the
-- reward without the price.
CREATE OR REPLACE VIEW {s}.outcome AS
SELECT d.id AS decision, d.event, d.arm, d.at, d.context, c.action, c.price, c.probability,
       c.expected, cardinality(d.ranking) AS candidates, d.imitated, o.reward, o.reward - c.price AS earned
FROM   {s}.decision d
       JOIN {s}.ranked c ON c.decision = d.id AND c.place = 1
       LEFT JOIN {s}.reward r ON r.event = d.event,
       -- what is still waited for says nothing yet, or the quick rewards would say it all
       LATERAL (SELECT CASE WHEN NOT EXISTS (SELECT FROM {s}.due q WHERE q.decision = d.id)
                            THEN coalesce(r.value, {default_reward}) END::float8) o (reward)
WHERE  d.active;$t$),
		('ranker/75_report', 2, $t$-- What a choice by chance would have earned, judged by the choices that were made
CREATE OR REPLACE FUNCTION {s}.by_chance(first bigint, OUT snips float8, OUT snips_stderr float8)
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT (v.estimate).snips, (v.estimate).snips_stderr
    FROM  (SELECT {dlints}.dlints_policy_value(o.earned, o.probability, 1 / o.candidates::float8) AS estimate
           FROM   {s}.outcome o
           WHERE  o.arm = 'live' AND o.earned IS NOT NULL AND o.decision >= by_chance.first) v;
END;$t$),
		('ranker/75_report', 3, $t$-- What an event of an arm earned on average, with a standard error that knows that people come again
CREATE OR REPLACE FUNCTION {s}.earned(
    arm text, first bigint, OUT events bigint, OUT mean float8, OUT stderr float8, OUT people bigint)
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH person AS (
        SELECT count(*) AS events, sum(o.earned) AS earned
        FROM   {s}.outcome o
        WHERE  o.arm = earned.arm AND o.decision >= earned.first AND o.earned IS NOT NULL
        GROUP  BY coalesce(o.context ->> {person_key}, o.decision::text))
    SELECT m.n, m.mean, m.stderr, m.people
    FROM  (SELECT array_agg(p.events::float8) AS events, array_agg(p.earned::float8) AS earned FROM person p) a,
           LATERAL {s}.mean_of(a.events, a.earned) m;
END;$t$),
		('ranker/75_report', 4, $t$-- Is it working?  An error is a standard error; what is said holds in 95 of 100 cases.
CREATE OR REPLACE FUNCTION {s}.report(since timestamptz DEFAULT now() - interval '7 days')
RETURNS TABLE (measure text, value float8, error float8, meaning text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
#variable_conflict use_column
DECLARE
    first  bigint := {s}.first_decision(since);
    share  float8 := (SELECT live FROM {s}.setting);
    model  record;
    x      record;
    y      record;
    more   float8;
    stderr float8;
    within float8;
BEGIN
    SELECT * INTO model FROM {s}.models WHERE name = 'reward';
    SELECT * INTO x FROM {s}.earned('live', first);
    SELECT e.*, i.*, sqrt(i.imitated * (1 - i.imitated) / i.n) AS imitation_error
    INTO   y FROM {s}.earned('present', first) e,
          (SELECT count(*) AS n, avg(imitated::integer) AS imitated
           FROM {s}.outcome WHERE arm = 'present' AND decision >= first) i;
    more := x.mean - y.mean;
    stderr := sqrt(x.stderr ^ 2 + y.stderr ^ 2);
    within := {s}.errors_of(least(x.people, y.people)) * stderr;
    RETURN QUERY VALUES
        ('share live', share, NULL::float8,
         'of the events are decided by the ranker from now on: go_live sets it');
    RETURN QUERY SELECT 'events', count(*)::float8, NULL::float8, 'ranked and shown since ' || since::date
    FROM   {s}.outcome WHERE decision >= first;
    RETURN QUERY VALUES
        ('earned by the ranker', x.mean, x.stderr, 'reward without price, an event'),
        ('earned by the present system', y.mean, y.stderr,
         'the same, where the caller''s first action was shown'),
        ('more than the present system', more, stderr, CASE
            WHEN within IS NULL OR NOT within > 0 THEN 'not known: it takes events of both'
            WHEN least(x.people, y.people) < 30
            THEN format('not known before 30 people came to each: now between %s and %s',
                        round((more - within)::numeric, 3), round((more + within)::numeric, 3))
            WHEN more > within THEN 'the ranker is better, and that is no accident'
            WHEN more < -within THEN 'the ranker is worse: does it know what the present system knows?'
            ELSE 'no difference that is more than chance: wait, or show more' END),
        ('present system imitated', y.imitated, y.imitation_error, CASE
            WHEN y.n < 100 THEN 'not known: it takes events that the present system decided'
            WHEN y.imitated + 2 * y.imitation_error < 0.6
            THEN 'the features do not say what the present system goes by, or it was not watched for long'
            WHEN y.imitated - 2 * y.imitation_error > 0.6
            THEN 'the features say what the present system goes by: go live with a small share'
            ELSE 'not known yet whether the features say what the present system goes by: watch on' END);

    -- known from events that could have been decided otherwise
    RETURN QUERY SELECT 'earned by chance', v.snips, v.snips_stderr,
           'an estimate of what a choice by chance would have earned'
    FROM   {s}.by_chance(first) v;

    SELECT avg(expected - reward) AS surplus, stddev_samp(expected - reward) / sqrt(count(reward)) AS stderr,
           avg(1 - probability) AS exploration
    INTO   x FROM {s}.outcome WHERE arm = 'live' AND decision >= first;
    RETURN QUERY VALUES
        ('expected and not earned', x.surplus, x.stderr, CASE
            WHEN x.stderr IS NULL THEN 'not known yet: too few events'
            ELSE 'how much more reward is expected of a choice than comes: near 0 is good' END),
        ('exploration', x.exploration, NULL,
         'the share of events that another draw would have decided otherwise; it falls by learning');

    RETURN QUERY SELECT * FROM {s}.kept(first) WHERE {has_promises};
    RETURN QUERY SELECT 'decisions to be learned', count(*)::float8, NULL::float8,
           CASE WHEN min(q.since) < now() - {wait}::interval - interval '1 hour'
                THEN 'some wait for hours: have cron call run()'
                ELSE 'beyond the wait, at this moment' END
    FROM   {s}.due q WHERE q.since < now() - {wait}::interval;
    RETURN QUERY SELECT * FROM {s}.troubles();
    RETURN QUERY SELECT 'rewards of unknown events', count(*)::float8, NULL::float8,
           'told an hour ago or more, of events that were never ranked, or never activated'
    FROM   {s}.reward r WHERE r.learned IS NULL AND r.at < now() - interval '1 hour'
    AND    NOT EXISTS (SELECT FROM {s}.decision d WHERE d.event = r.event AND d.active);
    RETURN QUERY VALUES ('observations in memory', model.effective_sample_size, NULL::float8,
        format('of %s; memory %s of %s is in use (1 is the shortest)', model.updates, model.memory, model.memories)
        || coalesce('. ' || model.hint, ''));
END
$body$;$t$),
		('ranker/76_winner', 1, $t$-- Of each event in which all these actions could be chosen, and of each action: what it cost, and its
-- weight and reward if it was chosen.  A part of the log in time (a block) counts by the worst known of
-- the actions, for all of them; and within a block each event counts alike, however probable the choice
-- was there.  So all are judged over the same times and contexts.  Probabilities of the same context
-- are averaged: they follow draws.
CREATE OR REPLACE FUNCTION {s}.weighed(first bigint, actions text[])
RETURNS TABLE (action text, counts float8, price float8, weight float8, reward float8)
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH event AS (
        SELECT d.*, o.reward, ntile(20) OVER (ORDER BY d.id) AS block
        FROM   {s}.outcome o JOIN {s}.decision d ON d.id = o.decision
        WHERE  o.arm = 'live' AND o.reward IS NOT NULL AND o.decision >= weighed.first
        AND    weighed.actions <@ ARRAY(SELECT coalesce(a ->> 'id', a #>> '{}')
                                        FROM jsonb_array_elements(d.actions) a)),
    option AS (
        SELECT e.block, a.action, a.price, r.place = 1 AS is_chosen, e.reward,
               greatest(avg(r.probability) OVER (PARTITION BY e.block, e.context, a.document), 0.001) AS probability
        FROM   event e,
               LATERAL unnest(e.ranking, e.probabilities) WITH ORDINALITY r (n, probability, place),
               LATERAL (SELECT e.actions -> (r.n - 1)) g (given),
               LATERAL (SELECT coalesce(given ->> 'id', given #>> '{}') AS action,
                               coalesce((given ->> 'price')::float8, 0) AS price,
                               CASE jsonb_typeof(given) WHEN 'object' THEN given - {no_features}
                                                        ELSE given END AS document) a
        WHERE  a.action = ANY (weighed.actions)),
    block AS (
        SELECT p.block, 1 / sum(p.one_in) AS counts
        FROM  (SELECT o.block, avg(1 / o.probability) AS one_in FROM option o GROUP BY o.block, o.action) p
        GROUP  BY p.block)
    SELECT o.action, b.counts, o.price,
           CASE WHEN o.is_chosen THEN b.counts / o.probability END, CASE WHEN o.is_chosen THEN o.reward END
    FROM   option o JOIN block b ON b.block = o.block;
END;$t$),
		('ranker/76_winner', 2, $t$-- What is known of each action.  Rewards of one differ as much as all do, at least: what earned nothing in
-- a few events would look as if it never could.  To what one earns belongs one more event, as good as all
-- are on average; to all one more, in the middle of what a reward can be.  "whole" is how many events of
-- the largest weight would make the same sum.
CREATE OR REPLACE FUNCTION {s}.known(first bigint, actions text[], lowest float8, highest float8)
RETURNS TABLE (place bigint, action text, events bigint, mean float8, price float8, bottom float8, top float8,
               whole bigint, squares float8, expected float8, error float8)
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH weighed AS MATERIALIZED (
        SELECT w.*, sum(w.weight * w.reward) OVER a / sum(w.weight) OVER a AS mean
        FROM   {s}.weighed(known.first, known.actions) w WINDOW a AS (PARTITION BY w.action)),
    total AS (
        SELECT t.bottom, t.top, (t.n * t.mean + (t.bottom + t.top) / 2) / (t.n + 1) AS mean,
               (t.n * t.variance + t.n / (t.n + 1) * (t.mean - (t.bottom + t.top) / 2) ^ 2) / (t.n + 1) AS variance
        FROM  (SELECT count(w.reward)::float8 AS n, avg(w.reward) AS mean, var_pop(w.reward) AS variance,
                      least(known.lowest, min(w.reward)) AS bottom, greatest(known.highest, max(w.reward)) AS top
               FROM   weighed w) t),
    arm AS (
        SELECT w.action, count(w.weight) AS events, max(w.mean) AS mean,
               sum(w.counts * w.price) / sum(w.counts) AS price,
               sum(w.weight) ^ 2 / sum(w.weight ^ 2) AS n, floor(sum(w.weight) / max(w.weight)) AS whole,
               sum(w.weight * (w.reward - w.mean) ^ 2) / sum(w.weight) AS variance,
               sum((w.weight * (w.reward - w.mean)) ^ 2) / max(w.weight) ^ 2 AS squares
        FROM   weighed w GROUP BY w.action)
    SELECT a.n, a.action, coalesce(m.events, 0), m.mean, m.price, t.bottom, t.top, m.whole::bigint,
           least(m.squares, m.whole * (m.mean - t.bottom) * (t.top - m.mean)),
           (coalesce(m.n * m.mean, 0) + t.mean) / (coalesce(m.n, 0) + 1) - m.price,
           sqrt(nullif(greatest(t.variance, m.variance), 0) / (coalesce(m.n, 0) + 1))
    FROM   unnest(known.actions) WITH ORDINALITY a (action, n)
           LEFT JOIN arm m ON m.action = a.action CROSS JOIN total t;
END;$t$),
		('ranker/76_winner', 3, $t$-- Which is the best.  For the chance each reward counts as half a one, since it is looked at again and again.
CREATE OR REPLACE FUNCTION {s}.compared(first bigint, actions text[], lowest float8, highest float8)
RETURNS TABLE (action text, events bigint, earns float8, low float8, high float8,
               chance_best float8, could_gain float8, verdict text)
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH known AS MATERIALIZED (
        SELECT k.*, CASE WHEN k.events = 0 THEN nullif(k.bottom, k.top) ELSE b.low END - k.price AS low,
               CASE WHEN k.events = 0 THEN nullif(k.top, k.bottom) ELSE b.high END - k.price AS high
        FROM   {s}.known(compared.first, compared.actions, compared.lowest, compared.highest) k,
               LATERAL {dlints}.dlints_bounds(
                   k.mean, sqrt(k.squares / greatest(k.whole * (k.whole - 1), 1)), k.whole, k.bottom,
                   nullif(k.top, k.bottom), 1 - 0.05 / cardinality(compared.actions)) b),
    best AS (
        SELECT b.*
        FROM  (SELECT array_agg(k.expected ORDER BY k.place) AS means,
                      array_agg(sqrt(2) * k.error ORDER BY k.place) AS errors FROM known k) a,
               LATERAL {dlints}._dlints_best(a.means, a.errors) b)
    SELECT k.action, k.events, k.mean - k.price, k.low, k.high, b.chance_best, b.could_gain,
           CASE WHEN k.low > max(k.high) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
                                               EXCLUDE CURRENT ROW) THEN 'proven'
                WHEN b.chance_best >= 0.99 AND cardinality(compared.actions) > 1 THEN 'likely' ELSE 'open' END
    FROM   known k JOIN best b ON b.n = k.place
    ORDER  BY b.chance_best DESC NULLS LAST, k.mean - k.price DESC NULLS LAST, k.place;
END;$t$),
		('ranker/76_winner', 4, $t$-- Which action would earn most if it were always chosen?  Compared are these, by default those of the
-- newest event, in the events since then in which all of them could be chosen, the ranker decided, and no
-- reward is waited for any more.  A reward is between lowest and highest, and what was seen.
CREATE OR REPLACE FUNCTION {s}.winner(
    since timestamptz DEFAULT '-infinity', actions text[] DEFAULT NULL,
    lowest float8 DEFAULT NULL, highest float8 DEFAULT NULL)
RETURNS TABLE (action text, events bigint, earns float8, low float8, high float8,
               chance_best float8, could_gain float8, verdict text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
#variable_conflict use_column
DECLARE
    first    bigint := greatest({s}.first_decision(since), (SELECT known_from FROM {s}.setting));
    compared text[] := coalesce(actions, ARRAY(
        SELECT r.action
        FROM   {s}.ranked r
        WHERE  r.decision = (SELECT d.id FROM {s}.decision d WHERE d.active AND d.arm = 'live' AND d.id >= first
                             ORDER BY d.id DESC LIMIT 1)
        ORDER  BY r.action));
    total    bigint := 0;
    unknown  text;
BEGIN
    IF cardinality(actions) = 0 OR array_ndims(actions) > 1
       OR cardinality(actions) > (SELECT count(DISTINCT a) FROM unnest(actions) a) THEN
        RAISE 'actions must be ids of actions, each once' USING ERRCODE = 'invalid_parameter_value';
    ELSIF lowest IN ('NaN', 'Infinity', '-Infinity') OR highest IN ('NaN', 'Infinity', '-Infinity') THEN
        RAISE 'lowest and highest must be finite' USING ERRCODE = 'numeric_value_out_of_range';
    ELSIF lowest >= highest THEN
        RAISE 'highest must be above lowest' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    FOR action, events, earns, low, high, chance_best, could_gain, verdict IN
        SELECT c.* FROM {s}.compared(first, compared, lowest, highest) c WHERE compared <> '{}'
    LOOP
        total := total + events;
        RETURN NEXT;
    END LOOP;
    IF total = 0 THEN
        SELECT a INTO unknown
        FROM   unnest(actions) a
        WHERE  NOT EXISTS (SELECT FROM {s}.ranked r WHERE r.decision >= first AND r.action = a) LIMIT 1;
        IF FOUND THEN
            RAISE NOTICE 'no event since then had an action "%"', left(unknown, 100);
        END IF;
    END IF;
END
$body$;$t$),
		('ranker/90_start', 1, $t$SELECT {s}.set_months();$t$),
		('ranker/90_start', 2, $t$INSERT INTO {s}.model
SELECT name, true, {dlints}.dlints_new({dim}, half_life => {half_life})
FROM   unnest(ARRAY['reward', 'imitation']) name;$t$),
		('ranker/92_models', 1, $t$UPDATE {s}.model SET state = {dlints}.dlints_new({dim}, half_life => {half_life});$t$),
		('ranker/99_comments', 1, $t$-- What is for callers, as common/99_comments says
COMMENT ON FUNCTION {s}.rank IS 'orders actions for an event, an array of ids or of objects with an "id", logs and '
    'returns them with their probabilities, the choice first; an event that was ranked before gets the same answer; '
    'what is deferred counts from activate() on';$t$),
		('ranker/99_comments', 2, $t$COMMENT ON FUNCTION {s}.activate IS 'a deferred event counts from now on; false if there is none';$t$),
		('ranker/99_comments', 3, $t$COMMENT ON FUNCTION {s}.reward IS 'what the first action of an event earned, in any order, and perhaps what it '
    'really cost of what is promised';$t$),
		('ranker/99_comments', 4, $t$COMMENT ON FUNCTION {s}.erase IS 'takes a person out of models and log; how many decisions these were';$t$),
		('ranker/99_comments', 5, $t$COMMENT ON FUNCTION {s}.go_live IS 'the share of events that it decides, 0 to 1; the others get the first action';$t$),
		('ranker/99_comments', 6, $t$COMMENT ON FUNCTION {s}.winner IS 'which action would earn most if it were always chosen: its mean reward, bounds '
    'that hold at any look, the chance to be best, and a verdict';$t$),
		('ranker/99_comments', 7, $t$COMMENT ON VIEW {s}.ranked IS 'all answers, an action a row';$t$),
		('ranker/99_comments', 8, $t$COMMENT ON TABLE {s}.paid IS 'what events really cost of what is promised';$t$),
		('ranker/99_comments', 9, $t$COMMENT ON TABLE {s}.estimate IS 'what actions cost, for what is told of them';$t$),
		('recommender/20_tables', 1, $t$-- An item as numbers: what is clicked along with it, its columns, how popular it is (1: the
-- most popular one), and how far its dates were when it was last refreshed.
CREATE TABLE {s}.item_vector (
    item       {item_type} PRIMARY KEY,
    factors    real[],
    encoded    real[] NOT NULL,
    popularity real NOT NULL DEFAULT 0,
    ages       real[] NOT NULL,
    features   real[] NOT NULL GENERATED ALWAYS AS (
                   coalesce(factors, array_fill(0::real, ARRAY[{factors}]))
                   || encoded || popularity || ages) STORED);$t$),
		('recommender/20_tables', 2, $t$-- The same in blocks of about a page, of which few items are chosen to be looked at.  There are none
-- where there are few items.
CREATE TABLE {s}.block (
    n       integer PRIMARY KEY,
    items   {item_type}[] NOT NULL,
    vectors real[] NOT NULL             -- a row of features for each
    ) WITH (toast_tuple_target = {row_room});$t$),
		('recommender/20_tables', 3, $t$ALTER TABLE {s}.block ALTER vectors SET STORAGE EXTERNAL;$t$),
		('recommender/20_tables', 4, $t$-- Lists, a row each.  Vectors are packed: they are most of the log.
CREATE TABLE {s}.decision (
    id       bigint PRIMARY KEY,
    at       timestamptz NOT NULL,
    seed     bigint NOT NULL,           -- of the draws by which the list was chosen, and of its shortlist
    weighed  integer,                   -- how long that was; NULL: all were, or it is by chance
    person   {person_type},
    arm      text NOT NULL,             -- personal, control (the most popular), chance or trending
    session  text,
    context  jsonb NOT NULL,
    profile  bytea NOT NULL,            -- as it was then
    items    {item_type}[] NOT NULL,    -- in the order of their places
    probabilities float8[] NOT NULL,    -- of being shown, under the decision's arm
    expected float8[] NOT NULL,         -- the rewards that the models expected
    features bytea NOT NULL,            -- of the items, as they were then
    CHECK (cardinality(items) = cardinality(probabilities) AND cardinality(items) = cardinality(expected)),
    CHECK ({dlints}.dlints_unpack(features, cardinality(items)) IS NOT NULL)
    ) PARTITION BY RANGE (id);$t$),
		('recommender/20_tables', 5, $t$CREATE INDEX ON {s}.decision (person, id);$t$),
		('recommender/20_tables', 6, $t$-- Rewards refer to nothing, so that they can come in any order.
CREATE TABLE {s}.reward (
    decision bigint,
    item     {item_type},
    outcome  text,
    value    float8 NOT NULL CHECK (abs(value) <= 1e50),
    at       timestamptz NOT NULL DEFAULT now(),
    learned  float8,                    -- what the models know of it
    PRIMARY KEY (decision, item, outcome)) PARTITION BY RANGE (decision);$t$),
		('recommender/20_tables', 7, $t$CREATE INDEX ON {s}.reward (decision) WHERE learned IS DISTINCT FROM value;$t$),
		('recommender/20_tables', 8, $t$-- Decisions that are not learned yet
CREATE TABLE {s}.due (decision bigint PRIMARY KEY);$t$),
		('recommender/20_tables', 9, $t$-- Examples from the click log, by which the models begin: what was clicked, and items by chance that
-- stand for what was not, as features, and who each is of (NULL: a stranger's)
CREATE TABLE {s}.beginning (
    person   {person_type},
    features real[] NOT NULL,
    profile  real[]);$t$),
		('recommender/20_tables', 10, $t$-- How well likeness explains the examples, if a person's clicks count half after so many days
CREATE TABLE {s}.tried (
    half_life float8 PRIMARY KEY,
    state     {dlints}.dlints NOT NULL);$t$),
		('recommender/20_tables', 11, $t$-- What being alike is worth, as the examples say: a weight for each block of features, and one for
-- how popular an item is, the largest being 1; the same for each feature; how many clicks a 1 is
-- worth; after how many days a click counts half, for a person and for how popular its item is
-- (NULL: all count the same); and when that was found
CREATE TABLE {s}.likeness (
    single    boolean PRIMARY KEY DEFAULT true CHECK (single),
    weights   float8[] NOT NULL,
    scale     real[] NOT NULL,
    worth     float8 NOT NULL DEFAULT 0.1,
    half_life float8 CHECK (half_life > 0 AND half_life <= 36500),
    popular_half_life float8 DEFAULT 14 CHECK (popular_half_life > 0 AND popular_half_life <= 36500),
    found_at  timestamptz NOT NULL DEFAULT now());$t$),
		('recommender/20_tables', 12, $t$CREATE TABLE {s}.decision_rest PARTITION OF {s}.decision DEFAULT;$t$),
		('recommender/20_tables', 13, $t$CREATE TABLE {s}.reward_rest PARTITION OF {s}.reward DEFAULT;$t$),
		('recommender/25_boxes', 1, $t$-- What trends, the best first: how many times its share of the clicks an item got lately, where that is at
-- least two, else how popular it is, which is at most one; and the lists of a session, whose name may be long.
-- One that was made before there were these gets them when it is renewed.
DO $body$
BEGIN
    IF to_regclass(format('%I.trend', {name})) IS NULL THEN
        CREATE TABLE {s}.trend (
            item  {item_type} PRIMARY KEY,
            score real NOT NULL);
    END IF;
    IF to_regclass(format('%I.decision_session', {name})) IS NULL THEN
        CREATE INDEX decision_session ON {s}.decision (hashtextextended(session, 0), id) WHERE session IS NOT NULL;
    END IF;
END
$body$;$t$),
		('recommender/25_promises', 1, $t$-- What an item costs of each promise, in the order of their names, and the outcomes among that; and of a list
-- what its prices were then, and what its places cost on average.  One that was made before there were promises
-- gets them when it is renewed.
DO $body$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_attribute
                   WHERE attrelid = to_regclass(format('%I.item_vector', {name})) AND attname = 'promised') THEN
        ALTER TABLE {s}.item_vector ADD promised real[], ADD rates real[];
        ALTER TABLE {s}.decision ADD prices jsonb, ADD costs jsonb;
        CREATE INDEX ON {s}.decision (id) WHERE costs IS NOT NULL;
        INSERT INTO {s}.job (name, done_at) VALUES ('costs', now()) ON CONFLICT DO NOTHING;
    END IF;
END
$body$;$t$),
		('recommender/29_shown', 1, $t$-- The log, an item a row
CREATE OR REPLACE VIEW {s}.listed AS
SELECT d.id AS decision, d.person, d.session, d.arm, d.at, {dlints}.dlints_unpack(d.profile) AS profile,
       i.item, i.place::integer, i.probability, i.expected,
       {dlints}.dlints_unpack(d.features, i.place) AS features, d.context
FROM   {s}.decision d,
       LATERAL unnest(d.items, d.probabilities, d.expected) WITH ORDINALITY i (item, probability, expected, place);$t$),
		('recommender/29_shown', 2, $t$-- and without whose list it is: not made of the other one, which who reads this would lock behind it, and a
-- renewal before it
CREATE OR REPLACE VIEW {s}.shown AS
SELECT d.id AS decision, i.item, i.place::integer, i.probability, i.expected,
       {dlints}.dlints_unpack(d.features, i.place) AS features
FROM   {s}.decision d,
       LATERAL unnest(d.items, d.probabilities, d.expected) WITH ORDINALITY i (item, probability, expected, place);$t$),
		('recommender/34_rates', 1, $t$-- How often an outcome comes of an item, where that is promised.

-- What came of items.  A value of 0 takes an outcome back, unless it is worth nothing itself.
CREATE OR REPLACE VIEW {s}.happened AS
SELECT r.decision, r.item, r.outcome, r.at
FROM   {s}.reward r
WHERE  r.value <> 0 OR CASE r.outcome {worths} END = 0;$t$),
		('recommender/34_rates', 2, $t$-- Within what time 19 of 20 of the outcomes came that are promised, of the decisions of 60 days; they are not
-- learned before "wait"
CREATE OR REPLACE FUNCTION {s}.refresh_lags() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH taken AS (
        SELECT h.outcome, percentile_disc(0.95) WITHIN GROUP (
                   ORDER BY date_part('epoch', h.at) - 1577836800 - (h.decision >> 22)) AS seconds
        FROM   {s}.happened h
        WHERE  h.decision >= {s}.first_decision(now() - interval '60 days')
        AND    h.outcome IN (SELECT p.outcome FROM {s}.promise p)
        GROUP  BY h.outcome)
    UPDATE {s}.promise p
    SET    lag = greatest({wait}::interval, make_interval(secs => coalesce(
               (SELECT t.seconds FROM taken t WHERE t.outcome = p.outcome), 0)))
    WHERE  p.outcome IS NOT NULL;
END;$t$),
		('recommender/34_rates', 3, $t$-- How often each outcome comes of a place: of all, as if one more had come at the rate that is promised; and of
-- an item as of all with such features, and the more by what came of itself the more items differ otherwise.
-- Coefficients of features are fitted as if they were about half the mean.  Of lists within 90 days, the last
-- 200,000, and what had time to come.
CREATE OR REPLACE FUNCTION {s}.outcome_rates()
RETURNS TABLE (promise text, mean float8, items {item_type}[], rates float8[]) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH promise AS MATERIALIZED (
        SELECT p.name, p.outcome, p.target, {s}.first_decision(now() - p.lag) AS until FROM {s}.promise p
        WHERE  p.outcome IS NOT NULL),
    list AS MATERIALIZED (
        SELECT d.id, d.items FROM {s}.decision d
        WHERE  d.id >= {s}.first_decision(now() - interval '90 days')
        AND    d.id < (SELECT max(p.until) FROM promise p)
        ORDER  BY d.id DESC LIMIT 200000),
    shown AS (
        SELECT p.name, i.item, count(*) AS shown
        FROM   promise p JOIN list l ON l.id < p.until CROSS JOIN unnest(l.items) i (item) GROUP BY p.name, i.item),
    came AS (
        SELECT p.name, h.item, count(*) AS came
        FROM   promise p JOIN {s}.happened h ON h.outcome = p.outcome AND h.decision < p.until
               JOIN list l ON l.id = h.decision AND h.item {same_item} ANY (l.items)
        GROUP  BY p.name, h.item),
    item AS MATERIALIZED (
        SELECT p.name, v.item, v.features, coalesce(s.shown, 0) AS shown, coalesce(c.came, 0) AS came
        FROM   promise p CROSS JOIN {s}.item_vector v
               LEFT JOIN shown s ON s.name = p.name AND s.item {same_item} v.item
               LEFT JOIN came c ON c.name = p.name AND c.item {same_item} v.item),
    mean AS MATERIALIZED (
        SELECT p.name, (1 + coalesce(sum(i.came), 0)) / (1 / p.target + coalesce(sum(i.shown), 0)) AS rate
        FROM   promise p LEFT JOIN item i ON i.name = p.name GROUP BY p.name, p.target),
    fitted AS MATERIALIZED (
        SELECT m.name, m.rate, {dlints}.dlints_concat(f.empty, (
                   SELECT {dlints}.dlints_evidence(
                              f.empty, i.features::{vector}, i.came::float8 / i.shown - m.rate, '{}'::{vector},
                              NULL::timestamptz, i.shown)
                   FROM   item i WHERE i.name = m.name AND i.shown > 0)) AS state
        FROM   mean m CROSS JOIN LATERAL (
                   SELECT {dlints}.dlints_new({size}, discount => 1, ridge => 4 / m.rate) AS empty OFFSET 0) f),
    expected AS MATERIALIZED (
        SELECT f.name, f.rate AS mean, i.item, i.shown, i.came, least(1, f.rate * least(greatest(
                   1 + coalesce({dlints}.dlints_predict(f.state, i.features::{vector}), 0) / f.rate, 0.2), 5)) AS rate
        FROM   fitted f JOIN item i ON i.name = f.name),
    -- in how many places an item tells as much as its features: by how far items are from what is expected of
    -- them, beyond chance
    differing AS (
        SELECT e.name, e.mean / greatest(
                   sum((e.came - e.shown * e.rate) ^ 2 / e.shown - e.rate * (1 - e.rate)) FILTER (WHERE e.shown > 0)
                   / sum(e.shown),
                   1e-4 * e.mean ^ 2) AS places
        FROM   expected e GROUP BY e.name, e.mean)
    SELECT e.name, e.mean, array_agg(e.item),
           array_agg((e.came + e.rate * coalesce(d.places, 1)) / (e.shown + coalesce(d.places, 1)))
    FROM   expected e JOIN differing d ON d.name = e.name GROUP BY e.name, e.mean;
END;$t$),
		('recommender/34_rates', 4, $t$-- Finds them anew; what has changed little is left as it is.
CREATE OR REPLACE FUNCTION {s}.refresh_rates() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
BEGIN
    PERFORM {s}.refresh_lags();
    WITH found AS MATERIALIZED (
        SELECT * FROM {s}.outcome_rates()),
    mean AS (
        UPDATE {s}.promise p SET rate = f.mean FROM found f WHERE f.promise = p.name),
    one AS (
        SELECT p.name, u.item, u.rate
        FROM   {s}.promise p LEFT JOIN found f ON f.promise = p.name
               LEFT JOIN LATERAL unnest(f.items, f.rates) u (item, rate) ON true),
    known AS (
        SELECT v.item, array_agg(o.rate ORDER BY p.name COLLATE "C")::real[] AS rates
        FROM   {s}.item_vector v CROSS JOIN {s}.promise p
               LEFT JOIN one o ON o.name = p.name AND o.item {same_item} v.item
        GROUP  BY v.item)
    UPDATE {s}.item_vector v SET rates = k.rates
    FROM   known k
    WHERE  k.item {same_item} v.item
    AND   (v.rates IS NULL OR EXISTS (SELECT FROM unnest(v.rates, k.rates) u (was, is_now)
                                      WHERE  abs(u.was - u.is_now) > 0.03 * u.was
                                      OR     (u.was IS NULL) <> (u.is_now IS NULL)));
END
$body$;$t$),
		('recommender/35_candidates', 1, $t$-- A model that has seen nothing
CREATE OR REPLACE FUNCTION {s}.empty() RETURNS {dlints}.dlints LANGUAGE sql IMMUTABLE
RETURN {dlints}.dlints_new({size}, interactions => 'matched', half_life => {half_life},
                           exploration => 0.025);$t$),
		('recommender/35_candidates', 2, $t$-- How far dates are from a moment, in steps of about a day, a week and a month
CREATE OR REPLACE FUNCTION {s}.ages(dates float8[], at timestamptz) RETURNS real[] LANGUAGE sql IMMUTABLE
RETURN {ages};$t$),
		('recommender/35_candidates', 3, $t$-- What a list may be of: what a request may be answered with, but for what "left_out" of the context names,
-- which the lists' own functions set.  That is read once, and not for each row.
CREATE OR REPLACE FUNCTION {s}.eligible(person {person_type}, context jsonb)
RETURNS TABLE (item {item_type}) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT a.item
    FROM   {s}.allowed(eligible.person, eligible.context) a
    WHERE  a.item IS NOT NULL
    AND    ((SELECT eligible.context -> 'left_out' IS NULL)
            OR NOT a.item {same_item} ANY (
                SELECT o.item::{item_type}
                FROM   jsonb_array_elements_text(eligible.context -> 'left_out') o (item)
                WHERE  o.item IS NOT NULL));
END;$t$),
		('recommender/35_candidates', 4, $t$-- What each item costs of what is promised, in the order of names: how often an outcome comes of it; or true
-- is 1, and what is no number up to 1e30 costs nothing
CREATE OR REPLACE VIEW {s}.item_cost AS
SELECT t.item, ARRAY(SELECT CASE WHEN abs(c.cost) BETWEEN 1e-30 AND 1e30 THEN c.cost ELSE 0 END
                     FROM   unnest(t.texts, v.rates, r.rates) WITH ORDINALITY u (text, rate, mean, n),
                            LATERAL (SELECT CASE u.text WHEN 'true' THEN 1 WHEN 'false' THEN 0
                                                        ELSE coalesce(u.text::float8, u.rate, u.mean) END AS cost) c
                     ORDER  BY u.n)::real[] AS costs
FROM   {s}.promised_text t LEFT JOIN {s}.item_vector v ON v.item {same_item} t.item
       CROSS JOIN (SELECT array_agg(CASE WHEN p.outcome IS NOT NULL THEN coalesce(p.rate, p.target) END
                                    ORDER BY p.name COLLATE "C") AS rates
                   FROM   {s}.promise p) r;$t$),
		('recommender/35_candidates', 5, $t$-- What one row costs, for rows that have no vector yet: what cannot be computed is 0, so that no page fails
CREATE OR REPLACE FUNCTION {s}.cost_of(item {item_type}) RETURNS real[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
    nothing real[] := array_fill(0::real, ARRAY[{promise_count}]);
    costs   real[];
BEGIN
    costs := (SELECT c.costs FROM {s}.item_cost c WHERE c.item {same_item} cost_of.item LIMIT 1);
    RETURN CASE cardinality(costs) WHEN {promise_count} THEN costs ELSE nothing END;
EXCEPTION WHEN data_exception OR cardinality_violation THEN
    RETURN nothing;
END
$body$;$t$),
		('recommender/35_candidates', 6, $t$-- The prices of what is promised, and what a unit of it so takes off a score, in the order of names
CREATE OR REPLACE FUNCTION {s}.charges() RETURNS TABLE (names text[], charges float8[], prices jsonb)
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT array_agg(p.name ORDER BY p.name COLLATE "C"),
           array_agg(p.sign * p.price ORDER BY p.name COLLATE "C"), jsonb_object_agg(p.name, p.price)
    FROM   {s}.promise p HAVING count(*) = {promise_count};
END;$t$),
		('recommender/35_candidates', 7, $t$-- Who may be recommended what: the candidates, with what is added to their scores, the groups of which a
-- list has so many at most, and what they cost of what is promised.  A new row is a candidate at once; a bonus
-- that is no number is none.
CREATE OR REPLACE FUNCTION {s}.candidate(person {person_type}, context jsonb)
RETURNS TABLE (item {item_type}, features real[], popularity real, bonus float8, cap_group text, costs real[])
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT {once} a.item,
           coalesce(v.features, (SELECT array_fill(0::real, ARRAY[{factors}]) || n.encoded
                                        || 0::real || {s}.ages(n.dates, now())
                                 FROM {s}.encoded_item n WHERE n.item {same_item} a.item LIMIT 1)),
           coalesce(v.popularity, 0), CASE WHEN b.bonus BETWEEN -1e50 AND 1e50 THEN b.bonus ELSE 0 END, g.cap_group,
           CASE WHEN {has_promises} THEN CASE cardinality(v.promised) WHEN {promise_count} THEN v.promised
               ELSE {s}.cost_of(a.item) END END
    FROM   {s}.eligible(candidate.person, candidate.context) a
           LEFT JOIN {s}.item_vector v ON v.item {same_item} a.item
           CROSS JOIN LATERAL {s}.bonus(a.item, candidate.person, candidate.context) b
           CROSS JOIN LATERAL {s}.cap_group(a.item, candidate.person, candidate.context) g;
END;$t$),
		('recommender/35_candidates', 8, $t$-- Those of a shortlist, or all
CREATE OR REPLACE FUNCTION {s}.candidate_of(person {person_type}, context jsonb, shortlist {item_type}[])
RETURNS TABLE (item {item_type}, features real[], popularity real, bonus float8, cap_group text, costs real[])
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT c.item, c.features, c.popularity, c.bonus, c.cap_group, c.costs
    FROM   {s}.candidate(candidate_of.person, candidate_of.context) c WHERE shortlist IS NULL
    UNION ALL
    SELECT c.item, c.features, c.popularity, c.bonus, c.cap_group, c.costs
    FROM   {s}.candidate(candidate_of.person, candidate_of.context) c WHERE c.item {same_item} ANY (shortlist);
END;$t$),
		('recommender/36_shortlist', 1, $t$-- Of many items a list is chosen in two steps: the best of all, by blocks of vectors, and of these the
-- list, by all that counts.

-- What items are ranked by for the first step, a row of weights each.  For a person it is the draws by
-- which the list is then chosen and its probabilities are told, and at last what is expected; strangers
-- are not explored with, and the control goes by what is popular.
CREATE OR REPLACE FUNCTION {s}.rankings(profile real[], way text, seed bigint)
RETURNS TABLE (weights float8[]) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT CASE WHEN way = 'control'
                THEN ARRAY[array_fill(0::float8, ARRAY[{liked}]) || 1::float8 || array_fill(0::float8, ARRAY[{aged}])]
                WHEN l.weights IS NULL THEN w.weights
                ELSE (SELECT array_agg(ARRAY(SELECT a + b FROM unnest(w.weights[n:n], l.weights) u (a, b)) ORDER BY n)
                      FROM generate_subscripts(w.weights, 1) n) END
    FROM   {s}.model m,
           LATERAL (SELECT {dlints}.dlints_weights(m.state, rankings.profile::float8[]) AS weights) e,
           LATERAL (SELECT CASE way WHEN 'personal' THEN {dlints}.dlints_draw_weights(
                                        m.state, rankings.profile::float8[], rankings.seed, {draws}) || e.weights
                           ELSE ARRAY[e.weights] END AS weights) w,
           LATERAL (SELECT (SELECT {dlints}.dlints_weights(l.state, rankings.profile::float8[])
                            FROM   {s}.model l
                            WHERE  l.name = 'later' AND {dlints}.dlints_ne(l.state, {s}.empty())) AS weights) l
    WHERE  m.name = 'personal';
END;$t$),
		('recommender/36_shortlist', 2, $t$-- The same with prices of what is promised, which the control does not know
CREATE OR REPLACE FUNCTION {s}.priced(weights float8[], way text) RETURNS TABLE (weights float8[])
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT array_agg(ARRAY(SELECT unnest(priced.weights[n:n])) || p.less ORDER BY n)
    FROM   generate_subscripts(priced.weights, 1) n
           CROSS JOIN (SELECT coalesce((SELECT ARRAY(SELECT -c FROM unnest(h.charges) c) FROM {s}.charges() h
                                        WHERE way <> 'control'),
                                       array_fill(0::float8, ARRAY[{promise_count}])) AS less OFFSET 0) p;
END;$t$),
		('recommender/36_shortlist', 3, $t$-- The best of all under each of these: those under the first one first.  What is materialised is made
-- plain once, and not for each block.
CREATE OR REPLACE FUNCTION {s}.best(weights float8[], most bigint)
RETURNS TABLE (items {item_type}[]) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH w AS MATERIALIZED (SELECT best.weights AS weights)
    SELECT {dlints}.dlints_shortlist(b.items, b.vectors::{vector}, w.weights, best.most)
    FROM   w, {s}.block b
    WHERE  array_length(b.vectors, 2) = array_length(w.weights, 2);     -- or more, or less, is promised by now
END;$t$),
		('recommender/36_shortlist', 4, $t$-- Some of all that may be shown, by chance, and what share of them that is
CREATE OR REPLACE FUNCTION {s}.by_chance(person {person_type}, context jsonb, most bigint)
RETURNS TABLE (items {item_type}[], share float8) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT coalesce({dlints}.dlints_top(a.item, random(), by_chance.most), '{}'),
           least(by_chance.most::float8 / nullif(count(*), 0), 1)
    FROM  (SELECT {once} a.item FROM {s}.eligible(by_chance.person, by_chance.context) a) a;
END;$t$),
		('recommender/36_shortlist', 5, $t$-- Does PostgreSQL's planner take it that less than so many items may be shown?
CREATE OR REPLACE FUNCTION {s}.are_fewer(person {person_type}, context jsonb, items float8) RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    plan json;
BEGIN
    EXECUTE format('EXPLAIN (FORMAT JSON) SELECT FROM %I.allowed($1, $2)', {name}) INTO plan USING person, context;
    RETURN (plan -> 0 -> 'Plan' ->> 'Plan Rows')::float8 < items;
END
$body$;$t$),
		('recommender/36_shortlist', 6, $t$-- Does it find an item by its key, and not by reading all of them?
CREATE OR REPLACE FUNCTION {s}.has_index() RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    one   {item_type} := (SELECT v.item FROM {s}.item_vector v LIMIT 1);
    a_row json;
    a_all json;
BEGIN
    EXECUTE format($query$EXPLAIN (FORMAT JSON) SELECT FROM %I.item i WHERE i.item {same_item} $1$query$, {name})
    INTO    a_row USING one;
    EXECUTE format('EXPLAIN (FORMAT JSON) SELECT FROM %I.item', {name}) INTO a_all;
    RETURN (a_row -> 0 -> 'Plan' ->> 'Total Cost')::float8 < 0.3 * (a_all -> 0 -> 'Plan' ->> 'Total Cost')::float8;
END
$body$;$t$),
		('recommender/36_shortlist', 7, $t$-- How many places of a list these could fill
CREATE OR REPLACE FUNCTION {s}.places_for(items {item_type}[], person {person_type}, context jsonb) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
    IF {cap} IS NULL THEN
        RETURN cardinality(items);
    END IF;
    RETURN (SELECT sum(CASE WHEN g.cap_group IS NULL THEN g.n ELSE least(g.n, {cap}) END)
            FROM  (SELECT g.cap_group, count(*) AS n
                   FROM   unnest(places_for.items) i (item),
                          LATERAL {s}.cap_group(i.item, places_for.person, places_for.context) g
                   GROUP  BY g.cap_group) g);
END
$body$;$t$),
		('recommender/36_shortlist', 8, $t$-- The items that a list of k is chosen of, which are among so many best, more for a varied list; NULL: all
-- are.  Where those that may be shown cannot fill a list by the draw that it is chosen by, it is four times
-- as many, and at last all.  Rows that came after the last one with a vector take part.  What is left out
-- takes no place of what is looked for.  A list by chance is chosen of some, each of which is there with the
-- probability "share"; one of what trends of that table's best, and where these do not do of the most popular, too.
CREATE OR REPLACE FUNCTION {s}.shortlist(
    person {person_type}, context jsonb, profile real[], way text, k integer, seed bigint,
    OUT items {item_type}[], OUT share float8)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
    most    bigint := CASE WHEN {diversity} IS NULL THEN greatest(32, 4 * k) ELSE greatest(100, 10 * k) END
                      + CASE WHEN context -> 'left_out' IS NULL THEN 0
                             ELSE jsonb_array_length(context -> 'left_out') END;
    all_of  bigint := {slots}::bigint * (SELECT max(b.n) + 1 FROM {s}.block b);
    trends  bigint := CASE WHEN way = 'trending' THEN (SELECT count(*) FROM {s}.trend) ELSE 0 END;
    weights float8[];
    found   {item_type}[];
    newest  {item_type};
BEGIN
    share := 1;
    IF all_of IS NULL AND way <> 'trending' OR way IN ('personal', 'stranger') AND {has_bonus} THEN
        RETURN;                         -- a bonus can lift any of them
    ELSIF way = 'chance' THEN
        SELECT c.items, c.share INTO items, share
        FROM   {s}.by_chance(shortlist.person, shortlist.context, 4 * k::bigint) c;
        RETURN;
    ELSIF way <> 'trending' THEN
        IF {s}.are_fewer(shortlist.person, shortlist.context, all_of / 20) THEN
            RETURN;
        END IF;
    END IF;
    LOOP
        IF most <= trends THEN
            found := ARRAY(SELECT t.item FROM {s}.trend t ORDER BY t.score DESC LIMIT most);
        ELSIF coalesce(most > all_of / 4, true) THEN
            items := NULL;
            RETURN;
        ELSE
            IF weights IS NULL THEN
                SELECT r.weights INTO weights
                FROM   {s}.rankings(profile, CASE way WHEN 'trending' THEN 'control' ELSE way END, seed) r;
                IF {has_promises} THEN
                    SELECT p.weights INTO weights FROM {s}.priced(weights, way) p;
                END IF;
            END IF;
            SELECT b.items INTO found FROM {s}.best(weights, most) b;
            IF trends > 0 THEN
                found := ARRAY(SELECT t.item FROM {s}.trend t UNION SELECT unnest(found));
            END IF;
        END IF;
        items := ARRAY(SELECT {once} a.item FROM {s}.eligible(shortlist.person, shortlist.context) a
                       WHERE  a.item {same_item} ANY (found));
        EXIT WHEN {s}.places_for(ARRAY(SELECT i.item FROM unnest(found[1:most + trends]) f (item)
                                                          JOIN unnest(items) i (item) ON i.item {same_item} f.item),
                                 shortlist.person, shortlist.context) >= k;
        most := 4 * most;
    END LOOP;
    IF {has_order} AND way <> 'trending' THEN
        SELECT v.item INTO newest FROM {s}.item_vector v ORDER BY v.item DESC LIMIT 1;
        items := items || ARRAY(SELECT a.item FROM {s}.eligible(shortlist.person, shortlist.context) a
                                WHERE  {is_newer} ORDER BY a.item DESC LIMIT 1000);
    END IF;
END
$body$;$t$),
		('recommender/40_profile', 1, $t$-- What a request says that a person likes, as numbers.  A page says that, and gets its list in any
-- case: what makes no sense is left out, and a warning says so in the server's log.
CREATE OR REPLACE FUNCTION {s}.likes(liked jsonb) RETURNS real[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    sensible jsonb := '{}';
    said     record;
    encoded  real[];
BEGIN
    IF jsonb_typeof(liked) IS DISTINCT FROM 'object' OR liked = '{}' THEN
        RETURN NULL;
    END IF;
    FOR said IN SELECT key, value FROM jsonb_each(liked) LOOP
        IF said.key <> ALL ({column_names}) THEN
            RAISE WARNING 'there is no column "%" to like', left(said.key, 100);
            CONTINUE;
        END IF;
        BEGIN
            encoded := {s}.encode_document(jsonb_build_object(said.key, said.value));
            sensible := sensible || jsonb_build_object(said.key, said.value);
        EXCEPTION WHEN data_exception THEN
            RAISE WARNING 'column "%" has no such value to like: %', said.key, SQLERRM;
        END;
    END LOOP;
    RETURN CASE WHEN sensible <> '{}' THEN
        array_fill(0::real, ARRAY[{factors}]) || {s}.encode_document(sensible) END;
END
$body$;$t$),
		('recommender/40_profile', 2, $t$-- The mean of so many clicks, of their sum, which is known but for its length: that has a 1 behind
-- the features.  Of few clicks the mean is shrunk, as if five more had been of nothing.  PL/pgSQL keeps
-- the plans of these, which SQL would make at each page.
CREATE OR REPLACE FUNCTION {s}.shrink(sum real[], clicks float8) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN clicks / (clicks + 5) / sum[{liked} + 1];$t$),
		('recommender/40_profile', 3, $t$CREATE OR REPLACE FUNCTION {s}.mean(sum real[], clicks float8) RETURNS real[]
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    times float8 := CASE WHEN clicks > 0 THEN {s}.shrink(sum, clicks) END;
BEGIN
    RETURN CASE WHEN clicks > 0 THEN ARRAY(
        SELECT CASE WHEN abs(n * times) > 1e-20 THEN (n * times)::real ELSE 0 END FROM unnest(sum[1:{liked}]) n) END;
END
$body$;$t$),
		('recommender/40_profile', 4, $t$-- A person as the models see one: each block of what was clicked weighs what being alike in that is
-- worth, and to be popular is worth the same to everybody.
CREATE OR REPLACE FUNCTION {s}.profile_of(mean real[], scale real[], weights float8[]) RETURNS real[]
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
    RETURN coalesce(ARRAY(SELECT CASE WHEN abs(m) > 1e-20 THEN m * s ELSE 0 END FROM unnest(mean, scale) u (m, s)
                          WHERE m IS NOT NULL), '{}')
           || array_fill(0::real, ARRAY[CASE WHEN mean IS NULL THEN {liked} ELSE 0 END])
           || weights[{blocks} + 1]::real || array_fill(0::real, ARRAY[{aged}]);
END
$body$;$t$),
		('recommender/40_profile', 5, $t$-- What a click counts after so many days
CREATE OR REPLACE FUNCTION {s}.faded(days float8, half_life float8) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN CASE WHEN half_life IS NULL THEN 1 ELSE 0.5::float8 ^ least(greatest(days, 0) / half_life, 300) END;$t$),
		('recommender/40_profile', 6, $t$-- What a person clicked on the last lists, each looked up by its number, in its month
CREATE OR REPLACE FUNCTION {s}.own_click(person {person_type})
RETURNS TABLE (item {item_type}, at timestamptz) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT r.item, d.at
    FROM  (SELECT d.id, d.at, d.items FROM {s}.decision d WHERE d.person {same_person} own_click.person
           ORDER BY d.id DESC LIMIT 200) d,
           LATERAL (SELECT r.item FROM {s}.reward r WHERE r.decision = d.id AND r.value > 0 OFFSET 0) r
    WHERE  r.item {same_item} ANY (d.items);
END;$t$),
		('recommender/40_profile', 7, $t$-- What was clicked in a session while nobody was known, among the last lists of it
CREATE OR REPLACE FUNCTION {s}.session_click(session text)
RETURNS TABLE (item {item_type}, at timestamptz) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT r.item, d.at
    FROM  (SELECT d.id, d.at, d.items, d.person FROM {s}.decision d
           WHERE  hashtextextended(d.session, 0) = hashtextextended(session_click.session, 0)
           AND    d.session = session_click.session
           ORDER  BY d.id DESC LIMIT 200) d,
           LATERAL (SELECT r.item FROM {s}.reward r WHERE r.decision = d.id AND r.value > 0 OFFSET 0) r
    WHERE  d.person IS NULL AND r.item {same_item} ANY (d.items);
END;$t$),
		('recommender/40_profile', 8, $t$-- A person is the mean of what was clicked by this person, the older the less, and in the session, at these
-- times or now, and of what a request says that the person likes.  Who comes again after a long time is no
-- stranger: clicks fade against the person's latest one.
CREATE OR REPLACE FUNCTION {s}.taste(person {person_type}, recent {item_type}[], times timestamptz[], liked real[])
RETURNS TABLE (profile real[]) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH clicked AS (
        (SELECT c.item, c.at FROM {s}.click c
         WHERE  {has_log} AND c.person {same_person} taste.person AND isfinite(c.at)
         ORDER  BY c.at DESC LIMIT 500)
        UNION ALL
        SELECT o.item, o.at FROM {s}.own_click(taste.person) o
        UNION ALL
        SELECT r.item, coalesce(r.at, now()) FROM unnest(recent, times) r (item, at)),
    summed AS (
        SELECT {dlints}.dlints_profile((x.features || 1::real)::{vector}, x.weight) AS sum,
               sum(x.weight) AS clicks
        FROM  (SELECT v.features[1:{liked}] AS features,
                      {s}.faded((max(date_part('epoch', least(c.at, now()))) OVER () - date_part('epoch', c.at))
                                / 86400, l.half_life) AS weight
               FROM   {s}.likeness l, clicked c,    -- a few rows of many: by the index
                      LATERAL (SELECT v.features FROM {s}.item_vector v
                               WHERE v.item {same_item} c.item OFFSET 0) v
               UNION ALL
               SELECT liked, 5 WHERE liked IS NOT NULL) x)
    SELECT {s}.profile_of({s}.mean(t.sum, t.clicks), l.scale, l.weights)
    FROM   summed t, {s}.likeness l;
END;$t$),
		('recommender/40_profile', 9, $t$-- Such a person as the models see one; {"like": {"column": "value"}} is in the context.
CREATE OR REPLACE FUNCTION {s}.profile(
    person {person_type}, recent {item_type}[] DEFAULT '{}', context jsonb DEFAULT '{}', session text DEFAULT NULL)
RETURNS real[] LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan AS $body$
DECLARE
    liked real[];
    items {item_type}[];
    times timestamptz[];
    taste real[];
BEGIN
    IF context ? 'like' THEN
        liked := {s}.likes(context -> 'like');
    END IF;
    IF profile.session <> '' THEN       -- what is told as well counts once
        SELECT array_agg(c.item), array_agg(c.at) INTO items, times
        FROM   {s}.session_click(profile.session) c
        WHERE  NOT EXISTS (SELECT FROM unnest(recent) r (item) WHERE r.item {same_item} c.item);
    END IF;
    items := items || ARRAY(SELECT unnest(recent));     -- of a query as its argument taste() is planned each time
    SELECT t.profile INTO taste FROM {s}.taste(profile.person, items, times, liked) t;
    RETURN taste;
END
$body$;$t$),
		('recommender/40_profile', 10, $t$-- Who likes nothing but an item, and that as after twenty clicks, as the models see one.  A row that has no
-- vector yet is read; of what is not there nothing is known.
CREATE OR REPLACE FUNCTION {s}.profile_like(item {item_type}) RETURNS real[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    features real[] := (SELECT v.features[1:{liked}] FROM {s}.item_vector v WHERE v.item {same_item} profile_like.item);
BEGIN
    IF features IS NULL THEN
        features := (SELECT array_fill(0::real, ARRAY[{factors}]) || n.encoded
                     FROM   {s}.encoded_item n WHERE n.item {same_item} profile_like.item LIMIT 1);
    END IF;
    RETURN (SELECT {s}.profile_of({s}.mean(features || 1::real, CASE WHEN features IS NULL THEN 0 ELSE 20 END),
                                  l.scale, l.weights)
            FROM   {s}.likeness l);
END
$body$;$t$),
		('recommender/41_promises', 1, $t$-- What is left is to be used within 150 lists, or within as many as were made between two runs, and is counted
-- over many times that: what leaves the count comes back otherwise.  Lists of which an outcome may still come
-- are counted on top, since only older ones tell whether what is expected is right.
CREATE OR REPLACE FUNCTION {s}.horizon() RETURNS TABLE (choices float8, decisions bigint) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH last AS (
        SELECT d.items FROM {s}.decision d WHERE d.costs IS NOT NULL ORDER BY d.id DESC LIMIT 100),
    made AS (
        SELECT least(greatest(150, max((n.last_value - p.solved + 4194304) % 4194304)), 100000) AS lists
        FROM   {s}.promise p, {s}.decision_number n),
    waiting AS (
        SELECT count(*) AS lists
        FROM  (SELECT FROM {s}.decision d
               WHERE  d.costs IS NOT NULL
               AND    d.id >= (SELECT {s}.first_decision(now() - max(p.lag)) FROM {s}.promise p
                               HAVING max(p.lag) IS NOT NULL)
               LIMIT  100000) w)
    SELECT m.lists * coalesce((SELECT avg(cardinality(l.items)) FROM last l), 1)::float8,
           least(greatest(2000, 14 * m.lists) + w.lists, 100000)
    FROM   made m, waiting w;
END;$t$),
		('recommender/41_promises', 2, $t$-- What a place of the last lists since the first promise cost of each: of those that were chosen, and of those
-- by chance.  Of the control's nothing is promised.  An outcome counts as expected until most have come, and
-- then as it came.
CREATE OR REPLACE FUNCTION {s}.spent(most bigint)
RETURNS TABLE (decision bigint, promise text, cost float8, choices bigint) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH last AS MATERIALIZED (
        SELECT d.id, d.items, d.costs, cardinality(d.items) AS places FROM {s}.decision d
        WHERE  d.costs IS NOT NULL AND d.id >= (SELECT {s}.first_decision(min(p.since)) FROM {s}.promise p)
        ORDER  BY d.id DESC LIMIT most)
    SELECT l.id, p.name,
           CASE WHEN l.id < p.known_until
                THEN (SELECT count(*) FROM {s}.happened h
                      WHERE  h.decision = l.id AND h.outcome = p.outcome AND h.item {same_item} ANY (l.items))::float8
                     / l.places
                ELSE (l.costs ->> p.name)::float8 END, l.places::bigint
    FROM   last l
           CROSS JOIN (SELECT p.name, p.outcome, {s}.first_decision(p.since) AS since,
                              {s}.first_decision(now() - p.lag) AS known_until FROM {s}.promise p) p
    WHERE  l.costs ? p.name AND l.id >= p.since;
END;$t$),
		('recommender/41_promises', 3, $t$-- What a price could lift into a list, of very many items: the best under each of these without prices, under
-- those that there are, and where what is promised counts more than all else
CREATE OR REPLACE FUNCTION {s}.liftable(weights float8[], way text, most bigint)
RETURNS TABLE (items {item_type}[]) LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH priced AS (
        SELECT p.weights FROM {s}.priced(liftable.weights, way) p),
    large AS (
        SELECT p.sign * p.n AS promise, 100 * sqrt((SELECT sum(w ^ 2) FROM unnest(liftable.weights) w)) AS price
        FROM  (SELECT p.sign, row_number() OVER (ORDER BY p.name COLLATE "C") AS n FROM {s}.promise p) p),
    ranking AS (
        SELECT ARRAY(SELECT unnest(p.weights[n:n])) AS weights
        FROM   priced p, generate_subscripts(p.weights, 1) n
        UNION ALL
        SELECT ARRAY(SELECT unnest(liftable.weights[n:n]))
               || ARRAY(SELECT CASE abs(l.promise) WHEN i THEN -sign(l.promise) * l.price ELSE 0 END
                        FROM   generate_series(1, {promise_count}) i ORDER BY i)::float8[]
        FROM   generate_subscripts(liftable.weights, 1) n, (SELECT promise, price FROM large UNION ALL SELECT 0, 0) l)
    SELECT b.items FROM {s}.best((SELECT array_agg(r.weights) FROM ranking r), most) b;
END;$t$),
		('recommender/41_promises', 4, $t$-- The last 100 lists of the usual length that were chosen, made once more under two draws of the model as it is
-- now: what each candidate scores, and what it costs of each promise, in the order of their names.  Caps and
-- diversity are left out: what they do is part of what is missing, or left.  Of all items fewer lists are made.
CREATE OR REPLACE FUNCTION {s}.replay() RETURNS TABLE (scores float8[], costs float8[], means float8[], k bigint)
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH promise AS MATERIALIZED (
        SELECT p.sign, row_number() OVER (ORDER BY p.name COLLATE "C") AS n FROM {s}.promise p),
    size AS MATERIALIZED (
        SELECT EXISTS (SELECT FROM {s}.block) AS has_blocks, count(*) AS items FROM {s}.item_vector),
    latest AS MATERIALIZED (
        SELECT d.id, d.person, d.context, d.items, cardinality(d.items) AS k,
               {dlints}.dlints_unpack(d.profile) AS profile
        FROM   {s}.decision d WHERE d.costs IS NOT NULL AND d.arm = 'personal' ORDER BY d.id DESC
        LIMIT (SELECT CASE WHEN s.has_blocks THEN 100
                           ELSE least(100, greatest(2, 200000 / greatest(s.items * {promise_count}, 1))) END
               FROM size s)),
    usual AS MATERIALIZED (
        SELECT l.*, w.way
        FROM   latest l, (SELECT mode() WITHIN GROUP (ORDER BY k) AS k FROM latest) u,
               LATERAL (SELECT CASE WHEN l.profile[1:{liked}] = array_fill(0::real, ARRAY[{liked}])
                                    AND {liked} > 0 AND EXISTS (SELECT FROM {s}.beginning)
                               THEN 'stranger' ELSE 'personal' END AS way) w
        WHERE  l.k = u.k),
    drawn AS MATERIALIZED (
        SELECT u.id, u.person, u.context, u.k, r.weights,
               CASE WHEN s.has_blocks THEN u.items || b.items END AS shortlist
        FROM   usual u CROSS JOIN size s
               CROSS JOIN LATERAL (SELECT r.weights[1:2] AS weights FROM {s}.rankings(u.profile, u.way, u.id) r) r
               LEFT JOIN LATERAL {s}.liftable(r.weights, u.way, 32 + 4 * u.k) b ON s.has_blocks),
    candidate AS MATERIALIZED (
        SELECT d.id, row_number() OVER (PARTITION BY d.id) AS n, c.features, c.bonus, c.costs
        FROM   drawn d, LATERAL {s}.candidate_of(d.person, d.context, d.shortlist) c WHERE c.features IS NOT NULL),
    draw AS MATERIALIZED (
        SELECT d.id, n, ARRAY(SELECT unnest(d.weights[n:n])) AS weights
        FROM   drawn d, LATERAL generate_subscripts(d.weights, 1) n),
    score AS (
        SELECT w.id, w.n AS draw,
               array_agg(c.bonus + {dlints}.dlints_dot(w.weights, c.features::{vector}) ORDER BY c.n) AS scores
        FROM   draw w JOIN candidate c ON c.id = w.id GROUP BY w.id, w.n),
    cost AS (
        SELECT k.id, array_agg(k.costs ORDER BY k.n) AS costs
        FROM  (SELECT c.id, p.n, array_agg(p.sign * c.costs[p.n] ORDER BY c.n)::float8[] AS costs
               FROM   candidate c CROSS JOIN promise p GROUP BY c.id, p.n) k
        GROUP  BY k.id),
    mean AS (
        SELECT array_agg(m.mean ORDER BY m.n) AS means
        FROM  (SELECT p.n, p.sign * avg(v.promised[p.n]) AS mean
               FROM   {s}.item_vector v CROSS JOIN promise p GROUP BY p.n, p.sign) m)
    SELECT s.scores, c.costs, m.means, d.k::bigint
    FROM   score s JOIN cost c ON c.id = s.id JOIN drawn d ON d.id = s.id CROSS JOIN mean m;
END;$t$),
		('recommender/43_prices', 1, $t$-- Prices anew where that is due, by one session at a time; NULL: it is not.
CREATE OR REPLACE FUNCTION {s}.set_prices() RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET jit = off AS $body$
DECLARE
    due boolean;
BEGIN
    SELECT i.is_to_solve INTO due FROM {s}.is_to_solve() i;
    IF NOT FOUND OR NOT due THEN
        RETURN NULL;
    END IF;
    PERFORM FROM {s}.job WHERE name = 'prices' FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    PERFORM {s}.solve();
    UPDATE {s}.promise SET solved = (SELECT n.last_value FROM {s}.decision_number n), lost = 0;
    UPDATE {s}.promise p SET lost = l.lost FROM {s}.reward_lost() l WHERE l.promise = p.name;
    RETURN 'prices found';
END
$body$;$t$),
		('recommender/43_prices', 2, $t$-- What each price cost in reward, when it was found: who reads the report may not read the items.
CREATE OR REPLACE FUNCTION {s}.lost() RETURNS TABLE (promise text, lost float8) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT p.name, p.lost FROM {s}.promise p;
END;$t$),
		('recommender/45_recommend', 1, $t$-- The k items of a shortlist that are chosen for a profile, in the way of an arm or in that of a
-- stranger.  What follows a click adds what is expected of it: it is too rare to be explored.  A list by
-- chance is under no cap and has no bonus, and neither it nor the control's, nor what trends, is varied; others
-- are, by what it is worth to be alike in.  Where a click log says what strangers like they get what is expected
-- to be best: others tell better what that lacks.  Prices of what is promised are taken off, and are returned with
-- what a place costs of each on average; they are no matter of chance, nor of the control or of what trends.
CREATE OR REPLACE FUNCTION {s}.choice(
    person {person_type}, context jsonb, profile real[], way text, k integer, seed bigint,
    shortlist {item_type}[])
RETURNS TABLE (items {item_type}[], probabilities float8[], expected float8[], features bytea, profile_packed bytea,
               prices jsonb, costs jsonb)
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH charge AS MATERIALIZED (
        SELECT * FROM {s}.charges() p WHERE {has_promises}),
    candidate AS (
        SELECT array_agg(c.item) AS items, array_agg(c.features) AS features,
               array_agg(CASE WHEN way = 'control' THEN c.popularity
                              WHEN way = 'trending' THEN coalesce(
                                  (SELECT t.score FROM {s}.trend t WHERE t.item {same_item} c.item), c.popularity)
                              ELSE c.bonus - CASE WHEN {has_promises} THEN coalesce({dlints}.dlints_dot(
                                       (SELECT p.charges FROM charge p), c.costs::{vector}), 0) ELSE 0 END
                                   + coalesce({dlints}.dlints_predict(
                                       l.state, c.features::{vector}, choice.profile::{vector}), 0)
                                   + CASE WHEN way = 'stranger' THEN {dlints}.dlints_predict(
                                       s.state, c.features::{vector}, choice.profile::{vector}) ELSE 0 END
                         END) FILTER (WHERE way <> 'chance') AS bonus,
               array_agg(c.cap_group) FILTER (WHERE {cap} IS NOT NULL) AS cap_group,
               array_agg(c.costs) FILTER (WHERE {has_promises}) AS costs
        FROM   {s}.candidate_of(choice.person, choice.context, shortlist) c
               LEFT JOIN {s}.model l ON l.name = 'later' AND {dlints}.dlints_ne(l.state, {s}.empty())
               CROSS JOIN {s}.model s
        WHERE  c.features IS NOT NULL AND s.name = 'personal'),
    chosen AS (
        SELECT c.items[d.item] AS item, d.rank AS place, d.probability,
               ARRAY(SELECT unnest(c.features[d.item:d.item])) AS features,
               CASE WHEN {has_promises} THEN ARRAY(SELECT unnest(c.costs[d.item:d.item])) END AS costs
        FROM   candidate c, {s}.model m,
               {dlints}.dlints_decide(m.state, ARRAY(SELECT generate_subscripts(c.items, 1)),
                   c.features::{vector}, choice.k::bigint, choice.profile::{vector},
                   draws => CASE WHEN shortlist IS NULL THEN 50 ELSE {draws} END,
                   epsilon => CASE way WHEN 'chance' THEN 1 ELSE 0 END,
                   bonus => c.bonus, cap_group => c.cap_group,
                   cap => CASE WHEN way <> 'chance' THEN {cap} END,
                   similar_by => CASE WHEN {diversity} IS NOT NULL THEN
                       (SELECT l.scale || array_fill(0::real, ARRAY[1 + {aged}]) FROM {s}.likeness l) END::{vector},
                   diversity => CASE WHEN way NOT IN ('chance', 'control', 'trending') THEN {diversity} END,
                   seed => choice.seed) d
        WHERE  m.name = CASE way WHEN 'personal' THEN 'personal' ELSE 'control' END)
    SELECT array_agg(c.item ORDER BY c.place), array_agg(c.probability ORDER BY c.place),
           array_agg({dlints}.dlints_predict(m.state, c.features::{vector}, choice.profile::{vector})
                     + {dlints}.dlints_predict(l.state, c.features::{vector}, choice.profile::{vector})
                     ORDER BY c.place),
           {dlints}.dlints_pack(array_agg(c.features ORDER BY c.place)::{vector}),
           {dlints}.dlints_pack(choice.profile::{vector}),
           CASE WHEN {has_promises} AND way IN ('personal', 'stranger') THEN (SELECT p.prices FROM charge p) END,
           CASE WHEN {has_promises} AND way IN ('personal', 'stranger', 'chance') THEN
               (SELECT jsonb_object_agg(u.name, m.cost)
                FROM   charge p, unnest(p.names) WITH ORDINALITY u (name, n),
                       LATERAL (SELECT avg(o.costs[u.n]) AS cost FROM chosen o) m) END
    FROM   chosen c, {s}.model m, {s}.model l
    WHERE  m.name = 'personal' AND l.name = 'later';
END;$t$),
		('recommender/45_recommend', 2, $t$-- Of which arm a list is.  One share of the people gets the most popular items, for good, to compare with; a
-- session tells whose list it is where nobody is known.  A small share of all other lists is left to chance, to
-- judge by.
CREATE OR REPLACE FUNCTION {s}.arm_of(person {person_type}, session text) RETURNS text
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    bucket float8 := coalesce(('x' || left(md5({name} || coalesce(person::text, session)), 8))::bit(32)::bigint
                              / 4294967296.0, random());
BEGIN
    RETURN CASE WHEN bucket < {control} THEN 'control'
                WHEN random() < {epsilon} THEN 'chance' ELSE 'personal' END;
END
$body$;$t$),
		('recommender/45_recommend', 3, $t$-- Chooses, logs and returns k items for a profile, in the way of an arm.  Of the context "left_out" is not logged.
CREATE OR REPLACE FUNCTION {s}.page(
    person {person_type}, k integer, context jsonb, session text, profile real[], arm text)
RETURNS TABLE (decision bigint, item {item_type}, place integer, probability float8, expected float8)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
    made bigint := {s}.new_decision();
    way  text := arm;
    seed bigint := ('x' || left(md5(gen_random_uuid()::text), 16))::bit(64)::bigint;
    list record;
BEGIN
    IF k > 1000 THEN                    -- what is logged is learned as having been seen
        RAISE 'k must be at most 1000, not %', k USING ERRCODE = 'invalid_parameter_value';
    ELSIF k < 1 OR k IS NULL THEN
        RAISE 'k must be at least 1, not %', coalesce(k::text, 'NULL')
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF arm = 'personal' AND profile[1:{liked}] = array_fill(0::real, ARRAY[{liked}])
       AND {liked} > 0 AND EXISTS (SELECT FROM {s}.beginning) THEN
        way := 'stranger';
    END IF;
    SELECT * INTO list FROM {s}.shortlist(page.person, page.context, profile, way, k, seed);
    RETURN QUERY
    WITH decided AS (
        INSERT INTO {s}.decision AS d (id, at, seed, weighed, person, arm, session, context, profile, items,
                                       probabilities, expected, features, prices, costs)
        SELECT made, now(), seed, CASE page.arm WHEN 'chance' THEN NULL ELSE cardinality(list.items) END,
               page.person, page.arm, page.session,
               CASE WHEN page.context -> 'left_out' IS NULL THEN page.context ELSE page.context - 'left_out' END,
               c.profile_packed, c.items,
               ARRAY(SELECT p * list.share FROM unnest(c.probabilities) p), c.expected, c.features, c.prices,
               c.costs
        FROM   {s}.choice(page.person, page.context, profile, way, k, seed, list.items) c
        WHERE  c.items IS NOT NULL
        RETURNING d.items, d.probabilities, d.expected),
    queued AS (
        INSERT INTO {s}.due (decision) SELECT made FROM decided)
    SELECT made, u.item, u.place::integer, u.probability, u.expected
    FROM   decided d,
           unnest(d.items, d.probabilities, d.expected) WITH ORDINALITY u (item, probability, expected, place)
    ORDER  BY u.place;
END
$body$;$t$),
		('recommender/45_recommend', 4, $t$-- What a request says, without what only a box says
CREATE OR REPLACE FUNCTION {s}.said(context jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
    IF context = 'null' THEN
        RETURN '{}';
    ELSIF jsonb_typeof(context) <> 'object' THEN
        RAISE 'a context must be an object' USING ERRCODE = 'invalid_parameter_value',
            DETAIL = format('It is %s.', left(context::text, 200));
    END IF;
    RETURN coalesce(context - '{more_like,trending,after,left_out}'::text[], '{}');
END
$body$;$t$),
		('recommender/45_recommend', 5, $t$-- A list for a person, or for a session where nobody is known.  It writes: a hot standby cannot run it.  It has
-- its owner's rights, so that a page needs none but to call it.
CREATE OR REPLACE FUNCTION {s}.recommend(
    person {person_type}, k integer DEFAULT 10, recent {item_type}[] DEFAULT '{}',
    context jsonb DEFAULT '{}', session text DEFAULT NULL)
RETURNS TABLE (decision bigint, item {item_type}, place integer, probability float8, expected float8)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan AS $body$
#variable_conflict use_column
DECLARE
    said jsonb := {s}.said(context);
BEGIN
    RETURN QUERY
    SELECT * FROM {s}.page(recommend.person, k, said, recommend.session,
                           {s}.profile(recommend.person, recent, said, recommend.session),
                           {s}.arm_of(recommend.person, recommend.session));
END
$body$;$t$),
		('recommender/45_recommend', 6, $t$REVOKE EXECUTE ON FUNCTION {s}.recommend FROM PUBLIC;$t$),
		('recommender/46_boxes', 1, $t$-- The other boxes of a page: chosen, logged and learned from as recommend()'s lists are

-- What is like an item, without that one, whoever looks at it.  The log says whose list it is, and the context
-- of which item.
CREATE OR REPLACE FUNCTION {s}.more_like(
    of_item {item_type}, k integer DEFAULT 10, person {person_type} DEFAULT NULL,
    context jsonb DEFAULT '{}', session text DEFAULT NULL)
RETURNS TABLE (decision bigint, item {item_type}, place integer, probability float8, expected float8)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan AS $body$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT p.*
    FROM   {s}.page(more_like.person, k,
                    {s}.said(context) || jsonb_build_object('more_like', of_item, 'left_out', ARRAY[of_item::text]),
                    more_like.session, {s}.profile_like(of_item),
                    {s}.arm_of(more_like.person, more_like.session)) p;
END
$body$;$t$),
		('recommender/46_boxes', 2, $t$REVOKE EXECUTE ON FUNCTION {s}.more_like FROM PUBLIC;$t$),
		('recommender/46_boxes', 3, $t$-- What trends, the same for all who have the same candidates.  A small share is left to chance.
CREATE OR REPLACE FUNCTION {s}.trending(
    k integer DEFAULT 10, person {person_type} DEFAULT NULL, context jsonb DEFAULT '{}', session text DEFAULT NULL)
RETURNS TABLE (decision bigint, item {item_type}, place integer, probability float8, expected float8)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan AS $body$
#variable_conflict use_column
DECLARE
    said jsonb := {s}.said(context) || '{"trending": true}';
BEGIN
    RETURN QUERY
    SELECT p.*
    FROM   {s}.page(trending.person, k, said, trending.session,
                    {s}.profile(trending.person, '{}', said, trending.session),
                    CASE WHEN random() < {epsilon} THEN 'chance' ELSE 'trending' END) p;
END
$body$;$t$),
		('recommender/46_boxes', 4, $t$REVOKE EXECUTE ON FUNCTION {s}.trending FROM PUBLIC;$t$),
		('recommender/46_boxes', 5, $t$-- A list, and what it and up to a hundred lists before it have shown
CREATE OR REPLACE FUNCTION {s}.shown_until(decision bigint)
RETURNS TABLE (person {person_type}, session text, arm text, context jsonb, profile real[], items text[])
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH RECURSIVE page AS (
        SELECT 1 AS n, d.person, d.context, d.items FROM {s}.decision d WHERE d.id = shown_until.decision
        UNION ALL
        SELECT p.n + 1, p.person, d.context, d.items
        FROM   page p,                  -- each looked up by its number, in its month
               LATERAL (SELECT d.person, d.context, d.items FROM {s}.decision d
                        WHERE  d.id = CASE WHEN p.context ->> 'after' ~ '^[0-9]{1,18}$'
                                           THEN (p.context ->> 'after')::bigint END OFFSET 0) d
        WHERE  p.n < 100 AND (d.person {same_person} p.person OR d.person IS NULL))
    SELECT d.person, d.session, d.arm, d.context, {dlints}.dlints_unpack(d.profile),
           ARRAY(SELECT i.item::text FROM page p, unnest(p.items) i (item))
    FROM   {s}.decision d WHERE d.id = shown_until.decision;
END;$t$),
		('recommender/46_boxes', 6, $t$-- The next page of a list: for the same person, in the same way, without what was shown.  Probabilities are
-- those after the pages before.  Told with a person, or a session, it is taken for decisions of these only;
-- who has logged in since brings the session's.
CREATE OR REPLACE FUNCTION {s}.next(
    after bigint, k integer DEFAULT 10, person {person_type} DEFAULT NULL, session text DEFAULT NULL)
RETURNS TABLE (decision bigint, item {item_type}, place integer, probability float8, expected float8)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan AS $body$
#variable_conflict use_column
DECLARE
    last record;
    kind {item_type};
BEGIN
    SELECT s.* INTO last FROM {s}.shown_until(after) s;
    IF NOT FOUND THEN
        RAISE 'there is no decision %', coalesce(after::text, 'NULL') USING ERRCODE = 'invalid_parameter_value';
    ELSIF (next.person IS NOT NULL OR next.session IS NOT NULL)
          AND (last.person {same_person} next.person) IS NOT TRUE
          AND (last.person IS NULL AND last.session = next.session) IS NOT TRUE THEN
        RAISE 'decision % is not of this %', after, CASE WHEN next.person IS NULL THEN 'session' ELSE 'person' END
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF last.context ? 'more_like' THEN
        BEGIN
            kind := last.context ->> 'more_like';
        EXCEPTION WHEN data_exception OR integrity_constraint_violation THEN
            NULL;                       -- not of a box: a request said so before there were any
        END;
    END IF;
    RETURN QUERY
    SELECT p.*
    FROM   {s}.page(coalesce(last.person, next.person), k,
                    last.context || jsonb_build_object('after', after, 'left_out', last.items || kind::text),
                    last.session, last.profile, last.arm) p;
END
$body$;$t$),
		('recommender/46_boxes', 7, $t$REVOKE EXECUTE ON FUNCTION {s}.next FROM PUBLIC;$t$),
		('recommender/50_reward', 1, $t$-- What came of an item that was shown.  Any order will do, also before the decision; what
-- is told twice counts once, and another value replaces the first one.  Told with a person, it
-- is taken for decisions of that person only.
CREATE OR REPLACE FUNCTION {s}.reward(
    decision bigint, item {item_type}, outcome text DEFAULT {first}, value float8 DEFAULT NULL,
    person {person_type} DEFAULT NULL)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
    worth float8 := CASE outcome {worths} END;
    most  float8 := CASE outcome {most_values} END;
BEGIN
    IF worth IS NULL THEN
        RAISE 'unknown outcome "%"', outcome
            USING ERRCODE = 'invalid_parameter_value', HINT = 'The outcomes are ' || {outcome_names} || '.';
    ELSIF decision IS NULL OR item IS NULL THEN
        RAISE 'a reward is of a decision and of an item that it showed'
            USING ERRCODE = 'null_value_not_allowed';
    ELSIF value IN ('NaN', 'Infinity', '-Infinity') THEN
        RAISE 'the value of a reward must be finite'
            USING ERRCODE = 'numeric_value_out_of_range';
    ELSIF abs(value) > most THEN
        RAISE 'the value of "%" must be between -% and %', outcome, most, most
            USING ERRCODE = 'numeric_value_out_of_range',
            HINT = format('That is %s times what it is worth; "value_limit" says how many times.', {value_limit});
    ELSIF decision NOT BETWEEN 0 AND {s}.first_decision(
          greatest(now(), clock_timestamp()) + interval '1 minute') THEN
        RAISE 'there is no decision %', decision USING ERRCODE = 'invalid_parameter_value';
    ELSIF person IS NOT NULL AND EXISTS (
        SELECT FROM {s}.decision d
        WHERE  d.id = reward.decision AND (d.person {same_person} reward.person) IS NOT TRUE) THEN
        RAISE 'decision % is not of this person', decision USING ERRCODE = 'insufficient_privilege';
    END IF;
    INSERT INTO {s}.reward AS r (decision, item, outcome, value)
    VALUES (reward.decision, reward.item, reward.outcome, coalesce(reward.value, worth))
    ON CONFLICT (decision, item, outcome) DO UPDATE SET value = excluded.value
    WHERE r.value <> excluded.value;
END
$body$;$t$),
		('recommender/50_reward', 2, $t$REVOKE EXECUTE ON FUNCTION {s}.reward FROM PUBLIC;$t$),
		('recommender/55_learn', 1, $t$-- How likely a place is looked at, the last one that was given for all after it
CREATE OR REPLACE FUNCTION {s}.looked_at(place integer) RETURNS float8
LANGUAGE sql IMMUTABLE
RETURN {looked_at};$t$),
		('recommender/55_learn', 2, $t$-- All that each model has learned.  What is seldom looked at weighs less: it is learned as
-- reward / looked_at, with looked_at as its weight.
CREATE OR REPLACE VIEW {s}.learned AS
SELECT m.name AS model, s.decision, s.person, s.at, s.profile, s.item, s.features,
       coalesce(r.reward, 0) AS reward, {s}.looked_at(s.place) AS looked_at
FROM   {s}.model m
       CROSS JOIN {s}.listed s
       CROSS JOIN LATERAL (SELECT array_agg(r.item) AS items, array_agg(r.outcome <> {first}) AS later,
                                  array_agg(r.learned) AS learned
                           FROM   {s}.reward r WHERE r.decision = s.decision) t
       CROSS JOIN LATERAL (SELECT sum(r.learned) AS reward
                           FROM   unnest(t.items, t.later, t.learned) r (item, later, learned)
                           WHERE  r.item {same_item} s.item AND r.later = (m.name = 'later')) r
WHERE  m.learns
AND    s.decision >= (SELECT known_from FROM {s}.setting)
AND    NOT EXISTS (SELECT FROM {s}.due q WHERE q.decision = s.decision)
AND    NOT EXISTS (SELECT FROM {s}.set_aside a WHERE a.decision = s.decision AND NOT a.known);$t$),
		('recommender/55_learn', 3, $t$-- Up to a thousand decisions that have waited
CREATE OR REPLACE FUNCTION {s}.take_due(wait interval) RETURNS bigint[] LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH taken AS (
        DELETE FROM {s}.due WHERE decision = ANY (ARRAY(
            SELECT q.decision FROM {s}.due q
            WHERE  q.decision < {s}.first_decision(now() - take_due.wait + interval '1 second')
            ORDER  BY q.decision LIMIT 1000))
        RETURNING decision)
    SELECT ARRAY(SELECT decision FROM taken);
END;$t$),
		('recommender/55_learn', 4, $t$-- Learns every item that was shown, with what came of it or 0.  With OFFSET 0 each decision is
-- looked up by its number, in its month, however many there are; and each model reads them for itself,
-- since what is read is wide, and would be sorted by model.
CREATE OR REPLACE FUNCTION {s}.take_in(decisions bigint[]) RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH told AS (
        UPDATE {s}.reward r SET learned = r.value
        WHERE  r.decision = ANY (decisions)
        RETURNING r.decision, r.item, r.outcome <> {first} AS later, r.value),
    earned AS (
        SELECT t.decision, t.item, t.later, sum(t.value) AS value FROM told t GROUP BY 1, 2, 3)
    UPDATE {s}.model m SET state = {dlints}.dlints_concat(m.state, e.evidence)
    FROM   {s}.model p,
           LATERAL (SELECT {dlints}.dlints_evidence(p.state, s.features::{vector}, coalesce(t.value, 0) / l.looked_at,
                                                    s.profile::{vector}, s.at, l.looked_at) AS evidence
                    FROM   unnest(decisions) b (decision)
                           CROSS JOIN LATERAL (SELECT * FROM {s}.listed s WHERE s.decision = b.decision OFFSET 0) s
                           CROSS JOIN LATERAL (SELECT {s}.looked_at(s.place) AS looked_at) l
                           LEFT JOIN earned t ON t.decision = s.decision AND t.item {same_item} s.item
                               AND t.later = (p.name = 'later')
                    WHERE  {dlints}.dlints_accepts(p.state, s.features::{vector}, coalesce(t.value, 0) / l.looked_at,
                                                   s.profile::{vector}, s.at, l.looked_at)) e
    WHERE  m.name = p.name AND p.learns AND e.evidence IS NOT NULL;
END;$t$),
		('recommender/55_learn', 5, $t$-- Up to a thousand decisions that were learned before all was told
CREATE OR REPLACE FUNCTION {s}.take_late() RETURNS bigint[] LANGUAGE sql STABLE
RETURN ARRAY(
    SELECT r.decision FROM {s}.reward r
    WHERE  r.learned IS DISTINCT FROM r.value
    AND    r.decision >= (SELECT known_from FROM {s}.setting)
    AND    EXISTS (SELECT FROM {s}.decision d WHERE d.id = r.decision OFFSET 0)
    AND    NOT EXISTS (SELECT FROM {s}.due q WHERE q.decision = r.decision OFFSET 0)
    AND    NOT EXISTS (SELECT FROM {s}.set_aside a WHERE a.decision = r.decision OFFSET 0)
    LIMIT  1000);$t$),
		('recommender/55_learn', 6, $t$CREATE OR REPLACE FUNCTION {s}.correct(decisions bigint[]) RETURNS bigint LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH late AS MATERIALIZED (
        SELECT r.decision, r.item, r.outcome, r.learned
        FROM   {s}.reward r
        WHERE  r.learned IS DISTINCT FROM r.value
        AND    r.decision = ANY (decisions)),
    told AS (
        UPDATE {s}.reward r SET learned = r.value
        FROM   late l
        WHERE  r.decision = l.decision AND r.item {same_item} l.item AND r.outcome = l.outcome
        AND    r.decision = ANY (decisions)
        RETURNING r.decision, r.item, r.outcome <> {first} AS later,
                  r.value - coalesce(l.learned, 0) AS change),
    shown AS (
        SELECT p.name, p.state, s.features::{vector} AS features, s.profile::{vector} AS profile, s.at,
               w.was / o.looked_at AS was, (w.was + t.change) / o.looked_at AS is_now, o.looked_at
        FROM  (SELECT t.decision, t.item, t.later, sum(t.change) AS change
               FROM   told t GROUP BY 1, 2, 3) t
               CROSS JOIN LATERAL (
                   SELECT * FROM {s}.listed s
                   WHERE  s.decision = t.decision AND s.item {same_item} t.item OFFSET 0) s
               CROSS JOIN LATERAL (SELECT {s}.looked_at(s.place) AS looked_at) o
               JOIN {s}.model p ON p.learns AND (p.name = 'later') = t.later,
               LATERAL (SELECT coalesce(sum(r.learned), 0) AS was FROM {s}.reward r
                        WHERE  r.decision = t.decision AND r.item {same_item} t.item
                        AND    (r.outcome <> {first}) = t.later) w),
    learn AS (
        UPDATE {s}.model m
        SET    state = {dlints}.dlints_concat({dlints}.dlints_retract(m.state, e.was), e.is_now)
        FROM  (SELECT s.name,
                      {dlints}.dlints_evidence(s.state, s.features, s.was, s.profile, s.at,
                                               s.looked_at) FILTER (
                          WHERE {dlints}.dlints_accepts(s.state, s.features, s.was, s.profile, s.at,
                                                        s.looked_at)) AS was,
                      {dlints}.dlints_evidence(s.state, s.features, s.is_now, s.profile, s.at,
                                               s.looked_at) FILTER (
                          WHERE {dlints}.dlints_accepts(s.state, s.features, s.is_now, s.profile, s.at,
                                                        s.looked_at)) AS is_now
               FROM   shown s GROUP BY s.name) e
        WHERE  m.name = e.name)
    SELECT count(*) FROM told;
END;$t$),
		('recommender/55_learn', 7, $t$-- From now on the models are taken to know what was told of these.
CREATE OR REPLACE FUNCTION {s}.believe_told(decisions bigint[]) RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    UPDATE {s}.reward SET learned = value
    WHERE  decision = ANY (decisions) AND learned IS DISTINCT FROM value;
END;$t$),
		('recommender/55_learn', 8, $t$CREATE OR REPLACE FUNCTION {s}.delete_log(decisions bigint[]) RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    DELETE FROM {s}.reward WHERE decision = ANY (decisions);
    DELETE FROM {s}.decision WHERE id = ANY (decisions);
END;$t$),
		('recommender/55_learn', 9, $t$-- What nobody could know a day later
CREATE OR REPLACE FUNCTION {s}.tidy() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    DELETE FROM {s}.reward r
    WHERE  r.learned IS DISTINCT FROM r.value AND r.learned IS NULL AND r.at < now() - interval '1 day'
    AND    NOT EXISTS (SELECT FROM {s}.decision d WHERE d.id = r.decision);
END;$t$),
		('recommender/58_beginning', 1, $t$-- How alike an item is to a person, in each block of features
CREATE OR REPLACE FUNCTION {s}.alike(features real[], sum real[], clicks float8) RETURNS float8[]
LANGUAGE sql IMMUTABLE
RETURN {alike};$t$),
		('recommender/58_beginning', 2, $t$-- What is worth what, for each feature
CREATE OR REPLACE FUNCTION {s}.spread(weights float8[]) RETURNS real[] LANGUAGE sql IMMUTABLE
RETURN {spread};$t$),
		('recommender/58_beginning', 3, $t$-- What the same people click, without a part of the log: examples of what made the vectors would
-- say that they know everything.
CREATE OR REPLACE FUNCTION {s}.fitted_without(part integer) RETURNS TABLE (item {item_type}, factors real[])
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT f.item::{item_type}, f.factors
    FROM   {dlints}.dlints_factors(format(
               'SELECT person, item FROM (%s) c WHERE hashtext(person::text || '' '' || item::text) & 7 <> %s',
               {log}::text, part), {factors}::bigint, NULL::text, 0::bigint)
           f (item {hashed_type}, factors real[])
    WHERE  {factors} > 0;
END;$t$),
		('recommender/58_beginning', 4, $t$-- How long a click says that an item is popular: the half-life that foretells the last tenth of the
-- clicks best.  A shorter one has to do so by more clicks.
CREATE OR REPLACE FUNCTION {s}.weigh_popularity() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH clicked AS MATERIALIZED (
        SELECT c.item, date_part('epoch', c.at) / 86400 AS day, ntile(10) OVER (ORDER BY c.at) AS tenth
        FROM  (SELECT item, at FROM {s}.click WHERE at <= now() AND isfinite(at) AND item IS NOT NULL
               ORDER BY at DESC LIMIT 100000) c),
    now AS (
        SELECT max(day) FILTER (WHERE tenth < 10) AS day, count(DISTINCT item) AS items FROM clicked),
    half_life (n, days) AS (
        VALUES (1, 0.125::float8), (2, 0.25), (3, 1), (4, 7), (5, 14), (6, 30), (7, 90), (8, NULL)),
    score AS (
        SELECT h.n, c.item, sum({s}.faded(n.day - c.day, h.days)) AS score
        FROM   clicked c, now n, half_life h WHERE c.tenth < 10 GROUP BY h.n, c.item),
    total AS (
        SELECT n, sum(score) AS score FROM score GROUP BY n),
    foretold AS (
        SELECT h.n, h.days,
               avg(ln(0.9 * coalesce(s.score, 0) / t.score + 0.1 / n.items)) - 3.0 * (8 - h.n) / count(*) AS likely
        FROM   half_life h JOIN total t ON t.n = h.n CROSS JOIN now n CROSS JOIN clicked c
               LEFT JOIN score s ON s.n = h.n AND s.item {same_item} c.item
        WHERE  c.tenth = 10 GROUP BY h.n, h.days)
    UPDATE {s}.likeness SET popular_half_life = b.days
    FROM  (SELECT f.days FROM foretold f ORDER BY f.likely DESC LIMIT 1) b;
END;$t$),
		('recommender/58_beginning', 5, $t$-- What a stand-in counts that was clicked so often: it is drawn by its clicks, and was seen by these to
-- the power that "exposure" says
CREATE OR REPLACE FUNCTION {s}.rarity(clicks float8) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN clicks ^ ({exposure}::float8 - 1);$t$),
		('recommender/58_beginning', 6, $t$-- Examples of a part of the latest clicks.  Each has four stand-ins, of what else of this part was
-- clicked about that time, which count by how often they are taken to have been seen: evenly, and
-- popularity would explain all; as often as clicked, nothing.  How popular something was is that of the same
-- time, by the other parts.  A person is what else this person clicked, in half of the examples a few
-- clicks, to know what these are worth.  Each is once more a stranger's, which says what it is worth
-- to be popular; clicks of nobody are that alone.  What is alike is said for clicks that fade by half
-- in 14, 30 and 90 days, and that never fade.  Of all that is shown about one in twenty is clicked:
-- what was not counts five times.
CREATE OR REPLACE FUNCTION {s}.add_examples(part integer, most bigint, kept integer) RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH latest AS MATERIALIZED (
        SELECT c.person, c.item, c.at,
               hashtext(coalesce(c.person::text, c.at::text) || ' ' || c.item::text) & 7 AS part,
               row_number() OVER (PARTITION BY c.person ORDER BY c.at DESC) AS n,
               count(*) OVER (PARTITION BY c.person) AS clicks,
               {s}.rarity(count(*) OVER (PARTITION BY c.item)) AS rarity,
               (date_part('epoch', max(c.at) OVER ()) - date_part('epoch', c.at)) / 86400 AS ago
        FROM  (SELECT c.person, c.item, c.at
               FROM   {s}.click c JOIN {s}.item_vector v ON v.item {same_item} c.item
               WHERE  c.at <= now() AND isfinite(c.at)
               ORDER  BY c.at DESC LIMIT 50000) c),
    clicked AS MATERIALIZED (
        SELECT l.*, row_number() OVER (PARTITION BY l.part ORDER BY l.at) AS place FROM latest l),
    log AS MATERIALIZED (
        SELECT l.popular_half_life AS half_life, least(max(c.ago), 250 * l.popular_half_life) AS longest,
               count(*) FILTER (WHERE c.part = add_examples.part) AS clicks,
               avg(c.rarity) FILTER (WHERE c.part = add_examples.part) AS rarity,
               greatest(count(*) FILTER (WHERE c.part = add_examples.part
                                         AND c.ago <= coalesce(l.popular_half_life, 'infinity')),
                        least(count(*) FILTER (WHERE c.part = add_examples.part), 60)) AS near
        FROM   clicked c, {s}.likeness l GROUP BY l.popular_half_life),
    top AS MATERIALIZED (
        SELECT greatest(max(i.score), 1) AS score
        FROM  (SELECT sum({s}.faded(c.ago, l.half_life)) AS score
               FROM   clicked c, log l WHERE c.part <> add_examples.part GROUP BY c.item) i),
    item AS MATERIALIZED (
        SELECT v.item, coalesce(f.factors, array_fill(0::real, ARRAY[{factors}])) || v.encoded AS features
        FROM   {s}.item_vector v
               LEFT JOIN {s}.fitted_without(part) f ON f.item {same_item} v.item),
    example AS MATERIALIZED (
        SELECT c.*, row_number() OVER () AS id,
               CASE WHEN random() < 0.5 THEN 2 ^ floor(7 * random()) ELSE 100 END AS cut
        FROM  (SELECT c.* FROM clicked c, log l     -- apart, or random() is that of the order
               WHERE  c.part = add_examples.part AND c.ago <= l.longest
               ORDER  BY random() LIMIT most) c),
    person AS MATERIALIZED (
        SELECT e.id,
               {dlints}.dlints_profile(x.features, 1::float8) AS sum, count(*) AS clicks,
               {dlints}.dlints_profile(x.features, x.w90) AS sum90, sum(x.w90) AS clicks90,
               {dlints}.dlints_profile(x.features, x.w30) AS sum30, sum(x.w30) AS clicks30,
               {dlints}.dlints_profile(x.features, x.w14) AS sum14, sum(x.w14) AS clicks14
        FROM   example e CROSS JOIN generate_series(1, least(e.cut, e.clicks - 1)::bigint) s
               JOIN clicked o ON o.person {same_person} e.person AND o.n = (e.n + s - 1) % e.clicks + 1
                   AND NOT o.item {same_item} e.item
               JOIN item i ON i.item {same_item} o.item,
               LATERAL (SELECT abs(e.ago - o.ago) AS days) d,
               LATERAL (SELECT (i.features || 1::real)::{vector} AS features, {s}.faded(d.days, 90) AS w90,
                               {s}.faded(d.days, 30) AS w30, {s}.faded(d.days, 14) AS w14) x
        GROUP  BY e.id),
    candidate AS MATERIALIZED (
        SELECT e.id, e.person, e.item, e.ago, 1 AS reward, 1::float8 AS weight FROM example e
        UNION ALL
        SELECT e.id, e.person, c.item, e.ago, 0, 5 * c.rarity / l.rarity
        FROM  (SELECT e.*, e.place + floor((2 * random() - 1) * l.near)::bigint AS stand_in
               FROM   example e, log l, generate_series(1, 4)) e CROSS JOIN log l
               JOIN clicked c ON c.part = add_examples.part
                   AND c.place = CASE WHEN e.stand_in < 1 THEN 1 - e.stand_in
                                      WHEN e.stand_in > l.clicks THEN 2 * l.clicks + 1 - e.stand_in
                                      ELSE e.stand_in END),
    known AS (      -- how often each was clicked about then, before and after
        SELECT t.id, t.person, t.item, t.reward, t.weight,
               CASE WHEN l.half_life IS NULL THEN sum(t.before) OVER (PARTITION BY t.item)
                    ELSE (sum(t.before) OVER (PARTITION BY t.item ORDER BY t.ago DESC, t.id NULLS FIRST)
                          / {s}.faded(t.ago, l.half_life)
                          + sum(t.after) OVER (PARTITION BY t.item ORDER BY t.ago, t.id NULLS LAST)
                          / {s}.faded(l.longest - t.ago, l.half_life))
                         * greatest(1 - {s}.faded(l.longest, l.half_life), 1e-9)
                         / greatest(2 - {s}.faded(l.longest - t.ago, l.half_life) - {s}.faded(t.ago, l.half_life), 1e-9)
                    END AS score
        FROM  (SELECT NULL::bigint AS id, NULL::{person_type} AS person, c.item, c.ago, NULL::integer AS reward,
                      NULL::float8 AS weight, v.is_known * {s}.faded(c.ago, l.half_life) AS before,
                      v.is_known * {s}.faded(l.longest - c.ago, l.half_life) AS after
               FROM   clicked c, log l, LATERAL (SELECT (c.part <> add_examples.part)::integer AS is_known) v
               UNION ALL
               SELECT c.id, c.person, c.item, c.ago, c.reward, c.weight, 0, 0 FROM candidate c) t, log l),
    shown AS MATERIALIZED (
        SELECT k.id, k.person, k.reward, k.weight, i.features,
               least(ln(1 + k.score) / ln(1 + t.score), 1) AS popularity
        FROM   known k JOIN item i ON i.item {same_item} k.item CROSS JOIN top t
        WHERE  k.id IS NOT NULL),
    begun AS (
        INSERT INTO {s}.beginning (person, features, profile)
        SELECT c.person, c.features || c.popularity::real, {s}.mean(p.sum, p.clicks)
        FROM   shown c JOIN person p ON p.id = c.id WHERE c.id <= kept
        UNION ALL
        SELECT NULL AS person, c.features || c.popularity::real AS features, NULL AS profile
        FROM   shown c WHERE c.id <= kept)
    INSERT INTO {s}.tried AS t (half_life, state)
    SELECT x.half_life, {dlints}.dlints_evidence(
               {dlints}.dlints_new({blocks} + 1, discount => 1, ridge => 1),
               (x.alike || x.popularity)::{vector}, x.reward, '{}'::{vector}, NULL::timestamptz, x.weight)
    FROM  (SELECT h.half_life, h.alike, c.popularity, c.reward, c.weight
           FROM   shown c JOIN person p ON p.id = c.id,
                  LATERAL (VALUES (14::float8, {s}.alike(c.features, p.sum14, p.clicks14)),
                                  (30, {s}.alike(c.features, p.sum30, p.clicks30)),
                                  (90, {s}.alike(c.features, p.sum90, p.clicks90)),
                                  ('infinity', {s}.alike(c.features, p.sum, p.clicks))) h (half_life, alike)
           UNION ALL
           SELECT h.half_life, array_fill(0::float8, ARRAY[{blocks}]), c.popularity, c.reward, 0.35 * c.weight
           FROM   shown c, unnest('{14,30,90,infinity}'::float8[]) h (half_life)) x
    GROUP  BY x.half_life
    ON CONFLICT (half_life) DO UPDATE SET state = {dlints}.dlints_concat(t.state, excluded.state);
END;$t$),
		('recommender/58_beginning', 7, $t$-- What being alike is worth: under the longest half-life that explains of the examples nearly as much as
-- any, since it knows more clicks.  To be alike, or popular, is never worth nothing: what has no weight
-- is never learned.
CREATE OR REPLACE FUNCTION {s}.weigh_likeness() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH fitted AS (
        SELECT f.half_life, ARRAY(
                   SELECT greatest(w, 0.02 * max(w) OVER (), 0.001)
                   FROM   unnest({dlints}.dlints_mean(f.state)) WITH ORDINALITY u (w, k)
                   WHERE  k <= {blocks} + 1 ORDER BY k) AS weights
        FROM  (SELECT t.*, i.sigma ^ 2 AS left_over, min(i.sigma ^ 2) OVER () AS least,
                      i.mean_reward * (1 - i.mean_reward) AS variance
               FROM   {s}.tried t, {dlints}.dlints_info(t.state) i) f
        WHERE  f.left_over <= 0.97 * f.least + 0.03 * f.variance ORDER BY f.half_life DESC LIMIT 1)
    UPDATE {s}.likeness l
    SET    weights = w.weights, scale = {s}.spread(w.weights), worth = b.worth,
           half_life = nullif(f.half_life, 'infinity'), found_at = now()
    FROM   fitted f, LATERAL (SELECT max(w) AS worth FROM unnest(f.weights) w) b,
           LATERAL (SELECT ARRAY(SELECT u.w / b.worth FROM unnest(f.weights) WITH ORDINALITY u (w, k)
                                 ORDER BY k) AS weights) w;
END;$t$),
		('recommender/58_beginning', 8, $t$-- What the click log says beforehand, kept apart and fading: how good an item is that is so alike,
-- and that nothing else is known to matter.  So an example is clicked as often as its likeness says:
-- by so much of it a 1, and for the rest a 0.  A log that others made counts much: it has told more than
-- some hundred lists, which are of like items, and whose people differ in how much they click.
CREATE OR REPLACE FUNCTION {s}.set_prior() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    UPDATE {s}.model m
    SET    state = {dlints}.dlints_with_prior(
                       m.state, coalesce(e.evidence, {dlints}.dlints_scale(0::float8, m.state)),
                       CASE WHEN {has_log} THEN 30::float8 ELSE 0.3::float8 END)
    FROM  (SELECT p.name, {dlints}.dlints_evidence(p.state, b.features::{vector}, r.reward, b.profile::{vector},
                                                   b.found_at, r.weight) AS evidence
           FROM   {s}.model p LEFT JOIN (
                      SELECT b.features || array_fill(0::real, ARRAY[{aged}]) AS features,
                             {s}.profile_of(b.profile, l.scale, l.weights) AS profile, l.found_at, l.worth
                      FROM   {s}.beginning b, {s}.likeness l) b ON true
                  LEFT JOIN LATERAL (
                      SELECT least(greatest(0.05 + b.worth * {dlints}.dlints_dot(
                          b.profile::float8[], b.features::{vector}), 0.01), 0.95) AS rate) a
                      ON true
                  LEFT JOIN LATERAL (VALUES (1, a.rate), (0, 1 - a.rate)) r (reward, weight) ON true
           WHERE  p.learns AND p.name <> 'later' GROUP BY p.name) e
    WHERE  m.name = e.name;
END;$t$),
		('recommender/58_beginning', 9, $t$-- New examples, of as many parts of the log as have ten thousand, by which the models then begin.  Where
-- the log is that of the lists themselves there have to be some hundred clicks first.  Those that
-- learn are waited for at the end alone.
CREATE OR REPLACE FUNCTION {s}.set_beginning() RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
DECLARE
    clicks bigint := (SELECT count(*) FROM (
                          SELECT FROM {s}.click c JOIN {s}.item_vector v ON v.item {same_item} c.item
                          WHERE  c.at <= now() AND isfinite(c.at) LIMIT 50000) c);
    parts  integer := least(8, ceil(80000.0 / greatest(clicks, 1)));
    told   timestamptz := clock_timestamp();
BEGIN
    IF NOT {has_log} AND clicks < 300 THEN
        parts := 0;
    END IF;
    -- one at a time; who erases a person waits, and finds all examples of this person
    LOCK TABLE {s}.item_vector, {s}.beginning IN SHARE ROW EXCLUSIVE MODE;
    PERFORM {s}.weigh_popularity();
    DELETE FROM {s}.beginning;
    DELETE FROM {s}.tried;
    FOR part IN 0 .. parts - 1 LOOP
        PERFORM {s}.add_examples(part, 10000 / parts + 1, 1000 / parts);
        IF clock_timestamp() > told + interval '3 seconds' THEN
            told := clock_timestamp();
            RAISE NOTICE 'part % of % of the click log is looked at', part + 1, parts;
        END IF;
    END LOOP;
    PERFORM {s}.weigh_likeness();
    PERFORM FROM {s}.model ORDER BY name FOR UPDATE;
    PERFORM {s}.refresh_popularity();
    PERFORM {s}.refresh_trend();
    PERFORM {s}.set_blocks();
    PERFORM {s}.set_prior();
    RETURN CASE WHEN parts > 0 THEN least(clicks, 10000) ELSE 0 END;
END
$body$;$t$),
		('recommender/70_upkeep', 1, $t$-- How popular items are: by the latest clicks of the click log, the older the less.  Where that is of the
-- lists themselves, by the clicks of two weeks for each time that an item was shown, each as if ten
-- more had been like all.  Little that has changed is left as it is.
CREATE OR REPLACE FUNCTION {s}.refresh_popularity() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH clicked AS (
        SELECT c.item, sum({s}.faded((date_part('epoch', t.latest) - date_part('epoch', c.at)) / 86400,
                                     l.popular_half_life)) AS score
        FROM  (SELECT c.item, c.at FROM {s}.click c WHERE {has_log} AND c.at <= now() AND isfinite(c.at)
               ORDER BY c.at DESC LIMIT 1000000) c,
               {s}.likeness l, (SELECT max(at) AS latest FROM {s}.click WHERE at <= now()) t
        GROUP  BY c.item),
    shown AS (
        SELECT i.item, count(*) AS shown
        FROM   {s}.decision d, unnest(d.items) i (item)
        WHERE  NOT {has_log} AND d.id >= {s}.first_decision(now() - interval '14 days')
        GROUP  BY i.item),
    rewarded AS (                       -- each list looked up by its number, in its month
        SELECT r.item, count(*) AS clicked
        FROM  (SELECT DISTINCT r.decision, r.item FROM {s}.reward r
               WHERE  NOT {has_log} AND r.value > 0
               AND    r.decision >= {s}.first_decision(now() - interval '14 days')) r,
               LATERAL (SELECT FROM {s}.decision d
                        WHERE d.id = r.decision AND r.item {same_item} ANY (d.items) OFFSET 0) d
        GROUP  BY r.item),
    mean AS (
        SELECT (SELECT sum(r.clicked) FROM rewarded r)::float8 / sum(s.shown) AS rate FROM shown s),
    score AS (
        SELECT v.item,
               coalesce(c.score, (coalesce(r.clicked, 0) + 10 * m.rate) / (coalesce(s.shown, 0) + 10), 0) AS score
        FROM   {s}.item_vector v CROSS JOIN mean m
               LEFT JOIN clicked c ON c.item {same_item} v.item
               LEFT JOIN shown s ON s.item {same_item} v.item
               LEFT JOIN rewarded r ON r.item {same_item} v.item)
    UPDATE {s}.item_vector v SET popularity = n.popularity
    FROM  (SELECT s.item, coalesce(round((ln(1 + s.score) / nullif(ln(1 + max(s.score) OVER ()), 0))::numeric, 3),
                                   0)::real AS popularity
           FROM   score s) n
    WHERE  n.item {same_item} v.item AND n.popularity <> v.popularity
    AND    (abs(n.popularity - v.popularity) > 0.003 OR n.popularity IN (0, 1) OR v.popularity IN (0, 1));
END;$t$),
		('recommender/70_upkeep', 2, $t$-- What trends: clicks that count half after a day, for those that an item would have if its share of them were
-- that of clicks that count half after two weeks, each as if five more had come as expected.  Where that is
-- less than twice as many it is how popular the item is.  A million clicks that came in less than eight weeks
-- count half sooner, since what trends then does so sooner, too.
CREATE OR REPLACE FUNCTION {s}.refresh_trend() RETURNS void LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH clicked AS MATERIALIZED (
        (SELECT c.item, c.at FROM {s}.click c WHERE {has_log} AND c.at <= now() AND isfinite(c.at)
         ORDER BY c.at DESC LIMIT 1000000)
        UNION ALL
        SELECT r.item, d.at
        FROM  (SELECT DISTINCT r.decision, r.item FROM {s}.reward r
               WHERE  NOT {has_log} AND r.value > 0
               AND    r.decision >= {s}.first_decision(now() - interval '60 days')
               ORDER  BY r.decision DESC, r.item LIMIT 1000000) r,
               LATERAL (SELECT d.at FROM {s}.decision d     -- looked up by its number, in its month
                        WHERE d.id = r.decision AND r.item {same_item} ANY (d.items) OFFSET 0) d),
    log AS MATERIALIZED (
        SELECT max(at) AS latest, CASE WHEN count(*) < 1000000 THEN 14
                                       ELSE least(14, date_part('epoch', max(at) - min(at)) / 86400 / 4)
                                  END AS half_life
        FROM   clicked),
    counted AS (
        SELECT c.item, sum({s}.faded(14 * t.ago, l.half_life)) AS lately, sum({s}.faded(t.ago, l.half_life)) AS usual
        FROM   clicked c, log l, LATERAL (SELECT date_part('epoch', l.latest - c.at) / 86400 AS ago) t
        WHERE  l.half_life > 0
        GROUP  BY c.item),
    lift AS (
        SELECT c.item, (c.lately + 5) / (c.usual * sum(c.lately) OVER () / sum(c.usual) OVER () + 5) AS times
        FROM   counted c),
    best AS MATERIALIZED (
        SELECT v.item, (CASE WHEN l.times >= 2 THEN l.times ELSE v.popularity END)::real AS score
        FROM   {s}.item_vector v LEFT JOIN lift l ON l.item {same_item} v.item
        ORDER  BY score DESC, v.item LIMIT 1000),
    gone AS (
        DELETE FROM {s}.trend t WHERE NOT EXISTS (SELECT FROM best b WHERE b.item {same_item} t.item))
    INSERT INTO {s}.trend AS t (item, score) SELECT b.item, b.score FROM best b
    ON CONFLICT (item) DO UPDATE SET score = excluded.score WHERE t.score <> excluded.score;
END;$t$),
		('recommender/70_upkeep', 3, $t$-- What items cost of what is promised, each by itself where not all can be computed: the report says why
CREATE OR REPLACE FUNCTION {s}.refresh_costs() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
BEGIN
    IF NOT {has_promises} THEN
        UPDATE {s}.item_vector SET promised = NULL, rates = NULL WHERE promised IS NOT NULL;
        UPDATE {s}.job SET problem = NULL WHERE name = 'costs' AND problem IS NOT NULL;
        RETURN;
    END IF;
    IF EXISTS (SELECT FROM {s}.promise p WHERE p.outcome IS NOT NULL) THEN
        PERFORM {s}.refresh_rates();
    END IF;
    UPDATE {s}.item_vector v SET promised = c.costs
    FROM   {s}.item_cost c
    WHERE  c.item {same_item} v.item AND v.promised IS DISTINCT FROM c.costs;
    UPDATE {s}.job SET problem = NULL WHERE name = 'costs' AND problem IS NOT NULL;
EXCEPTION WHEN data_exception OR cardinality_violation THEN
    UPDATE {s}.job SET problem = SQLERRM WHERE name = 'costs';
    UPDATE {s}.item_vector v SET promised = c.costs
    FROM  (SELECT v.item, {s}.cost_of(v.item) AS costs FROM {s}.item_vector v OFFSET 0) c
    WHERE  c.item {same_item} v.item AND v.promised IS DISTINCT FROM c.costs;
END
$body$;$t$),
		('recommender/70_upkeep', 4, $t$-- Vectors of new and of changed rows; those of deleted rows go, which is no loss: the log
-- keeps the features of what was shown.  More than half of them never go at once.
CREATE OR REPLACE FUNCTION {s}.refresh() RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
DECLARE
    changed bigint;
    gone    bigint;
    twice   text;
BEGIN
    UPDATE {s}.job SET done_at = now() WHERE name = 'refresh';
    LOCK TABLE {s}.item_vector IN SHARE ROW EXCLUSIVE MODE;     -- one that writes all at a time
    IF NOT {has_key} THEN
        SELECT min(i.item::text) INTO twice
        FROM  (SELECT i.item FROM {s}.item i WHERE i.item IS NOT NULL GROUP BY i.item HAVING count(*) > 1) i;
        IF twice IS NOT NULL THEN
            RAISE 'several items have the key %', twice
                USING ERRCODE = 'unique_violation', HINT = 'A key names one row: make a view that has each once.';
        END IF;
    END IF;
    SELECT count(*) INTO gone FROM {s}.item_vector v
    WHERE  NOT EXISTS (SELECT FROM {s}.item i WHERE i.item {same_item} v.item);
    IF 2 * gone > (SELECT count(*) FROM {s}.item_vector) THEN
        RAISE WARNING '% of the items of % have gone, and their vectors are kept', gone, {name}
            USING HINT = format('If that is right: DELETE FROM %I.item_vector.', {name});
    ELSIF gone > 0 THEN
        DELETE FROM {s}.item_vector v
        WHERE  NOT EXISTS (SELECT FROM {s}.item i WHERE i.item {same_item} v.item);
    END IF;
    INSERT INTO {s}.item_vector AS v (item, encoded, ages)
    SELECT i.item, i.encoded, {s}.ages(i.dates, now()) FROM {s}.encoded_item i WHERE i.item IS NOT NULL
    ON CONFLICT (item) DO UPDATE SET encoded = excluded.encoded, ages = excluded.ages
    WHERE v.encoded <> excluded.encoded OR v.ages <> excluded.ages;
    GET DIAGNOSTICS changed = ROW_COUNT;
    PERFORM {s}.refresh_costs();
    PERFORM {s}.refresh_popularity();
    PERFORM {s}.refresh_trend();
    PERFORM {s}.set_blocks();
    RETURN changed;
END
$body$;$t$),
		('recommender/70_upkeep', 5, $t$-- Vectors and blocks of new rows
CREATE OR REPLACE FUNCTION {s}.add_items() RETURNS bigint LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH added AS (
        INSERT INTO {s}.item_vector (item, encoded, ages, promised)
        SELECT i.item, i.encoded, {s}.ages(i.dates, now()), CASE WHEN {has_promises} THEN {s}.cost_of(i.item) END
        FROM   {s}.encoded_item i
        WHERE  i.item IS NOT NULL AND NOT EXISTS (SELECT FROM {s}.item_vector v WHERE v.item {same_item} i.item)
        ON CONFLICT DO NOTHING
        RETURNING item, features || promised AS features),
    numbered AS (
        SELECT a.item, a.features, l.n + (row_number() OVER () - 1) / {slots} AS n
        FROM   added a, (SELECT max(n) + 1 AS n FROM {s}.block) l),
    blocks AS (
        INSERT INTO {s}.block (n, items, vectors)
        SELECT n, array_agg(item), array_agg(features) FROM numbered WHERE n IS NOT NULL GROUP BY n)
    SELECT count(*) FROM added;
END;$t$),
		('recommender/70_upkeep', 6, $t$-- Blocks of the item vectors as they are now: what has not changed is not written.  Popular items are
-- together, since what changes is often theirs.  Where too many are not full all are made anew.  There
-- are none where rows are not found by their key: to look at all is faster then.
CREATE OR REPLACE FUNCTION {s}.set_blocks() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
DECLARE
    items bigint := (SELECT count(*) FROM {s}.item_vector);
BEGIN
    LOCK TABLE {s}.item_vector IN SHARE ROW EXCLUSIVE MODE;
    IF items < {least_items} OR NOT {s}.has_index() THEN
        DELETE FROM {s}.block;
        UPDATE {s}.job SET problem = NULL WHERE name = 'items' AND problem IS NOT NULL;
        RETURN;
    ELSIF (SELECT max(n) + 1 FROM {s}.block) > 1.2 * items / {slots} + 8 THEN
        DELETE FROM {s}.block;
    END IF;
    WITH known AS MATERIALIZED (
        SELECT DISTINCT ON (i.item) i.item, b.n FROM {s}.block b, unnest(b.items) i (item) ORDER BY i.item, b.n),
    placed AS (
        SELECT v.item, v.features || CASE cardinality(v.promised) WHEN {promise_count} THEN v.promised
                                     ELSE array_fill(0::real, ARRAY[{promise_count}]) END AS features,
               coalesce(k.n, l.n + (row_number() OVER (PARTITION BY k.n IS NULL ORDER BY v.popularity DESC, v.item)
                                    - 1) / {slots}) AS n
        FROM   {s}.item_vector v LEFT JOIN known k ON k.item {same_item} v.item,
               (SELECT coalesce(max(n), -1) + 1 AS n FROM known) l),
    gone AS (
        DELETE FROM {s}.block b
        WHERE  NOT EXISTS (SELECT FROM known k JOIN {s}.item_vector v ON v.item {same_item} k.item WHERE k.n = b.n))
    INSERT INTO {s}.block (n, items, vectors)
    SELECT p.n, p.items, p.vectors
    FROM  (SELECT n, array_agg(item ORDER BY item) AS items, array_agg(features ORDER BY item) AS vectors
           FROM placed GROUP BY n) p LEFT JOIN {s}.block b ON b.n = p.n
    WHERE  b.n IS NULL OR b.items <> p.items OR b.vectors <> p.vectors
    ON     CONFLICT (n) DO UPDATE SET items = excluded.items, vectors = excluded.vectors;
END
$body$;$t$),
		('recommender/70_upkeep', 7, $t$-- What the same people click, by the whole log
CREATE OR REPLACE FUNCTION {s}.fitted() RETURNS TABLE (item {item_type}, factors real[])
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT f.item::{item_type}, f.factors
    FROM   {dlints}.dlints_factors({log}::text, {factors}::bigint, {previous}::text, 0::bigint)
           f (item {hashed_type}, factors real[]);
END;$t$),
		('recommender/70_upkeep', 8, $t$-- What the same people click.  New vectors are turned to meet the old ones, so that the
-- models go on.
CREATE OR REPLACE FUNCTION {s}.refit() RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
DECLARE
    changed bigint := 0;
BEGIN
    UPDATE {s}.job SET done_at = now() WHERE name = 'refit';
    LOCK TABLE {s}.item_vector IN SHARE ROW EXCLUSIVE MODE;
    IF {factors} > 0 THEN
        UPDATE {s}.item_vector v SET factors = f.factors
        FROM   {s}.fitted() f
        WHERE  f.item {same_item} v.item;
        GET DIAGNOSTICS changed = ROW_COUNT;
        PERFORM {s}.set_blocks();
    END IF;
    RETURN changed;
END
$body$;$t$),
		('recommender/70_upkeep', 9, $t$-- What is not due at each run; a run that finds another one at it goes on.
CREATE OR REPLACE FUNCTION {s}.keep_fresh(part text) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
DECLARE
    changed bigint;
BEGIN
    IF part = 'prices' THEN
        RETURN {s}.set_prices();
    END IF;
    PERFORM FROM {s}.job
    WHERE  CASE part WHEN 'refit' THEN name = 'refit' AND done_at < now() - interval '7 days'
                     WHEN 'refresh' THEN name = 'refresh' AND done_at < now() - interval '1 hour'
                     ELSE name = 'refresh' AND EXISTS (SELECT FROM {s}.block) END
    FOR    UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN NULL;
    ELSIF part = 'items' THEN           -- beside no refresh, which adds them as well
        SELECT a.n INTO changed FROM {s}.add_items() a (n);
        RETURN CASE WHEN changed > 0 THEN format('%s vectors added', changed) ELSE '' END;
    ELSIF part = 'refresh' THEN
        RETURN format('%s vectors refreshed', {s}.refresh());
    END IF;
    changed := {s}.refit();
    PERFORM {s}.set_beginning();
    RETURN format('%s vectors fitted', changed);
END
$body$;$t$),
		('recommender/75_report', 1, $t$-- What was shown, and what came of it.  Rewards are looked up once for a decision, and not for each item.
CREATE OR REPLACE VIEW {s}.outcome AS
SELECT s.decision, s.person, s.arm, s.at, s.item, s.place, s.probability, s.expected,
       r.clicked, r.reward, s.session, s.context
FROM   {s}.listed s
       CROSS JOIN LATERAL (SELECT array_agg(r.item) AS items, array_agg(r.outcome) AS outcomes,
                                  array_agg(r.value) AS values
                           FROM   {s}.reward r WHERE r.decision = s.decision) t
       CROSS JOIN LATERAL (SELECT coalesce(bool_or(r.outcome = {first}), false) AS clicked,
                                  coalesce(sum(r.value), 0) AS reward
                           FROM   unnest(t.items, t.outcomes, t.values) r (item, outcome, value)
                           WHERE  r.item {same_item} s.item) r;$t$),
		('recommender/75_report', 2, $t$-- The same from a decision on: the other months are not read.
CREATE OR REPLACE FUNCTION {s}.outcomes(first bigint) RETURNS SETOF {s}.outcome LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT o.* FROM {s}.outcome o WHERE o.decision >= outcomes.first;
END;$t$),
		('recommender/75_report', 3, $t$-- Why these: what each part of an item adds to what is expected of it by the models of today: its
-- columns, what is clicked along with it, and how popular it is; the largest first.  What has
-- never followed a click adds nothing.
CREATE OR REPLACE FUNCTION {s}.why(decision bigint)
RETURNS TABLE (item {item_type}, place integer, part text, contribution float8, stddev float8)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT s.item, s.place, e.name, sum(e.contribution), sqrt(sum(e.stddev ^ 2))
    FROM  (SELECT s.item, s.place, s.features, s.profile FROM {s}.listed s
           WHERE  s.decision = why.decision OFFSET 0) s,
          (SELECT p.state FROM {s}.model p WHERE p.name = 'personal'
           UNION ALL
           SELECT l.state FROM {s}.model l, {dlints}.dlints_info(l.state) i
           WHERE  l.name = 'later' AND i.mean_reward <> 0) m,
           {dlints}.dlints_explain(m.state, s.features::{vector}, s.profile::{vector}, {parts})
               WITH ORDINALITY e (name, contribution, stddev, n)
    GROUP  BY s.item, s.place, e.n, e.name
    ORDER  BY s.place, abs(sum(e.contribution)) DESC;
END;$t$),
		('recommender/75_report', 4, $t$REVOKE EXECUTE ON FUNCTION {s}.why FROM PUBLIC;$t$),
		('recommender/75_report', 5, $t$-- What a list of an arm earned on average, pages after it included, with a standard error that knows that
-- people, and sessions, come again
CREATE OR REPLACE FUNCTION {s}.earned(
    arm text, since timestamptz, OUT lists bigint, OUT mean float8, OUT stderr float8, OUT people bigint)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off
BEGIN ATOMIC
    WITH person AS (
        SELECT count(DISTINCT o.decision) FILTER (WHERE NOT o.context ? 'after') AS lists, sum(o.reward) AS reward
        FROM   {s}.outcomes({s}.first_decision(since)) o
        WHERE  o.arm = earned.arm
        GROUP  BY o.person, CASE WHEN o.person IS NULL THEN coalesce(o.session, o.decision::text) END)
    SELECT m.n, m.mean, m.stderr, m.people
    FROM  (SELECT array_agg(p.lists::float8) AS lists, array_agg(p.reward::float8) AS rewards FROM person p) a,
           LATERAL {s}.mean_of(a.lists, a.rewards) m;
END;$t$),
		('recommender/75_report', 6, $t$-- How likely each place is looked at, in units of the first one: what was clicked there among
-- lists by chance, where each item is as likely at each place.  A place is looked at no more than
-- those before it, which leaves less to chance: the least of all means from a place before to
-- the best place after.  Next pages, and boxes beside an item, have places of their own.
CREATE OR REPLACE FUNCTION {s}.places(since timestamptz DEFAULT now() - interval '90 days')
RETURNS TABLE (place integer, shown bigint, clicked bigint, looked_at float8, stderr float8)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off
BEGIN ATOMIC
    WITH seen AS (
        SELECT o.place, count(*) AS shown, count(*) FILTER (WHERE o.clicked) AS clicked
        FROM   {s}.outcomes({s}.first_decision(since)) o
        WHERE  o.arm = 'chance' AND NOT o.context ?| '{more_like,trending,after}'
        GROUP  BY o.place),
    upto AS (
        SELECT s.*, sum(s.shown) OVER w AS all_shown, sum(s.clicked) OVER w AS all_clicked
        FROM   seen s WINDOW w AS (ORDER BY s.place)),
    best AS (
        SELECT b.place, max((b.all_clicked - a.all_clicked + a.clicked)
                            / (b.all_shown - a.all_shown + a.shown))
                        OVER (PARTITION BY a.place ORDER BY b.place DESC) AS mean
        FROM   upto a JOIN upto b ON a.place <= b.place),
    fitted AS (
        SELECT b.place, min(b.mean)::float8 AS mean, nullif(max(min(b.mean)) OVER (), 0)::float8 AS first
        FROM   best b GROUP BY b.place)
    SELECT s.place, s.shown, s.clicked, greatest(f.mean, 0.01 * f.first) / f.first,
           CASE WHEN s.place > 1 THEN
               sqrt(f.mean * (1 - f.mean) / s.shown
                    + f.mean ^ 2 * (1 - f.first) / f.first / max(s.shown) OVER ()) / f.first
           ELSE 0 * f.first END
    FROM   seen s JOIN fitted f ON f.place = s.place
    ORDER  BY s.place;
END;$t$),
		('recommender/75_report', 7, $t$-- Is it working?  Errors are standard errors; what is said holds in 95 of 100 cases.
CREATE OR REPLACE FUNCTION {s}.report(since timestamptz DEFAULT now() - interval '7 days')
RETURNS TABLE (measure text, value float8, error float8, meaning text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $body$
#variable_conflict use_column
DECLARE
    first    bigint := {s}.first_decision(since);
    personal record;
    control  record;
    chance   record;
    trending record;
    times    float8;
    relative float8;                    -- error of the logarithm of times, which is nearly normal
    within   float8;
    range    text;
    x        record;
BEGIN
    SELECT * INTO personal FROM {s}.earned('personal', since);
    SELECT * INTO control FROM {s}.earned('control', since);
    SELECT * INTO chance FROM {s}.earned('chance', since);
    SELECT * INTO trending FROM {s}.earned('trending', since);
    times := personal.mean / nullif(control.mean, 0);
    relative := sqrt((personal.stderr / nullif(personal.mean, 0)) ^ 2
                     + (control.stderr / nullif(control.mean, 0)) ^ 2);
    within := exp(least({s}.errors_of(least(control.people, personal.people)) * relative, 100));
    range := format('between %s and %s, by %s people of the control',
                    round((times / within)::numeric, 2), round((times * within)::numeric, 2), control.people);
    SELECT count(*) AS people, coalesce(sum(d.lists), 0) AS lists INTO x
    FROM  (SELECT count(*) AS lists FROM {s}.decision WHERE id >= first
           GROUP  BY person, CASE WHEN person IS NULL THEN coalesce(session, id::text) END) d;
    RETURN QUERY VALUES
        ('people', x.people::float8, NULL::float8, 'and sessions of nobody known, since ' || since::date),
        ('decisions', x.lists::float8, NULL, 'lists that were shown'),
        ('reward of a decision', personal.mean, personal.stderr,
         format('what a personal list earned; there were %s', personal.lists)),
        ('reward of a decision, control', control.mean, control.stderr,
         format('what a list of the most popular items earned; there were %s', control.lists)),
        ('reward of a decision, chance', chance.mean, chance.stderr,
         format('what a list by chance earned; there were %s, to judge by', chance.lists)),
        ('times the control', times, times * relative, CASE
            WHEN NOT relative > 0 OR times IS NULL OR times < 0 OR within IS NULL
            THEN 'not known yet: both kinds of lists have to earn something'
            WHEN control.people < 30 THEN 'not known before 30 people of the control came: now ' || range
            WHEN times / within > 1 THEN 'personal lists are better, and that is no accident: ' || range
            WHEN times * within < 1 THEN 'personal lists are worse, and that is no accident: ' || range
                                         || '. Give it columns that matter'
            ELSE 'no difference that could not be chance: ' || range END);
    IF trending.lists > 0 THEN
        RETURN QUERY VALUES ('reward of a decision, trending', trending.mean, trending.stderr,
            format('what a list of what trends earned; there were %s', trending.lists));
    END IF;

    SELECT slope, stderr, slope - 2 * stderr AS least, slope + 2 * stderr AS most INTO x
    FROM  (SELECT regr_slope(reward, promise) AS slope,
                  sqrt(greatest(0, regr_syy(reward, promise)
                        - regr_sxy(reward, promise) ^ 2 / nullif(regr_sxx(reward, promise), 0))
                       / nullif(greatest(count(*) - 2, 0), 0)
                       / nullif(regr_sxx(reward, promise), 0)) AS stderr
           FROM   {s}.outcomes(first) o,
                  LATERAL (SELECT o.expected * {s}.looked_at(o.place) AS promise) p
           WHERE  arm = 'personal') s;
    RETURN QUERY VALUES ('calibration', nullif(x.slope, 0), x.stderr, CASE
        WHEN x.stderr IS NULL OR x.stderr = 0 OR x.stderr > 0.5
        THEN 'not known yet: too little was clicked'
        WHEN x.most < 0.5
        THEN 'the model promises too much, as it does in its first days; later: name fewer columns'
        WHEN x.least > 1.5 THEN 'the model promises too little: what it likes is better than it says'
        WHEN x.least > 0.5 AND x.most < 1.5
        THEN 'what personal lists promise comes true: 1 is exact, a little less is usual'
        ELSE format('not known yet: between %s and %s, and 1 is exact',
                    round(x.least::numeric, 2), round(x.most::numeric, 2)) END);

    SELECT avg(1 - probability) FILTER (WHERE arm = 'personal') AS exploration,
           count(DISTINCT item)::float8 / nullif((SELECT count(*) FROM {s}.item_vector), 0)
           AS coverage
    INTO   x FROM {s}.outcomes(first);
    RETURN QUERY VALUES
        ('exploration', x.exploration, NULL::float8,
         'the share of places that another draw would have filled otherwise; it falls with time'),
        ('coverage', x.coverage, NULL, 'the share of all items that was shown');

    SELECT count(*) AS due, round(date_part('epoch', now() - min(d.at)) / 60) AS minutes
    INTO   x FROM {s}.due q JOIN {s}.decision d ON d.id = q.decision
    WHERE  q.decision < {s}.first_decision(now() - {wait}::interval);
    RETURN QUERY VALUES ('decisions to be learned', x.due::float8, NULL::float8, CASE
        WHEN x.minutes > 60 + date_part('epoch', {wait}::interval) / 60
        THEN format('the oldest is of %s minutes ago: have cron call run()', x.minutes)
        ELSE 'as run() finds them' END);
    RETURN QUERY SELECT * FROM {s}.kept(first) WHERE {has_promises};
    RETURN QUERY SELECT * FROM {s}.troubles();
    RETURN QUERY SELECT 'rewards of unknown decisions', count(*)::float8, NULL::float8,
           'told an hour ago or more: look at the application if they are many'
    FROM   {s}.reward r WHERE r.learned IS NULL AND r.at < now() - interval '1 hour'
    AND    NOT EXISTS (SELECT FROM {s}.decision d WHERE d.id = r.decision);

    RETURN QUERY SELECT 'rewards of items that were not shown', count(*)::float8, NULL::float8,
           'of known decisions: nothing is learned from them; look at the application'
    FROM   {s}.reward r JOIN {s}.decision d ON d.id = r.decision
    WHERE  r.decision >= first AND d.id >= first AND r.item {same_item} ANY (d.items) IS NOT TRUE;

    RETURN QUERY SELECT 'items weighed for a list',
           (avg(coalesce(d.weighed, v.n)) FILTER (WHERE d.id IS NOT NULL))::float8, NULL::float8, CASE
               WHEN NOT EXISTS (SELECT FROM {s}.block)
               THEN 'all items: they are few, or not found by an index of their key'
               WHEN {has_bonus} THEN 'all items: a bonus can lift any of them'
               ELSE format('of %s: the best by what is expected of them and by {draws} draws', v.n) END
    FROM  (SELECT count(*) AS n FROM {s}.item_vector) v
           LEFT JOIN {s}.decision d ON d.id >= first AND d.arm = 'personal' GROUP BY v.n;
    RETURN QUERY SELECT 'items without a vector', count(*)::float8, NULL::float8,
           CASE WHEN EXISTS (SELECT FROM {s}.block) THEN 'run() makes vectors, and until then few of them are shown'
                ELSE 'encoded at each request: run() makes vectors within the hour' END
    FROM   {s}.item i WHERE NOT EXISTS (SELECT FROM {s}.item_vector v WHERE v.item {same_item} i.item);
    RETURN QUERY SELECT 'days since the vectors were fitted', date_part('epoch', now() - j.fitted_at) / 86400,
           NULL::float8, CASE
               WHEN j.fitted_at IS NULL THEN 'what they are made of was changed: the next run() fits them'
               WHEN j.fitted_at < now() - interval '8 days' THEN 'overdue: have cron call run()'
               ELSE 'run() fits them every week' END
    FROM  (SELECT CASE WHEN isfinite(done_at) THEN done_at END AS fitted_at FROM {s}.job WHERE name = 'refit') j;
    RETURN QUERY SELECT v.measure, v.value, NULL::float8, v.meaning
    FROM   {s}.likeness l, LATERAL (VALUES
        ('half-life of a person''s clicks', l.half_life,
         'days after which a click of a person counts half; none: all count the same'),
        ('half-life of what is popular', l.popular_half_life,
         'days after which a click counts half for how popular its item is')) v (measure, value, meaning);
    RETURN QUERY SELECT 'observations in memory', i.effective_sample_size, NULL::float8,
           concat_ws('. ', format('of %s; memory %s of %s is in use, 1 being the shortest',
                                  i.updates, i.memory, i.memories), i.hint)
    FROM   {s}.models i WHERE i.name = 'personal';
END
$body$;$t$),
		('recommender/80_backtest', 1, $t$-- Would its first lists have found what people clicked then?  The last fifth of each person's clicks
-- is hidden, all is made anew of the rest, compared with what a few lines of SQL find, and gone again.
CREATE OR REPLACE FUNCTION {s}.backtest(people integer DEFAULT 300)
RETURNS TABLE (policy text, hit_rate float8, hit_rate_stderr float8, ndcg float8, ndcg_stderr float8, verdict text)
LANGUAGE sql VOLATILE
BEGIN ATOMIC
    SELECT b.policy, b.hit_rate, b.hit_rate_stderr, b.ndcg, b.ndcg_stderr, b.verdict
    FROM   {dlints}._dlints_backtest({name}, {every_click}, people) b;
END;$t$),
		('recommender/90_clicks', 1, $t$-- A query that fails, fails now.  Person and item are easily swapped, and nobody would see it.
DO $body$
BEGIN
    PERFORM max(c.at) FROM (SELECT at FROM {s}.click LIMIT 1000) c;
    IF EXISTS (SELECT FROM {s}.click) AND EXISTS (SELECT FROM {s}.item) AND NOT EXISTS (
        SELECT FROM {s}.click c JOIN {s}.item i ON i.item {same_item} c.item) THEN
        RAISE 'no click is of an item of %', {relation} USING ERRCODE = 'invalid_parameter_value';
    END IF;
EXCEPTION WHEN data_exception OR invalid_parameter_value THEN
    RAISE 'in the argument "clicks": %', SQLERRM
        USING ERRCODE = SQLSTATE, HINT = 'It is a query of person, item and time, in this order.';
END
$body$;$t$),
		('recommender/90_costs', 1, $t$-- So does what is promised, before it is read for good.
DO $body$
BEGIN
    PERFORM max(c.costs[1]) FROM {s}.item_cost c;
EXCEPTION WHEN data_exception OR cardinality_violation THEN
    RAISE 'in the argument "promises": %', SQLERRM
        USING ERRCODE = SQLSTATE, HINT = 'It is asked of each item.';
END
$body$;$t$),
		('recommender/90_start', 1, $t$SELECT {s}.set_months();$t$),
		('recommender/90_start', 2, $t$INSERT INTO {s}.likeness (weights, scale)
SELECT w, {s}.spread(w) FROM (SELECT array_fill(1::float8, ARRAY[{blocks} + 1])) t (w);$t$),
		('recommender/90_start', 3, $t$INSERT INTO {s}.model VALUES
    ('personal', true, {s}.empty()),
    ('later', {many}, {s}.empty()),
    ('control', false, {dlints}.dlints_set({s}.empty(), policy => 'greedy'));$t$),
		('recommender/90_start', 4, $t$SELECT {s}.refresh();$t$),
		('recommender/90_start', 5, $t$SELECT {s}.refit();$t$),
		('recommender/90_start', 6, $t$ANALYZE {s}.item_vector;$t$),
		('recommender/90_start', 7, $t$SELECT {s}.set_beginning();$t$),
		('recommender/90_texts', 1, $t$-- So do texts of rules.
DO $body$
DECLARE
    argument text := 'candidates';
BEGIN
    PERFORM count(*) FROM {s}.allowed(NULL, '{}');
    argument := 'bonus';
    PERFORM max(b.bonus) FROM {s}.allowed(NULL, '{}') a, LATERAL {s}.bonus(a.item, NULL, '{}') b;
    argument := 'cap_group';
    PERFORM max(g.cap_group) FROM {s}.allowed(NULL, '{}') a, LATERAL {s}.cap_group(a.item, NULL, '{}') g;
EXCEPTION WHEN data_exception THEN
    RAISE 'in the argument "%": %', argument, SQLERRM
        USING ERRCODE = SQLSTATE, HINT = 'It is asked of each item, with person and context, which may be NULL.';
END
$body$;$t$),
		('recommender/92_models', 1, $t$UPDATE {s}.model SET state = CASE name WHEN 'control' THEN {dlints}.dlints_set({s}.empty(), policy => 'greedy')
                                       ELSE {s}.empty() END,
                     learns = CASE name WHEN 'later' THEN {many} ELSE learns END;$t$),
		('recommender/94_beginning', 1, $t$-- The next run() makes the vectors and the beginning anew: a page does not wait for that.
UPDATE {s}.job SET done_at = '-infinity' WHERE name IN ('refresh', 'refit');$t$),
		('recommender/95_borrow', 1, $t$-- What is tried reads the columns as the recommender does that there is.
CREATE VIEW {s}.encoded_item AS TABLE {tried}.encoded_item;$t$),
		('recommender/96_hide', 1, $t$-- The last fifth of each person's clicks is hidden from a recommender that is tried on its log, and
-- nobody gets again what was clicked before.
CREATE UNLOGGED TABLE {s}.logged AS
SELECT c.person, c.item, c.at,
       c.person IS NOT NULL AND c.of > 1 AND c.n <= ceil(c.of / 5.0) AS is_last
FROM  (SELECT c.*, row_number() OVER (PARTITION BY c.person ORDER BY c.at DESC, c.item) AS n,
              count(*) OVER (PARTITION BY c.person) AS of
       FROM  (SELECT person, item, at FROM {s}.click WHERE at <= now() AND isfinite(at)
              ORDER BY at DESC LIMIT 1000000) c) c;$t$),
		('recommender/96_hide', 2, $t$CREATE INDEX ON {s}.logged (person, at) WHERE NOT is_last;$t$),
		('recommender/96_hide', 3, $t$CREATE INDEX ON {s}.logged (at) WHERE NOT is_last;$t$),
		('recommender/96_hide', 4, $t$CREATE OR REPLACE VIEW {s}.click AS SELECT l.person, l.item, l.at FROM {s}.logged l WHERE NOT l.is_last;$t$),
		('recommender/96_hide', 5, $t$CREATE OR REPLACE FUNCTION {s}.allowed(person {person_type}, context pg_catalog.jsonb)
RETURNS TABLE (item {item_type}) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT i.item FROM {s}.item i
    WHERE  NOT EXISTS (SELECT FROM {s}.click c
                       WHERE  c.person {same_person} allowed.person AND c.item {same_item} i.item);
END;$t$),
		('recommender/96_hide', 6, $t$-- Some people, and what each of them clicked then
CREATE UNLOGGED TABLE {s}.hidden AS
SELECT l.person, array_agg(DISTINCT l.item) AS items
FROM   {s}.logged l JOIN {s}.item i ON i.item {same_item} l.item
WHERE  l.is_last AND NOT EXISTS (
    SELECT FROM {s}.click c WHERE c.person {same_person} l.person AND c.item {same_item} l.item)
GROUP  BY l.person ORDER BY random() LIMIT {people};$t$),
		('recommender/96_hide', 7, $t$ANALYZE {s}.logged;$t$),
		('recommender/96_hide', 8, $t$DO $body$
BEGIN
    IF NOT EXISTS (SELECT FROM {s}.hidden) THEN
        RAISE 'nobody clicked an item that was not clicked before' USING ERRCODE = 'no_data_found',
            HINT = 'Of each person the last fifth of the clicks is hidden, and looked for.';
    END IF;
    RAISE NOTICE '% clicks are hidden, and a recommender is made of the other %',
        (SELECT count(*) FROM {s}.logged WHERE is_last), (SELECT count(*) FROM {s}.click);
END
$body$;$t$),
		('recommender/97_compare', 1, $t$-- What lists can be made of in a few lines: how often an item was clicked, and lately
CREATE UNLOGGED TABLE {s}.known AS
SELECT v.item, v.encoded, v.factors, k.clicks, k.lately
FROM  (SELECT c.item, count(*) AS clicks,
              count(*) FILTER (WHERE c.at > (SELECT max(at) FROM {s}.click) - interval '14 days') AS lately
       FROM   {s}.click c GROUP BY c.item ORDER BY count(*) DESC LIMIT 20000) k
       JOIN {s}.item_vector v ON v.item {same_item} k.item;$t$),
		('recommender/97_compare', 2, $t$-- and by how many of the same people two items were clicked: the cosine
CREATE UNLOGGED TABLE {s}.near AS
WITH clicked AS MATERIALIZED (
    SELECT DISTINCT c.person, c.item
    FROM  (SELECT c.*, row_number() OVER (PARTITION BY c.person ORDER BY c.at DESC) AS n
           FROM  (SELECT * FROM {s}.click WHERE person IS NOT NULL ORDER BY at DESC LIMIT 200000) c) c
    WHERE  c.n <= 100),
counted AS (
    SELECT item, count(*) AS people FROM clicked GROUP BY item)
SELECT p.item, p.other, p.people / sqrt(a.people::float8 * b.people) AS cosine
FROM  (SELECT a.item, b.item AS other, count(*) AS people
       FROM   clicked a JOIN clicked b ON b.person {same_person} a.person AND NOT b.item {same_item} a.item
       GROUP  BY a.item, b.item) p
       JOIN counted a ON a.item {same_item} p.item JOIN counted b ON b.item {same_item} p.other;$t$),
		('recommender/97_compare', 3, $t$CREATE INDEX ON {s}.near (item);$t$),
		('recommender/97_compare', 4, $t$ANALYZE {s}.near;$t$),
		('recommender/97_compare', 5, $t$-- How good each of these finds items for a person: ten, and as many more as the person clicked
CREATE FUNCTION {s}.scores(person {person_type}) RETURNS TABLE (policy text, item {item_type}, score float8)
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH clicked AS MATERIALIZED (
        SELECT c.item, row_number() OVER (ORDER BY c.at DESC) AS n
        FROM   {s}.click c WHERE c.person {same_person} scores.person),
    enough AS MATERIALIZED (
        SELECT 10 + count(DISTINCT item) AS rows FROM clicked),
    profile AS MATERIALIZED (
        SELECT {dlints}.dlints_profile(k.factors, 1::float8) AS factors,
               {dlints}.dlints_profile(k.encoded, 1::float8) AS encoded
        FROM   clicked c JOIN {s}.known k ON k.item {same_item} c.item WHERE c.n <= 500),
    part AS (
        SELECT p.name, min(p.n)::integer - {factors} AS first, max(p.n)::integer - {factors} AS last
        FROM   unnest({parts}) WITH ORDINALITY p (name, n)
        WHERE  p.n > {factors} AND p.n <= {liked} GROUP BY p.name HAVING count(*) > 1)
    (SELECT 'the most popular', k.item, k.clicks::float8 FROM {s}.known k
     ORDER BY k.clicks DESC LIMIT (SELECT rows FROM enough))
    UNION ALL
    (SELECT 'popular in two weeks', k.item, k.lately + 1e-6 * k.clicks FROM {s}.known k
     ORDER BY k.lately DESC, k.clicks DESC LIMIT (SELECT rows FROM enough))
    UNION ALL
    SELECT 'popular in your ' || b.name, a.item, a.score
    FROM   part b, profile p, LATERAL (
               SELECT k.item, k.clicks * (1e-6 + {dlints}.dlints_dot(
                   p.encoded[b.first:b.last]::float8[], k.encoded[b.first:b.last]::{vector})) AS score
               FROM   {s}.known k ORDER BY score DESC LIMIT (SELECT rows FROM enough)) a
    WHERE  p.encoded IS NOT NULL
    UNION ALL
    (SELECT 'clicked by the same people', n.other, sum(n.cosine)
     FROM   clicked c JOIN {s}.near n ON n.item {same_item} c.item
     WHERE  c.n <= 500 GROUP BY n.other ORDER BY sum(n.cosine) DESC LIMIT (SELECT rows FROM enough))
    UNION ALL
    (SELECT 'factors', k.item, {dlints}.dlints_dot(p.factors::float8[], k.factors::{vector})
     FROM   profile p, {s}.known k WHERE p.factors IS NOT NULL AND k.factors IS NOT NULL
     ORDER BY 3 DESC LIMIT (SELECT rows FROM enough));
END;$t$),
		('recommender/97_compare', 6, $t$-- Lists of ten: how much of what each person clicked then is in them
CREATE FUNCTION {s}.compare(person {person_type}, items {item_type}[])
RETURNS TABLE (policy text, ndcg float8, is_hit boolean) LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH scored AS (
        SELECT s.policy, s.item, s.score, EXISTS (
                   SELECT FROM {s}.click c
                   WHERE  c.person {same_person} compare.person AND c.item {same_item} s.item) AS is_seen
        FROM   {s}.scores(compare.person) s),
    list AS (
        SELECT policy, item, is_seen, row_number() OVER (PARTITION BY policy, is_seen ORDER BY score DESC) AS place
        FROM   scored
        UNION ALL
        SELECT 'recommender', r.item, false, r.place FROM {s}.recommend(compare.person, 10) r),
    found AS (
        SELECT l.policy, l.place, l.place <= 10 AND l.item {same_item} ANY (compare.items) AS is_hit
        FROM   list l)
    SELECT f.policy, coalesce(sum(1 / ln(f.place + 1)) FILTER (WHERE f.is_hit), 0)
           / (SELECT sum(1 / ln(n + 1)) FROM generate_series(1, least(cardinality(compare.items), 10)) n),
           bool_or(f.is_hit)
    FROM   found f GROUP BY f.policy;
END;$t$),
		('recommender/97_compare', 7, $t$CREATE UNLOGGED TABLE {s}.compared (person {person_type}, policy text, ndcg float8, is_hit boolean);$t$),
		('recommender/97_compare', 8, $t$DO $body$
DECLARE
    people integer := (SELECT count(*) FROM {s}.hidden);
    done   integer := 0;
    told   timestamptz := clock_timestamp();
    one    record;
BEGIN
    RAISE NOTICE 'lists of ten are compared, of % people', people;
    FOR one IN SELECT person, items FROM {s}.hidden LOOP
        INSERT INTO {s}.compared SELECT one.person, c.* FROM {s}.compare(one.person, one.items) c;
        done := done + 1;
        IF clock_timestamp() > told + interval '5 seconds' THEN
            told := clock_timestamp();
            RAISE NOTICE 'lists of % of % people are compared', done, people;
        END IF;
    END LOOP;
    -- a policy that has no list for somebody finds nothing
    INSERT INTO {s}.compared
    SELECT h.person, p.policy, 0, false
    FROM   {s}.hidden h CROSS JOIN (SELECT DISTINCT policy FROM {s}.compared) p
    WHERE  NOT EXISTS (SELECT FROM {s}.compared c WHERE c.person {same_person} h.person AND c.policy = p.policy);
END
$body$;$t$),
		('recommender/97_compare', 9, $t$-- The best first; differences are those of the same people, and the best one's that to the next.  The
-- best of many is the best by chance, too: errors are those of so many comparisons, about Bonferroni's.
CREATE VIEW {s}.comparison AS
WITH mean AS (
    SELECT policy, avg(is_hit::integer) AS hit_rate,
           stddev(is_hit::integer)::float8 / sqrt(count(*)) AS hit_rate_stderr,
           avg(ndcg) AS ndcg, stddev(ndcg) / sqrt(count(*)) AS ndcg_stderr,
           {s}.errors_of(count(*)) * sqrt(1 + 0.52 * ln(greatest(count(*) OVER () - 1, 1))) AS errors,
           row_number() OVER (ORDER BY avg(ndcg) DESC, policy = 'recommender' DESC) AS place
    FROM   {s}.compared GROUP BY policy),
difference AS (
    SELECT m.policy, avg(x.d) AS d, stddev(x.d) / sqrt(count(*)) AS stderr
    FROM   mean m JOIN mean o ON o.place = CASE m.place WHEN 1 THEN 2 ELSE 1 END
           JOIN {s}.compared c ON c.policy = m.policy
           JOIN {s}.compared b ON b.policy = o.policy AND b.person {same_person} c.person,
           LATERAL (SELECT c.ndcg - b.ndcg AS d) x
    GROUP  BY m.policy)
SELECT m.policy, round(m.hit_rate, 4)::float8 AS hit_rate,
       round(m.hit_rate_stderr::numeric, 4)::float8 AS hit_rate_stderr,
       round(m.ndcg::numeric, 4)::float8 AS ndcg, round(m.ndcg_stderr::numeric, 4)::float8 AS ndcg_stderr,
       CASE WHEN (SELECT max(ndcg) FROM mean) = 0 THEN 'finds nothing'
            ELSE CASE m.place WHEN 1 THEN 'the best, by ' ELSE '' END
                 || coalesce(round(abs(d.d)::numeric, 3)::text, '0')
                 || coalesce(' ± ' || round(d.stderr::numeric, 3), '')
                 || CASE WHEN m.place > 1 THEN ' less' ELSE '' END
                 || CASE WHEN abs(d.d) > m.errors * d.stderr THEN '' ELSE ', which may be chance' END END AS verdict
FROM   mean m LEFT JOIN difference d USING (policy) ORDER BY m.place;$t$),
		('recommender/98_costs', 1, $t$-- What items cost of what is promised from now on, and blocks with that
UPDATE {s}.item_vector SET promised = NULL, rates = NULL WHERE promised IS NOT NULL;$t$),
		('recommender/98_costs', 2, $t$DELETE FROM {s}.block;$t$),
		('recommender/98_costs', 3, $t$SELECT {s}.refresh();$t$),
		('recommender/99_comments', 1, $t$-- What is for callers, as common/99_comments says
COMMENT ON FUNCTION {s}.recommend IS 'chooses 1 to 1000 items for a person, logs and returns them, best first, with '
    'the probability of each choice and the reward to be expected; "recent" are items that the session clicked; '
    '"context" is for candidates, bonus, and what the person likes; no person is a stranger';$t$),
		('recommender/99_comments', 2, $t$COMMENT ON FUNCTION {s}.more_like IS 'items like one, as recommend(): scored by the item, logged for the person';$t$),
		('recommender/99_comments', 3, $t$COMMENT ON FUNCTION {s}.next IS 'the next page of a decision, without what the pages before it have shown; 22023 if '
    'there is no such decision, 42501 if it is somebody else''s';$t$),
		('recommender/99_comments', 4, $t$COMMENT ON FUNCTION {s}.trending IS 'items that get more of the clicks lately than they usually do, as recommend()';$t$),
		('recommender/99_comments', 5, $t$COMMENT ON FUNCTION {s}.reward IS 'what came of an item of a decision, in any order, the last value of each outcome '
    'counts; 22023 for an unknown outcome, 22003 for a value beyond "value_limit", 42501 if a person is given and '
    'the decision is somebody else''s';$t$),
		('recommender/99_comments', 6, $t$COMMENT ON FUNCTION {s}.why IS 'what each column of the items of a decision adds to what is expected of them, with '
    'its standard deviation, by the models of today';$t$),
		('recommender/99_comments', 7, $t$COMMENT ON FUNCTION {s}.places IS 'how likely each place of a list is looked at, beside the first, with its standard '
    'error, from lists by chance';$t$),
		('recommender/99_comments', 8, $t$COMMENT ON FUNCTION {s}.backtest IS 'hides the last clicks of so many people, and compares lists that are made of '
    'the rest with what a few lines of SQL find';$t$),
		('recommender/99_comments', 9, $t$COMMENT ON FUNCTION {s}.erase IS 'takes a person, a session, or both out of models and log; how many decisions these '
    'were';$t$),
		('recommender/99_comments', 10, $t$COMMENT ON FUNCTION {s}.refresh IS 'vectors of new and changed rows, and ages of dates; how many';$t$),
		('recommender/99_comments', 11, $t$COMMENT ON FUNCTION {s}.refit IS 'vectors from clicks anew; how many';$t$),
		('recommender/99_comments', 12, $t$COMMENT ON FUNCTION {s}.set_beginning IS 'what the click log says beforehand, anew; of how many clicks it made '
    'examples';$t$),
		('recommender/99_comments', 13, $t$COMMENT ON VIEW {s}.shown IS 'the log, an item of a list a row';$t$),
		('recommender/99_comments', 14, $t$COMMENT ON VIEW {s}.listed IS 'the log, an item of a list a row, with whose list it is';$t$),
		('recommender/99_comments', 15, $t$COMMENT ON VIEW {s}.item IS 'the rows that are recommended';$t$),
		('recommender/99_comments', 16, $t$COMMENT ON VIEW {s}.click IS 'who clicked what, and when';$t$),
		('recommender/99_comments', 17, $t$COMMENT ON TABLE {s}.item_vector IS 'items as numbers';$t$),
		('recommender/99_comments', 18, $t$COMMENT ON TABLE {s}.block IS 'items as numbers, in blocks, of which shortlists are made';$t$),
		('recommender/99_comments', 19, $t$COMMENT ON TABLE {s}.trend IS 'what trending() shows first';$t$),
		('recommender/99_comments', 20, $t$COMMENT ON TABLE {s}.likeness IS 'what it is worth to be like what a person clicked, and after how many days a click '
    'counts half';$t$),
		('recommender/bound/26_encode_document', 1, $t$-- The same of a document of columns, {"column": value, ...}; those that it has not are NULL.
CREATE OR REPLACE FUNCTION {s}.encode_document(document jsonb) RETURNS real[] LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT {encode} FROM jsonb_to_record(document) i ({columns});
END;$t$),
		('recommender/bound/26_encoded_item', 1, $t$-- Their columns as numbers, apart from each other, so that a model can tell which matter; and their
-- dates.  No function takes a row: PostgreSQL then refuses to add columns to the table.
CREATE OR REPLACE VIEW {s}.encoded_item AS
SELECT i.{key} AS item,
       {encode} AS encoded,
       {dates}::pg_catalog.float8[] AS dates
FROM   {items} i;$t$),
		('recommender/bound/26_item', 1, $t$-- The keys of the rows to recommend
CREATE OR REPLACE VIEW {s}.item AS
SELECT i.{key} AS item FROM {items} i;$t$),
		('recommender/bound/27_bonus', 1, $t$-- What is added to a row's score
CREATE OR REPLACE FUNCTION {s}.bonus(of_item {item_type}, person {person_type}, context pg_catalog.jsonb)
RETURNS TABLE (bonus pg_catalog.float8) LANGUAGE sql STABLE
BEGIN ATOMIC
    {bonus};
END;$t$),
		('recommender/bound/27_candidates', 1, $t$-- Which rows a request may be answered with
CREATE OR REPLACE FUNCTION {s}.allowed(person {person_type}, context pg_catalog.jsonb)
RETURNS TABLE (item {item_type}) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT i.{key}
    FROM   {items} i CROSS JOIN (SELECT allowed.person, allowed.context) request
    WHERE  {candidates};
END;$t$),
		('recommender/bound/27_cap_group', 1, $t$-- A list has so many rows of a group at most.
CREATE OR REPLACE FUNCTION {s}.cap_group(of_item {item_type}, person {person_type}, context pg_catalog.jsonb)
RETURNS TABLE (cap_group pg_catalog.text) LANGUAGE sql STABLE
BEGIN ATOMIC
    {cap_group};
END;$t$),
		('recommender/bound/27_clicks', 1, $t$-- Who clicked what, and when
CREATE OR REPLACE VIEW {s}.click AS
{clicks};$t$),
		('recommender/bound/27_promises', 1, $t$-- What each row costs of what is promised, as PostgreSQL writes it
CREATE OR REPLACE VIEW {s}.promised_text AS
SELECT i.{key} AS item, ARRAY[{promised_texts}]::pg_catalog.text[] AS texts FROM {items} i;$t$)
		) t (part, n, statement)
		WHERE  t.part ~ format('^(common|%s)/', kind) AND t.part ~ parts
		ORDER  BY regexp_replace(t.part, '.*/', ''), t.n
	LOOP
		-- In one pass: what a word brings along is not looked at.
		SELECT string_agg(p.part || coalesce(words ->> w.word[1], ''), '' ORDER BY n),
		       string_agg(w.word[1], ', ') FILTER (WHERE words ->> w.word[1] IS NULL)
		INTO   filled, unknown
		FROM   regexp_split_to_table(template.statement, '\{[a-z_]+\}') WITH ORDINALITY p (part, n)
		       LEFT JOIN regexp_matches(template.statement, '\{([a-z_]+)\}', 'g')
		           WITH ORDINALITY w (word, n) USING (n);
		IF unknown IS NOT NULL THEN
			RAISE 'no such word: %, in %', unknown, template.part USING ERRCODE = 'internal_error';
		END IF;
		IF template.part ~ '/bound/27' THEN
			RETURN NEXT format('SELECT pg_catalog.set_config(''search_path'', %s, %s);',
			                   words ->> 'path', words ->> 'is_local');
			RETURN NEXT filled;
			RETURN NEXT own_path;
		ELSE
			RETURN NEXT filled;
		END IF;
	END LOOP;
	IF words ->> 'is_local' = 'false' THEN
		RETURN NEXT 'SELECT pg_catalog.set_config(''search_path'', pg_catalog.current_setting(''scaffold.search_path''), false);';
	END IF;
END
$layer$;
COMMENT ON FUNCTION _dlints_statements(text, text, jsonb)
	IS 'the statements that make a recommender or a ranker';
-- Create, scaffold, alter, renew -------------------------------------------------

-- A name, or an error if a schema has it already
CREATE FUNCTION _dlints_unused(kind text, name text) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
BEGIN
	IF EXISTS (SELECT FROM pg_namespace WHERE nspname = name) THEN
		RAISE 'schema "%" exists already', name USING ERRCODE = 'duplicate_schema',
			HINT = format('A %s is a schema of its own. DROP SCHEMA ... CASCADE removes it.', kind);
	END IF;
	RETURN name;
END
$$;
COMMENT ON FUNCTION _dlints_unused(text, text) IS 'a name, or an error if a schema has it already';

CREATE FUNCTION _dlints_execute(statements text[]) RETURNS bigint
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET jit = off AS
$$
DECLARE
	statement text;
BEGIN
	FOREACH statement IN ARRAY statements LOOP
		EXECUTE statement;
	END LOOP;
	RETURN cardinality(statements);
END
$$;
COMMENT ON FUNCTION _dlints_execute(text[]) IS 'executes statements, in this order';

-- Arguments of a recommender with what was measured of its columns, once for all
CREATE FUNCTION _dlints_measured(a jsonb) RETURNS jsonb
	LANGUAGE sql STABLE
BEGIN ATOMIC
	SELECT CASE WHEN a OPERATOR(pg_catalog.?) 'vectors'::pg_catalog.text THEN a
		ELSE a OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object('vectors', _dlints_widths(ARRAY(
			SELECT l FROM pg_catalog.jsonb_array_elements_text(
				coalesce(a OPERATOR(pg_catalog.->) 'columns'::pg_catalog.text, '[]'::pg_catalog.jsonb))
				WITH ORDINALITY c (name, n),
				LATERAL _dlints_look((a OPERATOR(pg_catalog.->>) 'items'::pg_catalog.text)::pg_catalog.oid, c.name) l
			WHERE l IS NOT NULL ORDER BY c.n),
			(a OPERATOR(pg_catalog.->>) 'factors'::pg_catalog.text)::pg_catalog.int4)) END;
END;
COMMENT ON FUNCTION _dlints_measured(jsonb)
	IS 'arguments of a recommender with what was measured of its columns';

-- The statements of these parts, with the words that these arguments give
CREATE FUNCTION _dlints_filled(kind text, parts text, a jsonb, is_local boolean)
	RETURNS SETOF text
	LANGUAGE sql STABLE
BEGIN ATOMIC
	SELECT s
	FROM   _dlints_common_words(kind, a, is_local) common,
	       LATERAL (SELECT common OPERATOR(pg_catalog.->>) 'dlints'::pg_catalog.text AS dlints) d,
	       LATERAL (SELECT CASE kind WHEN 'ranker'::pg_catalog.text THEN _dlints_ranker_words(a, d.dlints)
	           ELSE _dlints_recommender_words(a, ARRAY(
	               SELECT _dlints_column(c.c, (c.c OPERATOR(pg_catalog.->>) 'width'::pg_catalog.text)::pg_catalog.int4,
	                                     d.dlints)
	               FROM   pg_catalog.jsonb_array_elements(
	                          a OPERATOR(pg_catalog.->) 'vectors'::pg_catalog.text
	                          OPERATOR(pg_catalog.->) 'columns'::pg_catalog.text)
	                          WITH ORDINALITY c (c, n) ORDER BY c.n), d.dlints) END AS words) own,
	       LATERAL _dlints_statements(kind, parts, common OPERATOR(pg_catalog.||) own.words) s;
END;
COMMENT ON FUNCTION _dlints_filled(text, text, jsonb, boolean)
	IS 'the statements of these parts of a recommender or a ranker';

-- The statements that make a recommender or a ranker
CREATE FUNCTION _dlints_made(kind text, given jsonb, path name[], is_local boolean)
	RETURNS SETOF text
	LANGUAGE sql VOLATILE
BEGIN ATOMIC
	SELECT s
	FROM   _dlints_arguments(kind, pg_catalog.jsonb_strip_nulls(given)) good,
	       LATERAL (SELECT CASE kind WHEN 'ranker'::pg_catalog.text THEN good
	           ELSE _dlints_measured(_dlints_resolve(
	               good, '{clicks,candidates,bonus,cap_group,promises}'::pg_catalog.text[], path)) END AS a) r,
	       LATERAL _dlints_filled(kind, '/([1-8][0-9]|90|99)_'::pg_catalog.text, r.a, is_local) s;
END;
COMMENT ON FUNCTION _dlints_made(text, jsonb, name[], boolean)
	IS 'the statements that make a recommender or a ranker';

-- The arguments that a recommender and a ranker are made with, and their defaults
CREATE FUNCTION _dlints_parameters(OUT kind text, OUT n integer, OUT name text, OUT type text,
		OUT is_optional boolean, OUT value text) RETURNS SETOF record
	LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
	VALUES
	('recommender'::pg_catalog.text, 1, 'name'::pg_catalog.text, 'text'::pg_catalog.text, false, NULL::pg_catalog.text),
	('recommender', 2, 'items', 'regclass', false, NULL),
	('recommender', 3, 'columns', 'text[]', false, NULL),
	('recommender', 4, 'clicks', 'text', true, NULL),
	('recommender', 5, 'candidates', 'text', true, 'true'),
	('recommender', 6, 'outcomes', 'jsonb', true, '{"click": 1}'),
	('recommender', 7, 'item_key', 'name', true, NULL),
	('recommender', 8, 'person_type', 'regtype', true, NULL),
	('recommender', 9, 'bonus', 'text', true, NULL),
	('recommender', 10, 'cap_group', 'text', true, NULL),
	('recommender', 11, 'cap', 'integer', true, NULL),
	('recommender', 12, 'factors', 'integer', true, '32'),
	('recommender', 13, 'half_life', 'interval', true, '7 days'),
	('recommender', 14, 'wait', 'interval', true, '30 minutes'),
	('recommender', 15, 'control', 'double precision', true, '0.1'),
	('recommender', 16, 'epsilon', 'double precision', true, '0.02'),
	('recommender', 17, 'keep', 'interval', true, '1 year'),
	('recommender', 18, 'places', 'double precision[]', true, NULL),
	('recommender', 19, 'archive', 'boolean', true, 'false'),
	('recommender', 20, 'value_limit', 'double precision', true, '1000'),
	('recommender', 21, 'exposure', 'double precision', true, '0.6'),
	('recommender', 22, 'diversity', 'double precision', true, '0'),
	('recommender', 23, 'promises', 'jsonb', true, '{}'),
	('ranker', 1, 'name', 'text', false, NULL),
	('ranker', 2, 'wait', 'interval', true, '10 minutes'),
	('ranker', 3, 'default_reward', 'double precision', true, '0'),
	('ranker', 4, 'repeated', 'text', true, 'first'),
	('ranker', 5, 'apprentice', 'boolean', true, 'false'),
	('ranker', 6, 'epsilon', 'double precision', true, '0.02'),
	('ranker', 7, 'half_life', 'interval', true, '30 days'),
	('ranker', 8, 'keep', 'interval', true, '1 year'),
	('ranker', 9, 'archive', 'boolean', true, 'false'),
	('ranker', 10, 'value_limit', 'double precision', true, '1000'),
	('ranker', 11, 'person_key', 'text', true, 'person'),
	('ranker', 12, 'vectors', 'jsonb', true, '{}'),
	('ranker', 13, 'promises', 'jsonb', true, '{}');
END;
COMMENT ON FUNCTION _dlints_parameters() IS 'the arguments of recommenders and rankers, with their defaults';

-- Arguments, with defaults for those that a version before this one did not know
CREATE FUNCTION _dlints_completed(kind text, a jsonb) RETURNS jsonb
	LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
	SELECT pg_catalog.jsonb_object_agg(p.name, CASE p.type
	           WHEN 'jsonb'::pg_catalog.text THEN p.value::pg_catalog.jsonb
	           WHEN 'boolean'::pg_catalog.text THEN p.value::pg_catalog.jsonb
	           ELSE pg_catalog.to_jsonb(p.value) END) OPERATOR(pg_catalog.||) a
	FROM   _dlints_parameters() p
	WHERE  p.kind OPERATOR(pg_catalog.=) _dlints_completed.kind AND p.value IS NOT NULL;
END;
COMMENT ON FUNCTION _dlints_completed(text, jsonb)
	IS 'arguments of a recommender or a ranker, with defaults where there are none';

-- Of each kind two functions with one list of arguments.  What a caller's search_path decides is
-- asked here, before another one is set.
DO $do$
DECLARE
	made record;
BEGIN
	FOR made IN
		WITH list AS (
			SELECT a.kind,
			       pg_catalog.string_agg(pg_catalog.concat(a.name, ' pg_catalog.', CASE a.type
			           WHEN 'integer'::pg_catalog.text THEN 'int4' WHEN 'boolean'::pg_catalog.text THEN 'bool'
			           WHEN 'double precision'::pg_catalog.text THEN 'float8'
			           WHEN 'double precision[]'::pg_catalog.text THEN 'float8[]'
			           ELSE a.type END, CASE WHEN a.is_optional
			           THEN pg_catalog.concat(' DEFAULT ', CASE a.type
			               WHEN 'integer'::pg_catalog.text THEN coalesce(a.value, 'NULL')
			               WHEN 'boolean'::pg_catalog.text THEN a.value
			               WHEN 'double precision'::pg_catalog.text THEN a.value
			               ELSE pg_catalog.quote_nullable(a.value) END) END),
			           ', '::pg_catalog.text ORDER BY a.n) AS declared,
			       pg_catalog.string_agg(pg_catalog.concat('''', a.name, ''', ', CASE a.name
			           WHEN 'name'::pg_catalog.text THEN '%2$s'
			           WHEN 'items'::pg_catalog.text THEN 'items::pg_catalog.oid'
			           WHEN 'person_type'::pg_catalog.text THEN 'person_type::pg_catalog.oid'
			           WHEN 'factors'::pg_catalog.text THEN 'coalesce(factors, 32)' ELSE a.name END),
			           ', '::pg_catalog.text ORDER BY a.n) AS given
			FROM   _dlints_parameters() a GROUP BY a.kind)
		SELECT l.kind, l.declared, pg_catalog.format(
		           '_dlints_made(%L::pg_catalog.text, pg_catalog.jsonb_build_object(%s), pg_catalog.current_schemas(false), %%1$s)',
		           l.kind, l.given) AS call,
		       CASE l.kind WHEN 'ranker'::pg_catalog.text THEN 'dlints_scaffold_ranker' ELSE 'dlints_scaffold' END AS scaffold,
		       CASE l.kind WHEN 'ranker'::pg_catalog.text
		       THEN '%1$I.rank(event, context, actions) ranks, %1$I.reward(event, value) tells how good the'
		            ' first one was, %1$I.run() is for cron, %1$I.report() says whether it works.'
		       ELSE 'SELECT * FROM %1$I.recommend(person) recommends, %1$I.reward(decision, item) tells of a'
		            ' click, %1$I.run() is for cron, %1$I.report() says whether it works.' END AS said
		FROM   list l
	LOOP
		EXECUTE pg_catalog.format(
			'CREATE FUNCTION %I(%s) RETURNS SETOF pg_catalog.text LANGUAGE sql VOLATILE
			BEGIN ATOMIC
				SELECT s FROM %s s;
			END', made.scaffold, made.declared, pg_catalog.format(made.call, 'false', 'name'));
		EXECUTE pg_catalog.format(
			'COMMENT ON FUNCTION %I IS %L', made.scaffold,
			pg_catalog.format('the statements that make a %s, one a row, for \gexec or a migration', made.kind));
		EXECUTE pg_catalog.format(
			'CREATE FUNCTION %I(%s) RETURNS pg_catalog.text LANGUAGE sql VOLATILE
			BEGIN ATOMIC
				SELECT pg_catalog.format(%L, name) FROM _dlints_execute(ARRAY(SELECT s FROM %s s));
			END', pg_catalog.concat('dlints_create_', made.kind), made.declared, made.said,
			pg_catalog.format(made.call, 'true', pg_catalog.format('_dlints_unused(%L::pg_catalog.text, name)', made.kind)));
		EXECUTE pg_catalog.format(
			'COMMENT ON FUNCTION %I IS %L', pg_catalog.concat('dlints_create_', made.kind), CASE made.kind
			WHEN 'ranker'::pg_catalog.text THEN
				'make a ranker: a schema of the caller''s own with tables and functions that rank actions given with each request'
			ELSE 'make a recommender: a schema of the caller''s own with what recommends the rows of a table' END);
	END LOOP;
END
$do$;
-- Change what is there ------------------------------------------------------------

-- What a recommender or a ranker was made with.  What could have been renamed since is read from
-- what was bound to it.
CREATE FUNCTION _dlints_known(wanted text, name text, OUT kind text, OUT arguments jsonb, OUT version text)
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	schema oid := (SELECT oid FROM pg_namespace WHERE nspname = name);
BEGIN
	IF EXISTS (SELECT FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'version'
	           WHERE c.relnamespace = schema AND c.relname = 'setting' AND c.relkind = 'r') THEN
		EXECUTE format('SELECT kind, arguments, version FROM %I.setting', name) INTO kind, arguments, version;
	END IF;
	IF kind IS NULL OR kind <> wanted THEN
		RAISE 'there is no % "%"', coalesce(wanted, 'recommender or ranker'), name
			USING ERRCODE = 'undefined_object', HINT = CASE WHEN kind IS NULL THEN 'The view dlints_recommenders lists them.'
			ELSE format('It is a %s.', kind) END;
	END IF;
	IF kind = 'recommender' THEN
		-- the view of keys reads one column of one relation
		SELECT arguments || jsonb_build_object('items', a.attrelid::oid, 'item_key', a.attname) INTO arguments
		FROM   pg_class v JOIN pg_rewrite r ON r.ev_class = v.oid
		       JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
		           AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> v.oid AND d.refobjsubid > 0
		       JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
		WHERE  v.relnamespace = schema AND v.relname = 'item';
		arguments := arguments || jsonb_build_object(
			'name', name,
			'person_type', (SELECT a.atttypid FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
			                WHERE c.relnamespace = schema AND c.relname = 'decision' AND a.attname = 'person'));
	ELSE
		arguments := arguments || jsonb_build_object('name', name);
	END IF;
END
$$;
COMMENT ON FUNCTION _dlints_known(text, text) IS 'what a recommender or a ranker was made with';

-- One who changes a recommender or a ranker at a time, and that is its owner: what others find in the
-- schema may be anything, and what they make would be theirs.
CREATE FUNCTION _dlints_lock(name text) RETURNS text
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	schema pg_namespace;
	tables name[];
BEGIN
	SELECT n.* INTO schema FROM pg_namespace n WHERE n.nspname = name;
	tables := ARRAY(SELECT relname FROM pg_class WHERE relnamespace = schema.oid AND relkind = 'r'
	                AND relname IN ('setting', 'model', 'job', 'item_vector', 'beginning'));
	IF 'setting' <> ALL (tables) THEN
		RETURN name;	-- which others say
	END IF;
	-- To read a table, even to plan that, may run its owner's code.
	IF EXISTS (SELECT schema.nspowner UNION SELECT relowner FROM pg_class
	           WHERE relnamespace = schema.oid AND relkind IN ('r', 'p', 'v')
	           EXCEPT SELECT oid FROM pg_roles WHERE rolname = current_user) THEN
		-- to become the owner of the schema does not help whoever is that already
		RAISE 'must be the owner of schema "%", and of all in it', name USING ERRCODE = 'insufficient_privilege',
			HINT = CASE WHEN pg_get_userbyid(schema.nspowner) <> current_user
			       THEN format('SET ROLE %I.', pg_get_userbyid(schema.nspowner))
			       ELSE 'ALTER SCHEMA ... OWNER TO leaves what is in it to its owner, and REASSIGN OWNED hands over all.'
			       END;
	ELSIF NOT tables @> '{setting,model,job}' THEN
		RETURN name;
	END IF;
	-- in the order in which run() and all that it calls do
	EXECUTE format('SELECT FROM %I.job WHERE name IN (''refresh'', ''refit'') ORDER BY name DESC FOR UPDATE', name);
	IF tables @> '{item_vector,beginning}' THEN
		EXECUTE format('LOCK TABLE %1$I.item_vector, %1$I.beginning IN SHARE ROW EXCLUSIVE MODE', name);
	END IF;
	EXECUTE format('SELECT FROM %I.model ORDER BY name FOR UPDATE', name);
	EXECUTE format('SELECT FROM %I.setting FOR UPDATE', name);
	RETURN name;
END
$$;
COMMENT ON FUNCTION _dlints_lock(text) IS 'a recommender or a ranker is changed by one at a time, its owner';

-- The arguments after a change; the texts that are bound anew; the parts that may have changed; and
-- those that are to be done
CREATE FUNCTION _dlints_changed(kind text, was jsonb, version text, change jsonb,
		OUT a jsonb, OUT texts text[], OUT bound text, OUT made text, OUT done text)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	key text;
	changes text[] := CASE kind
		WHEN 'ranker' THEN '{wait,default_reward,repeated,epsilon,half_life,keep,archive,value_limit,person_key,'
			'vectors,promises}'::text[]
		ELSE '{clicks,candidates,outcomes,bonus,cap_group,cap,diversity,half_life,wait,control,epsilon,keep,places,archive,'
			'value_limit,exposure,promises}' END;
	resets boolean;
	discards boolean;
BEGIN
	IF jsonb_typeof(change) IS DISTINCT FROM 'object' THEN
		RAISE 'a change is an object of arguments and what they become'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'For example {"wait": "1 hour"}.';
	ELSIF version IS DISTINCT FROM (SELECT extversion FROM pg_extension WHERE extname = 'dlints') THEN
		RAISE 'this % was written by dlints %', kind, version
			USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call dlints_renew first.';
	END IF;
	FOR key IN SELECT jsonb_object_keys(change) LOOP
		IF key IN ('name', 'items', 'columns', 'item_key', 'person_type', 'factors') AND kind = 'recommender' THEN
			RAISE '% of a recommender cannot be changed', key USING ERRCODE = 'feature_not_supported',
				DETAIL = 'Its models know the numbers of a vector by their places.',
				HINT = 'Create another recommender beside it, and drop this one when that one has learned.';
		ELSIF key <> ALL (changes) THEN
			RAISE 'a % has no argument "%"', kind, key USING ERRCODE = 'invalid_parameter_value',
				HINT = 'What can be changed is ' || array_to_string(changes, ', ') || '.';
		END IF;
	END LOOP;
	-- what is promised of an action is no feature
	resets := change ?| '{half_life,outcomes,vectors}' OR kind = 'ranker' AND jsonb_typeof(change -> 'promises') = 'object'
		AND ARRAY(SELECT jsonb_object_keys(was -> 'promises')) <> ARRAY(SELECT jsonb_object_keys(change -> 'promises'));
	discards := coalesce((was ->> 'archive')::boolean AND change -> 'archive' = 'false', false);
	IF resets AND (was ->> 'archive')::boolean AND NOT discards THEN
		RAISE 'a % with an archive cannot learn its log anew', kind USING ERRCODE = 'feature_not_supported',
			DETAIL = format('What is archived was learned under the half-life and the %s that it has.',
				CASE kind WHEN 'ranker' THEN 'vectors' ELSE 'outcomes' END),
			HINT = 'With "archive": false in the same change the archive is discarded.';
	END IF;
	a := jsonb_strip_nulls(was || change);
	texts := ARRAY(SELECT unnest('{clicks,candidates,bonus,cap_group,promises}'::text[])
	               INTERSECT SELECT jsonb_object_keys(change));
	bound := '/27_(' || array_to_string(texts, '|') || ')$';
	made := '/(29|[3-8][0-9])_';
	done := '/91_'
		|| CASE WHEN discards THEN '|/(92_archive|93_rebuild)$' ELSE '' END
		|| CASE WHEN resets THEN '|/92_models$' ELSE '' END
		|| CASE WHEN resets OR change ?| '{places,default_reward}' THEN '|/93_' ELSE '' END
		|| CASE WHEN change ?| '{clicks,exposure}' THEN '|/94_' ELSE '' END
		|| CASE WHEN change ? 'clicks' THEN '|/90_clicks$' ELSE '' END
		|| CASE WHEN change ?| '{candidates,bonus,cap_group}' THEN '|/90_texts$' ELSE '' END
		|| CASE WHEN change ? 'promises' THEN '|/90_(costs|promises)$|/98_costs$' ELSE '' END;
END
$$;
COMMENT ON FUNCTION _dlints_changed(text, jsonb, text, jsonb)
	IS 'the arguments of a recommender or a ranker after a change, and what has to be made anew';

-- The statements of a change: those that bind the texts; of those that make something the ones that it
-- changes, since a view that is replaced is locked; and what is to be done.
CREATE FUNCTION _dlints_change(wanted text, name text, change jsonb, path name[])
	RETURNS SETOF text
	LANGUAGE sql VOLATILE
BEGIN ATOMIC
	WITH asked AS MATERIALIZED (
		SELECT was.kind, c.texts, c.bound, c.made, c.done, _dlints_arguments(was.kind, c.a) AS good,
		       _dlints_completed(was.kind, was.arguments) AS before
		FROM   _dlints_lock(name) locked,
		       LATERAL _dlints_known(wanted, locked) was,
		       LATERAL _dlints_changed(was.kind, _dlints_completed(was.kind, was.arguments), was.version, change) c),
	argument AS MATERIALIZED (
		SELECT q.*, CASE q.kind WHEN 'ranker'::pg_catalog.text THEN q.good
		           ELSE _dlints_resolve(q.good, q.texts, path) END AS now,
		       CASE q.kind WHEN 'ranker'::pg_catalog.text THEN q.before
		           ELSE _dlints_resolve(q.before, '{}'::pg_catalog.text[], path) END AS old
		FROM   asked q)
	SELECT f.s
	FROM   argument a,
	       LATERAL (SELECT ARRAY(SELECT o FROM _dlints_filled(a.kind, a.made, a.old, true) o) AS s) old,
	       LATERAL (SELECT 0 AS part, n.s, n.n
	                FROM   _dlints_filled(a.kind, a.bound, a.now, true) WITH ORDINALITY n (s, n)
	                UNION ALL
	                SELECT 1, n.s, n.n
	                FROM   _dlints_filled(a.kind, a.made, a.now, true) WITH ORDINALITY n (s, n)
	                WHERE  n.s OPERATOR(pg_catalog.<>) ALL (old.s)
	                OR     pg_catalog.starts_with(n.s, 'SELECT pg_catalog.set_config'::pg_catalog.text)
	                UNION ALL
	                SELECT 2, n.s, n.n
	                FROM   _dlints_filled(a.kind, a.done, a.now, true) WITH ORDINALITY n (s, n)) f
	ORDER  BY f.part, f.n;
END;
COMMENT ON FUNCTION _dlints_change(text, text, jsonb, name[]) IS 'the statements of a change';

CREATE FUNCTION dlints_alter_recommender(name text, change jsonb) RETURNS void
	LANGUAGE sql VOLATILE
BEGIN ATOMIC
	SELECT FROM _dlints_execute(ARRAY(
		SELECT s FROM _dlints_change('recommender'::pg_catalog.text, name, change,
			pg_catalog.current_schemas(false)) s));
END;
COMMENT ON FUNCTION dlints_alter_recommender(text, jsonb)
	IS 'change arguments of a recommender: its tables stay, its functions are made anew';

CREATE FUNCTION dlints_alter_ranker(name text, change jsonb) RETURNS void
	LANGUAGE sql VOLATILE
BEGIN ATOMIC
	SELECT FROM _dlints_execute(ARRAY(
		SELECT s FROM _dlints_change('ranker'::pg_catalog.text, name, change,
			pg_catalog.current_schemas(false)) s));
END;
COMMENT ON FUNCTION dlints_alter_ranker(text, jsonb)
	IS 'change arguments of a ranker: its tables stay, its functions are made anew';

-- Makes functions and views anew.  Where one cannot be replaced, since another version gave it other
-- columns or arguments, it is dropped with all that come after it, and they are made again: what comes
-- before does not depend on it, and a user's view of that is left alone.  Who may do what with them stays.
CREATE FUNCTION _dlints_replace(name text, statements text[]) RETURNS bigint
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET jit = off AS
$$
DECLARE
	schema oid := (SELECT oid FROM pg_namespace WHERE nspname = name);
	statement text;
	done integer := 0;
	made record;
	old record;
	granted jsonb := (
		SELECT coalesce(jsonb_agg(to_jsonb(g)), '[]') FROM (
			SELECT 'FUNCTION' AS kind, p.proname AS object, a.grantee, a.privilege_type AS privilege, a.is_grantable
			FROM   pg_proc p, aclexplode(p.proacl) a WHERE p.pronamespace = schema AND a.grantee <> p.proowner
			UNION ALL
			SELECT 'TABLE', c.relname, a.grantee, a.privilege_type, a.is_grantable
			FROM   pg_class c, aclexplode(c.relacl) a
			WHERE  c.relnamespace = schema AND c.relkind = 'v' AND a.grantee <> c.relowner) g);
	known text[] := ARRAY(SELECT proname FROM pg_proc WHERE pronamespace = schema AND prosecdef);
	ours text[] := ARRAY(
		SELECT m[1] FROM unnest(statements) s,
		       regexp_match(s, 'CREATE OR REPLACE (?:FUNCTION|VIEW) (?:\w+|"(?:[^"]|"")+")\.(\w+)') m WHERE m IS NOT NULL);
BEGIN
	-- what was revoked when a function was made may have been granted since
	statements := ARRAY(SELECT s FROM unnest(statements) WITH ORDINALITY u (s, n)
	                    WHERE coalesce((regexp_match(s, '^REVOKE .*\.(\w+) FROM PUBLIC'))[1] <> ALL (known), true)
	                    ORDER BY n);
	BEGIN
		FOREACH statement IN ARRAY statements LOOP
			EXECUTE statement;
			-- one called otherwise is now beside it
			IF (SELECT count(*) FROM pg_proc p WHERE p.pronamespace = schema AND p.proname = (regexp_match(statement,
			        'CREATE OR REPLACE FUNCTION (?:\w+|"(?:[^"]|"")+")\.(\w+)'))[1]) > 1 THEN
				RAISE invalid_function_definition;
			END IF;
			done := done + 1;
		END LOOP;
		RETURN cardinality(statements);
	EXCEPTION WHEN invalid_function_definition OR invalid_table_definition OR ambiguous_function
			OR undefined_function OR undefined_column THEN
		NULL;
	END;
	FOR made IN
		SELECT m[1] AS kind, m[2] AS object
		FROM   unnest(statements) WITH ORDINALITY u (s, n),
		       regexp_match(s, 'CREATE OR REPLACE (FUNCTION|VIEW) (?:\w+|"(?:[^"]|"")+")\.(\w+)') m
		WHERE  m IS NOT NULL AND n > done ORDER BY n DESC
	LOOP
		FOR old IN
			SELECT p.oid::regprocedure::text AS object FROM pg_proc p
			WHERE  made.kind = 'FUNCTION' AND p.proname = made.object AND p.pronamespace = schema
			UNION ALL
			SELECT c.oid::regclass::text FROM pg_class c
			WHERE  made.kind = 'VIEW' AND c.relname = made.object AND c.relnamespace = schema
		LOOP
			EXECUTE format('DROP %s %s', made.kind, old.object);
		END LOOP;
	END LOOP;
	FOREACH statement IN ARRAY statements LOOP
		EXECUTE statement;
	END LOOP;
	FOR old IN
		SELECT 'FUNCTION' AS kind, oid::regprocedure::text AS name, proname AS object, false AS is_entrusted
		FROM   pg_proc
		WHERE  pronamespace = schema AND prosecdef AND proname = ANY (known) AND proname = ANY (ours)
		UNION
		SELECT g.kind, coalesce(p.oid::regprocedure::text, c.oid::regclass::text), g.object,
		       coalesce(p.prosecdef AND p.proname <> ALL (known), false)
		FROM   (SELECT DISTINCT kind, object FROM jsonb_to_recordset(granted) g (kind text, object text)) g
		       LEFT JOIN pg_proc p ON g.kind = 'FUNCTION' AND p.proname = g.object AND p.pronamespace = schema
		       LEFT JOIN pg_class c ON g.kind = 'TABLE' AND c.relname = g.object AND c.relnamespace = schema
	LOOP
		CONTINUE WHEN old.name IS NULL OR old.object <> ALL (ours);
		EXECUTE format('REVOKE ALL ON %s %s FROM PUBLIC', old.kind, old.name);
		FOR made IN SELECT * FROM jsonb_to_recordset(granted)
		                g (kind text, object text, grantee oid, privilege text, is_grantable boolean)
		            WHERE g.kind = old.kind AND g.object = old.object
		            AND   NOT (old.is_entrusted AND g.grantee = 0)	-- with the owner's rights from now on
		LOOP
			EXECUTE format('GRANT %s ON %s %s TO %s%s', made.privilege, old.kind, old.name,
			               CASE made.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(made.grantee)) END,
			               CASE WHEN made.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END);
		END LOOP;
	END LOOP;
	RETURN cardinality(statements);
END
$$;
COMMENT ON FUNCTION _dlints_replace(text, text[]) IS 'makes functions and views of a schema anew';

CREATE FUNCTION dlints_renew(name text) RETURNS void
	LANGUAGE sql VOLATILE
BEGIN ATOMIC
	SELECT FROM _dlints_replace(name, ARRAY(
		SELECT s
		FROM   _dlints_lock(name) locked,
		       LATERAL _dlints_known(NULL, locked) was,
		       LATERAL _dlints_arguments(was.kind, _dlints_completed(was.kind, was.arguments)) good,
		       LATERAL (SELECT CASE was.kind WHEN 'ranker'::pg_catalog.text THEN good
		           ELSE _dlints_resolve(good, '{}'::pg_catalog.text[], '{}'::pg_catalog.name[]) END AS a) r,
		       LATERAL _dlints_filled(was.kind, pg_catalog.concat('/(15|25|29|[3-8][0-9]|91|99)_', CASE WHEN NOT EXISTS (
		           SELECT FROM pg_catalog.pg_class c
		                       JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
		           WHERE n.nspname OPERATOR(pg_catalog.=) name::pg_catalog.name
		           AND   c.relname OPERATOR(pg_catalog.=) 'promised_text'::pg_catalog.name)
		           THEN '|/27_promises$' END), r.a, true) s));
END;
COMMENT ON FUNCTION dlints_renew(text)
	IS 'write the functions of a recommender or a ranker anew, as this version of dlints has them, and migrate its tables';

-- What a page needs: to call, and nothing else
CREATE FUNCTION dlints_grant(name text, role text) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	entry regprocedure;
BEGIN
	IF NOT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	               WHERE n.nspname = name AND c.relname = 'setting') THEN
		RAISE 'there is no recommender or ranker "%"', name
			USING ERRCODE = 'undefined_object', HINT = 'The view dlints_recommenders lists them.';
	END IF;
	EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', name, role);
	FOR entry IN SELECT p.oid FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
	             WHERE n.nspname = name AND p.prosecdef
	             AND p.proname IN ('recommend', 'more_like', 'next', 'trending', 'reward', 'why', 'rank', 'activate') LOOP
		EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', entry, role);
	END LOOP;
END
$$;
COMMENT ON FUNCTION dlints_grant(text, text)
	IS 'let a role call what a page calls of a recommender or a ranker, and nothing else';

-- Every recommender and ranker of this database.  What somebody else has made is looked at in the
-- catalogues alone: to read a table, even to plan that, may run its owner's code.
CREATE FUNCTION _dlints_schemas(OUT name text, OUT owner text, OUT kind text, OUT version text,
		OUT current boolean, OUT items bigint, OUT decisions bigint, OUT due bigint, OUT last_run timestamptz)
	RETURNS SETOF record
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET row_security = off AS
$$
DECLARE
	schema record;
	written text[];
BEGIN
	FOR schema IN
		SELECT n.oid, n.nspname, n.nspowner, s.oid AS setting,
		       n.nspowner = me.oid AND NOT EXISTS (
		           SELECT FROM pg_class c WHERE c.relnamespace = n.oid AND c.relowner <> me.oid) AS is_mine
		FROM   pg_namespace n JOIN pg_roles me ON me.rolname = current_user
		       JOIN pg_class s ON s.relnamespace = n.oid AND s.relname = 'setting' AND s.relkind = 'r'
		WHERE  obj_description(s.oid, 'pg_class') ~ '^dlints \S+: (recommender|ranker)$'
		AND    has_schema_privilege(n.oid, 'USAGE')
		ORDER  BY n.nspname
	LOOP
		name := schema.nspname;
		owner := pg_get_userbyid(schema.nspowner);
		written := regexp_match(obj_description(schema.setting, 'pg_class'), '^dlints (\S+): (\w+)$');
		version := written[1];
		kind := written[2];
		current := version = (SELECT extversion FROM pg_extension WHERE extname = 'dlints');
		SELECT sum(pg_stat_get_live_tuples(c.oid)) FILTER (WHERE c.relname = 'item_vector'),
		       sum(pg_stat_get_live_tuples(c.oid)) FILTER (WHERE c.relname ~ '^decision_'),
		       sum(pg_stat_get_live_tuples(c.oid)) FILTER (WHERE c.relname = 'due')
		INTO   items, decisions, due
		FROM   pg_class c WHERE c.relnamespace = schema.oid AND c.relkind = 'r';
		last_run := NULL;
		IF schema.is_mine THEN
			BEGIN
				EXECUTE format('SELECT max(done_at) FROM %I.job WHERE name = %L', name, 'run') INTO last_run;
			EXCEPTION WHEN OTHERS THEN
				NULL;	-- one that is broken hides no other
			END;
		END IF;
		RETURN NEXT;
	END LOOP;
END
$$;
COMMENT ON FUNCTION _dlints_schemas() IS 'recommenders and rankers of this database';

CREATE VIEW dlints_recommenders AS SELECT * FROM _dlints_schemas();
GRANT SELECT ON dlints_recommenders TO PUBLIC;
COMMENT ON VIEW dlints_recommenders
	IS 'recommenders and rankers of this database: whose they are, which dlints wrote them, about how many items and decisions they have, what is not learned yet, and of the caller''s own when run() was last called';

-- What an update script ends with
CREATE FUNCTION _dlints_say_outdated() RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS
$$
DECLARE
	schema record;
BEGIN
	FOR schema IN SELECT n.nspname, pg_get_userbyid(n.nspowner) AS owner
		FROM   pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'setting' AND c.relkind = 'r'
		WHERE  obj_description(c.oid, 'pg_class') ~ '^dlints \S+: (recommender|ranker)$'
		ORDER  BY 1
	LOOP
		RAISE NOTICE 'schema "%" was written by another version of dlints', schema.nspname
			USING HINT = format('SELECT dlints_renew(%L), as %I, writes its functions anew.', schema.nspname, schema.owner);
	END LOOP;
END
$$;
COMMENT ON FUNCTION _dlints_say_outdated() IS 'says which recommenders and rankers want to be renewed';
-- A recommender tried on its log, before there is one -----------------------------

-- A schema that nobody else has
CREATE FUNCTION _dlints_trial_name() RETURNS text
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS
$$
BEGIN
	RETURN 'dlints_backtest_' || left(md5(gen_random_uuid()::text), 16);
END
$$;
COMMENT ON FUNCTION _dlints_trial_name() IS 'a schema that nobody else has';

-- The statements of a recommender to which the end of its log is unknown, and of what is compared
CREATE FUNCTION _dlints_trial(trial text, given jsonb, people integer, path name[], objects text[]) RETURNS SETOF text
	LANGUAGE sql VOLATILE
BEGIN ATOMIC
	SELECT s
	FROM   _dlints_arguments('recommender'::pg_catalog.text, _dlints_completed('recommender'::pg_catalog.text,
	           given OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object(
	               'name', trial, 'people', people, 'outcomes', '{"click": 1}'::pg_catalog.jsonb,
	               'control', 0, 'epsilon', 0, 'candidates', 'true', 'archive', false))) good,
	       LATERAL _dlints_resolve(good, '{clicks}'::pg_catalog.text[], path) r,
	       LATERAL _dlints_measured(r) a,
	       pg_catalog.unnest(objects OPERATOR(pg_catalog.||) '{"/[3-8][0-9]_",/96_,/90_,/97_}'::pg_catalog.text[])
	           WITH ORDINALITY p (parts, n),
	       LATERAL _dlints_filled('recommender'::pg_catalog.text, p.parts, a, true)
	           WITH ORDINALITY f (s, m)
	ORDER  BY p.n, f.m;
END;
COMMENT ON FUNCTION _dlints_trial(text, jsonb, integer, name[], text[])
	IS 'the statements that try a recommender on its log';

-- Executes these, which make such a schema, tells what came of it, and leaves nothing behind.  Estimates of its
-- many small statements are so high that each would be compiled.
CREATE FUNCTION _dlints_tried(trial text, statements text[],
	OUT policy text, OUT hit_rate float8, OUT hit_rate_stderr float8,
	OUT ndcg float8, OUT ndcg_stderr float8, OUT verdict text) RETURNS SETOF record
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET jit = off AS
$$
DECLARE
	statement text;
	result jsonb;
	done boolean := false;
BEGIN
	BEGIN
		FOREACH statement IN ARRAY statements LOOP
			EXECUTE statement;
		END LOOP;
		EXECUTE format('SELECT jsonb_agg(to_jsonb(r)) FROM %I.comparison r', trial) INTO result;
		done := true;
		RAISE EXCEPTION USING ERRCODE = 'DL001';	-- undoes all of this
	EXCEPTION WHEN SQLSTATE 'DL001' THEN
		IF NOT done THEN	-- somebody else's
			RAISE;
		END IF;
	END;
	RETURN QUERY SELECT r.* FROM jsonb_to_recordset(result) r (
		policy text, hit_rate float8, hit_rate_stderr float8, ndcg float8, ndcg_stderr float8, verdict text);
END
$$;
COMMENT ON FUNCTION _dlints_tried(text, text[])
	IS 'what comes of the statements of a trial, which leaves nothing behind';

CREATE FUNCTION dlints_backtest(items regclass, columns text[], clicks text, item_key name DEFAULT NULL,
	person_type regtype DEFAULT NULL, factors integer DEFAULT 32, people integer DEFAULT 300)
	RETURNS TABLE (policy text, hit_rate float8, hit_rate_stderr float8, ndcg float8, ndcg_stderr float8,
	               verdict text)
	LANGUAGE sql VOLATILE
BEGIN ATOMIC
	SELECT t.policy, t.hit_rate, t.hit_rate_stderr, t.ndcg, t.ndcg_stderr, t.verdict
	FROM   _dlints_trial_name() n, LATERAL _dlints_tried(n, ARRAY(
		SELECT s FROM _dlints_trial(n, pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
			'items', items::pg_catalog.oid, 'columns', columns, 'clicks', clicks, 'item_key', item_key,
			'person_type', person_type::pg_catalog.oid, 'factors', factors)), people,
			pg_catalog.current_schemas(false), '{"/[12][0-9]_"}'::pg_catalog.text[]) s)) t;
END;
COMMENT ON FUNCTION dlints_backtest(regclass, text[], text, name, regtype, integer, integer)
	IS 'hide the end of a click log, and compare what is recommended of the rest: most popular, popular in the same columns, clicked by the same people, a recommender';

-- The same of a recommender that there is; what was clicked on its lists counts as its log does
CREATE FUNCTION _dlints_backtest(name text, clicks text, people integer)
	RETURNS TABLE (policy text, hit_rate float8, hit_rate_stderr float8, ndcg float8, ndcg_stderr float8,
	               verdict text)
	LANGUAGE sql VOLATILE
BEGIN ATOMIC
	SELECT t.policy, t.hit_rate, t.hit_rate_stderr, t.ndcg, t.ndcg_stderr, t.verdict
	FROM   _dlints_trial_name() n, LATERAL _dlints_tried(n, ARRAY(
		SELECT s
		FROM   _dlints_known('recommender'::pg_catalog.text, name) k,
		       LATERAL _dlints_trial(n, k.arguments
		           OPERATOR(pg_catalog.-) '{bonus,cap_group,cap,diversity,places,promises,bound}'::pg_catalog.text[]
		           OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object('clicks', clicks, 'tried', name), people,
		           '{}'::pg_catalog.name[], '{"/(1[0-9]|2[0-57-9])_|/26_(item|encode_document)$",/95_}'::pg_catalog.text[]) s)) t;
END;
COMMENT ON FUNCTION _dlints_backtest(text, text, integer) IS 'a recommender is tried on its log';
-- Administration --------------------------------------------------------------

-- A view runs with its owner's rights, a superuser's.  It reads catalogues that
-- are everybody's to read, and shows what its caller may see.  Names and
-- operators are qualified, since what is found for them here stays.
CREATE VIEW dlints_columns AS
WITH RECURSIVE model_type (oid) AS (
	SELECT 'dlints'::pg_catalog.regtype::pg_catalog.oid
	UNION ALL
	SELECT t.oid FROM pg_catalog.pg_type t JOIN model_type b ON t.typbasetype OPERATOR(pg_catalog.=) b.oid
)
SELECT
	c.oid::pg_catalog.regclass AS relation,
	a.attname,
	pg_catalog.format_type(a.atttypid, a.atttypmod) AS type,
	pg_catalog.pg_stat_get_live_tuples(c.oid) AS live_rows,
	pg_catalog.pg_stat_get_tuples_updated(c.oid) AS updated_rows,
	pg_catalog.pg_total_relation_size(c.oid) AS bytes,
	pg_catalog.pg_stat_get_dead_tuples(c.reltoastrelid) OPERATOR(pg_catalog.*)
		(pg_catalog.current_setting('block_size')::pg_catalog.int8 OPERATOR(pg_catalog./) 4::pg_catalog.int8) AS dead_bytes,
	GREATEST(pg_catalog.pg_stat_get_last_vacuum_time(c.reltoastrelid),
		pg_catalog.pg_stat_get_last_autovacuum_time(c.reltoastrelid)) AS last_vacuum
FROM pg_catalog.pg_attribute a
JOIN model_type m ON a.atttypid OPERATOR(pg_catalog.=) m.oid
JOIN pg_catalog.pg_class c ON a.attrelid OPERATOR(pg_catalog.=) c.oid
WHERE c.relkind OPERATOR(pg_catalog.=) ANY ('{r,m}'::pg_catalog."char"[])
	AND NOT a.attisdropped
	AND NOT pg_catalog.pg_is_other_temp_schema(c.relnamespace)
	AND pg_catalog.has_schema_privilege(c.relnamespace, 'USAGE')
	AND pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT');
GRANT SELECT ON dlints_columns TO PUBLIC;
COMMENT ON VIEW dlints_columns
	IS 'columns of models in tables and materialized views, how large these are and how busy';
