/*
 * svd.c
 *		Block iteration for the leading singular vectors of a sparse matrix.
 *
 * Each product of A'A with a panel walks once through the cells.  A product
 * followed by a Rayleigh-Ritz step makes singular vectors and values of a
 * panel; between such steps Chebyshev polynomials of A'A, which are small
 * below the last of these values and grow fast above it, sort the directions
 * far better than as many plain products (Zhou and Saad, "A
 * Chebyshev-Davidson algorithm for large symmetric eigenproblems", 2007).
 *
 * Blocks are orthonormalised by the eigenvectors of their products with
 * themselves (Stathopoulos and Wu, "A block orthogonalization procedure with
 * constant synchronization requirements", 2002), which does not mind columns
 * that depend on each other: they become zeros.
 */
#include "svd.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "clones.h"
#include "linalg.h"
#include "random.h"

/*
 * Products with A'A in a decomposition.  With 25 of them singular vectors agree
 * with scipy's to 5e-6 where there is a gap (test/python/factors.py); three plain ones
 * left angles of 0.8.
 */
#define PRODUCTS		25

/* how much a polynomial may favour the first direction over the last */
#define MAX_GROWTH		1e8

/* of the square of the largest singular value, or of all vectors: what is
 * below is rounding */
#define NEGLIGIBLE		1e-12

/* the same for the directions of a panel of columns of length 1 */
#define DEPENDENT		1e-14

/* The work area, cut up. */
typedef struct Work
{
	double	   *full;
	double	   *left;
	double	   *right;
	double	   *rotation;
	double	   *values;
	double	   *chunk;
	double	   *spectral;
	int		   *integers;
} Work;

size_t
svd_work(int columns)
{
	size_t		n = (size_t) columns;

	return 4 * n * n + n + PANEL_CHUNK * n +
		linalg_spectral_work(columns) + linalg_spectral_integers(columns);
}

static Work
cut(int columns, double *work)
{
	size_t		n = (size_t) columns;
	Work		w;

	w.full = work;
	w.left = w.full + n * n;
	w.right = w.left + n * n;
	w.rotation = w.right + n * n;
	w.values = w.rotation + n * n;
	w.chunk = w.values + n;
	w.spectral = w.chunk + PANEL_CHUNK * n;
	w.integers = (void *) (w.spectral + linalg_spectral_work(columns));
	return w;
}

/*
 * Divide each weight by the square root of its user's sum and by the fourth root
 * of its item's, which are numbers of clicks where each counts 1: who clicks
 * much, and what is clicked much, would else take most directions.  The work
 * area is as long as there are items.
 */
void
svd_scale(SvdMatrix *matrix, double *roots)
{
	uint32_t	user;
	uint32_t	item;
	size_t		i;

	memset(roots, 0, sizeof(double) * matrix->items);
	for (user = 0; user < matrix->users; user++)
	{
		for (i = matrix->starts[user]; i < matrix->starts[user + 1]; i++)
			roots[matrix->cells[i].item] += matrix->cells[i].weight;
		matrix->pause();
	}
	for (item = 0; item < matrix->items; item++)
		roots[item] = roots[item] > 0.0 ? sqrt(sqrt(roots[item])) : 1.0;

	for (user = 0; user < matrix->users; user++)
	{
		double		sum = 0.0;

		for (i = matrix->starts[user]; i < matrix->starts[user + 1]; i++)
			sum += matrix->cells[i].weight;
		for (i = matrix->starts[user]; i < matrix->starts[user + 1]; i++)
			matrix->cells[i].weight /=
				(sum > 0.0 ? sqrt(sum) : 1.0) * roots[matrix->cells[i].item];
		matrix->pause();
	}
}

/* ---------- the iteration ---------- */

static void
swap(double **a, double **b)
{
	double	   *kept = *a;

	*a = *b;
	*b = kept;
}

/*
 * full <- eigenvectors of the positive semidefinite matrix in it, the largest
 * value first, each divided by the root of its value; values <- these roots.
 * What is negligible becomes zeros.  False if they cannot be found.
 */
static bool
whiten(const SvdMatrix *matrix, int columns, double negligible,
	   const Work *work)
{
	size_t		n = (size_t) columns;
	double		largest = 0.0;
	int			exponent;
	double		least;
	size_t		i;
	size_t		j;

	if (!linalg_all_finite(n * n, work->full))
		return false;
	/* LAPACK takes lengths in ways that want numbers around 1 */
	for (j = 0; j < n; j++)
		largest = fmax(largest, work->full[j * n + j]);
	(void) frexp(largest, &exponent);
	for (i = 0; i < n * n; i++)
		work->full[i] = ldexp(work->full[i], -exponent);
	if (!linalg_eigenvectors(columns, work->full, work->values,
							 work->spectral, work->integers))
		return false;
	for (j = 0; j < n; j++)
		work->values[j] = ldexp(work->values[j], exponent);
	matrix->pause();

	/* they are in ascending order */
	for (j = 0; j < n / 2; j++)
	{
		double	   *a = work->full + j * n;
		double	   *b = work->full + (n - 1 - j) * n;
		double		value = work->values[j];

		work->values[j] = work->values[n - 1 - j];
		work->values[n - 1 - j] = value;
		for (i = 0; i < n; i++)
		{
			value = a[i];
			a[i] = b[i];
			b[i] = value;
		}
	}
	least = work->values[0] * negligible;
	for (j = 0; j < n; j++)
	{
		double		value = work->values[j];
		double		root = value > least && value > 0.0 ? sqrt(value) : 0.0;

		work->values[j] = root;
		for (i = 0; i < n; i++)
			work->full[j * n + i] *= root > 0.0 ? 1.0 / root : 0.0;
	}
	return true;
}

/* Columns that span what those of the panel do. */
static bool
orthonormalise(const SvdMatrix *matrix, Svd *svd, const Work *work)
{
	size_t		n = (size_t) svd->columns;
	double	   *lengths = work->chunk;
	size_t		i;
	size_t		j;

	/* their lengths may differ by far, and are divided out */
	panel_cross(matrix, svd->columns, svd->panel, svd->panel, work->full);
	for (j = 0; j < n; j++)
	{
		double		sum = work->full[j * n + j];

		lengths[j] = sum > 0.0 ? 1.0 / sqrt(sum) : 0.0;
	}
	for (j = 0; j < n; j++)
		for (i = j; i < n; i++)
			work->full[j * n + i] *= lengths[i] * lengths[j];
	if (!whiten(matrix, svd->columns, DEPENDENT, work))
		return false;
	for (j = 0; j < n; j++)
		for (i = 0; i < n; i++)
			work->full[j * n + i] *= lengths[i];
	panel_transform(matrix, svd->columns, svd->panel, work->full, work->chunk);
	return true;
}

/*
 * One product, and the singular vectors and values that can be had from it:
 * with Q an orthonormal basis of A V, those of Q'A.
 */
static bool
improve(const SvdMatrix *matrix, Svd *svd, const Work *work)
{
	double	   *product = svd->spare[0];

	panel_multiply(matrix, (size_t) svd->columns, svd->panel, product, work->chunk);
	panel_cross(matrix, svd->columns, svd->panel, product, work->full);
	if (!whiten(matrix, svd->columns, NEGLIGIBLE, work))
		return false;
	panel_transform(matrix, svd->columns, product, work->full, work->chunk);

	panel_cross(matrix, svd->columns, product, product, work->full);
	if (!whiten(matrix, svd->columns, NEGLIGIBLE, work))
		return false;
	panel_transform(matrix, svd->columns, product, work->full, work->chunk);
	memcpy(svd->values, work->values,
		   sizeof(double) * (size_t) svd->columns);
	swap(&svd->panel, &svd->spare[0]);
	return true;
}

/* how many singular values are not negligible */
static int
rank(const Svd *svd)
{
	int			n = svd->columns;

	while (n > 0 && svd->values[n - 1] == 0.0)
		n--;
	return n;
}

/* The highest degree, of at most so many products, that does not grow too far. */
static int
degree(double first, double last, int products)
{
	double		x = 2.0 * (first / last) * (first / last) - 1.0;
	double		before = 1.0;
	double		value = x;
	int			n = 1;

	while (n < products)
	{
		double		next = 2.0 * x * value - before;

		if (next > MAX_GROWTH)
			break;
		before = value;
		value = next;
		n++;
	}
	return n;
}

/* next <- 2 (next / centre - panel) - before */
CPU_CLONES
static void
recur(size_t count, double centre, const double *restrict panel,
	  const double *restrict before, double *restrict next)
{
	size_t		i;

	for (i = 0; i < count; i++)
		next[i] = 2.0 * (next[i] / centre - panel[i]) - before[i];
}

/* next <- next / centre - panel */
CPU_CLONES
static void
recur_first(size_t count, double centre, const double *restrict panel,
			double *restrict next)
{
	size_t		i;

	for (i = 0; i < count; i++)
		next[i] = next[i] / centre - panel[i];
}

/*
 * panel <- T_n(A'A / c - 1) panel, T_n the Chebyshev polynomial, which is
 * between -1 and 1 for eigenvalues from 0 to 2 c, the square of "last".
 */
static void
filter(const SvdMatrix *matrix, Svd *svd, double last, int n, const Work *work)
{
	size_t		columns = (size_t) svd->columns;
	double		centre = last * last / 2.0;
	int			i;

	for (i = 1; i <= n; i++)
	{
		double	   *next = svd->spare[i == 1 ? 0 : 1];
		uint32_t	item;

		panel_multiply(matrix, columns, svd->panel, next, work->chunk);
		for (item = 0; item < matrix->items; item += PANEL_CHUNK)
		{
			size_t		offset = item * columns;
			size_t		count = (size_t) panel_chunk(matrix, item) * columns;

			if (i == 1)
				recur_first(count, centre, svd->panel + offset, next + offset);
			else
				recur(count, centre, svd->panel + offset,
					  svd->spare[0] + offset, next + offset);
		}
		/* the panel before this one is in the first spare */
		swap(&svd->panel, &svd->spare[0]);
		if (i > 1)
			swap(&svd->panel, &svd->spare[1]);
	}
}

/*
 * Where to start: for each item the "known" numbers of its vector, where it
 * has one, and behind them normals that its hash gives: signs of few items may
 * depend on each other.
 */
void
svd_start(const SvdMatrix *matrix, Svd *svd, const uint64_t *hashes,
		  int known, const double *vectors)
{
	size_t		columns = (size_t) svd->columns;
	size_t		len = (size_t) known;
	uint32_t	item;

	for (item = 0; item < matrix->items; item++)
	{
		double	   *vector = svd->panel + item * columns;

		if (known > 0)
			memcpy(vector, vectors + item * len, sizeof(double) * len);
		random_normals(hashes[item], RANDOM_START, 0, columns - len,
					   vector + len);
		matrix->pause();
	}
}

/*
 * The singular vectors of the largest singular values, from a start that has
 * something of all of them.  False if LAPACK fails.
 */
bool
svd_decompose(const SvdMatrix *matrix, Svd *svd)
{
	Work		work = cut(svd->columns, svd->work);
	int			products = 1;

	if (!orthonormalise(matrix, svd, &work) || !improve(matrix, svd, &work))
		return false;

	/* what spans everything needs no sorting */
	if (rank(svd) < svd->columns || (uint32_t) svd->columns >= matrix->items)
		products = PRODUCTS;
	while (products + 2 <= PRODUCTS)
	{
		double		last = svd->values[rank(svd) - 1];
		int			n = degree(svd->values[0], last, PRODUCTS - 1 - products);

		filter(matrix, svd, last, n, &work);
		if (!orthonormalise(matrix, svd, &work) ||
			!improve(matrix, svd, &work))
			return false;
		products += n + 1;
	}
	return true;
}

/* The same from a start that is nearly there, by one product. */
bool
svd_refine(const SvdMatrix *matrix, Svd *svd)
{
	Work		work = cut(svd->columns, svd->work);

	return orthonormalise(matrix, svd, &work) && improve(matrix, svd, &work);
}

/* ---------- vectors ---------- */

/* A number between 1 and 2, which no symmetry of the matrix knows of. */
static double
generic(uint64_t hash)
{
	return 1.0 + (double) (hash >> 11) / 9007199254740992.0;
}

static void
stretch(const SvdMatrix *matrix, size_t len, double *vectors, double factor)
{
	uint32_t	item;
	size_t		j;

	for (item = 0; item < matrix->items; item++)
	{
		for (j = 0; j < len; j++)
			vectors[item * len + j] *= factor;
		matrix->pause();
	}
}

/*
 * vectors <- V: for each item "len" numbers, zeros where there are no more
 * singular vectors, as a list, scaled so that their mean square length is 1.  A
 * singular vector is fixed but for its sign, for which the hashes break the tie.
 */
void
svd_vectors(const SvdMatrix *matrix, const Svd *svd, const uint64_t *hashes,
			int len, double *vectors)
{
	size_t		columns = (size_t) svd->columns;
	size_t		n = (size_t) len;
	size_t		used = n < columns ? n : columns;
	double	   *signs = svd->work;
	double		squares = 0.0;
	uint32_t	item;
	size_t		j;

	memset(signs, 0, sizeof(double) * columns);
	for (item = 0; item < matrix->items; item++)
	{
		for (j = 0; j < used; j++)
			signs[j] += generic(hashes[item]) *
				svd->panel[item * columns + j];
		matrix->pause();
	}
	for (j = 0; j < used; j++)
		signs[j] = svd->values[j] > 0.0 ? copysign(1.0, signs[j]) : 0.0;

	for (item = 0; item < matrix->items; item++)
	{
		double	   *vector = vectors + item * n;

		memset(vector, 0, sizeof(double) * n);
		for (j = 0; j < used; j++)
		{
			vector[j] = svd->panel[item * columns + j] * signs[j];
			squares += vector[j] * vector[j];
		}
		matrix->pause();
	}
	if (squares > 0.0)
		stretch(matrix, n, vectors, sqrt(matrix->items / squares));
}

/* sum of squares of a vector */
static double
square(size_t len, const double *vector)
{
	double		sum = 0.0;
	size_t		j;

	for (j = 0; j < len; j++)
		sum += vector[j] * vector[j];
	return sum;
}

/*
 * Turn vectors so that those of items that have another in "onto", where
 * zeros are none, come as near to these as they can, and scale all so that
 * theirs are as long: what was learned from the others goes on.  Nothing can
 * where all of these are far from the directions that were found, and their
 * vectors are rounding; then all stay as they are.  The work area is
 * svd_work(len).  False if LAPACK fails.
 */
bool
svd_turn(const SvdMatrix *matrix, int len, const double *onto,
		 double *vectors, double *work_area)
{
	Work		work = cut(len, work_area);
	size_t		n = (size_t) len;
	double		all_squares = 0.0;
	double		squares = 0.0;
	double		onto_squares = 0.0;
	uint32_t	item;
	size_t		j;

	for (item = 0; item < matrix->items; item++)
	{
		double		own_square = square(n, vectors + item * n);
		double		onto_square = square(n, onto + item * n);

		if (onto_square > 0.0)
			squares += own_square;
		all_squares += own_square;
		onto_squares += onto_square;
		matrix->pause();
	}
	if (squares <= NEGLIGIBLE * all_squares)
		return true;

	stretch(matrix, n, vectors, sqrt(onto_squares / squares));
	panel_cross(matrix, len, vectors, onto, work.full);
	for (j = 0; j < n * n; j++)
		work.full[j] /= onto_squares;
	if (!linalg_all_finite(n * n, work.full) ||
		!linalg_nearest_rotation(len, work.full, work.rotation, work.left,
								 work.right, work.spectral, work.integers))
		return false;
	panel_transform(matrix, len, vectors, work.rotation, work.chunk);
	return true;
}
