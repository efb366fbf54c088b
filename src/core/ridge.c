/*
 * ridge.c
 *		Estimate the ridge by maximum marginal likelihood.
 */
#include "ridge.h"

#include <math.h>
#include <string.h>

#include "linalg.h"
#include "memories.h"

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

/* Terms of the marginal likelihood */
typedef struct Likelihood
{
	const Evidence *e;
	const double *v;			/* sum of rewards times features; intercept: of centered rewards */
	double	   *factor;			/* work space: packed Cholesky factor */
	double	   *solved;			/* work space: dim numbers */
	bool		intercept;
	double		squares;		/* sum of squared deviations of rewards */
	double		min_residual;	/* minimum residual sum of squares */
	double		noise;			/* noise standard deviation; 0: estimated */
	double		start;			/* initial ridge, which the intercept keeps */
} Likelihood;

/* Compute the log marginal likelihood of a ridge, up to a constant. */
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
