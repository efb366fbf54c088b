/*
 * test_linalg.c
 *		Linear algebra: the packed layout is that of LAPACK, and every operation
 *		equals its definition for odd and even orders.  Bounds are multiples of
 *		the rounding error d epsilon of a sum of d terms.  Matrices of linear
 *		systems are diagonally dominant.  test_ridge.c tests the reduction to
 *		tridiagonal form, test_svd.c eigenvectors and rotations.
 */
#include "oracle.h"

#include <float.h>

#include "core/linalg.h"

extern void dtrttf_(const char *transr, const char *uplo, const int *n,
					const double *a, const int *lda, double *arf, int *info, size_t, size_t);

static const int orders[] = {1, 2, 3, 4, 24, 25, 60, 61};

typedef void (*OrderTest) (int d, uint64_t *seed);

#define test_of_orders(f)	{#f, each_order, NULL, free_all, &(OrderTest) {f}}

static void
each_order(void **state)
{
	OrderTest	test = *(OrderTest *) *state;
	uint64_t	seed = 20240229;

	for (int k = 0; k < LENGTH(orders); k++)
		test(orders[k], &seed);
}

static exact
rounding(int d)
{
	return 16 * (d + 2) * DBL_EPSILON;
}

static exact *
widen(size_t count, const double *values)
{
	exact	   *wide = exact_new(count);

	for (size_t i = 0; i < count; i++)
		wide[i] = values[i];
	return wide;
}

static void
check_all_near(int count, const double *actual, const exact *expected, exact tolerance)
{
	for (int i = 0; i < count; i++)
		assert_near(actual[i], expected[i], tolerance * (1 + fabsl(expected[i])));
}

/* ---------- the packed layout ---------- */

/* full matrix by columns, with different elements */
static void
check_layout(int d)
{
	size_t		len = linalg_packed_len(d);
	double	   *full = guarded(SQUARE(d));
	double	   *packed = guarded(len);
	int			info = -1;
	int			j;

	assert_int_equal(len, d * (d + 1) / 2);
	for (j = 0; j < d; j++)
		for (int i = 0; i < d; i++)
			full[i + j * d] = 1000 * i + j;
	dtrttf_("N", "L", &d, full, &d, packed, &info, 1, 1);
	assert_int_equal(info, 0);

	for (j = 0; j < d; j++)
		for (int i = j; i < d; i++)
		{
			size_t		index = linalg_packed_index(d, i, j);

			assert_in_range(index, 0, len - 1);
			assert_true(packed[index] == full[i + j * d]);
		}
}

static void
test_packed_index_is_lapacks(void **state)
{
	static const int large[] = {61, 64, 127, 128};

	for (int d = 1; d <= 40; d++)
		check_layout(d);
	for (int d = 0; d < LENGTH(large); d++)
		check_layout(large[d]);
}

static void
test_unpacked_triangle_equals_packed_one(int d, uint64_t *seed)
{
	double	   *packed = dice_array(seed, linalg_packed_len(d));
	double	   *full = guarded(SQUARE(d));

	linalg_unpack_lower(d, packed, full);
	for (int j = 0; j < d; j++)
		for (int i = 0; i < d; i++)
			assert_true(full[i + j * d] == (i < j ? 0 : packed[linalg_packed_index(d, i, j)]));
}

static void
test_diagonal_is_added_to_and_searched(int d, uint64_t *seed)
{
	size_t		len = linalg_packed_len(d);
	double	   *packed = dice_array(seed, len);
	double	   *before = guarded_copy(len, packed);
	int			i;

	linalg_add_diagonal(d, 0.5, packed);
	for (i = 0; i < d; i++)
		for (int j = 0; j <= i; j++)
		{
			size_t		index = linalg_packed_index(d, i, j);

			assert_true(packed[index] == before[index] + (i == j ? 0.5 : 0));
		}

	/*
	 * The maximum is found at any position of the diagonal, and off-diagonal
	 * elements do not count.
	 */
	for (i = 0; i < d; i++)
	{
		for (int j = 0; j < d; j++)
			packed[linalg_packed_index(d, j, j)] = -2 - j;
		packed[linalg_packed_index(d, i, i)] = -1.5;
		assert_true(linalg_max_diagonal(d, packed) == -1.5);
	}
}

/* ---------- updates ---------- */

static void
check_rank_update(int d, int count, double factor, uint64_t *seed)
{
	size_t		len = linalg_packed_len(d);
	double	   *packed = dice_array(seed, len);
	double	   *before = guarded_copy(len, packed);
	double	   *vectors = dice_array(seed, (size_t) count * (size_t) d);
	double	   *kept = guarded_copy((size_t) count * (size_t) d, vectors);
	int			i;

	linalg_rank_update(d, count, vectors, factor, packed);
	for (i = 0; i < d; i++)
		for (int j = 0; j <= i; j++)
		{
			size_t		index = linalg_packed_index(d, i, j);
			exact		sum = (exact) factor * before[index];

			for (int k = 0; k < count; k++)
				sum += (exact) vectors[k * d + i] * vectors[k * d + j];
			assert_near(packed[index], sum, rounding(count));
		}
	assert_same_bits((size_t) count * (size_t) d, vectors, kept);
}

static void
test_rank_update_adds_outer_products(int d, uint64_t *seed)
{
	static const int counts[] = {0, 1, 2, 63, 64};
	static const double factors[] = {1.0, 0.9, 0.0};

	for (int c = 0; c < LENGTH(counts); c++)
		for (int f = 0; f < LENGTH(factors); f++)
			check_rank_update(d, counts[c], factors[f], seed);
}

/* ---------- factor and solve ---------- */

/* Packed symmetric matrix, positive definite and well conditioned */
static double *
dominant_matrix(int d, uint64_t *seed)
{
	double	   *packed = dice_array(seed, linalg_packed_len(d));

	linalg_add_diagonal(d, d + 1.0, packed);
	return packed;
}

static void
test_cholesky_factor_equals_definition(int d, uint64_t *seed)
{
	double	   *packed = dominant_matrix(d, seed);
	exact	   *full = exact_from_packed(d, packed);
	exact	   *lower = exact_new(SQUARE(d));

	exact_cholesky(d, full, lower);
	assert_true(linalg_cholesky(d, packed));
	for (int i = 0; i < d; i++)
		for (int j = 0; j <= i; j++)
			assert_near(packed[linalg_packed_index(d, i, j)], lower[i * d + j], rounding(d));
}

/* A pivot that is not positive is detected at any position. */
static void
test_nonpositive_pivot_is_refused(int d, uint64_t *seed)
{
	for (int i = 0; i < d; i++)
	{
		double	   *packed = dominant_matrix(d, seed);

		packed[linalg_packed_index(d, i, i)] = -1;
		assert_false(linalg_cholesky(d, packed));
	}
}

/* The inverse computed from the factor, times the matrix, is the identity. */
static void
test_inverse_times_matrix_is_identity(int d, uint64_t *seed)
{
	double	   *packed = dominant_matrix(d, seed);
	exact	   *full = exact_from_packed(d, packed);
	exact	   *inverse;
	exact	   *column = exact_new((size_t) d);

	assert_true(linalg_cholesky(d, packed));
	linalg_cholesky_invert(d, packed);
	inverse = exact_from_packed(d, packed);
	for (int j = 0; j < d; j++)
	{
		exact_multiply(d, full, inverse + j * d, column);
		for (int i = 0; i < d; i++)
			assert_near(column[i], i == j, rounding(d));
	}
}

typedef void (*ExactSolve) (int d, const exact *lower, exact *x);

static void
solve_lower_once(int d, const double *factor, int count, double *vectors)
{
	assert_int_equal(count, 1);
	linalg_solve_lower(d, factor, vectors);
}

/* Solving for "count" vectors at once equals solving for each. */
static void
check_solve(int d, int count, uint64_t *seed, ExactSolve expected,
			void (*solve) (int, const double *, int, double *))
{
	size_t		len = (size_t) count * (size_t) d;
	double	   *factor = dominant_matrix(d, seed);
	double	   *vectors = dice_array(seed, len);
	exact	   *wide = widen(len, vectors);
	exact	   *full;
	exact	   *lower = exact_new(SQUARE(d));
	double	   *kept;

	full = exact_from_packed(d, factor);
	exact_cholesky(d, full, lower);
	for (int k = 0; k < count; k++)
		expected(d, lower, wide + k * d);

	assert_true(linalg_cholesky(d, factor));
	kept = guarded_copy(linalg_packed_len(d), factor);
	solve(d, factor, count, vectors);
	check_all_near((int) len, vectors, wide, rounding(d));
	assert_same_bits(linalg_packed_len(d), factor, kept);
}

static void
test_solutions_equal_definition(int d, uint64_t *seed)
{
	static const int counts[] = {1, 2, 7};

	check_solve(d, 1, seed, exact_solve_lower, solve_lower_once);
	for (int c = 0; c < LENGTH(counts); c++)
	{
		check_solve(d, counts[c], seed, exact_solve, linalg_cholesky_solve);
		check_solve(d, counts[c], seed, exact_solve_lower_transposed,
					linalg_solve_lower_transposed);
	}
	check_solve(d, d, seed, exact_solve, linalg_cholesky_solve);
	check_solve(d, d, seed, exact_solve_lower_transposed, linalg_solve_lower_transposed);
}

/* ---------- products ---------- */

static void
multiply_lower_each(int d, int count, uint64_t *seed)
{
	double	   *packed = dice_array(seed, linalg_packed_len(d));
	double	   *vectors = dice_array(seed, (size_t) d * (size_t) count);
	exact	   *expected = exact_new((size_t) d * (size_t) count);

	for (int c = 0; c < count; c++)
		for (int i = 0; i < d; i++)
			for (int j = 0; j <= i; j++)
				expected[c * d + i] += (exact) packed[linalg_packed_index(d, i, j)] *
					vectors[c * d + j];
	linalg_multiply_lower(d, packed, count, vectors);
	check_all_near(d * count, vectors, expected, rounding(d));
}

static void
test_lower_product_equals_definition(int d, uint64_t *seed)
{
	multiply_lower_each(d, 1, seed);
	multiply_lower_each(d, 7, seed);
}

static void
test_transposed_product_equals_definition(int d, uint64_t *seed)
{
	double	   *packed = dice_array(seed, linalg_packed_len(d));
	double	   *vector = dice_array(seed, (size_t) d);
	exact	   *expected = exact_new((size_t) d);

	for (int i = 0; i < d; i++)
		for (int j = 0; j <= i; j++)
			expected[j] += (exact) packed[linalg_packed_index(d, i, j)] *
				vector[i];
	linalg_multiply_lower_transposed(d, packed, vector);
	check_all_near(d, vector, expected, rounding(d));
}

static void
test_symmetric_products_equal_definition(int d, uint64_t *seed)
{
	size_t		len = linalg_packed_len(d);
	double	   *left = dice_array(seed, len);
	double	   *right = dice_array(seed, len);
	double	   *vector = dice_array(seed, (size_t) d);
	double	   *out = guarded((size_t) d);
	exact	   *full = exact_from_packed(d, left);
	exact	   *other = exact_from_packed(d, right);
	exact	   *wide = widen((size_t) d, vector);
	exact	   *expected = exact_new((size_t) d);
	exact		trace = 0;

	for (int i = 0; i < d * d; i++)
		trace += full[i] * other[i];
	assert_near(linalg_trace_product(d, left, right), trace, rounding(d) * d);

	exact_multiply(d, full, wide, expected);
	linalg_multiply_symmetric(d, left, vector, out);
	check_all_near(d, out, expected, rounding(d));
}

/*
 * Several combinations of the same vectors.  Lists of weights and sums are
 * separated by gaps, which do not change.
 */
static void
check_combine(int len, int rows, int count, int weights_len, int sums_len, uint64_t *seed)
{
	double	   *vectors = dice_array(seed, (size_t) rows * (size_t) len);
	double	   *weights = dice_array(seed, (size_t) count * (size_t) weights_len);
	double	   *sums = dice_array(seed, (size_t) count * (size_t) sums_len);
	double	   *before = guarded_copy((size_t) count * (size_t) sums_len, sums);
	int			c;

	linalg_combine(len, rows, vectors, count, weights, weights_len, sums, sums_len);
	for (c = 0; c < count; c++)
		for (int i = 0; i < sums_len; i++)
		{
			exact		sum = before[c * sums_len + i];

			for (int k = 0; k < rows && i < len; k++)
				sum += (exact) weights[c * weights_len + k] *
					vectors[k * len + i];
			assert_near(sums[c * sums_len + i], sum, i < len ? rounding(rows) : 0);
		}
}

static void
test_combinations_equal_definition(int len, uint64_t *seed)
{
	static const int counts[] = {1, 2, 3, 64};

	for (int c = 0; c < LENGTH(counts); c++)
	{
		check_combine(len, 5, counts[c], 5, len, seed);
		check_combine(len, 5, counts[c], 8, len, seed);
		check_combine(len, 5, counts[c], 5, len + 1, seed);
		check_combine(len, 1, counts[c], 8, len + 7, seed);
		check_combine(len, 61, counts[c], 62, len + 1, seed);
	}
}

/* Results are out_len apart, and the gaps do not change. */
static void
check_project(int len, int rows, int count, int out_len, uint64_t *seed)
{
	double	   *matrix = dice_array(seed, (size_t) rows * (size_t) len);
	double	   *vectors = dice_array(seed, (size_t) count * (size_t) len);
	double	   *out = guarded((size_t) count * (size_t) out_len);

	linalg_project(len, rows, matrix, count, vectors, out, out_len);
	for (int c = 0; c < count; c++)
		for (int r = 0; r < out_len; r++)
			if (r < rows)
				assert_near(out[c * out_len + r],
							exact_dot(len, matrix + r * len, vectors + c * len), rounding(len));
			else
				assert_true(is_untouched(out[c * out_len + r]));
}

static void
test_projections_equal_definition(int len, uint64_t *seed)
{
	static const int counts[] = {1, 2, 64};

	for (int c = 0; c < LENGTH(counts); c++)
	{
		check_project(len, 1, counts[c], 1, seed);
		check_project(len, 1, counts[c], 5, seed);
		check_project(len, 5, counts[c], 5, seed);
		check_project(len, 24, counts[c], 61, seed);
	}
}

static void
test_gram_matrix_equals_definition(int d, uint64_t *seed)
{
	double	   *columns = dice_array(seed, SQUARE(d));
	double	   *full = guarded(SQUARE(d));
	int			i;

	linalg_gram(d, columns, full);
	for (i = 0; i < d; i++)
		for (int j = 0; j < d; j++)
		{
			exact		sum = 0;

			for (int k = 0; k < d; k++)
				sum += (exact) columns[k * d + i] * columns[k * d + j];
			assert_near(full[i * d + j], sum, rounding(d));
			assert_true(full[i * d + j] == full[j * d + i]);
		}
}

/* Products of two lists of vectors are added to the matrix. */
static void
test_cross_products_are_added(int d, uint64_t *seed)
{
	double	   *left = dice_array(seed, 7 * (size_t) d);
	double	   *right = dice_array(seed, 7 * (size_t) d);
	double	   *full = dice_array(seed, SQUARE(d));
	double	   *before = guarded_copy(SQUARE(d), full);
	int			j;

	linalg_cross(d, 7, left, right, full);
	for (j = 0; j < d; j++)
		for (int i = 0; i < d; i++)
		{
			exact		sum = before[j * d + i];

			for (int k = 0; k < 7; k++)
				sum += (exact) left[k * d + i] * right[k * d + j];
			assert_near(full[j * d + i], sum, rounding(8));
		}
}

/* ---------- tridiagonal form ---------- */

/* L D L' equals the matrix, or a pivot that is not positive is detected at any position. */
static void
test_tridiagonal_factor_equals_definition(int d, uint64_t *seed)
{
	double	   *across = dice_array(seed, (size_t) d);
	double	   *below = dice_array(seed, (size_t) (d - 1));
	double	   *D;
	double	   *L;

	for (int i = 0; i < d; i++)
		across[i] += 3;
	D = guarded_copy((size_t) d, across);
	L = guarded_copy((size_t) (d - 1), below);
	assert_true(linalg_tridiagonal_factor(d, D, L));
	for (int i = 0; i < d; i++)
	{
		exact		before = i > 0 ? (exact) L[i - 1] * L[i - 1] * D[i - 1] : 0;

		assert_near(D[i] + before, across[i], rounding(2) * 4);
		if (i > 0)
			assert_near((exact) L[i - 1] * D[i - 1], below[i - 1], rounding(2));
	}
	for (int i = 0; i < d; i++)
	{
		D = guarded_copy((size_t) d, across);
		L = guarded_copy((size_t) (d - 1), below);
		D[i] = -1;
		assert_false(linalg_tridiagonal_factor(d, D, L));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		test_of(test_packed_index_is_lapacks),
		test_of_orders(test_unpacked_triangle_equals_packed_one),
		test_of_orders(test_diagonal_is_added_to_and_searched),
		test_of_orders(test_rank_update_adds_outer_products),
		test_of_orders(test_cholesky_factor_equals_definition),
		test_of_orders(test_nonpositive_pivot_is_refused),
		test_of_orders(test_inverse_times_matrix_is_identity),
		test_of_orders(test_solutions_equal_definition),
		test_of_orders(test_lower_product_equals_definition),
		test_of_orders(test_transposed_product_equals_definition),
		test_of_orders(test_symmetric_products_equal_definition),
		test_of_orders(test_combinations_equal_definition),
		test_of_orders(test_projections_equal_definition),
		test_of_orders(test_gram_matrix_equals_definition),
		test_of_orders(test_cross_products_are_added),
		test_of_orders(test_tridiagonal_factor_equals_definition)
	};

	return cmocka_run_group_tests_name("linalg", tests, NULL, NULL);
}
