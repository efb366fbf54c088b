/*
 * rules.h
 *		The settings of a decision: slate size, draws, exploration rate, per-group
 *		cap and diversity.
 */
#ifndef DLINTS_RULES_H
#define DLINTS_RULES_H

#include "fmgr.h"

#include "choose/request.h"

typedef struct Rules
{
	int			k;
	int			draws;
	double		epsilon;
	int			cap;			/* 0: none */
	double		diversity;		/* what a twin of what is chosen loses of its score */
} Rules;

extern Rules ReadRules(FunctionCallInfo fcinfo, const CandidateForm *form);
extern void CheckDraws(int draws, int most);

/* Names, of groups of candidates say, numbered as they come. */
typedef struct groups_hash Groups;

extern Groups *GroupsCreate(void);
extern int	GroupNumber(Groups *groups, NullableDatum name);
extern int	GroupsCount(const Groups *groups);

#endif							/* DLINTS_RULES_H */
