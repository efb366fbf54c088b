/*
 * blocks.h Search for the best items under many weight vectors, with the rounded features of the
 * table "block".
 */
#ifndef DLINTS_PAGE_BLOCKS_H
#define DLINTS_PAGE_BLOCKS_H

#include "core/slate.h"
#include "page/keys.h"

/* Weight vectors by which items are ranked: weights of features, of the effect, and of costs */
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
	const double *bonuses;		/* bonus of each item, added to its scores */
	const int  *groups;			/* cap group of each item; NULL: no caps */
	int			group_count;
	int			cap;
} EligibleItems;

/*
 * Result of a search: the best items under each weight vector, sorted.  Items are identified by
 * their number in EligibleItems, or else by their position in the blocks.
 */
typedef struct BestItems
{
	int			rankings;
	Slate	   *slates;
	double	   *margins;		/* for each weight vector, limit that score errors rarely exceed */
	double	   *neighbour_weights;	/* for each weight vector, weight of the neighbour score */
	bool	   *is_found;		/* for each eligible item: is it in a block? */
	Datum	  **blocks;			/* keys of each block's items; NULL for blocks without best items */
} BestItems;

extern BestItems *FindBest(PageRequest *page, const Rankings *rankings, int size, uint64 seed,
						   const EligibleItems *eligible);
extern BestItems *FindMostOfBest(PageRequest *page, const Rankings *rankings, int size,
								 uint64 seed);
extern int	UniteBest(const BestItems *best, int **numbers);
extern int	FindNumber(const int *numbers, int count, int number);
extern Datum NumberedItem(const BestItems *best, int number);

#endif							/* DLINTS_PAGE_BLOCKS_H */
