/*
 * test_kinds.c
 *		Reduced features z of every kind, and weights from a parameter, equal
 *		their definitions.  A parameter scores z as its weights score the
 *		features.  Single numbers and products of two are exact; sums differ by
 *		the rounding error of their number of terms.
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

/* ---------- definitions ---------- */

/*
 * Without an intercept z is A x, where the matrix A depends on u only and has
 * a row for each coordinate; w is its transpose times psi.  An entry is a sum
 * of products, and "size" is the sum of their absolute values.
 */
typedef struct Entry
{
	exact		value;
	exact		size;
} Entry;

static void
add_product(Entry *entry, exact a, exact b)
{
	entry->value += a * b;
	entry->size += fabsl(a * b);
}

/*
 * The coefficient of x_i in coordinate k, written as the reference does; P has
 * all rows of the projection.
 */
static Entry
coefficient(const Kind *kind, const double *P, const double *u, int k, int i)
{
	int			n = kind->feature_dim;
	int			d = kind->reduced_dim;
	Entry		entry = {0, 0};

	switch (kind->interactions)
	{
		case INTERACTIONS_NONE:
			add_product(&entry, 1, d > 0 ? (exact) P[k * n + i] : k == i);
			break;
		case INTERACTIONS_MATCHED:
			if (k == (d > 0 ? d : 2 * n))
				add_product(&entry, 4, u[i]);
			else if (d > 0)
				add_product(&entry, 0.25L, P[k * n + i]);
			else if (k < n)
				add_product(&entry, 0.25L, k == i);
			else if (k - n == i)
				add_product(&entry, 1, u[i]);
			break;
	}
	return entry;
}

/* Number of coordinates without the intercept, counted by hand */
static int
coordinates(const Kind *kind)
{
	int			n = kind->feature_dim;

	switch (kind->interactions)
	{
		case INTERACTIONS_MATCHED:
			return kind->reduced_dim > 0 ? kind->reduced_dim + 1 : 2 * n + 1;
		default:
			return kind->reduced_dim > 0 ? kind->reduced_dim : n;
	}
}

static Entry
exact_coordinate(const Kind *kind, const double *P, const double *x, const double *u, int k)
{
	Entry		sum = {0, 0};

	for (int i = 0; i < kind->feature_dim; i++)
	{
		Entry		a = coefficient(kind, P, u, k, i);

		sum.value += a.value * x[i];
		sum.size += a.size * fabsl((exact) x[i]);
	}
	return sum;
}

static Entry
exact_weight(const Kind *kind, const double *P, const double *psi, const double *u, int i)
{
	Entry		sum = {0, 0};

	for (int k = 0; k < coordinates(kind); k++)
	{
		Entry		a = coefficient(kind, P, u, k, i);

		sum.value += a.value * psi[k];
		sum.size += a.size * fabsl((exact) psi[k]);
	}
	return sum;
}

/* ---------- a kind, and data for it ---------- */

typedef struct Fixture
{
	Kind		kind;
	Projection	p;
	double	   *numbers;		/* rows of the projection; NULL without one */
	int			count;
	double	   *features;
	double	   *profiles;
	double	   *parameters;
} Fixture;

#define SCALE	0.375
#define PIECE	9

/* The first block of a matched z is scaled by a quarter. */
static Projection
projection_of(const Kind *kind, uint64_t seed)
{
	bool		matched = kind->interactions == INTERACTIONS_MATCHED;

	return (Projection) {
		seed, matched ? SCALE / 4 : SCALE, kind->feature_dim,
			kind->reduced_dim
	};
}

static Fixture
fixture_new(Kind kind, int count)
{
	uint64_t	seed = 31;
	size_t		len = (size_t) count;
	Fixture		f = {kind, projection_of(&kind, seed), NULL, count, NULL, NULL, NULL};

	if (kind.reduced_dim > 0)
	{
		f.numbers = guarded((size_t) kind.reduced_dim * (size_t) kind.feature_dim);
		projection_generate(&f.p, 0, kind.reduced_dim, f.numbers);
	}
	f.features = dice_array(&seed, len * (size_t) kind.feature_dim);
	f.profiles = dice_array(&seed, len * (size_t) kind.feature_dim);
	f.parameters = dice_array(&seed, len * (size_t) kind_reduced_len(&kind));
	return f;
}

/* Matrix P without the factor of a quarter; NULL without a projection */
static double *
matrix_of(const Fixture *f)
{
	Projection	p = f->p;
	double	   *whole;

	if (p.reduced_dim == 0)
		return NULL;
	p.scale = SCALE;
	whole = guarded((size_t) p.reduced_dim * (size_t) p.feature_dim);
	projection_generate(&p, 0, p.reduced_dim, whole);
	return whole;
}

/* Rows of the projection from "first" on, at most PIECE of them */
static ProjectionRows
piece(const Fixture *f, int first)
{
	int			left = f->kind.reduced_dim - first;

	return (ProjectionRows) {
		first, left < PIECE ? left : PIECE, f->numbers + first * f->kind.feature_dim
	};
}

/* Compute z of all feature vectors; the projected part is computed last or first, in pieces. */
static double *
reduce(const Fixture *f, bool projection_first)
{
	int			len = kind_reduced_len(&f->kind);
	double	   *reduced = guarded((size_t) (f->count * len));

	if (!projection_first)
		kind_fill(&f->kind, f->count, f->features, f->profiles, reduced);
	for (int first = 0; first < f->kind.reduced_dim; first += PIECE)
	{
		ProjectionRows rows = piece(f, first);

		projection_apply(&f->p, &rows, f->count, f->features, reduced, len);
	}
	if (projection_first)
		kind_fill(&f->kind, f->count, f->features, f->profiles, reduced);
	return reduced;
}

/* Lift all parameters under one profile. */
static double *
lift(const Fixture *f, const double *profile)
{
	int			len = kind_lifted_len(&f->kind);
	double	   *lifted = guarded((size_t) (f->count * len));

	kind_lift(&f->kind, f->count, f->parameters, profile, lifted);
	for (int first = 0; first < f->kind.reduced_dim; first += PIECE)
	{
		ProjectionRows rows = piece(f, first);

		projection_lift(&f->p, &rows, f->count, f->parameters,
						kind_reduced_len(&f->kind), lifted, len);
	}
	return lifted;
}

/* ---------- every kind and size ---------- */

static int
terms(const Kind *kind)
{
	return 2 * kind->feature_dim + coordinates(kind);
}

static void
check_reduced(const Fixture *f, bool projection_first)
{
	const Kind *kind = &f->kind;
	int			len = kind_reduced_len(kind);
	double	   *reduced = reduce(f, projection_first);
	double	   *P = matrix_of(f);

	for (int c = 0; c < f->count; c++)
	{
		const double *x = f->features + c * kind->feature_dim;
		const double *u = f->profiles + c * kind->feature_dim;
		const double *z = reduced + c * len;

		for (int k = 0; k < coordinates(kind); k++)
		{
			Entry		want = exact_coordinate(kind, P, x, u, k);

			assert_near(z[k], want.value, rounding(terms(kind)) * want.size);
		}
		if (kind->intercept)
			assert_true(z[len - 1] == 1.0);
	}
}

static void
check_lifted(const Fixture *f, const double *profile)
{
	const Kind *kind = &f->kind;
	int			len = kind_lifted_len(kind);
	double	   *lifted = lift(f, profile);
	double	   *P = matrix_of(f);

	for (int c = 0; c < f->count; c++)
	{
		const double *psi = f->parameters + c * kind_reduced_len(kind);

		for (int i = 0; i < kind->feature_dim; i++)
		{
			Entry		want = exact_weight(kind, P, psi, profile, i);

			assert_near(lifted[c * len + i], want.value, rounding(terms(kind)) * want.size);
		}
		if (kind->intercept)
			assert_true(lifted[c * len + len - 1] == psi[coordinates(kind)]);
	}
}

/* psi'z equals w'x plus the intercept's term, for each feature vector and each parameter. */
static void
check_scores(const Fixture *f)
{
	const Kind *kind = &f->kind;
	int			n = kind->feature_dim;
	int			len = kind_reduced_len(kind);
	int			lifted_len = kind_lifted_len(kind);
	double	   *reduced = reduce(f, false);

	for (int c = 0; c < f->count; c++)
	{
		const double *z = reduced + c * len;
		double	   *lifted = lift(f, f->profiles + c * kind->feature_dim);

		for (int p = 0; p < f->count; p++)
		{
			const double *psi = f->parameters + p * len;
			const double *w = lifted + p * lifted_len;
			const double *x = f->features + c * n;
			exact		score = exact_dot(n, w, x) + (kind->intercept ? w[n] : 0);
			exact		size = exact_dot_size(len, psi, z) + exact_dot_size(n, w, x);

			/* the terms of z and w may be larger than their sums */
			size += 4 * (2 * n + 1) * (1 + coordinates(kind));
			assert_near(score, exact_dot(len, psi, z), rounding(terms(kind)) * size);
		}
	}
}

static void
check_kind(Kind kind, int count)
{
	Fixture		f = fixture_new(kind, count);
	double	   *zeros = guarded((size_t) kind.feature_dim);

	assert_int_equal(kind_coordinates(&kind), coordinates(&kind));
	assert_int_equal(kind_reduced_len(&kind), coordinates(&kind) + kind.intercept);
	assert_int_equal(kind_lifted_len(&kind), kind.feature_dim + kind.intercept);
	check_reduced(&f, false);
	check_reduced(&f, true);
	check_lifted(&f, f.profiles);
	check_scores(&f);

	/* an empty profile */
	memset(zeros, 0, sizeof(double) * (size_t) kind.feature_dim);
	check_lifted(&f, zeros);
	memset(f.profiles, 0, sizeof(double) * (size_t) (count * kind.feature_dim));
	check_reduced(&f, false);
}

static void
test_every_kind_equals_its_definition(void **state)
{
	static const int reduced_dims[] = {0, 1, 2, 5, 24};
	static const int feature_dims[] = {1, 2, 3, 8, 33, 120};
	static const int counts[] = {1, 2, 17};
	int			intercept;
	int			c;

	for (intercept = 0; intercept < 2; intercept++)
		for (c = 0; c < LENGTH(counts); c++)
			for (int d = 0; d < LENGTH(reduced_dims); d++)
			{
				int			rows = reduced_dims[d];

				for (int s = 0; s < LENGTH(feature_dims); s++)
				{
					int			n = feature_dims[s];

					check_kind((Kind) {INTERACTIONS_NONE, n, rows, intercept == 1},
							   counts[c]);
					check_kind((Kind) {INTERACTIONS_MATCHED, n, rows, intercept == 1},
							   counts[c]);
				}
			}
}

/* The maximum number of coordinates without a projection */
static void
test_largest_kind_equals_its_definition(void **state)
{
	check_kind((Kind) {INTERACTIONS_NONE, 1024, 0, true}, 2);
	check_kind((Kind) {INTERACTIONS_MATCHED, 511, 0, true}, 2);
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
			assert_true(is_untouched(z[i]));
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
	assert_true(kind_coordinates(&(Kind) {INTERACTIONS_MATCHED, INT32_MAX, 0, true}) ==
				INT64_C(2147483647) * 2 + 1);
	assert_true(kind_coordinates(&(Kind) {INTERACTIONS_MATCHED, 5, INT32_MAX, true}) ==
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
				random_normals(p.seed, RANDOM_PROJECTION, (uint32_t) (first + k), 37, expected);
				for (int j = 0; j < 37; j++)
					expected[j] *= p.scale;
				assert_same_bits(37, rows + k * 37, expected);
			}
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		test_of(test_every_kind_equals_its_definition),
		test_of(test_largest_kind_equals_its_definition),
		test_of(test_no_vectors_read_and_write_nothing),
		test_of(test_order_of_coordinates),
		test_of(test_coordinates_of_the_projection_are_not_written),
		test_of(test_counts_of_coordinates_do_not_overflow),
		test_of(test_largest_features_do_not_overflow),
		test_of(test_rows_are_normals)
	};

	return cmocka_run_group_tests_name("kinds", tests, NULL, NULL);
}
