/*
 * topk.h
 *		The k best of a stream of scored items.
 */
#ifndef DLINTS_TOPK_H
#define DLINTS_TOPK_H

#include "fmgr.h"

#include "core/slate.h"

typedef struct TopK
{
	MemoryContext context;		/* memory context of the struct and its items */
	Oid			item_type;
	int16		typlen;
	bool		typbyval;
	char		typalign;
	int			k;
	uint64		seen;
	bool		full;			/* are there k items? */
	double		threshold;		/* lowest score of the k best items, if there are k */
	struct RankedItem *items;	/* best items; when full, a heap with the worst first */
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

/* Is a score too low to be among the k best? */
static inline bool
TopKIsBeyond(const TopK *top, double score)
{
	return top->full && score < top->threshold;
}

/* Keep an item if it is among the k best.  The earlier of two items wins a tie. */
static inline void
TopKOffer(TopK *top, double score, NullableDatum item)
{
	uint64		key = top->seen++;

	if (!top->full || score > top->threshold)
		TopKKeep(top, score, key, item);
}

/* Keep an item if it is among the k best.  Random keys break ties. */
static inline void
TopKOfferRandomly(TopK *top, double score, uint64 seed, NullableDatum item)
{
	uint64		index = top->seen++;

	if (!TopKIsBeyond(top, score))
		TopKKeep(top, score, slate_tie_key(seed, index), item);
}

#endif							/* DLINTS_TOPK_H */
