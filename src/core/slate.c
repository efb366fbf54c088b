/*
 * slate.c
 *		Choose the k best candidates with heaps, a maximum per group and random tie-breaking.
 */
#include "slate.h"

/* Return the tie-break key of a candidate, computed on first use. */
static uint64_t
tie_key(const Slate *s, SlateEntry *entry)
{
	if (entry->tie_key == 0)
		entry->tie_key = s->keys ? s->keys[entry->candidate] :
			slate_tie_key(s->seed, (uint64_t) entry->candidate);
	return entry->tie_key;
}

static bool
is_better(const Slate *s, SlateEntry *a, SlateEntry *b)
{
	return a->score > b->score ||
		(a->score == b->score && tie_key(s, a) < tie_key(s, b));
}

/* Move the first candidate of a heap down until no child ranks lower. */
static void
sift_down(SlateHeap *heap, const Slate *s)
{
	SlateEntry	entry = heap->entries[0];
	int			place = 0;
	int			child;

	while ((child = 2 * place + 1) < heap->count)
	{
		if (child + 1 < heap->count &&
			is_better(s, &heap->entries[child], &heap->entries[child + 1]))
			child++;
		if (!is_better(s, &entry, &heap->entries[child]))
			break;
		heap->entries[place] = heap->entries[child];
		place = child;
	}
	heap->entries[place] = entry;
}

/* Move the last candidate of a heap up until its parent ranks lower. */
static void
sift_up(SlateHeap *heap, const Slate *s)
{
	int			place = heap->count - 1;
	SlateEntry	entry = heap->entries[place];

	while (place > 0 && is_better(s, &heap->entries[(place - 1) / 2], &entry))
	{
		heap->entries[place] = heap->entries[(place - 1) / 2];
		place = (place - 1) / 2;
	}
	heap->entries[place] = entry;
}

/* Record a candidate that a heap rejects, unless a rejected candidate has a higher score. */
static void
record_lost(SlateHeap *heap, const Slate *s, SlateEntry *entry)
{
	if (entry->score < heap->lost.score)
		return;
	if (entry->score > heap->lost.score)
		heap->lost_count = 0;
	if (heap->lost_count++ == 0 || tie_key(s, entry) > tie_key(s, &heap->lost))
		heap->lost = *entry;
}

/* Add a candidate to a heap, unless the heap is full of better candidates. */
static void
push_or_replace(SlateHeap *heap, const Slate *s, SlateEntry entry)
{
	if (heap->count < heap->capacity)
	{
		heap->entries[heap->count++] = entry;
		sift_up(heap, s);
	}
	else if (is_better(s, &entry, &heap->entries[0]))
	{
		record_lost(heap, s, &heap->entries[0]);
		heap->entries[0] = entry;
		sift_down(heap, s);
	}
	else
		record_lost(heap, s, &entry);
}

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
min_int(int a, int b)
{
	return a < b ? a : b;
}

/* Compute the capacity of each group's heap.  Returns the number of entries in all heaps. */
size_t
slate_entries(int candidates, int k, const int *groups, int cap, int group_count, int *sizes)
{
	size_t		count = (size_t) min_int(k, candidates);

	for (int i = 0; i < group_count; i++)
		sizes[i] = 0;
	for (int i = 0; groups && i < candidates; i++)
		if (groups[i] >= 0 && sizes[groups[i]] < min_int(k, cap))
			sizes[groups[i]]++;
	for (int i = 0; i < group_count; i++)
		count += (size_t) sizes[i];
	return count;
}

/* Initialize a slate with memory from the caller. */
void
slate_bind(Slate *s, int candidates, int k, const int *groups,
		   int group_count, const int *sizes, SlateHeap *caps, SlateEntry *entries)
{
	s->keys = NULL;
	s->groups = groups;
	s->group_count = group_count;
	s->best.capacity = min_int(k, candidates);
	s->best.entries = entries;
	s->caps = caps;
	entries += s->best.capacity;
	for (int g = 0; g < group_count; g++)
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
	heap->lost.score = -INFINITY;
	heap->lost_count = 0;
}

/* Begin to choose candidates.  Random tie-break keys are computed from "seed" by default. */
void
slate_begin(Slate *s, uint64_t seed)
{
	s->seed = seed;
	clear(&s->best);
	for (int g = 0; g < s->group_count; g++)
		clear(&s->caps[g]);
}

/* Offer "count" candidates to the slate.  The first of them has the index "first". */
void
slate_offer(Slate *s, int first, int count, const double *scores, int step)
{
	double		least = slate_least(s);

	for (int i = 0; i < count; i++, scores += step)
	{
		int			group;

		if (*scores < least)
			continue;
		group = s->groups ? s->groups[first + i] : -1;
		offer(group < 0 ? &s->best : &s->caps[group], s, *scores, first + i);
		least = slate_least(s);
	}
}

/* Finish the choice: merge the groups' candidates.  Returns the number of chosen candidates. */
int
slate_end(Slate *s)
{
	for (int g = 0; g < s->group_count; g++)
		for (int i = 0; i < s->caps[g].count; i++)
			push_or_replace(&s->best, s, s->caps[g].entries[i]);
	return s->best.count;
}

/*
 * Return the largest tie-break key of the rejected candidates with the highest score.  At least
 * one candidate must have been rejected.
 */
uint64_t
slate_lost_key(Slate *s)
{
	return tie_key(s, &s->best.lost);
}

/* Sort the chosen candidates by heapsort, best first. */
void
slate_sort(Slate *s)
{
	SlateHeap	rest = s->best;

	while (rest.count > 1)
	{
		SlateEntry	worst = rest.entries[0];

		rest.entries[0] = rest.entries[--rest.count];
		rest.entries[rest.count] = worst;
		sift_down(&rest, s);
	}
}
