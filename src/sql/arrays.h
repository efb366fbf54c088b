/*
 * arrays.h
 *		Arrays of numbers, checked, and one wording for each error.
 */
#ifndef DLINTS_ARRAYS_H
#define DLINTS_ARRAYS_H

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "storage/shmem.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "core/numbers.h"
#include "model/model.h"

/* Room for so many of a size, be they none or very many, in the current memory context. */
static inline void *
AllocateMany(Size size, Size count)
{
	return MemoryContextAllocHuge(CurrentMemoryContext, mul_size(size, Max(count, 1)));
}

static inline void *
AllocateZeros(Size size, Size count)
{
	return MemoryContextAllocExtended(CurrentMemoryContext, mul_size(size, Max(count, 1)),
									  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

static inline double *
AllocateNumbers(Size count)
{
	return AllocateMany(sizeof(double), count);
}

/* What an array has to be, and how errors speak of it. */
typedef struct ArgSpec
{
	const char *name;			/* as in "the features" */
	int			len;
	const DlintsHeader *model;	/* that says so; NULL where none does */
} ArgSpec;

/* checks that answer, or raise what is wrong where "problem" is NULL */
extern bool ArrayIsNumeric(Datum datum, ArrayType **array, Problem *problem);
extern bool VectorIsValid(ArrayType *array, const ArgSpec *spec, double *out,
						  Problem *problem);

/* the same, and others, that raise it */
extern ArrayType *ArgArrayConverted(Datum datum);
extern int	ArgElements(ArrayType *array, Datum **elements, bool **nulls);
extern ArrayType *ArgArrayWidened(ArrayType *array);
extern void ArgVector(ArrayType *array, const ArgSpec *spec, double *out);
extern void ArgCheckCount(int features, int others, const char *what);
extern int	ArgElementCount(ArrayType *array, const ArgSpec *spec);
extern int	ArgVectorLength(ArrayType *array, const ArgSpec *spec);
extern void ArgCheckLength(ArrayType *array, const ArgSpec *spec);
extern double ArgDotChecked(ArrayType *features, const ArgSpec *spec,
							const double *weights);
extern int	ArgMatrixRows(ArrayType *array, const ArgSpec *spec);
extern void ArgMatrixSlice(ArrayType *array, const ArgSpec *spec, Size first,
						   int rows, double *out);

static inline ArgSpec
ArgFeatureSpec(const DlintsHeader *model)
{
	ArgSpec		spec = {"features", model->feature_dim, model};

	return spec;
}

static inline ArgSpec
ArgProfileSpec(const DlintsHeader *model)
{
	ArgSpec		spec = {"profile", model->profile_dim, model};

	return spec;
}

/*
 * The score of a feature vector: its dot product with as many weights.  This is
 * what each candidate costs, so a real[] as it should be is recognised by a
 * few tests in place.  A NaN or infinity anywhere in it makes the product one:
 * one look at the result replaces one at each element.
 */
static inline double
ArgDot(ArrayType *features, const ArgSpec *spec, const double *weights)
{
	if (likely(ARR_NDIM(features) == 1 && ARR_DIMS(features)[0] == spec->len &&
			   !ARR_HASNULL(features) && ARR_ELEMTYPE(features) == FLOAT4OID))
	{
		double		score = dot_float(spec->len, weights,
									  (const float4 *) ARR_DATA_PTR(features));

		if (likely(isfinite(score)))
			return score;
	}
	return ArgDotChecked(features, spec, weights);
}

/* Most arrays need no detoasting and no conversion, and no call to say so. */
static inline bool
ArrayIsPlain(Datum datum)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(datum);

	return !VARATT_IS_EXTENDED(value) &&
		(ARR_ELEMTYPE((ArrayType *) value) == FLOAT4OID ||
		 ARR_ELEMTYPE((ArrayType *) value) == FLOAT8OID);
}

/* An array argument as real[] or double precision[]. */
static inline ArrayType *
ArgArray(FunctionCallInfo fcinfo, int argno)
{
	if (likely(ArrayIsPlain(PG_GETARG_DATUM(argno))))
		return (ArrayType *) PG_GETARG_POINTER(argno);
	return ArgArrayConverted(PG_GETARG_DATUM(argno));
}

#endif							/* DLINTS_ARRAYS_H */
