/*
 * test_projection.c
 *		The random projection: pinned entries, the same in pieces and at once,
 *		of the promised law, and applied and lifted as its definition says.
 */
#include "oracle.h"

#include <float.h>

#include "core/projection.h"

/* rows first_row to first_row + rows - 1, in memory of their own */
static double *
rows_new(const ProjectionKey *key, int first_row, int rows)
{
	double	   *matrix = guarded((size_t) rows * (size_t) key->context_dim);

	projection_generate(key, first_row, rows, matrix);
	return matrix;
}

static double *
all_rows(const ProjectionKey *key)
{
	return rows_new(key, 0, key->reduced_dim);
}

static size_t
entries(const ProjectionKey *key)
{
	return (size_t) key->reduced_dim * (size_t) key->context_dim;
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
		const ProjectionKey key = {g->seed, g->scale, 120, 24};
		double	   *matrix = all_rows(&key);

		assert_near(matrix[g->row * key.context_dim + g->column], g->value,
					1e-14 * fabs(g->value));
		guarded_free(matrix);
	}
}

static void
test_rows_in_pieces_equal_rows_at_once(void **state)
{
	const ProjectionKey key = {12, 0.3, 37, 24};
	double	   *whole = all_rows(&key);
	int			first;
	int			rows;

	(void) state;
	for (first = 0; first < key.reduced_dim; first++)
		for (rows = 0; first + rows <= key.reduced_dim; rows++)
		{
			double	   *piece = rows_new(&key, first, rows);

			assert_same_bits((size_t) rows * 37, piece, whole + first * 37);
			guarded_free(piece);
		}
	guarded_free(whole);
}

/* entry (i, j) does not know how many rows and columns there are */
static void
test_entries_do_not_depend_on_sizes(void **state)
{
	const ProjectionKey large = {12, 0.3, 120, 24};
	const ProjectionKey small = {12, 0.3, 7, 3};
	double	   *more = all_rows(&large);
	double	   *fewer = all_rows(&small);
	int			i;

	(void) state;
	for (i = 0; i < small.reduced_dim; i++)
		assert_same_bits(7, fewer + i * 7, more + i * 120);
	guarded_free(more);
	guarded_free(fewer);
}

static void
test_scale_multiplies_and_seed_decides(void **state)
{
	const ProjectionKey key = {5, 1.0, 50, 10};
	const ProjectionKey half = {5, 0.5, 50, 10};
	const ProjectionKey other = {6, 1.0, 50, 10};
	double	   *matrix = all_rows(&key);
	double	   *halves = all_rows(&half);
	double	   *others = all_rows(&other);
	size_t		i;

	(void) state;
	for (i = 0; i < entries(&key); i++)
	{
		assert_true(halves[i] == matrix[i] / 2);
		assert_true(others[i] != matrix[i]);
	}
	guarded_free(matrix);
	guarded_free(halves);
	guarded_free(others);
}

/* ---------- law ---------- */

/*
 * Mean, variance and fourth moment of N entries of N(0, scale^2), each within
 * five of its standard errors: scale sqrt(1/N), scale^2 sqrt(2/N),
 * scale^4 sqrt(96/N).
 */
static void
test_moments(void **state)
{
	const ProjectionKey key = {31, 0.25, 2000, 50};
	const double s2 = key.scale * key.scale;
	const double count = (double) entries(&key);
	double	   *matrix = all_rows(&key);
	exact		sum = 0;
	exact		squares = 0;
	exact		fourths = 0;
	size_t		i;

	(void) state;
	for (i = 0; i < entries(&key); i++)
	{
		exact		square = (exact) matrix[i] * matrix[i];

		sum += matrix[i];
		squares += square;
		fourths += square * square;
	}
	assert_near(sum / count, 0, 5 * key.scale * sqrt(1 / count));
	assert_near(squares / count, s2, 5 * s2 * sqrt(2 / count));
	assert_near(fourths / count, 3 * s2 * s2, 5 * s2 * s2 * sqrt(96 / count));
	guarded_free(matrix);
}

/*
 * Rows are uncorrelated: of N products of two rows' entries the mean has
 * standard error scale^2 / sqrt(N); bound five.  Rows next to each other and
 * rows far apart.
 */
static void
test_rows_are_uncorrelated(void **state)
{
	const ProjectionKey key = {32, 1.0, 5000, 20};
	const int	n = key.context_dim;
	double	   *matrix = all_rows(&key);
	int			i;
	int			j;

	(void) state;
	for (i = 0; i < key.reduced_dim; i++)
		for (j = 0; j < i; j++)
			assert_near(exact_dot(n, matrix + i * n, matrix + j * n) / n, 0,
						5 / sqrt(n));
	guarded_free(matrix);
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
	ProjectionKey key = {0, 1 / sqrt(d), n, d};
	double	   *px = guarded((size_t) d);
	double	   *py = guarded((size_t) d);
	exact		sum = 0;

	for (key.seed = 1; key.seed <= (uint64_t) seeds; key.seed++)
	{
		double	   *matrix = all_rows(&key);

		projection_apply(&key, 0, d, matrix, 1, x, px);
		projection_apply(&key, 0, d, matrix, 1, y, py);
		sum += exact_dot(d, px, py);
		guarded_free(matrix);
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

/* walk through the rows "step" at a time, generating each piece anew */
static void
apply_in_pieces(const ProjectionKey *key, int step, int count,
				const double *contexts, double *reduced)
{
	int			first;

	for (first = 0; first < key->reduced_dim; first += step)
	{
		int			rest = key->reduced_dim - first;
		int			rows = rest < step ? rest : step;
		double	   *matrix = rows_new(key, first, rows);

		projection_apply(key, first, rows, matrix, count, contexts, reduced);
		guarded_free(matrix);
	}
}

static void
lift_in_pieces(const ProjectionKey *key, int step, int count,
			   const double *parameters, double *weights)
{
	int			first;

	for (first = 0; first < key->reduced_dim; first += step)
	{
		int			rest = key->reduced_dim - first;
		int			rows = rest < step ? rest : step;
		double	   *matrix = rows_new(key, first, rows);

		projection_lift(key, first, rows, matrix, count, parameters, weights);
		guarded_free(matrix);
	}
}

static void
check_apply(Shape shape, int count, int step)
{
	const ProjectionKey key = {77, 1 / sqrt(shape.d), shape.n, shape.d};
	uint64_t	seed = (uint64_t) shape.n;
	double	   *contexts = dice_array(&seed,
									  (size_t) count * (size_t) shape.n);
	double	   *reduced = guarded((size_t) count * (size_t) shape.d);
	double	   *matrix = all_rows(&key);
	int			c;
	int			r;

	apply_in_pieces(&key, step, count, contexts, reduced);
	for (c = 0; c < count; c++)
		for (r = 0; r < shape.d; r++)
		{
			const double *row = matrix + r * shape.n;
			const double *context = contexts + c * shape.n;

			assert_near(reduced[c * shape.d + r],
						exact_dot(shape.n, row, context),
						1e-12 * exact_dot_size(shape.n, row, context));
		}
	guarded_free(contexts);
	guarded_free(reduced);
	guarded_free(matrix);
}

static void
test_apply_equals_product(void **state)
{
	static const int counts[] = {1, 2, 64};
	static const int steps[] = {1, 5, 1024};
	int			s;
	int			c;
	int			p;

	(void) state;
	for (s = 0; s < LENGTH(shapes); s++)
		for (c = 0; c < LENGTH(counts); c++)
			for (p = 0; p < LENGTH(steps); p++)
				check_apply(shapes[s], counts[c], steps[p]);
}

static void
test_apply_writes_only_its_rows(void **state)
{
	const ProjectionKey key = {3, 1.0, 10, 8};
	uint64_t	seed = 3;
	double	   *contexts = dice_array(&seed, 30);
	double	   *matrix = rows_new(&key, 2, 3);
	int			count;

	(void) state;
	for (count = 1; count <= 3; count++)
	{
		double	   *reduced = guarded(24);
		int			i;

		projection_apply(&key, 2, 3, matrix, count, contexts, reduced);
		for (i = 0; i < 24; i++)
			assert_int_equal(is_untouched(reduced[i]),
							 i >= count * 8 || i % 8 < 2 || i % 8 >= 5);
		guarded_free(reduced);
	}
	guarded_free(contexts);
	guarded_free(matrix);
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
check_lift(Shape shape, int step, int count)
{
	const ProjectionKey key = {78, 1 / sqrt(shape.d), shape.n, shape.d};
	const size_t n = (size_t) shape.n;
	const size_t d = (size_t) shape.d;
	uint64_t	seed = (uint64_t) shape.d;
	double	   *context = dice_array(&seed, n);
	double	   *parameters = dice_array(&seed, d * (size_t) count);
	double	   *weights = guarded(n * (size_t) count);
	double	   *reduced = guarded(d);
	double	   *matrix = all_rows(&key);
	int			c;

	lift_in_pieces(&key, step, count, parameters, weights);
	projection_apply(&key, 0, shape.d, matrix, 1, context, reduced);
	for (c = 0; c < count; c++)
	{
		const double *parameter = parameters + (size_t) c * d;
		const double *lifted = weights + (size_t) c * n;
		exact		size = check_one_lift(shape, matrix, parameter, lifted,
										  context);

		assert_near(exact_dot(shape.n, lifted, context),
					exact_dot(shape.d, parameter, reduced), 1e-12 * size);
	}

	guarded_free(context);
	guarded_free(parameters);
	guarded_free(weights);
	guarded_free(reduced);
	guarded_free(matrix);
}

static void
test_lift_is_the_transpose(void **state)
{
	static const int steps[] = {1, 5, 1024};
	int			s;
	int			p;

	(void) state;
	for (s = 0; s < LENGTH(shapes); s++)
		for (p = 0; p < LENGTH(steps); p++)
		{
			check_lift(shapes[s], steps[p], 1);
			check_lift(shapes[s], steps[p], 3);
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
