/*
 * candidates.h
 *		The rows of a partition that may be chosen, read once.
 */
#ifndef DLINTS_CANDIDATES_H
#define DLINTS_CANDIDATES_H

#include "fmgr.h"

#include "choose/decision.h"

typedef struct PartitionCandidates
{
	Candidates	candidates;
	int		   *rows;			/* where each stands in the partition */
} PartitionCandidates;

extern PartitionCandidates ReadCandidates(FunctionCallInfo fcinfo,
										  const CandidateForm *form);

#endif							/* DLINTS_CANDIDATES_H */
