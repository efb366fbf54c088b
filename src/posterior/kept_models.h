/*
 * kept_models.h
 *		A model argument made ready for use, once for as long as rows bring the
 *		same one again: what dlints.model_cache_size bounds.
 */
#ifndef DLINTS_KEPT_MODELS_H
#define DLINTS_KEPT_MODELS_H

#include "postgres.h"

#include "fmgr.h"

#include "model/model.h"
#include "posterior/recognize.h"

extern int	model_cache_size;	/* the setting, in kilobytes */

typedef struct CallSite CallSite;

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

	/* where it is kept, and the argument of the present call */
	CallSite   *site;			/* NULL where it is used once */
	int			place;			/* in the call site's list */
	MemoryContext context;
	Datum		datum;
} PreparedModel;

extern PreparedModel *PrepareModelOnce(Datum datum);
extern PreparedModel *PrepareModelAt(FmgrInfo *flinfo, Datum datum);
extern PreparedModel *PrepareModel(FunctionCallInfo fcinfo, int argno);

/* for what is made of a model: memory that counts if it is kept */
extern void *PreparedAlloc(PreparedModel *model, Size size);
extern void PreparedReplaceKey(PreparedModel *model, ValueKey *key,
							   Datum datum);

#endif							/* DLINTS_KEPT_MODELS_H */
