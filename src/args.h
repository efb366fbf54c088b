/*
 * args.h
 *		SQL arguments to checked C values and back: arrays, dimensions,
 *		ranges, and one wording for each error.
 */
#ifndef DLINTS_ARGS_H
#define DLINTS_ARGS_H

#include "dlints.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "core/dot.h"
#include "utils/array.h"

/* arguments that must not be NULL in functions that are not strict */
extern void ArgNotNull(FunctionCallInfo fcinfo, int argno, const char *name);

extern MemoryContext AggregateContext(FunctionCallInfo fcinfo);
extern Datum AggregateSameState(FunctionCallInfo fcinfo);

/* real[] or double precision[] */
extern void ArgVector(ArrayType *array, int dim, double *out);
extern int	ArgVectorLength(ArrayType *array);
extern double ArgDotChecked(ArrayType *context, int dim,
							const double *weights);
extern int	ArgMatrixRows(ArrayType *array, int columns);
extern void ArgSlice(ArrayType *array, Size first, Size count, double *out);
extern void ArgRewards(ArrayType *array, int contexts);

/* a shared context, NULL where the call has none */
extern void ArgShared(ArrayType *shared, int dim, double *out);
extern double *ArgSharedNumbers(const Datum *shared, int dim);
extern void ArgShareds(ArrayType *shareds, int dim, int contexts);

extern int	ArgCount(FunctionCallInfo fcinfo, int argno);
extern double ArgFinite(double value, const char *what);

/* results */
extern double ResultFinite(double value);
extern Datum ResultVector(const double *values, int count);
extern Datum ResultMatrix(const double *values, int rows, int columns);

/*
 * The score of a context: its dot product with dim weights.  This is what
 * each candidate costs, so a real[] as it should be is recognised by a few
 * tests in place.  A NaN or infinity anywhere in it makes the product one:
 * one look at the result replaces one at each element.
 */
static inline double
ArgDot(ArrayType *context, int dim, const double *weights)
{
	if (likely(ARR_NDIM(context) == 1 && ARR_DIMS(context)[0] == dim &&
			   !ARR_HASNULL(context) && ARR_ELEMTYPE(context) == FLOAT4OID))
	{
		double		score = dot_float(dim, weights,
									  (const float4 *) ARR_DATA_PTR(context));

		if (likely(isfinite(score)))
			return score;
	}
	return ArgDotChecked(context, dim, weights);
}

/* An array argument; most need no detoasting, and no call to find that out. */
static inline ArrayType *
ArgArray(FunctionCallInfo fcinfo, int argno)
{
	struct varlena *value = (struct varlena *) PG_GETARG_POINTER(argno);

	if (likely(!VARATT_IS_EXTENDED(value)))
		return (ArrayType *) value;
	return PG_GETARG_ARRAYTYPE_P(argno);
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
