/*
 * candidates.h
 *		The rows of a partition that may be chosen, read once.
 */
#ifndef DLINTS_CANDIDATES_H
#define DLINTS_CANDIDATES_H

#include "postgres.h"

#include "fmgr.h"

#include "choose/request.h"
#include "choose/scores.h"

/* What is the same for all of them. */
typedef struct Rules
{
	int			k;
	int			draws;
	double		epsilon;
	int			cap;			/* 0: none */
} Rules;

typedef struct Candidates
{
	Rules		rules;
	Scores	   *scores;			/* NULL: there are none */
	int		   *rows;			/* where each stands in the partition */
	int		   *groups;			/* of each, negative: none; NULL without a cap */
	int			group_count;
} Candidates;

extern Candidates ReadCandidates(FunctionCallInfo fcinfo,
								 const CandidateForm *form);

#endif							/* DLINTS_CANDIDATES_H */
