/*
 * memories.h
 *		Several memories of one history: how fast each forgets, and which one
 *		is in use.
 *
 * A short memory follows what changes, a long one knows more.  The evidence
 * itself tells which is right: the longest whose estimate the shorter ones do
 * not contradict, by more than noise explains.
 */
#ifndef DLINTS_MEMORIES_H
#define DLINTS_MEMORIES_H

#include <stdbool.h>
#include <stddef.h>

#include "evidence.h"

#define MEMORY_MAX	8

/* each is so many times as long as the one before; the last of several forgets nothing */
#define MEMORY_RATIO	5

typedef struct MemoryChoice
{
	int			used;			/* 0 is the fastest; -1 without a posterior */
	double		sigma;			/* standard deviation of the noise, as it sees it */
	double		parameters;		/* how many its estimate amounts to */
} MemoryChoice;

extern bool memory_fades(int j, int count, double fastest);
extern double memory_discount(int j, int count, double fastest);
extern double memory_half_life(int j, double fastest);

extern double memory_centre(const Evidence *e, const Rewards *rewards,
							double *b);
extern double memory_squares(const Evidence *e, const Rewards *rewards);
extern size_t memory_choose_work(int dim, int count);
extern MemoryChoice memory_choose(const Evidence *memories, int count,
								  double ridge, const Rewards *rewards,
								  double *work);

#endif							/* DLINTS_MEMORIES_H */
