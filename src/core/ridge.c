/*
 * ridge.c
 *		The marginal likelihood of rewards as a function of the ridge.
 */
#include "ridge.h"

#include <math.h>
#include <string.h>

#include "linalg.h"
#include "memories.h"

/* each step of the search is by this factor, and there are so many at most */
#define STEP			4.0
#define MOST_STEPS		20

/*
 * Down there are fewer, since rewards without noise, which speak for no ridge at
 * all, would leave draws without width.
 */
#define MOST_STEPS_DOWN	2

/*
 * So many observations for each parameter that the estimate amounts to have to
 * speak for a larger ridge: fewer, of few arms of many, say of nothing that it
 * matters.
 */
#define ENOUGH			7.0

/* rewards of which less than this share varies have nothing to be explained */
#define LEAST_VARIATION	1e-9

/* residuals below this share of the squares are rounding */
#define LEAST_RESIDUE	1e-14

/*
 * All that the marginal likelihood depends on, but for the ridge.  What is known of
 * the coordinates that it holds is a symmetric matrix A and a vector v, of which
 *
 *		ln |A + ridge I|	and		v' (A + ridge I)^-1 v
 *
 * are wanted for many ridges.  So A is reduced to a tridiagonal matrix once, which
 * takes as long as four factorisations, and each ridge then takes "dim" operations.
 */
typedef struct Likelihood
{
	int			dim;
	double	   *diagonal;
	double	   *below;
	double	   *vector;
	double	   *spare;			/* for a diagonal, and what is below it */
	double		squares;		/* about the level */
	double		least;			/* residual that is not rounding */
	double		freedom;		/* N, less one for the level */
	double		noise;			/* 0: unknown */
	double		first;			/* the ridge that nothing speaks against */
} Likelihood;

/* Both for one ridge; false if A + ridge I is not positive definite. */
static bool
solve(const Likelihood *h, double ridge, double *log_det, double *length)
{
	double	   *d = h->spare;
	double	   *l = h->spare + h->dim;
	double		v = 0.0;
	int			i;

	memcpy(l, h->below, sizeof(double) * (size_t) (h->dim - 1));
	for (i = 0; i < h->dim; i++)
		d[i] = h->diagonal[i] + ridge;
	if (!linalg_tridiagonal_factor(h->dim, d, l))
		return false;
	*log_det = 0.0;
	*length = 0.0;
	for (i = 0; i < h->dim; i++)
	{
		v = h->vector[i] - (i > 0 ? l[i - 1] * v : 0.0);
		*log_det += log(d[i]);
		*length += v * (v / d[i]);
	}
	return true;
}

/*
 * The logarithm of the marginal likelihood of the rewards, but for what does not
 * depend on the ridge, under a penalty on its distance from the first one.
 */
static double
log_likelihood(const Likelihood *h, double ridge)
{
	double		log_det;
	double		length;
	double		residue;
	double		fit;

	if (!solve(h, ridge, &log_det, &length))
		return -HUGE_VAL;
	residue = fmax(h->squares - length, h->least);
	fit = h->noise > 0.0 ? residue / (h->noise * h->noise) :
		h->freedom * log(residue);
	return 0.5 * (h->dim * log(ridge) - log_det - fit -
				  fabs(log(ridge / h->first)));
}

/*
 * Take the intercept, which is last, out of the full matrix: what is left is its
 * Schur complement.  In b it is 0, as rewards are taken about their mean.
 */
static void
eliminate_last(int dim, double ridge, double *full)
{
	size_t		n = (size_t) dim;
	double		pivot = full[n * n - 1] + ridge;
	size_t		i;
	size_t		j;

	for (j = 0; j < n - 1; j++)
	{
		double		scaled = full[n - 1 + j * n] / pivot;

		for (i = j; i < n - 1; i++)
			full[i + j * n] -= scaled * full[n - 1 + i * n];
	}
}

/* numbers of work space that ridge_find wants */
size_t
ridge_find_work(int dim)
{
	return (size_t) dim * (size_t) dim + 5 * (size_t) dim +
		linalg_tridiagonal_work(dim);
}

static Likelihood
make_likelihood(const Evidence *e, double first, const Rewards *rewards,
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
	h.least = LEAST_RESIDUE * *e->S;
	h.freedom = rewards->intercept ? *e->N - 1.0 : *e->N;
	h.noise = noise;
	h.first = first;

	linalg_unpack_lower(e->dim, e->G, full);
	(void) memory_centre(e, rewards, h.vector);
	if (rewards->intercept)
	{
		eliminate_last(e->dim, first, full);
		h.dim = e->dim - 1;
	}
	linalg_tridiagonal(h.dim, e->dim, full, h.diagonal, h.below, h.vector,
					   h.spare + 2 * n);
	return h;
}

/* As far as each of so many steps raises the likelihood. */
static double
climb(const Likelihood *h, double factor, int steps)
{
	double		ridge = h->first;
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
 * The ridge, a power of STEP times the first one, at which the marginal likelihood
 * is largest among those that are reached by steps that each raise it.
 * "parameters" is what the estimate under the first one amounts to.  Depends on
 * the evidence alone, not on how it was gathered.  There is a coordinate beside
 * the intercept.
 */
double
ridge_find(const Evidence *e, double parameters, double first,
		   const Rewards *rewards, double noise, double *work)
{
	bool		up = *e->N >= ENOUGH * parameters;
	bool		down = *e->N >= e->dim;
	double		ridge = first;
	Likelihood	h;

	if (!(up || down) || !(*e->N > 1.0) ||
		!(memory_squares(e, rewards) > LEAST_VARIATION * *e->S))
		return ridge;
	h = make_likelihood(e, first, rewards, noise, work);
	if (up)
		ridge = climb(&h, STEP, MOST_STEPS);
	if (down && ridge == h.first)
		ridge = climb(&h, 1.0 / STEP, MOST_STEPS_DOWN);
	return ridge;
}
