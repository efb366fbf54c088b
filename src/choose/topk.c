/*
 * topk.c
 *		Select the k best of a stream of scored items.
 *
 * Items with equal scores are ordered by a tie-break key.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "choose/topk.h"
#include "sql/args.h"
#include "sql/arrays.h"

#define INITIAL_CAPACITY	8

typedef struct RankedItem
{
	double		score;
	uint64		key;			/* tie-break key: of equal scores, the lowest key ranks first */
	NullableDatum item;
} RankedItem;

/* Returns a negative number if a ranks before b, and 0 if they tie. */
static int
CompareRank(const RankedItem *a, const RankedItem *b)
{
	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return 0;
}

static int
CompareItems(const void *a, const void *b)
{
	CHECK_FOR_INTERRUPTS();
	return CompareRank(a, b);
}

/* Move an item of a heap down until no child ranks lower. */
static void
SiftDown(RankedItem *items, int64 count, int64 i)
{
	RankedItem	moved = items[i];
	int64		child;

	for (; (child = 2 * i + 1) < count; i = child)
	{
		if (child + 1 < count && CompareRank(&items[child], &items[child + 1]) < 0)
			child++;
		if (CompareRank(&moved, &items[child]) >= 0)
			break;
		items[i] = items[child];
	}
	items[i] = moved;
}

/* Allocate a zeroed struct of "size" bytes, whose first member is a TopK. */
TopK *
TopKCreateOfType(MemoryContext context, Oid item_type, int k, Size size)
{
	MemoryContext caller = MemoryContextSwitchTo(context);
	TopK	   *top = palloc0(size);

	top->context = context;
	top->item_type = item_type;
	get_typlenbyvalalign(item_type, &top->typlen, &top->typbyval, &top->typalign);
	top->k = k;
	top->allocated = Min(k, INITIAL_CAPACITY);
	top->items = palloc(sizeof(RankedItem) * top->allocated);
	MemoryContextSwitchTo(caller);
	return top;
}

/* Create a TopK for items of the type of argument number "item_argno". */
TopK *
TopKCreate(FunctionCallInfo fcinfo, MemoryContext context, int item_argno, int k, Size size)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, item_argno);

	if (!OidIsValid(type))
		elog(ERROR, "could not determine the type of the item");
	return TopKCreateOfType(context, type, k, size);
}

static NullableDatum
CopyItem(const TopK *top, NullableDatum item)
{
	if (item.isnull)
		item.value = (Datum) 0;
	else if (top->typlen == -1)
		item.value = PointerGetDatum(PG_DETOAST_DATUM_COPY(item.value));
	else
		item.value = datumCopy(item.value, top->typbyval, top->typlen);
	return item;
}

/* Add an item to the array of the best items, and make the array a heap when it is full. */
static void
AddItem(TopK *top, RankedItem item)
{
	if (top->count == top->allocated)
	{
		top->allocated = (int) Min((int64) top->allocated * 2, top->k);
		top->items = repalloc_huge(top->items, sizeof(RankedItem) * top->allocated);
	}
	top->items[top->count++] = item;
	top->full = top->count == top->k;
	for (int i = top->full ? top->k / 2 : 0; i-- > 0;)
		SiftDown(top->items, top->k, i);
}

static void
ReplaceWorst(TopK *top, RankedItem item)
{
	if (!top->items[0].item.isnull && !top->typbyval)
		pfree(DatumGetPointer(top->items[0].item.value));
	top->items[0] = item;
	SiftDown(top->items, top->k, 0);
}

/* Keep an item if it is among the k best items so far. */
void
TopKKeep(TopK *top, double score, uint64 key, NullableDatum item)
{
	RankedItem	ranked = {score, key, item};
	MemoryContext caller;

	if (top->full && CompareRank(&ranked, &top->items[0]) > 0)
		return;
	caller = MemoryContextSwitchTo(top->context);
	ranked.item = CopyItem(top, item);
	if (top->full)
		ReplaceWorst(top, ranked);
	else
		AddItem(top, ranked);
	top->threshold = top->items[0].score;
	MemoryContextSwitchTo(caller);
}

static RankedItem *
SortedItems(const TopK *top)
{
	RankedItem *sorted = AllocateMany(sizeof(RankedItem), top->count);

	memcpy(sorted, top->items, sizeof(RankedItem) * top->count);
	qsort(sorted, top->count, sizeof(RankedItem), CompareItems);
	return sorted;
}

/* Return the best item of a TopK with k = 1. */
Datum
TopKReturnBest(FunctionCallInfo fcinfo, const TopK *top)
{
	Assert(top->full && top->k == 1);
	if (top->items[0].item.isnull)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(top->items[0].item.value);
}

static Datum
MakeArray(const TopK *top, const RankedItem *ranked, int count)
{
	Datum	   *items = palloc(sizeof(Datum) * Max(count, 1));
	bool	   *nulls = palloc(sizeof(bool) * Max(count, 1));
	int			lower_bound = 1;

	for (int i = 0; i < count; i++)
	{
		items[i] = ranked[i].item.value;
		nulls[i] = ranked[i].item.isnull;
	}
	return PointerGetDatum(construct_md_array(items, nulls, 1, &count, &lower_bound, top->item_type,
											  top->typlen, top->typbyval, top->typalign));
}

/* Return the kept items as an array, best first. */
Datum
TopKArray(const TopK *top)
{
	return MakeArray(top, SortedItems(top), top->count);
}

static int
CompareKeys(const void *a, const void *b)
{
	uint64		first = ((const RankedItem *) a)->key;
	uint64		second = ((const RankedItem *) b)->key;

	CHECK_FOR_INTERRUPTS();
	return first < second ? -1 : first > second;
}

/* Return an array of the items of several TopKs.  Items with equal keys are returned once. */
Datum
TopKUnion(TopK *const *tops, int count)
{
	int			kept = tops[0]->count;
	Size		all = 0;
	RankedItem *first = SortedItems(tops[0]);
	RankedItem *ranked;
	int			united = kept;

	for (int t = 0; t < count; t++)
		all += tops[t]->count;
	ranked = AllocateMany(sizeof(RankedItem), all);
	memcpy(ranked, first, sizeof(RankedItem) * kept);
	qsort(first, kept, sizeof(RankedItem), CompareKeys);
	all = kept;
	for (int t = 1; t < count; t++)
		for (int i = 0; i < tops[t]->count; i++)
			if (!bsearch(&tops[t]->items[i], first, kept, sizeof(RankedItem), CompareKeys))
				ranked[all++] = tops[t]->items[i];
	qsort(ranked + kept, all - kept, sizeof(RankedItem), CompareKeys);
	for (Size i = kept; i < all; i++)
		if (united == kept || ranked[i].key != ranked[united - 1].key)
			ranked[united++] = ranked[i];
	return MakeArray(tops[0], ranked, united);
}
