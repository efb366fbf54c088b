/*
 * test_packed.c
 *		Packed vectors: rounding, size, and shared exponents.  29_pack.sql tests
 *		the precision of numbers of any size, and values that are refused.
 */
#include "oracle.h"

#include <float.h>

#include "core/packed.h"

#define LEN_MAX		70

/* Pack and unpack a vector in memory of exactly its size; returns the size. */
static size_t
there_and_back(int len, int width, const double *numbers, float *out)
{
	int			exponent = packed_exponent((size_t) len, numbers);
	uint8_t    *most = allocate(packed_max_size(len, width));
	size_t		size = packed_write(len, width, numbers, exponent, most);
	uint8_t    *bytes = allocate(size);

	assert_true(exponent >= PACKED_EXPONENT_MIN && exponent <= PACKED_EXPONENT_MAX);
	assert_true(size <= packed_max_size(len, width));
	memcpy(bytes, most, size);
	assert_int_equal(packed_size(len, width, bytes, size), size);
	if (size > 0)
		assert_int_equal(packed_size(len, width, bytes, size - 1), 0);
	assert_true(packed_read(len, width, bytes, out));
	return size;
}

/* Numbers far below the largest keep the digits that half precision has for them. */
static void
test_small_numbers_beside_large_ones_lose_digits(void **state)
{
	float		out[4];
	double		numbers[] = {-1.0, 0x1.234p-28, 0x1.8p-37, 0x1p-60};

	there_and_back(4, 2, numbers, out);
	assert_true(out[0] == -1.0f);
	assert_near(out[1], numbers[1], numbers[1] * 0x1p-11);
	assert_near(out[2], numbers[2], 0x1p-39);
	assert_true(out[3] == 0.0f);
}

/* Halves are stored exactly. */
static void
test_rounding_is_to_nearest_even(void **state)
{
	float		out[6];
	double		numbers[] = {65504.0, 1.0 + 0x1p-10, 1.0 + 0x1p-11,
		1.0 + 0x3p-11, 2.0 - 0x1p-12, -(1.0 + 0x1.2p-11)};

	there_and_back(6, 2, numbers, out);
	assert_true(out[0] == 65504.0f);
	assert_true(out[1] == 1.0f + 0x1p-10f);
	assert_true(out[2] == 1.0f);
	assert_true(out[3] == 1.0f + 0x1p-9f);
	assert_true(out[4] == 2.0f);
	assert_true(out[5] == -(1.0f + 0x1p-10f));
}

/* Other numbers take one or two bytes. */
static void
test_zeros_take_a_bit(void **state)
{
	float		out[LEN_MAX];
	double		numbers[LEN_MAX] = {0};

	assert_int_equal(packed_exponent(LEN_MAX, numbers), PACKED_EXPONENT_MIN);
	for (int width = 1; width <= 2; width++)
	{
		numbers[7] = numbers[8] = numbers[LEN_MAX - 1] = 0.0;
		assert_int_equal(there_and_back(LEN_MAX, width, numbers, out), 10);
		numbers[7] = -0.0;
		assert_int_equal(there_and_back(LEN_MAX, width, numbers, out), 10);
		numbers[8] = 1;
		numbers[LEN_MAX - 1] = -4;
		assert_int_equal(there_and_back(LEN_MAX, width, numbers, out), 10 + 2 * width);
		for (int i = 0; i < LEN_MAX; i++)
			assert_near(out[i], numbers[i], width == 1 && numbers[i] != 0.0 ? 0.06 : 0.0);
		assert_int_equal(there_and_back(0, width, numbers, out), 1);
	}
}

/* 127 steps of the root of the next power of two; packing the result again changes nothing. */
static void
test_numbers_in_8_bits_have_the_precision_of_roots(void **state)
{
	float		out[LEN_MAX];
	float		again[LEN_MAX];

	for (int unit = -120; unit <= 128; unit++)
	{
		double		numbers[LEN_MAX];
		double		power = ldexp(1.0, unit);

		for (int i = 0; i < LEN_MAX; i++)
			numbers[i] = (i % 2 == 0 ? -0.9 : 0.9) * power * pow(i / (LEN_MAX - 1.0), 4);
		there_and_back(LEN_MAX, 1, numbers, out);
		for (int i = 0; i < LEN_MAX; i++)
			assert_near(out[i], numbers[i], power / 254 *
						(2 * sqrt(fabs(numbers[i]) / power) + 1.0 / 254) * (1 + 1e-6));
		for (int i = 0; i < LEN_MAX; i++)
			numbers[i] = out[i];
		there_and_back(LEN_MAX, 1, numbers, again);
		assert_memory_equal(again, out, sizeof(out));
	}
	there_and_back(2, 1, (double[]) {FLT_MAX, -FLT_MAX}, out);
	assert_true(out[0] == FLT_MAX && out[1] == -FLT_MAX);
}

/*
 * Rows of similar size share an exponent; very large or small rows and zeros
 * have separate ones.
 */
static void
test_rows_share_exponents(void **state)
{
	int			exponents[] = {1, 3, 5, 2, 2, -1, -5, 100, PACKED_EXPONENT_MIN};
	int			expected[] = {5, 5, 5, 5, 5, 5, -5, 100, PACKED_EXPONENT_MIN};
	int			one[] = {7};
	int			zeros[] = {PACKED_EXPONENT_MIN, PACKED_EXPONENT_MIN};

	packed_share_exponent(LENGTH(exponents), exponents);
	assert_memory_equal(exponents, expected, sizeof(expected));
	packed_share_exponent(1, one);
	assert_int_equal(one[0], 7);
	packed_share_exponent(2, zeros);
	assert_int_equal(zeros[0], PACKED_EXPONENT_MIN);
	packed_share_exponent(0, NULL);
}

TEST_PROGRAM("packed",
	test_of(test_small_numbers_beside_large_ones_lose_digits),
	test_of(test_rounding_is_to_nearest_even),
	test_of(test_zeros_take_a_bit),
	test_of(test_numbers_in_8_bits_have_the_precision_of_roots),
	test_of(test_rows_share_exponents),)
