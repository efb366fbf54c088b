/*
 * test_interaction.c
 *		Contexts together with a shared context are reduced, and parameters
 *		lifted, as the dense projection of the long vector [x, x (x) u] would
 *		do it, whatever the pieces.
 *
 * Computed numbers are held to the rounding that their number of terms allows.
 */
#include "reduction.h"

#include <float.h>

/* of a sum of so many terms, each of a few factors, relative to their sizes */
static exact
rounding(int terms)
{
	return (terms + 8) * DBL_EPSILON;
}

/* a projection, its oracle, and data for it */
typedef struct Fixture
{
	Projection	p;
	Dense		dense;
	int			count;
	double	   *contexts;
	double	   *shareds;
	double	   *parameters;
} Fixture;

static Fixture
fixture_new(Projection p, int count)
{
	size_t		len = (size_t) count;
	uint64_t	seed = p.seed;
	Fixture		f = {p, dense_new(&p), count, NULL, NULL, NULL};

	f.contexts = dice_array(&seed, len * (size_t) p.context_dim);
	f.shareds = dice_array(&seed, len * (size_t) p.shared_dim);
	f.parameters = dice_array(&seed, len * (size_t) projection_reduced_len(&p));
	return f;
}

static void
fixture_free(Fixture f)
{
	dense_free(f.dense);
	guarded_free(f.contexts);
	guarded_free(f.shareds);
	guarded_free(f.parameters);
}

typedef void (*Check) (const Fixture *f, Split split);

/* shapes around the smallest, odd and large; each alone and in pieces */
static void
for_each_fixture(Check check)
{
	static const int shapes[][3] = {
		{1, 1, 1}, {2, 1, 3}, {1, 5, 4}, {7, 7, 1}, {3, 2, 64}, {61, 25, 7},
		{120, 24, 33}
	};
	static const int counts[] = {1, 2, 17};
	static const Split splits[] = {{1024, 1}, {1, 1}, {3, 5}};
	int			s;
	int			c;
	int			k;
	int			intercept;

	for (s = 0; s < LENGTH(shapes); s++)
		for (c = 0; c < LENGTH(counts); c++)
			for (intercept = 0; intercept < 2; intercept++)
			{
				const int  *shape = shapes[s];
				const Projection p = {
					77, 1 / sqrt(shape[1]), shape[0], shape[1], shape[2],
					intercept == 1
				};
				Fixture		f = fixture_new(p, counts[c]);

				for (k = 0; k < LENGTH(splits); k++)
					check(&f, splits[k]);
				fixture_free(f);
			}
}

static void
check_reduced(const Fixture *f, const double *reduced)
{
	int			len = projection_reduced_len(&f->p);
	int			c;
	int			k;

	for (c = 0; c < f->count; c++)
	{
		exact	   *vector = long_vector(&f->p,
										 f->contexts + c * f->p.context_dim,
										 f->shareds + c * f->p.shared_dim);

		for (k = 0; k < len; k++)
		{
			Sum			sum = dense_reduce(f->dense, k, vector);

			assert_near(reduced[c * len + k], sum.value,
						rounding(f->p.context_dim + f->p.shared_dim) *
						sum.size);
		}
		if (f->p.intercept)
			assert_true(reduced[c * len + len - 1] == 1);
		free(vector);
	}
}

static void
check_apply(const Fixture *f, Split split)
{
	double	   *reduced = guarded((size_t) f->count *
								  (size_t) projection_reduced_len(&f->p));

	apply_in_pieces(&f->p, split, f->count, f->contexts, f->shareds, reduced);
	check_reduced(f, reduced);
	guarded_free(reduced);
}

static void
test_apply_projects_the_long_vector(void **state)
{
	(void) state;
	for_each_fixture(check_apply);
}

/* several parameters under the first shared context */
static void
check_lifted(const Fixture *f, const double *lifted)
{
	int			reduced_len = projection_reduced_len(&f->p);
	int			len = projection_lifted_len(&f->p);
	int			c;
	int			i;

	for (c = 0; c < f->count; c++)
	{
		const double *parameter = f->parameters + c * reduced_len;

		for (i = 0; i < len; i++)
		{
			Sum			sum = dense_lift(f->dense, &f->p, i, parameter,
										 f->shareds);

			assert_near(lifted[c * len + i], sum.value,
						rounding(2 * f->p.reduced_dim + f->p.shared_dim) *
						sum.size);
		}
		if (f->p.intercept)
			assert_true(lifted[c * len + len - 1] ==
						parameter[reduced_len - 1]);
	}
}

/* whatever the weights held before */
static void
check_lift(const Fixture *f, Split split)
{
	double	   *lifted = guarded((size_t) f->count *
								 (size_t) projection_lifted_len(&f->p));

	lift_in_pieces(&f->p, split, f->count, f->parameters, f->shareds, lifted);
	check_lifted(f, lifted);
	guarded_free(lifted);
}

static void
test_lift_is_the_transpose(void **state)
{
	(void) state;
	for_each_fixture(check_lift);
}

/* psi'z = w'x + the intercept's weight, by what the two functions give */
static void
check_score(const Fixture *f, Split split)
{
	int			n = f->p.context_dim;
	int			reduced_len = projection_reduced_len(&f->p);
	double	   *reduced = guarded((size_t) reduced_len);
	double	   *lifted = guarded((size_t) projection_lifted_len(&f->p));
	int			c;

	for (c = 0; c < f->count; c++)
	{
		const double *x = f->contexts + c * n;
		const double *u = f->shareds + c * f->p.shared_dim;
		const double *psi = f->parameters + c * reduced_len;
		exact		score;
		exact		size = 0;
		int			i;

		apply_in_pieces(&f->p, split, 1, x, u, reduced);
		lift_in_pieces(&f->p, split, 1, psi, u, lifted);
		score = exact_dot(n, lifted, x) + (f->p.intercept ? lifted[n] : 0);
		for (i = 0; i < projection_lifted_len(&f->p); i++)
			size += dense_lift(f->dense, &f->p, i, psi, u).size *
				(i < n ? fabs(x[i]) : 1);
		assert_near(score, exact_dot(reduced_len, psi, reduced), 1e-12 * size);
	}
	guarded_free(reduced);
	guarded_free(lifted);
}

static void
test_score_in_context_space(void **state)
{
	(void) state;
	for_each_fixture(check_score);
}

/* first piece and further ones of any size */
static void
test_every_split(void **state)
{
	const Projection p = {79, 0.4, 9, 13, 5, true};
	Fixture		f = fixture_new(p, 3);
	Split		split;

	(void) state;
	for (split.first = 1; split.first <= p.reduced_dim; split.first++)
		for (split.step = 1; split.step <= p.reduced_dim; split.step++)
		{
			check_apply(&f, split);
			check_lift(&f, split);
		}
	fixture_free(f);
}

/* the d + 1 rows of a root at once, as ucb lifts them, and one at a time */
static void
test_lift_of_many_equals_lift_of_each(void **state)
{
	const Projection p = {80, 0.2, 31, 24, 6, true};
	const int	len = projection_lifted_len(&p);
	Fixture		f = fixture_new(p, projection_reduced_len(&p));
	double	   *together = guarded((size_t) f.count * (size_t) len);
	double	   *alone = guarded((size_t) len);
	ProjectionRows rows = all_rows(&p);
	int			c;
	int			i;

	(void) state;
	lift_rows(&p, rows, f.count, f.parameters, f.shareds, together);
	for (c = 0; c < f.count; c++)
	{
		const double *parameter = f.parameters + c * f.count;

		lift_rows(&p, rows, 1, parameter, f.shareds, alone);
		for (i = 0; i < len; i++)
			assert_near(together[c * len + i], alone[i],
						2 * rounding(2 * p.reduced_dim + p.shared_dim) *
						dense_lift(f.dense, &p, i, parameter, f.shareds).size);
	}
	rows_free(rows);
	guarded_free(together);
	guarded_free(alone);
	fixture_free(f);
}

/* ---------- what is written ---------- */

/* the coordinates of these rows, and the intercept's by the first range */
static void
check_written(const Fixture *f, int first, int rows_count)
{
	int			len = projection_reduced_len(&f->p);
	size_t		total = (size_t) f->count * (size_t) len;
	double	   *reduced = guarded(total);
	ProjectionRows rows = rows_new(&f->p, first, rows_count);
	size_t		i;

	apply_rows(&f->p, rows, f->count, f->contexts, f->shareds, reduced);
	for (i = 0; i < total; i++)
	{
		int			k = (int) i % len;
		bool		of_rows = k >= first && k < first + rows_count;
		bool		of_intercept = k == f->p.reduced_dim && first == 0;

		assert_int_equal(is_untouched(reduced[i]), !of_rows && !of_intercept);
	}
	rows_free(rows);
	guarded_free(reduced);
}

static void
test_apply_writes_only_its_rows(void **state)
{
	const Projection p = {3, 1.0, 10, 8, 4, true};
	int			count;

	(void) state;
	for (count = 1; count <= 3; count++)
	{
		Fixture		f = fixture_new(p, count);

		check_written(&f, 0, 3);
		check_written(&f, 2, 3);
		check_written(&f, 5, 3);
		check_written(&f, 0, 8);
		fixture_free(f);
	}
}

/* a later range adds to what it finds, and leaves the intercept's weight */
static void
check_added(const Fixture *f)
{
	int			len = projection_lifted_len(&f->p);
	size_t		total = (size_t) f->count * (size_t) len;
	uint64_t	seed = 5;
	double	   *before = dice_array(&seed, total);
	double	   *lifted = guarded_copy(total, before);
	ProjectionRows rows = rows_new(&f->p, 2, 3);
	size_t		i;

	lift_rows(&f->p, rows, f->count, f->parameters, f->shareds, lifted);
	lift_rows(&f->p, rows, f->count, f->parameters, f->shareds, lifted);
	for (i = 0; i < total; i++)
	{
		int			weight = (int) i % len;
		const double *parameter = f->parameters +
			((int) i / len) * projection_reduced_len(&f->p);
		Sum			sum = {0, 0};

		if (weight < f->p.context_dim)
		{
			Dense		three = f->dense;

			three.rows = 3;
			three.entries += 2 * three.columns;
			sum = dense_lift(three, &f->p, weight, parameter + 2, f->shareds);
		}
		assert_near(lifted[i], before[i] + 2 * sum.value,
					rounding(20) * (sum.size + fabs(before[i])));
	}
	rows_free(rows);
	guarded_free(before);
	guarded_free(lifted);
}

static void
test_lift_adds_later_rows(void **state)
{
	const Projection p = {4, 1.0, 10, 8, 4, true};
	int			count;

	(void) state;
	for (count = 1; count <= 3; count++)
	{
		Fixture		f = fixture_new(p, count);

		check_added(&f);
		fixture_free(f);
	}
}

/* work space is what reducing uses, to the last number, and enough to lift */
static void
test_work_is_used_up(void **state)
{
	const Projection p = {6, 1.0, 10, 8, 4, true};
	int			count;

	(void) state;
	for (count = 1; count <= 3; count++)
	{
		Fixture		f = fixture_new(p, count);
		ProjectionRows rows = rows_new(&p, 1, 5);
		size_t		work_len = projection_work(&p, 5, count);
		double	   *work = guarded(work_len);
		double	   *reduced = guarded((size_t) count * 9);
		size_t		i;

		assert_true(work_len > 0);
		projection_apply(&p, &rows, count, f.contexts, f.shareds, reduced,
						 work);
		for (i = 0; i < work_len; i++)
			assert_false(is_untouched(work[i]));
		guarded_free(work);
		guarded_free(reduced);
		rows_free(rows);
		fixture_free(f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_apply_projects_the_long_vector),
		cmocka_unit_test(test_lift_is_the_transpose),
		cmocka_unit_test(test_score_in_context_space),
		cmocka_unit_test(test_every_split),
		cmocka_unit_test(test_lift_of_many_equals_lift_of_each),
		cmocka_unit_test(test_apply_writes_only_its_rows),
		cmocka_unit_test(test_lift_adds_later_rows),
		cmocka_unit_test(test_work_is_used_up)
	};

	return cmocka_run_group_tests_name("interaction", tests, NULL, NULL);
}
