/*
 * posterior.c
 *		Factor, mean, draw, width.
 *
 * No inverse, symmetric square root or eigendecomposition is formed.  Where
 * the paper writes Z^-1 Z~^(1/2) W, any matrix M with M M' = Z~ gives a
 * perturbation of the same law; ours is the Cholesky factor.
 */
#include "posterior.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg.h"
#include "numbers.h"

/* ---------- what was known beforehand ---------- */

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
		double	   *element = &P[linalg_packed_index(dim, j, j)];
		double		before = *element;

		p[j] -= mean * sum;
		for (i = j; i < dim - 1; i++)
			P[linalg_packed_index(dim, i, j)] -=
				sum * (P[linalg_packed_index(dim, dim - 1, i)] / N);
		*element = fmax(0.0, *element) + MOST_ROUNDING * before;
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

/* ---------- factors ---------- */

/*
 * Rounding errors that evidence may have gathered, in units of DBL_EPSILON.
 * More would leave it fewer than four digits.
 */
#define MOST_ROUNDINGS	1e12

/*
 * What is factored: G and what stands for H, each so many times, with a prior; and
 * what is added to the diagonals of both: the ridge and, for each, a share of the
 * elements that stand there, taken to be at least so large.
 */
typedef struct Known
{
	const Prior *prior;
	const double *evidence[2];
	double		times[2];
	double		share[2];
	double		least[2];
} Known;

/* element k of the diagonal of matrix j */
static double
diagonal(const Known *known, int j, int dim, int k)
{
	const Prior *prior = known->prior;
	size_t		at = linalg_packed_index(dim, k, k);
	double		element = known->times[j] * known->evidence[j][at];

	return prior->weight > 0.0 ? element + prior->weight * prior->P[at] : element;
}

static double
max_diagonal(const Known *known, int j, int dim)
{
	double		max = 0.0;
	int			k;

	for (k = 0; k < dim; k++)
		max = fmax(max, diagonal(known, j, dim, k));
	return max;
}

/* What is added to element k of the diagonal. */
static double
added(const Known *known, int dim, int k)
{
	const Prior *prior = known->prior;
	double		sum = k == dim - 1 ? prior->last_ridge : prior->ridge;
	int			j;

	for (j = 0; j < 2; j++)
		if (known->share[j] > 0.0)
			sum += known->share[j] *
				fmax(diagonal(known, j, dim, k), known->least[j]);
	return sum;
}

/* matrix <- matrix j with the prior */
static void
gather(const Known *known, int j, size_t count, double *matrix)
{
	const Prior *prior = known->prior;
	size_t		i;

	memcpy(matrix, known->evidence[j], count * sizeof(double));
	if (known->times[j] != 1.0)
		for (i = 0; i < count; i++)
			matrix[i] *= known->times[j];
	if (prior->weight > 0.0)
		for (i = 0; i < count; i++)
			matrix[i] += prior->weight * prior->P[i];
}

/*
 * Cholesky factor of what is known and what is added to it.  In exact arithmetic
 * no pivot is below what was added to its element.  One that is less than half
 * of that shows that rounding errors are larger than what was added.
 */
static bool
factor_with_ridge(int dim, const Known *known, int j, double *factor)
{
	int			k;

	gather(known, j, linalg_packed_len(dim), factor);
	for (k = 0; k < dim; k++)
		factor[linalg_packed_index(dim, k, k)] += added(known, dim, k);
	if (!linalg_cholesky(dim, factor) ||
		!linalg_all_finite(linalg_packed_len(dim), factor))
		return false;
	for (k = 0; k < dim; k++)
	{
		double		root = factor[linalg_packed_index(dim, k, k)];

		if (root * root < 0.5 * added(known, dim, k))
			return false;
	}
	return true;
}

/*
 * The same with as large a share as is needed.
 *
 * Feature vectors can be so large, or so nearly parallel, that the rounding
 * errors of the evidence exceed the ridge.  Then the ridge is raised to their
 * size, which keeps what the evidence still knows.  Each observation adds at
 * most one rounding error, and does so when the same features come again and
 * again.  The first attempt takes errors to be in proportion to a coordinate's
 * own elements, so that a coordinate that was never seen keeps its ridge.  The
 * second takes them to be in proportion to the largest element, as they are
 * where evidence was taken back.  Evidence that needs more never came from
 * observations: the result is false.
 */
static bool
factor_raised(const Evidence *e, int j, Known *known, double *factor)
{
	const Prior *prior = known->prior;
	double		count = prior->weight > 0.0 ? *e->N + *prior->N : *e->N;
	double		rounding = e->dim * DBL_EPSILON;
	double		most = rounding * (1.0 + fmin(count, MOST_ROUNDINGS));
	int			attempt;

	if (factor_with_ridge(e->dim, known, j, factor))
		return true;
	for (attempt = 0; attempt < 2; attempt++)
	{
		if (attempt > 0)
			known->least[j] = max_diagonal(known, j, e->dim);
		for (known->share[j] = rounding; known->share[j] < 10.0 * most;
			 known->share[j] *= 10.0)
			if (factor_with_ridge(e->dim, known, j, factor))
				return true;
	}
	return false;
}

/* numbers in L and, where evidence fades, M */
size_t
factor_value_count(int dim, bool fades)
{
	return linalg_packed_len(dim) * (fades ? 2 : 1);
}

/* Lay L and M out over factor_value_count numbers. */
void
factor_bind(Factor *f, int dim, bool fades, double *values)
{
	f->dim = dim;
	f->L = values;
	f->M = fades ? values + linalg_packed_len(dim) : NULL;
}

/*
 * Z = L L' and, when there is a second matrix, Z~ = M M', into a factor that
 * was bound for the evidence's dimension and fading.  Z is G, and Z~ is H or
 * what stands for it, each with the prior.
 *
 * Where the ridge had to be raised for Z it is raised for Z~, too: otherwise
 * draws would be surer than the mean.  Z~ may need more, since it has squares of
 * weights; that is not applied to Z, so the mean does not depend on whether
 * there is a second matrix.  False if no observations leave such evidence.
 */
bool
posterior_factor(const Evidence *e, const Prior *prior, Factor *f)
{
	Known		known = {
		prior, {e->G, e->H ? e->H : e->G}, {1.0, evidence_square_share(e)},
		{0, 0}, {0, 0}
	};

	return factor_raised(e, 0, &known, f->L) &&
		(f->M == NULL || factor_raised(e, 1, &known, f->M));
}

/* ---------- estimates ---------- */

/* psi-hat = Z^-1 b (Algorithm 1, "Calculate psi-hat") */
void
posterior_mean(const Factor *f, const double *b, double *mean)
{
	memcpy(mean, b, sizeof(double) * (size_t) f->dim);
	linalg_cholesky_solve(f->dim, f->L, 1, mean);
}

/* draws <- shift + scale draws, "count" vectors and one that is added to each */
static void
scale_and_shift(int dim, int count, double scale, const double *shift,
				double *draws)
{
	int			c;
	int			k;

	for (c = 0; c < count; c++, draws += dim)
		for (k = 0; k < dim; k++)
			draws[k] = shift[k] + scale * draws[k];
}

/*
 * psi-tilde (Algorithm 1, "Calculate psi-tilde"), "count" of them: each
 * normally distributed with mean psi-hat and covariance
 * scale^2 Z^-1 Z~ Z^-1, given dim standard normals of its own.
 * psi-tilde = Z^-1 (b + scale M w); with M = L one of the two triangular
 * solves falls away.  "work" holds dim numbers.
 */
void
posterior_draws(const Factor *f, const double *b, double scale, int count,
				const double *normals, double *draws, double *work)
{
	int			dim = f->dim;

	memcpy(draws, normals, sizeof(double) * (size_t) dim * (size_t) count);
	if (f->M)
	{
		linalg_multiply_lower(dim, f->M, count, draws);
		scale_and_shift(dim, count, scale, b, draws);
		linalg_cholesky_solve(dim, f->L, count, draws);
	}
	else
	{
		memcpy(work, b, sizeof(double) * (size_t) dim);
		linalg_solve_lower(dim, f->L, work);
		scale_and_shift(dim, count, scale, work, draws);
		linalg_solve_lower_transposed(dim, f->L, count, draws);
	}
}

/*
 * A root R of the posterior covariance, R R' = Z^-1 Z~ Z^-1, as dim columns
 * of dim numbers: Z^-1 M, or L'^-1 where M = L.
 */
void
posterior_root(const Factor *f, double *root)
{
	size_t		dim = (size_t) f->dim;
	size_t		k;

	if (f->M)
	{
		linalg_unpack_lower(f->dim, f->M, root);
		linalg_cholesky_solve(f->dim, f->L, f->dim, root);
	}
	else
	{
		memset(root, 0, sizeof(double) * dim * dim);
		for (k = 0; k < dim; k++)
			root[k + k * dim] = 1.0;
		linalg_solve_lower_transposed(f->dim, f->L, f->dim, root);
	}
}

/*
 * sqrt(z' Z^-1 Z~ Z^-1 z), the width a draw's score of z is scaled by, as the
 * length of R'z.  "work" holds dim numbers.
 */
double
posterior_stddev(int dim, const double *root, const double *reduced,
				 double *work)
{
	linalg_dot_each(dim, dim, root, reduced, work);
	return linalg_norm(dim, work);
}

/*
 * psi-hat'z, and the width at z as posterior_stddev has it, by one solution for
 * this z alone.  "reduced" is overwritten.  With M = L the width is met on the way:
 * L' Z^-1 z is L^-1 z.
 */
double
posterior_score(const Factor *f, const double *b, double *reduced,
				double *stddev)
{
	int			dim = f->dim;
	double		mean;

	linalg_solve_lower(dim, f->L, reduced);
	if (!f->M)
		*stddev = linalg_norm(dim, reduced);
	linalg_solve_lower_transposed(dim, f->L, 1, reduced);
	mean = dot_double((size_t) dim, reduced, b);
	if (f->M)
	{
		linalg_multiply_lower_transposed(dim, f->M, reduced);
		*stddev = linalg_norm(dim, reduced);
	}
	return mean;
}

/* Z^-1 Z~ Z^-1 as a full symmetric matrix */
void
posterior_covariance(int dim, const double *root, double *cov)
{
	linalg_gram(dim, root, cov);
}
