/*
 * byte_score.h
 *		Approximate scores of feature vectors that are stored with one byte per feature.
 *
 * A feature x is stored as the byte 128 + round(x / scale).  Weights are rounded to integers from
 * -63 to 63, so that sums of two products fit in 16 bits.  Integer arithmetic gives equal scores
 * on all CPUs.
 */
#ifndef DLINTS_BYTE_SCORE_H
#define DLINTS_BYTE_SCORE_H

#include <stdint.h>

#define BYTE_LANES		16
/* Numbers per row of an array of bounds: upper bounds of scores, then standard deviations */
enum {BOUND_NUMBERS = 2 * BYTE_LANES};

/* A group of BYTE_LANES weight vectors whose elements are rounded to integers */
typedef struct ByteWeights
{
	int			quads;
	int8_t	   *lanes;			/* interleaved weights */
	float		scales[BYTE_LANES];
	/* for each weight vector, the sum of its elements times 128 */
	int32_t		offsets[BYTE_LANES];
	/* standard error of each score due to rounding, for features with a scale of 1 */
	float		errors[BYTE_LANES];
} ByteWeights;

static inline int
byte_padded(int len)
{
	return (len + 3) / 4 * 4;
}

extern float byte_encode(int len, const float *features, uint8_t *codes);
extern void byte_pack_weights(int len, int count, const double *vectors, int vectors_len,
							  int8_t *lanes, ByteWeights *weights);
extern void byte_sums(const ByteWeights *weights, int count, const uint8_t *codes, int codes_len,
					  int32_t *sums);
extern void byte_add_scores(const ByteWeights *weights, int count, const int32_t *sums,
							const float *scales, int scales_step, float *scores);
extern void byte_write_bounds(int count, int axes, const float *scores, float times, float *bounds);
extern void byte_subtract_excesses(int count, const int *rows, const float *bounds,
								   const float *thresholds, double *keys);
extern void byte_compare(int count, const float *scores, const float *limits, uint16_t *masks);

#endif							/* DLINTS_BYTE_SCORE_H */
