/*
 * explain.c
 *		dlints_explain: what each feature, or each named part of them, adds to
 *		an expected reward.
 *
 * For a given profile z is linear in the features: it is a sum of what each
 * part makes alone, all other features being zero, and of the intercept's 1.
 * So is the expected reward, psi-hat'z, and the width of a part is that of the
 * posterior at its z.
 */
#include "postgres.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/tuplestore.h"

#include "posterior/parts.h"
#include "posterior/reduce.h"
#include "sql/arrays.h"
#include "sql/observation.h"
#include "sql/results.h"

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
	const double *weights;		/* psi-hat lifted under the profile */
	double	   *profile;
	double	   *features;
	double	   *alone;			/* those of one part; else zeros */
	double	   *reduced;
	double	   *work;
	Tuplestorestate *rows;
	TupleDesc	desc;
} Explanation;

/* ---------- parts ---------- */

/* Names are compared byte by byte. */
static int
CompareName(const Feature *a, const Feature *b)
{
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
	deconstruct_array(names, TEXTOID, -1, false, TYPALIGN_INT, &elements, NULL,
					  &count);
	for (i = 0; i < count; i++)
		features[i].name = elements[i];
	GroupByName(features, count);
	return features;
}

/* ---------- rows ---------- */

/* What z adds; the width of it is asked of the posterior. */
static void
PutRow(const Explanation *e, Datum name, double contribution, const double *z)
{
	int			dim = e->prepared->dim;
	double		stddev = posterior_stddev(dim, e->prepared->root, z, e->work);
	Datum		values[3];
	bool		nulls[3] = {false, false, false};

	values[0] = name;
	values[1] = Float8GetDatum(ResultFinite(contribution));
	values[2] = Float8GetDatum(ResultFinite(stddev));
	tuplestore_putvalues(e->rows, e->desc, values, nulls);
}

/* Count features from this one on are one part. */
static void
PutPart(const Explanation *e, const Feature *part, int count)
{
	const DlintsHeader *model = &e->prepared->header;
	double		sum = 0.0;
	int			i;

	for (i = 0; i < count; i++)
	{
		int			number = part[i].number;

		e->alone[number] = e->features[number];
		sum += e->weights[number] * e->features[number];
	}
	ReduceFeatures(model, 1, e->alone, e->profile, e->reduced);
	if (model->intercept)
		e->reduced[e->prepared->dim - 1] = 0.0;
	PutRow(e, part->name ? part->name :
		   CStringGetTextDatum(psprintf("%d", part->number + 1)),
		   sum, e->reduced);
	for (i = 0; i < count; i++)
		e->alone[part[i].number] = 0.0;
}

static void
PutIntercept(const Explanation *e)
{
	int			dim = e->prepared->dim;

	memset(e->reduced, 0, sizeof(double) * dim);
	e->reduced[dim - 1] = 1.0;
	PutRow(e, CStringGetTextDatum("intercept"),
		   e->weights[e->prepared->header.feature_dim], e->reduced);
}

static void
PutRows(const Explanation *e, const Feature *features)
{
	int			n = e->prepared->header.feature_dim;
	int			first;
	int			next;

	for (first = 0; first < n; first = next)
	{
		CHECK_FOR_INTERRUPTS();
		for (next = first + 1; next < n; next++)
			if (features[next].first != features[first].first)
				break;
		PutPart(e, features + first, next - first);
	}
	if (e->prepared->header.intercept)
		PutIntercept(e);
}

static Explanation
Prepare(FunctionCallInfo fcinfo, Tuplestorestate *rows, TupleDesc desc)
{
	PreparedModel *prepared = PrepareModel(fcinfo, 0);
	ArgSpec		spec = ArgFeatureSpec(&prepared->header);
	Explanation e;

	e.rows = rows;
	e.desc = desc;
	e.prepared = prepared;
	PrepareParts(prepared, PART_MEAN | PART_ROOT);
	e.weights = PreparedWeights(prepared, PG_GETARG_DATUM(2));
	e.profile = ReadProfile(PG_GETARG_DATUM(2), &prepared->header);
	e.features = palloc(sizeof(double) * spec.len);
	ArgVector(ArgArray(fcinfo, 1), &spec, e.features);
	e.alone = palloc0(sizeof(double) * spec.len);
	e.reduced = palloc(sizeof(double) * prepared->dim);
	e.work = palloc(sizeof(double) * prepared->dim);
	return e;
}

PG_FUNCTION_INFO_V1(dlints_explain);

/*
 * dlints_explain(model dlints, features dlints_vector,
 *				  profile dlints_vector DEFAULT '{}', names text[] DEFAULT NULL)
 *		-> table (name text, contribution double precision,
 *				  stddev double precision)
 *
 * What each part of the features adds to the expected reward, with the standard
 * error of that, and the intercept last.  Contributions add up to
 * dlints_predict.
 */
Datum
dlints_explain(PG_FUNCTION_ARGS)
{
	Explanation e;
	TupleDesc	desc;
	Tuplestorestate *rows;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	rows = ResultRows(fcinfo, desc);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		return (Datum) 0;

	e = Prepare(fcinfo, rows, desc);
	PutRows(&e, ReadParts(fcinfo, &e.prepared->header));
	return (Datum) 0;
}
