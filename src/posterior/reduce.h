/*
 * reduce.h
 *		Feature vectors to reduced features, and parameters to weights over
 *		feature vectors, as a model does it; and the projection matrices that this
 *		backend keeps for that, bounded by dlints.projection_cache_size.
 */
#ifndef DLINTS_REDUCE_H
#define DLINTS_REDUCE_H

#include "utils/array.h"

#include "model/model.h"

extern int	projection_cache_size;	/* the setting, in kilobytes */

/* A way through the rows of a matrix, a piece after the other. */
typedef struct ProjectionWalk
{
	const Projection *projection;
	ProjectionRows piece;		/* the present one */
	const double *kept;			/* all rows, or NULL */
	double	   *generated;		/* and then room for those of a piece */
} ProjectionWalk;

extern ProjectionWalk ProjectionBegin(const Projection *projection);
extern bool ProjectionNext(ProjectionWalk *walk);

extern void ReduceFeatures(const DlintsHeader *model, int count,
						   const double *features, const double *profiles,
						   double *reduced);
extern double *ReduceArray(const DlintsHeader *model, ArrayType *features,
							 Datum profile);
extern void LiftParameters(const DlintsHeader *model, int count,
						   const double *parameters, const double *profile,
						   double *weights);
extern void LiftParameter(const DlintsHeader *model, const double *parameter,
						  Datum profile, double *weights);

#endif							/* DLINTS_REDUCE_H */
