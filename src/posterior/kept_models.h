/*
 * kept_models.h
 *		Cache of models and of results computed from them, such as posterior means.
 */
#ifndef DLINTS_KEPT_MODELS_H
#define DLINTS_KEPT_MODELS_H

#include "access/detoast.h"

#include "model/model.h"

/* Key that identifies a datum: its toast pointer if it is stored out of line, or its bytes */
typedef struct ValueKey
{
	Size		size;			/* number of bytes; 0: no value */
	char	   *bytes;
} ValueKey;

extern bool ValueKeyMatchesBytes(const ValueKey *key, Datum datum);
extern void ValueKeySet(ValueKey *key, Datum datum, MemoryContext context);
extern void ValueKeyReplace(ValueKey *key, Datum datum, MemoryContext context);

/* Does a key identify this datum?  The comparison of toast pointers is inline. */
static inline bool
ValueKeyMatches(const ValueKey *key, Datum datum)
{
	if (VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(datum)) && key->size == TOAST_POINTER_SIZE)
		return memcmp(DatumGetPointer(datum), key->bytes, TOAST_POINTER_SIZE) == 0;
	return ValueKeyMatchesBytes(key, datum);
}

/* Error messages for different models in one group or window partition */
typedef struct MismatchMessages
{
	const char *function;
	const char *rows;			/* "group" or "partition" */
	const char *advice;			/* hint if models differ */
	const char *profile_advice;	/* hint if profiles differ */
} MismatchMessages;

extern void CheckSameModel(ValueKey *key, Datum model, const MismatchMessages *messages,
						   MemoryContext context);

extern int	model_cache_size;	/* the setting dlints.model_cache_size, in kilobytes */

/* A model, and the results computed from it, which are NULL until needed */
typedef struct PreparedModel
{
	ValueKey	key;
	DlintsHeader header;
	int			dim;			/* number of features */
	double		level;			/* mean reward */
	double	   *mean;			/* posterior mean */
	double	   *root;			/* square root of the posterior covariance, a matrix */
	double	   *shift;			/* input of posterior_draws(), from posterior_shift() */
	double	   *factors;
	double	   *weights;		/* posterior mean as weights of item features */
	bool		lifted;
	/* identifies the user profile for which weights were computed */
	ValueKey	profile_key;
	bool		is_moderate_known;
	bool		moderate;

	/* the datum of the model, valid during the current call */
	Datum		datum;

	/* fields of the cache */
	MemoryContext context;
	bool		kept;
	Size		bytes;			/* size of the model and the results computed from it, in bytes */
	uint32		hash;
	int			users;			/* number of function calls in running plans that use this model */
	uint32		seen_in;		/* id of the last transaction that checked the toast pointer */
	uint64		first_chunk;	/* hash of the first chunk of an out-of-line value */
} PreparedModel;

extern PreparedModel *PrepareModel(FunctionCallInfo fcinfo, int argno);

extern void *PreparedAlloc(PreparedModel *model, Size size);
extern void PreparedReplaceKey(PreparedModel *model, ValueKey *key, Datum datum);

/* ---------- parts.c ---------- */

/* flags of the results that PrepareParts() computes from a model */
#define PART_MEAN	0x01
#define PART_ROOT	0x02
#define PART_DRAW	0x04

extern void FactorEvidence(const Evidence *evidence, const Prior *prior, Factor *factor);
extern void PrepareParts(PreparedModel *prepared, int parts);
extern const double *PreparedWeights(PreparedModel *prepared, Datum profile);
extern double PreparedScore(PreparedModel *prepared, double *reduced, double *stddev);
extern void PreparedDraws(PreparedModel *prepared, uint64 seed, int first,
						  int count, double *draws);
extern double *PreparedDraw(PreparedModel *prepared, uint64 seed);
extern bool PreparedIsModerate(PreparedModel *prepared);

#endif							/* DLINTS_KEPT_MODELS_H */
