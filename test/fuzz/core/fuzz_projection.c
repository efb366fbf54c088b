/*
 * fuzz_projection.c
 *		Projections of any seed, scale and sizes: vectors are projected, and
 *		parameters lifted, at once and in pieces.  Some arrays have a coordinate
 *		after the projected ones.  Models without a projection are tested, too.
 */
#include "input.h"

#include <math.h>

#include "core/kinds.h"
#include "core/numbers.h"
#include "core/random.h"

#define MAX_FEATURE_DIM	300
#define MAX_REDUCED_DIM	40
#define MAX_VECTORS		5
#define MAX_PIECES			3
#define MAX_DIFFERENT		16		/* random numbers in a vector, which then repeat */

/* largest parameter for which no product below overflows */
#define MODERATE	1e150

/* Rows as a whole and in pieces are equal, in order. */
typedef struct Rows
{
	int			count;
	ProjectionRows pieces[MAX_PIECES];
} Rows;

static void
add_piece(Rows *rows, const Projection *p, int end)
{
	int			first = 0;
	ProjectionRows piece;
	double	   *numbers;

	if (rows->count > 0)
	{
		piece = rows->pieces[rows->count - 1];
		first = piece.first + piece.count;
	}
	if (first == end)
		return;
	numbers = walled((size_t) (end - first) * (size_t) p->feature_dim);
	projection_generate(p, first, end - first, numbers);
	piece.first = first;
	piece.count = end - first;
	piece.numbers = numbers;
	rows->pieces[rows->count++] = piece;
}

static Rows
whole(const Projection *p)
{
	Rows		rows = {0};

	add_piece(&rows, p, p->reduced_dim);
	return rows;
}

static Rows
in_pieces(Input *in, const Projection *p)
{
	Rows		rows = {0};
	int			border = take_size(in, p->reduced_dim);

	add_piece(&rows, p, border);
	add_piece(&rows, p, border + (p->reduced_dim - border) / 2);
	add_piece(&rows, p, p->reduced_dim);
	return rows;
}

/* Return a row of the matrix from those of a piece. */
static const double *
row_of(const Projection *p, const ProjectionRows *rows, int row)
{
	return rows->numbers +
		(size_t) (row - rows->first) * (size_t) p->feature_dim;
}

/* A row consists of the normals of its stream, times the scale. */
static void
check_row(const Projection *p, const ProjectionRows *all, int row)
{
	size_t		len = (size_t) p->feature_dim;
	double	   *expected = walled(len);

	random_normals(p->seed, RANDOM_PROJECTION, (uint32_t) row, len, expected);
	for (size_t j = 0; j < len; j++)
		expected[j] *= p->scale;
	check(same_bits(len, expected, row_of(p, all, row)));
}

/* Rows of a piece equal those of the whole matrix, bit by bit. */
static void
check_piece(const Projection *p, const ProjectionRows *all, const ProjectionRows *piece)
{
	for (int row = piece->first; row < piece->first + piece->count; row++)
		check(same_bits((size_t) p->feature_dim, row_of(p, all, row), row_of(p, piece, row)));
}

static void
check_rows(const Projection *p, const ProjectionRows *all, const Rows *rows)
{
	check_row(p, all, 0);
	check_row(p, all, p->reduced_dim - 1);
	for (int i = 0; i < rows->count; i++)
		check_piece(p, all, &rows->pieces[i]);
}

/*
 * Number of vectors of each kind, and their largest numbers.  After the coordinates of the
 * projection there may be another one, which does not change.
 */
typedef struct Vectors
{
	int			spare;			/* 0 or 1 */
	int			count;
	double	   *features;
	double	   *parameters;
	double		most;
	double		parameter;
} Vectors;

/* Use few numbers of the input, so that it suffices for all kinds. */
static double *
some_numbers(Input *in, size_t count, double most)
{
	double	   *values = walled(count);
	size_t		different = (size_t) take_size(in, MAX_DIFFERENT);

	for (size_t i = 0; i < count; i++)
		values[i] = i < different ? take_within(in, -most, most) : values[i - different];
	return values;
}

static int
reduced_len(const Projection *p, const Vectors *v)
{
	return p->reduced_dim + v->spare;
}

static int
lifted_len(const Projection *p, const Vectors *v)
{
	return p->feature_dim + v->spare;
}

static Vectors
some_vectors(Input *in, const Projection *p, int spare)
{
	Vectors		v = {.spare = spare};
	size_t		features;
	size_t		parameters;

	v.count = take_size(in, MAX_VECTORS);
	features = (size_t) (v.count * p->feature_dim);
	parameters = (size_t) (v.count * reduced_len(p, &v));
	v.features = some_numbers(in, features, WIDEN_MAX);
	v.parameters = some_numbers(in, parameters, MODERATE);
	v.most = largest(features, v.features);
	v.parameter = largest(parameters, v.parameters);
	return v;
}

static double *
apply(const Projection *p, const Rows *rows, const Vectors *v)
{
	double	   *reduced = walled((size_t) (v->count * reduced_len(p, v)));

	for (int i = 0; i < rows->count; i++)
		projection_apply(p, &rows->pieces[i], v->count, v->features, reduced, reduced_len(p, v));
	return reduced;
}

#define SPARE_WEIGHT	0.125

/* lift all parameters, added to zeros */
static double *
lift(const Projection *p, const Rows *rows, const Vectors *v)
{
	int			len = lifted_len(p, v);
	double	   *lifted = walled((size_t) (v->count * len));

	for (int i = 0; i < v->count * len; i++)
		lifted[i] = i % len < p->feature_dim ? 0 : SPARE_WEIGHT;
	for (int i = 0; i < rows->count; i++)
		projection_lift(p, &rows->pieces[i], v->count, v->parameters, reduced_len(p, v),
						lifted, len);
	return lifted;
}

/* Bound of rounding errors of a coordinate of z; entries are below ten standard deviations. */
static double
rounding(const Projection *p, const Vectors *v)
{
	return 1e-11 * p->scale * p->feature_dim * v->most;
}

/* Bound of errors by underflow of a factor or product */
static double
underflow(const Projection *p, const Vectors *v)
{
	return 1e-300 * (1.0 + p->scale) * (1.0 + v->most);
}

/* z equals P x by definition. */
static void
check_reduced(const Projection *p, const ProjectionRows *rows, const Vectors *v,
			  const double *reduced)
{
	int			n = p->feature_dim;

	for (int c = 0; c < v->count; c++)
	{
		const double *x = v->features + c * n;
		const double *z = reduced + c * reduced_len(p, v);

		for (int row = 0; row < p->reduced_dim; row++)
		{
			double		expected = plain_dot(n, row_of(p, rows, row), x);

			check(fabs(z[row] - expected) <= rounding(p, v) + underflow(p, v));
		}
	}
}

/* psi'z equals w'x, and coordinates after the weights do not change. */
static void
check_lifted(const Projection *p, const Vectors *v, int number,
			 const double *reduced, const double *lifted)
{
	int			n = p->feature_dim;
	int			len = reduced_len(p, v);
	const double *x = v->features + number * n;
	const double *z = reduced + number * len;

	for (int c = 0; c < v->count; c++)
	{
		const double *psi = v->parameters + c * len;
		const double *w = lifted + c * lifted_len(p, v);

		check(fabs(plain_dot(p->reduced_dim, psi, z) - plain_dot(n, w, x)) <=
			  p->reduced_dim * (v->parameter * rounding(p, v) +
								(1.0 + v->parameter) * underflow(p, v)));
		check(v->spare == 0 || w[n] == SPARE_WEIGHT);
	}
}

/* Reduce feature vectors and lift parameters. */
static void
check_both_ways(const Projection *p, const ProjectionRows *all, const Rows *rows, const Vectors *v)
{
	double	   *reduced = apply(p, rows, v);
	double	   *lifted = lift(p, rows, v);

	check_reduced(p, all, v, reduced);
	for (int c = 0; c < v->count; c++)
		check_lifted(p, v, c, reduced, lifted);
}

/* Check the last blocks of z, and that psi'z equals w'x plus the intercept's term. */
static void
check_kind(const Kind *kind, const Vectors *v, const double *parameters)
{
	int			n = kind->feature_dim;
	int			len = kind_reduced_len(kind);
	int			weights_len = kind_lifted_len(kind);
	double	   *reduced = walled((size_t) (v->count * len));
	double	   *lifted = walled((size_t) (v->count * weights_len));
	double		most = largest((size_t) (v->count * len), parameters);
	double		profile = largest((size_t) n, v->features);

	kind_fill(kind, v->count, v->features, v->features, reduced);
	kind_lift(kind, v->count, parameters, v->features, lifted);
	for (int c = 0; c < v->count; c++)
	{
		const double *z = reduced + c * len;
		const double *w = lifted + c * weights_len;

		check(!kind->intercept || z[len - 1] == 1.0);
		check(!kind->intercept || same_bits(1, &w[n], parameters + (c + 1) * len - 1));
		check(all_are_finite((size_t) len, z) && all_are_finite((size_t) weights_len, w));
	}
	/* lift under the first profile */
	for (int c = 0; c < v->count; c++)
	{
		const double *w = lifted + c * weights_len;
		double		score = plain_dot(n, w, v->features) + (kind->intercept ? w[n] : 0.0);

		check(fabs(score - plain_dot(len, parameters + c * len, reduced)) <=
			  (1e-13 * most + 1e-300) * (4 * len + n) * (1.0 + v->most) * (1.0 + n * profile));
	}
}

/* Kinds without a projection; each feature vector is the profile of another one. */
static void
check_kinds(const Projection *p, const Vectors *v)
{
	const Kind	kinds[] = {
		{INTERACTIONS_NONE, p->feature_dim, 0, v->spare == 1},
		{INTERACTIONS_MATCHED, p->feature_dim, 0, v->spare == 1}
	};
	size_t		given = (size_t) (v->count * reduced_len(p, v));

	for (int k = 0; k < 2; k++)
	{
		size_t		wanted = (size_t) (v->count * kind_reduced_len(&kinds[k]));
		double	   *parameters = walled(wanted);
		size_t		i;

		for (i = 0; i < wanted; i++)
			parameters[i] = v->parameters[i % given];
		check_kind(&kinds[k], v, parameters);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		in = {data, size};
	Projection	p;
	Rows		all;
	Rows		pieces;
	Vectors		v;
	int			spare;

	walled_reset();
	p.seed = take_bits(&in);
	p.scale = take_within(&in, 1e-10, 1e10);
	p.feature_dim = take_size(&in, MAX_FEATURE_DIM);
	p.reduced_dim = take_size(&in, MAX_REDUCED_DIM);
	spare = take_byte(&in) % 2;
	all = whole(&p);
	pieces = in_pieces(&in, &p);
	v = some_vectors(&in, &p, spare);

	check_rows(&p, all.pieces, &pieces);
	check_both_ways(&p, all.pieces, &all, &v);
	check_both_ways(&p, all.pieces, &pieces, &v);
	check_kinds(&p, &v);
	return 0;
}
