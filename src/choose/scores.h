/*
 * scores.h
 *		What a decision asks of the scores of candidates, and the two that make
 *		them: of candidates that share a model, and of those that have one each.
 */
#ifndef DLINTS_SCORES_H
#define DLINTS_SCORES_H

#include "posterior/kept_models.h"
#include "sql/arrays.h"

/* Candidates "first" to first + count - 1, and their scores under a draw. */
typedef struct ScoresStrip
{
	int			first;
	int			count;
	const double *scores;
	int			step;			/* from one of them to the next */
	double		peak;			/* the highest of them */
	double		level;			/* what they all leave out */
} ScoresStrip;

typedef void (*ScoresTaker) (void *taker, int draw, const ScoresStrip *strip);

typedef struct Scores
{
	int			count;			/* candidates */
	int			most_draws;		/* that can be made at once */

	/*
	 * Score all candidates under some draws, and hand over what a strip of
	 * them has under one of them at a time, in their order.
	 */
	void		(*under) (struct Scores *scores, int first_draw, int draws,
						  ScoresTaker take, void *taker);
} Scores;

/* Of candidates that share a model; it begins with the above. */
typedef struct SharedScores SharedScores;

extern SharedScores *SharedScoresCreate(PreparedModel *prepared, Datum profile,
										int capacity, int draws);
extern double *SharedScoresRoom(SharedScores *scores);
extern void SharedScoresAdd(SharedScores *scores, double addend);
extern Scores *SharedScoresOfArray(PreparedModel *prepared, Datum profile,
								   ArrayType *array, double *addends,
								   int draws, uint64 seed);

/* Where the score of an arm lies by its model's policy. */
typedef struct ArmScore
{
	double		mean;
	double		stddev;			/* of draws; 0 where the policy does not draw */
} ArmScore;

/* Of arms; it begins with the above, too. */
typedef struct ArmScores ArmScores;

extern ArmScore ArmScoreOf(PreparedModel *prepared, ArrayType *features,
						   Datum profile);
extern ArmScores *ArmScoresCreate(int capacity);
extern void ArmScoresAdd(ArmScores *scores, ArmScore score);

#endif							/* DLINTS_SCORES_H */
