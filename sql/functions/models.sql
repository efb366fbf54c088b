-- Create models and change their parameters ------------------------------------

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
	policy text DEFAULT NULL,
	prior_weight double precision DEFAULT NULL
) RETURNS dlints
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION dlints_set(
	dlints, double precision, double precision, double precision, text, double precision)
	IS 'changes parameters of a model and keeps its evidence; NULL keeps a parameter, ridge 0 and noise 0 '
	   'select estimation, prior_weight 0 removes the prior';
