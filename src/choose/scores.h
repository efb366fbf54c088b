/*
 * scores.h
 *		The scores of a decision's candidates under many draws of their model.
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

typedef struct Scores Scores;

extern Scores *ScoresCreate(PreparedModel *prepared, Datum profile,
							ArrayType *array, double *addends,
							double *addend_stddevs, int draws, uint64 seed);
extern int	ScoresCount(const Scores *scores);
extern int	ScoresMostDraws(const Scores *scores);
extern void ScoreUnderDraws(Scores *scores, int first_draw, int draws,
						ScoresTaker take, void *taker);

#endif							/* DLINTS_SCORES_H */
