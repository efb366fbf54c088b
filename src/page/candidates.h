/*
 * candidates.h
 *		Candidates of a request: items with features, cap groups, and numbers that are
 *		added to their scores.
 */
#ifndef DLINTS_PAGE_CANDIDATES_H
#define DLINTS_PAGE_CANDIDATES_H

#include "page/keys.h"
#include "page/weights.h"

/* A set of candidates, as parallel arrays */
typedef struct CandidateSet
{
	int			count;
	int			size;			/* allocated length of the arrays */
	Datum	   *items;
	double	   *addends;		/* number added to each score, such as the bonus */
	int		   *groups;			/* cap group of each candidate, negative for none */
	int			group_count;
	uint64	   *numbers;		/* numbers from which tie-break keys are derived; 0 if not used */
	bool		is_cut;			/* could items outside the set tie with candidates? */
	int			n_scored;		/* number of items on the shortlist; 0: no shortlist */
	int			n_failing;		/* number of items left out because an expression fails */
	Datum		failing;		/* an item for which an expression fails */
	bool		has_object_error;	/* may an expression's error come from a missing object? */
	double		share;			/* probability that an item is a candidate, for random lists */

	/* fields that ReadFeatures() sets */
	ArrayType  *features;		/* features: one row per candidate */
	int64	   *versions;		/* id of each item's row in "item_version"; 0: no row */
	double	   *effects;
	double	   *effect_stddevs;
	float4	   *costs;			/* costs: one row per candidate */
} CandidateSet;

/* candidates.c: sets of candidates */
extern CandidateSet *CreateCandidates(int size);
extern void AddCandidate(CandidateSet *set, Datum item, double addend, int group, uint64 number);
extern CandidateSet *ReadAllowed(PageRequest *page, ListPolicy policy, KeyTable *numbers,
								 Datum *shortlist, int count);

/* features.c: features of candidates */
extern void ReadFeatures(PageRequest *page, CandidateSet *set);

/* allowed.c: eligible items, for functions that make no list */
extern void EnterRequest(PageRequest *page, FunctionCallInfo fcinfo);
extern CandidateSet *ReadShortlist(PageRequest *page, Datum *keys, int count);

/* shortlist.c: candidate generation */
extern int	FirstShortlistSize(const PageRequest *page);
extern CandidateSet *FindCandidates(PageRequest *page, ListPolicy policy, const PageModels *models,
									int64 seed);

/* random_items.c: candidates for random lists */
extern CandidateSet *DrawCandidates(PageRequest *page, const CandidateSet *new_items);

/* neighbours.c: neighbour scores */
extern NeighbourScores *CreateNeighbourScores(PageRequest *page);
extern void AddNeighbours(PageRequest *page, NeighbourScores *scores, Datum neighbours,
						  Datum weights, double weight);
extern float4 NeighbourScore(const PageRequest *page, Datum item);
extern float4 ScoreNeighbour(PageRequest *page, Datum item);
extern void ForgetScoredNeighbours(PageRequest *page);
extern bool HasNeighbours(const PageRequest *page);
extern bool ScoresAllNeighbours(const PageRequest *page);
extern void AddBestNeighbours(PageRequest *page, CandidateSet *set, double minimum,
							  uint64 first_number);

/* choose.c: choice of a list */
extern Choice ChooseItems(PageRequest *page, ListPolicy policy, Datum profile, int64 seed);

#endif							/* DLINTS_PAGE_CANDIDATES_H */
