/*
 * explain.c
 *		dlints_explain: what each feature, or each named part of them, adds to
 *		an expected reward.
 *
 * For a given profile a parameter lifts to weights over the features and for
 * the intercept (kinds.h), so that an expected reward is a sum over them.  A
 * part's share of psi-hat's sum is what it adds.  Its variance is the sum of
 * squares of the same shares under the columns of a root of the covariance.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/tuplestore.h"

#include "posterior/parts.h"
#include "posterior/reduce.h"
#include "sql/arrays.h"
#include "sql/observation.h"
#include "sql/results.h"

/* numbers of lifted columns at a time: 32 MB */
#define MOST_NUMBERS	(1 << 22)

/* A feature, which is in one part with all others of its name. */
typedef struct Feature
{
	Datum		name;			/* 0 where there are no names */
	int			number;			/* from 0 */
	int			first;			/* number of the first of its part */
} Feature;

typedef struct Explanation
{
	PreparedModel *prepared;
	double	   *features;
	Feature    *order;			/* part by part */
	int			parts;			/* with the intercept as the last, if there is one */
	int		   *ends;			/* of each but the intercept, in that order */
	double	   *contributions;
	double	   *variances;
} Explanation;

/* ---------- parts ---------- */

/* Names are compared byte by byte. */
static int
CompareName(const Feature *a, const Feature *b)
{
	CHECK_FOR_INTERRUPTS();
	return DatumGetInt32(DirectFunctionCall2(bttext_pattern_cmp, a->name,
											 b->name));
}

static int
ByName(const void *a, const void *b)
{
	const Feature *left = a;
	const Feature *right = b;
	int			order = CompareName(left, right);

	return order ? order : left->number - right->number;
}

static int
ByFirst(const void *a, const void *b)
{
	const Feature *left = a;
	const Feature *right = b;

	return left->first != right->first ? left->first - right->first :
		left->number - right->number;
}

/* Put features of one name together, names in the order of their first. */
static void
GroupByName(Feature *features, int count)
{
	int			i;

	qsort(features, count, sizeof(Feature), ByName);
	for (i = 1; i < count; i++)
		if (CompareName(&features[i - 1], &features[i]) == 0)
			features[i].first = features[i - 1].first;
	qsort(features, count, sizeof(Feature), ByFirst);
}

/* The features of a model, part by part. */
static Feature *
ReadParts(FunctionCallInfo fcinfo, const DlintsHeader *model)
{
	const ArgSpec spec = {"names", model->feature_dim, model};
	int			count = model->feature_dim;
	Feature    *features = palloc0(sizeof(Feature) * count);
	ArrayType  *names;
	Datum	   *elements;
	int			i;

	for (i = 0; i < count; i++)
		features[i].number = features[i].first = i;
	if (PG_ARGISNULL(3))
		return features;

	names = PG_GETARG_ARRAYTYPE_P(3);
	ArgCheckLength(names, &spec);
	count = ArgElements(names, &elements, NULL);
	for (i = 0; i < count; i++)
		features[i].name = elements[i];
	GroupByName(features, count);
	return features;
}

/* Where each part ends. */
static void
FindParts(Explanation *e)
{
	int			n = e->prepared->header.feature_dim;
	int			i;

	e->ends = palloc(sizeof(int) * n);
	for (i = 1; i <= n; i++)
		if (i == n || e->order[i].first != e->order[i - 1].first)
			e->ends[e->parts++] = i;
	if (e->prepared->header.intercept)
		e->parts++;
}

/* ---------- shares ---------- */

/* The share of each part in a sum by these weights. */
static void
ShareOut(const Explanation *e, const double *weights, double *shares)
{
	int			n = e->prepared->header.feature_dim;
	int			part;
	int			i = 0;

	for (part = 0; i < n; part++)
	{
		shares[part] = 0.0;
		for (; i < e->ends[part]; i++)
		{
			int			number = e->order[i].number;

			shares[part] += weights[number] * e->features[number];
		}
	}
	if (part < e->parts)
		shares[part] = weights[n];
}

/* Lift the columns of the root, some of them at a time. */
static void
AddVariances(const Explanation *e, const double *profile)
{
	const DlintsHeader *model = &e->prepared->header;
	int			dim = e->prepared->dim;
	int			len = ModelLiftedLen(model);
	int			step = Min(dim, Max(MOST_NUMBERS / len, 1));
	double	   *weights = palloc(sizeof(double) * len * step);
	double	   *shares = palloc(sizeof(double) * e->parts);
	int			column;

	for (column = 0; column < dim; column += step)
	{
		int			count = Min(step, dim - column);
		int			c;
		int			part;

		LiftParameters(model, count, e->prepared->root + (Size) column * dim,
					   profile, weights);
		for (c = 0; c < count; c++)
		{
			CHECK_FOR_INTERRUPTS();
			ShareOut(e, weights + (Size) c * len, shares);
			for (part = 0; part < e->parts; part++)
				e->variances[part] += shares[part] * shares[part];
		}
	}
}

static Explanation
Explain(FunctionCallInfo fcinfo)
{
	PreparedModel *prepared = PrepareModel(fcinfo, 0);
	ArgSpec		spec = ArgFeatureSpec(&prepared->header);
	Explanation e = {.prepared = prepared};

	e.features = palloc(sizeof(double) * spec.len);
	ArgVector(ArgArray(fcinfo, 1), &spec, e.features);
	e.order = ReadParts(fcinfo, &prepared->header);
	FindParts(&e);
	e.contributions = palloc(sizeof(double) * e.parts);
	e.variances = palloc0(sizeof(double) * e.parts);
	PrepareParts(prepared, PART_MEAN | PART_ROOT);
	ShareOut(&e, PreparedWeights(prepared, PG_GETARG_DATUM(2)), e.contributions);
	AddVariances(&e, ReadProfile(PG_GETARG_DATUM(2), &prepared->header));
	return e;
}

/* ---------- rows ---------- */

static Datum
PartName(const Explanation *e, int part)
{
	int			first = part > 0 ? e->ends[part - 1] : 0;
	const Feature *feature = &e->order[first];

	if (first == e->prepared->header.feature_dim)
		return CStringGetTextDatum("intercept");
	return feature->name ? feature->name :
		CStringGetTextDatum(psprintf("%d", feature->number + 1));
}

static void
PutRows(const Explanation *e, ReturnSetInfo *rows)
{
	int			part;

	for (part = 0; part < e->parts; part++)
	{
		Datum		values[3];
		bool		nulls[3] = {false, false, false};

		CHECK_FOR_INTERRUPTS();
		values[0] = PartName(e, part);
		values[1] = Float8GetDatum(ResultFinite(e->contributions[part]));
		values[2] = Float8GetDatum(ResultFinite(sqrt(e->variances[part])));
		tuplestore_putvalues(rows->setResult, rows->setDesc, values, nulls);
	}
}

PG_FUNCTION_INFO_V1(dlints_explain);

/*
 * dlints_explain(model, features, profile, names): what each part of the features
 * adds to the expected reward, with the standard error of that, and the intercept
 * last
 */
Datum
dlints_explain(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rows = ResultRows(fcinfo);
	Explanation e;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		return (Datum) 0;

	e = Explain(fcinfo);
	PutRows(&e, rows);
	return (Datum) 0;
}
