/*
 * test_projection.c
 *		The random matrices: rows of normals, the same in pieces and at once.
 *		Contexts are reduced, and parameters lifted, as the dense projection of
 *		the long vector [x, x (x) u] would do it, whatever the pieces and
 *		whatever stands behind the coordinates that they make.
 *
 * Computed numbers are held to the rounding that their number of terms allows.
 */
#include "oracle.h"

#include <float.h>

#include "core/dot.h"
#include "core/linalg.h"
#include "core/projection.h"
#include "core/random.h"
#include "core/widen.h"

/* of a sum of so many terms, each of a few factors, relative to their sizes */
static exact
rounding(int terms)
{
	return (terms + 8) * DBL_EPSILON;
}

/* ---------- rows of the matrices ---------- */

typedef enum Matrix
{
	MATRIX_P, MATRIX_Q, MATRIX_R
} Matrix;

static ProjectionRows
rows_new(const Projection *p, int first, int count)
{
	double	   *numbers = guarded((size_t) count * projection_row_len(p));
	ProjectionRows rows = {first, count, numbers};

	projection_generate(p, first, count, numbers);
	return rows;
}

/* row "row" of those held, in [rows of P][rows of Q][rows of R] */
static const double *
row_of(const Projection *p, const ProjectionRows *rows, Matrix matrix, int row)
{
	return rows->numbers + (int) matrix * rows->count * p->context_dim +
		row * (matrix == MATRIX_R ? p->shared_dim : p->context_dim);
}

static void
check_rows(const Projection *p, const ProjectionRows *rows, Matrix matrix,
		   RandomPurpose purpose, double scale)
{
	int			len = matrix == MATRIX_R ? p->shared_dim : p->context_dim;
	double	   *expected = guarded((size_t) len);
	int			k;
	int			j;

	for (k = 0; k < rows->count; k++)
	{
		random_normals(p->seed, purpose, (uint32_t) (rows->first + k),
					   (size_t) len, expected);
		for (j = 0; j < len; j++)
			expected[j] *= scale;
		assert_same_bits((size_t) len, row_of(p, rows, matrix, k), expected);
	}
}

/*
 * Rows are normals, those of P and R times the scale, to the bit and nothing
 * around them, in any range.  What the normals are, test_random pins.
 */
static void
check_ranges(Projection p)
{
	int			first;
	int			count;

	for (first = 0; first < p.reduced_dim; first++)
		for (count = 0; first + count <= p.reduced_dim; count++)
		{
			ProjectionRows rows = rows_new(&p, first, count);

			check_rows(&p, &rows, MATRIX_P, RANDOM_PROJECTION, p.scale);
			if (p.shared_dim > 0)
			{
				check_rows(&p, &rows, MATRIX_Q, RANDOM_INTERACTION, 1.0);
				check_rows(&p, &rows, MATRIX_R, RANDOM_SHARED, p.scale);
			}
		}
}

static void
test_rows_are_normals(void **state)
{
	check_ranges((Projection) {12, 0.3, 37, 11, 0});
	check_ranges((Projection) {UINT64_C(0x8000000000000009), 0.3, 37, 11, 6});
}

/* ---------- the dense projection ---------- */

/* Its rows are coordinates of z, its columns the numbers of the long vector. */
typedef struct Dense
{
	int			rows;
	int			columns;
	exact	   *entries;
} Dense;

/* a number, and the sum of its terms' sizes, to which rounding is relative */
typedef struct Sum
{
	exact		value;
	exact		size;
} Sum;

static void
add_term(Sum *sum, exact term)
{
	sum->value += term;
	sum->size += fabsl(term);
}

/*
 * In row k the column of coordinate i holds P_ki and that of the product of i
 * and j holds Q_ki R_kj.
 */
static Dense
dense_new(const Projection *p)
{
	int			n = p->context_dim;
	int			m = p->shared_dim;
	Dense		dense = {p->reduced_dim, n * (1 + m), NULL};
	ProjectionRows rows = rows_new(p, 0, p->reduced_dim);
	int			i;
	int			j;
	int			k;

	dense.entries = exact_new((size_t) (dense.rows * dense.columns));
	for (k = 0; k < p->reduced_dim; k++)
	{
		exact	   *row = dense.entries + k * dense.columns;
		const double *P = row_of(p, &rows, MATRIX_P, k);
		const double *Q = m > 0 ? row_of(p, &rows, MATRIX_Q, k) : NULL;
		const double *R = m > 0 ? row_of(p, &rows, MATRIX_R, k) : NULL;

		for (i = 0; i < n; i++)
		{
			row[i] = P[i];
			for (j = 0; j < m; j++)
				row[n + i * m + j] = (exact) Q[i] * R[j];
		}
	}
	return dense;
}

static exact *
long_vector(const Projection *p, const double *context, const double *shared)
{
	int			n = p->context_dim;
	int			m = p->shared_dim;
	exact	   *vector = exact_new((size_t) (n * (1 + m)));
	int			i;
	int			j;

	for (i = 0; i < n; i++)
	{
		vector[i] = context[i];
		for (j = 0; j < m; j++)
			vector[n + i * m + j] = (exact) context[i] * shared[j];
	}
	return vector;
}

/* one coordinate of z */
static Sum
dense_reduce(Dense dense, int row, const exact *vector)
{
	const exact *entries = dense.entries + row * dense.columns;
	Sum			sum = {0, 0};
	int			i;

	for (i = 0; i < dense.columns; i++)
		add_term(&sum, entries[i] * vector[i]);
	return sum;
}

/*
 * One weight: the parameter carried back to long vectors by some rows, and what
 * that means for one coordinate of the context when the shared context is given.
 */
static Sum
dense_lift(Dense dense, int first, int end, const Projection *p, int weight,
		   const double *parameter, const double *shared)
{
	int			n = p->context_dim;
	int			m = p->shared_dim;
	Sum			sum = {0, 0};
	int			j;
	int			k;

	for (k = first; k < end; k++)
	{
		const exact *row = dense.entries + k * dense.columns;

		add_term(&sum, parameter[k] * row[weight]);
		for (j = 0; j < m; j++)
			add_term(&sum, parameter[k] * row[n + weight * m + j] * shared[j]);
	}
	return sum;
}

/* ---------- reduce and lift ---------- */

/*
 * a projection, its oracle, and data for it.  Behind the numbers of each vector
 * there are some that are none of the projection's business.
 */
typedef struct Fixture
{
	Projection	p;
	Dense		dense;
	int			spare;
	int			count;
	double	   *contexts;
	double	   *shareds;
	double	   *parameters;
} Fixture;

static int
reduced_len(const Fixture *f)
{
	return f->p.reduced_dim + f->spare;
}

static int
lifted_len(const Fixture *f)
{
	return f->p.context_dim + f->spare;
}

static Fixture
fixture_new(Projection p, int spare, int count)
{
	size_t		len = (size_t) count;
	uint64_t	seed = p.seed;
	Fixture		f = {p, dense_new(&p), spare, count, NULL, NULL, NULL};

	f.contexts = dice_array(&seed, len * (size_t) p.context_dim);
	f.shareds = dice_array(&seed, len * (size_t) p.shared_dim);
	f.parameters = dice_array(&seed, len * (size_t) reduced_len(&f));
	return f;
}

static void
multiply(double *values, int count, double factor)
{
	while (count > 0)
		values[--count] *= factor;
}

/* with work space that is as large as projection_work says and no larger */
static void
apply_rows(const Fixture *f, int first, int count, double *reduced)
{
	ProjectionRows rows = rows_new(&f->p, first, count);
	double	   *work = guarded(projection_work(&f->p, count, f->count));

	projection_apply(&f->p, &rows, f->count, f->contexts, f->shareds, reduced,
					 reduced_len(f), work);
}

/* all parameters under the first shared context */
static void
lift_rows(const Fixture *f, int first, int count, double *lifted)
{
	ProjectionRows rows = rows_new(&f->p, first, count);
	double	   *work = guarded(projection_work(&f->p, count, f->count));

	projection_lift(&f->p, &rows, f->count, f->parameters, reduced_len(f),
					f->shareds, lifted, lifted_len(f), work);
}

/* The first piece has "first" rows, each further one "step". */
static void
in_pieces(const Fixture *f, int first, int step, double *out,
		  void (*piece) (const Fixture *, int, int, double *))
{
	int			done;
	int			count;

	for (done = 0; done < f->p.reduced_dim; done += count)
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

/* no weights yet, and what is none of them untouched */
static double *
lifted_new(const Fixture *f)
{
	int			len = lifted_len(f);
	double	   *lifted = guarded((size_t) (f->count * len));
	int			i;

	for (i = 0; i < f->count * len; i++)
		if (i % len < f->p.context_dim)
			lifted[i] = 0;
	return lifted;
}

static void
check_apply(const Fixture *f, int first, int step)
{
	int			len = reduced_len(f);
	double	   *reduced = reduced_new(f);
	int			c;
	int			k;

	in_pieces(f, first, step, reduced, apply_rows);
	for (c = 0; c < f->count; c++)
	{
		exact	   *vector = long_vector(&f->p,
										 f->contexts + c * f->p.context_dim,
										 f->shareds + c * f->p.shared_dim);

		for (k = 0; k < f->p.reduced_dim; k++)
		{
			Sum			sum = dense_reduce(f->dense, k, vector);

			assert_near(reduced[c * len + k], sum.value,
						rounding(f->p.context_dim + f->p.shared_dim) *
						sum.size);
		}
	}
}

static void
check_lift(const Fixture *f, int first, int step)
{
	int			len = lifted_len(f);
	double	   *lifted = lifted_new(f);
	int			c;
	int			i;

	in_pieces(f, first, step, lifted, lift_rows);
	for (c = 0; c < f->count; c++)
	{
		const double *parameter = f->parameters + c * reduced_len(f);

		for (i = 0; i < f->p.context_dim; i++)
		{
			Sum			sum = dense_lift(f->dense, 0, f->p.reduced_dim, &f->p, i,
										 parameter, f->shareds);

			assert_near(lifted[c * len + i], sum.value,
						rounding(2 * f->p.reduced_dim + f->p.shared_dim) *
						sum.size);
		}
		for (; i < len; i++)
			assert_true(is_untouched(lifted[c * len + i]));
	}
}

/*
 * Shapes around the smallest, odd and large, with and without a shared context
 * and further coordinates, of one context and of many; each as a whole and in
 * pieces.
 */
static void
test_dense_projection(void **state)
{
	static const int shapes[][3] = {
		{1, 1, 0}, {7, 7, 0}, {301, 61, 0},
		{1, 1, 1}, {2, 1, 3}, {1, 5, 4}, {3, 2, 64}, {61, 25, 7}, {120, 24, 33}
	};
	static const int counts[] = {1, 2, 17};
	static const int steps[] = {1024, 1, 5};
	int			s;
	int			c;
	int			k;
	int			spare;

	for (s = 0; s < LENGTH(shapes); s++)
		for (c = 0; c < LENGTH(counts); c++)
			for (spare = 0; spare < 3; spare++)
			{
				const int  *shape = shapes[s];
				const Projection p = {
					77, 1 / sqrt(shape[1]), shape[0], shape[1], shape[2]
				};
				Fixture		f = fixture_new(p, spare, counts[c]);

				for (k = 0; k < LENGTH(steps); k++)
				{
					check_apply(&f, steps[k], steps[k]);
					check_lift(&f, steps[k], steps[k]);
				}
			}
}

/* first piece and further ones of any size */
static void
test_every_split(void **state)
{
	const Projection p = {79, 0.4, 9, 13, 5};
	Fixture		f = fixture_new(p, 1, 3);
	int			first;
	int			step;

	for (first = 1; first <= p.reduced_dim; first++)
		for (step = 1; step <= p.reduced_dim; step++)
		{
			check_apply(&f, first, step);
			check_lift(&f, first, step);
		}
}

/* the smallest and largest scale, and numbers as large as may be */
static void
test_limits(void **state)
{
	static const double scales[] = {1e-10, 1e10};
	int			k;

	for (k = 0; k < LENGTH(scales); k++)
	{
		Fixture		f = fixture_new((Projection) {84, scales[k], 61, 25, 7}, 1, 5);

		multiply(f.contexts, 5 * 61, WIDEN_MAX);
		multiply(f.shareds, 5 * 7, WIDEN_MAX);
		check_apply(&f, 25, 25);
		check_lift(&f, 25, 25);
	}
}

/* the coordinates of these rows, and no others */
static void
check_written(const Fixture *f, int first, int count)
{
	int			len = reduced_len(f);
	double	   *reduced = reduced_new(f);
	int			i;

	apply_rows(f, first, count, reduced);
	for (i = 0; i < f->count * len; i++)
	{
		int			k = i % len;
		bool		of_rows = k >= first && k < first + count;

		assert_int_equal(is_untouched(reduced[i]), !of_rows);
	}
}

/* any range adds to what it finds, and leaves what is no weight of its own */
static void
check_added(const Fixture *f)
{
	int			len = lifted_len(f);
	int			total = f->count * len;
	uint64_t	seed = 5;
	double	   *before = dice_array(&seed, (size_t) total);
	double	   *lifted = guarded_copy((size_t) total, before);
	int			i;

	lift_rows(f, 2, 3, lifted);
	lift_rows(f, 2, 3, lifted);
	for (i = 0; i < total; i++)
	{
		const double *parameter = f->parameters + i / len * reduced_len(f);
		Sum			sum = {0, 0};

		if (i % len < f->p.context_dim)
			sum = dense_lift(f->dense, 2, 5, &f->p, i % len, parameter,
							 f->shareds);
		assert_near(lifted[i], before[i] + 2 * sum.value,
					rounding(20) * (sum.size + fabs(before[i])));
	}
}

static void
test_only_its_rows(void **state)
{
	const Projection p = {3, 1.0, 10, 8, 4};
	int			count;

	for (count = 1; count <= 3; count++)
	{
		Fixture		f = fixture_new(p, 2, count);

		check_written(&f, 0, 3);
		check_written(&f, 2, 3);
		check_written(&f, 5, 3);
		check_written(&f, 0, 8);
		check_added(&f);
	}
}

/* work space is what reducing uses, to the last number, and enough to lift */
static void
test_work_is_used_up(void **state)
{
	Fixture		f = fixture_new((Projection) {6, 1.0, 10, 8, 4}, 1, 3);
	ProjectionRows rows = rows_new(&f.p, 1, 5);
	size_t		work_len = projection_work(&f.p, 5, 3);
	double	   *work = guarded(work_len);
	double	   *reduced = reduced_new(&f);
	size_t		i;

	assert_true(work_len > 0);
	projection_apply(&f.p, &rows, f.count, f.contexts, f.shareds, reduced,
					 reduced_len(&f), work);
	for (i = 0; i < work_len; i++)
		assert_false(is_untouched(work[i]));
}

/* ---------- what it is good for ---------- */

enum
{
	LAW_N = 10, LAW_D = 8, LAW_M = 5, LAW_SEEDS = 3000
};

/* a context and its shared context */
typedef struct Point
{
	double	   *x;
	double	   *u;
} Point;

/*
 * A coordinate is kappa (A + Q R) with normals A and Q of variance x.x and R
 * of u.u, correlated between the two sides only.  The mean of the square of
 * z_k z'_k less the square of its mean, for each of the d coordinates.
 */
static double
product_variance(double scale, Point a, Point b)
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
 * z.z' has mean kappa^2 d x.x' (1 + u.u'); over independent seeds it comes
 * within five standard errors.
 */
static void
check_product(double scale, Point a, Point b)
{
	Projection	p = {0, scale, LAW_N, LAW_D, LAW_M};
	double		variance = product_variance(scale, a, b);
	double		contexts[2 * LAW_N];
	double		shareds[2 * LAW_M];
	double		z[2 * LAW_D];
	Fixture		f = {p, {0, 0, NULL}, 0, 2, contexts, shareds, NULL};
	exact		sum = 0;

	memcpy(contexts, a.x, LAW_N * sizeof(double));
	memcpy(contexts + LAW_N, b.x, LAW_N * sizeof(double));
	memcpy(shareds, a.u, LAW_M * sizeof(double));
	memcpy(shareds + LAW_M, b.u, LAW_M * sizeof(double));
	for (f.p.seed = 1; f.p.seed <= LAW_SEEDS; f.p.seed++)
	{
		apply_rows(&f, 0, LAW_D, z);
		sum += exact_dot(LAW_D, z, z + LAW_D);
	}
	assert_near(sum / LAW_SEEDS,
				scale * scale * LAW_D * exact_dot(LAW_N, a.x, b.x) *
				(1 + exact_dot(LAW_M, a.u, b.u)),
				5 * sqrt(variance / LAW_SEEDS));
}

/* strangers, neighbours in context, in both; a norm; another scale */
static void
test_inner_products_are_kept_in_expectation(void **state)
{
	const double scale = 1 / sqrt(LAW_D);
	uint64_t	seed = 8;
	Point		a = {dice_array(&seed, LAW_N), dice_array(&seed, LAW_M)};
	Point		b = {dice_array(&seed, LAW_N), dice_array(&seed, LAW_M)};
	int			i;

	check_product(scale, a, b);
	for (i = 0; i < LAW_N; i++)
		b.x[i] = a.x[i] + 0.5 * b.x[i];
	check_product(scale, a, b);
	for (i = 0; i < LAW_M; i++)
		b.u[i] = a.u[i] - 0.5 * b.u[i];
	check_product(scale, a, b);
	check_product(scale, a, a);
	check_product(0.2, a, b);
}

/* ---------- the largest numbers ---------- */

static double *
largest_new(int len, const double *signs)
{
	double	   *numbers = guarded((size_t) len);
	int			i;

	for (i = 0; i < len; i++)
		numbers[i] = copysign(WIDEN_MAX, signs[i]);
	return numbers;
}

/* as after 2^62 observations like the first */
static void
learn_for_ever(Evidence *e)
{
	const double most = ldexp(1, 62);

	while (*e->N < most)
	{
		Evidence   *same = evidence_copy(e);

		evidence_add(e, same);
		assert_true(evidence_is_valid(e));
	}
}

/*
 * The most numbers, each as large as can be and of the sign that makes most of
 * the first coordinate, with the largest scale, reward and exploration and the
 * smallest ridge, learned as often as can be counted: nothing overflows on the
 * way to the score of that context.
 */
static void
test_nothing_overflows(void **state)
{
	enum
	{
		d = 2, n = 65536
	};
	const double normals[d] = {8.6, 8.6};	/* none is larger */
	const double reward = WIDEN_MAX;
	const double exploration = 1e100;
	Fixture		f = {{85, 1e10, n, d, n}, {0, 0, NULL}, 0, 1, NULL, NULL, NULL};
	ProjectionRows rows = rows_new(&f.p, 0, 1);
	Evidence   *e = evidence_new(d, 1);
	Factor	   *factor = factor_new(e);
	double		z[d];
	double		draw[d];
	double		work[d * d + d];
	double		root[d * d];
	double	   *lifted = guarded((size_t) (d * n));
	int			updates;

	f.contexts = largest_new(n, row_of(&f.p, &rows, MATRIX_Q, 0));
	f.shareds = largest_new(n, row_of(&f.p, &rows, MATRIX_R, 0));
	apply_rows(&f, 0, d, z);
	assert_true(isfinite(z[0]) && z[0] > 1e119);

	for (updates = 0; updates < 2; updates++)
	{
		assert_true(posterior_factor(e, 1e-100, factor));
		posterior_draw(factor, e->b, exploration, normals, draw, work);
		f.parameters = draw;
		memset(lifted, 0, sizeof(double) * n);
		lift_rows(&f, 0, d, lifted);
		assert_true(isfinite(dot_double(n, lifted, f.contexts)));

		posterior_root(factor, root);
		f.parameters = root;
		f.count = d;
		memset(lifted, 0, sizeof(double) * d * n);
		lift_rows(&f, 0, d, lifted);
		f.count = 1;
		/* their length is BLAS's business */
		linalg_dot_each(n, d, lifted, f.contexts, work);
		assert_true(isfinite(exploration * work[0]) &&
					isfinite(exploration * work[1]));

		evidence_learn(e, 1, 1, 1, z, &reward);
		learn_for_ever(e);
	}
	assert_true(e->G[1] > 1e250);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		test_of(test_rows_are_normals),
		test_of(test_dense_projection),
		test_of(test_every_split),
		test_of(test_limits),
		test_of(test_only_its_rows),
		test_of(test_work_is_used_up),
		test_of(test_inner_products_are_kept_in_expectation),
		test_of(test_nothing_overflows)
	};

	return cmocka_run_group_tests_name("projection", tests, NULL, NULL);
}
