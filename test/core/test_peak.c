/*
 * test_peak.c
 *		The highest of some numbers, wherever it stands, and no number once one
 *		of them is not finite.
 */
#include "oracle.h"

#include <float.h>

#include "core/peak.h"

#define MOST	70

static void
test_highest(void **state)
{
	size_t		count;
	size_t		place;

	for (count = 1; count <= MOST; count++)
		for (place = 0; place < count; place++)
		{
			double	   *numbers = guarded(count);
			size_t		i;

			for (i = 0; i < count; i++)
				numbers[i] = -5.0 - (double) (i % 7);
			numbers[place] = -4.0;
			assert_true(peak_of(count, numbers) == -4.0);
			numbers[place] = DBL_MAX;
			assert_true(peak_of(count, numbers) == DBL_MAX);
			guarded_free(numbers);
		}
}

static void
test_not_finite(void **state)
{
	static const double bad[] = {NAN, INFINITY, -INFINITY};
	size_t		count;
	size_t		place;
	int			b;

	for (count = 1; count <= MOST; count++)
		for (place = 0; place < count; place++)
			for (b = 0; b < LENGTH(bad); b++)
			{
				double	   *numbers = guarded(count);
				size_t		i;

				for (i = 0; i < count; i++)
					numbers[i] = 1.0;
				numbers[place] = bad[b];
				assert_true(isnan(peak_of(count, numbers)));
				guarded_free(numbers);
			}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		test_of(test_highest),
		test_of(test_not_finite),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
