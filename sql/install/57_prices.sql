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
