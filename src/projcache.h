/*
 * projcache.h
 *		The projection matrices that this backend keeps, bounded by
 *		dlints.projection_cache_size.
 */
#ifndef DLINTS_PROJCACHE_H
#define DLINTS_PROJCACHE_H

#include "dlints.h"

#include "utils/array.h"

extern int	dlints_projection_cache_size;	/* kilobytes */

/*
 * Contexts, each with a shared context if the model has one, to reduced
 * contexts; without projection, a copy.
 */
extern void ProjectContexts(const Dlints *model, int count,
							const double *contexts, const double *shareds,
							double *reduced);

/* the reduced context of an argument or two, checked; allocated here */
extern double *ReduceContext(const Dlints *model, ArrayType *context,
							 const Datum *shared);

/*
 * Parameters to weights over contexts, all under one shared context: for each
 * context_dim numbers, followed by that of the intercept if there is one.
 */
extern void LiftParameters(const Dlints *model, int count,
						   const double *parameters, const double *shared,
						   double *weights);

#endif							/* DLINTS_PROJCACHE_H */
