/*
 * projection.c
 *		Generate rows of the random matrix, reduce feature vectors with them
 *		and carry a parameter back to feature space.
 */
#include "projection.h"

#include "linalg.h"
#include "random.h"

/*
 * Rows first to first + count - 1, dim numbers each.  An entry depends
 * on the seed, its row and its column alone, and on the scale that multiplies
 * it.
 */
void
projection_generate(const Projection *p, int first, int count,
					double *numbers)
{
	size_t		len = (size_t) p->feature_dim;
	int			r;

	for (r = 0; r < count; r++)
	{
		size_t		j;

		random_normals(p->seed, RANDOM_PROJECTION, (uint32_t) (first + r), len,
					   numbers);
		for (j = 0; j < len; j++)
			numbers[j] *= p->scale;
		numbers += len;
	}
}

/*
 * Reduce "count" feature vectors of n numbers each into vectors of reduced_len
 * numbers.  Writes the coordinates that the given rows produce.
 */
void
projection_apply(const Projection *p, const ProjectionRows *rows, int count,
				 const double *features, double *reduced, int reduced_len)
{
	linalg_project(p->feature_dim, rows->count, rows->numbers, count,
				   features, reduced + rows->first, reduced_len);
}

/*
 * w <- w + P' psi, so that psi'z = w'x: a candidate then costs one dot product
 * of n numbers.  "count" parameters of parameter_len numbers add to as many
 * lists of lifted_len weights the part of the given rows.
 */
void
projection_lift(const Projection *p, const ProjectionRows *rows, int count,
				const double *parameters, int parameter_len,
				double *lifted, int lifted_len)
{
	linalg_combine(p->feature_dim, rows->count, rows->numbers, count,
				   parameters + rows->first, parameter_len, lifted, lifted_len);
}
