/*
 * ridge.c
 *		Estimate the ridge by maximum marginal likelihood.
 */
#include "ridge.h"

#include <math.h>
#include <string.h>

#include "linalg.h"
#include "memories.h"
#include "spectral.h"

/* Each step of the search multiplies the ridge by 4, at most 20 times. */
#define STEP_FACTOR			4.0
#define MAX_STEPS_UP		20

/*
 * Maximum number of steps of the search that divide the ridge.  Without noise, rewards would favour
 * a ridge of 0, and posterior draws would have no variance.
 */
#define MAX_STEPS_DOWN	2

/* Minimum observations per parameter for an increase of the ridge (doc/algorithm.md, "Ridge") */
#define MIN_OBSERVATIONS_PER_PARAMETER			7.0

/* Minimum variation of rewards for an estimate of the ridge, relative to their sum of squares */
#define MIN_VARIATION	1e-9

/* Residuals below this fraction of the sum of squared rewards are rounding errors. */
#define MIN_RESIDUE	1e-14

/*
 * Terms of the marginal likelihood.  We need ln |A + ridge I| and v' (A + ridge I)^-1 v for many
 * ridges; A and v are G and b (see evidence.h) without intercept.  We therefore reduce the matrix A
 * to tridiagonal form once.
 */
typedef struct Likelihood
{
	int			dim;
	double	   *diagonal;
	double	   *below;
	double	   *vector;
	double	   *spare;			/* work space for a tridiagonal factorization */
	double		squares;		/* sum of squared deviations of rewards */
	double		min_residual;	/* minimum residual sum of squares */
	double		degrees_of_freedom;
	double		noise;			/* noise standard deviation; 0: estimated */
	double		start;			/* initial ridge */
} Likelihood;

/* Compute the two terms of the likelihood that depend on the ridge.  Returns false on failure. */
static bool
solve_shifted(const Likelihood *h, double ridge, double *log_det, double *length)
{
	double	   *d = h->spare;
	double	   *l = h->spare + h->dim;
	double		v = 0.0;

	memcpy(l, h->below, sizeof(double) * (size_t) (h->dim - 1));
	for (int i = 0; i < h->dim; i++)
		d[i] = h->diagonal[i] + ridge;
	if (!spectral_tridiagonal_factor(h->dim, d, l))
		return false;
	*log_det = 0.0;
	*length = 0.0;
	for (int i = 0; i < h->dim; i++)
	{
		v = h->vector[i] - (i > 0 ? l[i - 1] * v : 0.0);
		*log_det += log(d[i]);
		*length += v * (v / d[i]);
	}
	return true;
}

/* Compute the log marginal likelihood of a ridge, up to a constant. */
static double
log_likelihood(const Likelihood *h, double ridge)
{
	double		log_det;
	double		length;
	double		residual;
	double		fit;

	if (!solve_shifted(h, ridge, &log_det, &length))
		return -HUGE_VAL;
	residual = fmax(h->squares - length, h->min_residual);
	fit = h->noise > 0.0 ? residual / (h->noise * h->noise) :
		h->degrees_of_freedom * log(residual);
	return 0.5 * (h->dim * log(ridge) - log_det - fit - fabs(log(ridge / h->start)));
}

/* Eliminate the intercept, the last row and column of a matrix, by the Schur complement. */
static void
eliminate_last(int dim, double ridge, double *full)
{
	size_t		n = (size_t) dim;
	double		pivot = full[n * n - 1] + ridge;

	for (size_t j = 0; j < n - 1; j++)
	{
		double		scaled = full[n - 1 + j * n] / pivot;

		for (size_t i = j; i < n - 1; i++)
			full[i + j * n] -= scaled * full[n - 1 + i * n];
	}
}

size_t
ridge_find_work(int dim)
{
	return (size_t) dim * (size_t) dim + 5 * (size_t) dim +
		spectral_tridiagonal_work(dim);
}

static Likelihood
prepare_likelihood(const Evidence *e, double start, const Rewards *rewards,
				double noise, double *work)
{
	size_t		n = (size_t) e->dim;
	double	   *full = work;
	Likelihood	h = {0};

	h.dim = e->dim;
	h.diagonal = full + n * n;
	h.below = h.diagonal + n;
	h.vector = h.below + n;
	h.spare = h.vector + n;
	h.squares = memory_squares(e, rewards);
	h.min_residual = MIN_RESIDUE * *e->S;
	h.degrees_of_freedom = rewards->intercept ? *e->N - 1.0 : *e->N;
	h.noise = noise;
	h.start = start;

	linalg_unpack_lower(e->dim, e->G, full);
	(void) memory_center(e, rewards, h.vector);
	if (rewards->intercept)
	{
		eliminate_last(e->dim, start, full);
		h.dim = e->dim - 1;
	}
	spectral_tridiagonal(h.dim, e->dim, full, h.diagonal, h.below, h.vector, h.spare + 2 * n);
	return h;
}

/* Multiply the ridge by "factor" while the likelihood rises, in at most "steps" steps. */
static double
climb(const Likelihood *h, double factor, int steps)
{
	double		ridge = h->start;
	double		best = log_likelihood(h, ridge);

	while (steps-- > 0)
	{
		double		next = log_likelihood(h, ridge * factor);

		if (!(next > best))
			break;
		best = next;
		ridge *= factor;
	}
	return ridge;
}

/*
 * Find the ridge by hill climbing on the marginal likelihood.  "parameters" is the effective number
 * of parameters under the ridge "start".  The model needs at least one coefficient besides the
 * intercept.
 */
double
ridge_find(const Evidence *e, double parameters, double start,
		   const Rewards *rewards, double noise, double *work)
{
	bool		up = *e->N >= MIN_OBSERVATIONS_PER_PARAMETER * parameters;
	bool		down = *e->N >= e->dim;
	double		ridge = start;
	Likelihood	h;

	if (!(up || down) || !(*e->N > 1.0) || !(memory_squares(e, rewards) > MIN_VARIATION * *e->S))
		return ridge;
	h = prepare_likelihood(e, start, rewards, noise, work);
	if (up)
		ridge = climb(&h, STEP_FACTOR, MAX_STEPS_UP);
	if (down && ridge == h.start)
		ridge = climb(&h, 1.0 / STEP_FACTOR, MAX_STEPS_DOWN);
	return ridge;
}
