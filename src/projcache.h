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

/* contexts to reduced contexts; without projection, a copy */
extern void ProjectContexts(const Dlints *model, int count,
							const double *contexts, double *reduced);

/* z = P x of a context argument, checked; allocated here */
extern double *ReduceContext(const Dlints *model, ArrayType *context);

/* reduced parameters to weights over contexts; without projection, a copy */
extern void LiftParameters(const Dlints *model, int count,
						   const double *parameters, double *weights);

#endif							/* DLINTS_PROJCACHE_H */
