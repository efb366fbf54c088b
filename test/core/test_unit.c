/*
 * test_unit.c
 *		Sums of vectors have length 1 and keep their direction, from the
 *		smallest numbers to the largest, and nothing beyond the count is
 *		written.
 */
#include "oracle.h"

#include <float.h>

#include "core/numbers.h"

#define MAX_COUNT	70
#define GUARD	-7.0f

static void
test_add_is_exact(void **state)
{
	size_t		count;

	for (count = 0; count <= MAX_COUNT; count++)
	{
		double	   *vector = guarded(count);
		double	   *sum = guarded(count);
		size_t		i;

		for (i = 0; i < count; i++)
		{
			vector[i] = 0.1 * (double) i - 3.0;
			sum[i] = (double) i;
		}
		unit_add(count, -0.7, vector, sum);
		for (i = 0; i < count; i++)
			assert_true(sum[i] == (double) i + -0.7 * (0.1 * (double) i - 3.0));
	}
}

static void
test_scaled_vectors_keep_their_direction(void **state)
{
	static const double scales[] = {
		1.0, -3.0, 1e119, DBL_MAX / MAX_COUNT, 1e-155, 1e-300, DBL_MIN
	};
	uint64_t	dice_state = 5;
	int			s;

	for (s = 0; s < LENGTH(scales); s++)
	{
		double	   *sum = dice_array(&dice_state, MAX_COUNT);
		float		out[MAX_COUNT + 1];
		exact		squares = 0;
		exact		length = 0;
		int			i;

		for (i = 0; i < MAX_COUNT; i++)
			squares += (exact) sum[i] * sum[i];
		for (i = 0; i < MAX_COUNT; i++)
			sum[i] *= scales[s];
		out[MAX_COUNT] = GUARD;
		unit_scale(MAX_COUNT, sum, out);
		for (i = 0; i < MAX_COUNT; i++)
		{
			assert_near(out[i], (exact) sum[i] / scales[s] / sqrtl(squares) *
						(scales[s] < 0 ? -1 : 1), 1e-7);
			length += (exact) out[i] * out[i];
		}
		assert_near(length, 1, 1e-6);
		assert_true(out[MAX_COUNT] == GUARD);
	}
}

static void
test_exact_numbers(void **state)
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
	int			i;

	for (i = 0; i < 4; i++)
	{
		float		out[3];

		unit_scale(3, sums[i], out);
		assert_memory_equal(out, expected[i], sizeof(out));
	}
	unit_scale(0, NULL, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		test_of(test_add_is_exact),
		test_of(test_scaled_vectors_keep_their_direction),
		test_of(test_exact_numbers)
	};

	return cmocka_run_group_tests_name("unit", tests, NULL, NULL);
}
