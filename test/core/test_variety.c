/*
 * test_variety.c
 *		Slates with diversity equal a choice of the highest penalized score for each
 *		position.
 */
#include "oracle.h"

#include "core/numbers.h"
#include "core/random.h"
#include "core/slate.h"
#include "core/variety.h"

#define MAX_COUNT	80
#define MAX_DIM	5
#define ROUNDS	4000

typedef struct Case
{
	int			candidates;
	int			k;
	int			dim;
	double		diversity;
	int			group_count;	/* maximum per group; 0: no caps */
	int			cap;
	int			max_rows;
	uint64_t	seed;
	int			numbers[MAX_COUNT];
	int			groups[MAX_COUNT];
	double		scores[MAX_COUNT];
	double		vectors[MAX_COUNT][MAX_DIM];
} Case;

/* ---------- by definition ---------- */

static double
similarity(const Case *c, int a, int b)
{
	float		unit_a[MAX_DIM];
	float		unit_b[MAX_DIM];
	float		cosine = 0.0f;
	int			k;

	unit_scale((size_t) c->dim, c->vectors[a], unit_a);
	unit_scale((size_t) c->dim, c->vectors[b], unit_b);
	for (k = 0; k < c->dim; k++)
		cosine += unit_a[k] * unit_b[k];
	return fmin(fmax((double) cosine, 0.0), 1.0);
}

/* Penalized score of a candidate after the chosen ones; -INFINITY if it cannot be chosen */
static double
penalized_score(const Case *c, int candidate, const int *chosen, int count)
{
	double		score = c->scores[candidate];
	double		closest = 0.0;
	int			of_group = 0;

	for (int i = 0; i < count; i++)
	{
		if (chosen[i] == candidate)
			return -INFINITY;
		closest = fmax(closest, similarity(c, candidate, chosen[i]));
		of_group += c->groups[candidate] >= 0 && c->groups[candidate] == c->groups[chosen[i]];
	}
	if (c->group_count > 0 && of_group >= c->cap)
		return -INFINITY;
	return score > 0.0 ? score - c->diversity * score * closest : score;
}

static int
choose_by_definition(const Case *c, int *chosen)
{
	int			count;

	for (count = 0; count < c->k; count++)
	{
		double		highest = -INFINITY;

		for (int i = 0; i < c->candidates; i++)
		{
			double		score = penalized_score(c, i, chosen, count);

			if (score > highest ||
				(score == highest && score > -INFINITY &&
				 slate_tie_key(c->seed, (uint64_t) c->numbers[i]) <
				 slate_tie_key(c->seed, (uint64_t) c->numbers[chosen[count]])))
			{
				highest = score;
				chosen[count] = i;
			}
		}
		if (highest == -INFINITY)
			break;
	}
	return count;
}

/* ---------- by variety.c ---------- */

static Variety
make_variety(const Case *c)
{
	size_t		rounded = variety_rounded(c->candidates);
	Variety		v = {.count = c->candidates,.dim = c->dim,.diversity = c->diversity,
		.numbers = c->numbers,.groups = c->group_count > 0 ? c->groups : NULL,
	.cap = c->cap,.max_rows = c->max_rows};

	v.units = guarded_floats(rounded * (size_t) c->dim);
	v.unit = allocate((size_t) c->dim * sizeof(float));
	v.rows = guarded_floats((size_t) c->max_rows * rounded);
	v.row_of = allocate((size_t) c->candidates * sizeof(int));
	v.taken = allocate(((size_t) c->group_count + 1) * sizeof(int));
	v.scores = guarded(rounded);
	v.penalties = guarded(rounded);
	v.closest = guarded_floats(rounded);
	v.penalized = guarded(rounded);
	for (int i = 0; i < c->candidates; i++)
		variety_set_vector(&v, i, c->vectors[i]);
	variety_start(&v);
	return v;
}

static void
check_lists(Case *c)
{
	Variety		v = make_variety(c);

	/* the selection can be used again, with another seed */
	for (int round = 0; round < 3; round++, c->seed++)
	{
		int			expected[MAX_COUNT] = {0};
		int			count = choose_by_definition(c, expected);

		memcpy(v.scores, c->scores, sizeof(double) * (size_t) c->candidates);
		variety_begin(&v, c->seed, c->group_count);
		for (int i = 0; i < count; i++)
			assert_int_equal(variety_next(&v), expected[i]);
		if (count < c->k)
			assert_int_equal(variety_next(&v), -1);
	}
}

/* ---------- cases ---------- */

/* Random integer from 0 to "many" - 1 */
static int
any(const Case *c, int purpose, int i, int many)
{
	return (int) (random_bits(c->seed, (uint64_t) (1000 * purpose + i)) % (uint64_t) many);
}

/* Make a random case.  With few levels many scores are equal, and some vectors are zero. */
static Case
make_case(uint64_t seed, int levels, int capped)
{
	Case		c = {.seed = seed};
	int			middle = levels / 3;

	c.candidates = 1 + any(&c, 1, 0, MAX_COUNT);
	c.k = 1 + any(&c, 1, 1, 15);
	c.dim = 1 + any(&c, 1, 2, MAX_DIM);
	c.diversity = (1 + any(&c, 1, 3, 4)) / 4.0;
	c.group_count = capped ? 1 + any(&c, 1, 4, 6) : 0;
	c.cap = 1 + any(&c, 1, 5, 3);
	c.max_rows = 1 + any(&c, 1, 6, 10);
	for (int i = 0; i < c.candidates; i++)
	{
		c.numbers[i] = 3 * i + 1;
		c.groups[i] = any(&c, 2, i, c.group_count + 1) - 1;
		c.scores[i] = (any(&c, 3, i, levels) - middle) / 7.0;
		for (int k = 0; k < c.dim; k++)
			c.vectors[i][k] = any(&c, 4 + k, i, levels) - middle;
	}
	return c;
}

static void
test_variety_equals_choice_by_definition(void **state)
{
	uint64_t	seed = 1;

	for (int i = 0; i < ROUNDS; i++)
	{
		Case		c = make_case(seed++, i % 2 ? 4 : 1000000, i % 4 < 2);

		check_lists(&c);
		assert_int_equal(free_all(state), 0);
	}
}

TEST_PROGRAM("variety",
	test_of(test_variety_equals_choice_by_definition),)
