/* sql/dlints--0.1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION dlints" to load this file. \quit

-- Type ----------------------------------------------------------------------

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
	IS 'dlints(context_dim), dlints(context_dim, reduced_dim), dlints(context_dim, 0, shared_dim), dlints(context_dim, matched), dlints(context_dim, reduced_dim, matched), each perhaps with intercept';

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
	IS 'contextual-bandit model: discounted linear Thompson sampling over randomly projected contexts';

CREATE FUNCTION dlints(dlints, integer, boolean) RETURNS dlints
	AS 'MODULE_PATHNAME', 'dlints_enforce_typmod' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints(dlints, integer, boolean)
	IS 'check a model against the sizes of a column';

CREATE CAST (dlints AS dlints)
	WITH FUNCTION dlints(dlints, integer, boolean) AS IMPLICIT;
COMMENT ON CAST (dlints AS dlints) IS 'check a model against the sizes of a column';

CREATE FUNCTION dlints_to_jsonb(dlints) RETURNS jsonb
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION dlints_to_jsonb(dlints)
	IS 'a model as jsonb: parameters, counts and, memory by memory, the evidence';

CREATE FUNCTION dlints_from_jsonb(jsonb) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
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

-- Models --------------------------------------------------------------------

CREATE FUNCTION dlints_new(
	context_dim integer,
	reduced_dim integer DEFAULT NULL,
	discount double precision DEFAULT NULL,
	half_life interval DEFAULT NULL,
	memories integer DEFAULT NULL,
	ridge double precision DEFAULT NULL,
	exploration double precision DEFAULT 0.25,
	noise double precision DEFAULT NULL,
	policy text DEFAULT 'thompson',
	shared_dim integer DEFAULT 0,
	interactions text DEFAULT NULL,
	intercept boolean DEFAULT true,
	seed bigint DEFAULT 0,
	projection_scale double precision DEFAULT NULL
) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_new(
	integer, integer, double precision, interval, integer, double precision, double precision,
	double precision, text, integer, text, boolean, bigint, double precision)
	IS 'a model that has seen nothing; context_dim 1 to 65536, reduced_dim 1 to 1024 or NULL for no projection, discount 1e-100 to 1, half_life at least a millisecond, memories 1 to 8, ridge 1e-100 to 1e100 or NULL to find it, exploration 0 to 1e100, noise NULL to estimate it, shared_dim 0 to 65536, interactions crossed or matched, projection_scale 1e-10 to 1e10';

CREATE FUNCTION dlints_set(
	model dlints,
	ridge double precision DEFAULT NULL,
	exploration double precision DEFAULT NULL,
	noise double precision DEFAULT NULL,
	policy text DEFAULT NULL,
	prior_weight double precision DEFAULT NULL
) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION dlints_set(
	dlints, double precision, double precision, double precision, text, double precision)
	IS 'the model with other parameters and the same evidence; NULL keeps a parameter, a ridge of 0 has it found, a noise of 0 estimated, a prior_weight of 0 removes the prior';

-- Learn ---------------------------------------------------------------------

CREATE FUNCTION dlints_update(
	model dlints,
	context anycompatiblearray,
	reward double precision,
	at timestamp with time zone DEFAULT NULL,
	weight double precision DEFAULT NULL
) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION dlints_update(
	dlints, anycompatiblearray, double precision, timestamp with time zone, double precision)
	IS 'the model after one more observation; a NULL context or reward is no observation';

CREATE FUNCTION dlints_update(
	model dlints,
	context anycompatiblearray,
	shared anycompatiblearray,
	reward double precision,
	at timestamp with time zone DEFAULT NULL,
	weight double precision DEFAULT NULL
) RETURNS dlints
	AS 'MODULE_PATHNAME', 'dlints_update_shared' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION dlints_update(
	dlints, anycompatiblearray, anycompatiblearray, double precision, timestamp with time zone,
	double precision)
	IS 'the model after one more observation under a shared context; a NULL context, shared context or reward is no observation';

CREATE FUNCTION dlints_update_batch(
	model dlints,
	contexts anycompatiblearray,
	rewards double precision[],
	ats timestamp with time zone[] DEFAULT NULL,
	weights double precision[] DEFAULT NULL
) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION dlints_update_batch(
	dlints, anycompatiblearray, double precision[], timestamp with time zone[],
	double precision[])
	IS 'the model after a batch of observations, oldest first; contexts has one row for each reward';

CREATE FUNCTION dlints_update_batch(
	model dlints,
	contexts anycompatiblearray,
	shareds anycompatiblearray,
	rewards double precision[],
	ats timestamp with time zone[] DEFAULT NULL,
	weights double precision[] DEFAULT NULL
) RETURNS dlints
	AS 'MODULE_PATHNAME', 'dlints_update_batch_shared' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION dlints_update_batch(
	dlints, anycompatiblearray, anycompatiblearray, double precision[],
	timestamp with time zone[], double precision[])
	IS 'the model after a batch of observations, oldest first; contexts and shareds have one row for each reward';

CREATE FUNCTION dlints_update_reduced(
	model dlints,
	reduced anycompatiblearray,
	reward double precision,
	at timestamp with time zone DEFAULT NULL,
	weight double precision DEFAULT NULL
) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION dlints_update_reduced(
	dlints, anycompatiblearray, double precision, timestamp with time zone, double precision)
	IS 'the model after an observation whose reduced context was logged';

CREATE FUNCTION dlints_accepts(
	model dlints,
	context anycompatiblearray,
	reward double precision DEFAULT 0,
	at timestamp with time zone DEFAULT NULL,
	weight double precision DEFAULT NULL
) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_accepts(
	dlints, anycompatiblearray, double precision, timestamp with time zone, double precision)
	IS 'would dlints_update learn this observation, never an error';

CREATE FUNCTION dlints_accepts(
	model dlints,
	context anycompatiblearray,
	shared anycompatiblearray,
	reward double precision DEFAULT 0,
	at timestamp with time zone DEFAULT NULL,
	weight double precision DEFAULT NULL
) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dlints_accepts_shared' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_accepts(
	dlints, anycompatiblearray, anycompatiblearray, double precision, timestamp with time zone,
	double precision)
	IS 'would dlints_update learn this observation under a shared context, never an error';

CREATE FUNCTION dlints_evidence_transfn(dlints, dlints, real[], double precision) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_evidence_transfn(dlints, dlints, real[], double precision)
	IS 'transition function of dlints_evidence';

CREATE FUNCTION dlints_evidence_at_transfn(
	dlints, dlints, real[], double precision, timestamp with time zone) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_evidence_at_transfn(
	dlints, dlints, real[], double precision, timestamp with time zone)
	IS 'transition function of dlints_evidence with times';

CREATE FUNCTION dlints_evidence_weight_transfn(
	dlints, dlints, real[], double precision, timestamp with time zone, double precision) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_evidence_weight_transfn(
	dlints, dlints, real[], double precision, timestamp with time zone, double precision)
	IS 'transition function of dlints_evidence with times and weights';

CREATE FUNCTION dlints_evidence_transfn(
	dlints, dlints, real[], real[], double precision) RETURNS dlints
	AS 'MODULE_PATHNAME', 'dlints_evidence_shared_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_evidence_transfn(dlints, dlints, real[], real[], double precision)
	IS 'transition function of dlints_evidence with a shared context';

CREATE FUNCTION dlints_evidence_at_transfn(
	dlints, dlints, real[], real[], double precision, timestamp with time zone) RETURNS dlints
	AS 'MODULE_PATHNAME', 'dlints_evidence_shared_at_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_evidence_at_transfn(
	dlints, dlints, real[], real[], double precision, timestamp with time zone)
	IS 'transition function of dlints_evidence with a shared context and times';

CREATE FUNCTION dlints_evidence_weight_transfn(
	dlints, dlints, real[], real[], double precision, timestamp with time zone, double precision) RETURNS dlints
	AS 'MODULE_PATHNAME', 'dlints_evidence_shared_weight_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_evidence_weight_transfn(
	dlints, dlints, real[], real[], double precision, timestamp with time zone, double precision)
	IS 'transition function of dlints_evidence with a shared context, times and weights';

CREATE FUNCTION dlints_evidence_transfn(
	dlints, dlints, double precision[], double precision) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_evidence_transfn(dlints, dlints, double precision[], double precision)
	IS 'transition function of dlints_evidence';

CREATE FUNCTION dlints_evidence_at_transfn(
	dlints, dlints, double precision[], double precision, timestamp with time zone) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_evidence_at_transfn(
	dlints, dlints, double precision[], double precision, timestamp with time zone)
	IS 'transition function of dlints_evidence with times';

CREATE FUNCTION dlints_evidence_weight_transfn(
	dlints, dlints, double precision[], double precision, timestamp with time zone,
	double precision) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_evidence_weight_transfn(
	dlints, dlints, double precision[], double precision, timestamp with time zone,
	double precision)
	IS 'transition function of dlints_evidence with times and weights';

CREATE FUNCTION dlints_evidence_transfn(
	dlints, dlints, double precision[], double precision[], double precision) RETURNS dlints
	AS 'MODULE_PATHNAME', 'dlints_evidence_shared_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_evidence_transfn(
	dlints, dlints, double precision[], double precision[], double precision)
	IS 'transition function of dlints_evidence with a shared context';

CREATE FUNCTION dlints_evidence_at_transfn(
	dlints, dlints, double precision[], double precision[], double precision,
	timestamp with time zone) RETURNS dlints
	AS 'MODULE_PATHNAME', 'dlints_evidence_shared_at_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_evidence_at_transfn(
	dlints, dlints, double precision[], double precision[], double precision,
	timestamp with time zone)
	IS 'transition function of dlints_evidence with a shared context and times';

CREATE FUNCTION dlints_evidence_weight_transfn(
	dlints, dlints, double precision[], double precision[], double precision,
	timestamp with time zone, double precision) RETURNS dlints
	AS 'MODULE_PATHNAME', 'dlints_evidence_shared_weight_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_evidence_weight_transfn(
	dlints, dlints, double precision[], double precision[], double precision,
	timestamp with time zone, double precision)
	IS 'transition function of dlints_evidence with a shared context, times and weights';

CREATE FUNCTION dlints_concat(dlints, dlints) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_concat(dlints, dlints) IS 'implementation of || operator';

CREATE AGGREGATE dlints_evidence(model dlints, context real[], reward double precision) (
	SFUNC = dlints_evidence_transfn,
	STYPE = dlints,
	SSPACE = 65536,
	COMBINEFUNC = dlints_concat,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_evidence(dlints, real[], double precision)
	IS 'what the rows say under the model''s parameters, its own evidence left out; to be appended with ||';

CREATE AGGREGATE dlints_evidence(
	model dlints,
	context real[],
	reward double precision,
	at timestamp with time zone
) (
	SFUNC = dlints_evidence_at_transfn,
	STYPE = dlints,
	SSPACE = 65536,
	COMBINEFUNC = dlints_concat,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_evidence(dlints, real[], double precision, timestamp with time zone)
	IS 'what the rows say under the model''s parameters, its own evidence left out; to be appended with ||';

CREATE AGGREGATE dlints_evidence(
	model dlints,
	context real[],
	reward double precision,
	at timestamp with time zone,
	weight double precision
) (
	SFUNC = dlints_evidence_weight_transfn,
	STYPE = dlints,
	SSPACE = 65536,
	COMBINEFUNC = dlints_concat,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_evidence(
	dlints, real[], double precision, timestamp with time zone, double precision)
	IS 'what the rows say under the model''s parameters, its own evidence left out; to be appended with ||';

CREATE AGGREGATE dlints_evidence(
	model dlints,
	context real[],
	shared real[],
	reward double precision
) (
	SFUNC = dlints_evidence_transfn,
	STYPE = dlints,
	SSPACE = 65536,
	COMBINEFUNC = dlints_concat,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_evidence(dlints, real[], real[], double precision)
	IS 'what the rows say under the model''s parameters and their shared contexts, its own evidence left out; to be appended with ||';

CREATE AGGREGATE dlints_evidence(
	model dlints,
	context real[],
	shared real[],
	reward double precision,
	at timestamp with time zone
) (
	SFUNC = dlints_evidence_at_transfn,
	STYPE = dlints,
	SSPACE = 65536,
	COMBINEFUNC = dlints_concat,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_evidence(
	dlints, real[], real[], double precision, timestamp with time zone)
	IS 'what the rows say under the model''s parameters and their shared contexts, its own evidence left out; to be appended with ||';

CREATE AGGREGATE dlints_evidence(
	model dlints,
	context real[],
	shared real[],
	reward double precision,
	at timestamp with time zone,
	weight double precision
) (
	SFUNC = dlints_evidence_weight_transfn,
	STYPE = dlints,
	SSPACE = 65536,
	COMBINEFUNC = dlints_concat,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_evidence(
	dlints, real[], real[], double precision, timestamp with time zone, double precision)
	IS 'what the rows say under the model''s parameters and their shared contexts, its own evidence left out; to be appended with ||';

CREATE AGGREGATE dlints_evidence(
	model dlints,
	context double precision[],
	reward double precision
) (
	SFUNC = dlints_evidence_transfn,
	STYPE = dlints,
	SSPACE = 65536,
	COMBINEFUNC = dlints_concat,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_evidence(dlints, double precision[], double precision)
	IS 'what the rows say under the model''s parameters, its own evidence left out; to be appended with ||';

CREATE AGGREGATE dlints_evidence(
	model dlints,
	context double precision[],
	reward double precision,
	at timestamp with time zone
) (
	SFUNC = dlints_evidence_at_transfn,
	STYPE = dlints,
	SSPACE = 65536,
	COMBINEFUNC = dlints_concat,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_evidence(
	dlints, double precision[], double precision, timestamp with time zone)
	IS 'what the rows say under the model''s parameters, its own evidence left out; to be appended with ||';

CREATE AGGREGATE dlints_evidence(
	model dlints,
	context double precision[],
	reward double precision,
	at timestamp with time zone,
	weight double precision
) (
	SFUNC = dlints_evidence_weight_transfn,
	STYPE = dlints,
	SSPACE = 65536,
	COMBINEFUNC = dlints_concat,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_evidence(
	dlints, double precision[], double precision, timestamp with time zone, double precision)
	IS 'what the rows say under the model''s parameters, its own evidence left out; to be appended with ||';

CREATE AGGREGATE dlints_evidence(
	model dlints,
	context double precision[],
	shared double precision[],
	reward double precision
) (
	SFUNC = dlints_evidence_transfn,
	STYPE = dlints,
	SSPACE = 65536,
	COMBINEFUNC = dlints_concat,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_evidence(
	dlints, double precision[], double precision[], double precision)
	IS 'what the rows say under the model''s parameters and their shared contexts, its own evidence left out; to be appended with ||';

CREATE AGGREGATE dlints_evidence(
	model dlints,
	context double precision[],
	shared double precision[],
	reward double precision,
	at timestamp with time zone
) (
	SFUNC = dlints_evidence_at_transfn,
	STYPE = dlints,
	SSPACE = 65536,
	COMBINEFUNC = dlints_concat,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_evidence(
	dlints, double precision[], double precision[], double precision, timestamp with time zone)
	IS 'what the rows say under the model''s parameters and their shared contexts, its own evidence left out; to be appended with ||';

CREATE AGGREGATE dlints_evidence(
	model dlints,
	context double precision[],
	shared double precision[],
	reward double precision,
	at timestamp with time zone,
	weight double precision
) (
	SFUNC = dlints_evidence_weight_transfn,
	STYPE = dlints,
	SSPACE = 65536,
	COMBINEFUNC = dlints_concat,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_evidence(
	dlints, double precision[], double precision[], double precision, timestamp with time zone,
	double precision)
	IS 'what the rows say under the model''s parameters and their shared contexts, its own evidence left out; to be appended with ||';

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
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION dlints_retract(dlints, dlints)
	IS 'the model without what the evidence says; the reverse of ||, for models that forget by time or nothing';

CREATE FUNCTION dlints_with_prior(
	model dlints,
	evidence dlints,
	weight double precision DEFAULT 1
) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION dlints_with_prior(dlints, dlints, double precision)
	IS 'the model with evidence known beforehand, weighed and kept apart; it fades with what is learned';

CREATE FUNCTION dlints_scale(weight double precision, model dlints) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION dlints_scale(double precision, dlints)
	IS 'the model as if each observation had counted so many times what it did; 0 leaves the parameters alone';

CREATE FUNCTION dlints_at(model dlints, at timestamp with time zone) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
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

-- Vectors -------------------------------------------------------------------

CREATE FUNCTION dlints_encode(n integer, VARIADIC names_and_values "any") RETURNS real[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_encode(integer, VARIADIC "any")
	IS 'names and values in turns as a vector of n numbers and length 1';

CREATE FUNCTION dlints_encode(n integer, document jsonb) RETURNS real[]
	AS 'MODULE_PATHNAME', 'dlints_encode_jsonb' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_encode(integer, jsonb)
	IS 'the keys and values of a document as a vector of n numbers and length 1';

CREATE FUNCTION dlints_profile_transfn(double precision[], real[]) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_profile_transfn(double precision[], real[])
	IS 'transition function of dlints_profile';

CREATE FUNCTION dlints_profile_transfn(
	double precision[], real[], double precision) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_profile_transfn(double precision[], real[], double precision)
	IS 'transition function of dlints_profile with weights';

CREATE FUNCTION dlints_profile_transfn(
	double precision[], double precision[]) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_profile_transfn(double precision[], double precision[])
	IS 'transition function of dlints_profile';

CREATE FUNCTION dlints_profile_transfn(
	double precision[], double precision[], double precision) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_profile_transfn(double precision[], double precision[], double precision)
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

CREATE AGGREGATE dlints_profile(features real[]) (
	SFUNC = dlints_profile_transfn,
	STYPE = double precision[],
	SSPACE = 1024,
	FINALFUNC = dlints_profile_finalfn,
	COMBINEFUNC = dlints_profile_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_profile(real[]) IS 'the sum of feature vectors, scaled to length 1';

CREATE AGGREGATE dlints_profile(features real[], weight double precision) (
	SFUNC = dlints_profile_transfn,
	STYPE = double precision[],
	SSPACE = 1024,
	FINALFUNC = dlints_profile_finalfn,
	COMBINEFUNC = dlints_profile_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_profile(real[], double precision)
	IS 'the sum of feature vectors, each times its weight, scaled to length 1';

CREATE AGGREGATE dlints_profile(features double precision[]) (
	SFUNC = dlints_profile_transfn,
	STYPE = double precision[],
	SSPACE = 1024,
	FINALFUNC = dlints_profile_finalfn,
	COMBINEFUNC = dlints_profile_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_profile(double precision[])
	IS 'the sum of feature vectors, scaled to length 1';

CREATE AGGREGATE dlints_profile(features double precision[], weight double precision) (
	SFUNC = dlints_profile_transfn,
	STYPE = double precision[],
	SSPACE = 1024,
	FINALFUNC = dlints_profile_finalfn,
	COMBINEFUNC = dlints_profile_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_profile(double precision[], double precision)
	IS 'the sum of feature vectors, each times its weight, scaled to length 1';

CREATE FUNCTION dlints_factors(
	query text,
	k integer,
	previous text DEFAULT NULL,
	seed bigint DEFAULT 0
) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE COST 1000000 ROWS 1000;
COMMENT ON FUNCTION dlints_factors(text, integer, text, bigint)
	IS 'vectors of k numbers for the items of a click log, given by a query';

-- Choose --------------------------------------------------------------------

CREATE FUNCTION dlints_draw(model dlints, seed bigint DEFAULT NULL) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 1000;
COMMENT ON FUNCTION dlints_draw(dlints, bigint)
	IS 'one perturbed estimate from the posterior, as many numbers as dlints_mean has; with a seed a repeatable one';

CREATE FUNCTION dlints_draw_weights(
	model dlints,
	seed bigint DEFAULT NULL
) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 1000;
COMMENT ON FUNCTION dlints_draw_weights(dlints, bigint)
	IS 'a draw carried back to context space: its dot product with a context is the score';

CREATE FUNCTION dlints_draw_weights(
	model dlints,
	shared anycompatiblearray,
	seed bigint DEFAULT NULL
) RETURNS double precision[]
	AS 'MODULE_PATHNAME', 'dlints_draw_weights_shared' LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 1000;
COMMENT ON FUNCTION dlints_draw_weights(dlints, anycompatiblearray, bigint)
	IS 'a draw carried back to context space under a shared context: its dot product with a context is the score';

CREATE FUNCTION dlints_dot(
	weights double precision[], context anycompatiblearray) RETURNS double precision
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_dot(double precision[], anycompatiblearray)
	IS 'score of a context under a weight vector';

CREATE FUNCTION dlints_recommend_transfn(internal, dlints, anyelement, real[]) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_recommend_transfn(internal, dlints, anyelement, real[])
	IS 'transition function of dlints_recommend';

CREATE FUNCTION dlints_recommend_finalfn(internal, dlints, anyelement, real[]) RETURNS anyelement
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_recommend_finalfn(internal, dlints, anyelement, real[])
	IS 'final function of dlints_recommend';

CREATE FUNCTION dlints_recommend_k_transfn(
	internal, dlints, anyelement, real[], bigint) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_recommend_k_transfn(internal, dlints, anyelement, real[], bigint)
	IS 'transition function of dlints_recommend with k';

CREATE FUNCTION dlints_recommend_k_finalfn(
	internal, dlints, anyelement, real[], bigint) RETURNS anyarray
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_recommend_k_finalfn(internal, dlints, anyelement, real[], bigint)
	IS 'final function of dlints_recommend with k';

CREATE FUNCTION dlints_recommend_transfn(
	internal, dlints, anyelement, real[], real[]) RETURNS internal
	AS 'MODULE_PATHNAME', 'dlints_recommend_shared_transfn' LANGUAGE C VOLATILE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_recommend_transfn(internal, dlints, anyelement, real[], real[])
	IS 'transition function of dlints_recommend with a shared context';

CREATE FUNCTION dlints_recommend_finalfn(
	internal, dlints, anyelement, real[], real[]) RETURNS anyelement
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_recommend_finalfn(internal, dlints, anyelement, real[], real[])
	IS 'final function of dlints_recommend with a shared context';

CREATE FUNCTION dlints_recommend_k_transfn(
	internal, dlints, anyelement, real[], real[], bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'dlints_recommend_shared_k_transfn' LANGUAGE C VOLATILE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_recommend_k_transfn(internal, dlints, anyelement, real[], real[], bigint)
	IS 'transition function of dlints_recommend with a shared context and k';

CREATE FUNCTION dlints_recommend_k_finalfn(
	internal, dlints, anyelement, real[], real[], bigint) RETURNS anyarray
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_recommend_k_finalfn(internal, dlints, anyelement, real[], real[], bigint)
	IS 'final function of dlints_recommend with a shared context and k';

CREATE FUNCTION dlints_recommend_transfn(
	internal, dlints, anyelement, double precision[]) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_recommend_transfn(internal, dlints, anyelement, double precision[])
	IS 'transition function of dlints_recommend';

CREATE FUNCTION dlints_recommend_finalfn(
	internal, dlints, anyelement, double precision[]) RETURNS anyelement
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_recommend_finalfn(internal, dlints, anyelement, double precision[])
	IS 'final function of dlints_recommend';

CREATE FUNCTION dlints_recommend_k_transfn(
	internal, dlints, anyelement, double precision[], bigint) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_recommend_k_transfn(
	internal, dlints, anyelement, double precision[], bigint)
	IS 'transition function of dlints_recommend with k';

CREATE FUNCTION dlints_recommend_k_finalfn(
	internal, dlints, anyelement, double precision[], bigint) RETURNS anyarray
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_recommend_k_finalfn(
	internal, dlints, anyelement, double precision[], bigint)
	IS 'final function of dlints_recommend with k';

CREATE FUNCTION dlints_recommend_transfn(
	internal, dlints, anyelement, double precision[], double precision[]) RETURNS internal
	AS 'MODULE_PATHNAME', 'dlints_recommend_shared_transfn' LANGUAGE C VOLATILE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_recommend_transfn(
	internal, dlints, anyelement, double precision[], double precision[])
	IS 'transition function of dlints_recommend with a shared context';

CREATE FUNCTION dlints_recommend_finalfn(
	internal, dlints, anyelement, double precision[], double precision[]) RETURNS anyelement
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_recommend_finalfn(
	internal, dlints, anyelement, double precision[], double precision[])
	IS 'final function of dlints_recommend with a shared context';

CREATE FUNCTION dlints_recommend_k_transfn(
	internal, dlints, anyelement, double precision[], double precision[], bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'dlints_recommend_shared_k_transfn' LANGUAGE C VOLATILE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_recommend_k_transfn(
	internal, dlints, anyelement, double precision[], double precision[], bigint)
	IS 'transition function of dlints_recommend with a shared context and k';

CREATE FUNCTION dlints_recommend_k_finalfn(
	internal, dlints, anyelement, double precision[], double precision[], bigint) RETURNS anyarray
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_recommend_k_finalfn(
	internal, dlints, anyelement, double precision[], double precision[], bigint)
	IS 'final function of dlints_recommend with a shared context and k';

CREATE AGGREGATE dlints_recommend(model dlints, item anyelement, context real[]) (
	SFUNC = dlints_recommend_transfn,
	STYPE = internal,
	SSPACE = 2048,
	FINALFUNC = dlints_recommend_finalfn,
	FINALFUNC_EXTRA,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dlints_recommend(dlints, anyelement, real[])
	IS 'the item that scores best by the model''s policy: for thompson under one draw for the group; chance decides among equal scores';

CREATE AGGREGATE dlints_recommend(model dlints, item anyelement, context real[], k bigint) (
	SFUNC = dlints_recommend_k_transfn,
	STYPE = internal,
	SSPACE = 4096,
	FINALFUNC = dlints_recommend_k_finalfn,
	FINALFUNC_EXTRA,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dlints_recommend(dlints, anyelement, real[], bigint)
	IS 'the k items that score best by the model''s policy, best first: for thompson under one draw for the group; chance decides among equal scores';

CREATE AGGREGATE dlints_recommend(model dlints, item anyelement, context real[], shared real[]) (
	SFUNC = dlints_recommend_transfn,
	STYPE = internal,
	SSPACE = 2048,
	FINALFUNC = dlints_recommend_finalfn,
	FINALFUNC_EXTRA,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dlints_recommend(dlints, anyelement, real[], real[])
	IS 'the item that scores best by the model''s policy under a shared context: for thompson under one draw for the group; chance decides among equal scores';

CREATE AGGREGATE dlints_recommend(
	model dlints,
	item anyelement,
	context real[],
	shared real[],
	k bigint
) (
	SFUNC = dlints_recommend_k_transfn,
	STYPE = internal,
	SSPACE = 4096,
	FINALFUNC = dlints_recommend_k_finalfn,
	FINALFUNC_EXTRA,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dlints_recommend(dlints, anyelement, real[], real[], bigint)
	IS 'the k items that score best by the model''s policy under a shared context, best first: for thompson under one draw for the group; chance decides among equal scores';

CREATE AGGREGATE dlints_recommend(model dlints, item anyelement, context double precision[]) (
	SFUNC = dlints_recommend_transfn,
	STYPE = internal,
	SSPACE = 2048,
	FINALFUNC = dlints_recommend_finalfn,
	FINALFUNC_EXTRA,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dlints_recommend(dlints, anyelement, double precision[])
	IS 'the item that scores best by the model''s policy: for thompson under one draw for the group; chance decides among equal scores';

CREATE AGGREGATE dlints_recommend(
	model dlints,
	item anyelement,
	context double precision[],
	k bigint
) (
	SFUNC = dlints_recommend_k_transfn,
	STYPE = internal,
	SSPACE = 4096,
	FINALFUNC = dlints_recommend_k_finalfn,
	FINALFUNC_EXTRA,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dlints_recommend(dlints, anyelement, double precision[], bigint)
	IS 'the k items that score best by the model''s policy, best first: for thompson under one draw for the group; chance decides among equal scores';

CREATE AGGREGATE dlints_recommend(
	model dlints,
	item anyelement,
	context double precision[],
	shared double precision[]
) (
	SFUNC = dlints_recommend_transfn,
	STYPE = internal,
	SSPACE = 2048,
	FINALFUNC = dlints_recommend_finalfn,
	FINALFUNC_EXTRA,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dlints_recommend(dlints, anyelement, double precision[], double precision[])
	IS 'the item that scores best by the model''s policy under a shared context: for thompson under one draw for the group; chance decides among equal scores';

CREATE AGGREGATE dlints_recommend(
	model dlints,
	item anyelement,
	context double precision[],
	shared double precision[],
	k bigint
) (
	SFUNC = dlints_recommend_k_transfn,
	STYPE = internal,
	SSPACE = 4096,
	FINALFUNC = dlints_recommend_k_finalfn,
	FINALFUNC_EXTRA,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE dlints_recommend(
	dlints, anyelement, double precision[], double precision[], bigint)
	IS 'the k items that score best by the model''s policy under a shared context, best first: for thompson under one draw for the group; chance decides among equal scores';

CREATE FUNCTION dlints_argmax_transfn(internal, anyelement, double precision) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_argmax_transfn(internal, anyelement, double precision)
	IS 'transition function of dlints_argmax';

CREATE FUNCTION dlints_argmax_finalfn(internal, anyelement, double precision) RETURNS anyelement
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dlints_argmax_finalfn(internal, anyelement, double precision)
	IS 'final function of dlints_argmax';

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
	IS 'combine function of dlints_argmax and dlints_top';

CREATE FUNCTION dlints_top_serialfn(internal) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_top_serialfn(internal)
	IS 'serialisation function of dlints_argmax and dlints_top';

CREATE FUNCTION dlints_top_deserialfn(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dlints_top_deserialfn(bytea, internal)
	IS 'deserialisation function of dlints_argmax and dlints_top';

CREATE AGGREGATE dlints_argmax(item anyelement, score double precision) (
	SFUNC = dlints_argmax_transfn,
	STYPE = internal,
	SSPACE = 512,
	FINALFUNC = dlints_argmax_finalfn,
	FINALFUNC_EXTRA,
	COMBINEFUNC = dlints_top_combinefn,
	SERIALFUNC = dlints_top_serialfn,
	DESERIALFUNC = dlints_top_deserialfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_argmax(anyelement, double precision)
	IS 'the item with the highest score, the first of several';

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

-- Decide --------------------------------------------------------------------

CREATE TYPE dlints_choice AS (
	rank integer,
	score double precision,
	probability double precision
);
COMMENT ON TYPE dlints_choice
	IS 'what dlints_choose says of a candidate: its place among the chosen ones, its score, and the probability that it is chosen';

-- Each call draws anew, yet is stable: equal calls over one window, of which
-- (dlints_choose(...) OVER w).* makes one for each field, are to be one choice.
CREATE FUNCTION dlints_choose(
	model dlints,
	context anycompatiblearray,
	k bigint DEFAULT 1,
	draws integer DEFAULT 100,
	uniform double precision DEFAULT 0,
	bonus double precision DEFAULT 0,
	cap_group text DEFAULT NULL,
	cap integer DEFAULT NULL
) RETURNS dlints_choice
	AS 'MODULE_PATHNAME' LANGUAGE C WINDOW STABLE PARALLEL RESTRICTED COST 100;
COMMENT ON FUNCTION dlints_choose(
	dlints, anycompatiblearray, bigint, integer, double precision, double precision, text,
	integer)
	IS 'choose k candidates of a partition by the model''s policy, each with its probability';

CREATE FUNCTION dlints_choose(
	model dlints,
	context anycompatiblearray,
	shared anycompatiblearray,
	k bigint DEFAULT 1,
	draws integer DEFAULT 100,
	uniform double precision DEFAULT 0,
	bonus double precision DEFAULT 0,
	cap_group text DEFAULT NULL,
	cap integer DEFAULT NULL
) RETURNS dlints_choice
	AS 'MODULE_PATHNAME', 'dlints_choose_shared' LANGUAGE C WINDOW STABLE PARALLEL RESTRICTED COST 100;
COMMENT ON FUNCTION dlints_choose(
	dlints, anycompatiblearray, anycompatiblearray, bigint, integer, double precision,
	double precision, text, integer)
	IS 'choose k candidates of a partition by the model''s policy under a shared context, each with its probability';

-- Look ----------------------------------------------------------------------

CREATE FUNCTION dlints_project(model dlints, context anycompatiblearray) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_project(dlints, anycompatiblearray) IS 'reduced context of a context';

CREATE FUNCTION dlints_project(
	model dlints,
	context anycompatiblearray,
	shared anycompatiblearray
) RETURNS double precision[]
	AS 'MODULE_PATHNAME', 'dlints_project_shared' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_project(dlints, anycompatiblearray, anycompatiblearray)
	IS 'reduced context of a context under a shared context';

CREATE FUNCTION dlints_mean(model dlints) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION dlints_mean(dlints)
	IS 'posterior mean, one number for each coordinate of a reduced context, the intercept''s last';

CREATE FUNCTION dlints_weights(model dlints) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION dlints_weights(dlints)
	IS 'posterior mean carried back to context space, context_dim numbers';

CREATE FUNCTION dlints_weights(model dlints, shared anycompatiblearray) RETURNS double precision[]
	AS 'MODULE_PATHNAME', 'dlints_weights_shared' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION dlints_weights(dlints, anycompatiblearray)
	IS 'posterior mean carried back to context space under a shared context, context_dim numbers';

CREATE FUNCTION dlints_covariance(model dlints) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION dlints_covariance(dlints)
	IS 'posterior covariance without the exploration factor: sigma^2 Z^-1 Z~ Z^-1';

CREATE FUNCTION dlints_predict(model dlints, context anycompatiblearray) RETURNS double precision
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_predict(dlints, anycompatiblearray) IS 'expected reward of a context';

CREATE FUNCTION dlints_predict(
	model dlints,
	context anycompatiblearray,
	shared anycompatiblearray
) RETURNS double precision
	AS 'MODULE_PATHNAME', 'dlints_predict_shared' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_predict(dlints, anycompatiblearray, anycompatiblearray)
	IS 'expected reward of a context under a shared context';

CREATE FUNCTION dlints_stddev(model dlints, context anycompatiblearray) RETURNS double precision
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_stddev(dlints, anycompatiblearray)
	IS 'standard error of what is expected of a context: exploration times this is the standard deviation of its score under a draw';

CREATE FUNCTION dlints_stddev(
	model dlints,
	context anycompatiblearray,
	shared anycompatiblearray
) RETURNS double precision
	AS 'MODULE_PATHNAME', 'dlints_stddev_shared' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_stddev(dlints, anycompatiblearray, anycompatiblearray)
	IS 'standard error of what is expected of a context under a shared context: exploration times this is the standard deviation of its score under a draw';

CREATE FUNCTION dlints_info(
	model dlints,
	OUT policy text,
	OUT intercept boolean,
	OUT memories integer,
	OUT memory integer,
	OUT interactions text,
	OUT context_dim integer,
	OUT reduced_dim integer,
	OUT shared_dim integer,
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
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION dlints_coefficients(dlints)
	IS 'posterior mean and standard deviation of each reduced coordinate';

-- Judge ---------------------------------------------------------------------

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

CREATE TYPE dlints_value AS (
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
COMMENT ON TYPE dlints_value
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

CREATE FUNCTION dlints_policy_value_finalfn(double precision[]) RETURNS dlints_value
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
	IS 'what a policy would have earned, from the log of another: reward, the probability with which the log decided so, and that with which the policy would have';

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
	IS 'the same, doubly robust: with the reward that a model predicts of the decision, and the one that it expects of the policy';

CREATE FUNCTION dlints_progressive(
	model dlints,
	context anycompatiblearray,
	reward double precision,
	at timestamp with time zone DEFAULT NULL,
	weight double precision DEFAULT NULL
) RETURNS double precision
	AS 'MODULE_PATHNAME' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION dlints_progressive(
	dlints, anycompatiblearray, double precision, timestamp with time zone, double precision)
	IS 'the reward that the model expects of each row after it has learned those before it';

CREATE FUNCTION dlints_progressive(
	model dlints,
	context anycompatiblearray,
	shared anycompatiblearray,
	reward double precision,
	at timestamp with time zone DEFAULT NULL,
	weight double precision DEFAULT NULL
) RETURNS double precision
	AS 'MODULE_PATHNAME', 'dlints_progressive_shared' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION dlints_progressive(
	dlints, anycompatiblearray, anycompatiblearray, double precision, timestamp with time zone,
	double precision)
	IS 'the reward that the model expects of each row, under its shared context, after it has learned those before it';

-- Administration ------------------------------------------------------------

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
