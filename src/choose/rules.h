/*
 * rules.h
 *		What a decision is told besides its candidates: how many it chooses, out
 *		of how many draws, how often by chance, at most how many of a group, and
 *		how varied.
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

/* The same as they come. */
typedef struct Setting
{
	bool		isnull;
	double		number;
} Setting;

typedef struct Settings
{
	Setting		k;
	Setting		draws;
	Setting		epsilon;
	Setting		cap;
	Setting		diversity;
} Settings;

/* Fetches an argument of a function. */
typedef NullableDatum (*ArgumentFetcher) (const void *from, int argno);

extern Settings FetchSettings(const CandidateForm *form, ArgumentFetcher fetch,
							  const void *from);
extern Rules CheckSettings(const Settings *settings);
extern void CheckSameSettings(const Settings *ours, const Settings *theirs);
extern void CheckDraws(int draws, int most);
extern void CheckCapped(const Rules *rules, bool grouped);
extern void CheckVaried(const Rules *rules, bool has_vectors);

/* Names, of groups of candidates say, numbered as they come. */
typedef struct groups_hash Groups;

extern Groups *GroupsCreate(void);
extern int	GroupNumber(Groups *groups, NullableDatum name);
extern int	GroupsCount(const Groups *groups);

#endif							/* DLINTS_RULES_H */
