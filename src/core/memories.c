/*
 * memories.c
 *		The rates of several memories, and the choice among them.
 */
#include "memories.h"

#include <math.h>
#include <string.h>

#include "linalg.h"
#include "posterior.h"

/*
 * A shorter memory contradicts a longer one if the residual that the longer
 * one's estimate leaves in it is so many standard deviations above what noise
 * leaves.
 */
#define CONTRADICTION	1.5

/*
 * To a shorter memory the noise that the longest one sees is worth so many
 * observations for each of its own parameters.
 */
#define HEARD			4.0

/* Is memory j of count the one that forgets nothing? */
static bool
is_last_of_several(int j, int count)
{
	return count > 1 && j == count - 1;
}

/* Does memory j forget?  "fastest" is what memory 0 keeps from one step. */
bool
memory_fades(int j, int count, double fastest)
{
	return !is_last_of_several(j, count) && fastest < 1.0;
}

/* The discount of memory j, its window MEMORY_RATIO times that of j - 1. */
double
memory_discount(int j, int count, double fastest)
{
	if (is_last_of_several(j, count))
		return 1.0;
	if (j == 0)
		return fastest;
	return 1.0 - (1.0 - fastest) / pow(MEMORY_RATIO, j);
}

/* The half-life of memory j, one that forgets. */
double
memory_half_life(int j, double fastest)
{
	return fastest * pow(MEMORY_RATIO, j);
}

/* What a memory lacks to an observation that says something. */
static double
missing_weight(const Evidence *e)
{
	return fmax(0.0, LEAST_WEIGHT - *e->N);
}

/*
 * Mean reward, about the reference.  What says nothing has the mean of all that
 * was ever learned.
 */
static double
mean_above(const Evidence *e, const Totals *totals)
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
 * What the posterior takes for b.  With an intercept the mean reward is no
 * business of the ridge: rewards are taken about it, and it is returned, to be
 * added to the intercept's coefficient.
 */
double
memory_centre(const Evidence *e, const Rewards *rewards, double *b)
{
	int			dim = e->dim;
	double		level = 0.0;
	int			k;

	if (rewards->intercept && rewards->totals.N > 0.0)
		level = rewards->reference + mean_above(e, &rewards->totals);
	for (k = 0; k < dim; k++)
		b[k] = level == 0.0 ? e->b[k] :
			e->b[k] - level * e->G[linalg_packed_index(dim, dim - 1, k)];
	return level;
}

/* S about another point that is higher by "above". */
static double
squares_about(double N, double R, double S, double above)
{
	return S + (N * above - 2.0 * R) * above;
}

/*
 * The squares of all rewards ever learned, about their mean or, without an
 * intercept, about zero.  Where they are all the same only rounding is left, and
 * the result is 0.
 */
static double
total_squares(const Rewards *rewards)
{
	const Totals *t = &rewards->totals;
	double		mean = t->N > 0.0 ? t->R / t->N : 0.0;
	double		squares =
		squares_about(t->N, t->R, t->S, rewards->intercept ? mean : -rewards->reference);

	return squares > LEAST_SHARE * t->peak ? squares : 0.0;
}

/* The same of a memory, about the level that memory_centre finds. */
double
memory_squares(const Evidence *e, const Rewards *rewards)
{
	double		above = rewards->intercept ? mean_above(e, &rewards->totals) :
		-rewards->reference;
	double		squares = squares_about(*e->N, *e->R, *e->S, above);

	return squares > LEAST_SHARE * *e->S ? fmin(squares, total_squares(rewards)) : 0.0;
}

/* What is computed of a memory to judge it. */
typedef struct Judged
{
	double	   *L;				/* Z = L L' */
	double	   *estimate;		/* psi */
	double		level;			/* mean reward */
	double		squares;		/* S, about the level */
	double		residue;		/* RSS */
	double		parameters;		/* k: how many the estimate amounts to */
	double		variance;		/* of the noise, as this memory sees it */
} Judged;

/*
 * numbers of work space that memory_choose wants: a packed matrix and a vector
 * for each memory, and spare ones
 */
size_t
memory_choose_work(int dim, int count)
{
	return (linalg_packed_len(dim) + (size_t) dim) * ((size_t) count + 1);
}

/* "spare" holds a packed matrix and a vector. */
static bool
judge(const Evidence *e, double ridge, const Rewards *rewards, Judged *judged,
	  double *spare)
{
	size_t		packed = linalg_packed_len(e->dim);
	double	   *b = spare + packed;
	Prior		prior = prior_of_ridge(ridge);
	Factor		factor = {e->dim, judged->L, NULL};
	double		length;

	if (!posterior_factor(e, &prior, &factor))
		return false;
	judged->level = memory_centre(e, rewards, b);
	judged->squares = memory_squares(e, rewards);

	linalg_solve_lower(e->dim, judged->L, b);
	length = linalg_norm(e->dim, b);
	judged->residue = fmax(0.0, judged->squares - length * length);
	memcpy(judged->estimate, b, sizeof(double) * (size_t) e->dim);
	linalg_solve_lower_transposed(e->dim, judged->L, 1, judged->estimate);

	memcpy(spare, judged->L, sizeof(double) * packed);
	linalg_cholesky_invert(e->dim, spare);
	judged->parameters = fmax(0.0, linalg_trace_product(e->dim, spare,
														e->H ? e->H : e->G) *
							  evidence_square_share(e));
	return true;
}

/* Observations that are left for the noise, once there are enough. */
static double
freedom(const Evidence *e, const Judged *judged)
{
	double		k = judged->parameters;

	return *e->N > 2.0 * k ? *e->N - k : *e->N;
}

/*
 * The variance of the noise as a shorter memory sees it.  Where rewards are rare
 * its window often holds none of them, and looks free of noise.  So the variance
 * of the longest one counts as HEARD observations for each parameter.  It never
 * lowers the variance: a window with a reward in it has more than the long run.
 */
static double
shorter_variance(const Evidence *e, const Judged *judged, double longest)
{
	double		weight = *e->N;
	double		k = judged->parameters;
	double		heard = HEARD * k;
	double		both = (judged->residue + heard * longest) / (weight - k + heard);

	return weight > 2.0 * k ? fmax(both, judged->residue / (weight - k)) : both;
}

/*
 * The same as an only memory sees it that forgets.  A drought takes the last
 * reward from its window: so how much all rewards ever learned vary counts as one
 * observation, as far as the memory cannot explain that.  It cannot explain a
 * share of its own squares, and nothing of squares that have faded to rounding.
 */
static double
only_variance(const Evidence *e, const Judged *judged, double mean_square)
{
	double		rounding = (missing_weight(e) + LEAST_SHARE * *e->N) * mean_square;
	double		squares = judged->squares + rounding;
	double		unexplained = squares > 0.0 ?
		(judged->residue + rounding) / squares : 1.0;
	double		left = freedom(e, judged);
	double		both = (judged->residue + unexplained * mean_square) / (left + 1.0);

	return *e->N >= LEAST_WEIGHT ? fmax(both, judged->residue / left) : both;
}

/*
 * A variance that can be used.  Residuals below LEAST_SHARE are rounding errors,
 * and without observations there is 0 / 0.  Then the mean square of the rewards
 * takes its place, which errs on the side of caution, or 1.
 */
static double
settled(double variance, double mean_square)
{
	if (!(variance >= LEAST_SHARE * mean_square))
		variance = mean_square;
	return variance > 0.0 && isfinite(variance) ? variance : 1.0;
}

/* The noise that each memory sees. */
static void
see_noise(const Evidence *memories, Judged *judged, int count,
		  const Rewards *rewards)
{
	const Evidence *last = &memories[count - 1];
	Judged	   *of_last = &judged[count - 1];
	bool		fades = evidence_squares(last) != SQUARES_NONE;
	double		weight = fades ? rewards->totals.N : *last->N;
	double		squares = fades ? total_squares(rewards) : of_last->squares;
	double		mean_square = weight > 0.0 ? squares / weight : 0.0;
	double		longest = fades ? only_variance(last, of_last, mean_square) :
		of_last->residue / freedom(last, of_last);
	int			j;

	for (j = 0; j < count - 1; j++)
		judged[j].variance =
			settled(shorter_variance(&memories[j], &judged[j], longest), mean_square);
	of_last->variance = settled(longest, mean_square);
}

/*
 * Does a faster memory contradict the estimate of a slower one?  The residual
 * e = b_i - G_i psi_j has the size that noise gives it if |L_i^-1 e|^2 is about
 * sigma^2 k_i.  "spare" has room for two vectors.
 */
static bool
contradicts(const Evidence *fast, const Judged *of_fast, const Judged *of_slow,
			double *spare)
{
	int			dim = fast->dim;
	double	   *e = spare;
	double	   *explained = spare + dim;
	double		k = of_fast->parameters;
	double		length;
	int			i;

	if (*fast->N < LEAST_WEIGHT)
		return false;
	linalg_multiply_symmetric(dim, fast->G, of_slow->estimate, explained);
	for (i = 0; i < dim; i++)
		e[i] = fast->b[i] - explained[i];
	if (of_slow->level != 0.0)
		for (i = 0; i < dim; i++)
			e[i] -= of_slow->level *
				fast->G[linalg_packed_index(dim, dim - 1, i)];
	linalg_solve_lower(dim, of_fast->L, e);
	length = linalg_norm(dim, e);
	return !(length * length <=
			 of_fast->variance * (k + CONTRADICTION * sqrt(2.0 * k)));
}

/*
 * The memory in use, the slowest that no faster one contradicts, and the noise
 * that it sees.
 *
 * Depends on the evidence alone, not on how it was gathered.  There is none where
 * a memory has no posterior.
 */
MemoryChoice
memory_choose(const Evidence *memories, int count, double ridge,
			  const Rewards *rewards, double *work)
{
	MemoryChoice choice = {-1, 1.0, 0.0};
	Judged		judged[MEMORY_MAX] = {{0}};
	int			dim = memories[0].dim;
	double	   *spare = work + (linalg_packed_len(dim) + (size_t) dim) * (size_t) count;
	int			i;
	int			j;

	for (j = 0; j < count; j++)
	{
		judged[j].L = work;
		judged[j].estimate = work + linalg_packed_len(dim);
		work = judged[j].estimate + dim;
		if (!judge(&memories[j], ridge, rewards, &judged[j], spare))
			return choice;
	}
	see_noise(memories, judged, count, rewards);
	for (j = count - 1; j > 0; j--)
	{
		for (i = 0; i < j; i++)
			if (contradicts(&memories[i], &judged[i], &judged[j], spare))
				break;
		if (i == j)
			break;
	}
	choice.used = j;
	choice.sigma = sqrt(judged[j].variance);
	choice.parameters = judged[j].parameters;
	return choice;
}
