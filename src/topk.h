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
	double		threshold;		/* score to beat once k are kept */
	binaryheap *worst_first;	/* of RankedItem pointers */
} TopK;

extern TopK *TopKCreate(MemoryContext context, Oid item_type, int k);
extern void TopKOffer(TopK *top, double score, Datum item, bool isnull);
extern void TopKMerge(TopK *top, const TopK *later);
extern bool TopKBest(const TopK *top, Datum *item, bool *isnull);
extern Datum TopKArray(const TopK *top);
extern bytea *TopKSerialize(const TopK *top);
extern TopK *TopKDeserialize(bytea *bytes);

#endif							/* DLINTS_TOPK_H */
