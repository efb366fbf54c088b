/*
 * slate.h
 *		Choose the k candidates with the highest scores, with a maximum number per group.
 *
 * The smallest tie-break key wins a tie.  Keys must be random, because propensities assume random
 * tie-breaking.
 */
#ifndef DLINTS_SLATE_H
#define DLINTS_SLATE_H

#include <math.h>
#include <stdbool.h>

#include "random.h"

typedef struct SlateEntry
{
	double		score;
	uint64_t	tie_key;		/* random tie-break key; 0 until computed */
	int			candidate;
} SlateEntry;

/* A heap of the best candidates, with the worst of them first */
typedef struct SlateHeap
{
	int			capacity;
	int			count;
	SlateEntry *entries;
	/* of the rejected candidates with the highest score, the one with the largest tie-break key */
	SlateEntry	lost;
	int			lost_count;		/* number of rejected candidates with this score */
} SlateHeap;

typedef struct Slate
{
	uint64_t	seed;
	const uint64_t *keys;		/* tie-break keys of candidates; NULL: computed from "seed" */
	const int  *groups;			/* group of each candidate, or NULL */
	int			group_count;
	SlateHeap	best;
	SlateHeap  *caps;			/* heap of each group's best candidates */
} Slate;

/* Compute the random tie-break key of a candidate from an integer that identifies the candidate. */
static inline uint64_t
slate_tie_key(uint64_t seed, uint64_t number)
{
	return random_bits(seed, number);
}

/* Return the lowest score with which a candidate could still be chosen. */
static inline double
slate_least(const Slate *s)
{
	return s->best.count > 0 && s->best.count == s->best.capacity ?
		s->best.entries[0].score : -INFINITY;
}

extern size_t slate_entries(int candidates, int k, const int *groups, int cap,
							int group_count, int *sizes);
extern void slate_bind(Slate *s, int candidates, int k, const int *groups,
					   int group_count, const int *sizes, SlateHeap *caps, SlateEntry *entries);
extern void slate_begin(Slate *s, uint64_t seed);
extern void slate_offer(Slate *s, int first, int count, const double *scores, int step);
extern int	slate_end(Slate *s);
extern uint64_t slate_lost_key(Slate *s);
extern void slate_sort(Slate *s);

#endif							/* DLINTS_SLATE_H */
