/*
 * memories.h
 *		Choose one of several discount factors under which a model sums its observations.
 *
 * Estimates with a small factor follow changes faster.  Estimates with a large factor have less
 * variance.
 */
#ifndef DLINTS_MEMORIES_H
#define DLINTS_MEMORIES_H

#include "evidence.h"

#define MEMORY_MAX	8

/* Ratio of successive half-lives, and of successive values of 1 / (1 - discount factor) */
#define MEMORY_RATIO	5

typedef struct MemoryChoice
{
	/* index of the chosen discount factor, or -1 if no posterior exists */
	int			used;
	double		sigma;
	double		parameters;
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
