/*
 * blocks.h
 *		Search for the items with the highest scores in the table "block".
 */
#ifndef DLINTS_PAGE_BLOCKS_H
#define DLINTS_PAGE_BLOCKS_H

#include "core/slate.h"
#include "page/keys.h"

/* Weight vectors for the features, the effect on rewards and the costs of items */
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
	const double *bonuses;		/* bonus of each item's score */
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
	Datum	  **blocks;			/* items of each block; undefined if none is among the best */
} BestItems;

extern BestItems *FindBest(PageRequest *page, const Rankings *rankings, int size, uint64 seed,
						   const EligibleItems *eligible);
extern BestItems *FindMostOfBest(PageRequest *page, const Rankings *rankings, int size,
								 uint64 seed);
extern int	UniteBest(const BestItems *best, int **numbers);
extern int	FindNumber(const int *numbers, int count, int number);
extern Datum NumberedItem(const BestItems *best, int number);

#endif							/* DLINTS_PAGE_BLOCKS_H */
