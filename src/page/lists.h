/*
 * lists.h
 *		Requests for lists of recommendations.
 */
#ifndef DLINTS_PAGE_LISTS_H
#define DLINTS_PAGE_LISTS_H

#include "page/page.h"

typedef struct ListRequest
{
	ListPolicy treatment;
	bool		is_like_item;	/* a request of more_like() */
	bool		is_next_page;	/* a request of next() */
	bool		excludes_clicked;	/* exclude items that the user has clicked recently? */
	NullableDatum item;
	NullableDatum recent;		/* the argument "recent": recently clicked items */
	NullableDatum profile;		/* the user's profile; NULL until computed */
	Choice		choice;
	int64		seed;			/* seed of posterior draws and tie-break keys */
} ListRequest;

extern void ReadK(PageRequest *page, NullableDatum k);
extern Datum AddToContext(Datum context, const char *key, const char *json);
extern Datum MakeList(PageRequest *page, FunctionCallInfo fcinfo, ListRequest *request);

#endif							/* DLINTS_PAGE_LISTS_H */
