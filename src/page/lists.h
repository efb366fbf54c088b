/*
 * lists.h
 *		Requests for lists of recommendations.
 */
#ifndef DLINTS_PAGE_LISTS_H
#define DLINTS_PAGE_LISTS_H

#include "page/page.h"

/* Request for a list, and the list that was chosen */
typedef struct ListRequest
{
	ListPolicy treatment;
	bool		is_like_item;	/* does the list use the profile of "item" (more_like())? */
	bool		is_next_page;	/* does the list continue an earlier one (next())? */
	bool		leaves_out_known;	/* are items left out that were clicked within repeat_after? */
	NullableDatum item;
	NullableDatum recent;		/* recently clicked items, passed by the caller */
	NullableDatum profile;		/* the user's profile; NULL until computed */
	Choice		choice;
	int64		seed;			/* seed of draws and tie-break keys */
} ListRequest;

/* request.c: arguments of a request */
extern void ReadK(PageRequest *page, NullableDatum k);
extern void ReadContext(PageRequest *page, NullableDatum context);
extern Datum AddToContext(Datum context, const char *key, const char *json);
extern ListPolicy AssignTreatment(const PageRequest *page);

/* lists.c: making a list */
extern Datum MakeList(PageRequest *page, FunctionCallInfo fcinfo, ListRequest *request);

#endif							/* DLINTS_PAGE_LISTS_H */
