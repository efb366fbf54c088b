/*
 * dot.c
 *		Dot products with a fixed order of summation.
 *
 * Sixteen partial sums fill the vector units of present CPUs.
 */
#include "dot.h"

#include "clones.h"

#define LANES	16
#define HALF	(LANES / 2)

/*
 * One body for both element types, so that they cannot drift apart.  The
 * inner loops must be unrolled for the sums to live in registers, and the
 * pointers must move for the compiler to see (under -fwrapv too) that the
 * elements are contiguous.
 */
#define DOT_BODY(n, weights, features) \
	double		sum[LANES]; \
	double		rest = 0.0; \
	int			k; \
\
	UNROLL \
	for (k = 0; k < LANES; k++) \
		sum[k] = 0.0; \
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
