/*
 * prepared.h
 *		A model argument made ready for use, once for as long as the argument
 *		stays the same.
 */
#ifndef DLINTS_PREPARED_H
#define DLINTS_PREPARED_H

#include "dlints.h"

#include "access/detoast.h"
#include "utils/array.h"

/*
 * What an argument looked like, so that it is recognised when the next row
 * brings it again.  A value stored out of line is known by its toast pointer,
 * another one by all its bytes.
 */
typedef struct ValueKey
{
	Size		size;			/* 0: nothing remembered */
	char	   *bytes;
} ValueKey;

/*
 * The model and what has been derived from it so far.  The pointers are NULL
 * until asked for through the functions below; everything lives in "context".
 */
typedef struct PreparedModel
{
	MemoryContext context;
	ValueKey	key;
	Dlints	   *model;
	Evidence	evidence;
	Factor		factor;			/* L is NULL until factored */
	double	   *mean;			/* psi-hat, as many numbers as coordinates */
	double	   *weights;		/* psi-hat lifted under a shared context */
	ValueKey	shared_key;		/* of that shared context; empty without */
	double	   *root;			/* of the covariance */
	double	   *lifted_root;	/* its columns, lifted */
} PreparedModel;

extern bool ValueKeyMatchesBytes(const ValueKey *key, Datum datum);
extern void ValueKeySet(ValueKey *key, Datum datum, MemoryContext context);
extern void ValueKeyReplace(ValueKey *key, Datum datum, MemoryContext context);
extern bool IsSameModel(const ValueKey *key, Datum datum);

/*
 * Is this the value that is remembered?  Asked with every row, and nearly
 * always of a toast pointer, which is compared at a fixed length.
 */
static inline bool
ValueKeyMatches(const ValueKey *key, Datum datum)
{
	if (VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(datum)) &&
		key->size == TOAST_POINTER_SIZE)
		return memcmp(DatumGetPointer(datum), key->bytes,
					  TOAST_POINTER_SIZE) == 0;
	return ValueKeyMatchesBytes(key, datum);
}

extern PreparedModel *PrepareModelOnce(Datum datum);
extern PreparedModel *PrepareModel(FunctionCallInfo fcinfo, int argno);
extern const Factor *PreparedFactor(PreparedModel *prepared);
extern const double *PreparedMean(PreparedModel *prepared);
extern const double *PreparedWeights(PreparedModel *prepared,
									 const Datum *shared);
extern const double *PreparedRoot(PreparedModel *prepared);
extern const double *PreparedLiftedRoot(PreparedModel *prepared);

#endif							/* DLINTS_PREPARED_H */
