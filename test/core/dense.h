/*
 * dense.h
 *		A projection as a dense matrix in long double, which reduces the long
 *		vector [x, x (x) u] and lifts parameters, and data to try it on.
 *
 * Computed numbers are held to the rounding that their number of terms allows.
 */
#ifndef DLINTS_DENSE_H
#define DLINTS_DENSE_H

#include "oracle.h"

#include "core/projection.h"

typedef enum Matrix
{
	MATRIX_P, MATRIX_Q, MATRIX_R
} Matrix;

/* Its rows are coordinates of z, its columns the numbers of the long vector. */
typedef struct Dense
{
	int			rows;
	int			columns;
	exact	   *entries;
} Dense;

/* a number, and the sum of its terms' sizes, to which rounding is relative */
typedef struct Sum
{
	exact		value;
	exact		size;
} Sum;

/*
 * a projection, its oracle, and data for it.  Behind the numbers of each vector
 * there are some that are none of the projection's business.
 */
typedef struct Fixture
{
	Projection	p;
	Dense		dense;
	int			spare;
	int			count;
	double	   *contexts;
	double	   *shareds;
	double	   *parameters;
} Fixture;

extern ProjectionRows rows_new(const Projection *p, int first, int count);
extern const double *row_of(const Projection *p, const ProjectionRows *rows,
							Matrix matrix, int row);
extern Fixture fixture_new(Projection p, int spare, int count);
extern double *reduced_new(const Fixture *f);
extern void apply_rows(const Fixture *f, int first, int count,
					   double *reduced);
extern void lift_rows(const Fixture *f, int first, int count, double *lifted);

extern void check_ranges(Projection p);
extern void check_shape(int context_dim, int reduced_dim, int shared_dim);
extern void check_splits(Projection p);
extern void check_limits(Projection p);
extern void check_only_its_rows(Projection p);

#endif							/* DLINTS_DENSE_H */
