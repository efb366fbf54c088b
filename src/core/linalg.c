/*
 * linalg.c
 *		Interface to BLAS and LAPACK.  Callers check inputs and results, because OpenBLAS accepts
 *		some matrices with NaN.
 */
#include "linalg.h"

#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "lapack.h"
#include "score.h"

static const double one = 1.0;
static const double minus_one = -1.0;
static const double zero = 0.0;
static const int unit_stride = 1;

/* Maximum number of result columns that are computed in one step */
#define MAX_SUMS	64
/* Maximum number of vector elements that linalg_project() multiplies in one step */
#define MAX_PIECE	256

/* Size in bytes of OpenBLAS's buffer on most CPUs, plus the overhead of some builds */
#define OPENBLAS_BUFFER	((size_t) 129 << 20)

/*
 * Prepare BLAS before its first use.  Returns false if memory is short; a later call may succeed.
 *
 * If memory is limited, OpenBLAS would retry its allocation forever.  We therefore test first
 * whether memory is available.
 */
bool
linalg_ready(void)
{
	static bool ready = false;
	enum
	{
		order = 8
	};
	double		packed[order * (order + 1) / 2] = {0.0};
	void	   *room;

	if (ready)
		return true;

	/* only OpenBLAS has the function openblas_get_config() */
	if (dlsym(RTLD_DEFAULT, "openblas_get_config") != NULL)
	{
		room = mmap(NULL, OPENBLAS_BUFFER, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (room == MAP_FAILED)
			return false;
		munmap(room, OPENBLAS_BUFFER);
		linalg_add_diagonal(order, 1.0, packed);
		(void) linalg_cholesky(order, packed);
	}
	ready = true;
	return true;
}

/* Return the index of the element in row i and column j of a packed lower triangle. */
size_t
linalg_packed_index(int d, int i, int j)
{
	size_t		even = (d % 2 == 0) ? 1 : 0;
	size_t		rows = (size_t) d + even;
	size_t		left = ((size_t) d + 1) / 2;
	size_t		row = (size_t) i;
	size_t		col = (size_t) j;

	if (col < left)
		return (row + even) + col * rows;
	return (col - left) + (row - left + 1 - even) * rows;
}

void
linalg_add_diagonal(int d, double value, double *packed)
{
	for (int i = 0; i < d; i++)
		packed[linalg_packed_index(d, i, i)] += value;
}

double
linalg_max_diagonal(int d, const double *packed)
{
	double		max = -INFINITY;

	for (int i = 0; i < d; i++)
		max = fmax(max, packed[linalg_packed_index(d, i, i)]);
	return max;
}

double
linalg_min_diagonal(int d, const double *packed)
{
	double		min = INFINITY;

	for (int i = 0; i < d; i++)
		min = fmin(min, packed[linalg_packed_index(d, i, i)]);
	return min;
}

/* Are all numbers finite?  We test their bits, because compilers vectorize such a loop. */
bool
linalg_all_finite(size_t count, const double *values)
{
	const uint64_t exponent = UINT64_C(0x7FF0000000000000);
	uint64_t	bad = 0;

	for (size_t i = 0; i < count; i++)
	{
		uint64_t	bits;

		memcpy(&bits, &values[i], sizeof(bits));
		bad |= ((bits & exponent) == exponent);
	}
	return bad == 0;
}

/* Unpack a lower triangle into a full matrix with zeros above the diagonal. */
void
linalg_unpack_lower(int d, const double *packed, double *full)
{
	int			info;

	memset(full, 0, sizeof(double) * (size_t) d * (size_t) d);
	dtfttr_("N", "L", &d, packed, full, &d, &info, 1, 1);
}

/* Copy SCORE_LANES elements of each vector, multiplied by the vector's weight. */
static void
weigh_rows(int d, int count, const double *vectors, const double *weights, int row,
		   double (*lanes)[SCORE_LANES])
{
	int			missing = row < 0 ? -row : 0;

	for (int k = 0; k < count; k++, vectors += d)
	{
		for (int l = 0; l < missing; l++)
			lanes[k][l] = 0.0;
		for (int l = missing; l < SCORE_LANES; l++)
			lanes[k][l] = weights[k] * vectors[row + l];
	}
}

/* Multiply "count" elements of a packed matrix's column by "factor", and add "sums". */
static void
add_sums(int d, int row, int c, int count, const double *sums, double factor, double *packed)
{
	double	   *element = packed + linalg_packed_index(d, row, c);
	int			step = c < (d + 1) / 2 ? 1 : d + (d % 2 == 0);

	for (int l = 0; l < count; l++, element += step)
		*element = factor * *element + sums[l];
}

/*
 * packed <- factor packed + sum over k of weights[k] vectors[k] vectors[k]'
 *
 * BLAS would take longer for small matrices.
 */
void
linalg_rank_update(int d, int count, const double *vectors, const double *weights, double factor,
				   double *packed)
{
	double		lanes[LINALG_MAX_UPDATE][SCORE_LANES];
	double		sums[MAX_SUMS][SCORE_LANES];

	/* the first group of rows may have fewer than SCORE_LANES rows */
	for (int row = d - score_rounded(d); row < d; row += SCORE_LANES)
	{
		int			end = row + SCORE_LANES;

		weigh_rows(d, count, vectors, weights, row, lanes);
		for (int first = 0; first < end; first += MAX_SUMS)
		{
			int			columns = end - first < MAX_SUMS ? end - first : MAX_SUMS;

			score_lanes_spaced(count, lanes[0], columns, vectors + first, 1, d, sums[0],
							   SCORE_LANES);
			for (int i = 0; i < columns; i++)
			{
				int			from = row > first + i ? row : first + i;

				add_sums(d, from, first + i, end - from, sums[i] + (from - row), factor, packed);
			}
		}
	}
}

bool
linalg_cholesky(int d, double *packed)
{
	int			info;

	dpftrf_("N", "L", &d, packed, &info, 1, 1);
	return info == 0;
}

/* Replace a packed Cholesky factor L by (L L')^-1. */
void
linalg_cholesky_invert(int d, double *factor)
{
	int			info;

	dpftri_("N", "L", &d, factor, &info, 1, 1);
}

/* Return the trace of the product of two packed symmetric matrices. */
double
linalg_trace_product(int d, const double *left, const double *right)
{
	int			len = (int) linalg_packed_len(d);
	double		diagonal = 0.0;

	for (int i = 0; i < d; i++)
	{
		size_t		k = linalg_packed_index(d, i, i);

		diagonal += left[k] * right[k];
	}
	return 2.0 * ddot_(&len, left, &unit_stride, right, &unit_stride) - diagonal;
}

/* The two triangles and the rectangular block of a matrix in LAPACK's RFP format */
typedef struct Pieces
{
	int			upper;			/* rows of "first" */
	int			lower;			/* rows of "second" */
	int			stride;			/* distance between columns, in doubles */
	const double *first;
	const double *block;
	const double *second;		/* transposed triangle */
} Pieces;

static Pieces
pieces_of(int d, const double *packed)
{
	int			even = d % 2 == 0;
	int			upper = (d + 1) / 2;
	const double *first = packed + even;
	Pieces		pieces = {
		upper, d / 2, d + even, first, first + upper, packed + (even ? 0 : d)
	};

	return pieces;
}

/*
 * out <- packed symmetric matrix times vector
 *
 * Up to three numbers past the end of "out" must be readable, because OpenBLAS 0.3.21 reads them on
 * processors without AVX.
 */
void
linalg_multiply_symmetric(int d, const double *packed, const double *vector, double *out)
{
	Pieces		p = pieces_of(d, packed);
	const double *rest = vector + p.upper;

	dsymv_("L", &p.upper, &one, p.first, &p.stride, vector, &unit_stride, &zero, out,
		   &unit_stride, 1);
	dgemv_("T", &p.lower, &p.upper, &one, p.block, &p.stride, rest, &unit_stride, &one, out,
		   &unit_stride, 1);
	dsymv_("U", &p.lower, &one, p.second, &p.stride, rest, &unit_stride, &zero, out + p.upper,
		   &unit_stride, 1);
	dgemv_("N", &p.lower, &p.upper, &one, p.block, &p.stride, vector, &unit_stride, &one,
		   out + p.upper, &unit_stride, 1);
}

/*
 * vector <- L^-1 vector, for a packed lower triangle L
 *
 * LAPACK's function is slower, because it copies the matrix.
 */
void
linalg_solve_lower(int d, const double *factor, double *vector)
{
	Pieces		p = pieces_of(d, factor);
	double	   *rest = vector + p.upper;

	dtrsv_("L", "N", "N", &p.upper, p.first, &p.stride, vector, &unit_stride, 1, 1, 1);
	dgemv_("N", &p.lower, &p.upper, &minus_one, p.block, &p.stride, vector,
		   &unit_stride, &one, rest, &unit_stride, 1);
	dtrsv_("U", "T", "N", &p.lower, p.second, &p.stride, rest, &unit_stride, 1, 1, 1);
}

/* vectors <- L'^-1 vectors, for a packed lower triangle L */
void
linalg_solve_lower_transposed(int d, const double *factor, int count, double *vectors)
{
	Pieces		p = pieces_of(d, factor);
	double	   *rest = vectors + p.upper;

	if (count == 1)
	{
		dtrsv_("U", "N", "N", &p.lower, p.second, &p.stride, rest, &unit_stride, 1, 1, 1);
		dgemv_("T", &p.lower, &p.upper, &minus_one, p.block, &p.stride, rest,
			   &unit_stride, &one, vectors, &unit_stride, 1);
		dtrsv_("L", "T", "N", &p.upper, p.first, &p.stride, vectors, &unit_stride, 1, 1, 1);
	}
	else
		dtfsm_("N", "L", "L", "T", "N", &d, &count, &one, factor, vectors, &d, 1, 1, 1, 1, 1);
}

/* vectors <- (L L')^-1 vectors, for a packed lower triangle L */
void
linalg_cholesky_solve(int d, const double *factor, int count, double *vectors)
{
	int			info;

	if (count == 1)
	{
		linalg_solve_lower(d, factor, vectors);
		linalg_solve_lower_transposed(d, factor, 1, vectors);
	}
	else
		dpftrs_("N", "L", &d, &count, factor, vectors, &d, &info, 1, 1);
}

/* vectors <- L vectors, for a packed lower triangle L */
void
linalg_multiply_lower(int d, const double *packed, int count, double *vectors)
{
	Pieces		p = pieces_of(d, packed);
	double	   *rest = vectors + p.upper;

	if (count == 1)
	{
		dtrmv_("U", "T", "N", &p.lower, p.second, &p.stride, rest, &unit_stride, 1, 1, 1);
		dgemv_("N", &p.lower, &p.upper, &one, p.block, &p.stride, vectors,
			   &unit_stride, &one, rest, &unit_stride, 1);
		dtrmv_("L", "N", "N", &p.upper, p.first, &p.stride, vectors, &unit_stride, 1, 1, 1);
	}
	else
	{
		dtrmm_("L", "U", "T", "N", &p.lower, &count, &one, p.second, &p.stride,
			   rest, &d, 1, 1, 1, 1);
		dgemm_("N", "N", &p.lower, &count, &p.upper, &one, p.block, &p.stride,
			   vectors, &d, &one, rest, &d, 1, 1);
		dtrmm_("L", "L", "N", "N", &p.upper, &count, &one, p.first, &p.stride,
			   vectors, &d, 1, 1, 1, 1);
	}
}

/* vector <- L' vector, for a packed lower triangle L */
void
linalg_multiply_lower_transposed(int d, const double *packed, double *vector)
{
	Pieces		p = pieces_of(d, packed);
	double	   *rest = vector + p.upper;

	dtrmv_("L", "T", "N", &p.upper, p.first, &p.stride, vector, &unit_stride, 1, 1, 1);
	dgemv_("T", &p.lower, &p.upper, &one, p.block, &p.stride, rest,
		   &unit_stride, &one, vector, &unit_stride, 1);
	dtrmv_("U", "N", "N", &p.lower, p.second, &p.stride, rest, &unit_stride, 1, 1, 1);
}

/*
 * sums[c] <- sums[c] + sum over k of weights[c][k] vectors[k]
 *
 * weights[c] and weights[c + 1] begin weights_len numbers apart.  sums[c] and sums[c + 1] begin
 * sums_len numbers apart.
 */
void
linalg_combine(int len, int rows, const double *vectors, int count,
			   const double *weights, int weights_len, double *sums, int sums_len)
{
	if (count == 1)
		dgemv_("N", &len, &rows, &one, vectors, &len, weights, &unit_stride,
			   &one, sums, &unit_stride, 1);
	else
		dgemm_("N", "N", &len, &count, &rows, &one, vectors, &len, weights,
			   &weights_len, &one, sums, &sums_len, 1, 1);
}

/* dots[k] <- vectors[k]' vector */
void
linalg_dot_each(int len, int count, const double *vectors, const double *vector, double *dots)
{
	dgemv_("T", &len, &count, &one, vectors, &len, vector, &unit_stride,
		   &zero, dots, &unit_stride, 1);
}

/* Return the Euclidean length of a vector, even if the squares of its elements overflow. */
double
linalg_norm(int len, const double *vector)
{
	return dnrm2_(&len, vector, &unit_stride);
}

/* Multiply vectors by at most SCORE_LANES rows of a matrix. */
static void
project_rows(int len, int rows, const double *matrix, int count, const double *vectors,
			 double *out, int out_len)
{
	double		lanes[MAX_PIECE * SCORE_LANES];
	double		sums[MAX_SUMS][SCORE_LANES];

	for (int k = 0; k < len; k += MAX_PIECE)
	{
		int			piece = len - k < MAX_PIECE ? len - k : MAX_PIECE;

		score_pack(piece, rows, matrix + k, len, lanes);
		for (int first = 0; first < count; first += MAX_SUMS)
		{
			int			n = count - first < MAX_SUMS ? count - first : MAX_SUMS;
			double	   *to = out + (size_t) first * (size_t) out_len;

			score_lanes(piece, lanes, n, vectors + (size_t) first * (size_t) len + k, len,
						sums[0], SCORE_LANES);
			for (int i = 0; i < n; i++, to += out_len)
				for (int l = 0; l < rows; l++)
					to[l] = k == 0 ? sums[i][l] : to[l] + sums[i][l];
		}
	}
}

/* out[c] <- matrix vectors[c], for a matrix stored by rows */
void
linalg_project(int len, int rows, const double *matrix, int count,
			   const double *vectors, double *out, int out_len)
{
	if (count == 1)
		linalg_dot_each(len, rows, matrix, vectors, out);
	for (int row = 0; count > 1 && row < rows; row += SCORE_LANES)
		project_rows(len, rows - row < SCORE_LANES ? rows - row : SCORE_LANES,
					 matrix + (size_t) row * (size_t) len, count, vectors, out + row, out_len);
}

/* full <- A A', where A is the d x d matrix "columns", stored by columns */
void
linalg_gram(int d, const double *columns, double *full)
{
	size_t		n = (size_t) d;

	dsyrk_("L", "N", &d, &d, &one, columns, &d, &zero, full, &d, 1, 1);
	for (size_t j = 0; j < n; j++)
		for (size_t i = j + 1; i < n; i++)
			full[j + i * n] = full[i + j * n];
}

/* full <- full + sum over k of left[k] right[k]', stored by columns */
void
linalg_cross(int rows, int columns, int count, const double *left, int left_stride,
			 const double *right, int right_stride, double *full, int stride)
{
	dgemm_("N", "T", &rows, &columns, &count, &one, left, &left_stride, right, &right_stride,
		   &one, full, &stride, 1, 1);
}
