/*
 * reduce.h
 *		Compute a model's features from item features, with a cache of random projection matrices.
 */
#ifndef DLINTS_REDUCE_H
#define DLINTS_REDUCE_H

#include "utils/array.h"

#include "model/model.h"

extern int	projection_cache_size;	/* the setting dlints.projection_cache_size, in kilobytes */

/* A scan of a projection matrix, some rows at a time */
typedef struct ProjectionWalk
{
	const Projection *projection;
	ProjectionRows piece;		/* rows of the matrix at the current position */
	const double *kept;			/* the cached matrix, or NULL if it is not cached */
	double	   *generated;		/* buffer for generated rows */
} ProjectionWalk;

extern ProjectionWalk ProjectionBegin(const Projection *projection);
extern bool ProjectionNext(ProjectionWalk *walk);

extern void ReduceFeatures(const DlintsHeader *model, int count,
						   const double *features, const double *profiles, double *reduced);
extern double *ReduceArray(const DlintsHeader *model, ArrayType *features, Datum profile);
extern void LiftParameters(const DlintsHeader *model, int count,
						   const double *parameters, const double *profile, double *weights);
extern void LiftParameter(const DlintsHeader *model, const double *parameter,
						  Datum profile, double *weights);

#endif							/* DLINTS_REDUCE_H */
