/*
 * rules.h
 *		The settings of a decision: slate size, draws, exploration rate, per-group
 *		cap and diversity.
 */
#ifndef DLINTS_RULES_H
#define DLINTS_RULES_H

#include "fmgr.h"

/* Argument numbers of dlints_decide */
enum
{
	DECIDE_MODEL,
	DECIDE_ITEMS,
	DECIDE_FEATURES,
	DECIDE_K,
	DECIDE_PROFILE,
	DECIDE_DRAWS,
	DECIDE_EPSILON,
	DECIDE_BONUS,
	DECIDE_BONUS_STDDEV,
	DECIDE_CAP_GROUP,
	DECIDE_CAP,
	DECIDE_SIMILAR_BY,
	DECIDE_DIVERSITY,
	DECIDE_SEED,
	DECIDE_ALL_ITEMS,
	DECIDE_TIE_KEYS
};

typedef struct Rules
{
	int			k;
	int			draws;
	double		epsilon;
	int			cap;			/* maximum number of chosen candidates per group; 0: none */
	double		diversity;		/* strength of the similarity penalty */
} Rules;

extern Rules ReadRules(FunctionCallInfo fcinfo);
extern void CheckDraws(int draws, int max);

/* Names of groups, numbered in order of appearance */
typedef struct groups_hash Groups;

extern Groups *GroupsCreate(void);
extern int	GroupNumber(Groups *groups, NullableDatum name);
extern int	GroupsCount(const Groups *groups);

#endif							/* DLINTS_RULES_H */
