/*
 * look.c
 *		Look into a model: project, mean, weights, predict, stddev, covariance,
 *		coefficients.
 */
#include "postgres.h"

#include "funcapi.h"
#include "utils/tuplestore.h"

#include "posterior/parts.h"
#include "posterior/reduce.h"
#include "sql/arrays.h"
#include "sql/results.h"

PG_FUNCTION_INFO_V1(dlints_project);

/* The reduced features z (Algorithm 1, "Calculate z") */
Datum
dlints_project(PG_FUNCTION_ARGS)
{
	const DlintsHeader *model = &PrepareModel(fcinfo, 0)->header;

	return ResultVector(ReduceArray(model, ArgArray(fcinfo, 1),
									  PG_GETARG_DATUM(2)),
						ModelCoordinates(model));
}

PG_FUNCTION_INFO_V1(dlints_mean);

/* The posterior mean psi-hat (Algorithm 1, "Calculate psi-hat") */
Datum
dlints_mean(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared = PrepareModel(fcinfo, 0);

	PrepareParts(prepared, PART_MEAN);
	PG_RETURN_DATUM(ResultVector(prepared->mean, prepared->dim));
}

PG_FUNCTION_INFO_V1(dlints_weights);

/* The posterior mean carried back to feature space under the profile */
Datum
dlints_weights(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared = PrepareModel(fcinfo, 0);

	return ResultVector(PreparedWeights(prepared, PG_GETARG_DATUM(1)),
						prepared->header.feature_dim);
}

PG_FUNCTION_INFO_V1(dlints_predict);

/* The expected reward of features, psi-hat'z */
Datum
dlints_predict(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared = PrepareModel(fcinfo, 0);
	const DlintsHeader *model = &prepared->header;
	ArgSpec		spec = ArgFeatureSpec(model);
	const double *weights = PreparedWeights(prepared, PG_GETARG_DATUM(2));
	double		reward = ArgDot(ArgArray(fcinfo, 1), &spec, weights);

	if (model->intercept)
		reward = ResultFinite(reward + weights[model->feature_dim]);
	PG_RETURN_FLOAT8(reward);
}

PG_FUNCTION_INFO_V1(dlints_stddev);

/*
 * sigma sqrt(z' Z^-1 Z~ Z^-1 z): exploration times this is the standard deviation
 * of the features' score under a draw
 */
Datum
dlints_stddev(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared = PrepareModel(fcinfo, 0);
	double	   *reduced = ReduceArray(&prepared->header, ArgArray(fcinfo, 1),
									  PG_GETARG_DATUM(2));
	double	   *work = palloc(sizeof(double) * prepared->dim);

	PrepareParts(prepared, PART_ROOT);
	PG_RETURN_FLOAT8(ResultFinite(posterior_stddev(prepared->dim, prepared->root,
												   reduced, work)));
}

PG_FUNCTION_INFO_V1(dlints_covariance);

/* sigma^2 Z^-1 Z~ Z^-1: exploration squared times this is the covariance of a draw */
Datum
dlints_covariance(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared = PrepareModel(fcinfo, 0);
	int			dim = prepared->dim;
	double	   *covariance = palloc(sizeof(double) * (Size) dim * dim);

	PrepareParts(prepared, PART_ROOT);
	posterior_covariance(dim, prepared->root, covariance);
	PG_RETURN_DATUM(ResultMatrix(covariance, dim, dim));
}

PG_FUNCTION_INFO_V1(dlints_coefficients);

/* dlints_mean, with the roots of the diagonal of dlints_covariance */
Datum
dlints_coefficients(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared = PrepareModel(fcinfo, 0);
	int			dim = prepared->dim;
	double	   *stddevs = palloc(sizeof(double) * dim);
	TupleDesc	desc;
	Tuplestorestate *rows;
	int			i;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	rows = ResultRows(fcinfo, desc);
	PrepareParts(prepared, PART_MEAN | PART_ROOT);
	posterior_coordinate_stddevs(dim, prepared->root, stddevs);
	for (i = 0; i < dim; i++)
	{
		Datum		values[3];
		bool		nulls[3] = {false, false, false};

		values[0] = Int32GetDatum(i + 1);
		values[1] = Float8GetDatum(ResultFinite(prepared->mean[i]));
		values[2] = Float8GetDatum(ResultFinite(stddevs[i]));
		tuplestore_putvalues(rows, desc, values, nulls);
	}
	return (Datum) 0;
}
