/*
 * score.h
 *		Scores of many contexts under many weight vectors at once.
 *
 * Weight vectors are packed in lanes, SCORE_LANES of them side by side, so
 * that one pass over a context serves them all.  Each score is summed in the
 * order of the context's numbers, whatever its place among the others: equal
 * contexts have equal scores, which a matrix product of BLAS does not promise.
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

/* Where scores go: that of context c under vector l to c * context + l * lane. */
typedef struct ScoreSteps
{
	size_t		context;
	size_t		lane;
} ScoreSteps;

extern void score_pack(int len, int count, const double *vectors,
					   int vectors_len, double *packed);
extern void score_lanes(int len, const double *lanes, int count,
						const double *contexts, int contexts_len,
						double *scores, ScoreSteps steps);

#endif							/* DLINTS_SCORE_H */
