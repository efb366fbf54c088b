/*
 * blocks.c
 *		Find the items with the highest approximate scores under many weight vectors.
 */
#include "postgres.h"

#include "nodes/bitmapset.h"

#include "page/candidates.h"
#include "page/lanes.h"
#include "page/tables.h"
#include "sql/arrays.h"

/* maximum error of a score due to rounded features, in standard errors */
#define MARGIN_ERRORS	4.5

static const PageTable block_table = {"block", 4, {
		{"n", INT4OID}, {"items", ARG_ITEMS}, {"codes", BYTEAOID}, {"numbers", FLOAT4ARRAYOID}}};

typedef struct BlockScan
{
	BlockScorer *scorer;
	const EligibleItems *eligible;
	KeyTable   *excluded;		/* items excluded from the list, or NULL */
	BestItems  *best;
	bool		scores_neighbours;
	int			n_blocks;
	int			blocks_size;	/* allocated length of best->blocks */
	float		max_scales[N_SCALES];

	/* the block of items that is being read */
	ArrayType  *items;
	Datum	   *keys;			/* keys of the block's items; NULL until needed */
	int			n_eligible;		/* number of eligible items in the block */
	/* for each eligible item, the number that identifies it in BestItems */
	int			numbers[MAX_ITEMS];
	/* for each eligible item, its index in the block of items */
	int			positions[MAX_ITEMS];
	/* largest number that is added to the score of an eligible item ("bonus") */
	double		max_bonus;
	/* bit l of an item: may weight vector l rank the item among the best? */
	uint16		masks[MAX_ITEMS];
	bool		has_best;		/* is an item of this block among the best items? */
} BlockScan;

/* ---------- reading ---------- */

static Datum *
keys_of_block(BlockScan *scan)
{
	if (scan->keys == NULL)
		ArrayKeys(scan->scorer->page, PointerGetDatum(scan->items), &scan->keys);
	return scan->keys;
}

/* Read a row of the table "block", which has several items.  Returns false if it is invalid. */
static bool
read_block(BlockScan *scan, const Datum *values)
{
	const float *scales = scan->scorer->scales;
	float		max_scales[N_SCALES];	/* copy of scan->max_scales in CPU registers */
	int			count;

	scan->items = DatumGetArrayTypeP(values[1]);
	scan->keys = NULL;
	scan->has_best = false;
	count = ArrayGetNItems(ARR_NDIM(scan->items), ARR_DIMS(scan->items));
	if (ARR_HASNULL(scan->items) ||
		!ReadBlockRow(scan->scorer, count, 0, values[2], values[3],
					  scan->scores_neighbours ? keys_of_block(scan) : NULL))
		return false;
	memcpy(max_scales, scan->max_scales, sizeof(max_scales));
	for (int i = 0; i < count; i++, scales += N_SCALES)
		for (int s = 0; s < N_SCALES; s++)
			max_scales[s] = Max(max_scales[s], scales[s]);
	memcpy(scan->max_scales, max_scales, sizeof(max_scales));
	return true;
}

/* Find the eligible items of a block, and set their identifying numbers (see BestItems). */
static void
number_items(BlockScan *scan)
{
	int			count = scan->scorer->count;
	int			n_eligible = 0;

	scan->max_bonus = 0.0;
	for (int i = 0; scan->eligible == NULL && i < count; i++)
	{
		scan->numbers[i] = scan->n_blocks * MAX_ITEMS + i;
		scan->positions[i] = i;
	}
	for (int i = 0; scan->eligible != NULL && i < count; i++)
	{
		int			number = FindKey(scan->eligible->numbers, keys_of_block(scan)[i]);

		if (number < 0 || scan->best->is_found[number])
			continue;
		scan->best->is_found[number] = true;
		scan->max_bonus = Max(scan->max_bonus, scan->eligible->bonuses[number]);
		scan->numbers[n_eligible] = number;
		scan->positions[n_eligible++] = i;
	}
	scan->n_eligible = scan->eligible == NULL ? count : n_eligible;
}

/* For each item of a block, find the weight vectors under which the item may be among the best. */
static void
find_masks(BlockScan *scan, const Lanes *lanes, const Slate *slates)
{
	float		limits[BYTE_LANES];

	for (int l = 0; l < BYTE_LANES; l++)
		limits[l] = l >= lanes->count ? INFINITY :
			nextafterf((float) (slate_least(&slates[l]) - scan->max_bonus * lanes->units[l]),
					   -INFINITY);
	byte_compare(scan->n_eligible, scan->scorer->scores, limits, scan->masks);
}

/*
 * Offer an item to the best items under each weight vector whose bit is set in the item's mask.
 *
 * We add bonuses in double precision, because rounding to float could make different sums equal.
 */
static void
offer_item(BlockScan *scan, int item, const Lanes *lanes, Slate *slates)
{
	int			number = scan->numbers[item];
	double		bonus = scan->eligible == NULL ? 0.0 : scan->eligible->bonuses[number];

	if (scan->excluded != NULL &&
		FindKey(scan->excluded, keys_of_block(scan)[scan->positions[item]]) >= 0)
		return;
	for (int l = 0; l < lanes->count; l++)
	{
		double		score = scan->scorer->scores[item * BYTE_LANES + l] + bonus * lanes->units[l];

		if ((scan->masks[item] & (1 << l)) == 0 || score < slate_least(&slates[l]))
			continue;
		slate_offer(&slates[l], number, 1, &score, 1);
		scan->has_best = true;
	}
}

static void
keep_block(BlockScan *scan)
{
	BestItems  *best = scan->best;
	MemoryContext caller = MemoryContextSwitchTo(scan->scorer->page->memory);
	ArrayType  *copy = palloc(VARSIZE(scan->items));

	memcpy(copy, scan->items, VARSIZE(scan->items));
	while (scan->n_blocks >= scan->blocks_size)
		best->blocks = GrowArray(best->blocks, scan->n_blocks, &scan->blocks_size, sizeof(Datum *));
	ArrayKeys(scan->scorer->page, PointerGetDatum(copy), &best->blocks[scan->n_blocks]);
	MemoryContextSwitchTo(caller);
}

static void
score_block(void *reader, const Datum *values, const bool *nulls)
{
	BlockScan  *scan = reader;
	BlockScorer *scorer = scan->scorer;
	BestItems  *best = scan->best;

	if (!read_block(scan, values))
		return;
	number_items(scan);
	for (int p = 0; p < scorer->n_lanes && scan->n_eligible > 0; p++)
	{
		Lanes	   *lanes = &scorer->lanes[p];
		Slate	   *slates = &best->slates[(Size) p * BYTE_LANES];

		ScoreBlockRow(scorer, lanes);
		for (int i = 0; scan->eligible != NULL && i < scan->n_eligible; i++)
			memmove(&scorer->scores[(Size) i * BYTE_LANES],
					&scorer->scores[(Size) scan->positions[i] * BYTE_LANES],
					sizeof(float) * BYTE_LANES);
		find_masks(scan, lanes, slates);
		for (int i = 0; i < scan->n_eligible; i++)
			if (scan->masks[i] != 0)
				offer_item(scan, i, lanes, slates);
	}
	if (scan->has_best && scan->eligible == NULL)
		keep_block(scan);
	scan->n_blocks++;
}

/* ---------- searches ---------- */

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
				   AllocateMany(sizeof(SlateHeap), group_count),
				   AllocateMany(sizeof(SlateEntry), entries));
		slate_begin(&slates[i], seed);
	}
	return slates;
}

/* For each weight vector, set the maximum error of scores and the weight of neighbour scores. */
static void
describe_rankings(const BlockScan *scan, BestItems *best)
{
	int			neighbour = 1 + scan->scorer->page->settings.aged;

	best->margins = AllocateNumbers(best->rankings);
	best->neighbour_weights = AllocateNumbers(best->rankings);
	for (int r = 0; r < best->rankings; r++)
	{
		const Lanes *lanes = &scan->scorer->lanes[r / BYTE_LANES];
		int			l = r % BYTE_LANES;
		double		factor_error = (double) scan->max_scales[0] * lanes->factors.errors[l];
		double		column_error = (double) scan->max_scales[1] * lanes->columns.errors[l];

		best->margins[r] = MARGIN_ERRORS * hypot(factor_error, column_error) +
			POPULARITY_CHANGE * fabs((double) lanes->narrow[l]);
		best->neighbour_weights[r] = lanes->narrow[(Size) neighbour * BYTE_LANES + l];
	}
}

static BlockScan *
begin_scan(PageRequest *page, const Rankings *rankings, int size, uint64 seed,
		   const EligibleItems *eligible)
{
	BlockScan  *scan = AllocateZeros(sizeof(BlockScan), 1);
	BestItems  *best = palloc0(sizeof(BestItems));

	ForgetScoredNeighbours(page);
	scan->scorer = CreateBlockScorer(page, rankings);
	scan->eligible = eligible;
	scan->excluded = eligible == NULL ? ExcludedKeys(page) : NULL;
	scan->best = best;
	best->rankings = rankings->count;
	best->slates = make_slates(rankings->count, size, seed, eligible);
	if (eligible != NULL)
		best->is_found = AllocateZeros(sizeof(bool), eligible->count);
	return scan;
}

static BestItems *
end_scan(BlockScan *scan)
{
	BestItems  *best = scan->best;

	for (int r = 0; r < best->rankings; r++)
	{
		slate_end(&best->slates[r]);
		slate_sort(&best->slates[r]);
	}
	describe_rankings(scan, best);
	return best;
}

/*
 * Find the "size" items with the highest scores under each weight vector, among "eligible" items.
 * Searches all items if "eligible" is NULL.
 */
BestItems *
FindBest(PageRequest *page, const Rankings *rankings, int size, uint64 seed,
		 const EligibleItems *eligible)
{
	BlockScan  *scan = begin_scan(page, rankings, size, seed, eligible);

	scan->scores_neighbours = ScoresAllNeighbours(page);
	ReadTable(page, &block_table, score_block, scan);
	return end_scan(scan);
}

/*
 * Find most of the best items under each weight vector, without reading all items.
 *
 * All weight vectors are treated equally, because an item's propensity is the fraction of weight
 * vectors that choose the item.
 */
BestItems *
FindMostOfBest(PageRequest *page, const Rankings *rankings, int size, uint64 seed)
{
	BlockScan  *scan = begin_scan(page, rankings, size, seed, NULL);
	BlockChoice *choice = RankBlocks(scan->scorer);
	TableLookup *blocks = BeginLookup(page, &block_table);
	const int  *numbers;
	int			count;

	scan->scores_neighbours = HasNeighbours(page);
	while ((count = NextBlocks(choice, scan->best->slates, &numbers)) > 0)
		for (int i = 0; i < count; i++)
		{
			Datum		number = Int32GetDatum(numbers[i]);

			LookUp(blocks, number, 1, score_block, scan);
		}
	EndLookup(blocks);
	return end_scan(scan);
}

/* Return the key of one of the best items, given its identifying number (see BestItems). */
Datum
NumberedItem(const BestItems *best, int number)
{
	return best->blocks[number / MAX_ITEMS][number % MAX_ITEMS];
}

/* ---------- results of a search ---------- */

static int
compare_numbers(const void *a, const void *b)
{
	int			first = *(const int *) a;
	int			second = *(const int *) b;

	return first < second ? -1 : first > second;
}

/* Write the sorted numbers of items that are best under a weight vector.  Returns their count. */
int
UniteBest(const BestItems *best, int **numbers)
{
	Bitmapset  *all = NULL;
	int			count = 0;

	for (int r = 0; r < best->rankings; r++)
		for (int i = 0; i < best->slates[r].best.count; i++)
			all = bms_add_member(all, best->slates[r].best.entries[i].candidate);
	*numbers = AllocateMany(sizeof(int), bms_num_members(all));
	for (int number = -1; (number = bms_next_member(all, number)) >= 0;)
		(*numbers)[count++] = number;
	bms_free(all);
	return count;
}

/* Return the index of a number in a sorted array, or -1 if the array lacks the number. */
int
FindNumber(const int *numbers, int count, int number)
{
	const int  *found = bsearch(&number, numbers, count, sizeof(int), compare_numbers);

	return found == NULL ? -1 : (int) (found - numbers);
}
