/*
 * test_projection.c
 *		The projection matrix P has rows of normals, equal in pieces and at
 *		once.  Feature vectors are reduced and parameters lifted as the rows say
 *		in long double, in any pieces and with any coordinates behind.  Results
 *		differ by the rounding error of their number of terms.
 */
#include "oracle.h"

#include <float.h>

#include "core/kinds.h"
#include "core/numbers.h"
#include "core/random.h"

/* A sum, and the sum of its terms' absolute values, to which rounding errors are relative */
typedef struct Sum
{
	exact		value;
	exact		size;
} Sum;

/*
 * A projection and data for it.  Vectors have further coordinates after those
 * of the projection.
 */
typedef struct Fixture
{
	Projection	p;
	int			spare;
	int			count;
	double	   *features;
	double	   *parameters;
} Fixture;

/* Relative rounding error of a sum of products with this number of terms */
static exact
rounding(int terms)
{
	return (terms + 8) * DBL_EPSILON;
}

static ProjectionRows
rows_new(const Projection *p, int first, int count)
{
	double	   *numbers = guarded((size_t) count * (size_t) p->feature_dim);
	ProjectionRows rows = {first, count, numbers};

	projection_generate(p, first, count, numbers);
	return rows;
}

/* Return row "row" of the generated rows. */
static const double *
row_of(const Projection *p, const ProjectionRows *rows, int row)
{
	return rows->numbers + row * p->feature_dim;
}

static void
add_term(Sum *sum, exact term)
{
	sum->value += term;
	sum->size += fabsl(term);
}

/* Coordinate of z, given the row of the matrix */
static Sum
exact_reduce(const Projection *p, const double *row, const double *features)
{
	Sum			sum = {0, 0};

	for (int i = 0; i < p->feature_dim; i++)
		add_term(&sum, (exact) row[i] * features[i]);
	return sum;
}

/* Weight of a feature, given the rows of the matrix */
static Sum
exact_lift(const Projection *p, const ProjectionRows *rows, int weight, const double *parameter)
{
	Sum			sum = {0, 0};

	for (int k = 0; k < rows->count; k++)
		add_term(&sum, (exact) parameter[rows->first + k] * row_of(p, rows, k)[weight]);
	return sum;
}

/* ---------- reduce and lift ---------- */

static int
reduced_len(const Fixture *f)
{
	return f->p.reduced_dim + f->spare;
}

static int
lifted_len(const Fixture *f)
{
	return f->p.feature_dim + f->spare;
}

static Fixture
fixture_new(Projection p, int spare, int count)
{
	size_t		len = (size_t) count;
	uint64_t	seed = p.seed;
	Fixture		f = {p, spare, count, NULL, NULL};

	f.features = dice_array(&seed, len * (size_t) p.feature_dim);
	f.parameters = dice_array(&seed, len * (size_t) reduced_len(&f));
	return f;
}

static void
apply_rows(const Fixture *f, int first, int count, double *reduced)
{
	ProjectionRows rows = rows_new(&f->p, first, count);

	projection_apply(&f->p, &rows, f->count, f->features, reduced, reduced_len(f));
}

static void
lift_rows(const Fixture *f, int first, int count, double *lifted)
{
	ProjectionRows rows = rows_new(&f->p, first, count);

	projection_lift(&f->p, &rows, f->count, f->parameters, reduced_len(f), lifted, lifted_len(f));
}

/* The first piece has "first" rows, and each further one "step". */
static void
in_pieces(const Fixture *f, int first, int step, double *out,
		  void (*piece) (const Fixture *, int, int, double *))
{
	int			count;

	for (int done = 0; done < f->p.reduced_dim; done += count)
	{
		count = done == 0 ? first : step;
		if (count > f->p.reduced_dim - done)
			count = f->p.reduced_dim - done;
		piece(f, done, count, out);
	}
}

static double *
reduced_new(const Fixture *f)
{
	return guarded((size_t) (f->count * reduced_len(f)));
}

/* Weights of 0; other coordinates stay uninitialized. */
static double *
lifted_new(const Fixture *f)
{
	int			len = lifted_len(f);
	double	   *lifted = guarded((size_t) (f->count * len));

	for (int i = 0; i < f->count * len; i++)
		if (i % len < f->p.feature_dim)
			lifted[i] = 0;
	return lifted;
}

static void
check_apply(const Fixture *f, int first, int step)
{
	int			len = reduced_len(f);
	ProjectionRows rows = rows_new(&f->p, 0, f->p.reduced_dim);
	double	   *reduced = reduced_new(f);

	in_pieces(f, first, step, reduced, apply_rows);
	for (int c = 0; c < f->count; c++)
	{
		const double *features = f->features + c * f->p.feature_dim;

		for (int k = 0; k < f->p.reduced_dim; k++)
		{
			Sum			sum = exact_reduce(&f->p, row_of(&f->p, &rows, k), features);

			assert_near(reduced[c * len + k], sum.value, rounding(f->p.feature_dim) * sum.size);
		}
	}
}

static void
check_lift(const Fixture *f, int first, int step)
{
	int			len = lifted_len(f);
	ProjectionRows rows = rows_new(&f->p, 0, f->p.reduced_dim);
	double	   *lifted = lifted_new(f);
	int			i;

	in_pieces(f, first, step, lifted, lift_rows);
	for (int c = 0; c < f->count; c++)
	{
		const double *parameter = f->parameters + c * reduced_len(f);

		for (i = 0; i < f->p.feature_dim; i++)
		{
			Sum			sum = exact_lift(&f->p, &rows, i, parameter);

			assert_near(lifted[c * len + i], sum.value, rounding(2 * f->p.reduced_dim) * sum.size);
		}
		for (; i < len; i++)
			assert_true(is_untouched(lifted[c * len + i]));
	}
}

/* ---------- checks of each projection ---------- */

static void
check_rows(const Projection *p, const ProjectionRows *rows)
{
	size_t		len = (size_t) p->feature_dim;
	double	   *expected = guarded(len);

	for (int k = 0; k < rows->count; k++)
	{
		random_normals(p->seed, RANDOM_PROJECTION, (uint32_t) (rows->first + k), len, expected);
		for (size_t j = 0; j < len; j++)
			expected[j] *= p->scale;
		assert_same_bits(len, row_of(p, rows, k), expected);
	}
}

/*
 * Rows are normals times the scale, bit by bit, for any range, and nothing
 * else is written.  test_random.c tests the normals.
 */
static void
check_ranges(Projection p)
{
	for (int first = 0; first < p.reduced_dim; first++)
		for (int count = 0; first + count <= p.reduced_dim; count++)
		{
			ProjectionRows rows = rows_new(&p, first, count);

			check_rows(&p, &rows);
		}
}

/*
 * With and without further coordinates, for one feature vector and for many,
 * completely and in pieces
 */
static void
check_shape(int feature_dim, int reduced_dim)
{
	static const int counts[] = {1, 2, 17};
	static const int steps[] = {1024, 1, 5};
	const Projection p = {
		77, 1 / sqrt(reduced_dim), feature_dim, reduced_dim
	};

	for (int c = 0; c < LENGTH(counts); c++)
		for (int spare = 0; spare < 3; spare++)
		{
			Fixture		f = fixture_new(p, spare, counts[c]);

			for (int k = 0; k < LENGTH(steps); k++)
			{
				check_apply(&f, steps[k], steps[k]);
				check_lift(&f, steps[k], steps[k]);
			}
		}
}

/* sizes of the first piece and of further ones */
static void
check_splits(Projection p)
{
	Fixture		f = fixture_new(p, 1, 3);

	for (int first = 1; first <= p.reduced_dim; first++)
		for (int step = 1; step <= p.reduced_dim; step++)
		{
			check_apply(&f, first, step);
			check_lift(&f, first, step);
		}
}

static void
multiply(double *values, int count, double factor)
{
	while (count > 0)
		values[--count] *= factor;
}

/* the largest valid numbers */
static void
check_limits(Projection p)
{
	Fixture		f = fixture_new(p, 1, 5);

	multiply(f.features, 5 * p.feature_dim, WIDEN_MAX);
	check_apply(&f, p.reduced_dim, p.reduced_dim);
	check_lift(&f, p.reduced_dim, p.reduced_dim);
}

/* Only the coordinates of these rows are written. */
static void
check_written(const Fixture *f, int first, int count)
{
	int			len = reduced_len(f);
	double	   *reduced = reduced_new(f);

	apply_rows(f, first, count, reduced);
	for (int i = 0; i < f->count * len; i++)
	{
		int			k = i % len;
		bool		of_rows = k >= first && k < first + count;

		assert_int_equal(is_untouched(reduced[i]), !of_rows);
	}
}

/* Each range is added to the weights, and other coordinates do not change. */
static void
check_added(const Fixture *f)
{
	int			len = lifted_len(f);
	int			total = f->count * len;
	uint64_t	seed = 5;
	ProjectionRows rows = rows_new(&f->p, 2, 3);
	double	   *before = dice_array(&seed, (size_t) total);
	double	   *lifted = guarded_copy((size_t) total, before);

	lift_rows(f, 2, 3, lifted);
	lift_rows(f, 2, 3, lifted);
	for (int i = 0; i < total; i++)
	{
		const double *parameter = f->parameters + i / len * reduced_len(f);
		Sum			sum = {0, 0};

		if (i % len < f->p.feature_dim)
			sum = exact_lift(&f->p, &rows, i % len, parameter);
		assert_near(lifted[i], before[i] + 2 * sum.value,
					rounding(20) * (sum.size + fabs(before[i])));
	}
}

/* rows of a projection that has at least eight */
static void
check_only_its_rows(Projection p)
{
	for (int count = 1; count <= 3; count++)
	{
		Fixture		f = fixture_new(p, 2, count);

		check_written(&f, 0, 3);
		check_written(&f, 2, 3);
		check_written(&f, 5, 3);
		check_written(&f, 0, 8);
		check_added(&f);
	}
}

/* ---------- the tests ---------- */

static void
test_rows_are_normals(void **state)
{
	check_ranges((Projection) {12, 0.3, 37, 11});
}

/* The smallest shape, odd shapes and a large one */
static void
test_projection_equals_dense_products(void **state)
{
	check_shape(1, 1);
	check_shape(7, 7);
	check_shape(301, 61);
}

static void
test_projection_does_not_depend_on_pieces(void **state)
{
	check_splits((Projection) {79, 0.4, 9, 13});
}

/* The smallest and largest scale */
static void
test_projection_at_the_limits_of_scale(void **state)
{
	check_limits((Projection) {84, 1e-10, 61, 25});
	check_limits((Projection) {84, 1e10, 61, 25});
}

static void
test_projection_writes_its_coordinates_only(void **state)
{
	check_only_its_rows((Projection) {3, 1.0, 10, 8});
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		test_of(test_rows_are_normals),
		test_of(test_projection_equals_dense_products),
		test_of(test_projection_does_not_depend_on_pieces),
		test_of(test_projection_at_the_limits_of_scale),
		test_of(test_projection_writes_its_coordinates_only)
	};

	return cmocka_run_group_tests_name("projection", tests, NULL, NULL);
}
