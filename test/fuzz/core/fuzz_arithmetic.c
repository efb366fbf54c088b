/*
 * fuzz_arithmetic.c
 *		Normals of any seed; feature vectors of any bits, widened and scored.
 */
#include "input.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/numbers.h"
#include "core/random.h"

#define MAX_LEN	300

/* numbers for which no sum below overflows */
#define MODERATE	1e60

/* sizes of the factors of a product, to which rounding errors are relative */
static double
dot_size(int len, const double *a, const double *b)
{
	return len * largest((size_t) len, a) * largest((size_t) len, b) + 1e-290;
}

static void
check_normals(uint64_t seed, size_t count)
{
	double	   *some = walled(count);
	double	   *more = walled(count + 3);

	random_normals(seed, RANDOM_DRAW, (uint32_t) count, count, some);
	random_normals(seed, RANDOM_DRAW, (uint32_t) count, count + 3, more);
	check(same_bits(count, some, more));
	check(all_are_finite(count, some) && largest(count, some) < 10.0);
}

/* The score of a feature vector is finite only if all of the features are. */
static void
check_score(double score, double expected, double size, bool finite)
{
	check(finite || !isfinite(score));
	if (finite && size < MODERATE)
		check(fabs(score - expected) <= 1e-12 * size);
}

static void
check_doubles(Input *in, int n, const double *weights)
{
	double	   *features = walled_numbers(in, (size_t) n, take_number);
	double	   *wide = walled((size_t) n);
	bool		finite = all_are_finite((size_t) n, features);

	check(widen_double((size_t) n, features, wide) ==
		  (finite && largest((size_t) n, features) <= WIDEN_MAX));
	check(same_bits((size_t) n, wide, features));
	check_score(dot_double(n, weights, features), plain_dot(n, weights, features),
				dot_size(n, weights, features), finite);
}

static void
check_floats(Input *in, int n, const double *weights)
{
	float	   *features = walled_floats((size_t) n);
	double	   *wide = walled((size_t) n);
	bool		finite;

	for (int i = 0; i < n; i++)
	{
		uint32_t	bits = (uint32_t) take_bits(in);

		if (in->left == 0)
			bits = (uint32_t) i << 20;
		memcpy(&features[i], &bits, sizeof(bits));
	}
	finite = widen_float((size_t) n, features, wide);
	check(finite == all_are_finite((size_t) n, wide));
	for (int i = 0; i < n; i++)
		check(wide[i] == (double) features[i] || isnan(features[i]));
	check_score(dot_float(n, weights, features), plain_dot(n, weights, wide),
				dot_size(n, weights, wide), finite);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		in = {data, size};
	uint64_t	seed = take_bits(&in);
	int			n = take_size(&in, MAX_LEN);
	double	   *weights;

	walled_reset();
	check_normals(seed, (size_t) n);
	weights = walled_numbers(&in, (size_t) n, take_finite);
	check_doubles(&in, n, weights);
	check_floats(&in, n, weights);
	return 0;
}
