/*
 * candidates.h
 *		Candidates: the items from which a list is chosen, and their features.
 */
#ifndef DLINTS_PAGE_CANDIDATES_H
#define DLINTS_PAGE_CANDIDATES_H

#include "page/blocks.h"
#include "posterior/kept_models.h"

/* first identifying number of candidates not from the table "block" (see CandidateSet.numbers) */
#define FIRST_EXTRA_NUMBER	((uint64) 1 << 40)
/* first identifying number of new items, which have no row in the table "item_vector" */
#define FIRST_NEW_NUMBER	((uint64) 1 << 41)

/* The candidates for a list, as parallel arrays */
typedef struct CandidateSet
{
	int			count;
	int			size;			/* allocated length of the arrays */
	Datum	   *items;
	/* number added to the score of each candidate, such as the setting "bonus" */
	double	   *addends;
	int		   *groups;			/* group of each candidate (setting cap_group), or -1 */
	int			group_count;
	/* identifying numbers, from which tie-break keys are computed if is_cut is true */
	uint64	   *numbers;
	bool		is_cut;			/* may an omitted item have the same score as a candidate? */
	int			n_scored;		/* length of the shortlist; 0: all eligible items are candidates */
	int			n_failing;		/* number of items for which an SQL expression fails */
	Datum		failing;		/* one of the items for which an SQL expression fails */
	/* may SQL expressions fail because a database object is missing? */
	bool		has_object_error;
	/* for random lists: the probability that an eligible item becomes a candidate */
	double		share;

	/* fields that ReadFeatures() sets */
	ArrayType  *features;		/* one row per candidate */
	/* ids of the candidates' rows in the table "item_version"; 0: no row */
	int64	   *versions;
	double	   *effects;
	double	   *effect_stddevs;
	float4	   *costs;			/* one row per candidate */
} CandidateSet;

/* Models that choose the list of a request */
typedef struct PageModels
{
	Datum		profile;
	PreparedModel *personal;
	/* model of outcomes after a click, such as purchases; NULL: untrained */
	PreparedModel *later;
	PreparedModel *control;
	int			n_draws;
	double	   *draws;			/* posterior draws of the personal model, or NULL */
} PageModels;

/* functions in weights.c */
extern PageModels *ReadModels(PageRequest *page, ListPolicy policy, Datum profile, int64 seed);
extern double *MeanWeights(const PageRequest *page, const PageModels *models);
extern const double *LaterWeights(const PageModels *models);
extern const double *ReadPenalties(PageRequest *page);
extern Rankings RankItems(PageRequest *page, ListPolicy policy, const PageModels *models,
						  bool is_priced);

/* functions in candidates.c */
extern CandidateSet *CreateCandidates(int size);
extern double LimitBonus(double bonus);
extern void AddCandidate(CandidateSet *set, Datum item, double addend, int group, uint64 number);
extern CandidateSet *ReadItems(PageRequest *page, const PageQuery *query,
							   const NullableDatum *args);
extern CandidateSet *ReadAllowed(PageRequest *page, ListPolicy policy, KeyTable *numbers,
								 Datum *shortlist, int count);

/* function in features.c */
extern void ReadFeatures(PageRequest *page, CandidateSet *set);

/* functions in allowed.c */
extern void EnterRequest(PageRequest *page, FunctionCallInfo fcinfo);
extern CandidateSet *ReadShortlist(PageRequest *page, Datum *keys, int count);
extern const char *ExpressionError(PageRequest *page);

/* functions in shortlist.c */
extern int	FirstShortlistSize(const PageRequest *page);
extern CandidateSet *FindCandidates(PageRequest *page, ListPolicy policy, const PageModels *models,
									int64 seed);

/* function in random_items.c */
extern CandidateSet *DrawCandidates(PageRequest *page, const CandidateSet *new_items);

/* functions in neighbours.c */
extern NeighbourScores *CreateNeighbourScores(PageRequest *page);
extern void AddNeighbours(PageRequest *page, NeighbourScores *scores, Datum neighbours,
						  Datum weights, double weight);
extern void SetOwnScore(const PageRequest *page, Datum item, double clicks, double similarity);
extern float4 NeighbourScore(const PageRequest *page, Datum item);
extern float4 ScoreNeighbour(PageRequest *page, Datum item);
extern void ForgetScoredNeighbours(PageRequest *page);
extern bool HasNeighbours(const PageRequest *page);
extern bool ScoresAllNeighbours(const PageRequest *page);
extern void AddBestNeighbours(PageRequest *page, CandidateSet *set, double minimum);

/* functions in history.c */
extern void BeginHistory(PageRequest *page);
extern bool IsSettled(const PageRequest *page, TimestampTz at);
extern void AddImpressions(PageRequest *page, Datum list, ArrayType *expected, TimestampTz at,
						   int position);
extern void AddReward(PageRequest *page, Datum item, TimestampTz at, double reward);
extern double HistoryEffect(const PageRequest *page, Datum item);
extern void AddHistory(const PageRequest *page, KeyTable *numbers, CandidateSet *set);
extern void AddRaisedItems(const PageRequest *page, CandidateSet *set);

/* function in choose.c */
extern Choice ChooseItems(PageRequest *page, ListPolicy policy, Datum profile, int64 seed);

#endif							/* DLINTS_PAGE_CANDIDATES_H */
