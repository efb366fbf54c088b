/*
 * reduction.h
 *		What the tests of src/core/projection.c share: rows of the random
 *		matrices in guarded memory, walks through them in pieces, and the
 *		dense projection of the long vector that the library never forms.
 */
#ifndef DLINTS_REDUCTION_H
#define DLINTS_REDUCTION_H

#include "oracle.h"

#include "core/projection.h"

typedef enum Matrix
{
	MATRIX_P, MATRIX_Q, MATRIX_R
} Matrix;

/* rows as projection_generate leaves them */
extern ProjectionRows rows_new(const Projection *p, int first, int count);
extern ProjectionRows all_rows(const Projection *p);
extern void rows_free(ProjectionRows rows);
extern int	columns_of(const Projection *p, Matrix matrix);
extern const double *row_of(const Projection *p, const ProjectionRows *rows,
							Matrix matrix, int row);

/* each moment, and each correlation, within five standard errors */
extern void check_moments(size_t count, const double *numbers, double scale);
extern void check_uncorrelated(int rows, int len, const double *numbers);

/* with work space that is as large as projection_work says and no larger */
extern void apply_rows(const Projection *p, ProjectionRows rows, int count,
					   const double *contexts, const double *shareds,
					   double *reduced);
extern void lift_rows(const Projection *p, ProjectionRows rows, int count,
					  const double *parameters, const double *shared,
					  double *lifted);

/* The first piece has "first" rows, each further one "step". */
typedef struct Split
{
	int			first;
	int			step;
} Split;

/* each piece generated anew */
extern void apply_in_pieces(const Projection *p, Split split, int count,
							const double *contexts, const double *shareds,
							double *reduced);
extern void lift_in_pieces(const Projection *p, Split split, int count,
						   const double *parameters, const double *shared,
						   double *lifted);

/*
 * The projection of the long vector [x, x (x) u, 1]: its last row and column
 * are the intercept's, and missing without one.
 */
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

extern Dense dense_new(const Projection *p);
extern void dense_free(Dense dense);
extern exact *long_vector(const Projection *p, const double *context,
						  const double *shared);
extern Sum	dense_reduce(Dense dense, int row, const exact *vector);
extern Sum	dense_lift(Dense dense, const Projection *p, int weight,
					   const double *parameter, const double *shared);

#endif							/* DLINTS_REDUCTION_H */
