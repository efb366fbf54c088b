/*
 * look.c
 *		Look into a model: project, mean, predict, stddev, covariance, info,
 *		coefficients.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "args.h"
#include "expanded.h"
#include "fields.h"
#include "prepared.h"
#include "reduce.h"
#include "results.h"

PG_FUNCTION_INFO_V1(dlints_project);

/*
 * dlints_project(model dlints, context anycompatiblearray
 *				  [, shared anycompatiblearray]) -> double precision[]
 *
 * The reduced context z (Algorithm 1, "Calculate z"), made of the context and
 * the shared one as the model's kind has it (see kinds.h).  An intercept adds a
 * last number, 1.
 */
Datum
dlints_project(PG_FUNCTION_ARGS)
{
	const DlintsHeader *model = WorkingParameters(fcinfo, 0);

	PG_RETURN_DATUM(ResultVector(ReduceContext(model, ArgArray(fcinfo, 1),
											   ArgSharedDatum(fcinfo, 2, 2)),
								 ModelCoordinates(model)));
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
 * dlints_weights(model dlints [, shared anycompatiblearray])
 *		-> double precision[]
 *
 * The posterior mean carried back to context space under the shared context, if
 * the model has one: context_dim numbers (see kinds.h).  Their dot product with
 * a context, plus the intercept if there is one, is the expected reward.
 */
Datum
dlints_weights(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared = PrepareModel(fcinfo, 0);

	PG_RETURN_DATUM(ResultVector(PreparedWeights(prepared,
												 ArgSharedDatum(fcinfo, 1, 1)),
								 prepared->header.context_dim));
}

PG_FUNCTION_INFO_V1(dlints_predict);

/*
 * dlints_predict(model dlints, context anycompatiblearray
 *				  [, shared anycompatiblearray]) -> double precision
 *
 * The expected reward of a context, psi-hat'z.
 */
Datum
dlints_predict(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared = PrepareModel(fcinfo, 0);
	const DlintsHeader *model = &prepared->header;
	ArgSpec		spec = ArgContextSpec(model);
	const double *weights = PreparedWeights(prepared,
											ArgSharedDatum(fcinfo, 2, 2));
	double		reward = ArgDot(ArgArray(fcinfo, 1), &spec, weights);

	if (model->intercept)
		reward = ResultFinite(reward + weights[model->context_dim]);
	PG_RETURN_FLOAT8(reward);
}

PG_FUNCTION_INFO_V1(dlints_stddev);

/*
 * dlints_stddev(model dlints, context anycompatiblearray
 *				 [, shared anycompatiblearray]) -> double precision
 *
 * sigma sqrt(z' Z^-1 Z~ Z^-1 z), a standard error: exploration times this is
 * the standard deviation of the context's score under a draw.
 */
Datum
dlints_stddev(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(PreparedWidth(PrepareModel(fcinfo, 0), ArgArray(fcinfo, 1),
								   ArgSharedDatum(fcinfo, 2, 2)));
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
	int			dim = prepared->dim;
	Coefficients *coefficients = palloc(sizeof(Coefficients));
	TupleDesc	desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	call->tuple_desc = BlessTupleDesc(desc);

	PrepareParts(prepared, PART_MEAN | PART_ROOT);
	coefficients->mean = prepared->mean;
	coefficients->stddev = palloc(sizeof(double) * dim);
	posterior_coordinate_stddevs(dim, prepared->root, coefficients->stddev);

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

/* What is computed, behind the fields of the header that are shown. */
enum
{
	INFO_SAMPLE_SIZE,
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

/* What its owner should know of a model, or NULL. */
static char *
Hint(const DlintsHeader *model)
{
	double		window = Window(model, model->memories - 1);
	int			dim = ModelCoordinates(model);

	if (window > 0.0 && window < dim)
		return psprintf("The model remembers %.0f observations and has %d coordinates to learn from them: raise discount, or leave it out.",
						window, dim);
	return NULL;
}

PG_FUNCTION_INFO_V1(dlints_info);

/*
 * dlints_info(model dlints) -> record
 *
 * Parameters, memories and counts of a model in one row.  memory is the one in
 * use (1 is the fastest), sigma the noise; effective_sample_size the sum of
 * that memory's weights, mean_reward its weighted mean of the rewards (NULL
 * before the first); windows how many observations each memory remembers (NULL
 * for those that do not count, or forget nothing); hint what is wrong with the
 * model, or NULL; bytes the stored size before any TOAST overhead.
 */
Datum
dlints_info(PG_FUNCTION_ARGS)
{
	DlintsHeader model = ModelHeaderFromDatum(PG_GETARG_DATUM(0));
	Evidence	memory = ModelMemoryFromDatum(PG_GETARG_DATUM(0), &model, false);
	double		mean_reward = model.reference + *memory.R / *memory.N;
	char	   *hint = Hint(&model);
	TupleDesc	desc;
	Datum		values[32] = {0};
	bool		nulls[32] = {false};
	int			n = 0;
	int			i;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	for (i = 0; i < field_count; i++)
		if (fields[i].is_shown)
		{
			nulls[n] = FieldIsNull(&model, &fields[i]);
			if (!nulls[n])
				values[n] = FieldDatum(&model, &fields[i]);
			n++;
		}
	if (desc->natts != n + INFO_COUNT)
		elog(ERROR, "unexpected number of columns: %d", desc->natts);
	values[n + INFO_SAMPLE_SIZE] = Float8GetDatum(*memory.N);
	values[n + INFO_MEAN_REWARD] = Float8GetDatum(mean_reward);
	nulls[n + INFO_MEAN_REWARD] = !isfinite(mean_reward);
	values[n + INFO_WINDOWS] = WindowsDatum(&model);
	values[n + INFO_HINT] = hint ? CStringGetTextDatum(hint) : (Datum) 0;
	nulls[n + INFO_HINT] = hint == NULL;
	values[n + INFO_BYTES] = Int64GetDatum((int64) ModelStoredSize(&model));
	values[n + INFO_VERSION] = Int32GetDatum(model.version);

	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc),
													  values, nulls)));
}
