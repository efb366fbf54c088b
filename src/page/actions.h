/*
 * actions.h
 *		Contexts and actions of requests to a ranker: checks and features.
 */
#ifndef DLINTS_PAGE_ACTIONS_H
#define DLINTS_PAGE_ACTIONS_H

#include "utils/array.h"
#include "utils/jsonb.h"

/* A context with the actions to be ranked, and the settings that say how to read them */
typedef struct RankRequest
{
	Jsonb	   *context;
	Jsonb	   *actions;
	Jsonb	   *vectors;		/* lengths of the context's vectors, by key */
	ArrayType  *constraints;	/* names of the constraints */
} RankRequest;

extern void CheckRankRequest(const RankRequest *request);
extern bool FindUndeclaredVector(const RankRequest *request, char **key, int *length);
extern bool IsCostAnnounced(Jsonb *actions, const char *constraint);

#endif							/* DLINTS_PAGE_ACTIONS_H */
