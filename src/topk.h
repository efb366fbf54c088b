/*
 * topk.h
 *		The k best-scored items seen so far: the state of dlints_argmax and
 *		dlints_top, and a part of that of dlints_recommend.
 */
#ifndef DLINTS_TOPK_H
#define DLINTS_TOPK_H

#include "dlints.h"

#include "lib/binaryheap.h"

typedef struct TopK
{
	MemoryContext context;		/* of this struct and the items it keeps */
	Oid			item_type;
	int16		typlen;
	bool		typbyval;
	char		typalign;
	int			k;				/* how many to keep */
	int64		seen;			/* items offered so far, for ties */
	bool		full;			/* k are kept */
	double		threshold;		/* the score to beat then */
	binaryheap *worst_first;	/* of RankedItem pointers */
} TopK;

extern TopK *TopKCreate(MemoryContext context, Oid item_type, int k);
extern void TopKCheckCount(const TopK *top, int k);
extern void TopKKeep(TopK *top, double score, int64 order, Datum item,
					 bool isnull);
extern void TopKMerge(TopK *top, const TopK *later);
extern bool TopKBest(const TopK *top, Datum *item, bool *isnull);
extern Datum TopKArray(const TopK *top);
extern bytea *TopKSerialize(const TopK *top);
extern TopK *TopKDeserialize(bytea *bytes);

/*
 * Offer the next item of the stream; score is finite.  Most items of a long
 * stream are not among the best, and this is all that they cost: a later item
 * must be better than the worst one kept, not as good.
 */
static inline void
TopKOffer(TopK *top, double score, Datum item, bool isnull)
{
	int64		order = top->seen++;

	if (!top->full || score > top->threshold)
		TopKKeep(top, score, order, item, isnull);
}

#endif							/* DLINTS_TOPK_H */
