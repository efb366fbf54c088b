/*
 * test_value.c
 *		The value of a policy against its definition in long double, with two
 *		passes over all decisions; and parts of a log against the whole.
 */
#include "oracle.h"

#include <float.h>

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

typedef exact (*Term) (const Decision *d, exact snips);

static exact
reward_term(const Decision *d, exact snips)
{
	(void) snips;
	return d->reward;
}

static exact
weight_term(const Decision *d, exact snips)
{
	(void) snips;
	return d->weight;
}

static exact
ips_term(const Decision *d, exact snips)
{
	(void) snips;
	return (exact) d->weight * d->reward;
}

static exact
dr_term(const Decision *d, exact snips)
{
	(void) snips;
	return d->expected + d->weight * ((exact) d->reward - d->predicted);
}

static exact
snips_term(const Decision *d, exact snips)
{
	return d->weight * (d->reward - snips);
}

static exact
mean_of(const Decision *log, int count, Term term, exact snips)
{
	exact		sum = 0;

	for (int i = 0; i < count; i++)
		sum += term(&log[i], snips);
	return sum / count;
}

static exact
stderr_of(const Decision *log, int count, Term term, exact snips)
{
	exact		mean = mean_of(log, count, term, snips);
	exact		squares = 0;

	for (int i = 0; i < count; i++)
		squares += powl(term(&log[i], snips) - mean, 2);
	return sqrtl(squares / (count - 1) / count);
}

static void
check_moments(const PolicyValue *v, Moments moments, const Decision *log,
			  int count, Term term, double relative)
{
	exact		mean = mean_of(log, count, term, 0);
	exact		error = stderr_of(log, count, term, 0);

	assert_near(moments.mean, mean, relative * (fabsl(mean) + error));
	assert_near(value_stderr(v, moments), error, relative * error);
}

static void
check_value(const PolicyValue *v, const Decision *log, int count, double relative)
{
	exact		weight = mean_of(log, count, weight_term, 0);
	exact		snips = mean_of(log, count, ips_term, 0) / weight;
	exact		error = stderr_of(log, count, snips_term, snips) / weight;
	exact		squares = 0;
	double		most = 0;

	check_moments(v, v->reward, log, count, reward_term, relative);
	check_moments(v, v->weight, log, count, weight_term, relative);
	check_moments(v, v->weighted, log, count, ips_term, relative);
	check_moments(v, v->doubly, log, count, dr_term, relative);
	assert_near(v->snips, snips, relative * (fabsl(snips) + error));
	for (int i = 0; i < count; i++)
	{
		squares += (exact) log[i].weight * log[i].weight;
		most = fmax(most, log[i].weight);
	}
	/* a reward with a dominating weight determines snips */
	assert_near(value_snips_stderr(v), error, relative * error +
				4 * DBL_EPSILON * fabsl(snips) * most / weight);
	assert_near(value_sample_size(v), powl(weight * count, 2) / squares, relative * count);
	assert_true(v->max_weight == most);
	assert_true(v->count == count);
}

static void
test_value_equals_its_definition(void **state)
{
	Decision	log[DECISIONS];

	for (int count = 2; count <= DECISIONS; count += 1 + count / 3)
	{
		PolicyValue v;

		make_log(log, count, 0, (uint64_t) count);
		v = summed(log, count);
		check_value(&v, log, count, 1e-11);
	}
}

/* Rewards of 1e9 with small differences, for which naive sums of squares have no digit left */
static void
test_large_rewards_keep_seven_digits(void **state)
{
	Decision	log[DECISIONS];
	PolicyValue v;

	make_log(log, DECISIONS, 1e9, 1);
	v = summed(log, DECISIONS);
	check_value(&v, log, DECISIONS, 1e-6);
}

/* Parts of a log in any order */
static void
test_value_does_not_depend_on_parts(void **state)
{
	Decision	log[DECISIONS];
	const int	ends[][4] = {{0, 0, 0, 0}, {1, 2, 3, 4}, {100, 100, 250, 499},
	{499, 499, 499, 500}, {4, 5, 10, 11}};

	make_log(log, DECISIONS, 3, 2);
	for (int c = 0; c < LENGTH(ends); c++)
	{
		PolicyValue v = summed(log + ends[c][3], DECISIONS - ends[c][3]);

		for (int i = 0; i < 4; i++)
		{
			int			start = i == 0 ? 0 : ends[c][i - 1];
			PolicyValue part = summed(log + start, ends[c][i] - start);

			value_merge(&v, &part);
		}
		check_value(&v, log, DECISIONS, 1e-11);
	}
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
		test_of(test_value_equals_its_definition),
		test_of(test_large_rewards_keep_seven_digits),
		test_of(test_value_does_not_depend_on_parts),
		test_of(test_one_decision_or_none)
	};

	return cmocka_run_group_tests_name("value", tests, NULL, NULL);
}
