/*
 * fuzz_arithmetic.c
 *		Projections of any seed, scale and sizes; contexts of any bits.
 */
#include "input.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/dot.h"
#include "core/projection.h"
#include "core/random.h"
#include "core/widen.h"

#define MOST_CONTEXT_DIM	300
#define MOST_REDUCED_DIM	40
#define MOST_CONTEXTS		5

/* numbers with which no sum below can overflow */
#define MODERATE	1e60

/* All of P at once, against pieces of some number of rows. */
static double *
generate(const ProjectionKey *key, int piece)
{
	size_t		n = (size_t) key->context_dim;
	size_t		count = n * (size_t) key->reduced_dim;
	double	   *whole = walled(count);
	double	   *rows = walled(n * (size_t) piece);
	int			row;

	projection_generate(key, 0, key->reduced_dim, whole);
	for (row = 0; row + piece <= key->reduced_dim; row += piece)
	{
		projection_generate(key, row, piece, rows);
		check(same_bits(n * (size_t) piece, rows, whole + (size_t) row * n));
	}
	if (key->scale < MODERATE)
		check(all_are_finite(count, whole) &&
			  largest(count, whole) <= 20.0 * key->scale);
	return whole;
}

static double
plain_dot(int len, const double *a, const double *b)
{
	double		sum = 0.0;
	int			i;

	for (i = 0; i < len; i++)
		sum += a[i] * b[i];
	return sum;
}

/* sizes of the factors of a product, by which rounding is judged */
static double
dot_size(int len, const double *a, const double *b)
{
	return len * largest((size_t) len, a) * largest((size_t) len, b) + 1e-290;
}

/* z = P x by its definition, and psi'(P x) = (P'psi)'x */
static void
check_projection(Input *in, const ProjectionKey *key, const double *matrix)
{
	int			n = key->context_dim;
	int			d = key->reduced_dim;
	int			count = take_size(in, MOST_CONTEXTS);
	double	   *contexts = walled_numbers(in, (size_t) (n * count), take_finite);
	double	   *parameter = walled_numbers(in, (size_t) d, take_finite);
	double	   *reduced = walled((size_t) (d * count));
	double	   *weights = walled((size_t) n);
	int			c;
	int			row;

	projection_apply(key, 0, d, matrix, count, contexts, reduced);
	projection_lift(key, 0, d, matrix, 1, parameter, weights);
	if (key->scale > MODERATE ||
		largest((size_t) (n * count), contexts) > MODERATE ||
		largest((size_t) d, parameter) > MODERATE)
		return;
	for (c = 0; c < count; c++)
	{
		const double *x = contexts + c * n;
		const double *z = reduced + c * d;

		for (row = 0; row < d; row++)
			check(fabs(z[row] - plain_dot(n, matrix + row * n, x)) <=
				  1e-12 * dot_size(n, matrix + row * n, x));
		check(fabs(plain_dot(d, parameter, z) - plain_dot(n, weights, x)) <=
			  1e-12 * d * dot_size(n, matrix, x) * 20.0 *
			  (largest((size_t) d, parameter) + 1e-100) + 1e-12 * dot_size(n, weights, x));
	}
}

static void
check_normals(const ProjectionKey *key, size_t count)
{
	double	   *some = walled(count);
	double	   *more = walled(count + 3);

	random_normals(key->seed, RANDOM_DRAW, (uint32_t) count, count, some);
	random_normals(key->seed, RANDOM_DRAW, (uint32_t) count, count + 3, more);
	check(same_bits(count, some, more));
	check(all_are_finite(count, some) && largest(count, some) < 10.0);
}

/* The score of a context is finite only if all of the context is. */
static void
check_score(double score, double expected, double size, bool finite)
{
	check(finite || !isfinite(score));
	if (finite && size < MODERATE)
		check(fabs(score - expected) <= 1e-12 * size);
}

static void
check_doubles(Input *in, int n, const double *weights)
{
	double	   *context = walled_numbers(in, (size_t) n, take_number);
	double	   *wide = walled((size_t) n);
	bool		finite = all_are_finite((size_t) n, context);

	check(widen_double((size_t) n, context, wide) == finite);
	check(same_bits((size_t) n, wide, context));
	check_score(dot_double(n, weights, context), plain_dot(n, weights, context),
				dot_size(n, weights, context), finite);
}

static void
check_floats(Input *in, int n, const double *weights)
{
	float	   *context = walled_floats((size_t) n);
	double	   *wide = walled((size_t) n);
	bool		finite;
	int			i;

	for (i = 0; i < n; i++)
	{
		uint32_t	bits = (uint32_t) take_bits(in);

		if (in->left == 0)
			bits = (uint32_t) i << 20;
		memcpy(&context[i], &bits, sizeof(bits));
	}
	finite = widen_float((size_t) n, context, wide);
	check(finite == all_are_finite((size_t) n, wide));
	for (i = 0; i < n; i++)
		check(wide[i] == (double) context[i] || isnan(context[i]));
	check_score(dot_float(n, weights, context), plain_dot(n, weights, wide),
				dot_size(n, weights, wide), finite);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		in = {data, size};
	ProjectionKey key;
	double	   *weights;

	walled_reset();
	key.seed = take_bits(&in);
	key.scale = take_positive(&in);
	key.context_dim = take_size(&in, MOST_CONTEXT_DIM);
	key.reduced_dim = take_size(&in, MOST_REDUCED_DIM);
	check_projection(&in, &key, generate(&key, take_size(&in, key.reduced_dim)));
	check_normals(&key, (size_t) key.context_dim);
	weights = walled_numbers(&in, (size_t) key.context_dim, take_finite);
	check_doubles(&in, key.context_dim, weights);
	check_floats(&in, key.context_dim, weights);
	return 0;
}
