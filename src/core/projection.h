/*
 * projection.h
 *		The random projection P, a d by n matrix of independent N(0, scale^2)
 *		entries (Algorithm 1, "Initialize"), and what is done with it.
 *
 * P is never stored: any range of its rows can be generated from the seed
 * alone.  The functions below therefore take a range of rows, so that a
 * caller may hold all of P or walk through it in pieces.
 */
#ifndef DLINTS_PROJECTION_H
#define DLINTS_PROJECTION_H

#include <stdint.h>

typedef struct ProjectionKey
{
	uint64_t	seed;
	double		scale;			/* kappa, the standard deviation of an entry */
	int			context_dim;	/* n, columns of P */
	int			reduced_dim;	/* d, rows of P */
} ProjectionKey;

extern void projection_generate(const ProjectionKey *key, int first_row,
								int rows, double *matrix);
extern void projection_apply(const ProjectionKey *key, int first_row, int rows,
							 const double *matrix, int count,
							 const double *contexts, double *reduced);
extern void projection_lift(const ProjectionKey *key, int first_row, int rows,
							const double *matrix, int count,
							const double *parameters, double *weights);

#endif							/* DLINTS_PROJECTION_H */
