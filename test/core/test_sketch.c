/*
 * test_sketch.c
 *		Contexts crossed with a shared one and projected by P, Q and R: as the dense
 *		projection of the long vector [x, x (x) u] would do it.
 */
#include "dense.h"

#include "core/dot.h"
#include "core/linalg.h"
#include "core/posterior.h"
#include "core/widen.h"

static void
test_rows_are_normals(void **state)
{
	check_ranges((Projection) {UINT64_C(0x8000000000000009), 0.3, 37, 11, 6});
}

static void
test_dense_projection(void **state)
{
	check_shape(1, 1, 1);
	check_shape(2, 1, 3);
	check_shape(1, 5, 4);
	check_shape(3, 2, 64);
	check_shape(61, 25, 7);
	check_shape(120, 24, 33);
}

static void
test_every_split(void **state)
{
	check_splits((Projection) {79, 0.4, 9, 13, 5});
}

static void
test_limits(void **state)
{
	check_limits((Projection) {84, 1e-10, 61, 25, 7});
	check_limits((Projection) {84, 1e10, 61, 25, 7});
}

static void
test_only_its_rows(void **state)
{
	check_only_its_rows((Projection) {3, 1.0, 10, 8, 4});
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
					 f.p.reduced_dim + f.spare, work);
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

	return cmocka_run_group_tests_name("sketch", tests, NULL, NULL);
}
