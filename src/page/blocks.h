/*
 * blocks.h
 *		The best items of all under many rankings, from the rounded features of the
 *		table "block".
 */
#ifndef DLINTS_PAGE_BLOCKS_H
#define DLINTS_PAGE_BLOCKS_H

#include "core/slate.h"
#include "page/keys.h"

/*
 * Rankings: rows of "width" weights, of the features, of the item's effect, and of
 * its costs.
 */
typedef struct Rankings
{
	int			count;
	int			width;
	double	   *weights;
} Rankings;

/* Eligible items, by number, if they are known before blocks are read */
typedef struct EligibleItems
{
	KeyTable   *numbers;
	int			count;
	const double *bonuses;		/* added to scores */
	const int  *groups;			/* NULL: without caps */
	int			group_count;
	int			cap;
} EligibleItems;

/*
 * The best items under each ranking, in slates whose entries are sorted.  Items are
 * numbered; a number is that of the eligible items, if there are such.
 */
typedef struct BestItems
{
	int			rankings;
	Slate	   *slates;
	double	   *margins;		/* what a score may differ by from its exact value */
	bool	   *is_found;		/* of eligible items: in a block */
	Datum	  **blocks;			/* items of blocks; NULL: none is among the best */
	int			n_items;		/* in all blocks */
} BestItems;

extern BestItems *FindBest(PageRequest *page, const Rankings *rankings, int size, uint64 seed,
						   const EligibleItems *eligible);
extern BestItems *FindMostOfBest(PageRequest *page, const Rankings *rankings, int size,
								 uint64 seed);
extern int	UniteBest(const BestItems *best, int **numbers);
extern int	FindNumber(const int *numbers, int count, int number);
extern Datum NumberedItem(const BestItems *best, int number);

#endif							/* DLINTS_PAGE_BLOCKS_H */
