/*
 * score.h
 *		Scores of many feature vectors under many weight vectors at once.
 *
 * Weight vectors are packed in lanes, SCORE_LANES of them side by side, so
 * that one pass over a feature vector serves them all.  Each score is summed in
 * the order of the features' numbers, whatever its place among the others:
 * equal feature vectors have equal scores, which a matrix product of BLAS does
 * not promise.
 */
#ifndef DLINTS_SCORE_H
#define DLINTS_SCORE_H

#include <stddef.h>

#define SCORE_LANES		8

/* as many vectors as fill their lanes */
static inline int
score_rounded(int count)
{
	return (count + SCORE_LANES - 1) / SCORE_LANES * SCORE_LANES;
}

/*
 * Where scores go: that of feature vector c under vector l to
 * c * features + l * lane.
 */
typedef struct ScoreSteps
{
	size_t		features;
	size_t		lane;
} ScoreSteps;

extern void score_pack(int len, int count, const double *vectors,
					   int vectors_len, double *packed);
extern void score_lanes(int len, const double *lanes, int count,
						const double *features, int features_len,
						double *scores, ScoreSteps steps);

#endif							/* DLINTS_SCORE_H */
