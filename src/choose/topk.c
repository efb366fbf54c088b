/*
 * topk.c
 *		Top-k selection from a stream of scored items.
 *
 * Memory grows with min(k, items), never with k alone.  Items with equal
 * scores are ordered by their tie-break key, the number in the order of
 * arrival or a random number.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/array.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "choose/topk.h"
#include "sql/args.h"
#include "sql/arrays.h"

#define INITIAL_CAPACITY	8

typedef struct RankedItem
{
	double		score;
	uint64		key;			/* rank among items with the same score */
	NullableDatum item;
} RankedItem;

/* Compare by rank: negative if a ranks before b, 0 if they tie. */
static int
CompareRank(const RankedItem *a, const RankedItem *b)
{
	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return 0;
}

/* The heap's root is the item that ranks last. */
static int
CompareNodes(Datum a, Datum b, void *arg)
{
	return CompareRank((RankedItem *) DatumGetPointer(a), (RankedItem *) DatumGetPointer(b));
}

static int
ComparePointers(const void *a, const void *b)
{
	CHECK_FOR_INTERRUPTS();
	return CompareRank(*(RankedItem *const *) a, *(RankedItem *const *) b);
}

TopK *
TopKCreateOfType(MemoryContext context, Oid item_type, int k)
{
	MemoryContext caller = MemoryContextSwitchTo(context);
	TopK	   *top = palloc0(sizeof(TopK));

	top->context = context;
	top->item_type = item_type;
	get_typlenbyvalalign(item_type, &top->typlen, &top->typbyval, &top->typalign);
	top->k = k;
	top->worst_first = binaryheap_allocate(Min(k, INITIAL_CAPACITY), CompareNodes, NULL);
	MemoryContextSwitchTo(caller);
	return top;
}

/* Create a ranking for items of the argument's type. */
TopK *
TopKCreate(FunctionCallInfo fcinfo, MemoryContext context, int item_argno, int k)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, item_argno);

	if (!OidIsValid(type))
		elog(ERROR, "could not determine the type of the item");
	return TopKCreateOfType(context, type, k);
}


static int
ItemCount(const TopK *top)
{
	return top->worst_first->bh_size;
}

static RankedItem *
Item(const TopK *top, int i)
{
	return (RankedItem *) DatumGetPointer(top->worst_first->bh_nodes[i]);
}

/* Move to a heap of twice the capacity, because a binaryheap does not grow. */
static void
Grow(TopK *top)
{
	binaryheap *old = top->worst_first;
	int			capacity = (int) Min((int64) old->bh_space * 2, top->k);

	top->worst_first = binaryheap_allocate(capacity, CompareNodes, NULL);
	for (int i = 0; i < old->bh_size; i++)
		binaryheap_add_unordered(top->worst_first, old->bh_nodes[i]);
	binaryheap_build(top->worst_first);
	binaryheap_free(old);
}

/*
 * Copy an item into the current memory context.  Detoasts it now, because the
 * result array would have to detoast it in any case.
 */
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

static void
AddItem(TopK *top, RankedItem item)
{
	RankedItem *ranked = palloc(sizeof(RankedItem));

	*ranked = item;
	if (ItemCount(top) == top->worst_first->bh_space)
		Grow(top);
	binaryheap_add(top->worst_first, PointerGetDatum(ranked));
}

static void
ReplaceWorst(TopK *top, RankedItem item)
{
	RankedItem *worst = Item(top, 0);

	if (!worst->item.isnull && !top->typbyval)
		pfree(DatumGetPointer(worst->item.value));
	*worst = item;
	binaryheap_replace_first(top->worst_first, PointerGetDatum(worst));
}

/*
 * Keep an item, replacing the worst if there are k.  The caller has compared
 * the scores; an item that ties with the worst may still rank behind it.
 */
void
TopKKeep(TopK *top, double score, uint64 key, NullableDatum item)
{
	MemoryContext caller;
	RankedItem	ranked;

	if (top->full && score == top->threshold && key > Item(top, 0)->key)
		return;
	caller = MemoryContextSwitchTo(top->context);
	ranked = (RankedItem) {score, key, CopyItem(top, item)};
	if (top->full)
		ReplaceWorst(top, ranked);
	else
		AddItem(top, ranked);
	MemoryContextSwitchTo(caller);

	top->full = (ItemCount(top) == top->k);
	top->threshold = Item(top, 0)->score;
}

/* Return the kept items as an array of pointers, best first. */
static RankedItem **
SortedItems(const TopK *top)
{
	RankedItem **sorted = palloc(sizeof(RankedItem *) * Max(ItemCount(top), 1));

	for (int i = 0; i < ItemCount(top); i++)
		sorted[i] = Item(top, i);
	qsort(sorted, ItemCount(top), sizeof(RankedItem *), ComparePointers);
	return sorted;
}

/* Return the only item of a ranking with k = 1, as a final function does. */
Datum
TopKReturnBest(FunctionCallInfo fcinfo, const TopK *top)
{
	Assert(top->full && top->k == 1);
	if (Item(top, 0)->item.isnull)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(Item(top, 0)->item.value);
}

/* Make an array of ranked items. */
static Datum
MakeArray(const TopK *top, RankedItem **ranked, int count)
{
	Datum	   *items = palloc(sizeof(Datum) * Max(count, 1));
	bool	   *nulls = palloc(sizeof(bool) * Max(count, 1));
	int			lower_bound = 1;

	for (int i = 0; i < count; i++)
	{
		items[i] = ranked[i]->item.value;
		nulls[i] = ranked[i]->item.isnull;
	}
	return PointerGetDatum(construct_md_array(items, nulls, 1, &count, &lower_bound, top->item_type,
											  top->typlen, top->typbyval, top->typalign));
}

/* Return all kept items as an array, best first. */
Datum
TopKArray(const TopK *top)
{
	return MakeArray(top, SortedItems(top), ItemCount(top));
}

static int
CompareKeys(const void *a, const void *b)
{
	uint64		first = (*(RankedItem *const *) a)->key;
	uint64		second = (*(RankedItem *const *) b)->key;

	CHECK_FOR_INTERRUPTS();
	return first < second ? -1 : first > second;
}

/*
 * Return the union of several rankings of one stream, whose tie-break keys identify the
 * items.  The first ranking's items come first, in order, then the others by key.
 */
Datum
TopKUnion(TopK *const *tops, int count)
{
	int			kept = ItemCount(tops[0]);
	Size		all = kept;
	RankedItem **first = SortedItems(tops[0]);
	RankedItem **ranked;
	int			t;

	for (t = 1; t < count; t++)
		all += ItemCount(tops[t]);
	ranked = AllocateMany(sizeof(RankedItem *), all);
	memcpy(ranked, first, sizeof(RankedItem *) * kept);
	qsort(first, kept, sizeof(RankedItem *), CompareKeys);
	for (all = kept, t = 1; t < count; t++)
		for (int i = 0; i < ItemCount(tops[t]); i++)
			if (!bsearch(&(RankedItem *) {Item(tops[t], i)}, first, kept,
						 sizeof(RankedItem *), CompareKeys))
				ranked[all++] = Item(tops[t], i);
	qsort(ranked + kept, all - kept, sizeof(RankedItem *), CompareKeys);
	for (int i = t = kept; i < all; i++)
		if (t == kept || ranked[i]->key != ranked[t - 1]->key)
			ranked[t++] = ranked[i];
	return MakeArray(tops[0], ranked, t);
}
