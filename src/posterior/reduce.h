/*
 * reduce.h
 *		Conversion of features and profiles to reduced features z, conversion of
 *		coefficients to weights of features, and the cache of projection
 *		matrices, limited by dlints.projection_cache_size.
 */
#ifndef DLINTS_REDUCE_H
#define DLINTS_REDUCE_H

#include "utils/array.h"

#include "model/model.h"

extern int	projection_cache_size;	/* dlints.projection_cache_size, in kilobytes */

/* A scan of a projection matrix, piece by piece. */
typedef struct ProjectionWalk
{
	const Projection *projection;
	ProjectionRows piece;		/* rows of the projection matrix in the current piece */
	const double *kept;			/* the projection matrix if it is cached, else NULL */
	double	   *generated;		/* buffer for a piece of a matrix that is not cached */
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
