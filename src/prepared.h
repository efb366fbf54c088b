/*
 * prepared.h
 *		A model argument made ready for use, once for as long as rows bring the
 *		same one again.
 */
#ifndef DLINTS_PREPARED_H
#define DLINTS_PREPARED_H

#include "postgres.h"

#include "access/detoast.h"
#include "utils/array.h"

#include "core/digest.h"
#include "core/posterior.h"
#include "model.h"

extern int	model_cache_size;	/* the setting, in kilobytes */

/*
 * What an argument looked like, so that it is recognised when the next row
 * brings it again.  A value stored out of line is known by its toast pointer,
 * a model in its working form by its stamp, another one by all its bytes.
 */
typedef struct ValueKey
{
	Size		size;			/* 0: nothing remembered */
	char	   *bytes;
	uint64		stamp;			/* of the working model that it was, or 0 */
} ValueKey;

/*
 * What a model is found by among thousands, of which none is kept whole: the
 * toast pointer, or else a digest of all its bytes.
 */
typedef struct ModelKey
{
	Size		size;
	Digest		digest;
} ModelKey;

typedef struct CallSite CallSite;

/*
 * What is kept of a model.  Parts are made when they are asked for, and those
 * that nobody asks for are NULL.
 */
typedef struct PreparedModel
{
	ModelKey	key;
	DlintsHeader header;
	int			dim;			/* coordinates of z */
	double		level;			/* mean reward, of the intercept's coefficient */
	double	   *mean;			/* psi-hat */
	double	   *root;			/* R with R R' = sigma^2 Z^-1 Z~ Z^-1 */
	double	   *b;				/* what a draw takes: b, L and M */
	double	   *factors;
	double	   *weights;		/* psi-hat lifted under a shared context */
	bool		lifted;			/* they are complete */
	ValueKey	shared_key;		/* of that shared context; empty without */

	/* where it is kept, and the argument of the present call */
	CallSite   *site;			/* NULL where it is used once */
	int			place;			/* in the call site's list */
	MemoryContext context;
	Datum		datum;
} PreparedModel;

/* Parts of a model, to be combined. */
#define PART_MEAN	0x01
#define PART_ROOT	0x02
#define PART_DRAW	0x04

extern bool ValueKeyMatchesBytes(const ValueKey *key, Datum datum);
extern void ValueKeySet(ValueKey *key, Datum datum, MemoryContext context);
extern void ValueKeyReplace(ValueKey *key, Datum datum, MemoryContext context);

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

/* prepared.c: a model, recognised */
extern PreparedModel *PrepareModelOnce(Datum datum);
extern PreparedModel *PrepareModelIn(MemoryContext context, Dlints *model);
extern PreparedModel *PrepareModelAt(FmgrInfo *flinfo, Datum datum);
extern PreparedModel *PrepareModel(FunctionCallInfo fcinfo, int argno);
extern void PreparedFree(PreparedModel *model);
extern void CallSiteCount(CallSite *site, Size added, Size removed);
extern void CallSiteReplaceKey(CallSite *site, ValueKey *key, Datum datum,
							   MemoryContext context);

/* parts.c: what is made of it */
extern void FactorEvidence(const Evidence *evidence, double ridge,
						   Factor *factor);
extern void PrepareParts(PreparedModel *prepared, int parts);
extern const double *PreparedWeights(PreparedModel *prepared,
									 const Datum *shared);
extern double PreparedWidth(PreparedModel *prepared, ArrayType *context,
							const Datum *shared);
extern void PreparedMean(PreparedModel *prepared, double *mean);
extern void PreparedDraws(PreparedModel *prepared, uint64 seed, int first,
						  int count, double *draws);
extern double *PreparedDraw(PreparedModel *prepared, uint64 seed);

#endif							/* DLINTS_PREPARED_H */
