/*
 * past.h
 *		Histories of all kinds, as evidence of several memories and as sums in
 *		long double, and the choice of a memory.
 */
#ifndef DLINTS_PAST_H
#define DLINTS_PAST_H

#include "oracle.h"

#include "core/memories.h"

#define MAX_MEMORIES	4

/* How rewards depend on time */
typedef enum Drift
{
	STILL,
	ABRUPT,						/* other coefficients in the last tenth */
	SLOW,
	CONSTANT,					/* always the same reward */
	RARE,						/* one reward in a hundred */
	DRIFTS
} Drift;

typedef struct Past
{
	int			dim;
	int			count;			/* number of observations */
	int			memories;
	bool		intercept;
	double		ridge;
	double		fastest;		/* discount */
	Drift		drift;
	double		level;
	double		noise;
	double		quiet;			/* half-lives of the first memory without observations */
	int			late;			/* number of observations after the quiet time */
} Past;

typedef struct Kept
{
	Past		p;
	Rewards		rewards;
	ExactMemory *all;			/* sums without forgetting */
	Evidence   *memory[MAX_MEMORIES];
	ExactMemory *sums[MAX_MEMORIES];
} Kept;

extern Squares squares_of(int which, int memories, double fastest);
extern double faded(int which, double half_lives);
extern Kept kept_new(Past p, uint64_t seed);
extern MemoryChoice chosen(const Kept *kept);

#endif							/* DLINTS_PAST_H */
