/*
 * test_numbers.c
 *		Arrays of numbers: conversion to double precision, sums scaled to length
 *		1, and the highest number.  Nothing beyond the count is written.
 */
#include "oracle.h"

#include <float.h>

#include "core/numbers.h"
#include "core/score.h"

#define MAX_COUNT	70				/* several blocks of 16 and a rest */
#define GUARD	-7.0
#define ROWS	9

/* ---------- conversion to double precision ---------- */

static float floats[MAX_COUNT];
static double doubles[MAX_COUNT];
static double widened[MAX_COUNT + 1];

static int
fill(void **state)
{
	for (int i = 0; i < MAX_COUNT; i++)
	{
		floats[i] = (float) (0.1 * i - 3.0);
		doubles[i] = 0.1 * i - 3.0;
	}
	floats[3] = 3.4e38f;
	doubles[3] = WIDEN_MAX;
	doubles[4] = -WIDEN_MAX;
	return 0;
}

static void
test_all_numbers_are_converted(void **state)
{
	for (size_t count = 0; count <= MAX_COUNT; count++)
	{
		widened[count] = GUARD;
		assert_true(widen_float(count, floats, widened));
		for (size_t i = 0; i < count; i++)
			assert_true(widened[i] == (double) floats[i]);
		assert_true(widened[count] == GUARD);

		assert_true(widen_double(count, doubles, widened));
		for (size_t i = 0; i < count; i++)
			assert_true(widened[i] == doubles[i]);
		assert_true(widened[count] == GUARD);
	}
}

/* one bad number at any place of any count; a pair must not cancel widened */
static void
test_bad_numbers_are_detected(void **state)
{
	const double bad[] = {NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX,
		nextafter(WIDEN_MAX, INFINITY), nextafter(-WIDEN_MAX, -INFINITY)};
	size_t		count;
	int			k;

	for (k = 0; k < 7; k++)
		for (count = 1; count <= MAX_COUNT; count++)
			for (size_t i = 0; i < count; i++)
			{
				float		was_float = floats[i];
				double		was_double = doubles[i];

				floats[i] = isfinite(bad[k]) ? INFINITY : (float) bad[k];
				doubles[i] = bad[k];
				assert_false(widen_float(count, floats, widened));
				assert_false(widen_double(count, doubles, widened));
				floats[i] = was_float;
				doubles[i] = was_double;
			}

	floats[1] = INFINITY;
	floats[17] = -INFINITY;
	assert_false(widen_float(MAX_COUNT, floats, widened));
}

/* arrays in tuples are aligned for their element type only */
static void
test_any_alignment_is_converted(void **state)
{
	for (size_t shift = 0; shift < 16; shift++)
	{
		assert_true(widen_float(MAX_COUNT - shift, floats + shift, widened));
		for (size_t i = shift; i < MAX_COUNT; i++)
			assert_true(widened[i - shift] == (double) floats[i]);
		assert_true(widen_double(MAX_COUNT - shift, doubles + shift, widened));
		for (size_t i = shift; i < MAX_COUNT; i++)
			assert_true(widened[i - shift] == doubles[i]);
	}
}

/* every half there is, against its definition; and the rest of a block */
static void
test_halves_equal_their_definition(void **state)
{
	uint16_t	halves[1 << 16];
	float		floats_out[1 << 16];

	for (int i = 0; i < 1 << 16; i++)
		halves[i] = i;
	floats_out[7] = (float) GUARD;
	widen_half(7, halves, floats_out);
	assert_true(floats_out[7] == (float) GUARD);
	widen_half(1 << 16, halves, floats_out);
	for (int i = 0; i < 1 << 16; i++)
	{
		int			exponent = i >> 10 & 31;
		int			fraction = i & 1023;
		double		size = exponent == 0 ? ldexp(fraction, -24) :
			ldexp(1024 + fraction, exponent - 25);

		assert_int_equal(signbit(floats_out[i]) != 0, i >> 15);
		if (exponent < 31)
			assert_true(fabs((double) floats_out[i]) == size);
		else if (fraction == 0)
			assert_true(isinf(floats_out[i]));
		else
			assert_true(isnan(floats_out[i]));
	}
}

/* ---------- sums of vectors ---------- */

static void
test_unit_vectors_of_extremes_are_exact(void **state)
{
	const double zero[3] = {0.0, -0.0, 0.0};
	const double one[3] = {0.0, -4.9406564584124654e-324, 0.0};
	const double two[3] = {3e200, 0.0, -4e200};
	/* too small for a float; its sign goes with it */
	const double small[3] = {1.0, -1e-60, 0.0};
	const float expected[4][3] = {
		{0.0f, 0.0f, 0.0f}, {0.0f, -1.0f, 0.0f}, {0.6f, 0.0f, -0.8f},
		{1.0f, 0.0f, 0.0f}
	};
	const double *sums[4] = {zero, one, two, small};

	for (int i = 0; i < 4; i++)
	{
		float		out[3];

		unit_scale(3, sums[i], out);
		assert_memory_equal(out, expected[i], sizeof(out));
	}
	unit_scale(0, NULL, NULL);
}

/* ---------- the highest number ---------- */

static void
test_peak_is_the_highest_number(void **state)
{
	size_t		count;

	for (count = 1; count <= MAX_COUNT; count++)
		for (size_t place = 0; place < count; place++)
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

	for (count = 1; count <= MAX_COUNT; count++)
		for (place = 0; place < count; place++)
			for (int b = 0; b < LENGTH(bad); b++)
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
check_lanes(int rows, int place, double number)
{
	double		scores[ROWS * SCORE_LANES];
	double		peaks[SCORE_LANES];

	for (int i = 0; i < rows * SCORE_LANES; i++)
		scores[i] = i == place ? number : -5.0;
	peak_of_lanes((size_t) rows, scores, peaks);
	for (int i = 0; i < SCORE_LANES; i++)
		if (place % SCORE_LANES != i)
			assert_true(peaks[i] == -5.0);
		else if (isfinite(number))
			assert_true(peaks[i] == number);
		else
			assert_true(isnan(peaks[i]));
}

static void
test_peaks_of_lanes(void **state)
{
	static const double numbers[] = {-4, DBL_MAX, NAN, INFINITY, -INFINITY};

	for (int rows = 1; rows <= ROWS; rows++)
		for (int place = 0; place < rows * SCORE_LANES; place++)
			for (int n = 0; n < LENGTH(numbers); n++)
				check_lanes(rows, place, numbers[n]);
}

TEST_PROGRAM("numbers",
	cmocka_unit_test_setup(test_all_numbers_are_converted, fill),
	cmocka_unit_test_setup(test_bad_numbers_are_detected, fill),
	cmocka_unit_test_setup(test_any_alignment_is_converted, fill),
	test_of(test_halves_equal_their_definition),
	test_of(test_unit_vectors_of_extremes_are_exact),
	test_of(test_peak_is_the_highest_number),
	test_of(test_peak_of_not_finite_numbers_is_nan),
	test_of(test_peaks_of_lanes))
