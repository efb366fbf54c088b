/*
 * blocks.h
 *		Searches for the items with the highest scores, in the tables "block" and "centroid".
 *
 * A row of "block" describes at most MAX_ITEMS similar items.  A row of "centroid" has many means:
 * each is the mean of the items of one or a few blocks.  N_AXES principal axes follow each mean.
 * Their lengths are the standard deviations along them.  For each item, mean or axis, the column
 * "codes" has features rounded to bytes, with two scales (see core/byte_score.h).  The column
 * "numbers" has popularity, the effect on rewards, costs, and dates.  Features of dates are
 * computed when a row is scored.
 */
#ifndef DLINTS_PAGE_BLOCKS_H
#define DLINTS_PAGE_BLOCKS_H

#include "core/byte_score.h"
#include "core/slate.h"
#include "page/keys.h"

/* ---------- the tables ---------- */

/* Maximum number of items in a row of "block", or of means and axes in a row of "centroid" */
#define MAX_ITEMS		256
#define N_SCALES		2
#define SCALE_BYTES		(N_SCALES * sizeof(float4))
/* Index of an item's first cost in the column "numbers" of the table "block" */
#define FIRST_COST		2
/* A row of the table "block" is rewritten if an item's popularity changes by this fraction. */
#define POPULARITY_CHANGE	0.05
/* Standard deviations in "centroid.spreads": one of latent factors, one of features of columns */
#define N_SPREADS		2
/* Number of principal axes that the table "centroid" stores after each mean */
#define N_AXES			2

static inline Size
item_bytes(int factors, int columns)
{
	return SCALE_BYTES + byte_padded(factors) + byte_padded(columns);
}

/* ---------- searches ---------- */

/* Weight vectors by which items are scored: weights of their features, effects and costs */
typedef struct Rankings
{
	int			count;
	int			width;
	double	   *weights;
} Rankings;

/* Items to which a search is limited, with an index from 0 for each item */
typedef struct EligibleItems
{
	KeyTable   *numbers;
	int			count;
	const double *bonuses;		/* bonus that is added to the score of each item */
	const int  *groups;			/* group of each item; NULL: no maximum per group */
	int			group_count;
	int			cap;
} EligibleItems;

/*
 * The items with the highest scores under each weight vector.  Items are numbered by EligibleItems
 * or, in a search without it, by their position in the table "block".
 */
typedef struct BestItems
{
	int			rankings;
	Slate	   *slates;
	double	   *margins;		/* maximum error of a score, for each weight vector */
	double	   *neighbour_weights;
	bool	   *is_found;		/* for each eligible item: does the table "block" contain it? */
	Datum	  **blocks;			/* item keys of each row of "block"; NULL: none of the best */
} BestItems;

extern BestItems *FindBest(PageRequest *page, const Rankings *rankings, int size, uint64 seed,
						   const EligibleItems *eligible);
extern BestItems *FindMostOfBest(PageRequest *page, const Rankings *rankings, int size,
								 uint64 seed);
extern int	UniteBest(const BestItems *best, int **numbers);
extern int	FindNumber(const int *numbers, int count, int number);
extern Datum NumberedItem(const BestItems *best, int number);

#endif							/* DLINTS_PAGE_BLOCKS_H */
