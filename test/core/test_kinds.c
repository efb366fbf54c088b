/*
 * test_kinds.c
 *		Order of the coordinates of z and of weights, limits of sizes and
 *		numbers, and rows of the projection.  61_kinds.sql compares every kind
 *		with formulas in SQL.
 */
#include "oracle.h"

#include <float.h>

#include "core/kinds.h"
#include "core/numbers.h"
#include "core/random.h"

static exact
rounding(int terms)
{
	return (terms + 8) * DBL_EPSILON;
}

/* No feature vectors and no parameters */
static void
test_no_vectors_read_and_write_nothing(void **state)
{
	static const Kind kinds[] = {
		{INTERACTIONS_NONE, 3, 0, true},
		{INTERACTIONS_MATCHED, 3, 0, true}, {INTERACTIONS_MATCHED, 3, 2, true}
	};

	for (int k = 0; k < LENGTH(kinds); k++)
	{
		kind_fill(&kinds[k], 0, NULL, NULL, NULL);
		kind_lift(&kinds[k], 0, NULL, NULL, NULL);
	}
}

/* ---------- by hand ---------- */

static void
check_by_hand(Kind kind, const double *x, const double *u, const double *z,
			  const double *psi, const double *w)
{
	double	   *reduced = guarded((size_t) kind_reduced_len(&kind));
	double	   *lifted = guarded((size_t) kind_lifted_len(&kind));

	kind_fill(&kind, 1, x, u, reduced);
	assert_same_bits((size_t) kind_reduced_len(&kind), reduced, z);
	kind_lift(&kind, 1, psi, u, lifted);
	assert_same_bits((size_t) kind_lifted_len(&kind), lifted, w);
}

/* Users rely on the order of coordinates. */
static void
test_order_of_coordinates(void **state)
{
	const double x[] = {2, -3};
	const double u[] = {5, 7};

	check_by_hand((Kind) {INTERACTIONS_NONE, 2, 0, true}, x, NULL,
				  (double[]) {2, -3, 1},
				  (double[]) {4, 6, 9}, (double[]) {4, 6, 9});
	check_by_hand((Kind) {INTERACTIONS_MATCHED, 2, 0, true}, x, u,
				  (double[]) {0.5, -0.75, 10, -21, -44, 1},
				  (double[]) {4, 6, 1, 10, 3, 9},
				  (double[]) {1 + 5 + 60, 1.5 + 70 + 84, 9});
	check_by_hand((Kind) {INTERACTIONS_MATCHED, 2, 0, false}, x, u,
				  (double[]) {0.5, -0.75, 10, -21, -44},
				  (double[]) {4, 6, 1, 10, 3},
				  (double[]) {1 + 5 + 60, 1.5 + 70 + 84});
}

/* kind_fill() leaves these coordinates to the projection. */
static void
test_coordinates_of_the_projection_are_not_written(void **state)
{
	static const Interactions all[] = {INTERACTIONS_NONE, INTERACTIONS_MATCHED};
	const double x[] = {2, -3, 1};
	const double u[] = {5, 7, -1};
	const double psi[] = {100, 100, 4, 9};

	for (int k = 0; k < LENGTH(all); k++)
	{
		bool		matched = all[k] == INTERACTIONS_MATCHED;
		Kind		kind = {all[k], 3, matched ? 2 : 3, true};
		double	   *z = guarded(4);
		double	   *w = guarded(4);

		kind_fill(&kind, 1, x, u, z);
		kind_lift(&kind, 1, psi, u, w);
		for (int i = 0; i < kind.reduced_dim; i++)
			assert_true(is_untouched(&z[i]));
		if (matched)
			assert_true(z[2] == 4 * (10 - 21 - 1));
		for (int i = 0; i < 3; i++)
			assert_true(w[i] == (matched ? 16 * u[i] : 0));
		assert_true(z[3] == 1 && w[3] == 9);
	}
}

/* ---------- large sizes and numbers ---------- */

static void
test_counts_of_coordinates_do_not_overflow(void **state)
{
	assert_true(kind_feature_count(&(Kind) {INTERACTIONS_MATCHED, INT32_MAX, 0, true}) ==
				INT64_C(2147483647) * 2 + 1);
	assert_true(kind_feature_count(&(Kind) {INTERACTIONS_MATCHED, 5, INT32_MAX, true}) ==
				INT64_C(2147483648));
}

/* Nothing overflows for any feature vector. */
static void
test_largest_features_do_not_overflow(void **state)
{
	enum
	{
		n = 65536
	};
	const Kind	kind = {INTERACTIONS_MATCHED, n, 1, true};
	double	   *x = guarded(n);
	double	   *z = guarded(3);

	for (int i = 0; i < n; i++)
		x[i] = i % 2 ? WIDEN_MAX : -WIDEN_MAX;
	kind_fill(&kind, 1, x, x, z);
	assert_near(z[1] / (4.0 * n * WIDEN_MAX * WIDEN_MAX), 1, rounding(n));
}

/* Rows of the projection are normals times the scale, bit by bit, for any range. */
static void
test_rows_are_normals(void **state)
{
	const Projection p = {12, 0.3, 37, 11};
	double	   *expected = guarded(37);

	for (int first = 0; first < p.reduced_dim; first++)
		for (int count = 0; first + count <= p.reduced_dim; count++)
		{
			double	   *rows = guarded((size_t) (count * 37));

			projection_generate(&p, first, count, rows);
			for (int k = 0; k < count; k++)
			{
				random_normals(p.seed, RANDOM_PROJECTION, (uint32_t) (first + k), 0, 37,
							   expected);
				for (int j = 0; j < 37; j++)
					expected[j] *= p.scale;
				assert_same_bits(37, rows + k * 37, expected);
			}
		}
}

TEST_PROGRAM("kinds",
	test_of(test_no_vectors_read_and_write_nothing),
	test_of(test_order_of_coordinates),
	test_of(test_coordinates_of_the_projection_are_not_written),
	test_of(test_counts_of_coordinates_do_not_overflow),
	test_of(test_largest_features_do_not_overflow),
	test_of(test_rows_are_normals))
