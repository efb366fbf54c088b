/*
 * test_dot.c
 *		Dot products: correct, equal at every alignment and on every CPU, and
 *		not finite if an element is not.  Arrays end where their memory ends,
 *		so that a memory checker detects a read beyond them.
 */
#include "oracle.h"

#include <float.h>

#include "core/numbers.h"

#define N_MAX	200
#define OFFSETS	16

/* Equal numbers of both element types, exact in float */
typedef struct Operands
{
	double	   *weights;
	float	   *singles;
	double	   *doubles;
} Operands;

/* n elements at the end of arrays of offset + n */
static Operands
operands_new(int n, int offset, uint64_t seed)
{
	size_t		total = (size_t) (offset + n);
	Operands	o;

	o.weights = (double *) allocate(total * sizeof(double)) + offset;
	o.singles = (float *) allocate(total * sizeof(float)) + offset;
	o.doubles = (double *) allocate(total * sizeof(double)) + offset;
	for (int i = 0; i < n; i++)
	{
		o.weights[i] = dice(&seed);
		o.singles[i] = (float) dice(&seed);
		o.doubles[i] = o.singles[i];
	}
	return o;
}

static void
test_dot_equals_long_double(void **state)
{
	for (int n = 0; n <= N_MAX; n++)
	{
		Operands	o = operands_new(n, 0, (uint64_t) n);
		exact		expected = exact_dot(n, o.weights, o.doubles);
		exact		bound = (n + 2) * DBL_EPSILON *
			exact_dot_size(n, o.weights, o.doubles);
		int			i;

		assert_near(dot_float(n, o.weights, o.singles), expected, bound);

		/* Doubles use all digits. */
		for (i = 0; i < n; i++)
			o.doubles[i] += o.weights[n - 1 - i] * 1e-9;
		assert_near(dot_double(n, o.weights, o.doubles), exact_dot(n, o.weights, o.doubles), bound);
	}
}

static void
test_alignment_does_not_matter(void **state)
{
	for (int n = 0; n <= N_MAX; n++)
	{
		Operands	aligned = operands_new(n, 0, (uint64_t) n);
		double		single = dot_float(n, aligned.weights, aligned.singles);
		double		twice = dot_double(n, aligned.weights, aligned.doubles);

		assert_same_bits(1, &single, &twice);
		for (int offset = 1; offset < OFFSETS; offset++)
		{
			Operands	o = operands_new(n, offset, (uint64_t) n);
			double		sums[3];
			int			k;

			sums[0] = dot_float(n, o.weights, o.singles);
			sums[1] = dot_double(n, o.weights, o.doubles);
			sums[2] = dot_double(n, aligned.weights, o.doubles);
			for (k = 0; k < 3; k++)
				assert_same_bits(1, &sums[k], &single);
		}
	}
}

/*
 * A fused multiply-add would keep the low bits of the second product through
 * the cancellation.  Results would then depend on the CPU.
 */
static void
test_products_are_rounded_before_they_are_added(void **state)
{
	const double a = 1 + ldexp(1, -20);
	const double b = 1 + ldexp(1, -40);
	const double rounded = 1 + ldexp(1, -20) + ldexp(1, -40);
	double		weights[48] = {0};
	double		doubles[48] = {0};
	float		singles[48] = {0};

	for (int n = 2; n <= LENGTH(weights); n++)
		for (int p = 0; p < n; p++)
			for (int q = p + 1; q < n; q++)
			{
				weights[p] = -rounded;
				singles[p] = (float) (doubles[p] = 1);
				weights[q] = b;
				singles[q] = (float) (doubles[q] = a);
				assert_true(dot_float(n, weights, singles) == 0);
				assert_true(dot_double(n, weights, doubles) == 0);
				weights[p] = weights[q] = 0;
			}
}

/* An infinite or NaN element is detected at any position and under any weight. */
static void
test_not_finite_elements_reach_the_result(void **state)
{
	const double bad[] = {NAN, INFINITY, -INFINITY};
	const double weights[] = {0.0, -0.0, 1.0};

	for (int n = 1; n <= N_MAX; n++)
	{
		Operands	o = operands_new(n, 0, (uint64_t) n);

		for (int i = 0; i < n; i++)
		{
			const double weight = o.weights[i];
			const float element = o.singles[i];

			for (int b = 0; b < LENGTH(bad); b++)
			{
				o.singles[i] = (float) (o.doubles[i] = bad[b]);
				for (int w = 0; w < LENGTH(weights); w++)
				{
					o.weights[i] = weights[w];
					assert_false(isfinite(dot_float(n, o.weights, o.singles)));
					assert_false(isfinite(dot_double(n, o.weights, o.doubles)));
				}
				o.singles[i] = 0;
				o.doubles[i] = 0;
				o.weights[i] = bad[b];
				assert_false(isfinite(dot_float(n, o.weights, o.singles)));
				assert_false(isfinite(dot_double(n, o.weights, o.doubles)));
			}
			o.weights[i] = weight;
			o.doubles[i] = o.singles[i] = element;
		}
		assert_true(isfinite(dot_float(n, o.weights, o.singles)));
		assert_true(isfinite(dot_double(n, o.weights, o.doubles)));
	}
}

TEST_PROGRAM("dot",
	test_of(test_dot_equals_long_double),
	test_of(test_alignment_does_not_matter),
	test_of(test_products_are_rounded_before_they_are_added),
	test_of(test_not_finite_elements_reach_the_result))
