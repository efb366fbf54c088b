/*
 * projection.h
 *		The random matrices: how they reduce contexts, and how they carry a
 *		parameter over reduced contexts back to weights over contexts.
 *
 * Without a shared context the reduced context is P x (Algorithm 1, "Calculate
 * z"), P being a d by n matrix of independent N(0, scale^2) entries.  With a
 * shared context u of m numbers it is
 *
 *		P x + (Q x) o (R u)		o: elementwise
 *
 * which is a random projection of the long vector [x, x (x) u] that is never
 * formed: Q is d by n with N(0, 1) entries, R is d by m with N(0, scale^2)
 * entries, and with scale = 1/sqrt(d) z.z' estimates x.x' (1 + u.u').
 *
 * The matrices are never stored: any range of their rows can be generated
 * from the seed alone, and the same rows of all three give these coordinates.
 * The functions below therefore take a range of rows, so that a caller may
 * hold the matrices as a whole or walk through them in pieces.
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
	double		scale;			/* of the entries of P and R */
	int			context_dim;	/* n, columns of P and Q */
	int			reduced_dim;	/* d, rows of each */
	int			shared_dim;		/* m, columns of R; 0 without Q and R */
} Projection;

/* A range of rows, as projection_generate left them in "numbers". */
typedef struct ProjectionRows
{
	int			first;
	int			count;
	const double *numbers;
} ProjectionRows;

/* numbers in a row of the three matrices together */
static inline size_t
projection_row_len(const Projection *p)
{
	size_t		n = (size_t) p->context_dim;

	return p->shared_dim == 0 ? n : n + n + (size_t) p->shared_dim;
}

extern void projection_generate(const Projection *p, int first, int count,
								double *numbers);
extern size_t projection_work(const Projection *p, int rows, int count);
extern void projection_apply(const Projection *p, const ProjectionRows *rows,
							 int count, const double *contexts,
							 const double *shareds, double *reduced,
							 int reduced_len, double *work);
extern void projection_lift(const Projection *p, const ProjectionRows *rows,
							int count, const double *parameters,
							int parameter_len, const double *shared,
							double *lifted, int lifted_len, double *work);

#endif							/* DLINTS_PROJECTION_H */
