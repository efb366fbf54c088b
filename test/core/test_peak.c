/*
 * test_peak.c
 *		The highest of some numbers at any position, and NaN if one of them is
 *		not finite.
 */
#include "oracle.h"

#include <float.h>

#include "core/numbers.h"
#include "core/score.h"

#define MAX_COUNT	70
#define ROWS	9

static void
test_peak_is_the_highest_number(void **state)
{
	size_t		count;
	size_t		place;

	for (count = 1; count <= MAX_COUNT; count++)
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
test_peak_of_not_finite_numbers_is_nan(void **state)
{
	static const double bad[] = {NAN, INFINITY, -INFINITY};
	size_t		count;
	size_t		place;
	int			b;

	for (count = 1; count <= MAX_COUNT; count++)
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

/* One number differs from all others: the peaks of lanes tell of its own. */
static void
check_lanes(int rows, int place, float number)
{
	double		scores[ROWS * SCORE_LANES];
	float		float_scores[ROWS * SCORE_LANES_FLOAT];
	double		peaks[SCORE_LANES];
	float		float_peaks[SCORE_LANES_FLOAT];
	int			i;

	for (i = 0; i < rows * SCORE_LANES_FLOAT; i++)
		float_scores[i] = i == place ? number : -5.0F - (float) (i % 3);
	for (i = 0; i < rows * SCORE_LANES; i++)
		scores[i] = i == place ? number : -5.0;
	peak_of_lanes((size_t) rows, scores, peaks);
	peak_of_lanes_float((size_t) rows, float_scores, float_peaks);
	for (i = 0; i < SCORE_LANES; i++)
		if (place >= rows * SCORE_LANES || place % SCORE_LANES != i)
			assert_true(peaks[i] == -5.0);
		else if (isfinite(number))
			assert_true(peaks[i] == number);
		else
			assert_true(isnan(peaks[i]));
	for (i = 0; i < SCORE_LANES_FLOAT; i++)
		if (place % SCORE_LANES_FLOAT != i)
			assert_true(float_peaks[i] <= -5 && float_peaks[i] >= -7);
		else if (isfinite(number))
			assert_true(float_peaks[i] == number);
		else
			assert_true(isnan(float_peaks[i]));
}

static void
test_peaks_of_lanes(void **state)
{
	static const float numbers[] = {-4, FLT_MAX, NAN, INFINITY, -INFINITY};
	int			rows;
	int			place;
	int			n;

	for (rows = 1; rows <= ROWS; rows++)
		for (place = 0; place < rows * SCORE_LANES_FLOAT; place++)
			for (n = 0; n < LENGTH(numbers); n++)
				check_lanes(rows, place, numbers[n]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		test_of(test_peak_is_the_highest_number),
		test_of(test_peak_of_not_finite_numbers_is_nan),
		test_of(test_peaks_of_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
