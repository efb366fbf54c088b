/*
 * scores.h
 *		The scores of many candidates under many draws.
 */
#ifndef DLINTS_SCORES_H
#define DLINTS_SCORES_H

#include "postgres.h"

#include "posterior/kept_models.h"
#include "sql/arrays.h"

typedef struct Scores Scores;

/* Candidates "first" to first + count - 1, and their scores under a draw. */
typedef struct ScoresStrip
{
	int			first;
	int			count;
	const double *scores;
	double		peak;			/* the highest of them */
} ScoresStrip;

typedef void (*ScoresTaker) (void *taker, int draw, const ScoresStrip *strip);

extern Scores *ScoresCreate(PreparedModel *prepared, Datum profile,
							int capacity, int draws);
extern double *ScoresRoom(Scores *scores);
extern void ScoresAdd(Scores *scores, double addend);

extern Scores *ScoresOfArray(PreparedModel *prepared, Datum profile,
							 ArrayType *array, double *addends, int draws);

extern int	ScoresCount(const Scores *scores);
extern int	ScoresMostDraws(const Scores *scores);
extern void ScoresUnder(Scores *scores, int first_draw, int draws,
						ScoresTaker take, void *taker);
extern double ScoresLevel(const Scores *scores);

#endif							/* DLINTS_SCORES_H */
