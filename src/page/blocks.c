/*
 * blocks.c
 *		Blocks of items with rounded features: how they are written, and the best of
 *		their items under many rankings.
 *
 * A row of "block" has two values per block of items.  "codes" has for each item the
 * scales of its factors and of its columns, and then a byte per number of these
 * (core/byte_score.h).  "numbers" has its popularity, its effect, its costs and its
 * dates.  Features of dates depend on the time, and are computed here.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "compat.h"
#include "choose/tie_keys.h"
#include "core/byte_score.h"
#include "core/numbers.h"
#include "core/score.h"
#include "page/blocks.h"
#include "page/neighbours.h"
#include "sql/args.h"
#include "sql/arrays.h"

/* Maximum number of items in a block */
#define MAX_ITEMS		256
#define N_SCALES		2
#define SCALE_BYTES		(N_SCALES * sizeof(float4))
/* Numbers of an item before its costs */
#define FIRST_COST		2
/* Dates beyond have no features */
#define MAX_DATE		1e30
/* Standard errors of a score that a margin has */
#define MARGIN_ERRORS	4.5
/* Part of its popularity by which an item may differ from its block */
#define POPULARITY_CHANGE	0.05

static const PageQuery read_blocks = {{"SELECT b.items, b.codes, b.numbers FROM block b", 0}, {0}};

/* ---------- writing ---------- */

static Size
item_bytes(int factors, int columns)
{
	return SCALE_BYTES + byte_padded(factors) + byte_padded(columns);
}

PG_FUNCTION_INFO_V1(dlints_block_codes);

/*
 * _dlints_block_codes(features real[][], factors integer) -> bytea
 *		Factors and columns of items, a row each.
 */
Datum
dlints_block_codes(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	int			factors = PG_GETARG_INT32(1);
	int			count = ARR_NDIM(array) == 2 ? ARR_DIMS(array)[0] : 0;
	int			columns = count > 0 ? ARR_DIMS(array)[1] - factors : 0;
	const float4 *features = (float4 *) ARR_DATA_PTR(array);
	Size		size = VARHDRSZ + count * item_bytes(factors, columns);
	bytea	   *result;
	uint8	   *next;

	if (ARR_HASNULL(array) || ARR_ELEMTYPE(array) != FLOAT4OID || factors < 0 || columns < 0 || count > MAX_ITEMS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"features\" must have a row of numbers per item of a block, and at least \"factors\" columns")));
	result = palloc(size);
	SET_VARSIZE(result, size);
	next = (uint8 *) VARDATA(result);
	for (int i = 0; i < count; i++, features += factors + columns)
	{
		float4		scales[N_SCALES];

		scales[0] = byte_encode(factors, features, next + SCALE_BYTES);
		scales[1] = byte_encode(columns, features + factors, next + SCALE_BYTES + byte_padded(factors));
		memcpy(next, scales, SCALE_BYTES);
		next += item_bytes(factors, columns);
	}
	PG_RETURN_BYTEA_P(result);
}

PG_FUNCTION_INFO_V1(dlints_block_numbers);

/*
 * _dlints_block_numbers(popularity real, effect real, costs real[], n_costs integer,
 *						 dates float8[]) -> real[]
 */
Datum
dlints_block_numbers(PG_FUNCTION_ARGS)
{
	ArrayType  *costs = PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2);
	int			n_costs;
	Datum	   *dates;
	bool	   *nulls;
	int			n_dates;
	ArrayType  *result;
	float4	   *numbers;

	ArgNotNull(fcinfo, 3, "n_costs");
	ArgNotNull(fcinfo, 4, "dates");
	n_costs = Max(PG_GETARG_INT32(3), 0);
	n_dates = ArgElements(PG_GETARG_ARRAYTYPE_P(4), &dates, &nulls);
	result = ResultReals(FIRST_COST + n_costs + n_dates);
	numbers = (float4 *) ARR_DATA_PTR(result);
	numbers[0] = PG_GETARG_FLOAT4(0);
	numbers[1] = PG_GETARG_FLOAT4(1);
	for (int i = 0; i < n_costs; i++)
		numbers[FIRST_COST + i] = costs != NULL && ArrayGetNItems(ARR_NDIM(costs), ARR_DIMS(costs)) == n_costs &&
			!ARR_HASNULL(costs) ? ((float4 *) ARR_DATA_PTR(costs))[i] : 0.0f;
	for (int i = 0; i < n_dates; i++)
		numbers[FIRST_COST + n_costs + i] = !nulls[i] && fabs(DatumGetFloat8(dates[i])) < MAX_DATE ?
			(float4) DatumGetFloat8(dates[i]) : INFINITY;
	PG_RETURN_ARRAYTYPE_P(result);
}

PG_FUNCTION_INFO_V1(dlints_block_numbers_differ);

/* _dlints_block_numbers_differ(old real[][], new real[][]) -> boolean */
Datum
dlints_block_numbers_differ(PG_FUNCTION_ARGS)
{
	ArrayType  *before = PG_GETARG_ARRAYTYPE_P(0);
	ArrayType  *after = PG_GETARG_ARRAYTYPE_P(1);
	const float4 *was = (float4 *) ARR_DATA_PTR(before);
	const float4 *is = (float4 *) ARR_DATA_PTR(after);
	int			width;

	if (ARR_NDIM(before) != 2 || ARR_NDIM(after) != 2 || ARR_HASNULL(before) || ARR_HASNULL(after) ||
		memcmp(ARR_DIMS(before), ARR_DIMS(after), 2 * sizeof(int)) != 0)
		PG_RETURN_BOOL(true);
	width = ARR_DIMS(before)[1];
	for (int i = 0; i < ARR_DIMS(before)[0] * width; i++)
		if (was[i] != is[i] &&
			!(i % width == 0 && was[i] != 0.0f && is[i] != 0.0f &&
			  fabsf(was[i] - is[i]) <= POPULARITY_CHANGE * Min(was[i], is[i])))
			PG_RETURN_BOOL(true);
	PG_RETURN_BOOL(false);
}

/* ---------- weights ---------- */

/* BYTE_LANES rankings, and the first number of each that is not scored by bytes */
typedef struct Lanes
{
	ByteWeights factors;
	ByteWeights columns;
	float	   *narrow;			/* weights of popularity, dates, effect and costs */
	double		units[BYTE_LANES];	/* scores of these rankings are multiplied by a power of two */
} Lanes;

typedef struct BlockScan
{
	PageRequest *page;
	const EligibleItems *eligible;
	BestItems  *best;
	Lanes	   *lanes;
	int			n_lanes;
	int			n_factors;
	int			n_columns;
	int			n_costs;
	int			n_ranked_costs;	/* costs that rankings have weights for: all or none */
	int			n_dates;
	int			n_narrow;
	int			n_blocks;
	int			blocks_size;
	float		max_scales[N_SCALES];

	/* of the present block */
	int			count;
	int			numbers[MAX_ITEMS];	/* of items that are offered */
	int			rows[MAX_ITEMS];	/* of these, in the block */
	int			n_offered;
	double		max_bonus;		/* of these, at least 0 */
	ArrayType  *items;
	float		scales[MAX_ITEMS * N_SCALES];
	float	   *narrow;
	int32		sums[MAX_ITEMS * BYTE_LANES];
	float		scores[MAX_ITEMS * BYTE_LANES];
	double		column[MAX_ITEMS];
} BlockScan;

/* The power of two that makes the largest weight about 1: single precision has room then. */
static double
unit_of(const double *weights, int count)
{
	double		largest = 0.0;
	int			exponent;

	for (int i = 0; i < count; i++)
		largest = Max(largest, fabs(weights[i]));
	frexp(largest, &exponent);
	return ldexp(1.0, Max(Min(-exponent, 1000), -1000));
}

/* Pack rankings from "first" on, as many as there are lanes. */
static void
pack_lanes(BlockScan *scan, const Rankings *rankings, int first, Lanes *lanes)
{
	int			count = Min(BYTE_LANES, rankings->count - first);
	int			width = rankings->width;
	int			liked = scan->n_factors + scan->n_columns;
	double	   *weights = AllocateNumbers((Size) count * width);

	for (int r = 0; r < count; r++)
	{
		const double *from = rankings->weights + (Size) (first + r) * width;

		lanes->units[r] = unit_of(from, width);
		for (int i = 0; i < width; i++)
			weights[r * width + i] = from[i] * lanes->units[r];
	}
	byte_pack_weights(scan->n_factors, count, weights, width,
					  palloc(byte_padded(scan->n_factors) * BYTE_LANES + 1), &lanes->factors);
	byte_pack_weights(scan->n_columns, count, weights + scan->n_factors, width,
					  palloc(byte_padded(scan->n_columns) * BYTE_LANES + 1), &lanes->columns);
	lanes->narrow = AllocateMany(sizeof(float), (Size) BYTE_LANES * scan->n_narrow);
	score_pack_float(scan->n_narrow, count, weights + liked, width, lanes->narrow);
	pfree(weights);
}

/* ---------- reading ---------- */

/* Read a block; false if its numbers are not those of the present settings. */
static bool
read_block(BlockScan *scan, const Datum *values, const uint8 **codes)
{
	bytea	   *bytes = DatumGetByteaPP(values[1]);
	ArrayType  *numbers = DatumGetArrayTypeP(values[2]);
	Size		step = item_bytes(scan->n_factors, scan->n_columns);
	int			width = FIRST_COST + scan->n_costs + scan->n_dates;
	const float4 *number = (float4 *) ARR_DATA_PTR(numbers);
	Datum	   *keys = NULL;

	scan->items = DatumGetArrayTypeP(values[0]);
	scan->count = ArrayGetNItems(ARR_NDIM(scan->items), ARR_DIMS(scan->items));
	*codes = (const uint8 *) VARDATA_ANY(bytes);
	if (scan->count == 0 || scan->count > MAX_ITEMS || ARR_HASNULL(scan->items) ||
		VARSIZE_ANY_EXHDR(bytes) != scan->count * step || ARR_HASNULL(numbers) || ARR_NDIM(numbers) != 2 ||
		ARR_DIMS(numbers)[0] != scan->count || ARR_DIMS(numbers)[1] != width)
		return false;
	if (ScoresAllNeighbours(scan->page))
		ArrayKeys(scan->page, PointerGetDatum(scan->items), &keys);
	for (int i = 0; i < scan->count; i++, number += width)
	{
		float	   *narrow = scan->narrow + (Size) i * scan->n_narrow;

		memcpy(scan->scales + i * N_SCALES, *codes + i * step, SCALE_BYTES);
		for (int s = 0; s < N_SCALES; s++)
			scan->max_scales[s] = Max(scan->max_scales[s], scan->scales[i * N_SCALES + s]);
		*narrow++ = number[0];
		for (int d = 0; d < scan->n_dates; d++, narrow += AGES_PER_DATE)
			WriteAges(number[FIRST_COST + scan->n_costs + d], scan->page->settings.now, narrow);
		*narrow++ = keys == NULL ? 0.0f : NeighbourScore(scan->page, keys[i]);
		*narrow++ = number[1];
		memcpy(narrow, number + FIRST_COST, sizeof(float) * scan->n_ranked_costs);
	}
	*codes += SCALE_BYTES;
	return true;
}

/* The items of a block that are offered, and their numbers */
static void
number_items(BlockScan *scan)
{
	Datum	   *keys;

	scan->n_offered = 0;
	scan->max_bonus = 0.0;
	if (scan->eligible != NULL)
		ArrayKeys(scan->page, PointerGetDatum(scan->items), &keys);
	for (int i = 0; i < scan->count; i++)
	{
		int			number = scan->eligible == NULL ? scan->n_blocks * MAX_ITEMS + i :
			FindKey(scan->eligible->numbers, keys[i]);

		if (number < 0 || (scan->eligible != NULL && scan->best->is_found[number]))
			continue;
		if (scan->eligible != NULL)
		{
			scan->best->is_found[number] = true;
			scan->max_bonus = Max(scan->max_bonus, scan->eligible->bonuses[number]);
		}
		scan->numbers[scan->n_offered] = number;
		scan->rows[scan->n_offered++] = i;
	}
}

/* Keep the scores of the items that are offered. */
static void
compact_scores(BlockScan *scan)
{
	for (int i = 0; i < scan->n_offered; i++)
		memmove(scan->scores + i * BYTE_LANES, scan->scores + scan->rows[i] * BYTE_LANES, sizeof(float) * BYTE_LANES);
}

/*
 * Offer the items to a ranking, with their bonuses: single precision would make large
 * ones equal.  Returns false if none can be among the best.
 */
static bool
offer_items(BlockScan *scan, Slate *slate, double unit, int lane, float peak)
{
	const double *bonuses = scan->eligible == NULL ? NULL : scan->eligible->bonuses;

	if (slate_is_beyond(slate, peak + scan->max_bonus * unit))
		return false;
	for (int i = 0; i < scan->n_offered; i++)
	{
		double		score = scan->scores[i * BYTE_LANES + lane];

		if (bonuses != NULL)
			score += bonuses[scan->numbers[i]] * unit;
		if (!slate_is_beyond(slate, score))
			slate_offer(slate, scan->numbers[i], 1, &score, 1);
	}
	return true;
}

/* Remember the items of the present block. */
static void
keep_block(BlockScan *scan)
{
	BestItems  *best = scan->best;
	MemoryContext caller = MemoryContextSwitchTo(scan->page->memory);
	ArrayType  *copy = palloc(VARSIZE(scan->items));

	memcpy(copy, scan->items, VARSIZE(scan->items));
	while (scan->n_blocks >= scan->blocks_size)
	{
		best->blocks = repalloc(best->blocks, sizeof(Datum *) * 2 * scan->blocks_size);
		memset(best->blocks + scan->blocks_size, 0, sizeof(Datum *) * scan->blocks_size);
		scan->blocks_size *= 2;
	}
	ArrayKeys(scan->page, PointerGetDatum(copy), &best->blocks[scan->n_blocks]);
	MemoryContextSwitchTo(caller);
}

static void
score_block(void *reader, const Datum *values, const bool *nulls)
{
	BlockScan  *scan = reader;
	BestItems  *best = scan->best;
	int			step = (int) item_bytes(scan->n_factors, scan->n_columns);
	bool		is_offered = false;
	const uint8 *codes;

	if (!read_block(scan, values, &codes))
		return;
	number_items(scan);
	best->n_items += scan->count;
	for (int p = 0; p < scan->n_lanes && scan->n_offered > 0; p++)
	{
		Lanes	   *lanes = &scan->lanes[p];
		float		peaks[BYTE_LANES];

		score_lanes_float(scan->n_narrow, lanes->narrow, scan->count, scan->narrow, scan->n_narrow,
						  scan->scores, BYTE_LANES);
		byte_sums(&lanes->factors, scan->count, codes, step, scan->sums);
		byte_add_scores(&lanes->factors, scan->count, scan->sums, scan->scales, N_SCALES, scan->scores);
		byte_sums(&lanes->columns, scan->count, codes + byte_padded(scan->n_factors), step, scan->sums);
		byte_add_scores(&lanes->columns, scan->count, scan->sums, scan->scales + 1, N_SCALES, scan->scores);
		if (scan->eligible != NULL)
			compact_scores(scan);
		peak_of_lanes_float(scan->n_offered, scan->scores, peaks);
		for (int l = 0; l < BYTE_LANES && p * BYTE_LANES + l < best->rankings; l++)
			is_offered |= offer_items(scan, &best->slates[p * BYTE_LANES + l], lanes->units[l], l, peaks[l]);
	}
	if (is_offered && scan->eligible == NULL)
		keep_block(scan);
	scan->n_blocks++;
}

/* ---------- the best ---------- */

static Slate *
make_slates(int count, int size, uint64 seed, const EligibleItems *eligible)
{
	Slate	   *slates = AllocateMany(sizeof(Slate), count);
	int			candidates = eligible == NULL ? PG_INT32_MAX : eligible->count;
	const int  *groups = eligible == NULL ? NULL : eligible->groups;
	int			group_count = groups == NULL ? 0 : eligible->group_count;
	int		   *sizes = AllocateMany(sizeof(int), group_count);
	Size		entries = slate_entries(groups == NULL ? size : candidates, size, groups,
										groups == NULL ? 0 : eligible->cap, group_count, sizes);

	for (int i = 0; i < count; i++)
	{
		slate_bind(&slates[i], candidates, size, groups, group_count, sizes,
				   AllocateMany(sizeof(SlateHeap), group_count), AllocateMany(sizeof(SlateEntry), entries));
		slate_begin(&slates[i], seed);
	}
	return slates;
}

/* A score differs from its exact value by rounding, and by a change of the popularity. */
static double *
find_margins(const BlockScan *scan, int rankings)
{
	double	   *margins = AllocateNumbers(rankings);

	for (int r = 0; r < rankings; r++)
	{
		const Lanes *lanes = &scan->lanes[r / BYTE_LANES];
		int			l = r % BYTE_LANES;

		margins[r] = MARGIN_ERRORS * hypot(scan->max_scales[0] * lanes->factors.errors[l],
										   scan->max_scales[1] * lanes->columns.errors[l]) +
			POPULARITY_CHANGE * fabs(lanes->narrow[l]);
	}
	return margins;
}

/*
 * The best items of all blocks, "size" of them under each ranking, or of the eligible
 * items among these.  Ties are broken by random keys that depend on the seed and the
 * item's number.
 */
BestItems *
FindBest(PageRequest *page, const Rankings *rankings, int size, uint64 seed, const EligibleItems *eligible)
{
	BestItems  *best = palloc0(sizeof(BestItems));
	BlockScan  *scan = AllocateZeros(sizeof(BlockScan), 1);

	scan->page = page;
	scan->eligible = eligible;
	scan->best = best;
	scan->n_factors = page->settings.factors;
	scan->n_columns = page->settings.liked - page->settings.factors;
	scan->n_costs = page->settings.constraints;
	scan->n_dates = page->settings.aged / AGES_PER_DATE;
	scan->n_ranked_costs = rankings->width - page->settings.size - 1;
	scan->n_narrow = 1 + page->settings.aged + 2 + scan->n_ranked_costs;
	scan->n_lanes = (rankings->count + BYTE_LANES - 1) / BYTE_LANES;
	scan->lanes = AllocateMany(sizeof(Lanes), scan->n_lanes);
	for (int p = 0; p < scan->n_lanes; p++)
		pack_lanes(scan, rankings, p * BYTE_LANES, &scan->lanes[p]);
	scan->narrow = AllocateMany(sizeof(float), (Size) MAX_ITEMS * scan->n_narrow);
	scan->blocks_size = 64;
	best->rankings = rankings->count;
	best->blocks = AllocateZeros(sizeof(Datum *), scan->blocks_size);
	best->slates = make_slates(rankings->count, size, seed, eligible);
	if (eligible != NULL)
		best->is_found = AllocateZeros(sizeof(bool), eligible->count);
	ReadRows(page, &read_blocks, 0, NULL, score_block, scan);
	for (int r = 0; r < rankings->count; r++)
	{
		slate_end(&best->slates[r]);
		slate_sort(&best->slates[r]);
	}
	best->margins = find_margins(scan, rankings->count);
	return best;
}

/* The item of a number that slates have, where no eligible items were given */
Datum
NumberedItem(const BestItems *best, int number)
{
	return best->blocks[number / MAX_ITEMS][number % MAX_ITEMS];
}
