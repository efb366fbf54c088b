-- Inspect models ----------------------------------------------------------------

CREATE FUNCTION dlints_project(
	model dlints,
	features dlints_vector,
	profile dlints_vector DEFAULT '{}'
) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION dlints_project(dlints, dlints_vector, dlints_vector)
	IS 'computes the reduced features z from features and a profile';

CREATE FUNCTION dlints_mean(model dlints) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_mean(dlints)
	IS 'returns the posterior mean, one number for each reduced feature, the intercept last';

CREATE FUNCTION dlints_weights(
	model dlints,
	profile dlints_vector DEFAULT '{}'
) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_weights(dlints, dlints_vector)
	IS 'returns the posterior mean as weights over the features, given a profile: dim numbers';

CREATE FUNCTION dlints_covariance(model dlints) RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_covariance(dlints)
	IS 'returns the posterior covariance without the exploration factor: sigma^2 Z^-1 Z~ Z^-1';

CREATE FUNCTION dlints_predict(
	model dlints,
	features dlints_vector,
	profile dlints_vector DEFAULT '{}'
) RETURNS double precision
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dlints_predict(dlints, dlints_vector, dlints_vector)
	IS 'predicts the expected reward of features';

CREATE FUNCTION dlints_stddev(
	model dlints,
	features dlints_vector,
	profile dlints_vector DEFAULT '{}'
) RETURNS double precision
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION dlints_stddev(dlints, dlints_vector, dlints_vector)
	IS 'returns the standard error of a prediction; multiplied by exploration it is the standard deviation of '
	   'the score under a draw';

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
COMMENT ON FUNCTION dlints_info(dlints) IS 'returns the parameters, memories and counts of a model in one row';

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
	IS 'returns the contribution of each feature, or of each named block of features, to the expected reward, '
	   'with its standard error';
