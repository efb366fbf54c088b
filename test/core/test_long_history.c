/*
 * test_long_history.c
 *		After 50,000 observations of any kind the count is exact, the evidence
 *		has its digits, and the mean follows from it.  "make long-run" does the
 *		same with ten million.
 */
#include "long_history.h"

#include <stdio.h>

static void
check_kinds(double discount, int block)
{
	int			k;

	for (k = 0; k < long_kind_count; k++)
	{
		const LongHistory h = {&long_kinds[k], discount, 50000, block};
		const LongResult r = long_history_run(&h);

		if (long_promises_kept(&h, &r))
			continue;
		print_error("%s: %lld updates, b %g, G %g, H %g, condition %g, mean %g\n",
					h.kind->name, (long long) r.updates, r.b, r.G, r.H,
					r.condition, r.solve);
		fail();
	}
}

static void
test_with_discount(void **state)
{
	(void) state;
	check_kinds(0.99, EVIDENCE_BLOCK);
}

static void
test_without_discount(void **state)
{
	(void) state;
	check_kinds(1, EVIDENCE_BLOCK);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_with_discount),
		cmocka_unit_test(test_without_discount),
	};

	return cmocka_run_group_tests_name("long history", tests, NULL, NULL);
}
