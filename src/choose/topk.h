/*
 * topk.h
 *		The k best-scored items seen so far, in the states of dlints_recommend,
 *		dlints_recommend_arms, dlints_shortlist and dlints_ndcg.
 */
#ifndef DLINTS_TOPK_H
#define DLINTS_TOPK_H

#include "fmgr.h"
#include "lib/binaryheap.h"

#include "core/random.h"

typedef struct TopK
{
	MemoryContext context;		/* of this struct and the items it keeps */
	Oid			item_type;
	int16		typlen;
	bool		typbyval;
	char		typalign;
	int			k;				/* how many to keep */
	uint64		seen;			/* items offered so far, for ties */
	bool		full;			/* k are kept */
	double		threshold;		/* the score to beat then */
	binaryheap *worst_first;	/* of RankedItem pointers */
} TopK;

extern TopK *TopKCreate(FunctionCallInfo fcinfo, MemoryContext context,
						int item_argno, int k);
extern TopK *TopKCreateOfType(MemoryContext context, Oid item_type, int k);
extern void TopKCheckCount(const TopK *top, int k);
extern void TopKKeep(TopK *top, double score, uint64 place, NullableDatum item);
extern Datum TopKReturnBest(FunctionCallInfo fcinfo, const TopK *top);
extern Datum TopKArray(const TopK *top);
extern Datum TopKUnion(TopK *const *tops, int count);

/*
 * Offer the next item of the stream; score is finite.  Most items of a long
 * stream are not among the best, and this is all that they cost.  Among equal
 * scores the item that comes first ranks first.
 */
static inline void
TopKOffer(TopK *top, double score, NullableDatum item)
{
	uint64		place = top->seen++;

	if (!top->full || score > top->threshold)
		TopKKeep(top, score, place, item);
}

/* The same; among equal scores lots drawn under a seed decide. */
static inline void
TopKOfferByLot(TopK *top, double score, uint64 seed, NullableDatum item)
{
	uint64		index = top->seen++;

	if (!top->full || score >= top->threshold)
		TopKKeep(top, score, random_bits(seed, index), item);
}

#endif							/* DLINTS_TOPK_H */
