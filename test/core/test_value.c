/*
 * test_value.c
 *		The value of a policy: large rewards, and few decisions.
 *		76_policy_value.sql compares values with their definitions, and
 *		007_parallel.pl parts of a log with the whole.
 */
#include "oracle.h"

#include "core/value.h"

#define DECISIONS	500

typedef struct Decision
{
	double		reward;
	double		weight;
	double		predicted;
	double		expected;
} Decision;

/* Rewards around a level, and weights, some of them zero and some large */
static void
make_log(Decision *log, int count, double level, uint64_t seed)
{
	for (int i = 0; i < count; i++)
	{
		log[i].reward = level + dice(&seed);
		log[i].weight = i % 5 == 4 ? 0 : fabs(dice(&seed));
		if (i % 50 == 7)
			log[i].weight *= 1e6;
		log[i].predicted = level + dice(&seed);
		log[i].expected = level + dice(&seed);
	}
}

static PolicyValue
summed(const Decision *log, int count)
{
	PolicyValue v = {.count = 0};

	for (int i = 0; i < count; i++)
	{
		PolicyValue one = value_of_modelled(log[i].reward, log[i].weight,
											log[i].predicted, log[i].expected);

		value_merge(&v, &one);
	}
	return v;
}

/* Compare moments of which those expected may have another level. */
static void
check_moments(Moments m, Moments expected, double level, double relative)
{
	assert_near(m.mean - level, expected.mean, relative * (1 + fabs(expected.mean) + fabs(level)));
	assert_near(m.squares, expected.squares, relative * expected.squares);
}

/* Rewards of 1e9 with small differences, for which naive sums of squares have no digit left */
static void
test_large_rewards_keep_their_variance(void **state)
{
	Decision	log[DECISIONS];
	PolicyValue small;
	PolicyValue large;

	make_log(log, DECISIONS, 0, 1);
	small = summed(log, DECISIONS);
	for (int i = 0; i < DECISIONS; i++)
	{
		log[i].reward += 1e9;
		log[i].predicted += 1e9;
		log[i].expected += 1e9;
	}
	large = summed(log, DECISIONS);
	check_moments(large.reward, small.reward, 1e9, 1e-6);
	check_moments(large.doubly, small.doubly, 1e9, 1e-6);
	assert_near(value_snips_stderr(&large), value_snips_stderr(&small), 1e-6);
}

/* The value of one decision is exact; that of none is no NaN. */
static void
test_one_decision_or_none(void **state)
{
	PolicyValue v = {.count = 0};
	PolicyValue none = {.count = 0};
	PolicyValue one = value_of_modelled(1e9 + 0.1, 0.3, 7, 5);
	PolicyValue useless = value_of(3, 0);

	value_merge(&v, &none);
	assert_memory_equal(&v, &none, sizeof(v));
	value_merge(&v, &one);
	assert_memory_equal(&v, &one, sizeof(v));
	value_merge(&v, &none);
	assert_memory_equal(&v, &one, sizeof(v));

	assert_true(value_sample_size(&useless) == 0);
	value_merge(&useless, &useless);
	assert_true(useless.count == 2 && useless.snips == 0);
	value_merge(&useless, &one);
	assert_true(useless.snips == 1e9 + 0.1);
	assert_true(value_sample_size(&useless) == 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		test_of(test_large_rewards_keep_their_variance),
		test_of(test_one_decision_or_none)
	};

	return cmocka_run_group_tests_name("value", tests, NULL, NULL);
}
