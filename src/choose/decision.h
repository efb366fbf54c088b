/*
 * decision.h
 *		A decision about candidates: which are chosen, and how probable it was.
 */
#ifndef DLINTS_DECISION_H
#define DLINTS_DECISION_H

#include "postgres.h"

#include "choose/rules.h"
#include "choose/scores.h"

/* As the doors bring them. */
typedef struct Candidates
{
	Rules		rules;
	Scores	   *scores;			/* NULL: there are none */
	int		   *groups;			/* of each, negative: none; NULL without a cap */
	int			group_count;
} Candidates;

typedef struct Decision
{
	const Candidates *from;
	int			candidates;
	int		   *chosen;			/* their numbers, best first */
	int			chosen_count;
	double	   *scores;			/* of each under the draw that acts */
	int		   *counts;			/* how many draws choose each */
} Decision;

extern Decision Decide(const Candidates *from);
extern double DecisionProbability(const Decision *decision, int candidate);

#endif							/* DLINTS_DECISION_H */
