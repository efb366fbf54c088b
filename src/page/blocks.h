/*
 * blocks.h
 *		The tables "block" and "centroid", and searches for the items with the highest scores.
 *
 * A row of "block" describes at most MAX_ITEMS items.  A row of "centroid" describes as many blocks
 * by their means.  The column "codes" has features that are rounded to bytes (see
 * core/byte_score.h), after two scales.  The column "numbers" has popularity, effect on rewards,
 * costs and dates.  Features of dates are computed when a row is scored.
 */
#ifndef DLINTS_PAGE_BLOCKS_H
#define DLINTS_PAGE_BLOCKS_H

#include "core/byte_score.h"
#include "core/slate.h"
#include "page/keys.h"

/* ---------- format of the tables "block" and "centroid" ---------- */

/* maximum number of items in a block, and of blocks in a row of "centroid" */
#define MAX_ITEMS		256
#define N_SCALES		2
#define SCALE_BYTES		(N_SCALES * sizeof(float4))
/* Index of an item's first cost in "numbers" */
#define FIRST_COST		2
/* A block is rewritten if an item's popularity has changed by more than this fraction. */
#define POPULARITY_CHANGE	0.05
/* Number of elements of "spreads" for features; the elements for "numbers" follow */
#define N_SPREADS		2

static inline Size
item_bytes(int factors, int columns)
{
	return SCALE_BYTES + byte_padded(factors) + byte_padded(columns);
}

/* ---------- searches ---------- */

/* Weight vectors that rank items by their features, effects on rewards and costs */
typedef struct Rankings
{
	int			count;
	int			width;
	double	   *weights;
} Rankings;

/* Items to which a search is limited, numbered from 0 */
typedef struct EligibleItems
{
	KeyTable   *numbers;
	int			count;
	const double *bonuses;		/* bonus that is added to each item's score */
	const int  *groups;			/* cap group of each item; NULL: no caps */
	int			group_count;
	int			cap;
} EligibleItems;

/*
 * The items with the highest scores under each weight vector.
 *
 * An item's number is that in EligibleItems; without EligibleItems, its position in all blocks.
 */
typedef struct BestItems
{
	int			rankings;
	Slate	   *slates;
	double	   *margins;		/* maximum error of scores, for each weight vector */
	double	   *neighbour_weights;
	bool	   *is_found;		/* did a block contain each eligible item? */
	Datum	  **blocks;			/* keys of each block's items, if any item is among the best */
} BestItems;

extern BestItems *FindBest(PageRequest *page, const Rankings *rankings, int size, uint64 seed,
						   const EligibleItems *eligible);
extern BestItems *FindMostOfBest(PageRequest *page, const Rankings *rankings, int size,
								 uint64 seed);
extern int	UniteBest(const BestItems *best, int **numbers);
extern int	FindNumber(const int *numbers, int count, int number);
extern Datum NumberedItem(const BestItems *best, int number);

#endif							/* DLINTS_PAGE_BLOCKS_H */
