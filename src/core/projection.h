/*
 * projection.h
 *		How a context becomes a reduced context, and how a parameter over
 *		reduced contexts becomes weights over contexts.
 *
 * Without a shared context z = P x (Algorithm 1, "Calculate z"), P being a d
 * by n matrix of independent N(0, scale^2) entries.  With a shared context u
 * of m numbers
 *
 *		z = P x + (Q x) o (R u)		o: elementwise
 *
 * which is a random projection of the long vector [x, x (x) u] that is never
 * formed: Q is d by n with N(0, 1) entries, R is d by m with N(0, scale^2)
 * entries, and with scale = 1/sqrt(d) z.z' estimates x.x' (1 + u.u').
 *
 * The matrices are never stored: any range of their rows can be generated
 * from the seed alone, and the same rows of all three give these coordinates
 * of z.  The functions below therefore take a range of rows, so that a caller
 * may hold the matrices as a whole or walk through them in pieces.
 *
 * An intercept is one more coordinate of z, the last, which is always 1.
 */
#ifndef DLINTS_PROJECTION_H
#define DLINTS_PROJECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Projection
{
	uint64_t	seed;
	double		scale;			/* kappa */
	int			context_dim;	/* n, columns of P and Q */
	int			reduced_dim;	/* d, rows of each */
	int			shared_dim;		/* m, columns of R; 0 without a shared context */
	bool		intercept;
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

/* coordinates of z: d, and one more with an intercept */
static inline int
projection_reduced_len(const Projection *p)
{
	return p->reduced_dim + (p->intercept ? 1 : 0);
}

/* weights that a parameter lifts to: n, followed by that of the intercept */
static inline int
projection_lifted_len(const Projection *p)
{
	return p->context_dim + (p->intercept ? 1 : 0);
}

extern void projection_generate(const Projection *p, int first, int count,
								double *numbers);
extern size_t projection_work(const Projection *p, int rows, int count);
extern void projection_apply(const Projection *p, const ProjectionRows *rows,
							 int count, const double *contexts,
							 const double *shareds, double *reduced,
							 double *work);
extern void projection_lift(const Projection *p, const ProjectionRows *rows,
							int count, const double *parameters,
							const double *shared, double *lifted,
							double *work);
extern void projection_copy(const Projection *p, int count,
							const double *contexts, double *reduced);

#endif							/* DLINTS_PROJECTION_H */
