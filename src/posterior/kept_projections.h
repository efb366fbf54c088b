/*
 * kept_projections.h
 *		The projection matrices that this backend keeps, bounded by
 *		dlints.projection_cache_size.
 */
#ifndef DLINTS_KEPT_PROJECTIONS_H
#define DLINTS_KEPT_PROJECTIONS_H

#include "postgres.h"

#include "core/projection.h"

extern int	projection_cache_size;	/* the setting, in kilobytes */

typedef struct KeptProjection KeptProjection;

extern int	ProjectionPieceRows(const Projection *projection);
extern KeptProjection *ProjectionPin(const Projection *projection);
extern const double *ProjectionPiece(const KeptProjection *kept, int first);
extern void ProjectionUnpin(KeptProjection *kept);

#endif							/* DLINTS_KEPT_PROJECTIONS_H */
