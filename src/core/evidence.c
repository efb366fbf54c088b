/*
 * evidence.c
 *		Absorb observations; scale, add and subtract what they said.
 */
#include "evidence.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg.h"

/* numbers of a memory: N, R, S, perhaps N2, b, G and perhaps H */
size_t
evidence_value_count(int dim, Squares squares)
{
	size_t		packed = linalg_packed_len(dim);

	return 3 + (squares == SQUARES_SUM ? 1 : 0) + (size_t) dim + packed +
		(squares == SQUARES_MATRIX ? packed : 0);
}

/* Lay a memory out over evidence_value_count numbers. */
void
evidence_bind(Evidence *e, int dim, Squares squares, double *values)
{
	e->dim = dim;
	e->N = values;
	e->R = values + 1;
	e->S = values + 2;
	e->N2 = squares == SQUARES_SUM ? values + 3 : NULL;
	e->b = values + (e->N2 ? 4 : 3);
	e->G = e->b + dim;
	e->H = squares == SQUARES_MATRIX ? e->G + linalg_packed_len(dim) : NULL;
}

/* what a memory was bound to keep */
Squares
evidence_squares(const Evidence *e)
{
	return e->H ? SQUARES_MATRIX : e->N2 ? SQUARES_SUM : SQUARES_NONE;
}

/* What G is multiplied by to stand for H, where H is not kept. */
double
evidence_square_share(const Evidence *e)
{
	return e->N2 ? *e->N2 / fmax(*e->N, LEAST_WEIGHT) : 1.0;
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
	settle(evidence_value_count(e->dim, evidence_squares(e)), e->N);
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

/*
 * Learn a block of at most EVIDENCE_BLOCK observations after what is known has
 * faded to "decay" of its weight.  With weights discount^age and decay
 * discount^count this is the updates of Algorithm 1 one after the other, the
 * products taken together: scaling a vector by the root of its weight before
 * each rank update makes it count w in G and w^2 in H.  "reduced" holds count
 * vectors of dim numbers, and "work" has room for as many.
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
	if (e->N2)
		*e->N2 *= decay * decay;
	for (j = 0; j < count; j++)
	{
		double		above = rewards[j] - reference;

		roots[j] = sqrt(weights[j]);
		gains[j] = weights[j] * rewards[j];
		*e->N += weights[j];
		*e->R += weights[j] * above;
		*e->S += weights[j] * above * above;
		if (e->N2)
			*e->N2 += weights[j] * weights[j];
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
	scale(3, factor, e->N);
	scale((size_t) e->dim + packed, factor, e->b);
	if (e->N2)
		*e->N2 *= factor * factor;
	if (e->H)
		scale(packed, factor * factor, e->H);
	evidence_settle(e);
}

/* What both say: of the same dimension, fading, age and reference. */
void
evidence_add(Evidence *e, const Evidence *other)
{
	size_t		count = evidence_value_count(e->dim, evidence_squares(e));
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
 * errors of earlier differences.  What is little beside the ridge shows in no
 * posterior; that covers subnormal parts that were lost, too.
 */
static bool
is_possible(int dim, const double *taken, double ridge, double *left,
			double *work)
{
	size_t		packed = linalg_packed_len(dim);
	double		least;
	int			i;

	memcpy(work, left, sizeof(double) * packed);
	for (i = 0; i < dim; i++)
	{
		size_t		k = linalg_packed_index(dim, i, i);
		double		more = slack(left[k], taken[k]) + LEAST_OF_RIDGE * ridge;

		if (!clamp(more, &left[k]))
			return false;
		work[k] = left[k] + more;
	}
	least = dim * DBL_EPSILON *
		fmax(linalg_max_diagonal(dim, left), linalg_max_diagonal(dim, taken));
	linalg_add_diagonal(dim, least, work);
	return linalg_cholesky(dim, work) && linalg_all_finite(packed, work);
}

/* What S may be off by: a sum about one reference was one about another. */
static double
squares_slack(double left, double taken, double peak)
{
	return slack(left, taken) + LEAST_SHARE * peak + DBL_MIN;
}

/*
 * What this says without what other says, the reverse of evidence_add.  "left"
 * are the totals of what is left, "ridge" is what the evidence will be used with.
 * False if no history leaves such evidence, because this never contained the
 * other; it is spoilt then.  "work" holds linalg_packed_len numbers.
 */
bool
evidence_subtract(Evidence *e, const Evidence *other, const Totals *left,
				  double ridge, double *work)
{
	size_t		count = evidence_value_count(e->dim, evidence_squares(e));
	size_t		i;

	for (i = 0; i < count; i++)
		e->N[i] -= other->N[i];
	evidence_settle(e);
	if (!clamp(slack(*e->N, *other->N) + LEAST_OF_WEIGHT, e->N) ||
		!clamp(squares_slack(*e->S, *other->S, left->peak), e->S))
		return false;
	if (e->N2)
		*e->N2 = fmax(0.0, *e->N2);
	*e->S = fmin(*e->S, left->S);
	settle_mean(e, other);
	return is_possible(e->dim, other->G, ridge, e->G, work) &&
		(e->H == NULL || is_possible(e->dim, other->H, ridge, e->H, work));
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

/* Every number finite; weights, squares and diagonals not negative. */
bool
evidence_is_valid(const Evidence *e)
{
	size_t		count = evidence_value_count(e->dim, evidence_squares(e));

	return linalg_all_finite(count, e->N) &&
		*e->N >= 0.0 && *e->S >= 0.0 && (e->N2 == NULL || *e->N2 >= 0.0) &&
		linalg_min_diagonal(e->dim, e->G) >= 0.0 &&
		(e->H == NULL || linalg_min_diagonal(e->dim, e->H) >= 0.0);
}

/* Observations more, as evidence_absorb learns them. */
void
totals_absorb(Totals *t, int count, const double *rewards, double reference,
			  const double *weights)
{
	int			j;

	for (j = 0; j < count; j++)
	{
		double		above = rewards[j] - reference;

		t->N += weights[j];
		t->R += weights[j] * above;
		t->S += weights[j] * above * above;
	}
	t->peak = fmax(t->peak, t->S);
}

static void
totals_settle(Totals *t)
{
	settle(sizeof(Totals) / sizeof(double), (double *) t);
}

void
totals_scale(Totals *t, double factor)
{
	scale(sizeof(Totals) / sizeof(double), factor, (double *) t);
	totals_settle(t);
}

void
totals_add(Totals *t, const Totals *other)
{
	t->N += other->N;
	t->R += other->R;
	t->S += other->S;
	t->peak += other->peak;
	totals_settle(t);
}

/*
 * False where the others were never among these.  What is left of S may be
 * nothing but the rounding of what it once was, and then it is nothing.
 */
bool
totals_subtract(Totals *t, const Totals *other)
{
	t->N -= other->N;
	t->R -= other->R;
	t->S -= other->S;
	if (!clamp(slack(t->N, other->N) + LEAST_OF_WEIGHT, &t->N) ||
		!clamp(squares_slack(t->S, other->S, t->peak), &t->S))
		return false;
	if (t->S <= LEAST_SHARE * t->peak)
		t->S = 0.0;
	if (t->S == 0.0)
		t->R = 0.0;
	totals_settle(t);
	return true;
}

/* About a reference that is smaller by "shift", as evidence_rebase. */
void
totals_rebase(Totals *t, double shift)
{
	t->S = fmax(0.0, t->S + (2.0 * t->R + t->N * shift) * shift);
	t->R += t->N * shift;
	t->peak = fmax(t->peak, t->S);
	totals_settle(t);
}

/* Every number finite; weights and squares not negative. */
bool
totals_are_valid(const Totals *t)
{
	return linalg_all_finite(sizeof(Totals) / sizeof(double), (const double *) t) &&
		t->N >= 0.0 && t->S >= 0.0 && t->peak >= 0.0;
}
