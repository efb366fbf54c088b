/*
 * scores.h
 *		Scores of candidates under many posterior draws of their model's coefficients.
 */
#ifndef DLINTS_SCORES_H
#define DLINTS_SCORES_H

#include "posterior/kept_models.h"
#include "sql/arrays.h"

/* Scores of candidates "first" to "first + count - 1" under one posterior draw */
typedef struct ScoresStrip
{
	int			first;
	int			count;
	const double *scores;
	int			step;			/* number of doubles from a candidate's score to the next */
	double		peak;
	double		level;			/* intercept of the posterior draw, not included in "scores" */
} ScoresStrip;

typedef void (*ScoresConsumer) (void *consumer, int draw, const ScoresStrip *strip);

typedef struct Scores Scores;

extern Scores *ScoresCreate(PreparedModel *prepared, Datum profile, ArrayType *array,
							double *addends, double *addend_stddevs, int draws, uint64 seed);
extern void ScoresUseDraws(Scores *scores, const double *parameters);
extern int	ScoresCount(const Scores *scores);
extern int	ScoresMaxDraws(const Scores *scores);
extern void ScoreUnderDraws(Scores *scores, int first_draw, int draws,
						ScoresConsumer consume, void *consumer);

#endif							/* DLINTS_SCORES_H */
