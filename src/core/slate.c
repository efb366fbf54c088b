/*
 * slate.c
 *		Choose k of many.
 */
#include "slate.h"

#include <math.h>
#include <stdbool.h>

#include "random.h"

/* The tie-break key of an entry, which is drawn when it is needed: few scores are equal. */
static uint64_t
lot(const Slate *s, SlateEntry *entry)
{
	if (entry->lot == 0)
		entry->lot = s->keys ? s->keys[entry->candidate] :
			random_bits(s->seed, (uint64_t) entry->candidate);
	return entry->lot;
}

/* Does a come before b? */
static bool
before(const Slate *s, SlateEntry *a, SlateEntry *b)
{
	return a->score > b->score ||
		(a->score == b->score && lot(s, a) < lot(s, b));
}

/* Let the entry at a place sink to where what is below comes before it. */
static void
sink(SlateHeap *heap, const Slate *s, int place)
{
	SlateEntry	entry = heap->entries[place];
	int			child;

	while ((child = 2 * place + 1) < heap->count)
	{
		if (child + 1 < heap->count &&
			before(s, &heap->entries[child], &heap->entries[child + 1]))
			child++;
		if (!before(s, &entry, &heap->entries[child]))
			break;
		heap->entries[place] = heap->entries[child];
		place = child;
	}
	heap->entries[place] = entry;
}

/* Let the last entry rise to where what is above comes behind it. */
static void
rise(SlateHeap *heap, const Slate *s)
{
	int			place = heap->count - 1;
	SlateEntry	entry = heap->entries[place];

	while (place > 0 && before(s, &heap->entries[(place - 1) / 2], &entry))
	{
		heap->entries[place] = heap->entries[(place - 1) / 2];
		place = (place - 1) / 2;
	}
	heap->entries[place] = entry;
}

/*
 * Note an entry that is not kept, if no better one was lost.  Entries that fast paths
 * skip have lower scores than those kept, so they are no ties.
 */
static void
lose(SlateHeap *heap, const Slate *s, SlateEntry *entry)
{
	uint64_t	key;

	if (entry->score < heap->lost_score)
		return;
	if (entry->score > heap->lost_score)
	{
		heap->lost_score = entry->score;
		heap->lost_count = 0;
		heap->lost_lot = 0;
	}
	heap->lost_count++;
	key = lot(s, entry);
	if (key > heap->lost_lot)
		heap->lost_lot = key;
}

/* Keep an entry if it is among the best. */
static void
push_or_replace(SlateHeap *heap, const Slate *s, SlateEntry entry)
{
	if (heap->count < heap->capacity)
	{
		heap->entries[heap->count++] = entry;
		rise(heap, s);
	}
	else if (before(s, &entry, &heap->entries[0]))
	{
		lose(heap, s, &heap->entries[0]);
		heap->entries[0] = entry;
		sink(heap, s, 0);
	}
	else
		lose(heap, s, &entry);
}

/* Most candidates are not among the best, and this is all that they cost. */
static inline void
offer(SlateHeap *heap, const Slate *s, double score, int candidate)
{
	if (heap->count < heap->capacity || score >= heap->entries[0].score)
	{
		SlateEntry	entry = {score, 0, candidate};

		push_or_replace(heap, s, entry);
	}
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

	s->keys = NULL;
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

static void
clear(SlateHeap *heap)
{
	heap->count = 0;
	heap->lost_score = -INFINITY;
	heap->lost_count = 0;
	heap->lost_lot = 0;
}

/* Begin a slate.  Tie-break keys are drawn from "seed", unless the caller sets "keys". */
void
slate_begin(Slate *s, uint64_t seed)
{
	int			g;

	s->seed = seed;
	clear(&s->best);
	for (g = 0; g < s->group_count; g++)
		clear(&s->caps[g]);
}

/*
 * Offer candidates "first" to first + count - 1 by their scores, which stand
 * "step" apart.
 */
void
slate_offer(Slate *s, int first, int count, const double *scores, int step)
{
	int			i;

	for (i = 0; i < count; i++, scores += step)
	{
		int			group = s->groups ? s->groups[first + i] : -1;

		offer(group < 0 ? &s->best : &s->caps[group], s, *scores,
			  first + i);
	}
}

/*
 * All were offered.  The best are left in s->best, in no order; returns how
 * many they are.
 */
int
slate_end(Slate *s)
{
	int			g;
	int			i;

	for (g = 0; g < s->group_count; g++)
		for (i = 0; i < s->caps[g].count; i++)
			push_or_replace(&s->best, s, s->caps[g].entries[i]);
	return s->best.count;
}

/*
 * Put what was chosen in order, best first: the worst of those that are left
 * goes behind them, again and again.
 */
void
slate_sort(Slate *s)
{
	SlateHeap	rest = s->best;

	while (rest.count > 1)
	{
		SlateEntry	worst = rest.entries[0];

		rest.entries[0] = rest.entries[--rest.count];
		rest.entries[rest.count] = worst;
		sink(&rest, s, 0);
	}
}
