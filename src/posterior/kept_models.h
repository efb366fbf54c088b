/*
 * kept_models.h
 *		Keys that recognize a value passed repeatedly, and the cache of
 *		prepared models, limited by dlints.model_cache_size.
 */
#ifndef DLINTS_KEPT_MODELS_H
#define DLINTS_KEPT_MODELS_H

#include "access/detoast.h"
#include "fmgr.h"
#include "lib/ilist.h"

#include "compat.h"
#include "model/model.h"

/*
 * Identifies a value that is passed with each row: the toast pointer of a
 * value stored out of line, else all of its bytes.
 */
typedef struct ValueKey
{
	Size		size;			/* number of bytes; 0 if the key is empty */
	char	   *bytes;
} ValueKey;

extern bool ValueKeyMatchesBytes(const ValueKey *key, Datum datum);
extern void ValueKeySet(ValueKey *key, Datum datum, MemoryContext context);
extern void ValueKeyReplace(ValueKey *key, Datum datum, MemoryContext context);

/*
 * Does the key identify this value?  Called for each row, nearly always with
 * a toast pointer, for which the inlined comparison has constant length.
 */
static inline bool
ValueKeyMatches(const ValueKey *key, Datum datum)
{
	if (VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(datum)) && key->size == TOAST_POINTER_SIZE)
		return memcmp(DatumGetPointer(datum), key->bytes, TOAST_POINTER_SIZE) == 0;
	return ValueKeyMatchesBytes(key, datum);
}

/* Texts for the error about different models in one group or partition. */
typedef struct MismatchMessages
{
	const char *function;
	const char *rows;			/* word for the set of rows: "group" or "partition" */
	const char *advice;			/* hint for different models */
	const char *profile_advice;	/* hint for different profiles */
} MismatchMessages;

extern void CheckSameModel(ValueKey *key, Datum model, const MismatchMessages *messages,
						   MemoryContext context);

extern int	model_cache_size;	/* dlints.model_cache_size, in kilobytes */

/* A model, and the parts that were computed from it (parts.h); missing parts are NULL */
typedef struct PreparedModel
{
	ValueKey	key;
	DlintsHeader header;
	int			dim;			/* number of reduced features z */
	double		level;			/* mean reward, added to the coefficient of the intercept */
	double	   *mean;			/* posterior mean psi-hat */
	double	   *root;			/* root R of the covariance: R R' = sigma^2 Z^-1 Z~ Z^-1 */
	double	   *shift;			/* argument "shift" of posterior_draws() */
	double	   *factors;
	double	   *weights;		/* posterior mean as weights of features, for one profile */
	bool		lifted;			/* are the "weights" complete? */
	ValueKey	profile_key;		/* bytes that identify the profile of "weights" */
	bool		is_moderate_known;	/* has "moderate" been computed? */
	bool		moderate;

	/* the model's value, valid during the current call */
	Datum		datum;

	/* fields for the cache */
	MemoryContext context;		/* memory context of this struct and all parts */
	bool		kept;			/* is the model in the cache? */
	Size		bytes;			/* number of bytes that the cache counts for the model */
	uint32		hash;			/* hash of "key" */
	dlist_node	in_line;		/* link in the list of cached models with inline keys */
	int			users;			/* number of call sites whose last call used the model */
	uint32		seen_in;		/* last transaction that compared the value with the stored one */
	uint64		first_chunk;	/* hash of the value's first chunk, if out of line */
} PreparedModel;

extern PreparedModel *PrepareModel(FunctionCallInfo fcinfo, int argno);

/* allocation for parts of a model, counted if the model is cached */
extern void *PreparedAlloc(PreparedModel *model, Size size);
extern void PreparedReplaceKey(PreparedModel *model, ValueKey *key, Datum datum);

#endif							/* DLINTS_KEPT_MODELS_H */
