/*
 * draw.c
 *		SQL functions that draw coefficients from a model's posterior, and the function dlints_dot.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "choose/request.h"
#include "posterior/reduce.h"
#include "sql/args.h"
#include "sql/observation.h"

/* Maximum number of draws: a result of 1000 rows of 65536 weights takes 0.5 GB. */
#define MAX_DRAWS	1000

PG_FUNCTION_INFO_V1(dlints_draw);

/* dlints_draw(model, seed): draw coefficients (Ghoorchian et al., Algorithm 1). */
Datum
dlints_draw(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	prepared = PrepareModel(fcinfo, 0);
	PG_RETURN_DATUM(ResultVector(PreparedDraw(prepared, SeedArgument(fcinfo, 1)), prepared->dim));
}

PG_FUNCTION_INFO_V1(dlints_draw_weights);

/*
 * dlints_draw_weights(): draw coefficients from the posterior, and convert them to weights of
 * features.  With the same seed, the first of several draws equals a single draw.
 */
Datum
dlints_draw_weights(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared;
	Size		lifted_len;
	Size		len;
	int			draws;
	double	   *parameters;
	double	   *weights;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	ArgNotNull(fcinfo, 3, "draws");
	draws = PG_GETARG_INT32(3);
	if (draws < 1 || draws > MAX_DRAWS)
		ArgRaiseOutOfRange("draws", psprintf("between 1 and %d", MAX_DRAWS), draws);
	prepared = PrepareModel(fcinfo, 0);
	lifted_len = ModelLiftedLen(&prepared->header);
	len = prepared->header.feature_dim;
	parameters = AllocateNumbers((Size) draws * prepared->dim);
	weights = AllocateNumbers((Size) draws * lifted_len);
	PreparedDraws(prepared, SeedArgument(fcinfo, 2), 0, draws, parameters);
	CHECK_FOR_INTERRUPTS();
	LiftParameters(&prepared->header, draws, parameters,
				   ReadProfile(PG_GETARG_DATUM(1), &prepared->header), weights);
	if (draws == 1)
		return ResultVector(weights, len);
	for (int i = 1; i < draws; i++)
		memmove(weights + i * len, weights + i * lifted_len, sizeof(double) * len);
	return ResultMatrix(weights, draws, len);
}

PG_FUNCTION_INFO_V1(dlints_dot);

Datum
dlints_dot(PG_FUNCTION_ARGS)
{
	ArrayType  *weights = PG_GETARG_ARRAYTYPE_P(0);
	ArgSpec		weights_spec = {"array of weights", 0, NULL};
	ArgSpec		spec = {"features", 0, NULL};

	spec.len = ArgVectorLength(weights, &weights_spec);
	PG_RETURN_FLOAT8(ArgDot(ArgArray(fcinfo, 1), &spec, (const float8 *) ARR_DATA_PTR(weights)));
}
