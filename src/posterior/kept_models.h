/*
 * kept_models.h
 *		Values that come again: how one is known to be the one before, and models
 *		made ready for use, once for a session: what dlints.model_cache_size
 *		bounds.
 */
#ifndef DLINTS_KEPT_MODELS_H
#define DLINTS_KEPT_MODELS_H

#include "access/detoast.h"
#include "fmgr.h"
#include "lib/ilist.h"

#include "compat.h"
#include "model/model.h"

/*
 * What an argument looked like that comes again with every row.  A value stored
 * out of line is known by its toast pointer, another one by all its bytes.
 */
typedef struct ValueKey
{
	Size		size;			/* 0: nothing remembered */
	char	   *bytes;
} ValueKey;

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

/* What is said where rows that belong together bring several models. */
typedef struct MismatchMessages
{
	const char *function;
	const char *rows;			/* "group" or "partition" */
	const char *advice;			/* for several models */
	const char *profile_advice;	/* for several profiles */
} MismatchMessages;

extern void CheckSameModel(ValueKey *key, Datum model,
						   const MismatchMessages *messages,
						   MemoryContext context);

extern int	model_cache_size;	/* the setting, in kilobytes */

/*
 * What is kept of a model.  Parts are made when they are asked for (parts.h),
 * and those that nobody asks for are NULL.
 */
typedef struct PreparedModel
{
	ValueKey	key;
	DlintsHeader header;
	int			dim;			/* coordinates of z */
	double		level;			/* mean reward, of the intercept's coefficient */
	double	   *mean;			/* psi-hat */
	double	   *root;			/* R with R R' = sigma^2 Z^-1 Z~ Z^-1 */
	double	   *b;				/* what a draw takes: b, L and M */
	double	   *factors;
	double	   *weights;		/* psi-hat lifted under a profile */
	bool		lifted;			/* they are complete */
	ValueKey	profile_key;		/* of that profile */
	bool		judged;			/* it is known whether its sums are moderate */
	bool		moderate;

	/* the value, to be read in the present call */
	Datum		datum;

	/* where and how long it is kept */
	MemoryContext context;		/* of this struct and all parts */
	bool		kept;			/* in the table of this backend */
	Size		bytes;			/* counted */
	uint32		hash;			/* of the key, in the table */
	dlist_node	in_line;		/* in the list of those known by their bytes */
	int			users;			/* call sites that saw it last */
	uint32		seen_in;		/* the transaction that has met it */
	uint64		first_chunk;	/* hash of it, if the value is out of line */
} PreparedModel;

extern PreparedModel *PrepareModel(FunctionCallInfo fcinfo, int argno);

/* for what is made of a model: memory that counts if it is kept */
extern void *PreparedAlloc(PreparedModel *model, Size size);
extern void PreparedReplaceKey(PreparedModel *model, ValueKey *key,
							   Datum datum);

#endif							/* DLINTS_KEPT_MODELS_H */
