/*
 * panel.c
 *		Products of a sparse matrix with a panel, and of two panels.
 *
 * Functions process cells and items in pieces, and call pause() after each.
 */
#include "panel.h"

#include <string.h>

#include "clones.h"
#include "linalg.h"

#define NUMBER double
#define PRODUCT multiply_double
#define FILTER filter_double
#define SHIFT shift_double
#define GATHER gather_double
#define SCATTER scatter_double
#include "panel_product.h"

#define NUMBER float
#define PRODUCT multiply_float
#define FILTER filter_float
#define SHIFT shift_float
#define GATHER gather_float
#define SCATTER scatter_float
#include "panel_product.h"

/* Copy a panel, rounded to single precision. */
static void
round_panel(const SvdMatrix *matrix, size_t columns, const double *panel, float *out)
{
	for (uint32_t item = 0; item < matrix->items; item++)
	{
		for (size_t i = item * columns; i < (item + 1) * columns; i++)
			out[i] = (float) panel[i];
		matrix->pause();
	}
}

/* Copy a panel of single precision, which may be the second half of "out". */
static void
widen_panel(const SvdMatrix *matrix, size_t columns, const float *panel, double *out)
{
	for (uint32_t item = 0; item < matrix->items; item++)
	{
		/* out[i] overwrites converted numbers only */
		for (size_t i = item * columns; i < (item + 1) * columns; i++)
		{
			float		number = panel[i];

			out[i] = number;
		}
		matrix->pause();
	}
}

/* out <- A'A panel; "sum" is work space for one vector */
void
panel_multiply(const SvdMatrix *matrix, size_t columns, const double *panel,
			   double *out, double *sum)
{
	multiply_double(matrix, columns, 1.0, 0.0, false, panel, out, sum);
}

/*
 * out <- A'A panel in single precision, which takes a third of the time.  "out"
 * contains both the rounded panel and the product until the product is converted.
 */
void
panel_multiply_fast(const SvdMatrix *matrix, size_t columns, const double *panel,
					double *out, double *sum)
{
	float	   *from = (void *) out;
	float	   *to = from + matrix->items * columns;

	round_panel(matrix, columns, panel, from);
	multiply_float(matrix, columns, 1.0, 0.0, false, from, to, (void *) sum);
	widen_panel(matrix, columns, to, out);
}

/*
 * *panel <- T_n(A'A / center - 1) *panel with the Chebyshev polynomial T_n.  The content of
 * *spare is lost, and the panels may be swapped; "sum" is work space for one vector.
 */
void
panel_filter(const SvdMatrix *matrix, size_t columns, double center, int n,
			 double **panel, double **spare, double *sum)
{
	filter_double(matrix, columns, center, n, panel, spare, sum);
}

/* The same in single precision */
void
panel_filter_fast(const SvdMatrix *matrix, size_t columns, double center, int n,
				  double **panel, double **spare, double *sum)
{
	float	   *from = (void *) *spare;
	float	   *to = from + matrix->items * columns;

	round_panel(matrix, columns, *panel, from);
	filter_float(matrix, columns, center, n, &from, &to, (void *) sum);
	widen_panel(matrix, columns, from, *panel);
}

/* Number of vectors in the chunk of a panel that starts at "item" */
int
panel_chunk(const SvdMatrix *matrix, uint32_t item)
{
	return matrix->items - item < PANEL_CHUNK ? (int) (matrix->items - item) : PANEL_CHUNK;
}

/* full <- left' right, summed chunk by chunk */
void
panel_cross(const SvdMatrix *matrix, int columns, const double *left,
			const double *right, double *full)
{
	memset(full, 0, sizeof(double) * (size_t) columns * (size_t) columns);
	for (uint32_t item = 0; item < matrix->items; item += PANEL_CHUNK)
	{
		size_t		offset = (size_t) item * (size_t) columns;

		linalg_cross(columns, panel_chunk(matrix, item), left + offset, right + offset, full);
		matrix->pause();
	}
}

/*
 * panel <- panel times "full", a matrix by columns; "chunk" is work space for
 * PANEL_CHUNK vectors
 */
void
panel_transform(const SvdMatrix *matrix, int columns, double *panel,
				const double *full, double *chunk)
{
	for (uint32_t item = 0; item < matrix->items; item += PANEL_CHUNK)
	{
		int			count = panel_chunk(matrix, item);
		double	   *vectors = panel + (size_t) item * (size_t) columns;

		linalg_project(columns, columns, full, count, vectors, chunk, columns);
		memcpy(vectors, chunk, sizeof(double) * (size_t) count * (size_t) columns);
		matrix->pause();
	}
}
