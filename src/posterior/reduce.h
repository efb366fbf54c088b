/*
 * reduce.h
 *		Convert item features to a model's features, with a cache of projection matrices.
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
	ProjectionRows piece;		/* current rows of the matrix */
	const double *kept;			/* the cached matrix; NULL: not cached */
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
