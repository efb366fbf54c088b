/*
 * test_slate.c
 *		Slates equal a greedy choice from all candidates, sorted by score and tie-break
 *		key.
 */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "core/slate.h"

#define MAX_COUNT	40
#define ROUNDS	3000

typedef struct Case
{
	int			candidates;
	int			k;
	int			group_count;
	int			cap;
	const int  *groups;			/* NULL: no caps */
	double		scores[MAX_COUNT];
	uint64_t	seed;
} Case;

/* for qsort */
static const Case *present;

static int
compare(const void *a, const void *b)
{
	int			i = *(const int *) a;
	int			j = *(const int *) b;
	uint64_t	key_i = slate_tie_key(present->seed, (uint64_t) i);
	uint64_t	key_j = slate_tie_key(present->seed, (uint64_t) j);

	if (present->scores[i] != present->scores[j])
		return present->scores[i] > present->scores[j] ? -1 : 1;
	return key_i < key_j ? -1 : key_i > key_j;
}

/* Choose from the sorted candidates; returns the number of chosen ones. */
static int
choose_sorted(const Case *c, int *chosen)
{
	int			order[MAX_COUNT] = {0};
	int			taken[MAX_COUNT] = {0};
	int			count = 0;

	for (int i = 0; i < c->candidates; i++)
		order[i] = i;
	present = c;
	qsort(order, (size_t) c->candidates, sizeof(int), compare);
	for (int i = 0; i < c->candidates && count < c->k; i++)
	{
		int			group = c->groups ? c->groups[order[i]] : -1;

		if (group < 0 || taken[group]++ < c->cap)
			chosen[count++] = order[i];
	}
	return count;
}

/* Offer the candidates in parts, except parts in which all scores are too low. */
static int
choose(Slate *slate, int candidates, const double *scores, uint64_t seed)
{
	int			count;

	slate_begin(slate, seed);
	for (int first = 0; first < candidates; first += count)
	{
		double		peak = scores[first];
		int			i;

		count = candidates - first < 3 ? candidates - first : 3;
		for (i = first; i < first + count; i++)
			peak = scores[i] > peak ? scores[i] : peak;
		if (peak >= slate_least(slate))
			slate_offer(slate, first, count, scores + first, 1);
	}
	return slate_end(slate);
}

static void
check_choice(const Case *c)
{
	int			sizes[MAX_COUNT];
	SlateHeap	caps[MAX_COUNT];
	size_t		count = slate_entries(c->candidates, c->k, c->groups, c->cap,
									  c->group_count, sizes);
	SlateEntry *entries = allocate(count * sizeof(SlateEntry));
	int			expected[MAX_COUNT];
	int			expected_count = choose_sorted(c, expected);
	Slate		slate;

	slate_bind(&slate, c->candidates, c->k, c->groups, c->group_count, sizes, caps, entries);

	/* a slate can be used again */
	for (int round = 0; round < 2; round++)
	{
		assert_int_equal(choose(&slate, c->candidates, c->scores, c->seed), expected_count);
		slate_sort(&slate);
		for (int i = 0; i < expected_count; i++)
			assert_int_equal(slate.best.entries[i].candidate, expected[i]);
	}
}

/* Check a random case.  With few levels many scores are equal. */
static void
check_random_case(uint64_t *seed, int levels, bool capped)
{
	int			groups[MAX_COUNT];
	Case		c = {.seed = *seed};

	c.candidates = 1 + (int) (random_bits(*seed, 1000) % MAX_COUNT);
	c.k = 1 + (int) (random_bits(*seed, 1001) % (MAX_COUNT + 5));
	c.cap = 1 + (int) (random_bits(*seed, 1002) % 4);
	c.group_count = capped ? 1 + (int) (random_bits(*seed, 1003) % 6) : 0;
	for (int i = 0; i < c.candidates; i++)
	{
		c.scores[i] = (double) (random_bits(*seed, 2000 + (uint64_t) i) % (uint64_t) levels);
		groups[i] = (int) (random_bits(*seed, 3000 + (uint64_t) i) %
						   (uint64_t) (c.group_count + 1)) - 1;
	}
	if (capped)
		c.groups = groups;
	check_choice(&c);
	(*seed)++;
}

static void
test_slate_equals_greedy_choice_from_sorted_candidates(void **state)
{
	uint64_t	seed = 1;

	for (int i = 0; i < ROUNDS; i++)
	{
		check_random_case(&seed, 3, false);
		check_random_case(&seed, 1000000, false);
		check_random_case(&seed, 3, true);
		check_random_case(&seed, 1000000, true);
	}
}

/*
 * Random tie-breaking: 8 candidates with equal scores are chosen equally often in
 * 40,000 slates with k = 1, within 6.2 standard deviations.  Propensities and random
 * lists rely on it.
 */
static void
test_equal_scores_are_chosen_equally_often(void **state)
{
	enum
	{
		candidates = 8, trials = 40000
	};
	double		scores[candidates] = {0};
	int			counts[candidates] = {0};
	SlateEntry	entries[1];
	Slate		slate;

	slate_bind(&slate, candidates, 1, NULL, 0, NULL, NULL, entries);
	for (int i = 0; i < trials; i++)
	{
		assert_int_equal(choose(&slate, candidates, scores, random_bits(5, (uint64_t) i)), 1);
		counts[entries[0].candidate]++;
	}
	for (int i = 0; i < candidates; i++)
		assert_near(counts[i], 5000, 6.2 * 66.2);
}

TEST_PROGRAM("slate",
	test_of(test_slate_equals_greedy_choice_from_sorted_candidates),
	test_of(test_equal_scores_are_chosen_equally_often),)
