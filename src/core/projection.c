/*
 * projection.c
 *		Generate rows of the random projection, reduce contexts with them and
 *		carry a reduced parameter back to context space.
 */
#include "projection.h"

#include <string.h>

#include "linalg.h"
#include "random.h"

/*
 * Rows first_row to first_row + rows - 1 of P, each context_dim contiguous
 * numbers.  Entry (i, j) depends on seed, i and j alone (and on the scale, by
 * which it is multiplied).
 */
void
projection_generate(const ProjectionKey *key, int first_row, int rows,
					double *matrix)
{
	size_t		n = (size_t) key->context_dim;
	int			r;

	for (r = 0; r < rows; r++)
	{
		double	   *row = matrix + (size_t) r * n;
		size_t		j;

		random_normals(key->seed, RANDOM_PROJECTION,
					   (uint32_t) (first_row + r), n, row);
		for (j = 0; j < n; j++)
			row[j] *= key->scale;
	}
}

/*
 * z = P x for a block: "count" contexts of n numbers each, into the same
 * number of reduced contexts of d.  Only the coordinates that the given rows
 * produce are written.
 */
void
projection_apply(const ProjectionKey *key, int first_row, int rows,
				 const double *matrix, int count, const double *contexts,
				 double *reduced)
{
	linalg_project(key->context_dim, rows, matrix, count, contexts,
				   reduced + first_row, key->reduced_dim);
}

/*
 * w = P' psi, so that psi'(P x) = w'x: a candidate then costs one dot product
 * of n numbers.  "count" parameters of d numbers each become as many weight
 * vectors of n.  Adds the part of the given rows; the first range clears.
 */
void
projection_lift(const ProjectionKey *key, int first_row, int rows,
				const double *matrix, int count, const double *parameters,
				double *weights)
{
	if (first_row == 0)
		memset(weights, 0, sizeof(double) * (size_t) key->context_dim *
			   (size_t) count);
	linalg_combine(key->context_dim, rows, matrix, count,
				   parameters + first_row, key->reduced_dim, weights);
}
