/*
 * dense.c
 *		Rows of the random matrices, and what they are as one dense matrix.
 */
#include "dense.h"

#include <float.h>

#include "core/random.h"
#include "core/widen.h"

/* of a sum of so many terms, each of a few factors, relative to their sizes */
static exact
rounding(int terms)
{
	return (terms + 8) * DBL_EPSILON;
}

ProjectionRows
rows_new(const Projection *p, int first, int count)
{
	double	   *numbers = guarded((size_t) count * projection_row_len(p));
	ProjectionRows rows = {first, count, numbers};

	projection_generate(p, first, count, numbers);
	return rows;
}

/* row "row" of those held, in [rows of P][rows of Q][rows of R] */
const double *
row_of(const Projection *p, const ProjectionRows *rows, Matrix matrix, int row)
{
	return rows->numbers + (int) matrix * rows->count * p->context_dim +
		row * (matrix == MATRIX_R ? p->shared_dim : p->context_dim);
}

/* ---------- the dense projection ---------- */

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

Fixture
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

/* with work space that is as large as projection_work says and no larger */
void
apply_rows(const Fixture *f, int first, int count, double *reduced)
{
	ProjectionRows rows = rows_new(&f->p, first, count);
	double	   *work = guarded(projection_work(&f->p, count, f->count));

	projection_apply(&f->p, &rows, f->count, f->contexts, f->shareds, reduced,
					 reduced_len(f), work);
}

/* all parameters under the first shared context */
void
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

double *
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

/* ---------- what every projection has to do ---------- */

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
void
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

/*
 * With and without further coordinates, of one context and of many, as a whole and
 * in pieces.
 */
void
check_shape(int context_dim, int reduced_dim, int shared_dim)
{
	static const int counts[] = {1, 2, 17};
	static const int steps[] = {1024, 1, 5};
	const Projection p = {
		77, 1 / sqrt(reduced_dim), context_dim, reduced_dim, shared_dim
	};
	int			c;
	int			k;
	int			spare;

	for (c = 0; c < LENGTH(counts); c++)
		for (spare = 0; spare < 3; spare++)
		{
			Fixture		f = fixture_new(p, spare, counts[c]);

			for (k = 0; k < LENGTH(steps); k++)
			{
				check_apply(&f, steps[k], steps[k]);
				check_lift(&f, steps[k], steps[k]);
			}
		}
}

/* first piece and further ones of any size */
void
check_splits(Projection p)
{
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

static void
multiply(double *values, int count, double factor)
{
	while (count > 0)
		values[--count] *= factor;
}

/* numbers as large as may be */
void
check_limits(Projection p)
{
	Fixture		f = fixture_new(p, 1, 5);

	multiply(f.contexts, 5 * p.context_dim, WIDEN_MAX);
	multiply(f.shareds, 5 * p.shared_dim, WIDEN_MAX);
	check_apply(&f, p.reduced_dim, p.reduced_dim);
	check_lift(&f, p.reduced_dim, p.reduced_dim);
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

/* rows of a projection that has at least eight */
void
check_only_its_rows(Projection p)
{
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
