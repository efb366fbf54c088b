/*
 * observed.h
 *		Observations with weights, and the sums of a range of them: as
 *		evidence and in long double.
 */
#ifndef DLINTS_OBSERVED_H
#define DLINTS_OBSERVED_H

#include "oracle.h"

#include "core/ridge.h"

typedef struct Observed
{
	int			dim;
	int			count;
	double	   *features;
	double	   *rewards;
	double	   *weights;		/* or times */
} Observed;

extern Observed observed_new(int dim, int count, double level, uint64_t seed);
extern Evidence *learned(const Observed *o, int from, int to, Squares squares, double reference);
extern ExactMemory *summed(const Observed *o, int from, int to, exact factor, double reference);
extern bool subtract(Evidence *e, const Evidence *other);

/* Test that runs with memories of several dimensions and all representations of H */
typedef void (*MemoryCheck) (int dim, Squares squares);

#define test_of_memories(f)	{#f, each_memory, NULL, free_all, &(MemoryCheck) {f}}

extern void each_memory(void **state);

#endif							/* DLINTS_OBSERVED_H */
