/*
 * byte_score.h
 *		Approximate scores of many feature vectors, a byte per number, under many
 *		weight vectors at once.
 *
 * A feature x is stored as the code 128 + round(x / scale), with a scale per vector,
 * and a weight as an integer of at most 63 in size, with a scale per weight vector.
 * A product of two of them with AVX2 then fits in 16 bits (255 * 63 * 2 < 2^15), so
 * that every CPU sums the same integers, and equal codes have equal scores.
 *
 * Numbers come in quads: vectors are padded to a multiple of four.  Weight vectors
 * are packed in lanes, BYTE_LANES of them side by side, quad by quad.
 */
#ifndef DLINTS_BYTE_SCORE_H
#define DLINTS_BYTE_SCORE_H

#include <stdint.h>

#define BYTE_LANES		16
/* Length of a row of bounds (see byte_write_bounds) */
enum {BOUND_NUMBERS = 2 * BYTE_LANES};

/* Weights of BYTE_LANES vectors for a range of the features */
typedef struct ByteWeights
{
	int			quads;
	int8_t	   *lanes;			/* quads * BYTE_LANES * 4 numbers */
	float		scales[BYTE_LANES];
	int32_t		offsets[BYTE_LANES];	/* sums of a vector of zeros, subtracted from all sums */
	float		errors[BYTE_LANES]; /* standard errors of scores, in units of the vector's scale */
} ByteWeights;

/* Length of a vector with its padding */
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
