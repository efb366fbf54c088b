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

/*
 * dlints_project(model dlints, features dlints_vector,
 *				  profile dlints_vector DEFAULT '{}')
 *		-> double precision[]
 *
 * The reduced features z (Algorithm 1, "Calculate z"), made of features and
 * profile as the model's kind has it (see kinds.h).  An intercept adds a last
 * number, 1.
 */
Datum
dlints_project(PG_FUNCTION_ARGS)
{
	const DlintsHeader *model = &PrepareModel(fcinfo, 0)->header;

	return ResultVector(ReduceArray(model, ArgArray(fcinfo, 1),
									  PG_GETARG_DATUM(2)),
						ModelCoordinates(model));
}

PG_FUNCTION_INFO_V1(dlints_mean);

/*
 * dlints_mean(model dlints) -> double precision[]
 *
 * The posterior mean psi-hat = Z^-1 b (Algorithm 1, "Calculate psi-hat"), one
 * number for each coordinate of z, that of the intercept last.
 */
Datum
dlints_mean(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared = PrepareModel(fcinfo, 0);

	PrepareParts(prepared, PART_MEAN);
	PG_RETURN_DATUM(ResultVector(prepared->mean, prepared->dim));
}

PG_FUNCTION_INFO_V1(dlints_weights);

/*
 * dlints_weights(model dlints, profile dlints_vector DEFAULT '{}')
 *		-> double precision[]
 *
 * The posterior mean carried back to feature space under the profile: dim
 * numbers (see kinds.h).  Their dot product with features, plus the intercept
 * if there is one, is the expected reward.
 */
Datum
dlints_weights(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared = PrepareModel(fcinfo, 0);

	return ResultVector(PreparedWeights(prepared, PG_GETARG_DATUM(1)),
						prepared->header.feature_dim);
}

PG_FUNCTION_INFO_V1(dlints_predict);

/*
 * dlints_predict(model dlints, features dlints_vector,
 *				  profile dlints_vector DEFAULT '{}')
 *		-> double precision
 *
 * The expected reward of features, psi-hat'z.
 */
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
 * dlints_stddev(model dlints, features dlints_vector,
 *				 profile dlints_vector DEFAULT '{}')
 *		-> double precision
 *
 * sigma sqrt(z' Z^-1 Z~ Z^-1 z), a standard error: exploration times this is
 * the standard deviation of the features' score under a draw.
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

/*
 * dlints_covariance(model dlints) -> double precision[][]
 *
 * sigma^2 Z^-1 Z~ Z^-1, of as many rows and columns as dlints_mean has numbers:
 * exploration squared times this is the covariance of a draw.
 */
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

/*
 * dlints_coefficients(model dlints)
 *		-> table (index integer, mean double precision,
 *				  stddev double precision)
 *
 * The coordinates of the posterior, that of the intercept last: element
 * "index" of dlints_mean and the square root of that element of the diagonal
 * of dlints_covariance.
 */
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
