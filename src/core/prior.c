/*
 * prior.c
 *		Evidence as it is known beforehand.
 */
#include "prior.h"

#include <math.h>
#include <string.h>

#include "linalg.h"

/* largest share of a sum that its rounding is taken to be */
#define MOST_ROUNDING	1e-9

/*
 * The level of evidence is that of its intercept.  Both that and what the
 * intercept has in common with the other coordinates are taken out:
 *
 *		P = G - s s' / N		p = b - (R / N) s
 *
 * s being the intercept's column of G and R / N the mean reward.  Of a coordinate
 * that hardly varies nothing but rounding is left, in proportion to what it was:
 * so much is added to the diagonal, which keeps P positive semidefinite.
 */
static void
take_level_out(int dim, double N, double mean, double *p, double *P)
{
	int			i;
	int			j;

	for (j = 0; j < dim - 1; j++)
	{
		double		sum = P[linalg_packed_index(dim, dim - 1, j)];
		double	   *diagonal = &P[linalg_packed_index(dim, j, j)];
		double		before = *diagonal;

		p[j] -= mean * sum;
		for (i = j; i < dim - 1; i++)
			P[linalg_packed_index(dim, i, j)] -=
				sum * (P[linalg_packed_index(dim, dim - 1, i)] / N);
		*diagonal = fmax(0.0, *diagonal) + MOST_ROUNDING * before;
	}
	p[dim - 1] = 0.0;
	for (j = 0; j < dim; j++)
		P[linalg_packed_index(dim, dim - 1, j)] = 0.0;
}

/* What evidence says beforehand; it has observations. */
void
prior_from(const Evidence *e, const Rewards *rewards, double *N, double *p,
		   double *P)
{
	size_t		packed = linalg_packed_len(e->dim);

	*N = *e->N;
	memcpy(p, e->b, sizeof(double) * (size_t) e->dim);
	memcpy(P, e->G, sizeof(double) * packed);
	if (rewards->intercept)
		take_level_out(e->dim, *e->N, rewards->reference + *e->R / *e->N, p, P);
}

/* b <- b + what the prior says of it */
void
prior_add(const Prior *prior, int dim, double *b)
{
	int			k;

	for (k = 0; prior->weight > 0.0 && k < dim; k++)
		b[k] += prior->weight * prior->p[k];
}

/* Every number finite; what cannot be negative is not. */
bool
prior_is_valid(const Prior *prior, int dim)
{
	return *prior->N >= 0.0 && linalg_all_finite(1, prior->N) &&
		prior->sigma >= 0.0 && !signbit(prior->sigma) && isfinite(prior->sigma) &&
		linalg_all_finite((size_t) dim, prior->p) &&
		linalg_all_finite(linalg_packed_len(dim), prior->P) &&
		linalg_min_diagonal(dim, prior->P) >= 0.0;
}
