/*
 * draw.c
 *		dlints_draw and dlints_draw_weights, draws from the posterior, and
 *		dlints_dot, which scores with them.
 */
#include "postgres.h"

#include "choose/request.h"
#include "sql/results.h"

/* The seed argument, or an independent one. */
static uint64
SeedArgument(FunctionCallInfo fcinfo, int argno)
{
	return PG_ARGISNULL(argno) ? FreshSeed() :
		(uint64) PG_GETARG_INT64(argno);
}

PG_FUNCTION_INFO_V1(dlints_draw);

/*
 * dlints_draw(model dlints, seed bigint DEFAULT NULL) -> double precision[]
 *
 * One perturbed estimate psi-tilde (Algorithm 1), of as many numbers as
 * dlints_mean has: normal with mean psi-hat and covariance
 * xi^2 sigma^2 Z^-1 Z~ Z^-1.  With a seed the same for the same model; without,
 * independent of every other draw.
 */
Datum
dlints_draw(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	prepared = PrepareModel(fcinfo, 0);
	PG_RETURN_DATUM(ResultVector(PreparedDraw(prepared, SeedArgument(fcinfo, 1)),
								 prepared->dim));
}

PG_FUNCTION_INFO_V1(dlints_draw_weights);

/*
 * dlints_draw_weights(model dlints, profile double precision[] DEFAULT '{}',
 *					   seed bigint DEFAULT NULL) -> double precision[]
 *
 * A draw carried back to feature space as dlints_weights carries the mean.  Its
 * dot product with features is their score under the draw, up to the intercept,
 * which is the same for all.
 */
Datum
dlints_draw_weights(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	prepared = PrepareModel(fcinfo, 0);
	return ResultVector(DrawWeights(prepared, SeedArgument(fcinfo, 2),
									PG_GETARG_DATUM(1)),
						prepared->header.feature_dim);
}

PG_FUNCTION_INFO_V1(dlints_dot);

/*
 * dlints_dot(weights double precision[], features real[] | dlints_vector)
 *		-> double precision
 *
 * The score of features under a weight vector of the same length.
 */
Datum
dlints_dot(PG_FUNCTION_ARGS)
{
	ArrayType  *weights = PG_GETARG_ARRAYTYPE_P(0);
	ArgSpec		weights_spec = {"array of weights", 0, NULL};
	ArgSpec		spec = {"features", 0, NULL};

	spec.len = ArgVectorLength(weights, &weights_spec);
	PG_RETURN_FLOAT8(ArgDot(ArgArray(fcinfo, 1), &spec,
							(const float8 *) ARR_DATA_PTR(weights)));
}
