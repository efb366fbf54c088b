/*
 * slate.h
 *		The k best of a list of scored candidates, best first, with at most so
 *		many of a group.
 *
 * Among equal scores lots decide, drawn under a seed for each candidate.
 * Taking candidates in the order of their scores and leaving out those whose
 * group is full already ends with the best of what each group has to offer:
 * so the k best are found among them, and nothing has to be sorted.
 */
#ifndef DLINTS_SLATE_H
#define DLINTS_SLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct SlateEntry
{
	double		score;
	uint64_t	lot;			/* 0: not drawn yet */
	int			candidate;
} SlateEntry;

/* The best that were offered so far, the worst of them first. */
typedef struct SlateHeap
{
	int			capacity;
	int			count;
	SlateEntry *entries;
} SlateHeap;

typedef struct Slate
{
	uint64_t	seed;
	const int  *groups;			/* group of each, negative: none; NULL: no caps */
	int			group_count;
	SlateHeap	best;
	SlateHeap  *caps;			/* of each group */
} Slate;

/* Would a score have no chance, whoever's it is? */
static inline bool
slate_is_beyond(const Slate *s, double score)
{
	return s->best.count == s->best.capacity && score < s->best.entries[0].score;
}

extern size_t slate_entries(int candidates, int k, const int *groups, int cap,
							int group_count, int *sizes);
extern void slate_bind(Slate *s, int candidates, int k, const int *groups,
					   int group_count, const int *sizes, SlateHeap *caps,
					   SlateEntry *entries);
extern void slate_begin(Slate *s, uint64_t seed);
extern void slate_offer(Slate *s, int first, int count, const double *scores, int step);
extern int	slate_end(Slate *s);
extern void slate_sort(Slate *s);

#endif							/* DLINTS_SLATE_H */
