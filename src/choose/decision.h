/*
 * decision.h
 *		A decision about candidates: which are chosen, and how probable it was;
 *		and what it is made with.
 */
#ifndef DLINTS_DECISION_H
#define DLINTS_DECISION_H

#include "choose/rules.h"
#include "choose/scores.h"
#include "core/slate.h"
#include "sql/arrays.h"

/* As the doors bring them. */
typedef struct Candidates
{
	Rules		rules;
	Scores	   *scores;			/* NULL: there are none */
	int		   *groups;			/* of each, negative: none; NULL without a cap */
	int			group_count;
	uint64	   *tie_keys;		/* one per candidate of a shortlist; NULL: random */
	ArrayType  *similar_by;		/* a row of each, as "similar" says; NULL without diversity */
	ArgSpec		similar;
	double	   *similar_roots;	/* what each number of it is multiplied with; NULL: nothing */
} Candidates;

typedef struct Decision
{
	const Candidates *from;
	int			candidates;
	int		   *chosen;			/* their numbers, best first */
	int			chosen_count;
	double	   *scores;			/* of each under the draw that acts */
	double		level;			/* what these leave out, until it is added */
	double	   *counts;			/* expected number of draws that choose each candidate */
} Decision;

/*
 * varied_lists.c: lists under many draws, in which a twin of what is chosen counts
 * less
 */
typedef struct VariedLists VariedLists;

extern VariedLists *VariedListsCreate(const Candidates *from, int draws);
extern void VariedListsTake(VariedLists *lists, int draw, const ScoresStrip *strip);
extern void VariedListsNarrow(VariedLists *lists, const Slate *slates, int draws);
extern int	VariedListsChoose(VariedLists *lists, int draw, uint64 seed, int *chosen);

extern Decision Decide(const Candidates *from);
extern double DecisionProbability(const Decision *decision, int candidate);

#endif							/* DLINTS_DECISION_H */
