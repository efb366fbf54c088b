/*
 * test_neighbours.c
 *		Item-to-item weights against dense computations in long double.
 */
#include "oracle.h"

#include "core/neighbours.h"

#define RIDGE	10

/* Number of conjugate gradient steps, for fewer than NEIGHBOURS_MANY neighbours */
#define STEPS	4

/* ---------- logs ---------- */

typedef struct Log
{
	SvdMatrix	matrix;
	exact	   *dense;			/* users by items, elements limited to 1 */
	Neighbours	n;
} Log;

static Log
log_new(uint32_t users, uint32_t items, int k, Weight weight)
{
	Log			log = {.dense = exact_new((size_t) users * items)};
	Neighbours *n = &log.n;
	size_t		order = (size_t) k;
	size_t		count;

	log.matrix = matrix_new(users, items, weight, log.dense);
	count = log.matrix.starts[users];
	for (size_t i = 0; i < (size_t) users * items; i++)
		log.dense[i] = log.dense[i] < 1e-6 ? 0 : fminl(log.dense[i], 1);
	n->k = k;
	n->ridge = RIDGE;
	n->starts = allocate((items + 1) * sizeof(size_t));
	n->uses = allocate(count * sizeof(NeighbourUse) + 1);
	n->squares = guarded(items);
	n->ranks = allocate(items * sizeof(uint32_t));
	n->popular = guarded(neighbours_popular_len(items));
	n->products = guarded(items);
	n->touched = allocate(items * sizeof(uint32_t));
	n->heads = allocate(users * sizeof(size_t));
	n->nodes = allocate(count * sizeof(NeighbourNode) + 1);
	n->gram = guarded(order * order);
	n->cosines = guarded(order);
	n->solution = guarded(3 * order);
	n->fitted = allocate(items * order * sizeof(Neighbour));
	n->counts = allocate(items * sizeof(uint32_t));
	return log;
}

static void
log_fit(Log *log)
{
	neighbours_limit(&log->matrix);
	neighbours_index(&log->matrix, &log->n);
	neighbours_fit(&log->matrix, &log->n);
}

/* Users and items of three kinds */
static double
taste(uint64_t *seed, uint32_t user, uint32_t item)
{
	double		chance = (user % 3 == item % 3) ? 0.4 : -0.7;

	return dice(seed) < chance ? 1 : -1;
}

static double
weighted(uint64_t *seed, uint32_t user, uint32_t item)
{
	return taste(seed, user, item) * (dice(seed) + 1.5);
}

static double
all(uint64_t *seed, uint32_t user, uint32_t item) /* NOLINT(readability-non-const-parameter) */
{
	(void) seed;
	(void) user;
	(void) item;
	return 1;
}

static double
tiny(uint64_t *seed, uint32_t user, uint32_t item)
{
	return item % 2 ? taste(seed, user, item) : taste(seed, user, item) * 1e-300;
}

static double
one_of_each(uint64_t *seed, /* NOLINT(readability-non-const-parameter) */
			uint32_t user, uint32_t item)
{
	(void) seed;
	return user == item ? 1 : -1;
}

/* ---------- dense regressions ---------- */

/* Product of two columns */
static exact
product(const Log *log, uint32_t a, uint32_t b)
{
	exact		sum = 0;

	for (uint32_t u = 0; u < log->matrix.users; u++)
		sum += log->dense[(size_t) u * log->matrix.items + a] *
			log->dense[(size_t) u * log->matrix.items + b];
	return sum;
}

static exact
cosine(const Log *log, uint32_t a, uint32_t b)
{
	return product(log, a, b) / sqrtl(product(log, a, a) * product(log, b, b));
}

/* Product of two vectors under a matrix */
static exact
form(int count, const exact *a, const exact *left, const exact *right)
{
	exact		sum = 0;

	for (int i = 0; i < count; i++)
		for (int j = 0; j < count; j++)
			sum += left[i] * a[i * count + j] * right[j];
	return sum;
}

/*
 * The weights minimise w'aw / 2 - x'w among the combinations of D^-1 x, D^-1 a D^-1 x, and so on
 * up to STEPS vectors, where D is the diagonal of a.
 */
static void
check_weights(const Neighbour *fitted, int count, const exact *a, const exact *x)
{
	exact	   *basis = exact_new(STEPS * (size_t) count + 1);
	exact	   *expected = exact_new((size_t) count + 1);
	exact		sizes[STEPS] = {0};

	for (int step = 0; step < STEPS; step++)
	{
		exact	   *vector = basis + step * count;
		exact		sum = 0;

		for (int i = 0; i < count; i++)
		{
			for (int j = 0; step > 0 && j < count; j++)
				vector[i] += a[i * count + j] * vector[j - count];
			vector[i] = (step > 0 ? vector[i] : x[i]) / a[i * count + i];
		}
		for (int other = 0; other < step; other++)
		{
			exact		along = form(count, a, basis + other * count, vector) / sizes[other];

			for (int i = 0; i < count && sizes[other] > 1e-20L; i++)
				vector[i] -= along * basis[other * count + i];
		}
		sizes[step] = form(count, a, vector, vector);
		for (int i = 0; i < count; i++)
			sum += x[i] * vector[i];
		for (int i = 0; i < count && sizes[step] > 1e-20L; i++)
			expected[i] += sum / sizes[step] * vector[i];
	}
	for (int i = 0; i < count; i++)
		assert_near(fitted[i].weight, expected[i], 1e-6);
}

/* Many neighbours have nearly the weights of the exact ridge regression. */
static void
check_exact_weights(const Neighbour *fitted, int count, const exact *a, const exact *x)
{
	exact		error = 0;
	exact		size = 0;

	for (int i = 0; i < count; i++)
	{
		exact		rest = x[i];

		for (int j = 0; j < count; j++)
			rest -= a[i * count + j] * fitted[j].weight;
		error += rest * rest;
		size += x[i] * x[i];
	}
	assert_true(error <= 1e-6L * size);
}

/* An item's neighbours are the nearest, with the weights of check_weights() or the exact ones. */
static void
check_item(const Log *log, uint32_t item)
{
	const Neighbour *fitted = log->n.fitted + (size_t) item * (size_t) log->n.k;
	int			count = (int) log->n.counts[item];
	exact	   *a = exact_new(SQUARE(count) + 1);
	exact	   *x = exact_new((size_t) count + 1);
	exact		farthest = 1;
	int			related = 0;

	for (int i = 0; i < count; i++)
	{
		exact		near = cosine(log, item, fitted[i].item);

		assert_true(fitted[i].item != item);
		assert_true(near > 0 && near <= farthest + 1e-9L);
		farthest = near;
		for (int j = 0; j < count; j++)
			a[i * count + j] = product(log, fitted[i].item, fitted[j].item) + (i == j ? RIDGE : 0);
		x[i] = product(log, item, fitted[i].item);
	}
	for (uint32_t other = 0; other < log->matrix.items; other++)
	{
		bool		is_fitted = false;

		if (other == item || product(log, item, other) == 0)
			continue;
		related++;
		for (int i = 0; i < count; i++)
			is_fitted |= fitted[i].item == other;
		if (!is_fitted)
			assert_true(cosine(log, item, other) <= farthest + 1e-9L);
	}
	assert_int_equal(count, related < log->n.k ? related : log->n.k);
	if (log->n.k < NEIGHBOURS_MANY)
		check_weights(fitted, count, a, x);
	else
		check_exact_weights(fitted, count, a, x);
}

static void
check_log(uint32_t users, uint32_t items, int k, Weight weight)
{
	Log			log = log_new(users, items, k, weight);

	log_fit(&log);
	for (uint32_t item = 0; item < items; item++)
		check_item(&log, item);
	free_all(NULL);
}

/*
 * Odd and even numbers of neighbours; items that are all equal or not related; elements so
 * small that products underflow
 */
static void
test_weights_equal_dense_computations(void **state)
{
	check_log(200, 40, 7, taste);
	check_log(200, 40, 8, weighted);
	check_log(60, 90, 50, taste);
	check_log(60, 90, NEIGHBOURS_MANY, taste);
	check_log(60, 90, 1, taste);
	check_log(30, 12, 5, all);
	check_log(30, 12, 50, all);
	check_log(20, 20, 5, one_of_each);
	check_log(50, 30, 10, tiny);
	check_log(1, 1, 3, all);
}

/* Few clicks on many items, half of which are not among the popular ones */
static double
many(uint64_t *seed, uint32_t user, uint32_t item)
{
	double		chance = (user % 3 == item % 3) ? 0.2 : -0.8;

	return item % 2 && dice(seed) < chance ? 1 : dice(seed) < -0.995 ? 1 : -1;
}

/* Popular and other items mix. */
static void
test_weights_of_popular_items_equal_dense_computations(void **state)
{
	Log			log = log_new(40, 2 * NEIGHBOURS_POPULAR, 12, many);
	int			mixed = 0;

	log_fit(&log);
	for (uint32_t item = 0; item < log.matrix.items; item += 97)
		check_item(&log, item);
	for (uint32_t item = 0; item < log.matrix.items; item++)
	{
		int			popular = 0;

		for (uint32_t c = 0; c < log.n.counts[item]; c++)
			popular += log.n.ranks[log.n.fitted[item * 12 + c].item] < NEIGHBOURS_POPULAR;
		mixed += popular > 1 && popular + 1 < (int) log.n.counts[item];
	}
	assert_true(mixed > 100);
}

/* ---------- many clicks of a user ---------- */

/*
 * If a user has more clicks than the limit, about that many count, and
 * different ones for different users.
 */
static void
test_clicks_per_user_are_limited(void **state)
{
	uint32_t	items = 4 * NEIGHBOURS_MAX_CLICKS;
	Log			log = log_new(2, items, 1, all);
	size_t		first;
	size_t		both = 0;
	bool	   *has = allocate(items * sizeof(bool));

	neighbours_limit(&log.matrix);
	memset(has, 0, items * sizeof(bool));
	first = log.matrix.starts[1];
	for (size_t i = 0; i < first; i++)
		has[log.matrix.cells[i].item] = true;
	for (size_t i = first; i < log.matrix.starts[2]; i++)
		both += has[log.matrix.cells[i].item];
	/* five standard errors of a binomial */
	assert_near(first, NEIGHBOURS_MAX_CLICKS, 5 * sqrt(0.75 * NEIGHBOURS_MAX_CLICKS));
	assert_near(both, 0.25 * NEIGHBOURS_MAX_CLICKS, 5 * sqrt(0.25 * NEIGHBOURS_MAX_CLICKS));
}

/* ---------- the number of neighbours ---------- */

static void
check_adapted(uint32_t users, uint32_t items, int k)
{
	Log			log = log_new(users, items, 1, all);

	neighbours_adapt(&log.matrix, &log.n);
	assert_int_equal(log.n.k, k);
}

/* Logs need many neighbours if items have fewer than 16 clicks and more than 400 related items. */
static void
test_the_number_of_neighbours_depends_on_the_log(void **state)
{
	check_adapted(15, 30, NEIGHBOURS_MANY);
	check_adapted(16, 30, 1);
	check_adapted(15, 26, 1);
	check_adapted(15, NEIGHBOURS_MANY_ITEMS + 1, 1);
	free_all(NULL);
}

/* ---------- rows ---------- */

/* Transposed rows have the weights of all regressions in which their item takes part. */
static void
test_transposed_rows_have_the_weights_of_all_regressions(void **state)
{
	Log			log = log_new(80, 50, 6, taste);
	size_t	   *starts = allocate(51 * sizeof(size_t));
	Neighbour  *rows = allocate(50 * 6 * sizeof(Neighbour));
	size_t		total = 0;

	log_fit(&log);
	neighbours_transpose(&log.matrix, &log.n, starts, rows);
	assert_int_equal(starts[0], 0);
	for (uint32_t item = 0; item < 50; item++)
	{
		for (size_t r = starts[item]; r < starts[item + 1]; r++)
		{
			const Neighbour *fitted = log.n.fitted + rows[r].item * 6;
			bool		is_found = false;

			assert_true(r == starts[item] || rows[r - 1].item < rows[r].item);
			for (uint32_t c = 0; c < log.n.counts[rows[r].item]; c++)
				is_found |= fitted[c].item == item && fitted[c].weight == rows[r].weight;
			assert_true(is_found);
		}
		total += log.n.counts[item];
	}
	assert_int_equal(starts[50], total);
	assert_true(total > 200);
}

static int
compare_magnitudes(const void *a, const void *b)
{
	const Neighbour *left = a;
	const Neighbour *right = b;
	float		difference = fabsf(right->weight) - fabsf(left->weight);

	return difference != 0 ? (difference > 0) - (difference < 0) :
		(left->item > right->item) - (left->item < right->item);
}

/* Weights are in descending order, and ties are broken by item. */
static void
test_truncation_keeps_the_largest_weights(void **state)
{
	uint64_t	seed = 7;

	for (uint32_t count = 0; count < 40; count++)
		for (uint32_t max = 0; max < 44; max += 3)
		{
			Neighbour	row[40] = {{0}};
			Neighbour	sorted[40];
			uint32_t	kept;

			for (uint32_t i = 0; i < count; i++)
			{
				row[i].item = i;
				row[i].weight = (float) floor(6 * dice(&seed));
			}
			memcpy(sorted, row, sizeof(row));
			qsort(sorted, count, sizeof(Neighbour), compare_magnitudes);
			kept = neighbours_truncate(count, max, row);
			assert_int_equal(kept, count < max ? count : max);
			for (uint32_t i = 0; i < kept; i++)
			{
				assert_int_equal(row[i].item, sorted[i].item);
				assert_true(row[i].weight == sorted[i].weight);
			}
		}
}

/* An item whose users have many clicks */
static void
test_fitting_pauses_within_an_item(void **state)
{
	Log			log = log_new(400, 300, 2, all);

	neighbours_limit(&log.matrix);
	neighbours_index(&log.matrix, &log.n);
	pauses = 0;
	neighbours_fit(&log.matrix, &log.n);
	assert_true(pauses > 300 * 400 * 300 / 4096 / 2);
}

TEST_PROGRAM("neighbours",
	test_of(test_weights_equal_dense_computations),
	test_of(test_weights_of_popular_items_equal_dense_computations),
	test_of(test_clicks_per_user_are_limited),
	test_of(test_the_number_of_neighbours_depends_on_the_log),
	test_of(test_transposed_rows_have_the_weights_of_all_regressions),
	test_of(test_truncation_keeps_the_largest_weights),
	test_of(test_fitting_pauses_within_an_item))
