/*
 * action_names.h
 *		Requests to a ranker, and the names, such as ".size=large", of the values in a request.
 */
#ifndef DLINTS_PAGE_ACTION_NAMES_H
#define DLINTS_PAGE_ACTION_NAMES_H

#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/jsonb.h"

/* maximum length in bytes of the id of an event or action, so that the id fits into an index */
#define MAX_ID_BYTES	1000

/* Arguments and settings of a request to a ranker */
typedef struct RankRequest
{
	Jsonb	   *context;
	Jsonb	   *actions;
	Jsonb	   *vectors;		/* object with the length of each vector in "context" */
	ArrayType  *constraints;	/* names of constraints */
} RankRequest;

/* Names, such as ".size=large", for the values in a JSON document */
typedef struct ActionNames
{
	StringInfoData bytes;		/* all names, concatenated */
	int		   *ends;			/* offset in "bytes" at which each name ends */
	int			count;
	int			allocated;
} ActionNames;

/* functions in action_names.c */
extern ActionNames ReadContextNames(const RankRequest *request);
extern Jsonb *ReadReservedKeys(const RankRequest *request);
extern ActionNames ReadActionNames(const JsonbValue *action, Jsonb *reserved);
extern void NamesFree(ActionNames *names);

extern const char *QuoteValue(const JsonbValue *value);
extern JsonbValue *GetObjectKey(JsonbContainer *object, const char *key);
extern JsonbValue *GetValueKey(const JsonbValue *value, const char *key);
extern double JsonNumber(Numeric numeric);
extern bool IsCost(const JsonbValue *value);
extern double *ReadNumberArray(const JsonbValue *value, int length);
extern char *ActionId(const JsonbValue *action);
extern Jsonb *ReadContextArgument(NullableDatum context);

/* functions in action_checks.c */
extern void CheckRankRequest(const RankRequest *request);
extern bool FindUndeclaredVector(const RankRequest *request, char **key, int *length);
extern bool IsCostAnnounced(Jsonb *actions, const char *constraint);

#endif							/* DLINTS_PAGE_ACTION_NAMES_H */
