/*
 * numbers.c
 *		Vectorized loops over long arrays.
 */
#include "numbers.h"

#include <math.h>
#include <string.h>

#include "clones.h"
#include "score.h"

/* Number of partial sums, so that additions need not wait for each other */
#define LANES	16
#define HALF	(LANES / 2)

/* Declare partial sums, which unrolled loops keep in registers. */
#define DECLARE_SUMS \
	double		sum[LANES]; \
	double		rest = 0.0; \
	int			k; \
\
	UNROLL \
	for (k = 0; k < LANES; k++) \
		sum[k] = 0.0

/* Compute a dot product.  With -fwrapv, compilers vectorize moving pointers better than indexes. */
#define DOT_BODY(n, weights, features) \
	DECLARE_SUMS; \
	for (; n >= LANES; n -= LANES, weights += LANES, features += LANES) \
	{ \
		UNROLL \
		for (k = 0; k < LANES; k++) \
			sum[k] += weights[k] * (double) features[k]; \
	} \
	if (n >= HALF) \
	{ \
		UNROLL \
		for (k = 0; k < HALF; k++) \
			sum[k] += weights[k] * (double) features[k]; \
		n -= HALF, weights += HALF, features += HALF; \
	} \
	for (; n > 0; n--) \
		rest += *weights++ * (double) *features++; \
	UNROLL \
	for (k = 0; k < HALF; k++) \
		sum[k] += sum[k + HALF]; \
	return (((sum[0] + sum[4]) + (sum[2] + sum[6])) + \
			((sum[1] + sum[5]) + (sum[3] + sum[7]))) + rest

CPU_CLONES
double
dot_float(int n, const double *weights, const float *features)
{
	DOT_BODY(n, weights, features);
}

CPU_CLONES
double
dot_double(int n, const double *weights, const double *features)
{
	DOT_BODY(n, weights, features);
}

/*
 * Convert numbers to double precision, and test that all are finite and at most WIDEN_MAX.  The
 * product value * scale * 0 is NaN if a number is not finite or above WIDEN_MAX, and otherwise 0.
 */
#define WIDEN_BODY(count, in, out, scale) \
	DECLARE_SUMS; \
	for (; count >= LANES; count -= LANES, in += LANES, out += LANES) \
	{ \
		UNROLL \
		for (k = 0; k < LANES; k++) \
		{ \
			double		value = in[k]; \
\
			out[k] = value; \
			sum[k] += value * (scale) * 0.0; \
		} \
	} \
	for (; count > 0; count--) \
	{ \
		*out = *in++; \
		rest += *out++ * (scale) * 0.0; \
	} \
	UNROLL \
	for (k = 0; k < LANES; k++) \
		rest += sum[k]; \
	return rest == 0.0

CPU_CLONES
bool
widen_float(size_t count, const float *restrict in, double *restrict out)
{
	WIDEN_BODY(count, in, out, 1.0);
}

CPU_CLONES
bool
widen_double(size_t count, const double *restrict in, double *restrict out)
{
	WIDEN_BODY(count, in, out, DBL_MAX / WIDEN_MAX);
}

/* Convert half-precision numbers to floats, by moving bits and multiplying by a power of two. */
CPU_CLONES
void
widen_half(size_t count, const uint16_t *restrict in, float *restrict out)
{
	const float bias = 0x1p112f;

	for (size_t i = 0; i < count; i++)
	{
		uint32_t	bits = (uint32_t) (in[i] & 0x7fff) << 13;
		uint32_t	sign = (uint32_t) (in[i] & 0x8000) << 16;
		float		value;

		memcpy(&value, &bits, sizeof(value));
		value *= bias;
		memcpy(&bits, &value, sizeof(bits));
		bits |= value >= 0x1p16f ? 0x7f800000 : 0;
		bits |= sign;
		memcpy(&out[i], &bits, sizeof(bits));
	}
}

CPU_CLONES
void
unit_add(size_t count, double weight, const double *restrict vector, double *restrict sum)
{
	for (size_t i = 0; i < count; i++)
		sum[i] += weight * vector[i];
}

double
largest_magnitude(size_t count, const double *numbers)
{
	double		largest = 0.0;

	for (size_t i = 0; i < count; i++)
		largest = fabs(numbers[i]) > largest ? fabs(numbers[i]) : largest;
	return largest;
}

/* Scale a vector to length 1, also if the sum of squares would overflow. */
CPU_CLONES
void
unit_scale(size_t count, const double *restrict sum, float *restrict out)
{
	double		squares = dot_double((int) count, sum, sum);
	double		scale = 1.0;
	double		inverse;

	if (!(squares >= 1e-200 && squares <= 1e200))
	{
		int			exponent;

		frexp(largest_magnitude(count, sum), &exponent);
		scale = ldexp(1.0, exponent < -1023 ? 1023 : -exponent);
		squares = 0.0;
		for (size_t i = 0; i < count; i++)
			squares += (sum[i] * scale) * (sum[i] * scale);
	}
	inverse = squares > 0.0 ? 1.0 / sqrt(squares) : 1.0;

	/* adding 0 makes a negative zero positive */
	for (size_t i = 0; i < count; i++)
		out[i] = (float) (sum[i] * scale * inverse) + 0.0f;
}

#define QUADS	(SCORE_LANES / 4)

/* Compute the maximum of each column of scores, or NaN if a score is not finite. */
CPU_CLONES
void
peak_of_lanes(size_t count, const double *scores, double *peaks)
{
	const quad *rows = (const quad *) scores;
	size_t		half = (count + 1) / 2;
	size_t		second = (count - half) * QUADS;
	quad		highest[2 * QUADS];
	quad		zero[2 * QUADS];
	int			l;

	UNROLL
	for (l = 0; l < 2 * QUADS; l++)
	{
		zero[l] = (quad) {0};
		highest[l] = zero[l] - DBL_MAX;
	}
	for (; half > 0; half--, rows += QUADS)
	{
		UNROLL
		for (l = 0; l < 2 * QUADS; l++)
		{
			quad		next = l < QUADS ? rows[l] : rows[second + (size_t) (l - QUADS)];

			highest[l] = HIGHER(quad, next, highest[l]);
			zero[l] += 0 * next;
		}
	}
	UNROLL
	for (l = 0; l < QUADS; l++)
		((quad *) peaks)[l] = HIGHER(quad, highest[l], highest[l + QUADS]) +
			zero[l] + zero[l + QUADS];
}

double
peak_of(size_t count, const double *numbers)
{
	double		peak = -DBL_MAX;
	double		zero = 0.0;

	for (size_t k = 0; k < count; k++)
	{
		peak = numbers[k] > peak ? numbers[k] : peak;
		zero += 0.0 * numbers[k];
	}
	return peak + zero;
}

static inline int
is_before(const double *keys, int a, int b)
{
	return keys[a] < keys[b] || (a < b && keys[a] == keys[b]);
}

/* Move the indexes of the "n" smallest keys to the front of "order" by quickselect. */
void
select_smallest(const double *keys, int count, int *order, int n)
{
	int			first = 0;
	int			last = count - 1;

	while (first < last)
	{
		int			pivot = order[first + (last - first) / 2];
		int			i = first;
		int			j = last;

		while (i <= j)
		{
			while (is_before(keys, order[i], pivot))
				i++;
			while (is_before(keys, pivot, order[j]))
				j--;
			if (i <= j)
			{
				int			swapped = order[i];

				order[i++] = order[j];
				order[j--] = swapped;
			}
		}
		if (n <= j)
			last = j;
		else if (n >= i)
			first = i;
		else
			return;
	}
}
