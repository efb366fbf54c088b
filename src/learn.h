/*
 * learn.h
 *		Blocks of observations, for all that learns.
 */
#ifndef DLINTS_LEARN_H
#define DLINTS_LEARN_H

#include "postgres.h"

#include "fmgr.h"

#include "model.h"

/* Observations with what else is known of each. */
typedef struct Block
{
	int			count;			/* at most EVIDENCE_BLOCK */
	const double *rewards;
	const int64 *times;			/* for models by time */
	const double *weights;
} Block;

extern void LearnReduced(Dlints *model, const Block *block,
						 const double *reduced);
extern void LearnBlock(Dlints *model, const Block *block,
					   const double *contexts, const double *shareds);
extern bool NothingObserved(FunctionCallInfo fcinfo, int first_argno,
							int reward_argno);
extern double WeightArgument(FunctionCallInfo fcinfo, int argno);

#endif							/* DLINTS_LEARN_H */
