/*
 * projection.h
 *		The random matrix P: how it reduces feature vectors (Algorithm 1,
 *		"Calculate z"), and how it carries a parameter over reduced features
 *		back to weights over feature vectors.
 *
 * P is a d by n matrix of independent N(0, scale^2) entries.  It is never
 * stored: any range of its rows can be generated from the seed alone.  The
 * functions below therefore take a range of rows, so that a caller may hold
 * the matrix as a whole or walk through it in pieces.
 *
 * z may have more coordinates, behind these (kinds.h).
 */
#ifndef DLINTS_PROJECTION_H
#define DLINTS_PROJECTION_H

#include <stddef.h>
#include <stdint.h>

typedef struct Projection
{
	uint64_t	seed;
	double		scale;			/* of the entries */
	int			feature_dim;	/* n, columns */
	int			reduced_dim;	/* d, rows */
} Projection;

/* A range of rows, as projection_generate left them in "numbers". */
typedef struct ProjectionRows
{
	int			first;
	int			count;
	const double *numbers;
} ProjectionRows;

extern void projection_generate(const Projection *p, int first, int count,
								double *numbers);
extern void projection_apply(const Projection *p, const ProjectionRows *rows,
							 int count, const double *features,
							 double *reduced, int reduced_len);
extern void projection_lift(const Projection *p, const ProjectionRows *rows,
							int count, const double *parameters,
							int parameter_len, double *lifted,
							int lifted_len);

#endif							/* DLINTS_PROJECTION_H */
