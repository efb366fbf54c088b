/*
 * topk.h
 *		The k best-scored items seen so far, in the states of dlints_recommend,
 *		dlints_recommend_arms, dlints_shortlist and dlints_ndcg.
 */
#ifndef DLINTS_TOPK_H
#define DLINTS_TOPK_H

#include "fmgr.h"

#include "core/slate.h"

typedef struct TopK
{
	MemoryContext context;		/* memory context of the struct and of kept items */
	Oid			item_type;
	int16		typlen;
	bool		typbyval;
	char		typalign;
	int			k;				/* number of items to keep */
	uint64		seen;			/* number of items offered so far */
	bool		full;			/* are k items kept? */
	double		threshold;		/* lowest kept score, once k items are kept */
	struct RankedItem *items;	/* kept items; once there are k, a heap with the worst first */
	int			count;
	int			allocated;
} TopK;

extern TopK *TopKCreate(FunctionCallInfo fcinfo, MemoryContext context, int item_argno, int k,
						Size size);
extern TopK *TopKCreateOfType(MemoryContext context, Oid item_type, int k, Size size);
extern void TopKKeep(TopK *top, double score, uint64 key, NullableDatum item);
extern Datum TopKReturnBest(FunctionCallInfo fcinfo, const TopK *top);
extern Datum TopKArray(const TopK *top);
extern Datum TopKUnion(TopK *const *tops, int count);

/* Is a score too low to be one of the k best? */
static inline bool
TopKIsBeyond(const TopK *top, double score)
{
	return top->full && score < top->threshold;
}

/* Offer the next item, with a finite score.  The first of several equal scores ranks first. */
static inline void
TopKOffer(TopK *top, double score, NullableDatum item)
{
	uint64		key = top->seen++;

	if (!top->full || score > top->threshold)
		TopKKeep(top, score, key, item);
}

/* Offer the next item.  Among equal scores, the random key drawn from the seed decides. */
static inline void
TopKOfferRandomly(TopK *top, double score, uint64 seed, NullableDatum item)
{
	uint64		index = top->seen++;

	if (!TopKIsBeyond(top, score))
		TopKKeep(top, score, slate_tie_key(seed, index), item);
}

#endif							/* DLINTS_TOPK_H */
