/*
 * test_svd.c
 *		Item vectors against a dense decomposition in long double by Jacobi's
 *		method.  Vectors are compared by their dot products, V V', which no
 *		rotation changes.
 */
#include "oracle.h"

#include "core/svd.h"

/* ---------- matrices ---------- */

typedef struct Log
{
	SvdMatrix	matrix;
	exact	   *dense;			/* users by items, scaled */
	uint64_t   *hashes;
} Log;

static Log
log_new(uint32_t users, uint32_t items, Weight weight)
{
	Log			log = {.dense = exact_new((size_t) users * items)};
	exact	   *column = exact_new(items);

	log.matrix = matrix_new(users, items, weight, log.dense);
	log.hashes = allocate(sizeof(uint64_t) * items);
	for (uint32_t i = 0; i < items; i++)
		log.hashes[i] = (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
	for (uint32_t u = 0; u < users; u++)
	{
		exact		sum = 0;

		for (uint32_t i = 0; i < items; i++)
		{
			column[i] += log.dense[u * items + i];
			sum += log.dense[u * items + i];
		}
		for (uint32_t i = 0; i < items && sum > 0; i++)
			log.dense[u * items + i] /= sqrtl(sum);
	}
	for (uint32_t u = 0; u < users; u++)
		for (uint32_t i = 0; i < items; i++)
			if (column[i] > 0)
				log.dense[u * items + i] /= powl(column[i], 0.25L);
	svd_scale(&log.matrix, guarded(items));
	return log;
}

/* a negative weight means no cell */
static double
taste(uint64_t *seed, uint32_t user, uint32_t item)
{
	double		chance = (user % 3 == item % 3) ? 0.8 : -0.6;

	return dice(seed) < chance ? floor(3 + 2 * dice(seed)) : -1;
}

/* Singular values decay slowly, so that the iteration needs all of its products. */
static double
many_tastes(uint64_t *seed, uint32_t user, uint32_t item)
{
	return dice(seed) < (user % 26 == item % 26 ? 0.2 : -0.9) ? 1 : -1;
}

static double
one_of_each(uint64_t *seed, uint32_t user, uint32_t item)
{
	(void) user;
	(void) item;
	return dice(seed) < 2 ? 1 : -1;
}

static double
two_halves(uint64_t *seed, uint32_t user, uint32_t item)
{
	return user % 2 == item % 2 && dice(seed) < 2 ? 1 : -1;
}

static double
huge(uint64_t *seed, uint32_t user, uint32_t item)
{
	return taste(seed, user, item) * 1e50;
}

static double
tiny(uint64_t *seed, uint32_t user, uint32_t item)
{
	return taste(seed, user, item) * 1e-300;
}

/* One user's clicks on an item outweigh all others. */
static double
one_heavy(uint64_t *seed, uint32_t user, uint32_t item)
{
	double		weight = taste(seed, user, item);

	return user == 0 && item == 0 ? 1e20 : weight;
}

static double
with_zeros(uint64_t *seed, uint32_t user, uint32_t item)
{
	return user % 7 == 0 || item % 7 == 0 ? 0 : taste(seed, user, item);
}

static double
apart(uint64_t *seed, uint32_t user, uint32_t item)
{
	return user == item && dice(seed) < 2 ? (user == 0 ? 1e50 : 1e-50) : -1;
}

/* ---------- the dense decomposition ---------- */

/* eigenvectors of a symmetric matrix in columns, values on its diagonal */
static void
jacobi(int n, exact *a, exact *v)
{
	int			p;

	for (int i = 0; i < n * n; i++)
		v[i] = i % (n + 1) == 0;
	for (int sweep = 0; sweep < 40; sweep++)
		for (p = 0; p < n; p++)
			for (int q = p + 1; q < n; q++)
			{
				exact		tau;
				exact		t;
				exact		c;
				exact		s;

				if (a[p * n + q] == 0)
					continue;
				tau = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
				t = (tau < 0 ? -1 : 1) / (fabsl(tau) + sqrtl(1 + tau * tau));
				c = 1 / sqrtl(1 + t * t);
				s = t * c;
				for (int i = 0; i < n; i++)
				{
					exact		x = a[i * n + p];

					a[i * n + p] = c * x - s * a[i * n + q];
					a[i * n + q] = s * x + c * a[i * n + q];
				}
				for (int i = 0; i < n; i++)
				{
					exact		x = a[p * n + i];

					a[p * n + i] = c * x - s * a[q * n + i];
					a[q * n + i] = s * x + c * a[q * n + i];
					x = v[i * n + p];
					v[i * n + p] = c * x - s * v[i * n + q];
					v[i * n + q] = s * x + c * v[i * n + q];
				}
			}
}

/*
 * Decompose the gram matrix: its eigenvalues on the diagonal of the result, its
 * eigenvectors in v.
 */
static exact *
eigenvalues(const Log *log, exact *v)
{
	int			n = (int) log->matrix.items;
	exact	   *gram = exact_new(SQUARE(n));

	for (uint32_t u = 0; u < log->matrix.users; u++)
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++)
				gram[i * n + j] += log->dense[u * (uint32_t) n + (uint32_t) i] *
					log->dense[u * (uint32_t) n + (uint32_t) j];
	jacobi(n, gram, v);
	return gram;
}

static int
find_largest(int n, const exact *gram)
{
	int			best = 0;

	for (int i = 1; i < n; i++)
		if (gram[i * n + i] > gram[best * n + best])
			best = i;
	return best;
}

/* V V' of the k largest singular values, scaled to a mean diagonal of 1 */
static exact *
products_expected(const Log *log, int k)
{
	int			n = (int) log->matrix.items;
	exact	   *v = exact_new(SQUARE(n));
	exact	   *gram = eigenvalues(log, v);
	exact	   *products = exact_new(SQUARE(n));
	exact		trace = 0;
	exact		largest = 0;

	for (int c = 0; c < k && c < n; c++)
	{
		int			best = find_largest(n, gram);

		largest = fmaxl(largest, gram[best * n + best]);
		/* directions that are rounding errors */
		for (int i = 0; i < n && gram[best * n + best] > 1e-13 * largest; i++)
			for (int j = 0; j < n; j++)
				products[i * n + j] += v[i * n + best] * v[j * n + best];
		gram[best * n + best] = -1;
	}
	for (int i = 0; i < n; i++)
		trace += products[i * n + i];
	for (int i = 0; i < n * n && trace > 0; i++)
		products[i] *= n / trace;
	return products;
}

static void
check_products(const Log *log, int k, const double *vectors, exact scale, exact tolerance)
{
	int			n = (int) log->matrix.items;
	exact	   *expected = products_expected(log, k);

	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			assert_near(exact_dot(k, vectors + i * k, vectors + j * k),
						scale * expected[i * n + j], scale * tolerance);
}

/* ---------- decompositions ---------- */

static Svd
svd_new(const Log *log, int columns)
{
	size_t		count = (size_t) columns * log->matrix.items;
	Svd			svd = {columns, guarded(count),
		guarded(panel_spare(&log->matrix, (size_t) columns)), guarded((size_t) columns),
	guarded(svd_work(columns))};

	return svd;
}

/* Compute vectors of k numbers with a given number of columns. */
static double *
decompose(const Log *log, int k, int columns)
{
	Svd			svd = svd_new(log, columns);
	double	   *vectors = guarded((size_t) k * log->matrix.items);

	svd_start(&log->matrix, &svd, log->hashes, 0, NULL);
	assert_true(svd_decompose(&log->matrix, &svd, SVD_MAX_PRODUCTS));
	svd_vectors(&log->matrix, &svd, log->hashes, k, vectors);
	return vectors;
}

static void
check(uint32_t users, uint32_t items, Weight weight, int k, exact tolerance)
{
	Log			log = log_new(users, items, weight);
	int			columns = (int) items < k + SVD_SPARE ? (int) items : k + SVD_SPARE;
	double	   *vectors = decompose(&log, k, columns);

	check_products(&log, k, vectors, 1, tolerance);
}

/* With as many columns as items, no iteration is needed. */
static void
test_as_many_columns_as_items_are_exact(void **state)
{
	check(30, 12, taste, 4, 1e-12);
	check(30, 12, taste, 2, 1e-12);
	check(7, 12, taste, 12, 1e-12);
	check(30, 3, taste, 3, 1e-12);
}

/* With many more items than columns, the iteration converges to single precision. */
static void
test_few_columns_are_iterated(void **state)
{
	check(400, 70, taste, 3, 1e-7);
	check(40, 130, taste, 3, 1e-7);
}

/* Items without clicks enlarge the panel, so that 20 columns are three groups, or two of floats. */
static void
test_groups_of_columns_are_iterated(void **state)
{
	Log			log = log_new(400, 70, taste);
	Log			large = log;

	large.matrix.items = 70000;
	large.hashes = allocate(sizeof(uint64_t) * large.matrix.items);
	for (uint32_t i = 0; i < large.matrix.items; i++)
		large.hashes[i] = (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
	assert_true(panel_spare(&large.matrix, 20) == (size_t) 2 * 8 * 70000);
	check_products(&log, 3, decompose(&large, 3, 20), 1000, 1e-7);
}

static void
test_slowly_decaying_singular_values_converge(void **state)
{
	Log			log = log_new(400, 130, many_tastes);
	Svd			svd = svd_new(&log, 20);
	exact	   *gram = eigenvalues(&log, exact_new(SQUARE(130)));
	exact		first = gram[find_largest(130, gram) * 131];

	svd_start(&log.matrix, &svd, log.hashes, 0, NULL);
	assert_true(svd_decompose(&log.matrix, &svd, SVD_MAX_PRODUCTS));
	for (int j = 0; j < 10; j++)
	{
		int			best = find_largest(130, gram);

		assert_near(svd.values[j] / svd.values[0], sqrtl(gram[best * 131] / first), 1e-5);
		gram[best * 131] = -1;
	}
}

static void
test_matrices_of_low_rank(void **state)
{
	check(1, 1, one_of_each, 1, 1e-12);
	check(1, 40, one_of_each, 3, 1e-12);
	check(40, 1, one_of_each, 3, 1e-12);
	check(9, 50, one_of_each, 5, 1e-12);
	check(50, 40, two_halves, 5, 1e-12);
	check(6, 90, taste, 9, 1e-10);
}

static void
test_extreme_weights_are_decomposed(void **state)
{
	check(60, 20, huge, 3, 1e-7);
	check(60, 20, tiny, 3, 1e-7);
	check(60, 20, with_zeros, 3, 1e-7);
	check(60, 70, one_heavy, 3, 1e-5);
	check(12, 12, apart, 4, 1e-12);
}

/* Columns beyond the rank are zero, and nothing behind the columns is written. */
static void
test_columns_beyond_the_rank_are_zero(void **state)
{
	Log			log = log_new(50, 40, two_halves);
	double	   *vectors = decompose(&log, 5, 15);

	for (int i = 0; i < 40; i++)
		for (int j = 2; j < 5; j++)
			assert_true(vectors[i * 5 + j] == 0);

	log = log_new(30, 12, taste);
	vectors = decompose(&log, 20, 12);
	for (int i = 0; i < 12; i++)
		for (int j = 12; j < 20; j++)
			assert_true(vectors[i * 20 + j] == 0);
	check_products(&log, 20, vectors, 1, 1e-12);
}

/* The first column is common to all items, and is positive for them. */
static void
test_first_column_is_positive(void **state)
{
	Log			log = log_new(60, 20, taste);
	double	   *vectors = decompose(&log, 3, 13);
	double	   *again;

	for (int i = 0; i < 20; i++)
		assert_true(vectors[i * 3] > 0);
	again = decompose(&log, 3, 13);
	assert_same_bits(60, again, vectors);

	/* another start, the same signs */
	again = decompose(&log, 3, 20);
	for (int i = 0; i < 60; i++)
		assert_near(again[i], vectors[i], 1e-7);
}

/* ---------- refinement ---------- */

/* One product that starts from the solution stays there. */
static void
test_refinement_keeps_exact_vectors(void **state)
{
	Log			log = log_new(400, 70, taste);
	double	   *vectors = decompose(&log, 3, 13);
	Svd			svd = svd_new(&log, 13);
	double	   *refined = guarded(3 * 70);

	svd_start(&log.matrix, &svd, log.hashes, 3, vectors);
	assert_true(svd_decompose(&log.matrix, &svd, 1));
	svd_vectors(&log.matrix, &svd, log.hashes, 3, refined);
	check_products(&log, 3, refined, 1, 1e-7);
}

/*
 * Earlier vectors are rotated, mirrored and scaled, and those of some items are
 * missing.  The rotation onto them recovers all.
 */
static void
test_rotation_onto_earlier_vectors(void **state)
{
	Log			log = log_new(400, 70, taste);
	double	   *vectors = decompose(&log, 3, 13);
	double	   *others = guarded(3 * 70);
	double	   *work = guarded(svd_work(3));
	double	   *turned;
	double	   *kept;

	for (int i = 0; i < 70; i++)
	{
		others[i * 3] = 5 * (0.6 * vectors[i * 3] + 0.8 * vectors[i * 3 + 2]);
		others[i * 3 + 1] = -5 * vectors[i * 3 + 1];
		others[i * 3 + 2] = 5 * (0.8 * vectors[i * 3] - 0.6 * vectors[i * 3 + 2]);
	}
	kept = guarded_copy(3 * 70, others);
	memset(others + 3 * 30, 0, sizeof(double) * 3 * 20);
	turned = guarded_copy(3 * 70, vectors);
	assert_true(svd_turn(&log.matrix, 3, others, turned, work));
	for (int i = 0; i < 3 * 70; i++)
		assert_near(turned[i], kept[i], 1e-12);

	/* rotations keep dot products, whatever the target */
	for (int i = 0; i < 70; i++)
		others[i * 3] = others[i * 3 + 1] = others[i * 3 + 2] = i < 5 ? 1e-3 * i : 0;
	memcpy(turned, vectors, sizeof(double) * 3 * 70);
	assert_true(svd_turn(&log.matrix, 3, others, turned, work));
	check_products(&log, 3, turned, exact_dot(3, turned, turned) / exact_dot(3, vectors, vectors),
				   1e-7);

	/* vectors are not rescaled if the target consists of rounding errors */
	for (int i = 0; i < 3 * 5; i++)
		vectors[i] *= 1e-15;
	memcpy(turned, vectors, sizeof(double) * 3 * 70);
	assert_true(svd_turn(&log.matrix, 3, others, turned, work));
	assert_same_bits(3 * 70, turned, vectors);

	/* no target */
	memset(others, 0, sizeof(double) * 3 * 70);
	memcpy(turned, vectors, sizeof(double) * 3 * 70);
	assert_true(svd_turn(&log.matrix, 3, others, turned, work));
	assert_same_bits(3 * 70, turned, vectors);
}

/* The caller can cancel at each pause. */
static void
test_iteration_lets_the_caller_cancel(void **state)
{
	pauses = 0;
	check(1, 20000 / 100, one_of_each, 2, 1e-11);
	assert_true(pauses > 2);
	pauses = 0;
	check(400, 70, taste, 3, 1e-7);
	assert_true(pauses > 25 * 400);
}

TEST_PROGRAM("svd",
	test_of(test_as_many_columns_as_items_are_exact),
	test_of(test_few_columns_are_iterated),
	test_of(test_groups_of_columns_are_iterated),
	test_of(test_slowly_decaying_singular_values_converge),
	test_of(test_matrices_of_low_rank),
	test_of(test_extreme_weights_are_decomposed),
	test_of(test_columns_beyond_the_rank_are_zero),
	test_of(test_first_column_is_positive),
	test_of(test_refinement_keeps_exact_vectors),
	test_of(test_rotation_onto_earlier_vectors),
	test_of(test_iteration_lets_the_caller_cancel))
