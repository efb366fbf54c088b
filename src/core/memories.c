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
#define PRIOR			4.0

/* residuals below this share of the squares are rounding */
#define LEAST_SHARE		1e-12

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

/*
 * What the posterior takes for b.  With an intercept the mean reward is no
 * business of the ridge: rewards are taken about it, and it is returned, to be
 * added to the intercept's coefficient.
 */
double
memory_centre(const Evidence *e, bool intercept, double reference, double *b)
{
	int			dim = e->dim;
	double		level = 0.0;
	int			k;

	if (intercept && *e->N > 0.0)
		level = reference + *e->R / *e->N;
	for (k = 0; k < dim; k++)
		b[k] = level == 0.0 ? e->b[k] :
			e->b[k] - level * e->G[linalg_packed_index(dim, dim - 1, k)];
	return level;
}

/*
 * S about the level that memory_centre found, or about zero.  Where all rewards
 * are the same only rounding errors are left, and the result is 0.
 */
static double
centred_squares(const Evidence *e, bool intercept, double reference)
{
	double		squares;

	if (!intercept)
		return *e->S + (2.0 * *e->R + *e->N * reference) * reference;
	if (!(*e->N > 0.0))
		return 0.0;
	squares = *e->S - *e->R * (*e->R / *e->N);
	return squares > LEAST_SHARE * *e->S ? squares : 0.0;
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
judge(const Evidence *e, double ridge, bool intercept, double reference,
	  Judged *judged, double *spare)
{
	size_t		packed = linalg_packed_len(e->dim);
	double	   *b = spare + packed;
	Factor		factor = {e->dim, judged->L, NULL};
	double		length;

	if (!posterior_factor(e, ridge, &factor))
		return false;
	judged->level = memory_centre(e, intercept, reference, b);
	judged->squares = centred_squares(e, intercept, reference);

	linalg_solve_lower(e->dim, judged->L, b);
	length = linalg_norm(e->dim, b);
	judged->residue = fmax(0.0, judged->squares - length * length);
	memcpy(judged->estimate, b, sizeof(double) * (size_t) e->dim);
	linalg_solve_lower_transposed(e->dim, judged->L, 1, judged->estimate);

	memcpy(spare, judged->L, sizeof(double) * packed);
	linalg_cholesky_invert(e->dim, spare);
	judged->parameters = linalg_trace_product(e->dim, spare,
											  e->H ? e->H : e->G);
	return true;
}

/*
 * The variance of the noise as the longest memory sees it, once it has twice as
 * many observations as parameters.
 */
static double
longest_variance(const Evidence *e, const Judged *judged)
{
	double		weight = *e->N;
	double		k = judged->parameters;

	return judged->residue / (weight > 2.0 * k ? weight - k : weight);
}

/*
 * The same as a shorter memory sees it.  Where rewards are rare its window often
 * holds none of them, and looks free of noise.  So the variance of the longest
 * memory counts as PRIOR observations for each parameter.  It never lowers the
 * variance: a window with a reward in it has more than the long run.
 */
static double
shorter_variance(const Evidence *e, const Judged *judged, double longest)
{
	double		weight = *e->N;
	double		k = fmax(0.0, judged->parameters);
	double		both = (judged->residue + PRIOR * k * longest) /
		(weight - k + PRIOR * k);

	return weight > 2.0 * k ? fmax(both, judged->residue / (weight - k)) : both;
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
see_noise(const Evidence *memories, Judged *judged, int count)
{
	int			last = count - 1;
	double		weight = *memories[last].N;
	double		mean_square = weight > 0.0 ? judged[last].squares / weight : 0.0;
	double		longest = longest_variance(&memories[last], &judged[last]);
	int			j;

	for (j = 0; j < last; j++)
		judged[j].variance =
			settled(shorter_variance(&memories[j], &judged[j], longest), mean_square);
	judged[last].variance = settled(longest, mean_square);
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
	double		k = fmax(0.0, of_fast->parameters);
	double		length;
	int			i;

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
 * Depends on the evidence alone, not on how it was gathered.  Evidence without
 * a posterior has no choice to make; whoever uses it will be told.
 */
MemoryChoice
memory_choose(const Evidence *memories, int count, double ridge,
			  bool intercept, double reference, double *work)
{
	MemoryChoice choice = {0, 1.0};
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
		if (!judge(&memories[j], ridge, intercept, reference, &judged[j], spare))
			return choice;
	}
	see_noise(memories, judged, count);
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
	return choice;
}
