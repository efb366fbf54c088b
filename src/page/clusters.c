/*
 * clusters.c
 *		Choice of the blocks that are searched in large catalogues.
 *
 * Blocks contain similar items, and the table "centroid" has their means and spreads.
 * Under each ranking, the bound of a block is the score of its mean plus a number of
 * standard deviations.  We read the blocks with the highest bounds, in portions, until
 * no other bound exceeds the scores of the items found.  Blocks without a centroid are
 * always read: they were added after the last clustering.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "core/numbers.h"
#include "core/score.h"
#include "page/lanes.h"
#include "page/tables.h"
#include "sql/arrays.h"

/*
 * Number of blocks in a portion: MIN_BLOCKS, or ROOT_BLOCKS times the root of the number of
 * blocks
 */
#define MIN_BLOCKS		128
#define ROOT_BLOCKS		3.2
#define MAX_PORTIONS	4
/* Minimum number of items to read per item that is searched for */
#define ITEMS_PER_BEST	50
/* Standard deviations of scores between the mean of a block and its bound */
#define SPREADS			3.0f

static const PageTable centroid_table = {"centroid", 4, {
		{"blocks", INT4ARRAYOID}, {"codes", BYTEAOID}, {"numbers", FLOAT4ARRAYOID}, {"spreads", FLOAT4ARRAYOID}}};

struct BlockChoice
{
	BlockScorer  *scorer;
	int			rankings;
	int			n_blocks;		/* upper bound of block numbers, exclusive */
	bool	   *has_centroid;
	int			count;			/* number of blocks with a centroid */
	int			size;			/* allocated length of the arrays */
	int		   *numbers;		/* number of each block with a centroid */
	float	   *bounds;			/* bounds by block with a centroid, and ranking */
	float	   *deviations;		/* working space for write_deviations() */
	double	   *keys;			/* sort key of each block with a centroid */
	bool	   *is_read;
	int			n_portions;		/* number of portions that were chosen */
};

static int
portion_size(int n_blocks)
{
	return Max(MIN_BLOCKS, (int) (ROOT_BLOCKS * sqrt(n_blocks)));
}

/*
 * Are there centroids, and does a portion have enough items to search for the "size" best
 * ones?
 */
bool
HasClusters(const PageRequest *page, int size)
{
	const PageSettings *settings = &page->settings;
	int			n_blocks = (int) (settings->block_items / settings->block_slots);
	int64		n_items = (int64) portion_size(n_blocks) * settings->block_slots;

	return (int64) size * ITEMS_PER_BEST <= n_items && HasRows(page, "centroid");
}

/* ---------- centroids ---------- */

/*
 * Write the standard deviations of a block's numbers, in the order of lanes.  For a
 * number that is not a factor or column, the largest distance from the mean counts as
 * SPREADS standard deviations.  If a ranking depends on this number only, the bound is
 * then no less than the score of the block's best item.  For features of dates, the
 * largest distance is that of the date closest to the current time.
 */
static void
write_deviations(const BlockScorer *scorer, int item, const float4 *spreads, float *deviations)
{
	const float4 *numbers = scorer->numbers +
		(Size) item * (FIRST_COST + scorer->n_costs + scorer->n_dates);
	const float *narrow = scorer->narrow + (Size) item * scorer->n_narrow;
	const float4 *number_spreads = spreads + N_SPREADS;
	float	   *next = deviations + N_SPREADS;

	memcpy(deviations, spreads, sizeof(float) * N_SPREADS);
	*next++ = number_spreads[0] / SPREADS;
	for (int d = 0; d < scorer->n_dates; d++, next += AGES_PER_DATE)
	{
		int			column = FIRST_COST + scorer->n_costs + d;
		double		date = Max(numbers[column] - (double) number_spreads[column],
							   Min(numbers[column] + (double) number_spreads[column], scorer->now));

		WriteAges(date, scorer->now, next);
		for (int s = 0; s < AGES_PER_DATE; s++)
			next[s] = (next[s] - narrow[1 + d * AGES_PER_DATE + s]) / SPREADS;
	}
	*next++ = 0.0f;				/* neighbour score */
	*next++ = number_spreads[1] / SPREADS;
	for (int c = 0; c < scorer->n_ranked_costs; c++)
		*next++ = number_spreads[FIRST_COST + c] / SPREADS;
}

/* Allocate space for the blocks of another row of centroids. */
static void
grow_choice(BlockChoice *choice)
{
	if (choice->count + MAX_ITEMS <= choice->size)
		return;
	choice->size *= 2;
	choice->numbers = repalloc_huge(choice->numbers, sizeof(int) * choice->size);
	choice->bounds = repalloc_huge(choice->bounds, sizeof(float) * choice->size * choice->rankings);
}

/* Add the bounds of a row of centroids.  Malformed rows are ignored. */
static void
add_centroids(void *reader, const Datum *values, const bool *nulls)
{
	BlockChoice *choice = reader;
	BlockScorer  *scorer = choice->scorer;
	ArrayType  *blocks = DatumGetArrayTypeP(values[0]);
	const int32 *numbers = (int32 *) ARR_DATA_PTR(blocks);
	int			count = ArrayGetNItems(ARR_NDIM(blocks), ARR_DIMS(blocks));
	ArrayType  *spreads = DatumGetArrayTypeP(values[3]);
	int			width = N_SPREADS + FIRST_COST + scorer->n_costs + scorer->n_dates;

	if (ARR_HASNULL(blocks) || ARR_HASNULL(spreads) || ARR_NDIM(spreads) != 2 ||
		ARR_DIMS(spreads)[0] != count || ARR_DIMS(spreads)[1] != width ||
		!ReadBlockRow(scorer, count, values[1], values[2], NULL))
		return;
	grow_choice(choice);
	for (int p = 0; p < scorer->n_lanes; p++)
	{
		const Lanes *lanes = &scorer->lanes[p];

		ScoreBlockRow(scorer, lanes);
		for (int i = 0; i < count; i++)
		{
			float	   *scores = scorer->scores + (Size) i * BYTE_LANES;

			write_deviations(scorer, i, (float4 *) ARR_DATA_PTR(spreads) + (Size) i * width,
							 choice->deviations);
			byte_add_spreads(N_SPREADS + scorer->n_narrow, lanes->lengths, choice->deviations,
							 SPREADS, scores);
			memcpy(choice->bounds + (Size) (choice->count + i) * choice->rankings +
				   (Size) p * BYTE_LANES, scores, sizeof(float) * lanes->count);
		}
	}
	for (int i = 0; i < count; i++)
		if (numbers[i] >= 0 && numbers[i] < choice->n_blocks)
			choice->has_centroid[numbers[i]] = true;
	memcpy(choice->numbers + choice->count, numbers, sizeof(int) * count);
	choice->count += count;
}

/* Compute the mean and the standard deviation of the bounds under each ranking. */
static void
describe_bounds(const BlockChoice *choice, double *means, double *stddevs)
{
	const float *bound = choice->bounds;

	for (int i = 0; i < choice->count; i++)
		for (int r = 0; r < choice->rankings; r++, bound++)
		{
			means[r] += (double) *bound / choice->count;
			stddevs[r] += (double) *bound * *bound / choice->count;
		}
	for (int r = 0; r < choice->rankings; r++)
		stddevs[r] = sqrt(Max(stddevs[r] - means[r] * means[r], 0.0));
}

/*
 * Compute a sort key per block: the largest of its bounds, negated.  Bounds are
 * standardized first, so that those of different rankings can be compared.
 */
static void
find_keys(BlockChoice *choice)
{
	double	   *means = AllocateZeros(sizeof(double), choice->rankings);
	double	   *stddevs = AllocateZeros(sizeof(double), choice->rankings);

	choice->keys = AllocateNumbers(choice->count);
	describe_bounds(choice, means, stddevs);
	for (int i = 0; i < choice->count; i++)
	{
		double		largest = -DBL_MAX;

		for (int r = 0; r < choice->rankings; r++)
		{
			double		bound =
				(choice->bounds[(Size) i * choice->rankings + r] - means[r]) / stddevs[r];

			largest = Max(largest, isfinite(bound) ? bound : 0.0);
		}
		choice->keys[i] = -largest;
	}
}

/* Read the centroids of all blocks, and compute the bounds. */
BlockChoice *
RankBlocks(BlockScorer *scorer)
{
	const PageSettings *settings = &scorer->page->settings;
	BlockChoice *choice = palloc0(sizeof(BlockChoice));

	choice->scorer = scorer;
	choice->rankings = 0;
	for (int p = 0; p < scorer->n_lanes; p++)
		choice->rankings += scorer->lanes[p].count;
	choice->n_blocks = (int) (settings->block_items / settings->block_slots);
	choice->size = choice->n_blocks + MAX_ITEMS;
	choice->has_centroid = AllocateZeros(sizeof(bool), choice->n_blocks);
	choice->numbers = AllocateMany(sizeof(int), choice->size);
	choice->bounds = AllocateMany(sizeof(float), (Size) choice->size * choice->rankings);
	choice->deviations = AllocateMany(sizeof(float), N_SPREADS + scorer->n_narrow);
	ReadTable(scorer->page, &centroid_table, add_centroids, choice);
	find_keys(choice);
	choice->is_read = AllocateZeros(sizeof(bool), choice->count);
	return choice;
}

/* ---------- the choice ---------- */

typedef struct RankedBlock
{
	double		key;
	int			block;
} RankedBlock;

static int
compare_keys(const void *a, const void *b)
{
	double		first = ((const RankedBlock *) a)->key;
	double		second = ((const RankedBlock *) b)->key;

	return first < second ? -1 : first > second;
}

/*
 * Choose a portion of the blocks in "order", those with the smallest keys, sorted by key.
 * Most of the best items are then found early.  Returns the number of blocks.
 */
static int
choose_portion(BlockChoice *choice, int *order, int count, int *chosen)
{
	int			limit = portion_size(choice->n_blocks);
	RankedBlock *ranked;

	if (count > limit)
		select_smallest(choice->keys, count, order, limit);
	count = Min(count, limit);
	ranked = AllocateMany(sizeof(RankedBlock), count);
	for (int i = 0; i < count; i++)
	{
		ranked[i] = (RankedBlock) {choice->keys[order[i]], order[i]};
		choice->is_read[order[i]] = true;
	}
	qsort(ranked, count, sizeof(RankedBlock), compare_keys);
	for (int i = 0; i < count; i++)
		chosen[i] = choice->numbers[ranked[i].block];
	return count;
}

/* Does a bound of a block exceed the minimum score of the items found? */
static bool
has_higher_bound(const BlockChoice *choice, int block, const float *thresholds)
{
	const float *bounds = choice->bounds + (Size) block * choice->rankings;

	for (int r = 0; r < choice->rankings; r++)
		if (bounds[r] > thresholds[r])
			return true;
	return false;
}

/*
 * Choose the blocks to read next, given the minimum scores of the best items found so
 * far: those with the highest bounds, if a bound exceeds such a score.  All blocks without
 * a centroid are in the first portion.  Writes their numbers and returns the count; 0 at
 * the end.
 */
int
NextBlocks(BlockChoice *choice, const float *thresholds, const int **numbers)
{
	int		   *chosen = AllocateMany(sizeof(int), (Size) choice->n_blocks + choice->count);
	int		   *order = AllocateMany(sizeof(int), choice->count);
	int			count = 0;

	*numbers = chosen;
	if (choice->n_portions == MAX_PORTIONS)
		return 0;
	for (int i = 0; i < choice->count; i++)
		if (!choice->is_read[i] &&
			(choice->n_portions == 0 || has_higher_bound(choice, i, thresholds)))
			order[count++] = i;
	count = choose_portion(choice, order, count, chosen);
	for (int n = 0; choice->n_portions == 0 && n < choice->n_blocks; n++)
		if (!choice->has_centroid[n])
			chosen[count++] = n;
	choice->n_portions++;
	return count;
}
