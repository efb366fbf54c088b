/*
 * update.h
 *		Train models on blocks of observations.
 */
#ifndef DLINTS_UPDATE_H
#define DLINTS_UPDATE_H

#include "model/model.h"

/* A block of observations, without their features and user profiles */
typedef struct Block
{
	int			count;			/* number of observations, at most EVIDENCE_BLOCK */
	const double *rewards;
	const int64 *times;			/* times of observations, or NULL without a half-life */
	const double *weights;
} Block;

extern void LearnReduced(Dlints *model, const Block *block, const double *reduced);
extern void LearnBlock(Dlints *model, const Block *block,
					   const double *features, const double *profiles);

#endif							/* DLINTS_UPDATE_H */
