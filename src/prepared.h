/*
 * prepared.h
 *		A model argument made ready for use, once for as long as the argument
 *		stays the same.
 */
#ifndef DLINTS_PREPARED_H
#define DLINTS_PREPARED_H

#include "dlints.h"

#include "access/detoast.h"

/*
 * What an argument looked like, so that it is recognised when the next row
 * brings it again.  A value stored out of line is known by its toast pointer,
 * another one by all its bytes.
 */
typedef struct ModelKey
{
	Size		size;			/* 0: nothing remembered */
	char	   *bytes;
} ModelKey;

/*
 * The model and what has been derived from it so far.  The pointers are NULL
 * until asked for through the functions below; everything lives in "context".
 */
typedef struct PreparedModel
{
	MemoryContext context;
	ModelKey	key;
	Dlints	   *model;
	Evidence	evidence;
	Factor		factor;			/* L is NULL until factored */
	double	   *mean;			/* psi-hat, dim numbers */
	double	   *weights;		/* P' psi-hat, context_dim numbers */
	double	   *root;			/* of the covariance, dim by dim */
	double	   *lifted_root;	/* P' root, dim vectors of context_dim */
} PreparedModel;

extern bool ModelKeyMatchesValue(const ModelKey *key, Datum datum);
extern bool ModelKeyIsEqual(const ModelKey *key, Datum datum);
extern void ModelKeySet(ModelKey *key, Datum datum, MemoryContext context);

/*
 * Is this the value that is remembered?  Asked with every row, and nearly
 * always of a toast pointer, which is compared at a fixed length.
 */
static inline bool
ModelKeyMatches(const ModelKey *key, Datum datum)
{
	if (VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(datum)) &&
		key->size == TOAST_POINTER_SIZE)
		return memcmp(DatumGetPointer(datum), key->bytes,
					  TOAST_POINTER_SIZE) == 0;
	return ModelKeyMatchesValue(key, datum);
}

extern PreparedModel *PrepareModelOnce(Datum datum);
extern PreparedModel *PrepareModel(FunctionCallInfo fcinfo, int argno);
extern const Factor *PreparedFactor(PreparedModel *prepared);
extern const double *PreparedMean(PreparedModel *prepared);
extern const double *PreparedWeights(PreparedModel *prepared);
extern const double *PreparedRoot(PreparedModel *prepared);
extern const double *PreparedLiftedRoot(PreparedModel *prepared);

#endif							/* DLINTS_PREPARED_H */
