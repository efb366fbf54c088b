/*
 * lists.h
 *		Lists of recommendations.
 */
#ifndef DLINTS_PAGE_LISTS_H
#define DLINTS_PAGE_LISTS_H

#include "page/page.h"

/* How a list comes about */
typedef struct ListRequest
{
	ListPolicy treatment;
	bool		is_like_item;	/* the profile is that of an item */
	bool		is_next_page;	/* of a list that was returned before */
	bool		leaves_out_known;	/* items that the user clicked, if the settings say so */
	NullableDatum item;
	NullableDatum recent;		/* items clicked lately */
	NullableDatum profile;		/* NULL: to be computed */
	Choice		choice;
	int64		seed;			/* of the draws */
} ListRequest;

/* request.c */
extern void ReadK(PageRequest *page, NullableDatum k);
extern void ReadContext(PageRequest *page, NullableDatum context);
extern Datum AddToContext(Datum context, const char *key, const char *json);
extern ListPolicy AssignTreatment(const PageRequest *page);

/* lists.c */
extern Datum MakeList(PageRequest *page, FunctionCallInfo fcinfo, ListRequest *request);

#endif							/* DLINTS_PAGE_LISTS_H */
