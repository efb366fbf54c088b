/*
 * arrays.h
 *		Check array arguments.
 */
#ifndef DLINTS_ARRAYS_H
#define DLINTS_ARRAYS_H

#include <math.h>

#include "catalog/pg_type.h"
#include "storage/shmem.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "core/numbers.h"
#include "model/model.h"

/* Allocate memory for an array, which may be larger than 1 GB. */
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

/* Enlarge an array if it has no room after "count" elements.  Returns the array, which may move. */
static inline void *
GrowArray(void *array, Size count, int *allocated, Size size)
{
	if (count < *allocated)
		return array;
	*allocated = Max(2 * *allocated, 64);
	return array == NULL ? AllocateMany(size, *allocated) :
		repalloc_huge(array, mul_size(size, *allocated));
}

/* Expected shape of an argument that is an array */
typedef struct ArgSpec
{
	const char *name;			/* name of the argument in error messages */
	int			len;
	const DlintsHeader *model;	/* model that determines the length of the array, or NULL */
} ArgSpec;

/* functions that return false for an invalid argument, or raise an error if "problem" is NULL */
extern bool GetNumericArray(Datum datum, ArrayType **array, Problem *problem);
extern bool ArgReadVector(ArrayType *array, const ArgSpec *spec, double *out, Problem *problem);

/* functions that raise an error for an invalid argument */
extern ArrayType *ArgArrayConverted(Datum datum);
extern int	ArgElements(ArrayType *array, Datum **elements, bool **nulls);
extern ArrayType *ArgArrayWidened(ArrayType *array);
extern void ArgVector(ArrayType *array, const ArgSpec *spec, double *out);
extern void ArgCheckCount(int features, int others, const char *what);
extern int	ArgElementCount(ArrayType *array, const ArgSpec *spec);
extern int	ArgVectorLength(ArrayType *array, const ArgSpec *spec);
extern void ArgCheckLength(ArrayType *array, const ArgSpec *spec);
extern double ArgDotChecked(ArrayType *features, const ArgSpec *spec, const double *weights);
extern int	ArgMatrixRows(ArrayType *array, const ArgSpec *spec);
extern void ArgMatrixSlice(ArrayType *array, const ArgSpec *spec, Size first,
						   int rows, double *out);

static inline ArgSpec
ArgFeatureSpec(const DlintsHeader *model)
{
	return (ArgSpec) {"features", model->feature_dim, model};
}

static inline ArgSpec
ArgProfileSpec(const DlintsHeader *model)
{
	return (ArgSpec) {"profile", model->profile_dim, model};
}

/*
 * Compute the dot product of a feature vector and weights.  Raises an error if an element is not
 * finite.  In the fast path for real[], a finite result shows that all elements are finite.
 */
static inline double
ArgDot(ArrayType *features, const ArgSpec *spec, const double *weights)
{
	if (likely(ARR_NDIM(features) == 1 && ARR_DIMS(features)[0] == spec->len &&
			   !ARR_HASNULL(features) && ARR_ELEMTYPE(features) == FLOAT4OID))
	{
		double		score = dot_float(spec->len, weights, (const float4 *) ARR_DATA_PTR(features));

		if (likely(isfinite(score)))
			return score;
	}
	return ArgDotChecked(features, spec, weights);
}

/* Is an array real[] or double precision[], and not toasted? */
static inline bool
ArrayIsPlain(Datum datum)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(datum);

	return !VARATT_IS_EXTENDED(value) &&
		(ARR_ELEMTYPE((ArrayType *) value) == FLOAT4OID ||
		 ARR_ELEMTYPE((ArrayType *) value) == FLOAT8OID);
}

/* Return an array argument, detoasted, as real[] or double precision[]. */
static inline ArrayType *
ArgArray(FunctionCallInfo fcinfo, int argno)
{
	if (likely(ArrayIsPlain(PG_GETARG_DATUM(argno))))
		return (ArrayType *) PG_GETARG_POINTER(argno);
	return ArgArrayConverted(PG_GETARG_DATUM(argno));
}

#endif							/* DLINTS_ARRAYS_H */
