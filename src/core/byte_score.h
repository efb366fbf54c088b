/*
 * byte_score.h
 *		Approximate scores of many feature vectors, a byte per feature, under
 *		many weight vectors at once.
 *
 * A feature x is stored as the byte 128 + round(x / scale), with one scale per feature vector.
 * Weights become integers from -63 to 63, with one scale per weight vector.  With AVX2, the sum of
 * two products then fits in 16 bits (255 * 63 * 2 < 2^15).  All CPUs therefore compute the same
 * integers, and equal feature vectors have equal scores.
 *
 * Vectors are padded to a multiple of four numbers, a quad.  BYTE_LANES weight vectors are
 * interleaved quad by quad; each of them is a lane.
 */
#ifndef DLINTS_BYTE_SCORE_H
#define DLINTS_BYTE_SCORE_H

#include <stdint.h>

#define BYTE_LANES		16
/* Number of floats in a row of score bounds: the bounds, and the variances of the scores */
enum {BOUND_NUMBERS = 2 * BYTE_LANES};

/* BYTE_LANES weight vectors, rounded to integers */
typedef struct ByteWeights
{
	int			quads;
	int8_t	   *lanes;			/* weights: 4 numbers of each vector, then the next 4, and so on */
	float		scales[BYTE_LANES];
	int32_t		offsets[BYTE_LANES];	/* sums of each vector's weights, times 128 */
	float		errors[BYTE_LANES]; /* standard errors of scores, if the feature scale is 1 */
} ByteWeights;

/* Length of a vector after padding to a multiple of four */
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
extern void byte_write_bounds(int count, const float *scores, float times, float *bounds);
extern void byte_subtract_excesses(int count, const int *rows, const float *bounds,
								   const float *thresholds, double *keys);
extern void byte_compare(int count, const float *scores, const float *limits, uint16_t *masks);

#endif							/* DLINTS_BYTE_SCORE_H */
