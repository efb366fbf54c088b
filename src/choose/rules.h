/*
 * rules.h
 *		What a decision is told besides its candidates: how many it chooses, out
 *		of how many draws, how often by chance, and at most how many of a group.
 */
#ifndef DLINTS_RULES_H
#define DLINTS_RULES_H

#include "postgres.h"

#include "fmgr.h"

#include "choose/request.h"

typedef struct Rules
{
	int			k;
	int			draws;
	double		epsilon;
	int			cap;			/* 0: none */
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
} Settings;

/* Fetches an argument of a function. */
typedef NullableDatum (*ArgumentFetcher) (void *from, int argno);

extern Settings FetchSettings(const CandidateForm *form, ArgumentFetcher fetch,
							  void *from);
extern Rules CheckSettings(const Settings *settings);
extern void CheckSameSettings(const Settings *ours, const Settings *theirs);
extern void CheckDraws(int draws, int most);
extern void CheckCapped(const Rules *rules, bool grouped);

#endif							/* DLINTS_RULES_H */
