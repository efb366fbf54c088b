/*
 * slate.c
 *		Choose k of many.
 */
#include "slate.h"

#include <stdbool.h>
#include <stdlib.h>

#include "random.h"

/* Does a come before b? */
static bool
before(const SlateEntry *a, const SlateEntry *b)
{
	return a->score > b->score || (a->score == b->score && a->lot < b->lot);
}

/* Let the entry at a place sink to where what is below comes before it. */
static void
sink(SlateHeap *heap, int place)
{
	SlateEntry	entry = heap->entries[place];
	int			child;

	while ((child = 2 * place + 1) < heap->count)
	{
		if (child + 1 < heap->count &&
			before(&heap->entries[child], &heap->entries[child + 1]))
			child++;
		if (!before(&entry, &heap->entries[child]))
			break;
		heap->entries[place] = heap->entries[child];
		place = child;
	}
	heap->entries[place] = entry;
}

/* Let the last entry rise to where what is above comes behind it. */
static void
rise(SlateHeap *heap)
{
	int			place = heap->count - 1;
	SlateEntry	entry = heap->entries[place];

	while (place > 0 && before(&heap->entries[(place - 1) / 2], &entry))
	{
		heap->entries[place] = heap->entries[(place - 1) / 2];
		place = (place - 1) / 2;
	}
	heap->entries[place] = entry;
}

/* Keep an entry if it is among the best. */
static void
keep(SlateHeap *heap, SlateEntry entry)
{
	if (heap->count < heap->capacity)
	{
		heap->entries[heap->count++] = entry;
		rise(heap);
	}
	else if (before(&entry, &heap->entries[0]))
	{
		heap->entries[0] = entry;
		sink(heap, 0);
	}
}

/*
 * Most candidates are not among the best, and this is all that they cost: no
 * lot is drawn for them.
 */
static inline void
offer(SlateHeap *heap, double score, uint64_t seed, int candidate)
{
	if (heap->count < heap->capacity || score >= heap->entries[0].score)
	{
		SlateEntry	entry = {score, random_bits(seed, (uint64_t) candidate), candidate};

		keep(heap, entry);
	}
}

static int
compare_entries(const void *a, const void *b)
{
	return before(a, b) ? -1 : before(b, a) ? 1 : 0;
}

static int
lesser(int a, int b)
{
	return a < b ? a : b;
}

/*
 * How many entries a slate wants.  "sizes", of group_count numbers, becomes
 * how many of each group may be chosen.
 */
size_t
slate_entries(int candidates, int k, const int *groups, int cap,
			  int group_count, int *sizes)
{
	size_t		count = (size_t) lesser(k, candidates);
	int			i;

	for (i = 0; i < group_count; i++)
		sizes[i] = 0;
	for (i = 0; groups && i < candidates; i++)
		if (groups[i] >= 0 && sizes[groups[i]] < lesser(k, cap))
			sizes[groups[i]]++;
	for (i = 0; i < group_count; i++)
		count += (size_t) sizes[i];
	return count;
}

/*
 * Lay a slate out over group_count heaps and the entries that slate_entries
 * counted; k is the same as there.
 */
void
slate_bind(Slate *s, int candidates, int k, const int *groups,
		   int group_count, const int *sizes, SlateHeap *caps,
		   SlateEntry *entries)
{
	int			g;

	s->candidates = candidates;
	s->groups = groups;
	s->group_count = group_count;
	s->best.capacity = lesser(k, candidates);
	s->best.entries = entries;
	s->caps = caps;
	entries += s->best.capacity;
	for (g = 0; g < group_count; g++)
	{
		caps[g].capacity = sizes[g];
		caps[g].entries = entries;
		entries += sizes[g];
	}
}

/*
 * Choose the best by their scores, with lots under "seed".  They are left in
 * s->best, in no order; returns how many they are.
 */
int
slate_choose(Slate *s, const double *scores, uint64_t seed)
{
	int			g;
	int			i;

	s->best.count = 0;
	for (g = 0; g < s->group_count; g++)
		s->caps[g].count = 0;
	for (i = 0; i < s->candidates; i++)
		offer(s->groups && s->groups[i] >= 0 ? &s->caps[s->groups[i]] : &s->best,
			  scores[i], seed, i);
	for (g = 0; g < s->group_count; g++)
		for (i = 0; i < s->caps[g].count; i++)
			keep(&s->best, s->caps[g].entries[i]);
	return s->best.count;
}

/* Put what was chosen in order, best first; the next choice may follow. */
void
slate_sort(Slate *s)
{
	qsort(s->best.entries, (size_t) s->best.count, sizeof(SlateEntry),
		  compare_entries);
}
