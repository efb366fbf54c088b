/*
 * test_algebra.c
 *		Algebra of evidence: scaled, added and rebased evidence equals the sums
 *		over the observations, and stays valid.  Products and solutions for
 *		several vectors equal those for one.
 */
#include "observed.h"

#include <float.h>

#include "core/linalg.h"

#define CLOSE		1e-12

/* ---------- several vectors ---------- */

static void
test_operations_on_several_vectors_equal_those_on_one(void **state)
{
	static const int dims[] = {1, 7, 8, 9, 65, 300};
	uint64_t	seed = 12;

	for (int i = 0; i < 2 * LENGTH(dims); i++)
	{
		int			d = dims[i / 2];
		int			count = i % 2 ? 2 : 19;
		double	   *vectors = dice_array(&seed, (size_t) (count * d));
		double	   *weights = dice_array(&seed, (size_t) (9 * d + count));
		double	   *packed = dice_array(&seed, linalg_packed_len(d));
		double	   *sums = guarded_copy(linalg_packed_len(d), packed);
		double	   *projected = guarded((size_t) (count * 9));
		double	   *solved = guarded_copy((size_t) (count * d), vectors);
		double		single[300];

		linalg_rank_update(d, count, vectors, weights, 0.5, sums);
		for (int k = 0; k < d * d; k++)
			if (k / d >= k % d)
			{
				size_t		at = linalg_packed_index(d, k / d, k % d);
				exact		sum = packed[at] / 2;

				for (int v = 0; v < count; v++)
					sum += (exact) weights[v] * vectors[v * d + k / d] * vectors[v * d + k % d];
				assert_near(sums[at], sum, CLOSE);
			}
		linalg_add_diagonal(d, d, packed);
		linalg_project(d, 9, weights, count, vectors, projected, 9);
		linalg_solve_lower_transposed(d, packed, count, solved);
		for (int v = 0; v < count; v++)
		{
			linalg_dot_each(d, 9, weights, vectors + v * d, single);
			for (int r = 0; r < 9; r++)
				assert_near(projected[v * 9 + r], single[r], CLOSE);
			linalg_solve_lower_transposed(d, packed, 1, vectors + v * d);
			for (int k = 0; k < d; k++)
				assert_near(solved[v * d + k], vectors[v * d + k], CLOSE);
		}
	}
}

/* ---------- rebase ---------- */

/* Change the reference and back; tolerances are relative to the larger one. */
static void
test_rebased_evidence_equals_sums(int dim, Squares squares)
{
	static const double references[] = {0, 2, -5, 1e3};
	const Observed o = observed_new(dim, 60, 3, 9);
	int			f;

	for (f = 0; f < LENGTH(references); f++)
		for (int t = 0; t < LENGTH(references); t++)
		{
			Evidence   *e = learned(&o, 0, 60, squares, references[f]);
			Evidence   *kept = evidence_copy(e);
			ExactMemory *from = summed(&o, 0, 60, 1, references[f]);
			ExactMemory *to = summed(&o, 0, 60, 1, references[t]);

			evidence_rebase(e, references[f] - references[t]);
			check_memory(e, to, to->S > from->S ? to : from, CLOSE);
			assert_same_bits(value_count(e) - 3, e->b, kept->b);
			assert_same_bits(1, e->N, kept->N);
			evidence_rebase(e, references[t] - references[f]);
			check_memory(e, from, to->S > from->S ? to : from, CLOSE);
		}
}

/* If all rewards equal the new reference, rounding makes no S negative. */
static void
test_rebased_squares_are_not_negative(void **state)
{
	uint64_t	seed = 10;
	const double features = 1;
	const double weight = 1;

	for (int k = 0; k < 1000; k++)
	{
		double		reward = dice(&seed);
		double		reference = 10 * dice(&seed);
		Evidence   *e = evidence_new(1, SQUARES_NONE);
		int			j;

		for (j = 0; j <= k % 7; j++)
			absorb(e, 1, 1, &features, &reward, reference, &weight);
		evidence_rebase(e, reference - reward);
		assert_true(evidence_is_valid(e));
		assert_near(*e->S, 0, 1e-12);
		assert_near(*e->R, 0, 1e-12);
	}
}

/* ---------- totals ---------- */

static void
check_totals(const Totals *t, const ExactMemory *m, const ExactMemory *size, exact peak)
{
	assert_true(totals_are_valid(t));
	assert_near(t->N, m->N, CLOSE * size->N);
	assert_near(t->R, m->R, CLOSE * sqrtl(size->N * size->S));
	assert_near(t->S, m->S, CLOSE * size->S);
	assert_near(t->peak, peak, CLOSE * peak);
}

/* Totals in two blocks: scaled, added, rebased and back, subtracted */
static void
test_totals_equal_sums_after_each_operation(void **state)
{
	static const double references[] = {2, 3, -1e3};
	const Observed o = observed_new(1, 60, 3, 11);

	for (int f = 0; f < LENGTH(references); f++)
	{
		double		reference = references[f];
		ExactMemory *first = summed(&o, 0, 25, 10, 2);
		ExactMemory *all = summed(&o, 0, 60, 10, 2);
		ExactMemory *moved = summed(&o, 0, 60, 10, reference);
		exact		peak = fmaxl(all->S, moved->S);
		Totals		t = {.N = 0};
		Totals		later = {.N = 0};

		totals_absorb(&t, 20, o.rewards, 2, o.weights);
		totals_absorb(&t, 5, o.rewards + 20, 2, o.weights + 20);
		totals_absorb(&later, 35, o.rewards + 25, 2, o.weights + 25);
		totals_scale(&t, 10);
		check_totals(&t, first, first, first->S);
		totals_scale(&later, 10);
		totals_add(&t, &later);
		check_totals(&t, all, all, all->S);
		totals_rebase(&t, 2 - reference);
		check_totals(&t, moved, moved, peak);
		totals_rebase(&t, reference - 2);
		check_totals(&t, all, moved, peak);
		assert_true(totals_subtract(&t, &later));
		check_totals(&t, first, moved, peak);
	}
}

static void
test_invalid_totals_are_refused(void **state)
{
	static const double bad[] = {NAN, INFINITY, -INFINITY};
	const Totals t = {0.3, -0.1, 0.2, 0.2};
	Totals		wrong[4];

	assert_true(totals_are_valid(&t));
	for (int b = 0; b < LENGTH(bad); b++)
	{
		for (int k = 0; k < 4; k++)
			wrong[k] = t;
		wrong[0].N = wrong[1].R = wrong[2].S = wrong[3].peak = bad[b];
		for (int k = 0; k < 4; k++)
			assert_false(totals_are_valid(&wrong[k]));
	}
	assert_false(totals_are_valid(&(Totals) {-1, 0, 2, 2}));
	assert_false(totals_are_valid(&(Totals) {1, 0, -2, 2}));
	assert_false(totals_are_valid(&(Totals) {1, 0, 2, -2}));
}

/* ---------- long histories ---------- */

static const Squares kinds[] = {SQUARES_MATRIX, SQUARES_SUM, SQUARES_NONE};

static void
check_settled(const Evidence *e)
{
	const double *values = e->N;

	for (size_t i = 0; i < value_count(e); i++)
	{
		if (values[i] == 0)
			assert_false(signbit(values[i]));
		else
			assert_true(fabs(values[i]) >= DBL_MIN);
	}
}

/* One negative observation, then rewards of -0 for feature vectors of -0. */
static void
check_fading(double discount, int block, Squares squares)
{
	double		features[5 * EVIDENCE_BLOCK];
	double		rewards[EVIDENCE_BLOCK];
	Evidence   *e = evidence_new(5, squares);
	int			steps = (int) (800 / -log(discount)) / block + 1;

	for (int k = 0; k < LENGTH(features); k++)
		features[k] = (k < 5) ? k - 2.5 : -0.0;
	for (int k = 0; k < LENGTH(rewards); k++)
		rewards[k] = (k < 1) ? -1 : -0.0;
	evidence_learn(e, discount, 1, 1, features, rewards);
	assert_true(e->b[4] < 0 && *e->R < 0);

	for (int k = 0; k < steps; k++)
	{
		evidence_learn(e, discount, block, block, features + 5, rewards + 1);
		check_settled(e);
	}
	assert_true(e->b[0] == 0 && e->b[4] == 0 && *e->R == 0);
	assert_true(e->G[0] == 0 && (e->H == NULL || e->H[0] == 0));
	assert_near(*e->N, 1 / (1 - discount), RELATIVE / (1 - discount));
}

static void
test_decay_leaves_no_subnormal_numbers(void **state)
{
	for (int k = 0; k < LENGTH(kinds); k++)
	{
		check_fading(0.9, 1, kinds[k]);
		check_fading(0.9, 7, kinds[k]);
		check_fading(0.5, 1, kinds[k]);
		check_fading(0.5, 63, kinds[k]);
		check_fading(1e-3, 1, kinds[k]);
		check_fading(1e-3, 63, kinds[k]);
	}
}

/* Concatenation with histories of any number of updates */
static void
test_concat_leaves_no_subnormal_numbers(void **state)
{
	const double features[] = {-1, 2, -3};
	const double reward = -1;

	for (int after = 0; after < 2200; after++)
	{
		Evidence   *earlier = evidence_new(3, kinds[after % 2]);
		Evidence   *later = evidence_new(3, kinds[after % 2]);

		evidence_learn(earlier, 0.5, 1, 1, features, &reward);
		evidence_scale(earlier, pow(0.5, after));
		check_settled(earlier);
		later->b[0] = -1.5 * DBL_MIN;
		evidence_add(earlier, later);
		assert_near(*earlier->R, -ldexp(1, -after), DBL_MIN);
		check_settled(earlier);
	}
}

/* Weights, squares and diagonals must not be negative, other sums may be; none may be NaN. */
static void
test_impossible_sums_are_invalid(void **state)
{
	const size_t last = linalg_packed_index(3, 2, 2);

	for (int k = 0; k < LENGTH(kinds); k++)
	{
		Evidence   *e = evidence_new(3, kinds[k]);
		double	   *positive[] = {e->N, e->S, e->N2, e->G + last, e->H ? e->H + last : NULL};

		*e->R = e->b[0] = e->G[linalg_packed_index(3, 1, 0)] = -1;
		assert_true(evidence_is_valid(e));
		for (int i = 0; i < LENGTH(positive); i++)
			if (positive[i])
			{
				*positive[i] = -1;
				assert_false(evidence_is_valid(e));
				*positive[i] = 0;
			}
		e->b[1] = NAN;
		assert_false(evidence_is_valid(e));
	}
}

TEST_PROGRAM("algebra",
	test_of(test_operations_on_several_vectors_equal_those_on_one),
	test_of_memories(test_rebased_evidence_equals_sums),
	test_of(test_rebased_squares_are_not_negative),
	test_of(test_totals_equal_sums_after_each_operation),
	test_of(test_invalid_totals_are_refused),
	test_of(test_decay_leaves_no_subnormal_numbers),
	test_of(test_concat_leaves_no_subnormal_numbers),
	test_of(test_impossible_sums_are_invalid))
