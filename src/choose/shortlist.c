/*
 * shortlist.c
 *		dlints_shortlist, the aggregate: which of very many items to look at.
 *
 * Items come in blocks, whose features are one array: nothing is done for each
 * of them but the arithmetic.  All weight vectors score a strip of items while
 * it is in the cache.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "choose/request.h"
#include "choose/scores.h"
#include "choose/topk.h"
#include "core/peak.h"
#include "core/score.h"
#include "sql/args.h"
#include "sql/arrays.h"
#include "sql/results.h"

/* arguments behind the state */
#define ITEMS_ARGNO		1
#define FEATURES_ARGNO	2
#define WEIGHTS_ARGNO	3
#define SIZE_ARGNO		4

/* items that are scored at once, at most: 16 kB of features at n = 64 */
#define STRIP			32

/* numbers of these, at most: 32 MB */
#define MOST_NUMBERS	(1 << 22)

/* weight vectors: as many as dlints_draw_weights makes at once, and some */
#define MOST_RANKINGS	10000

typedef struct Shortlist
{
	int			size;			/* items to keep under each weight vector */
	int			rankings;		/* weight vectors */
	int			len;			/* numbers of each */
	struct varlena *raw;		/* weights as they came, be it as a pointer */
	ArrayType  *weights;		/* and plain */
	double	   *lanes;			/* and packed */
	uint64		seed;			/* of the lots among equal scores */
	TopK	  **best;			/* one for each weight vector */
	int			strip_len;		/* items that are scored at once */
	double	   *strip;			/* their features */
	double		scores[SCORE_LANES * STRIP];
} Shortlist;

/* The items of a block; they are taken apart when the first one is wanted. */
typedef struct Block
{
	ArrayType  *array;
	Datum	   *items;
} Block;

static ArgSpec
WeightsSpec(ArrayType *weights)
{
	ArgSpec		spec = {"array of weights", 0, NULL};

	if (ARR_NDIM(weights) == 2)
		spec.len = ARR_DIMS(weights)[1];
	return spec;
}

static void *
Copy(const void *value)
{
	return memcpy(palloc(VARSIZE_ANY(value)), value, VARSIZE_ANY(value));
}

static bool
IsCopy(const void *value, const void *other)
{
	return VARSIZE_ANY(value) == VARSIZE_ANY(other) &&
		memcmp(value, other, VARSIZE_ANY(value)) == 0;
}

static Shortlist *
Create(FunctionCallInfo fcinfo, MemoryContext context)
{
	ArrayType  *weights = PG_GETARG_ARRAYTYPE_P(WEIGHTS_ARGNO);
	ArgSpec		spec = WeightsSpec(weights);
	int			rankings = ArgMatrixRows(weights, &spec);
	Oid			item_type = get_element_type(get_fn_expr_argtype(fcinfo->flinfo, ITEMS_ARGNO));
	MemoryContext caller = MemoryContextSwitchTo(context);
	Shortlist  *list = palloc0(sizeof(Shortlist));
	double	   *numbers;
	int			i;

	if (!OidIsValid(item_type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("could not determine the type of the items")));
	if (rankings < 1 || rankings > MOST_RANKINGS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the number of weight vectors must be between 1 and %d",
						MOST_RANKINGS),
				 errdetail("The value is %d.", rankings)));
	list->size = ArgCount(fcinfo, SIZE_ARGNO);
	list->rankings = rankings;
	list->len = spec.len;
	list->raw = Copy(PG_GETARG_POINTER(WEIGHTS_ARGNO));
	list->weights = Copy(weights);
	numbers = AllocateNumbers((Size) rankings * spec.len);
	ArgMatrixSlice(weights, &spec, 0, rankings, numbers);
	list->lanes = AllocateNumbers((Size) score_rounded(rankings) * spec.len);
	score_pack(spec.len, rankings, numbers, spec.len, list->lanes);
	pfree(numbers);
	list->seed = FreshSeed();
	list->best = palloc(sizeof(TopK *) * rankings);
	for (i = 0; i < rankings; i++)
		list->best[i] = TopKCreateOfType(context, item_type, list->size);
	list->strip_len = Max(1, Min(STRIP, MOST_NUMBERS / Max(spec.len, 1)));
	list->strip = AllocateNumbers((Size) list->strip_len * spec.len);
	MemoryContextSwitchTo(caller);
	return list;
}

/*
 * Weights and size may not change on the way.  The same bytes are the same
 * weights, and a value that is stored elsewhere need not be fetched to see
 * that; but memory that a pointer leads to can have become another array.
 */
static void
CheckSameList(FunctionCallInfo fcinfo, const Shortlist *list)
{
	void	   *raw = PG_GETARG_POINTER(WEIGHTS_ARGNO);
	bool		same = !VARATT_IS_EXTERNAL_EXPANDED(raw) && IsCopy(raw, list->raw);

	if (!same)
		same = IsCopy(PG_GETARG_ARRAYTYPE_P(WEIGHTS_ARGNO), list->weights);
	CheckSame(same, "weights", "group");
	CheckSame(ArgCount(fcinfo, SIZE_ARGNO) == list->size, "k", "group");
}

static Block
ReadItems(FunctionCallInfo fcinfo, int count)
{
	Block		block = {.array = PG_GETARG_ARRAYTYPE_P(ITEMS_ARGNO)};
	ArgSpec		spec = {"array of items", 0, NULL};
	int			items = ArgVectorLength(block.array, &spec);

	if (items != count)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("expected as many items as rows of features"),
				 errdetail("Rows of features: %d, items: %d.", count, items)));
	return block;
}

static Datum
ItemOf(Block *block, int number)
{
	if (!block->items)
	{
		Oid			type = ARR_ELEMTYPE(block->array);
		int16		typlen;
		bool		typbyval;
		char		typalign;
		int			count;

		get_typlenbyvalalign(type, &typlen, &typbyval, &typalign);
		deconstruct_array(block->array, type, typlen, typbyval, typalign,
						  &block->items, NULL, &count);
	}
	return block->items[number];
}

/* Offer some items to a ranking, if one of them can be among its best. */
static void
OfferStrip(TopK *best, uint64 seed, const double *scores, int count,
		   Block *block, int first)
{
	double		peak = ResultFinite(peak_of(count, scores));
	int			i;

	if (best->full && peak < best->threshold)
	{
		best->seen += count;
		return;
	}
	for (i = 0; i < count; i++)
		if (best->full && scores[i] < best->threshold)
			best->seen++;
		else
			TopKOfferByLot(best, scores[i], seed, ItemOf(block, first + i), false);
}

/* Some items of a block, under all weight vectors. */
static void
AddStrip(Shortlist *list, Block *block, int first, int count)
{
	const ScoreSteps steps = {.features = 1, .lane = STRIP};
	int			pack;
	int			i;

	for (pack = 0; pack < list->rankings; pack += SCORE_LANES)
	{
		int			lanes = Min(SCORE_LANES, list->rankings - pack);

		CHECK_FOR_INTERRUPTS();
		score_lanes(list->len, list->lanes + (Size) pack * list->len, count,
					list->strip, list->len, list->scores, steps);
		for (i = 0; i < lanes; i++)
			OfferStrip(list->best[pack + i], list->seed,
					   list->scores + (Size) i * STRIP, count, block, first);
	}
}

PG_FUNCTION_INFO_V1(dlints_shortlist_transfn);

/*
 * dlints_shortlist(items anyarray, features real[] | dlints_vector,
 *					weights double precision[], k bigint)
 *		-> anyarray, aggregate
 *
 * The items that are among the k best under any of the weight vectors: those
 * of the first one first, the best of them first, and the others in no order.
 * A row brings a block of items, with a row of features for each; a
 * score is their dot product with a row of weights, as of dlints_weights and
 * dlints_draw_weights.  Among equal scores chance decides.  weights and k are
 * the same for all rows of a group; k is at least 1, and there are up to 10,000
 * weight vectors.  Rows with a NULL are
 * skipped; without any the result is NULL.  Scores are finite.
 */
Datum
dlints_shortlist_transfn(PG_FUNCTION_ARGS)
{
	MemoryContext context = AggregateContext(fcinfo);
	ArgSpec		spec = {"array of features", 0, NULL};
	ArrayType  *features;
	Shortlist  *list;
	Block		block;
	int			count;
	int			first;

	if (PG_ARGISNULL(ITEMS_ARGNO) || PG_ARGISNULL(FEATURES_ARGNO) ||
		PG_ARGISNULL(WEIGHTS_ARGNO))
		return AggregateSameState(fcinfo);
	if (PG_ARGISNULL(0))
		list = Create(fcinfo, context);
	else
	{
		list = (Shortlist *) PG_GETARG_POINTER(0);
		CheckSameList(fcinfo, list);
	}
	spec.len = list->len;
	features = ArgArray(fcinfo, FEATURES_ARGNO);
	count = ArgMatrixRows(features, &spec);
	block = ReadItems(fcinfo, count);
	for (first = 0; first < count; first += list->strip_len)
	{
		int			some = Min(list->strip_len, count - first);

		ArgMatrixSlice(features, &spec, first, some, list->strip);
		AddStrip(list, &block, first, some);
	}
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
