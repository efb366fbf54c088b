/*
 * scores.h
 *		The scores of many candidates under many draws.
 */
#ifndef DLINTS_SCORES_H
#define DLINTS_SCORES_H

#include "postgres.h"

#include "posterior/kept_models.h"

typedef struct Scores Scores;

extern Scores *ScoresCreate(PreparedModel *prepared, Datum profile,
							int capacity, int draws, uint64 seed);
extern double *ScoresRoom(Scores *scores);
extern void ScoresAdd(Scores *scores, double addend);
extern void ScoresComplete(Scores *scores);
extern int	ScoresCount(const Scores *scores);
extern const double *ScoresUnder(Scores *scores, int draw);
extern double ScoresLevel(const Scores *scores);

#endif							/* DLINTS_SCORES_H */
