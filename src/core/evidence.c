/*
 * evidence.c
 *		Absorb observations; scale, add and subtract what they said.
 */
#include "evidence.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg.h"

/* numbers of a memory: N, R, S, b, G and, where it fades, H */
size_t
evidence_value_count(int dim, bool fades)
{
	size_t		packed = linalg_packed_len(dim);

	return 3 + (size_t) dim + packed + (fades ? packed : 0);
}

/* Lay a memory out over evidence_value_count numbers. */
void
evidence_bind(Evidence *e, int dim, bool fades, double *values)
{
	e->dim = dim;
	e->N = values;
	e->R = values + 1;
	e->S = values + 2;
	e->b = values + 3;
	e->G = e->b + dim;
	e->H = fades ? e->G + linalg_packed_len(dim) : NULL;
}

/* Subnormals and negative zero become zero. */
static void
settle(size_t count, double *values)
{
	size_t		i;

	for (i = 0; i < count; i++)
		values[i] = fabs(values[i]) < DBL_MIN ? 0.0 : values[i];
}

/*
 * Fading drives old entries towards zero for ever.  Stop them where arithmetic
 * becomes slow (subnormals), and drop the sign of zero, which not every text
 * form keeps.
 */
void
evidence_settle(Evidence *e)
{
	settle(evidence_value_count(e->dim, e->H != NULL), e->N);
}

static bool
all_one(int count, const double *values)
{
	int			j;

	for (j = 0; j < count; j++)
		if (values[j] != 1.0)
			return false;
	return true;
}

static void
scale_vectors(int len, int count, const double *factors, const double *vectors,
			  double *out)
{
	int			j;
	int			k;

	for (j = 0; j < count; j++)
		for (k = 0; k < len; k++)
			*out++ = factors[j] * *vectors++;
}

/* numbers of work space that evidence_absorb wants */
size_t
evidence_absorb_work(int dim, int count)
{
	return (size_t) dim * (size_t) count;
}

/*
 * Learn a block of at most EVIDENCE_BLOCK observations after what is known has
 * faded to "decay" of its weight.  With weights discount^age and decay
 * discount^count this is the updates of Algorithm 1 one after the other, the
 * products taken together: scaling a vector by the root of its weight before
 * each rank update makes it count w in G and w^2 in H.  "reduced" holds count
 * vectors of dim numbers.
 */
void
evidence_absorb(Evidence *e, double decay, int count, const double *reduced,
				const double *rewards, double reference,
				const double *weights, double *work)
{
	double		roots[EVIDENCE_BLOCK];
	double		gains[EVIDENCE_BLOCK];
	const double *vectors = reduced;
	size_t		dim = (size_t) e->dim;
	size_t		k;
	int			j;

	*e->N *= decay;
	*e->R *= decay;
	*e->S *= decay;
	for (j = 0; j < count; j++)
	{
		double		above = rewards[j] - reference;

		roots[j] = sqrt(weights[j]);
		gains[j] = weights[j] * rewards[j];
		*e->N += weights[j];
		*e->R += weights[j] * above;
		*e->S += weights[j] * above * above;
	}

	for (k = 0; k < dim; k++)
		e->b[k] *= decay;
	linalg_combine(e->dim, count, reduced, 1, gains, count, e->b, e->dim);

	if (!all_one(count, weights))
	{
		scale_vectors(e->dim, count, roots, reduced, work);
		vectors = work;
	}
	linalg_rank_update(e->dim, count, vectors, decay, e->G);
	if (e->H)
	{
		if (vectors == work)
			scale_vectors(e->dim, count, roots, work, work);
		linalg_rank_update(e->dim, count, vectors, decay * decay, e->H);
	}

	evidence_settle(e);
}

static void
scale(size_t count, double factor, double *values)
{
	size_t		i;

	for (i = 0; i < count; i++)
		values[i] *= factor;
}

/* Every weight becomes factor times what it was. */
void
evidence_scale(Evidence *e, double factor)
{
	size_t		packed = linalg_packed_len(e->dim);

	if (factor == 1.0)
		return;
	scale(evidence_value_count(e->dim, false), factor, e->N);
	if (e->H)
		scale(packed, factor * factor, e->H);
	evidence_settle(e);
}

/* What both say: of the same dimension, fading, age and reference. */
void
evidence_add(Evidence *e, const Evidence *other)
{
	size_t		count = evidence_value_count(e->dim, e->H != NULL);
	size_t		i;

	for (i = 0; i < count; i++)
		e->N[i] += other->N[i];
	evidence_settle(e);
}

/*
 * How far below zero rounding may bring a difference.  A sum of 10^7 terms is
 * wrong by at most 10^7 DBL_EPSILON of its size, about 1e-9.  What is taken may
 * be small beside sums that were larger before, so 1e-6 of it is added.  More
 * would accept observations that were never learned: in a history of a million
 * one of them is as little.
 */
static double
slack(double left, double taken)
{
	return 1e-9 * (left + taken) + 1e-6 * taken;
}

/* A number that cannot be negative and is, by no more than rounding, is zero. */
static bool
clamp(double most, double *value)
{
	if (!(*value >= -most))
		return false;
	if (*value < 0.0)
		*value = 0.0;
	return true;
}

/*
 * Where nearly nothing is left, R / N divides one rounding error by another.
 * Keep R to what rewards allow: R^2 <= N S.
 */
static void
settle_mean(Evidence *e, const Evidence *taken)
{
	double		most = sqrt(*e->N) * sqrt(*e->S);

	if (*e->N <= 1e-9 * *taken->N && fabs(*e->R) > most)
		*e->R = copysign(most, *e->R);
	settle(1, e->R);
}

/*
 * Could what is left of a matrix be a sum of w z z'?  Such a sum has a Cholesky
 * factor once the slack is added to its diagonal.  Rounding errors are in
 * proportion to a coordinate's own elements, and so is the slack.  The least
 * slack covers coordinates of which nothing was taken: they have rounding
 * errors of earlier differences, or have lost subnormal parts.
 */
static bool
is_possible(int dim, const double *taken, double *left, double *work)
{
	size_t		packed = linalg_packed_len(dim);
	double		least;
	int			i;

	memcpy(work, left, sizeof(double) * packed);
	for (i = 0; i < dim; i++)
	{
		size_t		k = linalg_packed_index(dim, i, i);
		double		more = slack(left[k], taken[k]);

		if (!clamp(more, &left[k]))
			return false;
		work[k] = left[k] + more;
	}
	least = dim * DBL_EPSILON *
		fmax(linalg_max_diagonal(dim, left), linalg_max_diagonal(dim, taken));
	linalg_add_diagonal(dim, fmax(least, DBL_MIN / DBL_EPSILON), work);
	return linalg_cholesky(dim, work) && linalg_all_finite(packed, work);
}

/*
 * What this says without what other says, the reverse of evidence_add.  False
 * if no history leaves such evidence, because this never contained the other;
 * it is spoilt then.  "work" holds linalg_packed_len numbers.
 */
bool
evidence_subtract(Evidence *e, const Evidence *other, double *work)
{
	size_t		count = evidence_value_count(e->dim, e->H != NULL);
	size_t		i;

	for (i = 0; i < count; i++)
		e->N[i] -= other->N[i];
	evidence_settle(e);
	if (!clamp(slack(*e->N, *other->N) + DBL_MIN, e->N) ||
		!clamp(slack(*e->S, *other->S) + DBL_MIN, e->S))
		return false;
	settle_mean(e, other);
	return is_possible(e->dim, other->G, e->G, work) &&
		(e->H == NULL || is_possible(e->dim, other->H, e->H, work));
}

/* R and S about a reference that is smaller by "shift". */
void
evidence_rebase(Evidence *e, double shift)
{
	if (shift == 0.0)
		return;
	*e->S += (2.0 * *e->R + *e->N * shift) * shift;
	if (*e->S < 0.0)
		*e->S = 0.0;			/* by rounding */
	*e->R += *e->N * shift;
	settle(3, e->N);
}

static bool
diagonal_is_valid(int dim, const double *packed)
{
	int			i;

	for (i = 0; i < dim; i++)
		if (packed[linalg_packed_index(dim, i, i)] < 0.0)
			return false;
	return true;
}

/* Every number finite; weights, squares and diagonals not negative. */
bool
evidence_is_valid(const Evidence *e)
{
	return linalg_all_finite(evidence_value_count(e->dim, e->H != NULL), e->N) &&
		*e->N >= 0.0 && *e->S >= 0.0 &&
		diagonal_is_valid(e->dim, e->G) &&
		(e->H == NULL || diagonal_is_valid(e->dim, e->H));
}
