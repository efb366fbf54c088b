/*
 * test_projection.c
 *		The random projection: pinned entries, the same in pieces and at once,
 *		of the promised law, and applied and lifted as its definition says.
 */
#include "reduction.h"

static size_t
entries(const Projection *p)
{
	return (size_t) p->reduced_dim * (size_t) p->context_dim;
}

/* ---------- entries ---------- */

typedef struct Golden
{
	uint64_t	seed;
	double		scale;
	int			row;
	int			column;
	double		value;
} Golden;

/*
 * Entry (i, j) is scale times normal j of row i of the projection's stream,
 * worked out with 50 decimal digits as test_random.c describes.
 */
static const Golden goldens[] = {
	{UINT64_C(0), 1, 0, 0, -1.50517605194816872505},
	{UINT64_C(0), 1, 23, 119, 0.66326084296800791318},
	{UINT64_C(2024), 0.5, 0, 0, 0.52477185366114897924},
	{UINT64_C(2024), 0.5, 0, 1, 0.26088132543594561019},
	{UINT64_C(2024), 0.5, 1, 0, 0.04301672174797020048},
	{UINT64_C(2024), 0.5, 2, 4, -0.24742479350679888461},
	{UINT64_C(0x8000000000000009), 0.125, 7, 6, -0.00563649677121243284}
};

static void
test_golden_entries(void **state)
{
	int			i;

	(void) state;
	for (i = 0; i < LENGTH(goldens); i++)
	{
		const Golden *g = &goldens[i];
		const Projection p = {g->seed, g->scale, 120, 24, 0, false};
		ProjectionRows rows = all_rows(&p);

		assert_near(rows.numbers[g->row * p.context_dim + g->column],
					g->value, 1e-14 * fabs(g->value));
		rows_free(rows);
	}
}

static void
test_rows_in_pieces_equal_rows_at_once(void **state)
{
	const Projection p = {12, 0.3, 37, 24, 0, false};
	ProjectionRows whole = all_rows(&p);
	int			first;
	int			count;

	(void) state;
	for (first = 0; first < p.reduced_dim; first++)
		for (count = 0; first + count <= p.reduced_dim; count++)
		{
			ProjectionRows piece = rows_new(&p, first, count);

			assert_same_bits((size_t) count * 37, piece.numbers,
							 whole.numbers + first * 37);
			rows_free(piece);
		}
	rows_free(whole);
}

/* entry (i, j) does not know how many rows and columns there are */
static void
test_entries_do_not_depend_on_sizes(void **state)
{
	const Projection large = {12, 0.3, 120, 24, 0, false};
	const Projection small = {12, 0.3, 7, 3, 0, false};
	ProjectionRows more = all_rows(&large);
	ProjectionRows fewer = all_rows(&small);
	int			i;

	(void) state;
	for (i = 0; i < small.reduced_dim; i++)
		assert_same_bits(7, fewer.numbers + i * 7, more.numbers + i * 120);
	rows_free(more);
	rows_free(fewer);
}

static void
test_scale_multiplies_and_seed_decides(void **state)
{
	const Projection p = {5, 1.0, 50, 10, 0, false};
	const Projection half = {5, 0.5, 50, 10, 0, false};
	const Projection other = {6, 1.0, 50, 10, 0, false};
	ProjectionRows rows = all_rows(&p);
	ProjectionRows halves = all_rows(&half);
	ProjectionRows others = all_rows(&other);
	size_t		i;

	(void) state;
	for (i = 0; i < entries(&p); i++)
	{
		assert_true(halves.numbers[i] == rows.numbers[i] / 2);
		assert_true(others.numbers[i] != rows.numbers[i]);
	}
	rows_free(rows);
	rows_free(halves);
	rows_free(others);
}

/* ---------- law ---------- */

static void
test_moments(void **state)
{
	const Projection p = {31, 0.25, 2000, 50, 0, false};
	ProjectionRows rows = all_rows(&p);

	(void) state;
	check_moments(entries(&p), rows.numbers, p.scale);
	rows_free(rows);
}

static void
test_rows_are_uncorrelated(void **state)
{
	const Projection p = {32, 1.0, 5000, 20, 0, false};
	ProjectionRows rows = all_rows(&p);

	(void) state;
	check_uncorrelated(p.reduced_dim, p.context_dim, rows.numbers);
	rows_free(rows);
}

/*
 * With scale 1/sqrt(d), (Px)'(Py) has expectation x'y and variance
 * (x'x y'y + (x'y)^2) / d.  The mean over independent seeds must come within
 * five of its standard errors; y = x is the norm.
 */
static void
check_inner_product(int n, int d, int seeds, const double *x, const double *y)
{
	const double expected = (double) exact_dot(n, x, y);
	const double variance = (double) (exact_dot(n, x, x) * exact_dot(n, y, y) +
									  expected * expected) / d;
	Projection p = {0, 1 / sqrt(d), n, d, 0, false};
	double	   *px = guarded((size_t) d);
	double	   *py = guarded((size_t) d);
	exact		sum = 0;

	for (p.seed = 1; p.seed <= (uint64_t) seeds; p.seed++)
	{
		ProjectionRows rows = all_rows(&p);

		apply_rows(&p, rows, 1, x, NULL, px);
		apply_rows(&p, rows, 1, y, NULL, py);
		sum += exact_dot(d, px, py);
		rows_free(rows);
	}
	assert_near(sum / seeds, expected, 5 * sqrt(variance / seeds));
	guarded_free(px);
	guarded_free(py);
}

static void
test_inner_products_are_kept_in_expectation(void **state)
{
	uint64_t	seed = 8;
	double	   *x = dice_array(&seed, 60);
	double	   *y = dice_array(&seed, 60);
	int			i;

	(void) state;
	check_inner_product(60, 12, 1000, x, x);
	check_inner_product(60, 12, 1000, x, y);
	for (i = 0; i < 60; i++)
		y[i] = x[i] + 0.1 * y[i];
	check_inner_product(60, 12, 1000, x, y);
	guarded_free(x);
	guarded_free(y);
}

/* ---------- reduce and lift ---------- */

typedef struct Shape
{
	int			n;
	int			d;
} Shape;

static const Shape shapes[] = {
	{1, 1}, {2, 1}, {7, 7}, {120, 24}, {301, 61}
};

static const Split splits[] = {
	{1, 1}, {5, 5}, {1024, 1024}
};

static void
check_apply(Shape shape, int count, Split split)
{
	const Projection p = {77, 1 / sqrt(shape.d), shape.n, shape.d, 0, false};
	uint64_t	seed = (uint64_t) shape.n;
	double	   *contexts = dice_array(&seed,
									  (size_t) count * (size_t) shape.n);
	double	   *reduced = guarded((size_t) count * (size_t) shape.d);
	ProjectionRows rows = all_rows(&p);
	int			c;
	int			r;

	apply_in_pieces(&p, split, count, contexts, NULL, reduced);
	for (c = 0; c < count; c++)
		for (r = 0; r < shape.d; r++)
		{
			const double *row = rows.numbers + r * shape.n;
			const double *context = contexts + c * shape.n;

			assert_near(reduced[c * shape.d + r],
						exact_dot(shape.n, row, context),
						1e-12 * exact_dot_size(shape.n, row, context));
		}
	guarded_free(contexts);
	guarded_free(reduced);
	rows_free(rows);
}

static void
test_apply_equals_product(void **state)
{
	static const int counts[] = {1, 2, 64};
	int			s;
	int			c;
	int			p;

	(void) state;
	for (s = 0; s < LENGTH(shapes); s++)
		for (c = 0; c < LENGTH(counts); c++)
			for (p = 0; p < LENGTH(splits); p++)
				check_apply(shapes[s], counts[c], splits[p]);
}

static void
test_apply_writes_only_its_rows(void **state)
{
	const Projection p = {3, 1.0, 10, 8, 0, false};
	uint64_t	seed = 3;
	double	   *contexts = dice_array(&seed, 30);
	ProjectionRows rows = rows_new(&p, 2, 3);
	int			count;

	(void) state;
	for (count = 1; count <= 3; count++)
	{
		double	   *reduced = guarded(24);
		int			i;

		apply_rows(&p, rows, count, contexts, NULL, reduced);
		for (i = 0; i < 24; i++)
			assert_int_equal(is_untouched(reduced[i]),
							 i >= count * 8 || i % 8 < 2 || i % 8 >= 5);
		guarded_free(reduced);
	}
	guarded_free(contexts);
	rows_free(rows);
}

/* w = P' psi of one parameter among several, against a naive product */
static exact
check_one_lift(Shape shape, const double *matrix, const double *parameter,
			   const double *weights, const double *context)
{
	exact		size = 0;
	int			i;
	int			j;

	for (j = 0; j < shape.n; j++)
	{
		exact		sum = 0;
		exact		terms = 0;

		for (i = 0; i < shape.d; i++)
		{
			exact		term = (exact) matrix[i * shape.n + j] * parameter[i];

			sum += term;
			terms += fabsl(term);
		}
		assert_near(weights[j], sum, 1e-12 * terms);
		size += terms * fabs(context[j]);
	}
	return size;
}

/* whatever weights held before, and w'x = psi'(P x) */
static void
check_lift(Shape shape, Split split, int count)
{
	const Projection p = {78, 1 / sqrt(shape.d), shape.n, shape.d, 0, false};
	const size_t n = (size_t) shape.n;
	const size_t d = (size_t) shape.d;
	uint64_t	seed = (uint64_t) shape.d;
	double	   *context = dice_array(&seed, n);
	double	   *parameters = dice_array(&seed, d * (size_t) count);
	double	   *weights = guarded(n * (size_t) count);
	double	   *reduced = guarded(d);
	ProjectionRows rows = all_rows(&p);
	int			c;

	lift_in_pieces(&p, split, count, parameters, NULL, weights);
	apply_rows(&p, rows, 1, context, NULL, reduced);
	for (c = 0; c < count; c++)
	{
		const double *parameter = parameters + (size_t) c * d;
		const double *lifted = weights + (size_t) c * n;
		exact		size = check_one_lift(shape, rows.numbers, parameter,
										  lifted, context);

		assert_near(exact_dot(shape.n, lifted, context),
					exact_dot(shape.d, parameter, reduced), 1e-12 * size);
	}

	guarded_free(context);
	guarded_free(parameters);
	guarded_free(weights);
	guarded_free(reduced);
	rows_free(rows);
}

static void
test_lift_is_the_transpose(void **state)
{
	int			s;
	int			p;

	(void) state;
	for (s = 0; s < LENGTH(shapes); s++)
		for (p = 0; p < LENGTH(splits); p++)
		{
			check_lift(shapes[s], splits[p], 1);
			check_lift(shapes[s], splits[p], 3);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_entries),
		cmocka_unit_test(test_rows_in_pieces_equal_rows_at_once),
		cmocka_unit_test(test_entries_do_not_depend_on_sizes),
		cmocka_unit_test(test_scale_multiplies_and_seed_decides),
		cmocka_unit_test(test_moments),
		cmocka_unit_test(test_rows_are_uncorrelated),
		cmocka_unit_test(test_inner_products_are_kept_in_expectation),
		cmocka_unit_test(test_apply_equals_product),
		cmocka_unit_test(test_apply_writes_only_its_rows),
		cmocka_unit_test(test_lift_is_the_transpose)
	};

	return cmocka_run_group_tests_name("projection", tests, NULL, NULL);
}
