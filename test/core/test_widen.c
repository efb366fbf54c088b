/*
 * test_widen.c
 *		Conversion to double precision: every number is converted, every number
 *		that is not finite or too large is detected, and nothing beyond the
 *		count is written; all half-precision numbers.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/numbers.h"

#define MAX_COUNT	70				/* several blocks of 16 and a rest */
#define GUARD	-7.0

static float floats[MAX_COUNT];
static double doubles[MAX_COUNT];
static double out[MAX_COUNT + 1];

static int
fill(void **state)
{
	int			i;

	for (i = 0; i < MAX_COUNT; i++)
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
numbers_arrive(void **state)
{
	size_t		count;
	size_t		i;

	for (count = 0; count <= MAX_COUNT; count++)
	{
		out[count] = GUARD;
		assert_true(widen_float(count, floats, out));
		for (i = 0; i < count; i++)
			assert_true(out[i] == (double) floats[i]);
		assert_true(out[count] == GUARD);

		assert_true(widen_double(count, doubles, out));
		for (i = 0; i < count; i++)
			assert_true(out[i] == doubles[i]);
		assert_true(out[count] == GUARD);
	}
}

/* one bad number at any place of any count; a pair must not cancel out */
static void
bad_is_seen(void **state)
{
	const double bad[] = {NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX,
		nextafter(WIDEN_MAX, INFINITY), nextafter(-WIDEN_MAX, -INFINITY)};
	size_t		count;
	size_t		i;
	int			k;

	for (k = 0; k < 7; k++)
		for (count = 1; count <= MAX_COUNT; count++)
			for (i = 0; i < count; i++)
			{
				float		was_float = floats[i];
				double		was_double = doubles[i];

				floats[i] = isfinite(bad[k]) ? INFINITY : (float) bad[k];
				doubles[i] = bad[k];
				assert_false(widen_float(count, floats, out));
				assert_false(widen_double(count, doubles, out));
				floats[i] = was_float;
				doubles[i] = was_double;
			}

	floats[1] = INFINITY;
	floats[17] = -INFINITY;
	assert_false(widen_float(MAX_COUNT, floats, out));
}

/* arrays in tuples are aligned for their element type only */
static void
any_alignment_will_do(void **state)
{
	size_t		shift;
	size_t		i;

	for (shift = 0; shift < 16; shift++)
	{
		assert_true(widen_float(MAX_COUNT - shift, floats + shift, out));
		for (i = shift; i < MAX_COUNT; i++)
			assert_true(out[i - shift] == (double) floats[i]);
		assert_true(widen_double(MAX_COUNT - shift, doubles + shift, out));
		for (i = shift; i < MAX_COUNT; i++)
			assert_true(out[i - shift] == doubles[i]);
	}
}

/* every half there is, against its definition; and the rest of a block */
static void
halves_are_what_they_say(void **state)
{
	uint16_t	halves[1 << 16];
	float		floats_out[1 << 16];
	int			i;

	for (i = 0; i < 1 << 16; i++)
		halves[i] = i;
	floats_out[7] = (float) GUARD;
	widen_half(7, halves, floats_out);
	assert_true(floats_out[7] == (float) GUARD);
	widen_half(1 << 16, halves, floats_out);
	for (i = 0; i < 1 << 16; i++)
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(numbers_arrive, fill),
		cmocka_unit_test_setup(bad_is_seen, fill),
		cmocka_unit_test_setup(any_alignment_will_do, fill),
		cmocka_unit_test(halves_are_what_they_say),
	};

	return cmocka_run_group_tests_name("widen", tests, NULL, NULL);
}
