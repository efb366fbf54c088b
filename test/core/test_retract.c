/*
 * test_retract.c
 *		What was learned can be taken back, and what is left is the sum of the
 *		rest; what was not learned is refused, but for as little as roundings are.
 */
#include "observed.h"

#include <float.h>

#include "core/linalg.h"

#define CLOSE		1e-12

/* What an observation of this context, reward and weight says. */
static Evidence *
said(int dim, bool fades, const double *context, double reward, double weight)
{
	Evidence   *e = evidence_new(dim, fades ? 0.5 : 1);

	absorb(e, 1, 1, context, &reward, 0, &weight);
	return e;
}

static bool
can_take_back(const Evidence *e, const double *context, double reward,
			  double weight)
{
	Evidence   *left = evidence_copy(e);
	Evidence   *taken = said(e->dim, e->H != NULL, context, reward, weight);
	bool		possible = subtract(left, taken);

	assert_true(!possible || evidence_is_valid(left));
	return possible;
}

/*
 * A long history of one coordinate and a constant, a short one of another and
 * the constant, none of a third: what was learned can be taken back, what was
 * not is refused, however little it is beside the rest.
 */
static void
check_refusals(bool fades)
{
	const double often[4] = {1, 0, 0, 1};
	const double seldom[4] = {0, 1, 0, 1};
	const double never[4] = {0, 0, 1, 1};
	const double longer[4] = {0, 1.1, 0, 1};
	const double turned[4] = {0, -1, 0, 1};
	const double mixed[4] = {0.5, 0.5, 0, 1};
	const double against[4] = {1, 0, 0, -1};
	Evidence   *e = said(4, fades, often, 1, 1);
	Evidence   *once = said(4, fades, seldom, 2, 1);
	int			k;

	for (k = 0; k < 22; k++)
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
test_what_was_never_learned_is_refused(void **state)
{
	check_refusals(false);
	check_refusals(true);
}

/*
 * Roundings are no reason to refuse: a millionth of what is taken, and, in a
 * direction that no coordinate shows, a billionth of what there was.  Ten times as
 * much is one.
 */
static void
test_slack(void **state)
{
	const double along[2] = {1, 1};
	const double across[2] = {1, -1};
	Evidence   *once = said(2, false, along, 1, 1);
	Evidence   *often = said(2, false, along, 1, 1e7);

	assert_true(can_take_back(once, along, 1, 1 + 5e-7));
	assert_false(can_take_back(once, along, 1, 1 + 5e-6));
	assert_true(can_take_back(often, across, 0, 0.25e-9 * 1e7));
	assert_false(can_take_back(often, across, 0, 2.5e-9 * 1e7));
}

/* Where what is left is rounding, so is its mean, and no larger than rewards. */
static void
test_mean_of_nearly_nothing(void **state)
{
	const double context[1] = {1};
	Evidence   *e = said(1, false, context, 1, 1);
	Evidence   *taken = evidence_copy(e);

	*e->N += 1e-12;
	*e->R += 1e-3;
	assert_true(subtract(e, taken));
	assert_true(*e->N > 0 && *e->R == 0);
}

/* Each of the numbers that tell, and NaN in any */
static void
check_each_number(int dim, bool fades)
{
	const Observed o = observed_new(dim, 3 * dim + 3, 0, 12);
	Evidence   *e = learned(&o, 0, o.count, fades, 0);
	Evidence   *half = learned(&o, 0, o.count / 2, fades, 0);
	const ptrdiff_t telling[] = {0, half->S - half->N,
		half->G + linalg_packed_index(dim, 0, 0) - half->N,
		half->G + linalg_packed_index(dim, dim - 1, dim - 1) - half->N,
		half->G + linalg_packed_index(dim, dim - 1, 0) - half->N,
		fades ? half->H + linalg_packed_index(dim, dim - 1, 0) - half->N : 0,
	fades ? half->H + linalg_packed_index(dim, dim / 2, dim / 2) - half->N : 0};
	int			k;

	for (k = 0; k < LENGTH(telling); k++)
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

/* All taken back, one by one in another order: possible, and nearly nothing. */
static void
check_all_taken_back(int dim, bool fades)
{
	const Observed o = observed_new(dim, 200, 5, 13);
	Evidence   *e = learned(&o, 0, 100, fades, 5);
	ExactMemory *all = summed(&o, 0, 200, 1, 5);
	ExactMemory *none = summed(&o, 0, 0, 1, 5);
	Evidence   *rest = learned(&o, 100, 200, fades, 5);
	int			j;

	evidence_add(e, rest);
	for (j = 0; j < 200; j++)
	{
		Evidence   *one = learned(&o, j * 77 % 200, j * 77 % 200 + 1, fades, 5);

		assert_true(subtract(e, one));
	}
	/* the mean of nothing is within what rewards were */
	assert_true(fabs(*e->R) <= sqrt(*e->N) * sqrt(*e->S) * (1 + 1e-15));
	check_memory(e, none, all, CLOSE);
}

/*
 * After a coordinate was taken back whole, but for roundings that it leaves
 * beside its zero, the others still can be; and nothing can, while there is more
 * than roundings.
 */
static void
check_coordinate_taken_back(bool fades, uint64_t seed)
{
	Observed	o = observed_new(3, 40, 0, seed);
	Evidence   *nothing = evidence_new(3, fades ? 0.5 : 1);
	Evidence   *e;
	Factor	   *f;
	int			j;
	int			k;

	for (j = 0; j < 40; j++)
	{
		o.weights[j] = 1;
		for (k = 0; k < 3; k++)
			o.contexts[j * 3 + k] += copysign(0.5, o.contexts[j * 3 + k]);
		o.contexts[j * 3 + (j < 20 ? 0 : 1)] = 0;
	}
	e = learned(&o, 0, 40, fades, 0);
	f = factor_new(e);
	for (j = 0; j < 40; j++)
	{
		Evidence   *one = learned(&o, j, j + 1, fades, 0);

		assert_true(subtract(e, one));
		assert_true(j >= 30 || subtract(e, nothing));
		/* the roundings of what was there are more than the least ridge */
		assert_true(j >= 30 || posterior_factor(e, 1e-100, f));
	}
}

static void
test_coordinate_taken_back(void **state)
{
	uint64_t	seed;

	for (seed = 0; seed < 200; seed++)
	{
		check_coordinate_taken_back(false, seed);
		check_coordinate_taken_back(true, seed);
	}
}

/* What faded below the smallest normal number is missed by its neighbours. */
static void
test_faded_can_be_taken_from(void **state)
{
	const double context[5] = {1.4, 1.4, 1.4, 1.4, 1e3};
	Evidence   *e = said(5, true, context, 1, 1e-154);
	Evidence   *nothing = evidence_new(5, 0.5);

	assert_true(e->H[linalg_packed_index(5, 0, 0)] == 0);
	assert_true(e->H[linalg_packed_index(5, 4, 0)] > 0);
	assert_true(subtract(e, nothing));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		test_of(test_what_was_never_learned_is_refused),
		test_of(test_slack),
		test_of(test_mean_of_nearly_nothing),
		test_of_memories(check_each_number),
		test_of_memories(check_all_taken_back),
		test_of(test_coordinate_taken_back),
		test_of(test_faded_can_be_taken_from)
	};

	return cmocka_run_group_tests_name("retract", tests, NULL, NULL);
}
