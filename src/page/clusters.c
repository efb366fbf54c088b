/*
 * clusters.c
 *		Choose the blocks of items that a search in a large catalogue reads.
 *
 * A centroid has the mean, principal axes and spread of the items in one or more blocks, from which
 * we estimate the highest score of these items.  We read blocks in descending order of estimates,
 * until no other estimate is high enough, or until we have read MAX_PORTIONS portions.
 *
 * New blocks have no centroid, and are always read.
 */
#include "postgres.h"

#include "core/ages.h"
#include "core/score.h"
#include "page/lanes.h"
#include "page/tables.h"
#include "sql/arrays.h"

/* Number of centroids whose blocks of items a call of NextBlocks() chooses */
#define PORTION			12
/* maximum number of calls of NextBlocks() per search */
#define MAX_PORTIONS	48
/* maximum number of items that a search finds without reading all blocks of items */
#define MAX_BEST		250
/*
 * Number of standard deviations by which the estimated highest score of a centroid's items exceeds
 * their mean score.
 *
 * In two real logs, the items found had .995 of the score of the best items with 10 standard
 * deviations, and .989 with 8.
 */
#define SPREADS			10.0f
/* number of standard deviations by which initial thresholds exceed the mean of estimated scores */
#define FIRST_THRESHOLD	2.0

static const PageTable centroid_table = {"centroid", 4, {
		{"blocks", INT4ARRAYOID}, {"codes", BYTEAOID}, {"numbers", FLOAT4ARRAYOID}, {"spreads", FLOAT4ARRAYOID}}};

/* First and last key in the table "block" of consecutive blocks with a common centroid */
typedef struct BlockRange
{
	int32		first;
	int32		last;
} BlockRange;

struct BlockChoice
{
	BlockScorer *scorer;
	int			rankings;
	int			n_blocks;		/* number of blocks of items */
	/* for each block: does it have a centroid, and has it not been read yet? */
	bool	   *is_deferred;
	int			count;			/* number of centroids */
	BlockRange *ranges;			/* keys of the blocks of items that each centroid describes */
	float	   *bounds;			/* estimated highest score for each centroid and weight vector */
	/* factors of variances for each weight vector: squared weights, or squared norms of weights */
	float	   *squares;
	float	   *variances;		/* work space: variances of the features around each centroid */
	/* for each weight vector, the minimum estimate of a centroid whose blocks we read */
	float	   *thresholds;
	/* sort keys of centroids; those with the smallest keys are read first */
	double	   *keys;
	int		   *unread;			/* indexes of centroids with unread blocks */
	int			n_unread;
	int		   *chosen;			/* blocks of items to read next, as keys of the table "block" */
	int			n_portions;		/* number of calls of NextBlocks() */
};

/* Does a search for "size" items skip blocks of items with low estimated scores? */
bool
HasClusters(const PageRequest *page, int size)
{
	return size <= MAX_BEST && HasRows(page, "centroid");
}

/* ---------- centroids ---------- */

/*
 * Write features of dates for each centroid to "variances", from which write_variances() computes
 * variances.  We take the date closest to now, from mean - spread to mean + spread.
 */
static void
write_least_ages(const BlockScorer *scorer, const float4 *spreads, int spreads_step,
				 float *variances, int variances_step)
{
	float4		dates[MAX_ITEMS];
	double		now = scorer->now;

	for (int d = 0; d < scorer->n_dates; d++)
	{
		int			first = FIRST_COST + scorer->n_costs;
		const float4 *date = scorer->numbers + first + d;

		for (int i = 0; i < scorer->count; i++, date += first + scorer->n_dates)
		{
			double		spread = spreads[(Size) i * spreads_step + d];
			double		earliest = *date - spread;
			double		latest = *date + spread;
			double		nearest = latest < now ? latest : now;

			dates[i] = (float4) (earliest > nearest ? earliest : nearest);
		}
		write_ages(scorer->count, dates, 1, scorer->now, variances + (Size) d * AGES_PER_DATE,
				   variances_step);
	}
}

static inline float
square(float number)
{
	return number * number;
}

/*
 * Write the variances of the features around a centroid.  "spreads" has standard deviations of
 * latent factors and of features from columns, and largest distances of other features.  For dates,
 * "variances" has features from write_least_ages().
 */
static void
write_variances(const BlockScorer *scorer, int item, const float4 *spreads, float *variances)
{
	const float *narrow = scorer->narrow + (Size) item * scorer->n_narrow;
	const float4 *number_spreads = spreads + N_SPREADS;
	float	   *next = variances + N_SPREADS;

	for (int s = 0; s < N_SPREADS; s++)
		variances[s] = square(spreads[s]);
	*next++ = square(number_spreads[0]);
	for (int s = 1; s <= scorer->n_dates * AGES_PER_DATE; s++, next++)
		*next = square(*next - narrow[s]);
	*next++ = 0.0f;				/* neighbour score, which rows of "centroid" lack */
	*next++ = square(number_spreads[1]);
	for (int c = 0; c < scorer->n_ranked_costs; c++)
		*next++ = square(number_spreads[FIRST_COST + c]);
}

/* Return the estimated highest scores for each centroid, under BYTE_LANES weight vectors. */
static float *
bounds_of(const BlockChoice *choice, int pack)
{
	return choice->bounds + (Size) pack * choice->n_blocks * BOUND_NUMBERS;
}

/* Read a row of the table "centroid", and estimate the highest score for each centroid in it. */
static void
add_centroids(void *reader, const Datum *values, const bool *nulls)
{
	BlockChoice *choice = reader;
	BlockScorer *scorer = choice->scorer;
	ArrayType  *blocks = DatumGetArrayTypeP(values[0]);
	const BlockRange *ranges = (BlockRange *) ARR_DATA_PTR(blocks);
	int			count = ARR_NDIM(blocks) == 2 && ARR_DIMS(blocks)[1] == 2 ? ARR_DIMS(blocks)[0] : 0;
	ArrayType  *spreads = DatumGetArrayTypeP(values[3]);
	int			width = N_SPREADS + FIRST_COST + scorer->n_costs + scorer->n_dates;
	int			n_variances = N_SPREADS + scorer->n_narrow;

	if (ARR_HASNULL(blocks) || ARR_HASNULL(spreads) || ARR_NDIM(spreads) != 2 ||
		ARR_DIMS(spreads)[0] != count || ARR_DIMS(spreads)[1] != width ||
		count > choice->n_blocks - choice->count ||
		!ReadBlockRow(scorer, count, N_AXES, values[1], values[2], NULL))
		return;
	write_least_ages(scorer, (float4 *) ARR_DATA_PTR(spreads) + width - scorer->n_dates, width,
					 choice->variances + N_SPREADS + 1, n_variances);
	for (int i = 0; i < count; i++)
		write_variances(scorer, i, (float4 *) ARR_DATA_PTR(spreads) + (Size) i * width,
						choice->variances + (Size) i * n_variances);
	for (int p = 0; p < scorer->n_lanes; p++)
	{
		float	   *bounds = bounds_of(choice, p) + (Size) choice->count * BOUND_NUMBERS;

		ScoreBlockRow(scorer, &scorer->lanes[p]);
		score_lanes_float(n_variances, choice->squares + (Size) p * n_variances * BYTE_LANES, count,
						  choice->variances, n_variances, bounds + BYTE_LANES, BOUND_NUMBERS);
		byte_write_bounds(count, N_AXES, scorer->scores, SPREADS, bounds);
	}
	for (int i = 0; i < count; i++)
	{
		BlockRange	range = {Max(ranges[i].first, 0), Min(ranges[i].last, choice->n_blocks - 1)};

		for (int n = range.first; n <= range.last; n++)
			choice->is_deferred[n] = true;
		choice->ranges[choice->count++] = range;
	}
}

/* Set the initial thresholds, which the estimates for only a few centroids exceed. */
static void
estimate_thresholds(const BlockChoice *choice)
{
	double		count = Max(choice->count, 1);

	for (int p = 0; p < choice->scorer->n_lanes; p++)
	{
		const float *bounds = bounds_of(choice, p);
		double		sums[BYTE_LANES] = {0.0};
		double		squares[BYTE_LANES] = {0.0};

		for (int i = 0; i < choice->count; i++)
			for (int l = 0; l < BYTE_LANES; l++)
			{
				double		bound = bounds[(Size) i * BOUND_NUMBERS + l];

				sums[l] += bound;
				squares[l] += bound * bound;
			}
		for (int l = 0; l < choice->scorer->lanes[p].count; l++)
		{
			double		mean = sums[l] / count;
			double		variance = squares[l] / count - mean * mean;

			choice->thresholds[p * BYTE_LANES + l] =
				(float) (mean + FIRST_THRESHOLD * sqrt(Max(variance, 0.0)));
		}
	}
}

/* Read the table "centroid", and estimate the highest score for each centroid. */
BlockChoice *
RankBlocks(BlockScorer *scorer)
{
	const PageSettings *settings = &scorer->page->settings;
	BlockChoice *choice = palloc0(sizeof(BlockChoice));
	int			n_variances = N_SPREADS + scorer->n_narrow;
	int			n_lanes = scorer->n_lanes * BYTE_LANES;

	choice->scorer = scorer;
	choice->n_blocks = (int) (settings->block_items / settings->block_slots);
	choice->is_deferred = AllocateZeros(sizeof(bool), choice->n_blocks);
	choice->ranges = AllocateMany(sizeof(BlockRange), choice->n_blocks);
	choice->bounds = AllocateMany(sizeof(float) * BOUND_NUMBERS,
								  (Size) choice->n_blocks * scorer->n_lanes);
	choice->squares = AllocateMany(sizeof(float), (Size) n_variances * n_lanes);
	choice->variances = AllocateMany(sizeof(float), (Size) MAX_ITEMS * n_variances);
	choice->thresholds = AllocateMany(sizeof(float), n_lanes);
	for (int p = 0; p < scorer->n_lanes; p++)
	{
		float	   *squares = choice->squares + (Size) p * n_variances * BYTE_LANES;

		choice->rankings += scorer->lanes[p].count;
		/* byte_write_bounds() multiplies all by SPREADS, but largest distances must count once */
		for (int i = 0; i < n_variances * BYTE_LANES; i++)
			squares[i] = square(scorer->lanes[p].lengths[i] /
								(i < N_SPREADS * BYTE_LANES ? 1.0f : SPREADS));
	}
	ReadTable(scorer->page, &centroid_table, add_centroids, choice);
	for (int l = 0; l < n_lanes; l++)
		choice->thresholds[l] = INFINITY;
	estimate_thresholds(choice);
	choice->keys = AllocateNumbers(choice->count);
	choice->unread = AllocateMany(sizeof(int), choice->count);
	choice->chosen = AllocateMany(sizeof(int), choice->n_blocks);
	choice->n_unread = choice->count;
	for (int i = 0; i < choice->count; i++)
		choice->unread[i] = i;
	return choice;
}

/* ---------- the choice ---------- */

/*
 * Move the centroids whose blocks may contain better items to the front of choice->unread.
 * Returns their number.
 */
static int
find_promising(BlockChoice *choice)
{
	int			count = 0;

	for (int i = 0; i < choice->n_unread; i++)
		choice->keys[choice->unread[i]] = 0.0;
	for (int p = 0; p < choice->scorer->n_lanes; p++)
		byte_subtract_excesses(choice->n_unread, choice->unread, bounds_of(choice, p),
							   choice->thresholds + (Size) p * BYTE_LANES, choice->keys);
	for (int i = 0; i < choice->n_unread; i++)
	{
		int			centroid = choice->unread[i];

		if (choice->keys[centroid] < 0.0)
		{
			choice->unread[i] = choice->unread[count];
			choice->unread[count++] = centroid;
		}
	}
	return count;
}

/* Choose the blocks of items to read next.  Returns 0 at the end of the search. */
int
NextBlocks(BlockChoice *choice, const Slate *found, const int **numbers)
{
	int			n_promising;
	int			count;
	int			n_chosen = 0;

	*numbers = choice->chosen;
	if (choice->n_portions == MAX_PORTIONS)
		return 0;
	for (int r = 0; choice->n_portions > 0 && r < choice->rankings; r++)
		choice->thresholds[r] = (float) slate_least(&found[r]);
	n_promising = find_promising(choice);
	if (choice->n_portions > 0)
		choice->n_unread = n_promising;
	count = Min(PORTION, choice->n_unread);
	select_smallest(choice->keys, choice->n_unread, choice->unread, count);
	select_smallest(choice->keys, count, choice->unread, count / 4);
	for (int n = 0; choice->n_portions == 0 && n < choice->n_blocks; n++)
		if (!choice->is_deferred[n])
			choice->chosen[n_chosen++] = n;
	for (int i = 0; i < count; i++)
	{
		BlockRange	range = choice->ranges[choice->unread[i]];

		for (int n = range.first; n <= range.last; n++)
			if (choice->is_deferred[n])
			{
				choice->is_deferred[n] = false;
				choice->chosen[n_chosen++] = n;
			}
	}
	choice->unread += count;
	choice->n_unread -= count;
	choice->n_portions++;
	return n_chosen;
}
