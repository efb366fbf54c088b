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
scale_vectors(int len, int count, const double *factors, double *vectors)
{
	int			j;
	int			k;

	for (j = 0; j < count; j++)
		for (k = 0; k < len; k++)
			vectors[(size_t) j * (size_t) len + (size_t) k] *= factors[j];
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
		memcpy(work, reduced, sizeof(double) * dim * (size_t) count);
		scale_vectors(e->dim, count, roots, work);
		vectors = work;
	}
	linalg_rank_update(e->dim, count, vectors, decay, e->G);
	if (e->H)
	{
		if (vectors == work)
			scale_vectors(e->dim, count, roots, work);
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

/* A number that cannot be negative and is, by no more than rounding, is zero. */
static bool
clamp(double slack, double *value)
{
	if (*value < -slack)
		return false;
	if (*value < 0.0)
		*value = 0.0;
	return true;
}

/*
 * Could this matrix be a sum of w z z'?  Its eigenvalues are not negative, but
 * for roundings: "slack" is added to see.
 */
static bool
is_possible(int dim, double slack, double *packed, double *work)
{
	int			i;

	for (i = 0; i < dim; i++)
		if (!clamp(slack, &packed[linalg_packed_index(dim, i, i)]))
			return false;
	memcpy(work, packed, sizeof(double) * linalg_packed_len(dim));
	linalg_add_diagonal(dim, slack, work);
	return linalg_cholesky(dim, work) &&
		linalg_all_finite(linalg_packed_len(dim), work);
}

/*
 * What this says without what other says, the reverse of evidence_add.  False
 * if no history leaves such evidence, because this never contained the other;
 * it is spoilt then.  "work" holds linalg_packed_len numbers.
 *
 * Sums that were once large leave roundings of their size behind: up to SLACK
 * of what was there is not held against the rest.
 */
#define SLACK	1e-6

bool
evidence_subtract(Evidence *e, const Evidence *other, double *work)
{
	size_t		count = evidence_value_count(e->dim, e->H != NULL);
	double		slack_n = SLACK * *e->N;
	double		slack_s = SLACK * (*e->S + *other->S);
	double		slack_g = SLACK * linalg_max_diagonal(e->dim, e->G);
	double		slack_h = e->H ? SLACK * linalg_max_diagonal(e->dim, e->H) : 0.0;
	size_t		i;

	for (i = 0; i < count; i++)
		e->N[i] -= other->N[i];
	evidence_settle(e);
	return clamp(slack_n, e->N) && clamp(slack_s, e->S) &&
		is_possible(e->dim, fmax(slack_g, DBL_MIN), e->G, work) &&
		(e->H == NULL ||
		 is_possible(e->dim, fmax(slack_h, DBL_MIN), e->H, work));
}

/* R and S about a reference that is smaller by "shift". */
void
evidence_rebase(Evidence *e, double shift)
{
	if (shift == 0.0)
		return;
	*e->S += (2.0 * *e->R + *e->N * shift) * shift;
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
