/*
 * test_evidence.c
 *		Training: observations one by one, in blocks of any size and as
 *		concatenated histories give the evidence of Algorithm 1.
 */
#include "oracle.h"

#include <float.h>

#include "core/linalg.h"

#define RIDGE		0.5

static const int dims[] = {1, 2, 5, 24, 61};
static const double discounts[] = {1.0, 0.99, 0.9, 0.5, 1e-100};
static const Squares kinds[] = {SQUARES_MATRIX, SQUARES_SUM, SQUARES_NONE};

/* A history to learn; feature vectors of different lengths, some of them zero. */
typedef struct History
{
	int			dim;
	int			count;
	double	   *features;
	double	   *rewards;
} History;

static History
history_new(int dim, int count, uint64_t seed)
{
	History		h = {dim, count, NULL, NULL};

	h.features = dice_array(&seed, (size_t) count * (size_t) dim);
	h.rewards = dice_array(&seed, (size_t) count);
	for (int j = 0; j < count; j++)
		for (int k = 0; k < dim; k++)
			h.features[j * dim + k] *= j % 11;
	return h;
}

static void
learn_range(Evidence *e, double discount, const History *h, int from, int to, int block)
{
	evidence_learn(e, discount, to - from, block, h->features + from * h->dim, h->rewards + from);
}

static void
recount(Algorithm1 *a, const History *h, int from, int to)
{
	for (int j = from; j < to; j++)
		algorithm1_update(a, h->features + j * h->dim, h->rewards[j]);
}

typedef void (*Check) (int dim, double discount, Squares squares);

#define test_of_models(f)	{#f, each_model, NULL, free_all, &(Check) {f}}

static void
each_model(void **state)
{
	Check		check = *(Check *) *state;

	for (int d = 0; d < LENGTH(dims); d++)
		for (int g = 0; g < LENGTH(discounts); g++)
			for (int k = 0; k < LENGTH(kinds); k++)
				check(dims[d], discounts[g], kinds[k]);
}

/* ---------- Algorithm 1 ---------- */

/*
 * gamma = 1/2, then z = 1, 2 with r = 3, 5.  Other numbers result from H
 * derived from an updated G, from H decayed by gamma, and from decay before the
 * first or after the last observation.
 */
static void
test_two_observations_equal_algorithm1(void **state)
{
	const double features[] = {1, 2};
	const double rewards[] = {3, 5};

	for (int block = 1; block <= 2; block++)
	{
		Evidence   *e = evidence_new(1, SQUARES_MATRIX);
		Evidence   *several = evidence_new(1, SQUARES_SUM);

		evidence_learn(e, 0.5, 2, block, features, rewards);
		evidence_learn(several, 0.5, 2, block, features, rewards);
		assert_near(*several->N2, 0.25 + 1, 1e-15);
		assert_near(evidence_square_share(several), 1.25 / 1.5, 1e-15);
		assert_near(e->G[0], 0.5 * 1 + 4, 1e-15);
		assert_near(e->H[0], 0.25 * 1 + 4, 1e-15);
		assert_near(e->b[0], 0.5 * 3 + 10, 1e-14);
		assert_near(*e->N, 0.5 + 1, 1e-15);
		assert_near(*e->R, 0.5 * 3 + 5, 1e-15);
		assert_near(*e->S, 0.5 * 9 + 25, 1e-14);
	}
}

/* compare after every block, at small and large counts */
static void
check_blocks(int dim, double discount, Squares squares)
{
	static const int blocks[] = {1, 2, 7, 63, EVIDENCE_BLOCK};
	const History h = history_new(dim, 200, (uint64_t) dim);

	for (int b = 0; b < LENGTH(blocks); b++)
	{
		Evidence   *e = evidence_new(dim, squares);
		Algorithm1 *a = algorithm1_new(dim, discount, RIDGE);
		int			from;

		for (from = 0; from < h.count; from += blocks[b])
		{
			int			to = from + blocks[b];

			if (to > h.count)
				to = h.count;
			learn_range(e, discount, &h, from, to, blocks[b]);
			recount(a, &h, from, to);
			check_evidence(e, a);
		}
	}
}

static void
check_same_evidence(const Evidence *a, const Evidence *b)
{
	assert_same_bits(value_count(a), a->N, b->N);
}

static void
test_empty_block_changes_nothing(void **state)
{
	const History h = history_new(5, 10, 1);
	Evidence   *e = evidence_new(5, SQUARES_MATRIX);
	Evidence   *before;
	double	   *nothing = guarded(0);

	learn_range(e, 0.9, &h, 0, 10, 10);
	before = evidence_copy(e);
	absorb(e, 1, 0, nothing, nothing, 7, nothing);
	check_same_evidence(e, before);
}

/* ---------- concatenation ---------- */

/* earlier <- earlier || "count" further observations */
static void
append(Evidence *earlier, double discount, double count, const Evidence *later)
{
	Evidence   *kept = evidence_copy(later);

	evidence_scale(earlier, pow(discount, count));
	evidence_add(earlier, later);
	check_same_evidence(later, kept);
}

static void
check_splits(int dim, double discount, Squares squares)
{
	const History h = history_new(dim, 30, 100 + (uint64_t) dim);
	Algorithm1 *a = algorithm1_new(dim, discount, RIDGE);

	recount(a, &h, 0, h.count);
	for (int split = 0; split <= h.count; split++)
	{
		Evidence   *earlier = evidence_new(dim, squares);
		Evidence   *later = evidence_new(dim, squares);

		learn_range(earlier, discount, &h, 0, split, 7);
		learn_range(later, discount, &h, split, h.count, 5);
		append(earlier, discount, h.count - split, later);
		check_evidence(earlier, a);
	}
}

/*
 * An empty history on either side: the result equals the other one bit by bit,
 * and "later" does not change.
 */
static void
check_concat_with_empty(int dim, double discount, Squares squares)
{
	const History h = history_new(dim, 20, 9);
	Evidence   *e = evidence_new(dim, squares);
	Evidence   *empty = evidence_new(dim, squares);
	Evidence   *result;

	learn_range(e, discount, &h, 0, h.count, 20);

	result = evidence_copy(e);
	append(result, discount, 0, empty);
	check_same_evidence(result, e);

	result = evidence_new(dim, squares);
	append(result, discount, 20, e);
	check_same_evidence(result, e);

	result = evidence_new(dim, squares);
	append(result, discount, 0, empty);
	check_same_evidence(result, empty);
}

/* ---------- long histories ---------- */

static void
check_settled(size_t count, const double *values)
{
	for (size_t i = 0; i < count; i++)
	{
		if (values[i] == 0)
			assert_false(signbit(values[i]));
		else
			assert_true(fabs(values[i]) >= DBL_MIN);
	}
}

static void
check_all_settled(const Evidence *e)
{
	check_settled(value_count(e), e->N);
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
		check_all_settled(e);
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
		append(earlier, 0.5, after, later);
		assert_near(*earlier->R, -ldexp(1, -after), DBL_MIN);
		check_all_settled(earlier);
	}
}

/* A history so long that the weight of the earlier one becomes zero */
static void
test_concat_of_a_long_history_removes_the_earlier_one(void **state)
{
	const History h = history_new(5, 20, 3);
	Evidence   *earlier = evidence_new(5, SQUARES_MATRIX);
	Evidence   *later = evidence_new(5, SQUARES_MATRIX);
	Evidence   *expected;

	learn_range(earlier, 0.99, &h, 0, 10, 10);
	learn_range(later, 0.99, &h, 10, 20, 10);
	expected = evidence_copy(later);
	append(earlier, 0.99, 4e12, later);
	check_same_evidence(earlier, expected);
}

/* ---------- validity ---------- */

/* each invalid value of one of "count" numbers */
static void
check_refusals(Evidence *e, size_t count, double *values)
{
	const double bad[] = {NAN, -NAN, INFINITY, -INFINITY};

	for (size_t i = 0; i < count; i++)
	{
		double		kept = values[i];

		for (int b = 0; b < LENGTH(bad); b++)
		{
			values[i] = bad[b];
			assert_false(evidence_is_valid(e));
		}
		values[i] = DBL_MAX;
		assert_true(evidence_is_valid(e));
		values[i] = kept;
		assert_true(evidence_is_valid(e));
	}
}

/* negative numbers are valid below the diagonal, and invalid on it */
static void
check_signs(Evidence *e, double *packed)
{
	int			i;

	for (i = 0; i < e->dim; i++)
		for (int j = 0; j <= i; j++)
		{
			double	   *value = &packed[linalg_packed_index(e->dim, i, j)];
			double		kept = *value;

			*value = -1;
			assert_int_equal(evidence_is_valid(e), i != j);
			*value = 0;
			assert_true(evidence_is_valid(e));
			*value = kept;
		}
}

static void
check_validity(int dim, double discount, Squares squares)
{
	const History h = history_new(dim, 10, 4);
	Evidence   *e = evidence_new(dim, squares);
	double	   *unsigned_sums[3];

	learn_range(e, discount, &h, 0, 10, 10);
	assert_true(evidence_is_valid(e));

	check_refusals(e, value_count(e), e->N);
	check_signs(e, e->G);
	if (e->H)
		check_signs(e, e->H);

	unsigned_sums[0] = e->N;
	unsigned_sums[1] = e->S;
	unsigned_sums[2] = e->N2 ? e->N2 : e->N;
	for (int k = 0; k < LENGTH(unsigned_sums); k++)
	{
		double		kept = *unsigned_sums[k];

		*unsigned_sums[k] = -1;
		assert_false(evidence_is_valid(e));
		*unsigned_sums[k] = kept;
	}
	*e->R = -1;
	e->b[0] = -1;
	assert_true(evidence_is_valid(e));
}

/* An overflow during training leaves a number that validation refuses. */
static void
test_overflow_is_detected_by_validation(void **state)
{
	const double features[] = {1e200, 1};
	const double reward = 1;
	Evidence   *e = evidence_new(2, SQUARES_MATRIX);

	evidence_learn(e, 0.9, 1, 1, features, &reward);
	assert_false(evidence_is_valid(e));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		test_of(test_two_observations_equal_algorithm1),
		test_of_models(check_blocks),
		test_of(test_empty_block_changes_nothing),
		test_of_models(check_splits),
		test_of_models(check_concat_with_empty),
		test_of(test_decay_leaves_no_subnormal_numbers),
		test_of(test_concat_leaves_no_subnormal_numbers),
		test_of(test_concat_of_a_long_history_removes_the_earlier_one),
		test_of_models(check_validity),
		test_of(test_overflow_is_detected_by_validation)
	};

	return cmocka_run_group_tests_name("evidence", tests, NULL, NULL);
}
