/*
 * memories.c
 *		Estimate the noise of rewards, and choose the discount factor that a model uses.
 */
#include "memories.h"

#include <math.h>
#include <string.h>

#include "linalg.h"
#include "posterior.h"

/* Threshold, in standard deviations, of the test of whether two estimates contradict each other */
#define CONTRADICTION_THRESHOLD	1.5

/* Weight of long-term noise in an estimate of recent noise, as observations per parameter */
#define NOISE_OBSERVATIONS_PER_PARAMETER			4.0

static bool
is_last_of_several(int j, int count)
{
	return count > 1 && j == count - 1;
}

/*
 * Does the discount factor with index j lower the weights of old observations?  "fastest" is the
 * smallest discount factor, or 0 for models with half-lives.
 */
bool
memory_fades(int j, int count, double fastest)
{
	return !is_last_of_several(j, count) && fastest < 1.0;
}

/* Return the discount factor with index j, per observation.  The smallest factor has index 0. */
double
memory_discount(int j, int count, double fastest)
{
	if (is_last_of_several(j, count))
		return 1.0;
	if (j == 0)
		return fastest;
	return 1.0 - (1.0 - fastest) / pow(MEMORY_RATIO, j);
}

/* Return the half-life with index j.  The shortest half-life has index 0. */
double
memory_half_life(int j, double fastest)
{
	return fastest * pow(MEMORY_RATIO, j);
}

/* Return by how much the sum of weights is below MIN_WEIGHT, or 0 if it is not below. */
static double
missing_weight(const Evidence *e)
{
	return fmax(0.0, MIN_WEIGHT - *e->N);
}

static double
mean_above_reference(const Evidence *e, const Totals *totals)
{
	double		missing = missing_weight(e);
	double		sum = *e->R;

	if (!(totals->N > 0.0))
		return 0.0;
	if (missing > 0.0)
		sum += missing * (totals->R / totals->N);
	return sum / (*e->N + missing);
}

/*
 * Write the sum of rewards times features for the posterior to "b".  Returns the mean reward, or 0
 * for models without an intercept.
 *
 * With an intercept, rewards are centered on the mean, because the ridge must not shrink the
 * intercept.
 */
double
memory_center(const Evidence *e, const Rewards *rewards, double *b)
{
	int			dim = e->dim;
	double		level = 0.0;

	if (rewards->intercept && rewards->totals.N > 0.0)
		level = rewards->reference + mean_above_reference(e, &rewards->totals);
	for (int k = 0; k < dim; k++)
		b[k] = level == 0.0 ? e->b[k] :
			e->b[k] - level * e->G[linalg_packed_index(dim, dim - 1, k)];
	return level;
}

/* Return the sum of squared deviations S after the center has moved up by "above". */
static double
squares_about(double N, double R, double S, double above)
{
	return S + (N * above - 2.0 * R) * above;
}

/*
 * Return the sum of squared deviations of all rewards from their mean, or from 0 in models without
 * an intercept.  Rewards are not discounted.
 */
static double
total_squares(const Rewards *rewards)
{
	const Totals *t = &rewards->totals;
	double		mean = t->N > 0.0 ? t->R / t->N : 0.0;
	double		squares =
		squares_about(t->N, t->R, t->S, rewards->intercept ? mean : -rewards->reference);

	return squares > ROUNDING_SHARE * t->peak ? squares : 0.0;
}

/*
 * Return the discounted sum of squared deviations of rewards from their mean, or from 0 in models
 * without an intercept.
 */
double
memory_squares(const Evidence *e, const Rewards *rewards)
{
	double		above = rewards->intercept ? mean_above_reference(e, &rewards->totals) :
		-rewards->reference;
	double		squares = squares_about(*e->N, *e->R, *e->S, above);

	return squares > ROUNDING_SHARE * *e->S ? fmin(squares, total_squares(rewards)) : 0.0;
}

/* Estimates of coefficients and noise under one discount factor */
typedef struct MemoryFit
{
	double	   *L;				/* Cholesky factor */
	double	   *estimate;		/* posterior mean */
	double		level;			/* mean reward */
	double		squares;		/* sum of squared deviations of rewards */
	double		residual;		/* residual sum of squares */
	double		parameters;		/* effective number of parameters */
	double		variance;		/* noise variance */
} MemoryFit;

size_t
memory_choose_work(int dim, int count)
{
	return (linalg_packed_len(dim) + (size_t) dim) * ((size_t) count + 1);
}

/* Estimate coefficients from discounted sums.  Returns false if no posterior exists. */
static bool
fit_memory(const Evidence *e, double ridge, const Rewards *rewards, MemoryFit *fit, double *spare)
{
	size_t		packed = linalg_packed_len(e->dim);
	double	   *b = spare + packed;
	Prior		prior = prior_of_ridge(ridge);
	Factor		factor = {e->dim, fit->L, NULL};
	double		length;

	if (!posterior_factor(e, &prior, &factor))
		return false;
	fit->level = memory_center(e, rewards, b);
	fit->squares = memory_squares(e, rewards);

	linalg_solve_lower(e->dim, fit->L, b);
	length = linalg_norm(e->dim, b);
	fit->residual = fmax(0.0, fit->squares - length * length);
	memcpy(fit->estimate, b, sizeof(double) * (size_t) e->dim);
	linalg_solve_lower_transposed(e->dim, fit->L, 1, fit->estimate);

	memcpy(spare, fit->L, sizeof(double) * packed);
	linalg_cholesky_invert(e->dim, spare);
	fit->parameters = fmax(0.0, linalg_trace_product(e->dim, spare, e->H ? e->H : e->G) *
							  evidence_square_share(e));
	return true;
}

/*
 * Return the residual degrees of freedom: the sum of weights minus the number of parameters.  If at
 * most half of the sum would remain, returns the sum of weights.
 */
static double
degrees_of_freedom(const Evidence *e, const MemoryFit *fit)
{
	double		k = fit->parameters;

	return *e->N > 2.0 * k ? *e->N - k : *e->N;
}

/*
 * Estimate the noise variance under one discount factor.  Includes "longest", the variance under
 * the largest discount factor, because the residuals of a few recent rewards may be close to 0.
 */
static double
shorter_variance(const Evidence *e, const MemoryFit *fit, double longest)
{
	double		weight = *e->N;
	double		k = fit->parameters;
	double		prior_weight = NOISE_OBSERVATIONS_PER_PARAMETER * k;
	double		both = (fit->residual + prior_weight * longest) / (weight - k + prior_weight);

	return weight > 2.0 * k ? fmax(both, fit->residual / (weight - k)) : both;
}

/*
 * Estimate the noise variance of a model with only one discount factor.  We add an average squared
 * residual, because the residuals of a few recent rewards may be close to 0.
 */
static double
only_variance(const Evidence *e, const MemoryFit *fit, double mean_square)
{
	double		rounding = (missing_weight(e) + ROUNDING_SHARE * *e->N) * mean_square;
	double		squares = fit->squares + rounding;
	double		unexplained = squares > 0.0 ?
		(fit->residual + rounding) / squares : 1.0;
	double		left = degrees_of_freedom(e, fit);
	double		both = (fit->residual + unexplained * mean_square) / (left + 1.0);

	return *e->N >= MIN_WEIGHT ? fmax(both, fit->residual / left) : both;
}

/* Replace a noise variance that is tiny or not finite by the mean square of rewards, or by 1. */
static double
usable_variance(double variance, double mean_square)
{
	if (!(variance >= ROUNDING_SHARE * mean_square))
		variance = mean_square;
	return variance > 0.0 && isfinite(variance) ? variance : 1.0;
}

static void
estimate_noise(const Evidence *memories, MemoryFit *fit, int count, const Rewards *rewards)
{
	const Evidence *last = &memories[count - 1];
	MemoryFit	   *last_fit = &fit[count - 1];
	bool		forgets = evidence_squares(last) != SQUARES_NONE;
	double		weight = forgets ? rewards->totals.N : *last->N;
	double		squares = forgets ? total_squares(rewards) : last_fit->squares;
	double		mean_square = weight > 0.0 ? squares / weight : 0.0;
	double		longest = forgets ? only_variance(last, last_fit, mean_square) :
		last_fit->residual / degrees_of_freedom(last, last_fit);

	for (int j = 0; j < count - 1; j++)
		fit[j].variance =
			usable_variance(shorter_variance(&memories[j], &fit[j], longest), mean_square);
	last_fit->variance = usable_variance(longest, mean_square);
}

/*
 * Do recent observations contradict an estimate from older observations?  We test the residuals of
 * the older estimate in the recent observations.
 */
static bool
contradicts(const Evidence *fast, const MemoryFit *fast_fit, const MemoryFit *slow_fit,
			double *spare)
{
	int			dim = fast->dim;
	/* linalg_multiply_symmetric() may read past the end of "explained", where "e" begins */
	double	   *explained = spare;
	double	   *e = spare + dim;
	double		k = fast_fit->parameters;
	double		length;

	if (*fast->N < MIN_WEIGHT)
		return false;
	linalg_multiply_symmetric(dim, fast->G, slow_fit->estimate, explained);
	for (int i = 0; i < dim; i++)
		e[i] = fast->b[i] - explained[i];
	if (slow_fit->level != 0.0)
		for (int i = 0; i < dim; i++)
			e[i] -= slow_fit->level *
				fast->G[linalg_packed_index(dim, dim - 1, i)];
	linalg_solve_lower(dim, fast_fit->L, e);
	length = linalg_norm(dim, e);
	return !(length * length <= fast_fit->variance * (k + CONTRADICTION_THRESHOLD * sqrt(2.0 * k)));
}

/*
 * Choose a model's discount factor, and estimate the noise of rewards.  We choose the largest
 * factor that recent observations do not contradict.
 */
MemoryChoice
memory_choose(const Evidence *memories, int count, double ridge,
			  const Rewards *rewards, double *work)
{
	MemoryChoice choice = {-1, 1.0, 0.0};
	MemoryFit		fit[MEMORY_MAX] = {{0}};
	int			dim = memories[0].dim;
	double	   *spare = work + (linalg_packed_len(dim) + (size_t) dim) * (size_t) count;
	int			i;
	int			j;

	for (j = 0; j < count; j++)
	{
		fit[j].L = work;
		fit[j].estimate = work + linalg_packed_len(dim);
		work = fit[j].estimate + dim;
		if (!fit_memory(&memories[j], ridge, rewards, &fit[j], spare))
			return choice;
	}
	estimate_noise(memories, fit, count, rewards);
	for (j = count - 1; j > 0; j--)
	{
		for (i = 0; i < j; i++)
			if (contradicts(&memories[i], &fit[i], &fit[j], spare))
				break;
		if (i == j)
			break;
	}
	choice.used = j;
	choice.sigma = sqrt(fit[j].variance);
	choice.parameters = fit[j].parameters;
	return choice;
}
