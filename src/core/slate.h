/*
 * slate.h
 *		Slates: the k best of a list of scored candidates, with a maximum
 *		number per group.
 *
 * If scores are equal, the smallest tie-break key wins.  Keys are random, drawn from a seed or given
 * by the caller.  Propensities (choose/decision.c) and random lists, whose scores are all equal,
 * rely on this randomness.
 *
 * A greedy choice by score that skips full groups takes only the best of each group.  We therefore
 * keep the best "cap" entries per group in a heap, choose among these, and sort nothing else.
 */
#ifndef DLINTS_SLATE_H
#define DLINTS_SLATE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "random.h"

typedef struct SlateEntry
{
	double		score;
	uint64_t	tie_key;		/* tie-break key; 0 if not drawn yet */
	int			candidate;
} SlateEntry;

/* A heap of the best entries offered so far, with the worst of them first */
typedef struct SlateHeap
{
	int			capacity;
	int			count;
	SlateEntry *entries;
	SlateEntry	lost;			/* best rejected entry; of several, that with the largest key */
	int			lost_count;		/* number of rejected entries that tie with "lost" */
} SlateHeap;

typedef struct Slate
{
	uint64_t	seed;			/* seed from which tie-break keys are drawn */
	const uint64_t *keys;		/* nonzero key of each candidate; NULL: drawn from the seed */
	const int  *groups;			/* group of each candidate, negative for none; NULL: no caps */
	int			group_count;
	SlateHeap	best;
	SlateHeap  *caps;			/* heap of each group's best entries */
} Slate;

/* Compute the tie-break key of a candidate or an item from its number and a seed. */
static inline uint64_t
slate_tie_key(uint64_t seed, uint64_t number)
{
	return random_bits(seed, number);
}

/* Lowest score with which a candidate could still be chosen */
static inline double
slate_least(const Slate *s)
{
	return s->best.count > 0 && s->best.count == s->best.capacity ?
		s->best.entries[0].score : -INFINITY;
}

/* Is a score too low to be chosen? */
static inline bool
slate_is_beyond(const Slate *s, double score)
{
	return score < slate_least(s);
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
