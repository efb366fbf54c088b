/*
 * ridge.c
 *		Estimate the ridge penalty of a model by maximum marginal likelihood.
 */
#include "ridge.h"

#include <math.h>
#include <string.h>

#include "linalg.h"
#include "memories.h"

/* Factor of the ridge per step of the search, and maximum number of steps up */
#define STEP_FACTOR			4.0
#define MAX_STEPS_UP		20

/*
 * Maximum number of steps that lower the ridge.  Rewards without noise favour a ridge of 0, and
 * posterior draws would then have no variance.
 */
#define MAX_STEPS_DOWN	2

/* Minimum number of observations per parameter for raising the ridge (doc/algorithm.md, "Ridge") */
#define MIN_OBSERVATIONS_PER_PARAMETER			7.0

/* Minimum variance of rewards for which we estimate the ridge, relative to the mean square */
#define MIN_VARIATION	1e-9

/* Fraction of the sum of squared rewards below which residuals are rounding errors */
#define MIN_RESIDUE	1e-14

/* Terms of the marginal likelihood */
typedef struct Likelihood
{
	const Evidence *e;
	/* sum of rewards times features; rewards are centered if the model has an intercept */
	const double *v;
	double	   *factor;			/* work space: packed Cholesky factor */
	double	   *solved;			/* work space: dim numbers */
	bool		intercept;
	double		squares;		/* sum of squared deviations of rewards */
	double		min_residual;	/* minimum residual sum of squares */
	double		noise;			/* noise standard deviation; 0: estimate it */
	double		start;			/* initial ridge, which remains the ridge of the intercept */
} Likelihood;

/* Compute the log marginal likelihood of a ridge penalty, up to a constant. */
static double
log_likelihood(const Likelihood *h, double ridge)
{
	int			dim = h->e->dim;
	int			others = h->intercept ? dim - 1 : dim;
	double		log_det = 0.0;
	double		length;
	double		residual;
	double		fit;

	memcpy(h->factor, h->e->G, sizeof(double) * linalg_packed_len(dim));
	memcpy(h->solved, h->v, sizeof(double) * (size_t) dim);
	for (int i = 0; i < dim; i++)
		h->factor[linalg_packed_index(dim, i, i)] += i < others ? ridge : h->start;
	if (!linalg_cholesky(dim, h->factor))
		return -HUGE_VAL;
	for (int i = 0; i < dim; i++)
		log_det += 2.0 * log(h->factor[linalg_packed_index(dim, i, i)]);
	linalg_solve_lower(dim, h->factor, h->solved);
	length = linalg_norm(dim, h->solved);
	residual = fmax(h->squares - length * length, h->min_residual);
	fit = h->noise > 0.0 ? residual / (h->noise * h->noise) :
		(h->intercept ? *h->e->N - 1.0 : *h->e->N) * log(residual);
	return 0.5 * (others * log(ridge) - log_det - fit - fabs(log(ridge / h->start)));
}

size_t
ridge_find_work(int dim)
{
	return linalg_packed_len(dim) + 2 * (size_t) dim;
}

/* Multiply the ridge by "factor" while the likelihood increases, at most "steps" times. */
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
 * Find the ridge with the highest marginal likelihood by hill climbing from the ridge "start".
 * "parameters" is the effective number of parameters under the initial ridge.
 */
double
ridge_find(const Evidence *e, double parameters, double start,
		   const Rewards *rewards, double noise, double *work)
{
	bool		up = *e->N >= MIN_OBSERVATIONS_PER_PARAMETER * parameters;
	bool		down = *e->N >= e->dim;
	double	   *factor = work + 2 * (size_t) e->dim;
	double		ridge = start;
	Likelihood	h = {e, work, factor, work + e->dim, rewards->intercept,
		memory_squares(e, rewards), MIN_RESIDUE * *e->S, noise, start};

	if (!(up || down) || !(*e->N > 1.0) || !(h.squares > MIN_VARIATION * *e->S))
		return ridge;
	(void) memory_center(e, rewards, work);
	if (up)
		ridge = climb(&h, STEP_FACTOR, MAX_STEPS_UP);
	if (down && ridge == start)
		ridge = climb(&h, 1.0 / STEP_FACTOR, MAX_STEPS_DOWN);
	return ridge;
}
