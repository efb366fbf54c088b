/*
 * clicks.h
 *		Items that a request's user clicked.
 */
#ifndef DLINTS_PAGE_CLICKS_H
#define DLINTS_PAGE_CLICKS_H

#include "page/keys.h"

/* An item that the user clicked.  Weights of clicks decay with the time to the newest click. */
typedef struct ClickedItem
{
	Datum		item;
	double		sum;			/* sum of the weights of clicks */
	double		absolute_sum;
	double		maximum;		/* largest signed weight of the item's clicks, in [-1, 1] */
	bool		is_excluded;		/* does the list exclude the item? */
	double		own;			/* decayed sum over clicks before this visit: 1; dislikes: -1 */
} ClickedItem;

/* Clicked items, without duplicates */
typedef struct ClickedItems
{
	PageRequest *page;
	KeyTable   *numbers;
	int			count;
	int			size;
	ClickedItem *each;
	double		newest;			/* decay factor of the newest click (setting half_life) */
	double		newest_own;		/* decay factor of the newest click (setting own_half_life) */
} ClickedItems;

extern ClickedItems *ReadClicks(PageRequest *page, NullableDatum recent, bool excludes_clicked);

#endif							/* DLINTS_PAGE_CLICKS_H */
