/*
 * posterior.c
 *		Posterior of the coefficients: Cholesky factors, mean, draws and standard deviations.
 *
 * The paper (see evidence.h) draws with a symmetric square root.  We use a Cholesky factor, which
 * gives the same distribution.
 */
#include "posterior.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg.h"
#include "numbers.h"

/* ---------- prior ---------- */

/* Upper bound of the rounding error of a difference of two sums, relative to these sums */
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

/* Make a prior from sums over at least one observation. */
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

/* Add the prior's sum of rewards times features to that of the observations, "b". */
void
prior_add(const Prior *prior, int dim, double *b)
{
	for (int k = 0; prior->weight > 0.0 && k < dim; k++)
		b[k] += prior->weight * prior->p[k];
}

/* Are all numbers finite, and sums of squares not negative? */
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

/* Maximum rounding error of a sum, in units of DBL_EPSILON: four correct digits remain */
#define MAX_ROUNDING_ERRORS	1e12

/*
 * Input for factoring the matrices G (j = 0) and H (j = 1) of evidence.h.  Against rounding errors,
 * we add share[j] * max(element, least[j]) to each diagonal element.
 */
typedef struct FactorInput
{
	const Prior *prior;
	const double *evidence[2];
	double		times[2];
	double		share[2];
	double		least[2];
} FactorInput;

/* Return diagonal element k of the matrix G (j = 0) or H (j = 1) of evidence.h, with the prior. */
static double
diagonal(const FactorInput *input, int j, int dim, int k)
{
	const Prior *prior = input->prior;
	size_t		at = linalg_packed_index(dim, k, k);
	double		element = input->times[j] * input->evidence[j][at];

	return prior->weight > 0.0 ? element + prior->weight * prior->P[at] : element;
}

/* Return what is added to diagonal element k: the ridge, and a tolerance for rounding errors. */
static double
diagonal_addend(const FactorInput *input, int dim, int k)
{
	const Prior *prior = input->prior;
	double		sum = k == dim - 1 ? prior->last_ridge : prior->ridge;

	for (int j = 0; j < 2; j++)
		if (input->share[j] > 0.0)
			sum += input->share[j] *
				fmax(diagonal(input, j, dim, k), input->least[j]);
	return sum;
}

/* Write the sum of the prior and the matrix G (j = 0) or H (j = 1) of evidence.h. */
static void
add_prior(const FactorInput *input, int j, size_t count, double *matrix)
{
	const Prior *prior = input->prior;

	memcpy(matrix, input->evidence[j], count * sizeof(double));
	if (input->times[j] != 1.0)
		for (size_t i = 0; i < count; i++)
			matrix[i] *= input->times[j];
	if (prior->weight > 0.0)
		for (size_t i = 0; i < count; i++)
			matrix[i] += prior->weight * prior->P[i];
}

/*
 * Compute the Cholesky factor of the matrix G (j = 0) or H (j = 1) of evidence.h, with the prior
 * and the ridge.  Returns false if rounding errors are too large.
 */
static bool
factor_with_ridge(int dim, const FactorInput *input, int j, double *factor)
{
	add_prior(input, j, linalg_packed_len(dim), factor);
	for (int k = 0; k < dim; k++)
		factor[linalg_packed_index(dim, k, k)] += diagonal_addend(input, dim, k);
	if (!linalg_cholesky(dim, factor) || !linalg_all_finite(linalg_packed_len(dim), factor))
		return false;
	for (int k = 0; k < dim; k++)
	{
		double		root = factor[linalg_packed_index(dim, k, k)];

		/* without rounding errors, a squared pivot is at least what was added to the diagonal */
		if (root * root < 0.5 * diagonal_addend(input, dim, k))
			return false;
	}
	return true;
}

/*
 * Compute the Cholesky factor of the matrix G (j = 0) or H (j = 1) of evidence.h, with a larger
 * ridge if necessary.  If features are very large or nearly parallel, rounding errors may exceed
 * the ridge.  We then raise the ridge to their size.  Returns false if the sums cannot come from
 * observations.
 */
static bool
factor_with_raised_ridge(const Evidence *e, int j, FactorInput *input, double *factor)
{
	const Prior *prior = input->prior;
	double		count = prior->weight > 0.0 ? *e->N + *prior->N : *e->N;
	double		rounding = e->dim * DBL_EPSILON;
	double		most = rounding * (1.0 + fmin(count, MAX_ROUNDING_ERRORS));

	if (factor_with_ridge(e->dim, input, j, factor))
		return true;
	for (int attempt = 0; attempt < 2; attempt++)
	{
		/* rounding errors of sums may be proportional to the largest diagonal element */
		for (int k = 0; attempt > 0 && k < e->dim; k++)
			input->least[j] = fmax(input->least[j], diagonal(input, j, e->dim, k));
		for (input->share[j] = rounding; input->share[j] < 10.0 * most; input->share[j] *= 10.0)
			if (factor_with_ridge(e->dim, input, j, factor))
				return true;
	}
	return false;
}

size_t
factor_value_count(int dim, bool forgets)
{
	return linalg_packed_len(dim) * (forgets ? 2 : 1);
}

/* Let the pointers of "f" point into an array of factor_value_count() doubles. */
void
factor_bind(Factor *f, int dim, bool forgets, double *values)
{
	f->dim = dim;
	f->L = values;
	f->M = forgets ? values + linalg_packed_len(dim) : NULL;
}

/*
 * Compute the Cholesky factors of the matrices Z and Z~ (core/evidence.h) of a posterior.  Returns
 * false if the sums cannot come from observations.  If Z needs a larger ridge, we also add it to
 * Z~, because posterior draws would otherwise vary too little.
 */
bool
posterior_factor(const Evidence *e, const Prior *prior, Factor *f)
{
	FactorInput		input = {
		prior, {e->G, e->H ? e->H : e->G}, {1.0, evidence_square_share(e)},
		{0, 0}, {0, 0}
	};

	return factor_with_raised_ridge(e, 0, &input, f->L) &&
		(f->M == NULL || factor_with_raised_ridge(e, 1, &input, f->M));
}

/* ---------- estimates ---------- */

/* Compute the posterior mean (Ghoorchian et al., Algorithm 1, "Calculate psi-hat"). */
void
posterior_mean(const Factor *f, const double *b, double *mean)
{
	memcpy(mean, b, sizeof(double) * (size_t) f->dim);
	linalg_cholesky_solve(f->dim, f->L, 1, mean);
}

/* draws <- shift + scale draws, for "count" vectors and one shift */
static void
scale_and_shift(int dim, int count, double scale, const double *shift, double *draws)
{
	for (int c = 0; c < count; c++, draws += dim)
		for (int k = 0; k < dim; k++)
			draws[k] = shift[k] + scale * draws[k];
}

/* Convert the sum of rewards times features to the argument "shift" of posterior_draws(). */
void
posterior_shift(const Factor *f, double *b)
{
	if (!f->M)
		linalg_solve_lower(f->dim, f->L, b);
}

/*
 * Draw "count" vectors of coefficients (Ghoorchian et al., Algorithm 1).  The draws have the
 * posterior mean.  Their covariance is scale^2 times that for a noise variance of 1.  "normals" has
 * dim standard normals per draw.
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

/* Compute a matrix R such that R R' is the posterior covariance, divided by the noise variance. */
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

/*
 * Compute the posterior standard deviation of the score of a feature vector.  "root" comes from
 * posterior_root(), and "work" holds dim numbers.
 */
double
posterior_stddev(int dim, const double *root, const double *reduced, double *work)
{
	linalg_dot_each(dim, dim, root, reduced, work);
	return linalg_norm(dim, work);
}

/* Compute the posterior mean and standard deviation of a vector's score.  Overwrites the vector. */
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
