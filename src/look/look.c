/*
 * look.c
 *		SQL functions that inspect a model.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "model/fields.h"
#include "posterior/kept_models.h"
#include "posterior/reduce.h"
#include "sql/args.h"
#include "sql/arrays.h"

PG_FUNCTION_INFO_V1(dlints_project);

/* dlints_project(): compute the features on which a model is trained (Ghoorchian et al.). */
Datum
dlints_project(PG_FUNCTION_ARGS)
{
	const DlintsHeader *model = &PrepareModel(fcinfo, 0)->header;

	return ResultVector(ReduceArray(model, ArgArray(fcinfo, 1), PG_GETARG_DATUM(2)),
						ModelCoefficientCount(model));
}

PG_FUNCTION_INFO_V1(dlints_mean);

/* dlints_mean(): return the posterior mean of the coefficients (psi-hat in Ghoorchian et al.). */
Datum
dlints_mean(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared = PrepareModel(fcinfo, 0);

	PrepareParts(prepared, PART_MEAN);
	PG_RETURN_DATUM(ResultVector(prepared->mean, prepared->dim));
}

PG_FUNCTION_INFO_V1(dlints_weights);

/* dlints_weights(model, profile): return the posterior mean as weights of item features. */
Datum
dlints_weights(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared = PrepareModel(fcinfo, 0);

	return ResultVector(PreparedWeights(prepared, PG_GETARG_DATUM(1)),
						prepared->header.feature_dim);
}

PG_FUNCTION_INFO_V1(dlints_predict);

/* dlints_predict(model, features, profile): return the expected reward. */
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

/* dlints_stddev(): return the standard error of dlints_predict(). */
Datum
dlints_stddev(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared = PrepareModel(fcinfo, 0);
	double	   *reduced = ReduceArray(&prepared->header, ArgArray(fcinfo, 1), PG_GETARG_DATUM(2));
	double	   *work = palloc(sizeof(double) * prepared->dim);

	PrepareParts(prepared, PART_ROOT);
	PG_RETURN_FLOAT8(ResultFinite(posterior_stddev(prepared->dim, prepared->root, reduced, work)));
}

PG_FUNCTION_INFO_V1(dlints_covariance);

/* dlints_covariance(): return the posterior covariance of the coefficients. */
Datum
dlints_covariance(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared = PrepareModel(fcinfo, 0);
	int			dim = prepared->dim;
	double	   *covariance = palloc(sizeof(double) * (Size) dim * dim);

	PrepareParts(prepared, PART_ROOT);
	linalg_gram(dim, prepared->root, covariance);
	PG_RETURN_DATUM(ResultMatrix(covariance, dim, dim));
}

/* ---------- dlints_info ---------- */

/* Return the window of a discount factor, 1 / (1 - discount) observations; 0 without discount. */
static double
ComputeWindow(const DlintsHeader *model, int j)
{
	double		discount = memory_discount(j, model->memories, model->discount);
	double		window = 1.0 / (1.0 - discount);

	/* discount factors close to 1 may have been rounded to 1 */
	if (ModelIsByTime(model) || discount == 1.0)
		return 0.0;
	/* round if only rounding errors separate the window from an integer */
	return fabs(window - rint(window)) < 1e-9 * window ? rint(window) : window;
}

/* Return an array with the window of each discount factor; NULL without discount. */
static Datum
GetWindows(const DlintsHeader *model)
{
	Datum		values[MEMORY_MAX];
	bool		nulls[MEMORY_MAX];
	int			dims[1] = {model->memories};
	int			bounds[1] = {1};

	for (int j = 0; j < model->memories; j++)
	{
		double		window = ComputeWindow(model, j);

		nulls[j] = window == 0.0;
		values[j] = Float8GetDatum(window);
	}
	return PointerGetDatum(construct_md_array(values, nulls, 1, dims, bounds, FLOAT8OID,
											  sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/*
 * Minimum ratio of a model's sum of squared rewards to the largest earlier sum.  Below it,
 * rounding errors are large, and dlints_info advises to rebuild the model.
 */
#define MIN_PEAK_SHARE	1e-10

static char *
GetHint(const DlintsHeader *model)
{
	double		window = ComputeWindow(model, model->memories - 1);
	int			dim = ModelCoefficientCount(model);

	if (model->totals.N > 0.0 && model->totals.S < MIN_PEAK_SHARE * model->totals.peak)
		return pstrdup("Retracting observations has left rounding errors in the model; rebuild it from its log.");

	if (window > 0.0 && window < dim)
		return psprintf("The longest memory has a window of %.0f observations for %d coefficients; increase discount, or omit it.",
						window, dim);
	return NULL;
}

PG_FUNCTION_INFO_V1(dlints_info);

/* dlints_info(model): return the parameters and the counts of a model as one row. */
Datum
dlints_info(PG_FUNCTION_ARGS)
{
	DlintsHeader model = ModelHeaderFromDatum(PG_GETARG_DATUM(0));
	Evidence	memory = ModelMemorySums(PG_GETARG_DATUM(0), &model);
	double		prior_size = ModelPriorSize(PG_GETARG_DATUM(0), &model);
	double		mean_reward = model.reference + *memory.R / *memory.N;
	char	   *hint = GetHint(&model);
	Datum		values[32] = {0};
	bool		nulls[32] = {false};
	int			n = 0;

	for (int i = 0; i < field_count; i++)
		if (fields[i].is_shown)
		{
			nulls[n] = FieldIsNull(&model, &fields[i]);
			if (!nulls[n])
				values[n] = FieldDatum(&model, &fields[i]);
			n++;
		}
	values[n++] = Float8GetDatum(*memory.N);
	nulls[n] = model.prior_weight == 0.0;
	values[n++] = Float8GetDatum(prior_size);
	nulls[n] = !isfinite(mean_reward);
	values[n++] = Float8GetDatum(mean_reward);
	values[n++] = GetWindows(&model);
	nulls[n] = hint == NULL;
	values[n++] = hint ? CStringGetTextDatum(hint) : (Datum) 0;
	values[n++] = Int64GetDatum((int64) ModelStoredSize(&model));
	values[n++] = Int32GetDatum(model.version);
	return ResultRow(fcinfo, n, values, nulls);
}
