/*
 * shortlist.c
 *		The aggregate dlints_shortlist: select the items with the highest scores from millions of
 *		items.
 *
 * SQL queries of users call this aggregate.  Recommenders created by dlints use page/shortlist.c.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/lsyscache.h"

#include "choose/request.h"
#include "choose/scores.h"
#include "choose/topk.h"
#include "core/score.h"
#include "sql/args.h"
#include "sql/hash.h"

/* argument numbers of dlints_shortlist_transfn */
#define ITEMS_ARGNO		1
#define FEATURES_ARGNO	2
#define WEIGHTS_ARGNO	3
#define SIZE_ARGNO		4
#define SEED_ARGNO		5

/* number of items that are scored at a time, so that their features fit into the CPU's cache */
#define STRIP			32

/* maximum number of doubles in the features of items that are scored at a time: 32 MB */
#define MAX_STRIP_NUMBERS	(1 << 22)

/* maximum number of weight vectors */
#define MAX_RANKINGS	10000

/* ---------- tie-break keys ---------- */

/* Bits of a tie-break key.  With 52 bits, a key plus 0.5 is exact in double precision. */
#define KEY_BITS	52

/* Compute the random tie-break key of an item, below 2^52, from the bytes of its value. */
static uint64
TieKey(uint64 seed, Datum item, int16 typlen, bool typbyval)
{
	return slate_tie_key(seed, HashBytesOf(item, typlen, typbyval, 0)) >> (64 - KEY_BITS);
}

/* ---------- the shortlist ---------- */

typedef struct Shortlist
{
	int			size;			/* number of best items per weight vector */
	int			rankings;
	ArgSpec		features;		/* required shape of the argument "features" */
	ValueKey	weights;		/* first row's argument "weights" */
	double	   *lanes;			/* weight vectors, interleaved (see core/score.h) */
	uint64		seed;			/* seed of tie-break keys */
	TopK	  **best;
	int			strip_len;		/* maximum number of items that are scored at a time */
	double	   *strip;			/* features of the items that are being scored */
	double		scores[SCORE_LANES * STRIP];
} Shortlist;

/* Items and features in one input row.  The array "items" is deconstructed on first use. */
typedef struct Block
{
	ArrayType  *features;
	int			count;
	ArrayType  *array;
	Datum	   *items;
} Block;

static double *
PackWeights(ArrayType *weights, const ArgSpec *spec, int rankings)
{
	double	   *numbers = AllocateNumbers((Size) rankings * spec->len);
	double	   *lanes = AllocateNumbers((Size) score_rounded(rankings) * spec->len);

	ArgMatrixSlice(weights, spec, 0, rankings, numbers);
	score_pack(spec->len, rankings, numbers, spec->len, lanes);
	pfree(numbers);
	return lanes;
}

static Shortlist *
Create(FunctionCallInfo fcinfo, MemoryContext context)
{
	ArrayType  *weights = PG_GETARG_ARRAYTYPE_P(WEIGHTS_ARGNO);
	ArgSpec		spec = {"array of weights", ARR_NDIM(weights) == 2 ? ARR_DIMS(weights)[1] : 0, NULL};
	int			rankings = ArgMatrixRows(weights, &spec);
	Oid			item_type = get_element_type(get_fn_expr_argtype(fcinfo->flinfo, ITEMS_ARGNO));
	MemoryContext caller = MemoryContextSwitchTo(context);
	Shortlist  *list = palloc0(sizeof(Shortlist));

	if (!OidIsValid(item_type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("could not determine the type of the items")));
	if (rankings < 1 || rankings > MAX_RANKINGS)
		ArgRaiseOutOfRange("the number of weight vectors",
						   psprintf("between 1 and %d", MAX_RANKINGS), rankings);
	list->size = ArgCount(fcinfo, SIZE_ARGNO);
	list->rankings = rankings;
	list->features = (ArgSpec) {"array of features", spec.len, NULL};
	ValueKeySet(&list->weights, PG_GETARG_DATUM(WEIGHTS_ARGNO), context);
	list->lanes = PackWeights(weights, &spec, rankings);
	list->seed = PG_NARGS() > SEED_ARGNO ? SeedArgument(fcinfo, SEED_ARGNO) : FreshSeed();
	list->best = palloc(sizeof(TopK *) * rankings);
	for (int i = 0; i < rankings; i++)
		list->best[i] = TopKCreateOfType(context, item_type, list->size, sizeof(TopK));
	list->strip_len = Max(1, Min(STRIP, MAX_STRIP_NUMBERS / Max(spec.len, 1)));
	list->strip = AllocateNumbers((Size) list->strip_len * spec.len);
	MemoryContextSwitchTo(caller);
	return list;
}

/* Raise an error unless all rows of a group have equal arguments "weights" and "k". */
static void
CheckSameList(FunctionCallInfo fcinfo, Shortlist *list)
{
	Datum		weights = PG_GETARG_DATUM(WEIGHTS_ARGNO);

	if (!ValueKeyMatches(&list->weights, weights))
	{
		ArrayType  *ours = DatumGetArrayTypeP(PointerGetDatum(list->weights.bytes));
		ArrayType  *theirs = DatumGetArrayTypeP(weights);

		CheckSameValue(VARSIZE(ours) == VARSIZE(theirs) &&
					   memcmp(ours, theirs, VARSIZE(ours)) == 0, "weights");
		ValueKeyReplace(&list->weights, weights, GetMemoryChunkContext(list));
	}
	CheckSameValue(ArgCount(fcinfo, SIZE_ARGNO) == list->size, "k");
}

static Block
ReadBlock(FunctionCallInfo fcinfo, const Shortlist *list)
{
	ArgSpec		items = {"array of items", 0, NULL};
	Block		block = {.features = ArgArray(fcinfo, FEATURES_ARGNO)};

	block.count = ArgMatrixRows(block.features, &list->features);
	block.array = PG_GETARG_ARRAYTYPE_P(ITEMS_ARGNO);
	ArgCheckCount(block.count, ArgVectorLength(block.array, &items), "items");
	return block;
}

static NullableDatum
GetItem(Block *block, int number)
{
	if (!block->items)
		ArgElements(block->array, &block->items, NULL);
	return (NullableDatum) {block->items[number], false};
}

/* Add items to "best" if they are among the k best. */
static void
OfferStrip(TopK *best, uint64 seed, const double *scores, Block *block, int first,
		   int count)
{
	for (int i = 0; i < count; i++, scores += SCORE_LANES)
		if (!TopKIsBeyond(best, *scores))
		{
			NullableDatum item = GetItem(block, first + i);

			TopKKeep(best, *scores, TieKey(seed, item.value, best->typlen, best->typbyval), item);
		}
}

static void
ScoreStrip(Shortlist *list, Block *block, int first, int count)
{
	double		peaks[SCORE_LANES];

	ArgMatrixSlice(block->features, &list->features, first, count, list->strip);
	for (int pack = 0; pack < list->rankings; pack += SCORE_LANES)
	{
		TopK	  **best = list->best + pack;
		int			lanes = Min(SCORE_LANES, list->rankings - pack);

		CHECK_FOR_INTERRUPTS();
		score_lanes(list->features.len, list->lanes + (Size) pack * list->features.len, count,
					list->strip, list->features.len, list->scores, SCORE_LANES);
		peak_of_lanes(count, list->scores, peaks);
		for (int i = 0; i < lanes; i++)
			if (!TopKIsBeyond(best[i], ResultFinite(peaks[i])))
				OfferStrip(best[i], list->seed, list->scores + i, block, first, count);
	}
}

PG_FUNCTION_INFO_V1(dlints_shortlist_transfn);

/*
 * dlints_shortlist(): return the items that are among the k best under any weight vector.  The
 * best items under the first weight vector come first.
 */
Datum
dlints_shortlist_transfn(PG_FUNCTION_ARGS)
{
	MemoryContext context = AggregateContext(fcinfo);
	Shortlist  *list;
	Block		block;

	if (PG_ARGISNULL(ITEMS_ARGNO) || PG_ARGISNULL(FEATURES_ARGNO) || PG_ARGISNULL(WEIGHTS_ARGNO))
		return AggregateSameState(fcinfo);
	if (PG_ARGISNULL(0))
		list = Create(fcinfo, context);
	else
	{
		list = (Shortlist *) PG_GETARG_POINTER(0);
		CheckSameList(fcinfo, list);
	}
	block = ReadBlock(fcinfo, list);
	for (int first = 0; first < block.count; first += list->strip_len)
		ScoreStrip(list, &block, first, Min(list->strip_len, block.count - first));
	PG_RETURN_POINTER(list);
}

PG_FUNCTION_INFO_V1(dlints_shortlist_finalfn);

Datum
dlints_shortlist_finalfn(PG_FUNCTION_ARGS)
{
	Shortlist  *list;

	AggregateContext(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	list = (Shortlist *) PG_GETARG_POINTER(0);
	PG_RETURN_DATUM(TopKUnion(list->best, list->rankings));
}

PG_FUNCTION_INFO_V1(dlints_tie_keys);

/* dlints_tie_keys(): return the tie-break keys of items, from 0 to 1.  A NULL item gets 0.5. */
Datum
dlints_tie_keys(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	uint64		seed = (uint64) PG_GETARG_INT64(1);
	int16		typlen;
	bool		typbyval;
	Datum	   *items;
	bool	   *nulls;
	int			count = ArgElements(array, &items, &nulls);
	double	   *numbers = AllocateNumbers(count);

	get_typlenbyval(ARR_ELEMTYPE(array), &typlen, &typbyval);
	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		numbers[i] = nulls[i] ? 0.5 :
			ldexp((double) TieKey(seed, items[i], typlen, typbyval) + 0.5, -KEY_BITS);
	}
	return ResultVector(numbers, count);
}
