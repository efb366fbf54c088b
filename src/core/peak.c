/*
 * peak.c
 *		The highest of some numbers.
 */
#include "peak.h"

#include <float.h>

#include "clones.h"

/* Vectors spelt out, because compilers do not make them of a choice. */
#define LANES	4
#define STEP	8

typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t mask __attribute__((vector_size(32), aligned(8), may_alias));

/* the higher ones of two */
#define HIGHER(a, b) \
	((quad) (((mask) (a) & ((a) > (b))) | ((mask) (b) & ~((a) > (b)))))

/*
 * 0 times a finite number is 0, and NaN otherwise.
 */
CPU_CLONES
double
peak_of(size_t count, const double *numbers)
{
	quad		highest[STEP / LANES] = {
		{-DBL_MAX, -DBL_MAX, -DBL_MAX, -DBL_MAX},
		{-DBL_MAX, -DBL_MAX, -DBL_MAX, -DBL_MAX}
	};
	quad		zero[STEP / LANES] = {{0.0}, {0.0}};
	double		peak = -DBL_MAX;
	double		rest = 0.0;
	int			k;

	for (; count >= STEP; count -= STEP, numbers += STEP)
	{
		UNROLL
		for (k = 0; k < STEP / LANES; k++)
		{
			quad		next = ((const quad *) numbers)[k];

			highest[k] = HIGHER(next, highest[k]);
			zero[k] += 0.0 * next;
		}
	}
	for (; count > 0; count--, numbers++)
	{
		peak = *numbers > peak ? *numbers : peak;
		rest += 0.0 * *numbers;
	}
	highest[0] = HIGHER(highest[1], highest[0]);
	zero[0] += zero[1];
	for (k = 0; k < LANES; k++)
	{
		peak = highest[0][k] > peak ? highest[0][k] : peak;
		rest += zero[0][k];
	}
	return peak + rest;
}
