/*
 * projection.c
 *		Generate rows of the random matrices, reduce contexts with them and
 *		carry a parameter back to context space.
 */
#include "projection.h"

#include "linalg.h"
#include "random.h"

/*
 * Where the parts of the three matrices stand in a range of rows: those of P,
 * then those of Q, then those of R.
 */
static const double *
rows_of_q(const Projection *p, const ProjectionRows *rows)
{
	return rows->numbers + (size_t) rows->count * (size_t) p->context_dim;
}

static const double *
rows_of_r(const Projection *p, const ProjectionRows *rows)
{
	return rows_of_q(p, rows) + (size_t) rows->count * (size_t) p->context_dim;
}

/* Rows of one matrix; returns where the next one goes. */
static double *
generate(uint64_t seed, RandomPurpose purpose, double scale, int first,
		 int count, int columns, double *numbers)
{
	size_t		len = (size_t) columns;
	int			r;

	for (r = 0; r < count; r++)
	{
		size_t		j;

		random_normals(seed, purpose, (uint32_t) (first + r), len, numbers);
		for (j = 0; j < len; j++)
			numbers[j] *= scale;
		numbers += len;
	}
	return numbers;
}

/*
 * Rows first to first + count - 1 of P and, with a shared context, of Q and R:
 * count times projection_row_len numbers.  An entry depends on the seed, its
 * matrix, row and column alone (and on the scale, by which those of P and R
 * are multiplied).
 */
void
projection_generate(const Projection *p, int first, int count,
					double *numbers)
{
	numbers = generate(p->seed, RANDOM_PROJECTION, p->scale, first, count,
					   p->context_dim, numbers);
	if (p->shared_dim > 0)
	{
		numbers = generate(p->seed, RANDOM_INTERACTION, 1.0, first, count,
						   p->context_dim, numbers);
		generate(p->seed, RANDOM_SHARED, p->scale, first, count,
				 p->shared_dim, numbers);
	}
}

/* numbers of work space for so many rows and vectors, at least one of each */
size_t
projection_work(const Projection *p, int rows, int count)
{
	return p->shared_dim == 0 ? 0 : 2 * (size_t) rows * (size_t) count;
}

/* z <- z + (Q x) o (R u), in the coordinates that the given rows produce */
static void
add_interactions(const Projection *p, const ProjectionRows *rows, int count,
				 const double *contexts, const double *shareds,
				 double *reduced, int reduced_len, double *work)
{
	double	   *Qx = work;
	double	   *Ru = work + (size_t) rows->count * (size_t) count;
	int			c;
	int			k;

	linalg_project(p->context_dim, rows->count, rows_of_q(p, rows), count,
				   contexts, Qx, rows->count);
	linalg_project(p->shared_dim, rows->count, rows_of_r(p, rows), count,
				   shareds, Ru, rows->count);
	for (c = 0; c < count; c++)
	{
		double	   *z = reduced + (size_t) c * (size_t) reduced_len + rows->first;

		for (k = 0; k < rows->count; k++)
			z[k] += *Qx++ * *Ru++;
	}
}

/*
 * Reduce a block: "count" contexts of n numbers each and, where the projection
 * has a shared context, as many of m numbers, into vectors of reduced_len
 * numbers.  Writes the coordinates that the given rows produce.  "work" holds
 * projection_work numbers.
 */
void
projection_apply(const Projection *p, const ProjectionRows *rows, int count,
				 const double *contexts, const double *shareds,
				 double *reduced, int reduced_len, double *work)
{
	linalg_project(p->context_dim, rows->count, rows->numbers, count,
				   contexts, reduced + rows->first, reduced_len);
	if (p->shared_dim > 0)
		add_interactions(p, rows, count, contexts, shareds, reduced,
						 reduced_len, work);
}

/* w <- w + Q' (psi o R u), the part of the given rows */
static void
lift_interactions(const Projection *p, const ProjectionRows *rows, int count,
				  const double *parameters, int parameter_len,
				  const double *shared, double *lifted, int lifted_len,
				  double *work)
{
	double	   *Ru = work;
	double	   *products = work + rows->count;
	int			c;
	int			k;

	linalg_dot_each(p->shared_dim, rows->count, rows_of_r(p, rows), shared, Ru);
	for (c = 0; c < count; c++)
	{
		const double *psi = parameters + (size_t) c * (size_t) parameter_len +
			rows->first;

		for (k = 0; k < rows->count; k++)
			products[(size_t) c * (size_t) rows->count + (size_t) k] =
				psi[k] * Ru[k];
	}
	linalg_combine(p->context_dim, rows->count, rows_of_q(p, rows), count,
				   products, rows->count, lifted, lifted_len);
}

/*
 * w <- w + P' psi + Q' (psi o R u), so that psi'z = w'x: a candidate then costs
 * one dot product of n numbers.  "count" parameters of parameter_len numbers
 * add to as many lists of lifted_len weights, under one shared context, the
 * part of the given rows.  "work" holds projection_work numbers.
 */
void
projection_lift(const Projection *p, const ProjectionRows *rows, int count,
				const double *parameters, int parameter_len,
				const double *shared, double *lifted, int lifted_len,
				double *work)
{
	linalg_combine(p->context_dim, rows->count, rows->numbers, count,
				   parameters + rows->first, parameter_len, lifted, lifted_len);
	if (p->shared_dim > 0)
		lift_interactions(p, rows, count, parameters, parameter_len, shared,
						  lifted, lifted_len, work);
}
