/*
 * posterior.c
 *		Posterior of a model's coefficients: mean, draws and standard deviations.
 *
 * The paper (see evidence.h) draws with a symmetric square root.  A Cholesky factor gives the same
 * distribution.
 */
#include "posterior.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg.h"
#include "numbers.h"

/* ---------- prior ---------- */

/* Maximum rounding error of a difference of two sums, relative to the sums */
#define MAX_ROUNDING_SHARE	1e-9

/*
 * Center the sums G and b (evidence.h) on the mean features and the mean reward:
 *
 *		P = G - s s' / N		p = b - mean s
 *
 * where s is the column of the intercept in G.  We add an upper bound of the rounding errors to the
 * diagonal, so that P stays positive semidefinite.
 */
static void
remove_level(int dim, double N, double mean, double *p, double *P)
{
	for (int j = 0; j < dim - 1; j++)
	{
		double		sum = P[linalg_packed_index(dim, dim - 1, j)];
		double	   *element = &P[linalg_packed_index(dim, j, j)];
		double		before = *element;

		p[j] -= mean * sum;
		for (int i = j; i < dim - 1; i++)
			P[linalg_packed_index(dim, i, j)] -=
				sum * (P[linalg_packed_index(dim, dim - 1, i)] / N);
		*element = fmax(0.0, *element) + MAX_ROUNDING_SHARE * before;
	}
	p[dim - 1] = 0.0;
	for (int j = 0; j < dim; j++)
		P[linalg_packed_index(dim, dim - 1, j)] = 0.0;
}

/* Make a prior from the sums over at least one observation. */
void
prior_from(const Evidence *e, const Rewards *rewards, double *N, double *p, double *P)
{
	size_t		packed = linalg_packed_len(e->dim);

	*N = *e->N;
	memcpy(p, e->b, sizeof(double) * (size_t) e->dim);
	memcpy(P, e->G, sizeof(double) * packed);
	if (rewards->intercept)
		remove_level(e->dim, *e->N, rewards->reference + *e->R / *e->N, p, P);
}

/* Add the prior's sum of rewards times features to "b", the sum over the observations. */
void
prior_add(const Prior *prior, int dim, double *b)
{
	for (int k = 0; prior->weight > 0.0 && k < dim; k++)
		b[k] += prior->weight * prior->p[k];
}

/* Check that a prior's numbers are finite, and its sums of squares not negative. */
bool
prior_is_valid(const Prior *prior, int dim)
{
	return *prior->N >= 0.0 && linalg_all_finite(1, prior->N) &&
		prior->sigma >= 0.0 && !signbit(prior->sigma) && isfinite(prior->sigma) &&
		linalg_all_finite((size_t) dim, prior->p) &&
		linalg_all_finite(linalg_packed_len(dim), prior->P) &&
		linalg_min_diagonal(dim, prior->P) >= 0.0;
}

/* ---------- factors ---------- */

/* Maximum rounding error of a sum, in units of DBL_EPSILON: about four digits are correct */
#define MAX_ROUNDING_ERRORS	1e12

/* The matrix to be factored: "evidence" (sums over observations) * "times" + the prior's sums */
typedef struct Sums
{
	int			dim;
	double		observations;
	const Prior *prior;
	const double *evidence;
	double		times;
} Sums;

/* Write "count" elements of the packed matrix, from index "first" on. */
static void
write_sums(const Sums *sums, size_t first, size_t count, double *elements)
{
	const Prior *prior = sums->prior;

	for (size_t i = 0; i < count; i++)
		elements[i] = sums->times * sums->evidence[first + i];
	for (size_t i = 0; prior->weight > 0.0 && i < count; i++)
		elements[i] += prior->weight * prior->P[first + i];
}

/*
 * Compute the Cholesky factor of the matrix with "addends" added to its diagonal.  Returns false
 * if rounding errors are too large.
 */
static bool
factor_sums(const Sums *sums, const double *addends, double *factor)
{
	int			dim = sums->dim;
	size_t		packed = linalg_packed_len(dim);

	write_sums(sums, 0, packed, factor);
	for (int k = 0; k < dim; k++)
		factor[linalg_packed_index(dim, k, k)] += addends[k];
	if (!linalg_cholesky(dim, factor) || !linalg_all_finite(packed, factor))
		return false;
	for (int k = 0; k < dim; k++)
	{
		double		root = factor[linalg_packed_index(dim, k, k)];

		/* without rounding errors, the square would be at least addends[k] */
		if (root * root < 0.5 * addends[k])
			return false;
	}
	return true;
}

/*
 * Compute the Cholesky factor of "sums" plus a ridge, "addends".  If rounding errors exceed the
 * ridge, we raise the ridge to their size.
 *
 * Returns false if the sums are invalid, because no observations can have them.
 */
static bool
factor_with_raised_ridge(const Sums *sums, double *addends, double *factor)
{
	int			dim = sums->dim;
	double		rounding = dim * DBL_EPSILON;
	double		most = rounding * (1.0 + fmin(sums->observations, MAX_ROUNDING_ERRORS));
	double		ridge[POSTERIOR_MAX_DIM];
	double		diagonal[POSTERIOR_MAX_DIM];
	double		largest = 0.0;

	if (factor_sums(sums, addends, factor))
		return true;
	for (int k = 0; k < dim; k++)
	{
		ridge[k] = addends[k];
		write_sums(sums, linalg_packed_index(dim, k, k), 1, &diagonal[k]);
		largest = fmax(largest, diagonal[k]);
	}
	/* raise the ridge in proportion to each diagonal element, then to the largest one */
	for (int attempt = 0; attempt < 2; attempt++)
		for (double share = rounding; share < 10.0 * most; share *= 10.0)
		{
			for (int k = 0; k < dim; k++)
				addends[k] = ridge[k] +
					share * (attempt > 0 ? largest : fmax(diagonal[k], 0.0));
			if (factor_sums(sums, addends, factor))
				return true;
		}
	return false;
}

size_t
factor_value_count(int dim, bool forgets)
{
	return linalg_packed_len(dim) * (forgets ? 2 : 1);
}

/* Set the pointers of "f" into an array of factor_value_count() doubles. */
void
factor_bind(Factor *f, int dim, bool forgets, double *values)
{
	f->dim = dim;
	f->L = values;
	f->M = forgets ? values + linalg_packed_len(dim) : NULL;
}

/*
 * Compute the Cholesky factors of the posterior (see evidence.h).  Returns false if the sums are
 * invalid, because no observations can have them.
 *
 * If rounding errors require a larger ridge for L, we use it for M, too, because draws would
 * otherwise vary too little.
 */
bool
posterior_factor(const Evidence *e, const Prior *prior, Factor *f)
{
	int			dim = e->dim;
	double		count = prior->weight > 0.0 ? *e->N + *prior->N : *e->N;
	Sums		G = {dim, count, prior, e->G, 1.0};
	Sums		H = {dim, count, prior, e->H ? e->H : e->G, evidence_square_share(e)};
	double		addends[POSTERIOR_MAX_DIM];

	for (int k = 0; k < dim; k++)
		addends[k] = k == dim - 1 ? prior->last_ridge : prior->ridge;
	return factor_with_raised_ridge(&G, addends, f->L) &&
		(f->M == NULL || factor_with_raised_ridge(&H, addends, f->M));
}

/* ---------- estimates ---------- */

/* Compute the posterior mean (Ghoorchian et al., Algorithm 1, "Calculate psi-hat"). */
void
posterior_mean(const Factor *f, const double *b, double *mean)
{
	memcpy(mean, b, sizeof(double) * (size_t) f->dim);
	linalg_cholesky_solve(f->dim, f->L, 1, mean);
}

/* draws <- shift + scale draws, for several vectors and one shift */
static void
scale_and_shift(int dim, int count, double scale, const double *shift, double *draws)
{
	for (int c = 0; c < count; c++, draws += dim)
		for (int k = 0; k < dim; k++)
			draws[k] = shift[k] + scale * draws[k];
}

/* Convert the sum of rewards times features to the vector "shift" for posterior_draws(). */
void
posterior_shift(const Factor *f, double *b)
{
	if (!f->M)
		linalg_solve_lower(f->dim, f->L, b);
}

/*
 * Draw vectors of coefficients from the posterior (Ghoorchian et al., Algorithm 1).  "normals" has
 * a standard normal number for each coefficient of each draw, and "scale" is the noise standard
 * deviation times the exploration.
 */
void
posterior_draws(const Factor *f, const double *shift, double scale, int count,
				const double *normals, double *draws)
{
	int			dim = f->dim;

	memcpy(draws, normals, sizeof(double) * (size_t) dim * (size_t) count);
	if (f->M)
	{
		linalg_multiply_lower(dim, f->M, count, draws);
		scale_and_shift(dim, count, scale, shift, draws);
		linalg_cholesky_solve(dim, f->L, count, draws);
	}
	else
	{
		scale_and_shift(dim, count, scale, shift, draws);
		linalg_solve_lower_transposed(dim, f->L, count, draws);
	}
}

/* Compute a square root of the posterior covariance, for a noise variance of 1. */
void
posterior_root(const Factor *f, double *root)
{
	size_t		dim = (size_t) f->dim;

	if (f->M)
	{
		linalg_unpack_lower(f->dim, f->M, root);
		linalg_cholesky_solve(f->dim, f->L, f->dim, root);
	}
	else
	{
		memset(root, 0, sizeof(double) * dim * dim);
		for (size_t k = 0; k < dim; k++)
			root[k + k * dim] = 1.0;
		linalg_solve_lower_transposed(f->dim, f->L, f->dim, root);
	}
}

/* Compute the posterior standard deviation of a vector's score.  "work" has dim numbers. */
double
posterior_stddev(int dim, const double *root, const double *reduced, double *work)
{
	linalg_dot_each(dim, dim, root, reduced, work);
	return linalg_norm(dim, work);
}

/* Compute the mean and the standard deviation of a vector's score.  Overwrites the vector. */
double
posterior_score(const Factor *f, const double *shift, double *reduced, double *stddev)
{
	int			dim = f->dim;
	double		mean;

	linalg_solve_lower(dim, f->L, reduced);
	if (f->M)
		linalg_solve_lower_transposed(dim, f->L, 1, reduced);
	mean = dot_double((size_t) dim, reduced, shift);
	if (f->M)
		linalg_multiply_lower_transposed(dim, f->M, reduced);
	*stddev = linalg_norm(dim, reduced);
	return mean;
}
