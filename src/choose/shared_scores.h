/*
 * shared_scores.h
 *		The scores of candidates that share a model.
 */
#ifndef DLINTS_SHARED_SCORES_H
#define DLINTS_SHARED_SCORES_H

#include "postgres.h"

#include "choose/scores.h"
#include "posterior/kept_models.h"
#include "sql/arrays.h"

/* It begins with what a decision asks. */
typedef struct SharedScores SharedScores;

extern SharedScores *SharedScoresCreate(PreparedModel *prepared, Datum profile,
										int capacity, int draws);
extern double *SharedScoresRoom(SharedScores *scores);
extern void SharedScoresAdd(SharedScores *scores, double addend);

extern Scores *SharedScoresOfArray(PreparedModel *prepared, Datum profile,
								   ArrayType *array, double *addends,
								   int draws, uint64 seed);

#endif							/* DLINTS_SHARED_SCORES_H */
