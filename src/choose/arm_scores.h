/*
 * arm_scores.h
 *		The scores of candidates that have a model each.
 */
#ifndef DLINTS_ARM_SCORES_H
#define DLINTS_ARM_SCORES_H

#include "postgres.h"

#include "choose/scores.h"
#include "posterior/kept_models.h"
#include "sql/arrays.h"

/* Where the score of an arm lies by its model's policy. */
typedef struct ArmScore
{
	double		mean;
	double		stddev;			/* of draws; 0 where the policy does not draw */
} ArmScore;

/* It begins with what a decision asks. */
typedef struct ArmScores ArmScores;

extern ArmScore ArmScoreOf(PreparedModel *prepared, ArrayType *features,
						   Datum profile);
extern ArmScores *ArmScoresCreate(int capacity);
extern void ArmScoresAdd(ArmScores *scores, ArmScore score);

#endif							/* DLINTS_ARM_SCORES_H */
