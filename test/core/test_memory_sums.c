/*
 * test_memory_sums.c
 *		Discounts of several memories, and their mean rewards and squared
 *		deviations.
 */
#include "oracle.h"

#include "core/memories.h"

/* ---------- rates ---------- */

static void
test_discounts_and_half_lives_of_memories(void **state)
{
	/* one memory has the given discount */
	assert_true(memory_discount(0, 1, 0.99) == 0.99);
	assert_true(memory_fades(0, 1, 0.99));
	assert_true(memory_discount(0, 1, 1) == 1);
	assert_false(memory_fades(0, 1, 1));

	/* windows of 100, 500 and 2,500, and one that forgets nothing */
	assert_true(memory_discount(0, 4, 0.99) == 0.99);
	assert_near(memory_discount(1, 4, 0.99), 0.998, 1e-15);
	assert_near(memory_discount(2, 4, 0.99), 0.9996, 1e-15);
	assert_true(memory_discount(3, 4, 0.99) == 1);
	assert_true(memory_fades(2, 4, 0.99));
	assert_false(memory_fades(3, 4, 0.99));
	assert_true(memory_discount(1, 2, 0.99) == 1);
	assert_false(memory_fades(1, 2, 0.99));

	/* with the maximum number of memories, the longest one with a discount still forgets */
	assert_true(memory_discount(MEMORY_MAX - 2, MEMORY_MAX, 1 - 1.0 / 2050) < 1);
	assert_false(memory_fades(0, 2, 1));

	/* half-lives */
	assert_true(memory_half_life(0, 86400) == 86400);
	assert_true(memory_half_life(1, 86400) == 5 * 86400.0);
	assert_true(memory_half_life(2, 86400) == 25 * 86400.0);
}

/* ---------- the mean reward, and squares about it ---------- */

static const double three_vectors[] = {2, 1, -3, 1, 0, 1};
static const double three_rewards[] = {5, 7, 3};
static const double three_weights[] = {1, 0.5, 2};

/* Three observations, and totals with a fourth, a reward of 10 */
static Evidence *
three(double reference, Totals *totals)
{
	Evidence   *e = evidence_new(2, SQUARES_MATRIX);
	const double reward = 10;
	const double weight = 1;

	absorb(e, 1, 3, three_vectors, three_rewards, reference, three_weights);
	*totals = (Totals) {.N = 0};
	totals_absorb(totals, 3, three_rewards, reference, three_weights);
	totals_absorb(totals, 1, &reward, reference, &weight);
	return e;
}

static void
test_center_subtracts_the_mean_reward(void **state)
{
	static const double references[] = {0, 4, -1e3};

	for (int r = 0; r < LENGTH(references); r++)
	{
		Rewards		rewards = {.intercept = true, .reference = references[r]};
		Rewards		plain = {.intercept = false};
		double	   *b = guarded(2);
		Evidence   *e = evidence_new(2, SQUARES_MATRIX);

		/* without observations the mean is 0 */
		assert_true(memory_center(e, &rewards, b) == 0);
		assert_true(b[0] == 0 && b[1] == 0);

		/* mean 14.5 / 3.5; b is (-0.5, 14.5), the intercept's column of G (0.5, 3.5) */
		e = three(references[r], &rewards.totals);
		assert_near(memory_center(e, &rewards, b), 29.0 / 7, 1e-12);
		assert_near(b[0], -0.5 - 14.5 / 7, 1e-12);
		assert_near(b[1], 0, 1e-12);
		assert_true(memory_center(e, &plain, b) == 0);
		assert_same_bits(2, b, e->b);

		/* if almost all weight has decayed, the mean is that of all rewards: 24.5 / 4.5 */
		evidence_scale(e, 1e-7);
		assert_near(memory_center(e, &rewards, b), 0.35 * 29 / 7 + 0.65 * 49 / 9, 1e-12);
		evidence_scale(e, 1e-30);
		assert_near(memory_center(e, &rewards, b), 49.0 / 9, 1e-12);
		assert_near(b[0], 0, 1e-30);
	}
}

static void
test_squares_are_those_around_the_mean(void **state)
{
	static const double references[] = {0, 4, -1e3};

	for (int r = 0; r < LENGTH(references); r++)
	{
		Rewards		rewards = {.intercept = true, .reference = references[r]};
		Rewards		plain = {.intercept = false};
		Evidence   *e = three(references[r], &rewards.totals);
		Evidence   *same = evidence_copy(e);

		/* 67.5 - 14.5^2 / 3.5; for the totals 167.5 - 24.5^2 / 4.5 */
		assert_near(memory_squares(e, &rewards), 67.5 - 14.5 * 14.5 / 3.5, 1e-9);
		rewards.totals.N -= 1;
		rewards.totals.R -= 10 - references[r];
		rewards.totals.S = rewards.totals.R * rewards.totals.R / 3.5 + 2;
		assert_near(memory_squares(e, &rewards), 2, 1e-9);
		rewards.totals.peak = 2.1e12;
		assert_true(memory_squares(e, &rewards) == 0);

		/* about zero */
		plain.reference = references[r];
		e = three(references[r], &plain.totals);
		assert_near(memory_squares(e, &plain), 67.5, 1e-9);
		plain.reference = 0;
		e = three(0, &plain.totals);
		plain.totals.S = 60;
		assert_near(memory_squares(e, &plain), 60, 1e-12);
		plain.totals.peak = 61e12;
		assert_true(memory_squares(e, &plain) == 0);

		/* 1e-11 of S exceeds rounding errors, 1e-13 does not */
		*same->N = 1;
		*same->R = 1e3;
		*same->S = 1e6 + 1e-5;
		rewards.totals = (Totals) {.N = 1, .S = 1e6, .peak = 1e6};
		assert_near(memory_squares(same, &rewards), 1e-5, 1e-9);
		*same->S = 1e6 + 1e-7;
		assert_true(memory_squares(same, &rewards) == 0);
	}
}

TEST_PROGRAM("memory sums",
	test_of(test_discounts_and_half_lives_of_memories),
	test_of(test_center_subtracts_the_mean_reward),
	test_of(test_squares_are_those_around_the_mean))
