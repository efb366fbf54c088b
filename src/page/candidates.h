/*
 * candidates.h
 *		Candidates of a request, with all that decides among them.
 */
#ifndef DLINTS_PAGE_CANDIDATES_H
#define DLINTS_PAGE_CANDIDATES_H

#include "page/keys.h"
#include "page/weights.h"

/* Candidates, as parallel arrays */
typedef struct CandidateSet
{
	int			count;
	int			size;			/* of the arrays */
	Datum	   *items;
	double	   *addends;		/* added to scores: the bonus, or the score in the trend */
	int		   *groups;			/* cap group, negative: none */
	int			group_count;
	uint64	   *tie_keys;		/* in sets of extra items: their numbers, which give the keys */
	bool		is_cut;			/* other items may tie with these, and "tie_keys" break ties */
	int			n_scored;		/* items on the shortlist; 0: all candidates, or a random list */
	int			n_failing;		/* items left out because an expression fails for them */
	Datum		failing;		/* one of these */
	double		share;			/* probability of an item to be among these, for random lists */

	/* from ReadFeatures() */
	ArrayType  *features;		/* a row each */
	double	   *effects;
	double	   *effect_stddevs;
	float4	   *costs;			/* a row each */
} CandidateSet;

/* candidates.c */
extern CandidateSet *CreateCandidates(int size);
extern void AddCandidate(CandidateSet *set, Datum item, double addend, int group, uint64 tie_key);
extern CandidateSet *ReadAllowed(PageRequest *page, ListPolicy policy, KeyTable *numbers,
								 Datum *shortlist, int count);
extern void ReadFeatures(PageRequest *page, CandidateSet *set);

/* shortlist.c */
extern int	FirstShortlistSize(const PageRequest *page);
extern CandidateSet *FindCandidates(PageRequest *page, ListPolicy policy, const PageModels *models,
									int64 seed);

/* choose.c */
extern Choice ChooseItems(PageRequest *page, ListPolicy policy, Datum profile, int64 seed);

#endif							/* DLINTS_PAGE_CANDIDATES_H */
