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
