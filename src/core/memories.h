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
	int			used;			/* 0 is the fastest */
	double		sigma;			/* standard deviation of the noise, as it sees it */
} MemoryChoice;

extern bool memory_fades(int j, int count, double fastest);
extern double memory_discount(int j, int count, double fastest);
extern double memory_half_life(int j, double fastest);

extern double memory_centre(const Evidence *e, bool intercept,
							double reference, double *b);
extern size_t memory_choose_work(int dim, int count);
extern MemoryChoice memory_choose(const Evidence *memories, int count,
								  double ridge, bool intercept,
								  double reference, double *work);

#endif							/* DLINTS_MEMORIES_H */
