/*
 * blocks.h
 *		Search for the items with the highest scores in the tables "block" and "centroid".
 *
 * A row of "block" stores up to MAX_ITEMS similar items: features rounded to bytes in the column
 * "codes", and popularity, effects on rewards, costs and dates in "numbers".  A row of "centroid"
 * stores many centroids.  A centroid is the mean of the items in one or more successive blocks, and
 * N_AXES principal axes.  The length of an axis is the standard deviation along the axis.
 */
#ifndef DLINTS_PAGE_BLOCKS_H
#define DLINTS_PAGE_BLOCKS_H

#include "core/byte_score.h"
#include "core/slate.h"
#include "page/keys.h"

/* ---------- the tables ---------- */

/* Maximum number of items in a row of "block", and of means and axes in a row of "centroid" */
#define MAX_ITEMS		256
#define N_SCALES		2
#define SCALE_BYTES		(N_SCALES * sizeof(float4))
/* Index of an item's first cost among its numbers in the table "block" */
#define FIRST_COST		2
/* Relative change of an item's popularity that makes us rewrite its row of the table "block" */
#define POPULARITY_CHANGE	0.05
/* Standard deviations per centroid: of latent factors, of other features */
#define N_SPREADS		2
/* Number of principal axes per centroid */
#define N_AXES			2

static inline Size
item_bytes(int factors, int columns)
{
	return SCALE_BYTES + byte_padded(factors) + byte_padded(columns);
}

/* ---------- searches ---------- */

/* Weight vectors by which items are ranked: weights of features, of the item's effect, of costs */
typedef struct Rankings
{
	int			count;
	int			width;
	double	   *weights;
} Rankings;

/* Items to which a search is limited, with an identifying number from 0 for each item */
typedef struct EligibleItems
{
	KeyTable   *numbers;
	int			count;
	/* number added to the score of each item, such as the setting "bonus" */
	const double *bonuses;
	const int  *groups;			/* group of each item; NULL: lists have no maximum per group */
	int			group_count;
	int			cap;
} EligibleItems;

/*
 * The items with the highest scores under each weight vector.  An item is identified by its number
 * in EligibleItems, or by its position in the table "block" if all items are searched.
 */
typedef struct BestItems
{
	int			rankings;
	Slate	   *slates;
	double	   *margins;		/* maximum error of an approximate score, for each weight vector */
	double	   *neighbour_weights;
	bool	   *is_found;		/* for each eligible item: is the item in the table "block"? */
	/* for each row of "block" with one of the best items: the keys of its items */
	Datum	  **blocks;
} BestItems;

extern BestItems *FindBest(PageRequest *page, const Rankings *rankings, int size, uint64 seed,
						   const EligibleItems *eligible);
extern BestItems *FindMostOfBest(PageRequest *page, const Rankings *rankings, int size,
								 uint64 seed);
extern int	UniteBest(const BestItems *best, int **numbers);
extern int	FindNumber(const int *numbers, int count, int number);
extern Datum NumberedItem(const BestItems *best, int number);

#endif							/* DLINTS_PAGE_BLOCKS_H */
