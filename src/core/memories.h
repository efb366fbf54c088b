/*
 * memories.h
 *		Memories: evidence on one history under several discounts, and the choice
 *		of the one in use.
 *
 * Evidence with a strong discount follows changes; with a weak discount, it has
 * smaller standard errors.  The model uses the weakest discount whose estimate no
 * evidence with a stronger discount contradicts by more than noise explains.
 */
#ifndef DLINTS_MEMORIES_H
#define DLINTS_MEMORIES_H

#include <stdbool.h>
#include <stddef.h>

#include "evidence.h"

#define MEMORY_MAX	8

/* Ratio of the time window of each discount to that of the next stronger one */
#define MEMORY_RATIO	5

typedef struct MemoryChoice
{
	int			used;			/* index of the discount in use, 0: strongest; -1: no posterior */
	double		sigma;			/* standard deviation of the noise */
	double		parameters;		/* effective number of parameters */
} MemoryChoice;

extern bool memory_fades(int j, int count, double fastest);
extern double memory_discount(int j, int count, double fastest);
extern double memory_half_life(int j, double fastest);

extern double memory_center(const Evidence *e, const Rewards *rewards, double *b);
extern double memory_squares(const Evidence *e, const Rewards *rewards);
extern size_t memory_choose_work(int dim, int count);
extern MemoryChoice memory_choose(const Evidence *memories, int count,
								  double ridge, const Rewards *rewards, double *work);

#endif							/* DLINTS_MEMORIES_H */
