/*
 * decision.h
 *		The decision: chosen candidates and their propensities.
 */
#ifndef DLINTS_DECISION_H
#define DLINTS_DECISION_H

#include "choose/scores.h"
#include "core/slate.h"

/* The settings of a decision */
typedef struct Rules
{
	int			k;
	int			draws;
	double		epsilon;
	int			cap;			/* maximum number of chosen candidates per group; 0: no maximum */
	double		diversity;		/* weight of the similarity penalty, from 0 to 1 */
} Rules;

typedef struct Candidates
{
	Rules		rules;
	Scores	   *scores;			/* scores under all posterior draws */
	int		   *groups;			/* group of each candidate; -1: none; NULL: no maximum per group */
	int			group_count;
	/* tie-break key of each candidate; NULL: computed from indexes and a seed per draw */
	uint64	   *tie_keys;
	ArrayType  *similar_by;		/* vectors whose similarity lowers scores; NULL: no diversity */
	ArgSpec		similar;
	double	   *similar_roots;	/* factor of each element of the vectors "similar_by"; NULL: 1 */
} Candidates;

typedef struct Decision
{
	const Candidates *from;
	int			candidates;
	int		   *chosen;			/* indexes of candidates, best first */
	int			chosen_count;
	double	   *scores;			/* scores of all candidates under the first posterior draw */
	double		level;			/* intercept of the model under the first posterior draw */
	double	   *counts;			/* expected number of posterior draws that choose each candidate */
} Decision;

/* defined in varied_lists.c */
typedef struct VariedLists VariedLists;

extern VariedLists *VariedListsCreate(const Candidates *from, int draws);
extern void VariedListsStore(VariedLists *lists, int draw, const ScoresStrip *strip);
extern void VariedListsPrune(VariedLists *lists, const Slate *slates, int draws);
extern int	VariedListsChoose(VariedLists *lists, int draw, uint64 seed, int *chosen);

extern Decision Decide(const Candidates *from);
extern double DecisionProbability(const Decision *decision, int candidate);

#endif							/* DLINTS_DECISION_H */
