/*
 * rules.h
 *		The settings of a decision, such as list length and exploration rate.
 */
#ifndef DLINTS_RULES_H
#define DLINTS_RULES_H

#include "fmgr.h"

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
	int			cap;			/* maximum number of chosen candidates per group; 0: no limit */
	double		diversity;		/* weight of the similarity penalty, from 0 to 1 */
} Rules;

extern Rules ReadRules(FunctionCallInfo fcinfo);
extern void CheckDraws(int draws, int max);

/* Hash table of group names, numbered in the order of their first use */
typedef struct groups_hash Groups;

extern Groups *GroupsCreate(void);
extern int	GroupNumber(Groups *groups, NullableDatum name);
extern int	GroupsCount(const Groups *groups);

#endif							/* DLINTS_RULES_H */
