-- Create, change and train models, combine and retract evidence --------------------

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
	IS 'creates an untrained model; dim 1 to 65536, reduced_dim 1 to 1024 or NULL for no projection, '
	   'interactions ''matched'' or NULL, half_life at least 1 ms, discount 1e-100 to 1, memories 1 to 8, '
	   'ridge 1e-100 to 1e100 or NULL to estimate it, exploration 0 to 1e100, noise NULL to estimate it, '
	   'projection_scale 1e-10 to 1e10';

CREATE FUNCTION dlints_set(
	model dlints,
	ridge double precision DEFAULT NULL,
	exploration double precision DEFAULT NULL,
	noise double precision DEFAULT NULL,
	policy text DEFAULT NULL
) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_set(dlints, double precision, double precision, double precision, text)
	IS 'changes parameters of a model and keeps its evidence; NULL keeps a parameter, ridge 0 and noise 0 '
	   'select estimation';

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
	IS 'trains a model on one observation; returns the model unchanged if features, reward or profile is NULL';

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
	IS 'trains a model on a batch of observations, oldest first; features and profiles have one row for each reward';

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
	IS 'checks whether dlints_update accepts an observation; never raises an error';

CREATE FUNCTION dlints_concat(dlints, dlints) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_concat(dlints, dlints) IS 'implementation of || operator';

CREATE OPERATOR || (
	LEFTARG = dlints,
	RIGHTARG = dlints,
	FUNCTION = dlints_concat
);
COMMENT ON OPERATOR || (dlints, dlints)
	IS 'appends the evidence of the right model to the left model; keeps the left model''s ridge, exploration, '
	   'noise, policy and prior';

CREATE AGGREGATE dlints_concat_agg(dlints) (
	SFUNC = dlints_concat,
	STYPE = dlints,
	SSPACE = 8192,
	COMBINEFUNC = dlints_concat,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dlints_concat_agg(dlints)
	IS 'concatenates the evidence of models, as || does, in the order of ORDER BY';

CREATE FUNCTION dlints_retract(model dlints, evidence dlints) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_retract(dlints, dlints)
	IS 'retracts evidence from a model, the inverse of ||; requires a model with a half-life or without forgetting';

CREATE FUNCTION dlints_with_prior(
	model dlints,
	evidence dlints,
	weight double precision DEFAULT 1
) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_with_prior(dlints, dlints, double precision)
	IS 'adds a weighted prior to a model; the prior is stored separately and decays as the model is trained';

CREATE FUNCTION dlints_scale(weight double precision, model dlints) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_scale(double precision, dlints)
	IS 'multiplies the weight of every observation in a model; weight 0 removes all evidence and keeps the parameters';

CREATE FUNCTION dlints_at(model dlints, at timestamp with time zone) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_at(dlints, timestamp with time zone)
	IS 'decays a model with a half-life to a given time, not before its newest observation';

CREATE OPERATOR - (
	LEFTARG = dlints,
	RIGHTARG = dlints,
	FUNCTION = dlints_retract
);
COMMENT ON OPERATOR - (dlints, dlints) IS 'retracts evidence from a model';

CREATE OPERATOR * (
	LEFTARG = double precision,
	RIGHTARG = dlints,
	FUNCTION = dlints_scale
);
COMMENT ON OPERATOR * (double precision, dlints) IS 'multiplies the weight of every observation in a model';

-- The C function distinguishes these forms by the number of arguments.
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
			CREATE AGGREGATE dlints_evidence(%1$s) (
				SFUNC = dlints_evidence_transfn,
				STYPE = dlints,
				SSPACE = 65536,
				COMBINEFUNC = dlints_concat,
				PARALLEL = SAFE
			);
			COMMENT ON AGGREGATE dlints_evidence(%1$s)
				IS 'computes the evidence of the rows under the model''s parameters, without the model''s own '
				   'evidence; append it with ||'
		$create$, arguments);
	END LOOP;
END
$do$;
