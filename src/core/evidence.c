/*
 * evidence.c
 *		Add, subtract and scale the sums over a model's observations.
 */
#include "evidence.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg.h"

#define TOTALS_LEN	4
typedef char totals_have_no_padding[sizeof(Totals) == TOTALS_LEN * sizeof(double) ? 1 : -1];
typedef char blocks_can_be_added[EVIDENCE_BLOCK <= LINALG_MAX_UPDATE ? 1 : -1];

size_t
evidence_value_count(int dim, Squares squares)
{
	size_t		packed = linalg_packed_len(dim);

	return EVIDENCE_SCALARS + (squares == SQUARES_SUM ? 1 : 0) + (size_t) dim + packed +
		(squares == SQUARES_MATRIX ? packed : 0);
}

/* Set the pointers of "e" into an array of evidence_value_count() doubles. */
void
evidence_bind(Evidence *e, int dim, Squares squares, double *values)
{
	e->dim = dim;
	e->N = values;
	e->R = values + 1;
	e->S = values + 2;
	e->N2 = squares == SQUARES_SUM ? values + EVIDENCE_SCALARS : NULL;
	e->b = values + EVIDENCE_SCALARS + (e->N2 ? 1 : 0);
	e->G = e->b + dim;
	e->H = squares == SQUARES_MATRIX ? e->G + linalg_packed_len(dim) : NULL;
}

/* Return how "e" stores the sum of products of features with squared weights. */
Squares
evidence_squares(const Evidence *e)
{
	return e->H ? SQUARES_MATRIX : e->N2 ? SQUARES_SUM : SQUARES_NONE;
}

/* Return the factor that estimates sums with squared weights from sums with weights. */
double
evidence_square_share(const Evidence *e)
{
	return e->N2 ? *e->N2 / fmax(*e->N, MIN_WEIGHT) : 1.0;
}

/* Replace subnormal numbers and negative zeros, whose sign some text formats lose, by zero. */
static void
flush_denormals(size_t count, double *values)
{
	for (size_t i = 0; i < count; i++)
		values[i] = fabs(values[i]) < DBL_MIN ? 0.0 : values[i];
}

/* Replace subnormal sums by zero, because arithmetic with them is slow. */
void
evidence_flush(Evidence *e)
{
	flush_denormals(evidence_value_count(e->dim, evidence_squares(e)), e->N);
}

/* Multiply the sums in "e" by "decay", and add at most EVIDENCE_BLOCK observations. */
void
evidence_absorb(Evidence *e, double decay, int count, const double *reduced,
				const double *rewards, double reference, const double *weights)
{
	double		squares[EVIDENCE_BLOCK];
	double		gains[EVIDENCE_BLOCK];
	size_t		dim = (size_t) e->dim;

	*e->N *= decay;
	*e->R *= decay;
	*e->S *= decay;
	if (e->N2)
		*e->N2 *= decay * decay;
	for (int j = 0; j < count; j++)
	{
		double		above = rewards[j] - reference;

		squares[j] = weights[j] * weights[j];
		gains[j] = weights[j] * rewards[j];
		*e->N += weights[j];
		*e->R += weights[j] * above;
		*e->S += weights[j] * above * above;
		if (e->N2)
			*e->N2 += squares[j];
	}

	for (size_t k = 0; k < dim; k++)
		e->b[k] *= decay;
	linalg_combine(e->dim, count, reduced, 1, gains, count, e->b, e->dim);

	linalg_rank_update(e->dim, count, reduced, weights, decay, e->G);
	if (e->H)
		linalg_rank_update(e->dim, count, reduced, squares, decay * decay, e->H);
	evidence_flush(e);
}

static void
scale(size_t count, double factor, double *values)
{
	for (size_t i = 0; i < count; i++)
		values[i] *= factor;
}

void
evidence_scale(Evidence *e, double factor)
{
	size_t		packed = linalg_packed_len(e->dim);

	if (factor == 1.0)
		return;
	scale(EVIDENCE_SCALARS, factor, e->N);
	scale((size_t) e->dim + packed, factor, e->b);
	if (e->N2)
		*e->N2 *= factor * factor;
	if (e->H)
		scale(packed, factor * factor, e->H);
	evidence_flush(e);
}

/* Add sums over other observations with the same discount, time and reference reward. */
void
evidence_add(Evidence *e, const Evidence *other)
{
	size_t		count = evidence_value_count(e->dim, evidence_squares(e));

	for (size_t i = 0; i < count; i++)
		e->N[i] += other->N[i];
	evidence_flush(e);
}

/*
 * Return the largest rounding error that a difference of two sums may have.  A larger tolerance
 * would accept the subtraction of observations that were never added.
 */
static double
tolerance(double left, double taken)
{
	return 1e-9 * (left + taken) + 1e-6 * taken;
}

/* Replace a small negative number by zero.  Returns false if the number is below -max_error. */
static bool
clamp(double max_error, double *value)
{
	if (!(*value >= -max_error))
		return false;
	if (*value < 0.0)
		*value = 0.0;
	return true;
}

/*
 * Limit the sum of rewards R to its maximum, sqrt(N S), if almost all observations were subtracted.
 * Rounding errors could make R larger.
 */
static void
limit_mean(Evidence *e, const Evidence *taken)
{
	double		bound = sqrt(*e->N) * sqrt(*e->S);

	if (*e->N <= 1e-9 * *taken->N && fabs(*e->R) > bound)
		*e->R = copysign(bound, *e->R);
	flush_denormals(1, e->R);
}

/* Check that a difference of matrices is positive semidefinite, up to rounding errors. */
static bool
is_possible(int dim, const double *taken, double ridge, double *left, double *work)
{
	size_t		packed = linalg_packed_len(dim);
	double		least;

	memcpy(work, left, sizeof(double) * packed);
	for (int i = 0; i < dim; i++)
	{
		size_t		k = linalg_packed_index(dim, i, i);
		double		more = tolerance(left[k], taken[k]) + RIDGE_TOLERANCE * ridge;

		if (!clamp(more, &left[k]))
			return false;
		work[k] = left[k] + more;
	}
	least = dim * DBL_EPSILON *
		fmax(linalg_max_diagonal(dim, left), linalg_max_diagonal(dim, taken));
	linalg_add_diagonal(dim, least, work);
	return linalg_cholesky(dim, work) && linalg_all_finite(packed, work);
}

/* Return the largest rounding error that a difference of sums of squared rewards may have. */
static double
squares_tolerance(double left, double taken, double peak)
{
	return tolerance(left, taken) + ROUNDING_SHARE * peak + DBL_MIN;
}

/*
 * Subtract the sums over observations from "e".  "left" has the totals of all remaining
 * observations.  "work" has linalg_packed_len(dim) numbers.
 *
 * Returns false if "e" cannot have contained the subtracted observations; "e" is then undefined.
 */
bool
evidence_subtract(Evidence *e, const Evidence *other, const Totals *left,
				  double ridge, double *work)
{
	size_t		count = evidence_value_count(e->dim, evidence_squares(e));

	for (size_t i = 0; i < count; i++)
		e->N[i] -= other->N[i];
	evidence_flush(e);
	if (!clamp(tolerance(*e->N, *other->N) + WEIGHT_TOLERANCE, e->N) ||
		!clamp(squares_tolerance(*e->S, *other->S, left->peak), e->S))
		return false;
	if (e->N2)
		*e->N2 = fmax(0.0, *e->N2);
	*e->S = fmin(*e->S, left->S);
	limit_mean(e, other);
	return is_possible(e->dim, other->G, ridge, e->G, work) &&
		(e->H == NULL || is_possible(e->dim, other->H, ridge, e->H, work));
}

/* Update the sums of rewards after the reference reward c (see evidence.h) fell by "shift". */
void
evidence_rebase(Evidence *e, double shift)
{
	if (shift == 0.0)
		return;
	*e->S += (2.0 * *e->R + *e->N * shift) * shift;
	if (*e->S < 0.0)
		*e->S = 0.0;
	*e->R += *e->N * shift;
	flush_denormals(EVIDENCE_SCALARS, e->N);
}

/* Check that all sums are finite, and that sums of squares are not negative. */
bool
evidence_is_valid(const Evidence *e)
{
	size_t		count = evidence_value_count(e->dim, evidence_squares(e));

	return linalg_all_finite(count, e->N) &&
		*e->N >= 0.0 && *e->S >= 0.0 && (e->N2 == NULL || *e->N2 >= 0.0) &&
		linalg_min_diagonal(e->dim, e->G) >= 0.0 &&
		(e->H == NULL || linalg_min_diagonal(e->dim, e->H) >= 0.0);
}

void
totals_absorb(Totals *t, int count, const double *rewards, double reference, const double *weights)
{
	for (int j = 0; j < count; j++)
	{
		double		above = rewards[j] - reference;

		t->N += weights[j];
		t->R += weights[j] * above;
		t->S += weights[j] * above * above;
	}
	t->peak = fmax(t->peak, t->S);
}

static void
totals_flush(Totals *t)
{
	flush_denormals(TOTALS_LEN, (double *) t);
}

void
totals_scale(Totals *t, double factor)
{
	scale(TOTALS_LEN, factor, (double *) t);
	totals_flush(t);
}

void
totals_add(Totals *t, const Totals *other)
{
	t->N += other->N;
	t->R += other->R;
	t->S += other->S;
	t->peak += other->peak;
	totals_flush(t);
}

/* Subtract totals of observations.  Returns false if "t" cannot have contained the observations. */
bool
totals_subtract(Totals *t, const Totals *other)
{
	t->N -= other->N;
	t->R -= other->R;
	t->S -= other->S;
	if (!clamp(tolerance(t->N, other->N) + WEIGHT_TOLERANCE, &t->N) ||
		!clamp(squares_tolerance(t->S, other->S, t->peak), &t->S))
		return false;
	if (t->S <= ROUNDING_SHARE * t->peak)
		t->S = 0.0;
	if (t->S == 0.0)
		t->R = 0.0;
	totals_flush(t);
	return true;
}

/* Update the sums of rewards after the reference reward c (see evidence.h) fell by "shift". */
void
totals_rebase(Totals *t, double shift)
{
	t->S = fmax(0.0, t->S + (2.0 * t->R + t->N * shift) * shift);
	t->R += t->N * shift;
	t->peak = fmax(t->peak, t->S);
	totals_flush(t);
}

/* Check that all sums are finite, and that sums of squares are not negative. */
bool
totals_are_valid(const Totals *t)
{
	return linalg_all_finite(TOTALS_LEN, (const double *) t) &&
		t->N >= 0.0 && t->S >= 0.0 && t->peak >= 0.0;
}
