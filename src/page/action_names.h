/*
 * action_names.h
 *		Names in the contexts and actions of requests to a ranker, and the JSON
 *		values behind them.
 */
#ifndef DLINTS_PAGE_ACTION_NAMES_H
#define DLINTS_PAGE_ACTION_NAMES_H

#include "lib/stringinfo.h"

#include "page/actions.h"

/* Names of a document */
typedef struct ActionNames
{
	StringInfoData bytes;		/* all names, one after the other */
	int		   *ends;			/* end of each name in "bytes" */
	int			count;
	int			allocated;
} ActionNames;

extern ActionNames ReadContextNames(const RankRequest *request);
extern ActionNames ReadActionNames(const JsonbValue *action, Datum *constraints, int n_constraints);
extern void NamesFree(ActionNames *names);

/* JSON values */
extern const char *QuoteValue(const JsonbValue *value);
extern JsonbValue *GetObjectKey(JsonbContainer *object, const char *key);
extern JsonbValue *GetValueKey(const JsonbValue *value, const char *key);
extern double JsonNumber(Numeric numeric);
extern bool IsCost(const JsonbValue *value);
extern bool IsNumberArray(const JsonbValue *value, int length);
extern char *ActionId(const JsonbValue *action);
extern Jsonb *ReadContextArgument(NullableDatum context);

#endif							/* DLINTS_PAGE_ACTION_NAMES_H */
