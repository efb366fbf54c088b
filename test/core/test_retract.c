/*
 * test_retract.c
 *		Retraction: the rest is the sum over the remaining observations.
 *		Retracting evidence that was not learned is refused, beyond rounding
 *		errors.
 */
#include "observed.h"

#include <float.h>

#include "core/linalg.h"

#define CLOSE		1e-12

/* Evidence of an observation with this feature vector, reward and weight */
static Evidence *
said(int dim, Squares squares, const double *features, double reward, double weight)
{
	Evidence   *e = evidence_new(dim, squares);

	absorb(e, 1, 1, features, &reward, 0, &weight);
	return e;
}

static bool
can_take_back(const Evidence *e, const double *features, double reward, double weight)
{
	Evidence   *left = evidence_copy(e);
	Evidence   *taken = said(e->dim, evidence_squares(e), features, reward, weight);
	bool		possible = subtract(left, taken);

	assert_true(!possible || evidence_is_valid(left));
	return possible;
}

/*
 * A long history of one coordinate and a constant, a short one of another coordinate and
 * the constant, and none of a third.  Trained evidence can be retracted; other evidence is
 * refused, however small it is compared with the rest.
 */
static void
check_refusals(Squares squares)
{
	const double often[4] = {1, 0, 0, 1};
	const double seldom[4] = {0, 1, 0, 1};
	const double never[4] = {0, 0, 1, 1};
	const double longer[4] = {0, 1.1, 0, 1};
	const double turned[4] = {0, -1, 0, 1};
	const double mixed[4] = {0.5, 0.5, 0, 1};
	const double against[4] = {1, 0, 0, -1};
	Evidence   *e = said(4, squares, often, 1, 1);
	Evidence   *once = said(4, squares, seldom, 2, 1);

	for (int k = 0; k < 22; k++)
		evidence_add(e, e);		/* four million */
	evidence_add(e, once);

	assert_true(can_take_back(e, often, 1, 1));
	assert_true(can_take_back(e, seldom, 2, 1));
	assert_true(can_take_back(e, seldom, 2, 0.5));
	assert_true(can_take_back(e, seldom, 2, 1 + 1e-9));
	assert_false(can_take_back(e, seldom, 2, 1.001));
	assert_false(can_take_back(e, never, 1, 1));
	assert_false(can_take_back(e, never, 1, 1e-3));
	assert_false(can_take_back(e, longer, 2, 1));
	assert_false(can_take_back(e, turned, 2, 1));
	assert_false(can_take_back(e, mixed, 1, 5));
	assert_false(can_take_back(e, against, 1, 1));
	assert_false(can_take_back(e, often, 1, 1e7));
	assert_false(can_take_back(e, often, 1e4, 1));
}

static void
test_retracting_unlearned_evidence_is_refused(void **state)
{
	check_refusals(SQUARES_NONE);
	check_refusals(SQUARES_SUM);
	check_refusals(SQUARES_MATRIX);
}

/*
 * The tolerance is a millionth of the retracted evidence and, in a direction that is no
 * coordinate, a billionth of the evidence before.  Ten times as much is refused.
 */
static void
test_rounding_errors_are_no_reason_to_refuse(void **state)
{
	const double along[2] = {1, 1};
	const double across[2] = {1, -1};
	const double zero[2] = {0, 0};
	Evidence   *nothing = evidence_new(2, SQUARES_NONE);
	Evidence   *once = said(2, SQUARES_NONE, along, 1, 1);
	Evidence   *often = said(2, SQUARES_NONE, along, 1, 1e7);

	assert_true(can_take_back(once, along, 1, 1 + 5e-7));
	assert_false(can_take_back(once, along, 1, 1 + 5e-6));
	assert_true(can_take_back(often, across, 0, 0.25e-9 * 1e7));
	assert_false(can_take_back(often, across, 0, 2.5e-9 * 1e7));

	/* a thousandth of the minimum weight, or a billionth of the ridge, is accepted, too */
	assert_true(can_take_back(nothing, zero, 0, 5e-4 * MIN_WEIGHT));
	assert_false(can_take_back(nothing, zero, 0, 5e-3 * MIN_WEIGHT));
	assert_true(can_take_back(nothing, along, 0, 5e-10 * RIDGE_START));
	assert_false(can_take_back(nothing, along, 0, 5e-9 * RIDGE_START));
}

/*
 * If two coordinates have no retracted evidence, they may differ by the
 * rounding error of sums as large as the largest.
 */
static void
test_tolerance_of_coordinates_without_evidence(void **state)
{
	static const double largest[4] = {1e6, 0, 0, 0};
	const double rounding = 4 * DBL_EPSILON * 1e12;
	Evidence   *nothing = evidence_new(4, SQUARES_NONE);
	Evidence   *much = said(4, SQUARES_NONE, largest, 0, 1);

	for (int k = 0; k < 4; k++)
	{
		Evidence   *e = evidence_copy(much);

		e->G[linalg_packed_index(4, 2, 1)] = (k < 2 ? 0.5 : 2) * rounding;
		assert_int_equal(subtract(e, k % 2 ? much : nothing), k < 2);
	}
}

/* If only rounding errors remain, their mean reward satisfies R^2 <= N S. */
static void
test_mean_of_a_rest_of_rounding_errors_is_bounded(void **state)
{
	const double features[1] = {1};
	Evidence   *e = said(1, SQUARES_NONE, features, 1, 1);
	Evidence   *taken = evidence_copy(e);

	*e->N += 1e-12;
	*e->R += 1e-3;
	*e->S += 1e-4;
	assert_true(subtract(e, taken));
	assert_near(*e->R, sqrt(1e-12 * 1e-4), 1e-4 * 1e-8);
}

/* ---------- remaining squares ---------- */

static Totals
totals_of(const Observed *o, int from, int to, double reference)
{
	Totals		t = {.N = 0};

	totals_absorb(&t, to - from, o->rewards + from, reference, o->weights + from);
	return t;
}

/* Retract observation j from the totals and a memory. */
static bool
take_back_both(Totals *t, Evidence *e, const Observed *o, int j, double reference)
{
	const Totals once = totals_of(o, j, j + 1, reference);
	Evidence   *one = learned(o, j, j + 1, evidence_squares(e), reference);

	return totals_subtract(t, &once) &&
		evidence_subtract(e, one, t, RIDGE_START, guarded(linalg_packed_len(e->dim)));
}

/*
 * Among many equal rewards, some that vary are trained and retracted.  The
 * remaining rounding errors of their squares become 0 in each memory, since
 * the peak of the squares was much larger.  Later variation of this size is
 * measured, and smaller variation as long as it exceeds rounding errors.
 */
static void
test_squares_left_equal_those_of_the_rest(int dim, Squares squares)
{
	static const double parts[] = {1, 1.5e-12, 0.5e-12};
	const double reference = 0.3;
	Observed	o = observed_new(dim, 65, 0, 14);
	Totals		t;
	Evidence   *e;
	double		peak;

	for (int j = 60; j < 65; j++)
		o.weights[j] = 1;
	o.rewards[60] = o.rewards[61] = reference;
	t = totals_of(&o, 0, 62, reference);
	e = learned(&o, 0, 62, squares, reference);
	peak = t.peak;
	assert_true(peak == t.S);
	for (int j = 0; j < 60; j++)
		assert_true(take_back_both(&t, e, &o, j * 7 % 60, reference));
	assert_true(t.S == 0 && t.R == 0 && t.peak == peak && *e->S == 0);
	assert_near(t.N, 2, CLOSE * 100);

	for (int j = 0; j < LENGTH(parts); j++)
	{
		double		S = parts[j] * peak;
		Observed	two = {dim, 2, o.features, (double[]) {reference + sqrt(S), reference},
		(double[]) {1, 1}};
		const Totals more = totals_of(&two, 0, 2, reference);
		Totals		left = t;
		Evidence   *after = evidence_copy(e);

		totals_add(&left, &more);
		left.peak = peak;
		evidence_add(after, learned(&two, 0, 2, squares, reference));
		assert_true(take_back_both(&left, after, &two, 1, reference));
		assert_near(left.S, parts[j] > 1e-12 ? S : 0, 1e-3 * S);
		assert_near(*after->S, left.S, 1e-3 * S);
	}
}

static bool
can_be_left(Totals t, const Totals *taken)
{
	return totals_subtract(&t, taken);
}

static void
test_retracting_unlearned_totals_is_refused(void **state)
{
	const Observed o = observed_new(1, 10, 0, 16);
	const Totals t = totals_of(&o, 0, 10, 0);
	const Totals half = totals_of(&o, 0, 5, 0);
	Totals		taken;

	assert_true(can_be_left(t, &half));
	taken = half;
	taken.N = 1.01 * t.N;
	assert_false(can_be_left(t, &taken));
	taken = half;
	taken.S = 1.01 * t.S;
	assert_false(can_be_left(t, &taken));
	taken.S = t.S * (1 + 1e-9);
	assert_true(can_be_left(t, &taken));
	taken.S = 1e-9 * t.S;
	assert_true(can_be_left((Totals) {t.N, t.R, 0, 2e12 * taken.S}, &taken));
	assert_false(can_be_left((Totals) {t.N, t.R, 0, 5e11 * taken.S}, &taken));
	taken.S = NAN;
	assert_false(can_be_left(t, &taken));
	taken = half;
	taken.N = NAN;
	assert_false(can_be_left(t, &taken));
}

/* ---------- histories ---------- */

/* Retraction is refused for each number that makes it impossible, and for NaN in any number. */
static void
test_too_large_or_invalid_number_is_refused(int dim, Squares squares)
{
	const Observed o = observed_new(dim, 3 * dim + 3, 0, 12);
	Evidence   *e = learned(&o, 0, o.count, squares, 0);
	Evidence   *half = learned(&o, 0, o.count / 2, squares, 0);
	const ptrdiff_t telling[] = {0, half->S - half->N,
		half->G + linalg_packed_index(dim, 0, 0) - half->N,
		half->G + linalg_packed_index(dim, dim - 1, dim - 1) - half->N,
		half->G + linalg_packed_index(dim, dim - 1, 0) - half->N,
		half->H ? half->H + linalg_packed_index(dim, dim - 1, 0) - half->N : 0,
	half->H ? half->H + linalg_packed_index(dim, dim / 2, dim / 2) - half->N : 0};

	for (int k = 0; k < LENGTH(telling); k++)
	{
		Evidence   *left = evidence_copy(e);
		Evidence   *taken = evidence_copy(half);

		assert_true(subtract(left, taken));
		memcpy(left->N, e->N, sizeof(double) * value_count(e));
		taken->N[telling[k]] = 3 * e->N[telling[k]] + copysign(1e4, e->N[telling[k]]);
		assert_false(subtract(left, taken));
		memcpy(left->N, e->N, sizeof(double) * value_count(e));
		left->N[telling[k]] = NAN;
		assert_false(subtract(left, half));
	}
}

/*
 * All observations are retracted one by one, in another order: this is
 * accepted, and almost nothing remains.
 */
static void
test_retracting_everything_leaves_nothing(int dim, Squares squares)
{
	const Observed o = observed_new(dim, 200, 5, 13);
	Evidence   *e = learned(&o, 0, 100, squares, 5);
	ExactMemory *all = summed(&o, 0, 200, 1, 5);
	ExactMemory *none = summed(&o, 0, 0, 1, 5);
	Evidence   *rest = learned(&o, 100, 200, squares, 5);

	evidence_add(e, rest);
	for (int j = 0; j < 200; j++)
	{
		Evidence   *one = learned(&o, j * 77 % 200, j * 77 % 200 + 1, squares, 5);

		assert_true(subtract(e, one));
	}
	/* the mean of an empty memory is within the range of the rewards */
	assert_true(fabs(*e->R) <= sqrt(*e->N) * sqrt(*e->S) * (1 + 1e-15));
	check_memory(e, none, all, CLOSE);
}

/*
 * A coordinate is retracted completely, except for rounding errors.  The others can still
 * be retracted; evidence larger than rounding errors of this one cannot.
 */
static void
check_coordinate_taken_back(Squares squares, uint64_t seed)
{
	Observed	o = observed_new(3, 40, 0, seed);
	Evidence   *nothing = evidence_new(3, squares);
	Evidence   *e;
	Factor	   *f;

	for (int j = 0; j < 40; j++)
	{
		o.weights[j] = 1;
		for (int k = 0; k < 3; k++)
			o.features[j * 3 + k] += copysign(0.5, o.features[j * 3 + k]);
		o.features[j * 3 + (j < 20 ? 0 : 1)] = 0;
	}
	e = learned(&o, 0, 40, squares, 0);
	f = factor_new(e);
	for (int j = 0; j < 40; j++)
	{
		Evidence   *one = learned(&o, j, j + 1, squares, 0);

		assert_true(subtract(e, one));
		assert_true(j >= 30 || subtract(e, nothing));
		/* rounding errors of the previous evidence exceed the minimum ridge */
		assert_true(j >= 30 || factor_with(e, 1e-100, f));
	}
}

static void
test_coordinate_without_observations_is_empty(void **state)
{
	uint64_t	seed;

	for (seed = 0; seed < 200; seed++)
	{
		check_coordinate_taken_back(false, seed);
		check_coordinate_taken_back(true, seed);
	}
}

TEST_PROGRAM("retract",
	test_of(test_retracting_unlearned_evidence_is_refused),
	test_of(test_rounding_errors_are_no_reason_to_refuse),
	test_of(test_tolerance_of_coordinates_without_evidence),
	test_of(test_mean_of_a_rest_of_rounding_errors_is_bounded),
	test_of_memories(test_squares_left_equal_those_of_the_rest),
	test_of(test_retracting_unlearned_totals_is_refused),
	test_of_memories(test_too_large_or_invalid_number_is_refused),
	test_of_memories(test_retracting_everything_leaves_nothing),
	test_of(test_coordinate_without_observations_is_empty))
