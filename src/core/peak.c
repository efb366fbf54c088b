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
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t quad_mask __attribute__((vector_size(32), aligned(8), may_alias));
typedef float octet __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t octet_mask __attribute__((vector_size(32), aligned(4), may_alias));

/* the higher ones of two */
#define HIGHER(vector, mask, a, b) \
	((vector) (((mask) (a) & ((a) > (b))) | ((mask) (b) & ~((a) > (b)))))

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

double
peak_of(size_t count, const double *numbers)
{
	size_t		rows = count / SCORE_LANES;
	double		peaks[SCORE_LANES];
	double		peak = -DBL_MAX;
	double		zero = 0.0;
	size_t		k;

	peak_of_lanes(rows, numbers, peaks);
	for (k = 0; k < SCORE_LANES; k++)
	{
		peak = peaks[k] > peak ? peaks[k] : peak;
		zero += 0.0 * peaks[k];
	}
	for (k = rows * SCORE_LANES; k < count; k++)
	{
		peak = numbers[k] > peak ? numbers[k] : peak;
		zero += 0.0 * numbers[k];
	}
	return peak + zero;
}
