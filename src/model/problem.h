/*
 * problem.h
 *		What is wrong with a value, found by a check that does not raise the
 *		error itself: its caller does, in words of its own, or only answers no.
 */
#ifndef DLINTS_PROBLEM_H
#define DLINTS_PROBLEM_H

#include "postgres.h"

#include "nodes/nodes.h"

#include "compat.h"

typedef struct Problem
{
	int			sqlerrcode;
	const char *message;
	const char *detail;			/* may be NULL, as may the hint */
	const char *hint;
} Problem;

/* Fill a problem; returns false, for checks to return. */
static inline bool
ProblemIs(Problem *problem, int sqlerrcode, const char *message,
		  const char *detail)
{
	problem->sqlerrcode = sqlerrcode;
	problem->message = message;
	problem->detail = detail;
	problem->hint = NULL;
	return false;
}

/* The error, in the words of the check. */
static inline void
ProblemRaise(const Problem *problem)
{
	ereport(ERROR,
			(errcode(problem->sqlerrcode),
			 errmsg("%s", problem->message),
			 problem->detail ? errdetail("%s", problem->detail) : 0,
			 problem->hint ? errhint("%s", problem->hint) : 0));
}

#endif							/* DLINTS_PROBLEM_H */
