/*
 * test_projection.c
 *		The random matrix P: rows of normals, the same in pieces and at once.
 *		Contexts are reduced, and parameters lifted, as the dense matrix would do
 *		it, whatever the pieces and whatever stands behind the coordinates that
 *		they make.
 */
#include "dense.h"

static void
test_rows_are_normals(void **state)
{
	check_ranges((Projection) {12, 0.3, 37, 11, 0});
}

/* shapes around the smallest, odd and large */
static void
test_dense_projection(void **state)
{
	check_shape(1, 1, 0);
	check_shape(7, 7, 0);
	check_shape(301, 61, 0);
}

static void
test_every_split(void **state)
{
	check_splits((Projection) {79, 0.4, 9, 13, 0});
}

/* the smallest and largest scale */
static void
test_limits(void **state)
{
	check_limits((Projection) {84, 1e-10, 61, 25, 0});
	check_limits((Projection) {84, 1e10, 61, 25, 0});
}

static void
test_only_its_rows(void **state)
{
	check_only_its_rows((Projection) {3, 1.0, 10, 8, 0});
}

enum
{
	LAW_N = 10, LAW_D = 8, LAW_SEEDS = 3000
};

/*
 * z.z' has mean kappa^2 d x.x' and variance kappa^4 d (|x|^2 |x'|^2 + (x.x')^2); over
 * independent seeds it comes within five standard errors.
 */
static void
check_product(double scale, double *contexts)
{
	Fixture		f = {{0, scale, LAW_N, LAW_D, 0}, {0, 0, NULL}, 0, 2, contexts, NULL, NULL};
	const double *other = contexts + LAW_N;
	exact		product = exact_dot(LAW_N, contexts, other);
	exact		squares = exact_dot(LAW_N, contexts, contexts) * exact_dot(LAW_N, other, other);
	exact		variance = pow(scale, 4) * LAW_D * (squares + product * product);
	double		z[2 * LAW_D];
	exact		sum = 0;

	for (f.p.seed = 1; f.p.seed <= LAW_SEEDS; f.p.seed++)
	{
		apply_rows(&f, 0, LAW_D, z);
		sum += exact_dot(LAW_D, z, z + LAW_D);
	}
	assert_near(sum / LAW_SEEDS, scale * scale * LAW_D * product,
				5 * sqrtl(variance / LAW_SEEDS));
}

/* strangers, neighbours, a norm; another scale */
static void
test_inner_products_are_kept_in_expectation(void **state)
{
	const double scale = 1 / sqrt(LAW_D);
	uint64_t	seed = 8;
	double	   *x = dice_array(&seed, 2 * LAW_N);
	int			i;

	check_product(scale, x);
	for (i = 0; i < LAW_N; i++)
		x[LAW_N + i] = x[i] + 0.5 * x[LAW_N + i];
	check_product(scale, x);
	check_product(0.2, x);
	for (i = 0; i < LAW_N; i++)
		x[LAW_N + i] = x[i];
	check_product(scale, x);
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
		test_of(test_inner_products_are_kept_in_expectation)
	};

	return cmocka_run_group_tests_name("projection", tests, NULL, NULL);
}
