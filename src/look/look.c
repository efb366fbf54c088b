/*
 * look.c
 *		Look into a model: project, mean, weights, predict, stddev, covariance,
 *		info.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "model/fields.h"
#include "model/model.h"
#include "posterior/parts.h"
#include "posterior/reduce.h"
#include "sql/args.h"
#include "sql/arrays.h"

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

/* ---------- dlints_info ---------- */

/* What is computed, behind the fields of the header that are shown. */
enum
{
	INFO_SAMPLE_SIZE,
	INFO_PRIOR_SIZE,
	INFO_MEAN_REWARD,
	INFO_WINDOWS,
	INFO_HINT,
	INFO_BYTES,
	INFO_VERSION,
	INFO_COUNT
};

/* How many observations a memory by count remembers; 0 if all. */
static double
Window(const DlintsHeader *model, int j)
{
	double		discount = memory_discount(j, model->memories, model->discount);
	double		window = 1.0 / (1.0 - discount);

	/* that of a long one may have been rounded to 1 */
	if (ModelIsByTime(model) || discount == 1.0)
		return 0.0;
	/* a whole number that was given as a discount */
	return fabs(window - rint(window)) < 1e-9 * window ? rint(window) : window;
}

/* The windows of the memories, null for those without. */
static Datum
WindowsDatum(const DlintsHeader *model)
{
	Datum		values[MEMORY_MAX];
	bool		nulls[MEMORY_MAX];
	int			dims[1] = {model->memories};
	int			bounds[1] = {1};
	int			j;

	for (j = 0; j < model->memories; j++)
	{
		double		window = Window(model, j);

		nulls[j] = window == 0.0;
		values[j] = Float8GetDatum(window);
	}
	return PointerGetDatum(construct_md_array(values, nulls, 1, dims, bounds,
											  FLOAT8OID, sizeof(float8),
											  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/*
 * Of sums that once were so many times larger only so many digits are left: of
 * sixteen, six.
 */
#define LEAST_OF_PEAK	1e-10

/* What its owner should know of a model, or NULL. */
static char *
Hint(const DlintsHeader *model)
{
	double		window = Window(model, model->memories - 1);
	int			dim = ModelCoordinates(model);

	if (model->totals.N > 0.0 &&
		model->totals.S < LEAST_OF_PEAK * model->totals.peak)
		return pstrdup("Rounding of what was taken back is left in the model: build it anew from its log.");

	if (window > 0.0 && window < dim)
		return psprintf("The model remembers %.0f observations and has %d coordinates to learn from them: raise discount, or leave it out.",
						window, dim);
	return NULL;
}

PG_FUNCTION_INFO_V1(dlints_info);

/* Parameters, memories and counts of a model in one row */
Datum
dlints_info(PG_FUNCTION_ARGS)
{
	DlintsHeader model = ModelHeaderFromDatum(PG_GETARG_DATUM(0));
	Evidence	memory = ModelMemorySums(PG_GETARG_DATUM(0), &model);
	double		prior_size = ModelPriorSize(PG_GETARG_DATUM(0), &model);
	double		mean_reward = model.reference + *memory.R / *memory.N;
	char	   *hint = Hint(&model);
	Datum		values[32] = {0};
	bool		nulls[32] = {false};
	int			n = 0;
	int			i;

	for (i = 0; i < field_count; i++)
		if (fields[i].is_shown)
		{
			nulls[n] = FieldIsNull(&model, &fields[i]);
			if (!nulls[n])
				values[n] = FieldDatum(&model, &fields[i]);
			n++;
		}
	values[n + INFO_SAMPLE_SIZE] = Float8GetDatum(*memory.N);
	nulls[n + INFO_PRIOR_SIZE] = model.prior_weight == 0.0;
	values[n + INFO_PRIOR_SIZE] = Float8GetDatum(prior_size);
	values[n + INFO_MEAN_REWARD] = Float8GetDatum(mean_reward);
	nulls[n + INFO_MEAN_REWARD] = !isfinite(mean_reward);
	values[n + INFO_WINDOWS] = WindowsDatum(&model);
	values[n + INFO_HINT] = hint ? CStringGetTextDatum(hint) : (Datum) 0;
	nulls[n + INFO_HINT] = hint == NULL;
	values[n + INFO_BYTES] = Int64GetDatum((int64) ModelStoredSize(&model));
	values[n + INFO_VERSION] = Int32GetDatum(model.version);
	return ResultRow(fcinfo, n + INFO_COUNT, values, nulls);
}
