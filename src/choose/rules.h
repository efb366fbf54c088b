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
	int			cap;			/* maximum per group; 0: none */
	double		diversity;		/* strength of the similarity penalty */
} Rules;

extern Rules ReadRules(FunctionCallInfo fcinfo, const CandidateForm *form);
extern void CheckDraws(int draws, int max);

/* Group names, numbered in order of appearance */
typedef struct groups_hash Groups;

extern Groups *GroupsCreate(void);
extern int	GroupNumber(Groups *groups, NullableDatum name);
extern int	GroupsCount(const Groups *groups);

#endif							/* DLINTS_RULES_H */
