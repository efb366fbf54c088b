/*
 * test_matrices.c
 *		The matrices behind a shared context, Q and R: pinned entries, their
 *		place in a range of rows next to those of P, and their law.
 */
#include "reduction.h"

#include "core/random.h"

/* ---------- entries ---------- */

enum
{
	GOLDEN_N = 120, GOLDEN_D = 1024, GOLDEN_M = 33
};

typedef struct Golden
{
	uint64_t	seed;
	double		scale;
	Matrix		matrix;
	int			row;
	int			column;
	double		value;
} Golden;

/*
 * Entry (i, j) of Q is normal j of row i of the interaction's stream, that of
 * R scale times the one of the shared context's stream; worked out with 50
 * decimal digits as test_random.c describes.
 */
static const Golden goldens[] = {
	{UINT64_C(0), 1, MATRIX_Q, 0, 0, 0.090582593293755132777},
	{UINT64_C(0), 1, MATRIX_R, 0, 0, 0.33117110954094296469},
	{UINT64_C(2024), 0.5, MATRIX_P, 0, 1, 0.26088132543594562981},
	{UINT64_C(2024), 0.5, MATRIX_Q, 0, 0, 0.12324321040557797527},
	{UINT64_C(2024), 0.5, MATRIX_Q, 0, 1, -0.50079481185192210476},
	{UINT64_C(2024), 0.5, MATRIX_Q, 1, 0, 0.49123877771165209083},
	{UINT64_C(2024), 0.5, MATRIX_Q, 23, 119, -0.1887444158393833584},
	{UINT64_C(2024), 0.5, MATRIX_R, 0, 0, 0.4623486901951677202},
	{UINT64_C(2024), 0.5, MATRIX_R, 0, 1, 0.40339056836428727436},
	{UINT64_C(2024), 0.5, MATRIX_R, 1, 0, -0.45430999512650736876},
	{UINT64_C(2024), 0.5, MATRIX_R, 23, 32, -0.098341214284447494103},
	{UINT64_C(0x8000000000000009), 0.125, MATRIX_P, 1023, 118,
	-0.15850652615173644923},
	{UINT64_C(0x8000000000000009), 0.125, MATRIX_Q, 1023, 119,
	-0.52177545818318203912},
	{UINT64_C(0x8000000000000009), 0.125, MATRIX_R, 1023, 32,
	0.16822762616583373398},
	{UINT64_C(0x8000000000000009), 0.125, MATRIX_R, 1022, 31,
	-0.072494153176180490548}
};

/* in a range of rows that the golden one stands in the middle of, or ends */
static void
test_golden_entries(void **state)
{
	int			i;

	(void) state;
	for (i = 0; i < LENGTH(goldens); i++)
	{
		const Golden *g = &goldens[i];
		const Projection p = {
			g->seed, g->scale, GOLDEN_N, GOLDEN_D, GOLDEN_M, false
		};
		int			first = g->row < 2 ? 0 : g->row - 2;
		int			count = GOLDEN_D - first < 5 ? GOLDEN_D - first : 5;
		ProjectionRows rows = rows_new(&p, first, count);

		assert_near(row_of(&p, &rows, g->matrix, g->row)[g->column], g->value,
					1e-14 * fabs(g->value));
		rows_free(rows);
	}
}

static void
check_rows(const Projection *p, const ProjectionRows *rows, Matrix matrix,
		   RandomPurpose purpose, double scale)
{
	size_t		len = (size_t) columns_of(p, matrix);
	double	   *expected = guarded(len);
	int			k;
	size_t		j;

	for (k = rows->first; k < rows->first + rows->count; k++)
	{
		random_normals(p->seed, purpose, (uint32_t) k, len, expected);
		for (j = 0; j < len; j++)
			expected[j] *= scale;
		assert_same_bits(len, row_of(p, rows, matrix, k), expected);
	}
	guarded_free(expected);
}

/*
 * Any range of rows, to the bit and nothing around it: [rows of P] as without
 * a shared context, [rows of Q] without scale, [rows of R] with it.
 */
static void
test_any_range_of_rows(void **state)
{
	const Projection p = {12, 0.3, 37, 11, 6, true};
	int			first;
	int			count;

	(void) state;
	assert_int_equal(projection_row_len(&p), 37 + 37 + 6);
	for (first = 0; first < p.reduced_dim; first++)
		for (count = 0; first + count <= p.reduced_dim; count++)
		{
			ProjectionRows rows = rows_new(&p, first, count);

			check_rows(&p, &rows, MATRIX_P, RANDOM_PROJECTION, 0.3);
			check_rows(&p, &rows, MATRIX_Q, RANDOM_INTERACTION, 1.0);
			check_rows(&p, &rows, MATRIX_R, RANDOM_SHARED, 0.3);
			rows_free(rows);
		}
}

/* a shared context, its size and an intercept leave P and Q alone */
static void
test_entries_do_not_depend_on_sizes(void **state)
{
	const Projection none = {12, 0.3, 37, 24, 0, false};
	const Projection few = {12, 0.3, 37, 24, 1, false};
	const Projection many = {12, 0.3, 37, 24, 65, true};
	ProjectionRows of_none = all_rows(&none);
	ProjectionRows of_few = all_rows(&few);
	ProjectionRows of_many = all_rows(&many);
	int			k;

	(void) state;
	assert_same_bits(24 * 37, of_few.numbers, of_none.numbers);
	assert_same_bits(2 * 24 * 37, of_many.numbers, of_few.numbers);
	for (k = 0; k < 24; k++)
		assert_same_bits(1, row_of(&many, &of_many, MATRIX_R, k),
						 row_of(&few, &of_few, MATRIX_R, k));
	rows_free(of_none);
	rows_free(of_few);
	rows_free(of_many);
}

/* ---------- law ---------- */

static void
test_moments(void **state)
{
	const Projection p = {31, 0.25, 2000, 50, 2000, false};
	ProjectionRows rows = all_rows(&p);

	(void) state;
	check_moments(50 * 2000, row_of(&p, &rows, MATRIX_P, 0), 0.25);
	check_moments(50 * 2000, row_of(&p, &rows, MATRIX_Q, 0), 1.0);
	check_moments(50 * 2000, row_of(&p, &rows, MATRIX_R, 0), 0.25);
	rows_free(rows);
}

/* with m = n all rows of the three matrices are one list of vectors */
static void
test_matrices_are_uncorrelated(void **state)
{
	const Projection p = {32, 1.0, 5000, 12, 5000, false};
	ProjectionRows rows = all_rows(&p);

	(void) state;
	check_uncorrelated(3 * p.reduced_dim, p.context_dim, rows.numbers);
	rows_free(rows);
}

/* a context, its shared context, and the products that two of them have */
typedef struct Pair
{
	const double *x;
	const double *u;
} Pair;

enum
{
	LAW_N = 10, LAW_D = 8, LAW_M = 5, LAW_SEEDS = 10000
};

/* kappa^2 d x.x' (1 + u.u') */
static double
expected_product(double scale, Pair a, Pair b)
{
	double		xx = (double) exact_dot(LAW_N, a.x, b.x);
	double		uu = (double) exact_dot(LAW_M, a.u, b.u);

	return scale * scale * LAW_D * xx * (1 + uu);
}

/*
 * A coordinate is kappa (A + Q R) with normals A and Q of variance x.x and R
 * of u.u, correlated between the two sides only.  The mean of the square of
 * z_k z'_k less the square of its mean, for each of the d coordinates.
 */
static double
product_variance(double scale, Pair a, Pair b)
{
	double		X = (double) (exact_dot(LAW_N, a.x, a.x) *
							  exact_dot(LAW_N, b.x, b.x));
	double		U = (double) exact_dot(LAW_M, a.u, a.u);
	double		V = (double) exact_dot(LAW_M, b.u, b.u);
	double		xx = (double) exact_dot(LAW_N, a.x, b.x);
	double		uu = (double) exact_dot(LAW_M, a.u, b.u);
	double		square = (X + 2 * xx * xx) * (1 + U * V + 2 * uu * uu) +
		X * (U + V) + 4 * xx * xx * uu;

	return pow(scale, 4) * LAW_D * (square - pow(xx * (1 + uu), 2));
}

/*
 * The mean of z.z' over independent seeds comes within five standard errors
 * of what it should be, by the known standard error and by the sample's own,
 * which come within a quarter of each other.
 */
static void
check_product(double scale, Pair a, Pair b)
{
	Projection	p = {0, scale, LAW_N, LAW_D, LAW_M, false};
	double		expected = expected_product(scale, a, b);
	double		known = sqrt(product_variance(scale, a, b) / LAW_SEEDS);
	double		z[2][LAW_D];
	double		sample;
	exact		sum = 0;
	exact		squares = 0;

	for (p.seed = 1; p.seed <= LAW_SEEDS; p.seed++)
	{
		ProjectionRows rows = all_rows(&p);
		exact		error;

		apply_rows(&p, rows, 1, a.x, a.u, z[0]);
		apply_rows(&p, rows, 1, b.x, b.u, z[1]);
		error = exact_dot(LAW_D, z[0], z[1]) - expected;
		sum += error;
		squares += error * error;
		rows_free(rows);
	}
	sample = sqrt((double) squares) / LAW_SEEDS;
	assert_near(sum / LAW_SEEDS, 0, 5 * known);
	assert_near(sum / LAW_SEEDS, 0, 5 * sample);
	assert_near(sample / known, 1, 0.25);
}

/* neighbours in context, in shared context, in both; strangers; a norm */
static void
test_inner_products_are_kept_in_expectation(void **state)
{
	const double scale = 1 / sqrt(LAW_D);
	uint64_t	seed = 8;
	double	   *x = dice_array(&seed, LAW_N);
	double	   *y = dice_array(&seed, LAW_N);
	double	   *u = dice_array(&seed, LAW_M);
	double	   *v = dice_array(&seed, LAW_M);
	int			i;

	(void) state;
	check_product(scale, (Pair) {x, u}, (Pair) {y, v});
	for (i = 0; i < LAW_N; i++)
		y[i] = x[i] + 0.5 * y[i];
	check_product(scale, (Pair) {x, u}, (Pair) {y, v});
	for (i = 0; i < LAW_M; i++)
		v[i] = u[i] - 0.5 * v[i];
	check_product(scale, (Pair) {x, u}, (Pair) {y, v});
	check_product(scale, (Pair) {x, u}, (Pair) {x, u});
	check_product(0.2, (Pair) {x, u}, (Pair) {y, v});
	guarded_free(x);
	guarded_free(y);
	guarded_free(u);
	guarded_free(v);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_entries),
		cmocka_unit_test(test_any_range_of_rows),
		cmocka_unit_test(test_entries_do_not_depend_on_sizes),
		cmocka_unit_test(test_moments),
		cmocka_unit_test(test_matrices_are_uncorrelated),
		cmocka_unit_test(test_inner_products_are_kept_in_expectation)
	};

	return cmocka_run_group_tests_name("matrices", tests, NULL, NULL);
}
