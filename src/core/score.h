/*
 * score.h
 *		Scores of many feature vectors under many weight vectors.
 *
 * SCORE_LANES weight vectors are interleaved, so that one pass over a feature vector computes
 * several scores.  Equal feature vectors get equal scores, which BLAS does not guarantee.
 */
#ifndef DLINTS_SCORE_H
#define DLINTS_SCORE_H

#include <stddef.h>

#define SCORE_LANES			8
#define SCORE_LANES_FLOAT	16

/* Round a number of weight vectors up to a multiple of SCORE_LANES. */
static inline int
score_rounded(int count)
{
	return (count + SCORE_LANES - 1) / SCORE_LANES * SCORE_LANES;
}

static inline int
score_rounded_float(int count)
{
	return (count + SCORE_LANES_FLOAT - 1) / SCORE_LANES_FLOAT * SCORE_LANES_FLOAT;
}

extern void score_pack(int len, int count, const double *vectors, int vectors_len, double *packed);
extern void score_lanes(int len, const double *lanes, int count,
						const double *features, int features_len, double *scores, int scores_len);
extern void score_lanes_spaced(int len, const double *lanes, int count,
							   const double *features, int features_len, int step,
							   double *scores, int scores_len);

extern void score_pack_float(int len, int count, const double *vectors,
							 int vectors_len, float *packed);
extern void score_lanes_float(int len, const float *lanes, int count, const float *features,
							  int features_len, float *scores, int scores_len);

#endif							/* DLINTS_SCORE_H */
