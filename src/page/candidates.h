/*
 * candidates.h
 *		Candidates of a list, with their features.
 */
#ifndef DLINTS_PAGE_CANDIDATES_H
#define DLINTS_PAGE_CANDIDATES_H

#include "page/blocks.h"
#include "page/keys.h"
#include "posterior/kept_models.h"

/* first number of items outside of blocks */
#define FIRST_EXTRA_NUMBER	((uint64) 1 << 40)

/* Candidates of a list: parallel arrays with one element per candidate */
typedef struct CandidateSet
{
	int			count;
	int			size;			/* allocated length of the arrays */
	Datum	   *items;
	double	   *addends;		/* number that is added to each score, such as the bonus */
	int		   *groups;			/* cap group of each candidate; -1: none */
	int			group_count;
	uint64	   *numbers;		/* number of each item, which determines its tie-break key */
	bool		is_cut;			/* may items outside the set have the same score as a candidate? */
	int			n_scored;		/* number of items on the shortlist; 0: no shortlist was used */
	int			n_failing;		/* number of items for which a setting's expression fails */
	Datum		failing;		/* an item for which an expression fails */
	bool		has_object_error;	/* may a missing object be why an expression failed? */
	double		share;			/* probability that a random list considers an item */

	/* set by ReadFeatures() */
	ArrayType  *features;		/* one row per candidate */
	int64	   *versions;		/* id of each item's row in "item_version"; 0: no row */
	double	   *effects;
	double	   *effect_stddevs;
	float4	   *costs;			/* one row per candidate */
} CandidateSet;

/* Models of a request */
typedef struct PageModels
{
	Datum		profile;
	PreparedModel *personal;
	PreparedModel *later;		/* model of outcomes after clicks; NULL unless trained */
	PreparedModel *control;
	int			n_draws;
	double	   *draws;			/* draws of the personal model's coefficients; NULL: none */
} PageModels;

/* in weights.c */
extern PageModels *ReadModels(PageRequest *page, ListPolicy policy, Datum profile, int64 seed);
extern double *MeanWeights(const PageRequest *page, const PageModels *models);
extern const double *LaterWeights(const PageModels *models);
extern const double *ReadPenalties(PageRequest *page);
extern Rankings RankItems(PageRequest *page, ListPolicy policy, const PageModels *models,
						  bool is_priced);

/* in candidates.c */
extern CandidateSet *CreateCandidates(int size);
extern void AddCandidate(CandidateSet *set, Datum item, double addend, int group, uint64 number);
extern CandidateSet *ReadItems(PageRequest *page, const PageQuery *query,
							   const NullableDatum *args);
extern CandidateSet *ReadAllowed(PageRequest *page, ListPolicy policy, KeyTable *numbers,
								 Datum *shortlist, int count);

/* in features.c */
extern void ReadFeatures(PageRequest *page, CandidateSet *set);

/* in allowed.c */
extern void EnterRequest(PageRequest *page, FunctionCallInfo fcinfo);
extern CandidateSet *ReadShortlist(PageRequest *page, Datum *keys, int count);

/* in shortlist.c */
extern int	FirstShortlistSize(const PageRequest *page);
extern CandidateSet *FindCandidates(PageRequest *page, ListPolicy policy, const PageModels *models,
									int64 seed);

/* in random_items.c */
extern CandidateSet *DrawCandidates(PageRequest *page, const CandidateSet *new_items);

/* in neighbours.c */
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

/* in choose.c */
extern Choice ChooseItems(PageRequest *page, ListPolicy policy, Datum profile, int64 seed);

#endif							/* DLINTS_PAGE_CANDIDATES_H */
