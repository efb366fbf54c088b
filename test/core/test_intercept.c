/*
 * test_intercept.c
 *		The coordinate that is always 1: next to a reduced context that it
 *		leaves alone, and in what a model learns and answers.
 */
#include "reduction.h"

#include <float.h>

#include "core/linalg.h"

#define RIDGE		0.5
#define EXPLORATION	0.3

enum
{
	N = 13, M = 4
};

/* ---------- nothing else changes ---------- */

static void
check_plain_apply(const Projection *p, const ProjectionRows *rows, int count,
				  const double *contexts)
{
	size_t		total = (size_t) count * (size_t) p->reduced_dim;
	double	   *reduced = guarded(total);
	double	   *kept;

	linalg_project(p->context_dim, rows->count, rows->numbers, count, contexts,
				   reduced, p->reduced_dim);
	kept = guarded_copy(total, reduced);
	projection_apply(p, rows, count, contexts, NULL, reduced, NULL);
	assert_same_bits(total, reduced, kept);
	guarded_free(reduced);
	guarded_free(kept);
}

static void
check_plain_lift(const Projection *p, const ProjectionRows *rows, int count,
				 const double *parameters)
{
	size_t		total = (size_t) count * (size_t) p->context_dim;
	double	   *lifted = guarded(total);
	double	   *kept;

	memset(lifted, 0, sizeof(double) * total);
	linalg_combine(p->context_dim, rows->count, rows->numbers, count,
				   parameters, p->reduced_dim, lifted, p->context_dim);
	kept = guarded_copy(total, lifted);
	projection_lift(p, rows, count, parameters, NULL, lifted, NULL);
	assert_same_bits(total, lifted, kept);
	guarded_free(lifted);
	guarded_free(kept);
}

/*
 * Without shared context and intercept there is one matrix product and no
 * more, to the bit, and neither shared context nor work space is looked at.
 */
static void
test_without_both_only_P(void **state)
{
	const Projection p = {7, 0.3, N, 6, 0, false};
	ProjectionRows rows = all_rows(&p);
	uint64_t	seed = 7;
	double	   *vectors = dice_array(&seed, 3 * N);
	int			count;

	(void) state;
	assert_int_equal(projection_row_len(&p), N);
	assert_int_equal(projection_reduced_len(&p), 6);
	assert_int_equal(projection_lifted_len(&p), N);
	assert_int_equal(projection_work(&p, 6, 3), 0);
	for (count = 1; count <= 3; count++)
	{
		check_plain_apply(&p, &rows, count, vectors);
		check_plain_lift(&p, &rows, count, vectors);
	}
	rows_free(rows);
	guarded_free(vectors);
}

/* the other coordinates, up to rounding, and the matrices to the bit */
static void
check_only_adds(int shared_dim, int count)
{
	const Projection plain = {7, 0.3, N, 6, shared_dim, false};
	const Projection with = {7, 0.3, N, 6, shared_dim, true};
	const int	rounding = 64;
	uint64_t	seed = 9;
	double	   *contexts = dice_array(&seed, (size_t) count * N);
	double	   *shareds = dice_array(&seed, (size_t) (count * shared_dim));
	double	   *expected = guarded((size_t) count * 6);
	double	   *reduced = guarded((size_t) count * 7);
	ProjectionRows rows = all_rows(&plain);
	ProjectionRows same = all_rows(&with);
	int			i;

	assert_int_equal(projection_row_len(&with), projection_row_len(&plain));
	assert_same_bits(6 * projection_row_len(&plain), same.numbers,
					 rows.numbers);
	apply_rows(&plain, rows, count, contexts, shareds, expected);
	apply_rows(&with, rows, count, contexts, shareds, reduced);
	for (i = 0; i < count * 7; i++)
		if (i % 7 == 6)
			assert_true(reduced[i] == 1);
		else
			assert_near(reduced[i], expected[i / 7 * 6 + i % 7],
						rounding * DBL_EPSILON);
	rows_free(rows);
	rows_free(same);
	guarded_free(contexts);
	guarded_free(shareds);
	guarded_free(expected);
	guarded_free(reduced);
}

static void
test_intercept_only_adds_its_coordinate(void **state)
{
	int			count;

	(void) state;
	for (count = 1; count <= 3; count++)
	{
		check_only_adds(0, count);
		check_only_adds(M, count);
	}
}

static void
check_copy(int count, bool intercept)
{
	const Projection p = {0, 1, N, N, 0, intercept};
	const size_t len = (size_t) projection_reduced_len(&p);
	uint64_t	seed = 10;
	double	   *contexts = dice_array(&seed, (size_t) count * N);
	double	   *reduced = guarded((size_t) count * len);
	int			c;

	assert_int_equal(len, intercept ? N + 1 : N);
	projection_copy(&p, count, contexts, reduced);
	for (c = 0; c < count; c++)
	{
		assert_same_bits(N, reduced + (size_t) c * len, contexts + c * N);
		if (intercept)
			assert_true(reduced[(size_t) c * len + N] == 1);
	}
	guarded_free(contexts);
	guarded_free(reduced);
}

static void
test_copy(void **state)
{
	int			count;

	(void) state;
	for (count = 0; count <= 3; count++)
	{
		check_copy(count, false);
		check_copy(count, true);
	}
}

/* ---------- a model with an intercept ---------- */

typedef struct Model
{
	Projection	p;
	int			count;
	double	   *contexts;
	double	   *shareds;
	double	   *rewards;
	Evidence   *e;
	Factor	   *f;
	Algorithm1 *a;
} Model;

/* Algorithm 1 on what the dense projection makes of the long vectors */
static void
oracle_learn(Model *m)
{
	Dense		dense = dense_new(&m->p);
	double	   *z = guarded((size_t) dense.rows);
	int			j;
	int			k;

	for (j = 0; j < m->count; j++)
	{
		exact	   *vector = long_vector(&m->p,
										 m->contexts + j * m->p.context_dim,
										 m->shareds + j * m->p.shared_dim);

		for (k = 0; k < dense.rows; k++)
			z[k] = (double) dense_reduce(dense, k, vector).value;
		algorithm1_update(m->a, z, m->rewards[j]);
		free(vector);
	}
	guarded_free(z);
	dense_free(dense);
}

/* in blocks, by projection_apply and evidence_absorb */
static void
model_learn(Model *m)
{
	const Split split = {2, 3};
	double	   *reduced = guarded((size_t) m->count * (size_t) m->e->dim);

	apply_in_pieces(&m->p, split, m->count, m->contexts, m->shareds, reduced);
	evidence_learn(m->e, m->count, EVIDENCE_BLOCK, reduced, m->rewards);
	guarded_free(reduced);
}

/* rewards have a mean of their own, which is what an intercept is for */
static Model
model_new(Projection p, double discount, int count)
{
	int			dim = projection_reduced_len(&p);
	uint64_t	seed = 500 + (uint64_t) dim;
	Model		m = {p, count, NULL, NULL, NULL, NULL, NULL, NULL};
	int			j;

	m.contexts = dice_array(&seed, (size_t) (count * p.context_dim));
	m.shareds = dice_array(&seed, (size_t) (count * p.shared_dim));
	m.rewards = dice_array(&seed, (size_t) count);
	for (j = 0; j < count; j++)
		m.rewards[j] += 3;
	m.e = evidence_new(dim, discount);
	m.a = algorithm1_new(dim, discount, RIDGE);
	model_learn(&m);
	oracle_learn(&m);
	m.f = factor_new(m.e);
	assert_true(posterior_factor(m.e, RIDGE, m.f));
	return m;
}

static void
model_free(Model m)
{
	guarded_free(m.contexts);
	guarded_free(m.shareds);
	guarded_free(m.rewards);
	evidence_free(m.e);
	factor_free(m.f);
	algorithm1_free(m.a);
}

static double *
mean_new(const Model *m)
{
	double	   *mean = guarded((size_t) m->e->dim);

	posterior_mean(m->e, m->f, mean);
	return mean;
}

static double *
draw_new(const Model *m, const double *normals)
{
	double	   *draw = guarded((size_t) m->e->dim);
	double	   *work = guarded(posterior_draw_work(m->e->dim));

	posterior_draw(m->e, m->f, EXPLORATION, normals, draw, work);
	guarded_free(work);
	return draw;
}

typedef void (*Check) (const Model *m);

/* d + 1 coordinates, odd and even; more than one block */
static void
for_each_model(Check check)
{
	static const int dims[] = {1, 2, 12, 13};
	static const int shared_dims[] = {0, M};
	static const double discounts[] = {1.0, 0.95};
	int			d;
	int			s;
	int			g;

	for (d = 0; d < LENGTH(dims); d++)
		for (s = 0; s < LENGTH(shared_dims); s++)
			for (g = 0; g < LENGTH(discounts); g++)
			{
				const Projection p = {
					81, 1 / sqrt(dims[d]), N, dims[d], shared_dims[s], true
				};
				Model		m = model_new(p, discounts[g],
										  EVIDENCE_BLOCK + 22);

				check(&m);
				model_free(m);
			}
}

/*
 * Against Algorithm 1; and the intercept's own row, which holds sums that are
 * known by other names: of weights, of rewards.
 */
static void
check_learned(const Model *m)
{
	int			last = m->p.reduced_dim;
	size_t		index = linalg_packed_index(last + 1, last, last);
	const Evidence *e = m->e;

	assert_int_equal(e->dim, last + 1);
	check_evidence(e, m->a);
	assert_near(e->G[index], e->counts.weight_sum, RELATIVE * e->counts.weight_sum);
	assert_near(e->b[last], e->counts.reward_sum, RELATIVE * e->counts.reward_sum);
}

static void
test_evidence_equals_algorithm1(void **state)
{
	(void) state;
	for_each_model(check_learned);
}

static void
check_posterior(const Model *m)
{
	uint64_t	seed = 12;
	double	   *normals = dice_array(&seed, (size_t) m->e->dim);
	double	   *mean = mean_new(m);
	double	   *draw = draw_new(m, normals);
	exact	   *expected = algorithm1_mean(m->a);

	check_vector(m->e->dim, mean, expected);
	free(expected);
	expected = algorithm1_draw(m->a, EXPLORATION, normals);
	check_vector(m->e->dim, draw, expected);
	free(expected);
	guarded_free(normals);
	guarded_free(mean);
	guarded_free(draw);
}

static void
test_posterior_equals_algorithm1(void **state)
{
	(void) state;
	for_each_model(check_posterior);
}

/* the lifted mean predicts what the mean does */
static void
check_prediction(const Model *m)
{
	const Split split = {2, 3};
	double	   *mean = mean_new(m);
	double	   *lifted = guarded(N + 1);
	double	   *z = guarded((size_t) m->e->dim);

	lift_in_pieces(&m->p, split, 1, mean, m->shareds, lifted);
	apply_in_pieces(&m->p, split, 1, m->contexts, m->shareds, z);
	assert_near(exact_dot(N, lifted, m->contexts) + lifted[N],
				exact_dot(m->e->dim, mean, z),
				1e-12 * (exact_dot_size(N, lifted, m->contexts) +
						 exact_dot_size(m->e->dim, mean, z)));
	guarded_free(mean);
	guarded_free(lifted);
	guarded_free(z);
}

static void
test_lifted_mean_predicts(void **state)
{
	(void) state;
	for_each_model(check_prediction);
}

/*
 * Rewards that do not depend on the context are the intercept's to explain:
 * with hardly any ridge its weight is the reward, and the others are nothing.
 */
static void
test_intercept_explains_the_average(void **state)
{
	const Projection p = {82, 0.5, N, 5, M, true};
	const double ridge = 1e-8;
	Model		m = model_new(p, 1.0, 200);
	double	   *mean;
	int			k;

	(void) state;
	for (k = 0; k < m.count; k++)
		m.rewards[k] = 7;
	evidence_clear(m.e);
	model_learn(&m);
	assert_true(posterior_factor(m.e, ridge, m.f));
	mean = mean_new(&m);
	for (k = 0; k < 6; k++)
		assert_near(mean[k], k == 5 ? 7 : 0, 7 * ridge);
	guarded_free(mean);
	model_free(m);
}

/* ---------- the largest model ---------- */

/* L v, of a packed lower triangle */
static exact *
times_lower(int dim, const double *packed, const exact *vector)
{
	exact	   *product = exact_new((size_t) dim);
	int			i;
	int			j;

	for (i = 0; i < dim; i++)
		for (j = 0; j <= i; j++)
			product[i] += packed[linalg_packed_index(dim, i, j)] * vector[j];
	return product;
}

static exact *
times_lower_transposed(int dim, const double *packed, const exact *vector)
{
	exact	   *product = exact_new((size_t) dim);
	int			i;
	int			j;

	for (i = 0; i < dim; i++)
		for (j = 0; j <= i; j++)
			product[j] += packed[linalg_packed_index(dim, i, j)] * vector[i];
	return product;
}

static exact
size_of(int dim, const exact *vector)
{
	exact		sum = 0;
	int			i;

	for (i = 0; i < dim; i++)
		sum += vector[i] * vector[i];
	return sqrtl(sum);
}

static void
check_same_vector(int dim, const exact *actual, const exact *expected)
{
	exact		size = size_of(dim, expected);
	int			i;

	for (i = 0; i < dim; i++)
		assert_near(actual[i], expected[i], RELATIVE * size);
}

/* L L' v = Z v */
static void
check_factor(int dim, const double *factor, const exact *matrix)
{
	exact	   *v = exact_new((size_t) dim);
	exact	   *expected = exact_new((size_t) dim);
	exact	   *halfway;
	exact	   *actual;
	uint64_t	seed = 13;
	int			i;

	for (i = 0; i < dim; i++)
		v[i] = dice(&seed);
	halfway = times_lower_transposed(dim, factor, v);
	actual = times_lower(dim, factor, halfway);
	exact_multiply(dim, matrix, v, expected);
	check_same_vector(dim, actual, expected);
	free(v);
	free(expected);
	free(halfway);
	free(actual);
}

/* Z psi-tilde = b + xi M w, and Z psi-hat = b where there are no normals */
static void
check_draw_solves(const Model *m, const double *normals)
{
	int			dim = m->e->dim;
	double	   *draw = draw_new(m, normals);
	exact	   *wide = exact_new((size_t) dim);
	exact	   *actual = exact_new((size_t) dim);
	exact	   *expected;
	int			i;

	for (i = 0; i < dim; i++)
		wide[i] = normals[i];
	expected = times_lower(dim, m->f->M, wide);
	for (i = 0; i < dim; i++)
	{
		expected[i] = m->a->b[i] + EXPLORATION * expected[i];
		wide[i] = draw[i];
	}
	exact_multiply(dim, m->a->Z, wide, actual);
	check_same_vector(dim, actual, expected);
	guarded_free(draw);
	free(wide);
	free(actual);
	free(expected);
}

/* d = 1024 and the intercept: an order beyond the largest d, and odd */
static void
test_largest_model(void **state)
{
	const Projection p = {83, 1.0 / 32, 6, 1024, 2, true};
	Model		m = model_new(p, 0.9, 12);
	uint64_t	seed = 14;
	double	   *normals = dice_array(&seed, 1025);

	(void) state;
	check_learned(&m);
	check_factor(1025, m.f->L, m.a->Z);
	check_factor(1025, m.f->M, m.a->Z2);
	check_draw_solves(&m, normals);
	memset(normals, 0, sizeof(double) * 1025);
	check_draw_solves(&m, normals);
	guarded_free(normals);
	model_free(m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_both_only_P),
		cmocka_unit_test(test_intercept_only_adds_its_coordinate),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_evidence_equals_algorithm1),
		cmocka_unit_test(test_posterior_equals_algorithm1),
		cmocka_unit_test(test_lifted_mean_predicts),
		cmocka_unit_test(test_intercept_explains_the_average),
		cmocka_unit_test(test_largest_model)
	};

	return cmocka_run_group_tests_name("intercept", tests, NULL, NULL);
}
