/*
 * clicks.h
 *		Items that the user of a request has clicked.
 */
#ifndef DLINTS_PAGE_CLICKS_H
#define DLINTS_PAGE_CLICKS_H

#include "page/keys.h"

/* An item that the user has clicked.  Weights of clicks decay with the time to the newest click. */
typedef struct ClickedItem
{
	Datum		item;
	double		sum;			/* sum of the weights of the user's clicks on this item */
	double		absolute_sum;
	double		maximum;		/* largest weight of a click on this item, from -1 to 1 */
	bool		is_excluded;		/* is the item excluded from the list? */
	double		own;			/* decayed number of clicks before this visit, minus dislikes */
	float4	   *features;		/* features of taste; NULL without own clicks */
} ClickedItem;

/* Clicked items, without duplicates */
typedef struct ClickedItems
{
	PageRequest *page;
	KeyTable   *numbers;
	int			count;
	int			size;
	ClickedItem *each;
	double		newest;			/* decay factor of the newest click, with half_life */
	double		newest_own;		/* decay factor of the newest click, with own_half_life */
} ClickedItems;

extern ClickedItems *ReadClicks(PageRequest *page, NullableDatum recent, bool excludes_clicked);

#endif							/* DLINTS_PAGE_CLICKS_H */
