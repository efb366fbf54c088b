/*
 * reduction.c
 *		Rows of the random matrices in guarded memory, walks through them in
 *		pieces, and the dense projection of the long vector.
 */
#include "reduction.h"

#include "core/random.h"

/* ---------- rows ---------- */

ProjectionRows
rows_new(const Projection *p, int first, int count)
{
	double	   *numbers = guarded((size_t) count * projection_row_len(p));
	ProjectionRows rows = {first, count, numbers};

	projection_generate(p, first, count, numbers);
	return rows;
}

ProjectionRows
all_rows(const Projection *p)
{
	return rows_new(p, 0, p->reduced_dim);
}

void
rows_free(ProjectionRows rows)
{
	guarded_free((double *) rows.numbers);
}

int
columns_of(const Projection *p, Matrix matrix)
{
	return matrix == MATRIX_R ? p->shared_dim : p->context_dim;
}

/* a row by its number in the matrix, in [rows of P][rows of Q][rows of R] */
const double *
row_of(const Projection *p, const ProjectionRows *rows, Matrix matrix, int row)
{
	return rows->numbers + (int) matrix * rows->count * p->context_dim +
		(row - rows->first) * columns_of(p, matrix);
}

/* ---------- law ---------- */

/*
 * Mean, variance and fourth moment of N numbers of N(0, scale^2), each within
 * five of its standard errors: scale sqrt(1/N), scale^2 sqrt(2/N),
 * scale^4 sqrt(96/N).
 */
void
check_moments(size_t count, const double *numbers, double scale)
{
	const double s2 = scale * scale;
	const double N = (double) count;
	exact		sum = 0;
	exact		squares = 0;
	exact		fourths = 0;
	size_t		i;

	for (i = 0; i < count; i++)
	{
		exact		square = (exact) numbers[i] * numbers[i];

		sum += numbers[i];
		squares += square;
		fourths += square * square;
	}
	assert_near(sum / N, 0, 5 * scale * sqrt(1 / N));
	assert_near(squares / N, s2, 5 * s2 * sqrt(2 / N));
	assert_near(fourths / N, 3 * s2 * s2, 5 * s2 * s2 * sqrt(96 / N));
}

/*
 * Rows of N(0, 1) are uncorrelated: of N products of two rows' entries the
 * mean has standard error 1 / sqrt(N); bound five.  Rows next to each other
 * and rows far apart.
 */
void
check_uncorrelated(int rows, int len, const double *numbers)
{
	int			i;
	int			j;

	for (i = 0; i < rows; i++)
		for (j = 0; j < i; j++)
			assert_near(exact_dot(len, numbers + i * len,
								  numbers + j * len) / len,
						0, 5 / sqrt(len));
}

/* ---------- reduce and lift ---------- */

void
apply_rows(const Projection *p, ProjectionRows rows, int count,
		   const double *contexts, const double *shareds, double *reduced)
{
	double	   *work = guarded(projection_work(p, rows.count, count));

	projection_apply(p, &rows, count, contexts, shareds, reduced, work);
	guarded_free(work);
}

void
lift_rows(const Projection *p, ProjectionRows rows, int count,
		  const double *parameters, const double *shared, double *lifted)
{
	double	   *work = guarded(projection_work(p, rows.count, count));

	projection_lift(p, &rows, count, parameters, shared, lifted, work);
	guarded_free(work);
}

/* the piece that begins with row "first" */
static ProjectionRows
piece_new(const Projection *p, Split split, int first)
{
	int			wanted = first == 0 ? split.first : split.step;
	int			rest = p->reduced_dim - first;

	return rows_new(p, first, rest < wanted ? rest : wanted);
}

void
apply_in_pieces(const Projection *p, Split split, int count,
				const double *contexts, const double *shareds, double *reduced)
{
	int			done = 0;

	while (done < p->reduced_dim)
	{
		ProjectionRows piece = piece_new(p, split, done);

		apply_rows(p, piece, count, contexts, shareds, reduced);
		done += piece.count;
		rows_free(piece);
	}
}

void
lift_in_pieces(const Projection *p, Split split, int count,
			   const double *parameters, const double *shared, double *lifted)
{
	int			done = 0;

	while (done < p->reduced_dim)
	{
		ProjectionRows piece = piece_new(p, split, done);

		lift_rows(p, piece, count, parameters, shared, lifted);
		done += piece.count;
		rows_free(piece);
	}
}

/* ---------- the dense projection ---------- */

static int
long_len(const Projection *p)
{
	return p->context_dim * (1 + p->shared_dim) + (p->intercept ? 1 : 0);
}

static double *
normals_new(const Projection *p, RandomPurpose purpose, int row, int columns)
{
	double	   *normals = guarded((size_t) columns);

	random_normals(p->seed, purpose, (uint32_t) row, (size_t) columns,
				   normals);
	return normals;
}

/*
 * In row k the column of coordinate i holds P_ki and that of the product of i
 * and j holds Q_ki R_kj.  The normals come straight from their streams.
 */
Dense
dense_new(const Projection *p)
{
	Dense		dense = {projection_reduced_len(p), long_len(p), NULL};
	int			n = p->context_dim;
	int			m = p->shared_dim;
	int			i;
	int			j;
	int			k;

	dense.entries = exact_new((size_t) dense.rows * (size_t) dense.columns);
	for (k = 0; k < p->reduced_dim; k++)
	{
		exact	   *row = dense.entries + k * dense.columns;
		double	   *P = normals_new(p, RANDOM_PROJECTION, k, n);
		double	   *Q = normals_new(p, RANDOM_INTERACTION, k, n);
		double	   *R = normals_new(p, RANDOM_SHARED, k, m);

		for (i = 0; i < n; i++)
		{
			row[i] = (exact) p->scale * P[i];
			for (j = 0; j < m; j++)
				row[n + i * m + j] = (exact) Q[i] * p->scale * R[j];
		}
		guarded_free(P);
		guarded_free(Q);
		guarded_free(R);
	}
	if (p->intercept)
		dense.entries[dense.rows * dense.columns - 1] = 1;
	return dense;
}

void
dense_free(Dense dense)
{
	free(dense.entries);
}

exact *
long_vector(const Projection *p, const double *context, const double *shared)
{
	exact	   *vector = exact_new((size_t) long_len(p));
	int			n = p->context_dim;
	int			m = p->shared_dim;
	int			i;
	int			j;

	for (i = 0; i < n; i++)
	{
		vector[i] = context[i];
		for (j = 0; j < m; j++)
			vector[n + i * m + j] = (exact) context[i] * shared[j];
	}
	if (p->intercept)
		vector[n + n * m] = 1;
	return vector;
}

static void
add_term(Sum *sum, exact term)
{
	sum->value += term;
	sum->size += fabsl(term);
}

/* one coordinate of z */
Sum
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
 * One weight: the parameter carried back to long vectors, and what that
 * means for one coordinate of the context when the shared context is given.
 */
Sum
dense_lift(Dense dense, const Projection *p, int weight,
		   const double *parameter, const double *shared)
{
	int			n = p->context_dim;
	int			m = p->shared_dim;
	Sum			sum = {0, 0};
	int			j;
	int			k;

	for (k = 0; k < dense.rows; k++)
	{
		const exact *row = dense.entries + k * dense.columns;

		add_term(&sum, parameter[k] *
				 row[weight < n ? weight : dense.columns - 1]);
		for (j = 0; j < m && weight < n; j++)
			add_term(&sum, parameter[k] * row[n + weight * m + j] * shared[j]);
	}
	return sum;
}
