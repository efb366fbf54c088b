/*
 * inspect.c
 *		Look into a model: project, mean, predict, stddev, covariance, info,
 *		coefficients.
 */
#include "dlints.h"

#include <math.h>

#include "args.h"
#include "funcapi.h"
#include "prepared.h"
#include "projcache.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(dlints_project);

/*
 * dlints_project(model dlints, context real[] | double precision[]
 *				  [, shared, of the same type]) -> double precision[]
 *
 * The reduced context z = P x, reduced_dim numbers (Algorithm 1, "Calculate
 * z"); with a shared context u, P x + (Q x) o (R u).  Without projection the
 * context itself.  An intercept adds a last number, 1.
 */
Datum
dlints_project(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared = PrepareModel(fcinfo, 0);
	double	   *reduced = ReduceContext(prepared->model,
										PG_GETARG_ARRAYTYPE_P(1),
										ArgSharedDatum(fcinfo, 2, 2));

	PG_RETURN_DATUM(ResultVector(reduced, prepared->evidence.dim));
}

PG_FUNCTION_INFO_V1(dlints_mean);

/*
 * dlints_mean(model dlints) -> double precision[]
 *
 * The posterior mean psi-hat = Z^-1 b, reduced_dim numbers (Algorithm 1,
 * "Calculate psi-hat"), followed by that of the intercept if there is one.
 */
Datum
dlints_mean(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared = PrepareModel(fcinfo, 0);

	PG_RETURN_DATUM(ResultVector(PreparedMean(prepared),
								 prepared->evidence.dim));
}

PG_FUNCTION_INFO_V1(dlints_weights);

/*
 * dlints_weights(model dlints
 *				  [, shared real[] | double precision[]])
 *		-> double precision[]
 *
 * The posterior mean carried back to context space, P' psi-hat, context_dim
 * numbers; under a shared context u, P' psi-hat + Q' (psi-hat o R u).  Its dot
 * product with a context, plus the intercept if there is one, is the expected
 * reward.
 */
Datum
dlints_weights(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared = PrepareModel(fcinfo, 0);

	PG_RETURN_DATUM(ResultVector(PreparedWeights(prepared,
												 ArgSharedDatum(fcinfo, 1, 1)),
								 prepared->model->context_dim));
}

PG_FUNCTION_INFO_V1(dlints_predict);

/*
 * dlints_predict(model dlints, context real[] | double precision[]
 *				  [, shared, of the same type]) -> double precision
 *
 * The expected reward of a context, psi-hat'z.
 */
Datum
dlints_predict(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared = PrepareModel(fcinfo, 0);
	int			context_dim = prepared->model->context_dim;
	const double *weights = PreparedWeights(prepared,
											ArgSharedDatum(fcinfo, 2, 2));
	double		reward = ArgDot(PG_GETARG_ARRAYTYPE_P(1), context_dim, weights);

	if (ModelHasIntercept(prepared->model))
		reward = ResultFinite(reward + weights[context_dim]);
	PG_RETURN_FLOAT8(reward);
}

PG_FUNCTION_INFO_V1(dlints_stddev);

/*
 * dlints_stddev(model dlints, context real[] | double precision[]
 *				 [, shared, of the same type]) -> double precision
 *
 * sqrt(z' Z^-1 Z~ Z^-1 z): exploration times this is the standard deviation
 * of the context's score under a draw.
 */
Datum
dlints_stddev(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared = PrepareModel(fcinfo, 0);
	int			dim = prepared->evidence.dim;
	double	   *reduced = ReduceContext(prepared->model,
										PG_GETARG_ARRAYTYPE_P(1),
										ArgSharedDatum(fcinfo, 2, 2));
	double	   *work = palloc(sizeof(double) * dim);

	PG_RETURN_FLOAT8(ResultFinite(posterior_stddev(dim, dim, PreparedRoot(prepared),
												   reduced, work)));
}

PG_FUNCTION_INFO_V1(dlints_covariance);

/*
 * dlints_covariance(model dlints) -> double precision[][]
 *
 * Z^-1 Z~ Z^-1, of as many rows and columns as dlints_mean has numbers:
 * exploration squared times this is the covariance of a draw.
 */
Datum
dlints_covariance(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared = PrepareModel(fcinfo, 0);
	int			dim = prepared->evidence.dim;
	double	   *covariance = palloc(sizeof(double) * (Size) dim * dim);

	posterior_covariance(dim, PreparedRoot(prepared), covariance);
	PG_RETURN_DATUM(ResultMatrix(covariance, dim, dim));
}

typedef struct Coefficients
{
	const double *mean;
	double	   *stddev;
} Coefficients;

/* Compute all coefficients; the calls that follow hand them out. */
static void
BeginCoefficients(FunctionCallInfo fcinfo)
{
	FuncCallContext *call = SRF_FIRSTCALL_INIT();
	MemoryContext caller = MemoryContextSwitchTo(call->multi_call_memory_ctx);
	PreparedModel *prepared = PrepareModelOnce(PG_GETARG_DATUM(0));
	int			dim = prepared->evidence.dim;
	Coefficients *coefficients = palloc(sizeof(Coefficients));
	const double *root = PreparedRoot(prepared);
	TupleDesc	desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	call->tuple_desc = BlessTupleDesc(desc);

	coefficients->mean = PreparedMean(prepared);
	coefficients->stddev = palloc(sizeof(double) * dim);
	posterior_coordinate_stddevs(dim, root, coefficients->stddev);

	call->user_fctx = coefficients;
	call->max_calls = dim;
	MemoryContextSwitchTo(caller);
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
	FuncCallContext *call;
	Coefficients *coefficients;
	Datum		values[3];
	bool		nulls[3] = {false, false, false};
	int			i;

	if (SRF_IS_FIRSTCALL())
		BeginCoefficients(fcinfo);

	call = SRF_PERCALL_SETUP();
	if (call->call_cntr >= call->max_calls)
		SRF_RETURN_DONE(call);

	coefficients = call->user_fctx;
	i = (int) call->call_cntr;
	values[0] = Int32GetDatum(i + 1);
	values[1] = Float8GetDatum(ResultFinite(coefficients->mean[i]));
	values[2] = Float8GetDatum(ResultFinite(coefficients->stddev[i]));
	SRF_RETURN_NEXT(call,
					HeapTupleGetDatum(heap_form_tuple(call->tuple_desc,
													  values, nulls)));
}

PG_FUNCTION_INFO_V1(dlints_info);

/*
 * dlints_info(model dlints) -> record
 *
 * Parameters and counts of a model in one row.  effective_sample_size is the
 * sum of the weights gamma^age, mean_reward the weighted mean of the rewards
 * (NULL before the first), bytes the stored size before any TOAST overhead.
 */
Datum
dlints_info(PG_FUNCTION_ARGS)
{
	Dlints		model = ModelHeaderFromDatum(PG_GETARG_DATUM(0));
	double		mean_reward = model.reward_sum / model.weight_sum;
	TupleDesc	desc;
	Datum		values[15];
	bool		nulls[15] = {false};

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");

	values[0] = Int32GetDatum(model.context_dim);
	values[1] = Int32GetDatum(model.reduced_dim);
	nulls[1] = !ModelHasProjection(&model);
	values[2] = Float8GetDatum(model.discount);
	values[3] = Float8GetDatum(model.ridge);
	values[4] = Float8GetDatum(model.exploration);
	values[5] = Int64GetDatum(model.seed);
	values[6] = Float8GetDatum(model.projection_scale);
	nulls[6] = !ModelHasProjection(&model);
	values[7] = CStringGetTextDatum(PolicyName(model.policy));
	values[8] = Int32GetDatum(model.shared_dim);
	values[9] = BoolGetDatum(ModelHasIntercept(&model));
	values[10] = Int64GetDatum(model.updates);
	values[11] = Float8GetDatum(model.weight_sum);
	values[12] = Float8GetDatum(mean_reward);
	nulls[12] = !isfinite(mean_reward);
	values[13] = Int64GetDatum((int64) ModelSize(&model));
	values[14] = Int32GetDatum(model.version);

	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc),
													  values, nulls)));
}
