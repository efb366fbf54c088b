/*
 * svd.c
 *		Compute the leading singular vectors of a sparse matrix by block iteration.
 *
 * Multiplications by Chebyshev polynomials speed up convergence (Zhou and Saad, "A
 * Chebyshev-Davidson algorithm for large symmetric eigenproblems", 2007).  Vectors are made
 * orthonormal with the eigenvectors of their Gram matrix (Stathopoulos and Wu, "A block
 * orthogonalization procedure with constant synchronization requirements", 2002).
 */
#include "svd.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "lapack.h"
#include "linalg.h"
#include "random.h"

/* Maximum factor by which a polynomial amplifies the first singular vector more than the last */
#define MAX_GROWTH		1e8

/* Minimum ratio of the last and the first singular value for products in single precision */
#define MIN_FAST_SHARE	1e-3

/* Fraction of a Gram matrix's largest eigenvalue below which eigenvalues are rounding errors */
#define NEGLIGIBLE_SHARE	1e-12

/* Limit below which eigenvalues of a Gram matrix of unit vectors are rounding errors */
#define DEPENDENT_SHARE	1e-14

/* Sizes of LAPACK's work space for a matrix with n rows and columns */
#define LAPACK_LEN(n)	(5 * (n) * (n) + 16 * (n) + 64)
#define INTEGERS_LEN(n)	(8 * (n) + 8)

/* Pointers to the arrays in the work space */
typedef struct Work
{
	double	   *full;
	double	   *right;
	double	   *rotation;
	double	   *values;
	double	   *chunk;
	double	   *lapack;
	int		   *integers;
	int			lapack_len;
	int			integers_len;
} Work;

static Work
split_work(int columns, double *work)
{
	size_t		n = (size_t) columns;
	Work		w = {.lapack_len = (int) LAPACK_LEN(n), .integers_len = (int) INTEGERS_LEN(n)};

	w.full = work;
	w.right = w.full + n * n;
	w.rotation = w.right + n * n;
	w.values = w.rotation + n * n;
	w.chunk = w.values + n;
	w.lapack = w.chunk + PANEL_CHUNK * n;
	w.integers = (void *) (w.lapack + w.lapack_len);
	return w;
}

size_t
svd_work(int columns)
{
	size_t		n = (size_t) columns;

	return 3 * n * n + n + PANEL_CHUNK * n + LAPACK_LEN(n) + INTEGERS_LEN(n);
}

/*
 * Lower the matrix elements of active users and popular items.  Divides elements by the square
 * root of the user's sum, and by the fourth root of the item's sum.  "roots" has room for a number
 * per item.
 */
void
svd_scale(SvdMatrix *matrix, double *roots)
{
	double		largest = 0.0;

	memset(roots, 0, sizeof(double) * matrix->items);
	for (uint32_t user = 0; user < matrix->users; user++)
	{
		for (size_t i = matrix->starts[user]; i < matrix->starts[user + 1]; i++)
			roots[matrix->cells[i].item] += matrix->cells[i].weight;
		matrix->pause();
	}
	for (uint32_t item = 0; item < matrix->items; item++)
		roots[item] = roots[item] > 0.0 ? sqrt(sqrt(roots[item])) : 1.0;

	for (uint32_t user = 0; user < matrix->users; user++)
	{
		double		sum = 0.0;

		for (size_t i = matrix->starts[user]; i < matrix->starts[user + 1]; i++)
			sum += matrix->cells[i].weight;
		for (size_t i = matrix->starts[user]; i < matrix->starts[user + 1]; i++)
		{
			matrix->cells[i].weight /=
				(sum > 0.0 ? sqrt(sum) : 1.0) * roots[matrix->cells[i].item];
			largest = fmax(largest, matrix->cells[i].weight);
		}
		matrix->pause();
	}

	/* scale the largest element to 1, so that products in single precision do not underflow */
	for (uint32_t user = 0; user < matrix->users && largest > 0.0; user++)
	{
		for (size_t i = matrix->starts[user]; i < matrix->starts[user + 1]; i++)
			matrix->cells[i].weight /= largest;
		matrix->pause();
	}
}

/* ---------- the iteration ---------- */

/*
 * Replace the positive semidefinite matrix work->full by its eigenvectors, each divided by the
 * square root of its eigenvalue.  Writes the square roots to work->values.  For a negligible
 * eigenvalue, the square root and the eigenvector are zero.
 *
 * Returns false if LAPACK fails.
 */
static bool
whiten(const SvdMatrix *matrix, int columns, double negligible, const Work *work)
{
	size_t		n = (size_t) columns;
	double		largest = 0.0;
	int			exponent;
	int			info;
	double		least;

	if (!linalg_all_finite(n * n, work->full))
		return false;
	/* scale for accuracy, and negate, because LAPACK sorts eigenvalues in ascending order */
	for (size_t j = 0; j < n; j++)
		largest = fmax(largest, work->full[j * n + j]);
	(void) frexp(largest, &exponent);
	for (size_t i = 0; i < n * n; i++)
		work->full[i] = -ldexp(work->full[i], -exponent);
	dsyevd_("V", "L", &columns, work->full, &columns, work->values, work->lapack,
			&work->lapack_len, work->integers, &work->integers_len, &info, 1, 1);
	if (info != 0)
		return false;
	for (size_t j = 0; j < n; j++)
		work->values[j] = -ldexp(work->values[j], exponent);
	matrix->pause();

	least = work->values[0] * negligible;
	for (size_t j = 0; j < n; j++)
	{
		double		value = work->values[j];
		double		root = value > least && value > 0.0 ? sqrt(value) : 0.0;

		work->values[j] = root;
		for (size_t i = 0; i < n; i++)
			work->full[j * n + i] *= root > 0.0 ? 1.0 / root : 0.0;
	}
	return true;
}

/* Replace approximate singular vectors by an orthonormal basis of their span. */
static bool
orthonormalize(const SvdMatrix *matrix, Svd *svd, const Work *work)
{
	size_t		n = (size_t) svd->columns;
	double	   *lengths = work->chunk;

	/* scale all vectors to length 1 first, because their lengths may differ widely */
	panel_cross(matrix, svd->columns, svd->panel, svd->panel, work->full);
	for (size_t j = 0; j < n; j++)
	{
		double		sum = work->full[j * n + j];

		lengths[j] = sum > 0.0 ? 1.0 / sqrt(sum) : 0.0;
	}
	for (size_t j = 0; j < n; j++)
		for (size_t i = j; i < n; i++)
			work->full[j * n + i] *= lengths[i] * lengths[j];
	if (!whiten(matrix, svd->columns, DEPENDENT_SHARE, work))
		return false;
	for (size_t j = 0; j < n; j++)
		for (size_t i = 0; i < n; i++)
			work->full[j * n + i] *= lengths[i];
	panel_transform(matrix, svd->columns, svd->panel, work->full, work->chunk);
	return true;
}

/* Improve approximate singular vectors by one matrix product, and make them orthonormal. */
static bool
improve(const SvdMatrix *matrix, Svd *svd, bool is_fast, const Work *work)
{
	panel_filter(matrix, (size_t) svd->columns, is_fast, 1.0, 0.0, 1, svd->panel, svd->spare,
				 work->full, work->chunk);
	if (!whiten(matrix, svd->columns, NEGLIGIBLE_SHARE, work))
		return false;
	panel_transform(matrix, svd->columns, svd->panel, work->full, work->chunk);

	panel_cross(matrix, svd->columns, svd->panel, svd->panel, work->full);
	if (!whiten(matrix, svd->columns, NEGLIGIBLE_SHARE, work))
		return false;
	panel_transform(matrix, svd->columns, svd->panel, work->full, work->chunk);
	memcpy(svd->values, work->values, sizeof(double) * (size_t) svd->columns);
	return true;
}

/* Return the number of singular values that are not negligible. */
static int
rank(const Svd *svd)
{
	int			n = svd->columns;

	while (n > 0 && svd->values[n - 1] == 0.0)
		n--;
	return n;
}

/* Return the highest degree of a polynomial, up to "products", that respects MAX_GROWTH. */
static int
filter_degree(double first, double last, int products)
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

/*
 * Set the start vectors of the iteration.  The first "known" elements of an item's vector come from
 * an earlier decomposition.  The others are random normal numbers, because random signs could be
 * linearly dependent for a few items.
 */
void
svd_start(const SvdMatrix *matrix, Svd *svd, const uint64_t *hashes,
		  int known, const double *vectors)
{
	size_t		columns = (size_t) svd->columns;
	size_t		len = (size_t) known;

	for (uint32_t item = 0; item < matrix->items; item++)
	{
		double	   *vector = svd->panel + item * columns;

		if (known > 0)
			memcpy(vector, vectors + item * len, sizeof(double) * len);
		random_normals(hashes[item], RANDOM_START, 0, 0, columns - len, vector + len);
		matrix->pause();
	}
}

/* Compute the leading singular vectors from start vectors.  Returns false if LAPACK fails. */
bool
svd_decompose(const SvdMatrix *matrix, Svd *svd, int max_products)
{
	Work		work = split_work(svd->columns, svd->work);
	int			products = 1;

	if (!orthonormalize(matrix, svd, &work) || !improve(matrix, svd, false, &work))
		return false;

	/* if all singular vectors were found, more products would not improve them */
	if (rank(svd) < svd->columns || (uint32_t) svd->columns >= matrix->items)
		products = max_products;
	while (products + 2 <= max_products)
	{
		double		last = svd->values[rank(svd) - 1];
		int			n = filter_degree(svd->values[0], last, max_products - 1 - products);
		bool		is_fast = last >= MIN_FAST_SHARE * svd->values[0];

		/* amplify singular vectors whose singular values exceed the smallest computed value */
		panel_filter(matrix, (size_t) svd->columns, is_fast, 2.0 / (last * last), -1.0, n,
					 svd->panel, svd->spare, NULL, work.chunk);
		products += n + 1;
		if (!orthonormalize(matrix, svd, &work) ||
			!improve(matrix, svd, is_fast && products + 2 <= max_products, &work))
			return false;
	}
	return true;
}

/* ---------- vectors ---------- */

static void
scale_panel(const SvdMatrix *matrix, size_t len, double *vectors, double factor)
{
	for (uint32_t item = 0; item < matrix->items; item++)
	{
		for (size_t j = 0; j < len; j++)
			vectors[item * len + j] *= factor;
		matrix->pause();
	}
}

/*
 * Write one vector of "len" numbers per item, scaled to a mean squared length of 1.  The hashes of
 * items determine the signs of the singular vectors.
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

	memset(signs, 0, sizeof(double) * columns);
	for (uint32_t item = 0; item < matrix->items; item++)
	{
		double		weight = 1.0 + (double) (hashes[item] >> 11) / 9007199254740992.0;

		for (size_t j = 0; j < used; j++)
			signs[j] += weight * svd->panel[item * columns + j];
		matrix->pause();
	}
	for (size_t j = 0; j < used; j++)
		signs[j] = svd->values[j] > 0.0 ? copysign(1.0, signs[j]) : 0.0;

	for (uint32_t item = 0; item < matrix->items; item++)
	{
		double	   *vector = vectors + item * n;

		for (size_t j = 0; j < used; j++)
		{
			vector[j] = svd->panel[item * columns + j] * signs[j];
			squares += vector[j] * vector[j];
		}
		for (size_t j = used; j < n; j++)
			vector[j] = 0.0;
		matrix->pause();
	}
	if (squares > 0.0)
		scale_panel(matrix, n, vectors, sqrt(matrix->items / squares));
}

static double
squared_length(size_t len, const double *vector)
{
	double		sum = 0.0;

	for (size_t j = 0; j < len; j++)
		sum += vector[j] * vector[j];
	return sum;
}

/*
 * Scale and rotate item vectors to be close to the previous vectors, so that models trained on the
 * previous vectors stay valid.  New items have zeros as previous vectors.  "work_area" has
 * svd_work(len) doubles.  Returns false if LAPACK fails.
 */
bool
svd_turn(const SvdMatrix *matrix, int len, const double *onto, double *vectors, double *work_area)
{
	Work		work = split_work(len, work_area);
	size_t		n = (size_t) len;
	double		all_squares = 0.0;
	double		squares = 0.0;
	double		onto_squares = 0.0;
	double		one = 1.0;
	double		zero = 0.0;
	int			info;

	for (uint32_t item = 0; item < matrix->items; item++)
	{
		double		own_squared = squared_length(n, vectors + item * n);
		double		onto_squared = squared_length(n, onto + item * n);

		if (onto_squared > 0.0)
			squares += own_squared;
		all_squares += own_squared;
		onto_squares += onto_squared;
		matrix->pause();
	}
	if (squares <= NEGLIGIBLE_SHARE * all_squares)
		return true;

	scale_panel(matrix, n, vectors, sqrt(onto_squares / squares));
	panel_cross(matrix, len, vectors, onto, work.full);
	for (size_t j = 0; j < n * n; j++)
		work.full[j] /= onto_squares;
	if (!linalg_all_finite(n * n, work.full))
		return false;
	/* the nearest rotation is the product of left and right singular vectors */
	dgesdd_("O", &len, &len, work.full, &len, work.values, work.rotation, &len, work.right, &len,
			work.lapack, &work.lapack_len, work.integers, &info, 1);
	if (info != 0)
		return false;
	dgemm_("N", "N", &len, &len, &len, &one, work.full, &len, work.right, &len, &zero,
		   work.rotation, &len, 1, 1);
	panel_transform(matrix, len, vectors, work.rotation, work.chunk);
	return true;
}
