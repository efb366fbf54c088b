/*
 * test_byte_score.c
 *		Scores by bytes: exact integer sums, near the exact scores, and equal
 *		for equal codes at every position.
 */
#include "oracle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/byte_score.h"

#define LEN_MAX		70
#define COUNT_MAX	9
#define AXES		2

/* "count" vectors with weights for all lanes, and their scores */
typedef struct Case
{
	int			len;
	int			count;
	int			lanes;
	float		features[COUNT_MAX * LEN_MAX];
	double		weights[BYTE_LANES * LEN_MAX];
	float		scales[COUNT_MAX];
	uint8_t		codes[COUNT_MAX * (LEN_MAX + 4)];
	int8_t		packed[BYTE_LANES * (LEN_MAX + 4)];
	ByteWeights pack;
	int32_t		sums[COUNT_MAX * BYTE_LANES + 1];
	float		scores[COUNT_MAX * BYTE_LANES + 1];
} Case;

static void
score(Case *c)
{
	for (int i = 0; i < c->count; i++)
		c->scales[i] = byte_encode(c->len, c->features + i * c->len,
								   c->codes + i * byte_padded(c->len));
	byte_pack_weights(c->len, c->lanes, c->weights, c->len, c->packed, &c->pack);
	c->sums[c->count * BYTE_LANES] = -7;
	byte_sums(&c->pack, c->count, c->codes, byte_padded(c->len), c->sums);
	assert_int_equal(c->sums[c->count * BYTE_LANES], -7);
	memset(c->scores, 0, sizeof(c->scores));
	byte_add_scores(&c->pack, c->count, c->sums, c->scales, 1, c->scores);
}

static void
roll(Case *c, int len, int count, int lanes, uint64_t *seed)
{
	memset(c, 0, sizeof(*c));
	c->len = len;
	c->count = count;
	c->lanes = lanes;
	for (int i = 0; i < len * count; i++)
		c->features[i] = (float) dice(seed);
	for (int i = 0; i < len * lanes; i++)
		c->weights[i] = dice(seed);
}

/* Product of a vector of codes with a weight vector, summed number by number */
static int32_t
plain_sum(const Case *c, int i, int lane)
{
	int32_t		sum = 0;

	for (int k = 0; k < c->len; k++)
		sum += c->codes[i * byte_padded(c->len) + k] *
			c->packed[k / 4 * BYTE_LANES * 4 + lane * 4 + k % 4];
	return sum;
}

static void
test_sums_are_exact(void **state)
{
	uint64_t	seed = 1;
	Case		c;

	for (int len = 1; len <= LEN_MAX; len++)
	{
		roll(&c, len, 1 + len % COUNT_MAX, 1 + len % BYTE_LANES, &seed);
		score(&c);
		for (int i = 0; i < c.count; i++)
			for (int l = 0; l < BYTE_LANES; l++)
				assert_int_equal(c.sums[i * BYTE_LANES + l], plain_sum(&c, i, l));
	}
}

/* The largest codes under the largest weights, of either sign */
static void
test_largest_codes_and_weights_do_not_overflow(void **state)
{
	uint64_t	seed = 2;
	Case		c;

	roll(&c, LEN_MAX, 2, BYTE_LANES, &seed);
	for (int i = 0; i < 2 * LEN_MAX; i++)
		c.features[i] = i < LEN_MAX ? 1.0f : -1.0f;
	for (int i = 0; i < BYTE_LANES * LEN_MAX; i++)
		c.weights[i] = i / LEN_MAX % 2 == 0 ? 3.0 : -3.0;
	score(&c);
	for (int i = 0; i < 2 * BYTE_LANES; i++)
	{
		int			sign = (i < BYTE_LANES ? 1 : -1) * (i % 2 == 0 ? 1 : -1);

		assert_int_equal(c.sums[i], plain_sum(&c, i / BYTE_LANES, i % BYTE_LANES));
		assert_near(c.scores[i], sign * 3.0 * LEN_MAX, 1e-3);
	}
}

/* Errors are at most six standard errors of the rounding, in some 10,000 scores. */
static void
test_scores_differ_by_rounding_errors(void **state)
{
	uint64_t	seed = 3;
	Case		c;
	double		squares = 0.0;
	int			n = 0;

	for (int len = 1; len <= LEN_MAX; len++)
	{
		roll(&c, len, COUNT_MAX, BYTE_LANES, &seed);
		score(&c);
		for (int i = 0; i < c.count; i++)
			for (int l = 0; l < BYTE_LANES; l++)
			{
				double		exact = 0.0;
				double		error;

				for (int k = 0; k < len; k++)
					exact += c.weights[l * len + k] * c.features[i * len + k];
				error = (c.scores[i * BYTE_LANES + l] - exact) / (c.scales[i] * c.pack.errors[l]);
				assert_near(error, 0.0, 6.0);
				squares += error * error;
				n++;
			}
	}
	assert_near(squares / n, 1.0, 0.2);
}

static void
test_equal_codes_have_equal_scores(void **state)
{
	uint64_t	seed = 4;
	Case		c;

	for (int count = 1; count <= COUNT_MAX; count++)
	{
		roll(&c, 33, count, BYTE_LANES, &seed);
		for (int i = 1; i < count; i++)
			memcpy(c.features + i * 33, c.features, sizeof(float) * 33);
		score(&c);
		for (int i = 1; i < count; i++)
			assert_memory_equal(c.scores + i * BYTE_LANES, c.scores, sizeof(float) * BYTE_LANES);
	}
}

/* Zeros, numbers too small for a scale, and vectors of length 0 */
static void
test_zeros_and_tiny_numbers_score_zero(void **state)
{
	static const float values[] = {0.0f, FLT_MIN / 200, -FLT_MIN / 200};
	uint64_t	seed = 5;
	Case		c;

	for (int v = 0; v < LENGTH(values); v++)
	{
		roll(&c, 5, 1, 3, &seed);
		for (int k = 0; k < 5; k++)
			c.features[k] = values[v];
		score(&c);
		for (int l = 0; l < BYTE_LANES; l++)
			assert_true(c.scores[l] == 0.0f);
	}
	roll(&c, 0, 2, 3, &seed);
	score(&c);
	for (int l = 0; l < 2 * BYTE_LANES; l++)
		assert_true(c.scores[l] == 0.0f);
	roll(&c, 5, 1, 3, &seed);
	memset(c.weights, 0, sizeof(c.weights));
	score(&c);
	for (int l = 0; l < BYTE_LANES; l++)
		assert_true(c.scores[l] == 0.0f);
}

/* Bounds are finite, and standard deviations above the scores.  Axes add to variances. */
static void
test_bounds_are_deviations_above_scores(void **state)
{
	uint64_t	seed = 6;
	float		scores[COUNT_MAX * (1 + AXES) * BYTE_LANES];
	float		bounds[COUNT_MAX * BOUND_NUMBERS];
	float		variances[COUNT_MAX * BYTE_LANES];

	for (int i = 0; i < LENGTH(scores); i++)
		scores[i] = (float) dice(&seed);
	for (int a = 1; a <= AXES; a++)
		scores[a * BYTE_LANES] = 0.0f;
	for (int i = 0; i < COUNT_MAX * BYTE_LANES; i++)
	{
		variances[i] = i == 0 ? 0.0f : i == 1 ? INFINITY : fabsf((float) dice(&seed));
		bounds[i / BYTE_LANES * BOUND_NUMBERS + BYTE_LANES + i % BYTE_LANES] = variances[i];
	}
	byte_write_bounds(COUNT_MAX, AXES, scores, 3.0f, bounds);
	for (int i = 0; i < COUNT_MAX * BYTE_LANES; i++)
	{
		const float *projection = scores + i / BYTE_LANES * (1 + AXES) * BYTE_LANES +
			i % BYTE_LANES;
		const float *bound = bounds + i / BYTE_LANES * BOUND_NUMBERS + i % BYTE_LANES;
		long double variance = variances[i];

		for (int a = 1; a <= AXES; a++)
			variance += powl(projection[a * BYTE_LANES], 2);
		if (i == 1)
		{
			assert_true(*bound > 1e37f && isfinite(*bound) && bound[BYTE_LANES] > 0.0f);
			continue;
		}
		assert_near(*bound, *projection + 3 * sqrtl(variance), 1e-5);
		if (i == 0)				/* read blocks of items whose scores are equal */
			assert_true(*bound > *projection);
		else
			assert_near(bound[BYTE_LANES], sqrtl(variance), 1e-5);
		assert_true(isfinite(bound[BYTE_LANES]));
	}
}

/* Only bounds above their threshold count, as cubes of standard deviations. */
static void
test_excesses_are_cubes_of_deviations(void **state)
{
	uint64_t	seed = 7;
	int			rows[] = {2, 0};
	float		bounds[3 * BOUND_NUMBERS];
	float		thresholds[BYTE_LANES];
	double		keys[3] = {1, 2, 3};

	for (int i = 0; i < LENGTH(bounds); i++)
	{
		bounds[i] = (float) dice(&seed);
		if (i % BOUND_NUMBERS >= BYTE_LANES)
			bounds[i] = fabsf(bounds[i]);
	}
	for (int l = 0; l < BYTE_LANES; l++)
		thresholds[l] = l == 3 ? INFINITY : (float) dice(&seed);
	byte_subtract_excesses(2, rows, bounds, thresholds, keys);
	assert_true(keys[1] == 2);
	for (int r = 0; r < 3; r += 2)
	{
		exact		sum = 0;

		for (int l = 0; l < BYTE_LANES; l++)
		{
			exact		excess = (exact) bounds[r * BOUND_NUMBERS + l] - thresholds[l];

			excess /= bounds[r * BOUND_NUMBERS + BYTE_LANES + l];
			if (excess > 0)
				sum += excess * excess * excess;
		}
		assert_near(keys[r], r + 1 - sum, 1e-5);
	}
}

/* Each bit says whether a score is at least its limit; NaN is not, and infinities are compared. */
static void
test_comparisons_mark_scores_at_the_limit(void **state)
{
	float		scores[COUNT_MAX * BYTE_LANES];
	float		limits[BYTE_LANES];
	uint16_t	masks[COUNT_MAX];

	for (int i = 0; i < COUNT_MAX * BYTE_LANES; i++)
		scores[i] = (float) (i * 7 % 5);
	for (int l = 0; l < BYTE_LANES; l++)
		limits[l] = l == 0 ? -INFINITY : l == BYTE_LANES - 1 ? INFINITY : (float) (l % 5);
	scores[BYTE_LANES] = NAN;
	byte_compare(COUNT_MAX, scores, limits, masks);
	for (int i = 0; i < COUNT_MAX * BYTE_LANES; i++)
		assert_int_equal(masks[i / BYTE_LANES] >> i % BYTE_LANES & 1,
						 scores[i] >= limits[i % BYTE_LANES]);
}

TEST_PROGRAM("byte score",
	test_of(test_sums_are_exact),
	test_of(test_largest_codes_and_weights_do_not_overflow),
	test_of(test_scores_differ_by_rounding_errors),
	test_of(test_equal_codes_have_equal_scores),
	test_of(test_zeros_and_tiny_numbers_score_zero),
	test_of(test_bounds_are_deviations_above_scores),
	test_of(test_excesses_are_cubes_of_deviations),
	test_of(test_comparisons_mark_scores_at_the_limit),)
