/*
 * update.h
 *		Blocks of observations, for all that learns.
 */
#ifndef DLINTS_UPDATE_H
#define DLINTS_UPDATE_H

#include "model/model.h"

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
					   const double *features, const double *profiles);

#endif							/* DLINTS_UPDATE_H */
