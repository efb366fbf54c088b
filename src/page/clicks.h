/*
 * clicks.h
 *		Clicks of a request's user.
 */
#ifndef DLINTS_PAGE_CLICKS_H
#define DLINTS_PAGE_CLICKS_H

#include "page/keys.h"

typedef struct UserClick
{
	Datum		item;
	TimestampTz at;				/* time of the click, at most now */
	double		weight;
	bool		is_excluded;		/* is the item excluded from the list? */
} UserClick;

typedef struct UserClicks
{
	PageRequest *page;
	int			count;
	int			size;
	UserClick  *clicks;
} UserClicks;

extern UserClicks *ReadClicks(PageRequest *page, NullableDatum recent, bool excludes_clicked);

#endif							/* DLINTS_PAGE_CLICKS_H */
