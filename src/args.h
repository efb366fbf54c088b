/*
 * args.h
 *		SQL arguments to checked C values and back: arrays, numbers, counts,
 *		and one wording for each error.
 */
#ifndef DLINTS_ARGS_H
#define DLINTS_ARGS_H

#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"

#include "core/dot.h"
#include "model.h"
#include "problem.h"

/* What an array has to be, and how errors speak of it. */
typedef struct ArgSpec
{
	const char *name;			/* as in "the context" */
	int			len;
	const DlintsHeader *model;	/* that says so; NULL where none does */
	bool		may_be_empty;	/* an empty array stands for zeros */
} ArgSpec;

/* arguments that must not be NULL in functions that are not strict */
extern void ArgNotNull(FunctionCallInfo fcinfo, int argno, const char *name);

extern MemoryContext AggregateContext(FunctionCallInfo fcinfo);
extern Datum AggregateSameState(FunctionCallInfo fcinfo);

/* arrays: checks that answer, and the same that raise what is wrong */
extern bool ArrayIsNumeric(Datum datum, ArrayType **array, Problem *problem);
extern bool VectorIsValid(ArrayType *array, const ArgSpec *spec, double *out,
						  Problem *problem);
extern bool SharedIsExpected(bool given, const char *name,
							 const DlintsHeader *model, Problem *problem);
extern bool RewardIsValid(double reward, const DlintsHeader *model,
						  Problem *problem);

extern ArrayType *ArgArrayConverted(Datum datum);
extern void ArgVector(ArrayType *array, const ArgSpec *spec, double *out);
extern void ArgContext(ArrayType *array, const DlintsHeader *model,
					   double *out);
extern double ArgReward(double reward, const DlintsHeader *model);
extern double ArgWeight(double weight);
extern int64 ArgTime(FunctionCallInfo fcinfo, int argno,
					 const DlintsHeader *model);
extern int64 ArgTimeValue(int64 time);
extern int	ArgVectorLength(ArrayType *array, const ArgSpec *spec);
extern void ArgCheckLength(ArrayType *array, const ArgSpec *spec);
extern double ArgDotChecked(ArrayType *context, const ArgSpec *spec,
							const double *weights);
extern int	ArgMatrixRows(ArrayType *array, const ArgSpec *spec);
extern void ArgMatrixSlice(ArrayType *array, const ArgSpec *spec, Size first,
						   int rows, double *out);
extern void ArgCheckShared(const ArrayType *shared, const char *name,
						   const DlintsHeader *model);
extern void ArgCheckSameCount(const char *what, int contexts, int others);

/* a shared context, NULL where the call has none */
extern void ArgShared(ArrayType *shared, const DlintsHeader *model,
					  double *out);
extern double *ArgSharedNumbers(const Datum *shared,
								const DlintsHeader *model);

extern int	ArgCount(FunctionCallInfo fcinfo, int argno);
extern double ArgFinite(double value, const char *what);
extern double ArgBounded(double value, const char *what);
extern double ArgNumber(Oid type, Datum value);

static inline ArgSpec
ArgContextSpec(const DlintsHeader *model)
{
	ArgSpec		spec = {"context", model->context_dim, model, false};

	return spec;
}

/* Matched with a context is a profile, and one of nothing has no length. */
static inline ArgSpec
ArgSharedSpec(const DlintsHeader *model)
{
	ArgSpec		spec = {"shared context", model->shared_dim, model,
	model->interactions == INTERACTIONS_MATCHED};

	return spec;
}

/* The rewards of a batch are rows of one number. */
static inline ArgSpec
ArgRewardSpec(const DlintsHeader *model)
{
	ArgSpec		spec = {"array of rewards", 1, model, false};

	return spec;
}

/*
 * The score of a context: its dot product with as many weights.  This is what
 * each candidate costs, so a real[] as it should be is recognised by a few
 * tests in place.  A NaN or infinity anywhere in it makes the product one:
 * one look at the result replaces one at each element.
 */
static inline double
ArgDot(ArrayType *context, const ArgSpec *spec, const double *weights)
{
	if (likely(ARR_NDIM(context) == 1 && ARR_DIMS(context)[0] == spec->len &&
			   !ARR_HASNULL(context) && ARR_ELEMTYPE(context) == FLOAT4OID))
	{
		double		score = dot_float(spec->len, weights,
									  (const float4 *) ARR_DATA_PTR(context));

		if (likely(isfinite(score)))
			return score;
	}
	return ArgDotChecked(context, spec, weights);
}

/*
 * An array argument as real[] or double precision[]; most are one, need no
 * detoasting, and no call to find that out.
 */
static inline ArrayType *
ArgArray(FunctionCallInfo fcinfo, int argno)
{
	struct varlena *value = (struct varlena *) PG_GETARG_POINTER(argno);

	if (likely(!VARATT_IS_EXTENDED(value) &&
			   (ARR_ELEMTYPE((ArrayType *) value) == FLOAT4OID ||
				ARR_ELEMTYPE((ArrayType *) value) == FLOAT8OID)))
		return (ArrayType *) value;
	return ArgArrayConverted(PG_GETARG_DATUM(argno));
}

/*
 * The shared context of a call.  The forms of a function that have none, those
 * with no more than "without" arguments, give NULL.
 */
static inline ArrayType *
ArgSharedArray(FunctionCallInfo fcinfo, int argno, int without)
{
	return PG_NARGS() > without ? ArgArray(fcinfo, argno) : NULL;
}

/* The same as it came, to be recognised before it is detoasted. */
static inline const Datum *
ArgSharedDatum(FunctionCallInfo fcinfo, int argno, int without)
{
	return PG_NARGS() > without ? &fcinfo->args[argno].value : NULL;
}

#endif							/* DLINTS_ARGS_H */
