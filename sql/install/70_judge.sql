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
