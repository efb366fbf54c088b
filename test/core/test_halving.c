/*
 * test_halving.c
 *		Groups of similar vectors: selection of the smallest numbers, trees and
 *		orders.
 */
#include "oracle.h"

#include "core/halving.h"
#include "core/numbers.h"

#define COUNT	1000
#define WIDTH	9
#define GROUP	30
#define DEPTH	4

static float vectors[COUNT * WIDTH];
static float weights[WIDTH];
static int	order[COUNT];

static HalvingSet
make_set(void)
{
	HalvingSet	set = {
		.width = WIDTH, .vectors = vectors, .weights = weights,
		.projections = guarded(COUNT),
		.rows = guarded_floats((size_t) HALVING_ROWS * WIDTH),
		.axis = guarded(2 * WIDTH)};

	for (int i = 0; i < COUNT; i++)
		order[i] = i;
	for (int k = 0; k < WIDTH; k++)
		weights[k] = k == 0 ? 1e-6f : 1.0f;
	return set;
}

static void
assert_permutation(void)
{
	bool		is_there[COUNT] = {false};

	for (int i = 0; i < COUNT; i++)
	{
		assert_in_range(order[i], 0, COUNT - 1);
		assert_false(is_there[order[i]]);
		is_there[order[i]] = true;
	}
}

/* Many numbers are equal: of these the ones with the smallest indexes are selected. */
static void
test_select_finds_the_smallest(void **state)
{
	static const int counts[] = {0, 1, 2, 500, COUNT - 1, COUNT};
	double		keys[COUNT];
	uint64_t	seed = 1;

	for (int t = 0; t < 20; t++)
		for (int c = 0; c < LENGTH(counts); c++)
		{
			int			n = counts[c];

			for (int i = 0; i < COUNT; i++)
			{
				keys[i] = floor((t + 1) * dice(&seed));
				order[i] = i;
			}
			select_smallest(keys, COUNT, order, n);
			assert_permutation();
			for (int i = 0; i < n; i++)
				for (int j = n; j < COUNT; j += 7)
					assert_true(keys[order[i]] < keys[order[j]] ||
								(keys[order[i]] == keys[order[j]] && order[i] < order[j]));
		}
}

/* The mean squared distance of vectors from the mean of their group, by number */
static double
mean_distance(const int *group_of, int groups)
{
	double		total = 0.0;

	for (int g = 0; g < groups; g++)
		for (int k = 0; k < WIDTH; k++)
		{
			double		sum = 0.0;
			double		square = 0.0;
			int			count = 0;

			for (int i = 0; i < COUNT; i++)
				if (group_of[i] == g)
				{
					double		number = (double) vectors[i * WIDTH + k] * weights[k];

					sum += number;
					square += number * number;
					count++;
				}
			total += count == 0 ? 0.0 : square - sum * sum / count;
		}
	return total / COUNT;
}

/*
 * Vectors around GROUPS centres in random order: groups of the right size find the centres.  The
 * first element is far from 0, but its weighted differences are small.
 */
static void
roll_clusters(int clusters, uint64_t *seed)
{
	float		centres[COUNT * WIDTH] = {0};

	for (int i = 0; i < clusters * WIDTH; i++)
		centres[i] = (float) dice(seed);
	for (int i = 0; i < COUNT; i++)
	{
		int			cluster = (int) (clusters * (dice(seed) + 1) / 2);

		for (int k = 0; k < WIDTH; k++)
			vectors[i * WIDTH + k] = centres[cluster * WIDTH + k] + 0.01f * (float) dice(seed);
		vectors[i * WIDTH] = 1e8f + 1e5f * (float) dice(seed);
	}
}

static void
test_order_groups_similar_vectors(void **state)
{
	uint64_t	seed = 2;
	int			group_of[COUNT];
	double		random_distance;
	HalvingSet	set;

	roll_clusters(12, &seed);
	set = make_set();
	for (int i = 0; i < COUNT; i++)
		group_of[i] = i / GROUP;
	random_distance = mean_distance(group_of, COUNT / GROUP + 1);
	halving_order(&set, COUNT, order, GROUP);
	assert_permutation();
	for (int i = 0; i < COUNT; i++)
		group_of[order[i]] = i / GROUP;
	assert_true(mean_distance(group_of, COUNT / GROUP + 1) < 0.25 * random_distance);
}

/* Parts of a tree have equal sizes, and contain similar vectors. */
static void
test_tree_divides_evenly_and_by_similarity(void **state)
{
	uint64_t	seed = 3;
	int			part_of[COUNT];
	float	   *tree = guarded_floats((size_t) halving_tree_size(WIDTH, DEPTH));
	double		whole;
	HalvingSet	set;

	roll_clusters(COUNT, &seed);
	set = make_set();
	memset(part_of, 0, sizeof(part_of));
	whole = mean_distance(part_of, 1);
	halving_tree(&set, COUNT, order, DEPTH, tree);
	assert_permutation();
	for (int i = 0; i < COUNT; i++)
	{
		const float *vector = vectors + order[i] * WIDTH;

		part_of[order[i]] = halving_part(WIDTH, DEPTH, tree, vector, UINT64_MAX);
		assert_int_equal(part_of[order[i]], (((i << DEPTH) + (1 << DEPTH) / 2) / COUNT));
	}
	assert_true(mean_distance(part_of, 1 << DEPTH) < 0.7 * whole);
}

/* Random bits divide equal vectors, also zeros and very large ones. */
static void
test_equal_vectors_are_divided_evenly(void **state)
{
	static const float values[] = {0.0f, 1.0f, 3e38f, -3e38f, 1e-45f};
	float	   *tree = guarded_floats((size_t) halving_tree_size(WIDTH, DEPTH));

	for (int v = 0; v < LENGTH(values); v++)
	{
		HalvingSet	set = make_set();
		int			sizes[1 << DEPTH] = {0};

		for (int i = 0; i < COUNT * WIDTH; i++)
			vectors[i] = values[v];
		halving_tree(&set, COUNT, order, DEPTH, tree);
		for (int i = 0; i < COUNT; i++)
			sizes[halving_part(WIDTH, DEPTH, tree, vectors + i * WIDTH, (uint64_t) i)]++;
		for (int p = 0; p < 1 << DEPTH; p++)
			assert_in_range(sizes[p], COUNT / (1 << DEPTH), COUNT / (1 << DEPTH) + 1);
		halving_order(&set, COUNT, order, GROUP);
		assert_permutation();
	}
}

/* Rows that vary most in one direction are split into this direction, and an orthogonal rest. */
static void
test_split_separates_the_principal_axis(void **state)
{
	uint64_t	seed = 4;
	double	   *work = guarded(2 * WIDTH);
	float	   *axis = guarded_floats(WIDTH);
	double		before = 0.0;
	double		after = 0.0;
	double		products = 0.0;

	for (int i = 0; i < COUNT * WIDTH; i++)
	{
		float		along = i % WIDTH == 0 ? 10.0f * (float) dice(&seed) : vectors[i - 1];

		vectors[i] = i % WIDTH <= 1 ? along : (float) dice(&seed);
		before += (double) vectors[i] * vectors[i] / COUNT;
	}
	halving_split_axis(COUNT, WIDTH, vectors, work, axis);
	for (int i = 0; i < COUNT * WIDTH; i++)
	{
		after += (double) vectors[i] * vectors[i] / COUNT;
		products += (double) vectors[i] * axis[i % WIDTH];
		if (i % WIDTH == WIDTH - 1)
		{
			assert_true(fabs(products) < 1e-4);
			products = 0.0;
		}
	}
	assert_true(axis[0] == axis[1]);
	assert_near(2.0 * axis[0] * axis[0], before - after, 0.01);
	memset(vectors, 0, sizeof(vectors));
	halving_split_axis(COUNT, WIDTH, vectors, work, axis);
	for (int k = 0; k < WIDTH; k++)
		assert_true(axis[k] == 0.0f);
}

/* A number counts by its scale and its size, and at least a tenth of the largest. */
static void
test_numbers_weigh_by_scale_and_size(void **state)
{
	static const float scale[] = {1.0f, 2.0f, 0.0f, -0.5f};
	static const float numbers[] = {7, 1, 5, 10, 1, 7, 5, -10};
	float	   *found = guarded_floats(4);

	halving_weights(2, 4, numbers, scale, found);
	assert_near(found[0], 0.5, 1e-6);
	assert_near(found[1], 1.0, 1e-6);
	assert_near(found[2], 0.1, 1e-6);
	assert_near(found[3], 0.5, 1e-6);
	memset(vectors, 0, sizeof(vectors));
	halving_weights(2, 4, vectors, scale, found);
	for (int k = 0; k < 4; k++)
		assert_near(found[k], 1.0, 0);
}

TEST_PROGRAM("halving",
	test_of(test_select_finds_the_smallest),
	test_of(test_order_groups_similar_vectors),
	test_of(test_tree_divides_evenly_and_by_similarity),
	test_of(test_equal_vectors_are_divided_evenly),
	test_of(test_split_separates_the_principal_axis),
	test_of(test_numbers_weigh_by_scale_and_size),)
