/*
 * request.h
 *		What the candidates of one choice have in common: the model and the
 *		profile, and what its policy makes of them.
 */
#ifndef DLINTS_REQUEST_H
#define DLINTS_REQUEST_H

#include "fmgr.h"

#include "posterior/parts.h"
#include "posterior/kept_models.h"
#include "sql/arrays.h"

/*
 * Where a function finds what it is told of a candidate, by argument.  0 says
 * that it is not told, but for the model.
 */
typedef struct CandidateForm
{
	int			model;
	int			item;
	int			features;
	int			k;
	int			profile;
	int			draws;
	int			epsilon;
	int			bonus;
	int			bonus_stddev;
	int			cap_group;
	int			cap;
	int			similar_by;
	int			diversity;
	int			seed;
	int			all_items;
	int			tie_keys;
} CandidateForm;

/*
 * Forms of an aggregate over candidates: by model, item and features, then with
 * k, then with a profile.
 */
extern const CandidateForm *AggregateForm(FunctionCallInfo fcinfo);
extern bool IsCandidate(FunctionCallInfo fcinfo, const CandidateForm *form);

typedef struct Request
{
	const MismatchMessages *messages;
	MemoryContext context;		/* that remembers the keys */
	ValueKey	model_key;
	ValueKey	profile_key;
	DlintsHeader model;
	ArgSpec		expected;		/* what the features of a candidate have to be */
	double		width_factor;	/* what the posterior width counts in a score */
	double	   *profile;		/* its numbers, where that counts */
} Request;

extern uint64 FreshSeed(void);
extern uint64 SeedArgument(FunctionCallInfo fcinfo, int argno);
extern double *DrawWeights(PreparedModel *prepared, uint64 seed,
						   Datum profile);
extern double *PolicyWeights(PreparedModel *prepared, Datum profile);
extern void RequestBegin(Request *request, const MismatchMessages *messages,
						 PreparedModel *prepared, MemoryContext context,
						 Datum model, Datum profile);
extern void RequestCheckProfile(Request *request, Datum profile);
extern double RequestWidth(const Request *request, PreparedModel *prepared,
						   const double *features);

/* Is this the model of the request?  Asked with every row. */
static inline void
RequestCheckModel(Request *request, Datum model)
{
	if (unlikely(!ValueKeyMatches(&request->model_key, model)))
		CheckSameModel(&request->model_key, model, request->messages,
					   request->context);
}

#endif							/* DLINTS_REQUEST_H */
