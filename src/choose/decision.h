/*
 * decision.h
 *		Decisions: the chosen candidates with their propensities.
 */
#ifndef DLINTS_DECISION_H
#define DLINTS_DECISION_H

#include "choose/rules.h"
#include "choose/scores.h"
#include "core/slate.h"
#include "sql/arrays.h"

/* Candidates and settings of a decision */
typedef struct Candidates
{
	Rules		rules;
	Scores	   *scores;			/* scores of the candidates; NULL without candidates */
	int		   *groups;			/* group of each candidate, negative for none; NULL without a cap */
	int			group_count;
	uint64	   *tie_keys;		/* tie-break key of each candidate; NULL: random keys */
	ArrayType  *similar_by;		/* vector of each candidate, one per row; NULL without diversity */
	ArgSpec		similar;
	double	   *similar_roots;	/* factor of each column of similar_by; NULL: all are 1 */
} Candidates;

typedef struct Decision
{
	const Candidates *from;
	int			candidates;
	int		   *chosen;			/* indexes of the chosen candidates, best first */
	int			chosen_count;
	double	   *scores;			/* score of each candidate under the first draw */
	double		level;			/* intercept under the first draw */
	double	   *counts;			/* expected number of draws that choose each candidate */
} Decision;

/* varied_lists.c: slates with diversity under many draws */
typedef struct VariedLists VariedLists;

extern VariedLists *VariedListsCreate(const Candidates *from, int draws);
extern void VariedListsStore(VariedLists *lists, int draw, const ScoresStrip *strip);
extern void VariedListsPrune(VariedLists *lists, const Slate *slates, int draws);
extern int	VariedListsChoose(VariedLists *lists, int draw, uint64 seed, int *chosen);

extern Decision Decide(const Candidates *from);
extern double DecisionProbability(const Decision *decision, int candidate);

#endif							/* DLINTS_DECISION_H */
