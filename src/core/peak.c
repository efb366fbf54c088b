/*
 * peak.c
 *		The highest of some numbers.
 *
 * 0 times a finite number is 0, and NaN otherwise.
 */
#include "peak.h"

#include <float.h>
#include <stdint.h>

#include "clones.h"
#include "score.h"

/* Vectors spelt out, because compilers do not make them of a choice. */
#define LANES	4
#define STEP	8

typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t quad_mask __attribute__((vector_size(32), aligned(8), may_alias));
typedef float octet __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t octet_mask __attribute__((vector_size(32), aligned(4), may_alias));

/* the higher ones of two */
#define HIGHER(vector, mask, a, b) \
	((vector) (((mask) (a) & ((a) > (b))) | ((mask) (b) & ~((a) > (b)))))

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

			highest[k] = HIGHER(quad, quad_mask, next, highest[k]);
			zero[k] += 0.0 * next;
		}
	}
	for (; count > 0; count--, numbers++)
	{
		peak = *numbers > peak ? *numbers : peak;
		rest += 0.0 * *numbers;
	}
	highest[0] = HIGHER(quad, quad_mask, highest[1], highest[0]);
	zero[0] += zero[1];
	for (k = 0; k < LANES; k++)
	{
		peak = highest[0][k] > peak ? highest[0][k] : peak;
		rest += zero[0][k];
	}
	return peak + rest;
}

/* "vectors" of them are a row */
#define LANES_BODY(vector, mask, vectors, lowest) \
	vector		highest[vectors]; \
	vector		zero[vectors]; \
	int			l; \
\
	UNROLL \
	for (l = 0; l < (vectors); l++) \
	{ \
		zero[l] = (vector) {0}; \
		highest[l] = zero[l] + (lowest); \
	} \
	for (; count > 0; count--) \
	{ \
		UNROLL \
		for (l = 0; l < (vectors); l++) \
		{ \
			vector		next = *(const vector *) scores; \
\
			highest[l] = HIGHER(vector, mask, next, highest[l]); \
			zero[l] += 0 * next; \
			scores += sizeof(vector) / sizeof(*scores); \
		} \
	} \
	UNROLL \
	for (l = 0; l < (vectors); l++) \
		((vector *) peaks)[l] = highest[l] + zero[l]

CPU_CLONES
void
peak_of_lanes(size_t count, const double *scores, double *peaks)
{
	LANES_BODY(quad, quad_mask, SCORE_LANES / 4, -DBL_MAX);
}

CPU_CLONES
void
peak_of_lanes_float(size_t count, const float *scores, float *peaks)
{
	LANES_BODY(octet, octet_mask, SCORE_LANES_FLOAT / 8, -FLT_MAX);
}
