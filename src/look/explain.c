/*
 * explain.c
 *		The function dlints_explain, which shows what each feature contributes to an expected
 *		reward.
 *
 * The expected reward is a sum of weights times features.  Terms are grouped by names of features.
 */
#include "postgres.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "posterior/kept_models.h"
#include "posterior/reduce.h"
#include "sql/args.h"
#include "sql/key_numbers.h"
#include "sql/observation.h"

/* Maximum number of doubles in the buffer of weights: 32 MB */
#define MAX_NUMBERS	(1 << 22)

typedef struct Explanation
{
	PreparedModel *prepared;
	double	   *features;
	int			parts;			/* number of groups of features, plus 1 for the intercept */
	int		   *part_of;		/* index of the group of each feature */
	Datum	   *names;			/* names of the groups of features, or NULL */
	double	   *variances;
} Explanation;

/* Group the features by name.  Without names, each feature is a group. */
static void
ReadParts(FunctionCallInfo fcinfo, Explanation *e)
{
	const DlintsHeader *model = &e->prepared->header;
	const ArgSpec spec = {"names", model->feature_dim, model};
	KeyNumbers *groups = KeyNumbersCreate(TextKey(), 0, "names");

	e->part_of = palloc(sizeof(int) * spec.len);
	if (!PG_ARGISNULL(3))
	{
		ArrayType  *names = PG_GETARG_ARRAYTYPE_P(3);

		ArgCheckLength(names, &spec);
		ArgElements(names, &e->names, NULL);
	}
	for (int i = 0; i < spec.len; i++)
	{
		CHECK_FOR_INTERRUPTS();
		e->part_of[i] = e->names ? (int) KeyNumbersGet(groups, e->names[i]) : i;
		if (e->names)
			e->names[e->part_of[i]] = e->names[i];
	}
	e->parts = (e->names ? (int) KeyNumbersCount(groups) : spec.len) + model->intercept;
}

/* ---------- shares ---------- */

/* Compute the share of each group of features in the score, the dot product with "weights". */
static void
SplitSum(const Explanation *e, const double *weights, double *shares)
{
	int			n = e->prepared->header.feature_dim;

	memset(shares, 0, sizeof(double) * e->parts);
	for (int i = 0; i < n; i++)
		shares[e->part_of[i]] += weights[i] * e->features[i];
	if (e->prepared->header.intercept)
		shares[e->parts - 1] = weights[n];
}

/* Compute the variance of each group's share of the score from the covariance's square root. */
static void
AddVariances(const Explanation *e, const double *profile)
{
	const DlintsHeader *model = &e->prepared->header;
	int			dim = e->prepared->dim;
	int			len = ModelLiftedLen(model);
	int			step = Min(dim, Max(MAX_NUMBERS / len, 1));
	double	   *weights = palloc(sizeof(double) * len * step);
	double	   *shares = palloc(sizeof(double) * e->parts);

	for (int column = 0; column < dim; column += step)
	{
		int			count = Min(step, dim - column);

		LiftParameters(model, count, e->prepared->root + (Size) column * dim, profile, weights);
		for (int c = 0; c < count; c++)
		{
			CHECK_FOR_INTERRUPTS();
			SplitSum(e, weights + (Size) c * len, shares);
			for (int part = 0; part < e->parts; part++)
				e->variances[part] += shares[part] * shares[part];
		}
	}
}

PG_FUNCTION_INFO_V1(dlints_explain);

/*
 * dlints_explain(): return what each group of features, and at last the intercept, contributes to
 * the expected reward, with standard errors.
 */
Datum
dlints_explain(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rows = ResultRows(fcinfo);
	Explanation e = {0};
	const DlintsHeader *model;
	double	   *contributions;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		return (Datum) 0;

	e.prepared = PrepareModel(fcinfo, 0);
	model = &e.prepared->header;
	e.features = palloc(sizeof(double) * model->feature_dim);
	ArgVector(ArgArray(fcinfo, 1), &(ArgSpec) {"features", model->feature_dim, model}, e.features);
	ReadParts(fcinfo, &e);
	contributions = palloc(sizeof(double) * e.parts);
	e.variances = palloc0(sizeof(double) * e.parts);
	PrepareParts(e.prepared, PART_MEAN | PART_ROOT);
	SplitSum(&e, PreparedWeights(e.prepared, PG_GETARG_DATUM(2)), contributions);
	AddVariances(&e, ReadProfile(PG_GETARG_DATUM(2), model));
	for (int part = 0; part < e.parts; part++)
	{
		bool		is_intercept = model->intercept && part == e.parts - 1;
		Datum		values[] = {
			is_intercept ? CStringGetTextDatum("intercept") :
			e.names ? e.names[part] : CStringGetTextDatum(psprintf("%d", part + 1)),
			Float8GetDatum(ResultFinite(contributions[part])),
			Float8GetDatum(ResultFinite(sqrt(e.variances[part])))};
		bool		nulls[3] = {false};

		CHECK_FOR_INTERRUPTS();
		tuplestore_putvalues(rows->setResult, rows->setDesc, values, nulls);
	}
	return (Datum) 0;
}
