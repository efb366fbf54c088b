/*
 * test_long_history.c
 *		After 20,000 observations of any kind the count is exact, and evidence
 *		and mean are precise; after retracting 8,000 they are those of the
 *		rest.  "make long-run" does so with ten million.
 */
#include "long_history.h"

#include <stdio.h>

static void
check_kinds(double discount, int block)
{
	for (int k = 0; k < long_kind_count; k++)
	{
		const LongHistory h = {&long_kinds[k], discount, 20000, block};
		const LongResult r = long_history_run(&h);

		if (long_promises_kept(&h, &r))
			continue;
		print_error("%s: N %g, b %g, G %g, H %g, condition %g, mean %g\n",
					h.kind->name, r.N, r.b, r.G, r.H, r.condition, r.solve);
		fail();
	}
}

static void
test_long_history_with_discount_is_precise(void **state)
{
	check_kinds(0.99, EVIDENCE_BLOCK);
}

static void
test_long_history_without_discount_is_precise(void **state)
{
	check_kinds(1, EVIDENCE_BLOCK);
}

/* Train and retract, with and without forgetting by time. */
static void
check_returns(double half_life, Squares squares)
{
	for (int k = 0; k < long_kind_count; k++)
	{
		const LongReturn h = {&long_kinds[k], half_life, squares, 8000};
		const LongDrift r = long_return_run(&h);

		if (long_return_kept(&r))
			continue;
		print_error("%s: %lld refused, drift %g%s\n", h.kind->name,
					(long long) r.refused, r.drift, r.definite ? "" : ", indefinite");
		fail();
	}
}

static void
test_long_history_with_retraction_is_precise(void **state)
{
	check_returns(0, SQUARES_NONE);
	check_returns(500, SQUARES_SUM);
	check_returns(500, SQUARES_MATRIX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		test_of(test_long_history_with_discount_is_precise),
		test_of(test_long_history_without_discount_is_precise),
		test_of(test_long_history_with_retraction_is_precise)
	};

	return cmocka_run_group_tests_name("long history", tests, NULL, NULL);
}
