/*
 * actions.h
 *		Requests to a ranker: contexts and actions.
 */
#ifndef DLINTS_PAGE_ACTIONS_H
#define DLINTS_PAGE_ACTIONS_H

#include "utils/array.h"
#include "utils/jsonb.h"

/* Maximum number of bytes of an event or of an action's id, which are keys of tables */
#define MAX_ID_BYTES	1000

/* A request: a context and the actions to be ranked, with settings of the ranker */
typedef struct RankRequest
{
	Jsonb	   *context;
	Jsonb	   *actions;
	Jsonb	   *vectors;		/* lengths of the context's vectors, by key */
	ArrayType  *constraints;	/* names of the constraints */
} RankRequest;

/* action_checks.c */
extern void CheckRankRequest(const RankRequest *request);
extern bool FindUndeclaredVector(const RankRequest *request, char **key, int *length);
extern bool IsCostAnnounced(Jsonb *actions, const char *constraint);

#endif							/* DLINTS_PAGE_ACTIONS_H */
