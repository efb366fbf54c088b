/*
 * kept_projections.h
 *		The projection matrices that this backend keeps, bounded by
 *		dlints.projection_cache_size.
 */
#ifndef DLINTS_KEPT_PROJECTIONS_H
#define DLINTS_KEPT_PROJECTIONS_H

#include "core/kinds.h"

extern int	projection_cache_size;	/* the setting, in kilobytes */

/* What is done with a piece of a matrix. */
typedef void (*ProjectionVisitor) (const Projection *projection,
								   const ProjectionRows *rows, void *arg);

extern void ProjectionWalk(const Projection *projection,
						   ProjectionVisitor visit, void *arg);

#endif							/* DLINTS_KEPT_PROJECTIONS_H */
