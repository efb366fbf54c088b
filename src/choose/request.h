/*
 * request.h
 *		The model and user profile with which an SQL aggregate scores candidates.
 */
#ifndef DLINTS_REQUEST_H
#define DLINTS_REQUEST_H

#include "posterior/kept_models.h"
#include "sql/arrays.h"

/* Positions of an aggregate's arguments; 0: the aggregate lacks the argument */
typedef struct CandidateForm
{
	int			model;
	int			item;
	int			features;
	int			k;
	int			profile;
} CandidateForm;

extern const CandidateForm *AggregateForm(FunctionCallInfo fcinfo);
extern bool IsCandidate(FunctionCallInfo fcinfo, const CandidateForm *form);

typedef struct Request
{
	const MismatchMessages *messages;
	MemoryContext context;
	ValueKey	model_key;
	ValueKey	profile_key;
	DlintsHeader model;
	ArgSpec		expected;
	double		stddev_factor;	/* factor of the standard deviation in UCB scores; 0: no UCB */
	double	   *profile;		/* the user's profile; NULL without UCB */
} Request;

extern int	session_seed;		/* the setting dlints.seed; negative: seeds are random */

extern void RestartSeeds(int value, void *extra);
extern uint64 FreshSeed(void);
extern uint64 SeedArgument(FunctionCallInfo fcinfo, int argno);
extern double *PolicyWeights(PreparedModel *prepared, Datum profile);
extern void RequestInit(Request *request, const MismatchMessages *messages, PreparedModel *prepared,
						 MemoryContext context, Datum model, Datum profile);
extern void RequestCheckProfile(Request *request, Datum profile);
extern double RequestUcbBonus(const Request *request, PreparedModel *prepared,
						   const double *features);

#endif							/* DLINTS_REQUEST_H */
